//! Where documents come from, and in which order they stand.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::{PlanError, Request};
use crate::select::filter::Filters;
use crate::select::{Brought, EntryId, File, Label, Place};
use crate::world::World;

/// The order of the files in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As the entries are stored, and by path within an entry.
    #[default]
    Stored,
    /// By the bytes of the path.
    Path,
    /// Least recently changed first, in whole seconds, then by path.
    Stable,
}

/// A text that the caller brings along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// What it is called.
    pub label: String,
    /// Its bytes, as read.
    pub bytes: Vec<u8>,
    /// It stands before what this and the later entries match.
    pub before: EntryId,
}

/// Something to read a document from.
#[derive(Debug, Clone)]
pub struct Source {
    /// What it is called in the block.
    pub label: Label,
    /// Which entries brought it, and what they say of it.
    pub brought: Arc<Brought>,
    /// How to read it.
    pub origin: Origin,
}

/// How to read a source.
#[derive(Debug, Clone)]
pub enum Origin {
    /// From a file.
    File {
        /// Where it lies.
        place: Place,
        /// When it was changed, in seconds since 1970, where the order asks for it.
        changed: Option<i64>,
    },
    /// It is the text that the caller brought along.
    Given,
    /// It cannot be: no entry can have its name.
    Unnameable,
}

impl Source {
    fn path(&self) -> Option<PathBuf> {
        match &self.origin {
            Origin::File { place, .. } => Some(place.path()),
            Origin::Given | Origin::Unnameable => None,
        }
    }

    /// When it was changed, in whole seconds; what is not a file counts as changed just now.
    fn changed(&self) -> i64 {
        match &self.origin {
            Origin::File { changed, .. } => changed.unwrap_or(i64::MAX),
            Origin::Given | Origin::Unnameable => i64::MAX,
        }
    }
}

/// Puts the given text among the files, what cannot be named behind them, and all of them in order.
pub(super) fn order(files: Vec<File>, request: &Request, world: &World) -> Result<Vec<Source>, PlanError> {
    let mut sources: Vec<Source> = files.into_iter().map(of_file).collect();
    if let Some(given) = &request.given {
        let label = Label::new(given.label.as_bytes());
        if sources.iter().any(|source| source.label == label) {
            return Err(PlanError::AmbiguousLabel(given.label.clone()));
        }
        let first_of = |source: &Source| source.brought.entries.first().copied();
        let place = sources.iter().position(|source| first_of(source) >= Some(given.before));
        let brought = Arc::new(Brought { named: true, ..Brought::default() });
        let source = Source { label, brought, origin: Origin::Given };
        sources.insert(place.unwrap_or(sources.len()), source);
    }
    if !request.unnameable.is_empty() {
        let filters = Filters::new(world, &request.selection)?;
        let unnameable = unnameable(&sources, &request.unnameable, &filters, world);
        sources.extend(unnameable);
    }
    match request.order {
        Order::Stored => {}
        Order::Path => sources.sort_by(|a, b| a.label.cmp(&b.label)),
        Order::Stable => {
            sources.sort_by(|a, b| a.changed().cmp(&b.changed()).then_with(|| a.label.cmp(&b.label)));
        }
    }
    Ok(sources)
}

/// What cannot be named and passes the filters, each once, unless a pattern has found it.
fn unnameable(found: &[Source], asked: &[PathBuf], filters: &Filters, world: &World) -> Vec<Source> {
    let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
    let mut known: HashSet<PathBuf> = found.iter().filter_map(Source::path).map(real).collect();
    let mut is_new = |path: &&PathBuf| {
        let path = real(world.cwd.join(path));
        filters.pass_path(&path) && known.insert(path)
    };
    let brought = Arc::new(Brought { named: true, ..Brought::default() });
    let source = |path: &PathBuf| Source {
        label: Label::new(path.as_os_str().as_encoded_bytes()),
        brought: Arc::clone(&brought),
        origin: Origin::Unnameable,
    };
    asked.iter().filter(|path| is_new(path)).map(source).collect()
}

fn of_file(file: File) -> Source {
    let File { label, place, brought, metadata } = file;
    let changed = metadata.map(|metadata| metadata.seconds);
    Source { label, brought, origin: Origin::File { place, changed } }
}
