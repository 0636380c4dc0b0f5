//! Which documents are certain to give way, known while they are still being read.
//!
//! A document that is certain to be dropped need not be counted to its end, and its text can be
//! forgotten; of one that is certain to be cut, the beginning is enough. Each rule knows that from
//! something else, and none ever guesses: what comes through is decided upon as if all had.

mod largest;
mod queue;
mod state;

use crate::format::{Format, Labels};
use ctx_tokens::{Counter, Measure};

use super::cut;
use super::{Candidate, Extent, Layout, Trim};
use largest::Largest;
use queue::{Queue, Shares};

/// Takes documents in any order and from several threads; what it lets through does not depend on
/// either.
#[derive(Debug)]
pub struct Sieve<'a> {
    measuring: Measuring,
    rule: Rule<'a>,
}

#[derive(Debug)]
enum Rule<'a> {
    Largest(Largest),
    InOrder(Box<Queue<'a>>),
}

/// What is known of a document before it is read.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// What it is called.
    pub label: &'a str,
    /// Whether it is kept whole, whatever gives way.
    pub pin: bool,
}

/// What has to be kept of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weighed {
    /// How much of the text that is.
    pub extent: Extent,
    /// Its length in bytes.
    pub length: usize,
}

impl Weighed {
    /// Cuts `text`, which was weighed, to what has to be kept of it.
    pub fn cut(self, text: &mut String) -> Extent {
        if self.length < text.len() {
            text.truncate(self.length);
            text.shrink_to_fit();
        }
        self.extent
    }
}

impl<'a> Sieve<'a> {
    /// A sieve for a block of at most `limit` tokens of the documents in `expected`, each of which
    /// must be [admitted](Self::admit) or [passed](Self::pass) by its place among them, best the
    /// pinned ones first. `None` for a rule that nothing can be kept from.
    #[must_use]
    pub fn new(
        counter: Counter,
        layout: Layout<'a>,
        limit: u64,
        trim: Trim,
        expected: &[Expected<'a>],
    ) -> Option<Self> {
        let measuring = Measuring { counter, format: layout.format, limit };
        let queue = |shares| {
            let labels = Labels::new(expected.iter().map(|document| document.label));
            let pins = expected.iter().map(|document| document.pin).collect();
            Rule::InOrder(Box::new(Queue::new(measuring, layout, shares, labels, pins)))
        };
        let rule = match trim {
            Trim::Largest => Rule::Largest(Largest::new()),
            Trim::FirstFit => queue(Shares::Whole),
            Trim::Truncate => queue(Shares::Capped { least: cut::least_cap(counter) }),
            // The error says by how much the block is over, so every text takes part to its end.
            Trim::Fail => return None,
        };
        Some(Self { measuring, rule })
    }

    /// Whether decisions are made in the documents' order, so that they are best read in it.
    #[must_use]
    pub fn is_in_order(&self) -> bool {
        match &self.rule {
            Rule::Largest(_) => false,
            Rule::InOrder(_) => true,
        }
    }

    /// How many bytes of a text are worth [a look](Self::surely_drops) before it is made ready.
    #[must_use]
    pub fn telling_length(&self) -> usize {
        /// More bytes than a piece of most texts has.
        const BYTES: u64 = 8;
        let tokens = match &self.rule {
            Rule::Largest(largest) => largest.telling_tokens(&self.measuring),
            Rule::InOrder(queue) => queue.telling_tokens(),
        };
        usize::try_from(tokens.saturating_mul(BYTES).saturating_add(256)).unwrap_or(usize::MAX)
    }

    /// Whether every unpinned text that begins with `head` is certain to be dropped.
    #[must_use]
    pub fn surely_drops(&self, head: &str) -> bool {
        match &self.rule {
            Rule::Largest(largest) => largest.surely_drops(&self.measuring, head),
            Rule::InOrder(queue) => queue.surely_drops(head),
        }
    }

    /// What has to be kept of an unpinned text; `None` if it is certain to be dropped.
    #[must_use]
    pub fn weigh(&self, text: &str) -> Option<Weighed> {
        let all = |extent| Weighed { extent, length: text.len() };
        match &self.rule {
            Rule::Largest(largest) => largest.weigh(&self.measuring, text).map(all),
            Rule::InOrder(queue) => queue.weigh(text),
        }
    }

    /// Takes a document in; gives back the places of those whose texts can now be forgotten, itself
    /// perhaps among them.
    pub fn admit(&self, place: usize, candidate: &Candidate<'_>) -> Vec<usize> {
        match (&self.rule, &candidate.extent) {
            (Rule::Largest(largest), Extent::Whole(measure) | Extent::Ends(measure)) => {
                largest.admit(&self.measuring, place, measure, candidate.pin)
            }
            (Rule::Largest(_), Extent::Beginning { .. }) => Vec::new(),
            (Rule::InOrder(queue), _) => queue.admit(place, candidate),
        }
    }

    /// Says that there is no document at a place; gives back what [`Self::admit`] does.
    pub fn pass(&self, place: usize) -> Vec<usize> {
        match &self.rule {
            Rule::Largest(_) => Vec::new(),
            Rule::InOrder(queue) => queue.pass(place),
        }
    }

    /// What has to be kept of an unpinned text that was measured; `None` if all of what is.
    #[must_use]
    pub fn shorten(&self, text: &str, extent: &Extent) -> Option<Weighed> {
        match (&self.rule, extent) {
            (Rule::InOrder(queue), Extent::Whole(measure)) => queue.shorten(text, measure),
            (Rule::InOrder(_) | Rule::Largest(_), _) => None,
        }
    }
}

/// What the limit is, and how texts are measured against it.
#[derive(Debug, Clone, Copy)]
struct Measuring {
    counter: Counter,
    format: Format,
    limit: u64,
}

impl Measuring {
    fn whole(&self, text: &str) -> Extent {
        Extent::Whole(self.counter.tokenizer.measure(text))
    }

    fn most_units(&self) -> u64 {
        self.counter.most_units(self.limit)
    }

    /// Whether `text` has more than `limit` tokens; does not count far beyond them.
    fn exceeds_tokens(&self, text: &str, limit: u64) -> bool {
        let limit = self.counter.unscaled(limit);
        text.len() as u64 > limit && self.counter.tokenizer.at_most(text, limit).is_none()
    }

    /// Whether `text` is certain to add more than `room` units to every block.
    fn exceeds_units(&self, text: &str, room: u64) -> bool {
        match self.format {
            Format::Text | Format::Markdown | Format::Xml => self.counter.exceeds(text, room),
            Format::Json => {
                // Escaping goes by characters: the beginning of a text becomes that of its body.
                let most = usize::try_from(room.saturating_mul(16).saturating_add(256)).unwrap_or(usize::MAX);
                let length = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
                self.counter.exceeds(&self.format.body(&text[..length.unwrap_or(0)]), room)
            }
        }
    }
}

/// Units that a document adds to every block that it is in, as far as its measure says.
fn least_units(measuring: &Measuring, extent: &Extent) -> u64 {
    match extent {
        Extent::Whole(measure) | Extent::Ends(measure) => whole_units(measuring, measure),
        Extent::Beginning { bytes, .. } => measuring.counter.least_units(*bytes),
    }
}

fn whole_units(measuring: &Measuring, measure: &Measure) -> u64 {
    super::fitting::least_units(measuring.counter, measuring.format, measure)
}
