//! Whether an entry may be added: `add` refuses what it would not find again.

use std::path::PathBuf;

use crate::entry::{Entry, Scope, ScopedEntry};
use crate::world::World;

use super::options::Options;
use super::report::{EntryKind, EntryReport, Problem};
use super::{SelectError, Selected, select};

/// What a new entry comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Validity {
    /// It can be added; the report says how many files it matches and what it leaves out.
    Valid(EntryReport),
    /// Nothing can be added under that text, not even with `--force`.
    Unusable(Problem),
    /// A literal that is not there, cannot be read, or whose name holds secrets.
    InvalidPath(Problem),
    /// A pattern without a single file.
    NoMatches(EntryReport),
}

/// Looks at one entry as it would be used on its own.
///
/// # Errors
/// Whatever [`select`] says.
pub fn validate(entry: &Entry, world: &World, options: &Options) -> Result<Validity, SelectError> {
    let scoped = [ScopedEntry { scope: Scope::Profile, entry: entry.clone() }];
    let Selected { files, mut entries, .. } = select(&scoped, world, options)?;
    let Some(report) = entries.pop() else {
        return Ok(Validity::Unusable(Problem::Invalid(crate::entry::pattern::TargetError::Empty)));
    };
    if let Some(problem) = report.problem.clone() {
        return Ok(match problem {
            Problem::Invalid(_) | Problem::InsideGit | Problem::NotRegular => Validity::Unusable(problem),
            Problem::Missing
            | Problem::PermissionDenied
            | Problem::Io(_)
            | Problem::SecretName(_)
            | Problem::NoHome
            | Problem::IsOutput => Validity::InvalidPath(problem),
        });
    }
    Ok(match report.kind {
        EntryKind::Pattern if files.is_empty() => Validity::NoMatches(report),
        EntryKind::Literal => match files.first().map(|file| file.place.open()) {
            Some(Err(error)) => Validity::InvalidPath(Problem::of(&error)),
            Some(Ok(_)) | None => Validity::Valid(report),
        },
        EntryKind::Directory => match unreadable(&entry.path, world) {
            Some(problem) => Validity::InvalidPath(problem),
            None => Validity::Valid(report),
        },
        EntryKind::Pattern | EntryKind::Exclusion => Validity::Valid(report),
    })
}

fn unreadable(text: &str, world: &World) -> Option<Problem> {
    let path: PathBuf = super::resolve::path_of(text, world).ok()?;
    std::fs::read_dir(path).err().map(|error| Problem::of(&error))
}

#[cfg(test)]
mod tests {
    use super::super::tests::Fixture;
    use super::*;

    fn validity(fixture: &Fixture, text: &str) -> Validity {
        validate(&Entry::new(text), &fixture.world, &fixture.options).unwrap()
    }

    #[test]
    fn what_cannot_be_found_again_is_refused() {
        let fixture = Fixture::new(&["a.md", "d/e/f", ".env"]);
        assert!(matches!(validity(&fixture, "*.md"), Validity::Valid(report) if report.matches == 1));
        assert!(matches!(validity(&fixture, "a.md"), Validity::Valid(report) if report.matches == 1));
        assert!(
            matches!(validity(&fixture, "d"), Validity::Valid(report) if report.left_out_subdirectories == 1)
        );
        assert!(matches!(validity(&fixture, "!*.md"), Validity::Valid(_)));
        assert_eq!(validity(&fixture, "b.md"), Validity::InvalidPath(Problem::Missing));
        assert_eq!(validity(&fixture, ".env"), Validity::InvalidPath(Problem::SecretName("key")));
        assert!(matches!(validity(&fixture, "*.rs"), Validity::NoMatches(_)));
        assert!(matches!(validity(&fixture, "a["), Validity::Unusable(Problem::Invalid(_))));
        assert_eq!(validity(&fixture, ".git/x*"), Validity::Unusable(Problem::InsideGit));
    }
}
