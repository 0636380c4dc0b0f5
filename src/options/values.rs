//! The values of options, parsed while the arguments are.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use regex::{Regex, RegexBuilder};

use crate::error::Error;
use ctx_core::WrongText;
use ctx_core::budget::Budget;
use ctx_core::setting::UNLIMITED_HISTORY;

/// Parses anything that the library can parse.
///
/// # Errors
/// Wrong usage, with the library's message.
pub fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, Error> {
    text.parse().map_err(Error::usage)
}

/// Parses a number of bytes: `4096`, `64k`, `10m` or `1g` (`k`, `m` and `g` are powers of 1,024).
///
/// # Errors
/// Wrong usage, if it is not a number with one of these units.
pub fn size(text: &str) -> Result<u64, Error> {
    let factor = |unit: &str| match unit.to_ascii_lowercase().as_str() {
        "" | "b" => Some(1),
        "k" => Some(1 << 10),
        "m" => Some(1 << 20),
        "g" => Some(1 << 30),
        _ => None,
    };
    with_unit(text, factor).ok_or_else(|| wrong("size", text, "bytes, or a number with k, m or g: 64k, 10m"))
}

/// Parses a count of at least one.
///
/// # Errors
/// Wrong usage, if it is not such a number.
pub fn count(text: &str) -> Result<NonZeroUsize, Error> {
    text.parse().map_err(|_| wrong("number", text, "1 or more"))
}

/// Parses the number of a task.
///
/// # Errors
/// Wrong usage, if it is not a number.
pub fn task(text: &str) -> Result<usize, Error> {
    text.parse().map_err(|_| wrong("number of a task", text, "the numbers that 'ctx todo show' prints"))
}

/// Parses the number of a turn.
///
/// # Errors
/// Wrong usage, if it is not a number.
pub fn turn(text: &str) -> Result<u64, Error> {
    text.parse().map_err(|_| wrong("number of a turn", text, "the numbers that 'ctx history show' prints"))
}

/// Parses a window in tokens: `32768`, `128k` or `1m`.
///
/// # Errors
/// Wrong usage, if it is not such a number, or is more than any model can read.
pub fn window(text: &str) -> Result<u64, Error> {
    match text.parse::<Budget>() {
        Ok(Budget::Tokens(window @ 1..=1_000_000_000)) => Ok(window),
        Ok(_) | Err(_) => Err(wrong("window", text, "tokens: 32768, 128k, 1m")),
    }
}

/// Parses a span of time: `90s`, `15m`, `2h`, `3d` or `2w`.
///
/// # Errors
/// Wrong usage, if it is not a number with one of these units.
pub fn age(text: &str) -> Result<Duration, Error> {
    let seconds = |unit: &str| match unit {
        "s" => Some(1),
        "m" => Some(60),
        "h" => Some(60 * 60),
        "d" => Some(24 * 60 * 60),
        "w" => Some(7 * 24 * 60 * 60),
        _ => None,
    };
    let age = with_unit(text, seconds).map(Duration::from_secs);
    age.ok_or_else(|| wrong("age", text, "a number with s, m, h, d or w: 90s, 15m, 3d"))
}

/// The most memory in bytes for a compiled expression; the time of a search grows with it.
const LARGEST_EXPRESSION: usize = 1 << 20;

/// The most memory in bytes that one search may use to be fast.
const LARGEST_AUTOMATON: usize = 1 << 25;

/// Parses a regular expression in which `^` and `$` match the ends of a line, as in every search tool.
///
/// # Errors
/// Wrong usage, with the error in the expression.
pub fn expression(text: &str) -> Result<Regex, Error> {
    RegexBuilder::new(text)
        .multi_line(true)
        .crlf(true)
        .size_limit(LARGEST_EXPRESSION)
        .dfa_size_limit(LARGEST_AUTOMATON)
        .build()
        .map_err(|error| Error::usage(format!("invalid regular expression '{text}': {}", fault(&error))))
}

/// The error in an expression, on one line.
fn fault(error: &regex::Error) -> String {
    if let regex::Error::CompiledTooBig(limit) = error {
        return format!("it compiles to more than {limit} bytes, usually because of nested repetitions");
    }
    let text = error.to_string();
    let line = text.lines().last().unwrap_or_default().trim();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// A number multiplied by the factor of its unit.
fn with_unit(text: &str, factor: impl Fn(&str) -> Option<u64>) -> Option<u64> {
    let (digits, unit) = text.split_at(text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len()));
    digits.parse::<u64>().ok()?.checked_mul(factor(unit)?)
}

fn wrong(what: &str, text: &str, valid: &str) -> Error {
    Error::usage(format!("invalid {what} '{text}'")).with_hint(format!("use {valid}"))
}

/// Parses the budget for a history in a block.
///
/// # Errors
/// Wrong usage, if it is not a budget, or is `none`.
pub fn history_budget(text: &str) -> Result<Budget, Error> {
    match parsed(text)? {
        Budget::Unlimited => Err(WrongText::new(UNLIMITED_HISTORY).into()),
        budget @ (Budget::Tokens(_) | Budget::Share(_)) => Ok(budget),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(size("4096").unwrap(), 4096);
        assert_eq!(size("10m").unwrap(), 10 << 20);
        assert_eq!(size("1M").unwrap(), 1 << 20);
        for bad in ["", "k", "1.5m", "-1", "10x", "99999999999999999999", "18446744073709551615k"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ages_need_a_unit() {
        assert_eq!(age("90s").unwrap(), Duration::from_secs(90));
        assert_eq!(age("2w").unwrap(), Duration::from_secs(1_209_600));
        for bad in ["", "3", "d", "3y", "99999999999999999999w"] {
            assert!(age(bad).is_err(), "{bad}");
        }
    }
}
