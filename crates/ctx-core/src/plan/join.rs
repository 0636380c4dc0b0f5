//! A file whose lines are all printed becomes one document, even if entries name some of its lines.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Plan, PlanError, account};
use crate::budget::Fate;
use crate::document::{Item, Session};
use crate::format::Change;
use crate::report::ReasonCode;
use crate::source::Source;

impl Plan {
    /// Joins the parts of files that the reader already has whole and unchanged.
    pub(super) fn join_unchanged(&mut self, session: &Session<'_>) -> Result<(), PlanError> {
        let request = Arc::clone(&self.request);
        let Some(reader) = request.reader() else { return Ok(()) };
        let mut files = self.files_in_parts();
        files.retain(|(_, whole)| reader.find(whole.label.as_str()).is_some());
        let mut joined = read(files, session)?;
        joined.retain(|(_, item)| {
            let known = reader.find(item.source.label.as_str()).map(|known| known.sha256.as_str());
            let text = item.document.as_ref().map(|document| account::sha256(document.text.as_bytes()));
            text.is_some() && text.as_deref() == known
        });
        self.replace(joined);
        Ok(())
    }

    /// Joins the parts of files whose parts are all printed in full.
    pub(super) fn join_complete(&mut self, threads: usize, session: &Session<'_>) -> Result<(), PlanError> {
        let is_complete = |place: &usize| {
            matches!(self.items[*place].fate, Fate::Included { .. }) && !self.items[*place].is_outline()
        };
        let mut files = self.files_in_parts();
        files.retain(|(places, _)| places.iter().all(is_complete));
        if files.is_empty() || self.block.is_err() {
            return Ok(());
        }
        let mut joined = read(files, session)?;
        joined.retain(|(_, item)| item.document.is_some());
        for (_, item) in &mut joined {
            let Some(document) = &item.document else { continue };
            item.fate = Fate::Included { tokens: self.request.measure.counter.tokens_of(&document.measure) };
            let known = self.request.reader().map(|reader| reader.find(item.source.label.as_str()));
            item.change = known.map(|known| if known.is_some() { Change::Changed } else { Change::New });
        }
        let places: BTreeSet<usize> = joined.iter().flat_map(|(places, _)| places.iter().copied()).collect();
        let others = self.items.iter().enumerate().filter(|(place, _)| !places.contains(place));
        let mut all: Vec<(usize, &Item)> =
            others.chain(joined.iter().map(|(places, item)| (places[0], item))).collect();
        all.sort_by_key(|(place, _)| *place);
        let mut all: Vec<&Item> = all.into_iter().map(|(_, item)| item).collect();
        all.sort_by(|a, b| self.request.order.compare(&a.source, &b.source));
        let printed = all.into_iter().filter(|item| item.is_printed(None));
        let printed: Vec<_> = printed.filter_map(|item| self.as_printed(item)).collect();
        if let Some(printed) = self.printed_with(&printed, threads) {
            self.block = Ok(printed);
            self.replace(joined);
        }
        Ok(())
    }

    /// Replaces all parts of each file with the whole file, at the position of the first part.
    fn replace(&mut self, joined: Vec<(Vec<usize>, Item)>) {
        if joined.is_empty() {
            return;
        }
        let mut places: BTreeMap<usize, Option<Item>> = BTreeMap::new();
        for (parts, item) in joined {
            places.extend(parts.iter().map(|place| (*place, None)));
            places.insert(parts[0], Some(item));
        }
        let items = std::mem::take(&mut self.items).into_iter().enumerate();
        let replaced = items.filter_map(|(place, item)| places.remove(&place).unwrap_or(Some(item)));
        self.items = replaced.collect();
        let order = self.request.order;
        self.items.sort_by(|a, b| order.compare(&a.source, &b.source));
    }

    /// The files that entries include whole but that are split into documents: the indices of these
    /// documents, and the whole file. Lines after the end of a file do not count.
    fn files_in_parts(&self) -> Vec<(Vec<usize>, Source)> {
        let mut files: BTreeMap<&str, (Vec<usize>, Source)> = BTreeMap::new();
        for (place, item) in self.items.iter().enumerate() {
            let is_there = item.skipped().is_none_or(|reason| reason.code != ReasonCode::PastTheEnd);
            let Some(whole) = item.source.whole().filter(|_| is_there) else { continue };
            let (places, whole) = files.entry(item.source.path()).or_insert((Vec::new(), whole));
            places.push(place);
            if !item.source.is_rest {
                let joined = item.source.selected_by.joined(&whole.selected_by, &self.request.entries);
                whole.selected_by = Arc::new(joined);
            }
        }
        files.into_values().collect()
    }
}

/// Reads these files and returns an item for each, with the indices of its parts.
fn read(
    files: Vec<(Vec<usize>, Source)>,
    session: &Session<'_>,
) -> Result<Vec<(Vec<usize>, Item)>, PlanError> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let (places, sources): (Vec<_>, Vec<_>) = files.into_iter().unzip();
    Ok(places.into_iter().zip(session.read_whole(sources)?).collect())
}
