//! Code that deals with the file system but knows nothing about entries.

pub mod alike;
#[cfg(unix)]
pub mod directory;
#[cfg(not(unix))]
#[path = "directory_portable.rs"]
pub mod directory;
pub mod exchange;
mod home;
mod metadata;
pub mod names;
mod notation;
mod open;
mod owner;
#[cfg(all(test, unix))]
pub(crate) mod place;
mod private;
mod real;

pub use home::{expanded, from_home, with_tilde};
pub use metadata::{FileKind, FileMetadata, Identity, Listed, Stamp, Time};
pub use notation::Notation;
pub use open::{contents, open_without_waiting, read_small};
pub use owner::{Owners, is_own};
pub use private::{create_private, create_private_file};
pub use real::{real, resolved};

/// A root directory. On systems with descriptors, it or a directory above it is open; on others, it is only a
/// path.
#[derive(Debug)]
pub struct RootDirectory {
    path: std::path::PathBuf,
    #[cfg(unix)]
    open: std::sync::Arc<std::os::fd::OwnedFd>,
    /// The path from the open directory to the root, with a slash at the end unless empty.
    #[cfg(unix)]
    prefix: Box<[u8]>,
    #[cfg(target_os = "linux")]
    openat2: bool,
}
