//! Files that are ranked before they are read.

use super::{Place, block, plan};
use crate::budget::{Budget, Trim};
use crate::entry::{Entry, ScopedEntry};
use crate::plan::{Detail, Item, Measure, Plan, Purpose, Request};
use ctx_search::Query;

/// 60 files of 8 kB, each with its own function.
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
        measure: Measure::of(None, None, None, Some(Budget::Tokens(budget)), Trim::Relevant),
        query: Query::of("where are apples sorted by own_17?"),
        ..place.request(Budget::Unlimited, detail)
    }
}

fn planned(place: &Place, budget: u64, detail: Detail) -> Plan {
    plan(&request(place, budget, detail), &place.world()).unwrap()
}

#[test]
fn ranking_before_reading_gives_the_same_block() {
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
    let is_read = |item: &&Item| item.document.is_some();
    let read = plan.items().iter().filter(is_read).count();
    assert!((1..30).contains(&read), "{read}");
}

#[test]
fn ranking_more_files_than_are_worth_cutting_gives_the_same_block() {
    let place = place();
    // Most of these are not ranked; the best ones are, and are printed first.
    for number in 0..100 {
        let line = "    // Where an apple is sorted into a box.\n".repeat(1 + number % 3);
        place.write(
            &format!("t{number:02}.rs"),
            format!("fn t{number}() {{\n{line}}}\n{}", "// A line.\n".repeat(5_000)),
        );
    }
    for budget in [400, 9_000, 300_000] {
        let whole = planned(&place, budget, Detail::Account);
        let ranked = planned(&place, budget, Detail::Block);
        assert_eq!(block(&ranked), block(&whole), "{budget}");
        let is_ranked = |item: &&Item| item.relevance().is_some_and(|relevance| relevance.score.0 > 0);
        let ranked = [&ranked, &whole].map(|plan| plan.items().iter().filter(is_ranked).count());
        assert_eq!(ranked[0], ranked[1], "{budget}");
        assert!((80..150).contains(&ranked[0]), "{budget}: {ranked:?}");
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
        let hits = plan.hits(3);
        assert_eq!(hits.len(), 3);
        assert_eq!(hits[0].label, "s17.rs");
        assert!(hits[0].text.contains("fn own_17() {"));
        let read = plan.items().iter().filter(|item| item.document.is_some()).count();
        assert!(read <= 3, "{read}");
    }
}
