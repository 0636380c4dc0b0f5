//! Live completion: what the store holds at the moment at which the key is pressed.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use clap_complete::CompleteEnv;
use clap_complete::engine::CompletionCandidate;

use super::environment::Environment;
use crate::models::Registry;
use crate::store::{List, ProfileName, Store};

/// Answers a shell that asks for candidates; false when no shell asked.
pub fn answer() -> bool {
    if env::var_os("COMPLETE").is_none_or(|shell| shell.is_empty() || shell == "0") {
        return false;
    }
    let current_dir = env::current_dir().ok();
    CompleteEnv::with_factory(super::command)
        .try_complete(env::args_os(), current_dir.as_deref())
        .unwrap_or_else(|error| error.exit())
}

/// The names of all profiles.
pub fn profiles() -> Vec<CompletionCandidate> {
    let profiles = store().and_then(|store| store.profiles().ok()).unwrap_or_default();
    profiles.iter().map(|name| CompletionCandidate::new(name.as_str())).collect()
}

/// The entries of the profile in use, then the global ones.
pub fn entries() -> Vec<CompletionCandidate> {
    lists().iter().flat_map(|list| &list.paths).map(|entry| CompletionCandidate::new(&entry.path)).collect()
}

/// The tags of the profile in use and of the global list.
pub fn tags() -> Vec<CompletionCandidate> {
    let mut tags: Vec<String> =
        lists().into_iter().flat_map(|list| list.paths).flat_map(|entry| entry.attributes.tags).collect();
    tags.sort_unstable();
    tags.dedup();
    tags.into_iter().map(CompletionCandidate::new).collect()
}

/// The names of all models, the person's own first.
pub fn models() -> Vec<CompletionCandidate> {
    let own = store().and_then(|store| std::fs::read_to_string(store.root().join("models.json")).ok());
    let registry = own.and_then(|text| Registry::with_user(&text).ok()).unwrap_or_else(Registry::built_in);
    registry.models().iter().map(|model| CompletionCandidate::new(&model.name)).collect()
}

fn store() -> Option<Store> {
    let environment = Environment::read().ok()?;
    let flag = argument("--store").map(PathBuf::from);
    let root = Store::root_from(flag, environment.ctx_home, environment.config_dir).ok()?;
    Some(Store::at(root))
}

fn lists() -> Vec<List> {
    let Some(store) = store() else { return Vec::new() };
    let named = argument("--profile").or_else(|| env::var_os("CTX_PROFILE"));
    let name = named
        .and_then(|name| name.to_str()?.parse::<ProfileName>().ok())
        .or_else(|| store.active().ok())
        .unwrap_or_else(ProfileName::default_profile);
    [store.profile(&name), store.global()].into_iter().flatten().collect()
}

/// The value of an option on the command line that is being completed.
fn argument(option: &str) -> Option<OsString> {
    let mut words = env::args_os().skip_while(|word| word != "--").skip(1);
    while let Some(word) = words.next() {
        if word == option {
            return words.next();
        }
        if let Some(value) = word.to_str().and_then(|word| word.strip_prefix(option)?.strip_prefix('=')) {
            return Some(value.into());
        }
    }
    None
}
