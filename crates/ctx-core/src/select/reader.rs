//! Reading directories: the work of one thread of a walk.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::entry::component::bytes_in;
use crate::entry::lists::Lists;
use crate::entry::positions::Dots;

mod notes;

use super::built_in;
use super::exclusions::Live;
use super::ignore_rules::{Layers, NAMES, Present, TrackedAt, is_of_git};
use super::missed::MissedReason;
use super::walk::{Blocked, FoundFile, Link, PatternWalk, WalkJob, Yield};
use crate::fs::directory::{self, OpenDirectory};
use crate::fs::names::join;
use crate::fs::{FileKind, Listed};
use crate::git::rule_file::Decision;
use crate::git::{is_git_directory, may_be_head};
use crate::parallel::queue;

struct ListedName {
    start: usize,
    end: usize,
    kind: FileKind,
    inode: u64,
}

/// One thread's buffers and results.
pub struct WalkReader<'w> {
    walk: &'w PatternWalk<'w>,
    output: Yield,
    buffer: Vec<u8>,
    names: Vec<u8>,
    items: Vec<ListedName>,
    path: Vec<u8>,
    accepted: Vec<u32>,
    sets: Vec<Arc<[u32]>>,
    /// For each pattern, whether it has matched, so that near misses no longer need to be noted.
    has_found: Vec<bool>,
}

/// How a walk goes on below a directory.
struct Onward {
    /// The patterns that do not continue.
    blocked: Blocked,
    /// Whether the rules exclude everything in it that git does not track.
    only_tracked: bool,
}

/// A directory that is being read.
struct Open {
    job: WalkJob,
    directory: OpenDirectory,
    layers: Layers,
}

impl Open {
    fn real(&self) -> &[u8] {
        self.job.real.as_deref().unwrap_or(&self.job.relative)
    }
}

impl PatternWalk<'_> {
    /// Does the jobs, and all jobs that these create, but leaves links for later.
    #[must_use]
    pub fn run(&self, jobs: Vec<WalkJob>, threads: usize) -> Vec<Yield> {
        let workers = queue::run(jobs, threads, || WalkReader::new(self), WalkReader::work);
        workers.into_iter().map(WalkReader::finish).collect()
    }
}

impl WalkReader<'_> {
    /// Reads a directory; `false` if too many files were found, or the rules take too long.
    fn work(&mut self, job: WalkJob, more: &mut Vec<WalkJob>) -> bool {
        if let Some(open) = self.open(job) {
            let names = std::mem::take(&mut self.names);
            let items = std::mem::take(&mut self.items);
            for item in &items {
                self.visit(&open, &names[item.start..item.end], item, more);
            }
            (self.names, self.items) = (names, items);
        }
        let is_slow = self.walk.rules.as_ref().is_some_and(|rules| rules.are_slow());
        self.walk.count.load(Ordering::Relaxed) <= self.walk.limit && !is_slow
    }
}

impl<'w> WalkReader<'w> {
    /// A reader that has read nothing.
    #[must_use]
    pub fn new(walk: &'w PatternWalk<'w>) -> Self {
        let output = Yield {
            subdirectories: vec![0; walk.patterns.len()],
            missed: vec![None; walk.patterns.len()],
            ..Yield::default()
        };
        Self {
            walk,
            output,
            buffer: Vec::new(),
            names: Vec::new(),
            items: Vec::new(),
            path: Vec::new(),
            accepted: Vec::new(),
            sets: Vec::new(),
            has_found: vec![false; walk.patterns.len()],
        }
    }

    /// What was found.
    #[must_use]
    pub fn finish(self) -> Yield {
        self.output
    }

    /// Lists the directory and adds its ignore files; `None` if nothing can match in it.
    fn open(&mut self, mut job: WalkJob) -> Option<Open> {
        if let Some(blocked) = job.blocked.take() {
            job.matchers = self.walk.matchers_below(&job.matchers, &job.relative, blocked);
        }
        let real = job.real.as_deref().unwrap_or(&job.relative);
        let listed = self.walk.tree.open_directory(real).and_then(|directory| {
            let is_governed = |live: &Live| self.walk.pattern(live.index).rules;
            let present = if job.only_tracked && job.matchers.patterns.iter().all(is_governed) {
                self.list_tracked(&directory, &job.layers, real)?
            } else {
                self.list(&directory, real)?
            };
            Ok((directory, present))
        });
        let (directory, present) = match listed {
            Ok((directory, Some(present))) => (directory, present),
            Ok((_, None)) => {
                self.skip(&job.relative, true, MissedReason::GitDirectory, indices(&job.matchers.patterns));
                return None;
            }
            // The directory existed a moment ago, but is gone now.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !job.relative.is_empty() => return None,
            Err(error) => {
                let why = MissedReason::UnreadableDirectory(crate::words::cause(&error));
                self.skip(&job.relative, true, why, indices(&job.matchers.patterns));
                return None;
            }
        };
        self.leave_marked(&mut job, present);
        let real = job.real.as_deref().unwrap_or(&job.relative);
        let mut layers = job.layers.clone();
        if let Some(rules) = &self.walk.rules {
            let path = [&self.walk.prefix, real].concat();
            let path = path.strip_suffix(b"/").unwrap_or(&path);
            match rules.enter(&job.layers, path, &directory, present) {
                Ok(entered) => layers = entered,
                Err(problem) => {
                    let (governed, free): (Vec<_>, Vec<_>) =
                        job.matchers.patterns.iter().partition(|live| self.walk.pattern(live.index).rules);
                    if !governed.is_empty() {
                        let why = MissedReason::UnsafeRules(problem.seen_from(self.walk.around.root()));
                        self.skip(&job.relative, true, why, indices(&governed));
                    }
                    job.matchers.patterns = free.into();
                }
            }
        }
        (!job.matchers.patterns.is_empty()).then_some(Open { job, directory, layers })
    }

    /// Removes the patterns that honour ignore rules if a file marks the directory as one that nobody wants in a
    /// prompt. The directory where a walk starts was judged before.
    fn leave_marked(&mut self, job: &mut WalkJob, present: Present) {
        let (Some(marker), Some(rules)) = (present.marker, &self.walk.rules) else { return };
        if job.relative.is_empty() {
            return;
        }
        let real = job.real.as_deref().unwrap_or(&job.relative);
        let path = [&self.walk.prefix, real].concat();
        let decision = rules.decide_marked(&job.layers, &path, marker);
        let Some(decision) = decision.filter(|decision| decision.ignores()) else { return };
        let (governed, free): (Vec<_>, Vec<_>) =
            job.matchers.patterns.iter().partition(|live| self.walk.pattern(live.index).rules);
        let (governed, real) = (indices(&governed), real.to_vec());
        let why = || MissedReason::Ignored(decision.to_owned());
        self.note_missed_path(&job.relative, &governed, true, why);
        self.note_built_in(real, &governed, true);
        job.matchers.patterns = free.into();
    }

    /// Reads the names in a directory; `None` if it is a git directory, whatever its name.
    fn list(&mut self, directory: &OpenDirectory, real: &[u8]) -> io::Result<Option<Present>> {
        let (names, items) = (&mut self.names, &mut self.items);
        let mut present = Present::default();
        names.clear();
        items.clear();
        directory::list(directory, &mut self.buffer, |listed: Listed<'_>| {
            present.note(listed.name);
            if !listed.name.eq_ignore_ascii_case(b".git") {
                let start = names.len();
                names.extend_from_slice(listed.name);
                items.push(ListedName { start, end: names.len(), kind: listed.kind, inode: listed.inode });
            }
        })?;
        let has_head = items.iter().any(|item| may_be_head(&names[item.start..item.end]));
        let path = || self.walk.tree.path().join(directory::path_of(real));
        Ok((!has_head || !is_git_directory(&path())).then_some(present))
    }

    /// Looks up the names in a directory that lead to something tracked, without reading it; `None` if it is a git
    /// directory.
    fn list_tracked(
        &mut self,
        directory: &OpenDirectory,
        above: &Layers,
        real: &[u8],
    ) -> io::Result<Option<Present>> {
        self.names.clear();
        self.items.clear();
        let mut present = Present::default();
        let is_there = |name: &[u8]| directory::metadata(directory, name).is_ok();
        NAMES.into_iter().chain([".git"]).map(str::as_bytes).filter(|name| is_there(name)).for_each(|name| {
            present.note(name);
        });
        let Some(rules) = &self.walk.rules else { return Ok(Some(present)) };
        let path = [&self.walk.prefix, real].concat();
        let names = rules.tracked_in(above, path.strip_suffix(b"/").unwrap_or(&path));
        for name in names {
            let Ok(found) = directory::metadata(directory, name) else { continue };
            let start = self.names.len();
            self.names.extend_from_slice(name);
            let (end, inode) = (self.names.len(), found.stamp.inode);
            self.items.push(ListedName { start, end, kind: found.kind, inode });
        }
        let path = || self.walk.tree.path().join(directory::path_of(real));
        Ok((!is_there(b"HEAD") || !is_git_directory(&path())).then_some(present))
    }

    fn visit(&mut self, open: &Open, name: &[u8], item: &ListedName, more: &mut Vec<WalkJob>) {
        let kind = match item.kind {
            FileKind::Unknown => {
                directory::metadata(&open.directory, name).map_or(FileKind::Other, |found| found.kind)
            }
            known => known,
        };
        match kind {
            FileKind::Regular if self.is_link_as_file(open, name) => self.link(open, name),
            FileKind::Regular if self.walk.only_rules => {}
            FileKind::Regular => self.file(open, name, item.inode),
            FileKind::Directory => more.extend(self.directory(open, name)),
            FileKind::Link => self.link(open, name),
            FileKind::Other if self.walk.irregular => self.irregular(open, name),
            FileKind::Other | FileKind::Unknown => {}
        }
    }

    /// Sets `accepted` to the patterns that match a file of that name, unless exclusions or ignore rules exclude
    /// it; returns whether there are any.
    fn is_wanted(&mut self, open: &Open, name: &[u8]) -> bool {
        self.accept(open, name);
        if name.first() == Some(&b'.') {
            self.note_hidden(open, name);
        }
        if self.accepted.is_empty() || !self.passes_exclusions(open, name) {
            return false;
        }
        self.passes_rules(open, name)
    }

    /// Removes patterns from `accepted` that honour ignore rules, if the rules exclude the name; returns whether
    /// any are left.
    fn passes_rules(&mut self, open: &Open, name: &[u8]) -> bool {
        let walk = self.walk;
        let Some(decision) = self.ignored_by(open, name, false) else {
            if open.job.only_tracked && self.tracked(open) != TrackedAt::Itself {
                self.accepted.retain(|index| !walk.pattern(*index).rules);
            }
            return !self.accepted.is_empty();
        };
        let (governed, free): (Vec<u32>, Vec<u32>) =
            self.accepted.iter().partition(|index| walk.pattern(**index).rules);
        self.note_missed(open, name, &governed, false, || MissedReason::Ignored(decision.to_owned()));
        if built_in::has_decided(decision) {
            self.note_built_in(join(open.real(), name), &governed, false);
        } else {
            self.note_own(open, name, &governed, false, decision);
        }
        self.accepted = free;
        !self.accepted.is_empty()
    }

    fn file(&mut self, open: &Open, name: &[u8], inode: u64) {
        if !self.is_wanted(open, name) || !self.passes_secrets(open, name) {
            return;
        }
        let outputs = self.walk.outputs;
        let mut metadata = None;
        if self.walk.metadata || outputs.may_hold(inode) {
            let Ok(found) = directory::metadata(&open.directory, name) else { return };
            if found.kind != FileKind::Regular || outputs.holds(&found) {
                return;
            }
            metadata = self.walk.metadata.then(|| Box::new(found));
        }
        let relative = join(&open.job.relative, name).into();
        let real = open.job.real.as_ref().map(|real| join(real, name).into());
        for index in &self.accepted {
            self.has_found[*index as usize] = true;
        }
        let patterns = self.accepted();
        self.output.found.push(FoundFile { relative, real, patterns, metadata });
        self.walk.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Sets `accepted` to the patterns that match a file of that name.
    fn accept(&mut self, open: &Open, name: &[u8]) {
        self.accepted.clear();
        self.accepted.extend(self.accepting(open, name, Dots::Literal));
    }

    /// The patterns that match a file of that name.
    fn accepting<'o>(
        &self,
        open: &'o Open,
        name: &'o [u8],
        dots: Dots,
    ) -> impl Iterator<Item = u32> + use<'o, 'w> {
        let (walk, bytes) = (self.walk, bytes_in(name));
        let may = open.job.matchers.patterns.iter().filter(move |live| live.may_accept(bytes));
        let accepts =
            move |live: &&Live| live.positions.accepts(&walk.pattern(live.index).components, name, dots);
        may.filter(accepts).map(|live| live.index)
    }

    /// Removes excluded patterns from `accepted`; returns whether any are left.
    fn passes_exclusions(&mut self, open: &Open, name: &[u8]) -> bool {
        let walk = self.walk;
        if walk.exclusions.is_empty() {
            return true;
        }
        let path = join(&open.job.relative, name);
        let by_path = walk.exclusions.path_from_live(&open.job.matchers.exclusions, &path);
        let real = open.job.real.as_ref();
        let by_real = real.map_or(Lists::NONE, |real| walk.exclusions.path_from(&join(real, name)));
        let excluded = by_path.and(by_real);
        if excluded != Lists::NONE {
            let bound = |index: &mut u32| walk.pattern(*index).list.meets(excluded);
            let out: Vec<u32> = self.accepted.extract_if(.., bound).collect();
            self.note_excluded(open, name, &out, false);
        }
        !self.accepted.is_empty()
    }

    /// Removes patterns from `accepted` that must not match a name that suggests secrets; returns whether any are
    /// left.
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
        if let Some(secret) = (walk.secret)(&directory::as_path(&self.path)) {
            let (left, out): (Vec<u32>, Vec<u32>) =
                self.accepted.iter().partition(|index| walk.pattern(**index).secrets);
            if !out.is_empty() {
                let why = MissedReason::secret_name(secret);
                self.skip(&join(&open.job.relative, name), false, why, out);
            }
            self.accepted = left;
        }
        !self.accepted.is_empty()
    }

    /// The rule that excludes the name, for patterns that honour rules.
    fn ignored_by<'o>(&mut self, open: &'o Open, name: &[u8], is_directory: bool) -> Option<Decision<'o>>
    where
        'w: 'o,
    {
        let rules = self.walk.rules.as_ref()?;
        self.name_in_base(open, name);
        rules.decide(&open.layers, &self.path, is_directory).filter(|decision| decision.ignores())
    }

    /// Sets `path` to that of a name, relative to the base of the rules.
    fn name_in_base(&mut self, open: &Open, name: &[u8]) {
        self.path.clear();
        self.path.extend_from_slice(&self.walk.prefix);
        let real = open.real();
        if !real.is_empty() {
            self.path.extend_from_slice(real);
            self.path.push(b'/');
        }
        self.path.extend_from_slice(name);
    }

    /// Whether a file is a link that git checked out as a file with the target's path.
    fn is_link_as_file(&mut self, open: &Open, name: &[u8]) -> bool {
        if let Some(rules) = &self.walk.rules {
            if !rules.has_links_as_files(&open.layers) {
                return false;
            }
            self.name_in_base(open, name);
            if !rules.tracks_link(&open.layers, &self.path) {
                return false;
            }
        }
        let path = self.walk.tree.path().join(directory::path_of(&join(open.real(), name)));
        self.walk.text_links.target_of(&path).is_some()
    }

    /// What git tracks at the path that [`Self::ignored_by`] was asked about.
    fn tracked(&self, open: &Open) -> TrackedAt {
        let rules = self.walk.rules.as_ref();
        rules.map_or(TrackedAt::Nothing, |rules| rules.tracked(&open.layers, &self.path))
    }

    fn directory(&mut self, open: &Open, name: &[u8]) -> Option<WalkJob> {
        let Onward { blocked, only_tracked } = self.go_on(open, name, false)?;
        Some(WalkJob {
            relative: join(&open.job.relative, name),
            real: open.job.real.as_ref().map(|real| join(real, name)),
            matchers: open.job.matchers.clone(),
            blocked: Some(blocked),
            layers: open.layers.clone(),
            only_tracked,
            hops: open.job.hops.clone(),
        })
    }

    /// How the walk goes on below the directory `name`; `None` if no pattern continues. Counts `name`
    /// as a subdirectory for directory entries, unless it is a link, which may not lead to a directory.
    fn go_on(&mut self, open: &Open, name: &[u8], is_link: bool) -> Option<Onward> {
        let walk = self.walk;
        let above = &open.job.matchers.patterns;
        let mut counted: Vec<u32> = Vec::new();
        if !is_link && name.first() != Some(&b'.') {
            let stops_here = |one: &&Live| {
                let pattern = walk.pattern(one.index);
                pattern.directory && one.positions.at_last(&pattern.components)
            };
            counted.extend(above.iter().filter(stops_here).map(|one| one.index));
        }
        let mut blocked = Blocked::default();
        if counted.is_empty() && walk.enter(above, name, blocked).next().is_none() {
            return None;
        }
        let path = join(&open.job.relative, name);
        let excluded = walk.exclusions.path_from_live(&open.job.matchers.exclusions, &path);
        if excluded != Lists::NONE {
            let all = walk.enter(above, name, blocked).map(|one| one.index);
            let out: Vec<u32> = all.filter(|index| walk.pattern(*index).list.meets(excluded)).collect();
            if !is_link || self.leads_to_directory(open, name) {
                self.note_excluded(open, name, &out, true);
            }
            blocked.excluded = excluded;
        }
        let decision = self.ignored_by(open, name, true);
        let mut only_tracked = open.job.only_tracked || decision.is_some_and(is_of_git);
        let may_hold_tracked = decision.is_none_or(is_of_git);
        let mut is_ignored = !may_hold_tracked;
        if only_tracked && may_hold_tracked {
            match self.tracked(open) {
                TrackedAt::Itself => only_tracked = false,
                TrackedAt::Below if !is_link => {}
                TrackedAt::Below | TrackedAt::Nothing => is_ignored = true,
            }
        }
        if let Some(decision) = decision.filter(|_| is_ignored) {
            let left = walk.enter(above, name, blocked).map(|one| one.index);
            let governed: Vec<u32> = left.filter(|index| walk.pattern(*index).rules).collect();
            if !is_link || self.leads_to_directory(open, name) {
                let why = || MissedReason::Ignored(decision.to_owned());
                self.note_missed(open, name, &governed, true, why);
                if built_in::has_decided(decision) {
                    self.note_built_in(join(open.real(), name), &governed, true);
                } else {
                    self.note_own(open, name, &governed, true, decision);
                }
            }
        }
        blocked.ignored = is_ignored;
        for index in counted.into_iter().filter(|index| !blocked.blocks(walk.pattern(*index))) {
            self.output.subdirectories[index as usize] += 1;
        }
        walk.enter(above, name, blocked).next().map(|_| Onward { blocked, only_tracked })
    }

    /// Whether a link leads to a directory, in the tree or elsewhere.
    fn leads_to_directory(&self, open: &Open, name: &[u8]) -> bool {
        self.walk.tree.path().join(directory::path_of(&join(open.real(), name))).is_dir()
    }

    fn link(&mut self, open: &Open, name: &[u8]) {
        self.accept(open, name);
        let blocked = self.go_on(open, name, true).map(|onward| onward.blocked);
        if !self.accepted.is_empty() {
            self.passes_exclusions(open, name);
        }
        if self.accepted.is_empty() && blocked.is_none() {
            return;
        }
        self.passes_rules(open, name);
        let as_file = self.accepted();
        self.output.links.push(Link {
            relative: join(&open.job.relative, name),
            real: join(open.real(), name),
            as_file,
            above: open.job.matchers.clone(),
            blocked,
            hops: open.job.hops.clone(),
        });
    }

    /// A set of patterns, shared by all files that match it.
    pub(super) fn set(&mut self, patterns: &[u32]) -> Arc<[u32]> {
        if let Some(known) = self.sets.iter().rev().find(|known| ***known == *patterns) {
            return Arc::clone(known);
        }
        let set: Arc<[u32]> = patterns.into();
        if self.sets.len() >= 64 {
            self.sets.remove(0);
        }
        self.sets.push(Arc::clone(&set));
        set
    }

    /// The accepted patterns, as a shared set.
    fn accepted(&mut self) -> Arc<[u32]> {
        let accepted = std::mem::take(&mut self.accepted);
        let set = self.set(&accepted);
        self.accepted = accepted;
        set
    }
}

fn indices(live: &[Live]) -> Vec<u32> {
    live.iter().map(|one| one.index).collect()
}
