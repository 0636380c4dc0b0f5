//! Live completion: the shell's script asks `ctx` for candidates when you press the key.
//!
//! bash and fish pass the line up to the cursor; zsh and PowerShell pass its words. The first line of the reply
//! names what to complete (`values`, `files` or `directories`). Each further line is a value, quoted for the line
//! in bash and PowerShell, and followed by a tab and a description except in bash. The shells complete files
//! themselves, because they know their quoting, `~` and colours best. elvish uses the script of the
//! `clap_complete` crate; its script for PowerShell isn't used because it would evaluate the contents of the line.

mod candidates;
mod line;
mod numbers;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};

use clap::ValueHint;
use clap_complete::engine::{self, ArgValueCompleter, CompletionCandidate};
use clap_complete::env::CompleteEnv;

use candidates::{WORDS, kinds, names_in_file, programs, typed_program};
pub use candidates::{
    deletable, entries, histories, models, profiles, setting_keys, settings, tags, todo_lists,
};
use line::{Line, powershell_word};
pub use numbers::{checkpoints, finished_tasks, open_tasks, tasks, turns};

/// The script for bash.
pub const BASH: &str = include_str!("ctx.bash");
/// The script for fish.
pub const FISH: &str = include_str!("ctx.fish");
/// The script for PowerShell.
pub const POWERSHELL: &str = include_str!("ctx.ps1");
/// The script for zsh.
pub const ZSH: &str = include_str!("ctx.zsh");

/// The shells whose scripts ask ctx.
const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "elvish", "powershell"];

/// Answers a shell that asks for candidates; returns `false` if no shell asks.
pub fn answer(definition: fn() -> clap::Command) -> bool {
    let Some(shell) = env::var_os("COMPLETE").filter(|shell| SHELLS.iter().any(|known| shell == known))
    else {
        return false;
    };
    // The scripts pass the line after `--`. Without it, the variable comes from something else.
    if env::args_os().nth(1).is_none_or(|first| first != "--") {
        return false;
    }
    let asked: Vec<String> = env::args_os()
        .skip_while(|word| word != "--")
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let text = asked.first().map(String::as_str).unwrap_or_default();
    let reply = match shell.to_str() {
        Some("bash") => {
            let breaks = asked.get(1).map(String::as_str).unwrap_or_default();
            let line = Line::parse(text, Some(breaks));
            reply(definition, line.words.clone(), |candidate| {
                line.quote(&candidate.get_value().to_string_lossy())
            })
        }
        Some("fish") => reply(definition, Line::parse(text, None).words, described),
        Some("zsh") => reply(definition, asked, described),
        Some("powershell") => {
            let mut words = asked;
            if let Some(last) = words.last_mut() {
                *last = last.trim_start_matches('=').trim_start_matches(['\'', '"']).to_owned();
            }
            reply(definition, words, |candidate| described_as(candidate, powershell_word))
        }
        Some(_) | None => {
            let _ = WORDS.set(asked);
            let current_dir = env::current_dir().ok();
            return CompleteEnv::with_factory(definition)
                .try_complete(env::args_os(), current_dir.as_deref())
                .unwrap_or_else(|error| error.exit());
        }
    };
    // If the shell isn't listening, there is nobody to report it to.
    let _ = io::stdout().lock().write_all(reply.as_bytes());
    true
}

/// The kind of completion, and then each value as it is displayed, one per line.
fn reply(
    definition: fn() -> clap::Command,
    words: Vec<String>,
    shown: impl Fn(&CompletionCandidate) -> Option<String>,
) -> String {
    let written = |kind: &str, values: &[CompletionCandidate]| {
        let lines = values.iter().filter_map(shown).filter(|value| !value.contains('\n'));
        [kind.to_owned()].into_iter().chain(lines).map(|line| line + "\n").collect::<String>()
    };
    match typed_program(&words) {
        Some([beginning]) if !beginning.contains(['/', '\\']) => {
            return written(VALUES, &programs(beginning));
        }
        Some(_) => return written(FILES, &[]),
        None => {}
    }
    let last = words.len().saturating_sub(1);
    let may_look_like_option = words.last().is_some_and(|word| word.starts_with('-'))
        || words.iter().take(last).any(|word| word == "--");
    let arguments = words.iter().map(OsString::from).collect();
    let topics: &[(&str, &str)] = match &words[..] {
        [_, help, _] if help == "help" => &TOPICS,
        _ => &[],
    };
    let topics = topics.iter().filter(|(topic, _)| topic.starts_with(&*words[words.len() - 1]));
    let topics: Vec<CompletionCandidate> =
        topics.map(|(topic, about)| CompletionCandidate::new(topic).help(Some((*about).into()))).collect();
    let _ = WORDS.set(words);
    let mut command = with_paths_marked(definition());
    let mut values = engine::complete(&mut command, arguments, last, None).unwrap_or_default();
    values.extend(topics);
    values.retain(|candidate| {
        may_look_like_option || !candidate.get_value().as_encoded_bytes().starts_with(b"-")
    });
    let marks: Vec<CompletionCandidate> =
        values.extract_if(.., |candidate| mark(candidate).is_some()).collect();
    let kind = marks.first().filter(|_| values.is_empty()).and_then(mark).unwrap_or(VALUES);
    written(kind, &values)
}

/// What `help` explains beside the commands.
const TOPICS: [(&str, &str); 2] = [
    ("more", "The commands that are not on the first page"),
    ("skill", "How an agent with a shell uses ctx"),
];

const VALUES: &str = "values";
const FILES: &str = "files";
const DIRECTORIES: &str = "directories";

/// The kind of path that the shell should complete itself, if the candidate is a mark for it.
fn mark(candidate: &CompletionCandidate) -> Option<&'static str> {
    let id = candidate.get_id()?;
    [FILES, DIRECTORIES].into_iter().find(|kind| id == kind)
}

/// The definition of the command line, in which every path completes to a mark.
fn with_paths_marked(command: clap::Command) -> clap::Command {
    let marked =
        |current: &OsStr, kind: &str| vec![CompletionCandidate::new(current).id(Some(kind.to_owned()))];
    let completer = move |hint| match hint {
        ValueHint::AnyPath => Some(ArgValueCompleter::new(move |current: &OsStr| {
            let text = current.to_string_lossy();
            let mut values = kinds(&text);
            values.extend(names_in_file(&text));
            if values.is_empty() { marked(current, FILES) } else { values }
        })),
        ValueHint::FilePath => Some(ArgValueCompleter::new(move |current: &OsStr| marked(current, FILES))),
        ValueHint::DirPath => {
            Some(ArgValueCompleter::new(move |current: &OsStr| marked(current, DIRECTORIES)))
        }
        _ => None,
    };
    command
        .mut_args(|argument| match completer(argument.get_value_hint()) {
            Some(completer) => argument.add(completer),
            None => argument,
        })
        .mut_subcommands(with_paths_marked)
}

fn described(candidate: &CompletionCandidate) -> Option<String> {
    described_as(candidate, str::to_owned)
}

fn described_as(candidate: &CompletionCandidate, written: fn(&str) -> String) -> Option<String> {
    let value = written(&candidate.get_value().to_string_lossy());
    let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
    let help = help.lines().next().unwrap_or_default();
    if value.contains('\t') {
        return None;
    }
    Some(if help.is_empty() { value } else { format!("{value}\t{help}") })
}
