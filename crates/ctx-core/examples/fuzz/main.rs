//! Feeds mutated inputs to the code that reads untrusted bytes, and checks properties that must always hold.
//!
//! `cargo run --example fuzz -- SECONDS [SEED]`; a failure prints the seed that reproduces it at once.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

#[path = "../../../../tests/cli/blocks.rs"]
mod blocks;
mod input;
mod targets;

use std::panic;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use input::{Corpus, Random};
use targets::Target;

/// The seed of a run without SEED, so that every such run has the same inputs.
const FIRST_SEED: u64 = 1;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let (seconds, seed) = match (arguments.next(), arguments.next()) {
        (Some(Ok(seconds)), None) => (seconds, FIRST_SEED),
        (Some(Ok(seconds)), Some(Ok(seed))) => (seconds, seed),
        (_, _) => {
            eprintln!("usage: fuzz SECONDS [SEED]");
            return ExitCode::from(2);
        }
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/corpus");
    let corpora = Target::ALL.map(|target| Corpus::read(&root.join(target.corpus())));
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut rounds = 0;
    for seed in seed.. {
        let mut random = Random::new(seed);
        let which = random.below(Target::ALL.len());
        let input = corpora[which].mutated(&mut random);
        if let Err(reason) = outcome(Target::ALL[which], &input) {
            println!(
                "{} fails with seed {seed}: {reason}\n{}",
                Target::ALL[which].name(),
                input.escape_ascii()
            );
            return ExitCode::FAILURE;
        }
        rounds += 1;
        if Instant::now() >= end {
            println!("{rounds} inputs, seeds {} to {seed}", seed + 1 - rounds);
            return ExitCode::SUCCESS;
        }
    }
    ExitCode::SUCCESS
}

/// The target's result; a panic is a failure like any other.
fn outcome(target: Target, input: &[u8]) -> Result<(), String> {
    panic::catch_unwind(|| target.check(input)).unwrap_or_else(|_| Err("it panicked".to_owned()))
}
