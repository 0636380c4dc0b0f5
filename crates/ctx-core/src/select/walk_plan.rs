//! Plans the walks: one for all patterns that start in the same directory, or in one that a walk passes through
//! anyway.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::entry::component::Component;
use crate::entry::positions::{Dots, Positions};

use super::exclusions::{Exclusions, names_between};
use super::ignore_rules::{Judged, Rules, Ruling, base_of};
use super::missed::MissedReason;
use super::options::{MOST_FILES_OUTSIDE, Options};
use super::outputs::Outputs;
use super::problem::Problem;
use super::resolver::PathResolver;
use super::walk::{Pattern, PatternWalk};
use crate::fs::directory;
use crate::git::rule_file::{CutLine, UnsafeFile};

/// What all walks share.
#[derive(Debug, Clone, Copy)]
pub struct Common<'a> {
    /// The machine, the command's options, and the tree.
    pub resolver: &'a PathResolver<'a>,
    /// The current directory, canonical.
    pub cwd: &'a Path,
    /// What to exclude.
    pub exclusions: &'a Exclusions,
    /// The files that are never read.
    pub outputs: &'a Outputs,
    /// Whether this is a search outside repositories, which is limited.
    pub is_outside: bool,
    /// How many files have been found.
    pub count: &'a AtomicUsize,
}

impl Common<'_> {
    /// How many files may be found.
    pub fn limit(&self) -> usize {
        if self.is_outside { MOST_FILES_OUTSIDE } else { self.resolver.options.max_matches }
    }

    fn needs_metadata(&self) -> bool {
        let Options { metadata, newer_than, .. } = self.resolver.options;
        *metadata || newer_than.is_some() || self.is_outside
    }
}

/// How many patterns that start in directories below can join a walk. Any others get their own walks, since
/// each pattern in a walk may add work for every name.
const MAX_JOINED: usize = 64;

/// The planned walks, sorted by root.
#[derive(Debug)]
pub struct WalkPlan<'a> {
    common: Common<'a>,
    groups: Vec<WalkGroup>,
    /// By the directory from which they apply.
    rules: HashMap<PathBuf, Arc<Rules>>,
    roots: BTreeSet<PathBuf>,
}

/// Why no walk is possible in a directory where patterns start.
#[derive(Debug)]
pub struct Obstacle {
    /// The rank of the entry.
    pub entry: usize,
    /// The directory as given.
    pub given: String,
    /// The reason.
    pub why: MissedReason,
}

#[derive(Debug)]
struct WalkGroup {
    root: PathBuf,
    base: PathBuf,
    patterns: Vec<Pattern>,
}

impl<'a> WalkPlan<'a> {
    /// Plans the walks for these patterns, by the directories where they start.
    #[must_use]
    pub fn new(included: BTreeMap<PathBuf, Vec<Pattern>>, common: Common<'a>) -> Self {
        let mut groups: Vec<WalkGroup> = Vec::new();
        let mut places: HashMap<PathBuf, usize> = HashMap::new();
        for (root, patterns) in included {
            let base = base_of(&root, common.cwd, common.resolver.world);
            let mut above: Vec<usize> =
                root.ancestors().filter_map(|above| places.get(above)).copied().collect();
            above.sort_unstable();
            let joins = |place: &usize| groups[*place].base == base && groups[*place].join(&root, &patterns);
            if !above.iter().any(joins) {
                places.insert(root.clone(), groups.len());
                groups.push(WalkGroup { root, base, patterns });
            }
        }
        let roots = groups.iter().map(|group| group.root.clone()).collect();
        groups.reverse();
        Self { common, groups, rules: HashMap::new(), roots }
    }

    /// The next walk; `Some(None)` if something is in its way, `None` after the last one. Walks are prepared
    /// one at a time, since there may be many.
    pub fn next(&mut self, obstacles: &mut Vec<Obstacle>) -> Option<Option<PatternWalk<'a>>> {
        let group = self.groups.pop()?;
        Some(prepare(group, self.common, &mut self.rules, obstacles))
    }

    /// The lines of ignore files, of all walks so far, of which ctx applies only the beginning.
    #[must_use]
    pub fn cut_lines(&self) -> BTreeSet<CutLine> {
        self.rules.values().flat_map(|rules| rules.cut_lines()).collect()
    }

    /// Whether another walk passes through directories of this one.
    #[must_use]
    pub fn overlaps(&self, walk: &PatternWalk<'_>) -> bool {
        let own = walk.tree.path();
        let after = (Bound::Excluded(own), Bound::Unbounded);
        own.ancestors().skip(1).any(|above| self.roots.contains(above))
            || self.roots.range::<Path, _>(after).next().is_some_and(|next| next.starts_with(own))
    }
}

impl WalkGroup {
    /// Adds patterns that start in `root`, if the walk passes through that directory and the patterns do not
    /// become too long when the names on the way are put in front.
    fn join(&mut self, root: &Path, patterns: &[Pattern]) -> bool {
        let names = names_between(&self.root, root).filter(|names| self.comes_through(names));
        let Some(names) = names.filter(|_| self.patterns.len() + patterns.len() <= MAX_JOINED) else {
            return false;
        };
        let skip = names.iter().map(|name| name.len() + 1).sum();
        let prefixed = |pattern: &Pattern| {
            let literal = names.iter().map(|name| Component::Literal(name.as_slice().into()));
            Some(Pattern { components: pattern.components.after(literal)?, skip, ..pattern.clone() })
        };
        let joining: Option<Vec<Pattern>> = patterns.iter().map(prefixed).collect();
        let joins = joining.is_some();
        self.patterns.extend(joining.unwrap_or_default());
        joins
    }

    /// Removes patterns that cannot match from the group, and notes why.
    fn give_up(
        &mut self,
        obstacles: &mut Vec<Obstacle>,
        which: impl Fn(&Pattern) -> bool,
        why: impl Fn() -> MissedReason,
    ) {
        let gone = self.patterns.extract_if(.., |pattern| which(pattern));
        let obstacle = |Pattern { entry, given, .. }| Obstacle { entry, given, why: why() };
        obstacles.extend(gone.map(obstacle));
    }

    /// Whether the walk reads the directory with that path anyway.
    fn comes_through(&self, names: &[Vec<u8>]) -> bool {
        self.patterns.iter().map(|pattern| &pattern.components).any(|components| {
            let enter =
                |positions: Positions, name: &Vec<u8>| positions.enter(components, name, Dots::Literal);
            !names.iter().fold(Positions::start(components), enter).is_dead()
        })
    }
}

fn prepare<'a>(
    mut group: WalkGroup,
    common: Common<'a>,
    known: &mut HashMap<PathBuf, Arc<Rules>>,
    obstacles: &mut Vec<Obstacle>,
) -> Option<PatternWalk<'a>> {
    let exclusions = common.exclusions.from(&group.root);
    for (binds, why) in exclusions.outright() {
        let why = || why.cloned().unwrap_or(MissedReason::Problem(Problem::InsideGit));
        group.give_up(obstacles, |pattern| pattern.list.meets(binds), why);
    }
    let mut prefix = directory::bytes_of(group.root.strip_prefix(&group.base).unwrap_or(Path::new("")));
    let mut layers = None;
    let mut only_tracked = false;
    let mut rules = None;
    let is_governed = |pattern: &Pattern| pattern.rules;
    let unsafe_rules =
        |problem: &UnsafeFile| MissedReason::UnsafeRules(problem.seen_from(common.resolver.tree.root()));
    if group.patterns.iter().any(is_governed) {
        match rules_below(&group.base, &common, known) {
            Ok(read) => {
                let judged = read.judge(&prefix, true);
                let Judged { layers: above, verdict, .. } = judged;
                (layers, only_tracked) = (above, judged.only_tracked);
                match verdict {
                    Ruling::Ignored(by) => {
                        group.give_up(obstacles, is_governed, || MissedReason::Ignored(by.clone()))
                    }
                    Ruling::Unsafe(problem) => {
                        group.give_up(obstacles, is_governed, || unsafe_rules(&problem))
                    }
                    Ruling::Unmentioned | Ruling::Kept(_) => rules = Some(read),
                }
            }
            Err(problem) => group.give_up(obstacles, is_governed, || unsafe_rules(&problem)),
        }
    }
    if group.patterns.is_empty() {
        return None;
    }
    let tree = match common.resolver.open(&group.root) {
        Ok(tree) => tree,
        Err(error) => {
            group.give_up(obstacles, |_| true, || MissedReason::Problem(Problem::of(&error)));
            return None;
        }
    };
    if !prefix.is_empty() {
        prefix.push(b'/');
    }
    Some(PatternWalk {
        tree,
        around: &common.resolver.tree,
        text_links: &common.resolver.text_links,
        patterns: group.patterns,
        exclusions,
        rules,
        prefix,
        layers,
        only_tracked,
        outputs: common.outputs,
        secret: common.resolver.options.secret,
        metadata: common.needs_metadata(),
        counts_exclusions: common.resolver.options.looks_through,
        irregular: common.resolver.options.irregular,
        only_rules: common.resolver.options.only_rules,
        limit: common.limit(),
        count: common.count,
    })
}

fn rules_below(
    base: &Path,
    common: &Common<'_>,
    known: &mut HashMap<PathBuf, Arc<Rules>>,
) -> Result<Arc<Rules>, UnsafeFile> {
    if let Some(rules) = known.get(base) {
        return Ok(Arc::clone(rules));
    }
    let rules = Rules::new(base.to_owned(), common.resolver.world)?;
    let rules = Arc::new(rules.asking(common.resolver.options.git.clone()));
    known.insert(base.to_owned(), Arc::clone(&rules));
    Ok(rules)
}
