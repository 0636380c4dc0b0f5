//! While the block is over budget, replace the file with the most tokens by its outline; when
//! no file has one left, drop the file with the most tokens. Of equals the later one goes first.
//!
//! The steps and their order do not depend on the budget, which only says where to stop: a smaller
//! budget never gives a file more detail.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::draft::Draft;
use super::fitting::{Fitting, least_units};
use super::{Candidate, DropReason, FitError, Fitted, Outcome};

/// What makes the block smaller.
#[derive(Debug, Clone, Copy)]
enum Step {
    Outline(usize),
    Drop(usize),
}

pub(super) fn fit(fitting: &Fitting<'_>) -> Result<Fitted, FitError> {
    let steps = steps(fitting);
    let certain = certain_steps(fitting, &steps).max(needed_outlines(fitting, &steps));
    let mut levels = Levels::new(fitting.candidates);
    steps[..certain].iter().for_each(|step| levels.take(*step));
    let candidates = levels.candidates.clone();
    let kept: Vec<usize> = (0..candidates.len()).filter(|place| !levels.is_dropped(*place)).collect();
    let mut draft = Draft::new(&candidates, fitting.basis(), kept);
    for step in &steps[certain..] {
        if draft.tokens() <= fitting.limit {
            break;
        }
        levels.take(*step);
        match step {
            Step::Outline(place) => draft.replace(*place, levels.candidates[*place]),
            Step::Drop(place) => draft.remove(*place),
        }
    }
    let needed = draft.tokens();
    if needed > fitting.limit {
        return Err(fitting.kept_over(needed));
    }
    let is_nothing = draft.kept().is_empty();
    let last = Fitting { candidates: &levels.candidates, ..*fitting };
    if is_nothing {
        last.conclude(draft, DropReason::Largest)
    } else {
        Ok(levels.fitted(fitting, &mut draft))
    }
}

/// All steps there are, in order.
fn steps(fitting: &Fitting<'_>) -> Vec<Step> {
    let counter = fitting.counter;
    let largest_first = |places: &mut Vec<usize>, tokens: &dyn Fn(usize) -> u64| {
        places.sort_by_cached_key(|place| Reverse((tokens(*place), *place)));
    };
    let outlined = |place: usize| fitting.candidates[place].outlined();
    let mut outlines: Vec<usize> = fitting.others().filter(|place| outlined(*place).is_some()).collect();
    largest_first(&mut outlines, &|place| fitting.tokens(place));
    let mut drops: Vec<usize> = fitting.others().collect();
    largest_first(&mut drops, &|place| outlined(place).unwrap_or(fitting.candidates[place]).tokens(counter));
    outlines.into_iter().map(Step::Outline).chain(drops.into_iter().map(Step::Drop)).collect()
}

/// How many steps are needed because what the documents add for certain is over the limit; this needs
/// no seam counted.
fn certain_steps(fitting: &Fitting<'_>, steps: &[Step]) -> usize {
    let units =
        |candidate: &Candidate<'_>| least_units(fitting.counter, fitting.layout.format, &candidate.measure);
    let mut current: BTreeMap<usize, u64> =
        fitting.candidates.iter().enumerate().map(|(place, candidate)| (place, units(candidate))).collect();
    let mut sum: u64 = current.values().sum();
    let stops = |step: &Step| {
        let over = fitting.is_certainly_over(sum);
        let (place, after) = match step {
            Step::Outline(place) => {
                (*place, fitting.candidates[*place].outlined().map_or(0, |outline| units(&outline)))
            }
            Step::Drop(place) => (*place, 0),
        };
        let before = current.insert(place, after).unwrap_or(0);
        sum = sum - before + after;
        !over
    };
    steps.iter().position(stops).unwrap_or(steps.len())
}

/// How many steps are needed because other documents were dropped already: all outlines, which come first.
fn needed_outlines(fitting: &Fitting<'_>, steps: &[Step]) -> usize {
    let is_needed = |step: &&Step| match step {
        Step::Outline(place) => fitting.candidates[*place].outline.is_some_and(|outline| outline.is_needed),
        Step::Drop(_) => false,
    };
    steps.iter().take_while(is_needed).count()
}

/// The candidates at the level of detail that they have come to.
struct Levels<'a> {
    candidates: Vec<Candidate<'a>>,
    state: Vec<Option<Step>>,
}

impl<'a> Levels<'a> {
    fn new(candidates: &[Candidate<'a>]) -> Self {
        Self { candidates: candidates.to_vec(), state: vec![None; candidates.len()] }
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Outline(place) => {
                if let Some(outline) = self.candidates[place].outlined() {
                    self.candidates[place] = outline;
                }
                self.state[place] = Some(step);
            }
            Step::Drop(place) => self.state[place] = Some(step),
        }
    }

    fn is_dropped(&self, place: usize) -> bool {
        matches!(self.state[place], Some(Step::Drop(_)))
    }

    fn fitted(&self, fitting: &Fitting<'_>, draft: &mut Draft<'_>) -> Fitted {
        let outcome = |(place, state): (usize, &Option<Step>)| match state {
            None => Outcome::Included { tokens: fitting.tokens(place) },
            Some(Step::Outline(_)) => {
                Outcome::Outlined { tokens: self.candidates[place].tokens(fitting.counter) }
            }
            Some(Step::Drop(_)) => {
                Outcome::Dropped { tokens: fitting.tokens(place), reason: DropReason::Largest }
            }
        };
        Fitted::new(self.state.iter().enumerate().map(outcome).collect(), draft)
    }
}
