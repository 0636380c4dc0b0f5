//! Where a git repository is, who owns it, and whether it can be trusted to be the repository of a tree.
//!
//! Only this module knows what a `.git` is, what git's configuration contains and how its patterns match. Running
//! git in a repository is up to `source::git`.

mod accepted;
pub mod configuration;
mod dirs;
mod index;
mod linguist;
mod own;
pub mod quotes;
pub mod rule_file;
mod sparse;
mod split_index;
mod text_links;
pub mod wildmatch;

pub use accepted::{accepting, others, repository_at};
pub use dirs::{Dirs, dot_git, is_git_directory, linked_worktrees, may_be_head};
pub use index::TrackedNames;
pub use linguist::Linguist;
pub use own::{RepositoryError, check_self_contained, linked_repository, origins, own_repository};
pub use sparse::{OUTSIDE_SPARSE_CHECKOUT, is_outside_sparse_checkout};
pub use text_links::TextLinks;
