//! A plan: what will be printed, and what happened to the rest.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use super::listed::CrowdedOut;
use crate::account::BlockView;
use crate::budget::{Candidate, Fate, FitError, Layout, ShownChat, Trim};
use crate::document::{Document, Item, QuestionWords};
use crate::entry::ScopedEntry;
use crate::format::{Around, Frame, Id};
use crate::git::rule_file::CutLine;
use crate::guard::CleanText;
use crate::report::ReasonCode;
use crate::request::{Detail, Form, Measure, Request};
use crate::select::{EntryId, EntryReport, IdleFilter, LeftOutByFiles, Missed};
use crate::source::Source;
use crate::{budget, format};

/// What will be printed, and what happened to the rest.
#[derive(Debug)]
pub struct Plan {
    pub(super) request: Arc<Request>,
    /// The maximum number of tokens in the block; `None` if there is no cap.
    pub(super) limit: Option<u64>,
    pub(super) reports: Vec<EntryReport>,
    pub(super) skipped: Vec<Missed>,
    pub(super) met_outputs: bool,
    pub(super) idle_filters: Vec<IdleFilter>,
    pub(super) left_out_built_in: LeftOutByFiles,
    /// By the names of the ignore files.
    pub(super) left_out_by_own_files: Vec<(&'static str, LeftOutByFiles)>,
    /// See [`crate::select::Selected`].
    pub(super) left_out_by_project: LeftOutByFiles,
    /// The lines of ignore files of which ctx applies only the beginning.
    pub(super) cut_lines: Vec<CutLine>,
    pub(super) items: Vec<Item>,
    /// The sources that are not items because their contents keep them out without a notice, each with the reason.
    pub(super) passed_over: Vec<(Source, ReasonCode)>,
    /// What is in every question but this one.
    pub(super) crowded_out: Vec<CrowdedOut>,
    /// The labels of documents whose condition is met but that don't fit.
    pub(super) without_room: Vec<String>,
    pub(super) words: QuestionWords,
    pub(super) tree: Option<String>,
    /// The instruction as printed, and what was redacted or made visible in it.
    pub(super) instruction: Option<CleanText>,
    /// A directory above the work root where stored entries that match nothing here would match files.
    pub(super) fitting_root: Option<String>,
    /// Why listed paths are not found, where that is known.
    pub(super) why_missing: HashMap<EntryId, String>,
    /// How documents are labelled and printed.
    pub(super) view: BlockView,
    /// The labels of files that the reader has but that no longer exist.
    pub(super) gone: Vec<String>,
    /// The part of the conversation that is shown.
    pub(super) shown: Option<ShownChat>,
    pub(super) block: Result<Printed, FitError>,
}

/// The parts of the block other than its documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Printed {
    /// The id that boundaries and labels carry, if they need one.
    pub(super) id: Option<Id>,
    /// How many tokens everything takes that the budget covers.
    pub(super) tokens: u64,
}

/// A block that fits.
#[derive(Debug, Clone, Copy)]
pub struct PrintableBlock<'a> {
    plan: &'a Plan,
    /// The id that boundaries and labels carry, if they need one.
    id: Option<Id>,
}

impl PrintableBlock<'_> {
    /// Prints the block, followed by the prompt.
    ///
    /// # Errors
    /// Any error from writing to `out`.
    pub fn write(&self, out: &mut impl io::Write) -> io::Result<()> {
        self.plan.frame(self.id).write(out, self.plan.documents())
    }

    /// Prints the block without the prompt.
    pub(super) fn write_without_prompt(&self, out: &mut impl io::Write) -> io::Result<()> {
        self.plan.frame(self.id).without_prompt().write(out, self.plan.documents())
    }
}

impl Plan {
    /// The block, ready to print. It may be empty.
    ///
    /// # Errors
    /// If nothing fits, with the reason.
    pub fn block(&self) -> Result<PrintableBlock<'_>, FitError> {
        self.block.as_ref().map(|printed| PrintableBlock { plan: self, id: printed.id }).map_err(Clone::clone)
    }

    /// Whether there are no documents to print.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.iter().all(|item| item.skipped().is_some())
    }

    /// Whether there is nothing to print, not even an instruction or a conversation.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.is_empty() && !self.request.sections().any() && self.gone.is_empty()
    }

    /// Whether nobody added anything to the lists in use, or named anything for this one block.
    #[must_use]
    pub fn has_empty_lists(&self) -> bool {
        self.request.profile.is_some() && self.request.entries.iter().all(ScopedEntry::is_built_in)
    }

    /// Whether the lists in use have entries other than built-in ones that match nothing.
    #[must_use]
    pub fn has_list(&self) -> bool {
        self.reports.iter().any(|report| {
            let scoped = &self.request.entries[report.id.0];
            !scoped.scope.is_for_one_block() && (report.matches > 0 || !scoped.is_built_in())
        })
    }

    /// Whether no word of the question distinguishes the files.
    #[must_use]
    pub fn is_vague(&self) -> bool {
        self.words.are_vague
    }

    /// Whether no question was asked, although something was left out to fit the budget and a question might
    /// have kept it.
    #[must_use]
    pub fn lacks_question(&self) -> bool {
        let Measure { trim, is_default_rule, .. } = self.request.measure;
        let is_left_out = |item: &Item| match item.fate {
            Fate::Undecided => self.block.is_err(),
            Fate::Outlined { .. } | Fate::Truncated(_) | Fate::Dropped { .. } => true,
            Fate::Included { .. } | Fate::Unchanged | Fate::Listed(_) | Fate::Skipped(_) => false,
        };
        let depends = is_default_rule || trim == Trim::Relevant;
        depends && self.request.question.is_none() && self.items.iter().any(is_left_out)
    }

    pub(super) fn frame(&self, id: Option<Id>) -> Frame<'_> {
        let Layout { format, around, .. } = self.layout();
        Frame { format, around, id }
    }

    /// The printed documents, or those that would be printed if they fitted.
    pub(super) fn documents(&self) -> impl Iterator<Item = format::PrintedDocument<'_>> {
        self.printed().filter_map(|(item, _)| {
            let change = item.printed_change();
            let (label, lines) = (item.source.label.as_str(), item.printed_lines());
            Some(format::PrintedDocument { label, lines, text: item.text()?, change })
        })
    }

    /// The byte range of each document in the block, with its label; only for a complete account.
    pub(super) fn ranges(&self) -> Vec<[u64; 2]> {
        match (self.request.detail, &self.block) {
            (Detail::Account, Ok(block)) => self.frame(block.id).ranges(self.documents()).collect(),
            (Detail::Account, Err(_)) | (Detail::Block | Detail::Counts, _) => Vec::new(),
        }
    }

    /// The length of the block in bytes, even if it does not fit, without the prompt.
    #[must_use]
    pub fn block_bytes(&self) -> u64 {
        self.bytes_of(self.frame(self.id()).without_prompt())
    }

    /// The length of everything that is printed, even if it does not fit.
    #[must_use]
    pub fn printed_bytes(&self) -> u64 {
        self.bytes_of(self.frame(self.id()))
    }

    fn bytes_of(&self, frame: Frame<'_>) -> u64 {
        frame.segments(self.documents()).map(|segment| segment.len() as u64).sum()
    }

    /// The id of the block or, if it does not fit, the one that it would have.
    fn id(&self) -> Option<Id> {
        match &self.block {
            Ok(block) => block.id,
            Err(_) => {
                let needed: Vec<Candidate<'_>> =
                    self.printed().filter_map(|(item, _)| item.candidate()).collect();
                budget::take_all(&needed, &self.layout()).id
            }
        }
    }

    /// How many tokens the prompt adds to the block.
    pub(super) fn prompt_tokens(&self) -> u64 {
        if self.request.prompt.is_none() {
            return 0;
        }
        let counter = self.request.measure.counter;
        let frame = self.frame(self.id());
        // What precedes the prompt can change its tokens.
        let last = self.documents().last().map(|document| frame.after(&document));
        let end = |frame: Frame<'_>| match &last {
            Some(after) => after.clone() + &frame.closing(),
            None => frame.alone(),
        };
        let units = |frame| counter.units(&end(frame));
        counter.rounded(units(frame).saturating_sub(units(frame.without_prompt())))
    }

    /// The entries with what happened to them, in the given order.
    pub fn entries(&self) -> impl Iterator<Item = (&ScopedEntry, &EntryReport)> {
        self.reports.iter().map(|report| (&self.request.entries[report.id.0], report))
    }

    /// The sources with what happened to them, in the order of the block.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// How many files the built-in ignore file excludes.
    #[must_use]
    pub fn left_out_built_in(&self) -> LeftOutByFiles {
        self.left_out_built_in
    }

    /// The lines of ignore files of which ctx applies only the beginning.
    pub(crate) fn cut_lines(&self) -> &[CutLine] {
        &self.cut_lines
    }

    /// Whether files were left out because the command writes them.
    #[doc(hidden)]
    #[must_use]
    pub fn met_outputs(&self) -> bool {
        self.met_outputs
    }

    /// The skipped files that are worth mentioning, sorted by label.
    #[must_use]
    pub fn skipped(&self) -> &[Missed] {
        &self.skipped
    }

    /// Whether a skipped file was not asked for, but only found by searching everything.
    pub(super) fn only_competed(&self, skipped: &Missed) -> bool {
        let is_of_one_block = |id: &EntryId| self.request.entries[id.0].scope.is_for_one_block();
        self.request.looked_through.is_some() && skipped.entries.iter().all(is_of_one_block)
    }

    /// Whether an item was only found by searching everything, so that nobody asked for all of it.
    pub(super) fn only_competes(&self, item: &Item) -> bool {
        self.request.looked_through.is_some() && item.priority == budget::Priority::Stored
    }

    /// The request that this plan answers.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    pub(super) fn layout(&self) -> Layout<'_> {
        let Form { format, guard, .. } = self.request.form;
        let chat = self.shown.as_ref().zip(self.conversation()).and_then(|(shown, talk)| shown.chat(talk));
        let instruction = self.instruction.as_ref().map(CleanText::as_str);
        let tree = self.tree.as_deref();
        let tree_alone = tree.is_some() && self.items.iter().any(Item::is_listed);
        let gone = self.request.reader().map(|_| self.gone.as_slice());
        let prompt = self.request.printed_prompt();
        Layout { format, guard, around: Around { tree, tree_alone, instruction, chat, gone, prompt } }
    }

    /// The documents that are at least partly in the block, even if it does not fit.
    pub(super) fn printed(&self) -> impl Iterator<Item = (&Item, &Document)> + Clone {
        let error = self.block.as_ref().err();
        let printed = self.items.iter().filter(move |item| item.is_printed(error));
        printed.filter_map(|item| Some((item, item.document.as_deref()?)))
    }
}
