//! What of a block the prompt refers to.

/// A document that the prompt refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referred {
    /// Its label, with its lines where it is some lines of a file.
    pub path: String,
    /// The SHA-256 of its text as printed, in hex.
    pub sha256: String,
}
