//! Links that were checked out as text, as git does where it makes no links.

use std::path::{Path, PathBuf};

use super::{read_small, real};

/// The longest text that may be such a link, in bytes.
pub const LONGEST: u64 = 255;

/// The real path of the file that another one stands for: its whole text, without a newline, is the relative path of a file
/// below `root`.
#[must_use]
pub fn stood_for(file: &Path, size: u64, root: &Path) -> Option<PathBuf> {
    if size == 0 || size > LONGEST {
        return None;
    }
    let text = String::from_utf8(read_small(file, LONGEST).ok()?).ok()?;
    if text.contains(char::is_control) || Path::new(&text).has_root() {
        return None;
    }
    let target = real(file.parent()?.join(text)).ok()?;
    let is_other =
        target.is_file() && target.starts_with(root) && real(file).is_ok_and(|file| file != target);
    is_other.then_some(target)
}
