//! The state of one selection.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::exclusions::Exclusions;
use super::fate::{EntryFate, EntryKind, EntryReport, Idle};
use super::file::{EntryId, PromptReference, SelectedBy};
use super::ignore_rules::kept_from_models;
use super::label::Label;
use super::merge::PlacedFile;
use super::missed::{Missed, MissedReason};
use super::options::Options;
use super::outputs::Outputs;
use super::problem::Problem;
use super::resolve::{self, Resolved, Start};
use super::resolver::{Level, NamedFile, PathResolver, called};
use super::walk::Pattern;
use crate::entry::component::Component;
use crate::entry::lists::Lists;
use crate::entry::pattern::{self, TargetError};
use crate::entry::{Allowance, Author, ScopedEntry};
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
    /// Entries that name a file whose name suggests secrets but do not allow that, with the kind of secret.
    pub(super) secret_literals: BTreeMap<usize, &'static str>,
    /// Files that patterns skip because their names suggest secrets, by path.
    pub(super) secret_files: BTreeMap<PathBuf, Missed>,
    /// What the built-in ignore file excludes, and whether it is a directory, with the ranks of the entries that would
    /// have matched it.
    pub(super) built_in: BTreeMap<(PathBuf, bool), Arc<[usize]>>,
    /// What ignore files that git does not read exclude, and whether it is a directory, by the name of the ignore file.
    pub(super) own_ignored: BTreeMap<&'static str, BTreeSet<(PathBuf, bool)>>,
    /// Paths that a project's exclusions leave out, and whether each is a directory.
    pub(super) by_project: BTreeSet<(PathBuf, bool)>,
}

/// How many entries of one command may name the same directory, since its contents are matched once for each
/// entry.
const MAX_SPELLINGS: usize = 64;

impl<'a> Selection<'a> {
    pub(super) fn new(entries: &'a [ScopedEntry], options: &'a Options) -> Self {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        let fate_of_used = |scoped: &ScopedEntry| {
            let nothing = EntryFate::Nothing(None);
            if scoped.entry.is_exclusion() { EntryFate::ExcludesNothing(Idle::Unmatched) } else { nothing }
        };
        let fate = |scoped: &ScopedEntry| {
            EntryFate::of_unused(scoped, &options.tags).unwrap_or_else(|| fate_of_used(scoped))
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
            own_ignored: BTreeMap::new(),
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

    /// Notes which entries stand for text, and counts the documents available for each.
    pub(super) fn count_texts(&mut self) {
        for id in self.options.texts.iter().chain(&self.options.provided) {
            self.reports[id.0].kind = EntryKind::Text;
        }
        for id in &self.options.provided {
            self.count_match(*id);
        }
    }

    /// Excludes the repository's git directory from every search, wherever it is. A git directory that
    /// contains the work tree is not excluded, since no search of the work tree reaches it.
    pub(super) fn leave_out_git(&mut self, resolver: &PathResolver<'_>) {
        let git_dirs = resolver.tree.git_dirs().iter();
        let git_dirs = git_dirs.filter(|git_dir| !resolver.tree.root().starts_with(git_dir));
        let starts = git_dirs.filter_map(|git_dir| Start::of_existing(git_dir));
        self.exclusions.add(None, Lists::ALL, starts);
    }

    /// Whether this is a search of everything that is not confined to a repository or project.
    pub(super) fn is_outside(&self, resolver: &PathResolver<'_>) -> bool {
        let is_in_repository = !resolver.tree.git_dirs().is_empty() || resolver.world.project.is_some();
        let is_inside = |root: &PathBuf| is_in_repository && resolver.tree.contains(root);
        self.options.looks_through && !self.included.keys().all(is_inside)
    }

    /// Excludes the repository's other worktrees, which contain the same files again, unless they are named.
    pub(super) fn leave_out_worktrees(&mut self, resolver: &PathResolver<'_>) {
        if !self.options.looks_through {
            return;
        }
        let is_named = |worktree: &PathBuf| self.included.keys().any(|root| root.starts_with(worktree));
        let others = resolver.tree.linked_worktrees().into_iter().filter(|worktree| !is_named(worktree));
        let starts = others.filter_map(|worktree| Start::of_existing(&worktree));
        self.exclusions.add(Some(MissedReason::LinkedWorktree), Lists::FOR_ONE_BLOCK, starts);
    }

    /// Excludes ctx's own lists and settings, unless they are named. They are not documents: any instructions
    /// in them are meant for ctx's users.
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
                    self.exclusions.add(Some(MissedReason::Excluded(self.id(rank))), binds, starts);
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
                    let kept_back = self.options.ignore_rules.then(|| {
                        let paths = [&file.absolute, &file.canonical].into_iter();
                        paths.filter_map(|path| kept_from_models(path, resolver.world)).next()
                    });
                    if let Some((name, _)) = kept_back.flatten() {
                        self.own_ignored.entry(name).or_default().insert((file.canonical, false));
                        continue;
                    }
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
        let package = scoped.dependency().is_some();
        for Start { root, given, glob } in starts {
            let components = glob.components;
            let pattern =
                Pattern { entry: rank, list, components, given, skip: 0, rules, secrets, directory, package };
            self.included.entry(root).or_default().push(pattern);
        }
    }

    /// Whether an entry is a file that the command line names.
    pub(super) fn is_typed_literal(&self, rank: usize) -> bool {
        let index = self.order[rank];
        self.reports[index].kind == EntryKind::Literal && self.entries[index].author == Author::CommandLine
    }

    /// Whether an entry names its files one by one.
    pub(super) fn names(&self, rank: usize) -> bool {
        matches!(self.reports[self.order[rank]].kind, EntryKind::Literal | EntryKind::Up)
    }

    /// The first of the entries, if all of them are only searched.
    pub(super) fn searched(&self, ranks: &[usize]) -> Option<EntryId> {
        let index = |rank: &usize| self.order[*rank];
        let mut indices = ranks.iter().map(index).filter(|index| !self.entries[*index].is_whole()).peekable();
        let first = *indices.peek()?;
        indices.all(|index| self.entries[index].entry.attributes.search).then_some(EntryId(first))
    }

    /// Combines the attributes of the entries that selected a file. If entries name lines, or what these lines declare,
    /// and ask for them in a block, these lines are kept whatever happens to the rest of the file, which has the attributes of
    /// the entries for the whole file. In a search of everything, any entry with lines asks for them, and an
    /// entry for a whole file only lets the file compete: how the file is printed depends only on pins and
    /// references. A pinned file has no rest.
    pub(super) fn selected_by(&self, ranks: &[usize]) -> SelectedBy {
        let looks_through = self.options.looks_through;
        let attributes = |rank: &usize| &self.entry(*rank).entry.attributes;
        let has_lines = |rank: &usize| attributes(rank).is_partial() && !attributes(rank).search;
        let keeps = |rank: &usize| attributes(rank).pin || self.entry(*rank).author == Author::Prompt;
        let keeps_lines = |rank: &usize| {
            let is_typed = self.entry(*rank).author == Author::CommandLine;
            has_lines(rank) && (looks_through || is_typed || keeps(rank))
        };
        let is_pinned_whole = ranks.iter().any(|rank| attributes(rank).pin && !has_lines(rank));
        let is_split = !is_pinned_whole && ranks.iter().any(keeps_lines);
        let is_in = |rank: &usize| {
            let is_kept = if is_split { keeps_lines(rank) } else { looks_through && keeps(rank) };
            is_kept || attributes(rank).search
        };
        let (kept, others): (Vec<usize>, Vec<usize>) = ranks.iter().partition(|rank| is_in(rank));
        if is_split && others.iter().any(|rank| !has_lines(rank)) {
            self.united(&kept).with_rest(&self.united(&others))
        } else if looks_through && !is_split && kept.iter().any(keeps) {
            let others = self.united(&others);
            let kept = self.united(&kept);
            // In a search of everything, a reference that is too large competes.
            let reference = kept.reference.map(|_| PromptReference::Also);
            SelectedBy { allowed: kept.allowed | others.allowed, reference, ..kept }
        } else {
            self.united(ranks)
        }
    }

    fn united(&self, ranks: &[usize]) -> SelectedBy {
        let mut selected_by = SelectedBy::default();
        let levels = ranks.iter().map(|rank| self.entries[self.order[*rank]].entry.attributes.level);
        selected_by.level = levels.max().unwrap_or_default();
        selected_by.searched = self.searched(ranks);
        for rank in ranks {
            let index = self.order[*rank];
            selected_by.unite(EntryId(index), &self.entries[index]);
            selected_by.named |= self.names(*rank);
            selected_by.typed |= self.is_typed_literal(*rank);
        }
        selected_by
    }
}
