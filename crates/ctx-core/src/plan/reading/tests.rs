use proptest::prelude::*;

use crate::budget::{Candidate, Extent, Layout, Trim, fit};
use crate::cache::{Checksum, Coreless, Key, Record, Subject};
use crate::format::Format;
use ctx_tokens::{Counter, Factor, Tokenizer};

const PIECES: [&str; 20] = [
    "word", "Mixed", "é", "日本", "7", "1234", " ", "   ", "\n", "\n\n", "\r\n", "\t", "/", "//", "'", "'s",
    "}", ");", "\u{301}", "# ",
];

fn text() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(&PIECES[..]), 0..9);
    (pieces, any::<bool>()).prop_map(|(pieces, ended)| pieces.concat() + if ended { "\n" } else { "" })
}

fn coreless(text: &str, tokenizer: Tokenizer, format: Format) -> Option<Coreless> {
    let subject = Subject { key: Key::of_bytes(text.as_bytes()), checksum: Checksum::of(text.as_bytes()) };
    let record = Record::new(subject, tokenizer, &tokenizer.measure(text), text, false)?;
    record.clear_of(format).coreless(format)
}

fn tokens(candidates: &[Candidate<'_>], format: Format, counter: Counter) -> u64 {
    let layout = Layout { format, ..Layout::default() };
    fit(candidates, &layout, counter, Some(u64::MAX / 8), Trim::default(), 1).unwrap().block_tokens
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_block_counts_the_same_without_the_cores_of_its_texts(texts in prop::collection::vec(text(), 1..5)) {
        for (format, tokenizer) in [
            (Format::Text, Tokenizer::O200k),
            (Format::Xml, Tokenizer::O200k),
            (Format::Text, Tokenizer::Cl100k),
            (Format::Xml, Tokenizer::Cl100k),
        ] {
            let counter = Counter { tokenizer, factor: Factor::ONE };
            let known: Vec<Option<Coreless>> =
                texts.iter().map(|text| coreless(text, tokenizer, format)).collect();
            let labels: Vec<String> = (0..texts.len()).map(|number| format!("f{number}.rs")).collect();
            let candidate = |number: usize, text, extent| {
                Candidate { label: &labels[number], text, pin: false, extent, may_collide: false }
            };
            let whole: Vec<Candidate<'_>> = texts
                .iter()
                .enumerate()
                .map(|(number, text)| candidate(number, text.as_str(), Extent::Whole(tokenizer.measure(text))))
                .collect();
            let cored: Vec<Candidate<'_>> = whole
                .iter()
                .zip(&known)
                .enumerate()
                .map(|(number, (whole, known))| match known {
                    Some(Coreless { ends, measure }) => candidate(number, ends, Extent::Ends(*measure)),
                    None => *whole,
                })
                .collect();
            prop_assert_eq!(tokens(&whole, format, counter), tokens(&cored, format, counter), "{:?}", texts);
        }
    }
}

#[test]
fn the_usual_text_is_known_without_its_core() {
    for text in [
        "use std::fs;\n\nfn main() {}\n",
        "// a comment\nx();\n",
        "#!/bin/sh\nls\n",
        "# Title\n\nWords.\n",
        "{\n  \"a\": 1\n}\n",
    ] {
        let known = coreless(text, Tokenizer::O200k, Format::Text).unwrap_or_else(|| panic!("{text:?}"));
        assert!(!known.ends.contains(char::is_alphanumeric), "{known:?}");
    }
}
