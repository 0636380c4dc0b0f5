//! The common cap at which texts of given lengths come to a given sum.

use std::collections::BinaryHeap;

/// The largest number to which texts can be capped so that they come to at most `capacity`; it falls
/// as texts are added, and does not depend on their order.
#[derive(Debug)]
pub(super) struct Level {
    capacity: u64,
    below: BinaryHeap<u64>,
    below_sum: u64,
    above: u64,
    level: u64,
}

impl Level {
    pub(super) fn new(capacity: u64) -> Self {
        Self { capacity, below: BinaryHeap::new(), below_sum: 0, above: 0, level: u64::MAX }
    }

    pub(super) fn get(&self) -> u64 {
        self.level
    }

    /// Adds a text.
    pub(super) fn add(&mut self, tokens: u64) {
        if tokens <= self.level {
            self.below.push(tokens);
            self.below_sum = self.below_sum.saturating_add(tokens);
        } else {
            self.above += 1;
        }
        self.settle();
    }

    fn settle(&mut self) {
        loop {
            let room = self.capacity.saturating_sub(self.below_sum);
            let level = match self.above {
                0 if self.below_sum <= self.capacity => u64::MAX,
                above => room / above.max(1),
            };
            match self.below.peek().copied().filter(|top| *top > level) {
                Some(top) => {
                    self.below.pop();
                    self.below_sum -= top;
                    self.above += 1;
                }
                None => {
                    self.level = level;
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn level(capacity: u64, texts: impl IntoIterator<Item = u64>) -> u64 {
        let mut level = Level::new(capacity);
        texts.into_iter().for_each(|tokens| level.add(tokens));
        level.get()
    }

    proptest! {
        #[test]
        fn the_level_is_the_largest_that_holds(
            texts in prop::collection::vec(0_u64..50, 0..20), capacity in 0_u64..400,
        ) {
            let sum = |level: u64| texts.iter().map(|tokens| *tokens.min(&level)).sum::<u64>();
            let found = level(capacity, texts.iter().copied());
            prop_assert_eq!(found, level(capacity, texts.iter().rev().copied()));
            if found == u64::MAX {
                prop_assert!(sum(found) <= capacity);
            } else {
                prop_assert!(sum(found) <= capacity && sum(found + 1) > capacity);
            }
        }
    }
}
