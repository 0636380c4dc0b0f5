//! What happened to files, however many parts of them are selected.

use std::collections::{HashMap, HashSet};

use super::Plan;
use crate::account::{FileRecord, Status};

/// What happened to the files of which parts are selected, by their labels. There are few, and any other file has one
/// record.
#[derive(Debug)]
pub struct FilesInParts(HashMap<String, Status>);

impl FilesInParts {
    /// Those of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let mut statuses: HashMap<String, Status> = HashMap::new();
        let has_lines = |place: &usize| plan.items[*place].source.lines.is_some();
        for file in (0..plan.items.len()).filter(has_lines).filter_map(|place| plan.record(place)) {
            let status = statuses.entry(file.file().to_owned()).or_insert(file.status);
            *status = status.with(file.status);
        }
        if !statuses.is_empty() {
            for file in plan.records().filter(|file| file.lines.is_none()) {
                if let Some(status) = statuses.get_mut(&file.path) {
                    *status = status.with(file.status);
                }
            }
        }
        Self(statuses)
    }

    /// What happened to the file of a record.
    #[must_use]
    pub fn status(&self, file: &FileRecord) -> Status {
        self.0.get(file.file()).copied().unwrap_or(file.status)
    }

    /// How many files have these records.
    pub fn count(&self, records: impl Iterator<Item = FileRecord>) -> usize {
        let mut counter = self.counter();
        records.for_each(|file| counter.add(&file));
        counter.total()
    }

    /// A counter of files by their records.
    #[must_use]
    pub fn counter(&self) -> FileCounter<'_> {
        FileCounter { parts: self, whole: 0, in_parts: HashSet::new() }
    }
}

/// Counts files by their records, however many each has.
#[derive(Debug)]
pub struct FileCounter<'p> {
    parts: &'p FilesInParts,
    whole: usize,
    in_parts: HashSet<&'p str>,
}

impl FileCounter<'_> {
    /// Counts the file of a record.
    pub fn add(&mut self, file: &FileRecord) {
        match self.parts.0.get_key_value(file.file()) {
            Some((label, _)) => {
                self.in_parts.insert(label.as_str());
            }
            None => self.whole += 1,
        }
    }

    /// How many files were counted.
    #[must_use]
    pub fn total(&self) -> usize {
        self.whole + self.in_parts.len()
    }
}
