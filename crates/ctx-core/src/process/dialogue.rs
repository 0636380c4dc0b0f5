//! Exchanging data with a program: its input, and the part of its output that is kept.

use std::collections::VecDeque;

/// What a program reads and writes, piece by piece.
pub trait Dialogue {
    /// The program's next input; `None` at the end, which closes its standard input.
    fn next_input(&mut self) -> Option<Vec<u8>>;

    /// Receives the program's next output.
    fn take_output(&mut self, bytes: &[u8]);

    /// Whether no more output is wanted, which closes the pipe that the program writes to.
    fn is_over(&self) -> bool {
        false
    }
}

/// One input, and output that is kept up to a limit.
pub struct Plain<'a> {
    input: Option<&'a [u8]>,
    /// The output so far.
    pub output: Collector,
    /// How many bytes of output are read before the pipe is closed, if limited.
    enough: Option<u64>,
}

impl<'a> Plain<'a> {
    pub(super) fn new(input: &'a [u8], most_output: usize) -> Self {
        let input = Some(input).filter(|input| !input.is_empty());
        Self { input, output: Collector::new(most_output), enough: None }
    }

    /// No input, and output that is read until it has this many bytes.
    pub(super) fn enough(bytes: usize) -> Self {
        /// How much may be read at once beyond that.
        const BEYOND: usize = 2 << 20;
        Self { enough: Some(bytes as u64), ..Self::new(&[], bytes + BEYOND) }
    }

    /// An input, and output that is read until it has more bytes than this.
    #[must_use]
    pub fn up_to(input: &'a [u8], most: u64) -> Self {
        let kept = usize::try_from(most).unwrap_or(usize::MAX);
        Self { enough: most.checked_add(1), ..Self::new(input, kept) }
    }
}

impl Dialogue for Plain<'_> {
    fn next_input(&mut self) -> Option<Vec<u8>> {
        self.input.take().map(<[u8]>::to_vec)
    }

    fn take_output(&mut self, bytes: &[u8]) {
        self.output.push(bytes);
    }

    fn is_over(&self) -> bool {
        self.enough.is_some_and(|enough| self.output.total() >= enough)
    }
}

/// The beginning and end of a program's output, and how much was left out between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// Everything, or the first half of the limit.
    pub head: Vec<u8>,
    /// How many bytes were left out; 0 if `head` is everything.
    pub omitted: u64,
    /// The last half of the limit; empty if nothing was left out.
    pub tail: Vec<u8>,
}

/// Collects output of any length in bounded memory.
#[derive(Debug, Clone)]
pub struct Collector {
    limit: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Collector {
    /// Keeps at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { limit, head: Vec::new(), tail: VecDeque::new(), total: 0 }
    }

    /// Adds the next output.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(self.limit - self.head.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(self.tail_limit())..];
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(self.tail_limit());
        self.tail.drain(..surplus);
    }

    /// How many bytes were received.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// The kept output.
    #[must_use]
    pub fn finish(mut self) -> Captured {
        if self.total <= self.limit as u64 {
            return Captured { head: self.head, omitted: 0, tail: Vec::new() };
        }
        let mut tail = self.head.split_off(self.limit - self.tail_limit());
        tail.extend(&self.tail);
        tail.drain(..tail.len() - self.tail_limit());
        let kept = self.head.len() + tail.len();
        Captured { omitted: self.total - kept as u64, head: self.head, tail }
    }

    /// The last non-blank line.
    pub(super) fn last_line(self) -> Option<String> {
        let captured = self.finish();
        let bytes = if captured.omitted == 0 { captured.head } else { captured.tail };
        let text = String::from_utf8_lossy(&bytes);
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
    }

    fn tail_limit(&self) -> usize {
        self.limit / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_any_length_in_any_pieces_keeps_both_ends() {
        let text: Vec<u8> = (0..=255).cycle().take(700).collect();
        for limit in [0, 1, 2, 9, 10, 699, 700, 701] {
            for piece in [1, 3, 64, 700] {
                let mut collector = Collector::new(limit);
                text.chunks(piece).for_each(|piece| collector.push(piece));
                let captured = collector.finish();
                let (first, last) = (limit - limit / 2, limit / 2);
                if limit >= text.len() {
                    assert_eq!(captured, Captured { head: text.clone(), ..Captured::default() });
                } else {
                    assert_eq!(captured.head, text[..first], "{limit} {piece}");
                    assert_eq!(captured.tail, text[text.len() - last..], "{limit} {piece}");
                    assert_eq!(captured.omitted, (text.len() - limit) as u64);
                }
            }
        }
    }
}
