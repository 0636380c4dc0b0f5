//! The `ctx` program: arguments in, exit code out.
//!
//! Only this package knows clap, prints, exits, and reads the environment, the current directory and the clock;
//! `ctx-core` does the rest. [`command`] has one file per subcommand.

mod app;
mod attributes;
mod command;
mod complete;
mod conversation;
mod environment;
mod error;
mod habits;
mod hints;
mod input;
mod interrupt;
mod looks;
mod meant;
mod models;
mod more_words;
mod namer;
mod near;
mod options;
mod output;
mod own_program;
mod palette;
mod place;
mod progress;
mod request;
mod session;
mod stored;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod treemap;
mod trust;
mod ui;
mod visible;

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};

use app::App;
use command::Command;
use environment::Environment;
use error::{Error, Failure};
use input::STANDARD_STREAM;
use meant::CommandLine;
use options::GlobalOptions;
use palette::PLAIN;
use ui::{Color, Ui};

/// Ask any model about your code, and keep the context you choose
///
/// Add files, directories and glob patterns once. `ctx render` then prints their current contents for a model,
/// within an exact token budget.
#[derive(Debug, Parser)]
#[command(
    name = "ctx",
    version,
    arg_required_else_help = true,
    propagate_version = true,
    args_override_self = true,
    disable_help_subcommand = false,
    max_term_width = 100,
    after_help = "Examples:
  ctx add README.md 'src/**/*.rs'                  add these to the active profile
  ctx show                                         what is on your list, and what it costs
  ctx render -p \"Where is the bug?\" | llm          send the files and a question to a model
  git diff | ctx render - -p \"Review this\" | llm   include the text on standard input

'ctx help COMMAND' explains one command."
)]
struct Top {
    /// Run as if started in this directory; goes before the command, and each -C is relative to the last
    #[arg(short = 'C', value_name = "DIR", value_hint = ValueHint::DirPath)]
    directories: Vec<PathBuf>,

    #[command(flatten)]
    global: GlobalOptions,
}

/// The definition of the whole command line.
fn definition() -> clap::Command {
    Command::augment_subcommands(Top::command().subcommand_required(true))
}

/// As much of the definition as is needed to parse these arguments.
fn command_for(arguments: &[OsString]) -> clap::Command {
    let name = arguments.get(habits::place_of_command(arguments)).and_then(|name| name.to_str());
    match name.and_then(Command::definition) {
        Some(definition) => Top::command().subcommand_required(true).subcommand(definition),
        None => definition(),
    }
}

/// The global options, and the command. A missing question is read from standard input if something is piped to it.
fn parse(arguments: &[OsString]) -> Result<(Top, Command), clap::Error> {
    let is_piped = || CommandLine::typed().is_some_and(|typed| typed.asks_on_standard_input());
    match parse_typed(arguments) {
        Err(error) if error.kind() == ErrorKind::MissingRequiredArgument && is_piped() => {
            let after = habits::place_of_command(arguments) + 1;
            let (before, rest) = arguments.split_at(after);
            parse_typed(&[before, &[STANDARD_STREAM.into()], rest].concat())
        }
        parsed => parsed,
    }
}

fn parse_typed(arguments: &[OsString]) -> Result<(Top, Command), clap::Error> {
    let mut definition = command_for(arguments);
    let mut matches = definition.try_get_matches_from_mut(arguments)?;
    if let Some((name, text)) = option_as_text(&matches, arguments) {
        // If an unknown option must not become the question, the parser suggests the one that was meant.
        let strict = |argument: clap::Arg| {
            let takes_hyphens = argument.is_allow_hyphen_values_set() && argument.get_id() != text;
            argument.allow_hyphen_values(takes_hyphens)
        };
        let strict = |command: clap::Command| command.mut_args(strict);
        definition = command_for(arguments).mut_subcommand(name, strict);
        matches = definition.try_get_matches_from_mut(arguments)?;
    }
    let top = Top::from_arg_matches_mut(&mut matches);
    let command = Command::from_arg_matches_mut(&mut matches);
    match (top, command) {
        (Ok(top), Ok(command)) => Ok((top, command)),
        (Err(error), _) | (_, Err(error)) => Err(error.format(&mut definition)),
    }
}

/// The command whose question or query looks like an option, and the name of that argument.
fn option_as_text(matches: &clap::ArgMatches, arguments: &[OsString]) -> Option<(String, &'static str)> {
    let (name, matches) = matches.subcommand()?;
    let argument = match name {
        "ask" => "question",
        "search" => "query",
        _ => return None,
    };
    let text = matches.get_one::<String>(argument)?;
    let is_typed = arguments.iter().take_while(|word| *word != "--").any(|word| word.to_str() == Some(text));
    (is_typed && meant::is_like_option(text)).then(|| (name.to_owned(), argument))
}

fn main() -> ExitCode {
    if complete::answer(definition) {
        return ExitCode::SUCCESS;
    }
    interrupt::reports_full_files();
    meant::define(definition);
    let arguments = habits::as_here(env::args_os().collect());
    let parsed = parse(&arguments);
    let moved = parsed.as_ref().map_or(Ok(()), |(top, _)| move_to(&top.directories));
    let cwd = env::current_dir();
    let environment = Environment::read(cwd.as_ref().cloned().unwrap_or_default());
    if let Some(text) = told(&arguments, parsed.as_ref().err()) {
        let ui = Ui::new(asked_color(), false, &environment);
        let written = ui.data(|out| {
            text.lines().try_for_each(|line| {
                let words = line.trim_start();
                ui.write_text(out, line.len() - words.len(), words, PLAIN)
            })
        });
        return match written {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&ui, &error),
        };
    }
    let (Top { global, .. }, command) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return print_clap(&Ui::new(asked_color(), false, &environment), error),
    };
    let ui = Ui::new(global.color, global.quiet, &environment);
    if let Err(error) = moved {
        return fail(&ui, &error);
    }
    let is_named_by_variable = environment.ctx_home.is_some() && global.store.is_none();
    let outcome = match command {
        Command::Completions(command) => command.run(&ui).map(|()| ExitCode::SUCCESS),
        command => cwd
            .map_err(Error::no_current_directory)
            .and_then(|_| App::new(global, environment, ui))
            .and_then(|app| command.run(&app).map_err(|error| app.with_near_name(error))),
    };
    interrupt::gives_way();
    match outcome {
        Ok(code) => code,
        Err(error) if is_named_by_variable => fail(&ui, &error.naming_the_variable_of_the_store()),
        Err(error) => fail(&ui, &error),
    }
}

/// Changes to each directory in turn.
fn move_to(directories: &[PathBuf]) -> Result<(), Error> {
    directories.iter().try_for_each(|directory| {
        env::set_current_dir(directory).map_err(|error| Error::io("change to", directory, &error))
    })
}

/// The text to print if the command line only asks for the summary or the skill.
fn told(arguments: &[OsString], error: Option<&clap::Error>) -> Option<&'static str> {
    let words: Vec<&str> = arguments.iter().skip(1).map(|word| word.to_str().unwrap_or_default()).collect();
    let is_without_command = error.is_some_and(|error| error.kind() == ErrorKind::MissingSubcommand)
        && habits::place_of_command(arguments) >= arguments.len();
    match words[..] {
        [] | ["help"] => Some(SUMMARY),
        ["help", "skill"] => Some(SKILL),
        _ => is_without_command.then_some(SUMMARY),
    }
}

/// Instructions for an agent with a shell, for its directory of skills.
const SKILL: &str = include_str!("../skills/ctx/SKILL.md");

/// Help and version go to standard output, usage errors to standard error, in clap's own words.
fn print_clap(ui: &Ui, error: clap::Error) -> ExitCode {
    if error.kind() == ErrorKind::InvalidUtf8 {
        let error = Error::usage("an argument is not UTF-8");
        return fail(ui, &error.with_hint("to select a file of that name, use a pattern or its directory"));
    }
    // Errors in the values of options have their own messages and hints.
    if let Some(error) = std::error::Error::source(&error).and_then(|source| source.downcast_ref::<Error>()) {
        return fail(ui, error);
    }
    let error = with_near_miss(error);
    if error.use_stderr() {
        ui.usage(&with_visible_arguments(error).render());
        return ExitCode::from(Failure::Usage.code());
    }
    match ui.help(&error.render()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(ui, &error),
    }
}

/// The output of `ctx` without arguments.
const SUMMARY: &str = "\
Ask any model about your code, and keep the context you choose

Usage: ctx COMMAND [OPTIONS] [PATH]...

Questions:
  ask, search            find the passages that answer a question, for a model or for you
Lists:
  add, rm, set, clear    edit your list of files, directories and patterns
  show                   list your entries, the files they match, and their share of the budget
  profile, switch, init  keep several lists, and share lists in a repository
  export, import, detect share lists, or import them from other tools
Output:
  render, run            print your files and a prompt, or send them to a program
  check, explain         find problems, and see why a file is in or out
  history, todo          continue conversations, and keep lists of tasks
  checkpoint             save and restore your files (not on Windows)
  models, cache, trust   list models, show the cache, allow commands to run
  completions            set up completion for your shell

Examples:
  ctx ask \"where is the bug?\" | llm
  ctx add README.md 'src/**/*.rs'

'ctx help COMMAND' explains one command, 'ctx --help' lists the options of all commands.
";

/// If an error is about another program's command or option, adds what to type here. No suggestion names a
/// command that deletes.
fn with_near_miss(mut error: clap::Error) -> clap::Error {
    let text = |value: Option<&ContextValue>| match value {
        Some(ContextValue::String(word)) => word.clone(),
        Some(_) | None => String::new(),
    };
    let command = text(error.get(ContextKind::InvalidSubcommand));
    let option = text(error.get(ContextKind::InvalidArg));
    let typed = CommandLine::typed().unwrap_or_default();
    let words = typed.words();
    let is_of_command = error.kind() == ErrorKind::InvalidSubcommand || words.contains(&option.as_str());
    let program = typed.with_program(meant::is_something);
    let joined = typed.with_entry_in_one_word(meant::is_something);
    let answer = match error.kind() {
        ErrorKind::InvalidSubcommand if matches!(words[..], ["help", ..]) => habits::answer(&words[1..]),
        ErrorKind::InvalidSubcommand => {
            let is_similar = error.get(ContextKind::SuggestedSubcommand).is_some();
            habits::answer(&words).or_else(|| typed.without_command(is_similar))
        }
        ErrorKind::MissingRequiredArgument if words == ["ask"] => {
            Some("ctx ask \"where is the bug?\"".to_owned())
        }
        ErrorKind::UnknownArgument if joined.is_some() => joined,
        ErrorKind::UnknownArgument if is_of_command => {
            habits::answer(&words).or_else(|| typed.with_question(meant::is_something))
        }
        ErrorKind::UnknownArgument | ErrorKind::InvalidValue if program.is_some() => program,
        ErrorKind::UnknownArgument => habits::answer_to_option(&option).map(str::to_owned),
        ErrorKind::InvalidValue => {
            habits::answer_to_value(&option, &text(error.get(ContextKind::InvalidValue))).map(str::to_owned)
        }
        _ => None,
    };
    if let Some(answer) = answer {
        // The usage belongs to the parser's own suggestion.
        for kind in [
            ContextKind::SuggestedSubcommand,
            ContextKind::SuggestedArg,
            ContextKind::SuggestedValue,
            ContextKind::Usage,
        ] {
            error.remove(kind);
        }
        let tip = ContextValue::StyledStrs(vec![StyledStr::from(answer)]);
        error.insert(ContextKind::Suggested, tip);
        return error;
    }
    if error.kind() == ErrorKind::InvalidSubcommand {
        let like = match error.remove(ContextKind::SuggestedSubcommand) {
            Some(ContextValue::Strings(like)) => like,
            Some(_) | None => Vec::new(),
        };
        let all = definition();
        let mut named = words.iter().filter(|word| **word != "help");
        let parent = named.next().and_then(|name| all.find_subcommand(name)).unwrap_or(&all);
        let known: Vec<&str> = parent.get_subcommands().map(clap::Command::get_name).collect();
        // After `help`, the parser suggests commands for a subcommand.
        let is_known = |name: &String| name == "help" || known.contains(&name.as_str());
        let like: Vec<String> = like.into_iter().filter(is_known).collect();
        let meant = habits::meant(&command, &known, &like);
        if !meant.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(meant));
        }
    }
    if let Some(ContextValue::StyledStrs(tips)) = error.remove(ContextKind::Suggested) {
        let is_meant = |tip: &StyledStr| !tip.to_string().contains("as a value, use");
        let tips: Vec<StyledStr> = tips.into_iter().filter(is_meant).collect();
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    error
}

/// Removes from an error everything with which an argument could move the terminal's cursor or fill the
/// screen.
fn with_visible_arguments(mut error: clap::Error) -> clap::Error {
    let is_shown = |argument: OsString| argument.to_str().is_some_and(|text| visible::argument(text) == text);
    if env::args_os().all(is_shown) {
        return error;
    }
    let shown = |(kind, value): (ContextKind, &ContextValue)| match value {
        ContextValue::String(text) => Some((kind, ContextValue::String(visible::argument(text)))),
        // Suggestions repeat arguments between escape sequences, so they are left out.
        ContextValue::StyledStrs(_) => Some((kind, ContextValue::None)),
        _ => None,
    };
    let shown: Vec<_> = error.context().filter_map(shown).collect();
    for (kind, value) in shown {
        error.insert(kind, value);
    }
    error
}

/// The value of `--color` if the arguments as a whole are invalid.
fn asked_color() -> Color {
    let mut asked = Color::default();
    let mut arguments = env::args_os().skip(1).take_while(|argument| argument != "--");
    while let Some(argument) = arguments.next() {
        let argument = argument.to_string_lossy();
        let value = match argument.strip_prefix("--color=") {
            Some(value) => Some(value.to_owned()),
            None if argument == "--color" => arguments.next().and_then(|value| value.into_string().ok()),
            None => None,
        };
        let color = value.and_then(|value| Color::from_str(&value, false).ok());
        asked = color.unwrap_or(asked);
    }
    asked
}

fn fail(ui: &Ui, error: &Error) -> ExitCode {
    ui.error(error);
    ExitCode::from(error.failure.code())
}
