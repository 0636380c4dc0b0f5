//! The two ends of a text whose lines are too long for the room it has, such as JSON without line breaks.

use super::{Item, Plan};
use crate::budget::{Fate, Truncated};
use crate::guard::{CleanText, TextBuilder};
use crate::models::Counter;
use crate::select::Label;
use crate::words::size;
use ctx_tokens::Measure;

/// The fewest tokens that are worth showing of a text.
const LEAST: u64 = 32;

/// More bytes than a token has, except in the longest runs of blanks and the like.
const TOKEN_BYTES: u64 = 8;

/// A text that was replaced by its ends while the block is fitted.
pub(super) struct WholeText {
    /// The label of its item.
    label: Label,
    text: CleanText,
    measure: Measure,
}

/// Replaces the text of an item by its two ends, of about `room` tokens, and returns the whole text; `None` if there is no
/// room for them.
pub(super) fn keep_ends(item: &mut Item, room: u64, counter: Counter) -> Option<WholeText> {
    let label = item.source.label.clone();
    let document = item.document.as_deref_mut().filter(|_| room >= LEAST)?;
    let text = ends(&document.text, room, counter)?;
    let measure = counter.tokenizer.measure(&text);
    let measure = std::mem::replace(&mut document.measure, measure);
    Some(WholeText { label, text: std::mem::replace(&mut document.text, text), measure })
}

/// A quarter of the room for the beginning, and the rest for the end, where programs print what failed.
fn ends(text: &CleanText, room: u64, counter: Counter) -> Option<CleanText> {
    let room = room - LEAST / 2;
    let first = first_within(text, room / 4, counter);
    let last = last_within(&text[first..], room - room / 4, counter);
    let gap = text.len() - first - last;
    if first + last == 0 || gap == 0 {
        return None;
    }
    let mut ends = TextBuilder::of(text, first + last);
    ends.keep(0..first);
    ends.push(&format!("\n[… {} omitted …]\n", size(gap)));
    ends.keep(text.len() - last..text.len());
    Some(ends.finish())
}

/// How many bytes from the beginning have at most `room` tokens.
fn first_within(text: &str, room: u64, counter: Counter) -> usize {
    within(
        room,
        text.len(),
        |length| (0..=length).rev().find(|at| text.is_char_boundary(*at)),
        |length| counter.tokens(&text[..length]),
    )
}

/// How many bytes at the end have at most `room` tokens.
fn last_within(text: &str, room: u64, counter: Counter) -> usize {
    let all = text.len();
    let whole = |length| (0..=length).rev().find(|length| text.is_char_boundary(all - length));
    within(room, all, whole, |length| counter.tokens(&text[all - length..]))
}

/// A length that is whole characters and has at most `room` tokens.
fn within(
    room: u64,
    most: usize,
    whole: impl Fn(usize) -> Option<usize>,
    tokens: impl Fn(usize) -> u64,
) -> usize {
    let mut length = usize::try_from(room.saturating_mul(TOKEN_BYTES)).unwrap_or(most).min(most);
    loop {
        length = whole(length).unwrap_or(0);
        let used = tokens(length);
        if used <= room {
            return length;
        }
        // A little less than the proportional part, so that few attempts are needed.
        let next = length as u64 * room / used;
        length = usize::try_from(next - next / 32).unwrap_or(0).min(length - 1);
    }
}

impl Plan {
    /// Gives the items their whole texts back, of which the ends are printed.
    pub(super) fn restore_texts(&mut self, texts: Vec<WholeText>) {
        for WholeText { label, text, measure } in texts {
            let Some(item) = self.items.iter_mut().find(|item| item.source.label == label) else { continue };
            let Some(document) = item.document.as_deref_mut() else { continue };
            let ends = std::mem::replace(&mut document.text, text);
            document.measure = measure;
            document.relevance = None;
            if let Fate::Included { tokens } = item.fate {
                // A line that is cut counts as omitted; one of those printed says so.
                let printed = ends.lines().count().saturating_sub(1);
                let omitted_lines = document.text.lines().count().saturating_sub(printed).max(1) as u64;
                let part = Truncated { tokens, text: ends, omitted_lines, lines: None, kept: Vec::new() };
                item.fate = Fate::Truncated(Box::new(part));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ends;
    use crate::guard::CleanText;
    use crate::models::Counter;

    #[test]
    fn ends_fit_and_are_most_of_what_fits() {
        let counter = Counter::default();
        for unit in ["word ", "{\"a\":1},", "日本語", "👩\u{200d}👩", "=\u{301}"] {
            let text = CleanText::from(unit.repeat(20_000));
            for room in [40, 500, 4_000] {
                let ends = ends(&text, room, counter).expect("room for some of it");
                let (first, rest) = ends.split_once("\n[… ").unwrap();
                let (_, last) = rest.split_once(" omitted …]\n").unwrap();
                assert!(text.starts_with(first) && text.ends_with(last), "{unit:?}");
                assert!(counter.tokens(&ends) <= room, "{unit:?}: {} of {room}", counter.tokens(&ends));
                assert!(last.len() >= first.len(), "{unit:?}");
            }
        }
    }
}
