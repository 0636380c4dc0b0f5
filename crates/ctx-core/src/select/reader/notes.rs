//! What a walk notes of the names that it does not take.

use std::collections::BTreeMap;

use super::{Open, Reader};
use crate::entry::lists::Lists;
use crate::entry::positions::Dots;
use crate::fs::names::join;
use crate::select::skipped::SkipReason;
use crate::select::walk::{LeftOutCause, LeftOutFile, OwnIgnored, PassedOver};

impl Reader<'_> {
    /// What would be found if it were a file.
    pub(super) fn irregular(&mut self, open: &Open, name: &[u8]) {
        if self.is_wanted(open, name) {
            let patterns = std::mem::take(&mut self.accepted);
            self.pass_over(&join(&open.job.relative, name), SkipReason::NotRegular, patterns);
        }
    }

    /// Notes the patterns that would match the name, did it not begin with a dot.
    pub(super) fn note_hidden(&mut self, open: &Open, name: &[u8]) {
        let walk = self.walk;
        let live = open.job.matchers.patterns.iter();
        let live = live.filter(|live| self.accepted.binary_search(&live.index).is_err());
        let would = live
            .filter(|live| live.positions.accepts(&walk.pattern(live.index).components, name, Dots::Plain));
        let would: Vec<u32> = would.map(|live| live.index).collect();
        self.note_left_out(open, name, &would, false, || LeftOutCause::DotFile);
    }

    /// Notes what these patterns would have matched, for those that match nothing at all in the end.
    pub(super) fn note_left_out(
        &mut self,
        open: &Open,
        name: &[u8],
        patterns: &[u32],
        directory: bool,
        cause: impl Fn() -> LeftOutCause,
    ) {
        let mut patterns =
            patterns.iter().map(|index| *index as usize).filter(|index| !self.has_found[*index]).peekable();
        if patterns.peek().is_none() {
            return;
        }
        let relative: Box<[u8]> = join(&open.job.relative, name).into();
        for index in patterns {
            let known = &mut self.output.left_out[index];
            if known.as_ref().is_none_or(|known| (directory, &*relative) < known.place()) {
                *known = Some(LeftOutFile { directory, relative: relative.clone(), cause: cause() });
            }
        }
    }

    /// Notes what an ignore file that is not git's leaves out of these patterns.
    pub(super) fn note_own(&mut self, open: &Open, name: &[u8], patterns: &[u32], directory: bool) {
        if !patterns.is_empty() {
            let relative = join(open.real(), name).into();
            self.output.by_own_files.push(OwnIgnored { relative, directory });
        }
    }

    /// Notes that exclusions took a name out of these patterns, and which.
    pub(super) fn note_excluded(&mut self, open: &Open, name: &[u8], out: &[u32], directory: bool) {
        let walk = self.walk;
        let mut by_list: BTreeMap<Lists, Vec<u32>> = BTreeMap::new();
        for index in out {
            by_list.entry(walk.pattern(*index).list).or_default().push(*index);
        }
        for (list, indices) in by_list {
            let path = join(&open.job.relative, name);
            let taker =
                walk.exclusions.note_taken(&open.job.matchers.exclusions, &path, list).or_else(|| {
                    let real = join(open.job.real.as_deref()?, name);
                    walk.exclusions.note_path_taken(&real, list)
                });
            if let Some(rank) = taker {
                self.note_left_out(open, name, &indices, directory, || LeftOutCause::Excluded(rank));
            }
        }
    }

    pub(super) fn pass_over(&mut self, relative: &[u8], reason: SkipReason, patterns: Vec<u32>) {
        self.output.passed_over.push(PassedOver { relative: relative.into(), reason, patterns });
    }
}
