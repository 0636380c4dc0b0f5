//! What another tool's files had, and what is said of what they had besides.

use std::fmt;

use serde_json::Value;

use crate::share::Bundle;
use crate::todo::NamedList;

/// How much of a value is shown, in characters.
const SHOWN: usize = 100;

/// What is said of a key or value that is something else than it must be: `a text`.
pub(super) fn not(expected: &str, what: &str) -> String {
    format!("{} (not {expected})", clipped(what))
}

/// Whether a value says nothing.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(keys) => keys.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The beginning of a text, for messages.
pub(super) fn clipped(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What another tool's files come to.
#[derive(Debug, Default)]
pub struct FoundLists {
    /// The lists.
    pub bundle: Bundle,
    /// The to-do lists.
    pub todo_lists: Vec<NamedList>,
    /// What a person should know about them, in the order in which it came up.
    pub remarks: Vec<Remark>,
}

/// Something that is not as it was in the other tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// Parts of a file, or all of it, that cannot be carried over.
    LeftOut {
        /// The file, as it is called from here.
        file: String,
        /// Keys, resources, or the reason for the whole file.
        parts: Vec<String>,
    },
    /// Parts of a file that are not as they were.
    Changed {
        /// The file, as it is called from here.
        file: String,
        /// What is different.
        parts: Vec<String>,
    },
    /// A name that no profile can have, and the one that stands for it.
    Renamed {
        /// The name in the other tool.
        from: String,
        /// The profile.
        to: String,
    },
    /// The same for a to-do list.
    RenamedList {
        /// The name in the other tool.
        from: String,
        /// The list.
        to: String,
    },
    /// A profile that several files make up.
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
            Self::RenamedList { from, to } => write!(f, "'{from}' becomes list '{to}'"),
            Self::Joined { profile, files } => {
                write!(f, "profile '{profile}' combines {}", files.join(" and "))
            }
        }
    }
}
