//! `up:` entries: the files of some names from the root of the tree down to the current directory.

use std::path::{Path, PathBuf};

use super::problem::Problem;
use super::resolver::{EntryBase, NamedFile, PathResolver, WrittenPath, called, in_git};
use crate::fs::FileMetadata;
use crate::fs::{real, resolved};

/// What an `up:` entry finds in one directory.
#[derive(Debug)]
pub struct Level {
    /// The directory, from the current one: `../..`, or `.`.
    pub directory: String,
    /// The same with all links resolved.
    pub path: PathBuf,
    /// The name that is there, if one is, and the file or why it may not be read.
    pub found: Option<(String, Result<NamedFile, Problem>)>,
}

impl Level {
    /// Whether the file is the one that may be read here.
    pub(super) fn finds(&self, canonical: &Path) -> bool {
        matches!(&self.found, Some((_, Ok(file))) if file.canonical == canonical)
    }
}

fn below(directory: &str, name: &str) -> String {
    if directory == "." { name.to_owned() } else { format!("{directory}/{name}") }
}

/// Looks the names up in each directory down to the current one, as far as `base` reaches.
pub fn levels(names: &[String], base: EntryBase<'_>, resolver: &PathResolver<'_>) -> Vec<Level> {
    let cwd = resolved(&resolver.world.cwd);
    let directories: Vec<&Path> =
        cwd.ancestors().take_while(|directory| base.tree.contains(directory)).collect();
    let level = |(height, path): (usize, &&Path)| {
        let is_there = |name: &&String| path.join(name).metadata().is_ok_and(|metadata| !metadata.is_dir());
        let directory = if height == 0 { ".".to_owned() } else { vec![".."; height].join("/") };
        let file = |name: &str| file(&below(&directory, name), &path.join(name), base, resolver);
        let found = names.iter().find(is_there).map(|name| (name.clone(), file(name)));
        Level { directory, path: (*path).to_owned(), found }
    };
    directories.iter().enumerate().rev().map(level).collect()
}

fn file(
    given: &str,
    path: &Path,
    base: EntryBase<'_>,
    resolver: &PathResolver<'_>,
) -> Result<NamedFile, Problem> {
    let canonical = real(path).map_err(|error| Problem::of(&error))?;
    if !base.tree.contains(&canonical) {
        return Err(Problem::LinkOutside(canonical));
    }
    if resolver.tree.is_in_git(&canonical) || in_git(Path::new(given)) {
        return Err(Problem::InsideGit);
    }
    let metadata = canonical.metadata().map_err(|error| Problem::of(&error))?;
    if !metadata.is_file() {
        return Err(Problem::NotRegular);
    }
    let written = WrittenPath::of_text(given, resolver.world)?;
    Ok(NamedFile {
        given: called(path, resolver.world),
        place: resolver.place(written, &canonical)?,
        absolute: path.to_owned(),
        canonical,
        metadata: FileMetadata::of(&metadata),
    })
}
