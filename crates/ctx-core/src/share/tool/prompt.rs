//! The prompt of an agent: a text, or a file that has it.

use std::path::Path;

use super::expected::clipped;
use super::imported::ImportedLists;
use crate::check::LONGEST_INSTRUCTION;
use crate::fs::{Tree, real};
use crate::guard::names::holds_secrets;
use crate::words::grouped;

/// What a path begins with.
pub(super) const FILE: &str = "file://";

/// The text of the prompt of an agent in this directory, or why there is none. An agent of the user's own may name
/// any file, one of a repository, which a stranger may have written, a file of the tree.
pub(super) fn text(
    imported: &mut ImportedLists<'_>,
    directory: &str,
    prompt: &str,
) -> Result<String, String> {
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
    let is_own = directory.starts_with("~/");
    if !is_own && !is_in_tree(imported, &real) {
        return Err("outside of the project");
    }
    if holds_secrets(&real).is_some() || holds_secrets(Path::new(file)).is_some() {
        return Err("the name suggests a secret");
    }
    let text = imported.text(file).ok_or("cannot be read")?;
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

fn is_in_tree(imported: &ImportedLists<'_>, real: &Path) -> bool {
    let tree = Tree::around(imported.world);
    tree.contains(real) && !tree.is_in_git(real)
}

/// A path relative to the agent's directory, as one that is found from elsewhere.
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
    fn a_prompt_file_is_found_from_elsewhere() {
        let located = |path: &str| located("~/.kiro/agents", path);
        assert_eq!(located("./p/x.md"), "~/.kiro/agents/p/x.md");
        assert_eq!(located("../x.md"), "~/.kiro/agents/../x.md");
        assert_eq!(located("/x.md"), "/x.md");
        assert_eq!(located("~/x.md"), "~/x.md");
    }
}
