//! Files as a tree of directories.

use std::collections::BTreeMap;

use super::{Item, Reading};

/// A directory with what is in it, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directory {
    /// The files directly in it, with their weights.
    pub files: BTreeMap<String, u64>,
    /// The directories directly in it.
    pub directories: BTreeMap<String, Directory>,
}

impl Directory {
    /// The tree of these paths, each with a weight.
    pub fn of<'a>(paths: impl IntoIterator<Item = (&'a str, u64)>) -> Self {
        let mut root = Self::default();
        for (path, weight) in paths {
            let (directory, name) = match path.rsplit_once('/') {
                Some((directory, name)) => (root.below(directory), name),
                None => (&mut root, path),
            };
            directory.files.insert(name.to_owned(), weight);
        }
        root
    }

    /// The weight of everything in it.
    #[must_use]
    pub fn weight(&self) -> u64 {
        self.files.values().sum::<u64>() + self.directories.values().map(Self::weight).sum::<u64>()
    }

    fn below(&mut self, path: &str) -> &mut Self {
        path.split('/')
            .fold(self, |directory, name| directory.directories.entry(name.to_owned()).or_default())
    }
}

/// The tree in front of a block: of all items if that is `asked` for, else of those that are only listed. There is none
/// where nothing can be printed.
pub(super) fn in_front(items: &[Item], asked: bool) -> Option<String> {
    let is_printable = |item: &Item| match item.reading {
        Reading::Document(_) | Reading::Listed { .. } | Reading::Dropped { .. } => true,
        Reading::Skipped(_) => false,
    };
    let is_drawn = items.iter().any(Item::is_listed) || asked && items.iter().any(is_printable);
    is_drawn.then(|| drawn(items.iter().filter(|item| asked || item.is_listed())))
}

/// The tree as it is in a block: a line a name, two spaces a level.
fn drawn<'a>(items: impl Iterator<Item = &'a Item>) -> String {
    let mut text = String::new();
    draw(&Directory::of(items.map(|item| (item.source.label.as_str(), 0))), 0, &mut text);
    text
}

fn draw(directory: &Directory, depth: usize, text: &mut String) {
    for name in directory.files.keys() {
        line(text, depth, name, "\n");
    }
    for (name, below) in &directory.directories {
        line(text, depth, name, "/\n");
        draw(below, depth + 1, text);
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
    fn weights_add_up_and_names_are_sorted() {
        let tree = Directory::of([("src/b.rs", 2), ("src/a/x.rs", 3), ("README.md", 4), ("/etc/hosts", 5)]);
        assert_eq!(tree.weight(), 14);
        assert_eq!(tree.directories["src"].weight(), 5);
        let mut text = String::new();
        draw(&tree, 0, &mut text);
        assert_eq!(text, "README.md\n/\n  etc/\n    hosts\nsrc/\n  b.rs\n  a/\n    x.rs\n");
    }
}
