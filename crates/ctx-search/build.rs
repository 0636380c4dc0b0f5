//! Writes the words that say nothing in the languages that people ask in: one language a line, after its code in
//! ISO 639-1.

use std::path::PathBuf;
use std::{env, fs, io};

/// English comes first, and the languages that have no blanks between words last.
const LANGUAGES: [&str; 23] = [
    "en", "de", "fr", "es", "pt", "it", "nl", "ru", "pl", "tr", "sv", "da", "no", "fi", "cs", "uk", "ro",
    "hu", "el", "ja", "ko", "th", "zh",
];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let line = |code: &str| {
        let words = stop_words::get(code).iter().filter(|word| !word.contains(char::is_whitespace));
        format!("{code} {}\n", words.copied().collect::<Vec<_>>().join(" "))
    };
    let directory = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(directory.join("function_words.txt"), LANGUAGES.map(line).concat())
}
