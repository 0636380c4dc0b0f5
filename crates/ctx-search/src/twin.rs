//! Files that say the same again: translations, versions and copies, whose paths differ in one directory.

use std::collections::{HashMap, HashSet};

/// A file is compared with at most this many twins.
const MOST: usize = 8;

/// For each of these files, given by path and number of lines, how many of those before it are twins.
pub(crate) fn twins_before(files: &[(&str, usize)]) -> Vec<usize> {
    let mut before: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    let mut twins_of_key = |key, lines| {
        let here = before.entry(key).or_default();
        let count = here.iter().filter(|other| are_alike(lines, **other)).count();
        if here.len() < MOST {
            here.push(lines);
        }
        count
    };
    let mut twins = |path, lines| without_each_directory(path).map(|key| twins_of_key(key, lines)).max();
    files.iter().map(|(path, lines)| twins(path, *lines).unwrap_or(0)).collect()
}

/// Whether each of these files is a page that was probably exported from one of the notebooks among them. Many pages are
/// called `index`.
pub(crate) fn are_exported<'p>(paths: impl Iterator<Item = &'p str> + Clone) -> Vec<bool> {
    const NOTEBOOKS: [&str; 3] = ["ipynb", "Rmd", "qmd"];
    let name = |path: &'p str| path.rsplit('/').next().unwrap_or(path).rsplit_once('.');
    let is_notebook = |(stem, extension): &(&str, &str)| *stem != "index" && NOTEBOOKS.contains(extension);
    let of_notebook = |path| name(path).filter(is_notebook);
    let notebooks: HashSet<&str> = paths.clone().filter_map(of_notebook).map(|(stem, _)| stem).collect();
    let is_exported =
        |path| name(path).is_some_and(|(stem, extension)| extension == "html" && notebooks.contains(stem));
    paths.map(is_exported).collect()
}

/// What is before and after each directory of a path.
fn without_each_directory(path: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut start = 0;
    path.match_indices('/').map(move |(end, _)| {
        let parts = (&path[..start], &path[end..]);
        start = end + 1;
        parts
    })
}

/// Whether two files have about as many lines, as a text and its translation do.
fn are_alike(lines: usize, others: usize) -> bool {
    lines.abs_diff(others) * 20 <= lines.max(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translations_are_twins() {
        let files = [
            ("docs/de/a.md", 86),
            ("docs/en/a.md", 84),
            ("docs/fr/a.md", 86),
            ("docs/fr/b.md", 86),
            ("v2/de/a.md", 86),
        ];
        assert_eq!(twins_before(&files), [0, 1, 2, 0, 1]);
        let many: Vec<String> = (0..20).map(|number| format!("{number}/a.md")).collect();
        let many: Vec<(&str, usize)> = many.iter().map(|path| (path.as_str(), 1)).collect();
        assert_eq!(twins_before(&many).last(), Some(&MOST));
    }

    #[test]
    fn pages_with_the_name_of_a_notebook_are_exported_from_it() {
        let paths =
            ["doc/sales.html", "work/sales.ipynb", "doc/index.html", "index.qmd", "doc/help.html", "help.md"];
        assert_eq!(are_exported(paths.into_iter()), [true, false, false, false, false, false]);
    }

    #[test]
    fn files_of_other_names_or_lengths_or_depths_are_no_twins() {
        let files =
            [("a/x.md", 9), ("x.md", 9), ("a/b/x.md", 9), ("a/c/d/x.md", 9), ("a/y.md", 9), ("b/x.md", 10)];
        assert_eq!(twins_before(&files), [0; 6]);
    }
}
