//! Keeps the passages that matter most, each with the heads of the declarations around it.
//!
//! The passages of all documents are sorted into one list, whatever the budget: each passage by its score,
//! and the rest of its document far below. As many passages as fit together are included, so a larger budget
//! never shows less of a document. A passage that is one overlong line comes last. Without a question, or if
//! only outlines are requested, a passage is shown in up to two steps: its lines in the document's outline, a
//! little below the document's score, and then all of its lines.
//!
//! Which steps to examine first is estimated from their sizes. Documents without any of these steps need not
//! have been read.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::cut::{CutText, marker, next_lines};
use super::fitting::{Fitting, PrintedPart};
use super::search::{Probe, largest};
use super::step::{PassageStep, ShownPassage, Steps};
use super::values::values_used;
use super::{Candidate, DropReason, FitError, Fitted, Passages, Priority, ScoredLines, Showing};
use crate::guard::TextBuilder;
use crate::models::Counter;
use crate::words;
use ctx_outline::{Headed, Lines};

/// How many steps to examine: enough to fill this percentage of the limit. The smallest value is tried first.
pub const VIEWS: [u64; 4] = [125, 500, 5_000, u64::MAX];

/// If more than this percentage of the limit is left, it is worth looking for more that fits.
const MUCH_ROOM: u64 = 5;

/// After this many steps that do not fit, the remaining ones are not tried.
const MOST_MISSES: usize = 6;

/// A document of which this percentage would be printed is printed whole: what is left out would be missed more than
/// it costs.
const NEARLY_WHOLE: u64 = 80;

/// The maximum size of the heads around passages, in percent of the passages' size.
const HEADS_SHARE: usize = 15;

pub(super) fn fit(fitting: &Fitting<'_>) -> Result<Fitted, FitError> {
    let has_unread = fitting.candidates.iter().any(|candidate| candidate.unread);
    if has_unread && !fitting.is_surely_over() {
        return Err(FitError::Unread);
    }
    if let Some(fitted) = fitting.everything() {
        return Ok(fitted);
    }
    let steps = Steps::of(fitting.candidates, fitting.class, fitting.block.counter);
    let mut work = RelevantFit { fitting, steps, last: RefCell::default() };
    if let Some(error) = work.guaranteed_over() {
        return Err(error);
    }
    let kept = fitting.kept_draft()?;
    loop {
        match work.taken() {
            None => return Err(FitError::Unread),
            Some(taken) if work.prints(&taken) || work.keeps_better() => return Ok(work.fitted(&taken)),
            Some(_) if has_unread => return Err(FitError::Unread),
            Some(_) => {}
        }
        // The first step is too large, but the next one that fits is better than nothing.
        match work.first_that_fits() {
            Some(first) if first > 0 => work.steps.forget(first),
            Some(_) | None => {
                return fitting.kept_alone(kept, DropReason::Rank).ok_or_else(|| work.nothing_fits());
            }
        }
    }
}

/// The indices of the candidates that have to be read before they can be fitted, if only steps of about
/// `view` percent of the limit are examined.
#[must_use]
pub fn to_be_read(candidates: &[Candidate<'_>], counter: Counter, limit: u64, view: u64) -> Vec<usize> {
    let mut steps = Steps::of(candidates, Priority::Shown, counter);
    let seen = steps.in_view(counter.most_units(limit), view);
    let mut places: Vec<usize> = seen.iter().map(|step| step.place).collect();
    places.sort_unstable();
    places.dedup();
    places.retain(|place| candidates[*place].unread);
    places
}

/// The approximate units of the first steps, by their number.
fn sums(steps: &[PassageStep]) -> Vec<u64> {
    let each = steps.iter().scan(0_u64, |sum, step| {
        *sum = sum.saturating_add(step.units);
        Some(*sum)
    });
    std::iter::once(0).chain(each).collect()
}

/// The parts of ascending `runs` that are in `lines`.
fn common(runs: &[Lines], lines: Lines) -> impl Iterator<Item = Lines> {
    let first = runs.partition_point(|run| run.last < lines.first);
    runs[first..]
        .iter()
        .take_while(move |run| run.first <= lines.last)
        .map(move |run| Lines { first: run.first.max(lines.first), last: run.last.min(lines.last) })
}

struct RelevantFit<'f, 'a> {
    fitting: &'f Fitting<'a>,
    steps: Steps,
    /// The printed part of each document in the last attempt, and what it shows. Most of this stays the same
    /// from one attempt to the next.
    last: RefCell<BTreeMap<usize, Laid>>,
}

/// A document as it was laid out.
#[derive(Clone)]
struct Laid {
    shown: Vec<Option<ShownPassage>>,
    heads: Vec<Lines>,
    printed: Rc<PrintedPart>,
}

impl<'a> RelevantFit<'_, 'a> {
    /// The error if the guaranteed steps do not fit alongside the documents that stay whole.
    fn guaranteed_over(&mut self) -> Option<FitError> {
        let guaranteed = self.steps.guaranteed().to_vec();
        let least = self.units(&guaranteed);
        let is_over = !guaranteed.is_empty() && least > self.fitting.most_units();
        is_over.then(|| self.fitting.shortened_over(least))
    }

    /// The steps to include; `None` if an examined step belongs to an unread document.
    fn taken(&mut self) -> Option<Vec<PassageStep>> {
        let most = self.fitting.most_units();
        for view in VIEWS {
            let seen = self.steps.in_view(most, view).to_vec();
            if seen.iter().any(|step| self.fitting.candidates[step.place].unread) {
                return None;
            }
            let sums = sums(&seen);
            let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).min(seen.len());
            let probe = Probe {
                estimated: |number: u64| sums[at(number)],
                exact: |number: u64| self.units(&seen[..at(number)]),
                most,
            };
            let taken = at(largest(0, seen.len() as u64, &probe));
            if taken < seen.len() || seen.len() == self.steps.len() {
                return self.filled(seen[..taken].to_vec(), view);
            }
        }
        Some(self.steps.first(usize::MAX).to_vec())
    }

    /// The steps, plus those that fit in the remaining room. For each document that is not shown yet, its
    /// first step within the view is tried; if plenty of room is left, the view is larger. `None` if one of
    /// these documents was not read.
    fn filled(&mut self, mut taken: Vec<PassageStep>, view: u64) -> Option<Vec<PassageStep>> {
        let most = self.fitting.most_units();
        let mut room = most.saturating_sub(self.units(&taken));
        let is_much = room.saturating_mul(100) > most.saturating_mul(MUCH_ROOM);
        let view = if is_much { view.max(VIEWS[1]) } else { view };
        let seen = self.steps.in_view(most, view);
        let mut shown: BTreeSet<usize> = taken.iter().map(|step| step.place).collect();
        let later = seen[taken.len()..].iter().filter(|step| shown.insert(step.place));
        let mut rest: Vec<PassageStep> = later.map(|step| PassageStep { fills: true, ..*step }).collect();
        rest.retain(|step| step.units <= room);
        if rest.iter().any(|step| self.fitting.candidates[step.place].unread) {
            return None;
        }
        for _ in 0..MOST_MISSES {
            rest.retain(|step| step.units <= room);
            let sums = sums(&rest);
            let with = |number: u64| [&taken, &rest[..usize::try_from(number).unwrap_or(0)]].concat();
            let probe = Probe {
                estimated: |number: u64| sums[usize::try_from(number).unwrap_or(0)],
                exact: |number: u64| self.units(&with(number)),
                most,
            };
            let fits = largest(0, rest.len() as u64, &probe);
            taken = with(fits);
            rest.drain(..rest.len().min(usize::try_from(fits).unwrap_or(0) + 1));
            if rest.is_empty() {
                break;
            }
            room = most.saturating_sub(self.units(&taken));
        }
        Some(taken)
    }

    /// Whether a document that is kept whole ranks above the first step.
    fn keeps_better(&mut self) -> bool {
        let class = self.fitting.class;
        let kept = self.fitting.candidates.iter().filter(|one| one.priority > class);
        let scores = kept.filter_map(|one| one.some_passages()?.parts.iter().map(|part| part.score).max());
        let first = self.steps.first(1).first().map(|step| step.score);
        scores.max() > first.or(Some(i64::MAX))
    }

    /// The index of the first step that fits on its own and shows something.
    fn first_that_fits(&mut self) -> Option<usize> {
        let most = self.fitting.most_units();
        (0..self.steps.len()).find(|place| {
            let step = self.steps.first(place + 1)[*place];
            step.units <= most && self.prints(&[step]) && self.units(&[step]) <= most
        })
    }

    /// The error if no passage or document fits, with the tokens that the best one needs.
    fn nothing_fits(&mut self) -> FitError {
        let fitting = self.fitting;
        let has_passages = |step: &PassageStep| fitting.candidates[step.place].some_passages().is_some();
        let first = (0..self.steps.len()).find_map(|place| {
            let step = self.steps.first(place + 1)[place];
            self.prints(&[step]).then_some(step)
        });
        let Some(first) = first.filter(has_passages) else {
            let has_unread = fitting.candidates.iter().any(|candidate| candidate.unread);
            return if has_unread { FitError::Unread } else { fitting.nothing_fits(|one| *one) };
        };
        let counter = fitting.block.counter;
        fitting.frame_over().unwrap_or_else(|| FitError::NothingFits {
            limit: fitting.limit(),
            nearest: fitting.candidates[first.place].cost(counter),
            is_passage: true,
            needed: counter.rounded(self.units(&[first])),
            estimated: counter.is_estimate(),
        })
    }

    /// Whether these steps print anything: many passages have no line in the outline.
    fn prints(&self, steps: &[PassageStep]) -> bool {
        !self.printed(steps).is_empty()
    }

    fn units(&self, steps: &[PassageStep]) -> u64 {
        let printed = self.printed(steps);
        self.fitting.draft_of(|place| self.part(&printed, place)).units()
    }

    /// The printed parts of the documents that are not kept whole, by index.
    fn printed(&self, steps: &[PassageStep]) -> BTreeMap<usize, Rc<PrintedPart>> {
        let candidates = self.fitting.candidates;
        let mut levels: BTreeMap<usize, Vec<Option<ShownPassage>>> = BTreeMap::new();
        let mut all_heads: BTreeMap<usize, Vec<Lines>> = BTreeMap::new();
        let mut room = 0;
        for step in steps {
            let passages = candidates[step.place].some_passages();
            let count = passages.map_or(1, |passages| passages.parts.len());
            let parts = levels.entry(step.place).or_insert_with(|| vec![None; count]);
            parts[step.part] = parts[step.part].max(Some(step.shown));
            if let (Some(passages), ShownPassage::Whole) = (passages, step.shown) {
                let heads = all_heads.entry(step.place).or_default();
                add_heads(heads, &mut room, &passages.parts[step.part], passages.declared, step.fills);
            }
        }
        let mut last = self.last.borrow_mut();
        let mut all = BTreeMap::new();
        for (place, shown) in levels {
            let heads = all_heads.remove(&place).unwrap_or_default();
            let is_same = |laid: &&Laid| laid.shown == shown && laid.heads == heads;
            let same = last.get(&place).filter(is_same).map(|laid| Rc::clone(&laid.printed));
            let printed = same.or_else(|| {
                let printed = Rc::new(print(&candidates[place], &shown, &heads, self.fitting.block.counter)?);
                last.insert(place, Laid { shown, heads, printed: Rc::clone(&printed) });
                Some(printed)
            });
            all.extend(printed.map(|printed| (place, printed)));
        }
        all
    }

    fn part<'p>(&self, printed: &'p BTreeMap<usize, Rc<PrintedPart>>, place: usize) -> &'p PrintedPart {
        printed.get(&place).map_or(self.fitting.untouched(place), Rc::as_ref)
    }

    fn fitted(&self, taken: &[PassageStep]) -> Fitted {
        let printed = self.printed(taken);
        let part = |place| self.part(&printed, place);
        self.fitting.decided(part, DropReason::Rank, &mut self.fitting.draft_of(part))
    }
}

/// The printed part of a document if this much of each passage is shown below these heads; `None` if it is
/// empty.
fn print(
    candidate: &Candidate<'_>,
    shown: &[Option<ShownPassage>],
    heads: &[Lines],
    counter: Counter,
) -> Option<PrintedPart> {
    let Some(passages) = candidate.some_passages() else { return Some(PrintedPart::Whole) };
    let most = match passages.showing {
        Showing::Outline => ShownPassage::Outline,
        Showing::OutlineFirst | Showing::Passages | Showing::Chosen => ShownPassage::Whole,
    };
    if shown.iter().all(|shown| *shown == Some(most)) {
        return Some(PrintedPart::Whole);
    }
    if candidate.outline.is_some() && shown.iter().all(|shown| *shown == Some(ShownPassage::Outline)) {
        return Some(PrintedPart::Outline);
    }
    let mut runs: Vec<Lines> = heads.to_vec();
    for (part, shown) in passages.parts.iter().zip(shown) {
        match shown {
            None => {}
            Some(ShownPassage::Whole) => runs.push(part.lines),
            Some(ShownPassage::Outline) => {
                runs.extend(common(passages.outline.unwrap_or_default(), part.lines))
            }
        }
    }
    let mut runs = joined(runs);
    if passages.showing == Showing::Chosen {
        let values = values_used(&passages, &runs);
        runs = joined([runs, values].concat());
    }
    let cut = excerpt(&passages, &runs, counter)?;
    let is_nearly_whole = counter.tokens_of(&cut.measure) * 100 >= candidate.tokens(counter) * NEARLY_WHOLE;
    Some(if is_nearly_whole && !candidate.unread {
        PrintedPart::Whole
    } else {
        PrintedPart::Cut(Box::new(cut))
    })
}

/// The declarations around a passage: the outermost, and the others from the innermost outwards.
fn around<'d>(passage: &ScoredLines, declared: &'d [Headed]) -> impl Iterator<Item = &'d Headed> {
    let first = passage.lines.first;
    let before = &declared[..declared.partition_point(|one| one.lines.first < first)];
    let mut within = before.iter().filter(move |one| one.lines.last >= first && one.head.first < first);
    within.next().into_iter().chain(within.rev())
}

/// Adds the heads of the declarations around one more passage, as far as there is room. The room, in bytes, is a share
/// of what has been shown so far, so that it does not depend on what is shown later. The head of the
/// outermost declaration, which shows whose methods these are, is added if it is smaller than the passage.
/// The other heads are left out if the passage only fills a gap.
fn add_heads(
    heads: &mut Vec<Lines>,
    room: &mut usize,
    passage: &ScoredLines,
    declared: &[Headed],
    fills: bool,
) {
    let length = passage.bytes as usize;
    if !fills {
        *room += length * HEADS_SHARE / 100;
    }
    for (place, one) in around(passage, declared).enumerate() {
        let bytes = one.bytes + marker(1).len();
        let has_room = if place == 0 { bytes <= length } else { bytes <= *room && !fills };
        if has_room && !heads.contains(&one.head) {
            heads.push(one.head);
            *room = room.saturating_sub(bytes);
        }
    }
}

/// Sorts runs, and merges those that overlap.
fn joined(mut runs: Vec<Lines>) -> Vec<Lines> {
    runs.sort_unstable();
    let mut joined: Vec<Lines> = Vec::new();
    for run in runs {
        match joined.last_mut() {
            Some(last) if run.first <= last.last => last.last = last.last.max(run.last),
            Some(_) | None => joined.push(run),
        }
    }
    joined
}

/// The lines of the text in ascending `runs`, plus any others that take no more room than a marker, which says which lines
/// of the file are missing. What the label says needs no marker: where the text begins and ends, unless that is within a
/// declaration.
fn excerpt(passages: &Passages<'_>, runs: &[Lines], counter: Counter) -> Option<CutText> {
    if runs.is_empty() {
        return None;
    }
    let Passages { text, before, is_labelled, .. } = *passages;
    let mut excerpt = TextBuilder::of(text, 0);
    let mut omitted_lines = 0;
    let mut kept: Vec<Lines> = Vec::new();
    let mut rest = text.as_str();
    let mut next = 1;
    let count = super::cut::lines(text);
    let end = usize::try_from(count).unwrap_or(usize::MAX) + 1;
    for run in runs.iter().copied().chain([Lines { first: end, last: end }]) {
        if next < run.first {
            let from = text.len() - rest.len();
            let gap = next_lines(&mut rest, run.first - next);
            // Where the rest of a declaration ends, what follows it begins.
            let last = next - 1 - blank_lines(text[..from].lines().rev());
            let goes_on = innermost(passages.declared, last).map(|cut| cut.last).filter(|cut| *cut >= next);
            let cut = goes_on.filter(|cut| *cut < run.first - 1);
            let after = cut.filter(|_| !is_labelled || run.first < end);
            let gaps =
                [Some((next, cut.unwrap_or(run.first - 1))), after.map(|cut| (cut + 1, run.first - 1))];
            let each = |(first, last)| format!("{}\n", words::omitted_lines(before + first, before + last));
            let marker: String = gaps.into_iter().flatten().map(each).collect();
            if gap.len() <= marker.len() {
                excerpt.keep(from..from + gap.len());
                keep(&mut kept, Lines { first: next, last: run.first - 1 });
            } else {
                omitted_lines += (run.first - next) as u64;
                // In the middle of a declaration, the reader would not know that it goes on.
                let needs_marker = if is_labelled && next == 1 {
                    let first = run.first + blank_lines(rest.lines());
                    innermost(passages.declared, first).is_some_and(|around| around.first < run.first)
                } else if is_labelled && run.first == end {
                    goes_on.is_some()
                } else {
                    true
                };
                if needs_marker {
                    excerpt.push(&marker);
                }
            }
        }
        let from = text.len() - rest.len();
        excerpt.keep(from..from + next_lines(&mut rest, run.last + 1 - run.first).len());
        if run.first < end {
            keep(&mut kept, run);
        }
        next = run.last + 1;
    }
    let text = excerpt.finish();
    let measure = counter.tokenizer.measure(&text);
    let lines =
        kept.first().zip(kept.last()).map(|(first, last)| Lines { first: first.first, last: last.last });
    let lines = lines.filter(|lines| is_labelled && (lines.first > 1 || lines.last + 1 < end));
    Some(CutText { text, measure, omitted_lines, lines, kept })
}

/// The lines of the smallest declaration around a line.
fn innermost(declared: &[Headed], line: usize) -> Option<Lines> {
    let before = &declared[..declared.partition_point(|one| one.lines.first <= line)];
    before.iter().rev().map(|one| one.lines).find(|lines| lines.last >= line)
}

/// How many lines are blank before the first one that isn't.
fn blank_lines<'l>(lines: impl Iterator<Item = &'l str>) -> usize {
    lines.take_while(|line| line.trim_ascii().is_empty()).count()
}

/// Adds a run after the others, as part of the last one if no line is between them.
fn keep(kept: &mut Vec<Lines>, run: Lines) {
    match kept.last_mut().filter(|last| last.last + 1 == run.first) {
        Some(last) => last.last = run.last,
        None => kept.push(run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::CleanText;

    fn excerpted(text: &str, runs: &[(usize, usize)]) -> Option<String> {
        let runs: Vec<Lines> =
            runs.iter().map(|(first, last)| Lines { first: *first, last: *last }).collect();
        excerpt_of(&text.to_owned().into(), None, &runs).map(|excerpt| excerpt.text.into_string())
    }

    fn excerpt_of(text: &CleanText, declared: Option<&[Headed]>, runs: &[Lines]) -> Option<CutText> {
        let (is_labelled, declared) = (declared.is_some(), declared.unwrap_or_default());
        let (parts, showing) = (&[][..], Showing::Passages);
        let passages = Passages { text, before: 0, is_labelled, parts, outline: None, declared, showing };
        excerpt(&passages, runs, Counter::default())
    }

    #[test]
    fn what_a_label_says_needs_no_marker() {
        let lines = |first, last| Lines { first, last };
        let text: String = (1..=12).map(|line| format!("line number {line} of it\n")).collect();
        let text = text.into();
        let cut = |runs: &[Lines]| {
            excerpt_of(&text, Some(&[]), runs).map(|cut| (cut.lines, cut.text.into_string()))
        };
        let both = "line number 3 of it\n[… lines 4-9 omitted …]\nline number 10 of it\n".to_owned();
        assert_eq!(cut(&[lines(3, 3), lines(10, 10)]).unwrap(), (Some(lines(3, 10)), both));
        let ends = "line number 1 of it\n[… lines 2-11 omitted …]\nline number 12 of it\n".to_owned();
        assert_eq!(cut(&[lines(1, 1), lines(12, 12)]).unwrap(), (None, ends));
        // Where a declaration is cut, the reader would not know that it goes on.
        let declared = [Headed { lines: lines(3, 10), head: lines(3, 3), bytes: 20 }];
        let cut = |run| excerpt_of(&text, Some(&declared), &[run]).unwrap().text.into_string();
        assert!(!cut(lines(3, 10)).contains("omitted"));
        // Where its rest ends, what follows it begins.
        assert!(cut(lines(3, 6)).ends_with("\n[… lines 7-10 omitted …]\n"));
        assert!(cut(lines(8, 10)).starts_with("[… lines 1-7 omitted …]\n"));
        let both =
            excerpt_of(&text, Some(&declared), &[lines(3, 4), lines(12, 12)]).unwrap().text.into_string();
        assert!(both.contains("\n[… lines 5-10 omitted …]\n[… line 11 omitted …]\n"), "{both}");
    }

    #[test]
    fn excerpt_has_markers_only_for_longer_gaps() {
        let text: String = (1..=12).map(|line| format!("line number {line} of it\n")).collect();
        assert_eq!(
            excerpted(&text, &[(3, 4), (6, 7)]).unwrap(),
            "[… lines 1-2 omitted …]\n".to_owned()
                + &(3..=7).map(|line| format!("line number {line} of it\n")).collect::<String>()
                + "[… lines 8-12 omitted …]\n"
        );
        assert_eq!(excerpted(&text, &[(1, 5), (6, 12)]).unwrap(), text);
        assert_eq!(excerpted(&text, &[]), None);
    }

    #[test]
    fn heads_of_enclosing_declarations_are_added_if_they_fit() {
        let lines = |first, last| Lines { first, last };
        let declared = |all: (usize, usize), head: (usize, usize), bytes| Headed {
            lines: lines(all.0, all.1),
            head: lines(head.0, head.1),
            bytes,
        };
        let declared = [
            declared((1, 90), (2, 2), 60),
            declared((5, 20), (5, 6), 40),
            declared((22, 80), (24, 24), 30),
            declared((70, 75), (70, 70), 30),
        ];
        let passage =
            |first, bytes| ScoredLines { lines: lines(first, first + 5), score: 0, bytes, outlined: None };
        let of_all = |passages: &[(usize, u32)], fills| {
            let (mut room, mut heads) = (0, Vec::new());
            for (first, bytes) in passages {
                add_heads(&mut heads, &mut room, &passage(*first, *bytes), &declared, fills);
            }
            heads
        };
        // The outermost head has to be smaller than the passage; the others are added as far as there is
        // room.
        assert_eq!(of_all(&[(40, 1_000)], false), [lines(2, 2), lines(24, 24)]);
        assert_eq!(of_all(&[(40, 700)], false), [lines(2, 2), lines(24, 24)][..1]);
        assert_eq!(of_all(&[(22, 100)], false), [lines(2, 2)]);
        assert_eq!(of_all(&[(40, 50)], false), []);
        assert_eq!(of_all(&[(91, 1_000)], false), []);
        // Room that one passage does not use is left for the next.
        assert_eq!(of_all(&[(10, 700), (40, 700)], false), [lines(2, 2), lines(24, 24)]);
        assert_eq!(of_all(&[(71, 1_000)], false), [lines(2, 2), lines(70, 70)]);
        assert_eq!(of_all(&[(40, 1_000)], true), [lines(2, 2)]);
    }

    #[test]
    fn joined_runs_are_sorted_and_do_not_overlap() {
        let lines = |first, last| Lines { first, last };
        assert_eq!(
            joined(vec![lines(9, 12), lines(2, 2), lines(3, 5), lines(2, 4), lines(10, 11)]),
            [lines(2, 5), lines(9, 12)]
        );
    }

    #[test]
    fn excerpt_of_a_text_without_a_final_line_end_has_none() {
        assert_eq!(excerpted("a\nb", &[(2, 2)]).unwrap(), "a\nb");
    }
}
