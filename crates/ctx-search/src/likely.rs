//! How likely a question is to be about a file of a kind.

use crate::kind::{FileKind, is_prose};
use crate::query::Query;

impl FileKind {
    /// The factor for the score of a file.
    pub(crate) fn factor(self, query: &Query) -> f64 {
        let is_report = query.is_report();
        match self {
            Self::Ordinary => 1.0,
            Self::ChangeLog if query.is_about_versions() => 1.0,
            Self::Licence if query.is_about_licences() => 1.0,
            Self::Test | Self::Generated if is_report => 0.5,
            Self::Readme | Self::Prose | Self::Example | Self::ChangeLog | Self::Licence if is_report => 0.3,
            Self::Example => 1.0,
            Self::Readme | Self::Prose => 0.9,
            // What a change breaks or leaves out is as often there as in the code.
            Self::Metadata if query.is_about_change() || query.is_about_versions() => 1.0,
            Self::Test if query.is_about_change() || query.is_about_tests() => 0.9,
            Self::Test => 0.7,
            Self::Metadata => 0.6,
            Self::Generated => 0.8,
            Self::ChangeLog | Self::Licence => 0.5,
        }
    }
}

/// Whether the name of a file written for people, such as `ARCHITECTURE.md`, suggests that the query asks for
/// it.
#[must_use]
pub fn names_text(query: &Query, path: &str) -> bool {
    const INTRODUCTIONS: [&str; 8] =
        ["architecture", "overview", "introduction", "intro", "summary", "structure", "layout", "purpose"];
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    (stem == name || is_prose(&name.to_lowercase()))
        && INTRODUCTIONS.contains(&stem.to_lowercase().as_str())
        && query.is_in(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_text_accepts_only_documentation() {
        let query = Query::new("what is the architecture of the project?");
        let names = |path| names_text(&query, path);
        assert!(names("ARCHITECTURE.md") && names("docs/architecture.rst"));
        assert!(!names("src/architecture.rs") && !names("docs/projects.md") && !names("overview.md"));
    }
}
