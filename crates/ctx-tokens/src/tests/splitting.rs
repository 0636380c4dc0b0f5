use std::sync::LazyLock;

use fancy_regex::Regex;
use proptest::prelude::*;

use super::{any_text, awkward, nasty};
use crate::{cl100k, o200k};

static O200K: LazyLock<Regex> = LazyLock::new(|| {
    let contraction = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?";
    let (large, small) = (r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]");
    let pattern = [
        &format!(r"[^\r\n\p{{L}}\p{{N}}]?{large}*{small}+{contraction}"),
        &format!(r"[^\r\n\p{{L}}\p{{N}}]?{large}+{small}*{contraction}"),
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ];
    Regex::new(&pattern.join("|")).expect("the pattern is valid")
});

static CL100K: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = [
        r"'(?i:[sdmt]|ll|ve|re)",
        r"[^\r\n\p{L}\p{N}]?+\p{L}++",
        r"\p{N}{1,3}+",
        r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
        r"\s++$",
        r"\s*[\r\n]",
        r"\s+(?!\S)",
        r"\s",
    ];
    Regex::new(&pattern.join("|")).expect("the pattern is valid")
});

fn assert_splits(text: &str) {
    assert_eq!(ours(text, o200k::piece_end), theirs(text, &O200K), "o200k");
    assert_eq!(ours(text, cl100k::piece_end), theirs(text, &CL100K), "cl100k");
}

fn ours(text: &str, piece_end: fn(&[u8], usize) -> usize) -> Vec<&str> {
    let mut at = 0;
    let mut pieces = Vec::new();
    while at < text.len() {
        let end = piece_end(text.as_bytes(), at);
        pieces.push(&text[at..end]);
        at = end;
    }
    pieces
}

fn theirs<'a>(text: &'a str, pattern: &Regex) -> Vec<&'a str> {
    pattern.find_iter(text).map(|found| found.expect("the pattern matches").as_str()).collect()
}

#[test]
fn awkward_texts_split_as_the_patterns_say() {
    for text in awkward() {
        assert_splits(&text);
    }
}

#[test]
fn every_character_splits_as_the_patterns_say() {
    let all: Vec<char> = ('\0'..=char::MAX).collect();
    for some in all.chunks(1000) {
        for shape in ["a{}A 1{}2 {}{}", "'{}", "A{}b.{} {}", "\n{}\n"] {
            let text: String =
                some.iter().map(|one| shape.replace("{}", one.encode_utf8(&mut [0; 4]))).collect();
            assert_splits(&text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_text_splits_as_the_patterns_say(text in any_text()) {
        assert_splits(&text);
    }

    #[test]
    fn nasty_text_splits_as_the_patterns_say(text in nasty()) {
        assert_splits(&text);
    }
}
