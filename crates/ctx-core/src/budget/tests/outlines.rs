//! Outlines replace files, the largest first, and files named on the command line are kept like pinned ones.

use proptest::prelude::*;

use super::naive::naive_block;
use super::{File, candidates, check_whole, counters, files, fit, kept, layouts, numbered_lines};
use crate::budget::{Candidate, Fate, FitError, Layout, Outline, Priority, Trim};
use crate::models::Counter;

/// Outlines of every other file, if it has more than one line: the first line and a marker.
pub(super) fn outlines(files: &[File], counter: Counter) -> Vec<Option<Outline>> {
    let outline = |(place, file): (usize, &File)| {
        let (first, rest) = file.text.split_once('\n')?;
        (place % 2 == 0 && !rest.is_empty()).then(|| {
            let text = format!("{first}\n[… 3 lines omitted …]\n");
            Outline {
                measure: counter.tokenizer.measure(&text),
                text: text.into(),
                kept: Vec::new(),
                is_needed: false,
            }
        })
    };
    files.iter().enumerate().map(outline).collect()
}

pub(super) fn outlined<'a>(
    files: &'a [File],
    outlines: &'a [Option<Outline>],
    counter: Counter,
) -> Vec<Candidate<'a>> {
    let whole = candidates(files, counter).into_iter().zip(outlines);
    whole.map(|(one, outline)| Candidate { outline: outline.as_ref(), ..one }).collect()
}

/// The level of each candidate: 2 whole, 1 outline, 0 dropped. This takes the rule literally: every block is laid
/// out and counted again.
fn naive(candidates: &[Candidate<'_>], layout: &Layout<'_>, counter: Counter, limit: u64) -> Option<Vec<u8>> {
    let mut levels = vec![2_u8; candidates.len()];
    loop {
        let now: Vec<Candidate<'_>> = (0..candidates.len())
            .map(|place| match (levels[place], candidates[place].outline) {
                (1, Some(Outline { text, measure, .. })) => {
                    Candidate { text, measure: *measure, ..candidates[place] }
                }
                _ => candidates[place],
            })
            .collect();
        let printed = (0..now.len()).filter(|place| levels[*place] > 0).collect();
        if counter.tokens(&naive_block(&now, layout, &printed)) <= limit {
            let nothing = printed.is_empty() && !candidates.is_empty();
            return (!nothing).then_some(levels);
        }
        let unpinned = printed.iter().copied().filter(|place| now[*place].priority != Priority::Pinned);
        let tokens = |place: &usize| (counter.tokens(now[*place].text), *place);
        let full = unpinned.clone().filter(|place| levels[*place] == 2 && now[*place].outline.is_some());
        match full.max_by_key(tokens) {
            Some(place) => levels[place] = 1,
            None => levels[unpinned.max_by_key(tokens)?] = 0,
        }
    }
}

fn level(fate: &Fate) -> u8 {
    match fate {
        Fate::Included { .. } => 2,
        Fate::Outlined { .. } | Fate::Truncated(_) => 1,
        Fate::Dropped { .. } => 0,
        Fate::Undecided | Fate::Unchanged | Fate::Listed(_) | Fate::Skipped(_) => {
            unreachable!("nothing is decided of {fate:?}")
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn outline_rule_on_any_files_decides_as_documented(
        files in files(12), layout in layouts(), counter in counters(), share in 0_u64..1_050,
    ) {
        let outlines = outlines(&files, counter);
        let candidates = outlined(&files, &outlines, counter);
        let whole = fit(&candidates, &layout, counter, None, Trim::Outline).unwrap().block_tokens;
        let limit = whole * share / 1_000;
        let fitted = fit(&candidates, &layout, counter, Some(limit), Trim::Outline);
        let levels = fitted.as_ref().ok().map(|fitted| fitted.fates.iter().map(level).collect());
        prop_assert_eq!(levels, naive(&candidates, &layout, counter, limit));
        if let Ok(fitted) = fitted {
            prop_assert!(fitted.block_tokens <= limit);
            check_whole(&fitted, &candidates, &layout, counter);
        }
    }

    #[test]
    fn smaller_budget_gives_no_file_more_detail(
        files in files(12), layout in layouts(), counter in counters(), share in 0_u64..1_050,
    ) {
        let outlines = outlines(&files, counter);
        let candidates = outlined(&files, &outlines, counter);
        let whole = fit(&candidates, &layout, counter, None, Trim::Outline).unwrap().block_tokens;
        let levels = |limit: u64| {
            let fitted = fit(&candidates, &layout, counter, Some(limit), Trim::Outline).ok()?;
            Some(fitted.fates.iter().map(level).collect::<Vec<_>>())
        };
        let limit = whole * share / 1_000;
        if let (Some(more), Some(less)) = (levels(limit), levels(limit * 9 / 10)) {
            prop_assert!(less.iter().zip(&more).all(|(less, more)| less <= more), "{less:?} {more:?}");
        }
    }

    #[test]
    fn largest_rule_treats_named_files_like_pinned_ones(
        files in files(10), layout in layouts(), share in 0_u64..1_050,
    ) {
        let counter = Counter::default();
        let pinned = candidates(&files, counter);
        let named: Vec<Candidate<'_>> =
            pinned.iter().map(|one| Candidate { priority: one.priority.min(Priority::Named), ..*one }).collect();
        let whole = fit(&pinned, &layout, counter, None, Trim::Largest).unwrap().block_tokens;
        let limit = Some(whole * share / 1_000);
        prop_assert_eq!(
            fit(&named, &layout, counter, limit, Trim::Largest).map_err(|error| error.to_string()),
            fit(&pinned, &layout, counter, limit, Trim::Largest).map_err(|error| error.to_string())
        );
    }
}

#[test]
fn named_file_that_does_not_fit_is_an_error_unless_the_rule_truncates() {
    let files = [numbered_lines("stored", 10), numbered_lines("named", 200)];
    let counter = Counter::default();
    let mut candidates = candidates(&files, counter);
    candidates[1].priority = Priority::Named;
    let layout = Layout::default();
    let by = |trim| fit(&candidates, &layout, counter, Some(500), trim);
    let FitError::PinnedOver { pinned, .. } = by(Trim::Largest).unwrap_err() else { panic!() };
    assert_eq!(pinned.iter().map(|cost| cost.label.as_str()).collect::<Vec<_>>(), ["named"]);
    let truncated = by(Trim::Truncate).unwrap();
    assert_eq!(kept(&truncated).into_iter().collect::<Vec<_>>(), [1]);
    assert!(truncated.block_tokens > 475 && truncated.block_tokens <= 500, "{truncated:?}");
}
