//! Which walks to make: one for all patterns that start in the same directory, or in one that a walk
//! comes through anyway.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::entry::Scope;
use crate::entry::component::Component;
use crate::entry::pattern::{Dots, MAX_COMPONENTS, Positions};
use crate::world::World;

use super::ignore_rules::{Judged, Rules, Verdict, base_of};
use super::options::Options;
use super::outputs::Outputs;
use super::report::Problem;
use super::resolve::Start;
use super::rule_file::DecidedBy;
use super::skipped::SkipReason;
use super::tree::{self, Tree};
use super::walk::{Exclusion, Pattern, Walk};

/// A start with what its entry says.
#[derive(Debug)]
pub struct Wanted {
    /// The rank of the entry.
    pub entry: usize,
    /// Its scope.
    pub scope: Scope,
    /// Where, and what.
    pub start: Start,
    /// Whether the ignore rules hold.
    pub rules: bool,
    /// Whether names that hold secrets are matched.
    pub secrets: bool,
    /// Whether it is a directory entry.
    pub directory: bool,
}

/// A start of an exclusion.
#[derive(Debug)]
pub struct Unwanted {
    /// It holds for entries of this scope and later ones.
    pub scope: Scope,
    /// Where, and what.
    pub start: Start,
}

/// What all walks share.
#[derive(Debug, Clone, Copy)]
pub struct Common<'a> {
    /// The machine.
    pub world: &'a World,
    /// The current directory, canonical.
    pub cwd: &'a Path,
    /// What the command asks.
    pub options: &'a Options,
    /// What is never read.
    pub outputs: &'a Outputs,
    /// How many files have been found.
    pub count: &'a AtomicUsize,
}

/// The walks, and what stood in the way of others.
#[derive(Debug, Default)]
pub struct Plan<'a> {
    /// In order of their roots.
    pub walks: Vec<Walk<'a>>,
    /// Starts that no walk can take up.
    pub obstacles: Vec<Obstacle>,
}

impl Plan<'_> {
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
pub fn plan<'a>(wanted: Vec<Wanted>, unwanted: &[Unwanted], common: Common<'a>) -> Plan<'a> {
    let mut by_root: BTreeMap<PathBuf, Vec<Wanted>> = BTreeMap::new();
    for one in wanted {
        by_root.entry(one.start.root.clone()).or_default().push(one);
    }
    let mut groups: Vec<Group> = Vec::new();
    for (root, wanted) in by_root {
        let base = base_of(&root, common.cwd);
        let passing = groups.iter().position(|group| group.base == base && comes_through(group, &root));
        match passing {
            Some(at) => {
                let names = names_between(&groups[at].root, &root).unwrap_or_default();
                groups[at].patterns.extend(wanted.into_iter().map(|one| pattern(one, &names)));
            }
            None => {
                let patterns = wanted.into_iter().map(|one| pattern(one, &[])).collect();
                groups.push(Group { root, base, patterns });
            }
        }
    }
    let mut plan = Plan::default();
    for group in groups {
        prepare(group, unwanted, common, &mut plan);
    }
    plan
}

/// Whether the group's walk reads the directory `root` in any case.
fn comes_through(group: &Group, root: &Path) -> bool {
    let Some(names) = names_between(&group.root, root) else { return false };
    group.patterns.iter().filter(|pattern| pattern.components.len() + names.len() < MAX_COMPONENTS).any(
        |pattern| {
            let start = Positions::start(&pattern.components);
            let end = names
                .iter()
                .fold(start, |positions, name| positions.enter(&pattern.components, name, Dots::Literal));
            !end.is_dead()
        },
    )
}

fn names_between(above: &Path, below: &Path) -> Option<Vec<Vec<u8>>> {
    let between = below.strip_prefix(above).ok()?;
    Some(between.iter().map(|name| tree::bytes_of(Path::new(name))).collect())
}

fn pattern(wanted: Wanted, names: &[Vec<u8>]) -> Pattern {
    let literal = names.iter().map(|name| Component::Literal(name.as_slice().into()));
    let components = literal.chain(wanted.start.glob.components.iter().cloned()).collect();
    Pattern {
        entry: wanted.entry,
        scope: wanted.scope,
        components,
        given: wanted.start.given,
        skip: names.iter().map(|name| name.len() + 1).sum(),
        rules: wanted.rules,
        secrets: wanted.secrets,
        directory: wanted.directory,
    }
}

fn prepare<'a>(mut group: Group, unwanted: &[Unwanted], common: Common<'a>, plan: &mut Plan<'a>) {
    let mut exclusions = Vec::new();
    for one in unwanted {
        match rebase(one, &group.root) {
            Rebased::Below(exclusion) => exclusions.push(exclusion),
            Rebased::Everything => group.patterns.retain(|pattern| pattern.scope < one.scope),
            Rebased::Nothing => {}
        }
    }
    let mut prefix = tree::bytes_of(group.root.strip_prefix(&group.base).unwrap_or(Path::new("")));
    let mut layers = None;
    let mut rules = None;
    if group.patterns.iter().any(|pattern| pattern.rules) {
        match Rules::new(group.base.clone(), common.world) {
            Ok(read) => {
                let Judged { layers: above, verdict } = read.judge(&prefix, true);
                layers = above;
                match verdict {
                    Verdict::Ignored(by) => give_up(&mut group, plan, || ObstacleReason::Ignored(by.clone())),
                    Verdict::Unsafe(_) => give_up(&mut group, plan, unsafe_rules),
                    Verdict::Unmentioned | Verdict::Kept(_) => rules = Some(read),
                }
            }
            Err(_) => give_up(&mut group, plan, unsafe_rules),
        }
    }
    if group.patterns.is_empty() {
        return;
    }
    let tree = match Tree::open(&group.root) {
        Ok(tree) => Arc::new(tree),
        Err(error) => {
            let obstacle = |pattern: Pattern| Obstacle {
                entry: pattern.entry,
                given: pattern.given,
                reason: ObstacleReason::Problem(Problem::of(&error)),
            };
            plan.obstacles.extend(group.patterns.into_iter().map(obstacle));
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
        secret: common.options.secret,
        metadata: common.options.metadata || common.options.newer_than.is_some(),
        irregular: common.options.irregular,
        limit: common.options.max_matches,
        count: common.count,
    });
}

fn unsafe_rules() -> ObstacleReason {
    ObstacleReason::Skipped(SkipReason::UnsafeIgnoreFile)
}

/// Takes the patterns that honour the rules out of the group.
fn give_up(group: &mut Group, plan: &mut Plan<'_>, reason: impl Fn() -> ObstacleReason) {
    let (governed, free): (Vec<Pattern>, Vec<Pattern>) =
        std::mem::take(&mut group.patterns).into_iter().partition(|pattern| pattern.rules);
    group.patterns = free;
    plan.obstacles.extend(governed.into_iter().map(|pattern| Obstacle {
        entry: pattern.entry,
        given: pattern.given,
        reason: reason(),
    }));
}

enum Rebased {
    Below(Exclusion),
    Everything,
    Nothing,
}

/// The exclusion as seen from the root of a walk.
fn rebase(unwanted: &Unwanted, root: &Path) -> Rebased {
    let components = &unwanted.start.glob.components;
    if let Some(names) = names_between(&unwanted.start.root, root) {
        let mut positions = Positions::start(components);
        for name in &names {
            if positions.accepts(components, name, Dots::Plain) {
                return Rebased::Everything;
            }
            positions = positions.enter(components, name, Dots::Plain);
        }
        let components = components.clone();
        return match positions.is_dead() {
            true => Rebased::Nothing,
            false => Rebased::Below(Exclusion { scope: unwanted.scope, components, positions }),
        };
    }
    let Some(names) = names_between(root, &unwanted.start.root) else { return Rebased::Nothing };
    let literal = names.into_iter().map(|name| Component::Literal(name.into()));
    let components: Box<[Component]> = literal.chain(components.iter().cloned()).collect();
    let positions = Positions::start(&components);
    Rebased::Below(Exclusion { scope: unwanted.scope, components, positions })
}
