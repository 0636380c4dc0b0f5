//! Which to-do list a command is about.

use clap::Args;
use clap_complete::ArgValueCandidates;
use ctx_core::store::ProfileName;
use ctx_core::todo::TodoList;
use std::str::FromStr;

use crate::complete;

/// Which list.
#[derive(Debug, Clone, Default, Args)]
pub struct ListOption {
    /// The list (default: 'default')
    #[arg(short, long, global = true, value_name = "NAME", add = ArgValueCandidates::new(complete::todo_lists))]
    pub(super) list: Option<ListName>,
}

impl ListOption {
    /// The list that is meant, whether it is there or not.
    pub(super) fn name(&self) -> ProfileName {
        self.list.as_ref().map_or_else(ProfileName::default_profile, |list| list.0.clone())
    }
}

#[derive(Debug, Clone)]
pub(super) struct ListName(pub(super) ProfileName);

impl FromStr for ListName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self).map_err(|_| ProfileName::RULE.to_owned())
    }
}

/// How far a list is, for confirmations.
pub(super) fn progress(list: &TodoList) -> String {
    format!("{}/{} done", list.done(), list.tasks.len())
}
