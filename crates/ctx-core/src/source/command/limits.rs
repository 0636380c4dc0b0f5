//! How a command runs, as the attributes of its entry say.

use std::time::Duration;

use crate::entry::value::Timeout;
use crate::entry::{Attributes, UsedOutput};

/// What bounds a command, and what of its output is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandLimits {
    /// How long the command may run; at most [`CommandLimits::MOST_TIME`].
    pub timeout: Duration,
    /// How many bytes of its output are kept.
    pub most_output: usize,
    /// Whether its output is used only if it succeeds.
    pub only_success: bool,
    /// How long the output of a success is used again; without it the command runs every time.
    pub ttl: Option<Duration>,
}

impl CommandLimits {
    /// The longest time that a command may run.
    pub const MOST_TIME: Duration = Timeout::MOST;

    /// The limits that the attributes of an entry give.
    #[must_use]
    pub fn of(attributes: &Attributes) -> Self {
        let usual = Self::default();
        let size = attributes.max_output.map(|size| usize::try_from(size.bytes()).unwrap_or(usize::MAX));
        Self {
            timeout: attributes.timeout.map_or(usual.timeout, Timeout::duration),
            most_output: size.unwrap_or(usual.most_output),
            only_success: attributes.exit == UsedOutput::OfSuccess,
            ttl: attributes.ttl.map(|ttl| ttl.duration()),
        }
    }
}

impl Default for CommandLimits {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(30), most_output: 64_000, only_success: false, ttl: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_that_are_given_change_the_limits() {
        let attributes = Attributes {
            timeout: "10m".parse().ok(),
            max_output: "1m".parse().ok(),
            exit: UsedOutput::OfSuccess,
            ttl: "2h".parse().ok(),
            ..Attributes::default()
        };
        let limits = CommandLimits {
            timeout: Duration::from_secs(600),
            most_output: 1_000_000,
            only_success: true,
            ttl: Some(Duration::from_secs(7_200)),
        };
        assert_eq!(CommandLimits::of(&attributes), limits);
        assert_eq!(CommandLimits::of(&Attributes::default()), CommandLimits::default());
    }
}
