//! The names of a reply that are of use.

use super::request::labels;
use crate::guard::Findings;
use crate::plan::{Plan, PlanError, occurring};
use crate::world::World;

/// The most names and paths that are used.
const MOST: usize = 40;

/// The names and paths that a model chose.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chosen {
    /// Names that occur in the files.
    pub names: Vec<String>,
    /// Paths of files that are looked through.
    pub paths: Vec<String>,
    /// How many others the reply has.
    pub dropped: usize,
}

impl Chosen {
    /// The names and paths that occur in the files of a first search.
    ///
    /// # Errors
    /// If the files can't be read.
    pub fn among(named: &[String], first: &Plan, world: &World) -> Result<Self, PlanError> {
        let labels = labels(first);
        let path = |name: &str| {
            let place = name.strip_prefix("./").unwrap_or(name);
            let file = place.split_once(':').map_or(place, |(file, _)| file);
            labels.binary_search(&file).ok().map(|found| labels[found].to_owned())
        };
        let paths: Vec<Option<String>> = named.iter().map(|name| path(name)).collect();
        let others: Vec<&str> = named.iter().map(String::as_str).filter(|name| !leads_away(name)).collect();
        let there = occurring(first, world, &others)?;
        let occur: Vec<&str> =
            others.into_iter().zip(there).filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect();
        let mut chosen = Self::default();
        for (name, path) in named.iter().zip(paths) {
            let is_full = chosen.names.len() + chosen.paths.len() >= MOST;
            match path {
                Some(path) if !is_full && !chosen.paths.contains(&path) => chosen.paths.push(path),
                None if !is_full && occur.contains(&name.as_str()) => chosen.names.push(safe(name)),
                Some(_) | None => chosen.dropped += 1,
            }
        }
        Ok(chosen)
    }

    /// Whether nothing is of use.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty()
    }

    /// The names and then the paths.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.names.iter().chain(&self.paths).map(String::as_str)
    }
}

/// Whether a text is a path to somewhere else, which can't be a name of the code.
fn leads_away(text: &str) -> bool {
    let is_absolute = text.strip_prefix('/').is_some_and(|rest| rest.contains('/')) || text.starts_with("~/");
    is_absolute || text.split(['/', '\\']).any(|part| part == "..")
}

/// A name without secrets and hidden characters.
fn safe(name: &str) -> String {
    Findings::default().clean(name.to_owned())
}
