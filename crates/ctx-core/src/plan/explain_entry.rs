//! What happened to one entry, in detail.

use std::time::Duration;

use serde::Serialize;

use super::Plan;
use crate::account::{EntryRecord, FileRecord, VERSION};
use crate::command::{Command, CommandLimits};
use crate::entry::{Kind, ScopedEntry, up_names};
use crate::fs::with_tilde;
use crate::select::{EntryId, Level, PathResolver, levels};
use crate::source::Source;
use crate::store::is_same_path;
use crate::trust::Scripts;
use crate::world::World;

/// An entry and its documents, serialised to a documented JSON format (`version` 1).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedEntry {
    /// [`VERSION`].
    pub version: u32,
    /// The entry.
    pub entry: EntryRecord,
    /// What a `cmd:` entry runs, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<ExplainedCommand>,
    /// The directories where the names of an `up:` entry were looked up, from the root of the tree down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub directories: Vec<DirectoryRecord>,
    /// What happened to each of its documents.
    pub files: Vec<FileRecord>,
}

/// A command, whether it is run or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplainedCommand {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// These words, quoted for a shell.
    #[serde(skip)]
    pub line: String,
    /// The directory it runs in, as `~/…` below the home directory.
    pub directory: String,
    /// The files in the tree that it names. If one changes, the command has to be trusted again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<String>,
    /// How long it may run, in milliseconds.
    pub timeout_ms: u64,
    /// How many bytes of its output are used.
    pub max_output: u64,
    /// Whether its output is used only if it succeeds.
    pub only_success: bool,
    /// How long its output is reused after a success, in milliseconds; absent if it runs every time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
}

/// A directory in which names were looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DirectoryRecord {
    /// Its path, relative to the current directory: `../..`, or `.`.
    pub directory: String,
    /// The name that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why the file of that name may not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Plan {
    /// Explains the entry with this text, or else the entry of the document with this label; `None` if
    /// neither exists. If several entries are equal, explains the first one in use.
    #[must_use]
    pub fn explain_entry(&self, text: &str, world: &World, scripts: &Scripts) -> Option<ExplainedEntry> {
        let named = |id: &EntryId| is_same_path(&self.request.entries[id.0].entry.name(), text);
        let ids = || self.reports.iter().map(|report| report.id).filter(named);
        let known = ids().find(|id| self.reports[id.0].is_used()).or_else(|| ids().next());
        let labelled = || self.items.iter().find(|item| item.source.label.as_str() == text);
        let id = known.or_else(|| labelled()?.source.selected_by.entries.first().copied())?;
        let account = self.account();
        let is_meant = |source: &Source| known.is_some() || source.label.as_str() == text;
        let selected_by = |index: usize| {
            let source = &self.items[index].source;
            source.selected_by.entries.contains(&id) && is_meant(source)
        };
        let files = account.files.into_iter().take(self.items.len()).enumerate();
        let files = files.filter(|(index, _)| selected_by(*index)).map(|(_, file)| file).collect();
        Some(ExplainedEntry {
            version: VERSION,
            entry: account.entries.into_iter().nth(id.0)?,
            command: self.command(&self.request.entries[id.0], world, scripts),
            directories: self.directories(&self.request.entries[id.0], world),
            files,
        })
    }

    fn command(&self, scoped: &ScopedEntry, world: &World, scripts: &Scripts) -> Option<ExplainedCommand> {
        let command = Command::of(&scoped.entry).ok()??;
        let resolver = PathResolver::new(world, &self.request.selection);
        let directory = &resolver.base(scoped).world.cwd;
        let milliseconds = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let CommandLimits { timeout, most_output, only_success, ttl } = command.limits;
        let scripts = scripts.paths(&command.words, directory);
        Some(ExplainedCommand {
            line: command.words.line(),
            words: command.words.iter().map(str::to_owned).collect(),
            directory: with_tilde(&directory.to_string_lossy(), world.home.as_deref()),
            scripts: scripts.iter().map(|path| path.display().to_string()).collect(),
            timeout_ms: milliseconds(timeout),
            max_output: most_output as u64,
            only_success,
            ttl_ms: ttl.map(milliseconds),
        })
    }

    fn directories(&self, scoped: &ScopedEntry, world: &World) -> Vec<DirectoryRecord> {
        let names = Kind::Up.argument(&scoped.entry.path).and_then(|names| up_names(names).ok());
        let Some(names) = names else { return Vec::new() };
        let resolver = PathResolver::new(world, &self.request.selection);
        let record = |Level { directory, found, .. }| {
            let (name, file) = found.unzip();
            DirectoryRecord { directory, name, problem: file.and_then(Result::err).map(|it| it.to_string()) }
        };
        levels(&names, resolver.base(scoped), &resolver).into_iter().map(record).collect()
    }
}
