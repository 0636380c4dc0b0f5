//! Splits git's output into the changes to single files.

use std::path::PathBuf;

use crate::fs::directory::path_of;
use crate::git::quotes;

/// The change to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileDiff {
    /// Its name, as the bytes that git prints.
    pub path: Vec<u8>,
    /// Its name before it was renamed or copied.
    pub old_path: Option<Vec<u8>>,
    /// The patch.
    pub text: Vec<u8>,
}

/// The changes in a patch. A line from a file begins with a space, `+`, `-` or `\`, so the contents of a file
/// cannot begin a change.
pub(super) fn changes(patch: &[u8]) -> Vec<FileDiff> {
    let mut starts = Vec::new();
    let mut position = 0;
    for line in patch.split_inclusive(|byte| *byte == b'\n') {
        if HEADERS.iter().any(|header| line.starts_with(header)) {
            starts.push(position);
        }
        position += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([patch.len()]);
    starts.iter().zip(ends).filter_map(|(start, end)| change(&patch[*start..end])).collect()
}

const GIT: &[u8] = b"diff --git ";
const CONFLICT: &[u8] = b"diff --cc ";
const UNMERGED: &[u8] = b"* Unmerged path ";
const HEADERS: [&[u8]; 3] = [GIT, CONFLICT, UNMERGED];

fn change(text: &[u8]) -> Option<FileDiff> {
    let mut lines = text.split(|byte| *byte == b'\n');
    let first = lines.next()?;
    let mut change = FileDiff { path: Vec::new(), old_path: None, text: text.to_vec() };
    if let Some(names) = first.strip_prefix(GIT) {
        // The file was rewritten with the same contents.
        if text.len() == first.len() + 1 {
            return None;
        }
        change.path = name_of_both(names)?;
        for line in lines.take_while(|line| !line.starts_with(b"@@ ")) {
            if let Some(name) = after(line, &[b"rename to ", b"copy to "]) {
                change.path = unquoted(name);
            } else if let Some(name) = after(line, &[b"rename from ", b"copy from "]) {
                change.old_path = Some(unquoted(name));
            }
        }
    } else {
        change.path = unquoted(after(first, &[CONFLICT, UNMERGED])?);
    }
    Some(change)
}

fn after<'a>(line: &'a [u8], prefixes: &[&[u8]]) -> Option<&'a [u8]> {
    prefixes.iter().find_map(|prefix| line.strip_prefix(*prefix))
}

/// The name in `a/NAME b/NAME`. If the two names differ, other lines of the header contain them, so this is
/// only a last resort.
fn name_of_both(names: &[u8]) -> Option<Vec<u8>> {
    let (_, second) = names.split_at_checked(names.len().div_ceil(2))?;
    Some(unquoted(second).strip_prefix(b"b/").map_or_else(Vec::new, <[u8]>::to_vec))
}

fn unquoted(name: &[u8]) -> Vec<u8> {
    quotes::unquoted(name).unwrap_or_else(|| name.to_vec())
}

/// A name from a repository as a path in the tree; `None` if it leads out of the tree, or to git's own files. An
/// index or a commit can contain any name.
pub(super) fn path_in_tree(name: &[u8]) -> Option<PathBuf> {
    let is_plain = |part: &[u8]| {
        !part.is_empty() && part != b"." && part != b".." && !part.eq_ignore_ascii_case(b".git")
    };
    let has_other_separator = cfg!(windows) && name.iter().any(|byte| matches!(byte, b'\\' | b':'));
    let is_in_tree =
        !has_other_separator && !name.contains(&0) && name.split(|byte| *byte == b'/').all(is_plain);
    is_in_tree.then(|| path_of(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(patch: &str) -> Vec<String> {
        changes(patch.as_bytes())
            .into_iter()
            .map(|change| {
                let old = change.old_path.map_or_else(String::new, |old| {
                    format!("{} > ", String::from_utf8_lossy(&old).into_owned())
                });
                old + &String::from_utf8_lossy(&change.path)
            })
            .collect()
    }

    #[test]
    fn every_header_names_its_file() {
        for (patch, name) in [
            ("diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n", "src/a.rs"),
            ("diff --git a/a b/b b/a b/b\nold mode 100644\nnew mode 100755\n", "a b/b"),
            ("diff --git \"a/q\\\"\\t\\303\" \"b/q\\\"\\t\\303\"\nold mode 1\n", "q\"\t\u{fffd}"),
            (
                "diff --git a/x b/y z\nsimilarity index 9%\nrename from x\nrename to y z\n@@ -1 +1 @@\n",
                "x > y z",
            ),
            ("diff --git a/x \"b/\\n\"\ncopy from x\ncopy to \"\\n\"\n", "x > \n"),
            ("diff --cc a b\nindex 1,2..3\n@@@ -1 -1 +1 @@@\n", "a b"),
            ("* Unmerged path a\n", "a"),
        ] {
            assert_eq!(names(patch), [name], "{patch}");
        }
    }

    #[test]
    fn header_without_content_is_not_a_change() {
        let patch = "diff --git a/a b/a\ndiff --git a/b b/b\nold mode 1\ndiff --git a/c b/c\n";
        assert_eq!(names(patch), ["b"]);
    }

    #[test]
    fn text_of_a_file_cannot_begin_a_change() {
        let patch = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-diff --git a/x b/x\n+diff --git a/y b/y\n \
                     rename to z\n+rename to z\ndiff --git a/b b/b\nold mode 1\n";
        assert_eq!(names(patch), ["a", "b"]);
        assert_eq!(
            changes(patch.as_bytes()).iter().map(|change| change.text.len()).sum::<usize>(),
            patch.len()
        );
    }

    #[test]
    fn names_that_lead_out_of_the_tree_are_refused() {
        for name in
            ["", "/etc/passwd", "../a", "a/../b", "a//b", "./a", "a/", ".git/config", "s/.GIT/x", "a\0b"]
        {
            assert_eq!(path_in_tree(name.as_bytes()), None, "{name}");
        }
        for name in ["a", "a/b", ".gitignore", "..a", "a.git/b"] {
            assert_eq!(path_in_tree(name.as_bytes()), Some(PathBuf::from(name)));
        }
    }
}
