//! The little of git's configuration that decides over ignore rules.

use std::path::{Path, PathBuf};

use crate::world::World;

use super::rule_file::{RuleFile, UnsafeIgnoreFile, read_own};
use super::tree::path_of;
use super::wildmatch::Case;

/// The user's own excludes: `core.excludesFile`, else `git/ignore` in the configuration directory.
///
/// # Errors
/// If the file exists and cannot be read safely.
pub fn global_excludes(world: &World) -> Result<Option<RuleFile>, UnsafeIgnoreFile> {
    let Some(path) = global_excludes_path(world)? else { return Ok(None) };
    rules_of(path)
}

/// The directory's `info/exclude`, where `dot_git` is its `.git`: a directory, or, in a worktree or
/// submodule, a file that says where the directory is.
///
/// # Errors
/// If the file exists and cannot be read safely.
pub fn repository_excludes(dot_git: &Path) -> Result<Option<RuleFile>, UnsafeIgnoreFile> {
    let git = if dot_git.is_dir() {
        dot_git.to_owned()
    } else {
        let Some(text) = read_own(dot_git)? else { return Ok(None) };
        let Some(target) = text.strip_prefix(b"gitdir:") else { return Ok(None) };
        dot_git.parent().unwrap_or(dot_git).join(path_of(target.trim_ascii()))
    };
    let common = match read_own(&git.join("commondir"))? {
        Some(common) => git.join(path_of(common.trim_ascii())),
        None => git,
    };
    rules_of(common.join("info/exclude"))
}

fn rules_of(path: PathBuf) -> Result<Option<RuleFile>, UnsafeIgnoreFile> {
    read_own(&path)?.map(|text| RuleFile::parse(&text, path, Case::Sensitive)).transpose()
}

fn global_excludes_path(world: &World) -> Result<Option<PathBuf>, UnsafeIgnoreFile> {
    let own = world.home.as_ref().map(|home| home.join(".gitconfig"));
    let shared = match (&world.xdg_config_home, &world.home) {
        (Some(xdg), _) if !xdg.as_os_str().is_empty() => Some(xdg.join("git")),
        (_, Some(home)) => Some(home.join(".config/git")),
        (_, None) => None,
    };
    for config in [own, shared.as_ref().map(|shared| shared.join("config"))].into_iter().flatten() {
        let Some(text) = read_own(&config)? else { continue };
        if let Some(value) = excludes_file(&String::from_utf8_lossy(&text)) {
            return Ok(Some(match (value.strip_prefix("~/"), &world.home) {
                (Some(rest), Some(home)) => home.join(rest),
                (Some(_) | None, _) => PathBuf::from(value),
            }));
        }
    }
    Ok(shared.map(|shared| shared.join("ignore")))
}

/// The last `core.excludesFile` of a configuration file.
fn excludes_file(config: &str) -> Option<String> {
    let mut in_core = false;
    let mut found = None;
    for line in config.lines() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let Some((section, rest)) = rest.split_once(']') else { continue };
            in_core = section.trim().eq_ignore_ascii_case("core");
            line = rest.trim_start();
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        if in_core && key.trim().eq_ignore_ascii_case("excludesfile") {
            found = Some(unquoted(value.trim()));
        }
    }
    found.filter(|value| !value.is_empty())
}

/// A value without quotes, escapes and what follows a comment sign.
fn unquoted(value: &str) -> String {
    let mut plain = String::new();
    let mut quoted = false;
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' => plain.extend(chars.next()),
            '#' | ';' if !quoted => break,
            other => plain.push(other),
        }
    }
    if quoted { plain } else { plain.trim_end().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_excludes_file_is_found_in_a_configuration() {
        let config =
            "[user]\n name = x\n excludesfile = no\n[Core] ; c\n\tExcludesFile = \"~/my ignore\" # c\n";
        assert_eq!(excludes_file(config).as_deref(), Some("~/my ignore"));
        assert_eq!(excludes_file("[core] excludesFile = /a\n").as_deref(), Some("/a"));
        assert_eq!(excludes_file("[core \"x\"]\nexcludesFile = /a\n"), None);
    }
}
