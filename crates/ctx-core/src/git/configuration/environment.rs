//! What the environment adds to git's configuration.

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::git::rule_file::{UnsafeBecause, UnsafeFile};
use crate::world::{GitEnvironment, World};

use super::syntax::{GitSetting, parse_key, truth};

/// The system's configuration file; `None` if it must not be read or is unknown.
///
/// # Errors
/// If `$GIT_CONFIG_NOSYSTEM` is not a truth value.
pub fn system_file(world: &World) -> Result<Option<PathBuf>, UnsafeFile> {
    const SKIPPED: &str = "GIT_CONFIG_NOSYSTEM";
    let skipped = world.git.variable(SKIPPED).map_or(Some(false), |value| truth(value.as_encoded_bytes()));
    if skipped.ok_or_else(|| unsafe_variable(SKIPPED))? {
        return Ok(None);
    }
    Ok(match world.git.variable("GIT_CONFIG_SYSTEM") {
        Some(path) => given_file(path, world),
        None => world.git.system_config.clone(),
    })
}

/// The user's configuration files; later ones override earlier ones.
#[must_use]
pub fn global_files(world: &World) -> Vec<PathBuf> {
    match world.git.variable("GIT_CONFIG_GLOBAL") {
        Some(path) => given_file(path, world).into_iter().collect(),
        None => {
            let shared = own_directory(world).map(|own| own.join("config"));
            let home = world.home.as_ref().map(|home| home.join(".gitconfig"));
            shared.into_iter().chain(home).collect()
        }
    }
}

/// The directory of the user's own git files.
#[must_use]
pub fn own_directory(world: &World) -> Option<PathBuf> {
    match world.git.variable("XDG_CONFIG_HOME").filter(|shared| !shared.is_empty()) {
        Some(shared) => Some(PathBuf::from(shared).join("git")),
        None => Some(world.home.as_ref()?.join(".config/git")),
    }
}

/// The file in a variable; none if it is empty.
fn given_file(path: &OsStr, world: &World) -> Option<PathBuf> {
    (!path.is_empty()).then(|| world.cwd.join(path))
}

/// Words that `$GIT_CONFIG_PARAMETERS` must not contain here: its quoting is private to git, and only `git -c`
/// sets it.
const UNREAD: [&str; 5] = ["excludesfile", "ignorecase", "include", "remote", "safe"];

/// The settings in `$GIT_CONFIG_COUNT`, which override those of all files.
///
/// # Errors
/// If git would not understand them, or if `$GIT_CONFIG_PARAMETERS` may affect ignore rules.
pub fn settings(environment: &GitEnvironment) -> Result<Vec<GitSetting>, UnsafeFile> {
    let mut settings = Vec::new();
    if let Some(count) = environment.variable("GIT_CONFIG_COUNT") {
        let broken = || unsafe_variable("GIT_CONFIG_COUNT");
        for index in 0..number(count).ok_or_else(broken)? {
            let variable = |name: &str| environment.variable(&format!("GIT_CONFIG_{name}_{index}"));
            let (Some(key), Some(value)) = (variable("KEY"), variable("VALUE")) else { return Err(broken()) };
            let key = parse_key(key.as_encoded_bytes()).ok_or_else(broken)?;
            settings.push(GitSetting { key, value: Some(value.as_encoded_bytes().to_vec()) });
        }
    }
    let parameters = environment.variable("GIT_CONFIG_PARAMETERS").unwrap_or_default();
    let parameters = parameters.to_string_lossy().to_ascii_lowercase();
    let is_quoted = parameters.is_empty() || parameters.starts_with('\'');
    if !is_quoted || UNREAD.iter().any(|word| parameters.contains(word)) {
        return Err(unsafe_variable("GIT_CONFIG_PARAMETERS"));
    }
    Ok(settings)
}

/// The error for a variable that git would not understand.
#[must_use]
pub fn unsafe_variable(name: &str) -> UnsafeFile {
    UnsafeFile { path: PathBuf::from(format!("${name}")), why: UnsafeBecause::OfGit }
}

fn number(text: &OsStr) -> Option<u32> {
    match text.to_str()? {
        "" => Some(0),
        digits => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_that_may_affect_ignore_rules_are_refused() {
        let settings = |text: &str| {
            settings(&GitEnvironment::new([("GIT_CONFIG_PARAMETERS".into(), text.into())], None))
        };
        for harmless in ["", "'user.name'='A'", "'core.pager=less'"] {
            assert_eq!(settings(harmless), Ok(Vec::new()), "{harmless}");
        }
        for text in ["'core.excludesFile'='x'", "'core.ignorecase=1'", "'include.path'='x'", "core.x", "x'"] {
            assert_eq!(settings(text), Err(unsafe_variable("GIT_CONFIG_PARAMETERS")), "{text}");
        }
    }

    #[test]
    fn counted_variables_are_read_in_order() {
        let environment = |variables: &[(&str, &str)]| {
            GitEnvironment::new(variables.iter().map(|(name, value)| (name.into(), value.into())), None)
        };
        let two = environment(&[
            ("GIT_CONFIG_COUNT", "2"),
            ("GIT_CONFIG_KEY_0", "core.a"),
            ("GIT_CONFIG_VALUE_0", "x"),
            ("GIT_CONFIG_KEY_1", "core.b"),
            ("GIT_CONFIG_VALUE_1", ""),
        ]);
        let keys: Vec<Vec<u8>> = settings(&two).unwrap().into_iter().map(|setting| setting.key).collect();
        assert_eq!(keys, [b"core.a".to_vec(), b"core.b".to_vec()]);
        for wrong in [&[("GIT_CONFIG_COUNT", "1")][..], &[("GIT_CONFIG_COUNT", "x")]] {
            assert_eq!(settings(&environment(wrong)).unwrap_err().path, PathBuf::from("$GIT_CONFIG_COUNT"));
        }
    }
}
