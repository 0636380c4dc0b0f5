//! The home directory written as `~`.

use std::path::{Path, PathBuf};

use super::Notation;
use super::names::bytes_of;

/// A path below the home directory written with `~/`; any other text unchanged.
///
/// A home directory whose name has wildcard characters is left unchanged, since they have another meaning in a
/// pattern.
#[must_use]
pub fn with_tilde(text: &str, home: Option<&Path>) -> String {
    let below =
        home.and_then(Path::to_str).filter(|home| home.len() > 1 && !home.contains(['*', '?', '[', '{']));
    let (notation, path) = (Notation::HERE, Notation::HERE.slashed(text));
    let below = below.and_then(|home| {
        let home = notation.slashed(home);
        let below = notation.below(path.as_bytes(), home.trim_end_matches('/').as_bytes())?.len();
        path[path.len() - below..].strip_prefix('/')
    });
    match below.map(|below| below.trim_start_matches('/')).filter(|below| !below.is_empty()) {
        Some(below) => format!("~/{below}"),
        None => text.to_owned(),
    }
}

/// The name of a path in messages: with `~` for the home directory, if the path is at or below it.
#[must_use]
pub fn from_home(path: Vec<u8>, home: Option<&Path>) -> Vec<u8> {
    let home = home.map(bytes_of);
    let home = home.as_deref().map(|home| home.strip_suffix(b"/").unwrap_or(home));
    match home.filter(|home| !home.is_empty()).and_then(|home| Notation::HERE.below(&path, home)) {
        Some(rest) => [b"~", rest].concat(),
        None => path,
    }
}

/// A path that begins with `~/`, expanded to the one below the home directory; any other path unchanged.
#[must_use]
pub fn expanded(path: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(below), Some(home)) => home.join(below),
        (Ok(_) | Err(_), _) => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_below_the_home_directory_is_written_with_a_tilde() {
        let told = |text| with_tilde(text, Some(Path::new("/home/ann")));
        for (text, written) in [
            ("/home/ann/notes.md", "~/notes.md"),
            ("/home/ann//notes/**", "~/notes/**"),
            ("/home/anna/notes.md", "/home/anna/notes.md"),
            ("/home/ann", "/home/ann"),
            ("/home/ann/", "/home/ann/"),
            ("notes.md", "notes.md"),
        ] {
            assert_eq!(told(text), written);
        }
        assert_eq!(with_tilde("/x/a", Some(Path::new("/"))), "/x/a");
        assert_eq!(with_tilde("/x[1]/a", Some(Path::new("/x[1]"))), "/x[1]/a");
        assert_eq!(with_tilde("/x/a", None), "/x/a");
    }

    #[test]
    fn path_of_any_bytes_in_the_home_directory_is_shown_with_a_tilde() {
        let called = |path: &[u8]| from_home(path.to_vec(), Some(Path::new("/home/a[1]/")));
        assert_eq!(called(b"/home/a[1]/x\xff"), b"~/x\xff");
        assert_eq!(called(b"/home/a[1]"), b"~");
        assert_eq!(called(b"/home/a[1]b/x"), b"/home/a[1]b/x");
        assert_eq!(from_home(b"/x".to_vec(), Some(Path::new("/"))), b"/x");
    }

    #[test]
    fn a_leading_tilde_is_expanded_to_the_home_directory() {
        let told = |path: &str| expanded(Path::new(path), Some(Path::new("/home/ann")));
        assert_eq!(told("~/x"), Path::new("/home/ann/x"));
        assert_eq!(told("~"), Path::new("/home/ann"));
        assert_eq!(told("a/~/x"), Path::new("a/~/x"));
        assert_eq!(told("~ann/x"), Path::new("~ann/x"));
        assert_eq!(expanded(Path::new("~/x"), None), Path::new("~/x"));
    }
}
