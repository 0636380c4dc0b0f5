//! Lines of text that imitate the lines of a block, and ids that no text contains.
//!
//! [`Hazards`] is what `format` finds in a text with these parts; it knows what the lines of a block are.

mod id;
mod line;
mod look_alike;

pub use id::Id;
pub use line::{Hazards, LabelNumbers};
pub(crate) use line::{Mark, bracketed, from_seen, is_foreign, lines_with, opens_label, reads, seen};
pub(crate) use look_alike::{folded, unified};
