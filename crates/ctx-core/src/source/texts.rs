//! The text of entries that are not paths: `git:`, `cmd:` and `todo:`.

mod command;
mod git;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::KeptOutputs;
use super::git::{Git, GitError};
use super::kind::TextSource;
use super::{Provided, without_secrets};
use crate::entry::{Scope, ScopedEntry};
use crate::git::rule_file::{self, CutLine};
use crate::parallel;
use crate::process::Launcher;
use crate::report::{Hint, Notice, NoticeKind, Reason, ReasonCode};
use crate::select::filter::Filters;
use crate::select::{self, EntryFate, EntryId, FilterHits, SelectError, built_in};
use crate::store::{ProfileName, Store};
use crate::todo::TodoError;
use crate::trust::{Scripts, Trusted};
use crate::words::{WrongText, counted, quoted, some_of};
use crate::world::World;

/// What is needed to evaluate entries.
#[derive(Debug, Clone, Copy)]
pub struct Means<'a> {
    /// The launcher for programs.
    pub launcher: &'a Launcher,
    /// The top of the tree.
    pub tree: &'a Path,
    /// The files of the tree that commands name.
    pub scripts: &'a Scripts,
    /// The store with the to-do lists.
    pub store: &'a Store,
    /// The stored commands that may be used.
    pub trusted: &'a Trusted,
    /// Whether commands are run; otherwise only their cached outputs are used.
    pub runs: bool,
    /// The cached outputs, if there is a cache.
    pub kept: Option<&'a KeptOutputs>,
    /// The deadline for git.
    pub git_deadline: Instant,
}

/// The text of all entries that are not paths.
#[derive(Debug, Default)]
pub struct Texts {
    /// These entries, whether or not they have any text.
    pub entries: Vec<EntryId>,
    /// Their text.
    pub provided: Vec<Provided>,
    /// Notices about them.
    pub notices: Vec<Notice>,
    /// How many commands are not trusted here.
    pub untrusted: usize,
    /// How many changed files each exclusion excludes, if any.
    pub excluded: BTreeMap<EntryId, usize>,
    /// How many changed files of each entry the exclusions and filters leave out, if any.
    pub left_out: BTreeMap<EntryId, usize>,
    /// What the filters match among the changed files.
    pub matched: FilterHits,
}

/// Entries with the same text and, if it matters, the same directory, which are evaluated once.
struct TextJob<'a> {
    /// The entry that determines the directory and the author.
    id: EntryId,
    scoped: &'a ScopedEntry,
    kind: Result<TextSource, WrongText>,
    /// Whether this is beyond the limit for a project's entries, and so is not evaluated.
    is_surplus: bool,
    /// All of these entries, including `id`.
    equal: Vec<EntryId>,
}

impl TextJob<'_> {
    fn asks_git(&self) -> bool {
        matches!(self.kind, Ok(TextSource::Git(_)))
    }

    fn text(&self, label: Vec<u8>, bytes: Arc<[u8]>) -> Provided {
        self.provided(label, Ok(bytes))
    }

    fn without_text(&self, label: Vec<u8>, reason: impl Into<Reason>) -> Provided {
        self.provided(label, Err(reason.into()))
    }

    fn provided(&self, label: Vec<u8>, content: Result<Arc<[u8]>, Reason>) -> Provided {
        Provided { entries: self.equal.clone(), label, content, command: None }
    }
}

/// The result for an entry.
#[derive(Default)]
struct Answer {
    provided: Vec<Provided>,
    untrusted: bool,
    not_run: bool,
    warnings: Vec<String>,
    filters: BTreeSet<String>,
    cut_lines: BTreeSet<CutLine>,
    /// The changed files that the built-in ignore file leaves out.
    left_out_built_in: BTreeSet<String>,
    /// The exclusions that exclude a changed file, once for each file.
    excluded_by: Vec<EntryId>,
    /// How many changed files of each of its entries the exclusions and filters leave out.
    left_out: BTreeMap<EntryId, usize>,
}

/// Gets the text of the entries that are not paths, in the order of the entries. Several are evaluated at
/// once.
///
/// # Errors
/// If a filter is not a pattern.
pub fn texts(
    entries: &[ScopedEntry],
    selection: &select::Options,
    means: Means<'_>,
    world: &World,
) -> Result<Texts, SelectError> {
    let mut texts = Texts::default();
    let mut jobs: Vec<TextJob<'_>> = Vec::new();
    let at_root = world.at_root();
    let mut by_text: HashMap<(&str, &Path), usize> = HashMap::new();
    let mut of_projects = 0;
    for (index, scoped) in entries.iter().enumerate() {
        let Some(kind) = TextSource::of(&scoped.entry.path).transpose() else { continue };
        // Forbidden entries are refused together with the paths.
        if scoped.forbidden().is_some() {
            continue;
        }
        let id = EntryId(index);
        texts.entries.push(id);
        if EntryFate::of_unused(scoped, &selection.tags).is_some() {
            continue;
        }
        let is_same_everywhere = kind.as_ref().is_ok_and(|source| !source.depends_on_directory());
        let base = if is_same_everywhere { &at_root } else { scoped.base(world, &at_root) };
        let key = (scoped.entry.path.as_str(), base.cwd.as_path());
        match by_text.get(&key).map(|place| &mut jobs[*place]) {
            Some(job) => {
                job.equal.push(id);
                // Only a project's own entries are confined to it.
                if job.scoped.scope == Scope::Project && scoped.scope != Scope::Project {
                    (job.id, job.scoped, job.is_surplus) = (id, scoped, false);
                }
            }
            None => {
                let asks_git = scoped.scope == Scope::Project && matches!(kind, Ok(TextSource::Git(_)));
                of_projects += usize::from(asks_git);
                let is_surplus = asks_git && of_projects > MOST_OF_PROJECT;
                by_text.insert(key, jobs.len());
                jobs.push(TextJob { id, scoped, kind, is_surplus, equal: vec![id] });
            }
        }
    }
    if jobs.is_empty() {
        return Ok(texts);
    }
    let filters = Filters::new(world, selection, means.tree)?;
    let git = OnceLock::new();
    let asking = Asking { means, git, world, at_root: &at_root, filters, selection, entries };
    // All git entries share one time limit, so they come first rather than waiting for commands.
    let mut jobs: Vec<(usize, TextJob<'_>)> = jobs.into_iter().enumerate().collect();
    jobs.sort_by_key(|(_, job)| !job.asks_git());
    let answer = |(place, job): (usize, TextJob<'_>)| (place, asking.answer(&job));
    let mut answers = parallel::each(jobs, MOST_AT_ONCE, |_| usize::MAX, answer);
    answers.sort_by_key(|(place, _)| *place);
    let answers: Vec<(EntryId, Answer)> = answers.into_iter().map(|(_, answer)| answer).collect();
    texts.untrusted = answers.iter().filter(|(_, answer)| answer.untrusted).count();
    texts.notices = notices(entries, &answers, selection.looks_through);
    for id in answers.iter().flat_map(|(_, answer)| &answer.excluded_by) {
        *texts.excluded.entry(*id).or_default() += 1;
    }
    texts.left_out = answers.iter().flat_map(|(_, answer)| answer.left_out.clone()).collect();
    texts.matched = asking.filters.matched();
    texts.provided = answers.into_iter().flat_map(|(_, answer)| answer.provided).collect();
    Ok(texts)
}

/// How many different `git:` entries of a project are evaluated, since each runs several programs.
const MOST_OF_PROJECT: usize = 64;

/// How many entries are evaluated at once.
const MOST_AT_ONCE: usize = 4;

struct Asking<'a> {
    means: Means<'a>,
    /// Git in the repository, opened by the first entry that uses it.
    git: OnceLock<Result<Git<'a>, GitError>>,
    world: &'a World,
    /// See [`World::at_root`].
    at_root: &'a World,
    filters: Filters,
    selection: &'a select::Options,
    entries: &'a [ScopedEntry],
}

impl Asking<'_> {
    fn answer(&self, job: &TextJob<'_>) -> (EntryId, Answer) {
        let answer = match &job.kind {
            _ if job.is_surplus => {
                let text = format!("a project may have at most {MOST_OF_PROJECT} git: entries");
                nothing(job, Reason::new(ReasonCode::Invalid, text))
            }
            Err(error) => nothing(job, Reason::new(ReasonCode::Invalid, error)),
            Ok(TextSource::Git(query)) => self.git(job, query),
            Ok(TextSource::Command(words)) => self.command(job, words),
            Ok(TextSource::Todo(name)) => self.todo(job, name),
        };
        (job.id, answer)
    }

    fn todo(&self, job: &TextJob<'_>, name: &ProfileName) -> Answer {
        match self.means.store.todo_list_for(name, job.scoped.author) {
            Ok(list) => {
                let text =
                    job.text(job.scoped.entry.path.clone().into_bytes(), list.text().into_bytes().into());
                Answer { provided: vec![text], ..Answer::default() }
            }
            Err(error @ TodoError::Unknown { .. }) => nothing(job, Reason::new(ReasonCode::NoList, error)),
            Err(error) => nothing(job, Reason::new(ReasonCode::Unreadable, error)),
        }
    }

    /// The directory that an entry is relative to.
    fn directory(&self, scoped: &ScopedEntry) -> &Path {
        &scoped.base(self.world, self.at_root).cwd
    }
}

fn nothing(job: &TextJob<'_>, reason: impl Into<Reason>) -> Answer {
    let label = without_secrets(&job.scoped.entry.path).into_owned().into_bytes();
    let provided = vec![job.without_text(label, reason)];
    Answer { provided, ..Answer::default() }
}

fn notices(entries: &[ScopedEntry], answers: &[(EntryId, Answer)], asks: bool) -> Vec<Notice> {
    let mut notices: Vec<Notice> = Vec::new();
    let all = answers.iter().map(|(_, answer)| answer);
    let warnings = all.clone().flat_map(|answer| &answer.warnings);
    notices.extend(warnings.map(|text| Notice::warning(NoticeKind::Command, text.clone())));
    let not_run: Vec<String> = answers
        .iter()
        .filter(|(_, answer)| answer.not_run)
        .map(|(id, _)| quoted(&entries[id.0].entry.path))
        .collect();
    if !not_run.is_empty() {
        let text = format!("{} not run: {}", counted(not_run.len(), "command"), some_of(&not_run));
        notices.push(Notice::note(NoticeKind::Command, text).with_hint(Hint::RunCommands { asks }));
    }
    let left_out: BTreeSet<&String> = all.clone().flat_map(|answer| &answer.left_out_built_in).collect();
    notices.extend(built_in::left_out_changes(&left_out.into_iter().map(quoted).collect::<Vec<_>>()));
    let cut: BTreeSet<&CutLine> = all.clone().flat_map(|answer| &answer.cut_lines).collect();
    notices.extend(rule_file::cut_lines(cut));
    let filters: BTreeSet<&String> = all.flat_map(|answer| &answer.filters).collect();
    if !filters.is_empty() {
        let names: Vec<String> = filters.into_iter().map(quoted).collect();
        let text = format!(
            "git: entries run no filters; files with one are compared as they are: {}",
            some_of(&names)
        );
        notices.push(Notice::note(NoticeKind::Command, text));
    }
    notices
}
