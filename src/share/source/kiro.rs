//! Kiro: agents and steering files.
//!
//! Kiro's own default agent reads the steering files, and other agents only where their resources
//! name them; so the unconditional ones go to the default profile.

use super::agent;
use super::harvest::{Harvest, Part, add, clipped};
use crate::entry::{Attributes, Entry, Scope, ScopedEntry};
use crate::front_matter;
use crate::guard::names::holds_secrets;
use crate::read::{self, Limits, Page, Unreadable};
use crate::select::{self, File, NO_ENTRY, Options};
use crate::store::{List, ProfileName};

const AGENTS: [&str; 2] = [".kiro/agents", "~/.kiro/agents"];
const STEERING: [&str; 2] = ["~/.kiro/steering", ".kiro/steering"];
/// How many steering files are read.
const MAX_FILES: usize = 10_000;

/// Where all this lies.
pub(super) const PLACES: [&str; 2] = ["~/.kiro", ".kiro"];

pub(super) fn read(harvest: &mut Harvest) {
    agent::take(harvest, &AGENTS, Some(".md"));
    for directory in harvest.distinct(&STEERING) {
        let mut list = List::default();
        for file in steering_files(harvest, directory) {
            let name = file.label.as_str();
            let left_out = match reason_against(harvest, &file) {
                Some(reason) => vec![format!("all of it ({reason})")],
                None => {
                    let mut left_out = Vec::new();
                    add(&mut list, name, &mut left_out);
                    left_out
                }
            };
            harvest.left_out(name, left_out);
        }
        if !list.paths.is_empty() {
            let name = ProfileName::default_profile().to_string();
            harvest.take(Part { name, file: directory.to_owned(), list });
        }
    }
}

/// Why a file is no unconditional part of the context, or cannot be.
fn reason_against(harvest: &Harvest, file: &File) -> Option<String> {
    if !file.is_named_by_label(harvest.world) {
        return Some(NO_ENTRY.to_owned());
    }
    let mut buffer = Page::default();
    let opened = file.place.open().map_err(Unreadable::from);
    match opened.and_then(|opened| read::read(opened, Limits::default(), &mut buffer)) {
        Ok(text) => match front_matter::condition(&text.text) {
            Ok(condition) => condition.map(|condition| clipped(&condition)),
            Err(unclear) => Some(unclear.to_string()),
        },
        Err(error) => Some(error.to_string()),
    }
}

fn steering_files(harvest: &mut Harvest, directory: &str) -> Vec<File> {
    let attributes = Attributes { ignore: false, ..Attributes::default() };
    let entry = Entry { attributes, ..Entry::new(format!("{directory}/**/*.md")) };
    let entries = [ScopedEntry { scope: Scope::Session, entry }];
    let options = Options { irregular: true, max_matches: MAX_FILES, ..Options::new(holds_secrets) };
    match select::select(&entries, harvest.world, &options) {
        Ok(selected) => {
            for skipped in &selected.skipped {
                harvest.left_out(skipped.label.as_str(), vec![format!("all of it ({})", skipped.reason)]);
            }
            for problem in selected.entries.iter().filter_map(|report| report.problem.as_ref()) {
                harvest.left_out(directory, vec![format!("all of it ({problem})")]);
            }
            selected.files
        }
        Err(error) => {
            harvest.left_out(directory, vec![format!("all of it ({error})")]);
            Vec::new()
        }
    }
}
