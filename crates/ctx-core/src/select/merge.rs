//! Merges the results of walks and literals into one ordered list without duplicates.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::{File, FilePlace, SelectedBy};
use super::filter::Filters;
use super::label::LabelStyle;
use super::resolver::{NamedFile, is_read_otherwise};
use super::walk::{FoundFile, Pattern, PatternWalk};
use crate::dependency;
use crate::fs::FileMetadata;
use crate::fs::directory;
use crate::fs::names::below;
use crate::parallel::each;

/// A file as one walk or literal found it.
#[derive(Debug)]
pub struct PlacedFile {
    /// The ranks of the entries that selected it; the first determines its position.
    entries: Arc<[usize]>,
    /// Its position among the files of one entry, if the entry orders them.
    sequence: usize,
    /// Its path as given, which also orders the files of one entry.
    given: Box<[u8]>,
    /// Its absolute path, without resolving the file itself if it is a link; only if labels need it.
    absolute: Option<Box<[u8]>>,
    place: FilePlace,
    /// The length in bytes of the part of the path in `place` that leads to the directory where its first
    /// entry's search begins.
    skip: usize,
    /// Its path with all links resolved, if that differs from `place`.
    canonical: Option<Box<Path>>,
    /// Whether the walk reached it through a link.
    is_through_link: bool,
    /// Whether another walk or entry may have found the same file.
    may_repeat: bool,
    metadata: Option<Box<FileMetadata>>,
}

impl PlacedFile {
    /// The candidate for a file that an entry names.
    #[must_use]
    pub fn named(entry: usize, sequence: usize, named: NamedFile) -> Self {
        Self {
            entries: Arc::new([entry]),
            sequence,
            given: named.given.into(),
            absolute: Some(directory::bytes_of(&named.absolute).into()),
            place: named.place,
            skip: 0,
            canonical: Some(named.canonical.into()),
            is_through_link: false,
            may_repeat: true,
            metadata: Some(Box::new(named.metadata)),
        }
    }

    fn found(found: FoundFile, walk: &PatternWalk<'_>, entries: &Arc<[usize]>, needs_absolute: bool) -> Self {
        let first = entries.first().copied();
        let patterns = found.patterns.iter().map(|index| walk.pattern(*index));
        let (given, skip) = patterns
            .filter(|pattern| Some(pattern.entry) == first)
            .map(|pattern| (given(pattern, &found.relative), pattern.skip))
            .min()
            .unwrap_or_default();
        let absolute =
            needs_absolute.then(|| below(&directory::bytes_of(walk.tree.path()), &found.relative).into());
        Self {
            entries: Arc::clone(entries),
            sequence: 0,
            given: given.into(),
            absolute,
            is_through_link: found.real.is_some(),
            may_repeat: found.real.is_some(),
            place: FilePlace::below(&walk.tree, found.real.unwrap_or(found.relative)),
            skip,
            canonical: None,
            metadata: found.metadata,
        }
    }

    /// The path with all links resolved.
    #[must_use]
    pub fn canonical(&self) -> PathBuf {
        self.canonical.as_deref().map_or_else(|| self.place.path(), Path::to_owned)
    }

    /// Whether the options for this one command include it.
    #[must_use]
    pub fn passes(&self, filters: &Filters) -> bool {
        let below_start = self.place.relative().get(self.skip..).unwrap_or_default();
        let changed = self.metadata().map(|found| found.stamp.modified);
        filters.check(|| self.canonical(), below_start, changed).is_ok()
    }

    /// Notes that another walk goes through the same directories.
    pub fn suspect(&mut self) {
        self.may_repeat = true;
    }

    /// The last component of the canonical path.
    fn name(&self) -> &[u8] {
        match &self.canonical {
            Some(path) => path.file_name().map(OsStr::as_encoded_bytes).unwrap_or_default(),
            None => self.place.name(),
        }
    }

    /// The metadata of the file.
    #[must_use]
    pub fn metadata(&self) -> Option<FileMetadata> {
        self.metadata.as_deref().copied()
    }

    /// The ranks of the entries that selected it.
    #[must_use]
    pub fn entries(&self) -> &[usize] {
        &self.entries
    }

    /// The sort key that determines its position.
    fn rank(&self) -> (Option<&usize>, usize, &[u8]) {
        (self.entries.first(), self.sequence, &self.given)
    }
}

/// The path in the form in which the pattern's entry would write it.
#[must_use]
pub fn given(pattern: &Pattern, relative: &[u8]) -> Vec<u8> {
    let relative = relative.get(pattern.skip..).unwrap_or_default();
    if pattern.given.is_empty() {
        let here: &[u8] = if is_read_otherwise(relative) { b"./" } else { b"" };
        return [here, relative].concat();
    }
    let is_dependency = pattern.given.starts_with(dependency::PREFIX) && !pattern.given.contains(' ');
    if relative.is_empty() {
        pattern.given.clone().into_bytes()
    } else if is_dependency {
        [pattern.given.as_bytes(), b" ", relative].concat()
    } else {
        below(pattern.given.as_bytes(), relative)
    }
}

/// Caches the entries for a set of patterns, since many consecutive files have the same set.
#[derive(Default)]
pub struct Brings {
    patterns: Arc<[u32]>,
    entries: Arc<[usize]>,
}

impl Brings {
    /// The ranks of the entries of some patterns, in order.
    pub fn entries(&mut self, patterns: &Arc<[u32]>, walk: &PatternWalk<'_>) -> Arc<[usize]> {
        if !Arc::ptr_eq(&self.patterns, patterns) {
            let mut ranks: Vec<usize> = patterns.iter().map(|index| walk.pattern(*index).entry).collect();
            ranks.sort_unstable();
            ranks.dedup();
            *self = Self { patterns: Arc::clone(patterns), entries: ranks.into() };
        }
        Arc::clone(&self.entries)
    }
}

/// The candidates found by the threads of one walk. Each thread's part is sorted, on up to `threads` threads.
pub fn candidates(
    parts: Vec<Vec<FoundFile>>,
    walk: &PatternWalk<'_>,
    labels: LabelStyle,
    threads: usize,
) -> Vec<PlacedFile> {
    let ordered = |found| {
        let mut candidates = candidates_of(found, walk, labels);
        candidates.sort_unstable_by(|a, b| a.rank().cmp(&b.rank()));
        candidates
    };
    each(parts, threads, Vec::len, ordered).into_iter().flatten().collect()
}

fn candidates_of(found: Vec<FoundFile>, walk: &PatternWalk<'_>, labels: LabelStyle) -> Vec<PlacedFile> {
    let mut brings = Brings::default();
    let candidate = |found: FoundFile| {
        let entries = brings.entries(&found.patterns, walk);
        PlacedFile::found(found, walk, &entries, labels.needs_absolute())
    };
    found.into_iter().map(candidate).collect()
}

/// Sorts the candidates. Of several candidates for the same file, the first one remains, with the entries of
/// all of them. If `is_whole` returns true for an entry, nobody wrote the paths: the files it finds are named
/// by their own paths, whatever links lead to them.
#[must_use]
pub fn order(mut candidates: Vec<PlacedFile>, is_whole: impl Fn(usize) -> bool) -> Vec<PlacedFile> {
    // The candidates come in a few sorted runs, which a stable sort exploits.
    candidates.sort_by(|a, b| a.rank().cmp(&b.rank()));
    // Each canonical path costs an allocation, so only files that may occur twice are examined.
    let suspects = candidates.iter().filter(|one| one.may_repeat);
    let names: HashSet<Vec<u8>> = suspects.map(|one| one.name().to_vec()).collect();
    if names.is_empty() {
        return candidates;
    }
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    let mut kept: Vec<PlacedFile> = Vec::with_capacity(candidates.len());
    let mut others: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for candidate in candidates {
        if !names.contains(candidate.name()) {
            kept.push(candidate);
            continue;
        }
        match places.entry(candidate.canonical()) {
            std::collections::hash_map::Entry::Occupied(at) => {
                let first = &mut kept[*at.get()];
                first.metadata = first.metadata.take().or(candidate.metadata);
                let is_own = first.is_through_link
                    && !candidate.is_through_link
                    && candidate.entries.first() == first.entries.first()
                    && first.entries.first().is_some_and(|rank| is_whole(*rank));
                if is_own {
                    (first.given, first.absolute, first.place, first.skip) =
                        (candidate.given, candidate.absolute, candidate.place, candidate.skip);
                    first.is_through_link = false;
                }
                if candidate.entries != first.entries {
                    others.entry(*at.get()).or_default().extend(candidate.entries.iter());
                }
            }
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(kept.len());
                kept.push(candidate);
            }
        }
    }
    for (place, mut entries) in others {
        entries.extend(kept[place].entries.iter());
        entries.sort_unstable();
        entries.dedup();
        kept[place].entries = entries.into();
    }
    kept
}

/// The files, labelled; `selected_by` resolves a set of ranks.
pub fn files(
    candidates: Vec<PlacedFile>,
    labels: LabelStyle,
    selected_by: impl Fn(&[usize]) -> SelectedBy,
) -> Vec<File> {
    let mut known: BTreeMap<Arc<[usize]>, Arc<SelectedBy>> = BTreeMap::new();
    let file = |candidate: PlacedFile| {
        let PlacedFile { entries, given, absolute, place, metadata, .. } = candidate;
        let selected_by = match known.get(&entries) {
            Some(known) => Arc::clone(known),
            None => {
                let new = Arc::new(selected_by(&entries));
                known.insert(entries, Arc::clone(&new));
                new
            }
        };
        File { label: labels.label(given, absolute), place, selected_by, metadata }
    };
    candidates.into_iter().map(file).collect()
}
