//! While the block is over budget, drop the file with the most tokens; of equals the later.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::fitting::Fitting;
use super::{DropReason, FitError, Fitted};

pub(super) fn fit(fitting: &Fitting<'_>) -> Result<Fitted, FitError> {
    let mut order: Vec<usize> = fitting.others().collect();
    order.sort_unstable_by_key(|place| Reverse((fitting.tokens(*place), *place)));
    let certain = certainly_dropped(fitting, &order);
    let dropped: BTreeSet<usize> = order.drain(..certain).collect();
    let mut draft = fitting.draft((0..fitting.candidates.len()).filter(|place| !dropped.contains(place)));
    for place in order {
        if draft.tokens() <= fitting.limit {
            break;
        }
        draft.remove(place);
    }
    let needed = draft.tokens();
    if needed > fitting.limit {
        return Err(fitting.kept_over(needed));
    }
    fitting.conclude(draft, DropReason::Largest)
}

/// How many of `order` go because what the documents add for certain is over the limit; this needs
/// no seam counted.
fn certainly_dropped(fitting: &Fitting<'_>, order: &[usize]) -> usize {
    let mut units: u64 = (0..fitting.candidates.len()).map(|place| fitting.least_units(place)).sum();
    let stays = |place: &usize| {
        let over = fitting.is_certainly_over(units);
        units -= fitting.least_units(*place);
        !over
    };
    order.iter().position(stays).unwrap_or(order.len())
}
