//! Running the program that writes a summary.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::words::cause;

/// How often a program that has closed its output is asked whether it has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// What a program may use.
#[derive(Debug, Clone, Copy)]
pub struct FilterLimits {
    /// How long it may run.
    pub time: Duration,
    /// How much it may print, in bytes.
    pub output: u64,
}

/// Why a program gave no answer.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are the message's")]
pub enum FilterError {
    /// There is no program of this name.
    #[error("program '{program}' not found")]
    NotFound { program: String },
    /// The system refused to run it, or to let it be read.
    #[error("cannot run '{program}': {}", cause(source))]
    NotRun { program: String, source: io::Error },
    /// It failed.
    #[error("'{program}' ended with {ending}; nothing was changed")]
    Failed { program: String, ending: String },
    /// It took too long, and was killed.
    #[error("'{program}' took longer than {} minutes; nothing was changed", time.as_secs() / 60)]
    TooSlow { program: String, time: Duration },
    /// It printed too much, and was killed.
    #[error("'{program}' printed more than {most} bytes; nothing was changed")]
    TooMuch { program: String, most: u64 },
}

/// What a program prints that reads `input`. Standard error is the caller's; there is no shell.
///
/// # Errors
/// When it cannot be started, fails, takes too long or prints too much.
pub fn filtered(command: &[OsString], input: String, limits: FilterLimits) -> Result<Vec<u8>, FilterError> {
    let Some((program, arguments)) = command.split_first() else { return Ok(input.into_bytes()) };
    let name = program.to_string_lossy().into_owned();
    let not_run = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => FilterError::NotFound { program: name.clone() },
        _ => FilterError::NotRun { program: name.clone(), source },
    };
    let deadline = Instant::now() + limits.time;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(not_run)?;
    let (mut stdin, stdout) = (child.stdin.take(), child.stdout.take());
    // One that does not read all of it has read enough.
    thread::spawn(move || stdin.as_mut().map(|stdin| stdin.write_all(input.as_bytes())));
    let (sender, answer) = mpsc::channel();
    thread::spawn(move || {
        let mut printed = Vec::new();
        let read = stdout.map(|out| out.take(limits.output + 1).read_to_end(&mut printed));
        let _ = sender.send(read.unwrap_or(Ok(0)).map(|_| printed));
    });
    let printed = answer.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    let printed = match printed {
        Ok(Ok(printed)) if printed.len() as u64 > limits.output => {
            end(&mut child);
            return Err(FilterError::TooMuch { program: name, most: limits.output });
        }
        Ok(Ok(printed)) => printed,
        Ok(Err(source)) => {
            end(&mut child);
            return Err(FilterError::NotRun { program: name, source });
        }
        Err(_) => {
            end(&mut child);
            return Err(FilterError::TooSlow { program: name, time: limits.time });
        }
    };
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(printed),
            Ok(Some(status)) => {
                return Err(FilterError::Failed { program: name, ending: status.to_string() });
            }
            Ok(None) if Instant::now() >= deadline => {
                end(&mut child);
                return Err(FilterError::TooSlow { program: name, time: limits.time });
            }
            Ok(None) => thread::sleep(PAUSE),
            Err(source) => return Err(FilterError::NotRun { program: name, source }),
        }
    }
}

/// Whatever becomes of it, nobody waits for it any longer.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}
