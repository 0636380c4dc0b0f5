//! The command line: one file a subcommand, each an argument struct whose doc comment is the help,
//! and a `run`.

mod add;
mod app;
mod cache;
mod check;
mod clear;
mod complete;
mod completions;
mod detect;
mod environment;
mod error;
mod explain;
mod export;
mod import;
mod input;
mod models;
mod options;
mod output;
mod profile;
mod progress;
mod render;
mod request;
mod rm;
mod set;
mod show;
mod summary;
mod switch;
mod treemap;
mod ui;
mod values;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

pub use app::App;
pub use environment::Environment;
pub use error::{Error, Failure, Outcome};
pub use options::GlobalOptions;
pub use ui::Ui;

/// Keep sticky context for any model CLI
///
/// Name files, directories and glob patterns once; `ctx render` prints their current contents,
/// wrapped and trimmed to an exact token budget, on standard output.
#[derive(Debug, Parser)]
#[command(
    name = "ctx",
    version,
    arg_required_else_help = true,
    propagate_version = true,
    disable_help_subcommand = false,
    max_term_width = 100,
    after_help = "Examples:
  ctx add README.md 'src/**/*.rs'                  keep these for the active profile
  ctx show                                         what is kept, and how much of the window it takes
  ctx render -p \"Where is the bug?\" | llm          the files and a question, to a model
  git diff | ctx render - -p \"Review this\" | llm   with the text on standard input

'ctx help COMMAND' explains one command."
)]
pub struct Cli {
    #[command(flatten)]
    global: GlobalOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Add(add::Add),
    #[command(name = "rm", visible_alias = "remove")]
    Remove(rm::Remove),
    Set(set::Set),
    Clear(clear::Clear),
    Show(Box<show::Show>),
    Profile(profile::Profile),
    Switch(switch::Switch),
    Render(Box<render::Render>),
    Export(export::Export),
    Import(import::Import),
    Explain(Box<explain::Explain>),
    Check(Box<check::Check>),
    Detect(detect::Detect),
    Models(models::Models),
    #[command(name = "cache")]
    Cache(cache::CacheCommand),
    Completions(completions::Completions),
}

impl Command {
    fn run(self, app: &App) -> Result<Outcome, Error> {
        match self {
            Self::Add(command) => command.run(app),
            Self::Remove(command) => command.run(app),
            Self::Set(command) => command.run(app),
            Self::Clear(command) => command.run(app),
            Self::Show(command) => command.run(app),
            Self::Profile(command) => command.run(app),
            Self::Switch(command) => command.run(app),
            Self::Render(command) => command.run(app),
            Self::Export(command) => command.run(app),
            Self::Import(command) => command.run(app),
            Self::Explain(command) => command.run(app),
            Self::Check(command) => command.run(app),
            Self::Detect(command) => command.run(app),
            Self::Models(command) => command.run(app),
            Self::Cache(command) => command.run(app),
            Self::Completions(command) => command.run(app),
        }
    }
}

/// The definition of the command line, for completions and manual pages.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program: arguments in, exit code out.
pub fn main() -> ExitCode {
    if complete::answer() {
        return ExitCode::SUCCESS;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return print_clap(&error),
    };
    let environment = match Environment::read() {
        Ok(environment) => environment,
        Err(error) => return fail(&Ui::plain(), &error),
    };
    let ui = Ui::new(cli.global.color, cli.global.quiet, &environment);
    let outcome = App::new(cli.global, environment, ui).and_then(|app| cli.command.run(&app));
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => ExitCode::from(Failure::Strict.code()),
        Err(error) => fail(&ui, &error),
    }
}

/// Help and version go to standard output, usage errors to standard error, in clap's own words.
fn print_clap(error: &clap::Error) -> ExitCode {
    match error.print() {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            fail(&Ui::plain(), &Error::standard_output(error))
        }
        Ok(()) | Err(_) if error.use_stderr() => ExitCode::from(Failure::Usage.code()),
        Ok(()) | Err(_) => ExitCode::SUCCESS,
    }
}

fn fail(ui: &Ui, error: &Error) -> ExitCode {
    ui.error(error);
    ExitCode::from(error.failure().code())
}
