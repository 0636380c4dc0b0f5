//! What a block is chosen from: your entries, or everything around the current directory.

use std::path::{Path, PathBuf};

use super::app::App;
use super::error::Error;
use super::hints::{in_words, shell_word};
use super::options::PlanOptions;
use super::text_makers;
use ctx_core::budget::{Budget, Trim};
use ctx_core::entry::pattern::has_wildcards;
use ctx_core::entry::{Author, Kind, ScopedEntry};
use ctx_core::fs::{expanded, resolved, with_tilde};
use ctx_core::plan::{Measure, Plan, Request};
use ctx_core::report::{Notice, NoticeKind, Reason, ReasonCode, Severity};
use ctx_core::select::{EntryId, Missed, MissedReason, Options};
use ctx_core::words::{counted, quoted};
use ctx_core::world::World;

/// The default budget of a question, for the parts of the block that compete for room.
const ASK_BUDGET: Budget = Budget::Tokens(16_000);

/// The default budget for the history that a question continues, in addition to [`ASK_BUDGET`].
const TALK: Budget = Budget::Share(5_000);

/// What a block is chosen from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Looks {
    /// The stored entries and those on the command line.
    #[default]
    AtEntries,
    /// Everything below the work root, or the paths on the command line, and some stored entries: see
    /// [`Self::narrow`].
    ThroughEverything,
    /// Everything below the current directory, or the paths on the command line, and some stored entries: see
    /// [`Self::narrow`].
    ThroughHere,
}

impl Looks {
    /// Removes the stored entries that don't count, and adds the directory to search to the session's
    /// entries, unless one of these already limits the search. Returns whether the stored entries compete.
    pub fn narrow(self, app: &App, stored: &mut Vec<ScopedEntry>, session: &mut Vec<ScopedEntry>) -> bool {
        if !self.through() {
            return true;
        }
        let is_narrowed = session.iter().any(narrows);
        stored.retain(|scoped| {
            let attributes = &scoped.entry.attributes;
            let is_searched = scoped.entry.is_exclusion() || attributes.search;
            let is_kept = attributes.pin || attributes.ttl.is_some();
            let counts = match scoped.entry.kind() {
                Kind::Command => self == Self::ThroughEverything && is_kept,
                _ => !is_narrowed || self == Self::ThroughEverything,
            };
            is_searched || counts
        });
        if !is_narrowed {
            let root = self.top(app);
            session.push(ScopedEntry::whole(called(app, &root), from_here(&root, &app.world().cwd)));
        }
        !is_narrowed
    }

    /// Whether a notice reports a stored entry that matches nothing here. A question doesn't need a list, so
    /// that is only worth a note if a file is gone.
    pub fn is_beside_the_question(self, notice: &Notice) -> bool {
        let is_worth_it = self == Self::ThroughEverything && notice.strict.is_some();
        self.through() && notice.kind == NoticeKind::Missing && notice.level == Severity::Note && !is_worth_it
    }

    /// Whether everything below a directory is searched, and not only the entries.
    pub fn through(self) -> bool {
        self != Self::AtEntries
    }

    /// The directory that the search begins in.
    fn top(self, app: &App) -> PathBuf {
        match self {
            Self::ThroughEverything => app.world().root.clone(),
            Self::ThroughHere | Self::AtEntries => resolved(&app.world().cwd),
        }
    }

    /// The options of a block; for a question, with the chosen budget, if any, and its defaults for the options that
    /// weren't given.
    pub fn defaults(self, options: &PlanOptions, budget: Option<Budget>) -> PlanOptions {
        let mut options = options.clone();
        if self == Self::ThroughEverything {
            options.budget.budget.get_or_insert(budget.unwrap_or(ASK_BUDGET));
            options.history_budget.get_or_insert(TALK);
            options.budget.trim.get_or_insert(Trim::Relevant);
        }
        options
    }

    /// The measure of a block with these options. In a question without a chosen budget, parts that are
    /// always printed take no room from those that compete.
    pub fn measure(self, measure: Measure, trim: Option<Trim>, budget: Option<Budget>) -> Measure {
        if self != Self::ThroughEverything {
            return measure;
        }
        let is_default_budget = budget.is_none();
        let measure = Measure { is_default_rule: trim.is_none(), is_default_budget, ..measure };
        if is_default_budget { measure.beside(Budget::default()) } else { measure }
    }

    /// The directory to search, with `~` for the home directory.
    pub fn root(self, app: &App) -> Option<String> {
        match self {
            Self::AtEntries => None,
            Self::ThroughEverything | Self::ThroughHere => Some(called(app, &self.top(app))),
        }
    }

    /// Checks that a question isn't blank.
    ///
    /// # Errors
    /// Wrong usage if it is.
    pub fn have_a_question(self, question: Option<&str>) -> Result<(), Error> {
        let is_blank = question.is_none_or(|question| question.trim().is_empty());
        if self == Self::ThroughEverything && is_blank {
            return Err(Error::usage("the question is empty").with_hint("ctx ask \"where is the bug?\""));
        }
        Ok(())
    }

    /// Fails if all texts that the command line names beside a question are empty, and it names no file: the answer would
    /// be about something else.
    ///
    /// # Errors
    /// If that is so.
    pub fn have_a_text_if_named(self, app: &App, request: &Request) -> Result<(), Error> {
        if self != Self::ThroughEverything {
            return Ok(());
        }
        let named = || request.entries.iter().enumerate().filter(|(_, scoped)| names_a_text(scoped));
        if named().any(|(id, _)| has_text(request, EntryId(id))) {
            return Ok(());
        }
        if request.entries.iter().any(|scoped| names_a_file(app, scoped)) {
            return Ok(());
        }
        let empty: Vec<String> = named().map(|(id, scoped)| empty(EntryId(id), scoped, request)).collect();
        let names: Vec<String> = named().map(|(_, scoped)| quoted(&scoped.entry.path)).collect();
        if empty.is_empty() {
            return Ok(());
        }
        let text = format!("{}, so there is nothing to ask about", empty.join(" and "));
        Err(Error::impossible(text)
            .with_hint(format!("without {}, ctx asks about the files", names.join(" and "))))
    }

    /// Fails if a question finds nothing that the reader doesn't have yet.
    ///
    /// # Errors
    /// If that is so.
    pub fn find_something_new(self, plan: &Plan) -> Result<(), Error> {
        match &plan.request().since {
            Some(since) if self == Self::ThroughEverything && plan.has_nothing_new() => {
                let text = format!("nothing else answers the question since {}", quoted(&since.manifest));
                Err(Error::impossible(text).with_hint("-w NAMES searches for more"))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Fails if an empty block means that there was nothing to search, and not that no entry matched.
    ///
    /// # Errors
    /// If there is nothing to search.
    pub fn are_not_in_vain(self, app: &App, plan: &Plan) -> Result<(), Error> {
        match (self, &plan.request().looked_through) {
            (Self::ThroughEverything, Some(root)) if is_filtered(plan) => {
                let error = Error::impossible(format!("no file in '{root}' passes the filters"));
                let of_filters =
                    plan.notices().into_iter().filter(|notice| notice.kind == NoticeKind::Filters);
                let meant = of_filters.filter_map(|notice| Some(in_words(&notice.hint?)));
                Err(meant.fold(error, Error::and_hint))
            }
            (Self::ThroughEverything, Some(root)) => {
                let all = || plan.entries().filter_map(|(_, report)| report.fate.missed());
                let closed = |missed: &&Missed| missed.is_directory && missed.why.closes_a_directory();
                let linked = all().find(|missed| missed.why == MissedReason::LinkedWorktree);
                let of_linked = || linked.map(|missed| format!(": '{}': {}", missed.label, missed.why));
                let why = all().find(closed).map(|missed| format!(": {}", missed.why)).or_else(of_linked);
                let why = why.or_else(|| unread(plan));
                let path = linked.map(|missed| shell_word(&of_root(app.world(), missed.label.as_str())));
                let path = path.unwrap_or_else(|| "PATH".to_owned());
                let error =
                    Error::impossible(format!("nothing to search in '{root}'{}", why.unwrap_or_default()));
                let elsewhere = || format!("ctx ask \"QUESTION\" {path} searches another place");
                Err(error.with_hint(text_makers::setting(plan).unwrap_or_else(elsewhere)))
            }
            (Self::ThroughEverything | Self::ThroughHere | Self::AtEntries, _) => Ok(()),
        }
    }
}

/// The first file that could not be read, and why.
fn unread(plan: &Plan) -> Option<String> {
    let failed = |reason: &&Reason| matches!(reason.code, ReasonCode::Failed | ReasonCode::ReadLater);
    plan.items().iter().find_map(|item| {
        let reason = item.skipped().filter(failed)?;
        Some(format!(": {}: {}", quoted(item.source.label.as_str()), reason.text))
    })
}

/// Whether options filter the files.
fn is_filtered(plan: &Plan) -> bool {
    let request = plan.request();
    let Options { include, exclude, newer_than, .. } = &request.selection;
    let has_patterns = !include.is_empty() || !exclude.is_empty();
    has_patterns || newer_than.is_some() || request.reading.containing.is_some()
}

/// Whether an entry on the command line names what to search.
pub fn narrows(scoped: &ScopedEntry) -> bool {
    scoped.author != Author::Prompt && matches!(scoped.entry.kind(), Kind::Path | Kind::Dependency)
}

/// Whether an entry on the command line names a file, and not only where to search.
fn names_a_file(app: &App, scoped: &ScopedEntry) -> bool {
    let path = &*scoped.entry.path;
    let only_limits = has_wildcards(path)
        || app.world().cwd.join(expanded(Path::new(path), app.world().home.as_deref())).is_dir();
    scoped.author == Author::CommandLine && narrows(scoped) && !only_limits
}

/// Whether an entry on the command line names a text that a question is about.
fn names_a_text(scoped: &ScopedEntry) -> bool {
    let is_text = match scoped.entry.kind() {
        Kind::StandardInput | Kind::Git | Kind::Command | Kind::Todo => true,
        Kind::Path | Kind::Exclusion | Kind::Up | Kind::Dependency => false,
    };
    scoped.author == Author::CommandLine && is_text
}

/// Whether an entry brings a text, or a reason why not that is reported as such.
fn has_text(request: &Request, id: EntryId) -> bool {
    let mut texts = request.provided.iter().filter(|text| text.entries.contains(&id));
    texts.any(|text| match &text.content {
        Ok(bytes) => !bytes.trim_ascii().is_empty(),
        Err(reason) => reason.code != ReasonCode::NoOutput,
    })
}

/// What is empty, in words, and why.
fn empty(id: EntryId, scoped: &ScopedEntry, request: &Request) -> String {
    let name = quoted(&scoped.entry.path);
    match scoped.entry.kind() {
        Kind::StandardInput => "standard input is empty".to_owned(),
        Kind::Git => {
            let by_ignore_file = request.notices.iter().find(|notice| notice.kind == NoticeKind::IgnoreFiles);
            match (request.selection.left_out_of_texts.get(&id), by_ignore_file) {
                (Some(count), _) => {
                    format!("{} of {name} left out by exclusions or filters", counted(*count, "changed file"))
                }
                (None, Some(notice)) => notice.text.clone(),
                (None, None) => format!("{name} has no changes"),
            }
        }
        Kind::Command => {
            let mut reasons = request.provided.iter().filter(|text| text.entries.contains(&id));
            let why = reasons.find_map(|text| Some(text.content.as_ref().err()?.text.as_str()));
            format!("{name} has {}", why.unwrap_or("no output"))
        }
        Kind::Todo | Kind::Path | Kind::Exclusion | Kind::Up | Kind::Dependency => format!("{name} is empty"),
    }
}

/// A directory with `~` for the home directory.
fn called(app: &App, directory: &Path) -> String {
    let home = app.world().home.as_deref();
    if home.is_some_and(|home| resolved(home) == directory) {
        return "~".to_owned();
    }
    with_tilde(&directory.to_string_lossy(), home)
}

/// A path from the work root, as it is typed in the current directory.
pub fn of_root(world: &World, path: &str) -> String {
    from_here(&resolved(world.root.join(path)), &world.cwd).to_string_lossy().into_owned()
}

/// The path from the current directory to one above or below it; any other path as it is.
fn from_here(path: &Path, cwd: &Path) -> PathBuf {
    let cwd = resolved(cwd);
    match cwd.strip_prefix(path) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.iter().map(|_| "..").collect(),
        Err(_) => path.strip_prefix(&cwd).unwrap_or(path).to_owned(),
    }
}
