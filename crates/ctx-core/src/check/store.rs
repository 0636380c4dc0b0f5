//! Problems with the store's files, the lists in them, and a tree's checkpoints.

use std::io;
use std::path::{Path, PathBuf};

use super::{Finding, Group};
#[cfg(unix)]
use crate::checkpoint::{CheckpointError, Checkpoints, Unfinished};
use crate::entry::{Attribute, Scope};
use crate::history::HistoryError;
use crate::models::Registry;
#[cfg(unix)]
use crate::report::Hint;
use crate::setting;
use crate::share::{self, Flaw, Invalid};
use crate::store::{
    JOURNAL, List, ListTarget, ProfileName, Setting, Store, StoreError, StoreErrorKind, View,
};
use crate::words::{nearest, quoted};
use crate::world::World;

/// All problems with the store: unusable files, unsafe directories, stray files among the profiles, and
/// profile defaults that no render would accept. The registry is the user's own, or the reason why it cannot
/// be used.
#[must_use]
pub fn of_store(store: &Store, registry: &Result<Registry, String>) -> Vec<Finding> {
    let names = store.profiles();
    let mut findings = Vec::new();
    // A fault that prevents listing the profiles is reported only once, along with them.
    let is_same =
        |known: &StoreError, error: &StoreError| known.path().is_some() && known.path() == error.path();
    let is_reported = |error: &StoreError| names.as_ref().is_err_and(|known| is_same(known, error));
    let active = store.active().err().filter(|error| !is_reported(error));
    findings.extend(active.map(|error| unusable("state.json", &error)));
    findings.extend(match store.global() {
        Ok(list) => of_list("global.json", &list, registry),
        Err(error) => vec![unusable("global.json", &error)],
    });
    findings.extend(unfinished(store));
    findings.extend(histories(store));
    if let Err(text) = registry {
        let path = format!("'{}': ", store.root().join("models.json").display());
        findings.push(finding("models.json", "damaged", text.strip_prefix(&path).unwrap_or(text).to_owned()));
    }
    findings.extend(is_lost(store.root()).then(|| leads_nowhere(&store.root().to_string_lossy())));
    let fixed = ["state.json", "global.json", "models.json", "profiles"];
    let lost = fixed.into_iter().filter(|name| is_lost(&store.root().join(name)));
    findings.extend(lost.map(leads_nowhere));
    findings.extend(store.unsafe_directories().iter().map(|directory| open_to_all(store, directory)));
    // If links and strays cannot be listed, profiles cannot either.
    let links = store.broken_links().unwrap_or_default();
    let of_profiles = |view: &View<'_>, names: &[ProfileName]| -> Vec<Finding> {
        let whole = names.iter().filter(|name| !links.contains(name));
        let broken = links.iter().map(|name| broken_link(view, name));
        whole.flat_map(|name| profile(view, name, registry)).chain(broken).collect()
    };
    match names.and_then(|names| store.read(|view| Ok(of_profiles(view, &names)))) {
        Ok(of_profiles) => findings.extend(of_profiles),
        Err(error) => findings.push(unusable("profiles", &error)),
    }
    for path in store.strays().unwrap_or_default() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        findings.push(finding(
            &format!("profiles/{name}"),
            "stray",
            "is not a profile, so it is never used".to_owned(),
        ));
    }
    findings
}

fn profile(view: &View<'_>, name: &ProfileName, registry: &Result<Registry, String>) -> Vec<Finding> {
    let file = format!("profiles/{name}.json");
    match view.profile(name) {
        // It was deleted since the names were listed.
        Err(StoreError::NoSuchProfile { .. }) => Vec::new(),
        Err(error) => vec![unusable(&file, &error)],
        Ok(list) => of_list(&file, &list, registry),
    }
}

fn of_list(file: &str, list: &List, registry: &Result<Registry, String>) -> Vec<Finding> {
    invalid_settings(file, list, registry).into_iter().chain(misspelled(file, list)).collect()
}

/// Keys that are unknown and nearly those that are known. Other unknown keys may belong to a later version.
fn misspelled(file: &str, list: &List) -> Vec<Finding> {
    let of_list: Vec<&str> = List::keys().collect();
    let of_entry = Attribute::ALL.map(Attribute::name);
    let meant = |key: &str, known: &[&'static str], place: &str| {
        let near = nearest_key(key, known)?;
        let text = format!("the key {}{place} is not known; {} is", quoted(key), quoted(near));
        Some(finding(file, "unknown-key", text))
    };
    let in_list = list.unknown().filter_map(|(key, _)| meant(key, &of_list, ""));
    let in_entries = list.paths.iter().flat_map(|entry| {
        let place = format!(" of {}", quoted(&entry.path));
        let keys = entry.unknown.keys();
        keys.filter_map(|key| meant(key, &of_entry, &place)).collect::<Vec<_>>()
    });
    in_list.chain(in_entries).collect()
}

/// The known key that is meant: one in another letter case, a nearly equal one, or one that this is a form of, as `pinned` is of
/// `pin`.
fn nearest_key(key: &str, known: &[&'static str]) -> Option<&'static str> {
    let key = &*key.to_lowercase();
    let is_form = |known: &&&str| {
        let ending = key.strip_prefix(**known).or_else(|| known.strip_prefix(key));
        ending.is_some_and(|ending| ["", "s", "d", "ed", "ned", "ing", "ning"].contains(&ending))
    };
    known.iter().find(is_form).copied().or_else(|| nearest(key, known.iter().copied()))
}

fn invalid_settings(file: &str, list: &List, registry: &Result<Registry, String>) -> Vec<Finding> {
    Setting::ALL
        .into_iter()
        .filter_map(|key| setting::check(key, list.defaults.get(key)?, registry.as_ref().ok()).err())
        .map(|invalid| finding(file, "invalid-default", invalid.to_string()))
        .collect()
}

/// Histories that cannot be read.
fn histories(store: &Store) -> Vec<Finding> {
    let file = |name: &ProfileName| format!("history/{name}.jsonl");
    let fault = |name: ProfileName| match store.history(&name) {
        Ok(_) | Err(HistoryError::Unknown { .. }) => None,
        Err(HistoryError::Store(error)) => Some(unusable(&file(&name), &error)),
        Err(error) => Some(finding(&file(&name), "damaged", error.to_string())),
    };
    store.histories().unwrap_or_default().into_iter().filter_map(fault).collect()
}

/// The remains of an interrupted command. A journal that cannot be read is reported by the commands that need
/// it.
fn unfinished(store: &Store) -> Vec<Finding> {
    let Ok(Some(edited)) = store.unfinished() else { return Vec::new() };
    let name = |path: &Path| path.strip_prefix(store.root()).unwrap_or(path).to_string_lossy().into_owned();
    let text = "a command was interrupted; the next change to the store will finish it".to_owned();
    let kept = |path: &PathBuf| {
        let text = "was edited after a command was interrupted; the edit will be kept".to_owned();
        finding(&name(path), "edited", text)
    };
    [finding(JOURNAL, "unfinished", text)].into_iter().chain(edited.iter().map(kept)).collect()
}

fn broken_link(view: &View<'_>, name: &ProfileName) -> Finding {
    let file = format!("profiles/{name}.json");
    match view.profile(name) {
        Ok(_) | Err(StoreError::NoSuchProfile { .. }) => leads_nowhere(&file),
        Err(error) => unusable(&file, &error),
    }
}

/// Whether a path is a dangling link, which counts as missing.
fn is_lost(path: &Path) -> bool {
    path.is_symlink() && path.metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

fn leads_nowhere(name: &str) -> Finding {
    finding(name, "broken-link", "is a link to a place that does not exist".to_owned())
}

fn open_to_all(store: &Store, directory: &Path) -> Finding {
    let below = directory.strip_prefix(store.root()).ok().filter(|below| !below.as_os_str().is_empty());
    let text = format!(
        "everyone can write to it, so ctx changes nothing there: chmod o-w '{}'",
        directory.display()
    );
    finding(&below.unwrap_or(directory).to_string_lossy(), "unsafe", text)
}

pub(super) fn unusable(file: &str, error: &StoreError) -> Finding {
    let code = match error.kind() {
        StoreErrorKind::Damaged => "damaged",
        StoreErrorKind::Usage | StoreErrorKind::Refused => "unusable",
        StoreErrorKind::Io | StoreErrorKind::Busy => "unreadable",
    };
    finding(file, code, error.to_string())
}

pub(super) fn finding(file: &str, code: &'static str, text: String) -> Finding {
    Finding::new(Group::Store, code, file, text)
}

/// Entries of any list that no command would accept. The global list and the profile of a plan, if there is
/// one, are only checked for what the plan cannot know. What their patterns match is not looked up, because
/// that depends on the directory in which a profile is used.
#[must_use]
pub fn of_lists(store: &Store, world: &World, planned: Option<&str>) -> Vec<Finding> {
    // A store that cannot be read is a separate finding.
    let read = store.read(|view| Ok::<_, StoreError>(of_lists_in(view, world, planned)));
    read.unwrap_or_default()
}

fn of_lists_in(view: &View<'_>, world: &World, planned: Option<&str>) -> Vec<Finding> {
    let profiles = view.profiles().unwrap_or_default().into_iter().map(ListTarget::Profile);
    // A list that cannot be read is a separate finding. There may be many, so only one is in memory at a time.
    let lists = [ListTarget::Global].into_iter().chain(profiles).filter_map(|target| {
        let list = match &target {
            ListTarget::Global => view.global(),
            ListTarget::Profile(name) => view.profile(name),
        };
        Some((target, list.ok()?))
    });
    let is_planned = |target: &ListTarget| match target {
        ListTarget::Global => planned.is_some(),
        ListTarget::Profile(name) => planned == Some(name.as_str()),
    };
    let mut findings: Vec<Finding> = Vec::new();
    for flawed in share::invalid(lists, world) {
        if !(is_planned(&flawed.target) && matches!(flawed.flaw, Flaw::Path(_) | Flaw::Kind(_))) {
            findings.push(invalid(flawed, is_planned));
        }
    }
    findings
}

fn invalid(flawed: Invalid, is_planned: impl Fn(&ListTarget) -> bool) -> Finding {
    let Invalid { target, path, flaw } = flawed;
    let (code, text) = match flaw {
        Flaw::Path(error) => ("invalid", error.to_string()),
        Flaw::Kind(error) => ("invalid", error.to_string()),
        Flaw::StandardInput => ("invalid", "it is standard input, which cannot be stored".to_owned()),
        Flaw::Attribute(attribute) => ("invalid", format!("'{attribute}' does not apply to it")),
        Flaw::Tag { tag, error } => ("invalid-tag", format!("invalid tag '{tag}': {error}")),
    };
    let is_planned = is_planned(&target);
    let (scope, profile) = match target {
        ListTarget::Global => (Scope::Global, None),
        ListTarget::Profile(name) => (Scope::Profile, Some(name.to_string()).filter(|_| !is_planned)),
    };
    Finding { scope: Some(scope), profile, ..Finding::new(Group::Entries, code, path, text) }
}

/// An interrupted restore, and lists that cannot be read.
#[cfg(unix)]
#[must_use]
pub fn of_checkpoints(checkpoints: &Checkpoints<'_>) -> Vec<Finding> {
    const SUBJECT: &str = "checkpoints";
    let faulty = |error: CheckpointError| match error {
        CheckpointError::Store(error) => unusable(SUBJECT, &error),
        error => finding(SUBJECT, "unreadable", error.to_string()),
    };
    let half_done = |unfinished: Unfinished| {
        let finding = finding(SUBJECT, "unfinished", unfinished.to_string());
        Finding { hint: Some(Hint::FinishRestore), ..finding }
    };
    let unfinished = checkpoints
        .unfinished()
        .map_or_else(|error| Some(faulty(error)), |unfinished| unfinished.map(half_done));
    unfinished.into_iter().chain(checkpoints.list().err().map(faulty)).collect()
}
