//! The attributes of an entry, one row each.

use std::fmt::{self, Display};
use std::ops::BitOr;
use std::str::FromStr;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use super::declaration::DeclarationName;
use super::kind::Kind;
use super::lines::Lines;
use super::value::{LevelOfDetail, OutputSize, Share, TextEncoding, TimeSpan, Timeout};
use crate::named::named;

/// Declares the attributes, one row each: its meaning; its field and type, whose default value a store omits;
/// its name and word; the values it can have in a store; whether it applies in a project's files; and the
/// kinds of entries that can have it.
macro_rules! attributes {
    ($(
        $(#[doc = $meaning:literal])+
        $field:ident: $type:ty = $name:ident $word:literal $value:literal, $bound:ident, $kinds:pat,
    )+) => {
        /// The attributes of an entry.
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct Attributes {
            $($(#[doc = $meaning])+ pub $field: $type,)+
        }

        named! {
            /// An attribute that an entry can have.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum Attribute {
                $($(#[doc = $meaning])+ $name = $word,)+
            }
        }

        impl Attribute {
            /// The values it can have in a store.
            pub(super) fn expected(self) -> &'static str {
                match self {
                    $(Self::$name => concat!("\"", $word, "\" to be ", $value),)+
                }
            }

            /// Whether entries of a kind can have it.
            #[must_use]
            pub fn applies_to(self, kind: Kind) -> bool {
                match self {
                    $(Self::$name => matches!(kind, $kinds),)+
                }
            }

            /// Whether it applies in a project's files. Trusting a command covers the attributes that only
            /// commands have.
            #[must_use]
            pub fn bound(self) -> Bound {
                match self {
                    $(Self::$name => Bound::$bound,)+
                }
            }
        }

        impl Attributes {
            /// The value of an attribute in a stored entry; `None` if it is not set.
            #[must_use]
            pub fn value(&self, attribute: Attribute) -> Option<Value> {
                match attribute {
                    $(Attribute::$name => (self.$field != <$type>::default()).then(|| self.$field.written()),)+
                }
            }

            /// Reads an attribute of a stored entry; `None` if the value is invalid.
            pub(super) fn read(&mut self, attribute: Attribute, value: &Value) -> Option<()> {
                match attribute {
                    $(Attribute::$name => self.$field = AttributeValue::read(value)?,)+
                }
                Some(())
            }

            /// Resets an attribute to its default.
            pub fn unset(&mut self, attribute: Attribute) {
                match attribute {
                    $(Attribute::$name => self.$field = Default::default(),)+
                }
            }
        }
    };
}

attributes! {
    /// Arbitrary words to select entries by.
    tags: Vec<String> = Tags "tags" "a list of strings", Always,
        Kind::Path | Kind::StandardInput | Kind::Up | Kind::Git | Kind::Command | Kind::Todo | Kind::Dependency,
    /// Never trim it, whatever the budget.
    pin: bool = Pin "pin" "true or false", OnceTrusted,
        Kind::Path | Kind::StandardInput | Kind::Up | Kind::Git | Kind::Command | Kind::Todo,
    /// What this entry allows.
    allow: Allowed = Allow "allow" "a list of \"ignored\", \"secret-names\", \"secrets\", \"hidden\" and \"data\"", Never,
        Kind::Path | Kind::StandardInput | Kind::Up | Kind::Git | Kind::Command | Kind::Todo | Kind::Dependency,
    /// The level of detail of each file.
    level: LevelOfDetail = As "as" "\"full\", \"outline\" or \"name\"", Always, Kind::Path,
    /// Print only the passages of its files that match the query.
    search: bool = Search "search" "true or false", Always, Kind::Path | Kind::Dependency,
    /// How much of the budget these passages may use.
    share: Option<Share> = Share "share" "a percentage like \"20%\"", Always,
        Kind::Path | Kind::Dependency,
    /// Keep it without using it.
    off: bool = Off "off" "true or false", Always,
        Kind::Path | Kind::Exclusion | Kind::Up | Kind::Git | Kind::Command | Kind::Todo | Kind::Dependency,
    /// The lines of the file, if not all.
    lines: Option<Lines> = Lines "lines" "lines like \"10-40\"", Always, Kind::Path,
    /// The name of the declarations or sections of the file to which it is limited.
    name: Option<DeclarationName> = Name "name" "the name of something in the file", Always, Kind::Path,
    /// How its files are encoded that are not UTF-8.
    encoding: Option<TextEncoding> = Encoding "encoding" "the name of an encoding like \"GBK\"", Always,
        Kind::Path | Kind::StandardInput | Kind::Git | Kind::Command,
    /// Whether to include the files that its Markdown files refer to with `@`.
    imports: bool = Imports "imports" "true or false", Always, Kind::Path | Kind::Up,
    /// Use it only if another document of the block matches one of these patterns.
    when: Vec<String> = When "when" "a list of patterns", Always, Kind::Path | Kind::Up,
    /// How long a command may run.
    timeout: Option<Timeout> = Timeout "timeout" "a time like \"30s\" of at most \"10m\"", OnceTrusted, Kind::Command,
    /// How much of a command's output is used.
    max_output: Option<OutputSize> = MaxOutput "max_output" "a size like \"64k\" of at most \"16m\"", OnceTrusted,
        Kind::Command,
    /// The exit codes for which a command's output is used.
    exit: UsedOutput = Exit "exit" "\"zero\"", OnceTrusted, Kind::Command,
    /// How long the output of a successful command is reused; without it, the command runs every time.
    ttl: Option<TimeSpan> = Ttl "ttl" "a time like \"5m\"", OnceTrusted, Kind::Command,
}

impl Attribute {
    /// Whether only commands can have it.
    #[must_use]
    pub fn is_of_commands(self) -> bool {
        Kind::ALL.into_iter().all(|kind| self.applies_to(kind) == (kind == Kind::Command))
    }
}

impl Attributes {
    /// Whether it brings only part of its file.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.lines.is_some() || self.name.is_some()
    }

    /// The attributes that are not at their defaults.
    pub fn given(&self) -> impl Iterator<Item = Attribute> {
        Attribute::ALL.into_iter().filter(|attribute| self.value(*attribute).is_some())
    }
}

impl Serialize for Attributes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for attribute in Attribute::ALL {
            if let Some(value) = self.value(attribute) {
                map.serialize_entry(attribute.name(), &value)?;
            }
        }
        map.end()
    }
}

/// Whether something applies if it is set in a project's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// For everyone.
    Always,
    /// Only if the user has trusted it.
    OnceTrusted,
    /// For nobody.
    Never,
}

named! {
    /// The exit codes for which a command's output is used.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum UsedOutput {
        /// For any exit code.
        #[default]
        Any = "any",
        /// Only if the command succeeds.
        OfSuccess = "zero",
    }
}

named! {
    /// What an entry, or the command line for one block, can allow.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Allowance read as "allowance" {
        /// Files that ignore rules exclude.
        Ignored = "ignored",
        /// Files whose names suggest secrets; their contents are still redacted.
        SecretNames = "secret-names",
        /// The same, with secrets in contents left as they are.
        Secrets = "secrets",
        /// Hidden characters, left as they are.
        Hidden = "hidden",
        /// Embedded data, such as pictures.
        Data = "data",
    }
}

/// A set of allowances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Allowed(u8);

impl Allowed {
    /// All allowances that concern contents.
    pub const ALL_CONTENTS: Self =
        Self(Self::bit(Allowance::Secrets) | Self::bit(Allowance::Hidden) | Self::bit(Allowance::Data));

    const fn bit(allowance: Allowance) -> u8 {
        1 << allowance as u8
    }

    /// Whether this is allowed.
    #[must_use]
    pub fn has(self, allowance: Allowance) -> bool {
        self.0 & Self::bit(allowance) != 0
    }

    /// Whether names that suggest secrets are allowed.
    #[must_use]
    pub fn has_secret_names(self) -> bool {
        self.has(Allowance::SecretNames) || self.has(Allowance::Secrets)
    }

    /// The part that concerns the text of a document, not the selection of documents.
    #[must_use]
    pub fn in_contents(self) -> Self {
        Self(self.0 & Self::ALL_CONTENTS.0)
    }

    /// Whether nothing is allowed.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The part that the other set does not allow.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Each allowance, in the order of [`Allowance::ALL`].
    pub fn each(self) -> impl Iterator<Item = Allowance> {
        Allowance::ALL.into_iter().filter(move |allowance| self.has(*allowance))
    }
}

impl FromIterator<Allowance> for Allowed {
    fn from_iter<I: IntoIterator<Item = Allowance>>(allowances: I) -> Self {
        Self(allowances.into_iter().fold(0, |set, allowance| set | Self::bit(allowance)))
    }
}

impl BitOr for Allowed {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.each().map(Allowance::name).collect();
        f.write_str(&words.join(","))
    }
}

/// The value of an attribute in a store.
trait AttributeValue: Sized {
    fn read(value: &Value) -> Option<Self>;

    fn written(&self) -> Value;
}

impl AttributeValue for bool {
    fn read(value: &Value) -> Option<Self> {
        value.as_bool()
    }

    fn written(&self) -> Value {
        (*self).into()
    }
}

impl AttributeValue for Vec<String> {
    fn read(value: &Value) -> Option<Self> {
        value.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
    }

    fn written(&self) -> Value {
        self.clone().into()
    }
}

impl AttributeValue for Allowed {
    fn read(value: &Value) -> Option<Self> {
        value.as_array()?.iter().map(text::<Allowance>).collect()
    }

    fn written(&self) -> Value {
        self.each().map(Allowance::name).collect()
    }
}

impl AttributeValue for LevelOfDetail {
    fn read(value: &Value) -> Option<Self> {
        text(value)
    }

    fn written(&self) -> Value {
        self.to_string().into()
    }
}

impl AttributeValue for UsedOutput {
    fn read(value: &Value) -> Option<Self> {
        (value == Self::OfSuccess.name()).then_some(Self::OfSuccess)
    }

    fn written(&self) -> Value {
        self.name().into()
    }
}

impl<T: FromStr + Display> AttributeValue for Option<T> {
    fn read(value: &Value) -> Option<Self> {
        text(value).map(Some)
    }

    fn written(&self) -> Value {
        self.as_ref().map(ToString::to_string).into()
    }
}

/// A value that is parsed from a string, or from a number whose digits are valid as a string.
fn text<T: FromStr>(value: &Value) -> Option<T> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.as_u64()?.to_string().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
