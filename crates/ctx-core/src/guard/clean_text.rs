//! A text that is safe to print, which knows what was replaced in it and where.

use std::fmt;
use std::ops::{Deref, Range};

use super::secrets::SecretKind;

/// Something that was replaced in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    /// A secret, by a marker.
    Secret(SecretKind),
    /// The same hidden character this many times in a row, by its code point.
    Hidden {
        /// The character.
        char: char,
        /// How often it occurs; at least 1.
        count: usize,
    },
    /// Embedded data, by its size.
    Data {
        /// The bytes that it encodes.
        bytes: usize,
    },
}

impl Replaced {
    /// How often it was found in a row.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Secret(_) | Self::Data { .. } => 1,
            Self::Hidden { count, .. } => *count,
        }
    }
}

/// The place of something that was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The bytes that were written instead of it.
    pub range: Range<usize>,
    /// What was replaced.
    pub replaced: Replaced,
}

/// Text as it may be printed, which knows what was replaced in it, and where.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct CleanText {
    text: String,
    /// In the order of their first bytes.
    replacements: Vec<Replacement>,
}

impl CleanText {
    /// A text without any bytes.
    pub(crate) const EMPTY: &Self = &Self { text: String::new(), replacements: Vec::new() };

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text alone.
    #[must_use]
    pub fn into_string(self) -> String {
        self.text
    }

    /// What was replaced in it, in order.
    #[must_use]
    pub fn replacements(&self) -> &[Replacement] {
        &self.replacements
    }

    /// What was replaced in it, in order.
    pub fn replaced(&self) -> impl Iterator<Item = &Replaced> {
        self.replacements.iter().map(|replacement| &replacement.replaced)
    }

    /// The bytes of embedded data that were left out of it, if there was any.
    #[must_use]
    pub fn omitted_data(&self) -> Option<usize> {
        let sizes = self.replaced().map(|replaced| match replaced {
            Replaced::Data { bytes } => *bytes,
            Replaced::Secret(_) | Replaced::Hidden { .. } => 0,
        });
        Some(sizes.sum()).filter(|bytes| *bytes > 0)
    }

    /// These bytes of it, with the replacements that are among them. A range must not split a character.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        let mut part = TextBuilder::of(self, range.len());
        part.keep(range);
        part.finish()
    }
}

/// Text in which nothing was replaced.
impl From<String> for CleanText {
    fn from(text: String) -> Self {
        Self { text, replacements: Vec::new() }
    }
}

impl Deref for CleanText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for CleanText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)?;
        if self.replacements.is_empty() { Ok(()) } else { write!(f, " with {:?}", self.replacements) }
    }
}

/// Builds a text from parts of another one, with the replacements in them.
pub(crate) struct TextBuilder<'t> {
    source: &'t CleanText,
    /// The first replacement in the source that may be in what is still to be kept.
    next: usize,
    /// The last replacement that was kept: its index in the source, and in the new text.
    last: Option<[usize; 2]>,
    built: CleanText,
}

impl<'t> TextBuilder<'t> {
    /// A builder of a text of about this many bytes.
    pub(crate) fn of(source: &'t CleanText, bytes: usize) -> Self {
        let built = CleanText { text: String::with_capacity(bytes), replacements: Vec::new() };
        Self { source, next: 0, last: None, built }
    }

    /// Adds a part of the source. Parts must be added in their order, and must not overlap.
    pub(crate) fn keep(&mut self, part: Range<usize>) {
        let start = self.built.text.len();
        self.built.text.push_str(&self.source.text[part.clone()]);
        let replacements = &self.source.replacements;
        for (place, replacement) in replacements.iter().enumerate().skip(self.next) {
            if replacement.range.start >= part.end {
                break;
            }
            let range = replacement.range.start.max(part.start)..replacement.range.end.min(part.end);
            if !range.is_empty() {
                let moved = range.start - part.start + start..range.end - part.start + start;
                self.add_part(place, Replacement { range: moved, replaced: replacement.replaced });
            }
        }
        while replacements.get(self.next).is_some_and(|replacement| replacement.range.end <= part.end) {
            self.next += 1;
        }
    }

    /// Adds a part of what was written as a replacement in the source. If another part of it was kept before, the
    /// replacement extends over both.
    fn add_part(&mut self, place: usize, replacement: Replacement) {
        match self.last {
            Some([last, built]) if last == place => {
                self.built.replacements[built].range.end = replacement.range.end
            }
            Some(_) | None => {
                self.last = Some([place, self.built.replacements.len()]);
                self.built.replacements.push(replacement);
            }
        }
    }

    /// Adds text that is not from the source.
    pub(crate) fn push(&mut self, text: &str) {
        self.built.text.push_str(text);
    }

    /// Adds what is written in place of something.
    pub(crate) fn replace(&mut self, replaced: Replaced, written: &str) {
        self.replace_all([replaced], written);
    }

    /// Adds what is written in place of several things.
    pub(crate) fn replace_all(&mut self, replaced: impl IntoIterator<Item = Replaced>, written: &str) {
        let start = self.built.text.len();
        self.push(written);
        let range = start..self.built.text.len();
        self.built
            .replacements
            .extend(replaced.into_iter().map(|replaced| Replacement { range: range.clone(), replaced }));
    }

    /// The text.
    pub(crate) fn finish(self) -> CleanText {
        self.built
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a[x]b[y]c`, where `[x]` and `[y]` are replacements.
    fn with_replacements() -> CleanText {
        let source = CleanText::from("abc".to_owned());
        let mut text = TextBuilder::of(&source, 0);
        text.keep(0..1);
        text.replace(Replaced::Hidden { char: 'x', count: 1 }, "[x]");
        text.keep(1..2);
        text.replace(Replaced::Hidden { char: 'y', count: 2 }, "[y]");
        text.keep(2..3);
        text.finish()
    }

    /// The bytes of its replacements.
    fn ranges(text: &CleanText) -> Vec<[usize; 2]> {
        text.replacements()
            .iter()
            .map(|replacement| [replacement.range.start, replacement.range.end])
            .collect()
    }

    #[test]
    fn part_has_the_replacements_in_it() {
        let text = with_replacements();
        assert_eq!((text.as_str(), ranges(&text)), ("a[x]b[y]c", vec![[1, 4], [5, 8]]));
        for (range, expected) in [
            (0..9, vec![[1, 4], [5, 8]]),
            (0..1, vec![]),
            (0..2, vec![[1, 2]]),
            (3..6, vec![[0, 1], [2, 3]]),
            (4..5, vec![]),
            (8..9, vec![]),
        ] {
            let part = text.part(range.clone());
            assert_eq!((part.as_str(), ranges(&part)), (&text[range], expected));
        }
    }

    #[test]
    fn replacement_with_a_gap_in_it_stays_one() {
        let text = with_replacements();
        let mut built = TextBuilder::of(&text, 0);
        built.push("…");
        built.keep(0..2);
        built.push("…");
        built.keep(3..9);
        let built = built.finish();
        assert_eq!(built.as_str(), "…a[…]b[y]c");
        let texts: Vec<&str> =
            built.replacements().iter().map(|replacement| &built[replacement.range.clone()]).collect();
        assert_eq!(texts, ["[…]", "[y]"]);
    }

    #[test]
    fn replacement_that_is_replaced_itself_goes() {
        let text = with_replacements();
        let mut built = TextBuilder::of(&text, 0);
        built.keep(0..1);
        built.replace(Replaced::Hidden { char: 'z', count: 3 }, "[z]");
        built.keep(5..9);
        let built = built.finish();
        let replaced: Vec<&Replaced> = built.replaced().collect();
        let hidden = |char, count| Replaced::Hidden { char, count };
        assert_eq!((built.as_str(), replaced), ("a[z][y]c", vec![&hidden('z', 3), &hidden('y', 2)]));
    }
}
