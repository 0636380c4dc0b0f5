//! Tests the promises of budgets on difficult text.

mod chats;
mod naive;
mod outlines;
mod preferred;
mod prefilter;
mod references;
mod relevant;
mod rules;
mod truncation;

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{Block, Candidate, Fate, FitError, Fitted, Layout, Priority, Trim};
use crate::format::tests::parse::{Parsed, ended, parse};
use crate::format::{Around, Format, PrintedDocument};
use crate::guard::CleanText;
use crate::models::{Counter, Factor, ScriptFactors, Tokenizer};

#[derive(Debug, Clone)]
struct File {
    label: String,
    text: CleanText,
    pin: bool,
}

fn candidates(files: &[File], counter: Counter) -> Vec<Candidate<'_>> {
    files
        .iter()
        .map(|File { label, text, pin }| Candidate {
            lines: None,
            label,
            text,
            priority: if *pin { Priority::Pinned } else { Priority::Stored },
            is_stored_too: false,
            measure: counter.tokenizer.measure(text),
            may_collide: true,
            outline: None,
            passages: None,
            unread: false,
            change: None,
        })
        .collect()
}

/// The result of the rule on two threads.
fn fit(
    candidates: &[Candidate<'_>],
    layout: &Layout<'_>,
    counter: Counter,
    limit: Option<u64>,
    trim: Trim,
) -> Result<Fitted, FitError> {
    super::fit(candidates, &Block { layout: *layout, counter, limit, threads: 2 }, trim)
}

fn counter(tokenizer: Tokenizer) -> Counter {
    Counter { tokenizer, factor: Factor::ONE }
}

fn block(fitted: &Fitted, candidates: &[Candidate<'_>], layout: &Layout<'_>) -> String {
    fitted.frame(layout).segments(fitted.documents(candidates)).collect()
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
    prop::collection::vec(file.prop_map(|(label, text, pin)| File { label, text: text.into(), pin }), 0..most)
}

fn layouts() -> impl Strategy<Value = Layout<'static>> {
    let trees = [None, None, Some("src\n└── c.rs"), Some("[a]\n"), Some("</tree>\n```")];
    (prop::sample::select(&Format::ALL[..]), any::<bool>(), prop::sample::select(trees.to_vec())).prop_map(
        |(format, guard, tree)| Layout { format, guard, around: Around { tree, ..Around::default() } },
    )
}

fn counters() -> impl Strategy<Value = Counter> {
    let weighted = Tokenizer::Weighted(ScriptFactors::measured("qwen3").unwrap());
    let tokenizers = [Tokenizer::O200K, Tokenizer::CL100K, Tokenizer::Bytes4, weighted];
    let factors = [1.0, 1.0, 1.15, 2.0].map(|number| Factor::from_number(number).unwrap());
    (prop::sample::select(tokenizers.to_vec()), prop::sample::select(factors.to_vec()))
        .prop_map(|(tokenizer, factor)| Counter { tokenizer, factor })
}

fn parts(parsed: &[PrintedDocument<'_>], newline: bool) -> Vec<Parsed> {
    let text = |text: &str| if newline { ended(text) } else { text.to_owned() };
    parsed
        .iter()
        .map(|document| Parsed { label: document.label.to_owned(), text: text(document.text) })
        .collect()
}

fn check_whole(fitted: &Fitted, candidates: &[Candidate<'_>], layout: &Layout<'_>, counter: Counter) {
    let block = block(fitted, candidates, layout);
    assert_eq!(fitted.block_tokens, counter.tokens(&block), "{block:?}");
    let documents: Vec<PrintedDocument<'_>> = fitted.documents(candidates).collect();
    let sum: u64 = documents.iter().map(|document| counter.tokens(document.text)).sum();
    assert_eq!(fitted.document_tokens, sum);
    assert_eq!(
        fitted.frame_tokens(),
        i64::try_from(fitted.block_tokens).unwrap() - i64::try_from(sum).unwrap()
    );
    check_documents(fitted, candidates, layout, &block);
    assert!(block.is_empty() || block.ends_with('\n') && !block.ends_with("\n\n"), "{block:?}");
}

/// Checks that the documents of a block parse back.
fn check_documents(fitted: &Fitted, candidates: &[Candidate<'_>], layout: &Layout<'_>, block: &str) {
    let documents: Vec<PrintedDocument<'_>> = fitted.documents(candidates).collect();
    let labels: Vec<&str> = documents.iter().map(|document| document.label).collect();
    let newline = matches!(layout.format, Format::Text | Format::Markdown | Format::Messages);
    let parsed = parse(layout.format, fitted.id, &labels, block);
    assert_eq!(parsed, parts(&documents, newline), "{block:?}");
}

fn kept(fitted: &Fitted) -> BTreeSet<usize> {
    let printed = |outcome: &Fate| !matches!(outcome, Fate::Dropped { .. });
    (0..fitted.fates.len()).filter(|place| printed(&fitted.fates[*place])).collect()
}

fn numbered_lines(label: &str, lines: usize) -> File {
    let text: String = (0..lines).map(|line| format!("let value_{line} = compute({line});\n")).collect();
    File { label: label.to_owned(), text: text.into(), pin: false }
}
