use proptest::prelude::*;

use super::{any_text, awkward};
use crate::{Ruler, Tokenizer};

/// By how many tokens a prefix may miss its limit.
const NEAR: u64 = 8;

fn assert_rules(text: &str, limit: u64) {
    for &tokenizer in Tokenizer::ALL {
        let ruler = Ruler::new(tokenizer, text, limit);
        for limit in [limit, limit / 2] {
            let end = ruler.prefix_within(limit);
            let within = tokenizer.count(&text[..end]);
            let enough = limit.min(tokenizer.count(text)).saturating_sub(NEAR);
            assert!((enough..=limit).contains(&within), "{tokenizer}: {within} of {limit} in {text:?}");
            for tail in ["", "\n[… 7 lines omitted …]\n", "=", "'s", " x"] {
                let other = format!("{}{tail}", &text[..end]);
                let expected = tokenizer.measure(&other);
                assert_eq!(ruler.measure_of(&other, end), expected, "{tokenizer} of {other:?}");
            }
        }
    }
}

#[test]
fn prefixes_of_awkward_texts_are_measured_like_separate_texts() {
    for text in awkward() {
        for limit in [0, 1, 5, 50, 1000] {
            assert_rules(&text, limit);
        }
    }
}

#[test]
fn prefixes_of_long_pieces_are_measured_like_separate_texts() {
    for unit in ["=", "a", "xy", " ", "\n", "/", "中", "\u{3000}", "\u{301}", "😀", "-=", "'s", "aB"] {
        let piece = unit.repeat(4_000 / unit.len());
        for text in [piece.clone(), format!("one two {piece} three\n{piece}'s"), format!("{piece}.\n\n  x")] {
            for limit in [20, 200, 10_000] {
                assert_rules(&text, limit);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn prefixes_of_any_text_are_measured_like_separate_texts(text in any_text(), times in 1_usize..8, limit in 0_u64..300) {
        assert_rules(&text.repeat(times), limit);
    }
}
