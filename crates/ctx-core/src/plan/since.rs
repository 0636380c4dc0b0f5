//! A block of changes: it leaves out what the reader has, and names the reader's files that are gone.

use std::collections::{BTreeMap, HashSet};

use super::block::Printed;
use super::{Plan, Request, account};
use crate::account::{BlockReader, BlockView, ReadDocument, ReadParts};
use crate::budget::{self, Block, Candidate, Fate, Priority};
use crate::document::{Document, Item};
use crate::entry::Lines;
use crate::format::Change;
use crate::guard::CleanText;
use crate::select::LabelStyle;
use crate::source::Source;
use crate::world::World;

/// How a request labels and prints documents.
pub(super) fn view(request: &Request, world: &World) -> BlockView {
    BlockView {
        format: request.form.format.to_string(),
        paths: match request.selection.labels {
            LabelStyle::Root => "root",
            LabelStyle::Absolute => "absolute",
        }
        .to_owned(),
        line_numbers: request.reading.line_numbers,
        root: account::sha256(world.root.as_os_str().as_encoded_bytes()),
    }
}

impl Request {
    /// Discards a reader for whom documents were labelled or printed differently, and makes sure that everything
    /// that may be left out is read.
    pub(super) fn compare_view(&mut self, view: &BlockView) {
        let Some(since) = &mut self.since else { return };
        self.detail = super::Detail::Account;
        if let Some(why) = since.reader.as_ref().ok().and_then(|reader| reader.view.differs_from(view)) {
            since.reader = Err(why);
        }
    }
}

impl Plan {
    /// Leaves out documents that the reader already has, whole and unchanged, and marks the rest.
    pub(super) fn leave_out_unchanged(&mut self) {
        let Some(reader) = self.request.reader() else { return };
        self.gone = gone(reader, &self.items);
        for item in &mut self.items {
            let Some(document) = &item.document else { continue };
            let known = reader.find(item.source.label.as_str());
            if known.is_some_and(|known| known.sha256 == account::sha256(document.text.as_bytes())) {
                item.fate = Fate::Unchanged;
                continue;
            }
            let is_part = item.is_passage() || item.bytes_cut() > 0 || item.is_outline();
            item.change = Some(match known {
                _ if is_part => Change::Part,
                Some(_) => Change::Changed,
                None => Change::New,
            });
        }
    }

    /// Leaves out shortened documents that the reader already has in exactly this form. The space that this
    /// frees stays unused, since filling it could change how others are shortened.
    pub(super) fn leave_out_unchanged_parts(&mut self, threads: usize) {
        let Some(reader) = self.request.reader() else { return };
        let is_had = |item: &Item| {
            matches!(item.fate, Fate::Outlined { .. } | Fate::Truncated(_))
                && reader
                    .find(item.source.label.as_str())
                    .zip(item.text())
                    .is_some_and(|(known, text)| known.sha256 == account::sha256(text.as_bytes()))
        };
        let had: Vec<usize> = (0..self.items.len()).filter(|place| is_had(&self.items[*place])).collect();
        if had.is_empty() || self.block.is_err() {
            return;
        }
        let is_left = |(place, item): &(usize, &Item)| !had.contains(place) && item.is_printed(None);
        let left =
            self.items.iter().enumerate().filter(is_left).filter_map(|(_, item)| self.as_printed(item));
        let Some(printed) = self.printed_with(&left.collect::<Vec<_>>(), threads) else { return };
        self.block = Ok(printed);
        had.into_iter().for_each(|place| self.items[place].fate = Fate::Unchanged);
    }

    /// The printed form of an item.
    pub(super) fn as_printed<'a>(&'a self, item: &'a Item) -> Option<Candidate<'a>> {
        let text = item.text()?;
        Some(Candidate {
            lines: None,
            label: item.source.label.as_str(),
            text,
            priority: Priority::Pinned,
            is_stored_too: false,
            measure: self.request.measure.counter.tokenizer.measure(text),
            may_collide: true,
            outline: None,
            passages: None,
            unread: false,
            change: item.printed_change(),
        })
    }

    /// The block of these documents, unless it is over the limit.
    pub(super) fn printed_with(&self, documents: &[Candidate<'_>], threads: usize) -> Option<Printed> {
        let measure = &self.request.measure;
        let block = Block { layout: self.layout(), counter: measure.counter, limit: self.limit, threads };
        let is_nothing = documents.is_empty() && self.frame(None).alone().is_empty();
        if is_nothing {
            return Some(Printed::default());
        }
        let fitted = if self.request.counts() {
            budget::fit(documents, &block, measure.trim).ok()?
        } else {
            budget::take_all(documents, &block.layout)
        };
        Some(Printed { id: fitted.id, tokens: fitted.block_tokens })
    }

    /// What the reader has after reading the block; `None` if there is no block.
    #[must_use]
    pub fn reader(&self) -> Option<BlockReader> {
        self.block.as_ref().ok()?;
        let before = self.request.reader().into_iter().flat_map(|reader| reader.documents.clone());
        let gone: HashSet<&str> = self.gone.iter().map(String::as_str).collect();
        let kept = before.filter(|document| !gone.contains(document.path.as_str()));
        let mut documents: BTreeMap<String, ReadDocument> =
            kept.map(|document| (document.path.clone(), document)).collect();
        for (item, document) in self.printed() {
            let mut read = read_document(item);
            read.parts = self.read_parts(item, document);
            if let Some(before) = documents.remove(&read.path) {
                read.join(before);
            }
            documents.insert(read.path.clone(), read);
        }
        Some(BlockReader { view: self.view.clone(), documents: documents.into_values().collect() })
    }
}

impl Plan {
    /// Which lines of a file are printed in a question, if not all.
    fn read_parts(&self, item: &Item, document: &Document) -> Option<ReadParts> {
        let relevance = item.relevance().filter(|_| self.request.looked_through.is_some())?;
        let lines: Vec<[u64; 2]> =
            account::parts(self, document, item).into_iter().map(|part| part.lines).collect();
        (!lines.is_empty()).then(|| ReadParts { of: relevance.checksum().hex(), lines })
    }
}

impl Request {
    /// The parts of a document that the reader has, if its file is still the same. Its lines are counted from its first.
    pub(super) fn parts_read(&self, item: &Item) -> Option<ReadParts> {
        let parts = self.reader()?.find(item.source.label.as_str())?.parts.as_ref()?;
        let before = item.source.lines.map_or(0, Lines::before);
        (parts.of == item.relevance()?.checksum().hex()).then(|| parts.after(before))
    }
}

/// A document of the block, as its reader has it.
pub(super) fn read_document(item: &Item) -> ReadDocument {
    ReadDocument {
        path: item.source.label.to_string(),
        sha256: account::sha256(item.text().map_or("", CleanText::as_str).as_bytes()),
        file: item.is_passage().then(|| item.source.path().to_owned()),
        parts: None,
    }
}

/// The labels of documents that the reader has but that are no longer selected. A passage counts as selected
/// as long as its file is searched.
fn gone(reader: &BlockReader, items: &[Item]) -> Vec<String> {
    let is_there = |item: &&Item| {
        item.skipped().is_none_or(|reason| reason.code.is_unchosen() || reason.code.is_pending())
    };
    let there = || items.iter().filter(is_there).map(|item| &item.source);
    let files = there().filter(|source| source.is_of_whole_file()).map(Source::path);
    let labels: HashSet<&str> = there().map(|source| source.label.as_str()).chain(files).collect();
    let is_searched = |item: &&Item| item.source.selected_by.searched.is_some();
    let searched: HashSet<&str> =
        items.iter().filter(is_there).filter(is_searched).map(|item| item.source.path()).collect();
    let is_gone = |document: &&ReadDocument| {
        let file = document.file.as_deref();
        !labels.contains(document.path.as_str()) && !file.is_some_and(|file| searched.contains(file))
    };
    reader.documents.iter().filter(is_gone).map(|document| document.path.clone()).collect()
}
