//! Configured drivers for kinds of files: filters and comparisons.

use std::collections::BTreeSet;

use super::error::GitError;
use super::program::Git;
use crate::fs::directory::path_of;

/// A filter driver that changes nothing.
const EMPTY_FILTER: [(&str, &str); 4] =
    [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];

/// The lines that git shows next to `@@` without a driver.
const USUAL_HEADINGS: &str = "^[A-Za-z_$].*$";

impl Git<'_> {
    /// Removes the programs of all filter drivers, wherever they are defined: even those that the user
    /// configured take settings from the repository, as git-lfs does. All configured drivers for comparing
    /// files are reset to git's defaults.
    pub(super) fn empty_drivers(&mut self) -> Result<(), GitError> {
        let settings = self.successful(["config", "--list", "--null", "--show-scope"])?.output.head;
        let mut is_obeyed = false;
        let mut comparing: BTreeSet<(Vec<u8>, &str)> = BTreeSet::new();
        let mut fields = settings.split(|byte| *byte == 0);
        while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
            is_obeyed |= scope == b"command" && setting == b"core.fsmonitor\nfalse";
            let (key, value) = setting.split_at(memchr::memchr(b'\n', setting).unwrap_or(setting.len()));
            if key == b"core.filemode" {
                self.modes_count = ![&b"\nfalse"[..], b"\nno", b"\noff", b"\n0", b"\n"].contains(&value);
            }
            if let Some((driver, name)) = driver_and_setting(key, b"diff.") {
                let usual = match name {
                    b"binary" => Some("binary"),
                    b"funcname" | b"xfuncname" => Some("xfuncname"),
                    _ => None,
                };
                comparing.extend(usual.map(|usual| (driver.to_vec(), usual)));
            }
            self.filters.extend(driver_and_setting(key, b"filter.").map(|(driver, _)| driver.to_vec()));
        }
        if !is_obeyed {
            return Err(GitError::TooOld);
        }
        for driver in self.filters.clone() {
            for (name, value) in EMPTY_FILTER {
                self.set_of_driver("filter", &driver, name, value);
            }
        }
        for (driver, name) in comparing {
            let value = if name == "binary" { "auto" } else { USUAL_HEADINGS };
            self.set_of_driver("diff", &driver, name, value);
        }
        Ok(())
    }

    fn set_of_driver(&mut self, kind: &str, driver: &[u8], name: &str, value: &str) {
        let key = [kind.as_bytes(), b".", driver, b".", name.as_bytes()].concat();
        self.set(path_of(&key), value);
    }
}

/// The driver and the setting in a key: `png` and `binary` for `diff.png.binary`.
fn driver_and_setting<'k>(key: &'k [u8], kind: &[u8]) -> Option<(&'k [u8], &'k [u8])> {
    let rest = key.strip_prefix(kind)?;
    let end = memchr::memrchr(b'.', rest)?;
    Some((&rest[..end], &rest[end + 1..]))
}
