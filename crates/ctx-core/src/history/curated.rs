//! The part of a history that a model sees, cleaned: the last summary, and the turns after it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::models::Counter;

use super::file::History;
use super::message::{Message, Role};
use super::record::Summary;
use super::talks::Subject;
use super::text::{Chat, Said};
use super::turns::{RecordedTurn, Turn};
use crate::guard::Findings;
use crate::store::ProfileName;
use crate::words::omitted;

/// The longest tool result that is kept whole, in tokens.
pub const LONGEST_RESULT: u64 = 2_000;

/// The part of a history that is used, without secrets and with hidden characters made visible.
///
/// Turns are left out if they failed, have no answer, or contain a call without its result or a result
/// without its call. System messages are included; they are shown to people, but left out of blocks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curated {
    /// The number of the turn that began the conversation; see [`RecordedTurn::talk`].
    pub talk: u64,
    /// The summary that replaces all earlier turns.
    pub summary: Option<Summary>,
    /// The turns after it, by number.
    pub turns: Vec<Turn>,
    /// How many turns after the summary were left out.
    pub left_out: usize,
    /// The secrets and hidden characters found in it, by turn; `None` stands for the summary.
    pub cleaned: BTreeMap<Option<u64>, Findings>,
    /// What all its questions were about, even those that the summary replaces.
    pub subject: Subject,
}

impl Curated {
    /// The summary and all turns after it.
    #[must_use]
    pub fn chat(&self) -> Chat<'_> {
        Chat { summary: self.summary.as_ref(), omitted: 0, turns: &self.turns }
    }

    /// All messages, the summary first.
    #[must_use]
    pub fn said(&self) -> Vec<Said<'_>> {
        self.chat().said()
    }

    /// Its size in tokens.
    #[must_use]
    pub fn tokens(&self, counter: &Counter) -> u64 {
        let turns: u64 = self.turns.iter().map(|turn| turn.tokens(counter)).sum();
        turns + self.summary.as_ref().map_or(0, |summary| summary.tokens(counter))
    }
}

/// The part of a history that a block may show.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// The name of the history.
    pub name: ProfileName,
    /// The last summary, if there is one.
    pub summary: Option<Summary>,
    /// The turns after it, oldest first, without system messages.
    pub turns: Vec<Turn>,
    /// The secrets and hidden characters found in it, by turn; `None` stands for the summary.
    pub cleaned: BTreeMap<Option<u64>, Findings>,
    /// What its questions were about.
    pub subject: Subject,
    /// The tokens it may take before its oldest turns are left out.
    pub share: u64,
}

impl Conversation {
    /// The part of a history that is used.
    #[must_use]
    pub fn new(name: ProfileName, curated: Curated, share: u64) -> Self {
        let Curated { summary, turns, cleaned, subject, .. } = curated;
        let turns = turns.into_iter().map(Turn::spoken).collect();
        Self { name, summary, turns, cleaned, subject, share }
    }

    /// Whether there is nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.summary.is_none() && self.turns.is_empty()
    }
}

impl History {
    /// All messages of all turns, as they are stored.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        self.turns().into_iter().flat_map(|turn| turn.turn.messages).collect()
    }

    /// The part of it that is used in a conversation, the last one if none is chosen, for whoever also needs the rest.
    pub(super) fn curated(&self, talk: Option<u64>, counter: &Counter) -> Curated {
        let used = self.used(talk);
        let turns = self.turns_where(|number| used.turns.contains(&number));
        used.curated(turns, counter)
    }

    /// The part of it that is used in a conversation, the last one if none is chosen, without a copy of its texts; long
    /// tool results are cut to their beginning and end.
    #[must_use]
    pub fn into_curated(mut self, talk: Option<u64>, counter: &Counter) -> Curated {
        let used = self.used(talk);
        let turns = self.take_turns(|number| used.turns.contains(&number));
        used.curated(turns, counter)
    }

    fn used(&self, talk: Option<u64>) -> Used {
        let all = self.turns_without_messages();
        let talk = talk.unwrap_or_else(|| last_talk(&all));
        let is_of_talk = |to: u64| {
            all.iter().find(|turn| turn.turn.number == to).map_or(to >= talk, |turn| turn.talk == talk)
        };
        let last = self.placed_summaries().into_iter().rfind(|(_, summary)| is_of_talk(summary.turns.to));
        // A turn that was still open when the summary was made is not in it.
        let is_later = |turn: &&RecordedTurn| {
            let is_open = last.is_none_or(|(place, summary)| {
                turn.turn.number > summary.turns.to || turn.last_record > place
            });
            is_open && turn.talk == talk
        };
        let of_talk: BTreeSet<u64> =
            all.iter().filter(|turn| turn.talk == talk).map(|turn| turn.turn.number).collect();
        Used {
            talk,
            subject: self.subject(&of_talk),
            summary: last.map(|(_, summary)| summary.clone()),
            turns: all.iter().filter(is_later).map(|turn| turn.turn.number).collect(),
        }
    }

    /// The turns of a conversation up to turn `to`, as if there were no summary.
    #[must_use]
    pub fn originals(&self, talk: u64, to: u64, counter: &Counter) -> Vec<Turn> {
        let complete = self
            .turns_where(|number| number <= to)
            .into_iter()
            .filter(|turn| turn.talk == talk && turn.is_complete());
        complete.map(|turn| shown(turn, counter, &mut Findings::default())).collect()
    }
}

/// What of a history is used.
struct Used {
    talk: u64,
    subject: Subject,
    summary: Option<Summary>,
    /// The turns after the summary, by number.
    turns: BTreeSet<u64>,
}

impl Used {
    /// Cleans the summary and these turns, of which failed ones are left out.
    fn curated(self, turns: Vec<RecordedTurn>, counter: &Counter) -> Curated {
        let mut cleaned = BTreeMap::new();
        let summary = self.summary.map(|summary| {
            let mut found = Findings::default();
            let content = found.clean(summary.content);
            cleaned.insert(None, found);
            Summary { content, ..summary }
        });
        let all = turns.len();
        let complete = turns.into_iter().filter(RecordedTurn::is_complete);
        let turns: Vec<Turn> = complete
            .map(|turn| {
                let mut found = Findings::default();
                let turn = shown(turn, counter, &mut found);
                cleaned.insert(Some(turn.number), found);
                turn
            })
            .collect();
        cleaned.retain(|_, found| !found.is_empty());
        let left_out = all - turns.len();
        Curated { talk: self.talk, summary, left_out, turns, cleaned, subject: self.subject }
    }
}

/// The turn that the last conversation begins with, even if that turn failed: an earlier conversation, which
/// the user has left, must not come back.
fn last_talk(turns: &[RecordedTurn]) -> u64 {
    turns.last().map_or(1, |turn| turn.talk)
}

/// Marks the end of an answer that was interrupted.
const INTERRUPTED: &str = "\n[… interrupted …]";

/// Cleans and shortens a turn for display, and notes what had to be cleaned.
fn shown(recorded: RecordedTurn, counter: &Counter, found: &mut Findings) -> Turn {
    let RecordedTurn { turn, cut, .. } = recorded;
    let shown = |message: Message| {
        let message = match message.role {
            Role::System => message.clean(&mut Findings::default()),
            Role::User | Role::Assistant | Role::Tool => message.clean(found),
        };
        match (message.role, &message.content) {
            (Role::Tool, Some(text)) => {
                let content = Some(head_and_tail(text, LONGEST_RESULT, counter).into_owned());
                Message { content, ..message }
            }
            (Role::User | Role::Assistant | Role::System | Role::Tool, _) => message,
        }
    };
    let mut messages: Vec<Message> = turn.messages.into_iter().map(shown).collect();
    let answer = messages.iter_mut().rfind(|message| cut && message.is_answer());
    answer
        .into_iter()
        .filter_map(|answer| answer.content.as_mut())
        .for_each(|text| text.push_str(INTERRUPTED));
    Turn { number: turn.number, messages }
}

/// `text` if it has at most `limit` tokens; otherwise, its beginning and end with a line between them that
/// shows how much is missing.
#[must_use]
pub fn head_and_tail<'t>(text: &'t str, limit: u64, counter: &Counter) -> Cow<'t, str> {
    let most = counter.unscaled(limit);
    if counter.tokenizer.at_most(text, most).is_some() {
        return Cow::Borrowed(text);
    }
    // The line between them takes at most this many tokens.
    let room = limit.saturating_sub(24);
    let mut half = room / 2;
    loop {
        let head = beginning(text, half, counter);
        let tail = end(&text[head..], half, counter);
        let missing = &text[head..text.len() - tail];
        let shortened =
            format!("{}{}{}", &text[..head], omission(text, head, missing), &text[text.len() - tail..]);
        if half == 0 || counter.tokens(&shortened) <= limit {
            return Cow::Owned(shortened);
        }
        // Needed because of rounding and the tokens across the seams, but rarely more than once.
        half -= half.div_ceil(50);
    }
}

fn omission(text: &str, head: usize, missing: &str) -> String {
    let lines = missing.matches('\n').count();
    let before = if head == 0 || text[..head].ends_with('\n') { "" } else { "\n" };
    let line = match lines {
        0 => omitted(missing.chars().count() as u64, "character"),
        lines => omitted(lines as u64, "line"),
    };
    format!("{before}{line}\n")
}

/// The length of a prefix of at most this many tokens; it ends at a newline if that costs little.
fn beginning(text: &str, tokens: u64, counter: &Counter) -> usize {
    let most = counter.tokenizer.prefix_within(text, counter.unscaled(tokens));
    match text[..most].rfind('\n') {
        Some(at) if at + 1 >= most / 2 => at + 1,
        Some(_) | None => most,
    }
}

/// The length of a suffix of at most this many tokens; it begins at the start of a line if that costs little.
fn end(text: &str, tokens: u64, counter: &Counter) -> usize {
    let fits = |length: usize| counter.tokens(&text[text.len() - length..]) <= tokens;
    let at_boundary = |length: usize| {
        let mut start = text.len() - length;
        while !text.is_char_boundary(start) {
            start += 1;
        }
        text.len() - start
    };
    let most_bytes = usize::try_from(tokens.saturating_mul(128)).unwrap_or(usize::MAX);
    let (mut most, mut too_many) = (0, text.len().min(most_bytes) + 1);
    while too_many - most > 1 {
        let middle = most + (too_many - most) / 2;
        let length = at_boundary(middle.min(text.len()));
        if fits(length) {
            most = middle;
        } else {
            too_many = middle;
        }
    }
    let most = at_boundary(most);
    let start = text.len() - most;
    match text[start..].find('\n') {
        Some(at) if at < most / 2 => most - at - 1,
        Some(_) | None => most,
    }
}
