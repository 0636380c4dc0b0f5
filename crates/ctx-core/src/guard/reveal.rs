//! Makes hidden text visible: a model must not secretly read what the user cannot see.

#[cfg(test)]
mod tests;

use std::ops::Range;

use super::{CleanText, Replaced, TextBuilder};
use crate::hidden::{Hidden, hidden_characters};

/// Writes out the hidden characters in `text`; `None` if there are none.
#[must_use]
pub fn reveal(text: &CleanText) -> Option<CleanText> {
    let mut hidden = hidden_characters(text).peekable();
    hidden.peek()?;
    let mut shown = RevealedText {
        text: TextBuilder::of(text, text.len() + text.len() / 8),
        adjacent: 0,
        more: Vec::new(),
    };
    let mut end = 0;
    while let Some(first) = hidden.next() {
        let Hidden { char, at } = first;
        shown.push_visible(end..at);
        let mut count = 1;
        end = first.end();
        while let Some(next) = hidden.next_if(|next| next.char == char && next.at == end) {
            count += 1;
            end = next.end();
        }
        shown.push_hidden(char, count);
    }
    shown.push_visible(end..text.len());
    Some(shown.end())
}

/// Text being revealed.
struct RevealedText<'t> {
    text: TextBuilder<'t>,
    /// How many adjacent hidden characters were just written; a run written with a count is counted as one.
    adjacent: usize,
    /// The others after them, which are not written.
    more: Vec<Replaced>,
}

impl RevealedText<'_> {
    /// This many equal hidden characters in a row are written one by one; a longer run is written as one with
    /// a count.
    const MOST_EQUAL: usize = 8;
    /// This many hidden characters in a row are written and the rest are only counted, since such a run is
    /// data, not text.
    const MOST_ADJACENT: usize = 256;

    /// Adds visible text.
    fn push_visible(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        self.count_rest();
        self.adjacent = 0;
        self.text.keep(range);
    }

    /// Adds a hidden character this many times.
    fn push_hidden(&mut self, char: char, count: usize) {
        let code = u32::from(char);
        self.adjacent += if count > Self::MOST_EQUAL { 1 } else { count };
        if !self.more.is_empty() || self.adjacent > Self::MOST_ADJACENT {
            self.more.push(Replaced::Hidden { char, count });
        } else if count > Self::MOST_EQUAL {
            self.text.replace(Replaced::Hidden { char, count }, &format!("<U+{code:04X} ×{count}>"));
        } else {
            let one = format!("<U+{code:04X}>");
            (0..count).for_each(|_| self.text.replace(Replaced::Hidden { char, count: 1 }, &one));
        }
    }

    fn count_rest(&mut self) {
        let count: usize = self.more.iter().map(Replaced::count).sum();
        if count > 0 {
            self.text.replace_all(self.more.drain(..), &format!("<{count} more>"));
        }
    }

    fn end(mut self) -> CleanText {
        self.count_rest();
        self.text.finish()
    }
}
