//! What knows the file system and nothing of entries.

mod home;
mod identity;
mod owner;
mod tree;

pub use home::{expanded, from_home, with_tilde};
pub use identity::Identity;
pub use owner::Owners;
pub use tree::{Tree, resolved};
