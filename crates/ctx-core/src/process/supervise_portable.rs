//! Watching over one running program where there are no process groups: the program itself is killed, what
//! it started is not.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Collector, Dialogue, End, Finished, Foreground, Invocation};

/// How long the output is read on after the program has ended.
const LINGER: Duration = Duration::from_millis(200);

/// How often it is looked whether the program has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// How much of standard error is kept to find its last line in, in bytes.
const ERROR_TAIL: usize = 8 * 1024;

/// The programs that run now.
#[derive(Debug, Default)]
pub(super) struct Running(Mutex<Programs>);

#[derive(Debug, Default)]
struct Programs {
    stopped: bool,
    children: Vec<Arc<Mutex<Child>>>,
}

impl Running {
    pub fn stop(&self) {
        let mut programs = locked(&self.0);
        programs.stopped = true;
        for child in &programs.children {
            // It may have ended by itself.
            let _ = locked(child).kill();
        }
    }
}

/// What a program wrote, and where.
enum Written {
    Output(Vec<u8>),
    Error(Vec<u8>),
}

pub(super) fn run(program: &Path, invocation: &Invocation, running: &Running) -> io::Result<Finished> {
    let mut command = Command::new(program);
    command
        .args(&invocation.arguments)
        .current_dir(&invocation.directory)
        .stdin(if invocation.input.is_empty() { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    invocation.variables.apply(&mut command);
    let mut programs = locked(&running.0);
    if programs.stopped {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let mut child = command.spawn()?;
    let (sender, receiver) = mpsc::channel();
    if let Some(mut stdin) = child.stdin.take() {
        let input = invocation.input.clone();
        thread::spawn(move || stdin.write_all(&input));
    }
    if let Some(stdout) = child.stdout.take() {
        forward(stdout, sender.clone(), Written::Output);
    }
    if let Some(stderr) = child.stderr.take() {
        forward(stderr, sender, Written::Error);
    }
    let child = Arc::new(Mutex::new(child));
    programs.children.push(Arc::clone(&child));
    drop(programs);
    let finished = watch(&child, &receiver, invocation);
    locked(&running.0).children.retain(|other| !Arc::ptr_eq(other, &child));
    finished
}

pub(super) fn attend(
    program: &Path,
    foreground: &Foreground,
    dialogue: &mut dyn Dialogue,
    running: &Running,
) -> io::Result<End> {
    let mut command = foreground.command(program);
    let mut programs = locked(&running.0);
    if programs.stopped {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let mut child = command.spawn()?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let child = Arc::new(Mutex::new(child));
    programs.children.push(Arc::clone(&child));
    drop(programs);
    let input = std::iter::from_fn(|| dialogue.next_input()).flatten().collect::<Vec<u8>>();
    // One that does not read all of it has read enough.
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let deadline = foreground.timeout.map(|timeout| Instant::now() + timeout);
    let (sender, written) = mpsc::channel();
    if let Some(stdout) = stdout {
        forward(stdout, sender, Written::Output);
    }
    let mut status: Option<ExitStatus> = None;
    let mut last = deadline;
    while last.is_none_or(|last| Instant::now() < last) && !dialogue.is_over() {
        match written.recv_timeout(PAUSE) {
            Ok(Written::Output(bytes) | Written::Error(bytes)) => dialogue.take_output(&bytes),
            Err(RecvTimeoutError::Disconnected) if status.is_some() => break,
            Err(RecvTimeoutError::Disconnected) => thread::sleep(PAUSE),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if status.is_none() {
            status = locked(&child).try_wait()?;
            if status.is_some() {
                last = Some(Instant::now() + LINGER);
            }
        }
    }
    drop(written);
    let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let end = match status {
        Some(status) => End::Exited(status.code().unwrap_or(1)),
        None if is_late => {
            // It may have ended just now.
            let _ = locked(&child).kill();
            locked(&child).wait()?;
            End::TimedOut
        }
        None => End::Exited(locked(&child).wait()?.code().unwrap_or(1)),
    };
    locked(&running.0).children.retain(|other| !Arc::ptr_eq(other, &child));
    Ok(end)
}

fn watch(child: &Mutex<Child>, written: &Receiver<Written>, limits: &Invocation) -> io::Result<Finished> {
    let mut output = Collector::new(limits.most_output);
    let mut errors = Collector::new(ERROR_TAIL);
    let deadline = Instant::now() + limits.timeout;
    let mut status: Option<ExitStatus> = None;
    let mut last = deadline;
    while Instant::now() < last {
        match written.recv_timeout(PAUSE) {
            Ok(Written::Output(bytes)) => output.push(&bytes),
            Ok(Written::Error(bytes)) => errors.push(&bytes),
            Err(RecvTimeoutError::Disconnected) if status.is_some() => break,
            Err(RecvTimeoutError::Disconnected) => thread::sleep(PAUSE),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if status.is_none() {
            status = locked(child).try_wait()?;
            if status.is_some() {
                last = Instant::now() + LINGER;
            }
        }
    }
    let end = match status {
        Some(status) => End::Exited(status.code().unwrap_or(1)),
        None => {
            // It may have ended just now.
            let _ = locked(child).kill();
            locked(child).wait()?;
            End::TimedOut
        }
    };
    Ok(Finished { end, output: output.finish(), last_error_line: errors.last_line() })
}

fn forward(mut pipe: impl Read + Send + 'static, to: Sender<Written>, kind: fn(Vec<u8>) -> Written) {
    thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            if to.send(kind(buffer[..count].to_vec())).is_err() {
                break;
            }
        }
    });
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
