//! From entries to the files they match.
//!
//! [`select`] resolves every entry ([`resolve`]), plans as few walks as possible ([`walk_plan`]), runs them
//! on several threads ([`walk`]), examines the links they found ([`links`]), and puts everything in order
//! ([`merge`]). The files are opened later through [`file::FilePlace`], safely even if links have been
//! created since.

pub mod bound;
pub mod built_in;
pub mod dead_rule;
mod exclusion_effects;
mod exclusions;
pub mod explain;
pub mod fate;
pub mod file;
pub mod filter;
mod filter_hits;
mod git_rules;
pub mod ignore_rules;
pub mod label;
mod links;
mod matching;
mod merge;
pub mod missed;
pub mod options;
pub mod outputs;
pub mod problem;
mod reader;
mod resolve;
mod resolver;
mod secret_names;
mod selection;
mod settle;
mod walk;
mod walk_plan;
mod why;

use std::collections::BTreeMap;

use crate::entry::ScopedEntry;
use crate::entry::pattern::TargetError;
use crate::world::World;

pub(crate) use fate::excluded_in_words;
pub use fate::{EntryFate, EntryKind, EntryReport, Idle, LeftOutByFiles};
pub use file::{EntryId, File, FilePlace, NO_ENTRY, PromptReference, SelectedBy};
pub use filter_hits::{FilterHits, IdleFilter};
pub use label::{Label, LabelStyle};
pub use matching::Selected;
pub use missed::{Missed, MissedReason};
pub use options::{AskGit, Options};
pub use outputs::FileNumber;
pub use problem::{Problem, SelectError};
pub use resolve::entry_of;
pub(crate) use resolver::{Level, PathResolver, called, levels};
pub use resolver::{other_spelling, path_of};
pub use secret_names::allows_secret_names;

/// Finds the files that the entries match.
///
/// # Errors
/// If there are too many, or a filter is not a pattern. An entry that cannot be used is not an error here:
/// its report contains the reason, and the other entries are not affected.
pub fn select(entries: &[ScopedEntry], world: &World, options: &Options) -> Result<Selected, SelectError> {
    let mut selected = matching::find(entries, world, options)?;
    exclusion_effects::explain(entries, &mut selected.entries, &selected.files, world, options);
    Ok(selected)
}

/// The entries of a command that are not used because all entries together exceed a limit, each with the reason.
#[must_use]
pub fn beyond_limits(
    entries: &[ScopedEntry],
    world: &World,
    options: &Options,
) -> BTreeMap<EntryId, TargetError> {
    resolve::surplus(entries, &PathResolver::new(world, options))
}

#[cfg(test)]
mod tests;
