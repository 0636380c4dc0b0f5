//! Where git keeps a repository, whose it is, and whether it can be relied on to be that of a tree.
//!
//! This room alone knows what a `.git` is. What git says in a repository is asked in `source::git`, what its
//! configuration says of ignore rules in `select::git`.

mod dirs;
mod own;

pub use dirs::{Dirs, dot_git, linked_worktrees};
pub use own::{RepositoryError, check_self_contained, origins, own_repository};
