//! What was dropped or shortened to fit the budget, in one line.

use crate::budget::{Outcome, Trim};
use crate::plan::{Detail, Document, Item, Known, Plan, Reading};
use crate::report::{Count, Hint, Notice, NoticeKind, Severity, Tokens};
use crate::select::EntryId;
use crate::source::Source;
use crate::words::{counted, grouped, quoted};

/// What was dropped or shortened, and the ways out where that is more than what is printed.
pub(super) fn notices(plan: &Plan) -> Vec<Notice> {
    let (Ok(block), Some(limit)) = (plan.block.as_ref(), plan.request.measure.limit) else {
        return Vec::new();
    };
    let mut gone = Gone::default();
    for item in &plan.items {
        match &item.reading {
            Reading::Document(document) => gone.note(plan, item, document),
            Reading::Known(Known { bytes, .. }) | Reading::Dropped { bytes } => {
                gone.dropped.push(Lost::bytes(plan, &item.source, *bytes))
            }
            Reading::Listed { .. } | Reading::Skipped(_) => {}
        }
    }
    let selected = block.tokens.saturating_add(gone.tokens());
    let warning = gone.in_words(plan, block.tokens, limit);
    let warning = warning.map(|text| {
        // What is looked through competes: nobody asked for all of it.
        let notice = match &plan.request.looked_through {
            Some(root) => Notice::note(NoticeKind::Trimmed, format!("in {root}: {text}")),
            None => Notice::warning(NoticeKind::Trimmed, text),
        };
        notice.with_hint(Hint::ShowPlan)
    });
    let drops_whole_files = matches!(plan.request.measure.trim, Trim::Largest | Trim::FirstFit);
    let ways_out = (drops_whole_files && selected > limit.saturating_mul(2)).then(|| {
        let text = "more than twice the budget is selected".to_owned();
        let note = Notice::note(NoticeKind::Trimmed, text).with_hint(Hint::TrimOtherwise);
        Notice { level: Severity::Hint, ..note }
    });
    warning.into_iter().chain(ways_out).collect()
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
    /// Whether the command line brings it.
    for_one_block: bool,
    size: Size,
}

/// About how many bytes a token has.
const BYTES_OF_TOKEN: u64 = 4;

/// All are in tokens, or all in bytes: they are compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Size {
    /// Of the whole text.
    Bytes(u64),
    /// Of what is not printed.
    Tokens(u64),
}

impl Lost {
    fn new(plan: &Plan, source: &Source, size: Size) -> Self {
        let scope = |id: &EntryId| plan.request.entries[id.0].scope;
        let for_one_block = source.brought.entries.iter().any(|id| scope(id).is_for_one_block());
        Self { label: source.label.to_string(), for_one_block, size }
    }

    fn bytes(plan: &Plan, source: &Source, bytes: u64) -> Self {
        Self::new(plan, source, Size::Bytes(bytes))
    }

    /// Where not everything is counted, it depends on threads what is: then only bytes are reported.
    fn of(plan: &Plan, source: &Source, document: &Document, printed: u64) -> Self {
        match plan.request.detail {
            Detail::Block => Self::bytes(plan, source, document.bytes),
            Detail::Counts | Detail::Account => {
                let whole = plan.request.measure.counter.tokens_of(&document.measure);
                Self::new(plan, source, Size::Tokens(whole.saturating_sub(printed)))
            }
        }
    }
}

impl Size {
    /// The tokens, or about so many.
    fn count(self, estimated: bool) -> Count {
        match self {
            Self::Bytes(bytes) => Count { number: bytes.div_ceil(BYTES_OF_TOKEN), estimated: true },
            Self::Tokens(number) => Count { number, estimated },
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

    fn all(&self) -> impl Iterator<Item = &Lost> {
        [&self.dropped, &self.outlined, &self.cut].into_iter().flatten()
    }

    /// About how many tokens are not printed.
    fn tokens(&self) -> u64 {
        self.all().map(|lost| lost.size.count(false).number).sum()
    }

    /// How many files of how many, how many tokens, and the three largest.
    fn in_words(&self, plan: &Plan, block: u64, limit: u64) -> Option<String> {
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
        let mut lost: Vec<&Lost> = self.all().collect();
        let in_tokens = |lost: &&Lost| lost.size.count(plan.request.measure.estimated);
        let estimated = lost.iter().any(|lost| in_tokens(lost).estimated);
        let tokens = Tokens(Count { number: self.tokens(), estimated });
        lost.sort_by_key(|lost| (!lost.for_one_block, std::cmp::Reverse(lost.size)));
        let named = |lost: &&Lost| format!("{} ({})", quoted(&lost.label), in_tokens(lost));
        let largest: Vec<String> = lost.iter().take(LARGEST).map(named).collect();
        let more = match lost.len().saturating_sub(LARGEST) {
            0 => String::new(),
            more => format!(" and {} more", grouped(more as u64)),
        };
        Some(format!(
            "{what} ({tokens}), {} of {} tokens used; the largest: {}{more}",
            count(block),
            grouped(limit),
            largest.join(", "),
        ))
    }
}
