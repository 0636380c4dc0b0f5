use std::sync::LazyLock;

use fancy_regex::Regex;
use proptest::prelude::*;

use super::{any_text, awkward, nasty};
use crate::cl100k::Cl100kBase;
use crate::encoding::Encoding;
use crate::encoding::Pieces;
use crate::o200k::O200kBase;

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
    let (o200k, cl100k) = (theirs(text, &O200K), theirs(text, &CL100K));
    assert_eq!(one_by_one::<O200kBase>(text), o200k, "o200k");
    assert_eq!(in_blocks::<O200kBase>(text), o200k, "o200k in blocks");
    assert_eq!(one_by_one::<Cl100kBase>(text), cl100k, "cl100k");
    assert_eq!(in_blocks::<Cl100kBase>(text), cl100k, "cl100k in blocks");
}

fn one_by_one<E: Encoding>(text: &str) -> Vec<&str> {
    let mut at = 0;
    let mut pieces = Vec::new();
    while at < text.len() {
        let end = E::piece_end(text.as_bytes(), at);
        pieces.push(&text[at..end]);
        at = end;
    }
    pieces
}

fn in_blocks<E: Encoding>(text: &str) -> Vec<&str> {
    Pieces::<E>::of(text.as_bytes()).map(|piece| &text[piece.start..piece.end]).collect()
}

fn theirs<'a>(text: &'a str, pattern: &Regex) -> Vec<&'a str> {
    pattern.find_iter(text).map(|found| found.expect("the pattern matches").as_str()).collect()
}

#[test]
fn splits_of_awkward_texts_match_the_patterns() {
    for text in awkward() {
        assert_splits(&text);
    }
}

#[test]
fn splits_of_every_character_match_the_patterns() {
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
    fn splits_of_any_text_match_the_patterns(text in any_text()) {
        assert_splits(&text);
    }

    #[test]
    fn splits_of_nasty_text_match_the_patterns(text in nasty()) {
        assert_splits(&text);
    }

    #[test]
    fn splits_of_text_with_few_distinct_parts_match_the_patterns(
        parts in prop::collection::vec(prop::sample::select(PARTS), 1..8),
        order in prop::collection::vec(any::<prop::sample::Index>(), 20..150),
    ) {
        let text: String = order.iter().map(|index| *index.get(&parts)).collect();
        assert_splits(&text);
    }
}

/// Characters that the rules for neighbours and runs distinguish.
const PARTS: &[&str] = &[
    "a", "B", "foo", "Bar", "HTTP", "1", "22", "4567", " ", "  ", "    ", "\t", "\n", "\n\n", "\n ", "\r\n",
    "\r", "/", "//", "'", "'s", "'LL", "'t", "(", ".", "_", "--", "\"", "\u{b}", "\u{c}", "\0", "\u{7f}",
    "é", "É", "中", "\u{a0}", "\u{3000}", "\u{2028}", "\u{17f}", "\u{301}", "½",
];

#[test]
fn piece_starts_in_a_block_of_ordinary_text_are_found() {
    let text =
        "    if self.is_ready(\"done\") && HTTPServer::new(12345) { // TODO\n        return x_1;\n    }\n";
    let starts = O200kBase::piece_starts(text.as_bytes().first_chunk().unwrap());
    assert_eq!(starts.count_ones(), 19);
}
