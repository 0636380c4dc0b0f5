//! Every unpinned file is capped at the largest common number of tokens with which the block fits.
//!
//! Files are cut at line ends, so a common cap leaves some of the budget unused. What is left goes
//! to the first files, a token more for each as long as the block fits. Then the room that remains
//! is shorter than the next line of the next file; if it is more than a twentieth of the budget,
//! that line is cut inside.
//!
//! Where there are so many files that a common cap would show next to nothing of each, the later
//! ones are dropped, until the cap can be one that shows something.

use super::cut::{Cut, Cutter, Place};
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
        let mut cap = largest(least, most.max(least), |cap| self.fits(&Plan { cap, ..plan }));
        while let Some(larger) =
            (cap + 1..=most.min(cap + DIPS)).rev().find(|cap| self.fits(&Plan { cap: *cap, ..plan }))
        {
            cap = larger;
        }
        let plan = Plan { cap, ..plan };
        let raised = largest(0, shown as u64, |raised| self.fits(&Plan { raised: raised as usize, ..plan }));
        Some(self.filled(Plan { raised: raised as usize, ..plan }))
    }

    /// How many files, from the first, fit if each is capped at `cap`.
    fn most_shown(&self, cap: u64) -> usize {
        let parts = self.parts(&Plan { shown: self.unpinned.len(), cap, raised: 0, inside: None });
        let candidates = self.candidates(&parts);
        let mut draft =
            super::Draft::new(&candidates, self.fitting.layout, self.fitting.counter, self.fitting.pinned());
        let over = |place: &usize| {
            draft.insert(*place);
            draft.tokens() > self.fitting.limit
        };
        self.unpinned.iter().position(over).unwrap_or(self.unpinned.len())
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
        let parts = self.parts(plan);
        self.draft(&parts, &self.candidates(&parts), |draft| draft.tokens())
    }

    fn parts(&self, plan: &Plan) -> Vec<Part> {
        (0..self.unpinned.len()).map(|file| self.part(plan, file)).collect()
    }

    fn part(&self, plan: &Plan, file: usize) -> Part {
        if file >= plan.shown {
            return Part::Nothing;
        }
        let (cap, place) = match plan.inside {
            Some(inside) if inside.file == file => (inside.cap, Place::Anywhere),
            Some(_) | None => (plan.cap + u64::from(file < plan.raised), Place::LineEnd),
        };
        if self.fitting.tokens(self.unpinned[file]) <= cap {
            return Part::Whole;
        }
        self.cutters[file].cut(cap, place).map_or(Part::Nothing, Part::Cut)
    }

    /// The candidates with the texts that `parts` leaves of them.
    fn candidates<'p>(&self, parts: &'p [Part]) -> Vec<Candidate<'p>>
    where
        'a: 'p,
    {
        let mut candidates: Vec<Candidate<'p>> = self.fitting.candidates.to_vec();
        for (place, part) in self.unpinned.iter().zip(parts) {
            match part {
                Part::Cut(cut) => {
                    candidates[*place].text = &cut.text;
                    candidates[*place].measure = cut.measure;
                }
                Part::Whole | Part::Nothing => {}
            }
        }
        candidates
    }

    fn draft<T>(
        &self,
        parts: &[Part],
        candidates: &[Candidate<'_>],
        read: impl FnOnce(&mut super::Draft<'_>) -> T,
    ) -> T {
        let shown = self.unpinned.iter().zip(parts).filter_map(|(place, part)| match part {
            Part::Whole | Part::Cut(_) => Some(*place),
            Part::Nothing => None,
        });
        let kept = self.fitting.pinned().chain(shown);
        read(&mut super::Draft::new(candidates, self.fitting.layout, self.fitting.counter, kept))
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
        self.draft(&parts, &self.candidates(&parts), |draft| Fitted::new(outcomes, draft))
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
