//! The subcommands: one file each, an argument struct whose doc comment is the help, and a `run`.

mod add;
mod ask;
mod cache;
mod check;
#[cfg_attr(not(unix), path = "checkpoint_elsewhere.rs")]
mod checkpoint;
mod clear;
pub mod completions;
mod detect;
mod explain;
mod export;
mod history;
mod import;
mod init;
mod models;
mod profile;
mod render;
mod rm;
mod run;
mod search;
mod set;
mod show;
mod switch;
mod todo;
mod trust;

use std::process::ExitCode;

use clap::Subcommand;

use crate::app::App;
use crate::error::Error;

// No doc comment: clap would print it as the description of the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    Ask(Box<ask::Ask>),
    Add(add::Add),
    #[command(name = "rm", alias = "remove")]
    Remove(rm::Remove),
    Set(set::Set),
    Clear(clear::Clear),
    #[command(aliases = ["list", "ls", "status", "tokens", "usage"])]
    Show(Box<show::Show>),
    #[command(alias = "profiles")]
    Profile(profile::Profile),
    #[command(aliases = ["checkout", "use"])]
    Switch(switch::Switch),
    #[command(aliases = ["cat", "print"])]
    Render(Box<render::Render>),
    Run(Box<run::Run>),
    #[command(name = "history", alias = "histories")]
    History(Box<history::HistoryCommand>),
    #[command(name = "checkpoint", alias = "checkpoints")]
    Checkpoint(checkpoint::CheckpointCommand),
    #[command(name = "todo", alias = "todos")]
    Todo(todo::TodoCommand),
    Search(Box<search::Search>),
    Init(init::Init),
    Export(export::Export),
    Import(import::Import),
    Explain(Box<explain::Explain>),
    #[command(alias = "doctor")]
    Check(Box<check::Check>),
    Detect(detect::Detect),
    Models(models::Models),
    Trust(trust::Trust),
    #[command(name = "cache")]
    Cache(cache::CacheCommand),
    Completions(completions::Completions),
}

impl Command {
    pub fn run(self, app: &App) -> Result<ExitCode, Error> {
        match self {
            Self::Ask(command) => return command.run(app),
            Self::Run(command) => return command.run(app),
            Self::Check(command) => return command.run(app),
            Self::Add(command) => command.run(app),
            Self::Remove(command) => command.run(app),
            Self::Set(command) => command.run(app),
            Self::Clear(command) => command.run(app),
            Self::Show(command) => command.run(app),
            Self::Profile(command) => command.run(app),
            Self::Switch(command) => command.run(app),
            Self::Render(command) => command.run(app),
            Self::History(command) => command.run(app),
            Self::Checkpoint(command) => command.run(app),
            Self::Todo(command) => command.run(app),
            Self::Search(command) => command.run(app),
            Self::Init(command) => command.run(app),
            Self::Export(command) => command.run(app),
            Self::Import(command) => command.run(app),
            Self::Explain(command) => command.run(app),
            Self::Detect(command) => command.run(app),
            Self::Models(command) => command.run(app),
            Self::Trust(command) => command.run(app),
            Self::Cache(command) => command.run(app),
            Self::Completions(command) => command.run(&app.ui),
        }
        .map(|()| ExitCode::SUCCESS)
    }
}
