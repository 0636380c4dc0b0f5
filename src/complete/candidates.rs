//! What the store holds for the line that is being completed. A store that cannot be read
//! completes nothing.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::OnceLock;

use clap_complete::engine::CompletionCandidate;

use crate::environment::Environment;
use crate::models::registry;
use crate::place::{Asked, Place};
use crate::visible::{escaped, visible};
use ctx_core::budget::Trim;
use ctx_core::entry::Entry;
use ctx_core::format::Format;
use ctx_core::models::{Model, Registry};
use ctx_core::store::{List, ProfileName, Setting, Store, Switch};
use ctx_core::words::grouped;

/// The words of the line that is being completed: candidates depend on `--store` and `--profile`,
/// and the completion engine does not hand the line on.
pub(super) static WORDS: OnceLock<Vec<String>> = OnceLock::new();

/// Whether a shell can show a text and put it into the line as it is: nothing in it is hidden or moves
/// the cursor.
fn is_plain(text: &str) -> bool {
    escaped(text) == text
}

/// So many profiles are read for their descriptions at most: a person waits for them.
const MOST_DESCRIBED: usize = 100;

/// The names of all profiles, with the first lines of their descriptions unless many may be meant.
pub fn profiles() -> Vec<CompletionCandidate> {
    let Some(store) = store() else { return Vec::new() };
    let names = store.profiles().unwrap_or_default();
    let current = WORDS.get().and_then(|words| words.last()?.rsplit('=').next()).unwrap_or_default();
    let is_meant = |name: &&ProfileName| name.as_str().starts_with(current);
    let is_few = names.iter().filter(is_meant).count() <= MOST_DESCRIBED;
    let described = |name: &ProfileName| {
        let read = Some(name).filter(is_meant).filter(|_| is_few);
        let description = read
            .and_then(|name| Some(store.profile(name).ok()?.defaults.get(Setting::Description)?.to_owned()));
        let shown = description.map(|text| visible(text.lines().next().unwrap_or_default()));
        CompletionCandidate::new(name.as_str()).help(shown.map(Into::into))
    };
    names.iter().map(described).collect()
}

/// The entries of the list that the line works on; those that look like options only where none can
/// follow.
pub fn entries() -> Vec<CompletionCandidate> {
    let lists = lists().unwrap_or_default();
    let list = if has_flag("-g") || has_flag("--global") { lists.global } else { lists.profile };
    let is_operand = has_flag("--");
    let names = list.paths.iter().map(Entry::name);
    let offered = names.filter(|name| is_plain(name) && (is_operand || !name.starts_with('-')));
    offered.map(|name| CompletionCandidate::new(name.into_owned())).collect()
}

/// The tags of the profile in use and of the global list.
pub fn tags() -> Vec<CompletionCandidate> {
    let lists = lists().unwrap_or_default();
    let entries = lists.profile.paths.into_iter().chain(lists.global.paths);
    let mut tags: Vec<String> = entries.flat_map(|entry| entry.attributes.tags).collect();
    tags.sort_unstable();
    tags.dedup();
    tags.into_iter().filter(|tag| is_plain(tag)).map(CompletionCandidate::new).collect()
}

/// The names of all models, the person's own first, with their windows.
pub fn models() -> Vec<CompletionCandidate> {
    let registry = match store() {
        Some(store) => registry(&store).ok(),
        None => Some(Registry::built_in()),
    };
    let described = |model: &Model| {
        let window = format!("{} tokens", grouped(model.window));
        CompletionCandidate::new(&model.name).help(Some(window.into()))
    };
    let models = registry.iter().flat_map(|registry| registry.models());
    models.filter(|model| is_plain(&model.name)).map(described).collect()
}

/// The profiles that can be deleted.
pub fn deletable() -> Vec<CompletionCandidate> {
    let mut profiles = profiles();
    profiles.retain(|candidate| candidate.get_value() != ProfileName::default_profile().as_str());
    profiles
}

/// What `--set` takes: the keys, and after a key its values, where it has a few.
pub fn settings(current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let Some((key, _)) = current.split_once('=') else {
        let keys = Setting::ALL.iter().map(|setting| format!("{}=", setting.name()));
        return keys.filter(|key| key.starts_with(&*current)).map(CompletionCandidate::new).collect();
    };
    let values = match key.parse() {
        Ok(Setting::Model) => models(),
        Ok(Setting::Trim) => {
            Trim::ALL.iter().map(|trim| CompletionCandidate::new(trim.to_string())).collect()
        }
        Ok(Setting::Format) => {
            Format::ALL.iter().map(|format| CompletionCandidate::new(format.to_string())).collect()
        }
        Ok(Setting::History) => histories(),
        Ok(Setting::Checkpoint | Setting::GitHistory) => Switch::NAMES.map(CompletionCandidate::new).into(),
        Ok(
            Setting::Description
            | Setting::Instruction
            | Setting::Budget
            | Setting::AskBudget
            | Setting::HistoryBudget
            | Setting::Program,
        )
        | Err(_) => Vec::new(),
    };
    let values = values.into_iter().map(|value| value.add_prefix(format!("{key}=")));
    values.filter(|value| value.get_value().to_string_lossy().starts_with(&*current)).collect()
}

/// The names of all to-do lists, with what is done of them.
pub fn todo_lists() -> Vec<CompletionCandidate> {
    let Some(store) = store() else { return Vec::new() };
    let described = |name: &ProfileName| {
        let list = store.todo_list(name).ok();
        let shown = list.map(|list| format!("{}/{} done", list.done(), list.tasks.len()));
        CompletionCandidate::new(name.as_str()).help(shown.map(Into::into))
    };
    store.todo_names().unwrap_or_default().iter().map(described).collect()
}

/// The names of all histories.
pub fn histories() -> Vec<CompletionCandidate> {
    let names = store().and_then(|store| store.histories().ok()).unwrap_or_default();
    names.iter().map(|name| CompletionCandidate::new(name.as_str())).collect()
}

/// The keys of all settings.
pub fn setting_keys() -> Vec<CompletionCandidate> {
    Setting::ALL.iter().map(|setting| CompletionCandidate::new(setting.name())).collect()
}

#[derive(Default)]
struct Lists {
    profile: List,
    global: List,
}

fn lists() -> Option<Lists> {
    let store = store()?;
    let named = option("--profile").or_else(|| env::var("CTX_PROFILE").ok().filter(|name| !name.is_empty()));
    let name = match named {
        Some(name) => name.parse().ok()?,
        None => store.active().ok()?,
    };
    Some(Lists { profile: store.profile(&name).ok()?, global: store.global().ok()? })
}

fn store() -> Option<Store> {
    let mut environment = Environment::read(std::env::current_dir().ok()?);
    let asked = Asked { store: option("--store").map(PathBuf::from), no_project: has_flag("--no-project") };
    Some(Place::find(asked, &mut environment).ok()?.store)
}

fn words() -> &'static [String] {
    let words = WORDS.get().map(Vec::as_slice).unwrap_or_default();
    words.split_last().map(|(_, before)| before).unwrap_or_default()
}

fn has_flag(flag: &str) -> bool {
    words().iter().any(|word| word == flag)
}

/// The value of an option on the line, before the word at the cursor.
fn option(name: &str) -> Option<String> {
    let mut words = words().iter();
    while let Some(word) = words.next() {
        if word == name {
            return words.next().cloned();
        }
        if let Some(value) = word.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')) {
            return Some(value.to_owned());
        }
    }
    None
}
