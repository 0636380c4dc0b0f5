//! Follows symbolic links by hand, because the target may not exist.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::Fault;

/// How many symbolic links in a row are followed, the same number as in the kernel.
const MAX_LINKS: usize = 40;

/// Whether an error means that a file does not exist, perhaps because the place of its directory is not one: without a
/// home directory, there is no store.
pub(super) fn is_absence(path: &Path, error: &io::Error) -> bool {
    let is_above = || {
        let above = path.parent().map(Path::metadata);
        above.is_some_and(|above| above.is_err_and(|error| error.kind() == io::ErrorKind::NotADirectory))
    };
    match error.kind() {
        io::ErrorKind::NotFound => true,
        io::ErrorKind::NotADirectory => is_above(),
        _ => false,
    }
}

/// Where a chain of symbolic links ends, whether there is a file or not.
pub fn resolve(path: &Path) -> Result<PathBuf, Fault> {
    let mut path = path.to_owned();
    for _ in 0..=MAX_LINKS {
        match target(&path)? {
            Some(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            None => return Ok(path),
        }
    }
    Err(Fault::of("follow", &path)(io::Error::other("too many symbolic links")))
}

/// The target of a symbolic link; `None` if the path is not one.
pub fn target(path: &Path) -> Result<Option<PathBuf>, Fault> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => {
            fs::read_link(path).map(Some).map_err(Fault::of("follow", path))
        }
        Ok(_) => Ok(None),
        Err(error) if is_absence(path, &error) => Ok(None),
        Err(error) => Err(Fault::of("read", path)(error)),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_chain_of_links_is_followed_as_far_as_the_kernel_does() {
        let directory = tempfile::tempdir().unwrap();
        let link = |number: usize| directory.path().join(number.to_string());
        for number in 1..=MAX_LINKS + 1 {
            symlink((number - 1).to_string(), link(number)).unwrap();
        }
        assert_eq!(resolve(&link(MAX_LINKS)).unwrap(), link(0));
        assert_eq!(resolve(&link(MAX_LINKS + 1)).unwrap_err().operation, "follow");
        fs::write(link(0), "").unwrap();
        assert_eq!(resolve(&link(MAX_LINKS)).unwrap(), link(0));
        if cfg!(target_os = "linux") {
            assert!(fs::metadata(link(MAX_LINKS)).is_ok());
            assert!(fs::metadata(link(MAX_LINKS + 1)).is_err());
        }
    }

    #[test]
    fn a_link_to_itself_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let circle = directory.path().join("circle");
        symlink("circle", &circle).unwrap();
        assert!(resolve(&circle).is_err());
    }
}
