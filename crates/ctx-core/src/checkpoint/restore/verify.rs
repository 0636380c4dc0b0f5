//! Reads what a restore needs of a checkpoint before anything is changed.

use std::collections::{HashMap, HashSet};

use super::rules::ignore_files;
use crate::checkpoint::CheckpointError;
use crate::checkpoint::entry::{Manifest, ObjectId, TreeEntry, TreePath, is_in_scope, tree_id};
use crate::checkpoint::objects::Objects;
use crate::checkpoint::record::Checkpoint;

/// The files of a checkpoint.
///
/// # Errors
/// [`CheckpointError::Damaged`], and if git is missing.
pub fn manifest_of(objects: &Objects<'_>, checkpoint: &Checkpoint) -> Result<Manifest, CheckpointError> {
    let manifest = objects.manifest(checkpoint.tree).map_err(|error| damaged(checkpoint, error))?;
    if tree_id(&manifest) == checkpoint.tree {
        Ok(manifest)
    } else {
        let reason = "its files are not the ones that were saved".to_owned();
        Err(CheckpointError::Damaged { number: checkpoint.number, reason })
    }
}

/// The error for contents of a checkpoint that cannot be read.
pub fn damaged(checkpoint: &Checkpoint, error: CheckpointError) -> CheckpointError {
    match error {
        CheckpointError::Git { message, .. } => {
            CheckpointError::Damaged { number: checkpoint.number, reason: message }
        }
        error => error,
    }
}

/// A checkpoint in which whatever a restore may write matches its name.
#[derive(Debug)]
pub struct Verified {
    pub manifest: Manifest,
    /// The size of each of the contents that may be written, in bytes.
    pub sizes: HashMap<ObjectId, usize>,
    /// The text of each `.gitignore`, by directory.
    pub ignore_files: HashMap<Vec<u8>, Vec<u8>>,
}

impl Verified {
    /// Reads and checks the contents in which `manifest`, the checkpoint's, differs from the current files
    /// within `scope`, and its ignore files.
    ///
    /// # Errors
    /// [`CheckpointError::Damaged`], and if git is missing.
    pub fn read(
        objects: &Objects<'_>,
        checkpoint: &Checkpoint,
        manifest: Manifest,
        current: &Manifest,
        scope: &[TreePath],
    ) -> Result<Self, CheckpointError> {
        let differs = |(path, entry): &(&TreePath, &TreeEntry)| {
            is_in_scope(scope, path) && current.get(path) != Some(*entry)
        };
        let written = manifest.iter().filter(differs).map(|(_, entry)| entry.id);
        let rules = ignore_files(&manifest).map(|path| manifest[path].id);
        let mut ids: Vec<ObjectId> = written.chain(rules).collect();
        ids.sort();
        ids.dedup();
        Self::with(objects, manifest, &ids).map_err(|error| damaged(checkpoint, error))
    }

    /// A checkpoint that was just saved; only its ignore files are read.
    ///
    /// # Errors
    /// If git is missing.
    pub fn saved(objects: &Objects<'_>, manifest: Manifest) -> Result<Self, CheckpointError> {
        let ids: Vec<ObjectId> = ignore_files(&manifest).map(|path| manifest[path].id).collect();
        Self::with(objects, manifest, &ids)
    }

    /// Reads these contents.
    fn with(objects: &Objects<'_>, manifest: Manifest, ids: &[ObjectId]) -> Result<Self, CheckpointError> {
        let rules: HashSet<ObjectId> = ignore_files(&manifest).map(|path| manifest[path].id).collect();
        let mut sizes = HashMap::new();
        let mut texts = HashMap::new();
        objects.read(ids, |id, bytes| {
            sizes.insert(id, bytes.len());
            if rules.contains(&id) {
                texts.insert(id, bytes.to_vec());
            }
            Ok(())
        })?;
        let text = |path: &TreePath| {
            let text = texts.get(&manifest[path].id)?;
            Some((path.parent().to_vec(), text.clone()))
        };
        let ignore_files = ignore_files(&manifest).filter_map(text).collect();
        Ok(Self { sizes, ignore_files, manifest })
    }
}
