use proptest::prelude::*;

use super::{any_text, awkward};
use crate::Tokenizer;

/// By how many tokens a prefix may miss its limit.
const NEAR: u64 = 8;

fn assert_limits(text: &str, limit: u64) {
    for &tokenizer in Tokenizer::ALL {
        let tokens = tokenizer.count(text);
        let expected = (tokens <= limit).then_some(tokens);
        assert_eq!(tokenizer.at_most(text, limit), expected, "{tokenizer} of {text:?}");

        let end = tokenizer.prefix_within(text, limit);
        assert_eq!(tokenizer.truncate(text, limit), &text[..end]);
        let within = tokenizer.count(&text[..end]);
        assert!(within <= limit, "{tokenizer}: {within} > {limit} in {text:?}");
        let enough = limit.min(tokens).saturating_sub(NEAR);
        assert!(within >= enough, "{tokenizer}: {within} of {limit} in {text:?}");
        if tokens <= limit {
            assert_eq!(end, text.len(), "{tokenizer} of {text:?}");
        }
    }
}

fn assert_line_ends(text: &str, limit: u64) {
    for &tokenizer in Tokenizer::ALL {
        let ends = tokenizer.line_ends(text, limit);
        for end in &ends {
            let before = &text[..end.at];
            assert!(end.at == text.len() || before.ends_with('\n'), "{tokenizer} of {text:?}");
            assert_eq!(tokenizer.count(before), end.tokens, "{tokenizer} of {before:?}");
        }
        assert!(ends.iter().rev().skip(1).all(|end| end.tokens <= limit), "{tokenizer} of {text:?}");
        let next = ends.last().map_or(0, |end| end.at);
        let line = text[next..].split_inclusive('\n').next().unwrap_or_default();
        let complete = ends.last().is_some_and(|end| end.tokens > limit) || line.is_empty();
        assert!(complete || tokenizer.count(line) > limit || line == "\n", "{tokenizer} of {text:?}");
    }
}

#[test]
fn limits_hold_for_awkward_texts() {
    for text in awkward() {
        for limit in [0, 1, 2, 3, 5, 10, 50, 1000] {
            assert_limits(&text, limit);
            assert_line_ends(&text, limit);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn limits_hold_for_any_text(text in any_text(), limit in 0_u64..80) {
        assert_limits(&text, limit);
        assert_line_ends(&text, limit);
    }

    #[test]
    fn text_that_definitely_exceeds_a_limit_exceeds_it_whatever_follows(
        head in any_text(),
        tail in any_text(),
        limit in 0_u64..40,
    ) {
        for &tokenizer in Tokenizer::ALL {
            if tokenizer.definitely_exceeds(&head, limit) {
                prop_assert!(tokenizer.count(&(head.clone() + &tail)) > limit);
            }
        }
        prop_assert!(Tokenizer::O200k.definitely_exceeds(&"word\n".repeat(limit as usize + 2), limit));
    }
}
