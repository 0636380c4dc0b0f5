//! Lists out of the files of other tools, which are only read.
//!
//! A tool names the files and says what their keys mean; [`imported::Imported`] reads them with the
//! usual care and keeps an account of what could not be carried over.

mod agent;
mod amazonq;
mod expected;
mod found;
mod hooks;
mod imported;
mod jsonc;
mod kiro;
mod names;
mod prompt;

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use found::{FoundLists, Remark};
pub(super) use hooks::Hooks;

use crate::models::Registry;
use crate::words::known;
use crate::world::World;

/// A tool whose lists can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Amazon Q Developer CLI: profiles, the context files of its design, agents.
    AmazonQ,
    /// Kiro: agents and steering files.
    Kiro,
}

impl Tool {
    /// All tools, in the order in which they are documented.
    pub const ALL: [Self; 2] = [Self::AmazonQ, Self::Kiro];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AmazonQ => "amazonq",
            Self::Kiro => "kiro",
        }
    }

    /// Where the tool keeps its files, for people.
    #[must_use]
    pub const fn places(self) -> &'static [&'static str] {
        match self {
            Self::AmazonQ => &amazonq::PLACES,
            Self::Kiro => &kiro::PLACES,
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Tool {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        known(&Self::ALL, "tool", text)
    }
}

/// The text of a prompt that an earlier import kept, or why there is none.
pub(super) fn kept_prompt(world: &World, prompt: &str) -> Result<String, String> {
    let models = Registry::built_in();
    prompt::text(&mut imported::Imported::new(world, &models), prompt::Origin::Kept, prompt)
}

/// Reads the files of another tool, below the home directory and the current one. `models` are those
/// that a profile may name.
#[must_use]
pub fn read(tool: Tool, world: &World, models: &Registry) -> FoundLists {
    let mut imported = imported::Imported::new(world, models);
    match tool {
        Tool::AmazonQ => amazonq::read(&mut imported),
        Tool::Kiro => kiro::read(&mut imported),
    }
    imported.finish()
}
