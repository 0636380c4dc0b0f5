//! The attributes of a command's entry.

use std::time::Duration;

use serde_json::{Map, Value};

/// The attributes of an entry that change what runs, or what is used of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// `timeout`: how long the command may run; at most [`Limits::MOST_TIME`].
    pub timeout: Duration,
    /// `max_output`: how many bytes of its output are kept.
    pub most_output: usize,
    /// `exit: zero`: its output is used only if it succeeds.
    pub only_success: bool,
    /// `ttl`: how long the output of a success is used again; without it the command runs every time.
    pub ttl: Option<Duration>,
}

/// An attribute whose value is not of its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LimitsError {
    /// `timeout`.
    #[error("\"timeout\" is not a time like \"30s\" of at most \"10m\"")]
    Timeout,
    /// `max_output`.
    #[error("\"max_output\" is not a size like \"64k\" of at most \"16m\"")]
    MaxOutput,
    /// `exit`.
    #[error("\"exit\" is not \"zero\"")]
    Exit,
    /// `ttl`.
    #[error("\"ttl\" is not a time like \"5m\"")]
    Ttl,
}

impl Limits {
    /// The longest `timeout` that can be given.
    pub const MOST_TIME: Duration = Duration::from_secs(600);

    /// The largest `max_output` that can be given, in bytes.
    pub const MOST_OUTPUT: usize = 16_000_000;

    /// The limits that the keys of a stored entry give.
    ///
    /// # Errors
    /// The first key whose value is not of its form.
    pub fn of(keys: &Map<String, Value>) -> Result<Self, LimitsError> {
        let mut limits = Self::default();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        if let Some(value) = keys.get("timeout") {
            let time = text(value).and_then(|text| duration(&text)).filter(|time| *time <= Self::MOST_TIME);
            limits.timeout = time.filter(|time| !time.is_zero()).ok_or(LimitsError::Timeout)?;
        }
        if let Some(value) = keys.get("max_output") {
            let bytes = value.as_u64().or_else(|| size(value.as_str()?));
            let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
            limits.most_output =
                bytes.filter(|bytes| *bytes <= Self::MOST_OUTPUT).ok_or(LimitsError::MaxOutput)?;
        }
        if let Some(value) = keys.get("exit") {
            limits.only_success = value.as_str() == Some("zero");
            limits.only_success.then_some(()).ok_or(LimitsError::Exit)?;
        }
        if let Some(value) = keys.get("ttl") {
            limits.ttl = Some(text(value).and_then(|text| duration(&text)).ok_or(LimitsError::Ttl)?);
        }
        Ok(limits)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(30), most_output: 64_000, only_success: false, ttl: None }
    }
}

/// A whole number with a unit: `30s`, `5m`, `2h`, `1d`.
fn duration(text: &str) -> Option<Duration> {
    let (number, seconds) = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)]
        .into_iter()
        .find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)))?;
    Some(Duration::from_secs(number.parse::<u64>().ok()?.checked_mul(seconds)?))
}

/// A number of bytes: `500`, `64k`, `1m`.
fn size(text: &str) -> Option<u64> {
    let units = [("k", 1_000), ("m", 1_000_000), ("", 1)];
    let (number, unit) = units.into_iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?, size)))?;
    number.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(json: &str) -> Result<Limits, LimitsError> {
        Limits::of(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn attributes_are_read_and_the_others_are_not_looked_at() {
        let minute = Duration::from_secs(60);
        assert_eq!(limits("{\"later\":1}"), Ok(Limits::default()));
        assert_eq!(
            limits(r#"{"timeout":"10m","max_output":"1m","exit":"zero","ttl":"2h"}"#),
            Ok(Limits {
                timeout: minute * 10,
                most_output: 1_000_000,
                only_success: true,
                ttl: Some(minute * 120)
            })
        );
        assert_eq!(limits(r#"{"max_output":500}"#).map(|limits| limits.most_output), Ok(500));
    }

    #[test]
    fn attribute_of_another_form_is_an_error() {
        for (json, error) in [
            (r#"{"timeout":"11m"}"#, LimitsError::Timeout),
            (r#"{"timeout":"0s"}"#, LimitsError::Timeout),
            (r#"{"timeout":30}"#, LimitsError::Timeout),
            (r#"{"max_output":"17m"}"#, LimitsError::MaxOutput),
            (r#"{"max_output":"-1"}"#, LimitsError::MaxOutput),
            (r#"{"exit":"any"}"#, LimitsError::Exit),
            (r#"{"ttl":"5"}"#, LimitsError::Ttl),
            (r#"{"ttl":"99999999999999999999d"}"#, LimitsError::Ttl),
        ] {
            assert_eq!(limits(json), Err(error), "{json}");
        }
    }
}
