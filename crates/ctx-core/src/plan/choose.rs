//! Chooses the units that answer a question: whole declarations and sections, of the best files most.
//!
//! The value of a unit depends on the score of its file and on its share of that score, so that a good unit of the
//! first file comes before the best unit of the twentieth. Units of little value are left out, however much room
//! there is, and so are those whose text an earlier unit has.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::rank::by_score;
use super::{Fate, Item, Priority, Purpose, Relevance, Request};
use crate::account::ReadParts;
use crate::budget::ScoredLines;
use ctx_search::{Query, Score, is_table};

/// How much a unit has to be worth.
#[derive(Debug, Clone, Copy)]
struct Bar {
    /// The power of a unit's share of its file's score. Below 1, units that score less count for more.
    share_power: f64,
    /// The least share of its file's score that a unit has to have.
    least_share: f64,
    /// The least share of the best value that a unit has to have.
    least_value: f64,
}

impl Bar {
    /// For the words of a person, who rarely knows those of the code: what is searched for often scores little.
    const OF_A_QUESTION: Self = Self { share_power: 0.7, least_share: 0.1, least_value: 0.1 };

    /// For the names that the code uses: what they do not find hardly matters.
    const OF_NAMES: Self = Self { share_power: 0.9, least_share: 0.1, least_value: 0.3 };

    fn of(query: &Query) -> Self {
        if query.has_names() { Self::OF_NAMES } else { Self::OF_A_QUESTION }
    }
}

/// How much less a file counts than the one ranked before it, in addition to its lower score.
const NEXT_FILE: f64 = 0.97;

/// The best score that words alone give. What the evidence points to scores more, which makes nothing else worth less.
const BEST_OF_WORDS: f64 = 1.0;

/// A file of up to this many bytes is chosen as a whole if its best unit has this many times the least value.
const SMALL_FILE: u32 = 4_000;
const WORTH_WHOLE: f64 = 2.0;

/// Units of up to this many bytes may have the same text as others.
const MOST_REPEATED: u32 = 120;

/// The most units of a table that are chosen for their words.
const MOST_OF_TABLE: usize = 20;

/// Roughly the bytes in a token of code.
const BYTES_OF_TOKEN: u64 = 3;

/// Lets a search find units instead of passages.
pub(super) fn find_units(items: &mut [Item]) {
    items.iter_mut().filter_map(Item::relevance_mut).for_each(|one| one.show_units(u64::MAX));
}

/// Chooses among the units of all items if a question looks through them.
pub(super) fn choose(items: &mut [Item], request: &Request) {
    let Some(query) = request.query.as_ref().filter(|_| request.looked_through.is_some()) else { return };
    if request.purpose != Purpose::Block {
        return;
    }
    let bar = Bar::of(query);
    let room = request.measure.limit.map_or(u64::MAX, |limit| limit.saturating_mul(BYTES_OF_TOKEN));
    let matches = |item: &&mut Item| item.relevance().is_some_and(|relevance| relevance.score > Score(0));
    let mut ranked: Vec<&mut Item> = items.iter_mut().filter(matches).collect();
    ranked.sort_by(|a, b| by_score(a, b));
    let best = ranked.first().and_then(|item| item.relevance());
    let best = best.map_or(0.0, |one| one.score.number().min(BEST_OF_WORDS));
    let mut printed = BTreeSet::new();
    let mut weight = 1.0;
    for item in ranked {
        let read = request.parts_read(item);
        let (is_table, is_named) = (is_table(item.source.path()), item.priority != Priority::Stored);
        let Some(relevance) = item.relevance_mut() else { continue };
        relevance.show_units(room);
        let bytes: u64 = relevance.shown().map(|(unit, _)| u64::from(unit.bytes)).sum();
        let kind = if !is_table {
            UnitKind::Text
        } else if is_named && bytes <= room {
            UnitKind::WholeTable
        } else {
            UnitKind::Table
        };
        let chooses_any = choose_of(relevance, bar, weight, best, kind, read.as_ref(), &mut printed);
        if read.is_some() && !chooses_any {
            item.fate = Fate::Unchanged;
        }
        weight *= NEXT_FILE;
    }
}

/// Keeps only a sample of each large table if everything is searched and no word tells which rows matter.
pub(super) fn sample_tables(items: &mut [Item], request: &Request) {
    if request.purpose != Purpose::Block || request.looked_through.is_none() {
        return;
    }
    let is_unasked = |item: &&mut Item| is_table(item.source.path()) && item.priority == Priority::Stored;
    let relevance = items.iter_mut().filter(is_unasked).filter_map(Item::relevance_mut);
    relevance.for_each(|one| one.show_sample(u64::from(SMALL_FILE)));
}

/// What the units of a file are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnitKind {
    Text,
    /// Rows. A few of many that match say as much as all of them, but two that are alike are two.
    Table,
    /// Rows of a table that is asked for. All count as much as those that match, as in "what is the mean?".
    WholeTable,
}

/// Chooses among the units of one file, of which the reader has those in `read`. `printed` is what the units chosen
/// so far are recognised by. Returns whether any is chosen.
fn choose_of(
    relevance: &mut Relevance,
    bar: Bar,
    weight: f64,
    best_of_all: f64,
    kind: UnitKind,
    read: Option<&ReadParts>,
    printed: &mut BTreeSet<u64>,
) -> bool {
    let file = relevance.score.number();
    let least = bar.least_value * best_of_all;
    let share = |unit: &ScoredLines| Score(unit.score).number() / file;
    let worth = |share: f64| weight * file * share.max(0.0).powf(bar.share_power);
    let mut units: Vec<_> = relevance.shown().enumerate().collect();
    units.sort_by_key(|(index, (unit, _))| (Reverse(unit.score), *index));
    let bytes: u32 = units.iter().map(|(_, (unit, _))| unit.bytes).sum();
    let best = units.first().map_or(0.0, |(_, (unit, _))| worth(share(unit)));
    let is_one = kind == UnitKind::WholeTable || bytes <= SMALL_FILE && best >= WORTH_WHOLE * least;
    let most = if kind == UnitKind::Table && !is_one { MOST_OF_TABLE } else { usize::MAX };
    let mut values = vec![Score::default(); units.len()];
    for (order, (index, (unit, likeness))) in (0..).zip(units.into_iter().take(most)) {
        let (share, value) = if is_one { (1.0, best) } else { (share(&unit), worth(share(&unit))) };
        let matters = share >= bar.least_share && value >= least;
        let may_repeat = kind != UnitKind::Text || unit.bytes <= MOST_REPEATED;
        let mut is_new = || likeness.is_none_or(|likeness| may_repeat || printed.insert(likeness));
        // Only what the reader gets or has makes a later unit superfluous.
        if matters && is_new() && !read.is_some_and(|read| read.have_most_of(unit.lines)) {
            // Among units with the same value, the best come first, since not all of them may fit.
            values[index] = Score(Score::of(value).0 - order).max(Score(1));
        }
    }
    relevance.choose(&values);
    values.into_iter().any(|value| value > Score::default())
}
