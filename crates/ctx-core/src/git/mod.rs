//! Where git keeps a repository, whose it is, and whether it can be relied on to be that of a tree.
//!
//! This room alone knows what a `.git` is, what git's configuration says and how its patterns match. What git says in a
//! repository is asked in `source::git`.

pub mod configuration;
mod dirs;
mod own;
pub mod wildmatch;

pub use dirs::{Dirs, dot_git, linked_worktrees};
pub use own::{RepositoryError, check_self_contained, origins, own_repository, pipe_below};
