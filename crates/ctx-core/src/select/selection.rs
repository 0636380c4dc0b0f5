//! The state of one selection.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::exclusions::Exclusions;
use super::fate::{EntryFate, EntryKind, EntryReport, Idle};
use super::file::{EntryId, SelectedBy};
use super::label::Label;
use super::merge::{self, PlacedFile};
use super::missed::{Missed, MissedReason};
use super::options::{LookThroughBounds, Options};
use super::outputs::Outputs;
use super::problem::Problem;
use super::resolve::{self, Resolved, Start};
use super::resolver::{Level, NamedFile, PathResolver, called};
use super::walk::{FoundFile, MissedPath, Pattern, PatternWalk, Yield};
use super::walk_plan::Obstacle;
use crate::entry::component::Component;
use crate::entry::lists::Lists;
use crate::entry::pattern::{self, TargetError};
use crate::entry::{Allowance, Author, Scope, ScopedEntry};
use crate::fs::directory;
use crate::project::DIRECTORY;

/// The state of one selection. Entries are identified by their rank: global ones first.
pub(super) struct Selection<'a> {
    pub(super) entries: &'a [ScopedEntry],
    pub(super) options: &'a Options,
    pub(super) order: Vec<usize>,
    pub(super) reports: Vec<EntryReport>,
    pub(super) named: Vec<PlacedFile>,
    /// The patterns, by the directory where they start.
    pub(super) included: BTreeMap<PathBuf, Vec<Pattern>>,
    pub(super) exclusions: Exclusions,
    pub(super) skipped: Vec<Missed>,
    pub(super) refused: Vec<Missed>,
    /// The entries that name a file whose name suggests secrets without allowing it, with the kind.
    pub(super) secret_literals: BTreeMap<usize, &'static str>,
    /// Files that patterns skip because their names suggest secrets, by path.
    pub(super) secret_files: BTreeMap<PathBuf, Missed>,
    /// Files that the built-in ignore file excludes, with the ranks of the entries that would have matched them.
    pub(super) built_in: BTreeMap<PathBuf, Arc<[usize]>>,
    /// Files that `.ignore` and `.ctxignore` exclude.
    pub(super) own_ignored_files: BTreeSet<PathBuf>,
    /// Directories that they exclude.
    pub(super) own_ignored_directories: BTreeSet<PathBuf>,
    /// Paths that a project's exclusions leave out, and whether each is a directory.
    pub(super) by_project: BTreeSet<(PathBuf, bool)>,
}

/// How many entries of one command may name the same directory, since its contents are matched for each of them.
const MAX_SPELLINGS: usize = 64;

impl<'a> Selection<'a> {
    pub(super) fn new(entries: &'a [ScopedEntry], options: &'a Options) -> Self {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        // Entries for this one block have no tags, and are always included.
        let asked = |tag: &String, scoped: &ScopedEntry| scoped.entry.attributes.tags.contains(tag);
        let has_other_tags = |scoped: &ScopedEntry| {
            let is_free = scoped.scope.is_for_one_block() || scoped.entry.is_exclusion();
            !is_free && !options.tags.is_empty() && !options.tags.iter().any(|tag| asked(tag, scoped))
        };
        let fate = |scoped: &ScopedEntry| {
            if scoped.entry.attributes.off {
                EntryFate::Off
            } else if has_other_tags(scoped) {
                EntryFate::OtherTags
            } else if scoped.entry.is_exclusion() {
                EntryFate::ExcludesNothing(Idle::Unmatched)
            } else {
                EntryFate::Nothing(None)
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
            EntryReport {
                id: EntryId(index),
                kind,
                fate: fate(scoped),
                matches: 0,
                left_out_subdirectories: 0,
                left_out_secrets: 0,
                left_out_built_in: 0,
            }
        };
        Self {
            entries,
            options,
            order,
            reports: entries.iter().enumerate().map(report).collect(),
            named: Vec::new(),
            included: BTreeMap::new(),
            exclusions: Exclusions::default(),
            skipped: Vec::new(),
            refused: Vec::new(),
            secret_literals: BTreeMap::new(),
            secret_files: BTreeMap::new(),
            built_in: BTreeMap::new(),
            own_ignored_files: BTreeSet::new(),
            own_ignored_directories: BTreeSet::new(),
            by_project: BTreeSet::new(),
        }
    }

    pub(super) fn entry(&self, rank: usize) -> &'a ScopedEntry {
        &self.entries[self.order[rank]]
    }

    pub(super) fn id(&self, rank: usize) -> EntryId {
        EntryId(self.order[rank])
    }

    pub(super) fn report(&mut self, rank: usize) -> &mut EntryReport {
        &mut self.reports[self.order[rank]]
    }

    /// Notes which entries stand for texts, and counts the available texts.
    pub(super) fn count_texts(&mut self) {
        for id in self.options.texts.iter().chain(&self.options.provided) {
            self.reports[id.0].kind = EntryKind::Text;
        }
        for id in &self.options.provided {
            self.reports[id.0].matches += 1;
        }
    }

    /// The repository's git directory is not searched for documents, wherever it is.
    pub(super) fn leave_out_git(&mut self, resolver: &PathResolver<'_>) {
        let starts = resolver.tree.git_dirs().iter().filter_map(|git_dir| Start::of_existing(git_dir));
        self.exclusions.add(None, Lists::ALL, starts);
    }

    /// The limits of a search outside a repository or project.
    pub(super) fn bounds(&self, resolver: &PathResolver<'_>) -> Option<LookThroughBounds> {
        let is_in_repository = !resolver.tree.git_dirs().is_empty() || resolver.world.project.is_some();
        let is_inside = |root: &PathBuf| is_in_repository && resolver.tree.contains(root);
        (self.options.looks_through && !self.included.keys().all(is_inside))
            .then_some(LookThroughBounds::OUTSIDE)
    }

    /// Another worktree of the repository contains the same files again, so it is only searched if named.
    pub(super) fn leave_out_worktrees(&mut self, resolver: &PathResolver<'_>) {
        if !self.options.looks_through {
            return;
        }
        let is_named = |worktree: &PathBuf| self.included.keys().any(|root| root.starts_with(worktree));
        let others = resolver.tree.linked_worktrees().into_iter().filter(|worktree| !is_named(worktree));
        let starts = others.filter_map(|worktree| Start::of_existing(&worktree));
        self.exclusions.add(None, Lists::FOR_ONE_BLOCK, starts);
    }

    /// ctx's lists and settings are not documents: any instructions in them are meant for its users. They are only
    /// searched if named.
    pub(super) fn leave_out_lists(&mut self) {
        let is_in_lists = |path: &Path| path.iter().any(|name| name == DIRECTORY);
        if !self.options.looks_through || self.included.keys().any(|root| is_in_lists(root)) {
            return;
        }
        let globs = pattern::exclusion(&format!("**/{DIRECTORY}")).unwrap_or_default();
        let starts = self.included.keys().flat_map(|root| {
            globs.iter().map(|glob| Start { root: root.clone(), given: String::new(), glob: glob.clone() })
        });
        self.exclusions.add(None, Lists::FOR_ONE_BLOCK, starts);
    }

    pub(super) fn resolve(&mut self, resolver: &PathResolver<'_>, outputs: &Outputs) {
        let surplus = resolve::surplus(self.entries, resolver);
        let mut directories: HashMap<PathBuf, usize> = HashMap::new();
        for rank in 0..self.order.len() {
            if self.report(rank).kind == EntryKind::Text || !self.report(rank).is_used() {
                continue;
            }
            if let Some(error) = surplus.get(&EntryId(self.order[rank])) {
                self.refuse(rank, Problem::Invalid(error.clone()));
                continue;
            }
            match resolve::resolve(self.entry(rank), resolver) {
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
                Ok(Resolved::Hierarchy(levels)) => self.take_hierarchy(rank, levels, resolver, outputs),
                Ok(Resolved::Exclusion(starts)) => {
                    let for_one_block =
                        if self.options.looks_through { Lists::FOR_ONE_BLOCK } else { Lists::NONE };
                    let binds = Lists::bound_by(self.entry(rank)).and(for_one_block);
                    self.exclusions.add(Some(self.id(rank)), binds, starts);
                }
                Err(problem) => self.refuse(rank, problem),
            }
        }
    }

    fn take_literal(&mut self, rank: usize, file: NamedFile, outputs: &Outputs) {
        self.report(rank).kind = EntryKind::Literal;
        if outputs.hold_path(|| file.canonical.clone()) {
            return self.refuse(rank, Problem::IsOutput);
        }
        if outputs.holds(&file.metadata) {
            return self.refuse(rank, Problem::IsStandardOutput);
        }
        let secret = file.secret(self.options).filter(|_| !self.allows_secrets(rank));
        self.secret_literals.extend(secret.map(|secret| (rank, secret)));
        self.named.push(PlacedFile::named(rank, 0, file));
    }

    fn take_hierarchy(
        &mut self,
        rank: usize,
        levels: Vec<Level>,
        resolver: &PathResolver<'_>,
        outputs: &Outputs,
    ) {
        self.report(rank).kind = EntryKind::Up;
        let entries = vec![self.id(rank)];
        let refused = |path: &[u8], problem| Missed {
            label: Label::new(path),
            why: MissedReason::Problem(problem),
            is_directory: false,
            entries: entries.clone(),
        };
        for (sequence, Level { path, found, .. }) in levels.into_iter().enumerate() {
            match found {
                None => {}
                Some((name, Err(problem))) => {
                    let path = called(&path.join(name), resolver.world);
                    self.refused.push(refused(&path, problem));
                }
                Some((_, Ok(file))) => {
                    let secret = file.secret(self.options).filter(|_| !self.allows_secrets(rank));
                    if let Some(kind) = secret {
                        self.refused.push(refused(&file.given, Problem::SecretName(kind)));
                    } else if !outputs.hold_path(|| file.canonical.clone()) && !outputs.holds(&file.metadata)
                    {
                        self.named.push(PlacedFile::named(rank, sequence, file));
                    }
                }
            }
        }
    }

    /// Notes the problem with an entry.
    pub(super) fn refuse(&mut self, rank: usize, problem: Problem) {
        self.report(rank).fate = problem.into();
    }

    fn want(&mut self, rank: usize, starts: Vec<Start>, directory: bool) {
        let scoped = self.entry(rank);
        let rules = self.options.ignore_rules && !scoped.entry.attributes.allow.has(Allowance::Ignored);
        let secrets = self.allows_secrets(rank);
        let list = Lists::of(scoped);
        for Start { root, given, glob } in starts {
            let components = glob.components;
            let pattern =
                Pattern { entry: rank, list, components, given, skip: 0, rules, secrets, directory };
            self.included.entry(root).or_default().push(pattern);
        }
    }

    pub(super) fn note_obstacles(&mut self, obstacles: Vec<Obstacle>) {
        for Obstacle { entry, given, why } in obstacles {
            let entries = vec![self.id(entry)];
            let missed = Missed { label: directory_label(&given), why, is_directory: true, entries };
            match &missed.why {
                MissedReason::Problem(problem) => self.refuse(entry, problem.clone()),
                MissedReason::Excluded(id) => {
                    self.reports[id.0].fate = EntryFate::Excludes(None);
                    self.keep_first(entry, missed);
                }
                MissedReason::Ignored(_) | MissedReason::DotFile => self.keep_first(entry, missed),
                MissedReason::UnsafeRules(_)
                | MissedReason::LeavesDirectory
                | MissedReason::LeavesTree
                | MissedReason::BrokenLink
                | MissedReason::TooManyLinks
                | MissedReason::UnreadableDirectory(_)
                | MissedReason::NotRegular => self.skipped.push(missed),
            }
        }
    }

    /// Sets the fate of each entry, now that all files are counted. An entry that matches nothing gets the first
    /// thing that it would have matched if it had not been skipped.
    pub(super) fn settle(&mut self) {
        let mut first: BTreeMap<EntryId, &Missed> = BTreeMap::new();
        for missed in self.skipped.iter().filter(|missed| !missed.why.is_secret_name()) {
            for id in &missed.entries {
                first.entry(*id).or_insert(missed);
            }
        }
        for report in &mut self.reports {
            // The fates of the others are already known.
            let EntryFate::Nothing(missed) = &mut report.fate else { continue };
            if report.matches > 0 {
                report.fate = EntryFate::Brings;
            } else if missed.is_none() {
                *missed = first.get(&report.id).copied().cloned();
            }
        }
    }

    /// Keeps the first of the things that an entry would have matched, whoever found it.
    fn keep_first(&mut self, rank: usize, new: Missed) {
        let comes_before =
            |known: &Missed| (new.is_directory, &new.label) < (known.is_directory, &known.label);
        if let EntryFate::Nothing(known) = &mut self.report(rank).fate
            && known.as_ref().is_none_or(comes_before)
        {
            *known = Some(new);
        }
    }

    /// Adds the other results of a walk.
    pub(super) fn take_up(&mut self, part: Yield, walk: &PatternWalk<'_>) -> Vec<FoundFile> {
        for (pattern, count) in walk.patterns.iter().zip(&part.subdirectories) {
            self.report(pattern.entry).left_out_subdirectories += count;
        }
        for missed in part.missed.into_iter().flatten() {
            if let Some(first) = first_of(&missed, walk) {
                let missed = self.labelled(missed, walk);
                self.keep_first(first, missed);
            }
        }
        for skipped in part.skipped {
            self.skip(skipped, walk);
        }
        let mut brings = merge::Brings::default();
        let path = |relative: &[u8]| walk.tree.path().join(directory::path_of(relative));
        for FoundFile { relative, patterns, .. } in part.built_in {
            let ranks = brings.entries(&patterns, walk);
            let known = self.built_in.entry(path(&relative)).or_insert_with(|| Arc::clone(&ranks));
            if *known != ranks {
                let all: BTreeSet<usize> = known.iter().chain(ranks.iter()).copied().collect();
                *known = all.into_iter().collect();
            }
        }
        self.own_ignored_files.extend(part.own_ignored_files.iter().map(|relative| path(relative)));
        self.own_ignored_directories
            .extend(part.own_ignored_directories.iter().map(|relative| path(relative)));
        for MissedPath { relative, is_directory, why, .. } in part.by_exclusions {
            let is_of_project = |id: &EntryId| self.entries[id.0].scope == Scope::Project;
            if matches!(&why, MissedReason::Excluded(id) if is_of_project(id)) {
                self.by_project.insert((path(&relative), is_directory));
            }
        }
        part.found
    }

    fn skip(&mut self, skipped: MissedPath, walk: &PatternWalk<'_>) {
        let path = walk.tree.path().join(directory::path_of(&skipped.relative));
        let missed = self.labelled(skipped, walk);
        if !missed.why.is_secret_name() {
            return self.skipped.push(missed);
        }
        // Each file once, with every entry that would have selected it, however many walks found it.
        match self.secret_files.entry(path) {
            Entry::Vacant(free) => drop(free.insert(missed)),
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                known.label = known.label.clone().min(missed.label);
                known.entries.extend(missed.entries);
                known.entries.sort_unstable();
                known.entries.dedup();
            }
        }
    }

    /// A path that a walk missed, named as in the first of its entries.
    fn labelled(&self, missed: MissedPath, walk: &PatternWalk<'_>) -> Missed {
        let MissedPath { relative, is_directory, why, patterns } = missed;
        let patterns = patterns.iter().map(|index| walk.pattern(*index));
        let mut ranks: Vec<usize> = patterns.clone().map(|pattern| pattern.entry).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let first = patterns.min_by_key(|pattern| pattern.entry);
        let given = first.map(|first| merge::given(first, &relative)).unwrap_or_default();
        let label = if given.is_empty() { directory_label("") } else { Label::new(&given) };
        let entries = ranks.into_iter().map(|rank| self.id(rank)).collect();
        Missed { label, why, is_directory, entries }
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

    /// The first of the entries, if all of them are only searched.
    pub(super) fn searched(&self, ranks: &[usize]) -> Option<EntryId> {
        let index = |rank: &usize| self.order[*rank];
        let mut indices = ranks.iter().map(index).filter(|index| !self.entries[*index].is_whole()).peekable();
        let first = *indices.peek()?;
        indices.all(|index| self.entries[index].entry.attributes.search).then_some(EntryId(first))
    }

    pub(super) fn selected_by(&self, ranks: &[usize]) -> SelectedBy {
        let mut selected_by = SelectedBy::default();
        let levels = ranks.iter().map(|rank| self.entries[self.order[*rank]].entry.attributes.level);
        selected_by.level = levels.max().unwrap_or_default();
        selected_by.searched = self.searched(ranks);
        for rank in ranks {
            let index = self.order[*rank];
            selected_by.unite(EntryId(index), &self.entries[index]);
            let is_literal = self.reports[index].kind == EntryKind::Literal;
            selected_by.named |= is_literal || self.reports[index].kind == EntryKind::Up;
            selected_by.typed |= self.is_typed_literal(*rank);
        }
        selected_by
    }
}

/// The rank of the first of the entries that would have matched.
fn first_of(missed: &MissedPath, walk: &PatternWalk<'_>) -> Option<usize> {
    missed.patterns.iter().map(|index| walk.pattern(*index).entry).min()
}

fn directory_label(given: &str) -> Label {
    Label::new(if given.is_empty() { b"." } else { given.as_bytes() })
}
