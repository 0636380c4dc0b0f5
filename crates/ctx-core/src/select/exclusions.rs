//! What exclusions exclude of a walk.
//!
//! An exclusion lies idle until the walk comes to the directory in which it begins. The names on the way
//! there are compared as one path and are no components, so there is no limit to them.

use super::resolve::Start;
use super::tree;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::entry::lists::Lists;
use crate::entry::positions::{Components, Dots, Positions};

use super::live::{Live, enter};
use crate::fs::names::last_name;

/// A start of an exclusion.
#[derive(Debug)]
pub struct Unwanted {
    /// The rank of the entry; `None` for what is left out without one.
    pub entry: Option<usize>,
    /// The lists that it holds for.
    pub binds: Lists,
    /// Where, and what.
    pub start: Start,
}

/// The names from one directory to another below it; `None` if it is not.
pub fn names_between(above: &Path, below: &Path) -> Option<Vec<Vec<u8>>> {
    let between = below.strip_prefix(above).ok()?;
    Some(between.iter().map(|name| tree::bytes_of(Path::new(name))).collect())
}

/// The exclusions of one walk.
#[derive(Debug, Default)]
pub struct Exclusions {
    all: Vec<Exclusion>,
    /// By the directory, from the root of the walk, where they begin; the root itself is empty.
    by_directory: BTreeMap<Vec<u8>, Vec<Live>>,
}

#[derive(Debug)]
struct Exclusion {
    /// The rank of its entry, if it has one.
    entry: Option<usize>,
    /// Whether it has taken anything out.
    used: AtomicBool,
    /// The lists that it holds for.
    binds: Lists,
    components: Components,
}

/// What is known of an exclusion before the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outright {
    /// It excludes the root of the walk, or a directory above.
    Everything,
    /// That depends on what is found.
    Nothing,
}

impl Exclusions {
    /// Adds an exclusion as seen from the root of the walk.
    pub fn add(&mut self, unwanted: &Unwanted, root: &Path) -> Outright {
        let components = &unwanted.start.glob.components;
        let mut positions = Positions::start(components);
        let mut directory = Vec::new();
        if let Some(names) = names_between(&unwanted.start.root, root) {
            for name in &names {
                if positions.accepts(components, name, Dots::Plain) {
                    return Outright::Everything;
                }
                positions = positions.enter(components, name, Dots::Plain);
            }
        } else if let Some(names) = names_between(root, &unwanted.start.root) {
            directory = names.join(&b'/');
        } else {
            return Outright::Nothing;
        }
        if !positions.is_dead() {
            let index = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
            self.all.push(Exclusion {
                entry: unwanted.entry,
                used: AtomicBool::new(false),
                binds: unwanted.binds,
                components: components.clone(),
            });
            self.by_directory.entry(directory).or_default().push(Live { index, positions });
        }
        Outright::Nothing
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Those that may match below the root.
    #[must_use]
    pub fn at_root(&self) -> Vec<Live> {
        self.by_directory.get(&b""[..]).cloned().unwrap_or_default()
    }

    /// Those that may match below the directory `path`, of which `live` are those of the directory above.
    #[must_use]
    pub fn enter(&self, live: &[Live], path: &[u8]) -> Vec<Live> {
        let components = |index: u32| &self.all[index as usize].components;
        let mut entered = enter(live, last_name(path), Dots::Plain, components);
        if let Some(beginning) = self.by_directory.get(path) {
            entered.extend(beginning);
        }
        entered
    }

    /// The lists for which `name` is excluded, in the directory of those that are `live`.
    #[must_use]
    pub fn name_from(&self, live: &[Live], name: &[u8]) -> Lists {
        let matched = live.iter().filter_map(|live| {
            let exclusion = &self.all[live.index as usize];
            live.positions.accepts(&exclusion.components, name, Dots::Plain).then_some(exclusion.binds)
        });
        matched.fold(Lists::NONE, Lists::and)
    }

    /// Notes that what is called `name` was taken out of entries of a list; by which exclusion first, by
    /// the rank of its entry.
    pub fn note_taken(&self, live: &[Live], name: &[u8], list: Lists) -> Option<usize> {
        let takers = live.iter().map(|live| (live, &self.all[live.index as usize])).filter(|(live, one)| {
            one.binds.meets(list) && live.positions.accepts(&one.components, name, Dots::Plain)
        });
        let ranks = takers.filter_map(|(_, exclusion)| {
            exclusion.used.store(true, Ordering::Relaxed);
            exclusion.entry
        });
        ranks.min()
    }

    /// The same for a path from the root: it or a directory above is taken out.
    pub fn note_path_taken(&self, relative: &[u8], list: Lists) -> Option<usize> {
        let mut live = self.at_root();
        let slashes = relative.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        for end in slashes.chain([relative.len()]) {
            let path = &relative[..end];
            let taken = self.note_taken(&live, last_name(path), list);
            if taken.is_some() {
                return taken;
            }
            live = self.enter(&live, path);
        }
        None
    }

    /// The ranks of the entries that have taken anything out.
    pub fn used(&self) -> impl Iterator<Item = usize> {
        self.all.iter().filter(|one| one.used.load(Ordering::Relaxed)).filter_map(|one| one.entry)
    }

    /// The lists for which a path from the root is excluded, it or a directory above.
    #[must_use]
    pub fn path_from(&self, relative: &[u8]) -> Lists {
        let mut live = self.at_root();
        let mut excluded = Lists::NONE;
        let slashes = relative.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        for end in slashes.chain([relative.len()]) {
            let path = &relative[..end];
            excluded = excluded.and(self.name_from(&live, last_name(path)));
            live = self.enter(&live, path);
        }
        excluded
    }
}
