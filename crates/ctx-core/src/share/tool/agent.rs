//! Agent files, in the common format of Amazon Q Developer CLI and Kiro: one JSON object per agent.
//!
//! `resources` become entries, and knowledge bases among them entries that are only searched; what the agent may not
//! read becomes exclusions; `description`, `prompt` and a known `model` become settings of the profile; `hooks`
//! become commands. Everything else is about tools and is left out.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

use super::imported::{ImportedLists, ImportedPart, add, is_json, keep_first};
use super::remark::{clipped, is_empty, not};
use crate::entry::Entry;
use crate::entry::pattern::{self, below, has_wildcards};
use crate::fs::real;
use crate::guard::names::holds_secrets;
use crate::share::outside::take_outside;
use crate::store::LONGEST_INSTRUCTION;
use crate::store::{List, Setting};
use crate::tree::Tree;
use crate::words::grouped;

/// Adds the agents in these directories. If two have the same name, the one in the first directory wins.
/// Files with the suffix `foreign` are also agents, but in a format that is not supported.
pub(super) fn take(imported: &mut ImportedLists, directories: &[&str], foreign: Option<&str>) {
    let mut taken: BTreeMap<String, String> = BTreeMap::new();
    for directory in imported.distinct(directories) {
        for file in imported.files(directory) {
            if foreign.is_some_and(|suffix| file.ends_with(suffix)) {
                imported.left_out(&file, vec!["all of it (only agents in JSON are read)".to_owned()]);
            }
            if !is_json(&file) {
                continue;
            }
            let Some(part) = agent(imported, directory, &file, &taken) else { continue };
            taken.insert(part.name.clone(), file);
            imported.take(part);
        }
    }
}

/// The keys of which only agents have one.
const OF_AGENTS: [&str; 5] = ["resources", "prompt", "tools", "allowedTools", "mcpServers"];

/// The agent in a file of any name; `None` if it has none.
pub(super) fn single(imported: &mut ImportedLists, file: &str) -> Option<ImportedPart> {
    let keys = imported.quietly_read(file)?;
    OF_AGENTS.iter().any(|key| keys.contains_key(*key)).then_some(())?;
    let directory = file.rsplit_once('/').map_or(".", |(directory, _)| directory);
    agent(imported, directory, file, &BTreeMap::new())
}

fn agent(
    imported: &mut ImportedLists,
    directory: &str,
    file: &str,
    taken: &BTreeMap<String, String>,
) -> Option<ImportedPart> {
    let keys = imported.json(file)?;
    let stem = file.rsplit('/').next().and_then(|name| name.strip_suffix(".json")).unwrap_or(file);
    let name = match keys.get("name") {
        Some(Value::String(name)) if !name.is_empty() => name.clone(),
        Some(_) | None => stem.to_owned(),
    };
    let is_own_name = is_own(directory) || imported.is_at_home();
    let name = if is_own_name { name } else { imported.not_default(file, name) };
    if let Some(winner) = taken.get(&name) {
        imported.left_out(file, vec![format!("all of it ('{winner}' is the agent '{}')", clipped(&name))]);
        return None;
    }
    let mut list = List::default();
    let mut left_out = Vec::new();
    for (key, value) in keys {
        match (key.as_str(), value) {
            (_, value) if is_empty(&value) => {}
            ("name", Value::String(_)) => {}
            ("description", Value::String(text)) => list.defaults.set(Setting::Description, Some(text)),
            ("model", Value::String(model)) if imported.models.find(&model).is_ok() => {
                list.defaults.set(Setting::Model, Some(model));
            }
            ("model", Value::String(model)) => {
                left_out.push(format!("model '{}' (not known)", clipped(&model)));
            }
            ("prompt", Value::String(prompt)) => match prompt_text(imported, directory, &prompt) {
                Ok(text) => list.defaults.set(Setting::Instruction, Some(text)),
                Err(reason) => left_out.push(reason),
            },
            ("hooks", Value::Object(hooks)) => imported.take_hooks(file, &mut list, &hooks, &mut left_out),
            ("resources", Value::Array(resources)) => {
                resources.iter().for_each(|resource| take_resource(&mut list, resource, &mut left_out));
            }
            ("toolsSettings", Value::Object(tools)) => take_denied(&mut list, tools, &mut left_out),
            ("name" | "description" | "model" | "prompt", _) => left_out.push(not("a string", &key)),
            ("hooks", _) => left_out.push(not("an object", &key)),
            ("resources", _) => left_out.push(not("a list", &key)),
            _ => left_out.push(clipped(&key)),
        }
    }
    if !is_own(directory) && !imported.may_lead_outside {
        let outside = take_outside(&mut list, imported.world);
        imported.left_outside |= !outside.is_empty();
        left_out.extend(outside.iter().map(|entry| format!("'{}' ({OUTSIDE})", clipped(&entry.path))));
    }
    keep_first(&mut list, &mut left_out);
    imported.left_out(file, left_out);
    Some(ImportedPart { name, file: file.to_owned(), list })
}

fn take_resource(list: &mut List, resource: &Value, left_out: &mut Vec<String>) {
    match resource {
        Value::String(text) => match text.strip_prefix(FILE) {
            Some(path) => add(list, path, left_out),
            None => left_out.push(format!("resource '{}'", clipped(text))),
        },
        Value::Object(keys) => {
            let text = |key: &str| keys.get(key).and_then(Value::as_str);
            let word = |key: &str| text(key).map(clipped);
            if text("type") == Some(KNOWLEDGE)
                && let Some(path) = text("source").and_then(|source| source.strip_prefix(FILE))
            {
                return take_knowledge(list, path, keys, left_out);
            }
            let kind = word("type").unwrap_or_else(|| "resource".to_owned());
            let name = word("name").or_else(|| word("source")).unwrap_or_default();
            left_out.push(format!("{kind} '{name}'"));
        }
        other => left_out.push(not("a string", &format!("resource {other}"))),
    }
}

/// Why an entry of an agent in a repository is not imported.
const OUTSIDE: &str = "outside this directory tree";

/// The type of a resource that is searched.
const KNOWLEDGE: &str = "knowledgeBase";

/// Adds the files of a knowledge base as entries that are only searched, and what it leaves out as exclusions.
fn take_knowledge(list: &mut List, path: &str, keys: &Map<String, Value>, left_out: &mut Vec<String>) {
    let directory = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
    let names_files = has_wildcards(directory) || Path::new(directory).extension().is_some();
    let in_it = |key: &str| {
        let patterns = keys.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let patterns =
            patterns.iter().filter_map(Value::as_str).map(|one| one.strip_prefix("./").unwrap_or(one));
        patterns.map(|pattern| format!("{directory}/{pattern}")).collect::<Vec<_>>()
    };
    let included = in_it("include");
    let patterns = match () {
        () if !included.is_empty() => included,
        () if names_files => vec![directory.to_owned()],
        () => vec![below(directory)],
    };
    for pattern in patterns {
        let before = list.paths.len();
        add(list, &pattern, left_out);
        list.paths[before..].iter_mut().for_each(|entry| entry.attributes.search = true);
    }
    for excluded in in_it("exclude") {
        exclude(list, &excluded, left_out);
    }
}

/// Adds an exclusion.
fn exclude(list: &mut List, path: &str, left_out: &mut Vec<String>) {
    let text = format!("!{path}");
    match pattern::parse(&text) {
        Ok(_) => list.paths.push(Entry::new(text)),
        Err(error) => left_out.push(format!("'{}' ({error})", clipped(path))),
    }
}

/// The tools whose settings say what an agent may not read.
const READING: [&str; 2] = ["fs_read", "read"];

/// Adds the paths that an agent may not read as exclusions.
fn take_denied(list: &mut List, mut tools: Map<String, Value>, left_out: &mut Vec<String>) {
    for tool in READING {
        let Some(Value::Object(settings)) = tools.get_mut(tool) else { continue };
        let Some(Value::Array(denied)) = settings.remove("deniedPaths") else { continue };
        for path in denied.iter().filter_map(Value::as_str) {
            exclude(list, path.strip_prefix("./").unwrap_or(path), left_out);
        }
        if settings.is_empty() {
            tools.remove(tool);
        }
    }
    if !tools.is_empty() {
        left_out.push("toolsSettings".to_owned());
    }
}

/// The prefix of a prompt that is a path.
const FILE: &str = "file://";

/// The text of an agent's prompt in this directory, or why there is none. The user's own agent may name any file;
/// one from a repository, which may come from a stranger, may only name files in the tree.
fn prompt_text(imported: &mut ImportedLists<'_>, directory: &str, prompt: &str) -> Result<String, String> {
    let text = match prompt.strip_prefix(FILE) {
        Some(path) => of_file(imported, directory, path),
        None => Ok(prompt.to_owned()),
    };
    let text = text.map_err(|reason| format!("prompt '{}' ({reason})", clipped(prompt)))?;
    match text.len() {
        0 => Err(format!("prompt '{}' (empty)", clipped(prompt))),
        length if length > LONGEST_INSTRUCTION => {
            Err(format!("prompt (more than {} bytes)", grouped(LONGEST_INSTRUCTION as u64)))
        }
        _ => Ok(text),
    }
}

fn of_file(imported: &mut ImportedLists<'_>, directory: &str, path: &str) -> Result<String, &'static str> {
    let file = &located(directory, path);
    let real = imported.path(file).and_then(|path| real(path).ok()).ok_or("not found")?;
    if !is_own(directory) && !is_in_tree(imported, &real) {
        return Err("outside the project");
    }
    if holds_secrets(&real).is_some() || holds_secrets(Path::new(file)).is_some() {
        return Err("the name suggests a secret");
    }
    let text = imported.text(file).ok_or("cannot be read")?;
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

/// Whether the agents in a directory are the user's own, not those of a repository.
fn is_own(directory: &str) -> bool {
    directory.starts_with("~/")
}

fn is_in_tree(imported: &ImportedLists<'_>, real: &Path) -> bool {
    let tree = Tree::around(imported.world);
    tree.contains(real) && !tree.is_in_git(real)
}

/// The path, resolved against the agent's directory if it is relative.
fn located(directory: &str, path: &str) -> String {
    if path.starts_with(['/', '~']) || Path::new(path).is_absolute() {
        return path.to_owned();
    }
    let mut path = path;
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    format!("{directory}/{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_of_a_prompt_file_is_relative_to_the_directory_of_the_agent() {
        let located = |path: &str| located("~/.kiro/agents", path);
        assert_eq!(located("./p/x.md"), "~/.kiro/agents/p/x.md");
        assert_eq!(located("../x.md"), "~/.kiro/agents/../x.md");
        assert_eq!(located("/x.md"), "/x.md");
        assert_eq!(located("~/x.md"), "~/x.md");
    }
}
