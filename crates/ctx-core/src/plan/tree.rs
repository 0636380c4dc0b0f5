//! Files as a tree of directories.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::Item;
use crate::entry::Kind;
use crate::words::counted;

/// A directory with its contents, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryTree<T> {
    /// The files directly in it, each with its data.
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
    /// The tree of these labels, each with its data. The label of anything that is not a file is one name,
    /// whatever it contains.
    pub fn of(labels: impl IntoIterator<Item = (impl AsRef<str>, T)>) -> Self {
        let mut root = Self::default();
        for (label, known) in labels {
            let label = label.as_ref();
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

    /// Calls `see` for every file in it, at any depth.
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

/// The tree at the beginning of a block: all items if `asked`, otherwise only those listed by name; `None` if
/// there is nothing to draw.
pub(super) fn in_front(items: &[Item], asked: bool) -> Option<DirectoryTree<()>> {
    let is_printable = |item: &Item| item.skipped().is_none();
    let is_drawn = items.iter().any(Item::is_listed) || asked && items.iter().any(is_printable);
    let drawn = items.iter().filter(|item| asked || item.is_listed()).map(|item| &item.source);
    let labels = drawn.map(|source| {
        let is_part = source.is_of_whole_file();
        if is_part { source.path() } else { source.label.as_str() }
    });
    is_drawn.then(|| DirectoryTree::of(labels.map(|label| (label, ()))))
}

impl DirectoryTree<()> {
    /// The position of each directory, by path, in the order of unfolding: parents come before their
    /// subdirectories, and directories with the fewest lines first. The empty path is the whole tree.
    fn unfolding(&self) -> HashMap<String, usize> {
        let of = |path: String, directory| (Reverse(Self::lines(directory)), Reverse(path));
        let mut directories = HashMap::from([(String::new(), self)]);
        let mut next = BinaryHeap::from([of(String::new(), self)]);
        let mut order = HashMap::new();
        while let Some((_, Reverse(path))) = next.pop() {
            for (name, below) in directories.remove(&path).into_iter().flat_map(|one| &one.directories) {
                let path = format!("{path}{name}/");
                directories.insert(path.clone(), below);
                next.push(of(path, below));
            }
            order.insert(path, order.len());
        }
        order
    }

    /// The tree with as many directories unfolded as possible, so that it still `fits`.
    pub(crate) fn folded_until(&self, mut fits: impl FnMut(&str) -> bool) -> String {
        let order = self.unfolding();
        let drawn = |most: usize| self.drawn(&|path| order.get(path).is_some_and(|rank| *rank < most));
        let (mut fitting, mut above) = (0, order.len());
        while fitting < above {
            let most = above - (above - fitting) / 2;
            if fits(&drawn(most)) {
                fitting = most;
            } else {
                above = most - 1;
            }
        }
        drawn(fitting)
    }

    fn lines(&self) -> usize {
        self.files.len() + self.directories.len()
    }

    /// The tree as in a block: one line per name, two spaces per level. A folded directory shows its number of
    /// files.
    pub(super) fn drawn(&self, is_unfolded: &impl Fn(&str) -> bool) -> String {
        let mut text = String::new();
        if is_unfolded("") {
            self.draw("", 0, is_unfolded, &mut text);
        } else {
            line(&mut text, 0, ".", &self.folded());
        }
        text
    }

    fn draw(&self, path: &str, depth: usize, is_unfolded: &impl Fn(&str) -> bool, text: &mut String) {
        for name in self.files.keys() {
            line(text, depth, name, "\n");
        }
        for (name, below) in &self.directories {
            let path = format!("{path}{name}/");
            if is_unfolded(&path) {
                line(text, depth, name, "/\n");
                below.draw(&path, depth + 1, is_unfolded, text);
            } else {
                line(text, depth, name, &below.folded());
            }
        }
    }

    fn folded(&self) -> String {
        format!("/ ({})\n", counted(self.files_at_any_depth(), "file"))
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
    fn names_are_sorted_and_only_labels_of_files_are_split() {
        let tree = DirectoryTree::of(
            ["src/b.rs", "src/a/x.rs", "README.md", "/etc/hosts", "git:staged src/b.rs", "cmd:cat a/b"]
                .map(|label| (label, ())),
        );
        let mut files = 0;
        tree.each(&mut |()| files += 1);
        assert_eq!(files, 6);
        let all = "README.md\ncmd:cat a/b\ngit:staged src/b.rs\n/\n  etc/\n    hosts\nsrc/\n  b.rs\n  a/\n    x.rs\n";
        assert_eq!(tree.drawn(&|_| true), all);
    }

    #[test]
    fn directories_are_unfolded_one_by_one_starting_with_the_fewest_lines() {
        let labels = ["a/1", "a/2", "a/3", "b/c/1", "b/2", "d/e/f/1", "4"];
        let tree = DirectoryTree::of(labels.map(|label| (label, ())));
        let order = tree.unfolding();
        let drawn: Vec<String> =
            (0..=order.len()).map(|most| tree.drawn(&|path| order[path] < most)).collect();
        assert_eq!(
            drawn,
            [
                "./ (7 files)\n",
                "4\na/ (3 files)\nb/ (2 files)\nd/ (1 file)\n",
                "4\na/ (3 files)\nb/ (2 files)\nd/\n  e/ (1 file)\n",
                "4\na/ (3 files)\nb/ (2 files)\nd/\n  e/\n    f/ (1 file)\n",
                "4\na/ (3 files)\nb/ (2 files)\nd/\n  e/\n    f/\n      1\n",
                "4\na/ (3 files)\nb/\n  2\n  c/ (1 file)\nd/\n  e/\n    f/\n      1\n",
                "4\na/ (3 files)\nb/\n  2\n  c/\n    1\nd/\n  e/\n    f/\n      1\n",
                "4\na/\n  1\n  2\n  3\nb/\n  2\n  c/\n    1\nd/\n  e/\n    f/\n      1\n",
            ]
        );
    }
}
