//! What answers a question best, and how much of it is in the block.

use super::{Fate, Item, Plan};
use crate::document::Document;
use crate::models::Counter;
use ctx_outline::Lines;

/// What answers a question best.
pub(super) struct Best<'p> {
    item: &'p Item,
    lines: Lines,
    pub(super) missing: MissingLines,
}

impl<'p> Best<'p> {
    /// That of a block, unless no words of the question single anything out.
    pub(super) fn of(plan: &'p Plan) -> Option<Self> {
        plan.request.looked_through.as_ref().filter(|_| plan.block.is_ok() && !plan.words.are_vague)?;
        let item = plan.items.iter().find(|item| is_first(item))?;
        let lines = best_of(item)?;
        let missing = match (&item.fate, &item.document) {
            (Fate::Truncated(part), Some(document)) => lines_left_out(document, lines, &part.kept),
            (Fate::Dropped { .. }, _) => MissingLines { lines: lines.count(), of: lines.count() },
            _ => return None,
        };
        Some(Self { item, lines, missing })
    }

    /// Whether it is not whole in the block.
    pub(super) fn is_cut(&self) -> bool {
        self.missing.lines > 0
    }

    /// Its file and lines.
    pub(super) fn place(&self) -> String {
        let before = self.item.document.as_ref().map_or(0, |document| document.lines_before());
        format!("{}:{}-{}", self.item.source.path(), self.lines.first + before, self.lines.last + before)
    }

    /// Its tokens, if it has been read.
    pub(super) fn tokens(&self, counter: Counter) -> Option<u64> {
        self.item.document.as_ref().map(|document| counter.tokens(document.excerpt(self.lines)))
    }
}

fn is_first(item: &Item) -> bool {
    item.relevance().is_some_and(|relevance| relevance.rank == 1)
}

/// The lines that were ranked first in a document.
fn best_of(item: &Item) -> Option<Lines> {
    let parts = item.relevance()?.shown().map(|(part, _)| part).filter(|part| part.score > 0);
    parts.reduce(|best, part| if part.score > best.score { part } else { best }).map(|best| best.lines)
}

/// How many lines are left out, of how many.
#[derive(Debug, Clone, Copy)]
pub(super) struct MissingLines {
    pub(super) lines: usize,
    pub(super) of: usize,
}

/// How many lines with text are not kept.
fn lines_left_out(document: &Document, of: Lines, kept: &[Lines]) -> MissingLines {
    let is_kept = |line: usize| kept.iter().any(|run| (run.first..=run.last).contains(&line));
    let lines = document.excerpt(of).lines().zip(of.first..);
    let with_text = lines.filter(|(text, _)| !text.trim().is_empty());
    let (kept, left_out): (Vec<_>, Vec<_>) = with_text.partition(|(_, line)| is_kept(*line));
    MissingLines { lines: left_out.len(), of: kept.len() + left_out.len() }
}
