use std::io::Write;

use clap::{Args, ValueEnum};
use clap_complete::env::{Elvish, EnvCompleter, Powershell};

use super::complete;
use super::error::{Error, Outcome};
use super::ui::Ui;

/// Print the completion script of a shell
///
/// Completion is live: profile names, stored entries, tags and models come from the store.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  source <(ctx completions bash)                                   in ~/.bashrc
  source <(ctx completions zsh)                                    in ~/.zshrc, after compinit
  ctx completions fish > ~/.config/fish/completions/ctx.fish
  eval (ctx completions elvish | slurp)                            in ~/.config/elvish/rc.elv
  ctx completions powershell | Out-String | Invoke-Expression      in $PROFILE")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// The shells that have a completion script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    Elvish,
    Powershell,
}

impl Completions {
    /// Prints the script, which depends on neither directory nor store.
    pub fn run(self, ui: &Ui) -> Result<Outcome, Error> {
        ui.data(|out| match self.shell {
            Shell::Bash => out.write_all(complete::BASH.as_bytes()),
            Shell::Fish => out.write_all(complete::FISH.as_bytes()),
            Shell::Zsh => out.write_all(complete::ZSH.as_bytes()),
            Shell::Elvish => Elvish.write_registration("COMPLETE", "ctx", "ctx", "ctx", out),
            Shell::Powershell => Powershell.write_registration("COMPLETE", "ctx", "ctx", "ctx", out),
        })?;
        Ok(Outcome::Done)
    }
}
