//! One walk below one directory, for all patterns that start there.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::entry::lists::Lists;
use crate::entry::positions::{Components, Dots};
use crate::fs::names::last_name;

use super::exclusions::{Live, WalkExclusions};
use super::ignore_rules::{Layers, Rules};
use super::missed::MissedReason;
use super::outputs::Outputs;
use crate::fs::FileMetadata;
use crate::fs::directory::RootDirectory;
use crate::git::TextLinks;
use crate::tree::Tree;

/// A pattern in the form that the walk needs.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The rank of its entry.
    pub entry: usize,
    /// The entry's list, which determines the exclusions that apply to it.
    pub list: Lists,
    /// The components to match, from the root of the walk.
    pub components: Components,
    /// The entry's own directory as given.
    pub given: String,
    /// The length in bytes of the path from the root of the walk to that directory.
    pub skip: usize,
    /// Whether ignore rules apply.
    pub rules: bool,
    /// Whether names that suggest secrets match.
    pub secrets: bool,
    /// Whether this is a directory entry, which matches files directly in the directory and counts its
    /// subdirectories.
    pub directory: bool,
    /// Whether it is a package, in which `node_modules` has the code of others.
    pub package: bool,
}

/// A planned walk.
#[derive(Debug)]
pub struct PatternWalk<'a> {
    /// The root.
    pub tree: Arc<RootDirectory>,
    /// The tree around the command.
    pub around: &'a Tree,
    /// The links that are files.
    pub text_links: &'a TextLinks<'a>,
    /// The patterns; at least one.
    pub patterns: Vec<Pattern>,
    /// What to exclude.
    pub exclusions: WalkExclusions<'a>,
    /// The ignore rules, if any pattern honours them.
    pub rules: Option<Arc<Rules>>,
    /// The root relative to the base of the rules, with a slash at the end unless empty.
    pub prefix: Vec<u8>,
    /// The rules' layers above the root.
    pub layers: Layers,
    /// Whether the rules exclude everything at the root that git does not track.
    pub only_tracked: bool,
    /// The files that are never read.
    pub outputs: &'a Outputs,
    /// Which names suggest secrets.
    pub secret: fn(&Path) -> Option<&'static str>,
    /// Whether the metadata of files is needed.
    pub metadata: bool,
    /// Whether to count what exclusions leave out.
    pub counts_exclusions: bool,
    /// Whether to report FIFOs, sockets and devices.
    pub irregular: bool,
    /// Whether files are not looked for.
    pub only_rules: bool,
    /// How many files may be found.
    pub limit: usize,
    /// How many all walks together have found.
    pub count: &'a AtomicUsize,
}

/// A file that was found.
#[derive(Debug)]
pub struct FoundFile {
    /// Its path from the root, through links.
    pub relative: Box<[u8]>,
    /// Its path from the root without links, if that differs.
    pub real: Option<Box<[u8]>>,
    /// The patterns that match it.
    pub patterns: Arc<[u32]>,
    /// The metadata, if requested.
    pub metadata: Option<Box<FileMetadata>>,
}

/// A path that patterns would have matched.
#[derive(Debug, Clone)]
pub struct MissedPath {
    /// Its path from the root.
    pub relative: Box<[u8]>,
    /// Whether it is a directory, which was not searched.
    pub is_directory: bool,
    /// The reason.
    pub why: MissedReason,
    /// The patterns that would have matched.
    pub patterns: Vec<u32>,
}

/// The results of a walk, in no particular order.
#[derive(Debug, Default)]
pub struct Yield {
    /// Files.
    pub found: Vec<FoundFile>,
    /// Skipped paths that are worth mentioning.
    pub skipped: Vec<MissedPath>,
    /// Links that have yet to be examined.
    pub links: Vec<Link>,
    /// By pattern: the number of subdirectories of a directory entry.
    pub subdirectories: Vec<usize>,
    /// What the built-in ignore file excludes.
    pub built_in: Vec<LeftOut>,
    /// What ignore files that git does not read exclude: the path from the root without links, whether it is a
    /// directory, which was not searched, and the name of the ignore file.
    pub own_ignored: Vec<(Box<[u8]>, bool, &'static str)>,
    /// What exclusions leave out, if counted, by path without links.
    pub by_exclusions: Vec<MissedPath>,
    /// By pattern: the first thing that it would have matched, as long as it has matched nothing; directories come
    /// last.
    pub missed: Vec<Option<MissedPath>>,
}

/// A path that is left out.
#[derive(Debug)]
pub struct LeftOut {
    /// Its path from the root, without links.
    pub relative: Box<[u8]>,
    /// Whether it is a directory, which was not searched.
    pub is_directory: bool,
    /// The patterns that would have matched it, or something in it.
    pub patterns: Arc<[u32]>,
}

/// A link that patterns may have to follow.
#[derive(Debug)]
pub struct Link {
    /// Its path from the root.
    pub relative: Vec<u8>,
    /// Its path from the root, without links in its directories.
    pub real: Vec<u8>,
    /// The patterns that match it if it leads to a file.
    pub as_file: Arc<[u32]>,
    /// The patterns and exclusions that may match in its directory.
    pub above: Matchers,
    /// The patterns that do not continue below if it leads to a directory; `None` if none continues.
    pub blocked: Option<Blocked>,
    /// The links that led here.
    pub hops: Option<Arc<Hops>>,
}

/// The patterns and exclusions that may match in a directory. Many directories can be waiting at once, so
/// they share the matchers of their parent if they are the same.
#[derive(Debug, Clone)]
pub struct Matchers {
    /// Sorted by index.
    pub patterns: Arc<[Live]>,
    /// In no particular order.
    pub exclusions: Arc<[Live]>,
}

/// The patterns that a rule and exclusions keep out of a directory.
#[derive(Debug, Clone, Copy, Default)]
pub struct Blocked {
    /// Whether this includes the patterns that honour ignore rules.
    pub ignored: bool,
    /// The patterns of these lists.
    pub excluded: Lists,
}

impl Blocked {
    /// Whether a pattern is kept out.
    #[must_use]
    pub fn blocks(self, pattern: &Pattern) -> bool {
        self.ignored && pattern.rules || pattern.list.meets(self.excluded)
    }
}

/// The real directories that contain the links in a path.
#[derive(Debug)]
pub struct Hops {
    /// The directory that contains the link.
    pub directory: Vec<u8>,
    /// The previous hops.
    pub before: Option<Arc<Hops>>,
}

/// A directory to read.
#[derive(Debug)]
pub struct WalkJob {
    /// Its path from the root.
    pub relative: Vec<u8>,
    /// Its path without links, if that differs.
    pub real: Option<Vec<u8>>,
    /// What may match in it or, if `blocked` is set, in its parent.
    pub matchers: Matchers,
    /// The patterns of its parent that do not continue in it; `None` if `matchers` are its own.
    pub blocked: Option<Blocked>,
    /// The rules' layers above it.
    pub layers: Layers,
    /// Whether the rules exclude everything in it that git does not track.
    pub only_tracked: bool,
    /// The links that led here.
    pub hops: Option<Arc<Hops>>,
}

impl Pattern {
    /// The part of a path from the root of the walk that leads to the entry's own directory; `None` if the
    /// path ends before it, which only happens if a directory became a link after the walk was planned.
    #[must_use]
    pub fn start_of<'p>(&self, relative: &'p [u8]) -> Option<&'p [u8]> {
        relative.get(..self.skip)
    }
}

impl PatternWalk<'_> {
    /// The job that starts the walk.
    #[must_use]
    pub fn start(&self) -> WalkJob {
        let pattern = |(at, pattern): (usize, &Pattern)| {
            Live::start(u32::try_from(at).unwrap_or(u32::MAX), &pattern.components)
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
            only_tracked: self.only_tracked,
            hops: None,
        }
    }

    /// What may match in the directory with that path, given what may match in its parent.
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

    /// Of the patterns that may match in the parent, those that may match below the directory `name`.
    pub fn enter(&self, above: &[Live], name: &[u8], blocked: Blocked) -> impl Iterator<Item = Live> {
        let passes = move |one: &&Live| {
            let pattern = self.pattern(one.index);
            let is_of_others = name == b"node_modules" && one.positions.at_last(&pattern.components);
            !(blocked.blocks(pattern) || pattern.package && is_of_others)
        };
        let enter = move |one: &Live| one.enter(&self.pattern(one.index).components, name, Dots::Literal);
        let entered = above.iter().filter(passes).map(enter);
        entered.filter(|one| !one.positions.is_dead())
    }

    /// The pattern with that index.
    #[must_use]
    pub fn pattern(&self, index: u32) -> &Pattern {
        &self.patterns[index as usize]
    }
}
