//! What knows the file system and nothing of entries.

mod home;
mod identity;
pub mod names;
mod notation;
mod open;
mod owner;
mod real;
mod root;
mod stamp;
mod tree;

pub use home::{expanded, from_home, with_tilde};
pub use identity::Identity;
pub use notation::{NoFileName, Notation};
pub use open::{contents, open_without_waiting, read_small};
pub use owner::{Owners, is_own};
pub use real::{real, resolved};
pub use root::{GitRefusal, WorkRoot};
pub use stamp::{Stamp, Time};
pub use tree::Tree;
