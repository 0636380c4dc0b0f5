//! The vectorised search for the anchors of all rules.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::packed::{Config, Searcher};
use aho_corasick::{AhoCorasick, Input, MatchKind, Span};

use super::rules::RULES;

/// An anchor in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Anchor {
    /// The index of its rule.
    pub(super) rule: usize,
    pub(super) span: Span,
}

/// The anchors in one text, from left to right.
pub(super) struct Anchors<'t> {
    text: &'t [u8],
    groups: &'static [Group; GROUPS],
    /// What each group found last, and has yet to be passed over.
    pending: [Pending; GROUPS],
}

#[derive(Debug, Clone, Copy)]
enum Pending {
    Unknown,
    Found(Anchor),
    None,
}

impl<'t> Anchors<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, groups: groups_for(text.len()), pending: [Pending::Unknown; GROUPS] }
    }

    /// The first anchor at or after `from`, which must not fall.
    pub(super) fn next(&mut self, from: usize) -> Option<Anchor> {
        let span = Span { start: from, end: self.text.len() };
        let mut first: Option<Anchor> = None;
        for (group, pending) in self.groups.iter().zip(&mut self.pending) {
            let anchor = match *pending {
                Pending::None => None,
                Pending::Found(anchor) if anchor.span.start >= from => Some(anchor),
                Pending::Found(_) | Pending::Unknown => group.find(self.text, span),
            };
            *pending = anchor.map_or(Pending::None, Pending::Found);
            first = first.into_iter().chain(anchor).min_by_key(|anchor| anchor.span.start);
        }
        first
    }
}

/// Measured: three searches for few anchors each are ten times as fast as one for all, because the
/// first filter of each lets less through. Short anchors filter worst and go into a group of their own.
const GROUPS: usize = 3;

/// The groups to search a text of `length` bytes with. Making the quick ones takes as long as a plain
/// search through a few short texts, which had better do without.
fn groups_for(length: usize) -> &'static [Group; GROUPS] {
    const SHORT: usize = 1024;
    const FEW: usize = 16;
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    static PLAIN: OnceLock<[Group; GROUPS]> = OnceLock::new();
    static QUICK: OnceLock<[Group; GROUPS]> = OnceLock::new();
    match QUICK.get() {
        None if length <= SHORT && SEEN.fetch_add(1, Ordering::Relaxed) < FEW => {
            PLAIN.get_or_init(|| groups(Group::plain))
        }
        Some(_) | None => QUICK.get_or_init(|| groups(Group::quick)),
    }
}

fn groups(group: fn(Vec<usize>) -> Group) -> [Group; GROUPS] {
    const SHORT: usize = 3;
    let (short, long): (Vec<usize>, Vec<usize>) =
        (0..RULES.len()).partition(|&rule| RULES[rule].anchor.len() <= SHORT);
    let (some, others) = long.split_at(long.len() / 2);
    [group(short), group(some.to_vec()), group(others.to_vec())]
}

/// Whether any anchor may begin with two bytes, at their `mark`.
static BEGINS: [bool; 1024] = {
    let mut begins = [false; 1024];
    let mut rule = 0;
    while rule < RULES.len() {
        begins[mark(RULES[rule].anchor.as_bytes())] = true;
        rule += 1;
    }
    begins
};

const fn mark(text: &[u8]) -> usize {
    (text[0] as usize * 37 + text[1] as usize) % 1024
}

/// Anchors that are searched for together.
pub(super) struct Group {
    rules: Vec<usize>,
    search: Search,
}

/// How to search: vectorised where the processor can do it.
enum Search {
    Packed(Box<Searcher>),
    Automaton(Box<AhoCorasick>),
    /// One anchor after the other.
    Plain,
}

impl Group {
    fn quick(rules: Vec<usize>) -> Self {
        let anchors = rules.iter().map(|&rule| RULES[rule].anchor);
        let packed = Config::new().heuristic_pattern_limits(false).builder().extend(anchors).build();
        match packed {
            Some(searcher) => Self { rules, search: Search::Packed(Box::new(searcher)) },
            None => Self::with_automaton(rules),
        }
    }

    pub(super) fn with_automaton(rules: Vec<usize>) -> Self {
        let anchors = rules.iter().map(|&rule| RULES[rule].anchor);
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(anchors);
        let search = automaton.map_or(Search::Plain, |automaton| Search::Automaton(Box::new(automaton)));
        Self { rules, search }
    }

    pub(super) fn plain(rules: Vec<usize>) -> Self {
        Self { rules, search: Search::Plain }
    }

    /// The first anchor in `span`.
    pub(super) fn find(&self, text: &[u8], span: Span) -> Option<Anchor> {
        let found = match &self.search {
            Search::Packed(searcher) => searcher.find_in(text, span),
            Search::Automaton(automaton) => automaton.find(Input::new(text).span(span)),
            Search::Plain => return self.find_plainly(text, span),
        };
        found.map(|found| Anchor { rule: self.rules[found.pattern().as_usize()], span: found.span() })
    }

    fn find_plainly(&self, text: &[u8], span: Span) -> Option<Anchor> {
        let text = &text[span];
        let starts = text.windows(2).enumerate().filter(|(_, two)| BEGINS[mark(two)]);
        let mut starts = starts.map(|(start, _)| start);
        starts.find_map(|start| {
            let begins = |rule: &&usize| text[start..].starts_with(RULES[**rule].anchor.as_bytes());
            let rule = *self.rules.iter().find(begins)?;
            let start = span.start + start;
            Some(Anchor { rule, span: Span { start, end: start + RULES[rule].anchor.len() } })
        })
    }
}
