//! The decision on documents that pass a prefilter is the same as without the prefilter.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::outlines::{outlined, outlines};
use super::{File, HOSTILE, block, candidates, counters, fit, kept, label, text};
use crate::budget::{Candidate, Layout, Outline, Priority, Trim};
use crate::document::Prefilter;
use crate::format::Format;
use crate::models::Counter;

/// The order in which documents reach a prefilter.
#[derive(Debug, Clone)]
struct Arrival {
    order: Vec<usize>,
    threads: usize,
    /// How many of them have been measured already.
    cached: usize,
}

fn long_text() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(&HOSTILE[..]), 1..20);
    (pieces, 1_usize..80).prop_map(|(pieces, times)| pieces.concat().repeat(times))
}

fn many_files() -> impl Strategy<Value = Vec<File>> {
    let text = prop_oneof![3 => text(), 2 => long_text()];
    let file = (label(), text, prop::bool::weighted(0.05));
    prop::collection::vec(file.prop_map(|(label, text, pin)| File { label, text: text.into(), pin }), 0..24)
}

fn arrivals() -> impl Strategy<Value = Arrival> {
    let places: Vec<usize> = (0..24).collect();
    let order = prop_oneof![Just(places.clone()), Just(places).prop_shuffle()];
    (order, 1_usize..4, 0_usize..8).prop_map(|(order, threads, cached)| Arrival { order, threads, cached })
}

/// The candidates that pass, when several threads offer heads and then assess whole documents, as
/// happens when files are read.
fn let_through(prefilter: &Prefilter, whole: &[Candidate<'_>], arrival: &Arrival) -> Vec<usize> {
    let order: Vec<usize> = arrival.order.iter().copied().filter(|place| *place < whole.len()).collect();
    let through: Mutex<Vec<bool>> = Mutex::new(vec![false; whole.len()]);
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(&place) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let candidate = &whole[place];
            if candidate.priority != Priority::Pinned
                && place >= arrival.cached
                && is_dropped(prefilter, candidate)
            {
                continue;
            }
            through.lock().unwrap()[place] = true;
            let outline = candidate.outline.map(|outline| outline.measure);
            for gone in prefilter.offer(
                place,
                candidate.label,
                &candidate.measure,
                outline.as_ref(),
                candidate.priority == Priority::Pinned,
            ) {
                through.lock().unwrap()[gone] = false;
            }
        }
    };
    std::thread::scope(|scope| {
        (1..arrival.threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let through = through.into_inner().unwrap();
    (0..whole.len()).filter(|place| through[*place]).collect()
}

fn is_dropped(prefilter: &Prefilter, candidate: &Candidate<'_>) -> bool {
    if let Some(outline) = candidate.outline {
        return prefilter.assess(&outline.text).is_err();
    }
    let text = candidate.text;
    let tells = |most: usize| {
        let head = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        prefilter.surely_drops(&text[..head]).is_some()
    };
    prefilter.telling_lengths().into_iter().any(|most| most < text.len() && tells(most))
        || prefilter.assess(text).is_err()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn prefilter_changes_no_decision_whatever_the_order_of_files(
        files in many_files(), format in prop::sample::select(&Format::ALL[..]), guard in any::<bool>(),
        counter in counters(), arrival in arrivals(), limit in prop_oneof![0_u64..300, 0_u64..6_000],
        trim in prop::sample::select(vec![Trim::Largest, Trim::Outline]),
    ) {
        let layout = Layout { format, guard, ..Layout::default() };
        let outlines = outlines(&files, counter);
        let whole = match trim {
            Trim::Outline => outlined(&files, &outlines, counter),
            _ => candidates(&files, counter),
        };
        let prefilter = Prefilter::new(counter, format, limit);
        let left = let_through(&prefilter, &whole, &arrival);
        let is_needed = left.len() < whole.len();
        let needed = |place: &usize| whole[*place].outline.map(|one| Outline { is_needed, ..one.clone() });
        let needed: Vec<Option<Outline>> = left.iter().map(needed).collect();
        let rest = left.iter().zip(&needed);
        let rest = rest.map(|(place, outline)| Candidate { outline: outline.as_ref(), ..whole[*place] });
        let rest: Vec<Candidate<'_>> = rest.collect();
        let expected = fit(&whole, &layout, counter, Some(limit), trim);
        let actual = fit(&rest, &layout, counter, Some(limit), trim);
        match (expected, actual) {
            (Ok(expected), Ok(actual)) => {
                let places: Vec<usize> = kept(&actual).into_iter().map(|index| left[index]).collect();
                prop_assert_eq!(kept(&expected).into_iter().collect::<Vec<_>>(), places);
                prop_assert_eq!(block(&expected, &whole, &layout), block(&actual, &rest, &layout));
                prop_assert_eq!(expected.block_tokens, actual.block_tokens);
            }
            (expected, actual) => prop_assert_eq!(
                expected.map_err(|error| error.to_string()).err(),
                actual.map_err(|error| error.to_string()).err()
            ),
        }
    }
}

#[test]
fn prefilter_lets_through_few_more_files_than_fit() {
    let line = "let value = compute(1, 2, 3);\n";
    let file =
        |place| File { label: format!("src/file{place}.rs"), text: line.repeat(400).into(), pin: false };
    let files: Vec<File> = (0..400).map(file).collect();
    let whole = candidates(&files, Counter::default());
    let arrival = Arrival { order: (0..files.len()).collect(), threads: 1, cached: 0 };
    for format in Format::ALL {
        let prefilter = Prefilter::new(Counter::default(), format, 5_000);
        let left = let_through(&prefilter, &whole, &arrival);
        assert!(left.len() < 60, "{format}: {}", left.len());
    }
}
