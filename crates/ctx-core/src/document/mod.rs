//! From sources to documents: what is read of each source, decoded, made safe and measured.
//!
//! Most of what is ranked is never printed, and most of what is dropped need not be read to its end: what is known of
//! files before they are read, from a look into them, the count cache and the prefilter, stays in here.

mod item;
mod known;
mod making;
mod prefilter;
mod reading;
mod relevance;
mod session;

pub(crate) use item::Reading;
pub use item::{Document, Item, Outline};
#[cfg(test)]
pub(crate) use prefilter::Prefilter;
pub use relevance::Relevance;
pub(crate) use session::{ReadAll, Session};
