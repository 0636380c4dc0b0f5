//! What is run, and what came of it.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::{Captured, Variables};
use crate::words::cause;

/// A program with its arguments, surroundings and limits.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// A name, which is looked up in `PATH`, or a path from `directory`.
    pub program: OsString,
    /// The arguments after the program's name.
    pub arguments: Vec<OsString>,
    /// The directory that the program runs in, absolute.
    pub directory: PathBuf,
    /// The whole environment of the program.
    pub variables: Variables,
    /// What the program reads on standard input; nothing if empty.
    pub input: Vec<u8>,
    /// How long it may run before its group gets TERM, and 2 seconds later KILL.
    pub timeout: Duration,
    /// How many bytes of its standard output are kept.
    pub most_output: usize,
}

/// What came of a program that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// Its standard output.
    pub output: Captured,
    /// The last line of its standard error that is not blank.
    pub last_error_line: Option<String>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that somebody else sent.
    Signalled(i32),
    /// It was still running when its time was over, and was killed.
    TimedOut,
}

/// Why a program was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No directory of `PATH` has it, or there is no such path.
    #[error("program '{}' not found", program.display())]
    NotFound {
        /// The program as it was named.
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
        /// The program as it was named.
        program: OsString,
        /// The cause.
        source: io::Error,
    },
}
