//! Caps every file that is not kept whole at the largest common number of tokens for which the block fits.
//!
//! Files are cut at line ends, so a common cap leaves some of the budget unused. The rest goes to the first files,
//! one more token for each as long as the block fits. After that, the remaining room is shorter than the next line
//! of the next file. If it is more than a twentieth of the budget, that line is cut.
//!
//! If a file contains text that imitates a part of the block, every label needs an id. In a block with many
//! documents, the ids may leave no room for that text. In that case, each such file is cut before it.
//!
//! If there are so many files that a common cap would show next to nothing of each, files are included in
//! order, each capped at the minimum, and those that do not fit are dropped. One of the dropped files gets
//! the rest of the budget, if that is more than a twentieth.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::cut::{self, CutAt, Cutter};
use super::fitting::{Fitting, PrintedPart};
use super::harmless::{CuttableFile, HarmlessCaps};
use super::search::{Probe, largest};
use super::{Candidate, DropReason, FitError, Fitted};
use crate::models::Counter;
use crate::parallel::parallel;

/// The largest cap is never smaller than this, however many files there are.
const LEAST_CEILING: u64 = 256;

/// An upper bound for caps in a block of at most `limit` tokens in which none is smaller than `least`. Files
/// of this many tokens, capped at more, would add up to twice the limit, so a larger cap would help only if
/// most of it were lost at line ends. This limits how much has to be known about a file.
fn ceiling(limit: u64, least: u64, files: Vec<u64>) -> u64 {
    let least = LEAST_CEILING.max(least);
    common_cap(files, limit.saturating_mul(2)).clamp(least, limit.max(least))
}

/// The largest number at which files of these sizes can be capped so that their sum is at most `capacity`.
fn common_cap(mut files: Vec<u64>, capacity: u64) -> u64 {
    files.sort_unstable();
    let mut room = capacity;
    for (place, tokens) in files.iter().enumerate() {
        let cap = room / (files.len() - place) as u64;
        if *tokens > cap {
            return cap;
        }
        room -= tokens;
    }
    u64::MAX
}

pub(super) fn fit(fitting: &Fitting<'_>) -> Result<Fitted, FitError> {
    if let Some(fitted) = fitting.everything() {
        return Ok(fitted);
    }
    let kept = fitting.kept_draft()?;
    let files = Files::new(fitting);
    match files.plan() {
        Some(plan) => Ok(files.fitted(&plan)),
        None => fitting
            .kept_alone(kept, DropReason::NoShare)
            .ok_or_else(|| fitting.nothing_fits(|candidate| *candidate)),
    }
}

/// The files that may be shown in part, and the ways to cut them.
struct Files<'f, 'a> {
    fitting: &'f Fitting<'a>,
    /// The files that fit together if each is capped at the minimum.
    sharing: Vec<CuttableFile<'a>>,
    /// The first of the others that can be cut.
    spare: Option<CuttableFile<'a>>,
    least: u64,
    ceiling: u64,
    /// The caps for which the files need no ids, the spare one last, once they have been computed.
    harmless: OnceLock<Vec<Option<HarmlessCaps>>>,
}

/// The tokens that each file may use.
#[derive(Debug, Clone, Copy)]
struct CapPlan {
    /// How many of the sharing files, from the first, are shown.
    shown: usize,
    /// The common cap, in tokens.
    cap: u64,
    /// How many files, from the first, may have one more token.
    raised: usize,
    /// Where files may be cut.
    place: CutAt,
    /// A file that may be cut anywhere, and its cap. The spare file is numbered after the sharing ones.
    inside: Option<(usize, u64)>,
    /// Whether files are cut before anything that needs ids.
    harmless: bool,
}

/// The part of a candidate that is shown with the minimum cap.
fn least_part(counter: Counter, candidate: &Candidate<'_>, least: u64) -> PrintedPart {
    if candidate.tokens(counter) <= least {
        return PrintedPart::Whole;
    }
    let cut = candidate.cutter(counter, least).cut(least, CutAt::LineEnd);
    cut.map_or(PrintedPart::Nothing, |cut| PrintedPart::Cut(Box::new(cut)))
}

impl<'a> Candidate<'a> {
    fn cutter(&self, counter: Counter, most: u64) -> Cutter<'a> {
        Cutter::new(counter, self.text, self.measure.tokens, most)
    }
}

impl<'f, 'a> Files<'f, 'a> {
    fn new(fitting: &'f Fitting<'a>) -> Self {
        let least = cut::least_cap(fitting.block.counter);
        let others: Vec<usize> = fitting.others().collect();
        let sharing = sharing(fitting, &others, least);
        let tokens = sharing.iter().map(|place| fitting.tokens(*place)).collect();
        let ceiling = ceiling(fitting.limit(), least, tokens);
        let file = |place: &usize| CuttableFile {
            place: *place,
            tokens: fitting.tokens(*place),
            // A raised file has one more token.
            cutter: fitting.candidates[*place].cutter(fitting.block.counter, ceiling.saturating_add(1)),
        };
        let spare = others
            .iter()
            .find(|place| fitting.tokens(**place) > least && sharing.binary_search(place).is_err())
            .map(file);
        let sharing =
            parallel(&sharing, fitting.block.threads, |places| places.iter().map(file).collect::<Vec<_>>());
        let sharing = sharing.into_iter().flatten().collect();
        Self { fitting, sharing, spare, least, ceiling, harmless: OnceLock::new() }
    }

    fn plan(&self) -> Option<CapPlan> {
        let plan = self.plan_with(false)?;
        let used = self.tokens(&plan);
        if self.is_well_used(used) || self.harmless().iter().all(Option::is_none) {
            return Some(plan);
        }
        let harmless = self.plan_with(true).filter(|harmless| self.tokens(harmless) > used);
        Some(harmless.unwrap_or(plan))
    }

    /// Whether the remaining budget is too small for it to be worth cutting a line in two.
    fn is_well_used(&self, used: u64) -> bool {
        u128::from(used) * 20 >= u128::from(self.fitting.limit()) * 19
    }

    fn plan_with(&self, harmless: bool) -> Option<CapPlan> {
        let shown = self.sharing.len();
        let plan =
            CapPlan { shown, cap: self.least, raised: 0, place: CutAt::LineEnd, inside: None, harmless };
        let Some(longest) = self.sharing.iter().map(|file| file.tokens).max() else {
            return self.with_inside(plan, 0).filter(|plan| self.tokens(plan) > self.kept_tokens());
        };
        let high = longest.clamp(self.least, self.ceiling);
        let cap = self.largest(self.least, high, |cap| CapPlan { cap, ..plan });
        let plan = CapPlan { cap, ..plan };
        let raised = self.largest(0, shown as u64, |raised| CapPlan { raised: raised as usize, ..plan });
        Some(self.filled(CapPlan { raised: raised as usize, ..plan }))
    }

    fn kept_tokens(&self) -> u64 {
        self.fitting.draft(self.fitting.kept()).tokens()
    }

    /// `plan` or, if that leaves too much unused, a plan that uses more: with one file cut inside a line, with all
    /// of them cut that way, or with part of the spare one, if necessary in place of the last.
    fn filled(&self, plan: CapPlan) -> CapPlan {
        let spare = self.sharing.len();
        let fewer = CapPlan { shown: plan.shown - 1, raised: plan.raised.min(plan.shown - 1), ..plan };
        let ways: [&dyn Fn() -> Option<CapPlan>; 4] = [
            &|| self.with_inside(plan, self.first_cut(&plan)?),
            &|| Some(self.all_inside(plan)),
            &|| self.with_inside(plan, spare),
            &|| self.with_inside(fewer, spare),
        ];
        let mut best = plan;
        let mut used = self.tokens(&plan);
        for way in ways {
            if self.is_well_used(used) {
                break;
            }
            let Some(filled) = way() else { continue };
            let tokens = self.tokens(&filled);
            if tokens > used {
                (best, used) = (filled, tokens);
            }
        }
        best
    }

    /// The first file that is cut, starting with those that could not be raised.
    fn first_cut(&self, plan: &CapPlan) -> Option<usize> {
        let is_cut = |file: &usize| {
            let (cap, place) = self.share(plan, *file);
            self.sharing[*file].tokens > cap && (!plan.harmless || cap < self.harmless_cap(*file, place))
        };
        (plan.raised..plan.shown).chain(0..plan.raised).find(is_cut)
    }

    fn all_inside(&self, plan: CapPlan) -> CapPlan {
        let inside = |cap| CapPlan { cap, raised: 0, place: CutAt::Anywhere, ..plan };
        inside(self.largest(0, self.ceiling, inside))
    }

    /// `plan` with as much as fits of a file that may be cut inside a line.
    fn with_inside(&self, plan: CapPlan, file: usize) -> Option<CapPlan> {
        self.file(file)?;
        let inside = |cap| CapPlan { inside: Some((file, cap)), ..plan };
        Some(inside(self.largest(0, self.ceiling, inside)))
    }

    /// The largest number from `low` to `high` for which the block fits; it does for `low`.
    fn largest(&self, low: u64, high: u64, plan: impl Fn(u64) -> CapPlan) -> u64 {
        let estimated = |number| self.estimated_units(&plan(number));
        let exact = |number| self.units(&plan(number));
        largest(low, high, &Probe { estimated, exact, most: self.fitting.most_units() })
    }

    fn file(&self, file: usize) -> Option<&CuttableFile<'a>> {
        self.sharing.get(file).or(self.spare.as_ref().filter(|_| file == self.sharing.len()))
    }

    /// The numbers of the files that `plan` may show.
    fn files(&self, plan: &CapPlan) -> Vec<usize> {
        let inside = plan.inside.map(|(file, _)| file).filter(|file| *file >= plan.shown);
        (0..plan.shown).chain(inside).collect()
    }

    fn share(&self, plan: &CapPlan, file: usize) -> (u64, CutAt) {
        let (cap, place) = match plan.inside {
            Some((inside, cap)) if inside == file => (cap, CutAt::Anywhere),
            Some(_) | None => (plan.cap + u64::from(file < plan.raised), plan.place),
        };
        (if plan.harmless { cap.min(self.harmless_cap(file, place)) } else { cap }, place)
    }

    fn harmless(&self) -> &[Option<HarmlessCaps>] {
        self.harmless.get_or_init(|| {
            let all: Vec<&CuttableFile<'_>> = self.sharing.iter().chain(&self.spare).collect();
            HarmlessCaps::of(self.fitting, &all, self.ceiling)
        })
    }

    /// The largest cap with which a file needs no ids, for this kind of cut.
    fn harmless_cap(&self, file: usize, place: CutAt) -> u64 {
        let caps = self.harmless().get(file).copied().flatten();
        caps.map_or(u64::MAX, |caps| caps.at(place))
    }

    fn part(&self, plan: &CapPlan, number: usize) -> PrintedPart {
        let Some(file) = self.file(number) else { return PrintedPart::Nothing };
        let (cap, place) = self.share(plan, number);
        if file.tokens <= cap {
            return PrintedPart::Whole;
        }
        let cut = file.cutter.cut(cap, place);
        cut.map_or(PrintedPart::Nothing, |cut| PrintedPart::Cut(Box::new(cut)))
    }

    /// The approximate units of the text that `plan` shows.
    fn estimated_units(&self, plan: &CapPlan) -> u64 {
        let counter = self.fitting.block.counter;
        let units = |number: &usize| {
            let Some(file) = self.file(*number) else { return 0 };
            let (cap, place) = self.share(plan, *number);
            if file.tokens <= cap {
                return counter.most_units(file.tokens);
            }
            file.cutter.units(cap, place)
        };
        parallel(&self.files(plan), self.fitting.block.threads, |files| files.iter().map(units).sum::<u64>())
            .into_iter()
            .sum()
    }

    fn tokens(&self, plan: &CapPlan) -> u64 {
        self.fitting.block.counter.rounded(self.units(plan))
    }

    /// The units of the block.
    fn units(&self, plan: &CapPlan) -> u64 {
        let parts = self.parts(plan);
        self.fitting.draft_of(|place| self.shown(&parts, place)).units()
    }

    /// The part of each file that `plan` shows, by index.
    fn parts(&self, plan: &CapPlan) -> BTreeMap<usize, PrintedPart> {
        let part = |number: &usize| Some((self.file(*number)?.place, self.part(plan, *number)));
        let parts = parallel(&self.files(plan), self.fitting.block.threads, |files| {
            files.iter().filter_map(part).collect::<Vec<_>>()
        });
        parts.into_iter().flatten().collect()
    }

    fn shown<'p>(&self, parts: &'p BTreeMap<usize, PrintedPart>, place: usize) -> &'p PrintedPart {
        parts.get(&place).unwrap_or(self.fitting.untouched(place))
    }

    fn fitted(&self, plan: &CapPlan) -> Fitted {
        let parts = self.parts(plan);
        let part = |place| self.shown(&parts, place);
        self.fitting.decided(part, DropReason::NoShare, &mut self.fitting.draft_of(part))
    }
}

/// Takes the files in order, each capped at the minimum, and returns the ascending indices of those that fit.
fn sharing(fitting: &Fitting<'_>, others: &[usize], least: u64) -> Vec<usize> {
    let part = |place: &usize| least_part(fitting.block.counter, &fitting.candidates[*place], least);
    let parts = parallel(others, fitting.block.threads, |places| places.iter().map(part).collect::<Vec<_>>());
    let parts: Vec<PrintedPart> = parts.into_iter().flatten().collect();
    let mut candidates = fitting.candidates.to_vec();
    let mut able = Vec::new();
    for (place, part) in others.iter().zip(&parts) {
        if let Some(least) = part.of(candidates[*place]) {
            candidates[*place] = least;
            able.push(*place);
        }
    }
    let fitting = Fitting { candidates: &candidates, ..*fitting };
    let mut draft = fitting.draft(fitting.kept());
    let mut units: u64 = fitting.kept().map(|place| fitting.least_units(place)).sum();
    for place in able {
        let with = units + fitting.least_units(place);
        if fitting.is_certainly_over(with) {
            continue;
        }
        draft.insert(place);
        if draft.tokens() > fitting.limit() {
            draft.remove(place);
        } else {
            units = with;
        }
    }
    draft.kept().iter().copied().filter(|place| !fitting.is_kept(*place)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_common_cap_is_the_largest_that_fits(
            files in prop::collection::vec(0_u64..50, 0..20), capacity in 0_u64..400,
        ) {
            let sum = |cap: u64| files.iter().map(|tokens| *tokens.min(&cap)).sum::<u64>();
            let found = common_cap(files.clone(), capacity);
            if found == u64::MAX {
                prop_assert!(sum(found) <= capacity);
            } else {
                prop_assert!(sum(found) <= capacity && sum(found + 1) > capacity);
            }
        }
    }
}
