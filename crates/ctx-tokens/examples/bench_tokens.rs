//! The speed of the counters and splitters beside the `bpe-openai` crate, one thread:
//! `cargo run --release --example bench_tokens [DIRECTORY]`.
//!
//! The corpus is the text files below DIRECTORY (default: the cargo registry's sources) up to 30 MB;
//! after it, 1 MiB of each kind of text that a merge finds hard.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ctx_tokens::Tokenizer;

const CORPUS: usize = 30_000_000;
const HARD: usize = 1 << 20;

fn main() {
    let directory = std::env::args_os().nth(1).map_or_else(registry_sources, PathBuf::from);
    let corpus = corpus(&directory);
    let bytes: usize = corpus.iter().map(String::len).sum();
    println!("{} files, {:.1} MB below {}", corpus.len(), bytes as f64 / 1e6, directory.display());
    let peers =
        [(Tokenizer::O200k, bpe_openai::o200k_base()), (Tokenizer::Cl100k, bpe_openai::cl100k_base())];
    for (tokenizer, peer) in peers {
        println!("\n{tokenizer}, MB/s:");
        let speed = |work: &dyn Fn(&str) -> u64| speed(&corpus, work);
        let split = speed(&|text| tokenizer.count_pieces(text));
        let count = speed(&|text| tokenizer.count(text));
        let measure = speed(&|text| tokenizer.measure(text).tokens);
        let theirs = speed(&|text| peer.count(text) as u64);
        println!("  splitter {split:.0}, counter {count:.0}, measure {measure:.0}");
        println!("  bpe-openai {theirs:.0}, ratio {:.2}", count / theirs);
        for (name, text) in hard() {
            let text = [text];
            let count = self::speed(&text, &|text| tokenizer.count(text));
            println!("  {count:>5.0} {name}");
        }
    }
}

/// The best speed of several runs in MB/s.
fn speed(texts: &[String], work: &dyn Fn(&str) -> u64) -> f64 {
    let bytes: usize = texts.iter().map(String::len).sum();
    let run = || {
        let start = Instant::now();
        for text in texts {
            black_box(work(black_box(text)));
        }
        start.elapsed()
    };
    let mut best = Duration::MAX;
    let begin = Instant::now();
    let mut runs = 0;
    while runs < 2 || begin.elapsed() < Duration::from_secs(2) {
        best = best.min(run());
        runs += 1;
    }
    bytes as f64 / 1e6 / best.as_secs_f64()
}

fn registry_sources() -> PathBuf {
    let home = dirs::home_dir().unwrap_or_default();
    std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from).join("registry/src")
}

fn corpus(directory: &Path) -> Vec<String> {
    let files = ignore::WalkBuilder::new(directory).sort_by_file_path(Path::cmp).build();
    let mut rest = CORPUS;
    let texts = files.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path()).ok());
    // Vocabularies and their like would drown the sources.
    let sources = texts.filter(|text| text.len() < 500_000).step_by(3);
    sources.take_while(|text| rest.checked_sub(text.len()).map(|left| rest = left).is_some()).collect()
}

/// Texts of 1 MiB without many pieces that are tokens.
fn hard() -> Vec<(&'static str, String)> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 32) as u32) % below
    };
    let mut of = |alphabet: &str| {
        let alphabet: Vec<char> = alphabet.chars().collect();
        let mut text = String::new();
        while text.len() < HARD {
            text.push(alphabet[random(alphabet.len() as u32) as usize]);
        }
        text
    };
    let range = |from: char, to: char| (from..=to).collect::<String>();
    let letters = range('a', 'z');
    let base64 = format!("{letters}{}0123456789+/", range('A', 'Z'));
    let mut texts: Vec<(&'static str, String)> = [
        ("letters a", "a"),
        ("spaces", " "),
        ("newlines", "\n"),
        ("CRLF", "\r\n"),
        ("equals signs", "="),
        ("é", "é"),
        ("one ideograph", "中"),
        ("one emoji", "😀"),
        ("ab", "ab"),
        ("a b", "a "),
        ("tab and newline", "\t\n"),
        ("space and newline", " \n"),
        ("don't", "don't "),
    ]
    .map(|(name, unit)| (name, unit.repeat(HARD / unit.len())))
    .into();
    texts.extend([
        ("random letters", of(&letters)),
        ("random a and b", of("ab")),
        ("random large and small letters", of(&format!("{letters}{}", range('A', 'Z')))),
        ("random base64", of(&base64)),
        ("random hexadecimal", of("0123456789abcdef")),
        ("random digits", of("0123456789")),
        ("random ideographs", of(&range('一', '龥'))),
        ("random kana", of(&range('ぁ', 'ん'))),
        ("random Hangul", of(&range('가', '힣'))),
        ("random Cyrillic", of(&range('а', 'я'))),
        ("random Arabic", of(&range('ا', 'ي'))),
        ("random emoji", of(&range('😀', '🙏'))),
        ("random marks", of(&range('\u{300}', '\u{36f}'))),
        ("random white space", of(" \t\n\r\u{a0}\u{3000}")),
        ("random spaces and tabs", of(" \t")),
        ("random punctuation", of("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")),
        ("random ASCII", of(&range(' ', '~'))),
        ("random characters", of(&range('\u{80}', '\u{ffff}'))),
    ]);
    texts
}
