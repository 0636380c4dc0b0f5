use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tiktoken_rs::tokenizer::{Tokenizer as OracleTokenizer, get_tokenizer};
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

use super::{any_text, awkward};
use crate::{Error, Tokenizer};

fn oracles() -> [(Tokenizer, &'static CoreBPE); 2] {
    [(Tokenizer::O200k, o200k_base_singleton()), (Tokenizer::Cl100k, cl100k_base_singleton())]
}

fn assert_counts(text: &str, what: &dyn std::fmt::Debug) {
    for (tokenizer, oracle) in oracles() {
        let expected = oracle.encode_ordinary(text);
        assert_eq!(tokenizer.count(text), expected.len() as u64, "{tokenizer} of {what:?}");
        let encoded = tokenizer.encode(text);
        assert!(encoded == expected, "{tokenizer} of {what:?}");
        assert!(tokenizer.decode(&encoded).as_deref() == Ok(text.as_bytes()), "{tokenizer} of {what:?}");
        let expected = oracle.encode_with_special_tokens(text);
        let encoded = tokenizer.encode_with_special(text);
        assert!(encoded == expected, "{tokenizer} of {what:?}");
        assert!(tokenizer.decode(&encoded).as_deref() == Ok(text.as_bytes()), "{tokenizer} of {what:?}");
    }
}

#[test]
fn every_token_decodes_as_in_the_oracle() {
    for (tokenizer, oracle) in oracles() {
        for number in 0..300_000 {
            assert_eq!(
                tokenizer.decode(&[number]).ok(),
                oracle.decode_bytes(&[number]).ok(),
                "{tokenizer} {number}"
            );
        }
    }
}

#[test]
fn a_part_of_a_character_decodes_to_bytes_but_not_to_text() {
    let tokens = Tokenizer::O200k.encode("\u{1f980}");
    assert!(tokens.len() > 1);
    assert_eq!(
        Tokenizer::O200k.decode(&tokens[..1]),
        Ok("\u{1f980}".as_bytes()[..Tokenizer::O200k.decode(&tokens[..1]).unwrap().len()].to_vec())
    );
    assert_eq!(Tokenizer::O200k.decode_text(&tokens[..1]), Err(Error::NotUtf8));
    assert_eq!(Tokenizer::O200k.decode_text(&[u32::MAX]), Err(Error::UnknownToken(u32::MAX)));
}

#[test]
fn models_have_the_same_tokenizer_as_in_the_oracle() {
    for name in [
        "gpt-4o",
        "gpt-4o-mini-2024-07-18",
        "gpt-4.1",
        "gpt-4.5-preview",
        "gpt-5",
        "o1",
        "o1-mini",
        "o3",
        "o3-mini",
        "o4-mini",
        "chatgpt-4o-latest",
        "gpt-4",
        "gpt-4-0314",
        "gpt-4-turbo",
        "gpt-3.5-turbo",
        "gpt-3.5-turbo-0301",
        "ft:gpt-4o:team::id",
        "ft:gpt-4",
        "ft:gpt-3.5-turbo",
        "text-embedding-ada-002",
        "text-embedding-3-large",
    ] {
        let oracle = match get_tokenizer(name) {
            Some(OracleTokenizer::O200kBase) => Some(Tokenizer::O200k),
            Some(OracleTokenizer::Cl100kBase) => Some(Tokenizer::Cl100k),
            _ => None,
        };
        assert_eq!(Tokenizer::for_model(name), oracle, "{name}");
    }
    assert_eq!(Tokenizer::for_model("claude-sonnet-5"), None);
    assert_eq!("o200k_base".parse(), Ok(Tokenizer::O200k));
    assert_eq!("p50k".parse::<Tokenizer>(), Err(Error::UnknownTokenizer("p50k".into())));
}

/// The text files below `directory`, in the order of their paths.
fn texts_below(directory: &Path) -> impl Iterator<Item = (PathBuf, String)> {
    let files = ignore::WalkBuilder::new(directory)
        .standard_filters(false)
        .filter_entry(|entry| entry.file_name() != "target" && entry.file_name() != ".git")
        .sort_by_file_path(Path::cmp)
        .build();
    files.filter_map(Result::ok).filter_map(|entry| {
        let text = std::fs::read_to_string(entry.path()).ok()?;
        Some((entry.into_path(), text))
    })
}

fn registry_sources() -> PathBuf {
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(dirs::home_dir()?.join(".cargo")));
    cargo.unwrap_or_default().join("registry/src")
}

#[test]
fn counts_of_awkward_texts_match_the_oracle() {
    for text in awkward() {
        let start: String = text.chars().take(40).collect();
        assert_counts(&text, &(start, text.len()));
    }
}

#[test]
fn counts_of_the_sources_of_this_package_match_the_oracle() {
    for (path, text) in texts_below(Path::new(env!("CARGO_MANIFEST_DIR"))) {
        assert_counts(&text, &path);
    }
}

#[test]
fn counts_of_a_sample_of_dependency_sources_match_the_oracle() {
    let mut budget = 4_000_000_usize;
    for (path, text) in texts_below(&registry_sources()).step_by(47) {
        let Some(rest) = budget.checked_sub(text.len()) else { continue };
        budget = rest;
        assert_counts(&text, &path);
    }
}

#[test]
#[ignore = "reads every source of every dependency on the machine: minutes"]
fn counts_of_all_dependency_sources_match_the_oracle() {
    for (path, text) in texts_below(&registry_sources()) {
        if text.len() < 20_000_000 {
            assert_counts(&text, &path);
        }
    }
}

/// Text that contains the names of special tokens, whole, cut and repeated.
fn text_with_special_tokens() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec![
        "<|endoftext|>",
        "<|endofprompt|>",
        "<|fim_prefix|>",
        "<|fim_middle|>",
        "<|fim_suffix|>",
        "<|im_start|>",
        "<|endoftext",
        "<|<|endoftext|>|>",
        "<|",
        "|>",
    ]);
    prop::collection::vec(prop_oneof![names.prop_map(String::from), any_text()], 1..4)
        .prop_map(|parts| parts.concat())
}

/// Checks that the two parts decode to the text's bytes wherever its tokens are split, even inside a
/// character.
fn assert_splits(text: &str, at: prop::sample::Index) {
    for (tokenizer, oracle) in oracles() {
        let tokens = tokenizer.encode(text);
        let (start, end) = tokens.split_at(at.index(tokens.len() + 1));
        for part in [start, end] {
            let bytes = oracle.decode_bytes(part).unwrap();
            assert_eq!(tokenizer.decode(part), Ok(bytes.clone()), "{tokenizer} of {text:?}");
            let expected = String::from_utf8(bytes).map_err(|_| Error::NotUtf8);
            assert_eq!(tokenizer.decode_text(part), expected, "{tokenizer} of {text:?}");
        }
    }
}

#[test]
#[ignore = "a million texts: minutes, in a release build"]
fn counts_of_a_million_texts_match_the_oracle() {
    let cases = ProptestConfig { cases: 1_000_000, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(cases, |(text in prop_oneof![any_text(), text_with_special_tokens()], at in any::<prop::sample::Index>())| {
        assert_counts(&text, &text);
        assert_splits(&text, at);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn counts_of_any_text_match_the_oracle(text in any_text()) {
        assert_counts(&text, &text);
    }

    #[test]
    fn special_tokens_and_splits_match_the_oracle(
        text in text_with_special_tokens(),
        at in any::<prop::sample::Index>(),
    ) {
        assert_counts(&text, &text);
        assert_splits(&text, at);
    }
}
