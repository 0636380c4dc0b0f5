//! Options that become attributes of entries, shared by `add` and `set`.

use clap::{Args, ValueEnum};

use crate::error::Error;
use crate::options::among;
use crate::values;
use ctx_core::entry::amount::{OutputSize, TimeSpan, Timeout};
use ctx_core::entry::{Attributes, Entry, LevelOfDetail, Share};

/// What an entry says of how its files are shown.
#[derive(Debug, Clone, Default, Args)]
pub struct FileAttributes {
    /// The most detail of each file: all of it, what it declares, or its name in a tree
    #[arg(long = "as", value_name = "LEVEL", value_parser = among(&LevelOfDetail::ALL))]
    level: Option<LevelOfDetail>,

    /// Print no file whole, but the passages that match the prompt or --query
    #[arg(long)]
    search: bool,

    /// How much of the budget these passages may use (default 20%)
    #[arg(long, value_name = "P%", value_parser = values::parsed::<Share>)]
    share: Option<Share>,
}

impl FileAttributes {
    /// Gives an entry what the options name, and leaves the rest as it is.
    pub fn give(&self, attributes: &mut Attributes) {
        attributes.level = self.level.unwrap_or(attributes.level);
        attributes.search |= self.search;
        attributes.share = self.share.or(attributes.share);
    }
}

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
    /// Markdown files bring what they refer to.
    Imports,
    /// How long a command may run.
    Timeout,
    /// How much of its output is kept.
    MaxOutput,
    /// Its output is used only if it succeeds.
    OnlySuccess,
    /// Its output is used again.
    Ttl,
    /// Its files are only searched.
    Search,
    /// How much of the budget their passages may use.
    Share,
}

impl Removable {
    /// Takes the attribute away.
    pub fn remove_from(self, attributes: &mut Attributes) {
        match self {
            Self::Lines => attributes.lines = None,
            Self::Imports => attributes.imports = false,
            Self::Timeout => attributes.timeout = None,
            Self::MaxOutput => attributes.max_output = None,
            Self::OnlySuccess => attributes.only_success = false,
            Self::Ttl => attributes.ttl = None,
            Self::Search => attributes.search = false,
            Self::Share => attributes.share = None,
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
            Err(Error::usage(format!("'{}' does not apply to '{}'", attribute.name(), entry.path)))
        }
        None => Ok(()),
    }
}
