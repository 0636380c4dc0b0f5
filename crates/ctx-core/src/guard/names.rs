//! Files whose names suggest secrets.
//!
//! Names are compared byte by byte, ignoring ASCII case because some file systems do, and without allocation
//! because every file of a walk is checked.

mod rules;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::LazyLock;

use rules::{AROUND, COPIES, DIRECTORIES, ENDINGS, EXACT, FILES, HARMLESS_ENV, SSH_KEYS};

/// The rule that a file of this name matches, written as in messages, if the name suggests secrets.
#[must_use]
pub fn holds_secrets(path: &Path) -> Option<&'static str> {
    let path = path.as_os_str().as_encoded_bytes();
    let mut components = components(path);
    let whole = components.next()?;
    let name = original(whole);
    let without_txt = original(without_end(name, ".txt").unwrap_or(name));
    by_ending(without_txt)
        .or_else(|| by_env(name))
        .or_else(|| by_ssh_key(without_txt))
        .or_else(|| by_start_and_end(name))
        .or_else(|| EXACT.iter().copied().find(|exact| whole == exact.as_bytes()))
        .or_else(|| by_file(name, components.clone()))
        .or_else(|| by_directory(path))
}

/// The name of the original, if a file of this name is a copy.
fn original(mut name: &[u8]) -> &[u8] {
    static RULES: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| grouped(COPIES, last));
    let without_ending = |name| in_group(&RULES, last(name)).find_map(|ending| without_end(name, ending));
    while let Some(first) = without_ending(name).or_else(|| without_number(name)) {
        name = first;
    }
    name
}

/// Rules grouped by a property of matching names, such as their length, so that most need not be compared.
fn grouped(rules: &[&'static str], group: impl Fn(&[u8]) -> usize) -> Vec<Vec<&'static str>> {
    let mut groups: Vec<Vec<&'static str>> = vec![Vec::new(); 1 << 8];
    for rule in rules {
        groups[group(rule.as_bytes())].push(*rule);
    }
    groups
}

/// The rules in a group, in order.
fn in_group(groups: &[Vec<&'static str>], group: usize) -> impl Iterator<Item = &'static str> {
    groups.get(group).into_iter().flatten().copied()
}

/// The last byte of a name, in lower case.
fn last(name: &[u8]) -> usize {
    name.last().map_or(0, |byte| usize::from(byte.to_ascii_lowercase()))
}

/// The length of the last component of a path.
fn length(path: &[u8]) -> usize {
    path.len() - memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1)
}

/// The name before `.1`, as programs number their copies.
fn without_number(name: &[u8]) -> Option<&[u8]> {
    const MOST_DIGITS: usize = 3;
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (first, _) = name.split_at(name.len() - digits);
    first.strip_suffix(b".").filter(|first| (1..=MOST_DIGITS).contains(&digits) && !first.is_empty())
}

fn by_file<'p>(name: &[u8], parents: impl Iterator<Item = &'p [u8]> + Clone) -> Option<&'static str> {
    static RULES: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| grouped(FILES, length));
    in_group(&RULES, name.len()).find(|file| is_last(name, parents.clone(), file))
}

fn by_start_and_end(name: &[u8]) -> Option<&'static str> {
    static RULES: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| grouped(AROUND, last));
    in_group(&RULES, last(name)).find(|rule| is_around(name, rule))
}

/// Whether a name begins and ends like a rule with one or two `*`, and contains the text between the two.
fn is_around(name: &[u8], rule: &str) -> bool {
    let Some((start, rest)) = rule.split_once('*') else { return false };
    let (between, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    let inside = without_start(name, start).and_then(|rest| without_end(rest, end));
    inside.is_some_and(|inside| memchr::memmem::find(inside, between.as_bytes()).is_some())
}

fn by_ending(name: &[u8]) -> Option<&'static str> {
    static RULES: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| grouped(ENDINGS, last));
    in_group(&RULES, last(name)).find(|ending| has_ending(name, &ending[1..]))
}

fn by_env(name: &[u8]) -> Option<&'static str> {
    let rule = env(name).or_else(|| dev_vars(name))?;
    let stem = if rule == "*.env" { &name[..name.len() - ".env".len()] } else { name };
    let last_word = stem.rsplit(|byte| matches!(byte, b'.' | b'-' | b'_')).next()?;
    let is_harmless = HARMLESS_ENV.iter().any(|word| last_word.eq_ignore_ascii_case(word.as_bytes()));
    (!is_harmless).then_some(rule)
}

/// The rule for `.env` files, as in Docker, Rails and Vite, and for direnv's `.envrc`.
fn env(name: &[u8]) -> Option<&'static str> {
    let rule = match without_start(name, ".env") {
        Some([]) => ".env",
        Some([b'.', ..]) => ".env.*",
        Some([b'-', ..]) => ".env-*",
        Some([b'_', ..]) => ".env_*",
        Some(rest) => match without_start(rest, "rc")? {
            [] | [b'.' | b'-' | b'_', ..] => ".envrc",
            [..] => return None,
        },
        None if has_ending(name, ".env") => "*.env",
        None => return None,
    };
    Some(rule)
}

/// The rule for Wrangler's `.dev.vars` files.
fn dev_vars(name: &[u8]) -> Option<&'static str> {
    match without_start(name, ".dev.vars")? {
        [] => Some(".dev.vars"),
        [b'.', ..] => Some(".dev.vars.*"),
        [..] => None,
    }
}

fn by_ssh_key(name: &[u8]) -> Option<&'static str> {
    let is_key = |key: &&&str| {
        let Some(rest) = without_start(name, key) else { return false };
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        match &rest[digits..] {
            [] => true,
            [b'-' | b'_', rest @ ..] => !rest.contains(&b'.'),
            [..] => false,
        }
    };
    SSH_KEYS.iter().rev().find(is_key).copied()
}

fn by_directory(path: &[u8]) -> Option<&'static str> {
    // Every directory rule contains a name with a leading dot.
    let begins_a_name = |at: usize| at.checked_sub(1).is_none_or(|before| is_separator(path[before]));
    memchr::memchr_iter(b'.', path).find(|at| begins_a_name(*at))?;
    let mut rest = path;
    loop {
        let mut components = components(rest);
        let name = components.next()?;
        let is_inside = |directory: &&str| {
            let directory = directory.strip_suffix("/**").unwrap_or(directory);
            is_last(name, components.clone(), directory)
        };
        if let Some(rule) = DIRECTORIES.iter().copied().find(is_inside) {
            return Some(rule);
        }
        rest = &rest[..rest.iter().rposition(|&b| is_separator(b))?];
    }
}

/// Whether `name` and the `parents` above it, nearest first, match `rule`.
fn is_last<'p>(name: &[u8], mut parents: impl Iterator<Item = &'p [u8]>, rule: &str) -> bool {
    let rule = rule.as_bytes();
    let Some((above, last)) = rule.len().checked_sub(name.len()).map(|start| rule.split_at(start)) else {
        return false;
    };
    let is_parent = |rule: &[u8]| parents.next().is_some_and(|parent| parent.eq_ignore_ascii_case(rule));
    last.eq_ignore_ascii_case(name)
        && match above.split_last() {
            None => true,
            Some((b'/', above)) => above.rsplit(|byte| *byte == b'/').all(is_parent),
            Some(_) => false,
        }
}

/// The components of a path, the last one first, without empty ones and `.`.
fn components(path: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    path.rsplit(|&b| is_separator(b)).map(trimmed).filter(|component| !matches!(*component, b"" | b"."))
}

/// A name without blanks around it, which nobody sees. Windows also ignores dots at the end of a name.
fn trimmed(component: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let ignored = |byte: &u8| is_blank(byte) || cfg!(windows) && *byte == b'.';
    let end = component.iter().rposition(|byte| !ignored(byte)).map_or(0, |last| last + 1);
    let start = component[..end].iter().position(|byte| !is_blank(byte)).unwrap_or(end);
    &component[start..end]
}

fn is_separator(byte: u8) -> bool {
    byte == b'/' || cfg!(windows) && byte == b'\\'
}

fn without_end<'n>(name: &'n [u8], end: &str) -> Option<&'n [u8]> {
    has_ending(name, end).then(|| &name[..name.len() - end.len()])
}

fn without_start<'n>(name: &'n [u8], start: &str) -> Option<&'n [u8]> {
    let (head, rest) = name.split_at_checked(start.len())?;
    head.eq_ignore_ascii_case(start.as_bytes()).then_some(rest)
}

fn has_ending(name: &[u8], ending: &str) -> bool {
    name.len()
        .checked_sub(ending.len())
        .is_some_and(|start| name[start..].eq_ignore_ascii_case(ending.as_bytes()))
}
