use std::ops::Range;

use memchr::memchr_iter;

/// Where each line of a text begins.
pub(crate) struct LineStarts {
    starts: Vec<usize>,
    length: usize,
}

impl LineStarts {
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.len() / 24 + 1);
        starts.push(0);
        starts.extend(memchr_iter(b'\n', bytes).map(|at| at + 1));
        starts.pop_if(|last| *last == bytes.len());
        Self { starts, length: bytes.len() }
    }

    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The offset of the first byte of `line`, which counts from 0; the text's length past the last line.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.length)
    }

    /// The bytes of `line`, its newline included.
    pub(crate) fn bytes(&self, line: usize) -> Range<usize> {
        self.start(line)..self.start(line + 1)
    }

    pub(crate) fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }
}

/// Finds the line of offsets that only grow.
pub(crate) struct LineCursor<'s> {
    lines: &'s LineStarts,
    line: usize,
}

impl<'s> LineCursor<'s> {
    pub(crate) fn new(lines: &'s LineStarts) -> Self {
        Self { lines, line: 0 }
    }

    pub(crate) fn advance_to(&mut self, at: usize) -> usize {
        while self.line + 1 < self.lines.count() && self.lines.start(self.line + 1) <= at {
            self.line += 1;
        }
        self.line
    }
}

/// The number of blanks that `line` begins with.
pub(crate) fn indent_of(line: &[u8]) -> usize {
    line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Whether `line` holds nothing but white space.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}
