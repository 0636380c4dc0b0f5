//! While the block is over budget, drops the file with the most tokens; in a tie, the later file goes first.
//! The rule `outline` first replaces files with their outlines, and drops files only when there is none left
//! to replace.
//!
//! The steps and their order do not depend on the budget, which only decides where to stop. So a smaller budget
//! never gives a file more detail.

use std::borrow::Cow;
use std::cmp::Reverse;

use super::draft::BlockDraft;
use super::fitting::{Fitting, PrintedPart, least_units};
use super::{Candidate, DropReason, FitError, Fitted, Trim};

/// A step that makes the block smaller.
#[derive(Debug, Clone, Copy)]
enum TrimStep {
    Outline(usize),
    Drop(usize),
}

impl TrimStep {
    fn place(self) -> usize {
        match self {
            Self::Outline(place) | Self::Drop(place) => place,
        }
    }

    /// How much of a candidate is printed after this step.
    fn part(self) -> PrintedPart {
        match self {
            Self::Outline(_) => PrintedPart::Outline,
            Self::Drop(_) => PrintedPart::Nothing,
        }
    }
}

pub(super) fn fit(fitting: &Fitting<'_>) -> Result<Fitted, FitError> {
    let steps = steps(fitting);
    let certain = certain_steps(fitting, &steps).max(needed_outlines(fitting, &steps));
    let mut parts: Vec<PrintedPart> = vec![PrintedPart::Whole; fitting.candidates.len()];
    steps[..certain].iter().for_each(|step| parts[step.place()] = step.part());
    let mut candidates = Cow::Borrowed(fitting.candidates);
    for (place, _) in parts.iter().enumerate().filter(|(_, part)| matches!(part, PrintedPart::Outline)) {
        let whole = fitting.candidates[place];
        candidates.to_mut()[place] = whole.outlined().unwrap_or(whole);
    }
    let kept = (0..candidates.len()).filter(|place| !matches!(parts[*place], PrintedPart::Nothing));
    let mut draft = BlockDraft::new(candidates, fitting.block, fitting.edges, kept);
    for step in &steps[certain..] {
        if draft.tokens() <= fitting.limit() {
            break;
        }
        let place = step.place();
        match step {
            TrimStep::Outline(_) => {
                let whole = fitting.candidates[place];
                draft.replace(place, whole.outlined().unwrap_or(whole));
            }
            TrimStep::Drop(_) => draft.remove(place),
        }
        parts[place] = step.part();
    }
    let needed = draft.tokens();
    if needed > fitting.limit() {
        return Err(fitting.kept_over(needed));
    }
    if draft.kept().is_empty() {
        return Err(fitting.nothing_fits(|candidate| least(fitting, candidate)));
    }
    Ok(fitting.decided(|place| &parts[place], DropReason::Largest, &mut draft))
}

/// A candidate at the lowest level of detail that the rule allows.
fn least<'a>(fitting: &Fitting<'_>, candidate: &Candidate<'a>) -> Candidate<'a> {
    let outlined = candidate.outlined().filter(|_| fitting.trim == Trim::Outline);
    outlined.unwrap_or(*candidate)
}

/// All steps, in order.
fn steps(fitting: &Fitting<'_>) -> Vec<TrimStep> {
    let counter = fitting.block.counter;
    let largest_first = |places: &mut Vec<usize>, tokens: &dyn Fn(usize) -> u64| {
        places.sort_by_cached_key(|place| Reverse((tokens(*place), *place)));
    };
    let has_outline =
        |place: &usize| fitting.trim == Trim::Outline && fitting.candidates[*place].outline.is_some();
    let mut outlines: Vec<usize> = fitting.others().filter(has_outline).collect();
    largest_first(&mut outlines, &|place| fitting.tokens(place));
    let mut drops: Vec<usize> = fitting.others().collect();
    largest_first(&mut drops, &|place| least(fitting, &fitting.candidates[place]).tokens(counter));
    outlines.into_iter().map(TrimStep::Outline).chain(drops.into_iter().map(TrimStep::Drop)).collect()
}

/// How many of the first steps are certain to be needed: before each of them, the units that the documents
/// add to any block exceed the limit even without the seams.
fn certain_steps(fitting: &Fitting<'_>, steps: &[TrimStep]) -> usize {
    let units = |candidate: &Candidate<'_>| {
        least_units(fitting.block.counter, fitting.block.layout.format, &candidate.measure)
    };
    let mut current: Vec<u64> = fitting.candidates.iter().map(units).collect();
    let mut sum: u64 = current.iter().sum();
    let stops = |step: &TrimStep| {
        let over = fitting.is_certainly_over(sum);
        let place = step.place();
        let after = match step {
            TrimStep::Outline(_) => fitting.candidates[place].outlined().map_or(0, |outline| units(&outline)),
            TrimStep::Drop(_) => 0,
        };
        sum = sum - current[place] + after;
        current[place] = after;
        !over
    };
    steps.iter().position(stops).unwrap_or(steps.len())
}

/// How many of the first steps, which only reduce documents to their outlines, are needed because other
/// documents have already been dropped.
fn needed_outlines(fitting: &Fitting<'_>, steps: &[TrimStep]) -> usize {
    let is_needed = |step: &&TrimStep| match step {
        TrimStep::Outline(place) => {
            fitting.candidates[*place].outline.is_some_and(|outline| outline.is_needed)
        }
        TrimStep::Drop(_) => false,
    };
    steps.iter().take_while(is_needed).count()
}
