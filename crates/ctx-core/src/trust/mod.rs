//! What a stored list may do only with a person's consent: run commands, instruct the model, set the budget.
//!
//! Trust applies to a [`TrustItem`], identified by the fingerprint of everything that determines its effect,
//! at a [`Here`], which is a repository with its linked worktrees, or a directory. It is stored in
//! `trusted.json` of the user's own store, out of reach of anything in the tree.

mod fingerprint;
mod item;
mod scripts;
mod stored;
mod trusted;

#[cfg(all(test, unix))]
mod tests;

pub use fingerprint::Fingerprint;
pub use item::{TrustItem, digest};
pub use scripts::{Scripts, Untrustable};
pub use stored::{ListSettings, StoredLists, Untrusted, items_of, project_of};
pub use trusted::{Here, Trusted, TrustedFile};
