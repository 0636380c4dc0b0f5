//! Supervises one running program on a POSIX system.

use std::fs::File;
use std::io::{self, BufRead, Cursor, PipeWriter, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

use super::invocation::ProcessGroup;
use super::running::{Running, locked};
use super::{Captured, Collector, Dialogue, End, Finished};

/// The time from TERM to KILL.
const GRACE: Duration = Duration::from_secs(2);

/// How long output is read after the program has ended, and how long a killed one may take to end.
const LINGER: Duration = Duration::from_millis(200);

/// How much of standard error is kept to find its last line, in bytes.
const ERROR_TAIL: usize = 8 * 1024;

/// Kills running programs, and starts no more.
pub(super) fn stop(running: &Mutex<Running<Leader>>) {
    let mut running = locked(running);
    running.stopped = true;
    running.programs.iter().for_each(|program| program.signal(Signal::KILL));
}

/// Sends a signal to the program in the foreground.
pub(super) fn hand_on(running: &Mutex<Running<Leader>>, signal: Signal) {
    let running = locked(running);
    let in_foreground = running.programs.iter().filter(|program| program.group == ProcessGroup::OfCaller);
    in_foreground.for_each(|program| program.signal(signal));
}

/// Starts a program and supervises it until it ends. Processes left in its group end with it.
pub(super) fn supervise(
    running: &Mutex<Running<Leader>>,
    command: &mut Command,
    group: ProcessGroup,
    (timeout, memory): (Option<Duration>, Option<u64>),
    dialogue: &mut dyn Dialogue,
) -> io::Result<Finished> {
    if group == ProcessGroup::Own {
        command.process_group(0);
    }
    let mut child = start(running, command, group)?;
    let program = Leader { pid: Pid::from_child(&child), group };
    memory.into_iter().for_each(|bytes| program.limit_memory(bytes));
    let mut errors = Collector::new(ERROR_TAIL);
    let stage = watch(&mut child, program, timeout, dialogue, &mut errors);
    if group == ProcessGroup::Own || !matches!(stage, Ok(StopStage::Ended)) {
        // The leader of the group has not been reaped yet, so its process ID is still valid.
        program.signal(Signal::KILL);
    }
    let status = reap(running, &mut child)?;
    let end = match (stage?, status) {
        (StopStage::Ended, Some(status)) => match status.code() {
            Some(code) => End::Exited(code),
            None => End::Signalled(status.signal().unwrap_or_default()),
        },
        (StopStage::Running | StopStage::Ended | StopStage::Terminated | StopStage::Killed, _) => {
            End::TimedOut
        }
    };
    let last_error_line = errors.clone().last_line();
    Ok(Finished { end, output: Captured::default(), errors: errors.finish(), last_error_line })
}

fn start(running: &Mutex<Running<Leader>>, command: &mut Command, group: ProcessGroup) -> io::Result<Child> {
    let mut running = locked(running);
    if running.stopped {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let child = command.spawn()?;
    running.programs.push(Leader { pid: Pid::from_child(&child), group });
    Ok(child)
}

/// Reaps a program; after that, its process ID may belong to another one.
fn reap(running: &Mutex<Running<Leader>>, child: &mut Child) -> io::Result<Option<std::process::ExitStatus>> {
    let mut running = locked(running);
    let pid = Pid::from_child(child);
    running.programs.retain(|program| program.pid != pid);
    child.try_wait()
}

/// A started program. It leads its process group if it has its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leader {
    pid: Pid,
    group: ProcessGroup,
}

impl Leader {
    /// Limits the private memory of the program; mapped files do not count.
    #[cfg(target_os = "linux")]
    fn limit_memory(self, bytes: u64) {
        use rustix::process::{Resource, Rlimit, prlimit};
        let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
        // The program may be gone, or may have a lower limit already.
        let _ = prlimit(Some(self.pid), Resource::Data, limit);
    }

    #[cfg(not(target_os = "linux"))]
    fn limit_memory(self, _: u64) {}

    fn signal(self, signal: Signal) {
        // The program may be gone, or its group may be empty.
        let _ = match self.group {
            ProcessGroup::Own => kill_process_group(self.pid, signal),
            ProcessGroup::OfCaller => kill_process(self.pid, signal),
        };
    }
}

/// The stages of a program's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopStage {
    Running,
    /// The program has ended on its own; others may still hold its pipes.
    Ended,
    /// The program ran out of time and was sent TERM.
    Terminated,
    /// The program did not end after TERM and was sent KILL.
    Killed,
}

/// One end of a pipe, until it is closed.
struct Pipe(Option<File>);

impl Pipe {
    fn of(descriptor: Option<impl Into<OwnedFd>>) -> io::Result<Self> {
        let Some(descriptor) = descriptor.map(Into::into) else { return Ok(Self(None)) };
        fcntl_setfl(&descriptor, fcntl_getfl(&descriptor)? | OFlags::NONBLOCK)?;
        Ok(Self(Some(File::from(descriptor))))
    }

    fn is_open(&self) -> bool {
        self.0.is_some()
    }

    fn read_into(&mut self, mut take: impl FnMut(&[u8])) {
        let mut buffer = [0; 64 * 1024];
        match self.0.as_mut().map(|file| file.read(&mut buffer)) {
            Some(Ok(count)) if count > 0 => take(&buffer[..count]),
            Some(Err(error)) if is_temporary(&error) => {}
            Some(Ok(_) | Err(_)) | None => self.0 = None,
        }
    }

    /// Reads what is already in the pipe, however long the dialogue takes. The amount is limited, since
    /// another process may still be writing.
    fn drain_into(&mut self, dialogue: &mut dyn Dialogue) {
        const MOST: usize = 1 << 20;
        let mut read = 0;
        while self.is_open() && read < MOST && !dialogue.is_over() {
            let before = read;
            self.read_into(|bytes| {
                read += bytes.len();
                dialogue.take_output(bytes);
            });
            if read == before {
                break;
            }
        }
    }

    /// Writes more of a piece of input or, once it is written, of the next one; closes the pipe after the last.
    fn write_from(&mut self, piece: &mut Cursor<Vec<u8>>, dialogue: &mut dyn Dialogue) {
        let Some(file) = &mut self.0 else { return };
        while piece.position() == piece.get_ref().len() as u64 {
            let Some(next) = dialogue.next_input() else {
                self.0 = None;
                return;
            };
            *piece = Cursor::new(next);
        }
        match piece.fill_buf().and_then(|rest| file.write(rest)) {
            Ok(count) => piece.consume(count),
            Err(error) if is_temporary(&error) => {}
            Err(_) => self.0 = None,
        }
    }
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Watches a program until it has ended and its output is complete, and collects its standard error.
fn watch(
    child: &mut Child,
    program: Leader,
    timeout: Option<Duration>,
    dialogue: &mut dyn Dialogue,
    errors: &mut Collector,
) -> io::Result<StopStage> {
    let mut piece = Cursor::default();
    let mut pipes =
        [Pipe::of(child.stdin.take())?, Pipe::of(child.stdout.take())?, Pipe::of(child.stderr.take())?];
    let mut end = Pipe::of(Some(end_of(program.pid)?))?;
    let mut stage = StopStage::Running;
    let mut due = timeout.map(|timeout| Instant::now() + timeout);
    while end.is_open() || pipes[1].is_open() || pipes[2].is_open() {
        let now = Instant::now();
        if due.is_some_and(|due| now >= due) {
            stage = match stage {
                StopStage::Running => {
                    program.signal(Signal::TERM);
                    due = Some(now + GRACE);
                    StopStage::Terminated
                }
                StopStage::Terminated => {
                    program.signal(Signal::KILL);
                    due = Some(now + LINGER);
                    StopStage::Killed
                }
                StopStage::Ended | StopStage::Killed => {
                    pipes[1].drain_into(dialogue);
                    break;
                }
            };
        }
        let [stdin, stdout, stderr] = &mut pipes;
        wait([&*stdin, &*stdout, &*stderr, &end], due.map(|due| due.saturating_duration_since(now)))?;
        if stdin.is_open() {
            stdin.write_from(&mut piece, dialogue);
        }
        stdout.read_into(|bytes| dialogue.take_output(bytes));
        if dialogue.is_over() {
            *stdout = Pipe(None);
        }
        stderr.read_into(|bytes| errors.push(bytes));
        if end.is_open() {
            end.read_into(|_| {});
            if !end.is_open() && stage == StopStage::Running {
                stage = StopStage::Ended;
                due = Some(Instant::now() + LINGER);
            }
        }
    }
    Ok(stage)
}

/// Waits for an event on one of the pipes: standard input, output and error, and the one that signals the
/// program's end.
fn wait(pipes: [&Pipe; 4], time: Option<Duration>) -> io::Result<()> {
    let events = [PollFlags::OUT, PollFlags::IN, PollFlags::IN, PollFlags::IN];
    let mut polled: Vec<PollFd<'_>> = pipes
        .iter()
        .zip(events)
        .filter_map(|(pipe, events)| Some(PollFd::from_borrowed_fd(pipe.0.as_ref()?.as_fd(), events)))
        .collect();
    let time = time.and_then(|time| Timespec::try_from(time).ok());
    match poll(&mut polled, time.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// A pipe that closes when a process has ended. The process is not reaped, so that its ID, and its group's,
/// cannot be reused yet.
fn end_of(leader: Pid) -> io::Result<OwnedFd> {
    let (end, writer) = io::pipe()?;
    thread::Builder::new().name("ctx-wait".to_owned()).spawn(move || await_end(leader, writer))?;
    Ok(end.into())
}

fn await_end(leader: Pid, writer: PipeWriter) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(leader), options) {}
    drop(writer);
}
