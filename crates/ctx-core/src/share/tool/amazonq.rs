//! Amazon Q Developer CLI: its files from before it had agents, its agents, and its to-do lists.

use super::agent;
use super::imported::{ImportedLists, ImportedPart};

const GLOBAL: [&str; 2] = ["~/.aws/amazonq/global_context.json", "~/.aws/amazonq/context/global.json"];
const PROFILES: &str = "~/.aws/amazonq/profiles";
const DESIGNED: [&str; 2] = ["~/.aws/amazonq/context/profiles", "~/.aws/amazonq/context/aliases"];
const AGENTS: [&str; 2] = [".amazonq/cli-agents", "~/.aws/amazonq/cli-agents"];
const KNOWLEDGE: &str = "~/.aws/amazonq/knowledge_bases";
const PROMPTS: [&str; 2] = ["~/.aws/amazonq/prompts", ".amazonq/prompts"];
const TODO_LISTS: &str = ".amazonq/cli-todo-lists";

/// Where these files are.
pub(super) const PLACES: [&str; 3] = ["~/.aws/amazonq", AGENTS[0], TODO_LISTS];

pub(super) fn read(imported: &mut ImportedLists) {
    agent::take(imported, &AGENTS, None);
    for file in GLOBAL {
        if let Some(list) = imported.paths_file(file) {
            imported.take_global(file, &list);
        }
    }
    for name in imported.directory(PROFILES) {
        take(imported, name.clone(), format!("{PROFILES}/{name}/context.json"));
    }
    for directory in DESIGNED {
        for file in imported.json_files(directory) {
            let name = file.strip_prefix(directory).and_then(|name| name.strip_prefix('/'));
            let name = name.and_then(|name| name.strip_suffix(".json")).unwrap_or(&file).to_owned();
            take(imported, name, file);
        }
    }
    for file in imported.json_files(TODO_LISTS) {
        imported.take_todo_list(TODO_LISTS, &file);
    }
    imported.prompts_left_out(&PROMPTS);
    for index in imported.files(KNOWLEDGE) {
        let instead = "all of it (an index: add the files themselves and search them)";
        imported.left_out(&index, vec![instead.to_owned()]);
    }
}

fn take(imported: &mut ImportedLists, name: String, file: String) {
    if let Some(list) = imported.paths_file(&file) {
        imported.take(ImportedPart { name, file, list });
    }
}
