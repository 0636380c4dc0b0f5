//! Finds the largest number for which a block fits, counting few blocks.

/// How to measure blocks that grow with a number.
pub(super) struct Probe<E, X> {
    /// The units of a block, computed quickly but without a part that hardly changes.
    pub(super) estimated: E,
    /// The units of a block.
    pub(super) exact: X,
    /// The most units that fit.
    pub(super) most: u64,
}

/// How many blocks to measure before giving up on the estimates.
const TRUSTED: usize = 6;

/// How many numbers above the largest one are tried. A block can be a token or two smaller with a larger cap, if
/// the number of omitted lines has one digit less.
const DIPS: u64 = 4;

/// The largest number from `low` to `high` for which the block fits, if it grows with the number; it fits for
/// `low`.
pub(super) fn largest<E, X>(low: u64, high: u64, probe: &Probe<E, X>) -> u64
where
    E: Fn(u64) -> u64,
    X: Fn(u64) -> u64,
{
    if low >= high {
        return low;
    }
    // The block fits for the first number; for numbers above the second, it does not fit or is not tried.
    let (mut fits, mut above) = (low, high);
    let mut around = probe.around(low);
    for tried in 0.. {
        if fits >= above {
            break;
        }
        let guess =
            if tried < TRUSTED { probe.guess(fits, above, around) } else { above - (above - fits) / 2 };
        let number = guess.clamp(fits + 1, above);
        around = probe.around(number);
        if probe.may_fit(number, around) {
            fits = number;
        } else {
            above = number - 1;
        }
    }
    probe.beyond_dips(fits, high, around)
}

impl<E: Fn(u64) -> u64, X: Fn(u64) -> u64> Probe<E, X> {
    /// How far the exact units exceed the estimate.
    fn around(&self, number: u64) -> i128 {
        i128::from((self.exact)(number)) - i128::from((self.estimated)(number))
    }

    fn may_fit(&self, number: u64, around: i128) -> bool {
        i128::from((self.estimated)(number)) + around <= i128::from(self.most)
    }

    /// The largest number from `low` to `high` that may fit.
    fn guess(&self, mut low: u64, mut high: u64, around: i128) -> u64 {
        while low < high {
            let middle = high - (high - low) / 2;
            if self.may_fit(middle, around) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low
    }

    fn beyond_dips(&self, mut found: u64, high: u64, around: i128) -> u64 {
        let fits = |number: u64| self.may_fit(number, around) && (self.exact)(number) <= self.most;
        while let Some(larger) = (found + 1..=high.min(found + DIPS)).rev().find(|number| fits(*number)) {
            found = larger;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_largest_number_that_fits_is_found_however_wrong_the_estimates(
            steps in prop::collection::vec((1_u64..50, 0_u64..60), 1..200), most in 0_u64..6_000,
        ) {
            let exact: Vec<u64> = steps.iter().scan(0, |sum, (step, _)| { *sum += step; Some(*sum) }).collect();
            let estimated: Vec<u64> = steps.iter().scan(0, |sum, (_, step)| { *sum += step; Some(*sum) }).collect();
            let expected = exact.iter().rposition(|units| *units <= most).unwrap_or(0);
            let probe = Probe {
                estimated: |number: u64| estimated[number as usize],
                exact: |number: u64| exact[number as usize],
                most,
            };
            if exact[0] <= most {
                prop_assert_eq!(largest(0, exact.len() as u64 - 1, &probe), expected as u64);
            }
        }
    }
}
