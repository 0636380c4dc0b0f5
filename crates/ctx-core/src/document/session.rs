//! The reading for a plan: first what can be printed and what is ranked, then the texts of what is printed.

use std::sync::Arc;

use super::item::{Item, Reading};
use super::known::Indexes;
use super::making::Ranking;
use super::reading::SourceReader;
use crate::cache::Cache;
use crate::entry::LevelOfDetail;
use crate::fs::FileMetadata;
use crate::parallel::parallel;
use crate::plan::{PlanError, Purpose, Request};
use crate::report::ReasonCode;
use crate::select::SelectedBy;
use crate::source::Source;
use crate::world::World;
use ctx_outline::Language;

/// From this many bytes on, texts that are only ranked are not held, and an index is worth it.
const WORTH_INDEXING: u64 = 256 << 10;

/// What comes of reading all sources.
pub(crate) struct ReadAll {
    /// What a rule of selection leaves out in silence is not among them.
    pub(crate) items: Vec<Item>,
    /// The entries of each file that was left out because it is binary.
    pub(crate) binary: Vec<Arc<SelectedBy>>,
    /// Whether no word of the question tells the files apart.
    pub(crate) is_vague: bool,
}

/// Reads for one plan.
pub(crate) struct Session<'a> {
    request: &'a Request,
    world: &'a World,
    /// Whether what is cached is used, as long as nothing speaks against it; else everything is read anew.
    trusts_cache: bool,
    cache: Option<Cache>,
    /// What is found of the files that are ranked before they are read; none if all are read at once.
    found: Vec<Option<FileMetadata>>,
    indexes: Option<Indexes>,
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        request: &'a Request,
        world: &'a World,
        trusts_cache: bool,
        sources: &[Source],
    ) -> Self {
        let directory = request.cache.as_ref().filter(|_| trusts_cache);
        let cache = directory.map(|directory| Cache::at(directory.clone()).for_lookups(sources.len()));
        let found = found(request, world, sources);
        let indexes = request
            .cache
            .as_ref()
            .filter(|_| !found.is_empty())
            .map(|directory| Indexes::open(directory, world, trusts_cache));
        Self { request, world, trusts_cache, cache, found, indexes }
    }

    /// Reads all sources, but for those that are ranked first.
    pub(crate) fn read_all(&self, sources: Vec<Source>) -> Result<ReadAll, PlanError> {
        let slots = self.job(&self.found, self.indexes.as_ref(), Ranking::Next).read_all(&sources)?;
        let items = Vec::with_capacity(sources.len());
        let mut all = ReadAll { items, binary: Vec::new(), is_vague: false };
        for (source, slot) in sources.into_iter().zip(slots) {
            match slot {
                // Nobody named it.
                Some(Reading::Skipped(reason))
                    if reason.code == ReasonCode::Binary && !source.selected_by.named =>
                {
                    all.binary.push(source.selected_by);
                }
                Some(reading) => all.items.push(Item::new(source, reading)),
                None => {}
            }
        }
        if let Some(indexes) = &self.indexes {
            let known = all.items.iter_mut().filter_map(|item| item.known.as_mut());
            indexes.complete(known, self.request.query.as_ref()).map_err(|_| PlanError::Unsettled)?;
        }
        Ok(all)
    }

    fn job<'j>(
        &'j self,
        found: &'j [Option<FileMetadata>],
        indexes: Option<&'j Indexes>,
        ranking: Ranking,
    ) -> SourceReader<'j> {
        SourceReader::new(self.request, self.cache.as_ref(), found, indexes, ranking, self.world)
    }

    /// The indexes, where files are ranked before they are read.
    pub(crate) fn indexes(&self) -> Option<&Indexes> {
        self.indexes.as_ref()
    }

    /// Reads those of the items at these places that were not read yet.
    pub(crate) fn read_these(&self, items: &mut [Item], places: &[usize]) -> Result<(), PlanError> {
        let mut places: Vec<usize> =
            places.iter().copied().filter(|place| items[*place].known.is_some()).collect();
        places.sort_unstable();
        places.dedup();
        if places.is_empty() {
            return Ok(());
        }
        let sources: Vec<Source> = places.iter().map(|place| items[*place].source.clone()).collect();
        let slots = self.job(&[], None, Ranking::Before).read_all(&sources)?;
        for (place, slot) in places.into_iter().zip(slots) {
            let again = items[place].known.as_ref().zip(slot);
            let again = again.and_then(|(known, reading)| known.read_again(reading));
            items[place].take(match again {
                Some(reading) => reading,
                None if self.trusts_cache => return Err(PlanError::Unsettled),
                None => Reading::Skipped(ReasonCode::Changed.into()),
            });
        }
        Ok(())
    }

    /// Writes what was learned.
    pub(crate) fn finish(self) {
        // A cache that cannot be written costs the next command some time, and nothing else.
        let _ = self.cache.map(|cache| cache.save());
        if let Some(indexes) = self.indexes {
            indexes.save();
        }
    }
}

/// What is found of the files that are ranked before they are read, by the places of the sources; nothing if there are
/// too few of them to be worth reading some twice.
fn found(request: &Request, world: &World, sources: &[Source]) -> Vec<Option<FileMetadata>> {
    if !request.ranks_unread() {
        return Vec::new();
    }
    let look = |part: &[Source]| {
        let look = |source: &Source| source.place().filter(|_| is_lazy(request, source))?.metadata().ok();
        part.iter().map(look).collect::<Vec<_>>()
    };
    let found: Vec<Option<FileMetadata>> =
        parallel(sources, world.threads, look).into_iter().flatten().collect();
    let bytes: u64 = found.iter().flatten().map(|metadata| metadata.stamp.size).sum();
    if bytes < WORTH_INDEXING { Vec::new() } else { found }
}

/// Whether a source is ranked before it is read.
fn is_lazy(request: &Request, source: &Source) -> bool {
    let selected_by = &source.selected_by;
    let is_reduced = || match selected_by.level.min(request.reading.level) {
        LevelOfDetail::Full => true,
        LevelOfDetail::Outline => Language::of_path(source.label.as_str()).is_some(),
        LevelOfDetail::Name => false,
    };
    let searches = !matches!(request.purpose, Purpose::Block) || selected_by.searched.is_some();
    source.lines.is_none()
        && request.ranks(source)
        && request.leaves_unread(selected_by)
        && (searches || is_reduced())
}
