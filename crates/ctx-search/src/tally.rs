//! Counts how often each word occurs in a passage.

use crate::word::Word;

/// How often a word occurs in a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Posting {
    /// The index of the passage in the file.
    pub passage: u32,
    /// The word.
    pub word: Word,
    /// How often the word occurs in the passage.
    pub count: u32,
}

/// Finds the posting of a word among those of the current passage.
#[derive(Debug)]
pub(crate) struct Tally {
    /// The posting of a word is in the slot of the word's number or, if that is taken, in the next free one.
    slots: Vec<Slot>,
    /// The number of the current passage; slots with other numbers are free.
    serial: u32,
    /// Where the postings of the passage begin.
    first: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    serial: u32,
    word: Word,
    place: u32,
}

/// Twice as many slots as an ordinary passage needs.
const SLOTS: usize = 1 << 10;

impl Default for Tally {
    fn default() -> Self {
        Self { slots: vec![Slot::default(); SLOTS], serial: 0, first: 0 }
    }
}

impl Tally {
    /// Begins a passage, whose postings will be added after these.
    pub(crate) fn begin(&mut self, postings: &[Posting]) {
        if self.serial == u32::MAX || self.slots.len() > SLOTS {
            *self = Self::default();
        }
        self.serial += 1;
        self.first = postings.len();
    }

    /// Counts a word of the passage.
    #[inline]
    pub(crate) fn count(&mut self, postings: &mut Vec<Posting>, passage: u32, word: Word) {
        let slot = self.slot(word);
        let Slot { serial, place, .. } = self.slots[slot];
        if serial == self.serial {
            postings[place as usize].count += 1;
            return;
        }
        self.slots[slot] = Slot { serial: self.serial, word, place: postings.len() as u32 };
        postings.push(Posting { passage, word, count: 1 });
        if 2 * (postings.len() - self.first) > self.slots.len() {
            self.grow(postings);
        }
    }

    /// The slot of a word, or a free one for it.
    #[inline]
    fn slot(&self, word: Word) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = word.0 as usize & mask;
        while self.slots[at].serial == self.serial && self.slots[at].word != word {
            at = (at + 1) & mask;
        }
        at
    }

    #[cold]
    fn grow(&mut self, postings: &[Posting]) {
        self.slots = vec![Slot::default(); 2 * self.slots.len()];
        for (place, posting) in postings.iter().enumerate().skip(self.first) {
            let slot = self.slot(posting.word);
            self.slots[slot] = Slot { serial: self.serial, word: posting.word, place: place as u32 };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn postings_count_each_word_in_each_passage(
            passages in prop::collection::vec(prop::collection::vec((0_u32..40).prop_map(|word| word * 1024 % 6000), 0..200), 0..6),
            many in 0_u32..3000,
        ) {
            let passages = [vec![(0..many).chain(0..many).collect()], passages].concat();
            let (mut tally, mut postings) = (Tally::default(), Vec::new());
            for (passage, words) in (0..).zip(&passages) {
                tally.begin(&postings);
                words.iter().for_each(|word| tally.count(&mut postings, passage, Word(*word)));
            }
            let mut expected: BTreeMap<(u32, Word), u32> = BTreeMap::new();
            for (passage, words) in (0..).zip(&passages) {
                words.iter().for_each(|word| *expected.entry((passage, Word(*word))).or_default() += 1);
            }
            let expected: Vec<Posting> =
                expected.into_iter().map(|((passage, word), count)| Posting { passage, word, count }).collect();
            prop_assert!(postings.is_sorted_by_key(|posting| posting.passage));
            postings.sort_unstable();
            prop_assert_eq!(postings, expected);
        }
    }
}
