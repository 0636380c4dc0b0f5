//! How a block of changes marks its documents.

use crate::named::named;

named! {
    /// How a document differs from what the reader has.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Change {
        /// The reader has another text of it.
        Changed = "changed",
        /// The reader has nothing of it.
        New = "new",
        /// Only a part of it is printed.
        Part = "part",
    }
}

/// The mark of a document that the reader has and that is no longer there.
pub(super) const GONE: &str = "gone";

/// Every mark, `: changed` behind a label for one.
pub(super) fn marks() -> impl Iterator<Item = &'static str> {
    Change::ALL.into_iter().map(Change::name).chain([GONE])
}
