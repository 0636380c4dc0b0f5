//! A question that was typed as a path, in pieces, or in the wrong place, and the line that was meant.

pub mod changed;

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::OnceLock;

use clap::Arg;
use ctx_core::source::kind::is_of_a_kind;
use ctx_core::store::ProfileName;

use crate::environment::{input_is_given, launcher};
use crate::habits::{self, as_here, file_of, place_of_command};
use crate::hints::{question_word, quoted_word};

/// The parts of the command line, from which the line that was meant is put together.
#[derive(Debug, Default)]
pub struct CommandLine {
    /// The options before the command.
    before: Vec<String>,
    /// The command, if the first word is one.
    command: Option<String>,
    options: Vec<TypedOption>,
    /// The words that don't belong to an option.
    operands: Vec<String>,
    /// The index of the operand after a `--history` without `=`.
    after_history: Option<usize>,
    /// Whether there is a `--` after which a program is expected.
    is_open: bool,
    /// The words after `--`, if they are a program.
    program: Vec<String>,
    /// How many of the operands come after `--`.
    after_dashes: usize,
    /// All words after the command and before `--`.
    rest: Vec<String>,
}

/// An option of the command line.
#[derive(Debug)]
struct TypedOption {
    /// The id of the option, if there is one of this name.
    id: Option<String>,
    /// The words as typed, including the value.
    words: Vec<String>,
}

/// The definition of the command line, for errors anywhere in the program.
static DEFINITION: OnceLock<fn() -> clap::Command> = OnceLock::new();

/// Sets the definition of the command line. Call this first.
pub fn define(definition: fn() -> clap::Command) {
    let _ = DEFINITION.set(definition);
}

/// At least this many words that name nothing are taken for one question.
const SEVERAL: usize = 3;

/// Words that questions often begin with.
const BEGINNINGS: [&str; 7] = ["how", "what", "when", "where", "which", "who", "why"];

/// The commands that take a question.
const ASKING: [&str; 2] = ["ask", "search"];

/// The commands that take a program.
const RUNNING: [&str; 2] = ["ask", "run"];

/// Programs that answer questions; they count even if they aren't installed.
const ANSWERING: [&str; 6] = ["aichat", "claude", "codex", "gemini", "llm", "ollama"];

impl CommandLine {
    /// The command line of this process; `None` if one of its words is not text.
    pub fn typed() -> Option<Self> {
        let words: Vec<OsString> = as_here(env::args_os().collect());
        let words: Vec<String> =
            words.into_iter().map(|word| word.into_string().ok()).collect::<Option<_>>()?;
        let mut line = Self::of(words);
        if line.lacks_question() && input_is_given() {
            line.operands.push("-".to_owned());
        }
        Some(line)
    }

    /// Whether the question is missing.
    fn lacks_question(&self) -> bool {
        self.command.as_deref() == Some("ask") && self.operands.is_empty() && self.question_place().is_some()
    }

    /// Whether the question is on standard input.
    pub fn asks_on_standard_input(&self) -> bool {
        self.command() == "ask" && self.operands == ["-"]
    }

    fn of(mut words: Vec<String>) -> Self {
        let place = place_of_command(&words.iter().map(OsString::from).collect::<Vec<_>>()).min(words.len());
        let rest = words.split_off(place);
        let all = built();
        let is_command = rest.first().is_some_and(|name| all.find_subcommand(name).is_some());
        let command = rest.first().filter(|_| is_command).cloned();
        let mut line = Self { before: words.split_off(1.min(words.len())), command, ..Self::default() };
        let rest = &rest[usize::from(is_command)..];
        line.rest = rest.iter().take_while(|word| *word != "--").cloned().collect();
        line.read(rest, &arguments_of(line.command(), &all));
        line
    }

    /// The command, or `ask` if the line has none.
    fn command(&self) -> &str {
        self.command.as_deref().unwrap_or("ask")
    }

    /// The command and the words that don't belong to an option.
    pub fn words(&self) -> Vec<&str> {
        self.command.iter().chain(&self.operands).map(String::as_str).collect()
    }

    fn read(&mut self, words: &[String], arguments: &[&Arg]) {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word == "--" {
                let runs = arguments.iter().any(|argument| argument.is_last_set());
                self.is_open = runs;
                let rest = if runs { &mut self.program } else { &mut self.operands };
                rest.extend(words.clone().cloned());
                self.after_dashes = if runs { 0 } else { words.len() };
                return;
            }
            let name = word.split('=').next().unwrap_or_default();
            let is_option = name.starts_with('-') && word.len() > 1 && !has_blank(name);
            if !is_option {
                self.operands.push(word.clone());
                continue;
            }
            // A word after another option isn't the name of the history.
            self.after_history = match self.after_history {
                _ if word == "--history" => Some(self.operands.len()),
                Some(place) if place == self.operands.len() => None,
                known => known,
            };
            let (argument, takes_next) = option_of(word, arguments);
            // An unknown option may be a word of the question.
            if argument.is_none() && (self.command.is_none() || self.is_in_question()) {
                self.operands.push(word.clone());
                continue;
            }
            let value = takes_next.then(|| words.next().cloned()).flatten();
            let id = argument.map(|argument| argument.get_id().to_string());
            self.options.push(TypedOption { id, words: [word.clone()].into_iter().chain(value).collect() });
        }
    }

    /// Whether the words read so far are the beginning of a question that was not quoted.
    fn is_in_question(&self) -> bool {
        ASKING.contains(&self.command())
            && self.operands.len() + 1 >= SEVERAL
            && self.operands.first().is_some_and(|word| is_beginning(word))
            && !self.operands.iter().any(|word| is_whole(word))
    }

    /// The line with `=` instead of a space before the name of the history.
    pub fn with_history(&self) -> Option<String> {
        let place = self.after_history?;
        let name = self.operands.get(place)?;
        let is_name = name.parse::<ProfileName>().is_ok() && !Path::new(name).exists();
        is_name.then_some(())?;
        let option = |option: &TypedOption| match option.words.as_slice() {
            [word] if word == "--history" => vec![format!("--history={name}")],
            words => words.to_vec(),
        };
        let options: Vec<String> = self.options.iter().flat_map(option).collect();
        let others = self.operands.iter().enumerate().filter(|(index, _)| *index != place);
        let operand = |word: &String| if has_blank(word) { question_word(word) } else { operand(word) };
        let operands = others.map(|(_, word)| operand(word)).collect();
        Some(self.written(self.command(), &options, operands))
    }

    /// The line with the path `meant` instead of the path `typed`.
    pub fn with_path(&self, typed: &str, meant: &str) -> Option<String> {
        self.with_paths(&[(typed, vec![meant.to_owned()])])
    }

    /// The line with other paths instead of each of these; `None` if one of them is not among the typed paths.
    pub fn with_paths(&self, meant: &[(&str, Vec<String>)]) -> Option<String> {
        let first = self.question_place().map_or(0, |place| place + 1).min(self.operands.len());
        let (question, paths) = self.operands.split_at(first);
        let is_typed = |(typed, _): &(&str, Vec<String>)| paths.iter().any(|path| path == typed);
        meant.iter().all(is_typed).then_some(())?;
        let options: Vec<String> = self.options.iter().flat_map(|option| option.words.clone()).collect();
        let paths = paths.iter().flat_map(|path| {
            let instead = meant.iter().find(|(typed, _)| path == typed).map(|(_, words)| words.as_slice());
            instead.unwrap_or(std::slice::from_ref(path))
        });
        let question = question.iter().map(|word| question_word(word));
        let operands = question.chain(paths.map(|path| operand(path))).collect();
        Some(self.written(self.command(), &options, operands))
    }

    /// The line with one more path.
    pub fn and_path(&self, path: &str) -> String {
        let options: Vec<String> = self.options.iter().flat_map(|option| option.words.clone()).collect();
        let asked = self.question_place();
        let known = self
            .operands
            .iter()
            .enumerate()
            .map(|(at, word)| if Some(at) == asked { question_word(word) } else { operand(word) });
        self.written(self.command(), &options, known.chain([operand(path)]).collect())
    }

    /// The line with the separate words of a program that was quoted as a single word.
    pub fn with_program_in_words(self) -> Option<String> {
        let [program] = self.program.as_slice() else { return None };
        let words: Vec<String> = program.split_whitespace().map(str::to_owned).collect();
        let is_meant = words.len() > 1 && is_program(&words[0]);
        is_meant.then_some(())?;
        let options: Vec<String> = self.options.iter().flat_map(|option| option.words.clone()).collect();
        let operand = |word: &String| if is_whole(word) { question_word(word) } else { operand(word) };
        let operands = self.operands.iter().map(operand).collect();
        let line = Self { program: words, ..self };
        Some(line.written(line.command(), &options, operands))
    }

    /// The line with `--` before a program that follows a question without it; `is_there` checks whether a path
    /// exists.
    pub fn with_program(&self, is_there: impl Fn(&str) -> bool) -> Option<String> {
        let is_open = RUNNING.contains(&self.command()) && self.program.is_empty();
        is_open.then_some(())?;
        let until = |length: usize| {
            let words =
                [&["ctx".to_owned()], &*self.before, &[self.command().to_owned()], &self.rest[..length]];
            Self::of(words.concat())
        };
        // The program is the first word that isn't a path; everything after it belongs to the program.
        let (at, line) = (0..self.rest.len()).find_map(|at| {
            let line = until(at);
            let is_operand = until(at + 1).operands.len() > line.operands.len();
            let is_after = is_operand && line.question().is_some() && !is_there(&self.rest[at]);
            is_after.then_some((at, line))
        })?;
        let is_known = line.options.iter().all(|option| option.id.is_some());
        // After `run`, the question is an option, so no other word belongs to it.
        let is_whole_question = self.command() == "run" || line.question().is_some_and(is_whole);
        let is_meant = is_known && is_whole_question && is_program(&self.rest[at]);
        is_meant.then_some(())?;
        let line = Self { program: self.rest[at..].to_vec(), ..line };
        let options: Vec<String> = line.options.iter().flat_map(|option| option.words.clone()).collect();
        let operand = |word: &String| if is_whole(word) { question_word(word) } else { operand(word) };
        Some(line.written(line.command(), &options, line.operands.iter().map(operand).collect()))
    }

    /// The line with the words that were meant as a question joined into one, in order; `is_there` checks whether
    /// a path exists.
    pub fn with_question(&self, is_there: impl Fn(&str) -> bool) -> Option<String> {
        let is_path = |word: &String| !has_blank(word) && Path::new(word).exists();
        let has_place = self.question_place().is_some();
        let asks = has_place && !self.operands.first().is_some_and(is_path);
        let spread = Spread::of(&self.operands, usize::from(asks), is_there)?;
        let (words, missing) = (spread.words, spread.missing);
        let has_sentence = missing.iter().any(|word| is_sentence(word));
        if let [meant] = words {
            let may_be_word = has_place || meant.ends_with('?');
            let is_meant = has_sentence || may_be_word && is_word(meant);
            return is_meant.then(|| self.line(meant, spread.others, true));
        }
        let before = self.prompt().filter(|_| !asks);
        let begins = before.or_else(|| words.first().map(String::as_str)).is_some_and(is_beginning);
        let are_words = missing.iter().all(|word| is_word(word) || is_sentence(word));
        let count = missing.len() + usize::from(before.is_some());
        let is_open = if asks { has_sentence || !is_whole(&words[0]) } else { has_place || count >= SEVERAL };
        let is_question =
            self.takes_words() && (are_words || begins) && is_open && !before.is_some_and(has_blank);
        let all: Vec<&str> = before.into_iter().chain(words.iter().map(String::as_str)).collect();
        is_question.then(|| self.line(&all.join(" "), spread.others, false))
    }

    /// The line to type if the first word isn't a command and the words were meant as a question: they read
    /// like one, or no command has a similar name.
    pub fn without_command(&self, is_similar: bool) -> Option<String> {
        let begins = |word: &String| has_blank(word) || is_beginning(word);
        let ends = |word: &String| word.ends_with('?');
        let is_question = !is_similar && self.command.is_none()
            || self.operands.first().is_some_and(begins)
            || self.operands.last().is_some_and(ends);
        let Spread { words, missing, others } = Spread::of(&self.operands, 0, is_something)?;
        let is_sentence = missing.iter().any(|word| has_blank(word)) || words.len() >= SEVERAL;
        let are_words = missing.iter().all(|word| has_blank(word) || is_word(word));
        (is_question && is_sentence && are_words).then(|| self.line(&words.join(" "), others, true))
    }

    /// The index of the question among the operands; `None` if an option gives it, or the command takes none.
    fn question_place(&self) -> Option<usize> {
        let is_given = self.has("prompt") || self.has("prompt_file");
        (ASKING.contains(&self.command()) && !is_given).then_some(0)
    }

    /// The question, if it is a single word for the shell.
    fn question(&self) -> Option<&str> {
        match self.question_place() {
            Some(place) => self.operands.get(place).map(String::as_str),
            None => self.prompt(),
        }
    }

    /// Whether an option was typed.
    pub fn has(&self, id: &str) -> bool {
        self.options.iter().any(|option| option.id.as_deref() == Some(id))
    }

    /// The value of `-p`, if given once; the rest of the sentence may be among the operands.
    fn prompt(&self) -> Option<&str> {
        let mut prompts = self.options.iter().filter(|option| option.id.as_deref() == Some("prompt"));
        let first = prompts.next().filter(|_| prompts.next().is_none())?;
        first.words.get(1).map(String::as_str)
    }

    /// Whether words that name nothing may belong to a question. Those after `add` may be paths that don't
    /// exist yet.
    fn takes_words(&self) -> bool {
        self.command() != "add"
    }

    /// The line that asks the question, with the typed options that its command accepts.
    fn line(&self, question: &str, paths: Vec<&str>, keeps_prompt: bool) -> String {
        let command = if self.command() == "search" { "search" } else { "ask" };
        let all = built();
        let target = arguments_of(command, &all);
        let is_known = |option: &&TypedOption| {
            let name = option.words.first().map(String::as_str).unwrap_or_default();
            let same = option_of(name, &target).0.map(|argument| argument.get_id().to_string());
            same.is_some() && same == option.id && (keeps_prompt || same.as_deref() != Some("prompt"))
        };
        let options: Vec<String> =
            self.options.iter().filter(is_known).flat_map(|option| option.words.clone()).collect();
        let has_prompt = keeps_prompt && self.has("prompt") && command == "ask";
        let prompt = has_prompt.then(|| "-p".to_owned());
        let operands =
            prompt.into_iter().chain([question_word(question)]).chain(paths.into_iter().map(operand));
        self.written(command, &options, operands.collect())
    }

    fn written(&self, command: &str, options: &[String], operands: Vec<String>) -> String {
        let quoted = |words: &[String]| words.iter().map(|word| quoted_word(word)).collect::<Vec<_>>();
        let program = (!self.program.is_empty()).then(|| "--".to_owned());
        let words: Vec<String> = ["ctx".to_owned()]
            .into_iter()
            .chain(quoted(&self.before))
            .chain([command.to_owned()])
            .chain(quoted(options))
            .chain(operands)
            .chain(program)
            .chain(quoted(&self.program))
            .collect();
        words.join(" ")
    }
}

/// The words of a command line that were meant as a question, from the first that isn't a path to the last.
struct Spread<'a> {
    /// The words in order, including those between them that are paths.
    words: &'a [String],
    /// The words that aren't paths.
    missing: Vec<&'a str>,
    /// The operands before and after the words.
    others: Vec<&'a str>,
}

impl<'a> Spread<'a> {
    /// The question's words among the operands. The first `asked` operands belong to it even if they are
    /// paths. So do the words after the last missing path, up to one that is quoted or ends with a question
    /// mark.
    fn of(operands: &'a [String], asked: usize, is_there: impl Fn(&str) -> bool) -> Option<Self> {
        let missing: Vec<usize> =
            (asked..operands.len()).filter(|place| !is_there(&operands[*place])).collect();
        let first = if asked > 0 { 0 } else { *missing.first()? };
        let mut end = missing.last()? + 1;
        let goes_on = |end: usize| {
            let next = operands.get(end).is_some_and(|word| is_word(word));
            next && !has_blank(&operands[end - 1]) && !operands[end - 1].ends_with('?')
        };
        while goes_on(end) {
            end += 1;
        }
        let others = operands[..first].iter().chain(&operands[end..]).map(String::as_str).collect();
        let missing = missing.into_iter().map(|place| operands[place].as_str()).collect();
        Some(Self { words: &operands[first..end], missing, others })
    }
}

/// The line that asks what was typed as a path, if the command line reads like a question.
pub fn asked() -> Option<String> {
    CommandLine::typed()?.with_question(is_something)
}

/// Whether the command line asks about everything.
pub fn asks() -> bool {
    CommandLine::typed().is_some_and(|typed| typed.command() == "ask")
}

/// What to do about a path that does not exist because it is a URL, or is in another program's form: the line with
/// the file that is meant, if that exists.
pub fn answer_to_path(path: &str) -> Option<String> {
    let file = || file_of(path).filter(|file| Path::new(file).exists());
    let line = || CommandLine::typed()?.with_path(path, &file()?);
    line().or_else(|| habits::answer_to_path(path))
}

/// Whether something of that name exists, or `text` can't be a question.
pub fn is_something(text: &str) -> bool {
    let is_pattern = !has_blank(text) && text.contains(['*', '[', '{']);
    Path::new(text).exists() || is_pattern || is_of_a_kind(text) || text.starts_with('!') || text == "-"
}

/// Whether a word of the command line has the shape of an option.
pub fn is_like_option(word: &str) -> bool {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).unwrap_or_default();
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let is_of_name = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_');
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(is_of_name)
        && !has_blank(word)
}

/// The definition of all commands, each with the options that every command has.
fn built() -> clap::Command {
    let mut all = DEFINITION.get().map_or_else(|| clap::Command::new("ctx"), |definition| definition());
    all.build();
    all
}

fn arguments_of<'a>(command: &str, all: &'a clap::Command) -> Vec<&'a Arg> {
    all.find_subcommand(command).into_iter().flat_map(clap::Command::get_arguments).collect()
}

/// The option of that name, and whether its value is the word that follows.
fn option_of<'a>(word: &str, arguments: &[&'a Arg]) -> (Option<&'a Arg>, bool) {
    let takes = |argument: &Arg| argument.get_action().takes_values() && !argument.is_require_equals_set();
    if let Some(name) = word.strip_prefix("--") {
        let (name, has_value) = name.split_once('=').map_or((name, false), |(name, _)| (name, true));
        let of_name = |argument: &&&Arg| {
            let aliases = argument.get_all_aliases().unwrap_or_default();
            argument.get_long() == Some(name) || aliases.contains(&name)
        };
        let argument = arguments.iter().find(of_name).copied();
        return (argument, !has_value && argument.is_some_and(takes));
    }
    let mut letters = word.chars().skip(1).peekable();
    let mut last = None;
    while let Some(letter) = letters.next() {
        last = arguments.iter().find(|argument| argument.get_short() == Some(letter)).copied();
        if last.is_some_and(takes) {
            return (last, letters.peek().is_none());
        }
    }
    (last, false)
}

fn operand(word: &str) -> String {
    // `--` can't protect a path that begins with `-`, since the words after it are a program.
    if word.starts_with('-') && word != "-" { quoted_word(&format!("./{word}")) } else { quoted_word(word) }
}

/// Whether a program of that name exists, or is known to answer questions.
fn is_program(word: &str) -> bool {
    let is_there = || launcher().programs().find(OsStr::new(word), Path::new(".")).is_some();
    ANSWERING.contains(&word) || !word.contains('/') && is_there()
}

/// Whether questions often start with this word.
fn is_beginning(word: &str) -> bool {
    BEGINNINGS.contains(&word.to_lowercase().as_str())
}

/// Whether `text` is a complete question: it was quoted, or ends with a question mark.
fn is_whole(text: &str) -> bool {
    has_blank(text) || text.ends_with('?')
}

fn has_blank(text: &str) -> bool {
    text.trim().contains(char::is_whitespace)
}

/// Whether `text` reads like a sentence, rather than the name of a file with a space in it.
fn is_sentence(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.len() > SEVERAL || words.len() > 1 && words.iter().all(|word| is_word(word))
}

/// Whether `text` can be a word in a sentence, rather than the name of a file.
fn is_word(text: &str) -> bool {
    !text.trim().is_empty()
        && !text.trim_end_matches(['.', '?', '!', ',', ':']).contains(['.', '/', '*', ':', '[', '{'])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line that was meant, if these paths exist.
    fn meant(line: &[&str], there: &[&str]) -> Option<String> {
        define(crate::definition);
        let line = CommandLine::of(["ctx"].iter().chain(line).map(|word| (*word).to_owned()).collect());
        line.with_question(|path| there.contains(&path))
    }

    #[test]
    fn text_that_names_no_file_is_treated_as_a_question() {
        for (line, asked) in [
            (&["render", "why x?"][..], "ctx ask \"why x?\""),
            (&["render", "src", "what's $x?"], "ctx ask 'what'\\''s $x?' src"),
            (&["ask", "src", "why x?"], "ctx ask \"why x?\" src"),
            (&["ask", "why", "does", "it", "fail?", "src"], "ctx ask \"why does it fail?\" src"),
            (&["render", "does", "it", "fail?", "src"], "ctx ask \"does it fail?\" src"),
            (&["search", "why", "does", "it"], "ctx search \"why does it\""),
            (&["search", "-n3", "src", "why does it"], "ctx search -n3 \"why does it\" src"),
            (&["render", "zebrafish?"], "ctx ask \"zebrafish?\""),
            (&["ask", "loop", "symlink"], "ctx ask \"loop symlink\""),
            (&["ask", "where", "is", "src", "parsed"], "ctx ask \"where is src parsed\""),
            (&["ask", "where", "is", "src"], "ctx ask \"where is src\""),
            (&["ask", "how", "are loops found"], "ctx ask \"how are loops found\""),
            (&["ask", "how are", "loops found", "./src"], "ctx ask \"how are loops found\" ./src"),
            (&["ask", "how", "is", "lib.rs", "parsed"], "ctx ask \"how is lib.rs parsed\""),
            (&["ask", "src", "loops", "found"], "ctx ask \"loops found\" src"),
        ] {
            assert_eq!(meant(line, &["src", "./src"]).as_deref(), Some(asked), "{line:?}");
        }
    }

    #[test]
    fn suggested_line_keeps_options_and_program() {
        for (line, asked) in [
            (
                &["-C", "x", "ask", "-b", "8k", "why", "does", "it", "--", "cat", "a b"][..],
                "ctx -C x ask -b 8k \"why does it\" -- cat 'a b'",
            ),
            (&["run", "why does it?", "--", "cat"], "ctx ask \"why does it?\" -- cat"),
            (&["show", "-e", "-b8k", "why does it?"], "ctx ask -b8k \"why does it?\""),
            (&["add", "--pin", "why does it?"], "ctx ask \"why does it?\""),
            (&["render", "-p", "why", "does", "it"], "ctx ask \"why does it\""),
            (&["render", "-p", "why", "src", "does it"], "ctx ask -p why -p \"does it\" src"),
        ] {
            assert_eq!(meant(line, &["src"]).as_deref(), Some(asked), "{line:?}");
        }
    }

    #[test]
    fn names_of_missing_files_are_not_treated_as_a_question() {
        for line in [
            &["render", "a"][..],
            &["render", "a.rs", "b.rs", "src/c"],
            &["render", "my notes.md"],
            &["ask", "why?", "a.rs"],
            &["ask", "why is it so?", "a", "b"],
            &["add", "a", "b", "c"],
            &["ask", "loops", "a/b.rs"],
            &["ask", "loops", ""],
            &["ask", "how are loops found?", "srx"],
        ] {
            assert_eq!(meant(line, &[]), None, "{line:?}");
        }
        assert_eq!(meant(&["render", "a b"], &["a b"]), None);
        assert_eq!(meant(&["render", "a", "b", "src"], &["src"]), None);
    }

    #[test]
    fn program_after_a_question_is_suggested_after_dashes() {
        let program = |line: &[&str]| {
            define(crate::definition);
            let words = ["ctx"].iter().chain(line).map(|word| (*word).to_owned());
            CommandLine::of(words.collect()).with_program(|path| path == "src")
        };
        for (line, meant) in [
            (&["ask", "why?", "llm", "-m", "gpt-5"][..], "ctx ask \"why?\" -- llm -m gpt-5"),
            (
                &["ask", "-b", "8k", "why so", "src", "claude", "-p"],
                "ctx ask -b 8k \"why so\" src -- claude -p",
            ),
            (&["-C", "x", "ask", "-c", "why?", "llm", "a b"], "ctx -C x ask -c \"why?\" -- llm 'a b'"),
            (&["run", "-p", "why?", "src", "llm"], "ctx run -p 'why?' src -- llm"),
        ] {
            assert_eq!(program(line).as_deref(), Some(meant), "{line:?}");
        }
        for line in [
            &["ask", "how", "llm", "starts"][..],
            &["ask", "why?", "no-such-program"],
            &["ask", "why?", "--", "llm"],
            &["render", "-p", "why?", "llm"],
            &["search", "why so", "llm"],
            &["ask", "why?", "--no-such", "llm"],
        ] {
            assert_eq!(program(line), None, "{line:?}");
        }
    }

    #[test]
    fn history_after_a_blank_is_suggested_with_an_equals_sign() {
        let named = |line: &[&str]| {
            define(crate::definition);
            let words = ["ctx"].iter().chain(line).map(|word| (*word).to_owned());
            CommandLine::of(words.collect()).with_history()
        };
        for (line, meant) in [
            (&["render", "--history", "talk", "-p", "Hi"][..], "ctx render --history=talk -p Hi"),
            (&["ask", "--history", "talk", "hi there"], "ctx ask --history=talk \"hi there\""),
            (&["ask", "hi there", "--history", "talk", "x"], "ctx ask --history=talk \"hi there\" x"),
            (&["run", "--history", "talk", "-p", "x", "--", "cat"], "ctx run --history=talk -p x -- cat"),
        ] {
            assert_eq!(named(line).as_deref(), Some(meant), "{line:?}");
        }
        assert_eq!(named(&["render", "--history", "-p", "Hi", "talk"]), None);
        assert_eq!(named(&["render", "--history=talk", "-p", "Hi"]), None);
    }

    #[test]
    fn option_is_recognised_by_its_form() {
        for word in ["--dryrun", "--copy=x", "-x", "--no-such", "-abc"] {
            assert!(is_like_option(word), "{word}");
        }
        for word in ["-", "--", "-5", "-foo bar is broken?", "--copy x", "why", "->", "-x/y"] {
            assert!(!is_like_option(word), "{word}");
        }
    }
}
