//! Lists out of the files of other tools, which are only read.
//!
//! A tool names the files and says what their keys mean; [`imported::Imported`] reads them with the
//! usual care and keeps an account of what could not be carried over.

mod agent;
mod amazonq;
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

pub(super) use hooks::Hooks;

use super::Bundle;
use crate::models::Registry;
use crate::todo::NamedList;
use crate::words::one_of;
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
        let found = Self::ALL.into_iter().find(|tool| tool.name() == text);
        found.ok_or_else(|| format!("unknown tool '{text}': use {}", one_of(&Self::ALL)))
    }
}

/// What another tool's files come to.
#[derive(Debug, Default)]
pub struct Found {
    /// The lists.
    pub bundle: Bundle,
    /// The to-do lists.
    pub todo_lists: Vec<NamedList>,
    /// What a person should know about them, in the order in which it came up.
    pub remarks: Vec<Remark>,
}

/// Something that is not as it was in the other tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// Parts of a file, or all of it, that cannot be carried over.
    LeftOut {
        /// The file, as it is called from here.
        file: String,
        /// Keys, resources, or the reason for the whole file.
        parts: Vec<String>,
    },
    /// Parts of a file that are not as they were.
    Changed {
        /// The file, as it is called from here.
        file: String,
        /// What is different.
        parts: Vec<String>,
    },
    /// A name that no profile can have, and the one that stands for it.
    Renamed {
        /// The name in the other tool.
        from: String,
        /// The profile.
        to: String,
    },
    /// The same for a to-do list.
    RenamedList {
        /// The name in the other tool.
        from: String,
        /// The list.
        to: String,
    },
    /// A profile that several files make up.
    Joined {
        /// The profile.
        profile: String,
        /// The files, in order.
        files: Vec<String>,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut { file, parts } => write!(f, "left out of '{file}': {}", parts.join(", ")),
            Self::Changed { file, parts } => write!(f, "changed from '{file}': {}", parts.join(", ")),
            Self::Renamed { from, to } => write!(f, "'{from}' becomes profile '{to}'"),
            Self::RenamedList { from, to } => write!(f, "'{from}' becomes list '{to}'"),
            Self::Joined { profile, files } => {
                write!(f, "profile '{profile}' is put together from {}", files.join(" and "))
            }
        }
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
pub fn read(tool: Tool, world: &World, models: &Registry) -> Found {
    let mut imported = imported::Imported::new(world, models);
    match tool {
        Tool::AmazonQ => amazonq::read(&mut imported),
        Tool::Kiro => kiro::read(&mut imported),
    }
    imported.finish()
}
