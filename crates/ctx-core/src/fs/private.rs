//! Directories and files for this process's user alone.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Creates a directory, and those above it, which only their owner can access; unless it exists.
///
/// # Errors
/// The system's error.
#[cfg(unix)]
pub fn create_private(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// Creates a directory, and those above it, unless it exists.
///
/// # Errors
/// The system's error.
#[cfg(not(unix))]
pub fn create_private(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)
}

/// Creates a file that only its owner can access, from the moment when it exists.
///
/// # Errors
/// The system's error; [`io::ErrorKind::AlreadyExists`] if there is something at the path.
#[cfg(unix)]
pub fn create_private_file(path: &Path, is_executable: bool) -> io::Result<File> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let mode = if is_executable { 0o700 } else { 0o600 };
    let file = File::options().write(true).create_new(true).mode(mode).open(path)?;
    // The umask may have removed bits.
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    Ok(file)
}

/// Creates a file.
///
/// # Errors
/// The system's error; [`io::ErrorKind::AlreadyExists`] if there is something at the path.
#[cfg(not(unix))]
pub fn create_private_file(path: &Path, _: bool) -> io::Result<File> {
    File::create_new(path)
}
