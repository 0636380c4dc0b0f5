//! New entries that are no paths and come to nothing yet.

use std::ffi::OsStr;

use super::look_up::LookedUp;
use crate::app::App;
use crate::environment::launcher;
use crate::error::Error;
use crate::texts::{self, Commands};
use ctx_core::entry::{Entry, Kind, ScopedEntry};
use ctx_core::guard::names::holds_secrets;
use ctx_core::select::{self, EntryId, Missed};
use ctx_core::source::Provided;
use ctx_core::source::kind::command_of;
use ctx_core::trust::Trusted;
use ctx_core::words::quoted;
use ctx_core::world::World;

/// A note for each: no program of the name, no repository, no changes. No command is run.
///
/// # Errors
/// As [`texts::of`].
pub(super) fn notes(app: &App, found: &LookedUp, count: usize) -> Result<Vec<String>, Error> {
    let added = &found.scoped[..count];
    let of_files = found.refused.iter().flat_map(|Missed { entries, label, why, .. }| {
        let why = format!("{}: {why}", quoted(label.as_str()));
        entries.iter().map(move |entry| note(&added[entry.0].entry, &why))
    });
    let git: Vec<ScopedEntry> =
        added.iter().filter(|scoped| scoped.entry.kind() == Kind::Git).cloned().collect();
    let selection = select::Options::new(holds_secrets);
    let found = texts::of(app, &Trusted::default(), &git, &selection, Commands::NotRun)?;
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
        let command = command_of(&scoped.entry).ok()??;
        let World { cwd, .. } = app.base(scoped.scope);
        let program = command.words.program();
        let is_there = launcher().programs().find(OsStr::new(program), cwd).is_some();
        (!is_there).then(|| note(&scoped.entry, &format!("program {} not found", quoted(program))))
    });
    Ok(of_files.chain(of_git).chain(of_commands).collect())
}

fn note(entry: &Entry, why: &str) -> String {
    format!("{} has nothing here: {why}", quoted(&entry.path))
}
