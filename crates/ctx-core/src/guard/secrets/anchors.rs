//! Searches for the anchors of all rules, in one pass.

use std::sync::OnceLock;

use super::rules::{Secret, SecretKind, SecretRule, Site};
use super::table;
use super::trigrams::{Anchor, Trigrams};

/// A search term: the start of one anchor or several.
pub(super) struct Prefix {
    pub(super) text: &'static str,
    /// The rules whose anchors begin with it, the longest anchor first.
    pub(super) rules: &'static [SecretRule],
}

impl Prefix {
    /// The rules with an anchor at the start of `text`.
    fn rules_at(&self, text: &[u8]) -> impl Iterator<Item = &SecretRule> {
        self.rules.iter().filter(|rule| text.starts_with(rule.anchor.as_bytes()))
    }

    /// Whether `text`, which begins with the prefix, may begin a secret that extends over several lines.
    pub(super) fn may_begin_block(&self, text: &[u8]) -> bool {
        let begins =
            |rule: &SecretRule| rule.kind == SecretKind::PRIVATE_KEY && !rule.anchor.ends_with("END");
        self.rules_at(text).any(begins)
    }

    /// The secret that the first matching rule finds at the prefix.
    pub(super) fn check(&self, text: &[u8], floor: usize, start: usize) -> Option<Secret> {
        self.rules_at(&text[start..]).find_map(|rule| {
            let end = start + rule.anchor.len();
            rule.check(&Site { text, floor, start, end, kind: rule.kind, known: token_at_start })
        })
    }
}

/// All prefixes; none is the start of another.
pub(super) fn prefixes() -> &'static [Prefix] {
    static PREFIXES: OnceLock<Vec<Prefix>> = OnceLock::new();
    PREFIXES.get_or_init(|| {
        let mut prefixes = Vec::new();
        let mut left = rules();
        while let Some(SecretRule { anchor, .. }) = left.last() {
            let longer = left.iter().rev().take_while(|rule| rule.anchor.starts_with(anchor)).count();
            let (before, rules) = left.split_at(left.len() - longer);
            prefixes.push(Prefix { text: anchor, rules });
            left = before;
        }
        prefixes
    })
}

/// All rules, by their anchors; an anchor comes after those that begin with it.
fn rules() -> &'static [SecretRule] {
    static RULES: OnceLock<Vec<SecretRule>> = OnceLock::new();
    RULES.get_or_init(|| {
        let mut rules: Vec<SecretRule> = table::rules().collect();
        // Numbers as keys, because this is a large part of a start.
        rules.sort_by_cached_key(|rule| longer_first(rule.anchor));
        rules
    })
}

/// A key that sorts an anchor after those that begin with it.
fn longer_first(anchor: &str) -> [u128; 2] {
    let mut key = [[u8::MAX; 16]; 2];
    key.as_flattened_mut()[..anchor.len()].copy_from_slice(anchor.as_bytes());
    key.map(u128::from_be_bytes)
}

/// The token at the very start of `text`, if its prefix is known.
pub(super) fn token_at_start(text: &[u8]) -> Option<Secret> {
    let prefix = prefixes().iter().find(|prefix| text.starts_with(prefix.text.as_bytes()))?;
    prefix.check(text, 0, 0).filter(|secret| secret.range.start == 0)
}

/// The prefixes in `text`, from left to right.
pub(super) struct Anchors<'t> {
    text: &'t [u8],
    trigrams: &'static Trigrams,
    /// The anchors in the current block that have not been returned yet, in reverse order.
    found: Vec<Anchor>,
    /// Where the next block begins.
    block: usize,
}

/// The number of bytes searched at once, so that the anchors of a whole document need not be in memory
/// together.
pub(super) const BLOCK: usize = 1 << 14;

impl<'t> Anchors<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        static TRIGRAMS: OnceLock<Trigrams> = OnceLock::new();
        let trigrams = TRIGRAMS.get_or_init(|| Trigrams::of(prefixes().iter().map(|prefix| prefix.text)));
        Self { text, trigrams, found: Vec::new(), block: 0 }
    }

    /// The first prefix at or after `from`, which must not decrease between calls.
    pub(super) fn next(&mut self, from: usize) -> Option<Anchor> {
        loop {
            while let Some(anchor) = self.found.pop() {
                if anchor.range.start >= from {
                    return Some(anchor);
                }
            }
            let start = self.block.max(from);
            if start >= self.text.len() {
                return None;
            }
            self.block = self.text.len().min(start + BLOCK);
            self.trigrams.find(self.text, start..self.block, &mut self.found);
        }
    }
}
