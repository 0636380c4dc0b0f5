//! Real paths: absolute, with all links resolved, and written as people write them.

use std::io;
use std::path::{Path, PathBuf};

use super::Notation;

/// A path with all links resolved.
///
/// # Errors
/// Errors from the system, if the path does not exist; [`io::ErrorKind::InvalidFilename`] for a path that
/// does not name a file on this system.
pub fn real(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    let path = path.as_ref();
    check(path)?;
    let real = path.canonicalize()?;
    Ok(if cfg!(windows) {
        real.to_str().map(without_verbatim).map_or(real.clone(), PathBuf::from)
    } else {
        real
    })
}

/// A path with all links resolved, as far as it exists.
#[must_use]
pub fn resolved(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    let there = path.ancestors().find_map(|path| Some((path, real(path).ok()?)));
    let Some((there, real)) = there else { return path.to_owned() };
    match path.strip_prefix(there) {
        Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
        Ok(_) | Err(_) => real,
    }
}

/// Refuses a path that would not lead to a file of that name.
///
/// # Errors
/// [`io::ErrorKind::InvalidFilename`], with the reason.
pub fn check(path: &Path) -> io::Result<()> {
    let slashed = path.to_str().map(|path| Notation::HERE.slashed(path));
    let checked = slashed.map_or(Ok(()), |path| Notation::HERE.check(&path));
    checked.map_err(|reason| io::Error::new(io::ErrorKind::InvalidFilename, reason))
}

/// A path without the `\\?\` that Windows puts before real paths.
fn without_verbatim(path: &str) -> String {
    match path.strip_prefix(r"\\?\") {
        Some(rest) => match rest.strip_prefix(r"UNC\") {
            Some(share) => format!(r"\\{share}"),
            None => rest.to_owned(),
        },
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbatim_windows_path_is_written_in_the_usual_form() {
        for (verbatim, plain) in [
            (r"\\?\C:\Users\ann\a.md", r"C:\Users\ann\a.md"),
            (r"\\?\C:\", r"C:\"),
            (r"\\?\UNC\server\share\a", r"\\server\share\a"),
            (r"C:\Users", r"C:\Users"),
            (r"\\server\share", r"\\server\share"),
        ] {
            assert_eq!(without_verbatim(verbatim), plain);
        }
    }

    #[test]
    fn missing_path_is_resolved_as_far_as_it_exists() {
        let directory = tempfile::tempdir().unwrap();
        let real = real(directory.path()).unwrap();
        assert_eq!(resolved(directory.path().join("a/b")), real.join("a/b"));
        assert_eq!(resolved(directory.path()), real);
    }
}
