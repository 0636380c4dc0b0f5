//! Problems with a context: everything that keeps a block from being what you expect.
//!
//! Each part looks at the results of other modules, so that it agrees with what a plan does: [`of_plan`] at a
//! plan, [`of_store`] at the store's files, [`of_lists`] at the lists in them, [`of_rules`] at a tree's ignore files, `of_checkpoints` at a tree's
//! checkpoints.

mod plan;
mod rules;
mod store;

use serde::Serialize;

use crate::entry::Scope;
use crate::named::named;
use crate::report::Hint;

pub use plan::of_plan;
pub use rules::of_rules;
#[cfg(unix)]
pub use store::of_checkpoints;
pub use store::{of_lists, of_store};

/// The version of the JSON format of findings. It changes when a key changes its meaning or is removed.
pub const VERSION: u32 = 1;

named! {
    /// The subject of a finding, in the order in which findings are listed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Group {
        /// The files of the store.
        Store = "store",
        /// Entries that match nothing or are invalid.
        Entries = "entries",
        /// Anything named more than once.
        Duplicates = "duplicates",
        /// Files that cannot be read.
        Files = "files",
        /// Names and contents with secrets.
        Secrets = "secrets",
        /// Hidden characters.
        HiddenCharacters = "hidden-characters",
        /// Anything that does not fit.
        Budget = "budget",
    }
}

impl Group {
    /// The heading of the group.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::HiddenCharacters => "hidden characters",
            Self::Store | Self::Entries | Self::Duplicates | Self::Files | Self::Secrets | Self::Budget => {
                self.name()
            }
        }
    }
}

/// A problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its subject.
    pub group: Group,
    /// A stable code for it, such as `not-found` or `over-budget`.
    pub code: &'static str,
    /// The entry, the label of the file, or the file of the store.
    pub subject: String,
    /// The scope of the entry, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The profile with the entry, if it is not the one in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The problem, in words.
    pub text: String,
    /// What to do about it.
    #[serde(skip)]
    pub hint: Option<Hint>,
}

impl Finding {
    fn new(group: Group, code: &'static str, subject: impl Into<String>, text: impl Into<String>) -> Self {
        let (subject, text) = (subject.into(), text.into());
        Self { group, code, subject, scope: None, profile: None, text, hint: None }
    }
}
