//! The rules decide as documented, and blocks have the counted size.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::naive::{naive_block, naive_fit};
use super::{
    File, block, candidates, check_whole, counters, files, fit, kept, label, layouts, numbered_lines,
};
use crate::budget::{Budget, Candidate, DropReason, Fate, FitError, Layout, Priority, Trim};
use crate::format::{Around, Change, Id};
use crate::models::{Counter, Factor, Tokenizer};

/// Most files are on a list; the oracle does not know about references.
const PRIORITIES: [Priority; 5] =
    [Priority::Stored, Priority::Stored, Priority::Stored, Priority::Asked, Priority::Named];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Blocks in every format parse back, and their counts are exact to the token.
    #[test]
    fn blocks_parse_back(files in files(8), layout in layouts(), counter in counters()) {
        let candidates = candidates(&files, counter);
        let fitted = fit(&candidates, &layout, counter, None, Trim::Largest).unwrap();
        check_whole(&fitted, &candidates, &layout, counter);
        prop_assert_eq!(block(&fitted, &candidates, &layout), if files.is_empty() {
            String::new()
        } else {
            naive_block(&candidates, &layout, &(0..files.len()).collect())
        });
    }

    /// The decisions are the same as for the rules taken literally.
    #[test]
    fn decisions_match_a_naive_implementation(
        files in files(12), layout in layouts(), counter in counters(), share in 0u64..1_050,
        priorities in prop::collection::vec(prop::sample::select(&PRIORITIES[..]), 12),
    ) {
        let mut candidates = candidates(&files, counter);
        for (candidate, priority) in candidates.iter_mut().zip(priorities) {
            candidate.priority = candidate.priority.max(priority);
        }
        let whole = fit(&candidates, &layout, counter, None, Trim::Largest).unwrap().block_tokens;
        let limit = whole * share / 1_000;
        let fitted = fit(&candidates, &layout, counter, Some(limit), Trim::Largest);
        let naive = naive_fit(&candidates, &layout, counter, limit);
        prop_assert_eq!(fitted.as_ref().ok().map(kept), naive);
        if let Ok(fitted) = fitted {
            prop_assert!(fitted.block_tokens <= limit);
            check_whole(&fitted, &candidates, &layout, counter);
        }
    }
}

proptest! {
    #[test]
    fn a_block_of_changes_stays_within_the_budget_and_parses_back(
        files in files(7),
        layout in layouts(),
        counter in counters(),
        gone in prop::collection::vec(label(), 0..3),
        change in prop::sample::select(&Change::ALL[..]),
        trim in prop::sample::select(&Trim::ALL[..]),
        limit in 0_u64..400,
    ) {
        let around = Around { gone: Some(&gone), ..layout.around };
        let layout = Layout { around, ..layout };
        let candidates: Vec<Candidate<'_>> = candidates(&files, counter)
            .into_iter()
            .map(|one| Candidate { change: Some(change), ..one })
            .collect();
        if let Ok(fitted) = fit(&candidates, &layout, counter, Some(limit), trim) {
            prop_assert!(fitted.block_tokens <= limit);
            let is_printed = layout.format.marks_changes() && !kept(&fitted).is_empty();
            if is_printed {
                check_whole(&fitted, &candidates, &layout, counter);
            }
        }
    }
}

#[test]
fn a_directory_tree_over_the_budget_is_reported_instead_of_a_file() {
    let mut files = [numbered_lines("a", 20), numbered_lines("b", 10)];
    let tree = "some/directory/\n".repeat(50);
    let layout = Layout { around: Around { tree: Some(&tree), ..Around::default() }, ..Layout::default() };
    let counter = Counter { tokenizer: Tokenizer::Bytes4, factor: Factor::ONE };
    for pin in [false, true] {
        files[1].pin = pin;
        for trim in [Trim::Largest, Trim::Truncate] {
            let error = fit(&candidates(&files, counter), &layout, counter, Some(50), trim).unwrap_err();
            let FitError::FrameOver { limit: 50, needed, .. } = error else { panic!("{error}") };
            assert_eq!(
                error.to_string(),
                format!("the directory tree alone needs ~{needed} tokens, but the budget is 50")
            );
        }
    }
}

#[test]
fn errors_name_the_files_and_the_tokens_needed() {
    let mut files = [numbered_lines("a", 20), numbered_lines("b", 10)];
    let (layout, counter) =
        (Layout::default(), Counter { tokenizer: Tokenizer::Bytes4, factor: Factor::ONE });
    let error = |files: &[File], limit, trim| {
        fit(&candidates(files, counter), &layout, counter, Some(limit), trim).unwrap_err()
    };
    let needed = |files: &[File]| {
        fit(&candidates(files, counter), &layout, counter, None, Trim::Largest).unwrap().block_tokens
    };
    for trim in [Trim::Largest, Trim::Truncate] {
        let FitError::NothingFits { limit: 10, nearest, needed: alone, .. } = error(&files, 10, trim) else {
            panic!()
        };
        assert_eq!((nearest.label.as_str(), alone), ("b", needed(&files[1..])));
    }
    files[1].pin = true;
    for trim in [Trim::Largest, Trim::Truncate] {
        let FitError::PinnedOver { pinned, needed: alone, .. } = error(&files, 20, trim) else { panic!() };
        assert_eq!((pinned.len(), pinned[0].label.as_str(), alone), (1, "b", needed(&files[1..])));
    }
}

#[test]
fn nothing_is_printed_if_nothing_is_selected() {
    for trim in Trim::ALL {
        let fitted =
            fit(&[], &Layout::default(), Counter::default(), Budget::Tokens(0).limit(1), trim).unwrap();
        assert_eq!((fitted.block_tokens, fitted.id), (0, None));
        assert_eq!(trim.to_string().parse(), Ok(trim));
    }
}

#[test]
fn the_last_of_equally_large_files_is_dropped() {
    let files = ["a", "b", "c"].map(|label| numbered_lines(label, 10));
    let counter = Counter::default();
    let candidates = candidates(&files, counter);
    let whole = fit(&candidates, &Layout::default(), counter, None, Trim::Largest).unwrap();
    let limit = Some(whole.block_tokens - 1);
    let fitted = fit(&candidates, &Layout::default(), counter, limit, Trim::Largest).unwrap();
    assert_eq!(kept(&fitted), BTreeSet::from([0, 1]));
    let Fate::Dropped { reason, .. } = fitted.fates[2] else { panic!() };
    assert_eq!(reason, DropReason::Largest);
}

/// Blocks are counted before their id is known, and numbers separately from the text around them.
#[test]
fn numbers_cost_the_same_whatever_their_digits() {
    for tokenizer in [Tokenizer::O200K, Tokenizer::CL100K] {
        for number in 0..1_000 {
            assert_eq!(tokenizer.count(&format!("{number:03}")), 1);
        }
        assert_eq!(tokenizer.count(&Id::FIRST.to_string()), 4);
    }
}
