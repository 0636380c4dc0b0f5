//! From sources to documents: reading, decoding, cleaning and measuring.
//!
//! Most ranked files are never printed, and most dropped files need not be read to their end. What the count
//! cache, the prefilter and a first look reveal about files before they are read stays in this module.

mod item;
mod making;
mod prefilter;
mod reading;
mod relevance;
mod session;

pub(crate) use item::Reading;
pub use item::{Document, Item};
#[cfg(test)]
pub(crate) use prefilter::Prefilter;
pub use relevance::Relevance;
pub(crate) use session::{QuestionWords, ReadAll, Session};
