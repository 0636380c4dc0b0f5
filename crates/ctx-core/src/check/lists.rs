//! What is wrong with the lists themselves, those that no plan has looked at included.

use super::{Finding, Group};
use crate::entry::Scope;
use crate::share::{Bundle, Flaw, Invalid};
use crate::store::{ListTarget, Store};
use crate::world::World;

/// Entries of any list that no command would take. The global list and the profile of a
/// plan, if there is one, are only asked for what the plan cannot know. What their patterns match, nobody
/// looks up: that depends on the directory in which a profile is used.
#[must_use]
pub fn of_lists(store: &Store, world: &World, planned: Option<&str>) -> Vec<Finding> {
    // What cannot be read is a finding of its own.
    let names = store.profiles().unwrap_or_default();
    let profiles = names.into_iter().filter_map(|name| Some((name.clone(), store.profile(&name).ok()?)));
    let lists = Bundle { global: store.global().ok(), profiles: profiles.collect(), unknown: Vec::new() };
    let is_planned = |target: &ListTarget| match target {
        ListTarget::Global => planned.is_some(),
        ListTarget::Profile(name) => planned == Some(name.as_str()),
    };
    let mut findings: Vec<Finding> = Vec::new();
    for flawed in lists.invalid(world) {
        if !(is_planned(&flawed.target) && matches!(flawed.flaw, Flaw::Path(_) | Flaw::Kind(_))) {
            findings.push(invalid(flawed, is_planned));
        }
    }
    findings
}

fn invalid(flawed: Invalid, is_planned: impl Fn(&ListTarget) -> bool) -> Finding {
    let Invalid { target, path, flaw } = flawed;
    let (code, text) = match flaw {
        Flaw::Path(error) => ("invalid", error.to_string()),
        Flaw::Kind(error) => ("invalid", error.to_string()),
        Flaw::StandardInput => ("invalid", "it is standard input, which cannot be stored".to_owned()),
        Flaw::Attribute(attribute) => ("invalid", format!("'{attribute}' does not apply to it")),
        Flaw::Tag { tag, error } => ("invalid-tag", format!("invalid tag '{tag}': {error}")),
    };
    let profile = if is_planned(&target) { None } else { profile(&target) };
    Finding { scope: Some(scope(&target)), profile, ..Finding::new(Group::Entries, code, path, text) }
}

fn scope(target: &ListTarget) -> Scope {
    match target {
        ListTarget::Global => Scope::Global,
        ListTarget::Profile(_) => Scope::Profile,
    }
}

fn profile(target: &ListTarget) -> Option<String> {
    match target {
        ListTarget::Global => None,
        ListTarget::Profile(name) => Some(name.to_string()),
    }
}
