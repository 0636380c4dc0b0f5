//! Kiro: agents and steering files.
//!
//! Kiro's own default agent reads the steering files, but other agents only if their resources name them. So
//! they go into the default profile, those for certain files with a condition.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::agent;
use super::imported::{ImportedLists, ImportedPart, add};
use super::remark::clipped;
use crate::entry::{Allowance, Allowed, Attributes, Entry, Scope, ScopedEntry};
use crate::front_matter::{self, RuleCondition};
use crate::fs::resolved;
use crate::guard::names::holds_secrets;
use crate::select::{self, File, Label, NO_ENTRY, Options};
use crate::store::{List, ProfileName};

const AGENTS: [&str; 2] = [".kiro/agents", "~/.kiro/agents"];
const PROMPTS: [&str; 2] = ["~/.kiro/prompts", ".kiro/prompts"];
const STEERING: [&str; 2] = ["~/.kiro/steering", ".kiro/steering"];
/// How many steering files are read.
const MAX_FILES: usize = 10_000;

/// Where these files are.
pub(super) const PLACES: [&str; 2] = ["~/.kiro", ".kiro"];

pub(super) fn read(imported: &mut ImportedLists) {
    agent::take(imported, &AGENTS, Some(".md"));
    imported.prompts_left_out(&PROMPTS);
    for directory in imported.distinct(&STEERING) {
        let mut list = List::default();
        let mut names = BTreeMap::new();
        for file in steering_files(imported, directory) {
            let label = file.label.as_str();
            let path = resolved(file.place.path());
            let own = own_name(imported, directory, &path);
            let name = own.as_deref().unwrap_or(label);
            if name != label {
                imported.left_out(label, vec![same_file(name)]);
            }
            let has_no_entry = own.is_none() && !file.is_named_by_label(imported.world);
            let when = if has_no_entry { Err(NO_ENTRY.to_owned()) } else { patterns(&file) };
            let left_out = match when {
                Err(reason) => vec![format!("all of it ({reason})")],
                Ok(when) => {
                    let mut left_out = Vec::new();
                    add(&mut list, name, &mut left_out);
                    let added = list.paths.iter_mut().rfind(|entry| entry.path == name);
                    added.into_iter().for_each(|entry| entry.attributes.when.clone_from(&when));
                    left_out.extend(references(&imported.text(name).unwrap_or_default()));
                    left_out
                }
            };
            imported.left_out(name, left_out);
            names.insert(path, NamedAgent { name: name.to_owned(), label: label.to_owned() });
        }
        links_left_out(imported, directory, &names);
        if !list.paths.is_empty() {
            let name = ProfileName::default_profile().to_string();
            imported.take(ImportedPart { name, file: directory.to_owned(), list });
        }
    }
}

/// The files that Kiro would read because a steering file refers to them.
fn references(text: &str) -> Vec<String> {
    /// Enough to know that there are some.
    const MOST: usize = 20;
    let references = text.split("#[[file:").skip(1).filter_map(|rest| rest.split_once("]]"));
    let names = references.map(|(name, _)| clipped(name.trim()));
    names.take(MOST).map(|name| format!("reference to '{name}' (add the file itself)")).collect()
}

/// The names of a steering file: as an entry, and where it was found first.
struct NamedAgent {
    name: String,
    label: String,
}

fn same_file(name: &str) -> String {
    format!("all of it (the same file as '{name}')")
}

/// The file's own name below the directory, if a search would find it by that name, since the search may have
/// found a link to it first.
fn own_name(imported: &ImportedLists, directory: &str, path: &Path) -> Option<String> {
    let root = resolved(select::path_of(directory, imported.world).ok()?);
    let below = path.strip_prefix(root).ok()?.to_str()?;
    let name = format!("{directory}/{below}");
    let is_found = below.ends_with(".md") && !below.split('/').any(|part| part.starts_with('.'));
    let is_plain = Label::new(name.as_bytes()).as_str() == name;
    (is_found && is_plain).then_some(name)
}

/// Lists links to files that are included under another name.
fn links_left_out(imported: &mut ImportedLists, directory: &str, names: &BTreeMap<PathBuf, NamedAgent>) {
    let Ok(root) = select::path_of(directory, imported.world) else { return };
    for link in links_below(&root) {
        let Ok(below) = link.strip_prefix(&root) else { continue };
        let below = Label::new(below.as_os_str().as_encoded_bytes());
        let label = format!("{directory}/{below}");
        let known =
            names.get(&resolved(link.clone())).filter(|file| file.name != label && file.label != label);
        if let Some(file) = known {
            imported.left_out(&label, vec![same_file(&file.name)]);
        }
    }
}

/// The symbolic links with the names of steering files, sorted; directories behind links are not entered.
fn links_below(root: &Path) -> Vec<PathBuf> {
    let mut links = Vec::new();
    let mut unread = vec![root.to_owned()];
    while let Some(directory) = unread.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_hidden => unread.push(path),
                Ok(kind) if kind.is_symlink() && !is_hidden && path.extension() == Some("md".as_ref()) => {
                    links.push(path);
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
    links.sort();
    links
}

/// The patterns of the files that a file is for, none if it is for all; or why it cannot be part of the context.
fn patterns(file: &File) -> Result<Vec<String>, String> {
    match front_matter::condition_in(&file.place) {
        Ok(None) => Ok(Vec::new()),
        Ok(Some(RuleCondition { when, .. })) if !when.is_empty() => Ok(when),
        Ok(Some(RuleCondition { told, .. })) => Err(clipped(&told)),
        Err(doubt) => Err(doubt.to_string()),
    }
}

fn steering_files(imported: &mut ImportedLists, directory: &str) -> Vec<File> {
    let attributes = Attributes { allow: Allowed::from_iter([Allowance::Ignored]), ..Attributes::default() };
    let entry = Entry { attributes, ..Entry::new(format!("{directory}/**/*.md")) };
    let entries = [ScopedEntry::stored(Scope::Session, entry)];
    let options = Options { irregular: true, max_matches: MAX_FILES, ..Options::new(holds_secrets) };
    match select::select(&entries, imported.world, &options) {
        Ok(selected) => {
            for skipped in &selected.skipped {
                imported.left_out(skipped.label.as_str(), vec![format!("all of it ({})", skipped.why)]);
            }
            for problem in selected.entries.iter().filter_map(|report| report.fate.problem()) {
                imported.left_out(directory, vec![format!("all of it ({problem})")]);
            }
            selected.files
        }
        Err(error) => {
            imported.left_out(directory, vec![format!("all of it ({error})")]);
            Vec::new()
        }
    }
}
