//! Supervises one running program without process groups: the program itself is killed, but not what it started.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::invocation::ProcessGroup;
use super::running::{Running, locked};
use super::{Captured, Collector, Dialogue, End, Finished};

/// How long output is read after the program has ended.
const LINGER: Duration = Duration::from_millis(200);

/// How often to check whether the program has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// How much of standard error is kept to find its last line, in bytes.
const ERROR_TAIL: usize = 8 * 1024;

/// A program that was started.
#[derive(Debug, Clone)]
pub(super) struct SharedChild(Arc<Mutex<Child>>);

/// Kills running programs, and starts no more.
pub(super) fn stop(running: &Mutex<Running<SharedChild>>) {
    let mut running = locked(running);
    running.stopped = true;
    for SharedChild(child) in &running.programs {
        // It may have ended on its own.
        let _ = locked(child).kill();
    }
}

/// Starts a program and supervises it until it ends, without process groups, which these systems lack.
pub(super) fn supervise(
    running: &Mutex<Running<SharedChild>>,
    command: &mut Command,
    _: ProcessGroup,
    (timeout, _): (Option<Duration>, Option<u64>),
    dialogue: &mut dyn Dialogue,
) -> io::Result<Finished> {
    let (SharedChild(child), written) = start(running, command, dialogue)?;
    let finished = watch(&child, written, timeout, dialogue);
    locked(running).programs.retain(|other| !Arc::ptr_eq(&other.0, &child));
    finished
}

/// Starts a program, and threads that read its output and write its input.
fn start(
    running: &Mutex<Running<SharedChild>>,
    command: &mut Command,
    dialogue: &mut dyn Dialogue,
) -> io::Result<(SharedChild, Receiver<InputWritten>)> {
    let mut running = locked(running);
    if running.stopped {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let mut child = command.spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let program = SharedChild(Arc::new(Mutex::new(child)));
    running.programs.push(program.clone());
    drop(running);
    if let Some(mut stdin) = stdin {
        let input = std::iter::from_fn(|| dialogue.next_input()).flatten().collect::<Vec<u8>>();
        // A program that does not read all of it has read enough.
        thread::spawn(move || stdin.write_all(&input));
    }
    let (sender, written) = mpsc::channel();
    if let Some(stdout) = stdout {
        forward(stdout, sender.clone(), InputWritten::Output);
    }
    if let Some(stderr) = stderr {
        forward(stderr, sender, InputWritten::Error);
    }
    Ok((program, written))
}

/// A piece of a program's output, and its stream.
enum InputWritten {
    Output(Vec<u8>),
    Error(Vec<u8>),
}

/// Supervises a program until it ends. The lock on the child is not held while waiting, so that it can be stopped
/// in the meantime.
fn watch(
    child: &Mutex<Child>,
    written: Receiver<InputWritten>,
    timeout: Option<Duration>,
    dialogue: &mut dyn Dialogue,
) -> io::Result<Finished> {
    let mut errors = Collector::new(ERROR_TAIL);
    let mut written = Some(written);
    let mut status: Option<ExitStatus> = None;
    let mut last = timeout.map(|timeout| Instant::now() + timeout);
    while last.is_none_or(|last| Instant::now() < last) {
        match written.as_ref().map(|written| written.recv_timeout(PAUSE)) {
            Some(Ok(InputWritten::Output(bytes))) => dialogue.take_output(&bytes),
            Some(Ok(InputWritten::Error(bytes))) => errors.push(&bytes),
            Some(Err(RecvTimeoutError::Timeout)) => {}
            Some(Err(RecvTimeoutError::Disconnected)) | None if status.is_some() => break,
            Some(Err(RecvTimeoutError::Disconnected)) | None => thread::sleep(PAUSE),
        }
        if dialogue.is_over() {
            written = None;
        }
        if status.is_none() {
            status = locked(child).try_wait()?;
            if status.is_some() {
                last = Some(Instant::now() + LINGER);
            }
        }
    }
    let end = match status {
        Some(status) => End::Exited(status.code().unwrap_or(1)),
        None => {
            let mut child = locked(child);
            // It may have ended just now.
            let _ = child.kill();
            child.wait()?;
            End::TimedOut
        }
    };
    let last_error_line = errors.clone().last_line();
    Ok(Finished { end, output: Captured::default(), errors: errors.finish(), last_error_line })
}

fn forward(
    mut pipe: impl Read + Send + 'static,
    to: Sender<InputWritten>,
    kind: fn(Vec<u8>) -> InputWritten,
) {
    thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            if to.send(kind(buffer[..count].to_vec())).is_err() {
                break;
            }
        }
    });
}
