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
