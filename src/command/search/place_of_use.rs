//! Where a line uses a name.

use ctx_search::{FileKind, is_table};

/// Where a line uses a name, from what a reader looks for first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    Code,
    Example,
    Test,
    /// A comment, or a file that isn't code.
    Prose,
}

impl Use {
    pub(super) fn of(path: &str, line: &str) -> Self {
        const COMMENTS: [&str; 7] = ["//", "/*", "* ", "-- ", ";", "<!--", "#"];
        const DIRECTIVES: [&str; 8] =
            ["#define", "#if", "#el", "#include", "#undef", "#[", "#![", "# define"];
        let begins = |marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
        if begins(&COMMENTS) && !begins(&DIRECTIVES) || is_table(path) {
            return Self::Prose;
        }
        match FileKind::of(path) {
            FileKind::Ordinary => Self::Code,
            FileKind::Example => Self::Example,
            FileKind::Test => Self::Test,
            FileKind::Licence
            | FileKind::Metadata
            | FileKind::Generated
            | FileKind::ChangeLog
            | FileKind::Prose
            | FileKind::Readme => Self::Prose,
        }
    }
}
