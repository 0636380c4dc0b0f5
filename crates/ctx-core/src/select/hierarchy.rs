//! `up:` entries: the files of some names from the root of the tree down to the current directory.

use std::path::{Path, PathBuf};

use super::ground::{Base, Ground, Named, Written, called, in_git};
use super::label::Label;
use super::metadata::FileMetadata;
use super::missed::{Missed, MissedReason};
use super::problem::Problem;
use crate::entry::up::UpNames;
use crate::fs::{real, resolved};

/// What an `up:` entry finds in one directory.
#[derive(Debug)]
pub struct Level {
    /// The directory, from the current one: `../..`, or `.`.
    pub directory: String,
    /// The same with all links resolved.
    pub path: PathBuf,
    /// The name that is there, if one is, and the file or why it may not be read.
    pub found: Option<(String, Result<Named, Problem>)>,
}

/// What an `up:` entry finds, root first.
#[derive(Debug, Default)]
pub struct Hierarchy {
    /// The files that may be read.
    pub files: Vec<Named>,
    /// The others.
    pub refused: Vec<Missed>,
}

/// The files that the names come to: in each directory the first name that is there counts.
pub fn find(names: &UpNames, base: Base<'_>, ground: &Ground<'_>) -> Hierarchy {
    let mut all = Hierarchy::default();
    for Level { path, found, .. } in levels(names, base, ground) {
        match found {
            Some((_, Ok(file))) => all.files.push(file),
            Some((name, Err(problem))) => {
                let label = Label::new(&called(&path.join(name), ground.world));
                let why = MissedReason::Problem(problem);
                all.refused.push(Missed { label, why, is_directory: false, entries: Vec::new() });
            }
            None => {}
        }
    }
    all
}

fn below(directory: &str, name: &str) -> String {
    if directory == "." { name.to_owned() } else { format!("{directory}/{name}") }
}

/// Looks the names up in each directory down to the current one, as far as `base` reaches.
pub fn levels(names: &UpNames, base: Base<'_>, ground: &Ground<'_>) -> Vec<Level> {
    let cwd = resolved(&ground.world.cwd);
    let directories: Vec<&Path> =
        cwd.ancestors().take_while(|directory| base.tree.contains(directory)).collect();
    let level = |(height, path): (usize, &&Path)| {
        let is_there = |name: &&str| path.join(name).metadata().is_ok_and(|metadata| !metadata.is_dir());
        let directory = if height == 0 { ".".to_owned() } else { vec![".."; height].join("/") };
        let file = |name: &str| file(&below(&directory, name), &path.join(name), base, ground);
        let found = names.iter().find(is_there).map(|name| (name.to_owned(), file(name)));
        Level { directory, path: (*path).to_owned(), found }
    };
    directories.iter().enumerate().rev().map(level).collect()
}

fn file(given: &str, path: &Path, base: Base<'_>, ground: &Ground<'_>) -> Result<Named, Problem> {
    let canonical = real(path).map_err(|error| Problem::of(&error))?;
    if !base.tree.contains(&canonical) {
        return Err(Problem::LinkOutside(canonical));
    }
    if ground.tree.is_in_git(&canonical) || in_git(Path::new(given)) {
        return Err(Problem::InsideGit);
    }
    let metadata = canonical.metadata().map_err(|error| Problem::of(&error))?;
    if !metadata.is_file() {
        return Err(Problem::NotRegular);
    }
    let written = Written::of_text(given, ground.world)?;
    Ok(Named {
        given: called(path, ground.world),
        place: ground.place(written, &canonical)?,
        absolute: path.to_owned(),
        canonical,
        metadata: FileMetadata::of(&metadata),
    })
}
