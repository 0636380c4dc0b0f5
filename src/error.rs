//! The program's errors, and the exit code for each kind.

use std::fmt::{self, Display};
use std::io;

use ctx_core::select::Problem;
use ctx_core::store::{Setting, StoreError, StoreErrorKind};
use ctx_core::words::{WrongText, all_of, cause};

/// The exit code of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// Not found, unreadable, disk full, nothing fits: 1.
    Impossible = 1,
    /// Wrong usage, an invalid name or pattern: 2.
    Usage = 2,
    /// `--strict` or `check` found something: 3.
    Strict = 3,
    /// The store is damaged: 4.
    Damaged = 4,
    /// The store is busy: 5.
    Busy = 5,
    /// The program to run is not executable: 126, as in shells.
    NotExecutable = 126,
    /// The program to run does not exist: 127, as in shells.
    NotFound = 127,
    /// The reader of the output went away: 0, without a message.
    ClosedPipe = 0,
}

impl Failure {
    /// The exit code, as listed in the README and every manual page.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// A failure with its messages, one per line, and the next step, if any.
#[derive(Debug)]
pub struct Error {
    /// The lines after `error:`.
    pub messages: Vec<String>,
    /// The lines after `hint:`.
    pub hints: Vec<String>,
    /// The kind of failure.
    pub failure: Failure,
    /// Whether the fault is in the files of the store, so that `ctx check` reports it.
    pub is_in_store: bool,
    of_root: bool,
    /// The unknown name, if that is the fault.
    pub unknown: Option<MissingName>,
}

/// An unknown name, by its kind.
#[derive(Debug, Clone)]
pub enum MissingName {
    Profile(String),
    History(String),
    List(String),
}

impl Error {
    /// A failure with one message.
    pub fn new(failure: Failure, message: impl Display) -> Self {
        Self::several(failure, vec![message.to_string()])
    }

    /// A failure with several messages, one per line.
    pub fn several(failure: Failure, messages: Vec<String>) -> Self {
        Self { messages, hints: Vec::new(), failure, is_in_store: false, of_root: false, unknown: None }
    }

    /// All of these failures as one, with all messages and hints: a usage error if at least one of them is.
    ///
    /// # Errors
    /// If there are any.
    pub fn all(errors: Vec<Self>) -> Result<(), Self> {
        let is_usage = |error: &Self| error.failure == Failure::Usage;
        let Some(worst) = errors.iter().find(|error| is_usage(error)).or(errors.first()) else {
            return Ok(());
        };
        let mut all = Self::several(worst.failure, Vec::new());
        if let [only] = errors.as_slice() {
            all.unknown = only.unknown.clone();
        }
        for Self { messages, hints, .. } in errors {
            all.messages.extend(messages);
            let new: Vec<String> = hints.into_iter().filter(|hint| !all.hints.contains(hint)).collect();
            all.hints.extend(new);
        }
        Err(all)
    }

    /// The values or, if there are failures, all of them as one.
    ///
    /// # Errors
    /// All the failures.
    pub fn each<T, E: Into<Self>>(results: impl IntoIterator<Item = Result<T, E>>) -> Result<Vec<T>, Self> {
        let (values, errors) = parted(results);
        Self::all(errors).map(|()| values)
    }

    /// An error for wrong usage.
    pub fn usage(message: impl Display) -> Self {
        Self::new(Failure::Usage, message)
    }

    /// An error for something that could not be done.
    pub fn impossible(message: impl Display) -> Self {
        Self::new(Failure::Impossible, message)
    }

    /// Replaces the next steps by this one.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Display) -> Self {
        self.hints = vec![hint.to_string()];
        self
    }

    /// Adds a next step.
    #[must_use]
    pub fn and_hint(mut self, hint: impl Display) -> Self {
        self.hints.push(hint.to_string());
        self
    }

    /// Notes which unknown name is the fault.
    #[must_use]
    pub fn of_unknown(mut self, unknown: MissingName) -> Self {
        self.unknown = Some(unknown);
        self
    }

    pub(super) fn no_current_directory(source: io::Error) -> Self {
        Self::impossible(format!("cannot get the current directory: {}", cause(&source)))
            .with_hint("change to a directory that exists")
    }

    pub(super) fn standard_output(source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::BrokenPipe => Self::closed_pipe(),
            _ => Self::impossible(format!("cannot write to standard output: {}", cause(&source))),
        }
    }

    /// Puts other messages before the error's own, and changes the kind of failure.
    #[must_use]
    pub fn after(mut self, mut messages: Vec<String>, failure: Failure) -> Self {
        messages.append(&mut self.messages);
        Self { messages, failure, ..self }
    }

    /// Prefixes each message, for a failure that is part of something larger, and changes the kind of
    /// failure.
    #[must_use]
    pub fn prefixed(mut self, prefix: &str, failure: Failure) -> Self {
        self.messages.iter_mut().for_each(|message| message.insert_str(0, prefix));
        Self { failure, ..self }
    }

    /// An error for output whose reader went away.
    pub fn closed_pipe() -> Self {
        Self::several(Failure::ClosedPipe, Vec::new())
    }

    /// An error for a file that could not be read or written.
    pub fn io(operation: &str, path: &std::path::Path, source: &io::Error) -> Self {
        Self::impossible(format!("cannot {operation} '{}': {}", path.display(), cause(source)))
    }

    /// An error for a path on the command line that leaves the tree through a link to `real`.
    pub fn link_outside(path: &str, real: &std::path::Path) -> Self {
        let problem = Problem::LinkOutside(real.to_owned());
        Self::impossible(format!("'{path}': {problem}"))
            .with_hint(format!("to use the file itself, name it: '{}'", real.display()))
    }

    /// Notes that the fault is in the files of the store, not in the request.
    #[must_use]
    pub fn in_store(mut self) -> Self {
        self.is_in_store = true;
        self
    }

    /// Adds that the directory of the store comes from the environment, if a file in it is at fault and not a
    /// full disk.
    #[must_use]
    pub fn naming_the_variable_of_the_store(self) -> Self {
        if self.of_root { self.and_hint("the store comes from $CTX_HOME") } else { self }
    }
}

/// Separates values and failures.
pub fn parted<T, E: Into<Error>>(results: impl IntoIterator<Item = Result<T, E>>) -> (Vec<T>, Vec<Error>) {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(error) => errors.push(error.into()),
        }
    }
    (values, errors)
}

// The error of a value parser inside clap's error.
impl std::error::Error for Error {}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.messages.join("\n"))
    }
}

impl From<WrongText> for Error {
    fn from(wrong: WrongText) -> Self {
        Self::usage(wrong)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let failure = match error.kind() {
            StoreErrorKind::Usage => Failure::Usage,
            StoreErrorKind::Refused | StoreErrorKind::Io => Failure::Impossible,
            StoreErrorKind::Damaged => Failure::Damaged,
            StoreErrorKind::Busy => Failure::Busy,
        };
        let hints = hint_of(&error).into_iter().collect();
        let (is_in_store, of_root) = (error.is_in_files(), error.is_of_the_users_directory());
        let mut message = error.to_string();
        if matches!(error, StoreError::NoSuchProfile { .. }) {
            message.push_str(". Use --create to create it");
        }
        let unknown = match &error {
            StoreError::NoSuchProfile { name } | StoreError::UnknownProfile { name, .. } => {
                Some(MissingName::Profile(name.to_string()))
            }
            _ => None,
        };
        Self { hints, is_in_store, of_root, unknown, ..Self::new(failure, message) }
    }
}

/// The next step, if any.
fn hint_of(error: &StoreError) -> Option<String> {
    Some(match error {
        StoreError::NoRoot => "name a directory with --store or $CTX_HOME".to_owned(),
        StoreError::UnknownSetting { .. } => {
            format!("the settings are {}", all_of(Setting::ALL))
        }
        StoreError::ActiveProfileGone { .. } => "ctx switch default".to_owned(),
        StoreError::HistoryExists { name } => format!(
            "a deleted profile's history is kept; choose another name, or move history/{name}.jsonl away"
        ),
        StoreError::NotOfProject { name } => {
            format!("'--profile {name}' uses it for one command; '--no-project' uses your own profiles")
        }
        StoreError::Damaged { .. } | StoreError::TooLarge { .. } | StoreError::NotRegular { .. } => {
            "correct the file or move it out of the way; ctx never rewrites a damaged store".to_owned()
        }
        StoreError::Newer { .. } => "use that version of ctx; nothing was changed".to_owned(),
        StoreError::Linked { .. } | StoreError::OtherOwner { .. } => {
            "ctx reads a store in the tree only if its files are your own and not links".to_owned()
        }
        StoreError::InProject(_) => "--no-project ignores the project's files".to_owned(),
        StoreError::Busy { .. } => "try again when the other command has finished".to_owned(),
        StoreError::Unsafe { path } => format!("chmod o-w '{}'", path.display()),
        StoreError::InvalidName(_)
        | StoreError::ProfileExists { .. }
        | StoreError::NoSuchProfile { .. }
        | StoreError::UnknownProfile { .. }
        | StoreError::DeleteDefault
        | StoreError::DeleteActive
        | StoreError::RenameDefault
        | StoreError::RenameToDefault
        | StoreError::Duplicate { .. }
        | StoreError::NotInList { .. }
        | StoreError::BesideItself { .. }
        | StoreError::Unstorable { .. }
        | StoreError::Edited { .. }
        | StoreError::Io { .. } => return None,
    })
}
