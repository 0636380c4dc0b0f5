//! Decides which items fit, and reads only those that the decision depends on.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::beside::{CutBeside, adds_room};
use super::block::Printed;
use super::listed::{CrowdedOut, ListRoom};
use super::tree;
use super::{Fate, Item, Measure, Plan, PlanError};
use crate::budget::{self, Block, Candidate, DropReason, FitError, FittedBeside, Layout, Priority};
use crate::document::Session;
use crate::format::Around;
use crate::history::Conversation;
use crate::select::EntryId;

/// If the tree has to be folded to make room for documents, unfolded directories may take at most the limit
/// divided by this.
const TREE_SHARE: u64 = 4;

/// The limit for what is unlikely to answer a question, since hardly one of its words occurs.
const UNLIKELY_TOKENS: u64 = 4_000;

impl Plan {
    /// Decides how much of each item is printed, and reads the items that the decision depends on.
    pub(super) fn fit_reading(&mut self, threads: usize, session: &Session<'_>) -> Result<(), PlanError> {
        let is_known = |item: &Item| item.known.is_some();
        for view in budget::VIEWS {
            if self.items.iter().any(is_known) {
                let places = self.to_be_read(view);
                session.read_these(&mut self.items, &places)?;
            }
            self.fit(threads);
            if self.block != Err(FitError::Unread) {
                return Ok(());
            }
        }
        let all: Vec<usize> = (0..self.items.len()).collect();
        session.read_these(&mut self.items, &all)?;
        self.fit(threads);
        Ok(())
    }

    /// Raises the limit by the size of the parts of the block that do not compete for room, up to the
    /// ceiling. A tree does compete.
    pub(super) fn make_room(&mut self, cut: &CutBeside, threads: usize) {
        let Measure { counter, limit: Some(limit), ceiling: Some(ceiling), trim, .. } = self.request.measure
        else {
            return;
        };
        let limit = if self.words.hardly_any { limit.min(UNLIKELY_TOKENS) } else { limit };
        let layout = self.layout();
        let layout = Layout { around: Around { tree: None, tree_alone: false, ..layout.around }, ..layout };
        let beside = self.items.iter().enumerate();
        let is_whole = |place: &usize| cut.places.binary_search(place).is_err();
        let beside = beside.filter(|(place, item)| adds_room(item) && is_whole(place));
        let beside: Vec<Candidate<'_>> = beside.filter_map(|(_, item)| item.candidate()).collect();
        let block = Block { layout, counter, limit: None, threads };
        let beside = budget::fit(&beside, &block, trim);
        let documents = beside.map_or(0, |fitted| fitted.block_tokens);
        let history = self.conversation().map(|talk| budget::room_for(talk, layout.format, counter));
        let room = limit.saturating_add(documents + cut.tokens).saturating_add(history.unwrap_or(0));
        self.limit = Some(room.min(ceiling).max(limit.min(ceiling)));
    }

    /// If the tree of directories exceeds the limit, folds as few of them as possible.
    pub(super) fn fold_tree(&mut self, threads: usize) {
        let Some(limit) = self.limit else { return };
        if self.tree.is_none() || self.frame_tokens(threads) <= limit {
            return;
        }
        let Some(tree) = tree::in_front(&self.items, self.request.form.tree) else { return };
        let has_documents = self.items.iter().any(|item| item.candidate().is_some());
        let mut frame_with = |tree: String| {
            self.tree = Some(tree);
            self.frame_tokens(threads)
        };
        let least = frame_with(tree.drawn(&|_| false));
        let room = if has_documents { limit.min(least + limit / TREE_SHARE) } else { limit };
        let folded = tree.folded_until(|tree| frame_with(tree.to_owned()) <= room);
        self.tree = Some(folded);
    }

    /// How many tokens a block without documents takes.
    fn frame_tokens(&self, threads: usize) -> u64 {
        let Measure { counter, trim, .. } = self.request.measure;
        let layout = self.layout();
        let around = Around { tree_alone: true, ..layout.around };
        let block = Block { layout: Layout { around, ..layout }, counter, limit: None, threads };
        budget::fit(&[], &block, trim).map_or(0, |fitted| fitted.block_tokens)
    }

    /// The tokens of a block with all documents in full; `None` if that depends on the limit, as in a search of
    /// everything or a conversation, or if the text of a document was not kept: see [`crate::request::Request::sums_everything`].
    #[must_use]
    pub fn tokens_of_everything(&self, threads: usize) -> Option<u64> {
        let is_unread = |item: &Item| item.document.is_none() && matches!(item.fate, Fate::Dropped { .. });
        let depends = self.request.looked_through.is_some() || self.conversation().is_some();
        if depends || self.items.iter().any(is_unread) {
            return None;
        }
        let Measure { counter, trim, .. } = self.request.measure;
        let tree = tree::in_front(&self.items, self.request.form.tree).map(|tree| tree.drawn(&|_| true));
        let layout = self.layout();
        let around = Around { tree: tree.as_deref(), ..layout.around };
        let block = Block { layout: Layout { around, ..layout }, counter, limit: None, threads };
        let candidates: Vec<Candidate<'_>> = self.items.iter().filter_map(Item::candidate).collect();
        budget::fit(&candidates, &block, trim).ok().map(|fitted| fitted.block_tokens)
    }

    /// The indices of the items that have to be read before deciding what fits.
    fn to_be_read(&self, view: u64) -> Vec<usize> {
        let places: Vec<usize> =
            (0..self.items.len()).filter(|place| self.items[*place].candidate().is_some()).collect();
        let candidates: Vec<Candidate<'_>> = self.items.iter().filter_map(Item::candidate).collect();
        let limit = self.limit.unwrap_or(u64::MAX);
        let unread = budget::to_be_read(&candidates, self.request.measure.counter, limit, view);
        unread.into_iter().map(|candidate| places[candidate]).collect()
    }

    /// Decides how much of each item is printed.
    fn fit(&mut self, threads: usize) {
        let is_empty = self.items.iter().all(|item| item.candidate().is_none());
        let is_around = self.request.sections().any() || self.request.printed_prompt().is_some();
        if is_empty && self.tree.is_none() && !is_around && self.gone.is_empty() {
            return;
        }
        let mut decided = self.decided(threads);
        let mut first = None;
        while let Err(FitError::PinnedOver { limit, needed, .. }) = &decided.fitted {
            if !self.let_listed_compete(needed.saturating_sub(*limit)) {
                break;
            }
            let next = self.decided(threads);
            first.get_or_insert(std::mem::replace(&mut decided, next).fitted);
        }
        let FittedBeside { fitted, shown } = decided;
        // The budget that it suggests has room for what is in every question, too.
        let fitted = if fitted.is_err() { first.unwrap_or(fitted) } else { fitted };
        self.shown = shown;
        let estimated = self.request.measure.estimated;
        self.block = match fitted {
            Ok(fitted) => {
                let documents = self.items.iter_mut().filter(|item| item.candidate().is_some());
                documents.zip(fitted.fates).for_each(|(item, fate)| item.fate = fate);
                let counted = self.items.iter_mut().filter(|item| item.counted.is_some());
                counted.for_each(|item| item.fate = Fate::Dropped { reason: DropReason::Largest });
                Ok(Printed { id: fitted.id, tokens: fitted.block_tokens })
            }
            Err(error) => Err(error.with_estimates(estimated)),
        };
    }

    /// Takes back that what is in every question is kept: the largest entries first, until they are this many tokens. Returns
    /// whether any is taken back.
    fn let_listed_compete(&mut self, enough: u64) -> bool {
        let request = Arc::clone(&self.request);
        let kept_for = |item: &Item| {
            let is_kept = !item.source.selected_by.pin && item.priority == Priority::Pinned;
            item.source.selected_by.in_every_question.filter(|_| is_kept)
        };
        let mut tokens: BTreeMap<EntryId, u64> = BTreeMap::new();
        for item in &self.items {
            if let Some(id) = kept_for(item) {
                *tokens.entry(id).or_default() += item.tokens(request.measure.counter);
            }
        }
        let mut largest: Vec<(EntryId, u64)> = tokens.into_iter().collect();
        largest.sort_by_key(|(_, tokens)| Reverse(*tokens));
        let mut left = enough;
        let mut competing = BTreeMap::new();
        for (id, tokens) in largest {
            if left == 0 {
                break;
            }
            left = left.saturating_sub(tokens);
            competing.insert(id, tokens);
            self.crowded_out.push(CrowdedOut { id, tokens, of: ListRoom::Rest });
        }
        for item in &mut self.items {
            if kept_for(item).is_some_and(|id| competing.contains_key(&id)) {
                item.priority = request.priority_of_crowded_out(&item.source);
            }
        }
        !competing.is_empty()
    }

    fn decided(&self, threads: usize) -> FittedBeside {
        let Measure { counter, trim, .. } = self.request.measure;
        let mut candidates: Vec<Candidate<'_>> = Vec::with_capacity(self.items.len());
        candidates.extend(self.items.iter().filter_map(Item::candidate));
        let layout = self.layout();
        let block = Block { layout, counter, limit: self.limit, threads };
        match (self.conversation(), self.request.counts()) {
            (Some(talk), true) => budget::fit_beside(&candidates, &block, trim, talk),
            (Some(talk), false) => {
                let shown = budget::within_share(talk, layout.format, counter);
                let around = Around { chat: shown.chat(talk), ..layout.around };
                let fitted = Ok(budget::take_all(&candidates, &Layout { around, ..layout }));
                FittedBeside { fitted, shown: Some(shown) }
            }
            (None, true) => FittedBeside { fitted: budget::fit(&candidates, &block, trim), shown: None },
            (None, false) => FittedBeside { fitted: Ok(budget::take_all(&candidates, &layout)), shown: None },
        }
    }

    /// The conversation, unless it is empty.
    pub(super) fn conversation(&self) -> Option<&Conversation> {
        self.request.conversation.as_deref().filter(|conversation| !conversation.is_empty())
    }
}
