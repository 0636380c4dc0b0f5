//! In order, after those that are kept: a file that does not fit beside those before it is skipped.

use super::draft::Draft;
use super::fitting::Fitting;
use super::{DropReason, FitError, Fitted};

pub(super) fn fit(fitting: &Fitting<'_>) -> Result<Fitted, FitError> {
    let mut draft = fitting.kept_draft()?;
    fill(fitting, &mut draft, fitting.others());
    fitting.conclude(draft, DropReason::NoRoom)
}

/// Puts into a draft of what is kept what fits of `places`, in their order.
pub(super) fn fill(fitting: &Fitting<'_>, draft: &mut Draft<'_>, places: impl Iterator<Item = usize>) {
    let mut units: u64 = fitting.kept().map(|place| fitting.least_units(place)).sum();
    for place in places {
        let with = units + fitting.least_units(place);
        if fitting.is_certainly_over(with) {
            continue;
        }
        draft.insert(place);
        if draft.tokens() > fitting.limit {
            draft.remove(place);
        } else {
            units = with;
        }
    }
}
