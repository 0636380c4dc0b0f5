//! Moving lists: from a store to one document, and to a store from such a document or from another tool's files.
//!
//! Every import is a [`Bundle`]. [`apply`] compares it with the store before anything is changed, and [`dry_run`]
//! changes nothing at all.

mod bundle;
mod change;
mod outside;
pub mod tool;

pub use bundle::{Bundle, BundleError, Flaw, Invalid, MAX_BYTES, invalid};
pub use change::{Action, ChangeError, ListChange, apply, dry_run};
pub use outside::take_outside;
