//! Cutting a text down to a number of tokens.

use memchr::{memchr, memchr_iter, memrchr};

use super::counter::Counter;
use crate::tokens::Measure;

/// A text with its end cut off and a line that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) text: String,
    pub(super) measure: Measure,
    pub(super) omitted_lines: u64,
}

/// Tokens of a text that say something; with fewer it is better not shown at all.
const LEAST_SHOWN: u64 = 16;

/// A text to be cut, perhaps several times.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cutter<'a> {
    counter: Counter,
    text: &'a str,
    lines: u64,
}

/// Where a text may be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// At a line end, or inside a line that alone is longer than the room.
    LineEnd,
    /// Anywhere between two characters.
    Anywhere,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(counter: Counter, text: &'a str) -> Self {
        Self { counter, text, lines: lines(text) }
    }

    /// The fewest tokens to which it is worth while to cut the text.
    pub(super) fn least_cap(&self) -> u64 {
        self.counter.tokens(&marker(self.lines)) + LEAST_SHOWN
    }

    /// The longest beginning that has, with the line that says what is missing, at most `cap`
    /// tokens; `None` if that leaves nothing of the text.
    pub(super) fn cut(&self, cap: u64, place: Place) -> Option<Cut> {
        let mut room = cap.checked_sub(self.counter.tokens(&marker(self.lines)))?;
        while room > 0 {
            let cut = self.cut_to(room, place)?;
            let tokens = self.counter.tokens_of(&cut.measure);
            if tokens <= cap {
                return Some(cut);
            }
            room = room.saturating_sub(tokens - cap);
        }
        None
    }

    fn cut_to(&self, room: u64, place: Place) -> Option<Cut> {
        let room = self.counter.unscaled(room);
        let longest = self.counter.tokenizer.prefix_within(self.text, room);
        let end = match place {
            Place::LineEnd => self.line_end(longest, room),
            Place::Anywhere => whole_characters(self.text, longest),
        };
        if end == 0 {
            return None;
        }
        let (kept, rest) = self.text.split_at(end);
        let ended = memchr_iter(b'\n', kept.as_bytes()).count() as u64;
        let line_is_complete = !kept.ends_with('\n') && rest.trim_start_matches('\r').starts_with('\n');
        let omitted_lines = self.lines - ended - u64::from(line_is_complete);
        let newline = if kept.ends_with('\n') { "" } else { "\n" };
        let text = format!("{kept}{newline}{}", marker(omitted_lines));
        let measure = self.counter.tokenizer.measure(&text);
        Some(Cut { text, measure, omitted_lines })
    }

    fn line_end(&self, longest: usize, room: u64) -> usize {
        let bytes = self.text.as_bytes();
        let start = memrchr(b'\n', &bytes[..longest]).map_or(0, |at| at + 1);
        let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at + 1);
        let line_fits = self.counter.tokenizer.at_most(&self.text[start..end], room).is_some();
        if line_fits { start } else { whole_characters(self.text, longest) }
    }
}

/// The line that stands in the place of `lines` lines.
fn marker(lines: u64) -> String {
    format!("[… {lines} lines omitted …]\n")
}

fn lines(text: &str) -> u64 {
    let ended = memchr_iter(b'\n', text.as_bytes()).count() as u64;
    ended + u64::from(!text.is_empty() && !text.ends_with('\n'))
}

/// The last place at or before `end` that does not part what is seen as one character: a line end
/// of two, a letter and its accents, the members of an emoji sequence.
fn whole_characters(text: &str, end: usize) -> usize {
    (0..=end.min(text.len()))
        .rev()
        .filter(|at| text.is_char_boundary(*at))
        .find(|at| *at == 0 || *at == text.len() || !joins(&text[..*at], &text[*at..]))
        .unwrap_or(0)
}

fn joins(before: &str, after: &str) -> bool {
    let extends = |character: char| {
        matches!(character,
            '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{1f3fb}'..='\u{1f3ff}')
    };
    before.ends_with('\u{200d}')
        || before.ends_with('\r') && after.starts_with('\n')
        || after.starts_with(extends)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, cap: u64, place: Place) -> Option<Cut> {
        Cutter::new(Counter::default(), text).cut(cap, place)
    }

    fn shown(text: &str, cap: u64, place: Place) -> String {
        let cut = cut(text, cap, place).expect("room for some of it");
        let marker = format!("[… {} lines omitted …]\n", cut.omitted_lines);
        assert!(cut.measure.tokens <= cap);
        cut.text.strip_suffix(&marker).expect("the marker stands last").to_owned()
    }

    #[test]
    fn texts_are_cut_at_line_ends() {
        let text = "one two three\r\nfour five six\r\n".repeat(50);
        let shown = shown(&text, 60, Place::LineEnd);
        assert!(shown.len() > 60 && shown.ends_with("\r\n") && text.starts_with(&shown));
        let omitted = cut(&text, 60, Place::LineEnd).map(|cut| cut.omitted_lines);
        assert_eq!(omitted, Some(100 - shown.lines().count() as u64));
    }

    #[test]
    fn a_line_longer_than_the_room_is_cut_inside() {
        let text = format!("short\n{}\nlast", "word ".repeat(500));
        let shown = shown(&text, 60, Place::LineEnd);
        assert!(shown.starts_with("short\nword word") && shown.ends_with("\n"));
        assert_eq!(cut(&text, 60, Place::LineEnd).map(|cut| cut.omitted_lines), Some(2));
    }

    #[test]
    fn a_line_shown_to_its_end_is_not_omitted() {
        let text = format!("{}\n{}", "a".repeat(8), "b\n".repeat(400));
        for cap in 12..60 {
            if let Some(cut) = cut(&text, cap, Place::Anywhere) {
                let whole = cut.text.lines().filter(|line| ["aaaaaaaa", "b"].contains(line)).count() as u64;
                assert_eq!(cut.omitted_lines, 401 - whole, "{}", cut.text);
            }
        }
    }

    #[test]
    fn nothing_is_left_where_only_the_marker_fits() {
        assert_eq!(cut(&"word ".repeat(100), 5, Place::Anywhere), None);
        assert_eq!(cut(&"word\n".repeat(100), 0, Place::LineEnd), None);
    }

    #[test]
    fn characters_stay_whole() {
        for text in ["e\u{301}", "\r\n", "👩\u{200d}👩", "👍\u{1f3fd}", "日"] {
            for end in 0..text.len() {
                assert_eq!(whole_characters(text, end), 0, "{text:?} at {end}");
            }
            assert_eq!(whole_characters(text, text.len()), text.len());
        }
    }
}
