//! What is printed beside the files that a question finds: piped text, changes, the output of commands. It may use a share
//! of the room. What exceeds its share is cut: a diff to whole hunks, anything else to its beginning, its end, and what failed
//! between them; if its lines are too long for that, to its two ends.

use super::ends::{WholeText, keep_ends};
use super::{Item, Plan};
use crate::budget::{Priority, ScoredLines, Trim};
use crate::models::Counter;
use ctx_outline::Lines;
use ctx_search::{FileKind, is_diff, tells_failure, tells_success};

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

/// Whether a document comes on top of the default limit for what a question finds.
pub(super) fn adds_room(item: &Item) -> bool {
    let selected_by = &item.source.selected_by;
    selected_by.pin || selected_by.in_every_question.is_some() || is_beside(item)
}

/// What was cut, because it exceeded its share.
#[derive(Default)]
pub(super) struct CutBeside {
    /// The indices of the items that were cut, ascending.
    pub(super) places: Vec<usize>,
    /// About how many tokens are left of them.
    pub(super) tokens: u64,
    /// Those of which only the ends are left.
    pub(super) ends_of: Vec<WholeText>,
}

impl Plan {
    /// If what is printed beside the files that a question finds exceeds its share, cuts it: those that need little stay
    /// whole, and the others have equal parts of the rest, code first.
    pub(super) fn cut_beside(&mut self) -> CutBeside {
        let measure = &self.request.measure;
        let is_asked = self.request.looked_through.is_some() && measure.trim == Trim::Relevant;
        let (Some(limit), true) = (measure.limit, is_asked) else { return CutBeside::default() };
        let share = if measure.ceiling.is_some() { TOKENS } else { limit / 2 };
        let counter = measure.counter;
        let competes = |item: &Item| is_beside(item) && !item.source.selected_by.pin;
        let beside = self.items.iter().enumerate().filter(|(_, item)| competes(item));
        let mut beside: Vec<(bool, u64, usize)> =
            beside.map(|(place, item)| (is_late(item.source.path()), item.tokens(counter), place)).collect();
        if beside.iter().map(|(_, tokens, _)| tokens).sum::<u64>() <= share {
            return CutBeside::default();
        }
        beside.sort_unstable();
        let (mut room, mut cut) = (share, CutBeside::default());
        for alike in beside.chunk_by(|a, b| a.0 == b.0) {
            for ((_, tokens, place), left) in alike.iter().zip((1..=alike.len() as u64).rev()) {
                let part = room / left;
                let used = if *tokens <= part {
                    *tokens
                } else {
                    let used = cut.shorten(&mut self.items[*place], part, counter);
                    cut.places.push(*place);
                    cut.tokens += used;
                    used
                };
                room = room.saturating_sub(used);
            }
        }
        cut.places.sort_unstable();
        cut
    }
}

impl CutBeside {
    /// Cuts the document of an item to about `room` tokens, and returns how many are left.
    fn shorten(&mut self, item: &mut Item, room: u64, counter: Counter) -> u64 {
        let used = keep_pieces(item, room, counter);
        let ends = if used > 0 { None } else { keep_ends(item, room, counter) };
        let used = if ends.is_some() { keep_all(item, counter) } else { used };
        self.ends_of.extend(ends);
        item.priority = if used > 0 { Priority::Shown } else { Priority::Stored };
        used
    }
}

/// Keeps all of a text, and returns how many tokens it has.
fn keep_all(item: &mut Item, counter: Counter) -> u64 {
    let Some(document) = item.document.as_deref_mut() else { return 0 };
    let lines = Lines { first: 1, last: document.text.lines().count() };
    let bytes = u32::try_from(document.text.len()).unwrap_or(u32::MAX);
    document.show_only(vec![ScoredLines { lines, score: KEPT, bytes, outlined: None }]);
    counter.tokens_of(&document.measure)
}

/// Keeps pieces of a text of about `room` tokens, and returns how many these have; 0 if not even a piece fits.
fn keep_pieces(item: &mut Item, room: u64, counter: Counter) -> u64 {
    let Some(document) = item.document.as_deref_mut() else { return 0 };
    let text = document.text.as_str();
    let (pieces, order) = if is_diff(text) {
        let hunks = Piece::hunks(text);
        let order = code_first(&hunks);
        (hunks, order)
    } else {
        let runs = Piece::runs(text);
        let order = failures_first(&runs);
        (runs, order)
    };
    let (kept, used) = within(&pieces, order, room, counter);
    let part = |(piece, is_kept): (&Piece<'_>, bool)| ScoredLines {
        lines: piece.lines,
        score: if is_kept { KEPT } else { 0 },
        bytes: u32::try_from(piece.text.len()).unwrap_or(u32::MAX),
        outlined: None,
    };
    let parts = pieces.iter().zip(kept).map(part).collect();
    document.show_only(parts);
    used
}

/// A part of a text that is kept or left out as a whole: a hunk, the first one with the header of its file, or some lines.
struct Piece<'t> {
    lines: Lines,
    text: &'t str,
    start: PieceStart,
}

/// Where a piece begins.
#[derive(Clone, Copy)]
struct PieceStart {
    /// Its first line, counted from 0.
    at: usize,
    /// The index of the piece without which it can't be understood: the one that names its file, or begins its hunk.
    needs: Option<usize>,
    /// Whether people read it last: it changes a file that isn't code, or tells only of tests that pass.
    is_late: bool,
}

impl<'t> Piece<'t> {
    fn hunks(text: &'t str) -> Vec<Self> {
        let all: Vec<&str> = text.split_inclusive('\n').collect();
        let mut starts = vec![PieceStart { at: 0, needs: None, is_late: false }];
        let (mut hunk, mut has_hunk, mut file, mut is_late) = (HunkLines::default(), false, 0, false);
        for (at, line) in all.iter().enumerate() {
            let is_inside = hunk.take(line);
            let next = all.get(at + 1).copied().unwrap_or_default();
            let is_header =
                line.starts_with("diff --git ") || line.starts_with("--- ") && next.starts_with("+++ ");
            let begins_hunk = !is_inside && line.starts_with("@@ ");
            let piece = starts.len() - 1;
            if !is_inside && is_header && has_hunk {
                (file, has_hunk, is_late) = (starts.len(), false, false);
                starts.push(PieceStart { at, needs: None, is_late });
            } else if begins_hunk && has_hunk {
                starts.push(PieceStart { at, needs: Some(file), is_late });
            } else if at - starts[piece].at >= MOST_LINES {
                starts.push(PieceStart { at, needs: Some(piece), is_late });
            }
            if begins_hunk {
                (hunk, has_hunk) = (HunkLines::of(line), true);
            } else if let (false, Some(path)) = (is_inside, line.strip_prefix("+++ ")) {
                is_late = self::is_late(path.trim_end());
                starts[file..].iter_mut().for_each(|start| start.is_late = is_late);
            }
        }
        Self::from_starts(text, &all, &starts)
    }

    fn runs(text: &'t str) -> Vec<Self> {
        let all: Vec<&str> = text.split_inclusive('\n').collect();
        let is_late = |at: usize| is_about_success(&all[at..all.len().min(at + MOST_LINES)]);
        let starts = (0..all.len()).step_by(MOST_LINES);
        let starts: Vec<PieceStart> =
            starts.map(|at| PieceStart { at, needs: None, is_late: is_late(at) }).collect();
        Self::from_starts(text, &all, &starts)
    }

    /// The pieces of a text of these lines.
    fn from_starts(text: &'t str, all: &[&str], starts: &[PieceStart]) -> Vec<Self> {
        let ends = starts.iter().skip(1).map(|start| start.at).chain([all.len()]);
        let mut rest = text;
        let cut = |(start, end): (&PieceStart, usize)| {
            let length = all[start.at..end].iter().map(|line| line.len()).sum();
            let (text, others) = rest.split_at(length);
            rest = others;
            Self { lines: Lines { first: start.at + 1, last: end }, text, start: *start }
        };
        starts.iter().zip(ends).map(cut).collect()
    }
}

/// How many lines of a hunk are still to come: of the file before, and after the change.
#[derive(Default)]
struct HunkLines {
    before: u64,
    after: u64,
}

impl HunkLines {
    /// Those that the header of a hunk announces: `@@ -1,3 +1,4 @@`.
    fn of(header: &str) -> Self {
        let count = |sign| {
            let range = header.split(' ').find_map(|word| word.strip_prefix(sign))?;
            range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok())
        };
        Self { before: count('-').unwrap_or(0), after: count('+').unwrap_or(0) }
    }

    /// Counts a line if it belongs to the hunk; returns whether it does.
    fn take(&mut self, line: &str) -> bool {
        let is_inside = self.before > 0 || self.after > 0;
        let (before, after) = match line.as_bytes().first() {
            Some(b'-') => (1, 0),
            Some(b'+') => (0, 1),
            Some(b'\\') => (0, 0),
            Some(_) | None => (1, 1),
        };
        self.before = self.before.saturating_sub(before);
        self.after = self.after.saturating_sub(after);
        is_inside
    }
}

/// Whether these lines are mostly about tests that pass, with their titles between them, and about no failure.
fn is_about_success(lines: &[&str]) -> bool {
    let passed = lines.iter().filter(|line| tells_success(line)).count();
    passed * 2 >= lines.len() && !lines.iter().any(|line| is_about_failure(line))
}

/// Whether a line is about a failure, and not about a test that passes and has the word in its name.
fn is_about_failure(line: &str) -> bool {
    tells_failure(line) && !tells_success(line)
}

/// The indices of the pieces of a diff, those of code first.
fn code_first(pieces: &[Piece<'_>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|piece| pieces[*piece].start.is_late);
    order
}

/// The most pieces with failures that come before the rest.
const MOST_FAILURES: usize = 12;

/// The indices of the pieces of what a program printed: its two ends, the first failures, each with the piece after it, and
/// the rest from both ends. An index may be there twice.
fn failures_first(pieces: &[Piece<'_>]) -> Vec<usize> {
    let ends = ends_first(pieces.len());
    let failures = (0..pieces.len()).filter(|piece| pieces[*piece].text.lines().any(is_about_failure));
    let failures = failures.take(MOST_FAILURES).flat_map(|piece| [piece, piece + 1]);
    let failures: Vec<usize> = failures.filter(|piece| *piece < pieces.len()).collect();
    let mut order = [&ends[..ends.len().min(2)], &failures, &ends].concat();
    order.sort_by_key(|piece| pieces[*piece].start.is_late);
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
        if kept[piece] || pieces[piece].start.needs.is_some_and(|needed| !kept[needed]) {
            continue;
        }
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
