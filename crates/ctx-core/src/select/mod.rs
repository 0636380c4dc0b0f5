//! From entries to the files they match.
//!
//! [`select`] resolves every entry ([`resolve`]), plans as few walks as will do ([`plan`]), makes them
//! on several threads ([`walk`]), looks at the links they met ([`links`]), and puts everything in
//! order ([`merge`]). What it finds is opened later through [`file::Place`], which cannot be led astray.

pub mod built_in;
mod exclusions;
pub mod explain;
pub mod file;
pub mod filter;
mod git;
pub(crate) mod hierarchy;
pub mod ignore_rules;
pub mod label;
mod labels;
mod links;
mod merge;
pub mod options;
pub mod outputs;
mod plan;
pub(crate) mod queue;
mod reader;
mod removal;
pub mod report;
mod resolve;
pub mod rule_file;
mod secret_names;
mod selection;
pub mod skipped;
mod texts;
#[cfg(unix)]
pub mod tree;
#[cfg(not(unix))]
#[path = "tree_portable.rs"]
pub mod tree;
mod walk;
mod wildmatch;

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::entry::ScopedEntry;
use crate::entry::pattern::TargetError;
use crate::world::World;

pub use file::{Brought, EntryId, File, Kind, Metadata, NO_ENTRY, Place};
pub use label::{Label, LabelStyle};
pub(crate) use labels::{Labels, relative_to};
pub use options::Options;
pub use outputs::FileId;
pub use report::{Cause, EntryKind, EntryReport, Idle, LeftOut, Problem, Removal, Unused};
pub(crate) use resolve::Ground;
pub use resolve::{entry_of, path_of};
pub use secret_names::allows_secret_names;
pub use skipped::{SkipReason, Skipped};

use filter::Filters;
use merge::Candidate;
use outputs::Outputs;
use plan::Common;
use selection::Selection;

/// What the entries come to.
#[derive(Debug)]
pub struct Selected {
    /// The files, each once, in the order of the block.
    pub files: Vec<File>,
    /// What became of each entry, in the order given.
    pub entries: Vec<EntryReport>,
    /// What was skipped and is worth telling, in order of labels.
    pub skipped: Vec<Skipped>,
    /// How many files the built-in ignore file leaves out, each counted once.
    pub left_out_built_in: usize,
    /// How much `.ignore` and `.ctxignore` leave out.
    pub left_out_by_own_files: LeftOutByFiles,
    /// What `up:` entries found and may not be read.
    pub refused: Vec<Refused>,
    /// Whether files were left out because the command writes them.
    pub met_outputs: bool,
}

/// How much of what patterns and directories would have matched the ignore files leave out that git does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOutByFiles {
    /// Files.
    pub files: usize,
    /// Directories, which were not searched.
    pub directories: usize,
}

/// A file that an entry found and that may not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The entry.
    pub entry: EntryId,
    /// What the file is called.
    pub label: Label,
    /// Why it may not be read.
    pub problem: Problem,
}

/// Why nothing could be selected at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// More files than anybody can want.
    #[error("more than {limit} files match; name fewer")]
    TooManyMatches {
        /// How many are allowed.
        limit: usize,
    },
    /// A filter that is no pattern.
    #[doc(hidden)]
    #[error("invalid pattern '{text}': {source}")]
    InvalidFilter {
        /// The pattern.
        text: String,
        /// What is wrong with it.
        source: TargetError,
    },
}

/// Finds the files that the entries match.
///
/// # Errors
/// If there are too many, or a filter is no pattern. An entry that cannot be used is no error here:
/// its report says so, and the others go on.
pub fn select(entries: &[ScopedEntry], world: &World, options: &Options) -> Result<Selected, SelectError> {
    let filters = Filters::new(world, options)?;
    let cwd = world.cwd.canonicalize().unwrap_or_else(|_| world.cwd.clone());
    let outputs = Outputs::new(&options.output_paths, &options.output_ids);
    let count = AtomicUsize::new(0);
    let mut selection = Selection::new(entries, options);
    selection.count_provided();
    let ground = Ground::new(world, options);
    selection.leave_out_git(&ground);
    selection.resolve(&ground, &outputs);
    let common = Common { world, cwd: &cwd, options, outputs: &outputs, count: &count };
    let labels = Labels::new(options.labels, &cwd, world);
    let plan = plan::plan(std::mem::take(&mut selection.wanted), &selection.unwanted, common);
    selection.note_obstacles(&plan.obstacles);
    plan.used_exclusions.iter().for_each(|rank| selection.report(*rank).removal = Removal::Something);
    let mut candidates = selection.literals();
    for walk in &plan.walks {
        let parts = links::walk(walk, world.threads);
        let parts = parts.into_iter().map(|part| selection.take_up(part, walk)).collect();
        walk.exclusions.used().for_each(|rank| selection.report(rank).removal = Removal::Something);
        let mut found = merge::candidates(parts, walk, &labels, world.threads);
        if plan.overlaps(walk) {
            found.iter_mut().for_each(Candidate::suspect);
        }
        candidates.append(&mut found);
    }
    if count.load(Ordering::Relaxed) > options.max_matches {
        return Err(SelectError::TooManyMatches { limit: options.max_matches });
    }
    let mut ordered = merge::order(candidates);
    ordered.retain(|candidate| selection.asks_for(candidate));
    selection.withhold(&mut ordered);
    selection.count(&ordered);
    ordered.retain(|candidate| {
        let is_typed = || candidate.entries().iter().any(|rank| selection.is_typed_literal(*rank));
        (filters.pass(candidate) || is_typed()) && !outputs.hold_path(|| candidate.canonical())
    });
    let files = merge::files(ordered, &labels, |ranks| selection.brought(ranks));
    selection
        .reports
        .iter_mut()
        .filter(|report| report.matches > 0)
        .for_each(|report| report.left_out = None);
    removal::explain(entries, &mut selection.reports, &files, world, options);
    selection.skipped.sort_unstable();
    selection.skipped.dedup();
    selection.note_skipped();
    selection.built_in.report(&selection.order, &mut selection.reports);
    let left_out_by_own_files = selection.left_out_by_own_files();
    Ok(Selected {
        files,
        entries: selection.reports,
        skipped: selection.skipped,
        left_out_built_in: selection.built_in.count(),
        left_out_by_own_files,
        refused: selection.refused,
        met_outputs: outputs.were_met(),
    })
}

#[cfg(test)]
mod tests;
