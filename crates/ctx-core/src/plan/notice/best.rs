//! Warns if what answers a question best is not in the block whole.

use crate::budget::Fate;
use crate::document::Document;
use crate::plan::{Item, Plan};
use crate::report::{Notice, NoticeKind};
use crate::words::{grouped, quoted};
use ctx_outline::Lines;

/// A warning if the best declaration or section does not fit.
pub(super) fn cut(plan: &Plan) -> Option<Notice> {
    plan.request.looked_through.as_ref().filter(|_| plan.block.is_ok() && !plan.words.are_vague)?;
    let item = plan.items.iter().find(|item| is_first(item))?;
    let best = best_of(item)?;
    let missing = match (&item.fate, &item.document) {
        (Fate::Truncated(part), Some(document)) => lines_left_out(document, best, &part.kept),
        (Fate::Dropped { .. }, _) => MissingLines { lines: best.count(), of: best.count() },
        _ => return None,
    };
    let before = item.document.as_ref().map_or(0, |document| document.lines_before());
    let place = format!("{}:{}-{}", item.source.path(), best.first + before, best.last + before);
    let left_out = match (missing.lines, missing.of) {
        (lines, of) if lines == of => "is left out".to_owned(),
        (1, of) => format!("1 of its {} lines is left out", grouped(of as u64)),
        (lines, of) => {
            format!("{} of its {} lines are left out", grouped(lines as u64), grouped(of as u64))
        }
    };
    let text = format!("{} answers best, but {left_out}: the budget is too small", quoted(place));
    (missing.lines > 0).then(|| Notice::warning(NoticeKind::Trimmed, text))
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
struct MissingLines {
    lines: usize,
    of: usize,
}

/// How many lines with text are not kept.
fn lines_left_out(document: &Document, of: Lines, kept: &[Lines]) -> MissingLines {
    let is_kept = |line: usize| kept.iter().any(|run| (run.first..=run.last).contains(&line));
    let lines = document.excerpt(of).lines().zip(of.first..);
    let with_text = lines.filter(|(text, _)| !text.trim().is_empty());
    let (kept, left_out): (Vec<_>, Vec<_>) = with_text.partition(|(_, line)| is_kept(*line));
    MissingLines { lines: left_out.len(), of: kept.len() + left_out.len() }
}
