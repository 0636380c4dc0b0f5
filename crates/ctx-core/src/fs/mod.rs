//! What knows the file system and nothing of entries.

mod home;
mod owner;
mod tree;

pub use home::{expanded, from_home, with_tilde};
pub use owner::Owners;
pub use tree::{Tree, resolved};
