//! The line that was typed, with other options or another program.

use super::{
    CommandLine, TypedOption, arguments_of, built, has_blank, is_program, is_something, operand, option_of,
};
use crate::hints::question_word;

/// The maximum length of a suggested line, in characters; nobody reads a longer one.
pub const LONGEST: usize = 240;

/// The program that is suggested if there is none.
const ANY_PROGRAM: &str = "llm";

/// The kinds of entries that may consist of several words.
const ENTRIES_OF_WORDS: [&str; 2] = ["cmd:", "git:"];

/// The options that prevent a program from running.
const WITHOUT_PROGRAM: [&str; 2] = ["output", "dry_run"];

/// The typed line without the options that have the ids `without`, and with the words `with` added. `None` if
/// running it again would not do the same (because it reads standard input, whose origin is unknown), or if
/// it would be too long to read.
pub fn changed(without: &[&str], with: &[&str]) -> Option<String> {
    CommandLine::typed()?.changed(None, without, with)
}

/// The same line with another command. Typed options that this command doesn't have are left out.
pub fn changed_to(command: &str, without: &[&str], with: &[&str]) -> Option<String> {
    CommandLine::typed()?.changed(Some(command), without, with)
}

impl CommandLine {
    fn changed(self, command: Option<&str>, without: &[&str], with: &[&str]) -> Option<String> {
        let typed = self.command.clone().filter(|_| !self.reads_standard_input())?;
        let command = command.unwrap_or(&typed);
        let (all, mut options) = (built(), Vec::new());
        let target = arguments_of(command, &all);
        for option in &self.options {
            let id = option.id.as_deref()?;
            if without.contains(&id) {
                option.is_alone(&arguments_of(&typed, &all)).then_some(())?;
            } else if target.iter().any(|argument| argument.get_id() == id) {
                options.extend(option.words.iter().cloned());
            }
        }
        options.extend(with.iter().map(|word| (*word).to_owned()));
        let asked = self.question_place();
        let word = |(place, word): (usize, &String)| {
            if Some(place) == asked { question_word(word) } else { operand(word) }
        };
        let operands = self.operands.iter().enumerate().map(word).collect();
        let runs = target.iter().any(|argument| argument.is_last_set()) && !with.contains(&"--dry-run");
        let program = if runs { self.program.clone() } else { Vec::new() };
        let line = Self { program, ..self }.written(command, &options, operands);
        (line.chars().count() <= LONGEST).then_some(line)
    }

    /// The line with the words of a command or of a request to git as one word, if the words after the first are
    /// neither paths nor options; `is_there` checks whether a path exists.
    pub fn with_entry_in_one_word(&self, is_there: impl Fn(&str) -> bool) -> Option<String> {
        let all = built();
        let arguments = arguments_of(self.command(), &all);
        let begins =
            |word: &String| ENTRIES_OF_WORDS.iter().any(|kind| word.starts_with(kind)) && !has_blank(word);
        let start = self.rest.iter().position(begins)?;
        let goes_on = |word: &&String| !is_there(word) && option_of(word, &arguments).0.is_none();
        let end = start + 1 + self.rest[start + 1..].iter().take_while(goes_on).count();
        (end > start + 1).then_some(())?;
        let entry = self.rest[start..end].join(" ");
        let dashes = self.is_open.then(|| "--".to_owned());
        let words =
            ["ctx".to_owned()].into_iter().chain(self.before.iter().cloned()).chain(self.command.clone());
        let words = words.chain(self.rest[..start].iter().cloned()).chain([entry]);
        let words =
            words.chain(self.rest[end..].iter().cloned()).chain(dashes).chain(self.program.iter().cloned());
        Self::of(words.collect()).changed(None, &[], &[])
    }

    /// The line that sends the files and the prompt to the program that follows `--` after `render`.
    pub fn with_run(mut self) -> Option<String> {
        let program = self.operands.split_off(self.operands.len() - self.after_dashes);
        let is_meant = program.first().is_some_and(|word| is_program(word) && !is_something(word));
        (self.command() == "render" && self.prompt().is_some() && is_meant).then_some(())?;
        Self { program, ..self }.changed(Some("run"), &WITHOUT_PROGRAM, &[])
    }

    /// Whether the line ends with `--`, without a program after it.
    pub fn ends_without_program(&self) -> bool {
        self.is_open && self.program.is_empty()
    }

    /// The line with a program after `--`, without the options that prevent a program from running.
    pub fn with_some_program(mut self, words: &[&str]) -> Option<String> {
        self.program = words.iter().map(|word| (*word).to_owned()).collect();
        self.options.retain(|option| !option.id.as_deref().is_some_and(|id| WITHOUT_PROGRAM.contains(&id)));
        self.with_question(is_something).or_else(|| self.changed(None, &[], &[]))
    }

    /// The line with a program that answers questions.
    pub fn with_any_program(self) -> Option<String> {
        self.with_some_program(&[ANY_PROGRAM])
    }

    fn reads_standard_input(&self) -> bool {
        let is_standard = |word: &String| word == "-";
        let values = self.options.iter().flat_map(|option| option.words.iter().skip(1));
        values.chain(&self.operands).any(is_standard)
    }
}

impl TypedOption {
    /// Whether its first word is a single option, unlike `-qb8k`, which is several.
    fn is_alone(&self, arguments: &[&clap::Arg]) -> bool {
        let word = self.words[0].as_str();
        let first = word.char_indices().nth(2).map_or(word, |(end, _)| &word[..end]);
        let id = || Some(option_of(first, arguments).0?.get_id().as_str());
        word.starts_with("--") || id() == self.id.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &[&str]) -> CommandLine {
        super::super::define(crate::definition);
        CommandLine::of(["ctx"].iter().chain(line).map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn option_is_replaced_and_everything_else_stays() {
        let changed = |line: &[&str]| of(line).changed(None, &["budget"], &["-b", "900"]);
        for (line, meant) in [
            (&["render", "-b", "8k", "a b.rs"][..], "ctx render -b 900 'a b.rs'"),
            (&["render", "-qb8k", "a.rs"], ""),
            (
                &["ask", "--budget=8k", "why x?", "a.rs", "--", "cat", "-"],
                "ctx ask -b 900 \"why x?\" a.rs -- cat -",
            ),
            (&["-C", "x", "render", "-p", "why x?"], "ctx -C x render -p 'why x?' -b 900"),
            (&["render", "-"], ""),
            (&["render", "--files-from", "-"], ""),
            (&["render", "--no-such", "a.rs"], ""),
        ] {
            assert_eq!(changed(line).unwrap_or_default(), meant, "{line:?}");
        }
        let long = "a".repeat(LONGEST);
        assert_eq!(changed(&["render", &long]), None);
    }

    #[test]
    fn another_command_takes_over_the_options_that_it_has() {
        let line = ["run", "--no-record", "-b8k", "a.rs", "--", "cat"];
        let listing = of(&line).changed(Some("render"), &[], &["--dry-run"]);
        assert_eq!(listing.as_deref(), Some("ctx render -b8k --dry-run a.rs"));
    }

    #[test]
    fn dashes_without_a_program_are_seen() {
        assert!(of(&["ask", "why", "--"]).ends_without_program());
        assert!(!of(&["ask", "why", "--", "cat", "--"]).ends_without_program());
        assert!(!of(&["ask", "-p", "--"]).ends_without_program());
        let meant = of(&["ask", "cookies", "--"]).with_any_program();
        assert_eq!(meant.as_deref(), Some("ctx ask \"cookies\" -- llm"));
    }
}
