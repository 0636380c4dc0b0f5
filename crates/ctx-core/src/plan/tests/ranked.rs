//! Files that are ranked before they are read.

use std::fs;
use std::path::Path;

use super::{Place, block, plan};
use crate::budget::{Budget, Trim};
use crate::cache::Checksum;
use crate::entry::{Entry, ScopedEntry};
use crate::index::{Builder, FileKey, Index, IndexDraft};
use crate::plan::{Detail, Measure, Plan, Purpose, Request};
use ctx_search::{Digest, Keep, Query, Text};

/// 60 files of 8 kB, of which each has a function of its own.
fn place() -> Place {
    let place = Place::with_many();
    for number in 0..60 {
        let function =
            |at: usize| format!("fn part_{at}() {{\n{}}}\n\n", "    let x = step(budget);\n".repeat(25));
        let parts: String = (0..12).map(function).collect();
        let own = format!("/// Sorts apples.\nfn own_{number}() {{\n    apple({number});\n}}\n");
        place.write(
            &format!("s{number:02}.rs"),
            format!("use crate::s{:02}::Thing;\n\n{parts}{own}", number / 2),
        );
    }
    place
}

fn request(place: &Place, budget: u64, detail: Detail) -> Request {
    Request {
        entries: vec![ScopedEntry::typed(Entry::new("*.rs"))],
        measure: Measure::of(None, None, None, Budget::Tokens(budget), Trim::Relevant),
        query: Query::of("where are apples sorted by own_17?"),
        ..place.request(Budget::Unlimited, detail)
    }
}

fn planned(place: &Place, budget: u64, detail: Detail) -> Plan {
    plan(&request(place, budget, detail), &place.world()).unwrap()
}

#[test]
fn block_of_what_was_ranked_first_is_that_of_what_was_read_first() {
    let place = place();
    for budget in [30, 400, 2_000, 9_000, 40_000, 400_000] {
        let whole = planned(&place, budget, Detail::Account);
        for _ in 0..2 {
            let ranked = planned(&place, budget, Detail::Block);
            assert_eq!(ranked.block().err(), whole.block().err(), "{budget}");
            if whole.block().is_ok() {
                assert_eq!(block(&ranked), block(&whole), "{budget}");
            }
        }
    }
}

#[test]
fn ranked_files_of_which_nothing_is_printed_are_not_read() {
    let place = place();
    let plan = planned(&place, 400, Detail::Block);
    let is_read = |item: &&crate::plan::Item| item.document.is_some();
    let read = plan.items().iter().filter(is_read).count();
    assert!((1..30).contains(&read), "{read}");
}

#[test]
fn file_that_changed_behind_the_index_is_printed_as_it_is() {
    let place = place();
    let truth = planned(&place, 400, Detail::Account);
    for name in ["s17.rs", "s03.rs"] {
        let path = place.files.path().join(name);
        assert!(fs::metadata(&path).is_ok());
        let item = truth.items().iter().find(|item| item.source.label.as_str() == name).unwrap();
        let stamp = item.source.place().unwrap().metadata().unwrap().stamp;
        // What is known is of another text, which matches the query much better.
        let text = "fn own_17() { apples_sorted(); }\n".repeat(40);
        let digest = Digest::of(&Text::new(name, &text), Keep::All);
        let mut builder = Builder::default();
        builder.add(FileKey::of(name, &stamp), Checksum::of(text.as_bytes()), text.len() as u64, &digest);
        let sealed: Vec<_> = builder.seal().into_iter().collect();
        let index = Index::empty(place.cache.path(), place.files.path());
        let mut draft = IndexDraft::default();
        sealed.into_iter().for_each(|sealed| index.learn(&mut draft, sealed));
        index.save(draft).unwrap();
        let misled = planned(&place, 400, Detail::Block);
        assert_eq!(block(&misled), block(&truth), "{name}");
        assert_eq!(block(&planned(&place, 400, Detail::Block)), block(&truth), "{name}");
    }
}

#[test]
fn search_reads_only_what_it_found() {
    let place = place();
    let search = || {
        let request = Request { purpose: Purpose::Search(3), ..request(&place, 400, Detail::Block) };
        plan(&request, &place.world()).unwrap()
    };
    for _ in 0..2 {
        let plan = search();
        let hits = plan.hits();
        assert_eq!(hits.len(), 3);
        assert_eq!(hits[0].label, "s17.rs");
        assert!(hits[0].text.contains("fn own_17() {"));
        let read = plan.items().iter().filter(|item| item.document.is_some()).count();
        assert!(read <= 3, "{read}");
    }
    assert!(Path::new(place.cache.path()).join("search").exists());
}
