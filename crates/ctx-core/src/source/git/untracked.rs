//! Untracked files as additions, in git's format for new files.

use std::io::{self, Read};
use std::path::Path;

use super::patch::{FileDiff, path_in_tree};
use crate::fs::FileKind;
use crate::fs::directory::RootDirectory;

/// Larger files are binary, as for git here.
const MOST: u64 = 10 << 20;

/// How far git looks for the NUL that makes a file binary, in bytes.
const BINARY_HEAD: usize = 8000;

/// A change for each readable untracked file. Links are not followed; their content is the name of their target,
/// as git would add it.
pub(super) fn additions(root: &Path, names: &[Vec<u8>]) -> Vec<FileDiff> {
    let Ok(tree) = RootDirectory::open(root) else { return Vec::new() };
    names
        .iter()
        .filter_map(|name| {
            let text = match path_in_tree(name) {
                Some(path) => addition(&tree, &root.join(path), name).ok()?,
                None => Vec::new(),
            };
            Some(FileDiff { path: name.clone(), old_path: None, text })
        })
        .collect()
}

fn addition(tree: &RootDirectory, path: &Path, name: &[u8]) -> io::Result<Vec<u8>> {
    let metadata = tree.metadata(name)?;
    let (mode, contents) = match metadata.kind {
        FileKind::Link => ("120000", crate::fs::directory::bytes_of(&std::fs::read_link(path)?)),
        FileKind::Regular => {
            let file = tree.open_file(name)?;
            if !file.metadata()?.is_file() {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            let mode = if is_executable(&file)? { "100755" } else { "100644" };
            let mut contents = Vec::new();
            file.take(MOST + 1).read_to_end(&mut contents)?;
            (mode, contents)
        }
        FileKind::Directory | FileKind::Other | FileKind::Unknown => {
            return Err(io::ErrorKind::InvalidInput.into());
        }
    };
    Ok(patch(name, mode, &contents))
}

fn patch(name: &[u8], mode: &str, contents: &[u8]) -> Vec<u8> {
    let (old, new) = (quoted(b"a/", name), quoted(b"b/", name));
    let mut text = [b"diff --git ", &*old, b" ", &*new, b"\nnew file mode ", mode.as_bytes(), b"\n"].concat();
    if contents.is_empty() {
        return text;
    }
    if contents.len() as u64 > MOST || contents[..contents.len().min(BINARY_HEAD)].contains(&0) {
        text.extend([b"Binary files /dev/null and ", &*new, b" differ\n"].concat());
        return text;
    }
    let lines: Vec<&[u8]> = contents.split_inclusive(|byte| *byte == b'\n').collect();
    let count = if lines.len() == 1 { String::new() } else { format!(",{}", lines.len()) };
    // As in git, so that a name with a blank has an end.
    let end: &[u8] = if name.contains(&b' ') { b"\t" } else { b"" };
    text.extend([b"--- /dev/null\n+++ ", &*new, end, b"\n@@ -0,0 +1", count.as_bytes(), b" @@\n"].concat());
    for line in &lines {
        text.push(b'+');
        text.extend_from_slice(line);
    }
    if !contents.ends_with(b"\n") {
        text.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
    text
}

/// A name with its prefix, in quotes if it has characters that git escapes.
fn quoted(prefix: &[u8], name: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::new();
    for byte in name {
        match byte {
            b'"' | b'\\' => escaped.extend([b'\\', *byte]),
            7 => escaped.extend_from_slice(b"\\a"),
            8 => escaped.extend_from_slice(b"\\b"),
            11 => escaped.extend_from_slice(b"\\v"),
            12 => escaped.extend_from_slice(b"\\f"),
            b'\t' => escaped.extend_from_slice(b"\\t"),
            b'\n' => escaped.extend_from_slice(b"\\n"),
            b'\r' => escaped.extend_from_slice(b"\\r"),
            0..=31 | 127 => escaped.extend(format!("\\{byte:03o}").into_bytes()),
            other => escaped.push(*other),
        }
    }
    let quote: &[u8] = if escaped.len() == name.len() { b"" } else { b"\"" };
    [quote, prefix, &escaped, quote].concat()
}

#[cfg(unix)]
fn is_executable(file: &std::fs::File) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(file.metadata()?.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::File) -> io::Result<bool> {
    Ok(false)
}
