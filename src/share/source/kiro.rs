//! Kiro: agents and steering files.
//!
//! Kiro's own default agent reads the steering files, and other agents only where their resources
//! name them; so the unconditional ones go to the default profile.

use super::agent;
use super::harvest::{Harvest, Part, add};
use super::steering::{self, Inclusion};
use crate::entry::{Attributes, Entry, Scope, ScopedEntry};
use crate::guard::names::holds_secrets;
use crate::select::{self, Options};
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
            let Some(text) = harvest.text(&file) else { continue };
            match steering::inclusion(&text) {
                Inclusion::Always => {
                    let mut left_out = Vec::new();
                    add(&mut list, &file, &mut left_out);
                    harvest.left_out(&file, left_out);
                }
                Inclusion::Conditional(how) => {
                    harvest.left_out(&file, vec![format!("all of it (inclusion: {how})")]);
                }
            }
        }
        if !list.paths.is_empty() {
            let name = ProfileName::default_profile().to_string();
            harvest.take(Part { name, file: directory.to_owned(), list });
        }
    }
}

fn steering_files(harvest: &mut Harvest, directory: &str) -> Vec<String> {
    let attributes = Attributes { ignore: false, ..Attributes::default() };
    let entry = Entry { attributes, ..Entry::new(format!("{directory}/**/*.md")) };
    let entries = [ScopedEntry { scope: Scope::Session, entry }];
    let options = Options { max_matches: MAX_FILES, ..Options::new(holds_secrets) };
    match select::select(&entries, harvest.world, &options) {
        Ok(selected) => {
            for skipped in &selected.skipped {
                harvest.left_out(skipped.label.as_str(), vec![format!("all of it ({})", skipped.reason)]);
            }
            selected.files.into_iter().map(|file| file.label.to_string()).collect()
        }
        Err(error) => {
            harvest.left_out(directory, vec![format!("all of it ({error})")]);
            Vec::new()
        }
    }
}
