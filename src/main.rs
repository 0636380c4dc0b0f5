//! The `ctx` program: arguments in, exit code out.
//!
//! Only this package knows clap, prints, exits, and reads the environment, the current directory and the clock;
//! `ctx-core` does the rest. [`command`] has one file per subcommand.

mod app;
mod asked_places;
mod attributes;
mod command;
mod complete;
mod conversation;
mod dependencies;
mod environment;
mod error;
mod habits;
mod help;
mod hints;
mod input;
mod interrupt;
mod looks;
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
mod readers;
mod request;
mod session;
mod stored;
mod subject;
mod summary;
mod table;
mod terminal;
#[cfg(test)]
mod tests;
mod text_makers;
mod treemap;
mod trust;
mod ui;
mod visible;

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};
use ctx_core::words::nearest;

use app::App;
use command::Command;
use environment::Environment;
use error::{Error, Failure};
use options::GlobalOptions;
use palette::PLAIN;
use ui::{Color, Ui};

/// Ask any model about your code, and keep the context you choose
///
/// `ctx ask` picks what answers a question out of everything here. `ctx add` keeps a list of files, directories and
/// glob patterns for every question, and `ctx render` prints what they contain now, within an exact token budget.
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
  ctx ask \"where is the bug?\" | llm               send what answers the question to a model
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

/// The global options, and the command.
fn parse() -> Result<(Top, Command), clap::Error> {
    let definition = definition();
    let mut definition = if help::is_asked_for() { help::compact(definition) } else { definition };
    let mut matches = definition.try_get_matches_from_mut(env::args_os())?;
    if names_no_program(&matches) {
        let message = "no program was given after '--'; name one, as in '-- llm'";
        return Err(definition.error(ErrorKind::MissingRequiredArgument, message));
    }
    let parsed = Top::from_arg_matches_mut(&mut matches)
        .and_then(|top| Command::from_arg_matches_mut(&mut matches).map(|command| (top, command)));
    parsed.map_err(|error| error.format(&mut definition))
}

/// Whether nothing follows `--`, which announces a program on the command line and so excludes the one from the
/// settings.
fn names_no_program(matches: &clap::ArgMatches) -> bool {
    const DASHES: &str = "--";
    let Some(("ask" | "run", matches)) = matches.subcommand() else { return false };
    let mut values = matches.ids().filter_map(|id| matches.get_raw(id.as_str())).flatten();
    env::args_os().next_back().is_some_and(|word| word == DASHES) && !values.any(|value| value == DASHES)
}

fn main() -> ExitCode {
    if complete::answer(definition) {
        return ExitCode::SUCCESS;
    }
    interrupt::reports_full_files();
    let parsed = parse();
    let moved = parsed.as_ref().map_or(Ok(()), |(top, _)| move_to(&top.directories));
    let cwd = env::current_dir();
    let environment = Environment::read(cwd.as_ref().cloned().unwrap_or_default());
    if let Some(text) = told(parsed.as_ref().err()) {
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
            .and_then(|app| {
                let told = |error| app.with_joined_history(app.with_near_name(error), after_history());
                command.run(&app).map_err(told)
            }),
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

/// The text to print if the command line only asks for a page, the skill or the version.
fn told(error: Option<&clap::Error>) -> Option<Cow<'static, str>> {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(|word| word.to_str().unwrap_or_default()).collect();
    match words[..] {
        [] | ["help"] => Some(help::FIRST.into()),
        ["help", "more"] => Some(help::more(&definition()).into()),
        ["help", "skill"] => Some(SKILL.into()),
        ["version"] => Some(concat!("ctx ", env!("CARGO_PKG_VERSION")).into()),
        _ => {
            let lacks_command = error.is_some_and(|error| error.kind() == ErrorKind::MissingSubcommand);
            lacks_command.then_some(help::FIRST.into())
        }
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
    if error.use_stderr() && asks_for_json() {
        let text = with_visible_arguments(error).render().to_string();
        let first = text.lines().next().unwrap_or_default();
        return fail(ui, &Error::usage(first.strip_prefix("error: ").unwrap_or(first)));
    }
    if error.use_stderr() {
        ui.usage(&with_visible_arguments(error).render());
        return ExitCode::from(Failure::Usage.code());
    }
    match ui.help(&error.render()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(ui, &error),
    }
}

/// The word after `--history`, whose name belongs to it with an equals sign.
fn after_history() -> Option<String> {
    let words: Vec<OsString> = env::args_os().skip(1).take_while(|argument| argument != "--").collect();
    words.windows(2).find(|pair| pair[0] == "--history").and_then(|pair| pair[1].clone().into_string().ok())
}

/// What an error says about one thing, such as the argument at fault.
fn context(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(word)) => word.clone(),
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        Some(_) | None => String::new(),
    }
}

/// The commands that may have been meant: the nearest one, or else those that the parser finds similar.
fn like_commands(typed: &str, error: &clap::Error) -> Vec<String> {
    let definition = definition();
    let known = || definition.get_subcommands().filter(|command| !habits::deletes(command.get_name()));
    let typed = typed.trim_start_matches('/');
    if let Some(near) = nearest(typed, known().map(clap::Command::get_name)) {
        return vec![near.to_owned()];
    }
    let Some(ContextValue::Strings(like)) = error.get(ContextKind::SuggestedSubcommand) else {
        return Vec::new();
    };
    // No help lists an alias.
    let is_like = |name: &str| like.iter().any(|like| like == name);
    let is_meant = |command: &&clap::Command| {
        is_like(command.get_name()) || command.get_all_aliases().any(|alias| alias == typed)
    };
    known().filter(is_meant).map(|command| command.get_name().to_owned()).collect()
}

/// If an error is about another program's command or option, adds what to type here. No suggestion names a
/// command that deletes.
fn with_near_miss(mut error: clap::Error) -> clap::Error {
    let answer = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = context(&error, ContextKind::InvalidSubcommand);
            if after_history().as_ref() == Some(&word) {
                Some(habits::OF_HISTORIES)
            } else {
                habits::answer(&word)
            }
        }
        ErrorKind::UnknownArgument => habits::answer_to_argument(
            &context(&error, ContextKind::InvalidArg),
            &context(&error, ContextKind::Usage),
        ),
        ErrorKind::InvalidValue => habits::answer_to_value(
            &context(&error, ContextKind::InvalidArg),
            &context(&error, ContextKind::InvalidValue),
        ),
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
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(answer)]));
        return error;
    }
    if error.kind() == ErrorKind::InvalidSubcommand {
        let like = like_commands(&context(&error, ContextKind::InvalidSubcommand), &error);
        error.remove(ContextKind::SuggestedSubcommand);
        if !like.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(like));
        }
    }
    if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
        // What follows `--` is a program.
        tips.retain(|tip| !tip.to_string().contains("as a value, use"));
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

/// Whether the command line, valid or not, asks for JSON: then a failure is JSON, too.
fn asks_for_json() -> bool {
    let words: Vec<OsString> = env::args_os().skip(1).take_while(|argument| argument != "--").collect();
    let is_format = |pair: &[OsString]| pair[0] == "--format" && pair[1] == "json";
    words.iter().any(|word| word == "--json" || word == "--format=json") || words.windows(2).any(is_format)
}

fn fail(ui: &Ui, error: &Error) -> ExitCode {
    if asks_for_json() {
        ui.error_as_json(error);
    } else {
        ui.error(error);
    }
    ExitCode::from(error.failure.code())
}
