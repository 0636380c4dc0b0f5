//! Searches for strings that are slow to count, among alternating runs of any two classes of characters.
//!
//! `cargo run --example slow_texts -- FILE` compares the strings it finds with those in FILE, and writes the
//! slowest of both back to FILE. The benchmark counts them.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

mod runs;

use std::fs;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ctx_tokens::Tokenizer;
use runs::Runs;

/// A character or two of each class that the patterns or the vocabularies treat differently.
const CHARACTERS: [&str; 40] = [
    "a", "A", "z", "e", "7", " ", "\n", "\t", "\r\n", "=", "-", "/", ".", "*", "_", "#", "~", "(", "\"", "'",
    ",", "<", "|", "\\", "\0", "é", "ß", "中", "の", "😀", "\u{301}", "\u{a0}", "\u{3000}", "\u{200d}", "ه",
    "а", "한", "👍🏽", "ा", "\u{e000}",
];

/// Lengths of the two runs.
const LENGTHS: [[usize; 2]; 8] =
    [[1, 1], [2, 1], [3, 5], [7, 9], [31, 33], [64, 64], [129, 67], [1000, 1000]];

/// Long enough for a piece longer than any token, and short enough to measure thousands of strings.
const BYTES: usize = 32 << 10;
/// How many of the slowest strings are measured again, in case the machine was busy.
const SUSPECTS: usize = 600;
const AGAIN: usize = 10;
const KEPT: usize = 12;
/// A slow character makes many strings slow. This many strings with the same character are enough.
const KEPT_AKIN: usize = 2;

struct Slow {
    runs: Runs,
    time: Duration,
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: slow_texts FILE");
        return ExitCode::from(2);
    };
    let known = fs::read_to_string(&path).unwrap_or_default();
    let mut all: Vec<Slow> =
        known.lines().filter_map(Runs::parse).chain(pairs()).map(|r| slow(r, 1)).collect();
    let met = all.len();
    all.sort_by_key(|slow| std::cmp::Reverse(slow.time));
    let mut all: Vec<Slow> = all.into_iter().take(SUSPECTS).map(|met| slow(met.runs, AGAIN)).collect();
    all.sort_by_key(|slow| std::cmp::Reverse(slow.time));
    let mut kept: Vec<Slow> = Vec::new();
    for slow in all {
        let akin = kept.iter().filter(|other| other.runs.is_akin(&slow.runs)).count();
        if kept.len() < KEPT && akin < KEPT_AKIN {
            kept.push(slow);
        }
    }
    println!("{met} texts; the slowest:");
    for Slow { runs, time } in &kept {
        println!("{:8.1} MB/s  {runs}", BYTES as f64 / 1e6 / time.as_secs_f64());
    }
    let lines: String = kept.iter().map(|slow| format!("{}\n", slow.runs)).collect();
    match fs::write(&path, lines) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot write {path}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn pairs() -> impl Iterator<Item = Runs> {
    CHARACTERS.into_iter().flat_map(|one| {
        CHARACTERS
            .into_iter()
            .flat_map(move |other| LENGTHS.into_iter().map(move |lengths| Runs::new(lengths, [one, other])))
    })
}

/// The best time of the slower of the two vocabularies.
fn slow(runs: Runs, rounds: usize) -> Slow {
    let text = runs.text(BYTES);
    let best = |tokenizer: Tokenizer| {
        let time = || {
            let start = Instant::now();
            black_box(tokenizer.count(black_box(&text)));
            start.elapsed()
        };
        (0..rounds).map(|_| time()).min().unwrap_or_default()
    };
    let time = best(Tokenizer::O200k).max(best(Tokenizer::Cl100k));
    Slow { runs, time }
}
