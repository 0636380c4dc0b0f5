//! Which files git will ignore after a restore.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use super::handles::Root;
use crate::checkpoint::entry::{Manifest, Mode, TreePath};
use crate::fs::names::{join, parent_of};
use crate::select::ignore_rules::{Layers, Rules};

/// The name of ignore files.
pub const NAME: &[u8] = b".gitignore";

/// The ignore rules of the state after a restore.
pub struct RulesAfter<'a> {
    rules: &'a Rules,
    root: &'a Root,
    /// The text of each `.gitignore` in the restored state, by directory.
    texts: HashMap<Vec<u8>, Vec<u8>>,
    /// Whether to keep files that are not in the restored state.
    keeps_newer: bool,
    tracked: &'a BTreeSet<Vec<u8>>,
    /// The layers of each directory; `None` if it is ignored completely, or unknown.
    known: RefCell<HashMap<Vec<u8>, Option<Layers>>>,
}

/// The directories whose `.gitignore` is saved in a checkpoint.
pub fn ignore_files(manifest: &Manifest) -> impl Iterator<Item = &TreePath> {
    manifest
        .iter()
        .filter(|(path, entry)| path.name() == NAME && entry.mode != Mode::Link)
        .map(|(path, _)| path)
}

impl<'a> RulesAfter<'a> {
    pub fn new(
        rules: &'a Rules,
        root: &'a Root,
        texts: HashMap<Vec<u8>, Vec<u8>>,
        keeps_newer: bool,
        tracked: &'a BTreeSet<Vec<u8>>,
    ) -> Self {
        Self { rules, root, texts, keeps_newer, tracked, known: RefCell::new(HashMap::new()) }
    }

    /// Whether git will ignore a file. Git never ignores tracked files.
    pub fn ignores(&self, path: &TreePath) -> bool {
        if self.tracked.contains(path.bytes()) {
            return false;
        }
        let layers = self.layers(path.parent());
        layers.is_none_or(|layers| self.rules.ignores_as_git(&layers, path.bytes(), false))
    }

    /// The layers of a directory, unless it is ignored completely, or unknown.
    fn layers(&self, directory: &[u8]) -> Option<Layers> {
        if let Some(known) = self.known.borrow().get(directory) {
            return known.clone();
        }
        let layers = self.look(directory);
        self.known.borrow_mut().insert(directory.to_vec(), layers.clone());
        layers
    }

    fn look(&self, directory: &[u8]) -> Option<Layers> {
        let above = if directory.is_empty() { None } else { self.layers(parent_of(directory))? };
        if !directory.is_empty() && self.rules.ignores_as_git(&above, directory, true) {
            return None;
        }
        let opened = self.root.directory(directory);
        let has = |name: &[u8]| {
            opened.as_ref().is_ok_and(|opened| opened.stat(name).is_ok_and(|stat| stat.is_some()))
        };
        let own = self.texts.get(directory).cloned();
        let now = || {
            // An ignored `.gitignore` is in no checkpoint, so it stays.
            let path = TreePath::new(&join(directory, NAME))?;
            let stays = self.keeps_newer
                || !self.tracked.contains(path.bytes())
                    && self.rules.ignores_as_git(&above, path.bytes(), false);
            let seen = opened.as_ref().ok().filter(|_| stays)?.read(NAME).ok()??;
            Some(seen.bytes)
        };
        let text = own.or_else(now);
        if text.is_none() && !has(b".git") {
            return Some(above);
        }
        self.rules.enter_as(&above, directory, text.as_deref(), has(b".git")).ok()
    }
}
