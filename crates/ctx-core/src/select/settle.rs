//! Decides the fate of each entry, from what it matches and what it would match but does not.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::fate::EntryFate;
use super::file::EntryId;
use super::label::Label;
use super::merge::{self, PlacedFile};
use super::missed::{Missed, MissedReason};
use super::selection::Selection;
use super::walk::{FoundFile, LeftOut, MissedPath, PatternWalk, Yield};
use super::walk_plan::Obstacle;
use crate::entry::Scope;
use crate::fs::directory;

impl Selection<'_> {
    pub(super) fn count(&mut self, candidates: &[PlacedFile]) {
        for rank in candidates.iter().flat_map(PlacedFile::entries) {
            self.count_match(self.id(*rank));
        }
    }

    /// Counts one more file or document that an entry matches.
    pub(super) fn count_match(&mut self, id: EntryId) {
        self.reports[id.0].matches += 1;
    }

    pub(super) fn note_obstacles(&mut self, obstacles: Vec<Obstacle>) {
        for Obstacle { entry, given, why } in obstacles {
            let entries = vec![self.id(entry)];
            let missed = Missed { label: directory_label(&given), why, is_directory: true, entries };
            if let MissedReason::Problem(problem) = &missed.why {
                self.refuse(entry, problem.clone());
            } else if let MissedReason::UnsafeRules(_) = &missed.why {
                self.skipped.push(missed);
            } else {
                // The reason is an exclusion or an ignore rule.
                if let MissedReason::Excluded(id) = &missed.why {
                    self.reports[id.0].fate = EntryFate::Excludes(None);
                }
                self.keep_first(entry, missed);
            }
        }
    }

    /// Sets the fate of each entry, now that all files are counted. An entry that matches nothing gets the first
    /// thing that it would have matched if it had not been skipped.
    pub(super) fn settle(&mut self) {
        let mut first: BTreeMap<EntryId, &Missed> = BTreeMap::new();
        for missed in self.skipped.iter().filter(|missed| !missed.why.is_secret_name()) {
            for id in &missed.entries {
                first.entry(*id).or_insert(missed);
            }
        }
        for report in &mut self.reports {
            match &mut report.fate {
                EntryFate::Nothing(_) if report.matches > 0 => report.fate = EntryFate::Brings,
                EntryFate::Nothing(missed @ None) => *missed = first.get(&report.id).copied().cloned(),
                // The fates of the others are already known.
                EntryFate::Nothing(Some(_))
                | EntryFate::Off
                | EntryFate::OtherTags
                | EntryFate::Missing
                | EntryFate::Invalid(_)
                | EntryFate::ExcludesNothing(_)
                | EntryFate::Excludes(_)
                | EntryFate::ExcludesFromQuestions(_)
                | EntryFate::Brings
                | EntryFate::Refused(_)
                | EntryFate::Unreadable(_)
                | EntryFate::Failed(_)
                | EntryFate::EndedOtherwise
                | EntryFate::Cached => {}
            }
        }
    }

    /// Keeps the first of the things that an entry would have matched, whichever walk found it.
    fn keep_first(&mut self, rank: usize, new: Missed) {
        let comes_before =
            |known: &Missed| (new.is_directory, &new.label) < (known.is_directory, &known.label);
        if let EntryFate::Nothing(known) = &mut self.report(rank).fate
            && known.as_ref().is_none_or(comes_before)
        {
            *known = Some(new);
        }
    }

    /// Adds the results of a walk, except for the files it found, which it returns.
    pub(super) fn take_up(&mut self, part: Yield, walk: &PatternWalk<'_>) -> Vec<FoundFile> {
        for (pattern, count) in walk.patterns.iter().zip(&part.subdirectories) {
            self.report(pattern.entry).left_out_subdirectories += count;
        }
        for missed in part.missed.into_iter().flatten() {
            if let Some(first) = first_of(&missed, walk) {
                let missed = self.labelled(missed, walk);
                self.keep_first(first, missed);
            }
        }
        for skipped in part.skipped {
            self.skip(skipped, walk);
        }
        let mut brings = merge::Brings::default();
        let path = |relative: &[u8]| walk.tree.path().join(directory::path_of(relative));
        for LeftOut { relative, is_directory, patterns } in part.built_in {
            let ranks = brings.entries(&patterns, walk);
            let place = (path(&relative), is_directory);
            let known = self.built_in.entry(place).or_insert_with(|| Arc::clone(&ranks));
            if *known != ranks {
                let all: BTreeSet<usize> = known.iter().chain(ranks.iter()).copied().collect();
                *known = all.into_iter().collect();
            }
        }
        for (relative, is_directory, by) in part.own_ignored {
            self.own_ignored.entry(by).or_default().insert((path(&relative), is_directory));
        }
        for MissedPath { relative, is_directory, why, .. } in part.by_exclusions {
            let is_of_project = |id: &EntryId| self.entries[id.0].scope == Scope::Project;
            if matches!(&why, MissedReason::Excluded(id) if is_of_project(id)) {
                self.by_project.insert((path(&relative), is_directory));
            }
        }
        part.found
    }

    fn skip(&mut self, skipped: MissedPath, walk: &PatternWalk<'_>) {
        let path = walk.tree.path().join(directory::path_of(&skipped.relative));
        let missed = self.labelled(skipped, walk);
        if !missed.why.is_secret_name() {
            return self.skipped.push(missed);
        }
        // Each file once, with every entry that would have selected it, however many walks found it.
        match self.secret_files.entry(path) {
            Entry::Vacant(free) => drop(free.insert(missed)),
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                known.label = known.label.clone().min(missed.label);
                known.entries.extend(missed.entries);
                known.entries.sort_unstable();
                known.entries.dedup();
            }
        }
    }

    /// Labels a path that a walk missed as the first of its entries would.
    fn labelled(&self, missed: MissedPath, walk: &PatternWalk<'_>) -> Missed {
        let MissedPath { relative, is_directory, why, patterns } = missed;
        let patterns = patterns.iter().map(|index| walk.pattern(*index));
        let mut ranks: Vec<usize> = patterns.clone().map(|pattern| pattern.entry).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let first = patterns.min_by_key(|pattern| pattern.entry);
        let given = first.map(|first| merge::given(first, &relative)).unwrap_or_default();
        let label = if given.is_empty() { directory_label("") } else { Label::new(&given) };
        let entries = ranks.into_iter().map(|rank| self.id(rank)).collect();
        Missed { label, why, is_directory, entries }
    }
}

/// The rank of the first of the entries that would have matched.
fn first_of(missed: &MissedPath, walk: &PatternWalk<'_>) -> Option<usize> {
    missed.patterns.iter().map(|index| walk.pattern(*index).entry).min()
}

fn directory_label(given: &str) -> Label {
    Label::new(if given.is_empty() { b"." } else { given.as_bytes() })
}
