//! What comes through a sieve is decided upon as if all had.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::{File, HOSTILE, block, candidates, counters, kept, label, text};
use crate::budget::{Candidate, Expected, Extent, Layout, Outcome, Sieve, Trim, fit, fit_sifted};
use crate::format::Format;
use ctx_tokens::Counter;

/// A document on its way through a sieve.
#[derive(Debug, Clone)]
enum Slot {
    Awaited,
    Through { text: String, extent: Extent },
    Gone,
}

/// How documents come to a sieve.
#[derive(Debug, Clone)]
struct Arrival {
    order: Vec<usize>,
    threads: usize,
    /// How many of them are measured already.
    cached: usize,
    /// How many of them turn out to be no documents.
    absent: usize,
}

fn long_text() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(&HOSTILE[..]), 1..20);
    (pieces, 1_usize..80).prop_map(|(pieces, times)| pieces.concat().repeat(times))
}

fn many_files() -> impl Strategy<Value = Vec<File>> {
    let text = prop_oneof![3 => text(), 2 => long_text()];
    let file = (label(), text, prop::bool::weighted(0.05));
    prop::collection::vec(file.prop_map(|(label, text, pin)| File { label, text, pin }), 0..24)
}

fn arrivals() -> impl Strategy<Value = Arrival> {
    let places: Vec<usize> = (0..24).collect();
    let order = prop_oneof![Just(places.clone()), Just(places).prop_shuffle()];
    (order, 1_usize..4, 0_usize..8, 0_usize..3).prop_map(|(order, threads, cached, absent)| Arrival {
        order,
        threads,
        cached,
        absent,
    })
}

fn layouts() -> impl Strategy<Value = Layout<'static>> {
    (prop::sample::select(&Format::ALL[..]), prop::bool::weighted(0.2)).prop_map(|(format, guard)| Layout {
        format,
        guard,
        tree: None,
    })
}

/// What comes through the sieve by several threads, each of which looks at heads, weighs, cuts and
/// forgets as a reader of files does.
fn sifted(sieve: &Sieve<'_>, whole: &[Candidate<'_>], present: &[bool], arrival: &Arrival) -> Vec<Slot> {
    let order: Vec<usize> = arrival.order.iter().copied().filter(|place| *place < whole.len()).collect();
    let slots: Vec<Mutex<Slot>> = whole.iter().map(|_| Mutex::new(Slot::Awaited)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(&place) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let candidate = whole[place];
            let mut own = slots[place].lock().unwrap();
            *own =
                if present[place] { through(sieve, &candidate, place < arrival.cached) } else { Slot::Gone };
            let gone = match &*own {
                Slot::Through { text, extent } => {
                    sieve.admit(place, &Candidate { text, extent: *extent, ..candidate })
                }
                Slot::Awaited | Slot::Gone => sieve.pass(place),
            };
            drop(own);
            gone.into_iter().for_each(|place| *slots[place].lock().unwrap() = Slot::Gone);
        }
    };
    std::thread::scope(|scope| {
        (1..arrival.threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let slots = slots.into_iter().map(|slot| slot.into_inner().unwrap());
    slots.zip(whole).map(|(slot, candidate)| shortened(sieve, slot, candidate.pin)).collect()
}

fn through(sieve: &Sieve<'_>, candidate: &Candidate<'_>, cached: bool) -> Slot {
    let mut text = candidate.text.to_owned();
    if candidate.pin || cached {
        let slot = Slot::Through { text, extent: candidate.extent };
        return if candidate.pin { slot } else { shortened(sieve, slot, false) };
    }
    let most = sieve.telling_length().min(text.len());
    let head = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    if head < text.len() && sieve.surely_drops(&text[..head]) {
        return Slot::Gone;
    }
    match sieve.weigh(&text) {
        Some(weighed) => Slot::Through { extent: weighed.cut(&mut text), text },
        None => Slot::Gone,
    }
}

fn shortened(sieve: &Sieve<'_>, slot: Slot, pin: bool) -> Slot {
    match slot {
        Slot::Through { mut text, extent } if !pin => match sieve.shorten(&text, &extent) {
            Some(weighed) => Slot::Through { extent: weighed.cut(&mut text), text },
            None => Slot::Through { text, extent },
        },
        slot => slot,
    }
}

/// What is asked of a sieve.
#[derive(Debug, Clone, Copy)]
struct Task {
    layout: Layout<'static>,
    counter: Counter,
    limit: u64,
    trim: Trim,
}

/// Compares what comes of what is left with what comes of all; gives back what was left.
fn check(files: &[File], arrival: &Arrival, task: Task) -> Result<Vec<Slot>, TestCaseError> {
    let Task { layout, counter, limit, trim } = task;
    let whole = candidates(files, counter);
    let quick = |candidate: &Candidate<'_>| layout.format.may_collide(candidate.text);
    let whole: Vec<Candidate<'_>> =
        whole.iter().map(|candidate| Candidate { may_collide: quick(candidate), ..*candidate }).collect();
    let present: Vec<bool> = (0..whole.len()).map(|place| place % 10 >= arrival.absent).collect();
    let expected: Vec<Expected<'_>> =
        files.iter().map(|file| Expected { label: &file.label, pin: file.pin }).collect();
    let Some(sieve) = Sieve::new(counter, layout, limit, trim, &expected) else {
        prop_assert_eq!(trim, Trim::Fail);
        return Ok(Vec::new());
    };
    let slots = sifted(&sieve, &whole, &present, arrival);

    let all: Vec<usize> = (0..whole.len()).filter(|place| present[*place]).collect();
    let left: Vec<usize> =
        all.iter().copied().filter(|place| matches!(slots[*place], Slot::Through { .. })).collect();
    let everything: Vec<Candidate<'_>> = all.iter().map(|place| whole[*place]).collect();
    let rest: Vec<Candidate<'_>> = left
        .iter()
        .map(|place| match &slots[*place] {
            Slot::Through { text, extent } => Candidate { text, extent: *extent, ..whole[*place] },
            Slot::Awaited | Slot::Gone => unreachable!(),
        })
        .collect();
    let expected = fit(&everything, &layout, counter, Some(limit), trim, 2);
    let fit_rest = if left.len() < all.len() { fit_sifted } else { fit };
    let actual = fit_rest(&rest, &layout, counter, Some(limit), trim, 2);
    match (expected, actual) {
        (Ok(expected), Ok(actual)) => {
            let places = |fitted, places: &[usize]| {
                kept(fitted).into_iter().map(|index| places[index]).collect::<Vec<_>>()
            };
            prop_assert_eq!(places(&expected, &all), places(&actual, &left));
            prop_assert_eq!(block(&expected, &everything, &layout), block(&actual, &rest, &layout));
            prop_assert_eq!(expected.block_tokens, actual.block_tokens);
            for (outcome, place) in actual.outcomes.iter().zip(&left) {
                let index = all.iter().position(|other| other == place).unwrap();
                if !matches!(outcome, Outcome::Dropped { .. }) {
                    prop_assert_eq!(outcome, &expected.outcomes[index]);
                }
            }
        }
        (expected, actual) => {
            prop_assert_eq!(
                expected.map_err(|error| error.to_string()).err(),
                actual.map_err(|error| error.to_string()).err()
            );
        }
    }
    Ok(slots)
}

fn extents(slots: &[Slot]) -> Vec<Option<Extent>> {
    let extent = |slot: &Slot| match slot {
        Slot::Through { extent, .. } => Some(*extent),
        Slot::Awaited | Slot::Gone => None,
    };
    slots.iter().map(extent).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_sieve_changes_no_decision(
        files in many_files(), layout in layouts(), counter in counters(), arrival in arrivals(),
        limit in prop_oneof![0_u64..300, 0_u64..6_000],
        trim in prop::sample::select(&Trim::ALL[..]),
    ) {
        check(&files, &arrival, Task { layout, counter, limit, trim })?;
    }

    #[test]
    fn what_comes_through_does_not_depend_on_order_or_threads(
        files in many_files(), layout in layouts(), arrival in arrivals(),
        limit in prop_oneof![0_u64..300, 0_u64..6_000],
        trim in prop::sample::select(&[Trim::Largest, Trim::FirstFit, Trim::Truncate][..]),
    ) {
        let task = Task { layout, counter: Counter::default(), limit, trim };
        let plain = Arrival { order: (0..files.len()).collect(), threads: 1, cached: 0, absent: arrival.absent };
        let (here, there) = (check(&files, &plain, task)?, check(&files, &arrival, task)?);
        prop_assert_eq!(extents(&here), extents(&there));
    }
}

/// Little is kept of much.
#[test]
fn what_cannot_be_printed_is_forgotten() {
    let line = "let value = compute(1, 2, 3);\n";
    let file = |place| File { label: format!("src/file{place}.rs"), text: line.repeat(400), pin: false };
    let files: Vec<File> = (0..400).map(file).collect();
    for format in Format::ALL {
        for (trim, most) in [(Trim::Largest, 2_000_000), (Trim::FirstFit, 30_000), (Trim::Truncate, 300_000)]
        {
            let layout = Layout { format, ..Layout::default() };
            let arrival = Arrival { order: (0..files.len()).collect(), threads: 1, cached: 0, absent: 0 };
            let task = Task { layout, counter: Counter::default(), limit: 5_000, trim };
            let slots = check(&files, &arrival, task).unwrap();
            let held = |slot: &Slot| match slot {
                Slot::Through { text, .. } => text.len(),
                Slot::Awaited | Slot::Gone => 0,
            };
            let bytes: usize = slots.iter().map(held).sum();
            assert!(bytes <= most, "{trim}, {format}: {bytes} bytes");
        }
    }
}
