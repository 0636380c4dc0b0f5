//! The home directory as `~`.

use std::path::{Path, PathBuf};

/// A path below the home directory written with `~/`; any other text as it is.
///
/// A home directory whose name has wildcard characters is left as it is: in a pattern they mean something else.
#[must_use]
pub fn with_tilde(text: &str, home: Option<&Path>) -> String {
    let below =
        home.and_then(Path::to_str).filter(|home| home.len() > 1 && !home.contains(['*', '?', '[', '{']));
    let below = below.and_then(|home| text.strip_prefix(home.trim_end_matches('/'))?.strip_prefix('/'));
    match below.map(|below| below.trim_start_matches('/')).filter(|below| !below.is_empty()) {
        Some(below) => format!("~/{below}"),
        None => text.to_owned(),
    }
}

/// A path with `~/` at its beginning as the one below the home directory; any other as it is.
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
    fn a_tilde_at_the_beginning_is_the_home_directory() {
        let told = |path: &str| expanded(Path::new(path), Some(Path::new("/home/ann")));
        assert_eq!(told("~/x"), Path::new("/home/ann/x"));
        assert_eq!(told("~"), Path::new("/home/ann"));
        assert_eq!(told("a/~/x"), Path::new("a/~/x"));
        assert_eq!(told("~ann/x"), Path::new("~ann/x"));
        assert_eq!(expanded(Path::new("~/x"), None), Path::new("~/x"));
    }
}
