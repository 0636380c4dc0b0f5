//! What knows the file system and nothing of entries.

mod home;
mod tree;

pub use home::{expanded, from_home, with_tilde};
pub use tree::Tree;
