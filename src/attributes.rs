//! Code that `add` and `set` share: options that become attributes of entries, and checks that an entry can be
//! read.

use std::fs;
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Command, Id};
use clap_complete::ArgValueCandidates;
use serde_json::Value;

use crate::complete;
use crate::error::Error;
use crate::hints::quoted_word;
use crate::options::{among, parsed};
use ctx_core::entry::pattern;
use ctx_core::entry::value::{self, OutputSize, TextEncoding, TimeSpan, Timeout};
use ctx_core::entry::{
    Allowance, Allowed, Attribute, Attributes, Entry, Kind, LevelOfDetail, Lines, Share, UsedOutput,
};
use ctx_core::guard;
use ctx_core::read::{self, DEFAULT_MAX_BYTES, Page};
use ctx_core::select::{self, EntryKind, Problem};
use ctx_core::source::named::Lookup;
use ctx_core::world::World;

const COMMANDS: &str = "Commands";

/// The attributes of an entry.
#[derive(Debug, Clone, Default, Args)]
pub struct AttributeOptions {
    /// Tag the entries (repeat for several)
    #[arg(long = "tag", value_name = "TAG", value_parser = value::tag, add = ArgValueCandidates::new(complete::tags))]
    pub tags: Vec<String>,

    /// Always include the entries' files whole, whatever the budget
    #[arg(long)]
    pub pin: bool,

    /// Allow what ctx otherwise leaves out or changes (repeat, or separate by commas)
    ///
    /// `ignored` includes files that .gitignore, .ignore and .ctxignore exclude. `secret-names` includes files whose
    /// names suggest secrets, but still redacts their contents; `secrets` includes them and redacts nothing. `hidden`
    /// leaves hidden characters as they are. `data` keeps embedded data, such as pictures in base64.
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = among(&Allowance::ALL))]
    allow: Vec<Allowance>,

    #[arg(long, hide = true)]
    no_ignore: bool,

    /// How much of each file to include: all of it, its declarations, or its name in a tree
    #[arg(long = "as", value_name = "LEVEL", value_parser = among(&LevelOfDetail::ALL))]
    level: Option<LevelOfDetail>,

    /// Print only the passages that match the prompt or --query
    #[arg(long)]
    search: bool,

    /// How much of the budget these passages can use (default 20%)
    #[arg(long, value_name = "P%", value_parser = parsed::<Share>)]
    share: Option<Share>,

    /// How files that are not UTF-8 are encoded: GBK, Shift_JIS, Windows-1251, UTF-16LE
    #[arg(long, value_name = "NAME")]
    encoding: Option<TextEncoding>,

    /// Also include the files that Markdown files mention as `@path`
    #[arg(long)]
    imports: bool,

    /// Use the entries only if another file in the output matches (repeat for several)
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    when: Vec<String>,

    /// How long a command can run: 30s, 5m (default 30s, at most 10m)
    #[arg(long, value_name = "TIME", help_heading = COMMANDS)]
    timeout: Option<Timeout>,

    /// How much of a command's output to keep, in bytes: 64k, 1m (default 64k)
    #[arg(long, value_name = "SIZE", help_heading = COMMANDS)]
    max_output: Option<OutputSize>,

    /// Use a command's output only if it succeeds
    #[arg(long, help_heading = COMMANDS)]
    only_success: bool,

    /// Reuse the output of a successful run for this long: 5m, 1h
    #[arg(long, value_name = "TIME", help_heading = COMMANDS)]
    ttl: Option<TimeSpan>,
}

/// The options that give an entry its attributes, quoted for a shell.
pub fn options_for(attributes: &Attributes) -> Vec<String> {
    let option = |attribute: Attribute| {
        let option = match attribute {
            // The name of the entry says these, and no option of 'ctx add' turns an entry off.
            Attribute::Lines | Attribute::Name | Attribute::Off => return Vec::new(),
            Attribute::Tags => "--tag".to_owned(),
            Attribute::Exit => "--only-success".to_owned(),
            other => format!("--{}", other.name().replace('_', "-")),
        };
        let with = |value: &Value| match value {
            Value::String(text) if attribute != Attribute::Exit => format!("{option} {}", quoted_word(text)),
            _ => option.clone(),
        };
        match attributes.value(attribute) {
            Some(Value::Array(values)) => values.iter().map(with).collect(),
            value => value.iter().map(with).collect(),
        }
    };
    Attribute::ALL.into_iter().flat_map(option).collect()
}

impl AttributeOptions {
    /// The ids of the options, for other options that refer to them.
    pub fn ids() -> Vec<Id> {
        Self::augment_args(Command::new("")).get_arguments().map(|option| option.get_id().clone()).collect()
    }

    /// Sets the given attributes of an entry, and leaves the others alone.
    pub fn give(&self, attributes: &mut Attributes) {
        for tag in &self.tags {
            if !attributes.tags.contains(tag) {
                attributes.tags.push(tag.clone());
            }
        }
        attributes.pin |= self.pin;
        attributes.allow = attributes.allow | self.allowed();
        attributes.level = self.level.unwrap_or(attributes.level);
        attributes.search |= self.search;
        attributes.share = self.share.or(attributes.share);
        attributes.encoding = self.encoding.or(attributes.encoding);
        attributes.imports |= self.imports;
        let is_new = |glob: &&String| !attributes.when.contains(glob);
        let new: Vec<String> = self.when.iter().filter(is_new).cloned().collect();
        attributes.when.extend(new);
        attributes.timeout = self.timeout.or(attributes.timeout);
        attributes.max_output = self.max_output.or(attributes.max_output);
        if self.only_success {
            attributes.exit = UsedOutput::OfSuccess;
        }
        attributes.ttl = self.ttl.or(attributes.ttl);
    }

    /// The allowances from the options.
    pub fn allowed(&self) -> Allowed {
        let ignored = self.no_ignore.then_some(Allowance::Ignored);
        self.allow.iter().copied().chain(ignored).collect()
    }
}

/// A pattern, as typed.
fn glob(text: &str) -> Result<String, String> {
    pattern::alternatives(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// A parser for an attribute, by the name of its option or its name in a store.
pub fn attribute() -> impl TypedValueParser<Value = Attribute> {
    let is_it = |text: &str, attribute: &Attribute| possible(*attribute).matches(text, false);
    PossibleValuesParser::new(Attribute::ALL.map(possible)).try_map(move |text| {
        Attribute::ALL.into_iter().find(|attribute| is_it(&text, attribute)).ok_or("unknown attribute")
    })
}

fn possible(attribute: Attribute) -> PossibleValue {
    let is_exit = attribute == Attribute::Exit;
    let option = if is_exit { "only-success".to_owned() } else { attribute.name().replace('_', "-") };
    PossibleValue::new(option).alias(attribute.name())
}

/// Checks that all attributes apply to the kind of the entry.
///
/// # Errors
/// Wrong usage, naming the first one that does not.
pub fn check(entry: &Entry) -> Result<(), Error> {
    match entry.misapplied() {
        Some(attribute) => Err(Error::usage(format!("'{attribute}' does not apply to '{}'", entry.path))),
        None => Ok(()),
    }
}

/// The reason why a file or directory cannot be read; `None` if it can.
pub fn unreadable(world: &World, entry: &Entry, kind: EntryKind) -> Option<String> {
    // The sources of a dependency were found already.
    let path = select::path_of(&entry.path, world).ok().filter(|_| entry.kind() != Kind::Dependency)?;
    match kind {
        EntryKind::Literal => match (entry.attributes.lines, &entry.attributes.name) {
            (Some(lines), _) => without_lines(&path, lines),
            (None, Some(name)) => {
                Lookup::default().find(read::open(&path), &entry.path, name).err().map(|reason| reason.text)
            }
            (None, None) => read::open(&path).err().map(|error| error.to_string()),
        },
        EntryKind::Directory => fs::read_dir(path).err().map(|error| Problem::of(&error).to_string()),
        EntryKind::Pattern | EntryKind::Up | EntryKind::Exclusion | EntryKind::Text => None,
    }
}

/// The reason why a file does not have these lines; `None` if it does.
fn without_lines(path: &Path, lines: Lines) -> Option<String> {
    let mut page = Page::default();
    match read::open(path).and_then(|file| read::read(file, DEFAULT_MAX_BYTES, &mut page)) {
        Ok(text) => guard::cut(&text.text, lines).err().map(|error| error.to_string()),
        Err(error) => Some(error.to_string()),
    }
}
