//! The state of one selection.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use super::built_in;
use super::exclusions::Unwanted;
use super::file::{Brought, EntryId};
use super::ground::{Ground, Named};
use super::hierarchy::{Hierarchy, RefusedFile};
use super::label::Label;
use super::merge::{self, PlacedFile};
use super::options::{Bounds, Options};
use super::outputs::Outputs;
use super::plan::{self, ObstacleReason, Wanted};
use super::report::{
    Cause, EntryKind, EntryReport, LeftOut, LeftOutByFiles, Problem, Refused, Removal, Unused,
};
use super::resolve::{self, Resolved, Start};
use super::skipped::{SkipReason, Skipped};
use super::tree;
use super::walk::{self, FoundFile, IgnoredFile, OwnIgnored, PassedOver, Walk, Yield};
use super::withheld::Withheld;
use crate::entry::component::Component;
use crate::entry::lists::Lists;
use crate::entry::pattern::TargetError;
use crate::entry::{Author, ScopedEntry};

/// The state of one selection. Entries are known by their rank: global ones first.
pub(super) struct Selection<'a> {
    pub(super) entries: &'a [ScopedEntry],
    pub(super) options: &'a Options,
    pub(super) order: Vec<usize>,
    pub(super) reports: Vec<EntryReport>,
    named: Vec<RankedFile>,
    pub(super) wanted: Vec<Wanted>,
    pub(super) unwanted: Vec<Unwanted>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) refused: Vec<Refused>,
    /// The entries that name a file whose name suggests secrets without allowing it, with what the name suggests.
    pub(super) secret_literals: BTreeMap<usize, &'static str>,
    pub(super) withheld: Vec<Withheld>,
    /// Files that the built-in ignore file leaves out.
    pub(super) built_in: built_in::Ignored,
    /// What `.ignore` and `.ctxignore` leave out: paths, and whether each is a directory.
    pub(super) by_own_files: BTreeSet<(PathBuf, bool)>,
}

/// How many entries may name the same directory in one command: what it holds is matched for each of them.
const MAX_SPELLINGS: usize = 64;

struct RankedFile {
    rank: usize,
    /// Its place among the files of the entry.
    sequence: usize,
    file: Named,
}

impl<'a> Selection<'a> {
    pub(super) fn new(entries: &'a [ScopedEntry], options: &'a Options) -> Self {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        // What is named for this one block has no tags, and is wanted all the same.
        let asked = |tag: &String, scoped: &ScopedEntry| scoped.entry.attributes.tags.contains(tag);
        let has_other_tags = |scoped: &ScopedEntry| {
            let is_free = scoped.scope.is_for_one_block() || scoped.entry.is_exclusion();
            !is_free && !options.tags.is_empty() && !options.tags.iter().any(|tag| asked(tag, scoped))
        };
        let unused = |scoped: &ScopedEntry| {
            if scoped.entry.attributes.off {
                Some(Unused::Off)
            } else {
                has_other_tags(scoped).then_some(Unused::OtherTags)
            }
        };
        order.sort_by_key(|index| entries[*index].scope);
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
        let (named, wanted, unwanted, skipped, refused, secret_literals, withheld, built_in, by_own_files) =
            Default::default();
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
            secret_literals,
            withheld,
            built_in,
            by_own_files,
        }
    }

    pub(super) fn entry(&self, rank: usize) -> &'a ScopedEntry {
        &self.entries[self.order[rank]]
    }

    pub(super) fn report(&mut self, rank: usize) -> &mut EntryReport {
        &mut self.reports[self.order[rank]]
    }

    /// The repository's git directory is no place for documents, wherever it lies.
    pub(super) fn leave_out_git(&mut self, ground: &Ground<'_>) {
        let starts = ground.tree.git_dirs().iter().filter_map(|git_dir| Start::of_existing(git_dir));
        self.unwanted.extend(starts.map(|start| Unwanted { entry: None, binds: Lists::ALL, start }));
    }

    /// How much may be looked through, where that is not in a repository or project.
    pub(super) fn bounds(&self, ground: &Ground<'_>) -> Option<Bounds> {
        let is_in_repository = !ground.tree.git_dirs().is_empty() || ground.world.project.is_some();
        let is_inside = |one: &Wanted| is_in_repository && ground.tree.contains(&one.start.root);
        (self.options.looks_through && !self.wanted.iter().all(is_inside)).then_some(Bounds::OUTSIDE)
    }

    /// Another worktree of the repository holds the same files once more: it is not looked through unless it is named.
    pub(super) fn leave_out_worktrees(&mut self, ground: &Ground<'_>) {
        if !self.options.looks_through {
            return;
        }
        let is_named =
            |worktree: &PathBuf| self.wanted.iter().any(|one| one.start.root.starts_with(worktree));
        let others = ground.tree.linked_worktrees().into_iter().filter(|worktree| !is_named(worktree));
        let starts: Vec<Start> = others.filter_map(|worktree| Start::of_existing(&worktree)).collect();
        let unwanted = |start| Unwanted { entry: None, binds: Lists::FOR_ONE_BLOCK, start };
        self.unwanted.extend(starts.into_iter().map(unwanted));
    }

    pub(super) fn resolve(&mut self, ground: &Ground<'_>, outputs: &Outputs) {
        let surplus = resolve::surplus(self.entries, ground);
        let mut directories: HashMap<PathBuf, usize> = HashMap::new();
        for rank in 0..self.order.len() {
            if self.report(rank).kind == EntryKind::Text {
                continue;
            }
            if !self.report(rank).is_used() {
                continue;
            }
            if let Some(error) = surplus.get(&EntryId(self.order[rank])) {
                self.refuse(rank, Problem::Invalid(error.clone()));
                continue;
            }
            match resolve::resolve(self.entry(rank), ground) {
                Ok(Resolved::File(file)) => self.take_literal(rank, file, outputs),
                Ok(Resolved::Directory(start)) => {
                    self.report(rank).kind = EntryKind::Directory;
                    let is_shallow = start.glob.components.first() == Some(&Component::Any);
                    let spellings = directories.entry(start.root.clone()).or_default();
                    *spellings += 1;
                    if *spellings > MAX_SPELLINGS {
                        self.refuse(rank, Problem::Invalid(TargetError::TooManyPatterns));
                    } else {
                        self.want(rank, vec![start], is_shallow);
                    }
                }
                Ok(Resolved::Pattern(starts)) => self.want(rank, starts, false),
                Ok(Resolved::Hierarchy(found)) => self.take_hierarchy(rank, found, outputs),
                Ok(Resolved::Exclusion(starts)) => {
                    let for_one_block =
                        if self.options.looks_through { Lists::FOR_ONE_BLOCK } else { Lists::NONE };
                    let binds = Lists::bound_by(self.entry(rank)).and(for_one_block);
                    let unwanted = |start| Unwanted { entry: Some(rank), binds, start };
                    self.unwanted.extend(starts.into_iter().map(unwanted));
                }
                Err(problem) => self.refuse(rank, problem),
            }
        }
    }

    fn take_literal(&mut self, rank: usize, file: Named, outputs: &Outputs) {
        self.report(rank).kind = EntryKind::Literal;
        if outputs.hold_path(|| file.canonical.clone()) {
            return self.refuse(rank, Problem::IsOutput);
        }
        if outputs.holds(&file.metadata) {
            return self.refuse(rank, Problem::IsStandardOutput);
        }
        let secret = file.secret(self.options).filter(|_| !self.allows_secrets(rank));
        self.secret_literals.extend(secret.map(|secret| (rank, secret)));
        self.named.push(RankedFile { rank, sequence: 0, file });
    }

    fn take_hierarchy(&mut self, rank: usize, found: Hierarchy, outputs: &Outputs) {
        self.report(rank).kind = EntryKind::Up;
        let allows_secrets = self.allows_secrets(rank);
        let mut refused = found.refused;
        for (sequence, file) in found.files.into_iter().enumerate() {
            let secret = file.secret(self.options).filter(|_| !allows_secrets);
            if let Some(kind) = secret {
                let label = Label::new(&file.given);
                refused.push(RefusedFile { label, problem: Problem::SecretName(kind) });
            } else if !outputs.hold_path(|| file.canonical.clone()) && !outputs.holds(&file.metadata) {
                self.named.push(RankedFile { rank, sequence, file });
            }
        }
        let entry = EntryId(self.order[rank]);
        let refused =
            refused.into_iter().map(|RefusedFile { label, problem }| Refused { entry, label, problem });
        self.refused.extend(refused);
    }

    /// Notes what is wrong with an entry.
    pub(super) fn refuse(&mut self, rank: usize, problem: Problem) {
        self.report(rank).problem = Some(problem);
    }

    fn want(&mut self, rank: usize, starts: Vec<Start>, directory: bool) {
        let scoped = self.entry(rank);
        let rules = self.options.ignore_rules && scoped.entry.attributes.ignore;
        let secrets = self.allows_secrets(rank);
        let list = Lists::of(scoped);
        let wanted = |start| Wanted { entry: rank, list, start, rules, secrets, directory };
        self.wanted.extend(starts.into_iter().map(wanted));
    }

    pub(super) fn note_obstacles(&mut self, obstacles: &[plan::Obstacle]) {
        for obstacle in obstacles {
            if let ObstacleReason::Excluded(rank) = obstacle.reason {
                self.report(rank).removal = Removal::Something;
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

    /// Says of entries that match nothing what they would have matched, had it not been skipped.
    pub(super) fn note_skipped(&mut self) {
        let is_idle = |report: &&mut EntryReport| {
            report.matches == 0 && report.problem.is_none() && report.left_out.is_none()
        };
        let is_of_directory = |reason: &SkipReason| {
            matches!(reason, SkipReason::UnsafeRules(_) | SkipReason::UnreadableDirectory(_))
        };
        let mut first: BTreeMap<EntryId, &Skipped> = BTreeMap::new();
        let is_told_otherwise = |skipped: &&Skipped| matches!(skipped.reason, SkipReason::SecretName(_));
        for skipped in self.skipped.iter().filter(|skipped| !is_told_otherwise(skipped)) {
            for id in &skipped.entries {
                first.entry(*id).or_insert(skipped);
            }
        }
        for report in self.reports.iter_mut().filter(is_idle) {
            report.left_out = first.get(&report.id).map(|skipped| LeftOut {
                label: skipped.label.clone(),
                directory: is_of_directory(&skipped.reason),
                whole: false,
                cause: Cause::Skipped(skipped.reason.clone()),
            });
        }
    }

    /// Notes a directory in which an entry is not looked for.
    fn leave_out(&mut self, rank: usize, given: &str, cause: Cause) {
        let left_out = LeftOut { label: directory_label(given), directory: true, whole: true, cause };
        self.keep_first(rank, left_out);
    }

    /// Keeps the first of what an entry would have matched, whoever came upon it.
    fn keep_first(&mut self, rank: usize, new: LeftOut) {
        let known = &mut self.report(rank).left_out;
        let is_first = |known: &LeftOut| (new.directory, &new.label) < (known.directory, &known.label);
        if known.as_ref().is_none_or(is_first) {
            *known = Some(new);
        }
    }

    pub(super) fn literals(&mut self) -> Vec<PlacedFile> {
        let named = std::mem::take(&mut self.named);
        named.into_iter().map(|one| PlacedFile::named(one.rank, one.sequence, one.file)).collect()
    }

    /// Adds what a walk says beside what it found.
    pub(super) fn take_up(&mut self, part: Yield, walk: &Walk<'_>) -> Vec<FoundFile> {
        for (pattern, count) in walk.patterns.iter().zip(&part.subdirectories) {
            self.report(pattern.entry).left_out_subdirectories += count;
        }
        for (pattern, left_out) in walk.patterns.iter().zip(part.left_out) {
            if let Some(left_out) = left_out {
                self.take_up_left_out(pattern, left_out);
            }
        }
        for passed in part.passed_over {
            self.pass_over(passed, walk);
        }
        let mut brings = merge::Brings::default();
        for IgnoredFile { relative, patterns } in part.built_in {
            let ranks = brings.entries(&patterns, walk);
            self.built_in.note(walk.tree.path().join(tree::path_of(&relative)), &ranks);
        }
        for OwnIgnored { relative, directory } in part.by_own_files {
            self.by_own_files.insert((walk.tree.path().join(tree::path_of(&relative)), directory));
        }
        part.found
    }

    /// How much `.ignore` and `.ctxignore` leave out.
    pub(super) fn left_out_by_own_files(&self) -> LeftOutByFiles {
        let directories = self.by_own_files.iter().filter(|(_, directory)| *directory).count();
        LeftOutByFiles { files: self.by_own_files.len() - directories, directories }
    }

    fn take_up_left_out(&mut self, pattern: &walk::Pattern, found: walk::LeftOutFile) {
        let label = Label::new(&merge::given(pattern, &found.relative));
        let cause = match found.cause {
            walk::LeftOutCause::Ignored(by) => Cause::Ignored(by),
            walk::LeftOutCause::DotFile => Cause::DotFile,
            walk::LeftOutCause::Excluded(rank) => Cause::Excluded(EntryId(self.order[rank])),
        };
        self.keep_first(pattern.entry, LeftOut { label, directory: found.directory, whole: false, cause });
    }

    pub(super) fn pass_over(&mut self, passed: PassedOver, walk: &Walk<'_>) {
        let patterns = passed.patterns.iter().map(|index| walk.pattern(*index));
        let Some(first) = patterns.clone().min_by_key(|one| one.entry) else { return };
        let given = merge::given(first, &passed.relative);
        let label = if given.is_empty() { directory_label("") } else { Label::new(&given) };
        let mut ranks: Vec<usize> = patterns.map(|pattern| pattern.entry).collect();
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

    /// Whether an entry is a file that the command line names.
    pub(super) fn is_typed_literal(&self, rank: usize) -> bool {
        let index = self.order[rank];
        self.reports[index].kind == EntryKind::Literal && self.entries[index].author == Author::CommandLine
    }

    pub(super) fn count(&mut self, candidates: &[PlacedFile]) {
        for rank in candidates.iter().flat_map(PlacedFile::entries) {
            self.report(*rank).matches += 1;
        }
    }

    /// The first of the entries, if every one of them is only searched.
    pub(super) fn searched(&self, ranks: &[usize]) -> Option<EntryId> {
        let index = |rank: &usize| self.order[*rank];
        let mut indices = ranks.iter().map(index).filter(|index| !self.entries[*index].is_whole()).peekable();
        let first = *indices.peek()?;
        indices.all(|index| self.entries[index].entry.attributes.search).then_some(EntryId(first))
    }

    pub(super) fn brought(&self, ranks: &[usize]) -> Brought {
        let mut brought = Brought::default();
        let levels = ranks.iter().map(|rank| self.entries[self.order[*rank]].entry.attributes.level);
        brought.level = levels.max().unwrap_or_default();
        brought.searched = self.searched(ranks);
        for rank in ranks {
            let index = self.order[*rank];
            brought.unite(EntryId(index), &self.entries[index]);
            let is_literal = self.reports[index].kind == EntryKind::Literal;
            brought.named |= is_literal || self.reports[index].kind == EntryKind::Up;
            brought.typed |= self.is_typed_literal(*rank);
        }
        brought
    }
}

fn directory_label(given: &str) -> Label {
    Label::new(if given.is_empty() { b"." } else { given.as_bytes() })
}
