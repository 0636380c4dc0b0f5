//! Measures how fast the named files are outlined, in megabytes per second. Without names, finds the slowest
//! of several hostile inputs of one mebibyte each.
//!
//!     cargo run --release --example speed -- [FILE…]

use ctx_outline::{Language, outline};
use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

const HOSTILE: [&str; 35] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "\"",
    "'",
    "`",
    "/",
    "*",
    "#",
    "\\",
    "\n",
    " ",
    "a",
    "a ",
    "@",
    "=",
    "=>",
    ".",
    "`${",
    "\"${",
    "x/[(",
    "/*",
    "\"\"\"",
    "r#\"",
    "<<A1\n",
    "def f:\n ",
    "f(x) {\n",
    "class A {",
    "x, ",
    "- a\n",
];

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let mut texts: BTreeMap<Language, Vec<String>> = BTreeMap::new();
    for path in std::env::args().skip(1) {
        if let (Some(language), Ok(text)) = (Language::of_path(&path), std::fs::read_to_string(&path)) {
            texts.entry(language).or_default().push(text);
        }
    }
    if texts.is_empty() {
        for language in Language::ALL {
            let (piece, speed) = HOSTILE
                .iter()
                .map(|piece| (*piece, speed(&[piece.repeat((1 << 20) / piece.len())], language)))
                .min_by(|left, right| left.1.total_cmp(&right.1))
                .unwrap_or(("", 0.0));
            writeln!(out, "{language:?}: at least {speed:.0} MB/s, for {piece:?}")?;
        }
    }
    for (language, texts) in &texts {
        writeln!(out, "{language:?}: {:.0} MB/s", speed(texts, *language))?;
    }
    Ok(())
}

/// The best of five runs, in megabytes per second.
fn speed(texts: &[String], language: Language) -> f64 {
    let bytes: usize = texts.iter().map(String::len).sum();
    let run = || {
        let start = Instant::now();
        for text in texts {
            std::hint::black_box(outline(text, language));
        }
        bytes as f64 / 1e6 / start.elapsed().as_secs_f64()
    };
    (0..5).map(|_| run()).fold(0.0, f64::max)
}
