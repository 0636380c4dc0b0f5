//! Answers for people who type the commands and options of other tools.

use std::ffi::OsString;

use ctx_core::store::{ProfileName, QUESTIONS};
use ctx_core::words::nearest;

use crate::hints::shell_word;

/// Other programs' names for a command or for `--version`, and the name here.
const NAMES: [(&str, &str); 4] =
    [("list", "show"), ("ls", "show"), ("status", "show"), ("version", "--version")];

/// The commands that list their items when used alone.
const LISTING: [&str; 3] = ["checkpoint", "history", "todo"];

/// Replaces other programs' names in a command line with the names used here.
pub fn as_here(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let place = place_of_command(&arguments);
    let word = |place: usize| arguments.get(place).and_then(|word| word.to_str());
    let lists = word(place).is_some_and(|command| LISTING.contains(&command))
        && matches!(word(place + 1), Some("list" | "ls"));
    let renamed = word(place).and_then(|typed| NAMES.iter().find(|(known, _)| *known == typed));
    if let Some((_, name)) = renamed {
        arguments[place] = (*name).into();
    } else if lists {
        arguments.remove(place + 1);
    } else if word(place) == Some("help")
        && let Some((_, name)) =
            word(place + 1).and_then(|typed| NAMES[..3].iter().find(|(known, _)| *known == typed))
    {
        arguments[place + 1] = (*name).into();
    }
    arguments
}

/// The index of the command among the arguments: after the program's name and global options.
pub fn place_of_command(arguments: &[OsString]) -> usize {
    const WITH_VALUE: [&str; 4] = ["-C", "--profile", "--store", "--color"];
    let mut place = 1;
    while let Some(option) =
        arguments.get(place).and_then(|word| word.to_str()).filter(|word| word.starts_with('-'))
    {
        place += if WITH_VALUE.contains(&option) { 2 } else { 1 };
    }
    place
}

/// One or two typed words, and the answer; `{}` stands for the next word. No answer names a command that deletes.
const HABITS: [(&str, &str); 80] = [
    (
        "agent",
        "'ctx switch --create NAME' creates a profile, and 'ctx profile --set instruction=TEXT' sets its instruction",
    ),
    ("agents", "agents are profiles here: 'ctx profile' lists them"),
    ("alias", "an alias is a profile here: 'ctx profile' lists them, 'ctx switch -c NAME' creates one"),
    ("aliases", "aliases are profiles here: 'ctx profile' lists them"),
    ("branch", "'ctx switch -c NAME' creates a profile and switches to it"),
    ("cat", "'ctx render PATH' prints files"),
    ("chat", "'ctx ask -c \"QUESTION\" -- llm' continues a conversation"),
    ("checkout", "'ctx switch {}' switches to a profile"),
    ("checkpoint clean", "'ctx help checkpoint' lists what you can do with checkpoints"),
    (
        "checkpoint expand",
        "'ctx checkpoint diff N' shows what has changed since, 'ctx checkpoint' lists them",
    ),
    ("checkpoint init", "'ctx checkpoint create' makes one"),
    ("checkpoint new", "'ctx checkpoint create' makes one"),
    ("checkpoint save", "'ctx checkpoint create' makes one"),
    ("checkpoint show", "'ctx checkpoint' lists them, 'ctx checkpoint diff N' shows what has changed since"),
    ("checkpoints", "'ctx checkpoint' lists them"),
    ("claer", "'ctx help' lists the commands"),
    ("clean", "'ctx help' lists the commands"),
    ("code", "'ctx ask \"QUESTION\"' prints the code that answers it"),
    ("compact", "'ctx history compress -- llm' summarises the earlier turns"),
    ("compress", "'ctx history compress -- llm' summarises the earlier turns"),
    ("config", "'ctx profile --set KEY=VALUE' sets a default"),
    ("context", "'ctx add PATH' adds a file to your list, 'ctx show' prints the list"),
    ("copy", "pipe it: 'ctx ask \"QUESTION\" | pbcopy', or wl-copy, xclip, clip.exe"),
    ("create", "'ctx switch --create NAME' creates a profile, 'ctx init' creates profiles for a repository"),
    ("del", "'ctx help' lists the commands"),
    ("delete", "'ctx help' lists the commands"),
    (
        "diff",
        "'ctx checkpoint diff N' shows what has changed since, 'ctx render git:diff' prints your unstaged changes",
    ),
    ("directory", "'ctx add -r DIR' adds everything below a directory"),
    ("doctor", "'ctx check' finds problems in your lists and in the store"),
    ("edit", "'ctx add' and 'ctx set' change the list, 'ctx export' prints it"),
    ("editor", "'ctx render --prompt-file FILE' reads a prompt from a file"),
    ("exit", "there is nothing to leave: each command does one thing and ends"),
    ("histories", "'ctx history' lists them"),
    ("history compress", "'ctx history compress --history={} -- llm' summarises that one"),
    ("history show", "'ctx history show --history={}' prints that one"),
    ("hooks", "a hook is a command as an entry: 'ctx add \"cmd:git status\"' runs it for each output"),
    ("index", "there is nothing to index: 'ctx search QUERY' searches the files as they are"),
    ("instruction", "'ctx profile --set instruction=TEXT' sets the profile's instruction"),
    (
        "knowledge",
        "'ctx add --search PATH' adds files to search for each question, 'ctx search QUERY' searches now",
    ),
    ("list", "'ctx show' lists your entries"),
    ("load", "'ctx import FILE' imports profiles"),
    ("ls", "'ctx show' lists your entries"),
    ("mcp", "tools belong to the program that answers: 'ctx ask \"QUESTION\" -- PROGRAM'"),
    (
        "memory",
        "'ctx add up:AGENTS.md' adds the memory files of the tree, 'ctx detect' finds other tools' files",
    ),
    ("new", "'ctx switch --create NAME' creates a profile and switches to it"),
    (
        "pack",
        "'ctx ask \"QUESTION\"' prints the passages that answer it, 'ctx render --only -r .' prints everything",
    ),
    ("print", "'ctx render PATH' prints files"),
    ("profile add", "'ctx profile --create {}' creates it, 'ctx switch --create {}' also switches to it"),
    ("profile create", "'ctx profile --create {}' creates it, 'ctx switch --create {}' also switches to it"),
    ("profile delete", "'ctx help profile' lists what you can do with profiles"),
    ("profile list", "'ctx profile' alone lists the profiles"),
    ("profile ls", "'ctx profile' alone lists the profiles"),
    ("profile new", "'ctx profile --create {}' creates it, 'ctx switch --create {}' also switches to it"),
    ("profile remove", "'ctx help profile' lists what you can do with profiles"),
    ("profile rename", "'ctx profile --rename OLD NEW' renames a profile"),
    ("profile rm", "'ctx help profile' lists what you can do with profiles"),
    ("profile set", "'ctx profile --set KEY=VALUE' sets a default"),
    ("profile show", "'ctx show' lists the profile's entries, 'ctx profile' lists all profiles"),
    ("profile switch", "'ctx switch {}' switches to it"),
    ("profile use", "'ctx switch {}' switches to it"),
    ("profiles", "'ctx profile' lists them"),
    ("prompts", "'ctx render --prompt-file FILE' reads a prompt from a file"),
    ("quit", "there is nothing to leave: each command does one thing and ends"),
    ("rename", "'ctx profile --rename OLD NEW' renames a profile"),
    ("reset", "'ctx help' lists the commands"),
    ("restore", "'ctx checkpoint restore N' restores the files"),
    ("save", "'ctx export > FILE' saves the profile, 'ctx checkpoint create' saves the files of the tree"),
    ("settings", "'ctx profile --set KEY=VALUE' sets a default"),
    ("status", "'ctx show' lists your entries and what they cost"),
    ("todo clear-finished", "'ctx help todo' lists what you can do with lists"),
    ("todo delete", "'ctx help todo' lists what you can do with lists"),
    ("todo resume", "'ctx render todo:{} -p \"Go on with the next open task\" | llm' continues a list"),
    ("todo view", "'ctx todo show' prints a list"),
    ("todos", "'ctx todo' lists them"),
    ("tokens", "'ctx show' shows how many tokens everything takes"),
    ("tools", "tools belong to the program that answers: 'ctx ask \"QUESTION\" -- PROGRAM'"),
    ("tree", "'ctx show --tree' draws the files as a tree"),
    ("undo", "'ctx checkpoint restore N' restores the files"),
    ("usage", "'ctx show' shows how many tokens everything takes, and how much of the budget"),
    ("use", "'ctx switch {}' switches to a profile"),
];

/// Options that people try, and what to type here.
const OPTIONS: [(&str, &str); 15] = [
    ("--alias", "an alias is a profile here: --profile NAME"),
    ("--all", "'ctx ask' and 'ctx search' look through everything, 'ctx show --expand' lists every file"),
    ("--clipboard", "pipe it: '… | pbcopy', or wl-copy, xclip, clip.exe"),
    ("--continue", "'ctx ask -c \"QUESTION\" -- llm' continues a conversation, --history a recorded one"),
    ("--copy", "pipe it: '… | pbcopy', or wl-copy, xclip, clip.exe"),
    ("--force", "this command asks for nothing, so that there is nothing to force"),
    ("--lines", "FILE:1-5 names lines of a file: 'ctx add src/main.rs:1-5'"),
    (
        "--list",
        "without a subcommand, 'ctx history', 'ctx todo', 'ctx checkpoint' and 'ctx profile' list everything",
    ),
    ("--max-tokens", "--budget 16k limits the output to 16,000 tokens"),
    ("--no-history", "--history=none uses no history"),
    ("--program", "a program goes last, after --: 'ctx ask \"QUESTION\" -- llm'"),
    ("--resume", "'ctx ask -c \"QUESTION\" -- llm' continues a conversation, --history a recorded one"),
    (
        "--trim",
        "'ctx profile --set trim=RULE' sets it for the profile, 'ctx render --trim RULE' for one command",
    ),
    ("-c", "'ctx ask -c \"QUESTION\" -- llm' continues a conversation"),
    (
        "-p",
        "'ctx ask \"QUESTION\"' asks about everything here, 'ctx render -p \"QUESTION\"' about the files on your list",
    ),
];

/// The commands that delete something; no suggestion names them.
const DELETING: [&str; 3] = ["clear", "rm", "remove"];

/// The answer to words that are not a command here.
pub fn answer(words: &[&str]) -> Option<String> {
    // In chats, commands begin with a slash.
    let first = words.first().map(|word| word.strip_prefix('/').unwrap_or(word).to_lowercase());
    let words: Vec<&str> = first.iter().map(String::as_str).chain(words.iter().copied().skip(1)).collect();
    let of = |typed: &str| HABITS.iter().find(|(known, _)| *known == typed).map(|(_, answer)| *answer);
    // A shell could interpret words that can't be names.
    let name = |at: usize| {
        let is_name = |name: &&str| *name == QUESTIONS || name.parse::<ProfileName>().is_ok();
        words.get(at).copied().filter(is_name).unwrap_or("NAME")
    };
    let two = words.get(..2).map(|two| two.join(" "));
    if let Some(answer) = two.and_then(|two| of(&two)) {
        return Some(answer.replace("{}", name(2)));
    }
    match &words[..] {
        ["profile", name, ..] if name.parse::<ProfileName>().is_ok() => Some(format!(
            "'ctx switch {name}' switches to a profile, 'ctx profile --create {name}' makes one"
        )),
        [word, ..] => of(word).map(|answer| answer.replace("{}", name(1))),
        [] => None,
    }
}

/// The answer to an option that does not exist here.
pub fn answer_to_option(option: &str) -> Option<&'static str> {
    OPTIONS.iter().find(|(known, _)| *known == option).map(|(_, answer)| *answer)
}

/// The answer to a value that an option does not accept.
pub fn answer_to_value(option: &str, value: &str) -> Option<&'static str> {
    let takes_back = option.starts_with("--allow") && value == "none";
    takes_back.then_some("'ctx set --unset allow PATH' removes what an entry allows")
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
pub fn file_of(path: &str) -> Option<String> {
    let file = path.strip_prefix("file:").map(|rest| match rest.trim_start_matches('/') {
        relative if rest.starts_with("///") => format!("/{relative}"),
        relative => relative.to_owned(),
    });
    file.or_else(|| path.strip_prefix('@').map(str::to_owned)).filter(|file| !file.is_empty())
}

/// The known commands that may have been meant: the nearest one, or else the similar ones that begin with the
/// word or that the word begins with. Never includes a command that deletes.
pub fn meant(word: &str, known: &[&str], like: &[String]) -> Vec<String> {
    let is_lasting = |name: &str| !DELETING.contains(&name);
    if let Some(near) = nearest(word, known.iter().copied().filter(|name| is_lasting(name))) {
        return vec![near.to_owned()];
    }
    let is_like = |name: &&String| name.starts_with(word) || word.starts_with(name.as_str());
    let mut like: Vec<String> =
        like.iter().filter(|name| is_lasting(name)).filter(is_like).cloned().collect();
    let begins =
        like.iter().filter(|name| word.starts_with(name.as_str())).max_by_key(|name| name.len()).cloned();
    if let Some(name) = begins {
        like.retain(|other| *other == name);
    }
    like
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_answer_names_a_command_that_deletes() {
        let answers = HABITS.iter().chain(&OPTIONS).map(|(_, answer)| answer);
        for answer in answers {
            for command in DELETING {
                assert!(
                    !answer.contains(&format!("ctx {command}")) && !answer.contains("--delete"),
                    "{answer}"
                );
                assert!(!answer.split([' ', '\'']).any(|word| word == command), "{answer}");
            }
        }
        assert!(HABITS.is_sorted_by_key(|(typed, _)| typed));
    }

    #[test]
    fn answer_repeats_a_name_only_if_it_has_no_shell_syntax() {
        assert_eq!(answer(&["checkout", "api"]).as_deref(), Some("'ctx switch api' switches to a profile"));
        for word in ["a b", "$(id)", "x'y"] {
            let expected = "'ctx switch NAME' switches to a profile";
            assert_eq!(answer(&["checkout", word]).as_deref(), Some(expected), "{word}");
        }
    }

    #[test]
    fn only_the_nearest_command_that_does_not_delete_is_suggested() {
        let known =
            ["add", "ask", "cache", "check", "checkpoint", "clear", "history", "render", "rm", "search"];
        let like = ["cache", "search"].map(str::to_owned);
        for (typed, name) in [
            ("aks", "ask"),
            ("serach", "search"),
            ("rnder", "render"),
            ("hsitory", "history"),
            ("chekc", "check"),
            ("checkpoints", "checkpoint"),
        ] {
            assert_eq!(meant(typed, &known, &like), [name]);
        }
        for typed in ["claer", "cler", "rmm"] {
            assert_eq!(meant(typed, &known, &[]), [""; 0], "{typed}");
        }
    }

    #[test]
    fn one_of_several_similar_commands_is_suggested_if_the_word_begins_with_it() {
        let known = ["completions", "check", "checkpoint", "clear"];
        let like = known.map(str::to_owned);
        assert_eq!(meant("checkpointing", &known, &like), ["checkpoint"]);
        assert_eq!(meant("chec", &["history"], &like), ["check", "checkpoint"]);
        for typed in ["creat", "deletes", "test"] {
            assert_eq!(
                meant(typed, &["history"], &["trust", "models"].map(str::to_owned)),
                [""; 0],
                "{typed}"
            );
        }
    }
}
