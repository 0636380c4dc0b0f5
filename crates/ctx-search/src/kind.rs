//! The kind of a file, from its path.

/// A kind of file, from the least to the most informative about the purpose of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// Licences and the like, written for lawyers.
    Licence,
    /// Manifests, hidden files and JSON, written for tools.
    Metadata,
    /// Files that a program wrote: snapshots, lock files, pictures.
    Generated,
    /// Lists of changes from version to version.
    ChangeLog,
    /// Tests, and the files that they read.
    Test,
    /// Code that shows how to use other code.
    Example,
    /// Ordinary code.
    Ordinary,
    /// Text written for people to read.
    Prose,
    /// Files that introduce people to a directory.
    Readme,
}

/// Directories of tests.
const TESTS: [&str; 9] =
    ["test", "tests", "__tests__", "spec", "specs", "testing", "testdata", "fixtures", "__mocks__"];

/// Names of tests without their extension, then parts and endings of the names of tests.
const TEST_NAMES: [&str; 3] = ["test", "tests", "conftest"];
const TEST_PARTS: [&str; 4] = [".test.", ".tests.", ".spec.", ".e2e."];
const TEST_ENDS: [&str; 7] = ["_test", "_tests", "_spec", "Test", "Tests", "Spec", "IT"];

/// Directories of examples.
const EXAMPLES: [&str; 9] =
    ["example", "examples", "sample", "samples", "demo", "demos", "gallery", "galleries", "tutorials"];

/// Directories of snapshots.
const SNAPSHOTS: [&str; 2] = ["__snapshots__", "snapshots"];

/// Parts and endings of the names of generated files.
const GENERATED_PARTS: [&str; 4] = [".min.", ".generated.", "_generated.", ".g."];
const GENERATED_ENDS: [&str; 8] =
    [".snap", ".svg", ".lock", ".pb.go", "_pb2.py", "go.sum", "package-lock.json", "pnpm-lock.yaml"];

/// Change logs, by the name without its extension, and directories of them.
const LOGS: [&str; 9] = [
    "changelog",
    "change-log",
    "change_log",
    "changes",
    "history",
    "news",
    "releases",
    "release-notes",
    "release_notes",
];
const LOG_DIRECTORIES: [&str; 4] = ["changelog", "changelogs", "changesets", ".changeset"];

/// Manifests, by their whole name in lower case, and by its ending.
const MANIFESTS: [&str; 16] = [
    "cargo.toml",
    "cargo.toml.orig",
    "package.json",
    "tsconfig.json",
    "composer.json",
    "deno.json",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "manifest.in",
    "requirements.txt",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "gemfile",
    "cmakelists.txt",
];
const MANIFEST_ENDS: [&str; 2] = [".gemspec", ".cabal"];

/// The extensions of files written for people.
const PROSE: [&str; 5] = [".md", ".markdown", ".rst", ".adoc", ".txt"];

/// Licences and the like, by the first word of their names.
const LICENCES: [&str; 8] =
    ["license", "licence", "unlicense", "copying", "copyright", "notice", "authors", "maintainers"];

impl FileKind {
    /// The kind of the file with this path, with `/` between the names.
    #[must_use]
    pub fn of(path: &str) -> Self {
        let (directories, name) = path.rsplit_once(['/', '\\']).unwrap_or(("", path));
        let lower = name.to_lowercase();
        let stem = lower.split('.').next().unwrap_or_default();
        let is_in = |names: &[&str]| {
            directories
                .split(['/', '\\'])
                .any(|directory| names.iter().any(|one| directory.eq_ignore_ascii_case(one)))
        };
        if LOGS.contains(&stem) && !is_code(&lower) || is_in(&LOG_DIRECTORIES) {
            Self::ChangeLog
        } else if is_generated(&lower) || is_in(&SNAPSHOTS) {
            Self::Generated
        } else if is_licence(&lower) {
            // Checked before tests: `LICENSE-MIT` ends in `IT`, as the names of integration tests do.
            Self::Licence
        } else if is_manifest(&lower) {
            Self::Metadata
        } else if is_test(name, &lower, stem) || is_in(&TESTS) {
            Self::Test
        } else if lower.ends_with(".json") {
            Self::Metadata
        } else if is_in(&EXAMPLES) {
            Self::Example
        } else if stem == "readme" && !is_code(&lower) {
            Self::Readme
        } else if path.split(['/', '\\']).any(is_hidden) {
            Self::Metadata
        } else if is_prose(&lower) {
            Self::Prose
        } else {
            Self::Ordinary
        }
    }
}

/// Whether a path names a table whose first line says what is in its columns.
#[must_use]
pub fn is_table(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["csv", "tsv"].iter().any(|table| extension.eq_ignore_ascii_case(table))
}

pub(crate) fn is_prose(name: &str) -> bool {
    PROSE.iter().any(|end| name.ends_with(end))
}

fn is_manifest(name: &str) -> bool {
    MANIFESTS.contains(&name) || MANIFEST_ENDS.iter().any(|end| name.ends_with(end))
}

fn is_licence(name: &str) -> bool {
    let first = name.split(['.', '-', '_']).next().unwrap_or_default();
    LICENCES.contains(&first) && !is_code(name)
}

fn is_hidden(name: &str) -> bool {
    name.starts_with('.') && name != "." && name != ".."
}

/// Whether a file of this name is code; code can be called `history` or `changes` too.
fn is_code(name: &str) -> bool {
    use ctx_outline::Language;

    match Language::of_path(name) {
        None | Some(Language::Markdown | Language::Json | Language::Toml | Language::Yaml) => false,
        Some(_) => true,
    }
}

fn is_generated(name: &str) -> bool {
    GENERATED_PARTS.iter().any(|part| name.contains(part))
        || GENERATED_ENDS.iter().any(|end| name.ends_with(end))
}

fn is_test(name: &str, lower: &str, stem: &str) -> bool {
    let written = name.split('.').next().unwrap_or_default();
    stem.starts_with("test_")
        || TEST_NAMES.contains(&stem)
        || TEST_PARTS.iter().any(|part| lower.contains(part))
        || TEST_ENDS.iter().any(|end| written.ends_with(end) && written.len() > end.len())
}

#[cfg(test)]
mod tests {
    use super::FileKind::{ChangeLog, Generated, Licence, Metadata, Ordinary, Prose, Readme, Test};
    use super::*;

    #[test]
    fn kind_depends_on_the_file_name_or_a_directory() {
        for (path, kind) in [
            ("src/history.rs", Ordinary),
            ("src/latest.rs", Ordinary),
            ("src/contest/greatest.py", Ordinary),
            ("README.md", Readme),
            ("src/readme", Readme),
            ("src/readme.rs", Ordinary),
            ("LICENSE-APACHE", Licence),
            ("LICENSE-MIT", Licence),
            ("docs/license.md", Licence),
            ("docs/budget.md", Prose),
            ("src/license.rs", Ordinary),
            ("Cargo.toml", Metadata),
            (".cargo-ok", Metadata),
            (".ci/run", Metadata),
            ("examples/schemas/service.json", Metadata),
            ("jsr.json", Metadata),
            ("tests/answers.json", Test),
            ("./src/a.rs", Ordinary),
            ("CHANGELOG.md", ChangeLog),
            ("docs/History.rst", ChangeLog),
            (".changeset/brave-cats.md", ChangeLog),
            ("web/__snapshots__/view.test.ts.snap", Generated),
            ("dist/app.min.js", Generated),
            ("Cargo.lock", Generated),
            ("tests/cli/main.rs", Test),
            ("gin_test.go", Test),
            ("test_app.py", Test),
            ("src/okhttp/CacheTest.kt", Test),
            ("web/view.spec.ts", Test),
        ] {
            assert_eq!(FileKind::of(path), kind, "{path}");
        }
    }
}
