//! Cuts text into passages.

use std::ops::Range;

use ctx_outline::Lines;

/// From this length in bytes, a passage ends before the next declaration, or after a blank line if the text after
/// it isn't indented.
const LEAST: usize = 750;

/// The most bytes of a passage, unless it is a single line.
pub(crate) const MOST: usize = 1_000;

/// From this length in bytes, a passage that would otherwise be too long ends before its last declaration.
const LEAST_AT_DECLARATION: usize = 400;

/// A run of whole lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) lines: Lines,
    pub(crate) bytes: Range<usize>,
}

/// The pieces of `text` in order, which together make up the text. `declared` are the lines, counted from 1 and
/// ascending, at which declarations begin.
pub(crate) fn pieces(text: &str, declared: &[usize]) -> Vec<Piece> {
    let mut cutter = Cutter { pieces: Vec::new(), start: 0, first: 1, best: None };
    let mut declared = declared.iter().copied().peekable();
    let (mut at, mut after_blank) = (0, false);
    let mut number = 0;
    for line in lines(text) {
        number += 1;
        while declared.next_if(|first| *first < number).is_some() {}
        let is_declared = declared.peek() == Some(&number);
        let is_blank = line.trim_start().is_empty();
        let is_apart = after_blank && !is_blank && !line.starts_with([' ', '\t']);
        cutter.meet(at, number, is_declared, is_apart);
        cutter.make_room(at, number, line.len());
        at += line.len();
        after_blank = is_blank;
    }
    if at > cutter.start {
        cutter.cut(at, number + 1);
    }
    cutter.pieces
}

struct Cutter {
    pieces: Vec<Piece>,
    /// The offset at which the current piece begins.
    start: usize,
    /// Its first line.
    first: usize,
    /// The last good position to end it: an offset and the line that begins there.
    best: Option<Mark>,
}

#[derive(Clone, Copy)]
struct Mark {
    at: usize,
    line: usize,
}

impl Cutter {
    /// Notes a line that begins at `at`.
    fn meet(&mut self, at: usize, line: usize, is_declared: bool, is_apart: bool) {
        let length = at - self.start;
        if length >= LEAST && (is_declared || is_apart) {
            self.cut(at, line);
        } else if is_declared && length >= LEAST_AT_DECLARATION {
            self.best = Some(Mark { at, line });
        }
    }

    /// Ends the pieces that the line at `at`, of this many bytes, would make too long: one, or two if the first
    /// ends before that line.
    fn make_room(&mut self, at: usize, line: usize, length: usize) {
        while at > self.start && at + length - self.start > MOST {
            let Mark { at, line } = self.best.take().unwrap_or(Mark { at, line });
            self.cut(at, line);
        }
    }

    fn cut(&mut self, at: usize, line: usize) {
        self.pieces.push(Piece { lines: Lines { first: self.first, last: line - 1 }, bytes: self.start..at });
        (self.start, self.first, self.best) = (at, line, None);
    }
}

/// The lines, including their newlines, like `str::split_inclusive`, but searching many bytes at a time.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
    let mut start = 0;
    let line = move |end| {
        let line = &text[start..end];
        start = end;
        line
    };
    ends.chain([text.len()]).map(line).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pieces_end_where_a_declaration_begins() {
        let text = format!("{}fn a() {{\n{}}}\n", "// x\n".repeat(100), "    b();\n".repeat(80));
        let pieces = pieces(&text, &[101]);
        assert_eq!(pieces[0].lines, Lines { first: 1, last: 100 });
        assert_eq!(pieces[1].lines.first, 101);
    }

    #[test]
    fn pieces_end_at_a_blank_line_before_an_unindented_one() {
        let paragraph = format!("{}\n", "words of a paragraph\n".repeat(38));
        let text = paragraph.repeat(3);
        let firsts: Vec<usize> = pieces(&text, &[]).iter().map(|piece| piece.lines.first).collect();
        assert_eq!(firsts, [1, 40, 79]);
    }

    #[test]
    fn pieces_with_a_long_line_contain_nothing_else() {
        let text = format!("short\n{}\nshort\n", "x".repeat(5_000));
        let lines: Vec<Lines> = pieces(&text, &[]).into_iter().map(|piece| piece.lines).collect();
        let alone = |line| Lines { first: line, last: line };
        assert_eq!(lines, [alone(1), alone(2), alone(3)]);
    }

    #[test]
    fn pieces_end_before_a_line_that_does_not_fit() {
        let text =
            format!("{}fn a() {{\n{}{}\n", "// eight\n".repeat(50), "    b();\n".repeat(39), "x".repeat(900));
        let lines: Vec<Lines> = pieces(&text, &[51]).into_iter().map(|piece| piece.lines).collect();
        assert_eq!(lines, [(1, 50), (51, 90), (91, 91)].map(|(first, last)| Lines { first, last }));
    }

    proptest! {
        #[test]
        fn pieces_cover_the_text_in_order(
            lines in prop::collection::vec(prop_oneof![9 => "[ a{}]{0,60}\n", 1 => "[ a{}]{0,1200}\n"], 0..120),
            end in "[a]{0,3}",
            declared in prop::collection::btree_set(1_usize..120, 0..40),
        ) {
            let text = lines.concat() + &end;
            let declared: Vec<usize> = declared.into_iter().collect();
            let (mut at, mut line) = (0, 1);
            for piece in pieces(&text, &declared) {
                prop_assert_eq!((piece.bytes.start, piece.lines.first), (at, line));
                let count = text[piece.bytes.clone()].split_inclusive('\n').count();
                prop_assert!(piece.bytes.len() <= MOST || count == 1);
                prop_assert!(!piece.bytes.is_empty());
                prop_assert_eq!(piece.lines.count(), count);
                at = piece.bytes.end;
                line = piece.lines.last + 1;
            }
            prop_assert_eq!(at, text.len());
        }

        #[test]
        fn lines_match_those_of_the_standard_library(text in "[aö\n\r]{0,40}") {
            let (ours, theirs): (Vec<&str>, Vec<&str>) = (lines(&text).collect(), text.split_inclusive('\n').collect());
            prop_assert_eq!(ours, theirs);
        }
    }
}
