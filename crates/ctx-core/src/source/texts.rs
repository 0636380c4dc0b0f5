//! The texts of entries that are no paths: `git:`, `cmd:` and `todo:`.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::command::{
    Command, CommandError, CommandReport, Excerpt, KeptKey, KeptOutputs, Limits, Ran, Words,
};
use super::exclusions::Exclusion;
use super::git::{self, GitError, Query};
use super::kind::{Kind, KindError};
use super::{Content, Provided, without_secrets};
use crate::account::Reason;
use crate::entry::{Scope, ScopedEntry};
use crate::parallel;
use crate::plan::{Notice, NoticeKind};
use crate::process::{Launcher, StartError};
use crate::select::built_in;
use crate::select::filter::Filters;
use crate::select::tree::bytes_of;
use crate::select::{self, EntryId, EntryKind, SelectError};
use crate::store::{ProfileName, Store};
use crate::todo::TodoError;
use crate::trust::{Fingerprint, Item, Trusted, scripts};
use crate::words::{counted, quoted, some_of};
use crate::world::World;

/// What the entries may use.
#[derive(Debug, Clone, Copy)]
pub struct Means<'a> {
    /// What starts programs.
    pub launcher: &'a Launcher,
    /// The top of the tree.
    pub tree: &'a Path,
    /// Where the to-do lists are.
    pub store: &'a Store,
    /// The stored commands that may be used.
    pub trusted: &'a Trusted,
    /// Whether commands are run; else their kept outputs alone are used.
    pub runs: bool,
    /// The kept outputs, if there is a place for them.
    pub kept: Option<&'a KeptOutputs>,
}

/// The texts of all entries that are no paths.
#[derive(Debug, Default)]
pub struct Texts {
    /// These entries, whether they have a text or not.
    pub entries: Vec<EntryId>,
    /// Their texts.
    pub provided: Vec<Provided>,
    /// What a person should know of them.
    pub notices: Vec<Notice>,
    /// How many commands are not trusted here.
    pub untrusted: usize,
    /// How many changed files each exclusion excludes, if any.
    pub excluded: BTreeMap<EntryId, usize>,
}

/// Entries of the same text, which are asked once.
struct Job<'a> {
    /// The one that says where and for whom.
    id: EntryId,
    scoped: &'a ScopedEntry,
    kind: Result<Kind, KindError>,
    /// Whether it is one of a project that has more than anybody can want.
    is_surplus: bool,
    /// All of them.
    equal: Vec<EntryId>,
}

impl Job<'_> {
    fn text(&self, label: Vec<u8>, bytes: Arc<[u8]>) -> Provided {
        Provided { entries: self.equal.clone(), label, content: Content::Bytes(bytes), command: None }
    }
}

/// What came of an entry.
#[derive(Default)]
struct Answer {
    provided: Vec<Provided>,
    untrusted: bool,
    not_run: bool,
    warnings: Vec<String>,
    emptied_filters: Vec<String>,
    left_out_built_in: usize,
    /// The exclusions that exclude a changed file, once for each file.
    excluded_by: Vec<EntryId>,
}

/// The texts of the entries that are no paths, in the order of the entries. Several are asked at once.
///
/// # Errors
/// If a filter is no pattern.
pub fn texts(
    entries: &[ScopedEntry],
    selection: &select::Options,
    means: Means<'_>,
    world: &World,
) -> Result<Texts, SelectError> {
    let mut texts = Texts::default();
    let mut jobs: Vec<Job<'_>> = Vec::new();
    let mut by_text: HashMap<&str, usize> = HashMap::new();
    let mut of_projects = 0;
    for (index, scoped) in entries.iter().enumerate() {
        let Some(kind) = Kind::of(&scoped.entry.path).transpose() else { continue };
        // What its author may not say is refused with the paths.
        if scoped.forbidden().is_some() {
            continue;
        }
        let id = EntryId(index);
        texts.entries.push(id);
        let attributes = &scoped.entry.attributes;
        let tags = &selection.tags;
        let is_asked_for = scoped.scope.is_for_one_block()
            || tags.is_empty()
            || tags.iter().any(|tag| attributes.tags.contains(tag));
        if attributes.off || !is_asked_for {
            continue;
        }
        match by_text.get(scoped.entry.path.as_str()).map(|place| &mut jobs[*place]) {
            Some(job) => {
                job.equal.push(id);
                // What others than a project ask for is not confined to it.
                if job.scoped.scope == Scope::Project && scoped.scope != Scope::Project {
                    (job.id, job.scoped, job.is_surplus) = (id, scoped, false);
                }
            }
            None => {
                let asks_git = scoped.scope == Scope::Project && matches!(kind, Ok(Kind::Git(_)));
                of_projects += usize::from(asks_git);
                let is_surplus = asks_git && of_projects > MOST_OF_PROJECT;
                by_text.insert(&scoped.entry.path, jobs.len());
                jobs.push(Job { id, scoped, kind, is_surplus, equal: vec![id] });
            }
        }
    }
    if jobs.is_empty() {
        return Ok(texts);
    }
    let filters = Filters::new(world, selection)?;
    let asking = Asking { means, world, at_project: world.at_project(), filters, selection, entries };
    let answers = parallel::each(jobs, MOST_AT_ONCE, |_| usize::MAX, |job| asking.answer(&job));
    texts.untrusted = answers.iter().filter(|(_, answer)| answer.untrusted).count();
    texts.notices = notices(entries, &answers);
    for id in answers.iter().flat_map(|(_, answer)| &answer.excluded_by) {
        *texts.excluded.entry(*id).or_default() += 1;
    }
    texts.provided = answers.into_iter().flat_map(|(_, answer)| answer.provided).collect();
    Ok(texts)
}

/// How many different `git:` entries of a project are answered: each takes several programs.
const MOST_OF_PROJECT: usize = 64;

/// How many entries are asked at once.
const MOST_AT_ONCE: usize = 4;

/// A command that may run, and where.
struct Runnable<'a> {
    command: Command,
    directory: &'a Path,
}

struct Asking<'a> {
    means: Means<'a>,
    world: &'a World,
    /// See [`World::at_project`].
    at_project: Option<World>,
    filters: Filters,
    selection: &'a select::Options,
    entries: &'a [ScopedEntry],
}

impl Asking<'_> {
    fn answer(&self, job: &Job<'_>) -> (EntryId, Answer) {
        let answer = match &job.kind {
            _ if job.is_surplus => {
                nothing(job, "invalid", format!("a project may have at most {MOST_OF_PROJECT} git: entries"))
            }
            Err(error) => nothing(job, "invalid", error.to_string()),
            Ok(Kind::Git(query)) => self.git(job, query),
            Ok(Kind::Command(words)) => self.command(job, words),
            Ok(Kind::Todo(name)) => self.todo(job, name),
        };
        (job.id, answer)
    }

    fn git(&self, job: &Job<'_>, query: &Query) -> Answer {
        let entry = &job.scoped.entry;
        let directory = self.directory(job.scoped);
        // The entries of a project are confined to its own directory.
        let is_confined = job.scoped.scope == Scope::Project && directory != self.means.tree;
        let query = match is_confined.then(|| query.confined()).transpose() {
            Ok(confined) => confined.unwrap_or_else(|| query.clone()),
            Err(error) => return nothing(job, "invalid", error.to_string()),
        };
        let place = git::Place { root: self.means.tree, directory };
        let found = match git::find(&query, place, self.means.launcher) {
            Ok(found) => found,
            Err(error) => return nothing(job, code_of(&error), error.to_string()),
        };
        let mut answer = Answer { emptied_filters: found.emptied_filters, ..Answer::default() };
        if found.documents.is_empty() && found.refused.is_empty() && job.scoped.scope == Scope::Session {
            answer.warnings.push(format!("no changes: {}", quoted(&entry.path)));
        }
        for path in found.refused {
            let label = [entry.path.as_bytes(), b" ", &bytes_of(&path)].concat();
            let text = "the name leads out of the tree".to_owned();
            answer.provided.push(without_text(job, label, "outside", text));
        }
        let exclusions = Exclusion::binding(job.id, self.entries, self.world, self.at_project.as_ref());
        for document in found.documents {
            let label = document.label(&entry.path);
            let names = [document.path.as_deref(), document.old_path.as_deref()];
            let paths: Vec<PathBuf> =
                names.into_iter().flatten().map(|path| self.means.tree.join(path)).collect();
            if is_confined && paths.first().is_some_and(|path| !path.starts_with(directory)) {
                continue;
            }
            let excluding = exclusions.iter().filter(|one| paths.iter().any(|path| one.filter.matches(path)));
            let excluded_by: Vec<EntryId> = excluding.map(|one| one.id).collect();
            if !excluded_by.is_empty() {
                answer.excluded_by.extend(excluded_by);
                continue;
            }
            if paths.first().is_some_and(|path| !self.filters.pass_path(path)) {
                continue;
            }
            let has_rules = self.selection.ignore_rules && entry.attributes.ignore;
            let name = document.path.as_ref().map(|path| path.as_os_str().as_encoded_bytes());
            if has_rules && name.and_then(built_in::decide).is_some() {
                answer.left_out_built_in += 1;
                continue;
            }
            let allows = select::allows_secret_names(job.scoped, EntryKind::Text, self.selection);
            let secret = paths.iter().find_map(|path| (self.selection.secret)(path)).filter(|_| !allows);
            answer.provided.push(match secret {
                Some(kind) => {
                    let text = format!("the name suggests secrets: {kind}");
                    without_text(job, label, "secret-name", text)
                }
                None => job.text(label, document.text.into()),
            });
        }
        answer
    }

    fn todo(&self, job: &Job<'_>, name: &ProfileName) -> Answer {
        match self.means.store.todo_list_for(name, job.scoped.author) {
            Ok(list) => {
                let text =
                    job.text(job.scoped.entry.path.clone().into_bytes(), list.text().into_bytes().into());
                Answer { provided: vec![text], ..Answer::default() }
            }
            Err(error @ TodoError::Unknown { .. }) => nothing(job, "no-list", error.to_string()),
            Err(error) => nothing(job, "unreadable", error.to_string()),
        }
    }

    /// Runs the command of the first of the equal entries that may be run.
    fn command(&self, job: &Job<'_>, words: &Words) -> Answer {
        let Means { launcher, tree, trusted, runs, kept, .. } = self.means;
        let mut may_run = job.equal.iter().map(|id| &self.entries[id.0]).filter_map(|scoped| {
            let command = Command { words: words.clone(), limits: Limits::of(&scoped.entry.attributes) };
            let is_trusted = scoped.scope == Scope::Session
                || trusted.contains(&Item::command(&command, "", self.directory(scoped), tree));
            is_trusted.then_some(Runnable { command, directory: self.directory(scoped) })
        });
        let Some(Runnable { command, directory }) = &may_run.next() else {
            let text = "not trusted here".to_owned();
            return Answer { untrusted: true, ..nothing(job, "not-trusted", text) };
        };
        let ttl = command.limits.ttl.zip(kept);
        let key = ttl.map(|_| KeptKey::of(command, directory, self.scripts(command, directory)));
        let known = ttl.zip(key).and_then(|((ttl, kept), key)| kept.get(key, ttl, self.world.now));
        let cached = known.is_some();
        let ran = match known {
            Some(output) => Ok(Ran { output, failure: None }),
            None if runs => command.run(directory, launcher),
            None => {
                let text = "not run".to_owned();
                return Answer { not_run: true, ..nothing(job, "not-run", text) };
            }
        };
        if let (Ok(Ran { output, failure: None }), Some(((_, kept), key))) = (&ran, ttl.zip(key)) {
            // What cannot be kept is run again the next time.
            let _ = kept.put(key, directory, output, SystemTime::now().max(self.world.now));
        }
        match ran {
            Ok(ran) => self.document(job, ran, cached),
            Err(error) => nothing(job, code_of_command(&error), error.to_string()),
        }
    }

    /// The directory that an entry is relative to.
    fn directory(&self, scoped: &ScopedEntry) -> &Path {
        &scoped.base(self.world, self.at_project.as_ref()).cwd
    }

    fn scripts(&self, command: &Command, directory: &Path) -> Fingerprint {
        let found = scripts(&command.words, directory, self.means.tree);
        let bytes = found.iter().flat_map(|script| {
            let contents = script.contents.as_ref().map_or(&[][..], |contents| contents.as_bytes());
            [script.path.as_os_str().as_encoded_bytes(), contents]
        });
        Fingerprint::of(bytes)
    }

    fn document(&self, job: &Job<'_>, ran: Ran, cached: bool) -> Answer {
        let entry = &job.scoped.entry;
        let name = without_secrets(&entry.path);
        let label = ran.label(&name).into_bytes();
        let mut answer = Answer::default();
        if name != entry.path {
            answer.warnings.push(format!("secrets redacted in the words of {}", quoted(&name)));
        }
        if let Some(failure) = &ran.failure {
            let why = failure.last_error_line.as_ref().map_or_else(String::new, |line| format!(": {line}"));
            answer.warnings.push(format!("{} ended with {}{why}", quoted(&name), failure.exit));
        }
        let Excerpt { text, omitted } = ran.output;
        if omitted > 0 {
            let count = counted(usize::try_from(omitted).unwrap_or(usize::MAX), "byte");
            answer.warnings.push(format!("{count} of the output of {} left out", quoted(&name)));
        }
        let exit = ran.failure.map(|failure| failure.exit);
        let report = CommandReport { cached, exit, omitted };
        answer.provided.push(Provided { command: Some(report), ..job.text(label, text.into()) });
        answer
    }
}

fn nothing(job: &Job<'_>, code: &'static str, text: String) -> Answer {
    let label = without_secrets(&job.scoped.entry.path).into_owned().into_bytes();
    let provided = vec![without_text(job, label, code, text)];
    Answer { provided, ..Answer::default() }
}

fn without_text(job: &Job<'_>, label: Vec<u8>, code: &'static str, text: String) -> Provided {
    Provided {
        entries: job.equal.clone(),
        label,
        content: Content::Nothing(Reason { code, text }),
        command: None,
    }
}

fn code_of(error: &GitError) -> &'static str {
    match error {
        GitError::Repository(_) => "no-repository",
        GitError::Start(_) | GitError::TooOld => "not-found",
        GitError::UnknownRevision { .. } => "unknown-revision",
        GitError::TimedOut => "timed-out",
        GitError::TooLarge => "too-large",
        GitError::Failed { .. } | GitError::Io(_) => "failed",
    }
}

fn code_of_command(error: &CommandError) -> &'static str {
    match error {
        CommandError::Start(StartError::NotFound { .. }) => "not-found",
        CommandError::Start(_) | CommandError::Nested => "not-started",
        CommandError::TimedOut { .. } => "timed-out",
        CommandError::Failed(_) => "failed",
        CommandError::Silent { .. } => "no-output",
    }
}

fn notices(entries: &[ScopedEntry], answers: &[(EntryId, Answer)]) -> Vec<Notice> {
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
        let verb = if not_run.len() == 1 { "is" } else { "are" };
        let text = format!(
            "{} {verb} only run by 'ctx render': {}",
            counted(not_run.len(), "command"),
            some_of(&not_run)
        );
        notices.push(Notice::note(NoticeKind::Command, text));
    }
    let left_out = built_in::left_out(all.clone().map(|answer| answer.left_out_built_in).sum());
    notices.extend(left_out.map(|text| Notice::note(NoticeKind::Command, text)));
    let mut filters: Vec<String> = all.flat_map(|answer| answer.emptied_filters.iter().map(quoted)).collect();
    filters.sort();
    filters.dedup();
    if !filters.is_empty() {
        let text = format!(
            "git ran no filter that this repository configures, and compared files as they are: {}",
            some_of(&filters)
        );
        notices.push(Notice::note(NoticeKind::Command, text));
    }
    notices
}
