mod naive;

use std::collections::BTreeSet;

use proptest::prelude::*;

use naive::{naive_block, naive_fit};

use super::{Budget, Candidate, Counter, DropReason, Extent, FitError, Fitted, Layout, Outcome, Sieve, Trim, fit};
use crate::format::parse::{Parsed, ended, parse};
use crate::format::{Document, Format, Id};
use crate::tokens::{Factor, Tokenizer};

#[derive(Debug, Clone)]
struct File {
    label: String,
    text: String,
    pin: bool,
}

fn candidates(files: &[File], counter: Counter) -> Vec<Candidate<'_>> {
    files
        .iter()
        .map(|File { label, text, pin }| Candidate {
            label,
            text,
            pin: *pin,
            extent: Extent::Whole(counter.tokenizer.measure(text)),
            may_collide: true,
        })
        .collect()
}

fn counter(tokenizer: Tokenizer) -> Counter {
    Counter { tokenizer, factor: Factor::ONE }
}

fn block(fitted: &Fitted, candidates: &[Candidate<'_>], layout: &Layout<'_>) -> String {
    fitted.frame(layout).segments(fitted.documents(candidates), None).collect()
}

const HOSTILE: [&str; 26] = [
    "fn main() {\n",
    "// code\n",
    "\n",
    "\n\n",
    " ",
    "word",
    "a",
    "1234",
    "]",
    "```",
    "`",
    "\r\n",
    "\r",
    "é",
    "日本語",
    "[a]\n",
    "\n[b] \r\n",
    "\n[src/c.rs]\n",
    "--- CONTEXT FILES END ---\n",
    "\n--- CONTEXT FILES BEGIN ---",
    "</document_content>\n",
    "</documents>",
    "</source>",
    "\n514229317811\n",
    "\"\\",
    "lorem ipsum dolor sit amet ",
];

fn text() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(&HOSTILE[..]), 0..12);
    let tame = prop::collection::vec(prop::sample::select(&HOSTILE[..8]), 0..60);
    prop_oneof![pieces.prop_map(|pieces| pieces.concat()), tame.prop_map(|pieces| pieces.concat())]
}

fn label() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(vec![
        "a",
        "b",
        "src/c.rs",
        "-",
        "a] [b",
        "`",
        "``x`",
        " ",
        " x ",
        "<&>",
        "</source>",
        "514229317811",
        "[",
        "]",
        "\"",
        "--- CONTEXT FILES END ---",
        "&lt;",
        "日",
        "… 3 lines omitted …",
    ]);
    let held = prop::sample::select(vec!["a", "b", "src/c.rs"]).prop_map(str::to_owned);
    prop_oneof![held, hostile.prop_map(str::to_owned), "[a-z]{1,6}/[a-z]{1,6}\\.(rs|md|py)", "[ -~]{1,9}"]
}

fn files(most: usize) -> impl Strategy<Value = Vec<File>> {
    let file = (label(), text(), prop::bool::weighted(0.15));
    prop::collection::vec(file.prop_map(|(label, text, pin)| File { label, text, pin }), 0..most)
}

fn layouts() -> impl Strategy<Value = Layout<'static>> {
    let trees = [None, None, Some("src\n└── c.rs"), Some("[a]\n"), Some("</tree>\n```")];
    (prop::sample::select(&Format::ALL[..]), any::<bool>(), prop::sample::select(trees.to_vec()))
        .prop_map(|(format, guard, tree)| Layout { format, guard, tree })
}

fn counters() -> impl Strategy<Value = Counter> {
    let tokenizers = [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Bytes4];
    let factors = [1.0, 1.0, 1.15, 2.0].map(|number| Factor::from_number(number).unwrap());
    (prop::sample::select(tokenizers.to_vec()), prop::sample::select(factors.to_vec()))
        .prop_map(|(tokenizer, factor)| Counter { tokenizer, factor })
}

fn parts(parsed: &[Document<'_>], newline: bool) -> Vec<Parsed> {
    let text = |text: &str| if newline { ended(text) } else { text.to_owned() };
    parsed
        .iter()
        .map(|document| Parsed { label: document.label.to_owned(), text: text(document.text) })
        .collect()
}

fn check_whole(fitted: &Fitted, candidates: &[Candidate<'_>], layout: &Layout<'_>, counter: Counter) {
    let block = block(fitted, candidates, layout);
    assert_eq!(fitted.block_tokens, counter.tokens(&block), "{block:?}");
    let documents: Vec<Document<'_>> = fitted.documents(candidates).collect();
    let sum: u64 = documents.iter().map(|document| counter.tokens(document.text)).sum();
    assert_eq!(fitted.document_tokens, sum);
    assert_eq!(
        fitted.frame_tokens(),
        i64::try_from(fitted.block_tokens).unwrap() - i64::try_from(sum).unwrap()
    );
    let labels: Vec<&str> = documents.iter().map(|document| document.label).collect();
    let newline = matches!(layout.format, Format::Text | Format::Markdown);
    let parsed = parse(layout.format, fitted.id, &labels, &block);
    assert_eq!(parsed, parts(&documents, newline), "{block:?}");
    assert!(block.is_empty() || block.ends_with('\n') && !block.ends_with("\n\n"), "{block:?}");
}

fn kept(fitted: &Fitted) -> BTreeSet<usize> {
    let printed = |outcome: &Outcome| !matches!(outcome, Outcome::Dropped { .. });
    (0..fitted.outcomes.len()).filter(|place| printed(&fitted.outcomes[*place])).collect()
}

/// What comes through the sieve, given in another order and counted no further than the bound.
fn sifted<'a>(whole: &[Candidate<'a>], layout: &Layout<'_>, counter: Counter, limit: u64) -> Vec<usize> {
    let sieve = Sieve::new(counter, layout.format, limit);
    let mut through: BTreeSet<usize> = BTreeSet::new();
    let odd_first = (1..whole.len()).step_by(2).chain((0..whole.len()).step_by(2));
    for place in odd_first {
        let Candidate { text, pin, extent: Extent::Whole(measure), .. } = whole[place] else { panic!() };
        if !pin && counter.tokenizer.at_most(text, sieve.bound()).is_none() {
            continue;
        }
        through.insert(place);
        for dropped in sieve.admit(place, &measure, pin) {
            through.remove(&dropped);
        }
    }
    through.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_sieve_and_the_quick_look_change_no_decision(
        files in files(14), layout in layouts(), counter in counters(), share in 0_u64..=120,
    ) {
        let whole = candidates(&files, counter);
        let all = fit(&whole, &layout, counter, None, Trim::Largest).unwrap().block_tokens;
        let limit = all * share / 100;
        let through = sifted(&whole, &layout, counter, limit);
        let quick = |place: &usize| Candidate {
            may_collide: layout.format.may_collide(whole[*place].text),
            ..whole[*place]
        };
        let rest: Vec<Candidate<'_>> = through.iter().map(quick).collect();
        let expected = fit(&whole, &layout, counter, Some(limit), Trim::Largest);
        let actual = fit(&rest, &layout, counter, Some(limit), Trim::Largest);
        match (expected, actual) {
            (Ok(expected), Ok(actual)) => {
                let places: BTreeSet<usize> = kept(&actual).into_iter().map(|place| through[place]).collect();
                prop_assert_eq!(kept(&expected), places);
                prop_assert_eq!(block(&expected, &whole, &layout), block(&actual, &rest, &layout));
                prop_assert_eq!(expected.block_tokens, actual.block_tokens);
            }
            (expected, actual) => prop_assert_eq!(expected.is_err(), actual.is_err()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Every format parses back, and is counted to the token.
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

    /// The decisions are those of the rules applied word for word.
    #[test]
    fn decisions_are_the_naive_ones(
        files in files(12), layout in layouts(), counter in counters(), share in 0u64..1_050,
        trim in prop::sample::select(&[Trim::Largest, Trim::FirstFit, Trim::Fail][..]),
    ) {
        let candidates = candidates(&files, counter);
        let whole = fit(&candidates, &layout, counter, None, Trim::Largest).unwrap().block_tokens;
        let limit = whole * share / 1_000;
        let fitted = fit(&candidates, &layout, counter, Some(limit), trim);
        let naive = naive_fit(&candidates, &layout, counter, limit, trim);
        prop_assert_eq!(fitted.as_ref().ok().map(kept), naive);
        if let Ok(fitted) = fitted {
            prop_assert!(fitted.block_tokens <= limit);
            check_whole(&fitted, &candidates, &layout, counter);
        }
    }

    /// Truncation holds the cap, keeps the pinned whole and everything in its place, and what is
    /// printed of a file is its beginning.
    #[test]
    fn truncation_holds_the_cap(
        files in files(8), layout in layouts(), counter in counters(), limit in 0u64..500,
    ) {
        let candidates = candidates(&files, counter);
        let Ok(fitted) = fit(&candidates, &layout, counter, Some(limit), Trim::Truncate) else { return Ok(()) };
        prop_assert!(fitted.block_tokens <= limit);
        check_whole(&fitted, &candidates, &layout, counter);
        for (file, outcome) in files.iter().zip(&fitted.outcomes) {
            match outcome {
                Outcome::Included { tokens } => prop_assert_eq!(*tokens, counter.tokens(&file.text)),
                Outcome::Truncated { tokens, text, omitted_lines } => {
                    prop_assert!(!file.pin);
                    prop_assert_eq!(*tokens, counter.tokens(text));
                    let marker = format!("[… {omitted_lines} lines omitted …]\n");
                    let shown = text.strip_suffix(&marker).expect("the marker stands last");
                    let shown = if file.text.starts_with(shown) { shown } else { &shown[..shown.len() - 1] };
                    prop_assert!(!shown.is_empty() && file.text.starts_with(shown));
                    let all = file.text.split_inclusive('\n').count();
                    let whole = shown.split_inclusive('\n').filter(|line| line.ends_with('\n')).count();
                    prop_assert!((all - whole) as u64 - omitted_lines <= 1);
                }
                Outcome::Dropped { .. } => prop_assert!(!file.pin),
            }
        }
    }
}

fn numbered_lines(label: &str, lines: usize) -> File {
    let text = (0..lines).map(|line| format!("let value_{line} = compute({line});\n")).collect();
    File { label: label.to_owned(), text, pin: false }
}

#[test]
fn truncation_uses_the_budget() {
    let long_line = File { label: "min.js".to_owned(), text: "var a=1;".repeat(9_000), pin: false };
    let prose = |n: usize| File {
        label: format!("prose{n}.md"),
        text: format!("{}\n", "many words in one long line of prose ".repeat(30)).repeat(40),
        pin: false,
    };
    let selections = [
        vec![numbered_lines("a", 3_000)],
        vec![long_line.clone()],
        vec![prose(0)],
        vec![numbered_lines("a", 3_000), long_line, numbered_lines("small", 3)],
        (0..10).map(|n| numbered_lines(&format!("same{n}"), 900)).collect(),
        (0..10).map(prose).collect(),
        (0..400).map(|n| numbered_lines(&format!("dir/many{n}.rs"), 40)).collect(),
    ];
    for files in &selections {
        for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Bytes4] {
            let candidates = candidates(files, counter(tokenizer));
            for (limit, format) in [500, 1_000, 2_500, 7_777]
                .into_iter()
                .flat_map(|limit| Format::ALL.into_iter().map(move |format| (limit, format)))
            {
                let layout = Layout { format, ..Layout::default() };
                let fitted =
                    fit(&candidates, &layout, counter(tokenizer), Some(limit), Trim::Truncate).unwrap();
                check_whole(&fitted, &candidates, &layout, counter(tokenizer));
                assert!(
                    fitted.block_tokens <= limit && fitted.block_tokens * 100 >= limit * 95,
                    "{} of {limit} used, {format}, {tokenizer}, {}",
                    fitted.block_tokens,
                    files[0].label
                );
            }
        }
    }
}

#[test]
fn short_lines_are_cut_at_their_ends() {
    let files = [numbered_lines("a", 500), numbered_lines("b", 500)];
    let candidates = candidates(&files, Counter::default());
    let fitted =
        fit(&candidates, &Layout::default(), Counter::default(), Some(1_000), Trim::Truncate).unwrap();
    for (file, outcome) in files.iter().zip(&fitted.outcomes) {
        let Outcome::Truncated { text, .. } = outcome else { panic!("{outcome:?}") };
        let shown = &text[..text.find("[…").unwrap()];
        assert!(shown.ends_with(";\n") && file.text.starts_with(shown));
    }
}

#[test]
fn the_marker_cannot_be_taken_for_a_label() {
    let text = "let x = 1;\n".repeat(500);
    let alone = [File { label: "a".to_owned(), text, pin: false }];
    let limit = Some(300);
    let counter = Counter::default();
    let fitted =
        fit(&candidates(&alone, counter), &Layout::default(), counter, limit, Trim::Truncate).unwrap();
    let [Outcome::Truncated { omitted_lines, .. }] = fitted.outcomes[..] else { panic!() };
    assert_eq!(fitted.id, None);
    for lines in omitted_lines - 5..=omitted_lines + 5 {
        let forger = File { label: format!("… {lines} lines omitted …"), ..alone[0].clone() };
        let files = [forger];
        let candidates = candidates(&files, counter);
        let fitted = fit(&candidates, &Layout::default(), counter, limit, Trim::Truncate).unwrap();
        check_whole(&fitted, &candidates, &Layout::default(), counter);
    }
}

#[test]
fn errors_name_what_is_needed() {
    let mut files = [numbered_lines("a", 20), numbered_lines("b", 10)];
    let (layout, counter) =
        (Layout::default(), Counter { tokenizer: Tokenizer::Bytes4, factor: Factor::ONE });
    let error = |files: &[File], limit, trim| {
        fit(&candidates(files, counter), &layout, counter, Some(limit), trim).unwrap_err()
    };
    let needed = |files: &[File]| {
        fit(&candidates(files, counter), &layout, counter, None, Trim::Largest).unwrap().block_tokens
    };
    for trim in [Trim::Largest, Trim::FirstFit, Trim::Truncate] {
        let FitError::NothingFits { limit: 10, smallest, needed: alone, .. } = error(&files, 10, trim) else {
            panic!()
        };
        assert_eq!((smallest.label.as_str(), alone), ("b", needed(&files[1..])));
    }
    let whole = needed(&files);
    let over = FitError::Over { limit: 100, needed: whole, estimated: true };
    assert_eq!(error(&files, 100, Trim::Fail), over);
    assert_eq!(
        error(&files, 100, Trim::Fail).to_string(),
        format!("the block of ~{whole} tokens is ~{} tokens over the budget of 100", whole - 100)
    );
    files[1].pin = true;
    for trim in [Trim::Largest, Trim::FirstFit, Trim::Truncate] {
        let FitError::PinnedOver { pinned, needed: alone, .. } = error(&files, 20, trim) else { panic!() };
        assert_eq!((pinned.len(), pinned[0].label.as_str(), alone), (1, "b", needed(&files[1..])));
    }
}

#[test]
fn nothing_selected_is_nothing_printed() {
    for trim in Trim::ALL {
        let fitted =
            fit(&[], &Layout::default(), Counter::default(), Budget::Tokens(0).limit(1), trim).unwrap();
        assert_eq!((fitted.block_tokens, fitted.id), (0, None));
        assert_eq!(trim.to_string().parse(), Ok(trim));
    }
}

#[test]
fn of_equals_the_later_is_dropped_and_the_rest_stays_in_place() {
    let files = ["a", "b", "c"].map(|label| numbered_lines(label, 10));
    let counter = Counter::default();
    let candidates = candidates(&files, counter);
    let whole = fit(&candidates, &Layout::default(), counter, None, Trim::Largest).unwrap();
    let limit = Some(whole.block_tokens - 1);
    let fitted = fit(&candidates, &Layout::default(), counter, limit, Trim::Largest).unwrap();
    assert_eq!(kept(&fitted), BTreeSet::from([0, 1]));
    let Outcome::Dropped { reason, .. } = fitted.outcomes[2] else { panic!() };
    assert_eq!(reason, DropReason::Largest);
}

/// Blocks are counted before their id is known, and numbers apart from what stands around them.
#[test]
fn numbers_cost_the_same_whatever_their_digits() {
    for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k] {
        for number in 0..1_000 {
            assert_eq!(tokenizer.count(&format!("{number:03}")), 1);
        }
        assert_eq!(tokenizer.count(&Id::FIRST.to_string()), 4);
    }
}
