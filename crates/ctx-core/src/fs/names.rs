//! Paths as bytes, with `/` between their names.

/// A path and a name below it.
#[must_use]
pub fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    if directory.is_empty() { name.to_vec() } else { [directory, b"/", name].concat() }
}

/// A path below an absolute directory, which may be the root of all.
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

/// The directory that a path is in; empty where it has one name alone.
#[must_use]
pub fn parent_of(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(&[], |slash| &path[..slash])
}

/// Whether a path is another one or below it; every path is below the empty one.
#[must_use]
pub fn is_at_or_below(path: &[u8], above: &[u8]) -> bool {
    above.is_empty() || path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}
