//! How a string is written.

/// How a string goes on after its opening quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StringForm {
    pub(super) quote: u8,
    /// How many quotes end it.
    pub(super) quotes: usize,
    /// How many `#` follow the closing quotes.
    pub(super) hashes: usize,
    /// Whether a backslash protects the next byte.
    pub(super) escapes: bool,
    /// Whether it may contain newlines.
    pub(super) multiline: bool,
    /// Whether two quotes in a row stand for one.
    pub(super) doubled: bool,
    pub(super) hole: Hole,
}

/// How code begins inside a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hole {
    None,
    /// `${`
    Dollar,
    /// `{`, where `{{` stands for a brace
    Brace,
    /// `\(`
    Backslash,
}

/// A string on one line with escapes.
pub(super) fn quoted(quote: u8) -> StringForm {
    StringForm {
        quote,
        quotes: 1,
        hashes: 0,
        escapes: true,
        multiline: false,
        doubled: false,
        hole: Hole::None,
    }
}
