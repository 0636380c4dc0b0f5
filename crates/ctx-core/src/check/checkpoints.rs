//! What is wrong with the checkpoints of a tree.

use super::Finding;
use super::store::{finding, unusable};
use crate::checkpoint::{CheckpointError, Checkpoints, Unfinished};
use crate::report::Hint;

/// What these findings are about.
const SUBJECT: &str = "checkpoints";

/// A restore that was interrupted, and lists that cannot be read.
#[must_use]
pub fn of_checkpoints(checkpoints: &Checkpoints<'_>) -> Vec<Finding> {
    let faulty = |error: CheckpointError| match error {
        CheckpointError::Store(error) => unusable(SUBJECT, &error),
        error => finding(SUBJECT, "unreadable", error.to_string()),
    };
    let half_done = |unfinished: Unfinished| {
        let finding = finding(SUBJECT, "unfinished", unfinished.to_string());
        Finding { hint: Some(Hint::FinishRestore), ..finding }
    };
    let unfinished = checkpoints
        .unfinished()
        .map_or_else(|error| Some(faulty(error)), |unfinished| unfinished.map(half_done));
    unfinished.into_iter().chain(checkpoints.list().err().map(faulty)).collect()
}
