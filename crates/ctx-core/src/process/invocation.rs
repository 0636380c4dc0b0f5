//! A program to run, and the result.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::Captured;
use crate::words::cause;

/// A program with its arguments, environment and time limit.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// A name, which is looked up in `PATH`, or a path relative to `directory`.
    pub program: OsString,
    /// The arguments after the program's name.
    pub arguments: Vec<OsString>,
    /// The directory that the program runs in, absolute.
    pub directory: PathBuf,
    /// The whole environment of the program.
    pub variables: Variables,
    /// How long it may run, if limited, before it gets TERM, and KILL 2 seconds later.
    pub timeout: Option<Duration>,
    /// The most private memory that it and each program it starts may use, in bytes, if limited. Only Linux
    /// enforces this.
    pub memory: Option<u64>,
}

/// Environment variables by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<OsString, OsString>);

impl Variables {
    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Sets a variable.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.0.insert(name.into(), value.into());
    }

    /// Removes a variable, if it is set.
    pub fn remove(&mut self, name: &str) {
        self.0.remove(OsStr::new(name));
    }

    /// Keeps the variables whose names satisfy `keep`.
    pub fn retain(&mut self, mut keep: impl FnMut(&OsStr) -> bool) {
        self.0.retain(|name, _| keep(name));
    }

    pub(super) fn apply(&self, command: &mut std::process::Command) {
        command.env_clear().envs(&self.0);
    }
}

impl FromIterator<(OsString, OsString)> for Variables {
    fn from_iter<I: IntoIterator<Item = (OsString, OsString)>>(variables: I) -> Self {
        Self(variables.into_iter().collect())
    }
}

/// The process group of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ProcessGroup {
    /// Its own, which is signalled and ended with it.
    Own,
    /// The group of this process.
    OfCaller,
}

/// The result of running a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// Its standard output.
    pub output: Captured,
    /// The beginning and the end of its standard error.
    pub errors: Captured,
    /// The last non-blank line of its standard error.
    pub last_error_line: Option<String>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// On its own, with this code.
    Exited(i32),
    /// By a signal that somebody else sent.
    Signalled(i32),
    /// It was still running at its time limit, and was killed.
    TimedOut,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit status: {code}"),
            Self::Signalled(signal) => f.write_str(&signal_in_words(*signal)),
            Self::TimedOut => f.write_str("a timeout"),
        }
    }
}

/// A signal as the standard library writes it: `signal: 9 (SIGKILL)`.
#[cfg(unix)]
fn signal_in_words(signal: i32) -> String {
    use std::os::unix::process::ExitStatusExt;
    std::process::ExitStatus::from_raw(signal).to_string()
}

#[cfg(not(unix))]
fn signal_in_words(signal: i32) -> String {
    format!("signal: {signal}")
}

/// Why a program was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// It is not in a directory of `PATH`, or the path does not exist.
    #[error("program '{}' not found", program.display())]
    NotFound {
        /// The program as named.
        program: OsString,
    },
    /// The directory to run in is gone.
    #[error("directory '{}' not found", directory.display())]
    NoDirectory {
        /// The directory.
        directory: PathBuf,
    },
    /// The system refused.
    #[error("cannot run '{}': {}", program.display(), cause(source))]
    Failed {
        /// The program as named.
        program: OsString,
        /// The cause.
        source: io::Error,
    },
}
