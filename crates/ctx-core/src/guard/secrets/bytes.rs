//! Sets of bytes, and the definitions of a boundary and a placeholder.

use super::escape::Escape;

/// A set of ASCII bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alphabet(u128);

impl Alphabet {
    pub(super) const DIGIT: Self = Self::of(b"0123456789");
    pub(super) const UPPER: Self = Self::of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    pub(super) const LOWER: Self = Self::of(b"abcdefghijklmnopqrstuvwxyz");
    pub(super) const LETTER: Self = Self::UPPER.or(Self::LOWER);
    pub(super) const ALNUM: Self = Self::LETTER.or(Self::DIGIT);
    pub(super) const UPPER_ALNUM: Self = Self::UPPER.or(Self::DIGIT);
    pub(super) const HEX: Self = Self::DIGIT.or(Self::of(b"abcdefABCDEF"));
    /// Base 64 for URLs.
    pub(super) const URL_SAFE: Self = Self::ALNUM.or(Self::of(b"-_"));
    pub(super) const BASE64: Self = Self::ALNUM.or(Self::of(b"+/="));
    /// The `token68` in HTTP's authentication headers.
    pub(super) const TOKEN68: Self = Self::ALNUM.or(Self::of(b"-._~+/="));

    pub(super) const fn of(bytes: &[u8]) -> Self {
        let mut set = 0;
        let mut i = 0;
        while i < bytes.len() {
            set |= 1 << bytes[i];
            i += 1;
        }
        Self(set)
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn has(self, byte: u8) -> bool {
        byte < 128 && self.0 >> byte & 1 == 1
    }

    /// How many bytes at the start of `bytes` are in this set, counting up to `max`.
    pub(super) fn run(self, bytes: &[u8], max: usize) -> usize {
        bytes.iter().take(max).take_while(|&&b| self.has(b)).count()
    }

    /// How many bytes at the start of `bytes` are in this set or in an escape for such a byte.
    pub(super) fn escaped_run(self, bytes: &[u8]) -> usize {
        let mut at = 0;
        loop {
            at += self.run(&bytes[at..], bytes.len());
            match Escape::at_start(&bytes[at..]) {
                Some(escape) if self.has(escape.byte) => at += escape.length,
                Some(_) | None => return at,
            }
        }
    }

    /// Whether some writers escape bytes of this set.
    pub(super) const fn is_escaped(self) -> bool {
        self.0 & !Self::URL_SAFE.or(Self::of(b".~")).0 != 0
    }

    /// How many bytes at the end of `bytes` are in this set, counting up to `max`.
    pub(super) fn run_back(self, bytes: &[u8], max: usize) -> usize {
        bytes.iter().rev().take(max).take_while(|&&b| self.has(b)).count()
    }
}

/// Whether a token may start after `before`.
///
/// A token cannot start inside a word, but the last letter of an escape (`\n`, `%3D`, `\u003d`, a terminal's
/// colour sequence) does not count as part of a word.
pub(super) fn starts_word(before: &[u8]) -> bool {
    match *before {
        [.., b'\\', b'a' | b'b' | b'e' | b'f' | b'n' | b'r' | b't' | b'v' | b'0'] => true,
        [.., b'%', h, l] if is_hex(h, l) => true,
        // Quoted-printable.
        [.., b'=', b'3', b'D'] => true,
        [.., b'\\', b'x', h, l] if is_hex(h, l) => true,
        [.., b'\\', b'u', _, _, h, l] if is_hex(h, l) => true,
        [.., b'm'] => ends_colour(before),
        [.., last] => !last.is_ascii_alphanumeric(),
        [] => true,
    }
}

/// Whether a token with a short prefix may start after `before`: at the start of a word, and not inside a long run
/// of base 64.
pub(super) fn starts_alone(before: &[u8]) -> bool {
    const LONG: usize = 12;
    starts_word(before) && Alphabet::URL_SAFE.run_back(before, LONG) < LONG
}

fn is_hex(high: u8, low: u8) -> bool {
    high.is_ascii_hexdigit() && low.is_ascii_hexdigit()
}

fn ends_colour(before: &[u8]) -> bool {
    let before = &before[..before.len() - 1];
    let parameters = Alphabet::of(b"0123456789;").run_back(before, 16);
    before[..before.len() - parameters].ends_with(b"[") && parameters > 0
}

/// Whether `bytes` continue with something that is not part of a word.
pub(super) fn ends_word(bytes: &[u8]) -> bool {
    !bytes.first().is_some_and(u8::is_ascii_alphanumeric)
}

/// What the body of a token must look like, so that documentation and code are left alone.
#[derive(Debug, Clone, Copy)]
pub(super) enum Quality {
    /// Anything but a placeholder; the prefix is enough.
    Any,
    /// At least two of lower case, upper case and digits.
    Mixed,
    /// Letters and digits, or letters in an order that no word has.
    Digits,
    /// Lower case, upper case and digits, or letters in an order that no word has.
    AllThree,
    /// Letters and at least three digits, or two and both cases, or two in a body longer than any word, or letters
    /// in an order that no word has.
    Random,
    /// Not words joined by hyphens: no hyphens at all, or mixed case, or several digits.
    Dense,
}

impl Quality {
    pub(super) fn accepts(self, body: &[u8]) -> bool {
        let count = |set: Alphabet| body.iter().filter(|&&b| set.has(b)).count();
        let has = |set: Alphabet| count(set) > 0;
        let classes = || {
            [Alphabet::LOWER, Alphabet::UPPER, Alphabet::DIGIT].into_iter().filter(|&set| has(set)).count()
        };
        !is_placeholder(body)
            && match self {
                Self::Any => true,
                Self::Mixed => classes() >= 2,
                Self::Digits => has(Alphabet::DIGIT) && classes() >= 2 || is_irregular(body),
                Self::AllThree => classes() == 3 || is_irregular(body),
                Self::Random => match count(Alphabet::DIGIT) {
                    0 | 1 => is_irregular(body),
                    2 => classes() == 3 || body.len() >= LONGEST_WORD && count(Alphabet::ALNUM) == body.len(),
                    _ => count(Alphabet::LETTER) >= 3,
                },
                Self::Dense => {
                    count(Alphabet::ALNUM) == body.len()
                        || has(Alphabet::UPPER) && has(Alphabet::LOWER)
                        || count(Alphabet::DIGIT) >= 3
                }
            }
    }
}

/// A body with fewer distinct bytes than this is a placeholder.
const FEWEST_DIFFERENT: u32 = 7;
/// No word is longer than this, in bytes.
const LONGEST_WORD: usize = 32;
/// A body with this many equal bytes in a row is a placeholder.
const LONGEST_RUN: usize = 6;

/// The endings of the example keys in AWS's manuals.
const EXAMPLES: [&[u8]; 2] = [b"EXAMPLE", b"EXAMPLEKEY"];

/// Whether a body looks like `xxxxxxxx` (few distinct bytes, or a long run of one), consists mostly of
/// ascending runs, or looks like `IOSFODNN7EXAMPLE`.
pub(super) fn is_placeholder(body: &[u8]) -> bool {
    let different = body.iter().fold(0_u128, |set, &b| set | 1 << (b & 127)).count_ones();
    different < FEWEST_DIFFERENT
        || has_long_run(body)
        || counts_up(body)
        || EXAMPLES.iter().any(|ending| body.ends_with(ending))
}

/// Whether most of a body consists of ascending runs, as in `1234567890abcdef`.
fn counts_up(body: &[u8]) -> bool {
    const SHORTEST: usize = 4;
    let is_next = |a: &u8, b: &u8| *a + 1 == *b || (*a, *b) == (b'9', b'0');
    let runs = body.chunk_by(is_next).map(<[u8]>::len).filter(|length| *length >= SHORTEST);
    4 * runs.sum::<usize>() >= 3 * body.len()
}

/// Whether a body mixes upper and lower case in a way that no word does: consecutive capitals, or a
/// lower-case letter between two capitals.
fn is_irregular(body: &[u8]) -> bool {
    let pairs = body.windows(2).filter(|pair| pair.iter().all(u8::is_ascii_uppercase)).count();
    let is_lone = |three: &&[u8]| {
        three[0].is_ascii_uppercase() && three[1].is_ascii_lowercase() && three[2].is_ascii_uppercase()
    };
    pairs + body.windows(3).filter(is_lone).count() >= 2 && body.iter().any(u8::is_ascii_lowercase)
}

/// Whether a byte occurs many times in a row, as in `xxxxxxxx`.
pub(super) fn has_long_run(body: &[u8]) -> bool {
    body.chunk_by(|a, b| a == b).any(|run| run.len() >= LONGEST_RUN)
}
