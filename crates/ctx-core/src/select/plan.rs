//! Which walks to make: one for all patterns that start in the same directory, or in one that a walk
//! comes through anyway.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;

use crate::entry::component::Component;
use crate::entry::lists::Lists;
use crate::entry::positions::{Components, Dots, Positions};

use super::exclusions::{Exclusions, Outright, Unwanted, names_between};
use super::ground::Ground;
use super::ignore_rules::{Judged, Rules, Ruling, base_of};
use super::options::{Bounds, Options};
use super::outputs::Outputs;
use super::report::Problem;
use super::resolve::Start;
use super::rule_file::{DecidedBy, UnsafeFile};
use super::skipped::SkipReason;
use super::tree;
use super::walk::{Pattern, Walk};

/// A start with what its entry says.
#[derive(Debug)]
pub struct Wanted {
    /// The rank of the entry.
    pub entry: usize,
    /// Its list.
    pub list: Lists,
    /// Where, and what.
    pub start: Start,
    /// Whether the ignore rules hold.
    pub rules: bool,
    /// Whether names that suggest secrets are matched.
    pub secrets: bool,
    /// Whether it is a directory entry.
    pub directory: bool,
}

/// What all walks share.
#[derive(Debug, Clone, Copy)]
pub struct Common<'a> {
    /// The machine, what the command asks, and the tree.
    pub ground: &'a Ground<'a>,
    /// The current directory, canonical.
    pub cwd: &'a Path,
    /// What is never read.
    pub outputs: &'a Outputs,
    /// How much may be looked through, where that is bounded.
    pub bounds: Option<Bounds>,
    /// How many files have been found.
    pub count: &'a AtomicUsize,
}

impl Common<'_> {
    /// How many files may be found.
    pub fn limit(&self) -> usize {
        self.bounds.map_or(self.ground.options.max_matches, |bounds| bounds.files)
    }

    fn needs_metadata(&self) -> bool {
        let Options { metadata, newer_than, .. } = self.ground.options;
        *metadata || newer_than.is_some() || self.bounds.is_some()
    }
}

/// The walks, and what stood in the way of others.
#[derive(Debug, Default)]
pub struct WalkPlan<'a> {
    /// In order of their roots.
    pub walks: Vec<Walk<'a>>,
    /// Starts that no walk can take up.
    pub obstacles: Vec<Obstacle>,
    /// The ranks of the exclusions that exclude all of a walk.
    pub used_exclusions: Vec<usize>,
}

impl WalkPlan<'_> {
    /// Whether another walk goes through directories of this one.
    #[must_use]
    pub fn overlaps(&self, walk: &Walk<'_>) -> bool {
        let own = walk.tree.path();
        let meets = |other: &Path| other != own && (other.starts_with(own) || own.starts_with(other));
        self.walks.iter().any(|other| meets(other.tree.path()))
    }
}

/// Why a start leads nowhere.
#[derive(Debug)]
pub struct Obstacle {
    /// The rank of the entry.
    pub entry: usize,
    /// The directory as given.
    pub given: String,
    /// Why.
    pub reason: ObstacleReason,
}

/// Why a start leads nowhere.
#[derive(Debug)]
pub enum ObstacleReason {
    /// An ignore rule leaves the directory out.
    Ignored(DecidedBy),
    /// An exclusion takes the directory out, by the rank of its entry.
    Excluded(usize),
    /// Something to be listed among what was skipped.
    Skipped(SkipReason),
    /// It cannot be opened.
    Problem(Problem),
}

struct Group {
    root: PathBuf,
    base: PathBuf,
    patterns: Vec<Pattern>,
}

/// Plans the walks.
#[must_use]
pub fn plan<'a>(wanted: Vec<Wanted>, unwanted: &[Unwanted], common: Common<'a>) -> WalkPlan<'a> {
    let mut by_root: BTreeMap<PathBuf, Vec<Wanted>> = BTreeMap::new();
    for one in wanted {
        by_root.entry(one.start.root.clone()).or_default().push(one);
    }
    let mut groups: Vec<Group> = Vec::new();
    for (root, wanted) in by_root {
        let base = base_of(&root, common.cwd, common.ground.world);
        if !groups.iter_mut().any(|group| group.base == base && group.join(&root, &wanted)) {
            let whole = |one: &Wanted| pattern(one, one.start.glob.components.clone(), 0);
            let patterns = wanted.iter().map(whole).collect();
            groups.push(Group { root, base, patterns });
        }
    }
    let mut plan = WalkPlan::default();
    for group in groups {
        prepare(group, unwanted, common, &mut plan);
    }
    plan
}

impl Group {
    /// Adds what is wanted from `root` on, if the walk comes through that directory and the names on
    /// the way there leave the patterns short enough.
    fn join(&mut self, root: &Path, wanted: &[Wanted]) -> bool {
        let Some(names) = names_between(&self.root, root).filter(|names| self.comes_through(names)) else {
            return false;
        };
        let skip = names.iter().map(|name| name.len() + 1).sum();
        let prefixed = |one: &Wanted| {
            let literal = names.iter().map(|name| Component::Literal(name.as_slice().into()));
            Some(pattern(one, one.start.glob.components.after(literal)?, skip))
        };
        let joining: Option<Vec<Pattern>> = wanted.iter().map(prefixed).collect();
        let joins = joining.is_some();
        self.patterns.extend(joining.unwrap_or_default());
        joins
    }

    /// Takes patterns out of the group, which come to nothing.
    fn give_up(
        &mut self,
        plan: &mut WalkPlan<'_>,
        which: impl Fn(&Pattern) -> bool,
        reason: impl Fn() -> ObstacleReason,
    ) {
        let gone = self.patterns.extract_if(.., |pattern| which(pattern));
        let obstacle = |Pattern { entry, given, .. }| Obstacle { entry, given, reason: reason() };
        plan.obstacles.extend(gone.map(obstacle));
    }

    /// Whether the walk reads the directory of that path in any case.
    fn comes_through(&self, names: &[Vec<u8>]) -> bool {
        self.patterns.iter().map(|pattern| &pattern.components).any(|components| {
            let enter =
                |positions: Positions, name: &Vec<u8>| positions.enter(components, name, Dots::Literal);
            !names.iter().fold(Positions::start(components), enter).is_dead()
        })
    }
}

fn pattern(wanted: &Wanted, components: Components, skip: usize) -> Pattern {
    Pattern {
        entry: wanted.entry,
        list: wanted.list,
        components,
        given: wanted.start.given.clone(),
        skip,
        rules: wanted.rules,
        secrets: wanted.secrets,
        directory: wanted.directory,
    }
}

fn prepare<'a>(mut group: Group, unwanted: &[Unwanted], common: Common<'a>, plan: &mut WalkPlan<'a>) {
    let mut exclusions = Exclusions::default();
    for one in unwanted {
        if exclusions.add(one, &group.root) == Outright::Everything {
            let reason = || match one.entry {
                Some(rank) => ObstacleReason::Excluded(rank),
                None => ObstacleReason::Problem(Problem::InsideGit),
            };
            let known = plan.obstacles.len();
            group.give_up(plan, |pattern| pattern.list.meets(one.binds), reason);
            if plan.obstacles.len() > known {
                plan.used_exclusions.extend(one.entry);
            }
        }
    }
    let mut prefix = tree::bytes_of(group.root.strip_prefix(&group.base).unwrap_or(Path::new("")));
    let mut layers = None;
    let mut rules = None;
    let is_governed = |pattern: &Pattern| pattern.rules;
    if group.patterns.iter().any(is_governed) {
        match Rules::new(group.base.clone(), common.ground.world) {
            Ok(read) => {
                let Judged { layers: above, verdict } = read.judge(&prefix, true);
                layers = above;
                match verdict {
                    Ruling::Ignored(by) => {
                        group.give_up(plan, is_governed, || ObstacleReason::Ignored(by.clone()))
                    }
                    Ruling::Unsafe(problem) => group.give_up(plan, is_governed, || unsafe_rules(&problem)),
                    Ruling::Unmentioned | Ruling::Kept(_) => rules = Some(read),
                }
            }
            Err(problem) => group.give_up(plan, is_governed, || unsafe_rules(&problem)),
        }
    }
    if group.patterns.is_empty() {
        return;
    }
    let tree = match common.ground.open(&group.root) {
        Ok(tree) => tree,
        Err(error) => {
            group.give_up(plan, |_| true, || ObstacleReason::Problem(Problem::of(&error)));
            return;
        }
    };
    if !prefix.is_empty() {
        prefix.push(b'/');
    }
    plan.walks.push(Walk {
        tree,
        patterns: group.patterns,
        exclusions,
        rules,
        prefix,
        layers,
        outputs: common.outputs,
        secret: common.ground.options.secret,
        metadata: common.needs_metadata(),
        irregular: common.ground.options.irregular,
        limit: common.limit(),
        count: common.count,
    });
}

fn unsafe_rules(problem: &UnsafeFile) -> ObstacleReason {
    ObstacleReason::Skipped(SkipReason::UnsafeRules(problem.kind))
}
