//! The built-in ignore file, which lies below all others: what nobody wants in a prompt.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::words::counted;

use super::report::EntryReport;
use super::rule_file::{DecidedBy, Decision, RuleFile};
use super::wildmatch::Case;

static RULES: LazyLock<RuleFile> = LazyLock::new(|| {
    let path = || PathBuf::from("built-in ignore file");
    let read = RuleFile::parse(include_bytes!("built_in_ignore"), path(), Case::Sensitive);
    read.unwrap_or_else(|_| RuleFile::empty(path()))
});

/// What the built-in ignore file says of a file, known by the bytes of its path or name.
#[must_use]
pub fn decide(path: &[u8]) -> Option<Decision<'static>> {
    RULES.decide(path, false)
}

/// Whether the built-in ignore file decided.
#[must_use]
pub fn has_decided(decision: Decision<'_>) -> bool {
    decision.is_of(&RULES)
}

/// How many files the built-in ignore file leaves out, and what takes them; `None` where there are none.
#[must_use]
pub fn left_out(count: usize) -> Option<String> {
    let files = Some(count).filter(|count| *count > 0).map(|count| counted(count, "file"))?;
    Some(format!(
        "{files} left out by the built-in ignore file: '!NAME' in .ctxignore or --no-ignore takes them"
    ))
}

/// The files that it leaves out, each once.
#[derive(Debug, Default)]
pub struct LeftOut(BTreeMap<PathBuf, IgnoredFor>);

/// The rule that leaves out a file, and the ranks of the entries that would have matched it.
#[derive(Debug)]
struct IgnoredFor {
    by: DecidedBy,
    ranks: BTreeSet<usize>,
}

impl LeftOut {
    /// Notes a file that these entries would have matched.
    pub fn note(&mut self, directory: &Path, relative: &Path, by: DecidedBy, ranks: BTreeSet<usize>) {
        if !ranks.is_empty() {
            let file = IgnoredFor { by, ranks: BTreeSet::new() };
            self.0.entry(directory.join(relative)).or_insert(file).ranks.extend(ranks);
        }
    }

    /// How many they are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Counts them for each entry, and names the rule of the first where an entry matches nothing else;
    /// `order` has the reports' places by rank.
    pub fn report(&self, order: &[usize], reports: &mut [EntryReport]) {
        for file in self.0.values() {
            for rank in &file.ranks {
                let report = &mut reports[order[*rank]];
                report.left_out_built_in += 1;
                if report.matches == 0 && report.ignored_by.is_none() {
                    report.ignored_by = Some(file.by.clone());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_minified_files_and_maps_are_left_out() {
        let left_out = |path: &str| decide(path.as_bytes()).is_some_and(has_decided);
        for path in ["Cargo.lock", "a/package-lock.json", "a.min.js", "d/x.min.css", "app.js.map", "go.sum"] {
            assert!(left_out(path), "{path}");
        }
        for path in ["lock", "Cargo.toml", "package.json", "min.js", "site.map", "map", "x.lock"] {
            assert!(!left_out(path), "{path}");
        }
    }
}
