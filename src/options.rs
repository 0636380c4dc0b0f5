//! Groups of options that several commands share, so that they never disagree.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, ValueEnum, ValueHint};
use clap_complete::ArgValueCandidates;
use regex::Regex;

use super::complete;
use super::ui::Color;
use ctx_core::budget::{Budget, Trim};
use ctx_core::entry::value::TextEncoding;
use ctx_core::entry::{Allowance, Allowed, LevelOfDetail};
use ctx_core::format::Format;
use ctx_core::models::Tokenizer;
use ctx_core::select::LabelStyle;
use ctx_core::source::Order;

mod values;

pub use values::{age, count, expression, history_budget, parsed, size, task, turn, window};

/// The value of `--history` without a name. The value of `--history="$UNSET"` is empty instead.
pub const OF_THE_PROFILE: &str = "=";

/// The value that turns histories off, for `--history`, its variable and its setting.
pub const NO_HISTORY: &str = "none";

/// Options that every command takes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalOptions {
    /// Use this profile instead of the active one [env: CTX_PROFILE]
    #[arg(long, global = true, value_name = "NAME", add = ArgValueCandidates::new(complete::profiles))]
    pub profile: Option<String>,

    /// Use this directory for profiles and lists instead of $CTX_HOME or the configuration directory
    #[arg(hide_short_help = true, long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub store: Option<PathBuf>,

    /// Ignore the project's profiles in .ctx [env: CTX_PROJECT=none]
    #[arg(hide_short_help = true, long, global = true)]
    pub no_project: bool,

    /// When to use colour: auto, always, never; honours NO_COLOR and CLICOLOR_FORCE [default: auto]
    #[arg(
        hide_short_help = true,
        hide_possible_values = true,
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    pub color: Color,

    /// Print only errors to standard error
    #[arg(hide_short_help = true, short, long, global = true)]
    pub quiet: bool,
}

/// Whether a command works on the global list or on the profile's.
#[derive(Debug, Clone, Copy, Args)]
pub struct GlobalScope {
    /// Use the global list, which is part of every profile
    #[arg(short = 'g', long)]
    pub global: bool,
}

/// Which files are selected.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Which files")]
pub struct SelectionOptions {
    /// Use only entries with this tag (repeat for several)
    #[arg(long = "tag", value_name = "TAG", add = ArgValueCandidates::new(complete::tags))]
    pub tags: Vec<String>,

    /// Use only files that match this pattern (repeat for several)
    #[arg(hide_short_help = true, long, value_name = "GLOB")]
    pub include: Vec<String>,

    /// Leave out files that match this pattern (repeat for several)
    #[arg(hide_short_help = true, long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// Use only files whose text matches this regular expression
    #[arg(hide_short_help = true, long, value_name = "REGEX", value_parser = expression)]
    pub containing: Option<Regex>,

    /// How files that are not UTF-8 are encoded: GBK, Shift_JIS, Windows-1251, UTF-16LE [default: recognised by their bytes]
    #[arg(hide_short_help = true, hide_long_help = true, long, value_name = "NAME")]
    pub encoding: Option<TextEncoding>,

    /// Read no file larger than this: bytes, or with k, m, g (1,024 each) [default: 10m]
    #[arg(hide_short_help = true, hide_long_help = true, long, value_name = "N", value_parser = size)]
    pub max_file_size: Option<u64>,

    /// Use only files changed within this time: 90s, 15m, 2h, 3d, 2w
    #[arg(hide_short_help = true, hide_long_help = true, long, value_name = "AGE", value_parser = age)]
    pub newer_than: Option<Duration>,

    /// Include everything below directories
    #[arg(short = 'r', long)]
    pub recursive: bool,
}

/// How much fits, and how it is printed.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Budget and form")]
pub struct BudgetOptions {
    /// Limit the output to this many tokens: 60k, 50%, none [default: 75%]
    #[arg(short, long, value_name = "N|P%|none", allow_negative_numbers = true, value_parser = parsed::<Budget>)]
    pub budget: Option<Budget>,

    /// The model you are going to use [env: CTX_MODEL]
    ///
    /// Sets the window and the tokenizer. 'ctx models' lists the models that ctx knows.
    #[arg(short, long, value_name = "NAME", add = ArgValueCandidates::new(complete::models))]
    pub model: Option<String>,

    /// How many tokens the model can read, for a model that ctx doesn't know
    #[arg(hide_short_help = true, hide_long_help = true, long, value_name = "N", value_parser = window)]
    pub window: Option<u64>,

    /// Count with this tokenizer instead of the model's
    #[arg(hide_short_help = true, hide_long_help = true, long, value_name = "NAME", value_parser = among(&Tokenizer::ALL))]
    pub tokenizer: Option<Tokenizer>,

    /// What to leave out or print in part if the files don't fit [default: relevant with a prompt or query, else largest]
    #[arg(hide_short_help = true, long, value_name = "RULE", value_parser = among(&Trim::ALL))]
    pub trim: Option<Trim>,

    /// Rank files for a question without looking at the messages of earlier commits
    #[arg(hide_short_help = true, hide_long_help = true, long)]
    pub no_git_history: bool,

    /// What --trim relevant looks for [default: the prompt]
    ///
    /// Without a query or a prompt, files rank by how many others import them.
    #[arg(hide_short_help = true, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub query: Option<String>,

    /// How much of each file to include: full, outline (its declarations) or name (in a tree) [default: full]
    #[arg(hide_short_help = true, hide_possible_values = true, long = "as", value_name = "LEVEL", value_parser = among(&LevelOfDetail::ALL))]
    pub level: Option<LevelOfDetail>,

    /// The output format: text, markdown, xml, json or messages [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = among(&Format::ALL), hide_possible_values = true)]
    pub format: Option<Format>,

    /// Always add an id to delimiters and labels
    #[arg(hide_short_help = true, hide_long_help = true, long)]
    pub guard: bool,

    /// How to label files: relative to the root of the project or repository, or absolute
    #[arg(
        hide_short_help = true,
        hide_long_help = true,
        long = "paths",
        value_name = "FORM",
        value_parser = label_style(),
        default_value = "root"
    )]
    pub labels: LabelStyle,

    /// The order of files: stored, path, stable (least recently changed first, which a provider's prompt cache
    /// rewards) or score (best for the question first) [default: stored]
    #[arg(
        hide_short_help = true,
        hide_possible_values = true,
        long,
        value_name = "ORDER",
        value_parser = order(),
        default_value = "stored",
        hide_default_value = true
    )]
    pub order: Order,

    /// Print Jupyter notebooks as raw JSON instead of extracting their cells
    #[arg(hide_short_help = true, hide_long_help = true, long)]
    pub raw: bool,

    /// Number the lines of every file
    #[arg(hide_short_help = true, short = 'n', long)]
    pub line_numbers: bool,
}

/// A parser for an option with one of these values.
pub fn among<T>(all: &[T]) -> impl TypedValueParser<Value = T>
where
    T: Display + FromStr<Err: Display> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.iter().map(ToString::to_string)).try_map(|text| parsed::<T>(&text))
}

/// A parser for the order of files.
fn order() -> impl TypedValueParser<Value = Order> {
    let help = |order| match order {
        Order::Stored => "As the entries are stored",
        Order::Path => "By path bytes",
        Order::Stable => "Least recently changed first",
        Order::Score => "What matters most for the question first",
    };
    let values = Order::ALL.map(|order| PossibleValue::new(order.name()).help(help(order)));
    PossibleValuesParser::new(values).try_map(|text| parsed::<Order>(&text))
}

/// A parser for the style of labels.
fn label_style() -> impl TypedValueParser<Value = LabelStyle> {
    let root = PossibleValue::new("root").help("Relative to the root of the project or repository");
    let absolute = PossibleValue::new("absolute").help("Absolute");
    PossibleValuesParser::new([root, absolute])
        .map(|word| if word == "absolute" { LabelStyle::Absolute } else { LabelStyle::Root })
}

/// What happens to dangerous content.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Safety")]
pub struct SafetyOptions {
    /// Allow what ctx otherwise leaves out or changes (repeat, or separate by commas)
    ///
    /// `ignored` includes files that .gitignore, .ignore and .ctxignore exclude. `secret-names` includes files that you
    /// name although their names suggest secrets, but still redacts their contents; `secrets` includes them and redacts
    /// nothing. `hidden` leaves hidden characters as they are. `data` keeps embedded data, such as pictures in base64.
    /// `none` overrides what entries allow.
    #[arg(hide_short_help = true, long, value_name = "WHAT", hide_possible_values = true, value_delimiter = ',', value_parser = allowance())]
    allow: Vec<Option<Allowance>>,

    #[arg(long, hide = true)]
    no_ignore: bool,

    /// Don't use the cache of token counts and commit messages
    #[arg(hide_short_help = true, hide_long_help = true, long)]
    pub no_cache: bool,
}

/// A parser for an allowance, or for `none`.
fn allowance() -> impl TypedValueParser<Value = Option<Allowance>> {
    let words = Allowance::ALL.map(Allowance::name).into_iter().chain(["none"]);
    PossibleValuesParser::new(words).map(|word| word.parse().ok())
}

impl SafetyOptions {
    /// The allowances for the whole block.
    pub fn allowed(&self) -> Allowed {
        let ignored = self.no_ignore.then_some(Allowance::Ignored);
        self.allow.iter().copied().flatten().chain(ignored).collect()
    }

    /// Whether what entries allow is revoked.
    pub fn takes_back(&self) -> bool {
        self.allow.contains(&None)
    }
}

/// Everything that determines the contents of a block: shared by `render`, `show`, `check` and `explain`.
#[derive(Debug, Clone, Default, Args)]
pub struct PlanOptions {
    #[command(flatten)]
    pub selection: SelectionOptions,

    #[command(flatten)]
    pub budget: BudgetOptions,

    /// Use this instruction instead of the ones from the profile and the global list; '' uses none
    #[arg(
        hide_short_help = true,
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        help_heading = "Instruction and history"
    )]
    pub instruction: Option<String>,

    /// Continue the history NAME (default: the profile's own), or `none` [env: CTX_HISTORY]
    ///
    /// ctx prints the earlier turns after the files, and 'ctx run' appends the new one.
    #[arg(
        hide_short_help = true,
        long,
        value_name = "NAME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = OF_THE_PROFILE,
        add = ArgValueCandidates::new(complete::histories),
        help_heading = "Instruction and history"
    )]
    pub history: Option<String>,

    /// The turn that began the conversation to continue, if it is not the one that goes on here.
    #[arg(skip)]
    pub talk: Option<u64>,

    /// Limit the history to this many tokens: 20k, or a share of the budget [default: 25%]
    #[arg(
        hide_short_help = true,
        hide_long_help = true,
        long,
        value_name = "N|P%",
        value_parser = history_budget,
        help_heading = "Instruction and history"
    )]
    pub history_budget: Option<Budget>,

    #[command(flatten)]
    pub safety: SafetyOptions,
}

/// The order of listed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// By path.
    Path,
    /// The largest first.
    Tokens,
}

/// Data for scripts instead of text for people.
#[derive(Debug, Clone, Copy, Args)]
pub struct JsonOption {
    /// Print JSON; FILES in the manual page names the schema
    #[arg(long, action = ArgAction::SetTrue)]
    pub json: bool,
}
