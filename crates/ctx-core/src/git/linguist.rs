//! Files that `.gitattributes` marks as generated or as others' code, for the statistics of code hosts.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::quotes::unquoted;
use super::wildmatch::{Case, Wild};
use crate::fs::names::last_name;
use crate::fs::read_small;

/// The file that marks others.
const NAME: &str = ".gitattributes";

/// The largest such file, and the longest line that counts, in bytes; git's limits for the line are the same.
const MAX_BYTES: u64 = 1 << 20;
const LONGEST_LINE: usize = 2_048;

/// How many steps the comparisons of all paths together may take. After that, nothing more is marked.
const MOST_STEPS: u64 = 20_000_000;

/// The attributes that count, in the order of [`Marked`].
const ATTRIBUTES: [&[u8]; 2] = [b"linguist-generated", b"linguist-vendored"];

/// For each attribute, whether it is set; `None` if nothing says so.
type Marked = [Option<bool>; ATTRIBUTES.len()];

/// The marks in a tree.
#[derive(Debug)]
pub struct Linguist {
    root: PathBuf,
    /// The rules for each directory, by its path relative to the root.
    known: HashMap<Vec<u8>, Chain>,
    steps: u64,
}

/// The rules for a directory: those of the directories above, then its own; `None` if there are none.
type Chain = Option<Arc<MarkRules>>;

#[derive(Debug)]
struct MarkRules {
    above: Chain,
    /// The length in bytes of the path to the directory, including its slash.
    depth: usize,
    /// Its lines, the last one first.
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    pattern: Wild,
    /// Whether the pattern is compared with the name alone.
    is_of_name: bool,
    marked: Marked,
}

impl Linguist {
    /// The marks in the tree below `root`.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), known: HashMap::new(), steps: 0 }
    }

    /// Whether a file is marked; the path is relative to the root.
    pub fn marks(&mut self, relative: &[u8]) -> bool {
        let directory = &relative[..relative.len() - last_name(relative).len()];
        let mut marked: Marked = [None; ATTRIBUTES.len()];
        let mut chain = self.chain(directory);
        while let Some(rules) = chain {
            let path = &relative[rules.depth..];
            for line in &rules.lines {
                self.steps += 1;
                if self.steps > MOST_STEPS {
                    return false;
                }
                let text = if line.is_of_name { last_name(path) } else { path };
                if line.pattern.matches_counted(text, &mut self.steps) {
                    marked.iter_mut().zip(line.marked).for_each(|(known, here)| *known = known.or(here));
                }
            }
            chain = rules.above.clone();
        }
        marked.contains(&Some(true))
    }

    /// The rules for a directory, whose path is empty or ends in a slash.
    fn chain(&mut self, directory: &[u8]) -> Chain {
        if let Some(known) = self.known.get(directory) {
            return known.clone();
        }
        let above = directory.strip_suffix(b"/").map(|path| &path[..path.len() - last_name(path).len()]);
        let above = above.and_then(|above| self.chain(above));
        let lines = self.lines(directory);
        let chain = if lines.is_empty() {
            above
        } else {
            Some(Arc::new(MarkRules { above, depth: directory.len(), lines }))
        };
        self.known.insert(directory.to_owned(), chain.clone());
        chain
    }

    fn lines(&self, directory: &[u8]) -> Vec<Line> {
        let path = self.root.join(crate::fs::directory::path_of(directory)).join(NAME);
        // Git doesn't follow such a link either.
        if !fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
            return Vec::new();
        }
        let bytes = read_small(&path, MAX_BYTES).unwrap_or_default();
        bytes.split(|byte| *byte == b'\n').rev().filter_map(Line::of).collect()
    }
}

impl Line {
    /// The line if it marks anything.
    fn of(line: &[u8]) -> Option<Self> {
        let line = line.trim_ascii();
        let is_long = line.len() > LONGEST_LINE || line.starts_with(b"#") || line.starts_with(b"[attr]");
        let (pattern, attributes) = parts(line).filter(|_| !is_long)?;
        let mut marked: Marked = [None; ATTRIBUTES.len()];
        for word in attributes.split(u8::is_ascii_whitespace) {
            for (name, known) in ATTRIBUTES.iter().zip(&mut marked) {
                *known = said(word, name).or(*known);
            }
        }
        // As in git, a pattern for directories matches no file, and one that leads with `!` is not allowed.
        let is_pattern = !pattern.ends_with(b"/") && !pattern.starts_with(b"!");
        let is_of_name = !pattern.contains(&b'/');
        let pattern = pattern.strip_prefix(b"/").unwrap_or(&pattern);
        let says = marked != [None; ATTRIBUTES.len()] && is_pattern;
        says.then(|| Self { pattern: Wild::new(pattern, Case::Sensitive), is_of_name, marked })
    }
}

/// The pattern, which may be in quotes, and the attributes after it.
fn parts(line: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    if line.starts_with(b"\"") {
        let is_end = |at: &usize| line[*at] == b'"' && line[*at - 1] != b'\\';
        let end = (1..line.len()).find(is_end)? + 1;
        return Some((unquoted(&line[..end])?, &line[end..]));
    }
    let end = line.iter().position(u8::is_ascii_whitespace)?;
    Some((line[..end].to_vec(), &line[end..]))
}

/// What a word of a line says about an attribute.
fn said(word: &[u8], name: &[u8]) -> Option<bool> {
    // What is unspecified again isn't marked, either.
    if let Some(rest) = word.strip_prefix(b"-").or_else(|| word.strip_prefix(b"!")) {
        return (rest == name).then_some(false);
    }
    match word.strip_prefix(name)? {
        b"" | b"=true" => Some(true),
        b"=false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_and_last_line_decides() {
        let tree = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = tree.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            ".gitattributes",
            "# linguist\n*.pb.rs text linguist-generated=true\nvendor/** linguist-vendored\r\n\
             /top.c linguist-generated\nvendor/own/** -linguist-vendored\nlib/ linguist-vendored\n\
             \"a b.c\" linguist-generated\n!c.c linguist-generated\n[attr]x linguist-generated\n\
             *.md linguist-documentation\n*.lock linguist-generated=false\nvendor/un/** !linguist-vendored\n",
        );
        write("src/.gitattributes", "kept.pb.rs -linguist-generated\ndeep/*.c linguist-generated\n");
        let mut marks = Linguist::new(tree.path());
        for (path, is_marked) in [
            ("a.pb.rs", true),
            ("src/a.pb.rs", true),
            ("src/kept.pb.rs", false),
            ("src/deep/a.c", true),
            ("deep/a.c", false),
            ("vendor/a/b.c", true),
            ("vendor/own/b.c", false),
            ("vendor/un/b.c", false),
            ("top.c", true),
            ("src/top.c", false),
            ("lib/a.c", false),
            ("src/a b.c", true),
            ("c.c", false),
            ("x", false),
            ("README.md", false),
            ("Cargo.lock", false),
        ] {
            assert_eq!(marks.marks(path.as_bytes()), is_marked, "{path}");
        }
    }

    #[test]
    fn lines_without_end_are_not_compared_with_every_file() {
        let tree = tempfile::tempdir().unwrap();
        let lines = format!("{}*.c linguist-generated\n", "b linguist-vendored\n".repeat(40_000));
        fs::write(tree.path().join(NAME), lines).unwrap();
        let mut marks = Linguist::new(tree.path());
        assert!(marks.marks(b"a.c") && marks.marks(b"b"));
        for _ in 0..1_000 {
            marks.marks(b"a.rs");
        }
        assert!(marks.steps <= MOST_STEPS + 1_000 && !marks.marks(b"b"));
    }
}
