//! The work of counting grows at most linearly with the length of the text, whatever the text.

use tiktoken_rs::{cl100k_base_singleton, o200k_base_singleton};

use crate::merge::MERGED;
use crate::{Ruler, Tokenizer};

/// A character or two of each class that the patterns or the vocabularies treat differently.
const CHARACTERS: [&str; 20] = [
    "a", "Q", "e", "1", " ", "\n", "\t", "\r\n", "=", "-", "/", "#", "~", "\0", "é", "中", "\u{301}",
    "\u{3000}", "👍🏽", "\u{e000}",
];

/// Lengths of the alternating runs of two characters.
const RUNS: [[usize; 2]; 6] = [[1, 1], [2, 1], [3, 5], [31, 33], [64, 64], [129, 67]];

const BYTES: usize = 3_000;

/// How many times each byte of a piece may be merged again.
const TIMES: usize = 3;

fn assert_linear(text: &str) {
    for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k] {
        MERGED.set(0);
        let tokens = tokenizer.count(text);
        let start: String = text.chars().take(150).collect();
        let work = format!("{} bytes for {tokens} {tokenizer} tokens of {start:?}", MERGED.get());
        assert!(MERGED.get() <= TIMES * text.len(), "{work}");
    }
}

fn assert_exact(text: &str) {
    let expected = o200k_base_singleton().encode_ordinary(text).len() as u64;
    assert_eq!(Tokenizer::O200k.count(text), expected, "{text:?}");
    let expected = cl100k_base_singleton().encode_ordinary(text).len() as u64;
    assert_eq!(Tokenizer::Cl100k.count(text), expected, "{text:?}");
}

fn repeated(unit: &str) -> String {
    unit.repeat(BYTES / unit.len() + 1)
}

#[test]
fn runs_of_every_class_are_merged_in_linear_time() {
    for one in CHARACTERS {
        let lines = format!("{}\n \n{}x", repeated(" "), repeated(one));
        for text in [repeated(one), format!("x {}", repeated(one)), format!("{}x", repeated(one)), lines] {
            assert_linear(&text);
            assert_exact(&text);
        }
    }
}

#[test]
fn alternations_of_every_two_classes_are_merged_in_linear_time() {
    for (index, one) in CHARACTERS.into_iter().enumerate() {
        for other in &CHARACTERS[index + 1..] {
            for [first, second] in RUNS {
                let text = repeated(&format!("{}{}", one.repeat(first), other.repeat(second)));
                assert_linear(&text);
            }
        }
    }
}

#[test]
fn a_run_at_any_offset_is_merged_in_linear_time() {
    for head in 0..70 {
        for unit in ["=", "-", "/", " ", "\n"] {
            let text = format!("{}{}", ".".repeat(head), repeated(unit));
            assert_linear(&text);
        }
    }
    assert_exact(&format!("x {}", repeated("=")));
}

#[test]
fn a_prefix_of_a_long_piece_is_merged_only_slightly_beyond_its_limit() {
    let mut random = 7_u32;
    let mut letter = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (random >> 24) as u8 % 26)
    };
    let text: String = (0..100_000).map(|_| letter()).collect();
    for ruler in [false, true] {
        MERGED.set(0);
        let end = if ruler {
            Ruler::new(Tokenizer::O200k, &text, 100).prefix_within(100)
        } else {
            Tokenizer::O200k.prefix_within(&text, 100)
        };
        assert!((95..=100).contains(&Tokenizer::O200k.count(&text[..end])));
        assert!(MERGED.get() < 3_000, "{} bytes are merged for {end}", MERGED.get());
    }
}
