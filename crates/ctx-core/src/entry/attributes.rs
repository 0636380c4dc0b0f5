//! What a person can say about an entry besides its text, and which kinds of entries it is said of.

use serde_json::Value;

use super::amount::{OutputSize, TimeSpan, Timeout};
use super::kind::Kind;
use super::level::LevelOfDetail;
use super::lines::Lines;
use super::share::Share;
use crate::named::named;

/// What a person can say about an entry besides its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributes {
    /// Free words to select entries by.
    pub tags: Vec<String>,
    /// Never trimmed, whatever the budget.
    pub pin: bool,
    /// Whether the ignore rules hold for this entry.
    pub ignore: bool,
    /// What the user allows of secrets.
    pub secrets: SecretAllowance,
    /// Whether hidden characters are left as they are.
    pub hidden: bool,
    /// What older versions wrote for `secrets`: a literal entry may have a name that suggests secrets.
    pub force: bool,
    /// The most detail of each file.
    pub level: LevelOfDetail,
    /// The files are not printed whole: their passages that match the query are.
    pub search: bool,
    /// How much of the budget these passages may use.
    pub share: Option<Share>,
    /// Kept, and not used.
    pub off: bool,
    /// Which lines of the file, if not all.
    pub lines: Option<Lines>,
    /// Whether Markdown files bring what they refer to by `@`.
    pub imports: bool,
    /// How long a command may run.
    pub timeout: Option<Timeout>,
    /// How much of a command's output is kept.
    pub max_output: Option<OutputSize>,
    /// Whether a command's output is used only if it succeeds.
    pub only_success: bool,
    /// How long the output of a command that succeeded is used again; without it the command runs every time.
    pub ttl: Option<TimeSpan>,
}

impl Default for Attributes {
    fn default() -> Self {
        Self {
            tags: Vec::new(),
            pin: false,
            ignore: true,
            secrets: SecretAllowance::Nothing,
            hidden: false,
            force: false,
            level: LevelOfDetail::Full,
            search: false,
            share: None,
            off: false,
            lines: None,
            imports: false,
            timeout: None,
            max_output: None,
            only_success: false,
            ttl: None,
        }
    }
}

impl Attributes {
    /// Those that are not as they are without anything said.
    pub fn given(&self) -> impl Iterator<Item = Attribute> {
        Attribute::ALL.into_iter().filter(|attribute| self.has(*attribute))
    }

    /// What a stored entry says of an attribute that is [given](Self::given).
    pub(super) fn value(&self, attribute: Attribute) -> Value {
        match attribute {
            Attribute::Tags => self.tags.clone().into(),
            Attribute::Pin | Attribute::Search | Attribute::Off | Attribute::Imports => true.into(),
            Attribute::Ignore => false.into(),
            Attribute::Secrets => self.secrets.word().into(),
            Attribute::Hidden => ALLOW.into(),
            Attribute::As => self.level.to_string().into(),
            Attribute::Share => self.share.map(|share| share.to_string()).into(),
            Attribute::Lines => self.lines.map(|lines| lines.to_string()).into(),
            Attribute::Timeout => self.timeout.map(|timeout| timeout.to_string()).into(),
            Attribute::MaxOutput => self.max_output.map(|size| size.to_string()).into(),
            Attribute::Exit => ZERO.into(),
            Attribute::Ttl => self.ttl.map(|ttl| ttl.to_string()).into(),
        }
    }

    fn has(&self, attribute: Attribute) -> bool {
        match attribute {
            Attribute::Tags => !self.tags.is_empty(),
            Attribute::Pin => self.pin,
            Attribute::Ignore => !self.ignore,
            Attribute::Secrets => self.secrets != SecretAllowance::Nothing,
            Attribute::Hidden => self.hidden,
            Attribute::As => self.level != LevelOfDetail::Full,
            Attribute::Search => self.search,
            Attribute::Share => self.share.is_some(),
            Attribute::Off => self.off,
            Attribute::Lines => self.lines.is_some(),
            Attribute::Imports => self.imports,
            Attribute::Timeout => self.timeout.is_some(),
            Attribute::MaxOutput => self.max_output.is_some(),
            Attribute::Exit => self.only_success,
            Attribute::Ttl => self.ttl.is_some(),
        }
    }
}

/// What an entry allows of secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum SecretAllowance {
    /// Neither names nor contents.
    #[default]
    Nothing,
    /// Names that suggest secrets; contents are redacted as ever.
    Names,
    /// Contents too: they are left as they are.
    Contents,
}

impl SecretAllowance {
    /// The word for it in a stored entry, if there is one.
    #[must_use]
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Names => Some("name"),
            Self::Contents => Some("allow"),
        }
    }
}

/// The word for what is allowed of hidden characters in a stored entry.
pub const ALLOW: &str = "allow";

/// The word for the exit codes with which a command's output is used, if that is only 0.
pub const ZERO: &str = "zero";

named! {
    /// An attribute that an entry can have.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Attribute {
        /// [`Attributes::tags`].
        Tags = "tags",
        /// [`Attributes::pin`].
        Pin = "pin",
        /// [`Attributes::ignore`].
        Ignore = "ignore",
        /// [`Attributes::secrets`].
        Secrets = "secrets",
        /// [`Attributes::hidden`].
        Hidden = "hidden",
        /// [`Attributes::level`].
        As = "as",
        /// [`Attributes::search`].
        Search = "search",
        /// [`Attributes::share`].
        Share = "share",
        /// [`Attributes::off`].
        Off = "off",
        /// [`Attributes::lines`].
        Lines = "lines",
        /// [`Attributes::imports`].
        Imports = "imports",
        /// [`Attributes::timeout`].
        Timeout = "timeout",
        /// [`Attributes::max_output`].
        MaxOutput = "max_output",
        /// [`Attributes::only_success`].
        Exit = "exit",
        /// [`Attributes::ttl`].
        Ttl = "ttl",
    }
}

impl Attribute {
    /// Whether entries of a kind can have it.
    #[must_use]
    pub fn applies_to(self, kind: Kind) -> bool {
        match self {
            Self::Tags | Self::Pin | Self::Secrets | Self::Hidden => kind != Kind::Exclusion,
            Self::Off => kind != Kind::StandardInput,
            Self::As | Self::Search | Self::Share | Self::Lines => kind == Kind::Path,
            Self::Imports => matches!(kind, Kind::Path | Kind::Up),
            Self::Ignore => matches!(kind, Kind::Path | Kind::Git),
            Self::Timeout | Self::MaxOutput | Self::Exit | Self::Ttl => kind == Kind::Command,
        }
    }
}
