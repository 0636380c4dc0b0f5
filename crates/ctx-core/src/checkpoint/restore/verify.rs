//! Reads a checkpoint completely before anything is changed for it.

use std::collections::{HashMap, HashSet};

use super::rules::ignore_files;
use crate::checkpoint::CheckpointError;
use crate::checkpoint::entry::{Manifest, ObjectId, tree_id};
use crate::checkpoint::objects::Objects;
use crate::checkpoint::record::Checkpoint;

/// A checkpoint in which every object matches its name.
#[derive(Debug)]
pub struct Verified {
    pub manifest: Manifest,
    /// The size of each object's contents, in bytes.
    pub sizes: HashMap<ObjectId, usize>,
    /// The text of each `.gitignore`, by directory.
    pub ignore_files: HashMap<Vec<u8>, Vec<u8>>,
}

impl Verified {
    /// Reads and checks the whole checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError::Damaged`], and if git is missing.
    pub fn read(objects: &Objects<'_>, checkpoint: &Checkpoint) -> Result<Self, CheckpointError> {
        let damaged = |error: CheckpointError| match error {
            CheckpointError::Git { message, .. } => {
                CheckpointError::Damaged { number: checkpoint.number, reason: message }
            }
            error => error,
        };
        let manifest = objects.manifest(checkpoint.tree).map_err(damaged)?;
        if tree_id(&manifest) != checkpoint.tree {
            let reason = "its files are not the ones that were saved".to_owned();
            return Err(CheckpointError::Damaged { number: checkpoint.number, reason });
        }
        let mut ids: Vec<ObjectId> = manifest.values().map(|entry| entry.id).collect();
        ids.sort();
        ids.dedup();
        Self::with(objects, manifest, &ids).map_err(damaged)
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
        let text = |path: &super::TreePath| {
            let text = texts.get(&manifest[path].id)?;
            Some((path.parent().to_vec(), text.clone()))
        };
        let ignore_files = ignore_files(&manifest).filter_map(text).collect();
        Ok(Self { sizes, ignore_files, manifest })
    }
}
