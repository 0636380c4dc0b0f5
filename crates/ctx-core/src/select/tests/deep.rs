//! Patterns and exclusions that begin far below one another.
#![cfg(unix)]

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::entry::pattern::exclusion;

const DEPTH: usize = 140;

/// `d/d/…`, with `x.md` and `e/y.md` in every directory.
fn tree() -> Fixture {
    let file = |depth: usize, name: &str| "d/".repeat(depth) + name;
    let files: Vec<String> =
        (0..=DEPTH).flat_map(|depth| [file(depth, "x.md"), file(depth, "e/y.md")]).collect();
    Fixture::new(&files.iter().map(String::as_str).collect::<Vec<_>>())
}

fn beginning() -> impl Strategy<Value = String> {
    let depth = prop_oneof![0..4_usize, 0..=DEPTH, 120..=DEPTH];
    let stars = prop_oneof![3 => Just(0_usize), 1 => 0..4_usize, 1 => 0..=117_usize];
    (depth, stars).prop_map(|(depth, stars)| "d/".repeat(depth) + &"*/".repeat(stars))
}

fn pattern() -> impl Strategy<Value = String> {
    let end = prop::sample::select(vec!["*.md", "**", "**/x.*", "**/e/*", "*/**/d/[x].md", "?/y.m?"]);
    (beginning(), end).prop_map(|(beginning, end)| beginning + end)
}

fn excluded_starts() -> impl Strategy<Value = String> {
    let end = prop::sample::select(vec!["x.md", "e", "e/", "[e]", "*.md", "**/e/y.md", "**/x.md", "d/*/x.*"]);
    (beginning(), end).prop_map(|(beginning, end)| beginning + end)
}

fn takes(text: &str, path: &str) -> bool {
    exclusion(text).unwrap().iter().any(|glob| {
        let below = match glob.directory.as_str() {
            "" => Some(path),
            directory => path.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/')),
        };
        below.is_some_and(|below| glob.components.takes_out(below.as_bytes()))
    })
}

#[test]
fn two_patterns_select_the_union_of_their_files_minus_the_excluded_ones() {
    let fixture = tree();
    let selected = |entries: &[&str]| -> BTreeSet<String> { fixture.labels(entries).into_iter().collect() };
    let config = ProptestConfig::with_cases(96);
    proptest!(config, |(one in pattern(), two in pattern(), out in excluded_starts())| {
        let mut expected = selected(&[&one]);
        expected.append(&mut selected(&[&two]));
        prop_assert_eq!(&selected(&[&one, &two]), &expected);
        expected.retain(|path| !takes(&out, path));
        prop_assert_eq!(selected(&[&one, &two, &format!("!{out}")]), expected);
    });
}

#[test]
fn a_deep_exclusion_excludes_only_its_own_file() {
    let fixture = tree();
    let deep = "d/".repeat(130) + "x.md";
    let left = fixture.labels(&["**/x.md", &format!("!{deep}")]);
    assert_eq!(left.len(), DEPTH);
    assert!(!left.contains(&deep));
}
