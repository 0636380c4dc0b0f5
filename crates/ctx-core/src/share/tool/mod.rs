//! Reads lists from other tools' files, without changing them.
//!
//! A tool names its files and interprets their keys; [`imported::ImportedLists`] reads them with the usual care
//! and keeps a record of what could not be imported.

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
        /// Amazon Q Developer CLI: agents, and the profiles and context files of earlier versions.
        AmazonQ = "amazonq",
        /// Kiro: agents and steering files.
        Kiro = "kiro",
    }
}

impl Tool {
    /// Where the tool's files are, for messages.
    #[must_use]
    pub const fn places(self) -> &'static [&'static str] {
        match self {
            Self::AmazonQ => &amazonq::PLACES,
            Self::Kiro => &kiro::PLACES,
        }
    }
}

/// Reads a single file with one list: an agent, or an object with `paths`. `None` if it is neither. The profile is
/// named after the agent, or else after the file. Its entries may lead out of the tree.
#[must_use]
pub fn read_file(file: &str, world: &World, models: &Registry) -> Option<FoundLists> {
    single(file, imported::ImportedLists::new(world, models, true))
}

/// Like [`read_file`], from a text as if it were that of a file.
#[must_use]
pub fn read_text(file: &str, text: String, world: &World, models: &Registry) -> Option<FoundLists> {
    let mut imported = imported::ImportedLists::new(world, models, true);
    imported.give(file, text);
    single(file, imported)
}

fn single(file: &str, mut imported: imported::ImportedLists<'_>) -> Option<FoundLists> {
    let part = agent::single(&mut imported, file).or_else(|| imported.single_list(file))?;
    imported.take(part);
    Some(imported.finish())
}

/// Reads another tool's files, below the home directory and the current one. `models` are the ones a profile may
/// name. A file in the current directory, which may come from a stranger, brings no entries that lead out of the tree
/// unless it `may_lead_outside`.
#[must_use]
pub fn read(tool: Tool, world: &World, models: &Registry, may_lead_outside: bool) -> FoundLists {
    let mut imported = imported::ImportedLists::new(world, models, may_lead_outside);
    match tool {
        Tool::AmazonQ => amazonq::read(&mut imported),
        Tool::Kiro => kiro::read(&mut imported),
    }
    imported.finish()
}
