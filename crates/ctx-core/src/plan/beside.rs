//! What is printed beside the files that a question finds: piped text, changes, the output of commands. It may use a share
//! of the room. What exceeds its share is cut: a diff to whole hunks, anything else to its beginning and its end.

use super::{Item, Plan};
use crate::budget::{Priority, ScoredLines, Trim};
use crate::models::Counter;
use ctx_outline::Lines;
use ctx_search::{FileKind, is_diff};

/// How many tokens it may use beside the default limit for what is found.
const TOKENS: u64 = 16_000;

/// The most lines of a piece that is kept or left out as a whole.
const MOST_LINES: usize = 20;

/// Roughly how many tokens the marker of a gap takes.
const MARKER: u64 = 12;

/// After this many pieces that do not fit, the others are not tried.
const MOST_MISSES: usize = 16;

/// Kept pieces come before everything that competes.
const KEPT: i64 = 1 << 60;

/// Whether a document is printed beside what a question finds.
pub(super) fn is_beside(item: &Item) -> bool {
    let selected_by = &item.source.selected_by;
    selected_by.preferred || (selected_by.typed && item.source.place().is_none())
}

impl Plan {
    /// If what is printed beside the files that a question finds exceeds its share, cuts it. Returns the indices of the
    /// items that were cut, and about how many tokens are left of them.
    pub(super) fn cut_beside(&mut self) -> (Vec<usize>, u64) {
        let measure = &self.request.measure;
        let is_asked = self.request.looked_through.is_some() && measure.trim == Trim::Relevant;
        let (Some(limit), true) = (measure.limit, is_asked) else { return Default::default() };
        let share = if measure.ceiling.is_some() { TOKENS } else { limit / 2 };
        let counter = measure.counter;
        let size = |item: &Item| item.document.as_ref().map_or(0, |one| counter.tokens_of(&one.measure));
        let is_whole = |item: &&Item| item.source.selected_by.pin;
        let sized = self.items.iter().enumerate().filter(|(_, item)| is_beside(item) && !is_whole(item));
        let mut sized: Vec<(bool, u64, usize)> =
            sized.map(|(place, item)| (is_late(item.source.path()), size(item), place)).collect();
        if sized.iter().map(|(_, tokens, _)| tokens).sum::<u64>() <= share {
            return Default::default();
        }
        sized.sort_unstable();
        let (mut room, mut cut, mut left) = (share, Vec::new(), 0);
        let all = sized.len();
        for (done, (late, tokens, place)) in sized.iter().enumerate() {
            let alike = sized[done..all].iter().filter(|(other, ..)| other == late).count() as u64;
            let part = room / alike.max(1);
            let used = if *tokens <= part {
                *tokens
            } else {
                let used = shorten(&mut self.items[*place], part, counter);
                cut.push(*place);
                left += used;
                used
            };
            room = room.saturating_sub(used);
        }
        (cut, left)
    }
}

/// Cuts a document to about `room` tokens, and returns how many are left. If not even a piece fits, it is left out.
fn shorten(item: &mut Item, room: u64, counter: Counter) -> u64 {
    let Some(document) = item.document.as_deref_mut() else { return 0 };
    let text = document.text.as_str();
    let pieces = Piece::all_of(text);
    let order = if is_diff(text) { code_first(&pieces) } else { ends_first(pieces.len()) };
    let (kept, used) = within(&pieces, order, room, counter);
    let part = |(piece, is_kept): (&Piece<'_>, bool)| ScoredLines {
        lines: piece.lines,
        score: if is_kept { KEPT } else { 0 },
        bytes: u32::try_from(piece.text.len()).unwrap_or(u32::MAX),
        outlined: None,
    };
    let parts = pieces.iter().zip(kept).map(part).collect();
    document.show_only(parts);
    item.priority = if used > 0 { Priority::Shown } else { Priority::Stored };
    used
}

/// A part of a text that is kept or left out as a whole: a hunk with the header of its file, or some lines.
struct Piece<'t> {
    lines: Lines,
    text: &'t str,
    /// Whether it changes a file that people read last.
    is_late: bool,
}

impl<'t> Piece<'t> {
    fn all_of(text: &'t str) -> Vec<Self> {
        let mut pieces: Vec<Self> = Vec::new();
        let mut lines = text.split_inclusive('\n').zip(1..).peekable();
        let (mut start, mut end, mut first) = (0, 0, 1);
        let (mut is_late_file, mut in_header) = (false, true);
        while let Some((line, number)) = lines.next() {
            end += line.len();
            if let Some(path) = line.strip_prefix("+++ ") {
                is_late_file = is_late(path.trim_end());
            }
            let next = lines.peek().map(|(next, _)| *next);
            let begins_file =
                next.is_some_and(|next| next.starts_with("diff --git ") || next.starts_with("--- "));
            let begins_hunk = next.is_some_and(|next| next.starts_with("@@ "));
            in_header = line.starts_with("diff --git ")
                || line.starts_with("--- ")
                || in_header && !line.starts_with("@@ ");
            let is_full = number + 1 - first >= MOST_LINES;
            if next.is_none() || is_full || (begins_file || begins_hunk) && !in_header {
                let lines = Lines { first, last: number };
                pieces.push(Self { lines, text: &text[start..end], is_late: is_late_file });
                (start, first) = (end, number + 1);
            }
        }
        pieces
    }
}

/// The indices of the pieces of a diff, those of code first.
fn code_first(pieces: &[Piece<'_>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|piece| pieces[*piece].is_late);
    order
}

/// The first of `count` pieces, then three from the end for each from the beginning: an error may be at both ends of what
/// a program printed, and is more often at its end.
fn ends_first(count: usize) -> Vec<usize> {
    let mut rest = 0..count;
    let from = |turn: usize| if turn.is_multiple_of(4) { rest.next() } else { rest.next_back() };
    (0..count).map_while(from).collect()
}

/// Which pieces to keep within `room` tokens, and about how many these have; 0 if none is kept.
fn within(pieces: &[Piece<'_>], order: Vec<usize>, room: u64, counter: Counter) -> (Vec<bool>, u64) {
    let (mut kept, mut used, mut misses) = (vec![false; pieces.len()], MARKER, 0);
    for piece in order {
        let has_neighbour = kept[..piece].last() == Some(&true) || kept.get(piece + 1) == Some(&true);
        let marker = if has_neighbour { 0 } else { MARKER };
        let tokens = counter.tokens(pieces[piece].text) + marker;
        if used + tokens <= room {
            kept[piece] = true;
            used += tokens;
        } else {
            misses += 1;
        }
        if misses == MOST_MISSES {
            break;
        }
    }
    let is_any = kept.contains(&true);
    (kept, if is_any { used } else { 0 })
}

/// Whether what changes in a file is cut before the changes of code.
fn is_late(path: &str) -> bool {
    match FileKind::of(path.strip_prefix("b/").unwrap_or(path)) {
        FileKind::Generated
        | FileKind::Readme
        | FileKind::Prose
        | FileKind::ChangeLog
        | FileKind::Licence => true,
        FileKind::Ordinary | FileKind::Test | FileKind::Example | FileKind::Metadata => false,
    }
}
