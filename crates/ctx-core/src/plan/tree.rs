//! Files as a tree of directories.

use std::collections::BTreeMap;

use super::Item;
use crate::entry::Kind;
use crate::words::counted;

/// A directory with what is in it, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryTree<T> {
    /// The files directly in it, with what is known of each.
    pub files: BTreeMap<String, T>,
    /// The directories directly in it.
    pub directories: BTreeMap<String, DirectoryTree<T>>,
}

impl<T> Default for DirectoryTree<T> {
    fn default() -> Self {
        Self { files: BTreeMap::new(), directories: BTreeMap::new() }
    }
}

impl<T> DirectoryTree<T> {
    /// The tree of these labels, each with what is known of it. The label of what is no file is one name, whatever
    /// is in it.
    pub fn of<'a>(labels: impl IntoIterator<Item = (&'a str, T)>) -> Self {
        let mut root = Self::default();
        for (label, known) in labels {
            let (directory, name) = match label.rsplit_once('/') {
                Some((directory, name)) if Kind::of(label).prefix().is_none() => {
                    (root.below(directory), name)
                }
                Some(_) | None => (&mut root, label),
            };
            directory.files.insert(name.to_owned(), known);
        }
        root
    }

    /// Shows `see` every file in it, at any depth.
    pub fn each<'a>(&'a self, see: &mut impl FnMut(&'a T)) {
        self.files.values().for_each(&mut *see);
        self.directories.values().for_each(|directory| directory.each(see));
    }

    fn files_at_any_depth(&self) -> usize {
        let mut files = 0;
        self.each(&mut |_| files += 1);
        files
    }

    fn below(&mut self, path: &str) -> &mut Self {
        path.split('/')
            .fold(self, |directory, name| directory.directories.entry(name.to_owned()).or_default())
    }
}

/// The tree in front of a block: of all items if that is `asked` for, else of those that are only listed. There is none
/// where nothing can be printed. Of directories below more than `most` others the number of files is said.
pub(super) fn in_front(items: &[Item], asked: bool, most: usize) -> Option<String> {
    let is_printable = |item: &Item| item.skipped().is_none();
    let is_drawn = items.iter().any(Item::is_listed) || asked && items.iter().any(is_printable);
    is_drawn.then(|| drawn(items.iter().filter(|item| asked || item.is_listed()), most))
}

/// The tree as it is in a block: a line a name, two spaces a level.
fn drawn<'a>(items: impl Iterator<Item = &'a Item>, most: usize) -> String {
    let mut text = String::new();
    draw(&DirectoryTree::of(items.map(|item| (item.source.label.as_str(), ()))), 0, most, &mut text);
    text
}

fn draw(directory: &DirectoryTree<()>, depth: usize, most: usize, text: &mut String) {
    for name in directory.files.keys() {
        line(text, depth, name, "\n");
    }
    for (name, below) in &directory.directories {
        if depth < most {
            line(text, depth, name, "/\n");
            draw(below, depth + 1, most, text);
        } else {
            line(text, depth, name, &format!("/ ({})\n", counted(below.files_at_any_depth(), "file")));
        }
    }
}

fn line(text: &mut String, depth: usize, name: &str, end: &str) {
    text.extend(std::iter::repeat_n("  ", depth));
    text.push_str(name);
    text.push_str(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_labels_of_no_file_are_whole() {
        let tree = DirectoryTree::of(
            ["src/b.rs", "src/a/x.rs", "README.md", "/etc/hosts", "git:staged src/b.rs", "cmd:cat a/b"]
                .map(|label| (label, ())),
        );
        let mut files = 0;
        tree.each(&mut |()| files += 1);
        assert_eq!(files, 6);
        let mut text = String::new();
        draw(&tree, 0, usize::MAX, &mut text);
        assert_eq!(
            text,
            "README.md\ncmd:cat a/b\ngit:staged src/b.rs\n/\n  etc/\n    hosts\nsrc/\n  b.rs\n  a/\n    x.rs\n"
        );
        text.clear();
        draw(&tree, 0, 1, &mut text);
        assert!(text.ends_with("src/\n  b.rs\n  a/ (1 file)\n"), "{text}");
        text.clear();
        draw(&tree, 0, 0, &mut text);
        assert!(text.ends_with("/ (1 file)\nsrc/ (2 files)\n"), "{text}");
    }
}
