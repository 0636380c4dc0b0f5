use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

use super::{any_text, awkward};
use crate::Tokenizer;

fn oracles() -> [(Tokenizer, &'static CoreBPE); 2] {
    [(Tokenizer::O200k, o200k_base_singleton()), (Tokenizer::Cl100k, cl100k_base_singleton())]
}

fn assert_counts(text: &str, what: &dyn std::fmt::Debug) {
    for (tokenizer, oracle) in oracles() {
        let expected = oracle.encode_ordinary(text).len() as u64;
        assert_eq!(tokenizer.count(text), expected, "{tokenizer} of {what:?}");
    }
}

/// The text files below `directory` with their texts, in the order of their paths.
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
fn awkward_texts_count_as_the_oracle_says() {
    for text in awkward() {
        let start: String = text.chars().take(40).collect();
        assert_counts(&text, &(start, text.len()));
    }
}

#[test]
fn the_sources_of_the_project_count_as_the_oracle_says() {
    for (path, text) in texts_below(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))) {
        assert_counts(&text, &path);
    }
}

#[test]
fn a_sample_of_the_sources_of_the_dependencies_counts_as_the_oracle_says() {
    let mut budget = 4_000_000_usize;
    for (path, text) in texts_below(&registry_sources()).step_by(47) {
        let Some(rest) = budget.checked_sub(text.len()) else { continue };
        budget = rest;
        assert_counts(&text, &path);
    }
}

#[test]
#[ignore = "reads every source of every dependency on the machine: minutes"]
fn all_sources_of_the_dependencies_count_as_the_oracle_says() {
    for (path, text) in texts_below(&registry_sources()) {
        if text.len() < 20_000_000 {
            assert_counts(&text, &path);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_counts_as_the_oracle_says(text in any_text()) {
        assert_counts(&text, &text);
    }
}
