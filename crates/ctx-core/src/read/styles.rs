//! Colours and other control sequences that programs print for a terminal. They carry nothing for a reader.

use std::borrow::Cow;

/// What begins a control sequence.
const INTRODUCER: [u8; 2] = [0x1b, b'['];

/// A text without its control sequences (`ESC [ … LETTER`). Keeps anything that only looks like one.
#[must_use]
pub fn without_styles(text: &[u8]) -> Cow<'_, [u8]> {
    let mut introducers = memchr::memmem::find_iter(text, &INTRODUCER).peekable();
    // In UTF-16, the same bytes are letters.
    let is_wide = || text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") || text.contains(&0);
    if introducers.peek().is_none() || is_wide() {
        return Cow::Borrowed(text);
    }
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = 0;
    for start in introducers {
        if let Some(length) = length(&text[start + INTRODUCER.len()..]) {
            plain.extend_from_slice(&text[rest..start]);
            rest = start + INTRODUCER.len() + length;
        }
    }
    plain.extend_from_slice(&text[rest..]);
    Cow::Owned(plain)
}

/// The length of a control sequence after what begins it, if it ends as one.
fn length(text: &[u8]) -> Option<usize> {
    let parameters = text.iter().take_while(|byte| matches!(byte, 0x30..=0x3f)).count();
    let between = text[parameters..].iter().take_while(|byte| matches!(byte, 0x20..=0x2f)).count();
    let end = parameters + between;
    matches!(text.get(end)?, 0x40..=0x7e).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_control_sequences_are_removed() {
        let plain = |text: &str| String::from_utf8(without_styles(text.as_bytes()).into_owned()).unwrap();
        assert_eq!(plain("\u{1b}[31m\u{1b}[1mError\u{1b}[0m: 1 \u{1b}[38;5;8m2\u{1b}[K\n"), "Error: 1 2\n");
        assert_eq!(plain("\u{1b}[?25lé\u{1b}[2 q"), "é");
        for other in
            ["a[31m", "\u{1b}", "\u{1b}[", "\u{1b}[31", "\u{1b}[3\nm", "\u{1b}]0;title\u{7}", "\u{1b}c"]
        {
            assert_eq!(plain(other), other);
        }
    }

    #[test]
    fn letters_in_utf_16_are_no_control_sequences() {
        let text: Vec<u8> = "\u{feff}a \u{5b1b}a".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(without_styles(&text), text);
    }
}
