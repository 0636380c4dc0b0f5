//! The places that a block is made of, for people: which lines of which file, and what is declared there.

use super::{Fate, Item, Plan};
use crate::document::Document;
use ctx_outline::Lines;

/// Lines of a file in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedPlace<'p> {
    /// The label of the document, without lines.
    pub label: &'p str,
    /// The lines, counted from 1, unless they are all.
    pub lines: Option<[usize; 2]>,
    /// What is declared there.
    pub name: Option<String>,
    /// Their tokens.
    pub tokens: u64,
}

/// Fewer lines than this, if others of the file follow, are only the head of what these are declared in.
const HEAD: usize = 3;

impl Plan {
    /// The places in the block, in its order.
    #[must_use]
    pub fn places(&self) -> Vec<PrintedPlace<'_>> {
        self.printed().flat_map(|(item, document)| self.places_of(item, document)).collect()
    }

    fn places_of<'p>(&'p self, item: &'p Item, document: &'p Document) -> Vec<PrintedPlace<'p>> {
        let kept: &[Lines] = if let Fate::Truncated(part) = &item.fate { &part.kept } else { &[] };
        let Some(last) = kept.last() else {
            let (label, tokens) = (item.source.label.as_str(), self.printed_tokens(item));
            return vec![PrintedPlace { label, lines: None, name: None, tokens }];
        };
        let label = item.source.path();
        let declared = self.request.reading.lookup().declared(label, &document.text);
        let before = document.lines_before();
        let counter = self.request.measure.counter;
        let mut of_heads = 0;
        let mut places = Vec::new();
        for run in kept {
            let tokens = counter.tokens(document.excerpt(*run));
            if run.count() < HEAD && run != last {
                of_heads += tokens;
                continue;
            }
            let declared = declared.as_ref();
            let within = declared.and_then(|declared| declared.named_within(*run, |_| true));
            let around = || declared.and_then(|declared| declared.name_around(run.first));
            places.push(PrintedPlace {
                label,
                lines: Some([run.first + before, run.last + before]),
                name: within.map(|(name, _)| name).or_else(around),
                tokens: tokens + std::mem::take(&mut of_heads),
            });
        }
        places
    }
}
