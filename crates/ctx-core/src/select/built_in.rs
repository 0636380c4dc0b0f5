//! The built-in ignore file, with the lowest priority: files that nobody wants in a prompt.

use std::path::PathBuf;
use std::sync::LazyLock;

use crate::fs::names::last_name;
use crate::report::{Hint, Notice, NoticeKind};
use crate::words::counted;

use super::rule_file::{Decision, RuleFile};
use crate::git::wildmatch::Case;

static RULES: LazyLock<RuleFile> = LazyLock::new(|| {
    let path = PathBuf::from("built-in ignore file");
    match RuleFile::parse(include_bytes!("built_in_ignore"), path, Case::Sensitive) {
        Ok(rules) => rules,
        // The file is part of the program, and continuing without rules would be unsafe.
        Err(error) => unreachable!("the built-in ignore file: {error}"),
    }
});

/// The built-in ignore file's decision on a file, by the bytes of its path or name.
#[must_use]
pub fn decide(path: &[u8]) -> Option<Decision<'static>> {
    RULES.decide(path, false, &mut 0)
}

/// Whether this is the file that a file manager leaves in each directory that it shows.
#[must_use]
pub fn is_file_managers(path: &[u8]) -> bool {
    last_name(path) == b".DS_Store"
}

/// Whether a decision is the built-in ignore file's.
#[must_use]
pub fn has_decided(decision: Decision<'_>) -> bool {
    decision.is_of(&RULES)
}

/// Reports that the built-in ignore file excludes this many files; `None` if it excludes none.
#[must_use]
pub fn left_out(count: usize) -> Option<Notice> {
    let text = format!("{} left out by the built-in ignore file", counted(count, "file"));
    let notice = Notice::note(NoticeKind::IgnoreFiles, text).with_hint(Hint::LiftBuiltInRules);
    (count > 0).then_some(notice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_files_minified_files_and_source_maps_are_left_out() {
        let left_out = |path: &str| decide(path.as_bytes()).is_some_and(has_decided);
        for path in [
            "Cargo.lock",
            "a/package-lock.json",
            "a.min.js",
            "d/x.min.css",
            "app.js.map",
            "go.sum",
            "a/.DS_Store",
        ] {
            assert!(left_out(path), "{path}");
        }
        assert!(left_out(".DS_Store") && is_file_managers(b"a/.DS_Store") && !is_file_managers(b"DS_Store"));
        for path in ["lock", "Cargo.toml", "package.json", "min.js", "site.map", "map", "x.lock"] {
            assert!(!left_out(path), "{path}");
        }
    }
}
