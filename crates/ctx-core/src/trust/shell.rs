//! Enough of a shell's language to see which files a text names. Anything that it cannot resolve names none.

use std::collections::BTreeMap;
use std::path::Path;

use crate::process::Variables;

/// Separators of words in a shell program, other than white space and quotes.
const SEPARATORS: [char; 14] = [';', '&', '|', '<', '>', '(', ')', '{', '}', '$', '`', '"', '\'', '='];

/// Characters that end a command or a word in it, unless quoted.
const OPERATORS: [char; 7] = [';', '&', '|', '<', '>', '(', ')'];

/// Programs whose option `-c` takes a program text.
const SHELLS: [&str; 8] = ["sh", "ash", "bash", "dash", "fish", "ksh", "mksh", "zsh"];

pub(super) fn is_separator(char: char) -> bool {
    char.is_whitespace() || SEPARATORS.contains(&char)
}

/// Whether a shell would expand it to file names.
pub(super) fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?', '['])
}

/// The words of a command in order, followed by the words inside each of its words: without quotes, and split at
/// all separators.
pub(super) fn sequences(words: &[String]) -> Vec<Vec<String>> {
    let in_word = |word: &String| {
        let parts = word.split(is_separator).filter(|part| !part.is_empty());
        [unquoted(word), parts.map(str::to_owned).collect()]
    };
    [words.to_vec()].into_iter().chain(words.iter().flat_map(in_word)).collect()
}

/// The words of a text without their quotes, both with quoted operators as operators and without.
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

/// The patterns in the texts given to shells. Alternatives in braces stand for any name.
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

/// How long the variables' values inserted into a command's words may be, in bytes.
const MOST_EXPANDED: usize = 64 << 10;

/// Words with known variables and those assigned before them, and with the output of `pwd` in a directory; `None`
/// if that is too long.
pub(super) fn expanded(words: &[String], directory: &Path, variables: &Variables) -> Option<Vec<String>> {
    let directory = directory.to_string_lossy().into_owned();
    let left = Some(MOST_EXPANDED);
    let mut expansion = Expansion { directory, variables, assigned: BTreeMap::new(), left };
    let expanded = words.iter().map(|word| expansion.expand(word)).collect();
    expansion.left.map(|_| expanded)
}

struct Expansion<'a> {
    directory: String,
    variables: &'a Variables,
    /// The assignments so far.
    assigned: BTreeMap<String, String>,
    /// How long further values may be; `None` if they were longer.
    left: Option<usize>,
}

impl Expansion<'_> {
    fn expand(&mut self, text: &str) -> String {
        let text = text.replace("$(pwd)", "$PWD").replace("`pwd`", "$PWD");
        let mut expanded = String::new();
        let mut word = 0;
        let mut rest = text.as_str();
        while let Some(at) = rest.find(|char: char| char == '$' || ends_word(char)) {
            expanded.push_str(&rest[..at]);
            let char = rest[at..].chars().next().unwrap_or_default();
            rest = &rest[at + char.len_utf8()..];
            if char != '$' {
                self.assign(&expanded[word..]);
                expanded.push(char);
                word = expanded.len();
                continue;
            }
            match self.variable(rest) {
                Some((value, following)) => {
                    expanded.push_str(&value);
                    rest = following;
                }
                None => expanded.push('$'),
            }
        }
        expanded.push_str(rest);
        self.assign(&expanded[word..]);
        match self.value("HOME") {
            Some(home) if expanded.starts_with("~/") => home + &expanded[1..],
            Some(home) => expanded.replace(" ~/", &format!(" {home}/")),
            None => expanded,
        }
    }

    /// Notes an assignment in a word.
    fn assign(&mut self, word: &str) {
        let is_quote = ['"', '\''];
        let Some((name, value)) = word.trim_start_matches(is_quote).split_once('=') else { return };
        if !name.is_empty() && name.chars().all(in_name) {
            self.assigned.insert(name.to_owned(), value.trim_matches(is_quote).to_owned());
        }
    }

    /// The value of the variable whose name is at the start of a text, and the rest.
    fn variable<'t>(&mut self, text: &'t str) -> Option<(String, &'t str)> {
        let inner = text.strip_prefix('{').unwrap_or(text);
        let end = inner.find(|char| !in_name(char)).unwrap_or(inner.len());
        let (name, following) = inner.split_at(end);
        let is_braced = inner.len() < text.len();
        let following = if is_braced { following.strip_prefix('}') } else { Some(following) }?;
        let value = self.value(name)?;
        self.left = self.left?.checked_sub(value.len());
        Some((value, following))
    }

    fn value(&self, name: &str) -> Option<String> {
        let assigned = self.assigned.get(name).cloned();
        assigned.or_else(|| match name {
            "PWD" => Some(self.directory.clone()),
            _ => self.variables.get(name).map(|value| value.to_string_lossy().into_owned()),
        })
    }
}

/// Whether a character may be in the name of a variable.
fn in_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

fn ends_word(char: char) -> bool {
    char.is_whitespace() || OPERATORS.contains(&char)
}
