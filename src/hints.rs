//! Hints that can be pasted: the library determines what to do, and the program words it.

use std::fmt::Display;

use ctx_core::report::Hint;
use ctx_core::words::{is_unseen, quoted, some_of};

/// The longest question that a hint repeats, in characters.
const LONGEST_QUESTION: usize = 80;

/// A message with its hint, if there is one.
pub fn with(message: impl Display, hint: Option<&Hint>) -> String {
    hint.map_or_else(|| message.to_string(), |hint| format!("{message}; {}", in_words(hint)))
}

/// A hint in words: what to type, and what that does.
pub fn in_words(hint: &Hint) -> String {
    match hint {
        Hint::AddEntries => "'ctx add PATH' adds entries".into(),
        Hint::AskOrAdd { question } => {
            let question = question.as_ref().filter(|question| question.chars().count() <= LONGEST_QUESTION);
            let question = question_word(question.map_or("QUESTION", |question| &**question));
            format!("'ctx ask {question}' searches everything here, 'ctx add FILE' adds to your list")
        }
        Hint::NameWords => "-w NAMES looks for what the code calls it, --words-from PROGRAM asks a model".into(),
        Hint::ShowEntries => "'ctx show' lists them".into(),
        Hint::ShowFiles => "'ctx show --expand' lists them".into(),
        Hint::ShowPlan => "--dry-run lists them".into(),
        Hint::LiftIgnoreRules => "--allow ignored includes them".into(),
        Hint::LiftProjectExclusions => "--no-project includes them".into(),
        Hint::LiftBuiltInRules => "'!NAME' in .ctxignore or --allow ignored includes them".into(),
        Hint::AllowSecretNames => "'ctx add --allow secret-names PATH' includes one".into(),
        Hint::SayEncoding => "--encoding NAME settles it".into(),
        Hint::AllowData => "--allow data keeps it".into(),
        Hint::AllowSecretName { entry, is_global } => {
            let global = if *is_global { "-g " } else { "" };
            let line = format!("ctx set {global}--allow secret-names {}", shell_word(entry));
            format!("{} includes it", quoted(line))
        }
        Hint::FilterBy { excludes, patterns } => {
            let option = if *excludes { "--exclude" } else { "--include" };
            let options: Vec<String> =
                patterns.iter().map(|pattern| format!("{option} {}", quoted_word(pattern))).collect();
            let verb = if patterns.len() == 1 { "matches" } else { "match" };
            format!("{} {verb} files", options.join(" "))
        }
        Hint::ShowUntrusted { items, profile } => {
            let them = if *items == 1 { "it" } else { "them" };
            format!("'{} --dry-run' shows {them}", trust_of(profile.as_deref()))
        }
        Hint::RunCommands { asks: false } => "'ctx render' runs commands".into(),
        Hint::RunCommands { asks: true } => "'ctx ask' without --dry-run runs commands".into(),
        Hint::RunReaders { asks: false } => "'ctx render' runs their readers".into(),
        Hint::RunReaders { asks: true } => "'ctx ask' without --dry-run runs their readers".into(),
        Hint::TrimOtherwise => {
            "--trim outline prints only declarations, --trim relevant what matters for the prompt, 'ctx show --tree' shows where the tokens go"
                .into()
        }
        Hint::CompressHistory { name } => {
            format!("'ctx history compress --history={name} -- llm' summarises it")
        }
        Hint::FinishRestore => "'ctx checkpoint restore --continue' finishes it, 'ctx checkpoint restore --abort' undoes it"
            .into(),
    }
}

/// The command that trusts what the lists contain: a profile that is not the active one has to be named.
pub fn trust_of(profile: Option<&str>) -> String {
    profile
        .map_or_else(|| "ctx trust".to_owned(), |name| format!("ctx --profile {} trust", quoted_word(name)))
}

/// A hint that names what may have been meant, in quotes that a shell reads.
pub fn did_you_mean(name: &str) -> String {
    let word = quoted_word(name);
    if word == name { format!("did you mean '{name}'?") } else { format!("did you mean {word}?") }
}

/// A path quoted for a shell, if necessary.
pub fn shell_word(path: &str) -> String {
    let dashes = if path.starts_with('-') { "-- " } else { "" };
    format!("{dashes}{}", quoted_word(path))
}

/// A word, possibly an option, quoted for a shell.
pub fn quoted_word(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_-./+,:@%^=".contains(char);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else if word.chars().any(is_escaped) {
        format!("$'{}'", word.chars().map(ansi_c).collect::<String>())
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A question quoted for a shell, in the quotes that a person would choose.
pub fn question_word(text: &str) -> String {
    let is_special = |char: char| "\"$`\\!".contains(char) || is_escaped(char);
    if text.contains(is_special) { quoted_word(text) } else { format!("\"{text}\"") }
}

/// Whether a message would show a character, such as a line break, in an escaped form that no shell reads
/// back.
fn is_escaped(char: char) -> bool {
    char.is_control() || is_unseen(char)
}

/// A character between `$'` and `'`, as bash, zsh and ksh read it.
fn ansi_c(char: char) -> String {
    match char {
        '\n' => r"\n".to_owned(),
        '\t' => r"\t".to_owned(),
        '\r' => r"\r".to_owned(),
        '\'' | '\\' => format!(r"\{char}"),
        char if char.is_ascii_control() => format!(r"\x{:02x}", u32::from(char)),
        char if is_escaped(char) => format!(r"\U{:08x}", u32::from(char)),
        char => char.to_string(),
    }
}

/// A hint that lists the existing names, with the option that takes one; `None` if no names exist.
pub fn there_are(names: &[String], option: &str) -> Option<String> {
    match names {
        [] => None,
        [name] => Some(format!("there is only '{name}': {option}{name}")),
        names => Some(format!(
            "there are {}: {option}NAME",
            some_of(&names.iter().map(quoted).collect::<Vec<_>>())
        )),
    }
}
