//! What a person should know of the history in a block.

use super::{Notice, NoticeKind};
use crate::account::share;
use crate::plan::Plan;
use crate::report::Count;
use crate::words::{counted, grouped};

/// From this part of its share on, in percent, a person is reported how a history becomes shorter.
const LONG: u64 = 80;

pub(super) fn notices(plan: &Plan) -> Vec<Notice> {
    let Some((conversation, shown)) = plan.conversation().zip(plan.shown.as_ref()) else { return Vec::new() };
    let name = &conversation.name;
    let compress = format!("'ctx history compress --history={name} -- CMD' summarises");
    let cut = shown.cut.as_ref().map(|turn| {
        let text = format!("turn {} of history '{name}' alone is over its share and is cut", turn.number);
        Notice::warning(NoticeKind::History, text)
    });
    let percent = share(shown.tokens, conversation.share);
    let note = if shown.omitted > 0 {
        let turns = counted(shown.omitted, "earlier turn");
        Some(format!("history '{name}': {turns} omitted; {compress} them"))
    } else if percent >= LONG && cut.is_none() {
        let percent = Count { number: percent, estimated: plan.request.measure.estimated };
        let of = grouped(conversation.share);
        Some(format!("history '{name}' takes {percent}% of its share of {of} tokens; {compress} it"))
    } else {
        None
    };
    cut.into_iter().chain(note.map(|text| Notice::note(NoticeKind::History, text))).collect()
}
