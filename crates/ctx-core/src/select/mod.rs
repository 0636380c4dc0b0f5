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
mod hierarchy;
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
pub mod skipped;
mod texts;
#[cfg(unix)]
pub mod tree;
#[cfg(not(unix))]
#[path = "tree_portable.rs"]
pub mod tree;
mod walk;
mod wildmatch;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::entry::lists::Lists;
use crate::entry::pattern::TargetError;
use crate::entry::{Author, ScopedEntry};
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
use hierarchy::{Hierarchy, RefusedFile};
use merge::Candidate;
use outputs::Outputs;
use plan::{Common, ObstacleReason, Unwanted, Wanted};
use resolve::{Named, Resolved, Start};
use walk::{Found, IgnoredFile, PassedOver, Walk, Yield};

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
    /// What `up:` entries found and may not be read.
    pub refused: Vec<Refused>,
    /// Whether files were left out because the command writes them.
    pub met_outputs: bool,
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
    /// An `--include` or `--exclude` that is no pattern.
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
    selection.built_in.report(&selection.order, &mut selection.reports);
    Ok(Selected {
        files,
        entries: selection.reports,
        skipped: selection.skipped,
        left_out_built_in: selection.built_in.count(),
        refused: selection.refused,
        met_outputs: outputs.were_met(),
    })
}

/// The state of one selection. Entries are known by their rank: global ones first.
struct Selection<'a> {
    entries: &'a [ScopedEntry],
    options: &'a Options,
    order: Vec<usize>,
    reports: Vec<EntryReport>,
    named: Vec<RankedFile>,
    wanted: Vec<Wanted>,
    unwanted: Vec<Unwanted>,
    skipped: Vec<Skipped>,
    refused: Vec<Refused>,
    /// Literals that do not take the secrets that their names hold.
    wary: BTreeMap<usize, &'static str>,
    withheld: Vec<Withheld>,
    /// Files that the built-in ignore file leaves out.
    built_in: built_in::Ignored,
}

/// A file that patterns do not take because its name suggests secrets.
struct Withheld {
    path: PathBuf,
    ranks: Vec<usize>,
    skipped: Skipped,
}

impl Withheld {
    /// Each file once, with everything that would have taken it, however many walks came upon it.
    fn each_once(all: Vec<Self>) -> Vec<Self> {
        let mut by_path: BTreeMap<PathBuf, Self> = BTreeMap::new();
        for one in all {
            let Some(known) = by_path.get_mut(&one.path) else {
                by_path.insert(one.path.clone(), one);
                continue;
            };
            known.ranks.extend(one.ranks);
            known.skipped.entries.extend(one.skipped.entries);
            known.skipped.label = known.skipped.label.clone().min(one.skipped.label);
            known.ranks.sort_unstable();
            known.ranks.dedup();
            known.skipped.entries.sort_unstable();
            known.skipped.entries.dedup();
        }
        by_path.into_values().collect()
    }
}

struct RankedFile {
    rank: usize,
    /// Its place among the files of the entry.
    sequence: usize,
    file: Named,
}

impl<'a> Selection<'a> {
    fn new(entries: &'a [ScopedEntry], options: &'a Options) -> Self {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        // What is named for this one block has no tags, and is wanted all the same.
        let asked = |tag: &String, scoped: &ScopedEntry| scoped.entry.attributes.tags.contains(tag);
        let has_other_tags = |scoped: &ScopedEntry| {
            let is_free = scoped.scope.is_for_one_block() || scoped.entry.is_exclusion();
            !is_free && !options.tags.is_empty() && !options.tags.iter().any(|tag| asked(tag, scoped))
        };
        let unused = |scoped: &ScopedEntry| match scoped.entry.attributes.off {
            true => Some(Unused::Off),
            false => has_other_tags(scoped).then_some(Unused::OtherTags),
        };
        // An entry that the tags leave out decides neither place nor label of what it pins.
        order.sort_by_key(|index| (unused(&entries[*index]), entries[*index].scope));
        let report = |(index, scoped): (usize, &ScopedEntry)| {
            let kind = match scoped.entry.path.as_str() {
                _ if scoped.exact.is_some() => EntryKind::Literal,
                text if scoped.entry.is_exclusion() || text.is_empty() => EntryKind::Exclusion,
                text if crate::entry::pattern::has_wildcards(text) => EntryKind::Pattern,
                _ => EntryKind::Literal,
            };
            EntryReport { unused: unused(scoped), ..EntryReport::new(EntryId(index), kind) }
        };
        let reports = entries.iter().enumerate().map(report).collect();
        let (named, wanted, unwanted, skipped, refused, wary, withheld, built_in) = Default::default();
        Self {
            entries,
            options,
            order,
            reports,
            named,
            wanted,
            unwanted,
            skipped,
            refused,
            wary,
            withheld,
            built_in,
        }
    }

    fn entry(&self, rank: usize) -> &'a ScopedEntry {
        &self.entries[self.order[rank]]
    }

    fn report(&mut self, rank: usize) -> &mut EntryReport {
        &mut self.reports[self.order[rank]]
    }

    /// The repository's git directory is no place for documents, wherever it lies.
    fn leave_out_git(&mut self, ground: &Ground<'_>) {
        let starts = ground.tree.git_dirs().iter().filter_map(|git_dir| Start::of_existing(git_dir));
        self.unwanted.extend(starts.map(|start| Unwanted { entry: None, binds: Lists::ALL, start }));
    }

    fn resolve(&mut self, ground: &Ground<'_>, outputs: &Outputs) {
        for rank in 0..self.order.len() {
            if self.report(rank).kind == EntryKind::Text {
                continue;
            }
            let scoped = self.entry(rank);
            let entry = &scoped.entry;
            match self.report(rank).unused {
                Some(Unused::Off) => continue,
                Some(Unused::OtherTags) if !entry.attributes.pin => continue,
                Some(Unused::OtherTags) | None => {}
            }
            match resolve::resolve(scoped, ground) {
                Ok(Resolved::File(file)) => self.take_literal(rank, file, outputs),
                Ok(Resolved::Directory(start)) => {
                    self.report(rank).kind = EntryKind::Directory;
                    self.want(rank, vec![start], !self.options.recursive);
                }
                Ok(Resolved::Pattern(starts)) => self.want(rank, starts, false),
                Ok(Resolved::Hierarchy(found)) => self.take_hierarchy(rank, found, outputs),
                Ok(Resolved::Exclusion(starts)) => {
                    let binds = Lists::bound_by(self.entry(rank));
                    let unwanted = |start| Unwanted { entry: Some(rank), binds, start };
                    self.unwanted.extend(starts.into_iter().map(unwanted));
                }
                Err(problem) => self.refuse(rank, problem),
            }
        }
    }

    fn take_literal(&mut self, rank: usize, file: Named, outputs: &Outputs) {
        self.report(rank).kind = EntryKind::Literal;
        let asked = self.is_asked_for(rank);
        if asked && outputs.hold_path(|| file.canonical.clone()) {
            return self.refuse(rank, Problem::IsOutput);
        }
        if asked && outputs.holds(&file.metadata) {
            return self.refuse(rank, Problem::IsStandardOutput);
        }
        let secret = secret_names::secret_of(&file, self.options).filter(|_| !self.allows_secrets(rank));
        self.wary.extend(secret.map(|secret| (rank, secret)));
        self.named.push(RankedFile { rank, sequence: 0, file });
    }

    fn take_hierarchy(&mut self, rank: usize, found: Hierarchy, outputs: &Outputs) {
        self.report(rank).kind = EntryKind::Up;
        let allows_secrets = self.allows_secrets(rank);
        let mut refused = found.refused;
        for (sequence, file) in found.files.into_iter().enumerate() {
            let secret = secret_names::secret_of(&file, self.options).filter(|_| !allows_secrets);
            if let Some(kind) = secret {
                let label = Label::new(&file.given);
                refused.push(RefusedFile { label, problem: Problem::SecretName(kind) });
            } else if !outputs.hold_path(|| file.canonical.clone()) && !outputs.holds(&file.metadata) {
                self.named.push(RankedFile { rank, sequence, file });
            }
        }
        if self.is_asked_for(rank) {
            let entry = EntryId(self.order[rank]);
            let refused =
                refused.into_iter().map(|RefusedFile { label, problem }| Refused { entry, label, problem });
            self.refused.extend(refused);
        }
    }

    /// Notes what is wrong with an entry, if it was asked for.
    fn refuse(&mut self, rank: usize, problem: Problem) {
        if self.is_asked_for(rank) {
            self.report(rank).problem = Some(problem);
        }
    }

    /// Whether an entry has a tag that was asked for, or needs none. Another one that pins is looked at
    /// too: it brings no file, and pins those that others bring.
    fn is_asked_for(&self, rank: usize) -> bool {
        self.reports[self.order[rank]].is_used()
    }

    fn want(&mut self, rank: usize, starts: Vec<Start>, directory: bool) {
        let scoped = self.entry(rank);
        let rules = self.options.ignore_rules && scoped.entry.attributes.ignore;
        let secrets = self.allows_secrets(rank);
        let list = Lists::of(scoped);
        let wanted = |start| Wanted { entry: rank, list, start, rules, secrets, directory };
        self.wanted.extend(starts.into_iter().map(wanted));
    }

    fn note_obstacles(&mut self, obstacles: &[plan::Obstacle]) {
        for obstacle in obstacles {
            if !self.is_asked_for(obstacle.entry) {
                continue;
            }
            match &obstacle.reason {
                ObstacleReason::Ignored(by) => {
                    self.leave_out(obstacle.entry, &obstacle.given, Cause::Ignored(by.clone()));
                }
                ObstacleReason::Excluded(rank) => {
                    let id = EntryId(self.order[*rank]);
                    self.leave_out(obstacle.entry, &obstacle.given, Cause::Excluded(id));
                }
                ObstacleReason::Problem(problem) => {
                    self.report(obstacle.entry).problem = Some(problem.clone())
                }
                ObstacleReason::Skipped(reason) => {
                    let entries = vec![EntryId(self.order[obstacle.entry])];
                    let label = directory_label(&obstacle.given);
                    self.skipped.push(Skipped { label, reason: reason.clone(), entries });
                }
            }
        }
    }

    /// Notes a directory in which an entry is not looked for.
    fn leave_out(&mut self, rank: usize, given: &str, cause: Cause) {
        let left_out = LeftOut { label: directory_label(given), directory: true, whole: true, cause };
        self.report(rank).left_out.get_or_insert(left_out);
    }

    fn literals(&mut self) -> Vec<Candidate> {
        let named = std::mem::take(&mut self.named);
        named.into_iter().map(|one| Candidate::named(one.rank, one.sequence, one.file)).collect()
    }

    /// Takes up what a walk says beside what it found.
    fn take_up(&mut self, part: Yield, walk: &Walk<'_>) -> Vec<Found> {
        for (pattern, count) in walk.patterns.iter().zip(&part.subdirectories) {
            if !self.is_asked_for(pattern.entry) {
                continue;
            }
            self.report(pattern.entry).left_out_subdirectories += count;
        }
        for (pattern, left_out) in walk.patterns.iter().zip(part.left_out) {
            if let Some(left_out) = left_out.filter(|_| self.is_asked_for(pattern.entry)) {
                self.take_up_left_out(pattern, left_out);
            }
        }
        for passed in part.passed_over {
            self.pass_over(passed, walk);
        }
        for IgnoredFile { relative, patterns } in part.built_in {
            let ranks = patterns.iter().map(|index| walk.pattern(*index).entry);
            let ranks = ranks.filter(|rank| self.is_asked_for(*rank)).collect();
            self.built_in.note(walk.tree.path(), &tree::path_of(&relative), ranks);
        }
        part.found
    }

    /// Keeps the first of what an entry would have matched, whichever thread came upon it.
    fn take_up_left_out(&mut self, pattern: &walk::Pattern, found: walk::LeftOutFile) {
        let label = Label::new(&merge::given(pattern, &found.relative));
        let cause = match found.cause {
            walk::LeftOutCause::Ignored(by) => Cause::Ignored(by),
            walk::LeftOutCause::DotFile => Cause::DotFile,
            walk::LeftOutCause::Excluded(rank) => Cause::Excluded(EntryId(self.order[rank])),
        };
        let new = LeftOut { label, directory: found.directory, whole: false, cause };
        let known = &mut self.report(pattern.entry).left_out;
        let is_first = |known: &LeftOut| (new.directory, &new.label) < (known.directory, &known.label);
        if known.as_ref().is_none_or(is_first) {
            *known = Some(new);
        }
    }

    fn pass_over(&mut self, passed: PassedOver, walk: &Walk<'_>) {
        let patterns = passed.patterns.iter().map(|index| walk.pattern(*index));
        let asked = patterns.filter(|pattern| self.is_asked_for(pattern.entry));
        let Some(first) = asked.clone().min_by_key(|one| one.entry) else { return };
        let given = merge::given(first, &passed.relative);
        let label = if given.is_empty() { directory_label("") } else { Label::new(&given) };
        let mut ranks: Vec<usize> = asked.map(|pattern| pattern.entry).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let entries = ranks.iter().map(|rank| EntryId(self.order[*rank])).collect();
        let skipped = Skipped { label, reason: passed.reason, entries };
        if let SkipReason::SecretName(_) = skipped.reason {
            let path = walk.tree.path().join(tree::path_of(&passed.relative));
            self.withheld.push(Withheld { path, ranks, skipped });
        } else {
            self.skipped.push(skipped);
        }
    }

    fn asks_for(&self, candidate: &Candidate) -> bool {
        candidate.entries().iter().any(|rank| self.is_asked_for(*rank))
    }

    /// Whether an entry is a file that the command line names.
    fn is_typed_literal(&self, rank: usize) -> bool {
        let index = self.order[rank];
        self.reports[index].kind == EntryKind::Literal && self.entries[index].author == Author::CommandLine
    }

    fn count(&mut self, candidates: &[Candidate]) {
        for rank in candidates.iter().flat_map(Candidate::entries) {
            if self.is_asked_for(*rank) {
                self.report(*rank).matches += 1;
            }
        }
    }

    /// The first of the entries, if all that are asked for are only searched.
    fn searched(&self, ranks: &[usize]) -> Option<EntryId> {
        let asked = || ranks.iter().filter(|rank| self.is_asked_for(**rank)).map(|rank| self.order[*rank]);
        let first = asked().next()?;
        asked().all(|index| self.entries[index].entry.attributes.search).then_some(EntryId(first))
    }

    fn brought(&self, ranks: &[usize]) -> Brought {
        let mut brought = Brought::default();
        let asked = ranks.iter().filter(|rank| self.is_asked_for(**rank));
        let levels = asked.map(|rank| self.entries[self.order[*rank]].entry.attributes.level);
        brought.level = levels.max().unwrap_or_default();
        brought.searched = self.searched(ranks);
        for rank in ranks {
            let index = self.order[*rank];
            let attributes = &self.entries[index].entry.attributes;
            match self.is_asked_for(*rank) {
                true => brought.unite_used(EntryId(index), &self.entries[index]),
                false => brought.unite(EntryId(index), attributes),
            }
            let is_literal = self.reports[index].kind == EntryKind::Literal;
            brought.named |= is_literal || self.reports[index].kind == EntryKind::Up;
            brought.typed |= self.is_typed_literal(*rank);
            brought.unfiltered |= self.is_typed_literal(*rank);
        }
        brought
    }
}

fn directory_label(given: &str) -> Label {
    Label::new(if given.is_empty() { b"." } else { given.as_bytes() })
}

#[cfg(test)]
mod tests;
