//! How far a pattern or an exclusion has come on the way down.

use crate::entry::positions::Positions;

/// A pattern or exclusion that may still match, and how far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Live {
    /// Its index.
    pub index: u32,
    /// How far.
    pub positions: Positions,
}
