//! The built-in ignore file, with the lowest priority: files and directories that nobody wants in a prompt.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::fs::names::last_name;
use crate::fs::open_without_waiting;
use crate::report::{Hint, Notice, NoticeKind};
use crate::words::{counted, some_of};

use super::fate::LeftOutByFiles;
use crate::git::rule_file::{Decision, RuleFile};
use crate::git::wildmatch::Case;

static RULES: LazyLock<RuleFile> = LazyLock::new(|| {
    let path = PathBuf::from("built-in ignore file");
    match RuleFile::parse(include_bytes!("built_in_ignore"), path, Case::Sensitive) {
        Ok(rules) => rules,
        // The file is part of the program, and continuing without rules would be unsafe.
        Err(error) => unreachable!("the built-in ignore file: {error}"),
    }
});

/// The built-in ignore file's decision on a path or name, by its bytes.
#[must_use]
pub fn decide(path: &[u8], is_directory: bool) -> Option<Decision<'static>> {
    let decision = RULES.decide(path, is_directory, &mut 0);
    decision.filter(|decision| decision.is_for_directories() == is_directory)
}

/// The file that has to be beside a directory for this decision on it.
#[must_use]
pub fn needed_beside(decision: Decision<'_>) -> Option<&'static str> {
    (has_decided(decision) && decision.pattern() == b"target").then_some("Cargo.toml")
}

/// A file that marks its directory as one that nobody wants in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// Python's virtual environments have this one.
    VirtualEnvironment,
    /// The mark of a cache, if it has the right contents.
    Cache,
}

impl Marker {
    const ALL: [Self; 2] = [Self::VirtualEnvironment, Self::Cache];

    /// How a cache's mark begins; see <https://bford.info/cachedir/>.
    const SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";

    const fn name(self) -> &'static str {
        match self {
            Self::VirtualEnvironment => "pyvenv.cfg",
            Self::Cache => "CACHEDIR.TAG",
        }
    }

    /// The marker with that name.
    #[must_use]
    pub fn of(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|marker| marker.name().as_bytes() == name)
    }

    /// The marker in a directory, if there is one.
    #[must_use]
    pub fn find(directory: &Path) -> Option<Self> {
        Self::ALL.into_iter().find(|marker| directory.join(marker.name()).symlink_metadata().is_ok())
    }

    /// Whether it has the right contents there.
    #[must_use]
    pub fn is_valid_in(self, directory: &Path) -> bool {
        match self {
            Self::VirtualEnvironment => true,
            Self::Cache => {
                let mut head = [0; Self::SIGNATURE.len()];
                let opened = open_without_waiting(&directory.join(self.name()));
                opened.and_then(|mut file: File| file.read_exact(&mut head)).is_ok()
                    && head == Self::SIGNATURE
            }
        }
    }

    /// The decision on its directory.
    #[must_use]
    pub fn decision(self) -> Option<Decision<'static>> {
        RULES.decide(self.name().as_bytes(), false, &mut 0)
    }
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

/// Reports what the built-in ignore file excludes; `None` if it excludes nothing.
#[must_use]
pub fn left_out(count: LeftOutByFiles) -> Option<Notice> {
    let text = format!("{} left out by the built-in ignore file", count.in_words()?);
    Some(Notice::note(NoticeKind::IgnoreFiles, text).with_hint(Hint::LiftBuiltInRules))
}

/// Reports the changed files that the built-in ignore file excludes, which an entry for the change selects; `None` if
/// there are none.
#[must_use]
pub fn left_out_changes(names: &[String]) -> Option<Notice> {
    let text = format!(
        "{} left out by the built-in ignore file: {}",
        counted(names.len(), "changed file"),
        some_of(names)
    );
    let notice = Notice::note(NoticeKind::IgnoreFiles, text).with_hint(Hint::LiftBuiltInRules);
    (!names.is_empty()).then_some(notice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_files_minified_files_and_source_maps_are_left_out() {
        let left_out = |path: &str| decide(path.as_bytes(), false).is_some_and(has_decided);
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

    #[test]
    fn directories_of_dependencies_and_builds_are_left_out() {
        let left_out = |path: &str| decide(path.as_bytes(), true).is_some_and(has_decided);
        for path in ["node_modules", "a/node_modules", "a/.venv", "b/vendor/bundle", "ios/Pods", "target"] {
            assert!(left_out(path), "{path}");
            assert!(decide(path.as_bytes(), false).is_none(), "{path} as a file");
        }
        for path in ["vendor", "bundle", "modules", "Cargo.lock", "pods", "venv"] {
            assert!(!left_out(path), "{path}");
        }
        let beside = |path: &str| needed_beside(decide(path.as_bytes(), true).unwrap());
        assert_eq!((beside("a/target"), beside("node_modules")), (Some("Cargo.toml"), None));
        assert!(Marker::ALL.into_iter().all(|marker| marker.decision().is_some_and(has_decided)));
    }
}
