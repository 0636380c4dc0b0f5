//! Finds what entries match, without the details of what each exclusion excludes.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::fate::{EntryFate, EntryReport, LeftOutByFiles};
use super::file::File;
use super::filter::Filters;
use super::filter_hits::IdleFilter;
use super::merge::PlacedFile;
use super::missed::Missed;
use super::options::{MOST_BYTES_OUTSIDE, Options};
use super::outputs::Outputs;
use super::problem::SelectError;
use super::resolver::PathResolver;
use super::selection::Selection;
use super::walk_plan::{Common, WalkPlan};
use super::{links, merge};
use crate::entry::ScopedEntry;
use crate::fs::resolved;
use crate::git::rule_file::CutLine;
use crate::world::World;

/// The result of a selection.
#[derive(Debug)]
pub struct Selected {
    /// The files, each once, in the order of the block.
    pub files: Vec<File>,
    /// What happened to each entry, in the given order.
    pub entries: Vec<EntryReport>,
    /// The skipped files that are worth mentioning, sorted by label.
    pub skipped: Vec<Missed>,
    /// How much the built-in ignore file excludes, each file counted once.
    pub left_out_built_in: LeftOutByFiles,
    /// How much the ignore files that git does not read exclude, by their names.
    pub left_out_by_own_files: Vec<(&'static str, LeftOutByFiles)>,
    /// How much a project's exclusions leave out of a search.
    pub left_out_by_project: LeftOutByFiles,
    /// Files that `up:` entries found but that may not be read.
    pub refused: Vec<Missed>,
    /// Whether files were left out because the command writes them.
    pub met_outputs: bool,
    /// The filters that match nothing.
    pub idle_filters: Vec<IdleFilter>,
    /// The lines of ignore files of which ctx applies only the beginning, by their path from the root of the tree.
    pub cut_lines: Vec<CutLine>,
}

/// Finds the files that the entries match, without determining what each exclusion excludes.
///
/// # Errors
/// Same as [`super::select`].
pub(super) fn find(
    entries: &[ScopedEntry],
    world: &World,
    options: &Options,
) -> Result<Selected, SelectError> {
    let cwd = resolved(&world.cwd);
    let outputs = Outputs::new(&options.output_paths, &options.output_ids);
    let count = AtomicUsize::new(0);
    let mut selection = Selection::new(entries, options);
    selection.count_texts();
    let resolver = PathResolver::new(world, options);
    let filters = Filters::new(world, options, resolver.tree.root())?;
    selection.leave_out_git(&resolver);
    selection.resolve(&resolver, &outputs);
    selection.leave_out_worktrees(&resolver);
    selection.leave_out_lists();
    let is_outside = selection.is_outside(&resolver);
    let exclusions = std::mem::take(&mut selection.exclusions);
    let common = Common {
        resolver: &resolver,
        cwd: &cwd,
        exclusions: &exclusions,
        outputs: &outputs,
        is_outside,
        count: &count,
    };
    let mut plan = WalkPlan::new(std::mem::take(&mut selection.included), common);
    let mut obstacles = Vec::new();
    let mut candidates = std::mem::take(&mut selection.named);
    while let Some(walk) = plan.next(&mut obstacles) {
        let Some(walk) = walk else { continue };
        let parts = links::walk(&walk, world.threads);
        if let Some(file) = walk.rules.as_ref().and_then(|rules| rules.slow_file()) {
            return Err(SelectError::SlowRules(file.path));
        }
        let parts = parts.into_iter().map(|part| selection.take_up(part, &walk)).collect();
        let mut found = merge::candidates(parts, &walk, options.labels, world.threads);
        if plan.overlaps(&walk) {
            found.iter_mut().for_each(PlacedFile::suspect);
        }
        candidates.append(&mut found);
    }
    selection.note_obstacles(obstacles);
    exclusions.used().for_each(|id| selection.reports[id.0].fate = EntryFate::Excludes(None));
    if count.load(Ordering::Relaxed) > common.limit() {
        return Err(if is_outside {
            SelectError::TooMuch
        } else {
            SelectError::TooManyMatches { limit: options.max_matches }
        });
    }
    let mut ordered =
        merge::order(candidates, |rank| options.looks_through && selection.entry(rank).is_whole());
    // Names that suggest secrets are left out anyway, but somebody may be careful.
    for path in selection.secret_files.keys() {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let _ = filters.check(|| path.clone(), name, None);
    }
    selection.leave_out_secret_names(&mut ordered);
    selection.count(&ordered);
    let prompt = options.prompt_file.as_deref().map(resolved);
    // A file that the command line names is never left out.
    let mut is_filtered = options.matched_in_texts.has_tried;
    ordered.retain(|candidate| {
        let is_typed = candidate.entries().iter().any(|rank| selection.is_typed_literal(*rank));
        is_filtered |= !is_typed;
        let is_named = || candidate.entries().iter().any(|rank| selection.names(*rank));
        let is_prompt = || prompt.as_ref().is_some_and(|prompt| candidate.canonical() == *prompt);
        (candidate.passes(&filters) || is_typed)
            && !outputs.hold_path(|| candidate.canonical())
            && (!is_prompt() || is_named())
    });
    let idle_filters = if is_filtered { filters.idle(&options.matched_in_texts, world) } else { Vec::new() };
    let bytes =
        ordered.iter().filter_map(PlacedFile::metadata).map(|metadata| metadata.stamp.size).sum::<u64>();
    if is_outside && bytes > MOST_BYTES_OUTSIDE {
        return Err(SelectError::TooMuch);
    }
    let files = merge::files(ordered, options.labels, |ranks| selection.selected_by(ranks));
    selection.skipped.sort_unstable();
    selection.skipped.dedup();
    selection.settle();
    for rank in selection.built_in.values().flat_map(|ranks| ranks.iter()) {
        selection.reports[selection.order[*rank]].left_out_built_in += 1;
    }
    Ok(Selected {
        files,
        entries: selection.reports,
        skipped: selection.skipped,
        left_out_built_in: LeftOutByFiles::of(selection.built_in.keys()),
        left_out_by_own_files: selection
            .own_ignored
            .iter()
            .map(|(name, paths)| (*name, LeftOutByFiles::of(paths)))
            .collect(),
        left_out_by_project: LeftOutByFiles::of(&selection.by_project),
        refused: selection.refused,
        met_outputs: outputs.were_met(),
        idle_filters,
        cut_lines: plan.cut_lines().iter().map(|cut| cut.seen_from(resolver.tree.root())).collect(),
    })
}
