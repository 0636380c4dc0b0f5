//! Characters that a reader cannot see.
//!
//! Bidirectional controls, tag characters, zero-width characters, invisible fillers, runs of variation
//! selectors and control characters are hidden. Tabs, line endings and form feeds stay, and so do emoji
//! sequences, and joiners in the scripts that need them.

mod classes;
mod ranges;
#[cfg(test)]
mod tests;

use classes::{
    Class, class, has_shapes, is_emoji, is_ideograph, is_mongolian, is_right_to_left, may_be_hidden,
    needs_joiners, parts_words_unseen, untagged,
};

/// A hidden character and its offset in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hidden {
    pub(crate) char: char,
    pub(crate) at: usize,
}

impl Hidden {
    /// The offset after the character.
    pub(crate) fn end(self) -> usize {
        self.at + self.char.len_utf8()
    }
}

/// The hidden characters in `text`, in order.
pub(crate) fn hidden_characters(text: &str) -> impl Iterator<Item = Hidden> {
    let mut scanner = Scanner { text, at: 0, shown: 0, emoji: 0, selected: 0, close_selectors: 0 };
    std::iter::from_fn(move || scanner.next_hidden())
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// Where the last hidden character ended. It counts as visible text for what follows, since it becomes
    /// visible.
    shown: usize,
    /// Where the last emoji with its variation selector ended.
    emoji: usize,
    /// Where the last other variation selector ended, and how many are close together there.
    selected: usize,
    close_selectors: usize,
}

impl Scanner<'_> {
    fn next_hidden(&mut self) -> Option<Hidden> {
        while let Some(at) = next_suspect(self.text.as_bytes(), self.at) {
            let char = self.text[at..].chars().next()?;
            let kept = self.kept(at, char);
            self.at = at + kept.unwrap_or(char.len_utf8());
            if kept.is_none() {
                self.shown = self.at;
                return Some(Hidden { char, at });
            }
        }
        None
    }

    /// The length of the visible or legitimate sequence that starts with `char`; `None` if hidden.
    fn kept(&mut self, at: usize, char: char) -> Option<usize> {
        let length = char.len_utf8();
        let before = self.text[self.shown..at].chars().next_back();
        match class(char) {
            Class::Visible => Some(length),
            Class::Hidden => None,
            Class::Return => {
                let after = &self.text[at + length..];
                let ends_line = after.is_empty() || after.starts_with('\n') || after.starts_with("\r\n");
                ends_line.then_some(length)
            }
            Class::FlagTag => {
                let tags = subdivision_flag(&self.text[at..])?;
                (before == Some('\u{1F3F4}')).then_some(tags)
            }
            Class::NonJoiner => before.is_some_and(needs_joiners).then_some(length),
            Class::Joiner => {
                let next = self.text[at + length..].chars().next();
                let after_emoji = before.is_some_and(is_emoji) || self.emoji == at && at > 0;
                (before.is_some_and(needs_joiners) || after_emoji && next.is_some_and(is_emoji))
                    .then_some(length)
            }
            Class::EmojiSelector => {
                let next = self.text[at + length..].chars().next();
                let base = before.filter(|&base| takes_selector(base, next))?;
                if is_emoji(base) {
                    self.emoji = at + length;
                }
                Some(length)
            }
            Class::WordBreak => {
                let next = self.text[at + length..].chars().next();
                (before.is_some_and(parts_words_unseen) && next.is_some_and(parts_words_unseen))
                    .then_some(length)
            }
            Class::DirectionMark => self.serves_direction(at, length).then_some(length),
            Class::ShapeSelector => self.selects(at, length, before.is_some_and(has_shapes)),
            Class::IdeographSelector => self.selects(at, length, before.is_some_and(is_ideograph)),
            Class::MongolianSelector => before.is_some_and(is_mongolian).then_some(length),
        }
    }
}

impl Scanner<'_> {
    /// Whether a directional mark is alone and near a right-to-left letter.
    fn serves_direction(&self, at: usize, length: usize) -> bool {
        const NEAR: usize = 4;
        let is_visible = |char: &char| class(*char) == Class::Visible;
        let mut before = self.text[self.shown..at].chars().rev().take_while(is_visible).take(NEAR);
        let mut after = self.text[at + length..].chars().take_while(is_visible).take(NEAR);
        let is_alone = self.text[self.shown..at].chars().next_back().is_none_or(|char| is_visible(&char));
        is_alone && (before.any(is_right_to_left) || after.any(is_right_to_left))
    }

    /// The length of a variation selector that stays; many close together are a hidden message.
    fn selects(&mut self, at: usize, length: usize, fits: bool) -> Option<usize> {
        const CLOSE: usize = 24;
        const MOST: usize = 2;
        let is_close = self.selected > 0 && at - self.selected < CLOSE;
        self.close_selectors = if is_close { self.close_selectors + 1 } else { 1 };
        self.selected = at + length;
        (fits && self.close_selectors <= MOST).then_some(length)
    }
}

/// Whether a variation selector for emoji or text may follow: after emoji, and in keycaps.
fn takes_selector(base: char, next: Option<char>) -> bool {
    match base {
        '0'..='9' | '#' | '*' => next == Some('\u{20E3}'),
        base => is_emoji(base),
    }
}

/// The length in bytes of a region's tags including the closing one: 3 to 6 letters or digits.
fn subdivision_flag(text: &str) -> Option<usize> {
    let is_region = |tag| untagged(tag).is_some_and(|c| c.is_ascii_digit() || c.is_ascii_lowercase());
    let region = text.chars().take_while(|&c| is_region(c)).take(7).count();
    let closed = text.chars().nth(region) == Some('\u{E007F}');
    ((3..=6).contains(&region) && closed).then_some((region + 1) * '\u{E007F}'.len_utf8())
}

/// The offset of the next character that may be hidden, at or after `from`.
fn next_suspect(bytes: &[u8], mut from: usize) -> Option<usize> {
    const BLOCK: usize = 64;
    while let Some(rest) = bytes.get(from..).filter(|rest| !rest.is_empty()) {
        let block = &rest[..rest.len().min(BLOCK)];
        // Without an early exit, so that the compiler vectorises it.
        if !block.iter().fold(false, |any, &b| any | !is_plain(b)) {
            from += block.len();
            continue;
        }
        let suspect = (0..block.len()).find(|&i| may_be_hidden(rest[i], rest.get(i + 1).copied()));
        match suspect {
            Some(offset) => return Some(from + offset),
            None => from += block.len(),
        }
    }
    None
}

/// Whether a byte is ASCII and not a control character, except tab, newline and form feed.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') | (byte == b'\n') | (byte == b'\t') | (byte == 0x0c)
}
