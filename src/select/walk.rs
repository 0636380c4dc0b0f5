//! One walk below one directory, for all patterns that start there.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::entry::Scope;
use crate::entry::component::Component;
use crate::entry::pattern::{Dots, Positions};

use super::file::{Kind, Metadata};
use super::ignore_rules::{Layers, Present, Rules};
use super::outputs::Outputs;
use super::queue::{self, Worker};
use super::skipped::SkipReason;
use super::tree::{self, Directory, Listed, Tree};

/// A pattern as the walk needs it.
#[derive(Debug)]
pub struct Pattern {
    /// The rank of its entry.
    pub entry: usize,
    /// The entry's scope, which decides what exclusions hold for it.
    pub scope: Scope,
    /// What is matched, from the root of the walk.
    pub components: Box<[Component]>,
    /// The entry's own directory as given.
    pub given: String,
    /// How many bytes of a path lead from the root of the walk to that directory.
    pub skip: usize,
    /// Whether the ignore rules hold.
    pub rules: bool,
    /// Whether names that hold secrets are matched.
    pub secrets: bool,
    /// Whether this is a directory entry: files directly in it, subdirectories counted.
    pub directory: bool,
}

/// An exclusion as the walk needs it.
#[derive(Debug)]
pub struct Exclusion {
    /// It holds for entries of this scope and later ones.
    pub scope: Scope,
    /// What it matches, from the root of the walk or from further up.
    pub components: Box<[Component]>,
    /// Where it stands at the root of the walk.
    pub positions: Positions,
}

/// What is to be walked.
#[derive(Debug)]
pub struct Walk<'a> {
    /// The root.
    pub tree: Arc<Tree>,
    /// What is looked for; at least one.
    pub patterns: Vec<Pattern>,
    /// What is taken out.
    pub exclusions: Vec<Exclusion>,
    /// The ignore rules, where any pattern honours them.
    pub rules: Option<Rules>,
    /// The root relative to the base of the rules; with a slash at the end unless empty.
    pub prefix: Vec<u8>,
    /// The rules' layers above the root.
    pub layers: Layers,
    /// What is never read.
    pub outputs: &'a Outputs,
    /// Which names hold secrets.
    pub secret: fn(&Path) -> Option<&'static str>,
    /// Whether files are to be stat'ed.
    pub metadata: bool,
    /// How many files may be found.
    pub limit: usize,
    /// How many have been found, by all walks together.
    pub count: &'a AtomicUsize,
}

/// A file that was found.
#[derive(Debug)]
pub struct Found {
    /// Its path from the root, through links.
    pub relative: Box<[u8]>,
    /// Its path from the root without links, where that differs.
    pub real: Option<Box<[u8]>>,
    /// The patterns that match it.
    pub patterns: Arc<[u32]>,
    /// If asked for.
    pub metadata: Option<Box<Metadata>>,
}

/// Something that patterns would have matched.
#[derive(Debug)]
pub struct PassedOver {
    /// Its path from the root.
    pub relative: Box<[u8]>,
    /// Why.
    pub reason: SkipReason,
    /// The patterns that would have.
    pub patterns: Vec<u32>,
}

/// What a walk yields, in no order.
#[derive(Debug, Default)]
pub struct Yield {
    /// Files.
    pub found: Vec<Found>,
    /// What was passed over and is worth telling.
    pub passed_over: Vec<PassedOver>,
    /// Links that are still to be looked at.
    pub links: Vec<Link>,
    /// By pattern: subdirectories of a directory entry.
    pub subdirectories: Vec<usize>,
}

/// A link that patterns may want followed.
#[derive(Debug)]
pub struct Link {
    /// Its path from the root.
    pub relative: Vec<u8>,
    /// The same without links before it.
    pub real: Vec<u8>,
    /// Patterns that match it if it leads to a file.
    pub as_file: Vec<u32>,
    /// Patterns that go on below if it leads to a directory.
    pub as_directory: Vec<Live>,
    /// Exclusions that go on below.
    pub exclusions: Vec<Live>,
    /// The links that led here.
    pub hops: Option<Arc<Hops>>,
}

/// The real directories in which the links of a path lie.
#[derive(Debug)]
pub struct Hops {
    /// The directory that holds the link.
    pub directory: Vec<u8>,
    /// The hops before.
    pub before: Option<Arc<Hops>>,
}

/// A pattern or exclusion that may still match, and how far it has come.
#[derive(Debug, Clone, Copy)]
pub struct Live {
    /// Its index.
    pub index: u32,
    /// How far.
    pub positions: Positions,
}

/// A directory to be read.
#[derive(Debug)]
pub struct Job {
    /// Its path from the root.
    pub relative: Vec<u8>,
    /// The same without links, where that differs.
    pub real: Option<Vec<u8>>,
    /// Patterns that may match below.
    pub live: Vec<Live>,
    /// Exclusions that may match below.
    pub exclusions: Vec<Live>,
    /// The rules' layers above it.
    pub layers: Layers,
    /// The links that led here.
    pub hops: Option<Arc<Hops>>,
}

impl Walk<'_> {
    /// The job that starts the walk.
    #[must_use]
    pub fn start(&self) -> Job {
        let index = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let pattern = |(at, pattern): (usize, &Pattern)| Live {
            index: index(at),
            positions: Positions::start(&pattern.components),
        };
        let exclusion = |(at, one): (usize, &Exclusion)| Live { index: index(at), positions: one.positions };
        Job {
            relative: Vec::new(),
            real: None,
            live: self.patterns.iter().enumerate().map(pattern).collect(),
            exclusions: self.exclusions.iter().enumerate().map(exclusion).collect(),
            layers: self.layers.clone(),
            hops: None,
        }
    }

    /// Does the jobs and all that follows from them, links apart.
    #[must_use]
    pub fn run(&self, jobs: Vec<Job>, threads: usize) -> Vec<Yield> {
        let workers = queue::run(jobs, threads, || Reader::new(self));
        workers.into_iter().map(|reader| reader.output).collect()
    }

    /// The pattern of that index.
    #[must_use]
    pub fn pattern(&self, index: u32) -> &Pattern {
        &self.patterns[index as usize]
    }

    /// The narrowest scope from which on `name` is excluded.
    fn excluded_from(&self, exclusions: &[Live], name: &[u8]) -> Option<Scope> {
        let matched = exclusions.iter().filter_map(|live| {
            let exclusion = &self.exclusions[live.index as usize];
            live.positions.accepts(&exclusion.components, name, Dots::Plain).then_some(exclusion.scope)
        });
        matched.min()
    }

    /// The narrowest scope from which on a path from the root is excluded, it or a directory above.
    #[must_use]
    pub fn path_excluded_from(&self, relative: &[u8]) -> Option<Scope> {
        let mut live = self.start().exclusions;
        let mut excluded = None;
        for name in relative.split(|byte| *byte == b'/') {
            excluded = [excluded, self.excluded_from(&live, name)].into_iter().flatten().min();
            live = self.enter_exclusions(&live, name);
        }
        excluded
    }

    fn enter_exclusions(&self, exclusions: &[Live], name: &[u8]) -> Vec<Live> {
        enter(exclusions, name, Dots::Plain, |index| &self.exclusions[index as usize].components)
    }
}

fn enter<'a>(
    live: &[Live],
    name: &[u8],
    dots: Dots,
    components: impl Fn(u32) -> &'a [Component],
) -> Vec<Live> {
    let entered = live.iter().map(|one| Live {
        index: one.index,
        positions: one.positions.enter(components(one.index), name, dots),
    });
    entered.filter(|one| !one.positions.is_dead()).collect()
}

struct Item {
    start: usize,
    end: usize,
    kind: Kind,
    inode: u64,
}

/// One thread's buffers and results.
struct Reader<'w> {
    walk: &'w Walk<'w>,
    output: Yield,
    buffer: Vec<u8>,
    names: Vec<u8>,
    items: Vec<Item>,
    path: Vec<u8>,
    accepted: Vec<u32>,
    sets: Vec<Arc<[u32]>>,
}

/// A directory while it is read.
struct Open {
    job: Job,
    directory: Directory,
    layers: Layers,
}

impl Open {
    fn real(&self) -> &[u8] {
        self.job.real.as_deref().unwrap_or(&self.job.relative)
    }
}

impl Worker<Job> for Reader<'_> {
    fn work(&mut self, job: Job, more: &mut Vec<Job>) -> bool {
        if let Some(open) = self.open(job) {
            let names = std::mem::take(&mut self.names);
            let items = std::mem::take(&mut self.items);
            for item in &items {
                self.visit(&open, &names[item.start..item.end], item, more);
            }
            (self.names, self.items) = (names, items);
        }
        self.walk.count.load(Ordering::Relaxed) <= self.walk.limit
    }
}

impl<'w> Reader<'w> {
    fn new(walk: &'w Walk<'w>) -> Self {
        let output = Yield { subdirectories: vec![0; walk.patterns.len()], ..Yield::default() };
        Self {
            walk,
            output,
            buffer: Vec::new(),
            names: Vec::new(),
            items: Vec::new(),
            path: Vec::new(),
            accepted: Vec::new(),
            sets: Vec::new(),
        }
    }

    /// Lists the directory and takes up its ignore files; `None` if nothing can be matched in it.
    fn open(&mut self, mut job: Job) -> Option<Open> {
        let real = job.real.as_deref().unwrap_or(&job.relative);
        let listed = self.walk.tree.open_directory(real).and_then(|directory| {
            let present = self.list(&directory)?;
            Ok((directory, present))
        });
        let (directory, present) = match listed {
            Ok(listed) => listed,
            // It was there a moment ago; nobody can say more of it now.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !job.relative.is_empty() => return None,
            Err(error) => {
                let reason = SkipReason::UnreadableDirectory(error.to_string());
                self.pass_over(&job.relative, reason, indices(&job.live));
                return None;
            }
        };
        let mut layers = job.layers.clone();
        if let Some(rules) = &self.walk.rules {
            let path = [&self.walk.prefix, real].concat();
            let path = path.strip_suffix(b"/").unwrap_or(&path);
            match rules.enter(&job.layers, path, &directory, present) {
                Ok(entered) => layers = entered,
                Err(_) => {
                    let (governed, free): (Vec<_>, Vec<_>) =
                        job.live.iter().partition(|live| self.walk.pattern(live.index).rules);
                    if !governed.is_empty() {
                        self.pass_over(&job.relative, SkipReason::UnsafeIgnoreFile, indices(&governed));
                    }
                    job.live = free;
                }
            }
        }
        (!job.live.is_empty()).then_some(Open { job, directory, layers })
    }

    fn list(&mut self, directory: &Directory) -> io::Result<Present> {
        let (names, items) = (&mut self.names, &mut self.items);
        let mut present = Present::default();
        names.clear();
        items.clear();
        tree::list(directory, &mut self.buffer, |listed: Listed<'_>| {
            present.note(listed.name);
            if !listed.name.eq_ignore_ascii_case(b".git") {
                let start = names.len();
                names.extend_from_slice(listed.name);
                items.push(Item { start, end: names.len(), kind: listed.kind, inode: listed.inode });
            }
        })?;
        Ok(present)
    }

    fn visit(&mut self, open: &Open, name: &[u8], item: &Item, more: &mut Vec<Job>) {
        let kind = match item.kind {
            Kind::Unknown => tree::metadata(&open.directory, name).map_or(Kind::Other, |found| found.kind),
            known => known,
        };
        match kind {
            Kind::Regular => self.file(open, name, item.inode),
            Kind::Directory => more.extend(self.directory(open, name)),
            Kind::Link => self.link(open, name),
            Kind::Other | Kind::Unknown => {}
        }
    }

    fn file(&mut self, open: &Open, name: &[u8], inode: u64) {
        self.accept(open, name);
        if self.accepted.is_empty() || !self.passes_exclusions(open, name) {
            return;
        }
        if self.ignores(open, name, false) {
            let walk = self.walk;
            self.accepted.retain(|index| !walk.pattern(*index).rules);
        }
        if self.accepted.is_empty() || !self.passes_secrets(open, name) {
            return;
        }
        let outputs = self.walk.outputs;
        let mut metadata = None;
        if self.walk.metadata || outputs.may_hold(inode) {
            let Ok(found) = tree::metadata(&open.directory, name) else { return };
            if found.kind != Kind::Regular || outputs.holds(&found) {
                return;
            }
            metadata = self.walk.metadata.then(|| Box::new(found));
        }
        let relative = join(&open.job.relative, name).into();
        let real = open.job.real.as_ref().map(|real| join(real, name).into());
        let patterns = self.set();
        self.output.found.push(Found { relative, real, patterns, metadata });
        self.walk.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Sets `accepted` to the patterns that match a file of that name.
    fn accept(&mut self, open: &Open, name: &[u8]) {
        self.accepted.clear();
        for live in &open.job.live {
            if live.positions.accepts(&self.walk.pattern(live.index).components, name, Dots::Literal) {
                self.accepted.push(live.index);
            }
        }
    }

    /// Takes out of `accepted` what is excluded; whether anything is left.
    fn passes_exclusions(&mut self, open: &Open, name: &[u8]) -> bool {
        let walk = self.walk;
        if walk.exclusions.is_empty() {
            return true;
        }
        let by_name = walk.excluded_from(&open.job.exclusions, name);
        let by_real = open.job.real.as_ref().and_then(|real| walk.path_excluded_from(&join(real, name)));
        if let Some(scope) = [by_name, by_real].into_iter().flatten().min() {
            self.accepted.retain(|index| walk.pattern(*index).scope < scope);
        }
        !self.accepted.is_empty()
    }

    /// Takes out of `accepted` what may not match a name that holds secrets; whether anything is left.
    fn passes_secrets(&mut self, open: &Open, name: &[u8]) -> bool {
        let walk = self.walk;
        self.path.clear();
        self.path.extend_from_slice(walk.tree.path().as_os_str().as_encoded_bytes());
        for part in [open.real(), name] {
            if !part.is_empty() {
                self.path.push(b'/');
                self.path.extend_from_slice(part);
            }
        }
        if let Some(secret) = (walk.secret)(&tree::as_path(&self.path)) {
            let (left, out): (Vec<u32>, Vec<u32>) =
                self.accepted.iter().partition(|index| walk.pattern(**index).secrets);
            if !out.is_empty() {
                self.pass_over(&join(&open.job.relative, name), SkipReason::SecretName(secret), out);
            }
            self.accepted = left;
        }
        !self.accepted.is_empty()
    }

    /// Whether the rules leave the name out, for the patterns that honour them.
    fn ignores(&mut self, open: &Open, name: &[u8], is_directory: bool) -> bool {
        let Some(rules) = &self.walk.rules else { return false };
        self.path.clear();
        self.path.extend_from_slice(&self.walk.prefix);
        let real = open.real();
        if !real.is_empty() {
            self.path.extend_from_slice(real);
            self.path.push(b'/');
        }
        self.path.extend_from_slice(name);
        rules.decide(&open.layers, &self.path, is_directory).is_some_and(|decision| decision.ignores())
    }

    fn directory(&mut self, open: &Open, name: &[u8]) -> Option<Job> {
        let live = self.go_on(open, name, true);
        if live.is_empty() {
            return None;
        }
        Some(Job {
            relative: join(&open.job.relative, name),
            real: open.job.real.as_ref().map(|real| join(real, name)),
            live,
            exclusions: self.walk.enter_exclusions(&open.job.exclusions, name),
            layers: open.layers.clone(),
            hops: open.job.hops.clone(),
        })
    }

    /// The patterns that may match below the directory `name`. Counts it for directory entries.
    fn go_on(&mut self, open: &Open, name: &[u8], count: bool) -> Vec<Live> {
        let walk = self.walk;
        let mut live = enter(&open.job.live, name, Dots::Literal, |index| &walk.pattern(index).components);
        let stops_here = |one: &&Live| {
            let pattern = walk.pattern(one.index);
            pattern.directory && one.positions.at_last(&pattern.components)
        };
        let mut counted: Vec<u32> = Vec::new();
        if count && name.first() != Some(&b'.') {
            counted.extend(open.job.live.iter().filter(stops_here).map(|one| one.index));
        }
        if live.is_empty() && counted.is_empty() {
            return live;
        }
        if self.ignores(open, name, true) {
            live.retain(|one| !walk.pattern(one.index).rules);
            counted.retain(|index| !walk.pattern(*index).rules);
        }
        if let Some(scope) = walk.excluded_from(&open.job.exclusions, name) {
            live.retain(|one| walk.pattern(one.index).scope < scope);
            counted.retain(|index| walk.pattern(*index).scope < scope);
        }
        for index in counted {
            self.output.subdirectories[index as usize] += 1;
        }
        live
    }

    fn link(&mut self, open: &Open, name: &[u8]) {
        self.accept(open, name);
        let as_directory = self.go_on(open, name, false);
        if (self.accepted.is_empty() && as_directory.is_empty())
            || (!self.accepted.is_empty() && !self.passes_exclusions(open, name) && as_directory.is_empty())
        {
            return;
        }
        if self.ignores(open, name, false) {
            let walk = self.walk;
            self.accepted.retain(|index| !walk.pattern(*index).rules);
        }
        self.output.links.push(Link {
            relative: join(&open.job.relative, name),
            real: join(open.real(), name),
            as_file: self.accepted.clone(),
            as_directory,
            exclusions: self.walk.enter_exclusions(&open.job.exclusions, name),
            hops: open.job.hops.clone(),
        });
    }

    fn pass_over(&mut self, relative: &[u8], reason: SkipReason, patterns: Vec<u32>) {
        self.output.passed_over.push(PassedOver { relative: relative.into(), reason, patterns });
    }

    /// `accepted`, kept once for all files that the same patterns match.
    fn set(&mut self) -> Arc<[u32]> {
        if let Some(known) = self.sets.iter().rev().find(|known| ***known == *self.accepted) {
            return Arc::clone(known);
        }
        let set: Arc<[u32]> = self.accepted.as_slice().into();
        if self.sets.len() >= 64 {
            self.sets.remove(0);
        }
        self.sets.push(Arc::clone(&set));
        set
    }
}

fn indices(live: &[Live]) -> Vec<u32> {
    live.iter().map(|one| one.index).collect()
}

/// A path and a name below it.
#[must_use]
pub fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    if directory.is_empty() {
        return name.to_vec();
    }
    let mut path = Vec::with_capacity(directory.len() + 1 + name.len());
    path.extend_from_slice(directory);
    path.push(b'/');
    path.extend_from_slice(name);
    path
}
