//! Answers for people who type the commands and options of other tools.

use crate::hints::shell_word;

/// Words of other tools that are not commands here, and what to type. Those that mean the same as a command are
/// aliases of it. No answer names a command that deletes.
const WORDS: [(&str, &str); 37] = [
    ("agent", PROFILES),
    ("agents", PROFILES),
    ("alias", PROFILES),
    ("aliases", PROFILES),
    ("branch", "'ctx switch -c NAME' creates a profile and switches to it"),
    ("budget", "--budget N limits one output, 'ctx profile --set budget=N' all of them"),
    ("chat", "'ctx ask -c \"QUESTION\" -- llm' continues a conversation"),
    ("compact", COMPRESSION),
    ("compress", COMPRESSION),
    ("config", "'ctx profile --set KEY=VALUE' sets a default"),
    ("context", "'ctx add PATH' adds a file to your list, 'ctx show' prints the list"),
    ("copy", "pipe it: 'ctx ask \"QUESTION\" | pbcopy', or wl-copy, xclip, clip.exe"),
    (
        "cost",
        "'ctx ask --dry-run \"QUESTION\"' counts the tokens, 'ctx models' lists what each model can read",
    ),
    (
        "count",
        "'ctx show' counts the tokens of your list, 'ctx ask --dry-run \"QUESTION\"' those of an answer",
    ),
    ("create", "'ctx switch -c NAME' creates a profile, 'ctx init' creates profiles for a repository"),
    (
        "diff",
        "'ctx checkpoint diff N' shows what has changed since, 'ctx render git:diff' prints your unstaged changes",
    ),
    ("edit", "'ctx add' and 'ctx set' change the list, 'ctx export' prints it"),
    ("expand", "'ctx show --expand' lists the files, 'ctx checkpoint diff N' what has changed since"),
    ("find", "'ctx search QUERY' finds passages by their words"),
    (
        "grep",
        "'ctx search QUERY' finds passages by their words, 'ctx show --containing REGEX' files by a regular expression",
    ),
    ("hooks", "a hook is a command as an entry: 'ctx add \"cmd:git status\"' runs it for each output"),
    ("index", "there is nothing to index: 'ctx search QUERY' searches the files as they are"),
    ("instruction", "'ctx profile --set instruction=TEXT' sets the profile's instruction"),
    (
        "knowledge",
        "'ctx add --search PATH' adds files to search for each question, 'ctx search QUERY' searches now",
    ),
    ("load", CONVERSATIONS),
    ("mcp", "tools belong to the program that answers: 'ctx ask \"QUESTION\" -- PROGRAM'"),
    (
        "memory",
        "'ctx add up:AGENTS.md' adds the memory files of the tree, 'ctx detect' finds other tools' files",
    ),
    ("new", "'ctx switch -c NAME' creates a profile and switches to it"),
    (
        "pack",
        "'ctx ask \"QUESTION\"' prints the passages that answer it, 'ctx render --only -r .' prints everything",
    ),
    ("prompts", "a prompt is a file: 'ctx ask --prompt-file FILE' reads it"),
    ("restore", "'ctx checkpoint restore N' restores the files"),
    ("resume", CONVERSATIONS),
    ("save", CONVERSATIONS),
    ("send", "'ctx ask \"QUESTION\" -- llm' sends what answers to a program, 'ctx run' your list"),
    ("tools", "tools belong to the program that answers: 'ctx ask \"QUESTION\" -- PROGRAM'"),
    ("update", "ctx reads your files anew each time; there is nothing to update"),
    ("undo", "'ctx checkpoint restore N' restores the files"),
];

const PROFILES: &str = "it is a profile here: 'ctx profile' lists them, 'ctx switch -c NAME' creates one";

const COMPRESSION: &str = "'ctx history compress -- llm' summarises the earlier turns of a conversation";

const CONVERSATIONS: &str = "conversations are kept: 'ctx ask -c \"QUESTION\"' continues the last one, --history=NAME one with a name, and 'ctx export > FILE' saves a profile";

/// The answer to a word after `ctx history show`, `clear` and others, which take no name.
pub const OF_HISTORIES: &str = "the name of a history goes with an equals sign: --history=NAME";

/// The answer to a word after `ctx profile`, which takes none.
const OF_PROFILES: &str = "'ctx profile' lists the profiles, 'ctx profile --create NAME' creates one, 'ctx switch NAME' switches to one, --set KEY=VALUE sets a default, 'ctx show' prints them, and 'ctx help profile' shows the rest";

/// The answer to a sentence instead of a command.
const OF_QUESTIONS: &str = "'ctx ask \"QUESTION\"' asks about everything here";

/// The answer to a question that looks like options.
const OF_HYPHENS: &str = "-p passes a question that begins with a hyphen: 'ctx ask -p \"QUESTION\"'";

/// Options of other tools, and what to type here.
const OPTIONS: [(&str, &str); 13] = [
    ("--alias", "--profile NAME uses a profile for one command, 'ctx switch NAME' from now on"),
    ("--clipboard", "pipe it: '… | pbcopy', or wl-copy, xclip, clip.exe"),
    ("--continue", "'ctx ask -c \"QUESTION\" -- llm' continues a conversation, --history a recorded one"),
    ("--copy", "pipe it: '… | pbcopy', or wl-copy, xclip, clip.exe"),
    ("--lines", "FILE:1-5 names lines of a file: 'ctx add src/main.rs:1-5'"),
    ("--max-tokens", "--budget 16k limits the output to 16,000 tokens"),
    ("--no-history", "--history=none uses no history"),
    ("--no-tests", "--exclude leaves files out: --exclude 'tests' --exclude '*_test.*'"),
    ("--program", "a program goes last, after --: 'ctx ask \"QUESTION\" -- llm'"),
    ("--question-file", "--prompt-file FILE reads the question from a file"),
    (
        "--regex",
        "'ctx search' finds words; 'ctx show --containing REGEX' lists files by a regular expression",
    ),
    ("--unpin", "'ctx set --unset pin PATH' removes the pin"),
    ("--resume", "'ctx ask -c \"QUESTION\" -- llm' continues a conversation, --history=NAME one with a name"),
];

/// Names of tools that 'ctx import --from' does not know.
const TOOLS: [(&str, &str); 10] = [
    ("agents", FILES),
    ("amazon-q", "--from amazonq reads what Amazon Q Developer CLI keeps"),
    ("claude", FILES),
    ("cline", FILES),
    ("codex", FILES),
    ("copilot", FILES),
    ("cursor", FILES),
    ("gemini", FILES),
    ("q", "--from amazonq reads what Amazon Q Developer CLI keeps"),
    ("windsurf", FILES),
];

const FILES: &str = "'ctx detect' finds its memory files here, 'ctx detect --add' adds them";

/// The answer to a word that is not a command here.
pub fn answer(word: &str) -> Option<&'static str> {
    if word.trim().contains(char::is_whitespace) {
        return Some(OF_QUESTIONS);
    }
    // In chats, commands begin with a slash.
    let word = word.strip_prefix('/').unwrap_or(word).to_lowercase();
    found(&WORDS, &word)
}

/// The answer to an argument that the command with this usage does not have.
pub fn answer_to_argument(argument: &str, usage: &str) -> Option<&'static str> {
    if argument == "--force" && usage.contains("ctx rm ") {
        return Some("'ctx rm' never asks, so nothing has to be forced");
    }
    if !argument.starts_with('-') && usage.contains("ctx history ") {
        return Some(OF_HISTORIES);
    }
    if !argument.starts_with('-') || ["--list", "--show", "--copy"].contains(&argument) {
        if usage.contains("ctx profile ") {
            return Some(OF_PROFILES);
        }
        if !argument.starts_with('-') {
            return None;
        }
    }
    if argument.contains(char::is_whitespace) {
        return usage.contains("[QUESTION]").then_some(OF_HYPHENS);
    }
    found(&OPTIONS, argument)
}

/// The answer to a value that an option does not accept.
pub fn answer_to_value(option: &str, value: &str) -> Option<&'static str> {
    if option.starts_with("--allow") && value == "none" {
        return Some("'ctx set --unset allow PATH' removes what an entry allows");
    }
    let tools = if option == "--from <TOOL>" { &TOOLS[..] } else { &[] };
    found(tools, &value.to_lowercase())
}

fn found(table: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == word).map(|(_, answer)| *answer)
}

/// Whether a command deletes something; no suggestion names it.
pub fn deletes(command: &str) -> bool {
    ["clear", "rm", "remove"].contains(&command)
}

/// Whether a path is a URL.
pub fn is_address(path: &str) -> bool {
    ["http:/", "https:/"].iter().any(|scheme| path.starts_with(scheme))
}

/// What to do about a path that does not exist because it is a URL, or is in another program's form.
pub fn answer_to_path(path: &str) -> Option<String> {
    if is_address(path) {
        return Some("ctx fetches nothing: 'curl -sL URL | ctx render -' reads it from a pipe".to_owned());
    }
    file_of(path).map(|file| format!("give only the path: {}", shell_word(&file)))
}

/// The file that another program's form names: `@FILE`, `file://FILE`.
fn file_of(path: &str) -> Option<String> {
    let file = path.strip_prefix("file:").map(decoded);
    let file = file.as_deref().map(|rest| match rest.trim_start_matches('/') {
        relative if rest.starts_with("///") => format!("/{relative}"),
        relative => relative.to_owned(),
    });
    // `@(a|b)` is a pattern of shells.
    let referred = || path.strip_prefix('@').filter(|file| !file.starts_with('(')).map(str::to_owned);
    file.or_else(referred).filter(|file| !file.is_empty())
}

/// The text of an address, in which some characters are written as `%20`.
fn decoded(address: &str) -> String {
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = address.as_bytes();
    while let [first, after @ ..] = rest {
        let digits =
            after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_answer_names_a_command_that_deletes() {
        for (word, answer) in WORDS.iter().chain(&OPTIONS) {
            let names_one = answer.split([' ', '\'']).any(deletes);
            assert!(!names_one && !answer.contains("--delete"), "{word}: {answer}");
        }
    }
}
