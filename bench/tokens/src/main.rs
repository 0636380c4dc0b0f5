//! Compares the o200k counts and speed of the `ctx` library with those of `bpe-openai`, on one thread.
//!
//! - `token-bench counts DIR` prints the number of files, and the files whose counts differ.
//! - `token-bench speed DIR ROUNDS` prints the number of bytes and, for each round, how many seconds each
//!   counter takes for all files.
//! - `token-bench worst` prints how many seconds the library takes for inputs on which a naive merge is slow.
//! - `token-bench count DIR` counts once, so that a profiler can measure the function `counted`.
//! - `token-bench outlines DIR ROUNDS` prints how many seconds it takes to outline all source files.
//!
//! All of them print lines of tab-separated fields. Seconds are processor time.

#[path = "../../../crates/ctx-tokens/examples/slow_texts/runs.rs"]
mod runs;

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use ctx_outline::{Language, outline};
use ctx_tokens::Tokenizer;
use rustix::time::{ClockId, clock_gettime};
use runs::Runs;

/// The slow inputs that `tests/campaigns/slow-texts` found.
const FOUND: &str = include_str!("../slow-texts");

const WORST_BYTES: usize = 1 << 20;
const WORST_ROUNDS: usize = 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["counts", directory] => counts(Path::new(directory)),
        ["speed", directory, rounds] => {
            speed(Path::new(directory), rounds.parse().expect("a number of rounds"))
        }
        ["worst"] => worst(),
        ["count", directory] => count(Path::new(directory)),
        ["outlines", directory, rounds] => {
            outlines(Path::new(directory), rounds.parse().expect("a number of rounds"))
        }
        _ => panic!("usage: token-bench counts DIR | speed DIR ROUNDS | worst | count DIR | outlines DIR ROUNDS"),
    }
}

fn counts(directory: &Path) {
    let paths = files(directory);
    println!("files\t{}", paths.len());
    for path in paths {
        let text = read(&path);
        let ours = Tokenizer::O200k.count(&text);
        let theirs = bpe_openai::o200k_base().count(&text) as u64;
        if ours != theirs {
            println!("differs\t{}\t{ours}\t{theirs}", path.display());
        }
    }
}

fn speed(directory: &Path, rounds: usize) {
    let texts: Vec<String> = files(directory).iter().map(|path| read(path)).collect();
    println!("bytes\t{}", texts.iter().map(String::len).sum::<usize>());
    let theirs = bpe_openai::o200k_base();
    for round in 0..=rounds {
        let ours = seconds(|| texts.iter().map(|text| Tokenizer::O200k.count(text)).sum());
        let other = seconds(|| texts.iter().map(|text| theirs.count(text) as u64).sum());
        if round > 0 {
            println!("round\t{ours}\t{other}");
        }
    }
}

fn count(directory: &Path) {
    let texts: Vec<String> = files(directory).iter().map(|path| read(path)).collect();
    println!("bytes\t{}", texts.iter().map(String::len).sum::<usize>());
    println!("tokens\t{}", counted(&texts));
}

#[inline(never)]
fn counted(texts: &[String]) -> u64 {
    texts.iter().map(|text| Tokenizer::O200k.count(text)).sum()
}

fn outlines(directory: &Path, rounds: usize) {
    let with_language = |path: &PathBuf| Some((Language::of_path(path.to_str()?)?, read(path)));
    let sources: Vec<(Language, String)> = files(directory).iter().filter_map(with_language).collect();
    println!("bytes\t{}", sources.iter().map(|(_, text)| text.len()).sum::<usize>());
    for round in 0..=rounds {
        let lengths = || sources.iter().map(|(language, text)| outline(text, *language).render().len() as u64);
        let ours = seconds(|| lengths().sum());
        if round > 0 {
            println!("round\t{ours}");
        }
    }
}

fn worst() {
    let inputs = worst_inputs();
    let mut least = vec![f64::INFINITY; inputs.len()];
    for _ in 0..WORST_ROUNDS {
        for ((_, text), least) in inputs.iter().zip(&mut least) {
            *least = least.min(seconds(|| Tokenizer::O200k.count(text)));
        }
    }
    for ((name, text), least) in inputs.iter().zip(least) {
        println!("input\t{name}\t{}\t{least}", text.len());
    }
}

fn worst_inputs() -> Vec<(&'static str, String)> {
    let found = FOUND.lines().map(|line| (line, Runs::parse(line).expect("runs").text(WORST_BYTES)));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut drawn = |alphabet: &str| {
        let letters: Vec<char> = alphabet.chars().collect();
        let mut text = String::with_capacity(WORST_BYTES + 4);
        while text.len() < WORST_BYTES {
            text.push(letters[random.below(letters.len())]);
        }
        text
    };
    let base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let cjk: String = ('\u{4e00}'..'\u{9fa5}').collect();
    let emoji: String = ('\u{1f300}'..'\u{1f64f}').collect();
    let mut all = vec![
        ("letter a", "a".repeat(WORST_BYTES)),
        ("space", " ".repeat(WORST_BYTES)),
        ("line feed", "\n".repeat(WORST_BYTES)),
        ("equals sign", "=".repeat(WORST_BYTES)),
        ("digit", "7".repeat(WORST_BYTES)),
        ("one CJK character", "\u{4f60}".repeat(WORST_BYTES / 3)),
        ("one emoji", "\u{1f600}".repeat(WORST_BYTES / 4)),
        ("random letters", drawn(&base64[26..52])),
        ("base64", drawn(base64)),
        ("CJK", drawn(&cjk)),
        ("emoji", drawn(&emoji)),
    ];
    all.extend(found);
    all
}

/// The regular files below a directory, sorted. Names that begin with a dot are skipped.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).expect("a directory") {
            let entry = entry.expect("an entry");
            let kind = entry.file_type().expect("a type");
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("text")
}

fn seconds(work: impl FnOnce() -> u64) -> f64 {
    let started = processor_time();
    black_box(work());
    processor_time() - started
}

/// The processor time of this thread, in seconds, which other programs on the machine do not affect.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Marsaglia's xorshift, so that every run has the same inputs.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}
