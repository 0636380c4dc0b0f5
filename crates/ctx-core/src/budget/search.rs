//! The largest number with which a block fits, found with few blocks counted.

/// What is known of blocks that grow with a number.
pub(super) struct Probe<E, X> {
    /// The units of a block, quickly and but for a part that hardly changes.
    pub(super) estimated: E,
    /// The units of a block.
    pub(super) exact: X,
    /// The most units that fit.
    pub(super) most: u64,
}

/// After so many blocks the estimates are not trusted any more.
const TRUSTED: usize = 6;

/// How many numbers above the largest that was found are tried: a block can be a token or two
/// smaller with a larger cap, when the number of omitted lines has a digit less.
const DIPS: u64 = 4;

/// The largest number from `low` to `high` with which the block fits, if it grows with the number;
/// with `low` it fits.
pub(super) fn largest<E, X>(low: u64, high: u64, probe: &Probe<E, X>) -> u64
where
    E: Fn(u64) -> u64,
    X: Fn(u64) -> u64,
{
    if low >= high {
        return low;
    }
    let mut search = LargestSearch { probe, fits: low, above: high, around: probe.around(low) };
    for tried in 0.. {
        if search.fits >= search.above {
            break;
        }
        search.try_one(tried < TRUSTED);
    }
    search.fits = search.beyond_dips(high);
    search.fits
}

impl<E: Fn(u64) -> u64, X: Fn(u64) -> u64> Probe<E, X> {
    /// What the estimate misses.
    fn around(&self, number: u64) -> i128 {
        i128::from((self.exact)(number)) - i128::from((self.estimated)(number))
    }

    fn may_fit(&self, number: u64, around: i128) -> bool {
        i128::from((self.estimated)(number)) + around <= i128::from(self.most)
    }
}

struct LargestSearch<'p, E, X> {
    probe: &'p Probe<E, X>,
    /// With this the block fits.
    fits: u64,
    /// With more than this it does not, or is not asked for.
    above: u64,
    /// What the estimate misses.
    around: i128,
}

impl<E: Fn(u64) -> u64, X: Fn(u64) -> u64> LargestSearch<'_, E, X> {
    fn try_one(&mut self, trusted: bool) {
        let guess = if trusted { self.guess() } else { self.above - (self.above - self.fits) / 2 };
        let number = guess.clamp(self.fits + 1, self.above);
        self.around = self.probe.around(number);
        if self.probe.may_fit(number, self.around) {
            self.fits = number;
        } else {
            self.above = number - 1;
        }
    }

    fn guess(&self) -> u64 {
        let (mut low, mut high) = (self.fits, self.above);
        while low < high {
            let middle = high - (high - low) / 2;
            if self.probe.may_fit(middle, self.around) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low
    }

    fn beyond_dips(&self, high: u64) -> u64 {
        let fits = |number: u64| {
            self.probe.may_fit(number, self.around) && (self.probe.exact)(number) <= self.probe.most
        };
        let mut found = self.fits;
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
        fn the_largest_is_found_however_wrong_the_estimates(
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
