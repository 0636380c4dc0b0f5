//! Values of attributes as people write them: times, sizes, shares, levels and tags. They are stored as
//! written.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

pub use super::encoding::TextEncoding;
use crate::words::{WrongText, known};

/// A whole number with a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Amount {
    count: u64,
    suffix: &'static str,
    /// The size of its unit, counted in the smallest unit.
    factor: u64,
}

/// One unit.
const fn one(suffix: &'static str, factor: u64) -> Amount {
    Amount { count: 1, suffix, factor }
}

static TIMES: [Amount; 4] = [one("s", 1), one("m", 60), one("h", 3_600), one("d", 86_400)];
static SIZES: [Amount; 3] = [one("k", 1_000), one("m", 1_000_000), one("", 1)];

impl Amount {
    fn of(text: &str, units: &[Self]) -> Option<Self> {
        let split = |unit: &Self| Some((text.strip_suffix(unit.suffix)?, *unit));
        let (number, unit) = units.iter().find_map(split)?;
        let count = number_of(number)?;
        count.checked_mul(unit.factor).map(|_| Self { count, ..unit })
    }

    /// The number in the smallest unit.
    fn number(self) -> u64 {
        self.count.saturating_mul(self.factor)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.count, self.suffix)
    }
}

/// A whole number of seconds, minutes, hours or days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan(Amount);

impl TimeSpan {
    /// How long it is.
    #[must_use]
    pub fn duration(self) -> Duration {
        Duration::from_secs(self.0.number())
    }
}

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for TimeSpan {
    type Err = WrongText;

    fn from_str(text: &str) -> Result<Self, WrongText> {
        Amount::of(text, &TIMES).map(Self).ok_or(WrongText::new("must be a time such as 30s, 5m, 2h or 1d"))
    }
}

/// How long a command may run: more than 0, at most [`Timeout::MOST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeout(TimeSpan);

impl Timeout {
    /// The longest timeout.
    pub const MOST: Duration = Duration::from_secs(600);

    /// How long it is.
    #[must_use]
    pub fn duration(self) -> Duration {
        self.0.duration()
    }
}

impl fmt::Display for Timeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Timeout {
    type Err = WrongText;

    fn from_str(text: &str) -> Result<Self, WrongText> {
        let is_sound = |span: &TimeSpan| !span.duration().is_zero() && span.duration() <= Self::MOST;
        let span = text.parse().ok().filter(is_sound);
        span.map(Self).ok_or(WrongText::new("must be a time such as 30s, at most 10m"))
    }
}

/// How much of a command's output is used: at most [`OutputSize::MOST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputSize(Amount);

impl OutputSize {
    /// The largest size, in bytes.
    pub const MOST: u64 = 16_000_000;

    /// The size in bytes.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.0.number()
    }
}

impl fmt::Display for OutputSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for OutputSize {
    type Err = WrongText;

    fn from_str(text: &str) -> Result<Self, WrongText> {
        let size = Amount::of(text, &SIZES).map(Self).filter(|size| size.bytes() <= Self::MOST);
        size.ok_or(WrongText::new("not a size in bytes like 64k of at most 16m"))
    }
}

/// The number, if the text consists only of digits.
pub(super) fn number_of(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// A share of the budget, in percent from 1 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share(u64);

impl Default for Share {
    fn default() -> Self {
        Self(20)
    }
}

impl Share {
    /// This share of `whole`, rounded down.
    #[must_use]
    pub fn of(self, whole: u64) -> u64 {
        u64::try_from(u128::from(whole) * u128::from(self.0) / 100).unwrap_or(u64::MAX)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0)
    }
}

impl FromStr for Share {
    type Err = WrongText;

    fn from_str(text: &str) -> Result<Self, WrongText> {
        let digits = text.strip_suffix('%').unwrap_or(text);
        // A number may have a sign, but a share may not.
        let digits = digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits);
        let percent =
            digits.and_then(|digits| digits.parse().ok()).filter(|percent| (1..=100).contains(percent));
        percent.map(Self).ok_or(WrongText::new("a share is a percentage from 1% to 100%"))
    }
}

/// How much of a file a block may contain, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LevelOfDetail {
    /// Only its name, in the tree at the start of the block.
    Name,
    /// Its declarations.
    Outline,
    /// The whole file.
    #[default]
    Full,
}

impl LevelOfDetail {
    /// All levels, the most detailed first.
    pub const ALL: [Self; 3] = [Self::Full, Self::Outline, Self::Name];
}

impl fmt::Display for LevelOfDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "name",
            Self::Outline => "outline",
            Self::Full => "full",
        })
    }
}

impl FromStr for LevelOfDetail {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        known(&Self::ALL, "level of detail", text)
    }
}

/// Checks a tag: text without commas, control characters, or white space at either end.
///
/// # Errors
/// If it is not a valid tag; the error explains why.
pub fn tag(text: &str) -> Result<String, WrongText> {
    if text.is_empty() {
        Err(WrongText::new("a tag cannot be empty"))
    } else if text.trim() != text {
        Err(WrongText::new("a tag cannot start or end with white space"))
    } else if text.contains(',') {
        Err(WrongText::new("a tag cannot contain a comma; give several tags one by one"))
    } else if text.contains(char::is_control) {
        Err(WrongText::new("a tag cannot contain control characters"))
    } else {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_written_as_they_were_given() {
        for text in ["0s", "90s", "5m", "120m", "2h", "1d"] {
            assert_eq!(text.parse::<TimeSpan>().map(|span| span.to_string()), Ok(text.to_owned()));
        }
        for text in ["500", "64k", "16m", "1000k"] {
            assert_eq!(text.parse::<OutputSize>().map(|size| size.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("2h".parse::<TimeSpan>().unwrap().duration(), Duration::from_secs(7_200));
        assert_eq!("64k".parse::<OutputSize>().unwrap().bytes(), 64_000);
    }

    #[test]
    fn invalid_or_excessive_amounts_are_refused() {
        for text in ["", "5", "s", "+5s", "1.5h", "5 m", "99999999999999999999d", "999999999999999999d"] {
            assert_eq!(
                text.parse::<TimeSpan>(),
                Err(WrongText::new("must be a time such as 30s, 5m, 2h or 1d")),
                "{text}"
            );
        }
        for text in ["0s", "11m", "1h", "601s", "m"] {
            assert_eq!(
                text.parse::<Timeout>(),
                Err(WrongText::new("must be a time such as 30s, at most 10m")),
                "{text}"
            );
        }
        for text in ["", "-1", "17m", "k", "16000001", "1g"] {
            assert_eq!(
                text.parse::<OutputSize>(),
                Err(WrongText::new("not a size in bytes like 64k of at most 16m")),
                "{text}"
            );
        }
    }

    #[test]
    fn share_is_a_percentage() {
        assert_eq!("35%".parse::<Share>().map(|share| share.of(1_000)), Ok(350));
        assert_eq!("20".parse(), Ok(Share::default()));
        for text in ["0%", "101%", "a", "", "-1%", "20%%", "+20%"] {
            assert_eq!(
                text.parse::<Share>(),
                Err(WrongText::new("a share is a percentage from 1% to 100%")),
                "{text}"
            );
        }
    }

    #[test]
    fn empty_tags_and_tags_with_commas_or_control_characters_are_refused() {
        for good in ["api", "a b", "日本"] {
            assert_eq!(tag(good), Ok(good.to_owned()));
        }
        for bad in ["", " ", " a", "a\t", "a,b", "a\u{1b}b", "\u{85}"] {
            assert!(tag(bad).is_err(), "{bad:?}");
        }
    }
}
