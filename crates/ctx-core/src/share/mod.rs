//! Moving lists: out of a store as one document, and into a store from such a document or from the
//! files of another tool.
//!
//! What arrives is a [`Bundle`], wherever it comes from; [`apply`] compares it with the store before
//! anything is changed, and [`dry_run`] changes nothing at all.

mod bundle;
mod change;
pub mod tool;

pub use bundle::{Bundle, BundleError, Flaw, Invalid, MAX_BYTES};
pub use change::{Action, ChangeError, ListChange, apply, dry_run};
