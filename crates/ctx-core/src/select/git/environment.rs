//! What the environment adds to git's configuration.

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::select::rule_file::{UnsafeFile, UnsafeKind};
use crate::world::{GitEnvironment, World};

use super::syntax::{GitSetting, is_space, parse_key};
use super::value::truth;

/// The configuration file of the system; `None` if it is not to be read or not known.
///
/// # Errors
/// If `$GIT_CONFIG_NOSYSTEM` is no truth value.
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

/// The configuration files of the person, the later overrides the earlier.
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

/// The directory in which git keeps what is the person's own.
#[must_use]
pub fn own_directory(world: &World) -> Option<PathBuf> {
    match world.git.variable("XDG_CONFIG_HOME").filter(|shared| !shared.is_empty()) {
        Some(shared) => Some(PathBuf::from(shared).join("git")),
        None => Some(world.home.as_ref()?.join(".config/git")),
    }
}

/// A file that a variable names; an empty one names none.
fn given_file(path: &OsStr, world: &World) -> Option<PathBuf> {
    (!path.is_empty()).then(|| world.cwd.join(path))
}

/// The settings of `$GIT_CONFIG_COUNT` and `$GIT_CONFIG_PARAMETERS`, which beat those of all files.
///
/// # Errors
/// If git would not understand them.
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
    if let Some(parameters) = environment.variable("GIT_CONFIG_PARAMETERS") {
        let listed = list(parameters.as_encoded_bytes());
        settings.extend(listed.ok_or_else(|| unsafe_variable("GIT_CONFIG_PARAMETERS"))?);
    }
    Ok(settings)
}

/// The error of a variable that git would not understand.
#[must_use]
pub fn unsafe_variable(name: &str) -> UnsafeFile {
    UnsafeFile { path: PathBuf::from(format!("${name}")), kind: UnsafeKind::GitConfiguration }
}

fn number(text: &OsStr) -> Option<u32> {
    match text.to_str()? {
        "" => Some(0),
        digits => digits.parse().ok(),
    }
}

/// Quoted pairs, `'key'='value'`, or the older `'key=value'`, with white space between.
fn list(mut text: &[u8]) -> Option<Vec<GitSetting>> {
    let mut settings = Vec::new();
    while !text.is_empty() {
        let quoted = unquote(text)?;
        text = quoted.rest;
        settings.push(match text {
            [b'=', rest @ ..] => {
                let value = match rest {
                    [b'\'', ..] => {
                        let value = unquote(rest)?;
                        text = value.rest;
                        Some(value.text)
                    }
                    _ => {
                        text = rest;
                        None
                    }
                };
                GitSetting { key: parse_key(&quoted.text)?, value }
            }
            _ => pair(&quoted.text)?,
        });
        if text.first().is_some_and(|byte| !is_space(*byte)) {
            return None;
        }
        text = &text[text.iter().take_while(|byte| is_space(**byte)).count()..];
    }
    Some(settings)
}

/// `key=value`, or a key alone.
fn pair(text: &[u8]) -> Option<GitSetting> {
    let equals = text.iter().position(|byte| *byte == b'=');
    let key = text[..equals.unwrap_or(text.len())].trim_ascii();
    Some(GitSetting { key: parse_key(key)?, value: equals.map(|at| text[at + 1..].to_vec()) })
}

struct Quoted<'a> {
    text: Vec<u8>,
    rest: &'a [u8],
}

/// A text between single quotes, in which `'\''` and `'\!'` stand for what the backslash precedes.
fn unquote(text: &[u8]) -> Option<Quoted<'_>> {
    let mut rest = text.strip_prefix(b"'")?;
    let mut plain = Vec::new();
    loop {
        let end = rest.iter().position(|byte| *byte == b'\'')?;
        plain.extend_from_slice(&rest[..end]);
        rest = &rest[end + 1..];
        match rest {
            [b'\\', escaped @ (b'\'' | b'!'), b'\'', after @ ..] => {
                plain.push(*escaped);
                rest = after;
            }
            _ => return Some(Quoted { text: plain, rest }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<Vec<String>> {
        let shown = |setting: GitSetting| {
            let value = setting.value.map(|value| String::from_utf8(value).unwrap());
            format!("{}={value:?}", String::from_utf8(setting.key).unwrap())
        };
        Some(list(text.as_bytes())?.into_iter().map(shown).collect())
    }

    #[test]
    fn parameters_are_read_in_both_forms() {
        let text = r"'a.b=c d' 'A.B'='it'\''s'  'a.b'= 'e.f'";
        let expected = ["a.b=Some(\"c d\")", "a.b=Some(\"it's\")", "a.b=None", "e.f=None"];
        assert_eq!(shown(text).unwrap(), expected);
        for wrong in ["a.b=c", "'a.b=c", "'a.b'=c", "'a.b''c.d'", "'b'='c'", "'=c'"] {
            assert_eq!(shown(wrong), None, "{wrong}");
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
