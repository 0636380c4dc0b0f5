//! What new entries match, together with the stored ones.

use std::ffi::OsStr;

use crate::app::App;
use crate::dependencies;
use crate::environment::launcher;
use crate::error::Error;
use crate::options::PlanOptions;
use crate::request::{self, Extra};
use crate::trust::{Commands, texts_of};
use ctx_core::account::Account;
use ctx_core::command::Command;
use ctx_core::entry::{Entry, Kind, Provenance, Scope, ScopedEntry};
use ctx_core::git::rule_file::CutLine;
use ctx_core::guard::names::holds_secrets;
use ctx_core::plan::Detail;
use ctx_core::select::{self, EntryId, EntryReport, LeftOutByFiles, Missed};
use ctx_core::source::Provided;
use ctx_core::store::ListTarget;
use ctx_core::trust::Trusted;
use ctx_core::words::quoted;
use ctx_core::world::World;

/// What the new entries match, together with the stored ones.
pub(super) struct LookedUp {
    /// The new entries, and the stored ones that affect them.
    pub(super) scoped: Vec<ScopedEntry>,
    /// The reports of the new entries.
    pub(super) reports: Vec<EntryReport>,
    /// How many files are left out because of their names.
    pub(super) secret_names: usize,
    /// The matching files that ctx isn't allowed to read.
    pub(super) refused: Vec<Missed>,
    /// How many files the built-in ignore file leaves out.
    pub(super) left_out_built_in: LeftOutByFiles,
    /// The lines of ignore files that only count in part.
    pub(super) cut_lines: Vec<CutLine>,
    /// A warning for each new entry that is not used because the stored ones already reach a limit.
    pub(super) unused: Vec<String>,
}

/// Finds what the entries match now.
pub(super) fn look_up(app: &App, kept: &Kept, entries: &[Entry]) -> Result<LookedUp, Error> {
    let has_exclusion = entries.iter().any(Entry::is_exclusion);
    let mut scoped: Vec<ScopedEntry> =
        entries.iter().map(|entry| ScopedEntry::from_list(kept.list, entry.clone())).collect();
    let all: Vec<ScopedEntry> = kept.entries.iter().chain(&scoped).cloned().collect();
    // What an exclusion excludes depends on the stored entries.
    scoped.extend(kept.entries.iter().filter(|kept| has_exclusion || kept.entry.is_exclusion()).cloned());
    let texts = scoped.iter().enumerate().filter(|(_, scoped)| scoped.entry.kind().is_text());
    let texts = texts.map(|(index, _)| EntryId(index)).collect();
    let options =
        select::Options { count_exclusions: has_exclusion, texts, ..select::Options::new(holds_secrets) };
    let here: Vec<ScopedEntry> = scoped.iter().map(|scoped| first_of(scoped, app)).collect();
    let selected = select::select(&here, app.world(), &options)?;
    let is_new = |missed: &&Missed| missed.entries.iter().any(|id| id.0 < entries.len());
    let is_secret = |missed: &&Missed| missed.why.is_secret_name();
    let secret_names = selected.skipped.iter().filter(is_secret).filter(is_new).count();
    let mut reports = selected.entries;
    reports.truncate(entries.len());
    let refused = selected.refused.into_iter().filter(|missed| is_new(&missed)).collect();
    let (left_out_built_in, cut_lines) = (selected.left_out_built_in, selected.cut_lines);
    let unused = select::beyond_limits(&all, app.world(), &options).into_iter();
    let unused = unused
        .filter(|(id, _)| id.0 >= kept.entries.len())
        .map(|(id, why)| format!("{} is not used: {why}", quoted(all[id.0].entry.name())))
        .collect();
    Ok(LookedUp { scoped, reports, secret_names, refused, left_out_built_in, cut_lines, unused })
}

/// The entry for the first sources of a dependency, where it names one that is here; any other entry as it is.
fn first_of(scoped: &ScopedEntry, app: &App) -> ScopedEntry {
    let mut found = vec![scoped.clone()];
    dependencies::look_up(&mut found, app);
    found.swap_remove(0)
}

/// The stored entries that affect the new ones.
pub(super) struct Kept {
    /// The list that gets the new entries.
    pub(super) list: Provenance,
    pub(super) entries: Vec<ScopedEntry>,
}

impl Kept {
    pub(super) fn read(app: &App, global: bool) -> Result<Self, Error> {
        app.store.read(|view| {
            let target = app.target_in(view, global)?;
            let entries = match &target {
                ListTarget::Global => view.scoped(&target)?,
                ListTarget::Profile(name) => view.entries(name)?,
            };
            Ok(Self { list: view.provenance(&target)?, entries })
        })
    }

    /// The entries of the list, with the paths under which it would store them today.
    pub(super) fn own(&self, app: &App) -> Vec<Entry> {
        let scope = self.list.scope;
        let own = self.entries.iter().filter(|kept| kept.scope == scope);
        own.map(|kept| as_kept(app, scope, &kept.entry)).collect()
    }

    /// The reason why the list may not contain an entry; `None` if it may.
    pub(super) fn refusal(&self, entry: &Entry) -> Option<Error> {
        let forbidden = ScopedEntry::from_list(self.list, entry.clone()).forbidden()?;
        Some(Error::usage(format!("Invalid path '{}': {forbidden}", entry.path)))
    }
}

/// An entry of a list, with the path under which it would be stored today.
pub(super) fn as_kept(app: &App, scope: Scope, entry: &Entry) -> Entry {
    Entry { path: app.stored_as(&entry.path, scope), ..entry.clone() }
}

/// The tokens of the files that the entries match. The entries are stored even if this fails, for example because
/// the profile's model no longer exists.
pub(super) fn account(app: &App, scoped: &[ScopedEntry]) -> Option<Account> {
    let session = scoped.iter().map(|scoped| {
        let mut scoped = first_of(scoped, app);
        // Doesn't ask git anything or run any command.
        scoped.entry.attributes.off |= scoped.entry.kind().is_text();
        scoped
    });
    let extra =
        Extra { session: session.collect(), only_session: true, detail: Detail::Counts, ..Extra::default() };
    Some(request::plan(app, &PlanOptions::default(), extra).ok()?.account_without_files())
}

/// A note for each entry that yields nothing yet: a program that doesn't exist, no repository, no changes. No
/// command is run.
///
/// # Errors
/// As [`texts_of`].
pub(super) fn notes_of_awaited(app: &App, found: &LookedUp, count: usize) -> Result<Vec<String>, Error> {
    let added = &found.scoped[..count];
    let of_files = found.refused.iter().flat_map(|Missed { entries, label, why, .. }| {
        let why = format!("{}: {why}", quoted(label.as_str()));
        entries.iter().map(move |entry| note(&added[entry.0].entry, &why))
    });
    let git: Vec<ScopedEntry> =
        added.iter().filter(|scoped| scoped.entry.kind() == Kind::Git).cloned().collect();
    let selection = select::Options::new(holds_secrets);
    let found = texts_of(app, &Trusted::default(), &git, &selection, Commands::NotRun)?;
    let of_git = git.iter().enumerate().filter_map(|(place, scoped)| {
        let brought = |text: &&Provided| text.entries.contains(&EntryId(place));
        let why = match found.provided.iter().find(brought).map(|text| (&text.label, &text.content)) {
            None => "no changes now",
            Some((label, Err(reason))) if *label == scoped.entry.path.as_bytes() => &reason.text,
            Some(_) => return None,
        };
        Some(note(&scoped.entry, why))
    });
    let of_commands = added.iter().filter_map(|scoped| {
        let command = Command::of(&scoped.entry).ok()??;
        let World { cwd, .. } = app.base(scoped.scope);
        let program = command.words.program();
        let is_there = launcher().programs().find(OsStr::new(program), cwd).is_some();
        (!is_there).then(|| note(&scoped.entry, &format!("program {} not found", quoted(program))))
    });
    Ok(of_files.chain(of_git).chain(of_commands).collect())
}

fn note(entry: &Entry, why: &str) -> String {
    format!("{} yields nothing here: {why}", quoted(&entry.path))
}
