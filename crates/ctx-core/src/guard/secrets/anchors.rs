//! The vectorised search for the anchors of all rules.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::packed::{Config, Searcher};
use aho_corasick::{AhoCorasick, Input, MatchKind, Span};

use super::rules::{Rule, Secret, Site};
use super::table;

/// What is searched for: the start of one anchor or of several.
pub(super) struct Prefix {
    pub(super) text: &'static str,
    /// The rules whose anchors begin so, the longest anchor first.
    pub(super) rules: Vec<Rule>,
}

impl Prefix {
    /// The secret that the first of the rules finds where the prefix stands.
    pub(super) fn check(&self, text: &[u8], floor: usize, start: usize) -> Option<Secret> {
        self.rules.iter().filter(|rule| text[start..].starts_with(rule.anchor.as_bytes())).find_map(|rule| {
            rule.check(&Site { text, floor, start, end: start + rule.anchor.len(), known: token_at_start })
        })
    }
}

/// All prefixes; none of them is the start of another one.
pub(super) fn prefixes() -> &'static [Prefix] {
    static PREFIXES: OnceLock<Vec<Prefix>> = OnceLock::new();
    PREFIXES.get_or_init(|| {
        let mut rules: Vec<Rule> = table::rules().collect();
        rules.sort_by_key(|rule| rule.anchor);
        let mut prefixes: Vec<Prefix> = Vec::new();
        for rule in rules {
            match prefixes.last_mut().filter(|prefix| rule.anchor.starts_with(prefix.text)) {
                Some(prefix) => prefix.rules.push(rule),
                None => prefixes.push(Prefix { text: rule.anchor, rules: vec![rule] }),
            }
        }
        for prefix in &mut prefixes {
            prefix.rules.sort_by_key(|rule| std::cmp::Reverse(rule.anchor.len()));
        }
        prefixes
    })
}

/// The token at the very start of `text`, if its prefix is known.
pub(super) fn token_at_start(text: &[u8]) -> Option<Secret> {
    let prefix = prefixes().iter().find(|prefix| text.starts_with(prefix.text.as_bytes()))?;
    prefix.check(text, 0, 0).filter(|secret| secret.range.start == 0)
}

/// A prefix in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Anchor {
    /// The index of the prefix.
    pub(super) prefix: usize,
    pub(super) span: Span,
}

/// The prefixes in one text, from left to right.
pub(super) struct Anchors<'t> {
    text: &'t [u8],
    groups: &'static [Group],
    /// What each group found last, and has yet to be skipped.
    pending: Vec<Pending>,
}

#[derive(Debug, Clone, Copy)]
enum Pending {
    Unknown,
    Found(Anchor),
    None,
}

impl<'t> Anchors<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        let groups = groups_for(text.len());
        Self { text, groups, pending: vec![Pending::Unknown; groups.len()] }
    }

    /// The first prefix at or after `from`, which must not fall.
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

/// Measured: some searches for few prefixes each are many times as fast as one for all, because the
/// first filter of each lets less through. Short prefixes filter worst and go into a group of their own.
const PER_GROUP: usize = 64;

/// The groups to search a text of `length` bytes with. Making the quick ones takes as long as a plain
/// search through a few short texts, which had better do without.
fn groups_for(length: usize) -> &'static [Group] {
    const SHORT: usize = 1024;
    const FEW: usize = 16;
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    static PLAIN: OnceLock<Vec<Group>> = OnceLock::new();
    static QUICK: OnceLock<Vec<Group>> = OnceLock::new();
    match QUICK.get() {
        None if length <= SHORT && SEEN.fetch_add(1, Ordering::Relaxed) < FEW => {
            PLAIN.get_or_init(|| vec![Group::plain((0..prefixes().len()).collect())])
        }
        Some(_) | None => QUICK.get_or_init(|| {
            const SHORT: usize = 3;
            let (short, long): (Vec<usize>, Vec<usize>) =
                (0..prefixes().len()).partition(|&prefix| prefixes()[prefix].text.len() <= SHORT);
            let groups = short.chunks(PER_GROUP).chain(long.chunks(PER_GROUP));
            groups.map(|group| Group::quick(group.to_vec())).collect()
        }),
    }
}

/// Prefixes that are searched for together.
pub(super) struct Group {
    prefixes: Vec<usize>,
    search: Search,
}

/// How to search: vectorised where the processor can do it.
enum Search {
    Packed(Box<Searcher>),
    Automaton(Box<AhoCorasick>),
    /// One prefix after the other where one may begin, by its first two bytes.
    Plain(Box<[bool; MARKS]>),
}

const MARKS: usize = 1024;

fn mark(two: &[u8]) -> usize {
    (usize::from(two[0]) * 37 + usize::from(two[1])) % MARKS
}

impl Group {
    fn quick(group: Vec<usize>) -> Self {
        let texts = group.iter().map(|&prefix| prefixes()[prefix].text);
        let packed = Config::new().heuristic_pattern_limits(false).builder().extend(texts).build();
        match packed {
            Some(searcher) => Self { prefixes: group, search: Search::Packed(Box::new(searcher)) },
            None => Self::with_automaton(group),
        }
    }

    pub(super) fn with_automaton(group: Vec<usize>) -> Self {
        let texts = group.iter().map(|&prefix| prefixes()[prefix].text);
        match AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(texts) {
            Ok(automaton) => Self { prefixes: group, search: Search::Automaton(Box::new(automaton)) },
            Err(_) => Self::plain(group),
        }
    }

    pub(super) fn plain(group: Vec<usize>) -> Self {
        let mut begins = Box::new([false; MARKS]);
        for &prefix in &group {
            begins[mark(prefixes()[prefix].text.as_bytes())] = true;
        }
        Self { prefixes: group, search: Search::Plain(begins) }
    }

    /// The first prefix in `span`.
    pub(super) fn find(&self, text: &[u8], span: Span) -> Option<Anchor> {
        let found = match &self.search {
            Search::Packed(searcher) => searcher.find_in(text, span),
            Search::Automaton(automaton) => automaton.find(Input::new(text).span(span)),
            Search::Plain(begins) => return self.find_plainly(begins, text, span),
        };
        found.map(|found| Anchor { prefix: self.prefixes[found.pattern().as_usize()], span: found.span() })
    }

    fn find_plainly(&self, begins: &[bool; MARKS], text: &[u8], span: Span) -> Option<Anchor> {
        let text = &text[span];
        let starts = text.windows(2).enumerate().filter(|(_, two)| begins[mark(two)]);
        let mut starts = starts.map(|(start, _)| start);
        starts.find_map(|start| {
            let begins = |prefix: &&usize| text[start..].starts_with(prefixes()[**prefix].text.as_bytes());
            let prefix = *self.prefixes.iter().find(begins)?;
            let start = span.start + start;
            Some(Anchor { prefix, span: Span { start, end: start + prefixes()[prefix].text.len() } })
        })
    }
}
