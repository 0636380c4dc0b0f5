//! Documents that the command line asks for without naming them: others that may be dropped are dropped first.

use proptest::prelude::*;

use super::{candidates, check_whole, counters, files, fit, kept, layouts, numbered_lines};
use crate::budget::{Candidate, DropReason, Fate, FitError, Layout, Priority, Trim};
use crate::models::Counter;

/// The rules that drop or shorten.
const RULES: [Trim; 4] = [Trim::Largest, Trim::Truncate, Trim::Outline, Trim::Relevant];

/// The fates of documents with these numbers of lines, by the letters of `kinds`: stored, pinned, named, asked
/// for, or referred to by the prompt. The limit is that of a block with the documents of `room`.
fn fates(kinds: &str, lines: &[usize], room: &[usize], trim: Trim) -> Result<Vec<Fate>, FitError> {
    let files = |lines: &[usize]| -> Vec<super::File> {
        lines.iter().enumerate().map(|(place, lines)| numbered_lines(&format!("f{place}"), *lines)).collect()
    };
    let counter = Counter::default();
    let (files, whole) = (files(lines), files(room));
    let limit = fit(&candidates(&whole, counter), &Layout::default(), counter, None, trim)?.block_tokens;
    let mut candidates = candidates(&files, counter);
    for (candidate, kind) in candidates.iter_mut().zip(kinds.chars()) {
        *candidate = Candidate {
            priority: match kind {
                'p' => Priority::Pinned,
                'n' => Priority::Named,
                'g' => Priority::Asked,
                'r' => Priority::Referenced,
                _ => Priority::Stored,
            },
            ..*candidate
        };
    }
    let fitted = fit(&candidates, &Layout::default(), counter, Some(limit), trim)?;
    assert!(fitted.block_tokens <= limit);
    assert!(!kept(&fitted).is_empty());
    Ok(fitted.fates)
}

/// A letter for each document: whole, in part, dropped.
fn shown(fates: &[Fate]) -> String {
    let letter = |fate: &Fate| match fate {
        Fate::Included { .. } => 'w',
        Fate::Outlined { .. } | Fate::Truncated(_) => 't',
        Fate::Dropped { .. } => '-',
        Fate::Undecided | Fate::Unchanged | Fate::Listed(_) | Fate::Skipped(_) => {
            unreachable!("nothing is decided of {fate:?}")
        }
    };
    fates.iter().map(letter).collect()
}

#[test]
fn preferred_documents_that_fit_are_whole_whatever_is_stored() {
    for trim in RULES {
        let fates = fates("sgsg", &[20, 60, 20, 30], &[60, 30], trim).unwrap();
        assert_eq!(shown(&fates), "-w-w", "{trim}");
    }
}

#[test]
fn stored_documents_get_the_remaining_room() {
    for trim in RULES {
        let fates = fates("sgs", &[20, 60, 20], &[60, 20], trim).unwrap();
        assert!(shown(&fates)[1..].starts_with('w'), "{trim}");
        assert_ne!(shown(&fates), "-w-", "{trim}");
    }
}

#[test]
fn preferred_documents_over_the_budget_are_trimmed_and_stored_ones_dropped() {
    for (trim, expected) in [(Trim::Largest, "--w"), (Trim::Outline, "--w"), (Trim::Truncate, "-tt")] {
        assert_eq!(shown(&fates("sgg", &[2, 60, 50], &[60, 9], trim).unwrap()), expected, "{trim}");
    }
    let fates = fates("sgg", &[2, 60, 50], &[60, 9], Trim::Relevant).unwrap();
    assert!(matches!(fates[0], Fate::Dropped { reason: DropReason::AskedFor, .. }));
}

#[test]
fn pins_and_named_documents_take_precedence_over_preferred_ones() {
    for trim in RULES {
        let fates = fates("gnp", &[60, 20, 20], &[20, 20], trim).unwrap();
        assert_eq!(&shown(&fates)[1..], "ww", "{trim}");
    }
    let error = fates("gnp", &[5, 60, 60], &[60, 5], Trim::Largest).unwrap_err();
    assert!(matches!(error, FitError::PinnedOver { pinned, .. } if pinned.len() == 2));
}

#[test]
fn references_get_their_half_even_with_preferred_documents() {
    let fates = fates("sgr", &[30, 40, 40], &[40, 40], Trim::Largest).unwrap();
    assert_eq!(shown(&fates), "-ww");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_stored_document_is_kept_unless_every_preferred_one_is_whole(
        files in files(8),
        asked in prop::collection::vec(any::<bool>(), 8),
        layout in layouts(),
        counter in counters(),
        limit in 0_u64..400,
        trim in prop::sample::select(&RULES[..3]),
    ) {
        let mut candidates = candidates(&files, counter);
        for (candidate, _) in candidates.iter_mut().zip(&asked).filter(|(_, asked)| **asked) {
            candidate.priority = candidate.priority.max(Priority::Asked);
        }
        let Ok(fitted) = fit(&candidates, &layout, counter, Some(limit), trim) else { return Ok(()) };
        prop_assert!(fitted.block_tokens <= limit);
        check_whole(&fitted, &candidates, &layout, counter);
        let others = |place: &usize| candidates[*place].priority == Priority::Stored;
        if kept(&fitted).iter().any(others) {
            for (candidate, outcome) in candidates.iter().zip(&fitted.fates) {
                let is_whole = matches!(outcome, Fate::Included { .. });
                prop_assert!(candidate.priority != Priority::Asked || is_whole);
            }
        }
    }
}
