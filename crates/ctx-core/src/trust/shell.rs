//! As much of a shell's language as it takes to see which files a text names. What it cannot resolve names none.

use std::path::Path;

use crate::process::Variables;

/// What separates the words of a shell's program, besides white space and quotes.
const SEPARATORS: [char; 14] = [';', '&', '|', '<', '>', '(', ')', '{', '}', '$', '`', '"', '\'', '='];

/// What ends a command or a word of it, unless it is quoted.
const OPERATORS: [char; 7] = [';', '&', '|', '<', '>', '(', ')'];

/// Programs whose option `-c` takes a text in their language.
const SHELLS: [&str; 8] = ["sh", "ash", "bash", "dash", "fish", "ksh", "mksh", "zsh"];

pub(super) fn is_separator(char: char) -> bool {
    char.is_whitespace() || SEPARATORS.contains(&char)
}

/// Whether a shell looks among the files for what is meant.
pub(super) fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?', '['])
}

/// The words of a command in their order, then those that are in each of its words: without quotes, and as all that
/// separates them leaves them.
pub(super) fn sequences(words: &[String]) -> Vec<Vec<String>> {
    let in_word = |word: &String| {
        let parts = word.split(is_separator).filter(|part| !part.is_empty());
        [unquoted(word), parts.map(str::to_owned).collect()]
    };
    [words.to_vec()].into_iter().chain(words.iter().flat_map(in_word)).collect()
}

/// The words of a text without their quotes. An operator in quotes is taken for one as well, and for none.
fn unquoted(text: &str) -> Vec<String> {
    let apart: String = text
        .chars()
        .flat_map(|char| {
            let around = if OPERATORS.contains(&char) { " " } else { "" };
            around.chars().chain([char]).chain(around.chars())
        })
        .collect();
    [text, &apart].into_iter().flat_map(|text| shlex::split(text).unwrap_or_default()).collect()
}

/// The patterns in the texts that are given to shells. Alternatives in braces are any name.
pub(super) fn patterns(words: &[String]) -> impl Iterator<Item = String> {
    let is_shell = |word: &String| {
        Path::new(word).file_name().is_some_and(|name| SHELLS.iter().any(|shell| name == *shell))
    };
    let is_option = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    let text = move |place: usize| {
        let mut rest = words[place + 1..].iter();
        rest.find(|word| is_option(word))?;
        rest.find(|word| !word.starts_with('-'))
    };
    let shells = (0..words.len()).filter(move |place| is_shell(&words[*place]));
    let found =
        shells.filter_map(text).flat_map(|text| sequences(std::slice::from_ref(text)).into_iter().flatten());
    found.map(|word| without_alternatives(&word)).filter(|word| is_pattern(word))
}

fn without_alternatives(word: &str) -> String {
    let Some((before, rest)) = word.split_once('{') else { return word.to_owned() };
    match rest.split_once('}') {
        Some((inner, after)) if inner.contains(',') || inner.contains("..") => {
            format!("{before}*{}", without_alternatives(after))
        }
        Some(_) | None => format!("{before}{{{}", without_alternatives(rest)),
    }
}

/// A word with the variables that are known, and with what `pwd` prints in a directory.
pub(super) fn expanded(word: &str, directory: &Path, variables: &Variables) -> String {
    let directory = directory.to_string_lossy();
    let value = |name: &str| match name {
        "PWD" => Some(directory.to_string()),
        _ => variables.get(name).map(|value| value.to_string_lossy().into_owned()),
    };
    let word = word.replace("$(pwd)", &directory).replace("`pwd`", &directory);
    let mut expanded = String::new();
    let mut rest = word.as_str();
    while let Some((before, after)) = rest.split_once('$') {
        expanded.push_str(before);
        let inner = after.strip_prefix('{').unwrap_or(after);
        let end =
            inner.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(inner.len());
        let (name, following) = inner.split_at(end);
        let is_braced = inner.len() < after.len();
        let following = if is_braced { following.strip_prefix('}') } else { Some(following) };
        match value(name).zip(following) {
            Some((value, following)) => {
                expanded.push_str(&value);
                rest = following;
            }
            None => {
                expanded.push('$');
                rest = after;
            }
        }
    }
    expanded.push_str(rest);
    match value("HOME") {
        Some(home) if expanded.starts_with("~/") => home + &expanded[1..],
        Some(home) => expanded.replace(" ~/", &format!(" {home}/")),
        None => expanded,
    }
}
