//! The built-in ignore file, which lies below all others: what nobody wants in a prompt.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use crate::report::hint::Hint;
use crate::report::notice::{Notice, NoticeKind};
use crate::words::counted;

use super::fate::EntryReport;
use super::rule_file::{Decision, RuleFile};
use crate::git::wildmatch::Case;

static RULES: LazyLock<RuleFile> = LazyLock::new(|| {
    let path = PathBuf::from("built-in ignore file");
    match RuleFile::parse(include_bytes!("built_in_ignore"), path, Case::Sensitive) {
        Ok(rules) => rules,
        // It is part of the program. To go on without rules would be the unsafe way.
        Err(error) => unreachable!("the built-in ignore file: {error}"),
    }
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

/// That so many files are left out by the built-in ignore file; `None` where there are none.
#[must_use]
pub fn left_out(count: usize) -> Option<Notice> {
    let text = format!("{} left out by the built-in ignore file", counted(count, "file"));
    let notice = Notice::note(NoticeKind::IgnoreFiles, text).with_hint(Hint::LiftBuiltInRules);
    (count > 0).then_some(notice)
}

/// The files that it ignores, each once, with the ranks of the entries that would have matched them.
#[derive(Debug, Default)]
pub struct Ignored(BTreeMap<PathBuf, Arc<[usize]>>);

impl Ignored {
    /// Notes a file that these entries would have matched.
    pub fn note(&mut self, path: PathBuf, ranks: &Arc<[usize]>) {
        let known = self.0.entry(path).or_insert_with(|| Arc::clone(ranks));
        if *known != *ranks {
            let all: BTreeSet<usize> = known.iter().chain(ranks.iter()).copied().collect();
            *known = all.into_iter().collect();
        }
    }

    /// How many they are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Counts them for each entry; `order` has the reports' places by rank.
    pub fn report(&self, order: &[usize], reports: &mut [EntryReport]) {
        for rank in self.0.values().flat_map(|ranks| ranks.iter()) {
            reports[order[*rank]].left_out_built_in += 1;
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
