//! Enough of a shell's language to see which files a command names. Anything that cannot be resolved names no
//! file.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use crate::process::Variables;

/// Separators of words in a shell program, other than white space and quotes.
const SEPARATORS: [char; 15] = ['!', ';', '&', '|', '<', '>', '(', ')', '{', '}', '$', '`', '"', '\'', '='];

/// Characters that end a command or a word in it, unless quoted.
const OPERATORS: [char; 7] = [';', '&', '|', '<', '>', '(', ')'];

/// Programs whose option `-c` takes a shell program.
const SHELLS: [&str; 8] = ["sh", "ash", "bash", "dash", "fish", "ksh", "mksh", "zsh"];

/// Actions of `find` that run a program with the name of each file, some in the directory of the file.
const ACTIONS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];

/// Programs that run other programs, or the files of a directory, with names that are not among their words.
const RUN_OTHERS: [&str; 3] = ["xargs", "parallel", "run-parts"];

/// How many directories of one `find` are looked up.
const MOST_STARTING_POINTS: usize = 100;

pub(super) fn is_separator(char: char) -> bool {
    char.is_whitespace() || SEPARATORS.contains(&char)
}

/// Whether a word runs one of these programs, by name or by path.
fn is_program(word: &str, names: &[&str]) -> bool {
    Path::new(word).file_name().is_some_and(|name| names.iter().any(|known| name == *known))
}

/// Whether a shell would expand a word to file names.
pub(super) fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?', '['])
}

/// The words of a command in order, followed by the words inside each of its words: without quotes, and split
/// at all separators. If they contain `env -S`, they are followed by the words that [`split_by_env`] returns.
pub(super) fn sequences(words: &[String]) -> Vec<Vec<String>> {
    let in_word = |word: &String| {
        let parts = word.split(is_separator).filter(|part| !part.is_empty());
        [unquoted(word), parts.map(str::to_owned).collect()]
    };
    let mut all: Vec<Vec<String>> =
        [words.to_vec()].into_iter().chain(words.iter().flat_map(in_word)).collect();
    let split = |words: &Vec<String>| split_by_env(words).filter(|split| split != words);
    let split: Vec<_> = all.iter().filter_map(split).collect();
    all.extend(split);
    all
}

/// The words, with each string that `env -S` splits replaced by the words in it; `None` if these strings are
/// too long.
pub(super) fn split_by_env(words: &[String]) -> Option<Vec<String>> {
    let Some(env) = words.iter().position(|word| is_program(word, &["env"])) else {
        return Some(words.to_vec());
    };
    let mut split = words[..=env].to_vec();
    let mut left: VecDeque<String> = words[env + 1..].iter().cloned().collect();
    let mut bytes_left = MOST_EXPANDED;
    while let Some(word) = left.pop_front() {
        let Some(text) = text_to_split(&word) else {
            split.push(word);
            continue;
        };
        let text = if text.is_empty() { left.pop_front().unwrap_or_default() } else { text.to_owned() };
        bytes_left = bytes_left.checked_sub(text.len())?;
        let inner = shlex::split(&text.replace("\\_", " ")).unwrap_or_default();
        inner.into_iter().rev().for_each(|word| left.push_front(word));
    }
    Some(split)
}

/// The string that an option of `env` splits; empty if the string is the next word.
fn text_to_split(word: &str) -> Option<&str> {
    match word.strip_prefix("--") {
        Some(option) => {
            let (name, text) = option.split_once('=').unwrap_or((option, ""));
            (!name.is_empty() && "split-string".starts_with(name)).then_some(text)
        }
        None => word.strip_prefix('-')?.split_once('S').map(|(_, text)| text),
    }
}

/// The directories in which a `find` that runs programs starts.
pub(super) fn starting_points(words: &[String]) -> impl Iterator<Item = &str> {
    let is_option = |word: &&String| word.starts_with('-');
    finds(words).flat_map(move |place| {
        let paths = words[place + 1..].iter().skip_while(is_option).take_while(move |word| !is_option(word));
        paths.take(MOST_STARTING_POINTS).map(String::as_str)
    })
}

/// Whether the words make `find` run programs with the names of the files it finds.
pub(super) fn run_what_is_found(words: &[String]) -> bool {
    finds(words).next().is_some() || words.iter().any(|word| is_program(word, &RUN_OTHERS))
}

/// The index of each `find` that runs programs.
fn finds(words: &[String]) -> impl Iterator<Item = usize> {
    let last = words.iter().rposition(|word| ACTIONS.contains(&word.as_str())).unwrap_or_default();
    (0..last).filter(|place| is_program(&words[*place], &["find"]))
}

/// Splits text into words without their quotes, twice: once unchanged, in case operators are quoted, and once
/// with spaces around every operator.
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

/// The programs that shells are given, each with the index of its word: after `-c`, and after the `=!` of an
/// alias.
fn programs(words: &[String]) -> impl Iterator<Item = (usize, &str)> {
    let is_option = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    let text = move |place: usize| {
        let mut rest = words.iter().enumerate().skip(place + 1);
        rest.find(|(_, word)| is_option(word))?;
        rest.find(|(_, word)| !word.starts_with('-')).map(|(place, word)| (place, word.as_str()))
    };
    let shells = (0..words.len()).filter(move |place| is_program(&words[*place], &SHELLS));
    let aliases =
        words.iter().enumerate().filter_map(|(place, word)| Some((place, word.split_once("=!")?.1)));
    shells.filter_map(text).chain(aliases)
}

/// The patterns in the programs that shells are given. Alternatives in braces stand for any name.
pub(super) fn patterns(words: &[String]) -> impl Iterator<Item = String> {
    let found = programs(words).flat_map(|(_, text)| sequences(&[text.to_owned()]).into_iter().flatten());
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

/// The maximum total length of the variables' values that are inserted into a command's words, in bytes.
const MOST_EXPANDED: usize = 64 << 10;

/// How many combinations of the variables' values are inserted.
const MOST_COMBINATIONS: usize = 64;

/// Commands after which a variable may have any value, or that build a program from words.
const COMPUTE: [&str; 7] = ["eval", "getopts", "mapfile", "read", "readarray", "shift", "unset"];

/// Commands that run a file in the same shell, which may set any variable.
const SOURCE: [&str; 2] = [".", "source"];

/// Words that can come before a command.
const BEFORE_COMMANDS: [&str; 11] =
    ["if", "then", "elif", "else", "while", "until", "do", "time", "command", "builtin", "exec"];

/// The words of a command with the values of variables.
pub(super) struct Expanded {
    /// The words, once for each combination of values that variables may have.
    pub words: Vec<String>,
    /// Whether a shell may construct names that are not among them.
    pub has_unknown: bool,
}

/// The words with variables replaced, both known ones and those assigned earlier, and with each of the
/// `directories`, in which a shell may be, as the output of `pwd`; `None` if the result is too long.
pub(super) fn expanded(words: &[String], directories: &[PathBuf], variables: &Variables) -> Option<Expanded> {
    let current: Vec<String> =
        directories.iter().map(|directory| directory.to_string_lossy().into_owned()).collect();
    // The first directory that a shell leaves is the previous one from then on.
    let inherited = variables.get("OLDPWD").map(|previous| previous.to_string_lossy().into_owned());
    let previous: BTreeSet<String> = inherited.into_iter().chain(current.iter().cloned()).collect();
    let assigned =
        BTreeMap::from([("OLDPWD".to_owned(), previous.into_iter().collect()), ("PWD".to_owned(), current)]);
    let mut all = Expanded { words: Vec::new(), has_unknown: false };
    let mut left = Some(MOST_EXPANDED);
    for combination in 0.. {
        let mut expansion = Expansion {
            variables,
            assigned: assigned.clone(),
            positional: Vec::new(),
            rest: combination,
            combinations: 1,
            left,
            has_unknown: false,
            reading: NextWord::Command,
        };
        let expanded = expansion.all(words);
        all.has_unknown |= expansion.has_unknown;
        left = expansion.left;
        match left {
            None if combination == 0 => return None,
            None => all.has_unknown = true,
            Some(_) => all.words.extend(expanded),
        }
        if combination + 1 == expansion.combinations || left.is_none() {
            break;
        }
        if combination + 1 == MOST_COMBINATIONS {
            all.has_unknown = true;
            break;
        }
    }
    Some(all)
}

struct Expansion<'a> {
    variables: &'a Variables,
    /// The assignments so far, each with all values, since some may be made only under a condition.
    assigned: BTreeMap<String, Vec<String>>,
    /// `$1` and so on.
    positional: Vec<String>,
    /// The index of the current combination of values; each variable that is replaced divides it by its
    /// number of values.
    rest: usize,
    /// The number of combinations of the variables replaced so far.
    combinations: usize,
    /// How many more bytes of values can be inserted; `None` once the limit is exceeded.
    left: Option<usize>,
    has_unknown: bool,
    reading: NextWord,
}

/// What the next word of a program means.
enum NextWord {
    /// A command or one of its arguments.
    Command,
    /// The variable after `for`.
    Variable,
    /// What follows the variable: usually `in`.
    In(String),
    /// The values after `in`.
    Values(String),
    /// The values after `set`.
    Positional,
    /// The rest of a value that contains white space: up to its closing quote or, without quotes, as long as
    /// the white space is escaped.
    Value { name: String, quote: Option<char>, value: String },
}

impl Expansion<'_> {
    fn all(&mut self, words: &[String]) -> Vec<String> {
        let programs: BTreeMap<usize, usize> =
            programs(words).map(|(place, text)| (place, words[place].len() - text.len())).collect();
        let mut expanded = Vec::new();
        for (place, word) in words.iter().enumerate() {
            let Some(start) = programs.get(&place) else {
                let known = self.has_unknown;
                expanded.push(self.expand(word));
                // No shell reads this word.
                self.has_unknown = known;
                continue;
            };
            let (before, program) = word.split_at(*start);
            // The first word after the program is its name, `$0`.
            self.positional = words.iter().skip(place + 2).cloned().collect();
            self.has_unknown |= may_compute(program);
            expanded.push(before.to_owned() + &self.expand(program));
        }
        expanded
    }

    fn expand(&mut self, text: &str) -> String {
        let text = text.replace("$(pwd)", "$PWD").replace("`pwd`", "$PWD");
        self.reading = NextWord::Command;
        let mut expanded = String::new();
        let mut word = 0;
        let mut rest = text.as_str();
        while let Some(at) = rest.find(|char: char| matches!(char, '$' | '~') || ends_word(char)) {
            expanded.push_str(&rest[..at]);
            let char = rest[at..].chars().next().unwrap_or_default();
            rest = &rest[at + char.len_utf8()..];
            if ends_word(char) {
                self.end_word(&expanded[word..], char);
                expanded.push(char);
                word = expanded.len();
                continue;
            }
            let replaced =
                if char == '$' { self.variable(rest) } else { self.tilde(&expanded[word..], rest) };
            match replaced {
                Some((value, following)) => {
                    expanded.push_str(&value);
                    rest = following;
                }
                None => {
                    self.has_unknown |= char == '$' && is_expansion(&expanded, rest);
                    expanded.push(char);
                }
            }
        }
        expanded.push_str(rest);
        self.end_word(&expanded[word..], '\n');
        expanded
    }

    /// The directory that a tilde stands for between these two parts of a word, and the rest of the text.
    fn tilde<'t>(&mut self, before: &str, after: &'t str) -> Option<(String, &'t str)> {
        let (name, following) = match after.chars().next() {
            Some('+') => ("PWD", &after[1..]),
            Some('-') => ("OLDPWD", &after[1..]),
            Some(_) | None => ("HOME", after),
        };
        let starts = before.is_empty() || before.ends_with(['=', ':', '"', '\'']);
        let ends = following.starts_with(['/', ':', '"', '\'']) || following.is_empty();
        if !starts || !(ends || following.starts_with(ends_word)) {
            return None;
        }
        let value = self.value(name)?;
        self.left = self.left?.checked_sub(value.len());
        Some((value, following))
    }

    /// Records the effect of a word on the variables; `end` is the character that ended it.
    fn end_word(&mut self, word: &str, end: char) {
        let is_quote = ['"', '\''];
        let plain = word.trim_matches(is_quote);
        let is_last = !end.is_whitespace() || end == '\n';
        self.reading = match std::mem::replace(&mut self.reading, NextWord::Command) {
            NextWord::Value { name, quote, value } => self.continue_value(name, quote, value + word, end),
            reading @ (NextWord::Variable | NextWord::In(_) | NextWord::Values(_))
                if word.is_empty() && !is_last =>
            {
                reading
            }
            NextWord::Variable => NextWord::In(plain.to_owned()),
            NextWord::In(name) if plain == "in" => NextWord::Values(name),
            NextWord::In(name) => {
                self.positional.clone().into_iter().for_each(|value| self.assign(&name, value));
                NextWord::Command
            }
            NextWord::Values(name) => {
                let value = plain.trim_end_matches('\\');
                if !value.is_empty() {
                    self.assign(&name, value.to_owned());
                }
                if is_last { NextWord::Command } else { NextWord::Values(name) }
            }
            NextWord::Positional => {
                if !plain.is_empty() && plain != "--" {
                    self.positional.push(plain.to_owned());
                }
                if is_last { NextWord::Command } else { NextWord::Positional }
            }
            NextWord::Command => match plain {
                "for" | "select" => NextWord::Variable,
                "set" if !is_last => {
                    self.positional.clear();
                    NextWord::Positional
                }
                _ => self.begin_value(word.trim_start_matches(is_quote), end),
            },
        };
    }

    /// Records an assignment in a word.
    fn begin_value(&mut self, word: &str, end: char) -> NextWord {
        let Some((name, value)) = word.split_once('=') else { return NextWord::Command };
        let is_added = name.ends_with('+');
        let name = name.trim_end_matches('+');
        if name.is_empty() || !name.chars().all(in_name) {
            return NextWord::Command;
        }
        // An array, whose values are not tracked.
        self.has_unknown |= value.is_empty() && end == '(';
        let before = if is_added { self.value(name).unwrap_or_default() } else { String::new() };
        let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
        let value = quote.map_or(value, |quote| &value[quote.len_utf8()..]);
        self.continue_value(name.to_owned(), quote, before + value, end)
    }

    fn continue_value(&mut self, name: String, quote: Option<char>, value: String, end: char) -> NextWord {
        let is_open = match quote {
            Some(quote) => !value.contains(quote),
            None => value.ends_with('\\') && end.is_whitespace(),
        };
        // The text may end before the closing quote, or a quote in it may be the one that closes a whole
        // program.
        let known = value.trim_end_matches(['"', '\'', '\\']).to_owned();
        if !is_open || !value.contains(char::is_whitespace) {
            self.assign(&name, known);
        }
        if !is_open {
            return NextWord::Command;
        }
        let mut value = value;
        if quote.is_none() {
            value.pop();
        }
        value.push(end);
        NextWord::Value { name, quote, value }
    }

    fn assign(&mut self, name: &str, value: String) {
        let values = self.assigned.entry(name.to_owned()).or_default();
        values.retain(|known| *known != value);
        values.push(value);
    }

    /// The value of the variable at the beginning of the text, and the rest of the text.
    fn variable<'t>(&mut self, text: &'t str) -> Option<(String, &'t str)> {
        let inner = text.strip_prefix('{').unwrap_or(text);
        let is_braced = inner.len() < text.len();
        let end = match inner.chars().next()? {
            '@' | '*' => 1,
            first if first.is_ascii_digit() && !is_braced => 1,
            _ => inner.find(|char| !in_name(char)).unwrap_or(inner.len()),
        };
        let (name, following) = inner.split_at(end);
        if name.is_empty() {
            return None;
        }
        let (value, following) = match following.strip_prefix('}') {
            _ if !is_braced => (self.value(name)?, following),
            Some(following) => (self.value(name)?, following),
            None => {
                let (operator, word) = following.split_at(following.find(|char| char != ':')? + 1);
                let end = closing_brace(word)?;
                let value = self.value(name).filter(|value| !value.is_empty());
                let value = match operator.trim_start_matches(':') {
                    "-" | "=" => value.unwrap_or_else(|| self.within(&word[..end])),
                    "+" => value.map_or_else(String::new, |_| self.within(&word[..end])),
                    _ => return None,
                };
                (value, &word[end + 1..])
            }
        };
        self.left = self.left?.checked_sub(value.len());
        Some((value, following))
    }

    /// The word in `${name:-word}`, with its variables replaced by their values.
    fn within(&mut self, word: &str) -> String {
        let reading = std::mem::replace(&mut self.reading, NextWord::Command);
        let expanded = self.expand(word);
        self.reading = reading;
        expanded
    }

    /// The value of a variable in this combination. If it was assigned several values, the last one is used
    /// first.
    fn value(&mut self, name: &str) -> Option<String> {
        if let Some(values) = self.assigned.get(name) {
            let value = values[values.len() - 1 - self.rest % values.len()].clone();
            self.rest /= values.len();
            self.combinations = self.combinations.saturating_mul(values.len());
            return Some(value);
        }
        match name {
            // This is the last word of the previous command, not the value in the environment.
            "_" => None,
            "@" | "*" => (!self.positional.is_empty()).then(|| self.positional.join(" ")),
            _ => match name.parse::<usize>() {
                Ok(place) => self.positional.get(place.checked_sub(1)?).cloned(),
                Err(_) => self.variables.get(name).map(|value| value.to_string_lossy().into_owned()),
            },
        }
    }
}

/// Whether a program can build names in ways that are not followed here: with commands that compute them,
/// command substitution, functions, other users' home directories, or patterns in parentheses.
fn may_compute(program: &str) -> bool {
    let is_home = |word: &str| {
        word.strip_prefix('~').is_some_and(|rest| rest.trim_start_matches(['+', '-']).starts_with(in_name))
    };
    let mut words = program.split(is_separator);
    let patterns = ["@(", "+(", "!(", "()", "<("];
    program.replace("`pwd`", "").contains('`')
        || patterns.iter().any(|start| program.contains(start))
        || words.any(|word| COMPUTE.contains(&word) || is_home(word))
        || program.split(ends_command).any(sets_variables)
        || program.split('|').skip(1).any(is_bare_shell)
        // A dollar sign for a shell that this one starts.
        || program.split("\\$").skip(1).any(|rest| rest.starts_with(|char| in_name(char) || char == '{'))
}

/// Whether a command is a shell that reads its program from a pipe.
fn is_bare_shell(command: &str) -> bool {
    let end = command.find(ends_command).unwrap_or(command.len());
    let mut words = command[..end].split_whitespace();
    words.next().is_some_and(|word| is_program(word, &SHELLS))
        && words.all(|word| word.starts_with('-') && word != "-c")
}

/// Whether a command sets variables to values that are not in its words.
fn sets_variables(command: &str) -> bool {
    let mut words =
        command.split(is_separator).skip_while(|word| word.is_empty() || BEFORE_COMMANDS.contains(word));
    match words.next() {
        Some("printf") => words.any(|word| word.starts_with("-v")),
        // Options can change the case of a value, or make it the name of another variable.
        Some("declare" | "typeset" | "local" | "export" | "readonly") => {
            words.any(|word| word.starts_with('-') && word != "-x")
        }
        first => first.is_some_and(|first| SOURCE.contains(&first)),
    }
}

fn ends_command(char: char) -> bool {
    matches!(char, ';' | '&' | '|' | '(' | ')' | '{' | '}' | '\n')
}

/// Whether a dollar sign between these two strings expands to something other than a number.
fn is_expansion(before: &str, after: &str) -> bool {
    let is_in_quotes = before.matches('\'').count() % 2 == 1;
    let first = after.chars().next();
    first.is_some_and(|first| {
        in_name(first)
            || matches!(first, '{' | '(' | '[' | '@' | '*' | '\'' if first != '\'' || !is_in_quotes)
    })
}

/// The offset of the brace that closes one opened just before the text.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(at, char)| {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

/// Whether a character may be in the name of a variable.
fn in_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

fn ends_word(char: char) -> bool {
    char.is_whitespace() || OPERATORS.contains(&char)
}
