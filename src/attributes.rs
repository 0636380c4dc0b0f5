//! Options that become attributes of entries, shared by `add` and `set`.

use clap::{Args, ValueEnum};

use crate::error::Error;
use ctx_core::entry::amount::{OutputSize, TimeSpan, Timeout};
use ctx_core::entry::{Attributes, Entry};

/// What an entry says of how its command runs, and of what is used of its output.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Commands")]
pub struct CommandAttributes {
    /// How long a command may run: 30s, 5m (default 30s, at most 10m)
    #[arg(long, value_name = "TIME")]
    timeout: Option<Timeout>,

    /// How much of a command's output is kept, in bytes: 64k, 1m (default 64k)
    #[arg(long, value_name = "SIZE")]
    max_output: Option<OutputSize>,

    /// Use a command's output only if it succeeds
    #[arg(long)]
    only_success: bool,

    /// Use the output of a success again for so long: 5m, 1h
    #[arg(long, value_name = "TIME")]
    ttl: Option<TimeSpan>,
}

impl CommandAttributes {
    /// Gives an entry what the options name, and leaves the rest as it is.
    pub fn give(&self, attributes: &mut Attributes) {
        attributes.timeout = self.timeout.or(attributes.timeout);
        attributes.max_output = self.max_output.or(attributes.max_output);
        attributes.only_success |= self.only_success;
        attributes.ttl = self.ttl.or(attributes.ttl);
    }
}

/// An attribute that can be taken away by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Removable {
    /// Which lines of the file are used.
    Lines,
    /// How long a command may run.
    Timeout,
    /// How much of its output is kept.
    MaxOutput,
    /// Its output is used only if it succeeds.
    OnlySuccess,
    /// Its output is used again.
    Ttl,
}

impl Removable {
    /// Takes the attribute away.
    pub fn remove_from(self, attributes: &mut Attributes) {
        match self {
            Self::Lines => attributes.lines = None,
            Self::Timeout => attributes.timeout = None,
            Self::MaxOutput => attributes.max_output = None,
            Self::OnlySuccess => attributes.only_success = false,
            Self::Ttl => attributes.ttl = None,
        }
    }
}

/// Makes sure that entries of its kind have all the attributes of an entry.
///
/// # Errors
/// Wrong usage, with the first that they do not have.
pub fn check(entry: &Entry) -> Result<(), Error> {
    match entry.misapplied() {
        Some(attribute) => {
            Err(Error::usage(format!("'{}' does not apply to '{}'", attribute.key(), entry.path)))
        }
        None => Ok(()),
    }
}
