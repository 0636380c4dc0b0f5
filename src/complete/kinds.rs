//! Entries that are no paths: their kinds, and what may follow.

use std::fs;

use clap_complete::engine::CompletionCandidate;

use super::candidates::todo_lists;
use ctx_core::entry::Kind;

/// What git can be asked for, with what comes of it.
const GIT: [(&str, &str); 5] = [
    ("diff", "changes that are not staged, or those of a range"),
    ("staged", "what would be committed"),
    ("changes", "everything that differs from HEAD"),
    ("show", "a commit: its message and its files"),
    ("log", "the last ten commits"),
];

/// Names that memory files have.
const MEMORY_FILES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// What a word may become that begins like a kind. A word that begins like a file here becomes that file.
pub fn kinds(current: &str) -> Vec<CompletionCandidate> {
    let prefixes = || Kind::ALL.into_iter().filter_map(|kind| Some((kind, kind.prefix()?)));
    if let Some((kind, prefix)) = prefixes().find(|(_, prefix)| current.starts_with(prefix)) {
        let mut values: Vec<CompletionCandidate> =
            after(kind).into_iter().map(|value| value.add_prefix(prefix)).collect();
        values.retain(|value| value.get_value().to_string_lossy().starts_with(current));
        return values;
    }
    let begun = prefixes().filter(|(_, prefix)| !current.is_empty() && prefix.starts_with(current));
    let begun: Vec<&str> = begun.map(|(_, prefix)| prefix).collect();
    if begun.is_empty() || is_begin_of_a_file(current) {
        return Vec::new();
    }
    begun.into_iter().map(CompletionCandidate::new).collect()
}

fn after(kind: Kind) -> Vec<CompletionCandidate> {
    match kind {
        Kind::Up => MEMORY_FILES.map(CompletionCandidate::new).into(),
        Kind::Git => GIT.map(|(form, help)| CompletionCandidate::new(form).help(Some(help.into()))).into(),
        Kind::Todo => todo_lists(),
        Kind::Path | Kind::Exclusion | Kind::StandardInput | Kind::Command => Vec::new(),
    }
}

fn is_begin_of_a_file(current: &str) -> bool {
    let mut names = fs::read_dir(".").into_iter().flatten().flatten();
    names.any(|entry| entry.file_name().as_encoded_bytes().starts_with(current.as_bytes()))
}
