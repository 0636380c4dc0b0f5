//! Cuts text down to a number of tokens.

use std::sync::OnceLock;

use memchr::{memchr_iter, memrchr};
use unicode_segmentation::GraphemeCursor;

use crate::guard::{CleanText, TextBuilder};
use crate::models::{Counter, Ruler, Tokenizer};
use ctx_outline::Lines;
use ctx_tokens::{Beginning, Core, Measure};

/// Text with its end cut off and a marker line added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CutText {
    pub(super) text: CleanText,
    pub(super) measure: Measure,
    pub(super) omitted_lines: u64,
    /// From which line to which it goes, if the label has to say so.
    pub(super) lines: Option<Lines>,
    /// The lines that are there as a whole.
    pub(super) kept: Vec<Lines>,
}

/// The first `count` lines, if any.
fn first_lines(count: u64) -> Vec<Lines> {
    let last = usize::try_from(count).unwrap_or(usize::MAX);
    if last > 0 { vec![Lines { first: 1, last }] } else { Vec::new() }
}

/// The fewest tokens that are worth showing.
const LEAST_SHOWN: u64 = 16;

/// More lines than any file has.
const MOST_LINES: u64 = 999_999_999;

/// The fewest tokens to which it is worth cutting a file.
pub(super) fn least_cap(counter: Counter) -> u64 {
    counter.tokens(&marker(MOST_LINES)) + LEAST_SHOWN
}

/// Cuts text, possibly more than once.
#[derive(Debug, Clone)]
pub(super) struct Cutter<'a> {
    counter: Counter,
    text: &'a CleanText,
    lines: u64,
    /// The tokens, in the tokenizer's units, reserved for the marker.
    marker: u64,
    /// The line ends where the text may be cut, with both fields ascending.
    ends: Vec<Beginning>,
    /// The text before the first position that is certain to be a token boundary, if that is in the first
    /// line.
    head: Option<Beginning>,
    /// The most tokens to show, in the tokenizer's units.
    most: u64,
    /// Created if a cut inside a line is needed.
    ruler: OnceLock<Ruler<'a>>,
}

/// Where a document may be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CutAt {
    /// At a line end, or inside a line that would not fit even on its own.
    LineEnd,
    /// Anywhere between two characters.
    Anywhere,
}

/// The part of the text that fits under a cap: whole lines, and possibly part of the next one.
#[derive(Debug, Clone, Copy)]
struct ShownLines {
    lines: Beginning,
    room: u64,
    inside: bool,
}

impl<'a> Cutter<'a> {
    /// A cutter for caps of at most `most` tokens. The text has more than that: `tokens`, in the tokenizer's
    /// units.
    pub(super) fn new(counter: Counter, text: &'a CleanText, tokens: u64, most: u64) -> Self {
        let tokenizer = counter.tokenizer;
        let most = counter.unscaled(most);
        let ends = line_ends(tokenizer, text, tokens, most);
        let head = ends.first().and_then(|end| {
            let line = &text[..end.at];
            let at = tokenizer.first_boundary(line)?;
            Some(Beginning { at, tokens: tokenizer.count(&line[..at]) })
        });
        let lines = lines(text);
        let marker = tokenizer.count(&marker(lines));
        Self { counter, text, lines, marker, ends, head, most, ruler: OnceLock::new() }
    }

    /// The longest prefix that has at most `cap` tokens including the marker line; `None` if that leaves no
    /// text.
    pub(super) fn cut(&self, cap: u64, place: CutAt) -> Option<CutText> {
        let ShownLines { lines, mut room, inside } = self.shown(cap, place)?;
        if !inside {
            return Some(self.cut_after(lines));
        }
        while room > lines.tokens {
            let longest = self.ruler().prefix_within(room);
            if longest <= lines.at {
                break;
            }
            let cut = self.cut_at(whole_characters(self.text, longest))?;
            let tokens = self.counter.tokens_of(&cut.measure);
            if tokens <= cap {
                return Some(cut);
            }
            room = room.saturating_sub(tokens - cap);
        }
        (lines.at > 0).then(|| self.cut_after(lines))
    }

    fn ruler(&self) -> &Ruler<'a> {
        self.ruler.get_or_init(|| Ruler::new(self.counter.tokenizer, self.text, self.most))
    }

    /// The approximate units of the result of [`Self::cut`].
    pub(super) fn units(&self, cap: u64, place: CutAt) -> u64 {
        let Some(ShownLines { lines, room, inside }) = self.shown(cap, place) else { return 0 };
        let shown = if inside { room } else { lines.tokens };
        self.counter.units_of(shown + self.marker)
    }

    fn shown(&self, cap: u64, place: CutAt) -> Option<ShownLines> {
        let room = self.counter.unscaled(cap).checked_sub(self.marker).filter(|room| *room > 0)?;
        let next = self.ends.partition_point(|end| end.tokens <= room);
        let lines = next.checked_sub(1).map_or(Beginning { at: 0, tokens: 0 }, |last| self.ends[last]);
        let line_fits = self.ends.get(next).is_some_and(|end| end.tokens - lines.tokens <= room);
        let inside = match place {
            CutAt::LineEnd => !line_fits,
            CutAt::Anywhere => true,
        };
        Some(ShownLines { lines, room, inside })
    }

    /// The result of a cut after some lines. The position between a line end and the marker is certain to be
    /// a token boundary, so their counts add up.
    fn cut_after(&self, kept: Beginning) -> CutText {
        let ended = memchr_iter(b'\n', &self.text.as_bytes()[..kept.at]).count() as u64;
        let omitted_lines = self.lines - ended;
        let marker = marker(omitted_lines);
        let text = self.beginning(kept.at, &marker);
        let tokenizer = self.counter.tokenizer;
        let end = tokenizer.measure(&marker);
        let measure = match (self.head, end.core) {
            (Some(head), Some(core)) if head.at < kept.at => {
                let before = tokenizer.count(&marker[..core.start]);
                let inner = kept.tokens - head.tokens + before + core.tokens;
                let core = Core { start: head.at, end: kept.at + core.end, tokens: inner };
                Measure { tokens: kept.tokens + end.tokens, bytes: text.len() as u64, core: Some(core) }
            }
            (Some(_) | None, _) => tokenizer.measure(&text),
        };
        CutText { text, measure, omitted_lines, lines: None, kept: first_lines(ended) }
    }

    /// The result of a cut at any position.
    fn cut_at(&self, end: usize) -> Option<CutText> {
        if end == 0 {
            return None;
        }
        let (kept, rest) = self.text.split_at(end);
        let ended = memchr_iter(b'\n', kept.as_bytes()).count() as u64;
        let line_is_complete = !kept.ends_with('\n') && rest.trim_start_matches('\r').starts_with('\n');
        let complete = ended + u64::from(line_is_complete);
        let omitted_lines = self.lines - complete;
        let newline = if kept.ends_with('\n') { "" } else { "\n" };
        let text = self.beginning(end, &format!("{newline}{}", marker(omitted_lines)));
        let measure = self.ruler().measure_of(&text, end);
        Some(CutText { text, measure, omitted_lines, lines: None, kept: first_lines(complete) })
    }

    /// The text up to `end`, followed by `marker`.
    fn beginning(&self, end: usize, marker: &str) -> CleanText {
        let mut text = TextBuilder::of(self.text, end + marker.len());
        text.keep(0..end);
        text.push(marker);
        text.finish()
    }
}

/// The line ends of `text`, which has `tokens` tokens, as far as caps of at most `most` tokens need them. The
/// text after the last one may be long, and is not counted again.
fn line_ends(tokenizer: Tokenizer, text: &str, tokens: u64, most: u64) -> Vec<Beginning> {
    let last = memrchr(b'\n', text.as_bytes()).map_or(0, |at| at + 1);
    let mut ends = tokenizer.line_ends(&text[..last], most);
    let is_complete = ends.last().map_or(last == 0, |end| end.at == last && end.tokens <= most);
    if is_complete && last < text.len() {
        while ends.last().is_some_and(|end| end.tokens > tokens) {
            ends.pop();
        }
        ends.push(Beginning { at: text.len(), tokens });
    }
    ends
}

/// The line that replaces `lines` lines.
pub(super) fn marker(lines: u64) -> String {
    format!("{}\n", crate::words::omitted(lines, "line"))
}

/// The number of lines in `text`; text after the last newline counts as one.
pub(super) fn lines(text: &str) -> u64 {
    let ended = memchr_iter(b'\n', text.as_bytes()).count() as u64;
    ended + u64::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Splits off the next `count` lines, where `count` is at least one; fewer if the text ends first.
pub fn next_lines<'t>(rest: &mut &'t str, count: usize) -> &'t str {
    let mut ends = memchr_iter(b'\n', rest.as_bytes());
    let (lines, others) = rest.split_at(ends.nth(count - 1).map_or(rest.len(), |end| end + 1));
    *rest = others;
    lines
}

/// The most bytes that a cut gives up to avoid splitting what looks like one character. An endless sequence
/// of combining marks is not a visible character.
const LONGEST_CHARACTER: usize = 128;

/// The last position at or before `end` that does not split what looks like one character: `\r\n`, a letter
/// and its accents, an emoji sequence.
fn whole_characters(text: &str, end: usize) -> usize {
    let end = floor(text, end);
    let start = floor(text, end.saturating_sub(2 * LONGEST_CHARACTER));
    let near = &text[start..floor(text, end + LONGEST_CHARACTER)];
    let parts_none = |at: usize| GraphemeCursor::new(at, near.len(), true).is_boundary(near, 0) == Ok(true);
    let least = end.saturating_sub(LONGEST_CHARACTER).max(start);
    (least..=end)
        .rev()
        .filter(|at| text.is_char_boundary(*at))
        .find(|at| parts_none(at - start))
        .unwrap_or(end)
}

/// The last character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, cap: u64, place: CutAt) -> Option<CutText> {
        cutter(&text.to_owned().into(), cap).cut(cap, place)
    }

    fn cutter(text: &CleanText, most: u64) -> Cutter<'_> {
        Cutter::new(Counter::default(), text, Tokenizer::O200K.count(text), most)
    }

    fn shown(text: &str, cap: u64, place: CutAt) -> String {
        let cut = cut(text, cap, place).expect("room for some of it");
        let marker = format!("[… {} lines omitted …]\n", cut.omitted_lines);
        assert!(cut.measure.tokens <= cap);
        cut.text.strip_suffix(&marker).expect("the marker stands last").to_owned()
    }

    #[test]
    fn texts_are_cut_at_line_ends() {
        let text = "one two three\r\nfour five six\r\n".repeat(50);
        let shown = shown(&text, 60, CutAt::LineEnd);
        assert!(shown.len() > 60 && shown.ends_with("\r\n") && text.starts_with(&shown));
        let omitted = cut(&text, 60, CutAt::LineEnd).map(|cut| cut.omitted_lines);
        assert_eq!(omitted, Some(100 - shown.lines().count() as u64));
    }

    #[test]
    fn a_line_too_long_to_fit_is_cut_within_the_line() {
        let text = format!("short\n{}\nlast", "word ".repeat(500));
        let shown = shown(&text, 60, CutAt::LineEnd);
        assert!(shown.starts_with("short\nword word") && shown.ends_with("\n"));
        assert_eq!(cut(&text, 60, CutAt::LineEnd).map(|cut| cut.omitted_lines), Some(2));
    }

    #[test]
    fn a_line_shown_completely_is_not_counted_as_omitted() {
        let text = format!("{}\n{}", "a".repeat(8), "b\n".repeat(400));
        for cap in 12..60 {
            if let Some(cut) = cut(&text, cap, CutAt::Anywhere) {
                let whole = cut.text.lines().filter(|line| ["aaaaaaaa", "b"].contains(line)).count() as u64;
                assert_eq!(cut.omitted_lines, 401 - whole, "{:?}", cut.text);
            }
        }
    }

    #[test]
    fn cuts_are_measured_to_the_token() {
        let counter = Counter::default();
        for line in ["let a = [1, 2];\n", "    // x\n\n", "]\n", "\n", "// a\n//\n", "\r\n \r\n", "日本\n"]
        {
            let text = line.repeat(80).into();
            let cutter = cutter(&text, 200);
            for cap in 0..200 {
                for place in [CutAt::LineEnd, CutAt::Anywhere] {
                    let Some(cut) = cutter.cut(cap, place) else { continue };
                    assert_eq!(cut.measure, counter.tokenizer.measure(&cut.text), "{:?}", cut.text);
                    assert!(cut.measure.tokens <= cap, "{:?}", cut.text);
                }
            }
        }
    }

    #[test]
    fn nothing_is_shown_if_only_the_marker_fits() {
        assert_eq!(cut(&"word ".repeat(100), 5, CutAt::Anywhere), None);
        assert_eq!(cut(&"word\n".repeat(100), 0, CutAt::LineEnd), None);
    }

    #[test]
    fn a_line_of_combining_marks_is_cut_near_the_cap() {
        let text = "\u{301}".repeat(4_000);
        let cut = cut(&text, 500, CutAt::LineEnd).expect("room for some of it");
        assert!((475..=500).contains(&cut.measure.tokens), "{}", cut.measure.tokens);
    }

    #[test]
    fn a_long_line_is_cut_near_the_cap_and_measured_to_the_token() {
        let counter = Counter::default();
        for unit in ["=", "a", "ab", " ", "/", "e\u{301}", "中", "\u{3000}", "😀", "xyz, ", "a'b"] {
            let text = CleanText::from(unit.repeat(6_000));
            let cutter = cutter(&text, 2_000);
            for cap in [60, 63, 500] {
                let cut = cutter.cut(cap, CutAt::LineEnd).expect("room for some of it");
                assert_eq!(cut.measure, counter.tokenizer.measure(&cut.text), "{unit:?} to {cap}");
                let near = cap.min(counter.tokens(&text)) - 16;
                assert!((near..=cap).contains(&cut.measure.tokens), "{unit:?}: {}", cut.measure.tokens);
            }
        }
    }

    #[test]
    fn line_ends_are_found_with_or_without_one_at_the_end_of_the_text() {
        let tokenizer = Tokenizer::O200K;
        for text in [
            "",
            "a",
            "a\n",
            "a\nb",
            "}\n\n  b",
            "}\n\n",
            "]\n//",
            "a\n\n\n",
            "x  \n  ",
            "one two\n three four",
        ] {
            for most in 0..8 {
                let ends = line_ends(tokenizer, text, tokenizer.count(text), most);
                let within = |ends: &[Beginning]| -> Vec<Beginning> {
                    ends.iter().copied().filter(|end| end.tokens <= most).collect()
                };
                assert_eq!(within(&ends), within(&tokenizer.line_ends(text, most)), "{text:?} {most}");
                assert!(ends.iter().all(|end| end.tokens == tokenizer.count(&text[..end.at])), "{text:?}");
            }
        }
    }

    #[test]
    fn characters_are_never_split() {
        for text in ["e\u{301}", "\r\n", "👩\u{200d}👩", "👍\u{1f3fd}", "日"] {
            for end in 0..text.len() {
                assert_eq!(whole_characters(text, end), 0, "{text:?} at {end}");
            }
            assert_eq!(whole_characters(text, text.len()), text.len());
        }
    }
}
