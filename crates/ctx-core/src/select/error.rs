//! Why nothing can be selected at all.

use super::options::LookThroughBounds;
use crate::entry::pattern::TargetError;

/// Why nothing could be selected at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// More files than anybody can want.
    #[error("more than {limit} files match; name fewer")]
    TooManyMatches {
        /// How many are allowed.
        limit: usize,
    },
    /// More than is looked through outside of repositories.
    #[error("there is more to look through than {0}")]
    TooMuch(LookThroughBounds),
    /// A filter that is no pattern.
    #[doc(hidden)]
    #[error("invalid pattern '{text}': {source}")]
    InvalidFilter {
        /// The pattern.
        text: String,
        /// What is wrong with it.
        source: TargetError,
    },
}
