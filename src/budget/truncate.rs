//! Every unpinned file is capped at the largest common number of tokens with which the block fits.
//!
//! Files are cut at line ends, so a common cap leaves some of the budget unused. What is left goes
//! to the first files, a token more for each as long as the block fits. Then the room that remains
//! is shorter than the next line of the next file; if it is more than a twentieth of the budget,
//! that line is cut inside.
//!
//! Where there are so many files that a common cap would show next to nothing of each, the later
//! ones are dropped, until the cap can be one that shows something.

use std::collections::BTreeMap;

use super::cut::{Cut, Cutter, Place};
use super::draft::Draft;
use super::{Candidate, DropReason, FitError, Fitted, Fitting, Outcome, first_fit};

/// How many caps above the largest that was found are tried: a block can be a token or two
/// smaller with a larger cap, when the number of omitted lines has a digit less.
const DIPS: u64 = 4;

pub(super) fn fit(fitting: &Fitting<'_>) -> Result<Fitted, FitError> {
    let everything: u64 = (0..fitting.candidates.len()).map(|place| fitting.least_units(place)).sum();
    if !fitting.is_certainly_over(everything)
        && let Ok(fitted) = fitting.all_or_nothing()
    {
        return Ok(fitted);
    }
    fitting.pinned_draft()?;
    let files = Files::new(fitting);
    match files.plan() {
        Some(plan) => Ok(files.fitted(&plan)),
        None => first_fit::fit(fitting),
    }
}

/// The unpinned files and the ways to cut them.
struct Files<'f, 'a> {
    fitting: &'f Fitting<'a>,
    unpinned: Vec<usize>,
    cutters: Vec<Cutter<'a>>,
}

/// What each unpinned file may use.
#[derive(Debug, Clone, Copy)]
struct Plan {
    /// How many files, from the first, are shown.
    shown: usize,
    /// The common cap, in tokens.
    cap: u64,
    /// How many files, from the first, may have one token more.
    raised: usize,
    /// A file that may be cut inside a line.
    inside: Option<Inside>,
}

#[derive(Debug, Clone, Copy)]
struct Inside {
    file: usize,
    cap: u64,
}

/// What is shown of an unpinned file.
enum Part {
    Whole,
    Cut(Cut),
    Nothing,
}

impl<'f, 'a> Files<'f, 'a> {
    fn new(fitting: &'f Fitting<'a>) -> Self {
        let unpinned: Vec<usize> = fitting.unpinned().collect();
        let cutter = |place: &usize| Cutter::new(fitting.counter, fitting.candidates[*place].text);
        let cutters = unpinned.iter().map(cutter).collect();
        Self { fitting, unpinned, cutters }
    }

    fn plan(&self) -> Option<Plan> {
        let least = self.cutters.iter().map(Cutter::least_cap).max()?;
        let shown = self.most_shown(least);
        if shown == 0 {
            return self.first_alone(least);
        }
        let most = self.unpinned[..shown].iter().map(|place| self.fitting.tokens(*place)).max()?;
        let plan = Plan { shown, cap: least, raised: 0, inside: None };
        let plan = Plan { cap: self.largest_cap(&plan, most.max(least)), ..plan };
        let raised = largest(0, shown as u64, |raised| self.fits(&Plan { raised: raised as usize, ..plan }));
        Some(self.filled(Plan { raised: raised as usize, ..plan }))
    }

    /// How many files, from the first, fit if each is capped at `cap`.
    fn most_shown(&self, cap: u64) -> usize {
        let parts = self.parts(&Plan { shown: self.unpinned.len(), cap, raised: 0, inside: None });
        let mut candidates = self.fitting.candidates.to_vec();
        for (place, part) in self.unpinned.iter().zip(&parts) {
            if let Part::Cut(cut) = part {
                candidates[*place] =
                    Candidate { text: &cut.text, measure: cut.measure, ..candidates[*place] };
            }
        }
        let (layout, counter) = (self.fitting.layout, self.fitting.counter);
        let mut draft = Draft::new(&candidates, layout, counter, self.fitting.pinned());
        let over = |place: &usize| {
            draft.insert(*place);
            draft.tokens() > self.fitting.limit
        };
        self.unpinned.iter().position(over).unwrap_or(self.unpinned.len())
    }

    /// The cap of `plan` raised as far as the block fits, up to `most`.
    fn largest_cap(&self, plan: &Plan, most: u64) -> u64 {
        let fits = |cap| self.fits(&Plan { cap, ..*plan });
        let texts = |cap| -> u64 {
            self.unpinned[..plan.shown].iter().map(|place| self.fitting.tokens(*place).min(cap)).sum()
        };
        let around = self.tokens(plan).saturating_sub(texts(plan.cap));
        let guess = largest(plan.cap, most, |cap| around + texts(cap) <= self.fitting.limit);
        let mut cap = largest_near(guess, plan.cap, most, fits);
        while let Some(larger) = (cap + 1..=most.min(cap + DIPS)).rev().find(|cap| fits(*cap)) {
            cap = larger;
        }
        cap
    }

    /// A plan for the first file alone, with a cap below `least`.
    fn first_alone(&self, least: u64) -> Option<Plan> {
        let plan = |cap| Plan { shown: 1, cap, raised: 0, inside: None };
        let shows = |plan: &Plan| match self.parts(plan).first() {
            Some(Part::Whole | Part::Cut(_)) => true,
            Some(Part::Nothing) | None => false,
        };
        (1..least).rev().map(plan).find(|plan| shows(plan) && self.fits(plan))
    }

    /// `plan`, with the first file that could not be raised cut inside a line if too much is unused.
    fn filled(&self, plan: Plan) -> Plan {
        let used = self.tokens(&plan);
        let enough = u128::from(used) * 20 >= u128::from(self.fitting.limit) * 19;
        if enough || plan.raised >= plan.shown {
            return plan;
        }
        let inside = |cap| Plan { inside: Some(Inside { file: plan.raised, cap }), ..plan };
        let filled = inside(largest(0, plan.cap + 1, |cap| self.fits(&inside(cap))));
        if self.tokens(&filled) > used { filled } else { plan }
    }

    fn fits(&self, plan: &Plan) -> bool {
        self.tokens(plan) <= self.fitting.limit
    }

    /// The tokens of the block.
    fn tokens(&self, plan: &Plan) -> u64 {
        self.draft(&self.parts(plan), |draft| draft.tokens())
    }

    fn parts(&self, plan: &Plan) -> Vec<Part> {
        let parts = (0..plan.shown).map(|file| self.part(plan, file));
        parts.chain((plan.shown..self.unpinned.len()).map(|_| Part::Nothing)).collect()
    }

    fn part(&self, plan: &Plan, file: usize) -> Part {
        let (cap, place) = match plan.inside {
            Some(inside) if inside.file == file => (inside.cap, Place::Anywhere),
            Some(_) | None => (plan.cap + u64::from(file < plan.raised), Place::LineEnd),
        };
        if self.fitting.tokens(self.unpinned[file]) <= cap {
            return Part::Whole;
        }
        self.cutters[file].cut(cap, place).map_or(Part::Nothing, Part::Cut)
    }

    /// A draft of what is printed: the pinned files and what `parts` leaves of the others.
    fn draft<T>(&self, parts: &[Part], read: impl FnOnce(&mut Draft<'_>) -> T) -> T {
        let mut printed: BTreeMap<usize, Candidate<'_>> =
            self.fitting.pinned().map(|place| (place, self.fitting.candidates[place])).collect();
        for (place, part) in self.unpinned.iter().zip(parts) {
            let whole = self.fitting.candidates[*place];
            match part {
                Part::Whole => {
                    printed.insert(*place, whole);
                }
                Part::Cut(Cut { text, measure, .. }) => {
                    printed.insert(*place, Candidate { text, measure: *measure, ..whole });
                }
                Part::Nothing => {}
            }
        }
        let printed: Vec<Candidate<'_>> = printed.into_values().collect();
        let (layout, counter) = (self.fitting.layout, self.fitting.counter);
        read(&mut Draft::new(&printed, layout, counter, 0..printed.len()))
    }

    fn fitted(&self, plan: &Plan) -> Fitted {
        let counter = self.fitting.counter;
        let parts = self.parts(plan);
        let included = |place| Outcome::Included { tokens: self.fitting.tokens(place) };
        let mut outcomes: Vec<Outcome> = (0..self.fitting.candidates.len()).map(included).collect();
        for (place, part) in self.unpinned.iter().zip(&parts) {
            let tokens = self.fitting.tokens(*place);
            outcomes[*place] = match part {
                Part::Whole => Outcome::Included { tokens },
                Part::Cut(Cut { text, measure, omitted_lines }) => Outcome::Truncated {
                    tokens: counter.tokens_of(measure),
                    text: text.clone(),
                    omitted_lines: *omitted_lines,
                },
                Part::Nothing => Outcome::Dropped { tokens, reason: DropReason::NoShare },
            };
        }
        self.draft(&parts, |draft| Fitted::new(outcomes, draft))
    }
}

/// The largest number from `low` to `high` that is `good`, if all up to it are, as `low` is.
fn largest(mut low: u64, mut high: u64, good: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = high - (high - low) / 2;
        if good(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// The same, found with few trials where it is near `guess`.
fn largest_near(guess: u64, mut low: u64, mut high: u64, good: impl Fn(u64) -> bool) -> u64 {
    let mut step = guess / 32 + 1;
    if good(guess) {
        low = guess;
        while low < high {
            let next = high.min(low + step);
            if !good(next) {
                high = next - 1;
                break;
            }
            low = next;
            step *= 2;
        }
    } else {
        high = low.max(guess - 1);
        while high > low {
            let next = low.max(high.saturating_sub(step));
            if next == low || good(next) {
                low = next;
                break;
            }
            high = next - 1;
            step *= 2;
        }
    }
    largest(low, high, good)
}
