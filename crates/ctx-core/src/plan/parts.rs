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
        for file in plan.records().filter(|file| file.lines.is_some()) {
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
        let (mut whole, mut in_parts) = (0, HashSet::new());
        for file in records {
            match self.0.get_key_value(file.file()) {
                Some((label, _)) => {
                    in_parts.insert(label.as_str());
                }
                None => whole += 1,
            }
        }
        whole + in_parts.len()
    }
}
