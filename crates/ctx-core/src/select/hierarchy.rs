//! `up:` entries: the files of some names from the root of the tree down to the current directory.

use std::path::Path;

use super::label::Label;
use super::report::Problem;
use super::resolve::{Base, Ground, Named, Written, in_git};
use super::tree;
use crate::entry::up::UpNames;

/// What an `up:` entry finds, root first.
#[derive(Debug, Default)]
pub struct Hierarchy {
    /// The files that may be read.
    pub files: Vec<Named>,
    /// The others.
    pub refused: Vec<RefusedFile>,
}

/// A file that an entry finds and that may not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedFile {
    /// What it is called.
    pub label: Label,
    /// Why.
    pub problem: Problem,
}

/// Looks the names up in each directory down to the current one, as far as `base` reaches: the first that is
/// there counts.
pub fn find(names: &UpNames, base: Base<'_>, ground: &Ground<'_>) -> Hierarchy {
    let mut found = Hierarchy::default();
    let cwd = ground.world.cwd.canonicalize().unwrap_or_else(|_| ground.world.cwd.clone());
    let levels: Vec<&Path> = cwd.ancestors().take_while(|directory| base.tree.contains(directory)).collect();
    for (height, directory) in levels.iter().enumerate().rev() {
        let is_there = |name: &&str| directory.join(name).metadata().is_ok_and(|metadata| !metadata.is_dir());
        let Some(name) = names.iter().find(is_there) else { continue };
        let given = format!("{}{name}", "../".repeat(height));
        match file(&given, &directory.join(name), base, ground) {
            Ok(file) => found.files.push(file),
            Err(problem) => {
                found.refused.push(RefusedFile { label: Label::new(given.as_bytes()), problem });
            }
        }
    }
    found
}

fn file(given: &str, path: &Path, base: Base<'_>, ground: &Ground<'_>) -> Result<Named, Problem> {
    let canonical = path.canonicalize().map_err(|error| Problem::of(&error))?;
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
        given: given.as_bytes().to_vec(),
        place: base.place(written, &canonical),
        absolute: path.to_owned(),
        canonical,
        metadata: tree::described(&metadata),
    })
}
