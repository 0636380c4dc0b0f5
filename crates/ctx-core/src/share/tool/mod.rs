//! Lists out of the files of other tools, which are only read.
//!
//! A tool names the files and says what their keys mean; [`imported::ImportedLists`] reads them with the
//! usual care and keeps an account of what could not be carried over.

mod agent;
mod amazonq;
mod hooks;
mod imported;
mod jsonc;
mod kiro;
mod names;
mod remark;

#[cfg(test)]
mod tests;

pub use remark::{FoundLists, Remark};

use crate::models::Registry;
use crate::named::named;
use crate::world::World;

named! {
    /// A tool whose lists can be imported.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Tool read as "tool" {
        /// Amazon Q Developer CLI: profiles, the context files of its design, agents.
        AmazonQ = "amazonq",
        /// Kiro: agents and steering files.
        Kiro = "kiro",
    }
}

impl Tool {
    /// Where the tool keeps its files, for people.
    #[must_use]
    pub const fn places(self) -> &'static [&'static str] {
        match self {
            Self::AmazonQ => &amazonq::PLACES,
            Self::Kiro => &kiro::PLACES,
        }
    }
}

/// Reads the files of another tool, below the home directory and the current one. `models` are those
/// that a profile may name.
#[must_use]
pub fn read(tool: Tool, world: &World, models: &Registry) -> FoundLists {
    let mut imported = imported::ImportedLists::new(world, models);
    match tool {
        Tool::AmazonQ => amazonq::read(&mut imported),
        Tool::Kiro => kiro::read(&mut imported),
    }
    imported.finish()
}
