//! References in the prompt take precedence over stored files, up to half the budget.

use super::{candidates, fit, kept, numbered_lines};
use crate::budget::{Candidate, DropReason, Fate, FitError, Layout, Priority, Trim};
use crate::models::Counter;

/// Which documents are kept under a limit, for documents with these numbers of lines, by the letters of `kinds`:
/// stored, pinned, named, referred to, or referred to and stored.
fn kept_of(kinds: &str, lines: &[usize], limit: u64, trim: Trim) -> Result<Vec<usize>, FitError> {
    let names: Vec<String> = (0..lines.len()).map(|place| format!("f{place}")).collect();
    let files: Vec<super::File> =
        names.iter().zip(lines).map(|(name, lines)| numbered_lines(name, *lines)).collect();
    let counter = Counter::default();
    let mut candidates = candidates(&files, counter);
    for (candidate, kind) in candidates.iter_mut().zip(kinds.chars()) {
        *candidate = Candidate {
            priority: match kind {
                'p' => Priority::Pinned,
                'n' => Priority::Named,
                'r' | 'a' => Priority::Referenced,
                _ => Priority::Stored,
            },
            is_stored_too: kind == 'a',
            ..*candidate
        };
    }
    let fitted = fit(&candidates, &Layout::default(), counter, Some(limit), trim)?;
    assert!(fitted.block_tokens <= limit);
    for (outcome, kind) in fitted.fates.iter().zip(kinds.chars()) {
        if let Fate::Dropped { reason } = outcome {
            assert_eq!(*reason == DropReason::Reference, kind == 'r', "{kinds}");
        }
    }
    Ok(kept(&fitted).into_iter().collect())
}

/// The tokens of a block with one document of this many lines.
fn tokens(lines: &[usize]) -> u64 {
    let files: Vec<super::File> = lines.iter().map(|lines| numbered_lines("f0", *lines)).collect();
    let counter = Counter::default();
    fit(&candidates(&files, counter), &Layout::default(), counter, None, Trim::Largest).unwrap().block_tokens
}

#[test]
fn everything_that_fits_is_kept() {
    assert_eq!(kept_of("sr", &[10, 90], tokens(&[10, 90]) + 9, Trim::Largest).unwrap(), [0, 1]);
}

#[test]
fn references_take_precedence_over_stored_documents_up_to_half_the_budget() {
    let limit = tokens(&[100]);
    for trim in [Trim::Largest, Trim::Outline] {
        assert_eq!(kept_of("sssrr", &[30, 30, 30, 20, 20], limit, trim).unwrap(), [0, 3, 4]);
        assert_eq!(kept_of("sssrr", &[30, 30, 30, 30, 30], limit, trim).unwrap(), [0, 1, 3]);
    }
}

#[test]
fn references_that_do_not_fit_are_dropped_starting_with_the_last() {
    let limit = tokens(&[100]);
    assert_eq!(kept_of("ssrrr", &[45, 30, 20, 20, 1], limit, Trim::Largest).unwrap(), [1, 2, 3, 4]);
    assert_eq!(kept_of("ssrrr", &[45, 40, 20, 40, 1], limit, Trim::Largest).unwrap(), [1, 2]);
}

#[test]
fn references_use_the_room_that_stored_documents_leave() {
    let limit = tokens(&[100]);
    assert_eq!(kept_of("rr", &[80, 60], limit, Trim::Largest).unwrap(), [0]);
    assert_eq!(kept_of("srr", &[5, 80, 60], limit, Trim::Largest).unwrap(), [0, 1]);
    assert!(matches!(kept_of("r", &[200], limit, Trim::Largest), Err(FitError::NothingFits { .. })));
}

#[test]
fn pinned_and_named_documents_take_precedence_over_references() {
    let limit = tokens(&[100]);
    assert_eq!(kept_of("pnr", &[40, 40, 30], limit, Trim::Largest).unwrap(), [0, 1]);
    assert_eq!(kept_of("pnr", &[40, 40, 10], limit, Trim::Largest).unwrap(), [0, 1, 2]);
    assert!(matches!(kept_of("pr", &[120, 1], limit, Trim::Largest), Err(FitError::PinnedOver { .. })));
}

#[test]
fn reference_that_does_not_fit_but_is_also_stored_competes_as_a_stored_document() {
    let limit = tokens(&[100]);
    assert_eq!(kept_of("sa", &[45, 40], limit, Trim::Largest).unwrap(), [0, 1]);
    assert_eq!(kept_of("sra", &[40, 45, 20], limit, Trim::Largest).unwrap(), [1, 2]);
}
