//! Moving lists: out of a store as one document, and into a store from such a document or from the
//! files of another tool.
//!
//! What arrives is a [`Bundle`], wherever it comes from; [`apply`] compares it with the store before
//! anything is changed, and [`rehearse`] changes nothing at all.

mod bundle;
mod kept;
pub mod source;
mod step;

pub use bundle::{Bundle, BundleError, Flaw, Invalid, MAX_BYTES};
pub use kept::{Kept, keys_of};
pub use step::{Action, Existing, Step, StepError, apply, rehearse};
