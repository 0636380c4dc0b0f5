//! Embedded data: pictures, fonts and the like in the middle of a text. They cost more than the text, and tell nothing.

use std::ops::Range;

use super::clean_text::{CleanText, Replaced, TextBuilder};
use crate::words::size;

/// The longest data that stays, in bytes as written.
const LONGEST_KEPT: usize = 200;

/// The longest name of a type, with its parameters.
const LONGEST_TYPE: usize = 100;

const SCHEME: &[u8] = b"data:";
const MARK: &str = ";base64,";

/// The text with the size of the data in place of it, as in `data:image/png;base64,[… 150 kB omitted …]`; `None` if
/// there is none.
pub(super) fn omit(text: &CleanText) -> Option<CleanText> {
    let mut found = find(text).peekable();
    found.peek()?;
    let mut short = TextBuilder::of(text, 0);
    let mut copied = 0;
    for data in found {
        short.keep(copied..data.start);
        copied = data.end;
        // Four characters are three bytes.
        let bytes = data.len() * 3 / 4;
        short.replace(Replaced::Data { bytes }, &format!("[… {} omitted …]", size(bytes)));
    }
    short.keep(copied..text.len());
    Some(short.finish())
}

/// Whether there is data to omit.
pub(super) fn is_in(text: &str) -> bool {
    find(text).next().is_some()
}

/// The length of the text without it.
pub(super) fn length_without(text: &str) -> usize {
    text.len() - find(text).map(|data| data.len()).sum::<usize>()
}

/// Where the data is, without its type, in order.
fn find(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices(MARK).filter_map(|(at, _)| {
        let bytes = text.as_bytes();
        let before = &bytes[at.saturating_sub(SCHEME.len() + LONGEST_TYPE)..at];
        let kind = &before[memchr::memmem::rfind(before, SCHEME)? + SCHEME.len()..];
        let start = at + MARK.len();
        let length = length_of_data(&bytes[start..]);
        (kind.iter().all(|byte| is_of_type(*byte)) && length > LONGEST_KEPT).then_some(start..start + length)
    })
}

fn is_of_type(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/+.-_;=\"'%\\ ".contains(&byte)
}

/// How many bytes are base64 in one of its alphabets, with escapes of addresses, and slashes as JSON may escape them.
fn length_of_data(bytes: &[u8]) -> usize {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_%".contains(&byte);
    let mut length = 0;
    loop {
        match bytes[length..] {
            [b'\\', b'/', ..] => length += 2,
            [byte, ..] if is_part(byte) => length += 1,
            _ => return length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn omitted(text: &str) -> Option<(String, Vec<Replaced>)> {
        let short = omit(&CleanText::from(text.to_owned()))?;
        let replaced = short.replaced().copied().collect();
        Some((short.into_string(), replaced))
    }

    #[test]
    fn long_data_is_omitted_with_its_size() {
        let (long, escaped) = ("iVBORw0KGgo+".repeat(100), r"iVBOR\/+w".repeat(200));
        let text = format!(
            "![a](data:image/png;base64,{long}) <img src='data:image/svg+xml;charset=utf-8;base64,{long}=='/>\n\
             {{\"url\":\"data:font\\/woff2;base64,{escaped}\"}}"
        );
        let expected = "![a](data:image/png;base64,[… 1 kB omitted …]) \
                        <img src='data:image/svg+xml;charset=utf-8;base64,[… 1 kB omitted …]'/>\n\
                        {\"url\":\"data:font\\/woff2;base64,[… 2 kB omitted …]\"}";
        let (short, replaced) = omitted(&text).unwrap();
        assert_eq!(short, expected);
        assert_eq!(replaced, [900, 901, 1_350].map(|bytes| Replaced::Data { bytes }));
    }

    #[test]
    fn short_data_and_other_text_stay() {
        let (long, short) = ("iVBORw0KGgo".repeat(100), "A".repeat(LONGEST_KEPT));
        for text in [
            format!("data:image/png;base64,{short}"),
            format!("x;base64,{long}"),
            format!("data: a value\n;base64,{long}"),
            format!("data:text/plain,{long}"),
            long,
            String::new(),
        ] {
            assert_eq!(omitted(&text), None, "{text}");
            assert!(!is_in(&text));
        }
        assert!(is_in(&format!("data:;base64,{short}A")));
    }
}
