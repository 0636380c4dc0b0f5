//! What can go wrong with a to-do list, in the words that a person reads.

use crate::store::{ProfileName, StoreError};

/// Everything that can go wrong with a to-do list.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are the message's")]
pub enum TodoError {
    /// The store's own error.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such list.
    #[error("List '{name}' does not exist")]
    Unknown { name: ProfileName },
    /// These lists are there already.
    #[error("List '{name}' already exists")]
    Exists { name: ProfileName },
    /// There is no task of this number.
    #[error("there is no task {number}: the list has {}", crate::words::counted(*tasks, "task"))]
    NoSuchTask { number: usize, tasks: usize },
}

/// What kind of error it is; the command line maps it to an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TodoErrorKind {
    /// It does not fit what the list holds.
    Refused,
    /// The store's own.
    Store,
}

impl TodoError {
    /// The class of the error.
    #[must_use]
    pub fn kind(&self) -> TodoErrorKind {
        match self {
            Self::Store(_) => TodoErrorKind::Store,
            Self::Unknown { .. } | Self::Exists { .. } | Self::NoSuchTask { .. } => TodoErrorKind::Refused,
        }
    }

    /// The next step, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Unknown { name } => {
                Some(format!("'ctx todo' shows the lists; 'ctx todo add --list {name} TASK' makes this one"))
            }
            Self::Exists { .. } => {
                Some("nothing was changed; --merge adds the tasks that it lacks".to_owned())
            }
            Self::NoSuchTask { .. } => None,
        }
    }
}
