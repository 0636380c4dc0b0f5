use proptest::prelude::*;

use super::{any_text, awkward, nasty};
use crate::{Measure, Tokenizer};

/// The number of tokens in the concatenation of `parts`, counting only the seams again.
fn count_joined(tokenizer: Tokenizer, parts: &[(&str, Measure)]) -> u64 {
    let mut tokens = 0;
    let mut seam = String::new();
    for (text, measure) in parts {
        let Some(core) = measure.core else {
            seam.push_str(text);
            continue;
        };
        seam.push_str(&text[..core.start]);
        tokens += tokenizer.count(&seam) + core.tokens;
        seam = text[core.end..].to_owned();
    }
    tokens + tokenizer.count(&seam)
}

fn assert_joins(parts: &[String]) {
    for &tokenizer in Tokenizer::ALL {
        let measured: Vec<(&str, Measure)> =
            parts.iter().map(|part| (part.as_str(), tokenizer.measure(part))).collect();
        for (part, measure) in &measured {
            assert_eq!(measure.tokens, tokenizer.count(part), "{tokenizer} of {part:?}");
            assert_eq!(measure.bytes, part.len() as u64);
        }
        let whole = parts.concat();
        assert_eq!(count_joined(tokenizer, &measured), tokenizer.count(&whole), "{tokenizer} of {parts:?}");
    }
}

#[test]
fn the_core_of_a_text_is_between_its_certain_boundaries() {
    let text = "foo bar\n";
    let core = Tokenizer::O200k.measure(text).core.expect("a word ends before a space");
    assert_eq!((core.start, core.end, core.tokens), (3, 7, 1));
    assert_eq!(Tokenizer::O200k.measure("word").core, None);
}

#[test]
fn counts_of_parts_with_ambiguous_joins_add_up() {
    let parts = |parts: &[&str]| parts.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_joins(&parts(&["[label]", "\n", "// code a", "/", "/b"]));
    assert_joins(&parts(&["fn x() {\n}\n\n", "  y", "", " ", "\n", "z"]));
    assert_joins(&parts(&["it", "'", "s", "1", "23", "4 x\n  ", "\t", "foo"]));
    assert_joins(&[]);
    assert_joins(&awkward());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn counts_of_nasty_parts_add_up(parts in prop::collection::vec(nasty(), 0..6)) {
        assert_joins(&parts);
    }

    #[test]
    fn counts_of_any_parts_add_up(parts in prop::collection::vec(any_text(), 0..4)) {
        assert_joins(&parts);
    }
}
