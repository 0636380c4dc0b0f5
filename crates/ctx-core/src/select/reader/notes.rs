//! What a walk notes about names that it does not select.

use std::collections::BTreeMap;

use super::{Open, WalkReader};
use crate::entry::lists::Lists;
use crate::entry::positions::Dots;
use crate::fs::names::join;
use crate::git::rule_file::Decision;
use crate::select::ignore_rules::NAMES;
use crate::select::missed::MissedReason;
use crate::select::walk::{LeftOut, MissedPath};

impl WalkReader<'_> {
    /// Reports a FIFO, socket or device that patterns would match if it were a file.
    pub(super) fn irregular(&mut self, open: &Open, name: &[u8]) {
        if self.is_wanted(open, name) {
            let patterns = std::mem::take(&mut self.accepted);
            self.skip(&join(&open.job.relative, name), false, MissedReason::NotRegular, patterns);
        }
    }

    /// Notes the patterns that would match the name if it did not begin with a dot.
    pub(super) fn note_hidden(&mut self, open: &Open, name: &[u8]) {
        let would = self.accepting(open, name, Dots::Plain);
        let would: Vec<u32> = would.filter(|index| self.accepted.binary_search(index).is_err()).collect();
        self.note_missed(open, name, &would, false, || MissedReason::DotFile);
    }

    /// Notes what these patterns would have matched, in case they match nothing at all.
    pub(super) fn note_missed(
        &mut self,
        open: &Open,
        name: &[u8],
        patterns: &[u32],
        is_directory: bool,
        why: impl Fn() -> MissedReason,
    ) {
        let is_due = patterns.iter().any(|index| !self.has_found[*index as usize]);
        if is_due && !is_ignore_file(name) {
            self.note_missed_path(&join(&open.job.relative, name), patterns, is_directory, why);
        }
    }

    /// The same for a path.
    pub(super) fn note_missed_path(
        &mut self,
        relative: &[u8],
        patterns: &[u32],
        is_directory: bool,
        why: impl Fn() -> MissedReason,
    ) {
        let patterns = patterns.iter().copied().filter(|index| !self.has_found[*index as usize]);
        let relative: Box<[u8]> = relative.into();
        let comes_before =
            |known: &MissedPath| (is_directory, &relative) < (known.is_directory, &known.relative);
        for index in patterns {
            let known = &mut self.output.missed[index as usize];
            if known.as_ref().is_none_or(comes_before) {
                let (relative, patterns) = (relative.clone(), vec![index]);
                *known = Some(MissedPath { relative, is_directory, why: why(), patterns });
            }
        }
    }

    /// Notes that the built-in ignore file excludes a path, given without links, from these patterns.
    pub(super) fn note_built_in(&mut self, real: Vec<u8>, patterns: &[u32], is_directory: bool) {
        if !patterns.is_empty() {
            let patterns = self.set(patterns);
            self.output.built_in.push(LeftOut { relative: real.into(), is_directory, patterns });
        }
    }

    /// Notes that an ignore file other than git's excludes a name from these patterns, unless it is an ignore file.
    pub(super) fn note_own(
        &mut self,
        open: &Open,
        name: &[u8],
        patterns: &[u32],
        is_directory: bool,
        decision: Decision<'_>,
    ) {
        let by = NAMES.into_iter().find(|known| decision.file_name() == *known);
        let by = by.filter(|_| decision.is_unknown_to_git() && !patterns.is_empty() && !is_ignore_file(name));
        if let Some(by) = by {
            self.output.own_ignored.push((join(open.real(), name).into(), is_directory, by));
        }
    }

    /// Notes that exclusions excluded a name from these patterns, and which ones.
    pub(super) fn note_excluded(&mut self, open: &Open, name: &[u8], out: &[u32], is_directory: bool) {
        let walk = self.walk;
        let mut by_list: BTreeMap<Lists, Vec<u32>> = BTreeMap::new();
        for index in out {
            by_list.entry(walk.pattern(*index).list).or_default().push(*index);
        }
        for (list, indices) in by_list {
            let path = join(&open.job.relative, name);
            let why = walk.exclusions.note_taken(&open.job.matchers.exclusions, &path, list).or_else(|| {
                let real = join(open.job.real.as_deref()?, name);
                walk.exclusions.note_path_taken(&real, list)
            });
            if let Some(why) = why {
                if walk.counts_exclusions {
                    let relative = join(open.real(), name).into();
                    let (why, patterns) = (why.clone(), Vec::new());
                    self.output.by_exclusions.push(MissedPath { relative, is_directory, why, patterns });
                }
                self.note_missed(open, name, &indices, is_directory, || why.clone());
            }
        }
    }

    pub(super) fn skip(
        &mut self,
        relative: &[u8],
        is_directory: bool,
        why: MissedReason,
        patterns: Vec<u32>,
    ) {
        self.output.skipped.push(MissedPath { relative: relative.into(), is_directory, why, patterns });
    }
}

fn is_ignore_file(name: &[u8]) -> bool {
    NAMES.iter().any(|known| known.as_bytes() == name)
}
