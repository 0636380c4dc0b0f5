use std::io::{self, Write};

use clap::{Args, ValueEnum};
use clap_complete::env::{Elvish, EnvCompleter};

use crate::complete;
use crate::error::Error;
use crate::ui::Ui;

/// Print the completion script for a shell
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
    /// Prints the script, which depends on neither the directory nor the store.
    pub fn run(self, ui: &Ui) -> Result<(), Error> {
        ui.data(|out| self.shell.write_script(out))
    }
}

impl Shell {
    /// Writes the script that registers completion.
    pub fn write_script(self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Bash => out.write_all(complete::BASH.as_bytes()),
            Self::Fish => out.write_all(complete::FISH.as_bytes()),
            Self::Zsh => out.write_all(complete::ZSH.as_bytes()),
            Self::Elvish => Elvish.write_registration("COMPLETE", "ctx", "ctx", "ctx", out),
            Self::Powershell => out.write_all(complete::POWERSHELL.as_bytes()),
        }
    }
}
