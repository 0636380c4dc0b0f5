//! What a list tells from the count cache is what it would tell from the files.

use std::sync::Arc;

use super::Place;
use crate::account::{Account, Status};
use crate::budget::{Budget, Trim};
use crate::entry::{Author, Entry, LevelOfDetail, Scope, ScopedEntry};
use crate::plan::{Detail, Progress, ReadOptions, Request, plan};
use crate::report::Notice;

fn stored(path: &str) -> ScopedEntry {
    ScopedEntry { scope: Scope::Profile, author: Author::User, entry: Entry::new(path), exact: None }
}

/// The account and the notices of a request, once without a cache and several times with one.
fn told(place: &Place, request: &Request) -> [(Account, Vec<Notice>); 4] {
    let cold = Request { cache: None, ..request.clone() };
    [&cold, request, request, request].map(|request| {
        let plan = plan(request, &place.world()).unwrap();
        (plan.account(), plan.notices())
    })
}

/// Texts about which there is more to tell than their tokens.
fn with_awkward_texts() -> Place {
    let place = Place::with_many();
    let block = place.plan(Budget::Tokens(300), Detail::Block);
    let ours = super::block(&block).into_bytes();
    let secret = ["ghp", "_", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5 "].concat().repeat(20).into_bytes();
    let utf_16: Vec<u8> = std::iter::once(0xfeff)
        .chain("wide\n".repeat(90).encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    for (name, text) in [
        ("a-ours.txt", [ours, b"more words\n".repeat(90)].concat()),
        ("a-secret.txt", secret),
        ("a-hidden.txt", "hid\u{202e}den ".repeat(90).into_bytes()),
        ("a-lossy.txt", ["λόγος\n".repeat(90).as_bytes(), &[0xce][..], "κ".repeat(9).as_bytes()].concat()),
        ("a-latin.txt", b"caf\xe9 \xe0 la carte, d\xe9j\xe0 vu\n".repeat(90)),
        ("a-mark.txt", ["\u{feff}", &"marked\n".repeat(90)].concat().into_bytes()),
        ("a-wide.txt", utf_16),
        ("a-greek.txt", "λόγος\nκαὶ ἔργον\n".repeat(300).into_bytes()),
        (
            "a-data.txt",
            format!("data:image/png;base64,{}\n", "iVBORw0KGgoAAAANSUhEUg".repeat(90)).into_bytes(),
        ),
        ("a-binary.txt", vec![0; 900]),
        ("a-empty.txt", Vec::new()),
        ("a.rs", "fn one() {\n    two();\n    three();\n}\n".repeat(90).into_bytes()),
    ] {
        place.write(name, text);
    }
    place
}

#[test]
fn list_tells_the_same_whether_or_not_counts_are_known() {
    let place = with_awkward_texts();
    let greek = |encoding: Option<&str>| {
        let mut entry = stored("a-greek.txt");
        entry.entry.attributes.encoding = encoding.map(|name| name.parse().unwrap());
        entry
    };
    let lists = [
        vec![stored("*.txt"), stored("*.rs")],
        vec![stored("a-ours.txt"), greek(None), stored("*.*")],
        vec![stored("*.txt"), stored("*.rs")],
        vec![greek(Some("windows-1253")), stored("*.*")],
    ];
    let plain = ReadOptions::default();
    let numbered = ReadOptions { line_numbers: true, ..plain.clone() };
    let outlined = ReadOptions { level: LevelOfDetail::Outline, ..plain.clone() };
    for entries in lists {
        for (reading, trim) in [
            (&plain, Trim::Largest),
            (&numbered, Trim::Largest),
            (&outlined, Trim::Largest),
            (&plain, Trim::Outline),
        ] {
            for (budget, detail) in [
                (Budget::Tokens(900), Detail::Counts),
                (Budget::Tokens(900), Detail::Account),
                (Budget::Tokens(10), Detail::Counts),
            ] {
                let request = place.request(budget, detail);
                let measure = super::Measure::of(None, None, None, Some(budget), trim);
                let (entries, reading) = (entries.clone(), reading.clone());
                let request = Request { entries, reading, measure, ..request };
                let [cold, warm @ ..] = told(&place, &request);
                for warm in warm {
                    assert_eq!(warm, cold, "{:?} {trim:?} {budget:?} {detail:?}", request.entries);
                }
            }
        }
    }
}

#[test]
fn list_of_known_files_reads_only_those_it_prints() {
    let place = Place::with_many();
    place.plan(Budget::Unlimited, Detail::Counts);
    let progress = Arc::new(Progress::default());
    let request = place.request(Budget::Tokens(1_000), Detail::Counts);
    let request = Request { progress: Some(Arc::clone(&progress)), ..request };
    let account = plan(&request, &place.world()).unwrap().account();
    let printed = account.with_status(Status::Included).count() as u64;
    let (read, _) = progress.so_far();
    assert!(printed > 5 && read < printed + 5, "{read} files read, {printed} printed");
    assert!(
        account.with_status(Status::Dropped).all(|file| file.whole_tokens.is_some_and(|tokens| tokens > 5))
    );
}

#[test]
fn hash_of_a_known_file_is_that_of_what_it_holds_now() {
    let place = Place::with_many();
    place.plan(Budget::Unlimited, Detail::Counts);
    place.write("f60.txt", "other words that make up other lines\n".repeat(61));
    let [cold, warm @ ..] = told(&place, &place.request(Budget::Tokens(1_000), Detail::Account));
    assert!(warm.iter().all(|warm| *warm == cold));
}
