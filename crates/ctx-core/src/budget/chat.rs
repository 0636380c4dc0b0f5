//! How much of a conversation a block shows, and how much room that leaves for the documents.
//!
//! A conversation only grows at its end, and its beginning moves in steps of about a quarter of its share, so that
//! the beginning of the block stays the same from turn to turn and a provider can cache it. For the same reason,
//! documents are chosen as if the conversation already took the next quarter of its share.

use crate::models::Counter;

use super::fitting::Fitting;
use super::node::Edges;
use super::{Block, Candidate, FitError, Fitted, Layout, Priority, Trim};
use crate::format::{Around, Format, Frame};
use crate::history::{Chat, Conversation, Message, Turn, head_and_tail};

/// The part of a conversation that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownChat {
    /// How many of the oldest turns are not shown.
    pub omitted: usize,
    /// Whether the summary is shown, if there is one.
    pub with_summary: bool,
    /// The last turn with its middle cut out, if that turn alone exceeds the share.
    pub cut: Option<Turn>,
    /// The tokens it takes in the block.
    pub tokens: u64,
}

impl ShownChat {
    /// The part of the conversation that is printed, if any.
    #[must_use]
    pub fn chat<'a>(&'a self, conversation: &'a Conversation) -> Option<Chat<'a>> {
        let turns = match &self.cut {
            Some(last) => std::slice::from_ref(last),
            None => &conversation.turns[self.omitted..],
        };
        let summary = conversation.summary.as_ref().filter(|_| self.with_summary);
        let is_something = summary.is_some() || !turns.is_empty();
        is_something.then_some(Chat { summary, omitted: self.omitted, turns })
    }
}

/// The decisions about a conversation and the documents next to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FittedBeside {
    /// The part of the conversation that is shown, if any.
    pub shown: Option<ShownChat>,
    /// The decisions about the documents.
    pub fitted: Result<Fitted, FitError>,
}

/// The part of a conversation that is shown if nothing else needs the room. It exceeds its share only if the
/// summary and the last turn do.
#[must_use]
pub fn within_share(conversation: &Conversation, format: Format, counter: Counter) -> ShownChat {
    Scale { conversation, format, counter }.within_share()
}

/// The tokens that a conversation takes from a limit: what is shown, and the rest of the next quarter of its share.
#[must_use]
pub fn room_for(conversation: &Conversation, format: Format, counter: Counter) -> u64 {
    let scale = Scale { conversation, format, counter };
    let shown = scale.within_share();
    shown.tokens.saturating_add(scale.reserve(&shown))
}

/// Decides as [`fit`](super::fit) does, with a conversation in the block.
pub fn fit_beside(
    candidates: &[Candidate<'_>],
    block: &Block<'_>,
    trim: Trim,
    conversation: &Conversation,
) -> FittedBeside {
    let Block { layout, counter, limit, .. } = *block;
    let scale = Scale { conversation, format: layout.format, counter };
    let edges = Edges::default();
    let alone = Fitting { candidates, class: Priority::Shown, trim, block: *block, edges: &edges };
    let fit = |shown: &ShownChat, limit| {
        alone.beside(shown, conversation, limit, |fitting| fitting.fit_named_whole())
    };
    let shown = scale.within_share();
    let reduced = limit.map(|limit| limit.saturating_sub(scale.reserve(&shown)));
    let first = fit(&shown, reduced);
    if first.is_ok() || limit.is_none() || first == Err(FitError::Unread) {
        return FittedBeside { shown: Some(shown), fitted: first };
    }
    let fitted = fit(&shown, limit);
    let needs_room = matches!(fitted, Err(FitError::PinnedOver { .. } | FitError::FrameOver { .. }));
    if !needs_room {
        return FittedBeside { shown: Some(shown), fitted };
    }
    let smaller = scale.smaller(&shown);
    let keeps_fit =
        |shown: &ShownChat| alone.beside(shown, conversation, limit, |fitting| fitting.keeps_fit());
    let first_that_fits = smaller.partition_point(|shown| !keeps_fit(shown));
    if let Some(shown) = smaller.get(first_that_fits) {
        let fitted = fit(shown, limit);
        return FittedBeside { shown: Some(scale.counted(shown.clone())), fitted };
    }
    let smallest = smaller.into_iter().next_back().unwrap_or(shown);
    let fitted = alone.beside(&smallest, conversation, limit, |fitting| {
        fitting.shortened().unwrap_or_else(|| fitting.fit_named_whole())
    });
    FittedBeside { shown: Some(scale.counted(smallest)), fitted }
}

impl Fitting<'_> {
    /// The result of `decide` with part of a conversation in the block, and a different limit.
    fn beside<T>(
        &self,
        shown: &ShownChat,
        conversation: &Conversation,
        limit: Option<u64>,
        decide: impl FnOnce(&Fitting<'_>) -> T,
    ) -> T {
        let Layout { format, guard, around } = self.block.layout;
        let chat = shown.chat(conversation);
        let layout = Layout { format, guard, around: Around { chat, ..around } };
        let edges = Edges::default();
        decide(&Fitting { block: Block { layout, limit, ..self.block }, edges: &edges, ..*self })
    }
}

/// Measures parts of a conversation.
#[derive(Clone, Copy)]
struct Scale<'a> {
    conversation: &'a Conversation,
    format: Format,
    counter: Counter,
}

impl Scale<'_> {
    fn shown(&self, omitted: usize, with_summary: bool, cut: Option<Turn>) -> ShownChat {
        self.counted(ShownChat { omitted, with_summary, cut, tokens: 0 })
    }

    fn counted(&self, shown: ShownChat) -> ShownChat {
        ShownChat { tokens: self.tokens(&shown), ..shown }
    }

    /// The tokens that part of the conversation takes after the documents.
    fn tokens(&self, shown: &ShownChat) -> u64 {
        let units = |chat| {
            let around = Around { chat, ..Around::default() };
            self.counter.units(&Frame { format: self.format, around, id: None }.closing())
        };
        let chat = shown.chat(self.conversation);
        self.counter.rounded(units(chat).saturating_sub(units(None)))
    }

    fn within_share(&self) -> ShownChat {
        let Conversation { turns, summary, share, .. } = self.conversation;
        let costs: Vec<u64> = turns.iter().map(|turn| turn.tokens(&self.counter)).collect();
        let summary = summary.as_ref().map_or(0, |summary| summary.tokens(&self.counter));
        let mut rest: u64 = summary + costs.iter().sum::<u64>();
        let cuts = cut_points(&costs, self.quarter());
        let last = turns.len().saturating_sub(1);
        for (omitted, cost) in costs.iter().enumerate().take(last) {
            if cuts.contains(&omitted) && rest <= *share {
                let shown = self.shown(omitted, true, None);
                if shown.tokens <= *share {
                    return shown;
                }
            }
            rest -= cost;
        }
        let shown = self.shown(last, true, None);
        match turns.last() {
            Some(turn) if self.shown(last, false, None).tokens > *share => {
                self.shown(last, true, Some(self.cut(turn, last)))
            }
            Some(_) | None => shown,
        }
    }

    fn quarter(&self) -> u64 {
        (self.conversation.share / 4).max(1)
    }

    /// The tokens reserved for the next turns: up to the next quarter of the share. Once the beginning has moved,
    /// all of the share is in use or soon will be, and the documents change no more often than the beginning does.
    fn reserve(&self, shown: &ShownChat) -> u64 {
        let share = self.conversation.share;
        let rounded = match shown.omitted {
            0 => shown.tokens.next_multiple_of(self.quarter()).min(share),
            _ => share,
        };
        rounded.saturating_sub(shown.tokens)
    }

    /// All parts that are smaller than this one, the largest first; not counted yet.
    fn smaller(&self, shown: &ShownChat) -> Vec<ShownChat> {
        let last = self.conversation.turns.len().saturating_sub(1);
        let part = |omitted, with_summary| ShownChat { omitted, with_summary, tokens: 0, ..shown.clone() };
        let fewer = (shown.omitted + 1..=last).map(|omitted| part(omitted, true));
        let bare = self.conversation.summary.as_ref().filter(|_| !self.conversation.turns.is_empty());
        fewer.chain(bare.map(|_| part(last, false))).collect()
    }

    /// A turn with its messages cut to the largest common number of tokens that keeps it within the share.
    fn cut(&self, turn: &Turn, omitted: usize) -> Turn {
        let share = self.conversation.share;
        let fits = |turn: &Turn| self.shown(omitted, false, Some(turn.clone())).tokens <= share;
        let mut best = capped(turn, 0, &self.counter);
        let (mut fitting, mut over) = (0, share);
        while over - fitting > 1 + share / 100 {
            let cap = fitting + (over - fitting) / 2;
            let candidate = capped(turn, cap, &self.counter);
            if fits(&candidate) {
                (fitting, best) = (cap, candidate);
            } else {
                over = cap;
            }
        }
        best
    }
}

/// The fewest tokens to which a message is cut; the marker line takes most of them.
const LEAST_CAP: u64 = 32;

/// A turn with each message cut to at most `cap` tokens, or to the minimum if `cap` is smaller.
fn capped(turn: &Turn, cap: u64, counter: &Counter) -> Turn {
    let cap = cap.max(LEAST_CAP);
    let capped = |message: &Message| {
        let mut message = message.clone();
        message.content = message.content.map(|text| head_and_tail(&text, cap, counter).into_owned());
        message
    };
    Turn { number: turn.number, messages: turn.messages.iter().map(capped).collect() }
}

/// The turns at which a conversation may begin: those where the tokens of the earlier turns pass another
/// quarter of the share. They depend only on the turns before them.
fn cut_points(costs: &[u64], quarter: u64) -> Vec<usize> {
    let mut sum = 0_u64;
    let mut points = vec![0];
    for (at, cost) in costs.iter().enumerate() {
        let before = sum / quarter;
        sum = sum.saturating_add(*cost);
        if sum / quarter > before {
            points.push(at + 1);
        }
    }
    points
}
