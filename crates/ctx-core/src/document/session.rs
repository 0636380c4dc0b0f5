//! Reads the sources of a plan: first everything that can be printed or is ranked, then the text to print.

use super::item::{Item, Reading};
use super::making::{Look, Ranking};
use super::reading::SourceReader;
use crate::cache::Cache;
use crate::entry::LevelOfDetail;
use crate::report::ReasonCode;
use crate::request::{PlanError, Purpose, Request};
use crate::source::Source;
use crate::world::World;
use ctx_outline::Language;
use ctx_search::{Query, Scanner};

/// If the ranked files have at least this many bytes in total, their text is not kept in memory.
const WORTH_A_LOOK: u64 = 256 << 10;

/// The result of reading all sources.
pub(crate) struct ReadAll {
    /// The items, except for those left out silently.
    pub(crate) items: Vec<Item>,
    /// The sources that their contents keep out without a notice, each with the reason.
    pub(crate) passed_over: Vec<(Source, ReasonCode)>,
    /// What is known about the words of the question.
    pub(crate) words: QuestionWords,
}

/// What the files say about the words of a question.
#[derive(Debug, Default)]
pub(crate) struct QuestionWords {
    /// Whether none of them distinguishes the files.
    pub(crate) are_vague: bool,
    /// Whether hardly any of them occurs, if everything is searched.
    pub(crate) hardly_any: bool,
    /// Those that no file contains, if everything is searched and others distinguish the files.
    pub(crate) missing: Vec<String>,
}

/// Reads the sources of one plan.
pub(crate) struct Session<'a> {
    request: &'a Request,
    world: &'a World,
    /// Whether cached results are used, until one turns out to be wrong; otherwise everything is read again.
    trusts_cache: bool,
    cache: Option<Cache>,
    /// The scanner for the words of the query, if there is one.
    scanner: Option<Scanner<'a>>,
}

impl<'a> Session<'a> {
    /// A session that reads about `count` sources.
    pub(crate) fn new(request: &'a Request, world: &'a World, trusts_cache: bool, count: usize) -> Self {
        let directory = request.cache.as_ref().filter(|_| trusts_cache);
        let cache = directory.map(|directory| Cache::at(directory.clone()).for_lookups(count));
        let scanner = request.query.as_ref().map(Scanner::new);
        Self { request, world, trusts_cache, cache, scanner }
    }

    /// Reads all sources, except for those that are ranked first.
    pub(crate) fn read_all(&self, sources: Vec<Source>) -> Result<ReadAll, PlanError> {
        let look = self.scanner.as_ref().map_or(Look::Passages(None), Look::Words);
        let lazy = lazy(self.request, &sources);
        let readings = self.job(&lazy, look, Ranking::Next).read_all(&sources)?;
        let items = Vec::with_capacity(sources.len());
        let mut all = ReadAll { items, passed_over: Vec::new(), words: QuestionWords::default() };
        for (source, reading) in sources.into_iter().zip(readings) {
            let skipped = if let Reading::Skipped(reason) = &reading { Some(reason.code) } else { None };
            let is_found = !source.selected_by.named;
            if let Some(code) = skipped.filter(|code| code.passes_over(is_found)) {
                all.passed_over.push((source, code));
            } else if !source.is_rest || skipped.is_none() {
                // The lines of the same file that were asked for are skipped for the same reason, unless the rest
                // is past the end.
                all.items.push(Item::new(source, reading));
            }
        }
        Ok(all)
    }

    fn job<'j>(&'j self, lazy: &'j [bool], look: Look<'j>, ranking: Ranking) -> SourceReader<'j> {
        let scanner = self.scanner.as_ref();
        SourceReader::new(self.request, self.cache.as_ref(), lazy, look, scanner, ranking, self.world)
    }

    /// Cuts the items that have not been read yet into passages.
    pub(crate) fn cut<'i>(
        &self,
        items: impl Iterator<Item = &'i mut Item>,
        query: Option<&Query>,
    ) -> Result<(), PlanError> {
        let is_uncut = |item: &&mut Item| item.known.as_ref().is_some_and(|known| known.relevance.is_none());
        let mut items: Vec<&mut Item> = items.filter(is_uncut).collect();
        if items.is_empty() {
            return Ok(());
        }
        let sources: Vec<Source> = items.iter().map(|item| item.source.clone()).collect();
        let lazy = vec![true; sources.len()];
        let readings = self.job(&lazy, Look::Passages(query), Ranking::Next).read_all(&sources)?;
        items.iter_mut().zip(readings).for_each(|(item, reading)| item.take(reading));
        Ok(())
    }

    /// Reads the items at these indices, except for those already read.
    pub(crate) fn read_these(&self, items: &mut [Item], places: &[usize]) -> Result<(), PlanError> {
        let is_known = |place: &usize, is_cut| {
            items[*place].known.as_ref().is_some_and(|known| known.relevance.is_some() == is_cut)
        };
        let known = |is_cut| -> Vec<usize> {
            places.iter().copied().filter(|place| is_known(place, is_cut)).collect()
        };
        let (cut, uncut) = (known(true), known(false));
        self.read_ranked(items, cut, Ranking::Before)?;
        self.read_ranked(items, uncut, Ranking::Next)
    }

    fn read_ranked(
        &self,
        items: &mut [Item],
        mut places: Vec<usize>,
        ranking: Ranking,
    ) -> Result<(), PlanError> {
        places.sort_unstable();
        places.dedup();
        if places.is_empty() {
            return Ok(());
        }
        let sources: Vec<Source> = places.iter().map(|place| items[*place].source.clone()).collect();
        let readings = self.job(&[], Look::Passages(None), ranking).read_all(&sources)?;
        for (place, reading) in places.into_iter().zip(readings) {
            let known = items[place].known.as_ref();
            let again = known.and_then(|known| known.read_again(reading, self.request.query.as_ref()));
            items[place].take(match again {
                Some(reading) => reading,
                None if self.trusts_cache => return Err(PlanError::Unsettled),
                None => Reading::Skipped(ReasonCode::Changed.into()),
            });
        }
        Ok(())
    }

    /// Reads these sources whole, without ranking them.
    pub(crate) fn read_whole(&self, sources: Vec<Source>) -> Result<Vec<Item>, PlanError> {
        let readings = self.job(&[], Look::Passages(None), Ranking::Never).read_all(&sources)?;
        Ok(sources.into_iter().zip(readings).map(|(source, reading)| Item::new(source, reading)).collect())
    }

    /// Writes the new results to the cache.
    pub(crate) fn finish(self) {
        // If the cache cannot be written, the next command takes longer, but nothing is lost.
        let _ = self.cache.map(|cache| cache.save());
    }
}

/// For each source, whether it is ranked before it is read. Empty if the sources are so small that reading
/// some twice is not worthwhile.
fn lazy(request: &Request, sources: &[Source]) -> Vec<bool> {
    if !request.ranks_unread() {
        return Vec::new();
    }
    let lazy: Vec<bool> = sources.iter().map(|source| is_lazy(request, source)).collect();
    let mut bytes = 0;
    let is_worth_it = sources.iter().zip(&lazy).filter(|(_, is_lazy)| **is_lazy).any(|(source, _)| {
        let metadata = source.place().and_then(|place| place.metadata().ok());
        bytes += metadata.map_or(0, |metadata| metadata.stamp.size);
        bytes >= WORTH_A_LOOK
    });
    if is_worth_it { lazy } else { Vec::new() }
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
