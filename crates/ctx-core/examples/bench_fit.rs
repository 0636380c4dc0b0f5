//! Shows how long fitting takes once files are measured: `cargo run --release --example bench_fit [FILES]`.
//!
//! The files are synthetic. FILES is their number (default 30,000); each has 200 bytes to 3 kB.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::time::Instant;

use ctx_core::budget::{Block, Candidate, Layout, Priority, fit};
use ctx_core::guard::CleanText;
use ctx_core::models::Counter;
use ctx_core::{Format, Trim};

const BUDGET: u64 = 100_000;

fn main() {
    let files: usize = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(30_000);
    let counter = Counter::default();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let texts: Vec<CleanText> = (0..files).map(|file| text(file).into()).collect();
    let labels: Vec<String> = (0..files).map(|file| format!("src/dir{}/file{file}.rs", file % 97)).collect();
    let start = Instant::now();
    let candidates: Vec<Candidate<'_>> = texts
        .iter()
        .zip(&labels)
        .map(|(text, label)| Candidate {
            lines: None,
            label,
            text,
            priority: Priority::Stored,
            is_stored_too: false,
            measure: counter.tokenizer.measure(text),
            may_collide: true,
            outline: None,
            passages: None,
            unread: false,
            change: None,
        })
        .collect();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    println!("{files} files, {:.1} MB, measured in {:.0?}", bytes as f64 / 1e6, start.elapsed());
    for format in Format::ALL {
        let layout = Layout { format, ..Layout::default() };
        let whole = fit(&candidates, &Block { layout, counter, limit: None, threads }, Trim::Largest)
            .map_or(0, |fitted| fitted.block_tokens);
        for (trim, limit) in [
            (Trim::Largest, None),
            (Trim::Largest, Some(BUDGET)),
            (Trim::Largest, Some(whole / 2)),
            (Trim::Truncate, Some(BUDGET)),
            (Trim::Truncate, Some(whole / 2)),
        ] {
            let start = Instant::now();
            let block = fit(&candidates, &Block { layout, counter, limit, threads }, trim)
                .map_or(0, |fitted| fitted.block_tokens);
            println!(
                "{format:>8} {trim:>9} {:>9}: {block:>9} tokens, {:.1?}",
                limit.unwrap_or(0),
                start.elapsed()
            );
        }
    }
}

fn text(file: usize) -> String {
    let lines = 5 + file * 7_919 % 70;
    (0..lines).map(|line| format!("    let value_{line} = compute({file}, &[{line}]); // step\n")).collect()
}
