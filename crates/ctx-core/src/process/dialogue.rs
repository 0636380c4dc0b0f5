//! Talking to a program that reads and writes a lot.

use super::Collector;

/// What a program reads and writes, piece by piece.
pub trait Dialogue {
    /// What the program reads next; `None` when there is no more, which closes its standard input.
    fn next_input(&mut self) -> Option<Vec<u8>>;

    /// Takes what the program wrote next.
    fn take_output(&mut self, bytes: &[u8]);

    /// Whether no more of it is taken, which closes the pipe that the program writes to.
    fn is_over(&self) -> bool {
        false
    }
}

/// One input and an output that is kept, within a limit.
pub(super) struct Plain<'a> {
    input: Option<&'a [u8]>,
    pub output: Collector,
}

impl<'a> Plain<'a> {
    pub fn new(input: &'a [u8], most_output: usize) -> Self {
        Self { input: Some(input).filter(|input| !input.is_empty()), output: Collector::new(most_output) }
    }
}

impl Dialogue for Plain<'_> {
    fn next_input(&mut self) -> Option<Vec<u8>> {
        self.input.take().map(<[u8]>::to_vec)
    }

    fn take_output(&mut self, bytes: &[u8]) {
        self.output.push(bytes);
    }
}

/// What is being written to a program.
#[cfg(unix)]
#[derive(Debug, Default)]
pub(super) struct Pending {
    bytes: Vec<u8>,
    written: usize,
}

#[cfg(unix)]
impl Pending {
    /// What is left of the current piece, else of the next one; `None` when there is no more.
    pub fn rest(&mut self, dialogue: &mut dyn Dialogue) -> Option<&[u8]> {
        while self.written == self.bytes.len() {
            *self = Self { bytes: dialogue.next_input()?, written: 0 };
        }
        Some(&self.bytes[self.written..])
    }

    pub fn advance(&mut self, count: usize) {
        self.written += count;
    }
}
