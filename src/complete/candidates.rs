//! The candidates for a word of the line: names from the store, kinds of entries that aren't paths, and programs.
//! If the store can't be read, there are none.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs};

use clap_complete::engine::CompletionCandidate;

use crate::environment::Environment;
use crate::models::registry;
use crate::place::{Place, named_here};
use crate::visible::{escaped, visible};
use ctx_core::budget::Trim;
use ctx_core::entry::{Entry, Kind};
use ctx_core::format::Format;
use ctx_core::models::{Model, Registry};
use ctx_core::read;
use ctx_core::setting::NamedBy;
use ctx_core::source::named::Lookup;
use ctx_core::store::{List, ProfileName, Setting, Store, StoreError, Switch, View};
use ctx_core::words::grouped;
use ctx_core::world::World;

/// The words of the line being completed. Candidates depend on `--store` and `--profile`, but the completion
/// engine doesn't pass the line on.
pub(super) static WORDS: OnceLock<Vec<String>> = OnceLock::new();

/// Whether a shell can display `text` and insert it into the line as it is: it contains no hidden characters
/// and none that move the cursor.
fn is_plain(text: &str) -> bool {
    escaped(text) == text
}

/// The most profiles to read for their descriptions, since somebody is waiting.
const MOST_DESCRIBED: usize = 100;

/// The names of all profiles, with the first lines of their descriptions unless there are too many.
pub fn profiles() -> Vec<CompletionCandidate> {
    let Some(store) = store() else { return Vec::new() };
    let names = store.profiles().unwrap_or_default();
    let current = WORDS.get().and_then(|words| words.last()?.rsplit('=').next()).unwrap_or_default();
    let is_meant = |name: &&ProfileName| name.as_str().starts_with(current);
    let is_few = names.iter().filter(is_meant).count() <= MOST_DESCRIBED;
    let described = |view: &View<'_>, name: &ProfileName| {
        let read = Some(name).filter(is_meant).filter(|_| is_few);
        let description = read
            .and_then(|name| Some(view.profile(name).ok()?.defaults.get(Setting::Description)?.to_owned()));
        let shown = description.map(|text| visible(text.lines().next().unwrap_or_default()));
        CompletionCandidate::new(name.as_str()).help(shown.map(Into::into))
    };
    let all = store
        .read(|view| Ok::<_, StoreError>(names.iter().map(|name| described(view, name)).collect::<Vec<_>>()));
    all.unwrap_or_default()
}

/// The entries of the list that the line works on. Those that look like options are left out where an option may
/// follow.
pub fn entries() -> Vec<CompletionCandidate> {
    let [profile, global] = lists().unwrap_or_default();
    let list = if has_flag("-g") || has_flag("--global") { global } else { profile };
    let is_operand = has_flag("--");
    let names = list.paths.iter().map(Entry::name);
    let offered = names.filter(|name| is_plain(name) && (is_operand || !name.starts_with('-')));
    offered.map(|name| CompletionCandidate::new(name.into_owned())).collect()
}

/// The tags of the profile in use and of the global list.
pub fn tags() -> Vec<CompletionCandidate> {
    let entries = lists().into_iter().flatten().flat_map(|list| list.paths);
    let mut tags: Vec<String> = entries.flat_map(|entry| entry.attributes.tags).collect();
    tags.sort_unstable();
    tags.dedup();
    tags.into_iter().filter(|tag| is_plain(tag)).map(CompletionCandidate::new).collect()
}

/// The names of all models with their windows, your own models first.
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

/// The profiles that can be removed.
pub fn deletable() -> Vec<CompletionCandidate> {
    let mut profiles = profiles();
    profiles.retain(|candidate| candidate.get_value() != ProfileName::default_profile().as_str());
    profiles
}

/// The settings that the line may name: with -g, those that can apply to all profiles.
fn keys() -> impl Iterator<Item = Setting> {
    let is_for_all = has_flag("-g") || has_flag("--global");
    Setting::ALL.into_iter().filter(move |setting| !is_for_all || setting.is_for_all())
}

/// Values for `--set`: the keys, and after a key its values, if there are only a few.
pub fn settings(current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let Some((key, _)) = current.split_once('=') else {
        let keys = keys().map(|setting| format!("{}=", setting.name()));
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
        Ok(Setting::WordsFrom) => NamedBy::WORDS.map(CompletionCandidate::new).into(),
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

/// The names of all to-do lists, with their progress.
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
    let names = place().map(|(store, world)| named_here(&store, &world.root)).unwrap_or_default();
    names.iter().map(CompletionCandidate::new).collect()
}

/// The keys of all settings.
pub fn setting_keys() -> Vec<CompletionCandidate> {
    keys().map(|setting| CompletionCandidate::new(setting.name())).collect()
}

/// The list of the profile in use, and the global one.
fn lists() -> Option<[List; 2]> {
    let store = store()?;
    let name = profile_in_use(&store)?;
    Some([store.profile(&name).ok()?, store.global().ok()?])
}

/// The name of the profile in use.
pub(super) fn profile_in_use(store: &Store) -> Option<ProfileName> {
    let named = option("--profile").or_else(|| env::var("CTX_PROFILE").ok().filter(|name| !name.is_empty()));
    match named {
        Some(name) => name.parse().ok(),
        None => store.active().ok(),
    }
}

fn store() -> Option<Store> {
    place().map(|(store, _)| store)
}

/// The store, and the world in which it is used.
pub(super) fn place() -> Option<(Store, World)> {
    let mut environment = Environment::read(std::env::current_dir().ok()?);
    let named = option("--store").map(PathBuf::from);
    let store = Place::find(named, has_flag("--no-project"), &mut environment).ok()?.store;
    Some((store, environment.world))
}

/// The words before the one at the cursor.
pub(super) fn words() -> &'static [String] {
    let words = WORDS.get().map(Vec::as_slice).unwrap_or_default();
    words.split_last().map(|(_, before)| before).unwrap_or_default()
}

fn has_flag(flag: &str) -> bool {
    words().iter().any(|word| word == flag)
}

/// The value of an option on the line, before the word at the cursor.
pub(super) fn option(name: &str) -> Option<String> {
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

/// The entries for git, with what each yields.
const GIT: [(&str, &str); 5] = [
    ("diff", "your unstaged changes, or the changes of a range of commits"),
    ("staged", "your staged changes"),
    ("changes", "everything that differs from the last commit"),
    ("show", "a commit: its message, then its changes to each file"),
    ("log", "the last ten commits"),
];

/// The names of memory files.
const MEMORY_FILES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// Candidates for a word that starts like a kind. If it starts like the name of a file here, it completes to that
/// file.
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

/// The names of what is in a file, for a word that names the file and continues with `#`.
pub fn names_in_file(current: &str) -> Vec<CompletionCandidate> {
    let is_file = |(at, _): &(usize, &str)| Path::new(&current[..*at]).is_file();
    let Some((at, _)) = current.match_indices('#').find(is_file) else { return Vec::new() };
    let path = &current[..at];
    let words = Lookup::default().names(read::open(Path::new(path)), path).into_iter();
    let words = words.map(|name| format!("{path}#{name}"));
    words.filter(|word| word.starts_with(current) && is_plain(word)).map(CompletionCandidate::new).collect()
}

fn after(kind: Kind) -> Vec<CompletionCandidate> {
    match kind {
        Kind::Up => MEMORY_FILES.map(CompletionCandidate::new).into(),
        Kind::Git => GIT.map(|(form, help)| CompletionCandidate::new(form).help(Some(help.into()))).into(),
        Kind::Todo => todo_lists(),
        Kind::Path | Kind::Exclusion | Kind::StandardInput | Kind::Command | Kind::Dependency => Vec::new(),
    }
}

fn is_begin_of_a_file(current: &str) -> bool {
    let mut names = fs::read_dir(".").into_iter().flatten().flatten();
    names.any(|entry| entry.file_name().as_encoded_bytes().starts_with(current.as_bytes()))
}

/// The words after `--` up to the cursor, if the command takes a program there.
pub fn typed_program(words: &[String]) -> Option<&[String]> {
    let command = words.get(place_of_command(words)..)?;
    let takes_program = match command {
        [run, ..] if run == "run" || run == "ask" => true,
        [history, compress, ..] => history == "history" && compress == "compress",
        _ => false,
    };
    let separator = command.iter().position(|word| word == "--").filter(|_| takes_program)?;
    Some(&command[separator + 1..]).filter(|program| !program.is_empty())
}

/// The index of the command among the words: after the program's name and global options.
fn place_of_command(words: &[String]) -> usize {
    const WITH_VALUE: [&str; 4] = ["-C", "--profile", "--store", "--color"];
    let mut place = 1;
    while let Some(option) = words.get(place).filter(|word| word.starts_with('-')) {
        place += if WITH_VALUE.contains(&option.as_str()) { 2 } else { 1 };
    }
    place
}

/// The programs in `$PATH` whose names start with `beginning`, each listed once.
pub fn programs(beginning: &str) -> Vec<CompletionCandidate> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut names = BTreeSet::new();
    for file in env::split_paths(&path).filter_map(|directory| directory.read_dir().ok()).flatten().flatten()
    {
        if let Ok(name) = file.file_name().into_string()
            && name.starts_with(beginning)
            && is_program(&file.path())
        {
            names.insert(name);
        }
    }
    names.into_iter().map(CompletionCandidate::new).collect()
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        ["exe", "cmd", "bat"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    })
}
