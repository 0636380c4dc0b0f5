//! What is dropped or shortened when a block is over budget.

use crate::named::named;

named! {
    /// What is dropped or shortened when a block is over budget.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Trim read as "trim rule" {
        /// The file with the most tokens, again and again.
        #[default]
        Largest = "largest",
        /// The ends of the files, all at the same length.
        Truncate = "truncate",
        /// The file with the most tokens is replaced by its outline, and dropped only if outlines do not fit.
        Outline = "outline",
        /// What matters least for the query: passages and files below a rank.
        Relevant = "relevant",
    }
}

impl Trim {
    /// Whether the rule shortens what the command line names, where that does not fit.
    #[must_use]
    pub fn shortens(self) -> bool {
        match self {
            Self::Truncate | Self::Outline | Self::Relevant => true,
            Self::Largest => false,
        }
    }
}
