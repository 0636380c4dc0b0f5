//! One walk below one directory, for all patterns that start there.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::entry::lists::Lists;
use crate::entry::positions::{Components, Dots, Positions};
use crate::fs::names::last_name;

use super::exclusions::{Live, WalkExclusions};
use super::ignore_rules::{Layers, Rules};
use super::missed::MissedReason;
use super::outputs::Outputs;
use crate::fs::FileMetadata;
use crate::fs::directory::RootDirectory;

/// A pattern as the walk needs it.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The rank of its entry.
    pub entry: usize,
    /// The list of the entry, which decides what exclusions hold for it.
    pub list: Lists,
    /// What is matched, from the root of the walk.
    pub components: Components,
    /// The entry's own directory as given.
    pub given: String,
    /// How many bytes of a path lead from the root of the walk to that directory.
    pub skip: usize,
    /// Whether the ignore rules hold.
    pub rules: bool,
    /// Whether names that suggest secrets are matched.
    pub secrets: bool,
    /// Whether this is a directory entry: files directly in it, subdirectories counted.
    pub directory: bool,
}

/// What is to be walked.
#[derive(Debug)]
pub struct PatternWalk<'a> {
    /// The root.
    pub tree: Arc<RootDirectory>,
    /// The top of the tree that the command is in.
    pub top: &'a Path,
    /// What is looked for; at least one.
    pub patterns: Vec<Pattern>,
    /// What is taken out.
    pub exclusions: WalkExclusions<'a>,
    /// The ignore rules, where any pattern honours them.
    pub rules: Option<Arc<Rules>>,
    /// The root relative to the base of the rules; with a slash at the end unless empty.
    pub prefix: Vec<u8>,
    /// The rules' layers above the root.
    pub layers: Layers,
    /// What is never read.
    pub outputs: &'a Outputs,
    /// Which names suggest secrets.
    pub secret: fn(&Path) -> Option<&'static str>,
    /// Whether files are to be stat'ed.
    pub metadata: bool,
    /// Whether what exclusions leave out is to be counted.
    pub counts_exclusions: bool,
    /// Whether FIFOs, sockets and devices are to be told.
    pub irregular: bool,
    /// How many files may be found.
    pub limit: usize,
    /// How many have been found, by all walks together.
    pub count: &'a AtomicUsize,
}

/// A file that was found.
#[derive(Debug)]
pub struct FoundFile {
    /// Its path from the root, through links.
    pub relative: Box<[u8]>,
    /// Its path from the root without links, where that differs.
    pub real: Option<Box<[u8]>>,
    /// The patterns that match it.
    pub patterns: Arc<[u32]>,
    /// If asked for.
    pub metadata: Option<Box<FileMetadata>>,
}

/// Something that patterns would have matched.
#[derive(Debug, Clone)]
pub struct MissedPath {
    /// Its path from the root.
    pub relative: Box<[u8]>,
    /// Whether it is a directory, which was not searched.
    pub is_directory: bool,
    /// Why.
    pub why: MissedReason,
    /// The patterns that would have.
    pub patterns: Vec<u32>,
}

/// What a walk yields, in no order.
#[derive(Debug, Default)]
pub struct Yield {
    /// Files.
    pub found: Vec<FoundFile>,
    /// What was skipped and is worth telling.
    pub skipped: Vec<MissedPath>,
    /// Links that are still to be looked at.
    pub links: Vec<Link>,
    /// By pattern: subdirectories of a directory entry.
    pub subdirectories: Vec<usize>,
    /// Files that the built-in ignore file leaves out, by their paths without links.
    pub built_in: Vec<FoundFile>,
    /// The paths from the root, without links, of files that `.ignore` and `.ctxignore` leave out.
    pub own_ignored_files: Vec<Box<[u8]>>,
    /// Those of such directories, which were not searched.
    pub own_ignored_directories: Vec<Box<[u8]>>,
    /// What exclusions leave out, where that is counted, by its path without links.
    pub by_exclusions: Vec<MissedPath>,
    /// By pattern: the first of what it would have matched, as long as it has matched nothing; directories come last.
    pub missed: Vec<Option<MissedPath>>,
}

/// A link that patterns may want followed.
#[derive(Debug)]
pub struct Link {
    /// Its path from the root.
    pub relative: Vec<u8>,
    /// The same without links before it.
    pub real: Vec<u8>,
    /// Patterns that match it if it leads to a file.
    pub as_file: Arc<[u32]>,
    /// Patterns and exclusions that may match in the directory that holds it.
    pub above: Matchers,
    /// What does not go on below if it leads to a directory; `None` if nothing does.
    pub blocked: Option<Blocked>,
    /// The links that led here.
    pub hops: Option<Arc<Hops>>,
}

/// Patterns and exclusions that may match in a directory. Many directories wait for their turn at once, so they share
/// those of the one above.
#[derive(Debug, Clone)]
pub struct Matchers {
    /// In order of their indices.
    pub patterns: Arc<[Live]>,
    /// In no order.
    pub exclusions: Arc<[Live]>,
}

/// Which patterns a rule and exclusions leave out of a directory.
#[derive(Debug, Clone, Copy, Default)]
pub struct Blocked {
    /// Those that honour the ignore rules.
    pub ignored: bool,
    /// Those of these lists.
    pub excluded: Lists,
}

impl Blocked {
    /// Whether a pattern is left out.
    #[must_use]
    pub fn blocks(self, pattern: &Pattern) -> bool {
        self.ignored && pattern.rules || pattern.list.meets(self.excluded)
    }
}

/// The real directories in which the links of a path lie.
#[derive(Debug)]
pub struct Hops {
    /// The directory that holds the link.
    pub directory: Vec<u8>,
    /// The hops before.
    pub before: Option<Arc<Hops>>,
}

/// A directory to be read.
#[derive(Debug)]
pub struct WalkJob {
    /// Its path from the root.
    pub relative: Vec<u8>,
    /// The same without links, where that differs.
    pub real: Option<Vec<u8>>,
    /// What may match in it; in the directory above where `blocked` says what of that does not go on.
    pub matchers: Matchers,
    /// See there.
    pub blocked: Option<Blocked>,
    /// The rules' layers above it.
    pub layers: Layers,
    /// The links that led here.
    pub hops: Option<Arc<Hops>>,
}

impl Pattern {
    /// The part of a path from the root of the walk that leads to the entry's own directory; `None` if the
    /// path ends before it, which takes a directory that became a link since the walk was planned.
    #[must_use]
    pub fn start_of<'p>(&self, relative: &'p [u8]) -> Option<&'p [u8]> {
        relative.get(..self.skip)
    }
}

impl PatternWalk<'_> {
    /// The job that starts the walk.
    #[must_use]
    pub fn start(&self) -> WalkJob {
        let pattern = |(at, pattern): (usize, &Pattern)| Live {
            index: u32::try_from(at).unwrap_or(u32::MAX),
            positions: Positions::start(&pattern.components),
        };
        WalkJob {
            relative: Vec::new(),
            real: None,
            matchers: Matchers {
                patterns: self.patterns.iter().enumerate().map(pattern).collect(),
                exclusions: self.exclusions.at_root().into(),
            },
            blocked: None,
            layers: self.layers.clone(),
            hops: None,
        }
    }

    /// What may match in the directory of that path, from what may match in the one above.
    #[must_use]
    pub fn matchers_below(&self, above: &Matchers, relative: &[u8], blocked: Blocked) -> Matchers {
        let shared = |known: &Arc<[Live]>, new: Vec<Live>| {
            if **known == *new { Arc::clone(known) } else { new.into() }
        };
        let patterns = self.enter(&above.patterns, last_name(relative), blocked).collect();
        Matchers {
            patterns: shared(&above.patterns, patterns),
            exclusions: shared(&above.exclusions, self.exclusions.enter(&above.exclusions, relative)),
        }
    }

    /// The patterns that may match below the directory `name`, of those that may match in the one above.
    pub fn enter(&self, above: &[Live], name: &[u8], blocked: Blocked) -> impl Iterator<Item = Live> {
        let passes = move |one: &&Live| !blocked.blocks(self.pattern(one.index));
        let entered = above.iter().filter(passes).map(move |one| Live {
            index: one.index,
            positions: one.positions.enter(&self.pattern(one.index).components, name, Dots::Literal),
        });
        entered.filter(|one| !one.positions.is_dead())
    }

    /// The pattern of that index.
    #[must_use]
    pub fn pattern(&self, index: u32) -> &Pattern {
        &self.patterns[index as usize]
    }
}
