//! Notices about the history in a block.

use crate::account::Tally;
use crate::account::share;
use crate::budget::ShownChat;
use crate::guard::Findings;
use crate::history::Conversation;
use crate::plan::Plan;
use crate::report::{Hint, Notice, NoticeKind};
use crate::words::{counted, figure, grouped, some_of};

/// At or above this percentage of its share, a note suggests how to shorten a history.
const LONG: u64 = 80;

pub(super) fn notices(plan: &Plan) -> Vec<Notice> {
    let Some((conversation, shown)) = plan.conversation().zip(plan.shown.as_ref()) else { return Vec::new() };
    let name = &conversation.name;
    let cut = shown.cut.as_ref().map(|turn| {
        let text = format!(
            "turn {} of history '{name}' alone exceeds its share and is printed in part",
            turn.number
        );
        Notice::warning(NoticeKind::History, text)
    });
    let percent = share(shown.tokens, conversation.share);
    let note = if shown.omitted > 0 {
        let turns = counted(shown.omitted, "earlier turn");
        Some(format!("history '{name}': {turns} omitted"))
    } else if percent >= LONG && cut.is_none() {
        let percent = figure(percent, plan.request.measure.estimated);
        let of = grouped(conversation.share);
        Some(format!("history '{name}' takes {percent}% of its share of {of} tokens"))
    } else {
        None
    };
    let cleaned = cleaned(conversation, shown);
    let compress = Hint::CompressHistory { name: name.clone() };
    let note = note.map(|text| Notice::note(NoticeKind::History, text).with_hint(compress));
    cleaned.into_iter().chain(cut).chain(note).collect()
}

/// Reports what was redacted or made visible in the shown turns and summary.
fn cleaned(conversation: &Conversation, shown: &ShownChat) -> Vec<Notice> {
    let Some(chat) = shown.chat(conversation) else { return Vec::new() };
    let is_shown = |turn: &Option<u64>| match turn {
        Some(number) => chat.turns.iter().any(|turn| turn.number == *number),
        None => chat.summary.is_some(),
    };
    let parts = || conversation.cleaned.iter().filter(|(turn, _)| is_shown(turn));
    let said = |kind, what, became, tallies: fn(&Findings) -> Vec<Tally>| {
        let mut count = 0;
        let mut places = Vec::new();
        for (turn, found) in parts() {
            let tallies = tallies(found);
            let kinds: Vec<String> = tallies.iter().map(Tally::to_string).collect();
            let place = turn.map_or_else(|| "summary".to_owned(), |number| format!("turn {number}"));
            if !kinds.is_empty() {
                count += tallies.iter().map(|tally| tally.count).sum::<usize>();
                places.push(format!("{place} ({})", kinds.join(", ")));
            }
        }
        let (what, name) = (counted(count, what), &conversation.name);
        let text = format!("{what} {became} in history '{name}': {}", some_of(&places));
        (count > 0).then(|| Notice::warning(kind, text))
    };
    let secrets = said(NoticeKind::Redacted, "secret", "redacted", |found| Tally::of_secrets(found.iter()));
    let hidden = said(NoticeKind::Revealed, "hidden character", "made visible", |found| {
        Tally::of_hidden(found.iter())
    });
    secrets.into_iter().chain(hidden).collect()
}
