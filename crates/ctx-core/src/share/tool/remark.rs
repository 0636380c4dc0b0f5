//! The lists in another tool's files, and remarks about the rest.

use std::fmt;

use serde_json::Value;

use crate::share::Bundle;
use crate::todo::NamedList;

/// How much of a value is shown, in characters.
const SHOWN: usize = 100;

/// The remark about a key or value of an unexpected type; `expected` is the right type, such as `a string`.
pub(super) fn not(expected: &str, what: &str) -> String {
    format!("{} (not {expected})", clipped(what))
}

/// Whether a value is empty.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(keys) => keys.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The beginning of `text`, for messages.
pub(super) fn clipped(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The lists found in another tool's files.
#[derive(Debug, Default)]
pub struct FoundLists {
    /// The lists.
    pub bundle: Bundle,
    /// The to-do lists.
    pub todo_lists: Vec<NamedList>,
    /// Remarks about them, in the order in which they came up.
    pub remarks: Vec<Remark>,
    /// Whether entries that lead out of the tree were left out.
    pub left_outside: bool,
}

/// A difference from the other tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// Parts of a file, or all of it, that cannot be imported.
    LeftOut {
        /// The file, as `~/…` or relative to the current directory.
        file: String,
        /// Keys, resources, or the reason for the whole file.
        parts: Vec<String>,
    },
    /// Parts of a file that were changed.
    Changed {
        /// The file, as `~/…` or relative to the current directory.
        file: String,
        /// The differences.
        parts: Vec<String>,
    },
    /// A name that no profile can have, and its replacement.
    Renamed {
        /// The name in the other tool.
        from: String,
        /// The profile.
        to: String,
    },
    /// A name that no to-do list can have, and its replacement.
    RenamedList {
        /// The name in the other tool.
        from: String,
        /// The list.
        to: String,
    },
    /// An agent that would become the profile that is used everywhere, and its other name.
    NotDefault {
        /// The file, as `~/…` or relative to the current directory.
        file: String,
        /// The profile.
        to: String,
    },
    /// A profile that combines several files.
    Joined {
        /// The profile.
        profile: String,
        /// The files, in order.
        files: Vec<String>,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut { file, parts } => write!(f, "left out of '{file}': {}", parts.join(", ")),
            Self::Changed { file, parts } => write!(f, "changed from '{file}': {}", parts.join(", ")),
            Self::Renamed { from, to } => write!(f, "'{from}' becomes profile '{to}'"),
            Self::NotDefault { file, to } => {
                write!(
                    f,
                    "the agent 'default' of '{file}' becomes profile '{to}', since 'default' is used in every repository"
                )
            }
            Self::RenamedList { from, to } => write!(f, "'{from}' becomes list '{to}'"),
            Self::Joined { profile, files } => {
                write!(f, "profile '{profile}' combines {}", files.join(" and "))
            }
        }
    }
}
