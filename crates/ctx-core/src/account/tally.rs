//! What happened to a file, and what it costs.

use crate::guard::Replaced;
use crate::named::named;
use crate::words;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

named! {
    /// What happened to a file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Status {
        /// It is in the block unchanged.
        Included = "included",
        /// Its outline is in the block.
        Outlined = "outlined",
        /// It is in the block, cut to fit.
        Truncated = "truncated",
        /// The reader has it from an earlier block.
        Unchanged = "unchanged",
        /// It did not fit the budget.
        Dropped = "dropped",
        /// It could not or must not be read.
        Skipped = "skipped",
    }
}

impl Status {
    /// The words for people.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Included => "whole",
            Self::Outlined | Self::Truncated => "in part",
            Self::Unchanged => "unchanged",
            Self::Dropped | Self::Skipped => "left out",
        }
    }

    /// The status of a file if one part of it has this status and another part has the status `other`.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        match (self, other) {
            (one, same) if one == same => one,
            (Self::Skipped, other) | (other, Self::Skipped) => other,
            (Self::Unchanged, other) | (other, Self::Unchanged) => other,
            (
                Self::Included | Self::Outlined | Self::Truncated | Self::Dropped,
                Self::Included | Self::Outlined | Self::Truncated | Self::Dropped,
            ) => Self::Truncated,
        }
    }
}

/// How often something was found in a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// The kind of secret, the hidden character in the form `U+202E`, or why a file was not read.
    pub kind: String,
    /// How often it was found.
    pub count: usize,
}

impl Tally {
    /// The secrets that were replaced, by kind.
    pub(crate) fn of_secrets<'f>(replaced: impl Iterator<Item = &'f Replaced>) -> Vec<Self> {
        let mut tallies: Vec<Self> = Vec::new();
        for one in replaced {
            let Replaced::Secret(kind) = one else { continue };
            match tallies.iter_mut().find(|tally| tally.kind == kind.name()) {
                Some(tally) => tally.count += 1,
                None => tallies.push(Self { kind: kind.name().to_owned(), count: 1 }),
            }
        }
        tallies
    }

    /// The hidden characters that were replaced, in the order of their code points.
    pub(crate) fn of_hidden<'f>(replaced: impl Iterator<Item = &'f Replaced>) -> Vec<Self> {
        let mut counts: BTreeMap<char, usize> = BTreeMap::new();
        for one in replaced {
            if let Replaced::Hidden { char, count } = one {
                *counts.entry(*char).or_default() += count;
            }
        }
        let tally = |(char, count)| Self { kind: format!("U+{:04X}", u32::from(char)), count };
        counts.into_iter().map(tally).collect()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.count, self.kind)
    }
}

/// How the tokens were counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measures {
    /// The named model, if any.
    pub model: Option<String>,
    /// The tokenizer that counted.
    pub tokenizer: String,
    /// The factor for its counts, for a model whose tokenizer is not public; if each script has its own, the
    /// factor for text in Latin letters.
    pub factor: f64,
    /// The factor of each script, if each has its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factors: Option<BTreeMap<&'static str, f64>>,
    /// Whether the counts are estimates.
    pub estimated: bool,
    /// The model's window, in tokens.
    pub window: u64,
    /// The most tokens that the block may have; absent without a cap.
    pub budget: Option<u64>,
    /// Whether the prompt has to fit in the budget, too.
    pub budget_covers_prompt: bool,
    /// The budget in percent of the window; absent unless it was given that way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_percent: Option<f64>,
    /// The rule that drops or shortens files if the block is over budget.
    pub trim: String,
    /// The format of the block.
    pub format: String,
}

impl Measures {
    /// Whether a block of this many tokens exceeds the window of the named model.
    #[must_use]
    pub fn exceed_window(&self, block: u64) -> bool {
        self.model.is_some() && block > self.window
    }

    /// The displayed form of a number, with `~` before an estimate: `~51,204`.
    #[must_use]
    pub fn count(&self, number: u64) -> String {
        words::figure(number, self.estimated)
    }

    /// The displayed form of a number of tokens: `1 token`, `~51,204 tokens`.
    #[must_use]
    pub fn tokens(&self, number: u64) -> String {
        words::tokens(number, self.estimated)
    }
}
