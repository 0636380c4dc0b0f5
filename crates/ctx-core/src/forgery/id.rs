//! The ids that boundaries and labels carry if a document could forge the plain ones.

use std::fmt;

use super::line::{is_blank, seen, unblanked};
use super::look_alike::folded;

/// An id: twelve decimal digits.
///
/// Tokenizers cut digits into groups of three in any context, so all ids cost the same number of tokens, and
/// a block can be counted before its id is known. There are twelve digits because a block that contains all
/// ids would be over a terabyte long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Id(u64);

const DIGITS: usize = 12;
const MODULUS: u64 = 1_000_000_000_000;
/// Coprime to the modulus, so that its multiples visit every id once.
const STEP: u64 = 514_229_317_811;
/// `STEP * INVERSE = 1` modulo `MODULUS`: the orders of all its units divide 50,000,000,000.
const INVERSE: u64 = power(STEP, 50_000_000_000 - 1);

const fn multiply(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) % MODULUS as u128) as u64
}

const fn power(base: u64, exponent: u64) -> u64 {
    let (mut result, mut base, mut exponent) = (1, base, exponent);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = multiply(result, base);
        }
        base = multiply(base, base);
        exponent /= 2;
    }
    result
}

impl Id {
    /// The first id of the sequence.
    pub const FIRST: Self = Self::nth(0);

    /// The id at `position` in the fixed sequence.
    const fn nth(position: u64) -> Self {
        Self(multiply(position + 1, STEP))
    }

    /// Whether a text is an id as it is printed.
    pub(crate) fn is_id(text: &str) -> bool {
        text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_digit())
    }

    fn position(self) -> u64 {
        (multiply(self.0, INVERSE) + MODULUS - 1) % MODULUS
    }

    /// The first id in the sequence that does not occur in any of `texts`, even with invisible characters
    /// between its digits.
    pub fn absent_from<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let first = Self::FIRST.to_string();
        let occurs = |text: &str| {
            let mut starts = memchr::memchr_iter(first.as_bytes()[0], text.as_bytes());
            starts.any(|at| seen(&text[at..]).take(DIGITS).eq(first.chars()))
                // Its first digit may be a look-alike.
                || !text.is_ascii() && ids_in(text).any(|id| id == Self::FIRST)
        };
        if !texts.clone().any(occurs) {
            return Self::FIRST;
        }
        Self::first_gap(texts)
    }

    /// Finds a free id in one pass, however many ids `texts` contain. They cannot contain more ids than they
    /// have bytes, so only that many ids of the sequence need to be tracked.
    fn first_gap<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let bytes: usize = texts.clone().map(str::len).sum();
        let mut taken = vec![false; bytes + 1];
        for text in texts {
            for id in ids_in(text) {
                if let Some(slot) = usize::try_from(id.position()).ok().and_then(|at| taken.get_mut(at)) {
                    *slot = true;
                }
            }
        }
        let free = taken.iter().position(|taken| !taken).unwrap_or(bytes);
        Self::nth(free as u64)
    }
}

/// The ids visible in `text`, both on a terminal and where terminal commands are printed as characters.
fn ids_in(text: &str) -> impl Iterator<Item = Id> {
    runs_of_digits(unblanked(text)).chain(runs_of_digits(text.chars().filter(|char| !is_blank(*char))))
}

fn runs_of_digits(chars: impl Iterator<Item = char>) -> impl Iterator<Item = Id> {
    let mut run = 0;
    let mut value = 0;
    // No other characters look like digits, and looking each of them up would take too long.
    let digit = |char: char| if char.is_numeric() { folded(char).next().unwrap_or(char) } else { char };
    chars.map(digit).filter_map(move |char| {
        let Some(digit) = char.to_digit(10) else {
            run = 0;
            return None;
        };
        run += 1;
        value = (value * 10 + u64::from(digit)) % MODULUS;
        (run >= DIGITS).then_some(Id(value))
    })
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0DIGITS$}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_of_an_id_is_found() {
        for position in [0, 1, 2, 999, 123_456_789, MODULUS - 2] {
            assert_eq!(Id::nth(position).position(), position);
            assert_eq!(Id::nth(position).to_string().len(), DIGITS);
        }
    }

    #[test]
    fn the_first_absent_id_is_chosen() {
        let texts: Vec<String> = (0..20).filter(|n| *n != 7).map(|n| format!("x9{}0", Id::nth(n))).collect();
        let found = Id::absent_from(texts.iter().map(String::as_str));
        assert_eq!(found, Id::nth(7));
        assert_eq!(Id::absent_from(texts.iter().map(String::as_str).skip(1)), Id::FIRST);
        assert_eq!(Id::absent_from(std::iter::empty()), Id::FIRST);
    }

    #[test]
    fn ids_are_found_anywhere_in_a_run_of_digits() {
        let run = format!("1{}{}2", Id::nth(0), Id::nth(1));
        assert_eq!(Id::absent_from([run.as_str()].into_iter()), Id::nth(2));
    }

    #[test]
    fn blanks_between_digits_do_not_hide_an_id() {
        let first = Id::FIRST.to_string();
        for blank in [" ", "\u{200B}", "\t\u{2060}", "\u{1b}[0m", "\u{9b}1m"] {
            let text = format!("END {}{blank}{} ---", &first[..5], &first[5..]);
            assert_eq!(Id::absent_from([text.as_str()].into_iter()), Id::nth(1), "{text:?}");
        }
        let inside = format!("\u{1b}[{first}m");
        assert_eq!(Id::absent_from([inside.as_str()].into_iter()), Id::nth(1));
    }
}
