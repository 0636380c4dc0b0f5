//! What was dropped or shortened to fit the budget, in one line.

use super::{Notice, NoticeKind};
use crate::budget::Outcome;
use crate::plan::{Detail, Document, Item, Known, Plan, Reading};
use crate::report::{Count, Tokens};
use crate::source::Source;
use crate::words::{counted, grouped, quoted};

pub(super) fn notice(plan: &Plan) -> Option<Notice> {
    let block = plan.block.as_ref().ok()?;
    let limit = plan.request.measure.limit?;
    let mut gone = Gone::default();
    for item in &plan.items {
        match &item.reading {
            Reading::Document(document) => gone.note(plan, item, document),
            Reading::Known(Known { bytes, .. }) | Reading::Dropped { bytes } => {
                gone.dropped.push(Lost::bytes(&item.source, *bytes))
            }
            Reading::Listed { .. } | Reading::Skipped(_) => {}
        }
    }
    let text = gone.in_words(plan, block.tokens, limit)?;
    Some(Notice::warning(NoticeKind::Trimmed, text))
}

/// How many are named.
const LARGEST: usize = 3;

/// What was dropped or shortened.
#[derive(Default)]
struct Gone {
    dropped: Vec<Lost>,
    outlined: Vec<Lost>,
    cut: Vec<Lost>,
}

struct Lost {
    label: String,
    size: Size,
}

/// All are in tokens, or all in bytes: they are compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Size {
    /// Of the whole text.
    Bytes(u64),
    /// Of what is not printed.
    Tokens(u64),
}

impl Lost {
    fn bytes(source: &Source, bytes: u64) -> Self {
        Self { label: source.label.to_string(), size: Size::Bytes(bytes) }
    }

    /// Where not everything is counted, it depends on threads what is: then only bytes are reported.
    fn of(plan: &Plan, source: &Source, document: &Document, printed: u64) -> Self {
        match plan.request.detail {
            Detail::Block => Self::bytes(source, document.bytes),
            Detail::Counts | Detail::Account => {
                let whole = plan.request.measure.counter.tokens_of(&document.measure);
                Self { label: source.label.to_string(), size: Size::Tokens(whole.saturating_sub(printed)) }
            }
        }
    }
}

impl Size {
    fn tokens(self) -> Option<u64> {
        match self {
            Self::Bytes(_) => None,
            Self::Tokens(tokens) => Some(tokens),
        }
    }
}

impl Gone {
    fn note(&mut self, plan: &Plan, item: &Item, document: &Document) {
        let source = &item.source;
        match &item.outcome {
            Some(Outcome::Dropped { .. }) => self.dropped.push(Lost::of(plan, source, document, 0)),
            Some(Outcome::Outlined { tokens }) => {
                self.outlined.push(Lost::of(plan, source, document, *tokens));
            }
            Some(Outcome::Truncated { tokens, .. }) => {
                self.cut.push(Lost::of(plan, source, document, *tokens));
            }
            Some(Outcome::Included { .. }) | None => {}
        }
    }

    /// How many files of how many, how many tokens, where to see all, and the three largest.
    fn in_words(self, plan: &Plan, block: u64, limit: u64) -> Option<String> {
        let count = |number| Count { number, estimated: plan.request.measure.estimated };
        let files = counted(plan.items.len(), "file");
        let parts = [(&self.dropped, "dropped"), (&self.outlined, "reduced to outlines"), (&self.cut, "cut")];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(lost, _)| !lost.is_empty())
            .map(|(lost, became)| format!("{} {became}", grouped(lost.len() as u64)))
            .collect();
        let what = match parts.as_slice() {
            [] => return None,
            [only] => {
                let (count, became) = only.split_once(' ').unwrap_or((only, ""));
                format!("{count} of {files} {became}")
            }
            several => format!("{} of {files}", several.join(" and ")),
        };
        let mut lost: Vec<Lost> = [self.dropped, self.outlined, self.cut].into_iter().flatten().collect();
        let tokens = lost.iter().map(|lost| lost.size.tokens()).sum::<Option<u64>>();
        let tokens = tokens.map_or_else(String::new, |tokens| format!(" ({})", Tokens(count(tokens))));
        lost.sort_by_key(|lost| std::cmp::Reverse(lost.size));
        let size = |lost: &Lost| match lost.size {
            Size::Tokens(tokens) => count(tokens).to_string(),
            Size::Bytes(bytes) => format!("{} bytes", grouped(bytes)),
        };
        let named = |lost: &Lost| format!("{} ({})", quoted(&lost.label), size(lost));
        let largest: Vec<String> = lost.iter().take(LARGEST).map(named).collect();
        let more = match lost.len().saturating_sub(LARGEST) {
            0 => String::new(),
            more => format!(" and {} more", grouped(more as u64)),
        };
        Some(format!(
            "{what}{tokens}, {} of {} tokens used (adding --dry-run lists all); the largest: {}{more}",
            count(block),
            grouped(limit),
            largest.join(", "),
        ))
    }
}
