//! What exclusions exclude from a walk.
//!
//! An exclusion does nothing until the walk reaches the directory in which it begins. The names on the way there
//! are compared as one path, not as components, so their number is unlimited.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::entry::component::{Component, bytes_in};
use crate::entry::lists::Lists;
use crate::entry::positions::{Components, Dots, Positions};

use super::file::EntryId;
use super::missed::MissedReason;
use super::resolve::Start;
use crate::fs::directory;
use crate::fs::names::{below, is_at_or_below, last_name, parent_of};

/// A pattern or exclusion that may still match further down, and its positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Live {
    /// Its index.
    pub index: u32,
    /// The bytes that a name must contain to match the last component.
    needed: u64,
    /// How far it has matched.
    pub positions: Positions,
}

impl Live {
    /// The state before any directory is entered.
    #[must_use]
    pub fn start(index: u32, components: &Components) -> Self {
        Self::after(index, components, Positions::start(components))
    }

    fn after(index: u32, components: &Components, positions: Positions) -> Self {
        Self { index, needed: components.last().map_or(0, Component::bytes_needed), positions }
    }

    /// The state after entering the directory `name`.
    #[must_use]
    pub fn enter(self, components: &Components, name: &[u8], dots: Dots) -> Self {
        Self { positions: self.positions.enter(components, name, dots), ..self }
    }

    /// Whether a name with these bytes, from [`bytes_in`], can match. Most names cannot match, and so need
    /// not be compared.
    #[must_use]
    pub fn may_accept(self, bytes: u64) -> bool {
        self.needed & !bytes == 0
    }
}

/// The names from one directory to another below it; `None` if it is not below.
pub fn names_between(above: &Path, below: &Path) -> Option<Vec<Vec<u8>>> {
    let between = below.strip_prefix(above).ok()?;
    Some(between.iter().map(|name| directory::bytes_of(Path::new(name))).collect())
}

/// The exclusions of a command.
#[derive(Debug, Default)]
pub struct Exclusions {
    all: Vec<PathExclusion>,
    /// Exclusions with wildcards, by the directory that they begin in.
    by_directory: BTreeMap<PathBuf, Vec<u32>>,
    /// Exclusions of one path and everything below it. There may be many, so they are looked up by path
    /// instead of compared one by one.
    by_path: HashMap<Vec<u8>, Vec<u32>>,
}

#[derive(Debug)]
struct PathExclusion {
    /// Its index among all exclusions.
    index: u32,
    /// The reason to report for what it excludes, if any: usually its entry.
    why: Option<MissedReason>,
    /// Whether it has excluded anything.
    used: AtomicBool,
    /// The lists that it applies to.
    binds: Lists,
    components: Components,
}

impl PathExclusion {
    /// Its entry, if it has one.
    fn entry(&self) -> Option<EntryId> {
        if let Some(MissedReason::Excluded(id)) = self.why { Some(id) } else { None }
    }
}

impl Exclusions {
    /// Adds exclusions that apply to these lists, with the reason to report, if any. Call this in the order
    /// in which entries apply.
    pub fn add(&mut self, why: Option<MissedReason>, binds: Lists, starts: impl IntoIterator<Item = Start>) {
        for start in starts {
            let index = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
            let components = start.glob.components;
            match &*components {
                [Component::Literal(name)] => {
                    let path = below(&directory::bytes_of(&start.root), name);
                    self.by_path.entry(path).or_default().push(index);
                }
                [] => {}
                [_, ..] => self.by_directory.entry(start.root).or_default().push(index),
            }
            let (why, used) = (why.clone(), AtomicBool::new(false));
            self.all.push(PathExclusion { index, why, used, binds, components });
        }
    }

    /// The entries that have excluded anything.
    pub fn used(&self) -> impl Iterator<Item = EntryId> {
        self.all.iter().filter(|one| one.used.load(Ordering::Relaxed)).filter_map(PathExclusion::entry)
    }

    /// Calls `note` with the index of each path and each entry that excludes it or a parent directory; more
    /// than once if several alternatives of the entry do.
    pub fn each_taken(&self, paths: &[PathBuf], mut note: impl FnMut(usize, EntryId)) {
        let mut order: Vec<usize> = (0..paths.len()).collect();
        order.sort_unstable_by(|a, b| paths[*a].cmp(&paths[*b]));
        let top = |path: &'_ Path| path.ancestors().last().map(Path::to_owned).unwrap_or_default();
        for same_top in order.chunk_by(|a, b| top(&paths[*a]) == top(&paths[*b])) {
            let root = top(&paths[same_top[0]]);
            let seen = self.from(&root);
            let mut entered = vec![Entered { path: Vec::new(), live: seen.at_root(), takers: Vec::new() }];
            for place in same_top {
                let path = directory::bytes_of(paths[*place].strip_prefix(&root).unwrap_or(&paths[*place]));
                seen.come_to(parent_of(&path), &mut entered);
                let Some(directory) = entered.last() else { continue };
                let own = seen.matching(&directory.live, &path, |_| true).filter_map(PathExclusion::entry);
                directory.takers.iter().copied().chain(own).for_each(|entry| note(*place, entry));
            }
        }
    }

    /// The exclusions as a walk from this directory sees them.
    #[must_use]
    pub fn from(&self, root: &Path) -> WalkExclusions<'_> {
        let mut seen = WalkExclusions {
            all: self,
            root: directory::bytes_of(root),
            outright: Vec::new(),
            at_root: Vec::new(),
            by_directory: BTreeMap::new(),
        };
        let directories: Vec<&Path> = root.ancestors().collect();
        for path in directories.iter().rev() {
            seen.outright.extend(self.by_path.get(&directory::bytes_of(path)).into_iter().flatten());
        }
        for above in directories {
            for index in self.by_directory.get(above).into_iter().flatten() {
                seen.begin_above(*index, above, root);
            }
        }
        let is_below = |(directory, _): &(&PathBuf, &Vec<u32>)| directory.starts_with(root);
        let below = self.by_directory.range::<Path, _>((Bound::Excluded(root), Bound::Unbounded));
        for (directory, indices) in below.take_while(is_below) {
            let names = names_between(root, directory).unwrap_or_default();
            let live = |index: &u32| Live::start(*index, &self.all[*index as usize].components);
            seen.by_directory.insert(names.join(&b'/'), indices.iter().map(live).collect());
        }
        seen
    }
}

/// A directory on the way down.
struct Entered {
    /// Its path from the root.
    path: Vec<u8>,
    /// The exclusions that may match in it.
    live: Vec<Live>,
    /// The entries of the exclusions that exclude it.
    takers: Vec<EntryId>,
}

/// The exclusions of a command as one walk sees them.
#[derive(Debug)]
pub struct WalkExclusions<'a> {
    all: &'a Exclusions,
    /// The root of the walk.
    root: Vec<u8>,
    /// Exclusions of the root of the walk, or of a directory above it.
    outright: Vec<u32>,
    /// Exclusions that may match below the root.
    at_root: Vec<Live>,
    /// By the directory in which they begin, relative to the root of the walk.
    by_directory: BTreeMap<Vec<u8>, Vec<Live>>,
}

impl WalkExclusions<'_> {
    /// Notes an exclusion that begins in the root of the walk or above.
    fn begin_above(&mut self, index: u32, directory: &Path, root: &Path) {
        let components = &self.all.all[index as usize].components;
        let mut positions = Positions::start(components);
        for name in names_between(directory, root).unwrap_or_default() {
            if positions.accepts(components, &name, Dots::Plain) {
                self.outright.push(index);
                return;
            }
            positions = positions.enter(components, &name, Dots::Plain);
        }
        if !positions.is_dead() {
            self.at_root.push(Live::after(index, components, positions));
        }
    }

    /// The lists for which the whole walk is excluded, each with the reason.
    pub fn outright(&self) -> impl Iterator<Item = (Lists, Option<&MissedReason>)> {
        let all = self.outright.iter().map(|index| &self.all.all[*index as usize]);
        all.map(|one| (one.binds, one.why.as_ref()))
    }

    /// Whether there are no exclusions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.at_root.is_empty() && self.by_directory.is_empty() && self.all.by_path.is_empty()
    }

    /// The exclusions that may match below the root.
    #[must_use]
    pub fn at_root(&self) -> Vec<Live> {
        self.at_root.clone()
    }

    /// The exclusions that may match below the directory `path`; `live` are those of the directory's parent.
    #[must_use]
    pub fn enter(&self, live: &[Live], path: &[u8]) -> Vec<Live> {
        let name = last_name(path);
        let components = |one: &Live| &self.all.all[one.index as usize].components;
        let entered = live.iter().map(|one| one.enter(components(one), name, Dots::Plain));
        let beginning = self.by_directory.get(path).into_iter().flatten().copied();
        entered.filter(|one| !one.positions.is_dead()).chain(beginning).collect()
    }

    /// The exclusions that match a path from the root and pass the filter `asked`. `live` are those of its
    /// directory.
    fn matching<'a>(
        &'a self,
        live: &'a [Live],
        path: &'a [u8],
        asked: impl Fn(&PathExclusion) -> bool + 'a,
    ) -> impl Iterator<Item = &'a PathExclusion> {
        let of = |index: u32| &self.all.all[index as usize];
        let by_path = Some(&self.all.by_path).filter(|by_path| !by_path.is_empty());
        let exact = by_path.and_then(|by_path| by_path.get(&below(&self.root, path)));
        let exact = exact.into_iter().flatten().map(move |index| of(*index));
        let name = last_name(path);
        let bytes = bytes_in(name);
        let accepts = move |live: &&Live| {
            let exclusion = of(live.index);
            asked(exclusion) && live.positions.accepts(&exclusion.components, name, Dots::Plain)
        };
        let may = live.iter().filter(move |live| live.may_accept(bytes));
        may.filter(accepts).map(move |live| of(live.index)).chain(exact)
    }

    /// The lists for which a path from the root is excluded, in a directory with the exclusions `live`.
    #[must_use]
    pub fn path_from_live(&self, live: &[Live], path: &[u8]) -> Lists {
        let excluded = Cell::new(Lists::NONE);
        let adds = |exclusion: &PathExclusion| !excluded.get().hold(exclusion.binds);
        for exclusion in self.matching(live, path, adds) {
            excluded.set(excluded.get().and(exclusion.binds));
        }
        excluded.get()
    }

    /// Leaves and enters directories until the last one in `entered` has this path.
    fn come_to(&self, path: &[u8], entered: &mut Vec<Entered>) {
        entered.retain(|directory| is_at_or_below(path, &directory.path));
        let from = entered.last().map_or(0, |directory| directory.path.len());
        let ends = (from + 1..=path.len()).filter(|end| path.get(*end).is_none_or(|byte| *byte == b'/'));
        for end in ends {
            let Some(above) = entered.last() else { return };
            let path = path[..end].to_vec();
            let own = self.matching(&above.live, &path, |_| true).filter_map(PathExclusion::entry);
            let takers = above.takers.iter().copied().chain(own).collect();
            entered.push(Entered { live: self.enter(&above.live, &path), takers, path });
        }
    }

    /// Notes that a path from the root was excluded from a list's entries, and returns the first reason.
    pub fn note_taken(&self, live: &[Live], path: &[u8], list: Lists) -> Option<&MissedReason> {
        let first: Cell<Option<u32>> = Cell::new(None);
        let asked = |one: &PathExclusion| {
            let is_later = first.get().is_some_and(|index| index < one.index);
            one.binds.meets(list) && !(is_later && one.used.load(Ordering::Relaxed))
        };
        for exclusion in self.matching(live, path, asked).filter(|one| one.binds.meets(list)) {
            exclusion.used.store(true, Ordering::Relaxed);
            let own = exclusion.why.as_ref().map(|_| exclusion.index);
            first.set(first.get().into_iter().chain(own).min());
        }
        first.get().and_then(|index| self.all.all[index as usize].why.as_ref())
    }

    /// Like [`Self::note_taken`], but for a path from the root that may also be excluded by a parent
    /// directory.
    pub fn note_path_taken(&self, relative: &[u8], list: Lists) -> Option<&MissedReason> {
        let mut live = self.at_root();
        let slashes = relative.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        for end in slashes.chain([relative.len()]) {
            let path = &relative[..end];
            let taken = self.note_taken(&live, path, list);
            if taken.is_some() {
                return taken;
            }
            live = self.enter(&live, path);
        }
        None
    }

    /// The lists for which a path from the root is excluded, itself or by a parent directory.
    #[must_use]
    pub fn path_from(&self, relative: &[u8]) -> Lists {
        let mut live = self.at_root();
        let mut excluded = Lists::NONE;
        let slashes = relative.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        for end in slashes.chain([relative.len()]) {
            let path = &relative[..end];
            excluded = excluded.and(self.path_from_live(&live, path));
            live = self.enter(&live, path);
        }
        excluded
    }
}
