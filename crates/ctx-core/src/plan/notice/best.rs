//! Warns if what answers a question best is not in the block whole.

use crate::plan::Plan;
use crate::plan::best::{Best, MissingLines};
use crate::report::{Notice, NoticeKind};
use crate::words::{grouped, quoted};

/// A warning if the best declaration or section does not fit.
pub(super) fn cut(plan: &Plan) -> Option<Notice> {
    let best = Best::of(plan).filter(Best::is_cut)?;
    let MissingLines { lines, of } = best.missing;
    let place = best.place();
    let left_out = match (lines, of) {
        (lines, of) if lines == of => "is left out".to_owned(),
        (1, of) => format!("1 of its {} lines is left out", grouped(of as u64)),
        (lines, of) => {
            format!("{} of its {} lines are left out", grouped(lines as u64), grouped(of as u64))
        }
    };
    let text = format!("{} answers best, but {left_out}: the budget is too small", quoted(place));
    Some(Notice::warning(NoticeKind::Trimmed, text))
}
