//! The pages that explain ctx: the first page, the other commands, and `--help`, which fits on two screens.

use std::env;

use clap::builder::PossibleValue;
use clap::{Arg, Command};
use textwrap::Options;

use super::ui::filled;

/// The output of `ctx` without arguments: the commands that people use every day.
pub const FIRST: &str = "\
Ask any model about your code, and keep the context you choose

Usage: ctx COMMAND [OPTIONS] [PATH]...

Questions:
  ask              find the passages that answer a question, and print them or send them to a model
  search           list the passages that match a query
Your list:
  add, rm          add files, directories and patterns, or remove them
  show             list your entries, the files they match, and their share of the budget
  render           print your files and a prompt
  check            find problems
  profile, switch  keep several lists, and switch between them
  import           take over the lists of a team or of another tool

Examples:
  ctx ask \"where is the bug?\" | llm
  ctx profile -g --set program='llm -m gpt-5'          who answers, on a terminal
  ctx profile -g --set words_from='llm -m gpt-5-mini'  who guesses what the code calls things
  ctx add README.md 'src/**/*.rs'

'ctx help more' lists the other commands, 'ctx help COMMAND' explains one.
";

/// The commands on the first page.
pub const EVERY_DAY: [&str; 10] =
    ["ask", "search", "add", "rm", "show", "render", "check", "profile", "switch", "import"];

/// The output of `ctx help more`: the other commands.
pub fn more(definition: &Command) -> String {
    let others = definition.get_subcommands().filter(|command| !EVERY_DAY.contains(&command.get_name()));
    let mut text = "More commands:\n".to_owned();
    for command in others {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        text += &format!("  {:<12} {about}\n", command.get_name());
    }
    text + "\n'ctx help COMMAND' explains one, 'ctx help skill' tells an agent how to use ctx.\n"
}

/// Whether the command line asks for `--help`.
pub fn is_asked_for() -> bool {
    env::args_os().any(|word| word == "--help" || word == "help")
}

/// A command whose help has a line or two for each option, and leaves those for scripts to the manual page.
pub fn compact(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let about = command.get_long_about().or(command.get_about()).cloned();
    let after = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
    let manual = more_options(&command, &name);
    let after: Vec<String> = after.into_iter().filter(|after| !after.is_empty()).chain(manual).collect();
    command
        .mut_args(compact_option)
        .mut_subcommands(compact)
        .help_template("{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}")
        .before_help(about.unwrap_or_default())
        .long_about(None)
        .after_help(after.join("\n\n"))
        .after_long_help(None)
}

/// The names of the options that only the manual page explains, which is not installed everywhere.
fn more_options(command: &Command, name: &str) -> Option<String> {
    let hidden =
        command.get_arguments().filter(|option| option.is_hide_long_help_set() && !option.is_hide_set());
    let options: Vec<String> = hidden.filter_map(Arg::get_long).map(|name| format!("--{name}")).collect();
    let text = format!("More options, for scripts (man ctx-{name}): {}", options.join(", "));
    (!options.is_empty()).then(|| filled(&text, Options::new(MOST_CHARACTERS)).join("\n"))
}

/// The most characters of a line of text below the options.
const MOST_CHARACTERS: usize = 90;

fn compact_option(option: Arg) -> Arg {
    let help = option.get_long_help().or(option.get_help()).map(ToString::to_string).unwrap_or_default();
    let help = help.replace("\n\n", ". ");
    let is_hidden = option.is_hide_set() || option.is_hide_long_help_set();
    let values: Vec<String> = option.get_possible_values().iter().map(named).collect();
    let lists = option.get_action().takes_values() && !option.is_hide_possible_values_set();
    let option = if lists && !values.is_empty() {
        let values = values.join(", ");
        option.help(format!("{help} [possible values: {values}]")).hide_possible_values(true)
    } else {
        option.help(help)
    };
    option.long_help(None).hide(is_hidden).hide_short_help(false).hide_long_help(false)
}

fn named(value: &PossibleValue) -> String {
    value.get_name().to_owned()
}
