//! Running the program that writes a summary.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::process::{Dialogue, End, Invocation, Launcher, StartError};

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
    /// It was not started.
    #[error(transparent)]
    NotStarted(#[from] StartError),
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

/// What a program prints that reads `input`, in this directory. Standard error is the caller's; there is no shell.
///
/// # Errors
/// When it cannot be started, fails, takes too long or prints too much.
pub fn filtered(
    launcher: &Launcher,
    command: &[OsString],
    directory: &Path,
    input: String,
    limits: FilterLimits,
) -> Result<Vec<u8>, FilterError> {
    let Some((program, arguments)) = command.split_first() else { return Ok(input.into_bytes()) };
    let invocation = Invocation {
        program: program.clone(),
        arguments: arguments.to_vec(),
        directory: directory.to_owned(),
        variables: launcher.variables().clone(),
        timeout: Some(limits.time),
    };
    let input = Some(input.into_bytes()).filter(|input| !input.is_empty());
    let mut filter = FilterProgram { input, printed: Vec::new(), most: limits.output };
    let end = launcher.attend(&invocation, false, &mut filter)?;
    let program = program.to_string_lossy().into_owned();
    match end {
        _ if filter.is_over() => Err(FilterError::TooMuch { program, most: limits.output }),
        End::Exited(0) => Ok(filter.printed),
        End::TimedOut => Err(FilterError::TooSlow { program, time: limits.time }),
        End::Exited(_) | End::Signalled(_) => Err(FilterError::Failed { program, ending: end.to_string() }),
    }
}

/// One input, and an output that is kept up to a limit.
struct FilterProgram {
    input: Option<Vec<u8>>,
    printed: Vec<u8>,
    most: u64,
}

impl Dialogue for FilterProgram {
    fn next_input(&mut self) -> Option<Vec<u8>> {
        self.input.take()
    }

    fn take_output(&mut self, bytes: &[u8]) {
        self.printed.extend_from_slice(bytes);
    }

    fn is_over(&self) -> bool {
        self.printed.len() as u64 > self.most
    }
}
