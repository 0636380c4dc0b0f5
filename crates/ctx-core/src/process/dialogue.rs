//! Talking to a program that reads and writes a lot.

#[cfg(unix)]
use super::{Collector, Invocation};

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
#[cfg(unix)]
pub(super) struct Plain<'a> {
    input: Option<&'a [u8]>,
    pub output: Collector,
}

#[cfg(unix)]
impl<'a> Plain<'a> {
    pub fn of(invocation: &'a Invocation) -> Self {
        let input = Some(invocation.input.as_slice()).filter(|input| !input.is_empty());
        Self { input, output: Collector::new(invocation.most_output) }
    }
}

#[cfg(unix)]
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
