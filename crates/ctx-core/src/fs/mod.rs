//! What knows the file system and nothing of entries.

#[cfg(unix)]
pub mod directory;
#[cfg(not(unix))]
#[path = "directory_portable.rs"]
pub mod directory;
mod home;
mod identity;
mod metadata;
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
pub use metadata::{FileKind, FileMetadata, Listed};
pub use notation::{NoFileName, Notation};
pub use open::{contents, open_without_waiting, read_small};
pub use owner::{Owners, is_own};
pub use real::{real, resolved};
pub use root::{GitRefusal, WorkRoot};
pub use stamp::{Stamp, Time};
pub use tree::Tree;
