//! Secrets and hidden characters where the policy is to fail.

use super::instruction::Instructed;
use super::tallies::{hidden_tallies, secret_tallies};
use super::{Document, Item};
use crate::account::Tally;
use crate::guard::{Findings, HiddenPolicy, Policies, SecretPolicy};
use crate::history::Conversation;

/// There are secrets or hidden characters, and the policy is to fail.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} in {}", files.join(", "))]
pub struct ForbiddenContents {
    /// `secrets` or `hidden characters`.
    what: &'static str,
    /// Which files hold them, and what.
    files: Vec<String>,
}

/// Everything that a block is made of.
pub(super) struct Parts<'a> {
    pub items: &'a [Item],
    pub instruction: Option<&'a Instructed>,
    pub conversation: Option<&'a Conversation>,
}

/// Where to look for what is forbidden.
struct Found {
    document: fn(&Document) -> &Vec<Tally>,
    instruction: fn(&Instructed) -> &Vec<Tally>,
    turn: fn(&Findings) -> Vec<Tally>,
}

impl Parts<'_> {
    /// What a policy forbids, if it is to fail.
    pub(super) fn forbidden(&self, policies: &Policies) -> Option<ForbiddenContents> {
        let secrets = Found {
            document: |document| &document.secrets,
            instruction: |instruction| &instruction.secrets,
            turn: |found| secret_tallies(&found.secrets),
        };
        let hidden = Found {
            document: |document| &document.hidden,
            instruction: |instruction| &instruction.hidden,
            turn: |found| hidden_tallies(&found.hidden),
        };
        let refused = |fails: bool, what, found| fails.then(|| self.refused(what, found)).flatten();
        refused(policies.secrets == SecretPolicy::Fail, "secrets", &secrets)
            .or_else(|| refused(policies.hidden == HiddenPolicy::Fail, "hidden characters", &hidden))
    }

    fn refused(&self, what: &'static str, found: &Found) -> Option<ForbiddenContents> {
        let mut files = Vec::new();
        let mut note = |place: String, tallies: &[Tally]| {
            let kinds: Vec<&str> = tallies.iter().map(|tally| tally.kind.as_str()).collect();
            if !kinds.is_empty() {
                files.push(format!("{place} ({})", kinds.join(", ")));
            }
        };
        for item in self.items {
            if let Some(document) = item.document() {
                note(format!("'{}'", item.source.label), (found.document)(document));
            }
        }
        if let Some(instruction) = self.instruction {
            note("the instruction".to_owned(), (found.instruction)(instruction));
        }
        if let Some(conversation) = self.conversation {
            let name = &conversation.name;
            for part in &conversation.cleaned {
                let place = part.turn.map_or_else(|| "the summary".to_owned(), |turn| format!("turn {turn}"));
                note(format!("{place} of history '{name}'"), &(found.turn)(&part.found));
            }
        }
        (!files.is_empty()).then_some(ForbiddenContents { what, files })
    }
}
