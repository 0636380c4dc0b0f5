//! What was read: documents, and why the others are none.

use super::{PlanError, Source};
use crate::account::{Reason, Tally};
use crate::budget::{Candidate, Extent};
use crate::cache::Checksum;
use crate::guard::{HiddenPolicy, Policies, SecretPolicy};
use crate::read::{Encoding, Stamp};

/// A file that has the whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whole {
    /// The state in which it has it.
    pub stamp: Stamp,
    /// The text.
    pub checksum: Checksum,
}

/// A text that can be printed, and what had to be done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The text as it is counted, hashed and printed; as much of it as the extent says.
    pub text: String,
    /// How much of it is at hand, and its tokens; all 0 if nobody needs them.
    pub extent: Extent,
    /// If only the ends are at hand: what the file must be to have the whole text.
    pub whole_in: Option<Whole>,
    /// Whether it may hold something that could be taken for a part of the frame.
    pub may_collide: bool,
    /// The length of what was read.
    pub bytes: u64,
    /// How its bytes were encoded.
    pub encoding: Encoding,
    /// Whether something could not be decoded and stands as U+FFFD.
    pub lossy: bool,
    /// Secrets that were found, by kind.
    pub secrets: Vec<Tally>,
    /// Hidden characters that were found, by code point.
    pub hidden: Vec<Tally>,
}

impl Document {
    /// What may be printed of it.
    pub(super) fn candidate<'a>(&'a self, source: &'a Source) -> Candidate<'a> {
        Candidate {
            label: source.label.as_str(),
            text: &self.text,
            pin: source.brought.pin,
            extent: self.extent,
            may_collide: self.may_collide,
        }
    }

    /// Whether most of its text is read when it is printed.
    pub(super) fn is_deferred(&self) -> bool {
        self.whole_in.is_some()
    }

    /// Whether it holds what no block may.
    pub(super) fn is_forbidden(&self, policies: &Policies) -> bool {
        (policies.secrets == SecretPolicy::Fail && !self.secrets.is_empty())
            || (policies.hidden == HiddenPolicy::Fail && !self.hidden.is_empty())
    }

    /// Whether something was found in it that has to be told, whatever becomes of it.
    pub(super) fn has_findings(&self) -> bool {
        !self.secrets.is_empty() || !self.hidden.is_empty()
    }
}

/// What came of reading a source.
#[derive(Debug, Clone)]
pub enum Reading {
    /// It can be printed.
    Document(Document),
    /// It is certain to give way to the budget; its text is forgotten.
    Dropped {
        /// The length of what was read.
        bytes: u64,
    },
    /// It cannot or must not be read.
    Skipped(Reason),
    /// A rule passes it over in silence: it counts as not selected.
    Passed,
}

/// Leaves out what was passed over.
pub(super) fn without_passed(sources: Vec<Source>, readings: &mut Vec<Reading>) -> Vec<Source> {
    let kept = sources
        .into_iter()
        .zip(readings.iter())
        .filter(|(_, reading)| !matches!(reading, Reading::Passed))
        .map(|(source, _)| source)
        .collect();
    readings.retain(|reading| !matches!(reading, Reading::Passed));
    kept
}

/// Fails where the policy is to fail.
pub(super) fn enforce(
    policies: &Policies,
    sources: &[Source],
    readings: &[Reading],
) -> Result<(), PlanError> {
    let forbidden = |what, found: fn(&Document) -> &Vec<Tally>| {
        let files: Vec<String> = sources
            .iter()
            .zip(readings)
            .filter_map(|(source, reading)| match reading {
                Reading::Document(document) if !found(document).is_empty() => {
                    let kinds: Vec<&str> = found(document).iter().map(|tally| tally.kind.as_str()).collect();
                    Some(format!("'{}' ({})", source.label, kinds.join(", ")))
                }
                Reading::Document(_) | Reading::Dropped { .. } | Reading::Skipped(_) | Reading::Passed => {
                    None
                }
            })
            .collect();
        if files.is_empty() { Ok(()) } else { Err(PlanError::Forbidden { what, files }) }
    };
    if policies.secrets == SecretPolicy::Fail {
        forbidden("secrets", |document| &document.secrets)?;
    }
    if policies.hidden == HiddenPolicy::Fail {
        forbidden("hidden characters", |document| &document.hidden)?;
    }
    Ok(())
}
