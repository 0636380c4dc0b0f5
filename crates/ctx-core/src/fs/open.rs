//! Opens and reads files that others may have written, without waiting and only if they are regular files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a path for reading, following links, without waiting for anything. Its kind is checked on the open file,
/// since the path may have been replaced a moment ago.
///
/// # Errors
/// The system's error.
#[cfg(unix)]
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;

    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    File::options().read(true).custom_flags(flags.cast_signed()).open(path)
}

/// Opens a path for reading, following links.
///
/// # Errors
/// The system's error.
#[cfg(not(unix))]
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    super::real::check(path)?;
    File::open(path)
}

/// Reads a whole small file, following links.
///
/// # Errors
/// Errors from the system; [`io::ErrorKind::InvalidInput`] if it is not a regular file, and
/// [`io::ErrorKind::FileTooLarge`] if it is larger than `limit` bytes.
pub fn read_small(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    contents(open_without_waiting(path)?, limit)
}

/// Reads the contents of an open file.
///
/// # Errors
/// As [`read_small`].
pub fn contents(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    if metadata.len() <= limit {
        file.take(limit + 1).read_to_end(&mut bytes)?;
    }
    let is_whole = metadata.len() <= limit && bytes.len() as u64 <= limit;
    if is_whole { Ok(bytes) } else { Err(io::ErrorKind::FileTooLarge.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_over_the_limit_and_missing_files_are_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_small(&path, 5).unwrap(), b"12345");
        assert_eq!(read_small(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_small(&directory.path().join("b"), 4).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn pipe_is_refused_without_waiting_for_a_writer() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        assert_eq!(read_small(&path, 4).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
