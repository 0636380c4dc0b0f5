//! Carries out the journal: new contents are first written to disk next to the old ones, and then the names are
//! exchanged, path by path.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::Path;

use super::handles::{NoDirectory, NotExchanged, Root, WritableDirectory};
use super::journal::{Journal, RestoreStep};
use super::request::{Restored, SkippedPath, Unrestored};
use crate::checkpoint::CheckpointError;
use crate::checkpoint::entry::{ObjectId, TreeEntry, TreePath};
use crate::checkpoint::objects::Objects;
use crate::checkpoint::walk::{TEMPORARY, is_directory, shown};
use crate::fs::names::join;
use crate::progress::Progress;
use crate::words::cause;

/// The state of a step before anything is exchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prepared {
    /// New contents are ready, or none are needed.
    Ready,
    /// The path is already right.
    Right,
    /// The path is left alone.
    Skipped(Unrestored),
}

/// Everything needed to change files.
pub struct Applying<'a> {
    /// The top of the tree.
    pub top: &'a Path,
    pub root: &'a Root,
    pub objects: &'a Objects<'a>,
    pub progress: Option<&'a Progress>,
}

impl Applying<'_> {
    /// Writes the new contents under temporary names. No file of the tree is touched.
    ///
    /// # Errors
    /// If contents are damaged or the disk is full. Files that were already written are left in place.
    pub fn prepare(&self, steps: &[RestoreStep]) -> Result<Vec<Prepared>, CheckpointError> {
        let mut prepared: Vec<Prepared> = steps.iter().map(|step| self.look(step)).collect();
        let mut needed: HashMap<ObjectId, Vec<usize>> = HashMap::new();
        let mut order = Vec::new();
        for (index, step) in steps.iter().enumerate().filter(|(index, _)| prepared[*index] == Prepared::Ready)
        {
            let Some(id) = step.content() else { continue };
            let users = needed.entry(id).or_default();
            if users.is_empty() {
                order.push(id);
            }
            users.push(index);
        }
        if let Some(progress) = self.progress {
            progress.expect_to_write(needed.values().map(Vec::len).sum());
        }
        self.objects.read(&order, |id, bytes| {
            for index in needed.get(&id).into_iter().flatten() {
                if let Some(progress) = self.progress {
                    progress.advance(1);
                }
                if let Err(error) = self.write_beside(&steps[*index], bytes) {
                    match error.kind() {
                        io::ErrorKind::PermissionDenied
                        | io::ErrorKind::ReadOnlyFilesystem
                        | io::ErrorKind::NotFound
                        | io::ErrorKind::NotADirectory => {
                            prepared[*index] = Prepared::Skipped(Unrestored::Failed(cause(&error)));
                        }
                        _ => {
                            let path = steps[*index].path.to_path();
                            return Err(CheckpointError::io("write beside", &path)(error));
                        }
                    }
                }
            }
            Ok(())
        })?;
        Ok(prepared)
    }

    /// Determines whether a step is still to be done, and whether it can be.
    fn look(&self, step: &RestoreStep) -> Prepared {
        if step.is_done(self.root) {
            return Prepared::Right;
        }
        match self.root.directory(step.path.parent()) {
            Ok(directory) => {
                let name = step.path.name();
                let is_in_the_way =
                    || directory.stat(name).ok().flatten().is_some_and(|stat| is_directory(&stat));
                if directory.has(name, step.before) || step.before.is_none() && is_in_the_way() {
                    Prepared::Ready
                } else {
                    Prepared::Skipped(Unrestored::Changed)
                }
            }
            // Whatever is in the way is removed first.
            Err(NoDirectory::Missing | NoDirectory::NotDirectory(_)) if step.before.is_none() => {
                Prepared::Ready
            }
            Err(NoDirectory::Missing | NoDirectory::NotDirectory(_)) => {
                Prepared::Skipped(Unrestored::Changed)
            }
            Err(NoDirectory::Failed(error)) => Prepared::Skipped(Unrestored::Failed(cause(&error))),
        }
    }

    fn write_beside(&self, step: &RestoreStep, bytes: &[u8]) -> io::Result<()> {
        let Some(after) = step.after else { return Ok(()) };
        let beside = self.root.directory(&step.beside()).map_err(NoDirectory::into_io)?;
        let replaced = match step.before {
            Some(_) => beside.stat(step.path.name())?,
            None => None,
        };
        beside.make(step.temporary(), after, bytes, replaced.as_ref())
    }

    /// Gives the new contents their names, in the order of the steps, with deletions first.
    ///
    /// # Errors
    /// If something may be half done; the journal has to stay.
    pub fn exchange(&self, journal: &Journal, prepared: Vec<Prepared>) -> Result<Restored, CheckpointError> {
        let mut restored =
            Restored { number: journal.target, before: Some(journal.before), ..Restored::default() };
        let mut touched: BTreeSet<Vec<u8>> = BTreeSet::new();
        let mut emptied: BTreeSet<Vec<u8>> = BTreeSet::new();
        for (step, prepared) in journal.steps.iter().zip(prepared) {
            let path = &step.path;
            if step.after.is_some() {
                self.remove_emptied(std::mem::take(&mut emptied));
            }
            let done = match prepared {
                Prepared::Ready => self.step(step),
                Prepared::Right => continue,
                Prepared::Skipped(reason) => self.discard(step).map(|()| Some(reason)),
            };
            match done.map_err(|source| self.interrupted(journal, path, source))? {
                Some(reason) => restored.skipped.push(SkippedPath { path: path.clone(), reason }),
                None if step.after.is_some() => restored.written += 1,
                None => {
                    restored.deleted += 1;
                    emptied.insert(path.parent().to_vec());
                }
            }
            touched.insert(path.parent().to_vec());
        }
        self.remove_emptied(emptied);
        for directory in touched {
            if let Ok(directory) = self.root.directory(&directory) {
                // The contents are on disk, and so is the checkpoint of the previous files.
                let _ = directory.sync();
            }
        }
        Ok(restored)
    }

    /// The error for a step that failed when something may be half done.
    pub fn interrupted(&self, journal: &Journal, path: &TreePath, source: io::Error) -> CheckpointError {
        CheckpointError::Interrupted { number: journal.target, path: self.top.join(path.to_path()), source }
    }

    /// Removes directories that have become empty, from the bottom up.
    fn remove_emptied(&self, directories: BTreeSet<Vec<u8>>) {
        for directory in directories.iter().rev() {
            let mut next = TreePath::new(directory);
            while let Some(path) = next.filter(|path| self.root.remove_if_empty(path)) {
                next = TreePath::new(path.parent());
            }
        }
    }

    /// Carries out a step; `None` if it was done.
    fn step(&self, step: &RestoreStep) -> io::Result<Option<Unrestored>> {
        let name = step.path.name();
        let parent = step.path.parent();
        let opened = match step.after {
            Some(_) => self.root.made_directory(parent),
            None => self.root.directory(parent),
        };
        let directory = match opened {
            Ok(directory) => directory,
            Err(error) => {
                self.discard(step)?;
                return Ok(Some(match error {
                    NoDirectory::Missing => Unrestored::Changed,
                    NoDirectory::NotDirectory(path) => {
                        TreePath::new(&path).map_or(Unrestored::Changed, Unrestored::FileInTheWay)
                    }
                    NoDirectory::Failed(error) => Unrestored::Failed(cause(&error)),
                }));
            }
        };
        match (step.before, step.after) {
            (Some(before), Some(after)) => match step.is_mode_alone() {
                Some((before, mode)) => refused(directory.set_execution(name, before, mode)),
                None => self.replace(&directory, name, step, before, after),
            },
            (None, Some(_)) => self.create(&directory, name, step),
            (Some(before), None) => delete(&directory, name, step, before),
            (None, None) => Ok(None),
        }
    }

    fn create(
        &self,
        directory: &WritableDirectory,
        name: &[u8],
        step: &RestoreStep,
    ) -> io::Result<Option<Unrestored>> {
        let beside = self.root.directory(&step.beside()).map_err(NoDirectory::into_io)?;
        self.remove_empty_below(step.path.bytes());
        match beside.give(step.temporary(), directory, name) {
            Ok(()) => Ok(None),
            // The file has its name, but a temporary file has yet to be removed.
            Err(error) if directory.has(name, step.after) => Err(error),
            Err(error) => {
                self.discard(step)?;
                Ok(Some(Unrestored::of(&error)))
            }
        }
    }

    fn replace(
        &self,
        directory: &WritableDirectory,
        name: &[u8],
        step: &RestoreStep,
        before: TreeEntry,
        after: TreeEntry,
    ) -> io::Result<Option<Unrestored>> {
        if !directory.has(name, Some(before)) {
            self.discard(step)?;
            return Ok(Some(Unrestored::Changed));
        }
        match directory.exchange(step.temporary(), name) {
            Ok(out) => came_out(directory, &out, name, before, Some(after)),
            Err(NotExchanged { source, aside: None }) => {
                self.discard(step)?;
                Ok(Some(Unrestored::of(&source)))
            }
            // The new contents have the name, but a temporary file has yet to be removed.
            Err(NotExchanged { source, aside: Some(_) }) if directory.has(name, Some(after)) => Err(source),
            Err(NotExchanged { source, aside: Some(aside) }) => {
                let reason = give_back(directory, &aside, name, before, &source)?;
                self.discard(step)?;
                Ok(Some(reason))
            }
        }
    }

    /// Removes unused new contents; they are also in the object store.
    fn discard(&self, step: &RestoreStep) -> io::Result<()> {
        let Ok(beside) = self.root.directory(&step.beside()) else { return Ok(()) };
        match beside.unlink(step.temporary()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Removes a directory that contains only directories.
    fn remove_empty_below(&self, path: &[u8]) {
        let Ok(opened) = self.root.directory(path) else { return };
        for name in opened.names().unwrap_or_default() {
            if opened.stat(&name).ok().flatten().is_some_and(|stat| is_directory(&stat)) {
                self.remove_empty_below(&join(path, &name));
            }
        }
        if let Some(path) = TreePath::new(path) {
            self.root.remove_if_empty(&path);
        }
    }
}

/// Why a change was not made; `None` if it was made.
fn refused(changed: io::Result<bool>) -> io::Result<Option<Unrestored>> {
    Ok(match changed {
        Ok(true) => None,
        Ok(false) => Some(Unrestored::Changed),
        Err(error) => Some(Unrestored::Failed(cause(&error))),
    })
}

fn delete(
    directory: &WritableDirectory,
    name: &[u8],
    step: &RestoreStep,
    before: TreeEntry,
) -> io::Result<Option<Unrestored>> {
    if !directory.has(name, Some(before)) {
        return Ok(Some(Unrestored::Changed));
    }
    match directory.take(name, step.temporary()) {
        Ok(()) => came_out(directory, step.temporary(), name, before, None),
        Err(error) => Ok(Some(Unrestored::of(&error))),
    }
}

/// Checks the old file, which now has the temporary name, and removes it if it matches what was saved.
/// Otherwise somebody changed it at the last moment, and it gets its name back.
pub fn came_out(
    directory: &WritableDirectory,
    temporary: &[u8],
    name: &[u8],
    before: TreeEntry,
    after: Option<TreeEntry>,
) -> io::Result<Option<Unrestored>> {
    if directory.has(temporary, Some(before)) {
        directory.unlink(temporary)?;
        return Ok(None);
    }
    put_back(directory, temporary, name, after).map(Some)
}

/// Gives a file its name back after it was moved aside, because the new contents could not get that name.
fn give_back(
    directory: &WritableDirectory,
    aside: &[u8],
    name: &[u8],
    before: TreeEntry,
    why: &io::Error,
) -> io::Result<Unrestored> {
    match directory.give(aside, directory, name) {
        Ok(()) => Ok(Unrestored::of(why)),
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Err(_) if directory.has(aside, Some(before)) => directory.unlink(aside).map(|()| Unrestored::Changed),
        Err(_) => keep_beside(directory, &[aside], name),
    }
}

/// Gives a file under a temporary name its name back or, if that would replace a third version, a name next to it.
pub fn put_back(
    directory: &WritableDirectory,
    temporary: &[u8],
    name: &[u8],
    after: Option<TreeEntry>,
) -> io::Result<Unrestored> {
    if after.is_none() || !directory.has(name, after) {
        return match directory.give(temporary, directory, name) {
            Ok(()) => Ok(Unrestored::Changed),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                keep_beside(directory, &[temporary], name)
            }
            Err(error) => Err(error),
        };
    }
    match directory.exchange(temporary, name) {
        Ok(out) if directory.has(&out, after) => directory.unlink(&out).map(|()| Unrestored::Changed),
        Ok(out) => keep_beside(directory, &[&out], name),
        Err(NotExchanged { source, aside: Some(aside) }) if source.kind() == io::ErrorKind::AlreadyExists => {
            if directory.has(&aside, after) {
                directory.unlink(&aside)?;
                keep_beside(directory, &[temporary], name)
            } else {
                keep_beside(directory, &[temporary, &aside], name)
            }
        }
        Err(error) => Err(error.source),
    }
}

/// How many bytes of a file's name the copy next to it keeps; file systems allow 255 in all.
const LONGEST_STEM: usize = 200;

/// Keeps versions that are in no checkpoint under names that nothing removes.
pub fn keep_beside(
    directory: &WritableDirectory,
    temporaries: &[&[u8]],
    name: &[u8],
) -> io::Result<Unrestored> {
    kept_beside(directory, temporaries, name).map(Unrestored::KeptBeside)
}

/// Keeps versions that are in no checkpoint, and returns their new names.
pub fn kept_beside(
    directory: &WritableDirectory,
    temporaries: &[&[u8]],
    name: &[u8],
) -> io::Result<Vec<String>> {
    let stem = if name.len() > LONGEST_STEM {
        // Do not cut inside a character.
        let end = (0..=LONGEST_STEM).rev().find(|end| name[*end] & 0xc0 != 0x80);
        &name[..end.unwrap_or(LONGEST_STEM)]
    } else {
        name
    };
    let keep = |temporary: &&[u8]| {
        let random = temporary.strip_prefix(TEMPORARY.as_bytes()).unwrap_or(temporary);
        for count in 1_u64.. {
            let count = if count == 1 { String::new() } else { format!("-{count}") };
            let kept = [stem, b".ctx-kept-", random, count.as_bytes()].concat();
            match directory.give(temporary, directory, &kept) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                given => return given.map(|()| shown(&kept)),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    };
    temporaries.iter().map(keep).collect()
}
