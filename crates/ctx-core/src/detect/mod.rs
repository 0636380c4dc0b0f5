//! Finds the context files for other tools that a directory already has.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::entry::pattern::below;
use crate::entry::rooted::from_here;
use crate::entry::{Entry, Scope, ScopedEntry};
use crate::front_matter::{self, Doubt, RuleCondition};
use crate::fs::{Notation, resolved};
use crate::git::dot_git;
use crate::guard::names::holds_secrets;
use crate::read::Unreadable;
use crate::select::ignore_rules::kept_from_models;
use crate::select::{
    self, EntryId, EntryKind, EntryReport, File, MissedReason, NO_ENTRY, Problem, SelectError, Selected,
    path_of, select,
};
use crate::world::World;

/// The names and patterns that other tools look for in a directory, in the order in which they are listed.
pub const KNOWN: [&str; 20] = [
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/rules/**/*.md",
    "GEMINI.md",
    "AmazonQ.md",
    ".amazonq/rules/**/*.md",
    ".kiro/steering/**/*.md",
    ".cursor/rules/*.mdc",
    ".cursorrules",
    ".github/copilot-instructions.md",
    ".github/instructions/**",
    ".windsurfrules",
    ".windsurf/rules/**/*.md",
    ".clinerules",
    ".goosehints",
    "CONVENTIONS.md",
    "README.md",
];

/// The memory files that tools also read in directories below the current one, beside files in those directories.
const BELOW: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// The beginning of the path of a file in a parent directory.
const ABOVE: &str = "../";

/// The matches of one known name or pattern in one directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    /// The entry that would include it, relative to the current directory.
    pub entry: String,
    /// Whether that entry is a pattern.
    pub is_pattern: bool,
    /// The files, by path; at least one.
    pub files: Vec<ContextFile>,
}

/// One context file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextFile {
    /// The path, relative to the current directory.
    pub path: String,
    /// When its tool reads it.
    pub loading: Loading,
}

/// When a context file is read by its tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loading {
    /// Every time.
    Always,
    /// Only under a condition in its front matter, such as `globs: **/*.ts`.
    Conditional(RuleCondition),
    /// It is a link to the file named here.
    SameAs(String),
    /// It cannot be added, for this reason.
    Refused(String),
}

impl Detected {
    /// The entries for what tools read beside certain files.
    #[must_use]
    pub fn conditional(&self) -> Vec<Entry> {
        let entry = |file: &ContextFile| {
            let Loading::Conditional(RuleCondition { when, .. }) = &file.loading else { return None };
            let mut entry = Entry::of_tool(&file.path);
            entry.attributes.when.clone_from(when);
            Some(entry).filter(|_| !when.is_empty())
        };
        self.files.iter().filter_map(entry).collect()
    }

    /// The entries for everything here that tools always read.
    #[must_use]
    pub fn unconditional(&self) -> Vec<String> {
        let always = self.files.iter().filter(|file| file.loading == Loading::Always);
        if self.entry.starts_with(ABOVE) {
            // An `up:` entry is looked up through the tree, so it never reaches outside.
            return always.map(|file| format!("up:{}", file.path.trim_start_matches(ABOVE))).collect();
        }
        if self.is_pattern && always.clone().count() == self.files.len() {
            return vec![self.entry.clone()];
        }
        always.map(|file| file.path.clone()).collect()
    }
}

/// Finds the context files from the current directory up to the root of the repository, and memory files further down.
/// Without a repository, it only looks in the current directory.
///
/// # Errors
/// If there are too many.
pub fn detect(world: &World) -> Result<Vec<Detected>, SelectError> {
    let cwd = resolved(&world.cwd);
    let levels = levels(&cwd);
    let top = levels.last().map_or_else(|| cwd.clone(), |top| (*top).to_owned());
    let work_root = &world.root;
    // Labels are relative to the top of the search.
    let world = &World { cwd: cwd.clone(), root: top, project: None, ..world.clone() };
    let mut entries: Vec<ScopedEntry> =
        (0..levels.len()).flat_map(|level| known_at(level, levels[level])).collect();
    let first_below = EntryId(entries.len());
    if dot_git(&world.root).is_some() {
        let pattern = |name: &&str| Entry::new(format!("*/**/{name}"));
        let below = BELOW.iter().map(pattern).map(|entry| ScopedEntry::stored(Scope::Session, entry));
        entries.extend(below);
    }
    let options = select::Options { irregular: true, ..select::Options::new(holds_secrets) };
    let Selected { files, entries: reports, skipped, .. } = select(&entries, world, &options)?;
    let mut detected: Vec<Vec<ContextFile>> = vec![Vec::new(); entries.len()];
    let mut put = |id: EntryId, path, loading| detected[id.0].push(ContextFile { path, loading });
    for file in &files {
        let (Some(loading), [first, others @ ..]) = (loading(file, world), &file.selected_by.entries[..])
        else {
            continue;
        };
        let loading = match loading {
            Loading::Always if *first >= first_below => beside_its_directory(file, work_root),
            loading => loading,
        };
        let path = from_here(file.label.as_str(), world);
        for id in others.iter().filter(|id| reports[id.0].kind == EntryKind::Literal) {
            put(*id, entries[id.0].entry.path.clone(), Loading::SameAs(path.clone()));
        }
        put(*first, path, loading);
    }
    for passed in &skipped {
        if let Some(first) = passed.entries.first() {
            let loading = Loading::Refused(passed.why.to_string());
            put(*first, from_here(passed.label.as_str(), world), loading);
        }
    }
    for (scoped, report) in entries.iter().zip(&reports) {
        if let Some(reason) = refusal(scoped, report, world) {
            put(report.id, scoped.entry.path.clone(), Loading::Refused(reason));
        }
    }
    let found = |((scoped, report), mut files): ((&ScopedEntry, &EntryReport), Vec<ContextFile>)| {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let is_pattern = report.kind == EntryKind::Pattern;
        (!files.is_empty()).then(|| Detected { entry: scoped.entry.path.clone(), is_pattern, files })
    };
    Ok(entries.iter().zip(&reports).zip(detected).filter_map(found).collect())
}

/// Why an existing file with a known name cannot be added.
fn refusal(scoped: &ScopedEntry, report: &EntryReport, world: &World) -> Option<String> {
    match report.fate.problem()? {
        Problem::Missing => {
            path_of(&scoped.entry.path, world).ok()?.symlink_metadata().ok()?;
            Some(MissedReason::BrokenLink.to_string())
        }
        problem => Some(problem.to_string()),
    }
}

/// The current directory and those above it, up to the root of the repository.
fn levels(cwd: &Path) -> Vec<&Path> {
    let is_root = |directory: &&Path| dot_git(directory).is_some();
    let depth = cwd.ancestors().position(|directory| is_root(&directory)).unwrap_or(0);
    cwd.ancestors().take(depth + 1).collect()
}

/// Entries for the known names in a directory, this many levels above the current one: for a file that is not there, one
/// that differs in letter case only.
fn known_at(level: usize, directory: &Path) -> impl Iterator<Item = ScopedEntry> {
    let up = "../".repeat(level);
    KNOWN.iter().map(move |name| {
        let is_there = || directory.join(name).symlink_metadata().is_ok();
        let is_plain = !name.contains(['*', '/']);
        let other =
            (is_plain && !is_there()).then(|| select::other_spelling(&[(*name).to_owned()], directory));
        let name = other.flatten().unwrap_or_else(|| (*name).to_owned());
        ScopedEntry::stored(Scope::Session, Entry::of_tool(format!("{up}{name}")))
    })
}

/// The condition of a memory file in a directory further down: a file in that directory.
fn beside_its_directory(file: &File, work_root: &Path) -> Loading {
    let place = file.place.path();
    let directory = place.parent().and_then(|directory| directory.strip_prefix(work_root).ok());
    let Some(directory) = directory.and_then(Path::to_str) else {
        return Loading::Refused(NO_ENTRY.to_owned());
    };
    let when = below(&Notation::HERE.slashed(directory));
    Loading::Conditional(RuleCondition { told: format!("for {when}"), when: vec![when] })
}

/// When a file is read; `None` for one that a pattern skips silently.
fn loading(file: &File, world: &World) -> Option<Loading> {
    let place = file.place.path();
    let canonical: PathBuf = resolved(&place);
    if !canonical.starts_with(&world.root) {
        return Some(Loading::Refused("link leads out of the repository".to_owned()));
    }
    if let Some((name, by)) = kept_from_models(&place, world) {
        return Some(Loading::Refused(format!("ignored by {name}:{}: {}", by.line, by.pattern)));
    }
    if !file.is_named_by_label(world) {
        return Some(Loading::Refused(NO_ENTRY.to_owned()));
    }
    match front_matter::condition_in(&file.place) {
        Ok(Some(condition)) => Some(Loading::Conditional(condition)),
        Ok(None) => Some(Loading::Always),
        Err(Doubt::Unreadable(Unreadable::Binary)) if !file.selected_by.named => None,
        Err(doubt) => Some(Loading::Refused(doubt.to_string())),
    }
}
