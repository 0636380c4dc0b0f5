//! Bytes as written in JSON, URLs, HTML and base 64.

/// An escape, and the byte that it represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Escape {
    pub(super) byte: u8,
    /// In bytes.
    pub(super) length: usize,
}

impl Escape {
    /// The escape at the start of `bytes`: `\/`, `\u002B`, `\x2b`, `%2F`, `&#43;`, `&#x2B;`, `&quot;`.
    pub(super) fn at_start(bytes: &[u8]) -> Option<Self> {
        match *bytes {
            [b'\\', byte @ (b'/' | b'"' | b'\'' | b'='), ..] => Some(Self { byte, length: 2 }),
            [b'\\', b'u', b'0', b'0', high, low, ..] => Self::hex(high, low, 6),
            [b'\\', b'x', high, low, ..] => Self::hex(high, low, 4),
            [b'%', high, low, ..] => Self::hex(high, low, 3),
            [b'&', ..] => Self::entity(bytes),
            [..] => None,
        }
    }

    fn hex(high: u8, low: u8, length: usize) -> Option<Self> {
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        Some(Self { byte: digit(high)? * 16 + digit(low)?, length })
    }

    fn entity(bytes: &[u8]) -> Option<Self> {
        let named = |name: &str, byte| {
            bytes.starts_with(name.as_bytes()).then_some(Self { byte, length: name.len() })
        };
        let entity = named("&quot;", b'"')
            .or_else(|| named("&apos;", b'\''))
            .or_else(|| named("&lt;", b'<'))
            .or_else(|| named("&gt;", b'>'))
            .or_else(|| named("&equals;", b'='))
            .or_else(|| named("&sol;", b'/'))
            .or_else(|| named("&plus;", b'+'));
        if entity.is_some() {
            return entity;
        }
        let rest = bytes.strip_prefix(b"&#")?;
        let (radix, digits) = match rest {
            [b'x' | b'X', digits @ ..] => (16, digits),
            [..] => (10, rest),
        };
        let count = digits.iter().take(4).take_while(|digit| digit.is_ascii_hexdigit()).count();
        let byte = u8::from_str_radix(std::str::from_utf8(&digits[..count]).ok()?, radix).ok()?;
        let end = bytes.len() - digits.len() + count;
        (bytes.get(end) == Some(&b';')).then_some(Self { byte, length: end + 1 })
    }
}

/// The bytes that the base 64 at the start of `text` decodes to, at most `longest`.
pub(super) fn decoded(text: &[u8], longest: usize) -> Vec<u8> {
    decoded_between(text, longest, |_| 0)
}

/// The bytes that the base 64 at the start of `text` decodes to, at most `longest`. Before each character,
/// `gap` determines how many bytes of the rest to skip.
pub(super) fn decoded_between(text: &[u8], longest: usize, gap: fn(&[u8]) -> usize) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(longest.min(text.len()));
    let (mut at, mut bits, mut held) = (0, 0_u32, 0);
    while decoded.len() < longest {
        at += gap(&text[at..]);
        let Some(sextet) = text.get(at).and_then(|&byte| sextet(byte)) else { break };
        bits = bits << 6 | u32::from(sextet);
        held += 6;
        at += 1;
        if held >= 8 {
            held -= 8;
            decoded.extend((bits >> held).to_le_bytes().first());
        }
    }
    decoded
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        0..=0xff => None,
    }
}
