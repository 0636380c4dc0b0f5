//! Secrets and hidden characters where the policy is to fail.

use super::instruction::Instructed;
use super::tallies::{hidden_tallies, secret_tallies};
use super::{Document, Item, PlanError};
use crate::account::Tally;
use crate::guard::{HiddenPolicy, Policies, SecretPolicy};
use crate::history::{Cleaning, Conversation};

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
    turn: fn(&Cleaning) -> Vec<Tally>,
}

impl Parts<'_> {
    /// Fails where the policy is to fail.
    pub(super) fn enforce(&self, policies: &Policies) -> Result<(), PlanError> {
        let secrets = Found {
            document: |document| &document.secrets,
            instruction: |instruction| &instruction.secrets,
            turn: |cleaning| secret_tallies(&cleaning.secrets),
        };
        let hidden = Found {
            document: |document| &document.hidden,
            instruction: |instruction| &instruction.hidden,
            turn: |cleaning| hidden_tallies(&cleaning.hidden),
        };
        if policies.secrets == SecretPolicy::Fail {
            self.refuse("secrets", &secrets)?;
        }
        if policies.hidden == HiddenPolicy::Fail {
            self.refuse("hidden characters", &hidden)?;
        }
        Ok(())
    }

    fn refuse(&self, what: &'static str, found: &Found) -> Result<(), PlanError> {
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
                note(format!("{place} of history '{name}'"), &(found.turn)(&part.cleaning));
            }
        }
        if files.is_empty() { Ok(()) } else { Err(PlanError::Forbidden { what, files }) }
    }
}
