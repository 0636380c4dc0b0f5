//! What gave way to the budget, in one line.

use super::{Notice, NoticeKind};
use crate::budget::Outcome;
use crate::plan::documents::Reading;
use crate::plan::{Document, Plan, Source};
use crate::words::{counted, quoted, some_of};

pub(super) fn notice(plan: &Plan) -> Option<Notice> {
    let fitted = plan.fitted.as_ref().ok()?;
    let limit = plan.request.measure.limit?;
    let mut outcomes = fitted.outcomes.iter();
    let mut gone = Gone::default();
    for (source, reading) in plan.sources.iter().zip(&plan.readings) {
        match reading {
            Reading::Document(document) => gone.note(plan, source, document, outcomes.next()),
            Reading::Dropped { bytes } => gone.dropped.push(Lost::uncounted(source, *bytes)),
            Reading::Skipped(_) | Reading::Passed => {}
        }
    }
    let mark = if plan.request.measure.estimated { "~" } else { "" };
    let text = gone.in_words(plan, mark, fitted.block_tokens, limit)?;
    Some(Notice::warning(NoticeKind::Trimmed, text))
}

/// What gave way.
#[derive(Default)]
struct Gone {
    dropped: Vec<Lost>,
    cut: Vec<Lost>,
}

struct Lost {
    label: String,
    bytes: u64,
    /// `None` if it was not counted.
    tokens: Option<u64>,
}

impl Lost {
    fn uncounted(source: &Source, bytes: u64) -> Self {
        Self { label: source.label.to_string(), bytes, tokens: None }
    }
}

impl Gone {
    fn note(&mut self, plan: &Plan, source: &Source, document: &Document, outcome: Option<&Outcome>) {
        let whole = document.extent.tokens(plan.request.measure.counter);
        let lost = |tokens| Lost { label: source.label.to_string(), bytes: document.bytes, tokens };
        match outcome {
            Some(Outcome::Dropped { .. }) => self.dropped.push(lost(whole)),
            Some(Outcome::Truncated { tokens, .. }) => {
                self.cut.push(lost(whole.map(|whole| whole.saturating_sub(*tokens))));
            }
            Some(Outcome::Included { .. }) | None => {}
        }
    }

    /// How many files of how many, how many tokens, the three largest, and where to see all.
    fn in_words(mut self, plan: &Plan, mark: &str, block: u64, limit: u64) -> Option<String> {
        let files = plan.sources.len();
        let what = match (self.dropped.len(), self.cut.len()) {
            (0, 0) => return None,
            (dropped, 0) => format!("{dropped} of {} dropped", counted(files, "file")),
            (0, cut) => format!("{cut} of {} cut", counted(files, "file")),
            (dropped, cut) => format!("{dropped} dropped and {cut} cut of {}", counted(files, "file")),
        };
        let mut lost: Vec<Lost> = self.dropped.drain(..).chain(self.cut.drain(..)).collect();
        let tokens = lost.iter().map(|lost| lost.tokens).sum::<Option<u64>>();
        let tokens = tokens.map_or_else(String::new, |tokens| format!(" ({mark}{tokens} tokens)"));
        lost.sort_by_key(|lost| std::cmp::Reverse((lost.tokens.unwrap_or(u64::MAX), lost.bytes)));
        let size = |lost: &Lost| match lost.tokens {
            Some(tokens) => format!("{mark}{tokens}"),
            None => format!("{} bytes", lost.bytes),
        };
        let largest: Vec<String> =
            lost.iter().map(|lost| format!("{} ({})", quoted(&lost.label), size(lost))).collect();
        Some(format!(
            "{what}{tokens}, {mark}{block} of {limit} tokens used; the largest: {}; {} lists all",
            some_of(&largest),
            plan.lister()
        ))
    }
}
