//! Times and sizes as a person writes them: `30s`, `64k`. They are written back as they were given.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A whole number of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Amount {
    count: u64,
    unit: &'static Unit,
}

#[derive(Debug, PartialEq, Eq)]
struct Unit {
    suffix: &'static str,
    /// How many of the smallest unit it is.
    factor: u64,
}

const fn unit(suffix: &'static str, factor: u64) -> Unit {
    Unit { suffix, factor }
}

static TIMES: [Unit; 4] = [unit("s", 1), unit("m", 60), unit("h", 3_600), unit("d", 86_400)];
static SIZES: [Unit; 3] = [unit("k", 1_000), unit("m", 1_000_000), unit("", 1)];

impl Amount {
    fn of(text: &str, units: &'static [Unit]) -> Option<Self> {
        let split = |unit: &'static Unit| Some((text.strip_suffix(unit.suffix)?, unit));
        let (number, unit) = units.iter().find_map(split)?;
        let count = number_of(number)?;
        count.checked_mul(unit.factor).map(|_| Self { count, unit })
    }

    /// In the smallest unit.
    fn number(self) -> u64 {
        self.count.saturating_mul(self.unit.factor)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.count, self.unit.suffix)
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

/// Not a time such as `5m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a time like 30s, 5m, 2h or 1d")]
pub struct NoTime;

impl FromStr for TimeSpan {
    type Err = NoTime;

    fn from_str(text: &str) -> Result<Self, NoTime> {
        Amount::of(text, &TIMES).map(Self).ok_or(NoTime)
    }
}

/// How long a command may run: more than nothing, at most [`Timeout::MOST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeout(TimeSpan);

impl Timeout {
    /// The longest.
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

/// Not a time that a command may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a time like 30s of at most 10m")]
pub struct NoTimeout;

impl FromStr for Timeout {
    type Err = NoTimeout;

    fn from_str(text: &str) -> Result<Self, NoTimeout> {
        let span: TimeSpan = text.parse().map_err(|NoTime| NoTimeout)?;
        let is_sound = !span.duration().is_zero() && span.duration() <= Self::MOST;
        is_sound.then_some(Self(span)).ok_or(NoTimeout)
    }
}

/// How much of a command's output is kept: at most [`OutputSize::MOST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputSize(Amount);

impl OutputSize {
    /// The largest, in bytes.
    pub const MOST: u64 = 16_000_000;

    /// The same in bytes.
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

/// Not a size such as `64k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a size in bytes like 64k of at most 16m")]
pub struct NoSize;

impl FromStr for OutputSize {
    type Err = NoSize;

    fn from_str(text: &str) -> Result<Self, NoSize> {
        let size = Amount::of(text, &SIZES).map(Self);
        size.filter(|size| size.bytes() <= Self::MOST).ok_or(NoSize)
    }
}

/// Digits and nothing else.
pub(super) fn number_of(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
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
    fn what_is_no_amount_or_too_much_is_refused() {
        for text in ["", "5", "s", "+5s", "1.5h", "5 m", "99999999999999999999d", "999999999999999999d"] {
            assert_eq!(text.parse::<TimeSpan>(), Err(NoTime), "{text}");
        }
        for text in ["0s", "11m", "1h", "601s", "m"] {
            assert_eq!(text.parse::<Timeout>(), Err(NoTimeout), "{text}");
        }
        for text in ["", "-1", "17m", "k", "16000001", "1g"] {
            assert_eq!(text.parse::<OutputSize>(), Err(NoSize), "{text}");
        }
    }
}
