//! How paths are written on different systems.

use std::borrow::Cow;
use std::path::Path;

use crate::words::WrongText;

/// A system's notation for paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// `/home/ann/a.md`: anything between slashes is a name.
    Posix,
    /// `C:\Users\ann\a.md` and `\\server\share\a.md`: `/` separates as well, and letter case is ignored.
    Windows,
}

/// What is wrong with a name that Windows takes for something else: `CON`, `nul.txt`, `COM1`.
const DEVICE: &str = "it has a name that Windows reserves for a device";
/// `a.txt:x`, `C:x`.
const STREAM: &str = "it has a ':', which starts an alternate data stream on Windows";
/// `a.`, `a `: Windows would open `a`.
const TRAILING_DOT_OR_BLANK: &str = "it has a name that ends in a dot or a space, which Windows drops";
/// `\\.\pipe\x`, `\\?\C:\x`.
const DEVICE_NAMESPACE: &str = "it is in a device namespace";

/// Names of devices, with or without an extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
/// Names of devices that are followed by a digit.
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

impl Notation {
    /// The notation of this system.
    pub const HERE: Self = if cfg!(windows) { Self::Windows } else { Self::Posix };

    /// The same path with `/` as its only separator.
    #[must_use]
    pub fn slashed(self, path: &str) -> Cow<'_, str> {
        match self {
            Self::Windows if path.contains('\\') => path.replace('\\', "/").into(),
            Self::Windows | Self::Posix => path.into(),
        }
    }

    /// A path for people and programs to read, with `/` as the separator on every system.
    #[must_use]
    pub fn shown(self, path: &Path) -> String {
        self.slashed(&path.to_string_lossy()).into_owned()
    }

    /// The root at which a path with `/` as the separator begins, if not at the current directory: `/`,
    /// `C:/`, `//server/share/`. `C:` alone leads to the current directory of that drive.
    #[must_use]
    pub fn root(self, slashed: &str) -> &str {
        let bytes = slashed.as_bytes();
        let end = match (self, bytes) {
            (Self::Windows, [letter, b':', ..]) if letter.is_ascii_alphabetic() => {
                2 + usize::from(bytes.get(2) == Some(&b'/'))
            }
            (Self::Windows, [b'/', b'/', first, ..]) if *first != b'/' => {
                let after_name =
                    |at: usize| slashed[at..].find('/').map_or(slashed.len(), |slash| at + slash + 1);
                after_name(after_name(2))
            }
            (Self::Windows | Self::Posix, [b'/', ..]) => 1,
            (Self::Windows | Self::Posix, _) => 0,
        };
        &slashed[..end]
    }

    /// Splits a path with `/` as the separator into its directory and its last name.
    #[must_use]
    pub fn split_last(self, slashed: &str) -> (&str, &str) {
        let root = self.root(slashed);
        let rest = slashed[root.len()..].trim_end_matches('/');
        match rest.rsplit_once('/') {
            Some((directory, name)) => (&slashed[..root.len() + directory.len()], name),
            None => (root, rest),
        }
    }

    /// The part of a path, with `/` as the separator, that is below a directory; it is empty or begins with
    /// `/`.
    #[must_use]
    pub fn below<'p>(self, path: &'p [u8], directory: &[u8]) -> Option<&'p [u8]> {
        let (start, rest) = path.split_at_checked(directory.len())?;
        let is_same = match self {
            Self::Posix => start == directory,
            Self::Windows => start.eq_ignore_ascii_case(directory),
        };
        (is_same && (rest.is_empty() || rest.starts_with(b"/"))).then_some(rest)
    }

    /// Checks that a path with `/` as the separator would lead to a file of that name.
    ///
    /// # Errors
    /// If it would not; the error explains what is wrong with the first unsuitable name.
    pub fn check(self, slashed: &str) -> Result<(), WrongText> {
        match self {
            Self::Posix => Ok(()),
            Self::Windows => {
                let root = self.root(slashed);
                if root.starts_with("//.") || root.starts_with("//?") {
                    return Err(WrongText::new(DEVICE_NAMESPACE));
                }
                if root.ends_with(':') && slashed.len() > root.len() {
                    return Err(WrongText::new(STREAM));
                }
                slashed[root.len()..].split('/').try_for_each(check_name)
            }
        }
    }
}

/// Checks one name of a path on Windows.
fn check_name(name: &str) -> Result<(), WrongText> {
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ').to_ascii_lowercase();
    let is_numbered = |device: &str| {
        let digit = stem.strip_prefix(device).map(str::as_bytes);
        matches!(digit, Some([b'1'..=b'9'] | [0xC2, 0xB9 | 0xB2 | 0xB3]))
    };
    if DEVICES.contains(&&*stem) || NUMBERED_DEVICES.iter().any(|device| is_numbered(device)) {
        Err(WrongText::new(DEVICE))
    } else if name.contains(':') {
        Err(WrongText::new(STREAM))
    } else if !matches!(name, "." | "..") && name.ends_with(['.', ' ']) {
        Err(WrongText::new(TRAILING_DOT_OR_BLANK))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Notation::{Posix, Windows};

    #[test]
    fn names_are_separated_by_slashes_and_on_windows_also_by_backslashes() {
        assert_eq!(Windows.slashed(r"src\a/b.rs"), "src/a/b.rs");
        assert_eq!(Posix.slashed(r"src\a/b.rs"), r"src\a/b.rs");
        assert_eq!(Windows.shown(Path::new(r"logs\.gitignore")), "logs/.gitignore");
    }

    #[test]
    fn root_of_a_path_is_a_drive_a_share_or_a_slash() {
        for (path, on_windows, elsewhere) in [
            ("a/b", "", ""),
            ("/a/b", "/", "/"),
            ("C:/a", "C:/", ""),
            ("c:", "c:", ""),
            ("C:a/b", "C:", ""),
            ("//server/share/a", "//server/share/", "/"),
            ("//server/share", "//server/share", "/"),
            ("//", "/", "/"),
            ("1:/a", "", ""),
        ] {
            assert_eq!((Windows.root(path), Posix.root(path)), (on_windows, elsewhere), "{path}");
        }
    }

    #[test]
    fn splitting_off_the_last_name_keeps_the_root() {
        for (path, split) in [
            ("a", ("", "a")),
            ("a/b/", ("a", "b")),
            ("C:/a", ("C:/", "a")),
            ("C:/a/b", ("C:/a", "b")),
            ("//server/share/a", ("//server/share/", "a")),
        ] {
            assert_eq!(Windows.split_last(path), split, "{path}");
        }
        assert_eq!(Posix.split_last("/a"), ("/", "a"));
        assert_eq!(Posix.split_last("/a/b"), ("/a", "b"));
    }

    #[test]
    fn letter_case_is_ignored_on_windows() {
        assert_eq!(Windows.below(b"c:/Users/ANN/a", b"C:/Users/ann"), Some(&b"/a"[..]));
        assert_eq!(Windows.below(b"C:/Users/anna", b"C:/Users/ann"), None);
        assert_eq!(Posix.below(b"/home/ann", b"/home/ann"), Some(&b""[..]));
        assert_eq!(Posix.below(b"/home/ANN/a", b"/home/ann"), None);
    }

    #[test]
    fn name_with_a_special_meaning_on_windows_is_not_a_file_name() {
        for (path, error) in [
            ("CON", DEVICE),
            ("docs/nul.txt", DEVICE),
            ("com1/a", DEVICE),
            ("LPT9.log", DEVICE),
            ("com¹", DEVICE),
            ("aux .md", DEVICE),
            ("a.txt:x", STREAM),
            (".env::$DATA", STREAM),
            ("C:a.txt", STREAM),
            ("a./b", TRAILING_DOT_OR_BLANK),
            ("a.txt ", TRAILING_DOT_OR_BLANK),
            ("...", TRAILING_DOT_OR_BLANK),
            ("//./pipe/x", DEVICE_NAMESPACE),
            ("//?/C:/a", DEVICE_NAMESPACE),
        ] {
            assert_eq!(Windows.check(path), Err(WrongText::new(error)), "{path}");
            assert_eq!(Posix.check(path), Ok(()), "{path}");
        }
        for path in [
            "a/../b",
            "./a",
            "C:/a/b.txt",
            "c:/",
            "//server/share/a",
            "console.md",
            "com0",
            "com10",
            "a.b.c",
            "/a",
        ] {
            assert_eq!(Windows.check(path), Ok(()), "{path}");
        }
    }
}
