//! The command of a `cmd:` entry: its words, its limits, and what it prints.

mod excerpt;
mod words;

#[cfg(all(test, unix))]
mod tests;

use std::path::Path;
use std::time::Duration;

pub use excerpt::Excerpt;
pub use words::Words;

use crate::entry::value::Timeout;
use crate::entry::{Attributes, Entry, Kind, UsedOutput};
use crate::process::{End, Invocation, Launcher, StartError};
use crate::words::WrongText;

/// Set for every program that is started, so that a `ctx` that it runs does not start any programs.
pub const DEPTH: &str = "CTX_DEPTH";

/// A command and its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments.
    pub words: Words,
    /// Its limits.
    pub limits: CommandLimits,
}

/// The limits of a command, and which output is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandLimits {
    /// How long the command may run; at most [`CommandLimits::MOST_TIME`].
    pub timeout: Duration,
    /// How many bytes of its output are used.
    pub most_output: usize,
    /// Whether its output is used only if it succeeds.
    pub only_success: bool,
    /// How long the output of a successful run is reused; without it, the command runs every time.
    pub ttl: Option<Duration>,
}

impl CommandLimits {
    /// The longest time that a command may run.
    pub const MOST_TIME: Duration = Timeout::MOST;

    /// The limits in the attributes of an entry.
    #[must_use]
    pub fn of(attributes: &Attributes) -> Self {
        let usual = Self::default();
        let size = attributes.max_output.map(|size| usize::try_from(size.bytes()).unwrap_or(usize::MAX));
        Self {
            timeout: attributes.timeout.map_or(usual.timeout, Timeout::duration),
            most_output: size.unwrap_or(usual.most_output),
            only_success: attributes.exit == UsedOutput::OfSuccess,
            ttl: attributes.ttl.map(|ttl| ttl.duration()),
        }
    }

    /// The attributes of an entry, without any limits that equal the defaults.
    #[must_use]
    pub fn without_usual(attributes: &Attributes) -> Attributes {
        let (limits, usual) = (Self::of(attributes), Self::default());
        Attributes {
            timeout: attributes.timeout.filter(|_| limits.timeout != usual.timeout),
            max_output: attributes.max_output.filter(|_| limits.most_output != usual.most_output),
            ..attributes.clone()
        }
    }
}

impl Default for CommandLimits {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(30), most_output: 64_000, only_success: false, ttl: None }
    }
}

/// The result of a command that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Its standard output, not cleaned yet.
    pub output: Excerpt,
    /// How it ended if it did not succeed.
    pub failure: Option<Failure>,
}

/// Information about a command other than its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandReport {
    /// Whether its output comes from the cache.
    pub cached: bool,
    /// How it ended if it did not succeed.
    pub exit: Option<Exit>,
    /// How many bytes of its output were left out.
    pub omitted: u64,
}

/// A command that did not succeed, although its output is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its exit code or the signal that ended it.
    pub exit: Exit,
    /// The last non-blank line of its standard error.
    pub last_error_line: Option<String>,
}

/// How an unsuccessful command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl Exit {
    /// The exit status in a shell: the code, or 128 plus the number of the signal.
    #[must_use]
    pub fn status(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(number) => 128 + number,
        }
    }
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit {code}"),
            Self::Signal(number) => write!(f, "signal {number}"),
        }
    }
}

/// Why a command has no document.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// It was not started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A command started this `ctx`.
    #[error("a command that ctx runs cannot run another")]
    Nested,
    /// It ran out of time and was sent TERM.
    #[error("timed out after {}", spelled(*after))]
    TimedOut {
        /// How long it ran.
        after: Duration,
    },
    /// It did not succeed, and its output is used only if it does.
    #[error("{}", described(.0))]
    Failed(Failure),
    /// It printed nothing.
    #[error("no output{}", failure.as_ref().map_or_else(String::new, |failure| format!(", {}", described(failure))))]
    Silent {
        /// How it ended if it did not succeed.
        failure: Option<Failure>,
    },
}

impl Ran {
    /// The label of the document: `cmd:cargo test (exit 101)`.
    #[must_use]
    pub fn label(&self, entry: &str) -> String {
        match &self.failure {
            Some(failure) => format!("{entry} ({})", failure.exit),
            None => entry.to_owned(),
        }
    }
}

impl Command {
    /// The command of an entry; `None` if the entry is of another kind.
    ///
    /// # Errors
    /// If its words are invalid.
    pub fn of(entry: &Entry) -> Result<Option<Self>, WrongText> {
        let kind = Kind::of(&entry.path);
        let Some(words) =
            kind.prefix().filter(|_| kind == Kind::Command).map(|prefix| &entry.path[prefix.len()..])
        else {
            return Ok(None);
        };
        Ok(Some(Self { words: words.parse()?, limits: CommandLimits::of(&entry.attributes) }))
    }

    /// Runs the command in a directory and waits for it.
    ///
    /// # Errors
    /// If it cannot be started, exceeds its time limit, prints nothing, or fails when only success counts.
    pub fn run(&self, directory: &Path, launcher: &Launcher) -> Result<Ran, CommandError> {
        if launcher.variables().get(DEPTH).is_some() {
            return Err(CommandError::Nested);
        }
        let mut variables = launcher.variables().clone();
        variables.set(DEPTH, "1");
        // Without `CDPATH`, `cd sub` goes to `sub`, where the files that need trust were looked up, and
        // prints nothing.
        variables.remove("CDPATH");
        variables.set("PWD", directory);
        let timeout = self.limits.timeout.min(CommandLimits::MOST_TIME);
        let invocation = Invocation {
            program: self.words.program().into(),
            arguments: self.words.arguments().iter().map(Into::into).collect(),
            directory: directory.to_owned(),
            variables,
            timeout: Some(timeout),
            memory: None,
        };
        let finished = launcher.run(&invocation, &[], self.limits.most_output)?;
        let exit = match finished.end {
            End::Exited(0) => None,
            End::Exited(code) => Some(Exit::Code(code)),
            End::Signalled(number) => Some(Exit::Signal(number)),
            End::TimedOut => return Err(CommandError::TimedOut { after: timeout }),
        };
        let failure = exit.map(|exit| Failure { exit, last_error_line: finished.last_error_line });
        let mut output = Excerpt::of(finished.output);
        let errors = Excerpt::of(finished.errors);
        if failure.is_some() && !errors.is_empty() && errors.text.len() <= self.limits.most_output {
            output.add_errors(&errors);
        }
        match failure {
            Some(failure) if self.limits.only_success => Err(CommandError::Failed(failure)),
            failure if output.is_empty() => Err(CommandError::Silent { failure }),
            failure => Ok(Ran { output, failure }),
        }
    }
}

fn described(failure: &Failure) -> String {
    match &failure.last_error_line {
        Some(line) => format!("{}: {line}", failure.exit),
        None => failure.exit.to_string(),
    }
}

/// A duration as written in attributes: `90s`, `10m`.
fn spelled(duration: Duration) -> String {
    match duration.as_secs() {
        seconds if seconds >= 60 && seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        0 => format!("{}ms", duration.as_millis()),
        seconds => format!("{seconds}s"),
    }
}
