//! Cuts text into the units that are shown: whole declarations and sections.
//!
//! Passages, which are ranked, all have about the same length, so that their words can be compared. What a reader
//! needs is longer or shorter: the function around a passage, or one of the constants in it.

use std::ops::Range;

use ctx_outline::{Declaration, Language, Lines};

use crate::passage::{MOST, Piece, lines};

/// A declaration with members is one unit up to this many lines; a longer one is its head and each of its members.
const MOST_TOGETHER: usize = 30;

/// A declaration of more lines than this is cut at its inner blocks.
const MOST_LINES: usize = 120;

/// Declarations within more others than this belong to the innermost of them.
const MOST_NESTED: usize = 64;

/// Declarations of up to this many lines each, without a blank line between them, are one unit.
const SHORT: usize = 3;

/// Text without declarations, and declarations that are too long, are cut into units of about this many lines.
const USUAL_LINES: usize = 40;

/// The most bytes of a unit that isn't a single line.
const MOST_BYTES: usize = 16_000;

/// The units of `text`, which together make up the text. `declarations` are sorted by their first line.
pub(crate) fn units(text: &str, language: Option<Language>, declarations: &[Declaration<'_>]) -> Vec<Piece> {
    let text = Shape::of(text);
    let count = text.lines.len();
    let mut cutter = UnitCutter { text: &text, ends: Vec::new(), nested: 0 };
    if count > 0 {
        let all = Lines { first: 1, last: count };
        match language {
            Some(Language::Json | Language::Toml | Language::Yaml | Language::Css) | None => {
                cutter.blocks(all)
            }
            Some(_) => cutter.members(all, declarations),
        }
    }
    cutter.pieces()
}

/// The lines of a text, as far as it matters where they can be parted.
struct Shape {
    lines: Vec<Line>,
}

struct Line {
    /// The offset at which it begins.
    start: usize,
    bytes: usize,
    /// Its blanks and tabs before the first letter; `None` if it has no other characters.
    indent: Option<usize>,
}

impl Line {
    /// Whether something may begin with it: it is not blank, and more than `}` or `end`.
    fn begins(&self) -> bool {
        self.indent.is_some_and(|indent| self.bytes - indent > "end\n".len())
    }
}

impl Shape {
    fn of(text: &str) -> Self {
        let mut start = 0;
        let line = |line: &str| {
            let bytes = line.len();
            start += bytes;
            let rest = line.trim_start();
            let indent = (!rest.is_empty()).then(|| bytes - rest.len());
            Line { start: start - bytes, bytes, indent }
        };
        Self { lines: lines(text).map(line).collect() }
    }

    fn line(&self, number: usize) -> &Line {
        &self.lines[number - 1]
    }

    fn is_blank(&self, number: usize) -> bool {
        self.line(number).indent.is_none()
    }

    fn bytes(&self, lines: Lines) -> Range<usize> {
        let last = self.line(lines.last);
        self.line(lines.first).start..last.start + last.bytes
    }

    fn fits(&self, lines: Lines, most: usize) -> bool {
        lines.count() <= most && self.bytes(lines).len() <= MOST_BYTES
    }

    /// Whether the line, if there is one of that number, is longer than any that people write.
    fn is_overlong(&self, number: usize) -> bool {
        self.lines.get(number - 1).is_some_and(|line| line.bytes > MOST)
    }
}

struct UnitCutter<'t> {
    text: &'t Shape,
    /// The last line of each unit, ascending.
    ends: Vec<usize>,
    /// How many declarations are around the one that is being cut.
    nested: usize,
}

impl UnitCutter<'_> {
    /// Cuts `lines` into the `declared` ones, which begin there, and what is between them.
    fn members(&mut self, lines: Lines, declared: &[Declaration<'_>]) {
        let mut next = lines.first;
        let mut rest = declared;
        while let Some((outer, others)) = rest.split_first() {
            let outer = Lines { first: outer.lines.first.max(next), last: outer.lines.last.min(lines.last) };
            if outer.first > outer.last {
                rest = others;
                continue;
            }
            let within = others.partition_point(|one| one.lines.first <= outer.last);
            let (inner, after) = others.split_at(within);
            if next < outer.first {
                self.between(Lines { first: next, last: outer.first - 1 });
            }
            self.declaration(outer, inner);
            next = outer.last + 1;
            rest = after;
        }
        if next <= lines.last {
            self.between(Lines { first: next, last: lines.last });
        }
    }

    fn declaration(&mut self, lines: Lines, inner: &[Declaration<'_>]) {
        let inner = if self.nested < MOST_NESTED { inner } else { &[] };
        let most = if inner.is_empty() { MOST_LINES } else { MOST_TOGETHER };
        if self.text.fits(lines, most) {
            self.declared(lines);
        } else if inner.is_empty() {
            self.blocks(lines);
        } else {
            self.nested += 1;
            self.members(lines, inner);
            self.nested -= 1;
            self.join_head(lines);
        }
    }

    /// Makes one unit of the head of a declaration and its first member, if both are short together: what a type is for is
    /// often in the comment, and how it begins in the constructor.
    fn join_head(&mut self, lines: Lines) {
        let ends_before = self.ends.partition_point(|end| *end < lines.first);
        let Some([head, member]) = self.ends.get(ends_before..ends_before + 2) else { return };
        let together = Lines { first: lines.first, last: *member };
        if *head < lines.last && together.count() <= USUAL_LINES {
            self.ends.remove(ends_before);
        }
    }

    /// Adds a declaration as one unit, or to the one before if both are short and nothing is between them.
    fn declared(&mut self, lines: Lines) {
        let before = self.last_unit().filter(|before| {
            before.count() + lines.count() <= USUAL_LINES / 2
                && lines.count() <= SHORT
                && !self.text.is_blank(before.last)
                && self.text.line(before.last).indent == self.text.line(lines.first).indent
        });
        if before.is_some() {
            self.ends.pop();
        }
        self.ends.push(lines.last);
    }

    fn last_unit(&self) -> Option<Lines> {
        let last = *self.ends.last()?;
        let first = self.ends.iter().rev().nth(1).map_or(1, |end| end + 1);
        Some(Lines { first, last })
    }

    /// Adds what is between declarations. Blank lines and what closes a body belong to the unit before.
    fn between(&mut self, lines: Lines) {
        let closes = |number: usize| self.text.line(number).bytes <= 12;
        let is_rest = (lines.first..=lines.last).all(|number| self.text.is_blank(number))
            || (lines.count() <= 3 && (lines.first..=lines.last).all(closes));
        match self.ends.last_mut() {
            Some(end) if is_rest => *end = lines.last,
            Some(_) | None => self.blocks(lines),
        }
    }

    /// Cuts lines without declarations where the text is least indented after a blank line.
    fn blocks(&mut self, lines: Lines) {
        if self.text.fits(lines, USUAL_LINES) {
            return self.ends.push(lines.last);
        }
        let apart = |number: &usize| self.text.is_blank(number - 1) && self.text.line(*number).begins();
        let starts = (lines.first + 1..=lines.last).filter(apart);
        let least = starts.clone().filter_map(|number| self.text.line(number).indent).min();
        let mut starts: Vec<usize> =
            starts.filter(|number| self.text.line(*number).indent == least).collect();
        if starts.is_empty() {
            starts = (lines.first + USUAL_LINES..=lines.last).step_by(USUAL_LINES).collect();
        }
        if starts.is_empty() {
            return self.ends.push(lines.last);
        }
        let mut begun = lines.first;
        let mut ended = lines.first;
        for next in starts.into_iter().chain([lines.last + 1]) {
            // The block from `ended` to `next` joins the one begun before if both are short together.
            let together = Lines { first: begun, last: next - 1 };
            if ended > begun && together.count() > USUAL_LINES {
                self.block(Lines { first: begun, last: ended - 1 }, lines);
                begun = ended;
            }
            ended = next;
        }
        self.block(Lines { first: begun, last: lines.last }, lines);
    }

    fn block(&mut self, lines: Lines, of: Lines) {
        if lines == of || lines.count() <= USUAL_LINES {
            self.ends.push(lines.last)
        } else {
            self.blocks(lines)
        }
    }

    /// The units, with each overlong line as one of its own.
    fn pieces(self) -> Vec<Piece> {
        let Self { text, ends, .. } = self;
        let mut ends = ends.into_iter().peekable();
        let mut first = 1;
        let mut pieces = Vec::new();
        for last in 1..=text.lines.len() {
            let ends_here = ends.next_if_eq(&last).is_some();
            if ends_here || text.is_overlong(last) || text.is_overlong(last + 1) {
                let lines = Lines { first, last };
                pieces.push(Piece { lines, bytes: text.bytes(lines) });
                first = last + 1;
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str, language: Language) -> Vec<(usize, usize)> {
        let outline = ctx_outline::outline(text, language);
        let units = units(text, Some(language), outline.declarations());
        units.into_iter().map(|unit| (unit.lines.first, unit.lines.last)).collect()
    }

    #[test]
    fn units_are_whole_declarations_with_their_comments() {
        let body = "    step();\n".repeat(60);
        let text = format!("use a::b;\n\n/// One.\nfn one() {{\n{body}}}\n\nfn two() {{\n{body}}}\n");
        assert_eq!(cut(&text, Language::Rust), [(1, 2), (3, 66), (67, 128)]);
    }

    #[test]
    fn units_of_a_long_type_are_its_beginning_and_its_members() {
        let method = |name: &str| format!("    def {name}(self):\n{}\n", "        step()\n".repeat(18));
        let text = format!("class A(B):\n    limit = 3\n\n{}{}", method("one"), method("two"));
        assert_eq!(cut(&text, Language::Python), [(1, 23), (24, 43)]);
    }

    #[test]
    fn unit_of_a_type_has_its_first_member_if_both_are_short() {
        let method = |lines: usize| format!("    def f(self):\n{}\n", "        step()\n".repeat(lines));
        let text = |first: usize| {
            let comment = "    What it is for.\n".repeat(20);
            format!("class A(B):\n    \"\"\"\n{comment}    \"\"\"\n{}{}", method(first), method(30))
        };
        assert_eq!(cut(&text(5), Language::Python), [(1, 30), (31, 62)]);
        assert_eq!(cut(&text(25), Language::Python), [(1, 23), (24, 50), (51, 82)]);
    }

    #[test]
    fn units_of_short_neighbours_are_one() {
        let text = format!(
            "const A: u8 = 1;\nconst B: u8 = 2;\nconst C: u8 = 3;\n\nfn f() {{\n{}}}\n",
            "    g();\n".repeat(50)
        );
        assert_eq!(cut(&text, Language::Rust), [(1, 4), (5, 56)]);
    }

    #[test]
    fn units_of_text_without_declarations_end_where_it_is_least_indented() {
        let member = format!("  def f do\n{}  end\n\n", "    step()\n\n".repeat(12));
        let text = format!("defmodule A do\n{}end\n", member.repeat(3));
        let found: Vec<usize> = units(&text, None, &[]).iter().map(|unit| unit.lines.first).collect();
        assert_eq!(found, [1, 29, 56]);
    }

    proptest! {
        #[test]
        fn units_cover_the_text_in_order(
            lines in prop::collection::vec(prop_oneof![9 => "[ ]{0,6}[a{}]{0,9}\n", 1 => "[ a]{0,1200}\n"], 0..400),
            end in "[a]{0,3}",
            mut declared in prop::collection::vec((1_usize..400, 0_usize..150), 0..40),
        ) {
            let text = lines.concat() + &end;
            let count = text.split_inclusive('\n').count();
            declared.retain(|(first, _)| *first <= count);
            declared.sort_unstable();
            let declaration = |(first, length): &(usize, usize)| Declaration {
                name: "a",
                kind: ctx_outline::Kind::Function,
                lines: Lines { first: *first, last: (first + length).min(count) },
            };
            let declarations: Vec<Declaration<'_>> = declared.iter().map(declaration).collect();
            for language in [None, Some(Language::Rust)] {
                let (mut at, mut line) = (0, 1);
                for unit in units(&text, language, &declarations) {
                    prop_assert_eq!((unit.bytes.start, unit.lines.first), (at, line));
                    prop_assert_eq!(text[unit.bytes.clone()].split_inclusive('\n').count(), unit.lines.count());
                    (at, line) = (unit.bytes.end, unit.lines.last + 1);
                }
                prop_assert_eq!(at, text.len());
            }
        }
    }
}
