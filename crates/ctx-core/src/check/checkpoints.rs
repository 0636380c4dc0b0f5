//! What is wrong with the checkpoints of a tree.

use super::Finding;
use super::store::{finding, unusable};
use crate::checkpoint::{CheckpointError, Checkpoints};

/// What these findings are about.
const SUBJECT: &str = "checkpoints";

/// A restore that was interrupted, and lists that cannot be read.
#[must_use]
pub fn of_checkpoints(checkpoints: &Checkpoints<'_>) -> Vec<Finding> {
    let faulty = |error: CheckpointError| match error {
        CheckpointError::Store(error) => unusable(SUBJECT, &error),
        error => finding(SUBJECT, "unreadable", error.to_string()),
    };
    let unfinished = match checkpoints.unfinished() {
        Ok(unfinished) => unfinished.map(|unfinished| finding(SUBJECT, "unfinished", unfinished.to_string())),
        Err(error) => Some(faulty(error)),
    };
    unfinished.into_iter().chain(checkpoints.list().err().map(faulty)).collect()
}
