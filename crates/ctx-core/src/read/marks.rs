//! Lists, stores and rules as other programs write them: with a byte-order mark, or in UTF-16.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use super::guess;

/// Removes a byte-order mark, and converts text that is UTF-16 throughout to UTF-8. Other bytes are unchanged.
#[must_use]
pub fn unmarked(bytes: &[u8]) -> Cow<'_, [u8]> {
    let decoded = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => return Cow::Borrowed(rest),
        [0xff, 0xfe, rest @ ..] => utf_16(rest, UTF_16LE),
        [0xfe, 0xff, rest @ ..] => utf_16(rest, UTF_16BE),
        [0, _, ..] => utf_16(bytes, UTF_16BE).filter(|_| are_lines(bytes, |[high, low]| (high, low))),
        [_, 0, ..] => utf_16(bytes, UTF_16LE).filter(|_| are_lines(bytes, |[low, high]| (high, low))),
        _ => None,
    };
    let guessed = || utf_16(bytes, guess::utf_16(bytes)?);
    let decoded = decoded.or_else(guessed);
    decoded.map_or(Cow::Borrowed(bytes), |text| Cow::Owned(text.into_bytes()))
}

fn utf_16(bytes: &[u8], encoding: &'static Encoding) -> Option<String> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    (!text.contains('\0')).then(|| text.into_owned())
}

/// Whether each newline in these bytes is one in UTF-16 too: bytes of another encoding that follow have theirs
/// elsewhere.
fn are_lines(bytes: &[u8], order: impl Fn([u8; 2]) -> (u8, u8)) -> bool {
    let (units, _) = bytes.as_chunks::<2>();
    units.iter().all(|unit| !unit.contains(&b'\n') || order(*unit) == (0, b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_removed_and_utf_16_is_decoded() {
        for (bytes, text) in [
            (&b"\xef\xbb\xbfa\n"[..], &b"a\n"[..]),
            (b"\xff\xfea\0\xe9\0\n\0", "aé\n".as_bytes()),
            (b"\xfe\xff\0a\0\n", b"a\n"),
            (b"a\0\r\0\n\0", b"a\r\n"),
            (b"\0a\0\n\0b", b"a\nb"),
            (b"\x00\x4e.\0m\0d\0\n\0", "一.md\n".as_bytes()),
            (b"\x0a\x4e.\0m\0d\0\n\0", "上.md\n".as_bytes()),
            (b"a\0\x0a\x4e\n\0", "a上\n".as_bytes()),
            (b"", b""),
            (b"caf\xe9\n", b"caf\xe9\n"),
        ] {
            assert_eq!(&*unmarked(bytes), text, "{bytes:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf_16_throughout_stay() {
        for bytes in [
            &b"build/\n#\0x\0\n\0"[..],
            b"#\0\n\0build/\n",
            b"\xff\xfea\0\n\0bc\n",
            b"a\0b\0\0\0",
            b"a.rs\0\n",
            b"\xff\xfe\0\0a\0\0\0",
        ] {
            assert_eq!(&*unmarked(bytes), bytes, "{bytes:?}");
        }
    }
}
