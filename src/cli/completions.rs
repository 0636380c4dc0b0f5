use std::io::Write;

use clap::{Args, ValueEnum};
use clap_complete::env::Shells;

use super::app::App;
use super::error::{Error, Outcome};

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

impl Shell {
    fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::Elvish => "elvish",
            Self::Powershell => "powershell",
        }
    }
}

impl Completions {
    /// Prints the script.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        let shells = Shells::builtins();
        let completer = shells
            .completer(self.shell.name())
            .ok_or_else(|| Error::impossible(format!("no completion script for {}", self.shell.name())))?;
        let mut script = Vec::new();
        completer
            .write_registration("COMPLETE", "ctx", "ctx", "ctx", &mut script)
            .map_err(Error::standard_output)?;
        app.ui.data(|out| out.write_all(&script))?;
        Ok(Outcome::Done)
    }
}
