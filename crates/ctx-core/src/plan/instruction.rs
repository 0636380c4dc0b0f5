//! The instruction of a block, made safe.

use super::request::{Instruction, Request};
use super::tallies::{hidden_tallies, secret_tallies};
use crate::account::Tally;
use crate::guard;

/// An instruction as it is printed, and what had to be done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instructed {
    pub(super) text: String,
    pub(super) secrets: Vec<Tally>,
    pub(super) hidden: Vec<Tally>,
}

/// The instruction of a request, if it has one. It is never left out for a secret: that is redacted.
pub(super) fn of(request: &Request) -> Option<Instructed> {
    let Instruction { text, .. } = request.instruction.as_ref()?;
    let cleaned = guard::clean(text.clone(), request.reading.policies.strictest());
    Some(Instructed {
        text: cleaned.text,
        secrets: secret_tallies(&cleaned.found.secrets),
        hidden: hidden_tallies(&cleaned.found.hidden),
    })
}
