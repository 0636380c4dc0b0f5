//! Cuts tables, as in CSV files, into units of whole rows.

use std::ops::Range;

use ctx_outline::Lines;
use memchr::{memchr, memchr_iter, memchr2};

use crate::passage::{MOST, Piece};

/// How many rows are shown to know what is in a table, and the most bytes of them.
const SAMPLE_ROWS: usize = 10;
const SAMPLE_BYTES: usize = 4_000;

/// How many rows around one that matches are shown.
const ROWS: usize = 5;

/// The most bytes of a unit: a row of more is cut at its lines.
const MOST_BYTES: usize = 16_000;

/// A quoted field of more bytes counts as one that was never closed.
const LONGEST_FIELD: usize = 1 << 18;

/// How many bytes are searched in vain for the ends of quoted fields in one table.
const MOST_IN_VAIN: usize = 1 << 22;

/// How many of the first units of a table show what is in it: its header, and a sample of its rows.
pub const UNITS_OF_SAMPLE: usize = 2;

/// The units of a table, which together make up its text: its header, a sample of its rows, then a few rows each.
pub(crate) fn units_of_table(text: &str) -> Vec<Piece> {
    let mut pieces = Pieces { text, next: 1, start: 0, pieces: Vec::new() };
    let mut rows = 0;
    for row in Rows::of(text) {
        let (most, is_short) = match pieces.pieces.len() {
            0 => (1, true),
            1 => (SAMPLE_ROWS, row.end - pieces.start <= SAMPLE_BYTES),
            _ => (ROWS, row.len() <= MOST),
        };
        if rows == most || rows > 0 && !is_short {
            pieces.cut(row.start);
            rows = 0;
        }
        rows += 1;
        pieces.cut_long(row.clone());
        if pieces.pieces.len() >= UNITS_OF_SAMPLE && row.len() > MOST {
            pieces.cut(row.end);
            rows = 0;
        }
    }
    pieces.cut(text.len());
    pieces.pieces
}

/// The size of a table's header in lines and in bytes.
#[must_use]
pub fn header_row(text: &str) -> (usize, usize) {
    let header = Rows::of(text).next().unwrap_or_default();
    (count_lines(&text[header.clone()]).max(1), header.len())
}

fn count_lines(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count() + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

struct Pieces<'t> {
    text: &'t str,
    /// The line and the offset at which the next piece begins.
    next: usize,
    start: usize,
    pieces: Vec<Piece>,
}

impl Pieces<'_> {
    /// Ends the current piece, unless it is empty.
    fn cut(&mut self, end: usize) {
        let lines = count_lines(&self.text[self.start..end]);
        if lines > 0 {
            let last = self.next + lines - 1;
            self.pieces.push(Piece { lines: Lines { first: self.next, last }, bytes: self.start..end });
            (self.next, self.start) = (last + 1, end);
        }
    }

    /// Ends pieces between the lines of a row that is too long for one.
    fn cut_long(&mut self, row: Range<usize>) {
        if row.end - self.start <= MOST_BYTES {
            return;
        }
        let mut end = row.start;
        for newline in memchr_iter(b'\n', &self.text.as_bytes()[row.clone()]) {
            let next = row.start + newline + 1;
            if next - self.start > MOST_BYTES {
                self.cut(end);
            }
            end = next;
        }
    }
}

/// The rows of a table in order, with their newlines, as ranges of bytes. A quoted field can contain newlines; where quotes do
/// not add up, each line is a row.
struct Rows<'t> {
    bytes: &'t [u8],
    at: usize,
    /// How many more bytes may be searched in vain.
    left: usize,
}

impl<'t> Rows<'t> {
    fn of(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), at: 0, left: MOST_IN_VAIN }
    }

    /// The end of the line at `at`.
    fn end_of_line(&self, at: usize) -> usize {
        memchr(b'\n', &self.bytes[at..]).map_or(self.bytes.len(), |newline| at + newline + 1)
    }

    /// The end of the row at `start`; otherwise where its quotes stop adding up.
    fn end_of_row(&self, start: usize) -> Result<usize, usize> {
        let mut at = start;
        loop {
            let Some(found) = memchr2(b'"', b'\n', &self.bytes[at..]) else { return Ok(self.bytes.len()) };
            let found = at + found;
            at = found + 1;
            if self.bytes[found] == b'\n' {
                return Ok(at);
            }
            if found == start || is_separator(self.bytes[found - 1]) {
                at = self.end_of_field(at)?;
            }
        }
    }

    /// The end of a quoted field that begins at `start`, after its closing quote; otherwise where it does not add up.
    fn end_of_field(&self, start: usize) -> Result<usize, usize> {
        let end = self.bytes.len().min(start + LONGEST_FIELD);
        let mut at = start;
        while let Some(quote) = memchr(b'"', &self.bytes[at..end]) {
            at += quote + 1;
            match self.bytes.get(at) {
                Some(b'"') if at < end => at += 1,
                Some(next) if !is_separator(*next) && !matches!(next, b'\r' | b'\n') => return Err(at),
                Some(_) | None => return Ok(at),
            }
        }
        Err(end)
    }
}

impl Iterator for Rows<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        if start >= self.bytes.len() {
            return None;
        }
        let line = || self.end_of_line(start);
        self.at = match Some(()).filter(|()| self.left > 0).map(|()| self.end_of_row(start)) {
            Some(Ok(end)) => end,
            Some(Err(at)) => {
                let end = line();
                self.left = self.left.saturating_sub(at - start);
                end
            }
            None => line(),
        };
        Some(start..self.at)
    }
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b'\t' | b'|')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str) -> Vec<(usize, usize)> {
        units_of_table(text).iter().map(|unit| (unit.lines.first, unit.lines.last)).collect()
    }

    fn rows(text: &str) -> Vec<&str> {
        Rows::of(text).map(|row| &text[row]).collect()
    }

    #[test]
    fn units_of_a_table_are_a_sample_and_a_few_rows_each() {
        let found = |rows: usize| cut(&"a,b\n".repeat(rows));
        assert_eq!(found(0), []);
        assert_eq!(found(11), [(1, 1), (2, 11)]);
        assert_eq!(found(18), [(1, 1), (2, 11), (12, 16), (17, 18)]);
        let row = "1,\"two\n\n\"\"lines\"\"\"\n";
        assert_eq!(cut(&format!("a,\"b\nc\"\n{}", row.repeat(17))), [(1, 2), (3, 32), (33, 47), (48, 53)]);
    }

    #[test]
    fn long_rows_are_units_of_their_own_and_cut_at_lines() {
        let long = format!("1,\"{}\"\n", "words\n".repeat(200));
        let text = format!("a,b\n{}{long}{long}1,2\n", "1,2\n".repeat(10));
        assert_eq!(cut(&text), [(1, 1), (2, 11), (12, 212), (213, 413), (414, 414)]);
        let longer = format!("1,\"{}\"\n", "words\n".repeat(6_000));
        assert_eq!(cut(&format!("a,b\n{longer}")), [(1, 1), (2, 2_667), (2_668, 5_333), (5_334, 6_002)]);
    }

    #[test]
    fn where_quotes_do_not_add_up_each_line_is_a_row() {
        assert_eq!(rows("a;\"b\r\nc\"\r\nd"), ["a;\"b\r\nc\"\r\n", "d"]);
        assert_eq!(rows("a 5\" pipe\nb\n"), ["a 5\" pipe\n", "b\n"]);
        assert_eq!(rows("a\t\"b\nc\t\"d\" e\n"), ["a\t\"b\n", "c\t\"d\" e\n"]);
        assert_eq!(rows("a,\"b\nc\nd\n"), ["a,\"b\n", "c\n", "d\n"]);
    }

    #[test]
    fn ends_of_quoted_fields_are_searched_for_only_so_often() {
        let text = format!("x,\"{}\n", "y".repeat(1_000)).repeat(10_000);
        let mut found = Rows::of(&text);
        assert_eq!((found.by_ref().count(), found.left), (10_000, 0));
        let closed = "x,\"y\ny\"\n";
        assert_eq!(rows(closed).len(), 1);
        assert_eq!(Rows::of(&(text + closed)).count(), 10_002);
    }

    proptest! {
        #[test]
        fn units_of_a_table_cover_it_in_order(text in "([a,;\"\n]|\"\n|,\"){0,300}") {
            let units = units_of_table(&text);
            let mut end = (0, 0);
            for unit in &units {
                prop_assert_eq!((unit.bytes.start, unit.lines.first), (end.0, end.1 + 1));
                prop_assert!(unit.bytes.end == text.len() || text[..unit.bytes.end].ends_with('\n'));
                end = (unit.bytes.end, unit.lines.last);
            }
            prop_assert_eq!(end, (text.len(), count_lines(&text)));
        }
    }
}
