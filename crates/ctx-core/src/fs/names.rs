//! Paths as bytes, with `/` as the separator.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// A path from bytes.
#[cfg(unix)]
#[must_use]
pub fn path_of(bytes: &[u8]) -> PathBuf {
    as_path(bytes).into_owned()
}

/// Bytes as a path.
#[cfg(unix)]
#[must_use]
pub fn as_path(bytes: &[u8]) -> Cow<'_, Path> {
    Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes)).into()
}

/// The bytes of a path.
#[cfg(unix)]
#[must_use]
pub fn bytes_of(path: &Path) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec()
}

/// A path from bytes. A file whose name is not Unicode cannot be opened with it.
#[cfg(not(unix))]
#[must_use]
pub fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// Bytes as a path.
#[cfg(not(unix))]
#[must_use]
pub fn as_path(bytes: &[u8]) -> Cow<'_, Path> {
    path_of(bytes).into()
}

/// The bytes of a path.
#[cfg(not(unix))]
#[must_use]
pub fn bytes_of(path: &Path) -> Vec<u8> {
    super::Notation::HERE.slashed(&path.to_string_lossy()).into_owned().into_bytes()
}

/// A path without `.` and `..`, as if no directory in it were a link.
#[must_use]
pub fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(clean.pop()),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => clean.push(component),
        }
    }
    clean
}

/// Joins a directory's path and a name in it.
#[must_use]
pub fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    if directory.is_empty() { name.to_vec() } else { [directory, b"/", name].concat() }
}

/// Joins an absolute directory, which may be the root of the file system, and a path below it.
#[must_use]
pub fn below(directory: &[u8], relative: &[u8]) -> Vec<u8> {
    match directory.strip_suffix(b"/") {
        Some(root) => [root, b"/", relative].concat(),
        None => join(directory, relative),
    }
}

/// The last name of a path.
#[must_use]
pub fn last_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// The parent directory of a path; empty if the path has only one name.
#[must_use]
pub fn parent_of(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(&[], |slash| &path[..slash])
}

/// Whether a path is at or below another one; every path is below the empty one.
#[must_use]
pub fn is_at_or_below(path: &[u8], above: &[u8]) -> bool {
    above.is_empty() || path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}
