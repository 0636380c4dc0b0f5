//! Tests that ranked passages never exceed the limit and are chosen by the rule.

use proptest::prelude::*;

use super::{File, block, candidates, check_whole, counters, files, fit, kept, layouts};
use crate::budget::{Candidate, DropReason, Fate, FitError, Passages, Priority, ScoredLines, Showing, Trim};
use crate::models::Counter;
use ctx_outline::{Headed, Lines};

/// A file cut into passages of three lines, with scores, and the first line of each as its outline. Every declaration has
/// nine lines.
struct Ranked {
    parts: Vec<ScoredLines>,
    outline: Vec<Lines>,
    declared: Vec<Headed>,
}

fn ranked(files: &[File], scores: &[i64]) -> Vec<Ranked> {
    let mut scores = scores.iter().copied().cycle();
    let of_file = |(place, file): (usize, &File)| {
        let has_outline = place % 2 == 0;
        let count = file.text.split_inclusive('\n').count();
        let firsts = (1..=count).step_by(3);
        let lines = |first: usize| Lines { first, last: (first + 2).min(count) };
        let bytes = |first: usize, last: usize| {
            let lines = file.text.split_inclusive('\n').skip(first - 1).take(last + 1 - first);
            u32::try_from(lines.map(str::len).sum::<usize>()).unwrap()
        };
        let part = |first: usize| ScoredLines {
            lines: lines(first),
            score: scores.next().unwrap_or(0),
            bytes: bytes(first, lines(first).last),
            outlined: has_outline.then(|| bytes(first, first)),
        };
        let parts = firsts.clone().map(part).collect();
        let declaration = |first: usize| Headed {
            lines: Lines { first, last: (first + 8).min(count) },
            head: Lines { first, last: first },
            bytes: bytes(first, first) as usize,
        };
        Ranked {
            parts,
            outline: firsts.map(|first| Lines { first, last: first }).collect(),
            declared: (1..=count).step_by(9).map(declaration).collect(),
        }
    };
    files.iter().enumerate().map(of_file).collect()
}

fn with_passages<'a>(files: &'a [File], ranked: &'a [Ranked], counter: Counter) -> Vec<Candidate<'a>> {
    let with = |(place, (candidate, ranked)): (usize, (Candidate<'a>, &'a Ranked))| {
        let outline = (place % 2 == 0).then_some(ranked.outline.as_slice());
        let showing = if place % 3 == 0 { Showing::OutlineFirst } else { Showing::Passages };
        let (parts, declared) = (ranked.parts.as_slice(), ranked.declared.as_slice());
        let passages = Passages {
            text: candidate.text,
            before: 0,
            is_labelled: false,
            parts,
            outline,
            declared,
            showing,
        };
        Candidate { passages: (place % 5 != 4).then_some(passages), ..candidate }
    };
    candidates(files, counter).into_iter().zip(ranked).enumerate().map(with).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn relevant_rule_on_any_files_respects_the_limit_and_keeps_pins(
        files in files(10), layout in layouts(), counter in counters(), share in 0_u64..1_050,
        scores in prop::collection::vec(0_i64..1_000_000, 1..20),
    ) {
        let ranked = ranked(&files, &scores);
        let candidates = with_passages(&files, &ranked, counter);
        let whole = fit(&candidates, &layout, counter, None, Trim::Relevant).unwrap().block_tokens;
        let limit = whole * share / 1_000;
        let fitted = fit(&candidates, &layout, counter, Some(limit), Trim::Relevant);
        if let Err(FitError::NothingFits { needed, .. }) = fitted {
            prop_assert!(needed > limit);
            let fitted = fit(&candidates, &layout, counter, Some(needed), Trim::Relevant);
            prop_assert!(fitted.is_ok_and(|fitted| !kept(&fitted).is_empty()));
        } else if let Ok(fitted) = fitted {
            prop_assert!(fitted.block_tokens <= limit);
            check_whole(&fitted, &candidates, &layout, counter);
            for (candidate, outcome) in candidates.iter().zip(&fitted.fates) {
                prop_assert!(candidate.priority != Priority::Pinned || matches!(outcome, Fate::Included { .. }), "{:?}", outcome);
            }
            if share >= 1_000 {
                prop_assert_eq!(kept(&fitted).len(), candidates.len());
            }
        }
    }
}

/// How many lines of a candidate are printed.
fn lines_shown(candidate: &Candidate<'_>, fate: &Fate) -> u64 {
    let all = candidate.text.split_inclusive('\n').count() as u64;
    match fate {
        Fate::Included { .. } => all,
        Fate::Truncated(part) => all - part.omitted_lines,
        Fate::Outlined { .. } | Fate::Dropped { .. } => 0,
        Fate::Undecided | Fate::Unchanged | Fate::Listed(_) | Fate::Skipped(_) => {
            unreachable!("nothing is decided of {fate:?}")
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn relevant_rule_with_a_larger_budget_shows_no_less_of_any_file(
        sizes in prop::collection::vec(1_usize..40, 1..8), budgets in (20_u64..900, 20_u64..900),
        scores in prop::collection::vec(0_i64..1_000_000, 1..20),
    ) {
        let text = |file: usize, size: usize| -> String {
            (0..size).map(|line| format!("let value_{file}_{line} = compute({line}, {size});\n")).collect()
        };
        let file = |(file, size): (usize, &usize)| File { label: format!("{file}.rs"), text: text(file, *size).into(), pin: false };
        let files: Vec<File> = sizes.iter().enumerate().map(file).collect();
        let ranked = ranked(&files, &scores);
        let counter = Counter::default();
        let candidates = with_passages(&files, &ranked, counter);
        let shown = |limit: u64| -> Vec<u64> {
            match fit(&candidates, &layout(), counter, Some(limit), Trim::Relevant) {
                Ok(fitted) => candidates.iter().zip(&fitted.fates).map(|(one, outcome)| lines_shown(one, outcome)).collect(),
                Err(_) => vec![0; candidates.len()],
            }
        };
        let (smaller, larger) = (shown(budgets.0.min(budgets.1)), shown(budgets.0.max(budgets.1)));
        let best = |file: &usize| ranked[*file].parts.iter().map(|part| part.score).max();
        let first = (0..files.len()).max_by_key(|file| (best(file), std::cmp::Reverse(*file))).unwrap_or(0);
        // If not even the first step fits the smaller budget, what is shown instead may be missing from the
        // larger one.
        prop_assume!(smaller[first] > 0);
        for (file, (less, more)) in smaller.iter().zip(&larger).enumerate() {
            // A passage that only filled leftover room may be dropped for more of an earlier document.
            let is_filler = *more == 0 && *less <= 4;
            let makes_way = (0..files.len()).any(|other| larger[other] > smaller[other] && best(&other) >= best(&file));
            prop_assert!(less <= more || is_filler && makes_way, "{smaller:?} {larger:?}");
        }
    }
}

#[test]
fn relevant_rule_shows_the_next_passage_if_the_best_does_not_fit() {
    let text = |words: usize| format!("{}\n", "word ".repeat(words));
    let files = [400, 2, 300].map(|words| File {
        label: format!("{words}.txt"),
        text: text(words).into(),
        pin: false,
    });
    let mut ranked = ranked(&files, &[0]);
    ranked[0].parts[0].score = 1_000_000;
    ranked[1].parts[0].score = 1;
    let counter = Counter::default();
    let candidates = with_passages(&files, &ranked, counter);
    let fitted = fit(&candidates, &layout(), counter, Some(100), Trim::Relevant).unwrap();
    assert_eq!(kept(&fitted), [1].into());
}

/// Files of one line each, with these numbers of words; the first file matters most.
fn lines_of_words(words: &[usize]) -> (Vec<File>, Vec<Ranked>) {
    let file = |(place, words): (usize, &usize)| File {
        label: format!("{place}.txt"),
        text: format!("{}\n", "word ".repeat(*words)).into(),
        pin: false,
    };
    let files: Vec<File> = words.iter().enumerate().map(file).collect();
    let scores: Vec<i64> = (0..).map(|place| 1_000_000 - 1_000 * place).take(words.len()).collect();
    let ranked = ranked(&files, &scores);
    (files, ranked)
}

#[test]
fn relevant_rule_fills_the_remaining_room_with_later_files() {
    let (files, mut ranked) = lines_of_words(&[100, 190, 4, 180, 2, 500, 3]);
    ranked[6].parts[0].score = 0;
    let counter = Counter::default();
    let candidates = with_passages(&files, &ranked, counter);
    let kept_of = |limit| kept(&fit(&candidates, &layout(), counter, Some(limit), Trim::Relevant).unwrap());
    assert_eq!(kept_of(200), [0, 2, 4].into());
    assert_eq!(kept_of(340), [0, 1, 2, 4].into());
    assert_eq!(kept_of(600), [0, 1, 2, 3, 4].into());
}

#[test]
fn relevant_rule_shows_part_of_every_file_that_must_be_shown() {
    let (files, mut ranked) = lines_of_words(&[100, 50, 60, 30]);
    ranked[3].parts[0].score = 0;
    let counter = Counter::default();
    let mut candidates = with_passages(&files, &ranked, counter);
    candidates[2].priority = Priority::Shown;
    candidates[3].priority = Priority::Shown;
    let fit_into = |limit| fit(&candidates, &layout(), counter, Some(limit), Trim::Relevant);
    assert_eq!(kept(&fit_into(150).unwrap()), [2, 3].into());
    assert_eq!(kept(&fit_into(240).unwrap()), [0, 2, 3].into());
    let error = fit_into(100).unwrap_err();
    // Each file is a single passage, which can't be shortened.
    let FitError::PinnedOver { least: None, needed, .. } = error else { panic!("{error:?}") };
    assert_eq!(fit_into(needed).unwrap().block_tokens, needed);
    assert!(fit_into(needed - 1).is_err());
}

#[test]
fn relevant_rule_reports_the_minimum_for_named_files_and_names_three() {
    let line = "let value = compute(1, 2, 3);\n";
    let files: Vec<File> = (0..5)
        .map(|file| File { label: format!("{file}.rs"), text: line.repeat(60).into(), pin: false })
        .collect();
    let ranked = ranked(&files, &[5, 4, 3]);
    let counter = Counter::default();
    let mut candidates = with_passages(&files[..4], &ranked, counter);
    candidates.iter_mut().for_each(|candidate| candidate.priority = Priority::Named);
    let fit_into = |limit| fit(&candidates, &layout(), counter, Some(limit), Trim::Relevant);
    let error = fit_into(50).unwrap_err();
    let FitError::PinnedOver { least: Some(least), needed, .. } = error else { panic!("{error}") };
    assert!(least < needed / 2, "{least} of {needed}");
    let text = format!(
        "the files you pinned or named need {least} tokens even in part, but the budget is 50: '0.rs' ("
    );
    assert!(error.to_string().starts_with(&text) && error.to_string().ends_with(" and 1 more"), "{error}");
    assert!(fit_into(least).unwrap().block_tokens <= least);
    assert!(fit_into(least - 1).is_err());
}

#[test]
fn relevant_rule_prefers_the_passage_with_the_highest_score() {
    let line = |file: usize, line: usize| format!("let value_{file}_{line} = compute({line});\n");
    let text = |file: usize| (0..30).map(|number| line(file, number)).collect::<String>();
    let files: Vec<File> = (0..3)
        .map(|file| File { label: format!("{file}.rs"), text: text(file).into(), pin: false })
        .collect();
    let mut ranked = ranked(&files, &[0]);
    ranked[1].parts[4].score = 1_000_000;
    let counter = Counter::default();
    let candidates = with_passages(&files, &ranked, counter);
    let fitted = fit(&candidates, &layout(), counter, Some(100), Trim::Relevant).unwrap();
    let shown = block(&fitted, &candidates, &layout());
    assert!(shown.contains("[1.rs]\n") && shown.contains(" omitted …]\nlet value_1_1"), "{shown}");
    assert!(!shown.contains("[0.rs]"), "{shown}");
    assert!(fitted.block_tokens >= 60, "{}", fitted.block_tokens);
    assert!(matches!(fitted.fates[2], Fate::Dropped { reason: DropReason::Unmatched, .. }));
}

fn layout() -> crate::budget::Layout<'static> {
    crate::budget::Layout::default()
}

#[test]
fn tokens_that_the_error_asks_for_are_enough_even_if_no_document_matters() {
    for text in ["", "a", "a\nb\n"] {
        let file = |_| File { label: "a".to_owned(), text: text.to_owned().into(), pin: false };
        let files = [0, 1].map(file);
        let ranked = ranked(&files, &[0]);
        let candidates = with_passages(&files, &ranked, Counter::default());
        let within = |limit| fit(&candidates, &layout(), Counter::default(), Some(limit), Trim::Relevant);
        let Err(FitError::NothingFits { needed, .. }) = within(0) else { panic!("{text:?} fits") };
        assert_eq!(kept(&within(needed).unwrap()).len(), 1, "{text:?}");
        assert!(within(needed - 1).is_err(), "{text:?}");
    }
}
