//! The numbers that commands take: tasks, turns and checkpoints, each described by its first words.

use std::env;
use std::ffi::OsStr;

use clap_complete::engine::CompletionCandidate;

use super::candidates::{option, place, profile_in_use, words};
use crate::options::OF_THE_PROFILE;
use crate::visible::visible;
use ctx_core::checkpoint::Checkpoints;
use ctx_core::history::History;
use ctx_core::store::{ProfileName, QUESTIONS, Setting, Store};
use ctx_core::todo::Task;
use ctx_core::world::World;

/// The most numbers that are offered, since somebody is waiting.
const MOST: usize = 100;

/// The most characters of a description.
const LONGEST: usize = 60;

/// The tasks that are open.
pub fn open_tasks() -> Vec<CompletionCandidate> {
    tasks_where(|task| !task.completed)
}

/// The tasks that are done.
pub fn finished_tasks() -> Vec<CompletionCandidate> {
    tasks_where(|task| task.completed)
}

/// All tasks.
pub fn tasks() -> Vec<CompletionCandidate> {
    tasks_where(|_| true)
}

/// The tasks of the list that the line works on.
fn tasks_where(is_wanted: impl Fn(&Task) -> bool) -> Vec<CompletionCandidate> {
    let Some((store, _)) = place() else { return Vec::new() };
    let typed = option("--list").or_else(|| option("-l"));
    let Ok(named) = typed.map(|name| name.parse::<ProfileName>()).transpose() else { return Vec::new() };
    let name = store.todo_list_meant(named).ok();
    let Some(list) = name.and_then(|name| store.todo_list(&name).ok()) else { return Vec::new() };
    let numbered = (1..).zip(&list.tasks).filter(|(_, task)| is_wanted(task));
    offered(numbered.map(|(number, task)| (number, task.task_description.clone())))
}

/// The turns of the history that the line works on, the latest first. After `N-`, the ends of a range that begins with
/// turn N.
pub fn turns(current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let (range, first) = match current.split_once('-') {
        Some((first, _)) => (format!("{first}-"), first.parse().unwrap_or(u64::MAX)),
        None => (String::new(), 0),
    };
    let history = place().and_then(|(store, world)| history(&store, &world));
    let Some(history) = history else { return Vec::new() };
    let numbers = history.numbers().into_iter().rev().filter(|number| *number >= first);
    let described = offered(numbers.map(|number| (number, history.question(number))));
    let values = described.into_iter().map(|candidate| candidate.add_prefix(range.clone()));
    values.filter(|value| value.get_value().to_string_lossy().starts_with(&*current)).collect()
}

fn history(store: &Store, world: &World) -> Option<History> {
    let typed =
        words().iter().find_map(|word| word.strip_prefix("--history").filter(|rest| !rest.contains(' ')));
    let typed = typed.map(|rest| rest.strip_prefix('=').unwrap_or(OF_THE_PROFILE).to_owned());
    let named = typed.or_else(|| env::var("CTX_HISTORY").ok());
    let of_profile = || {
        let profile = profile_in_use(store)?;
        let named = store.profile(&profile).ok()?.defaults.get(Setting::History).map(str::to_owned);
        named.map_or(Some(profile), |name| name.parse().ok())
    };
    let name = match named.as_deref() {
        Some(OF_THE_PROFILE) => profile_in_use(store)?,
        Some(QUESTIONS) => ProfileName::of_questions(&world.root),
        Some(name) => name.parse().ok()?,
        None => of_profile()?,
    };
    store.history(&name).ok()
}

/// The checkpoints of the tree, the latest first.
pub fn checkpoints() -> Vec<CompletionCandidate> {
    let listed = place().and_then(|(store, world)| Checkpoints::listed(&store, &world).ok());
    offered(listed.unwrap_or_default().into_iter().rev().map(|one| (one.number, one.text)))
}

/// Numbers that are not on the line yet, each with the beginning of its text.
fn offered(numbered: impl Iterator<Item = (u64, String)>) -> Vec<CompletionCandidate> {
    let is_new = |(number, _): &(u64, String)| !words().contains(&number.to_string());
    let described = |(number, text): (u64, String)| {
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let line: String = line.trim().chars().take(LONGEST).collect();
        let help = Some(visible(&line)).filter(|line| !line.is_empty());
        CompletionCandidate::new(number.to_string()).help(help.map(Into::into))
    };
    numbered.filter(is_new).take(MOST).map(described).collect()
}
