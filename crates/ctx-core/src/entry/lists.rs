//! Which lists an exclusion applies to.

use super::{Author, Scope, ScopedEntry};

/// A set of lists, by their scope and author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Lists(u16);

impl Lists {
    /// No list.
    pub const NONE: Self = Self(0);

    /// Every list.
    pub const ALL: Self = Self(u16::MAX);

    /// What the user names for one block.
    pub const FOR_ONE_BLOCK: Self = Self(1 << 3);

    /// The list that contains an entry.
    #[must_use]
    pub fn of(scoped: &ScopedEntry) -> Self {
        let place = match scoped.scope {
            Scope::Global => 0,
            Scope::Profile => 1,
            Scope::Project => 2,
            Scope::Session => 3,
            Scope::Prompt => 4,
        };
        Self(1 << (place + if is_bounded(scoped.author) { PROJECT } else { 0 }))
    }

    /// The lists that an exclusion applies to: its own and later ones. A project's exclusions apply only to its
    /// own entries, so that a checkout cannot hide a file from its reviewers.
    #[must_use]
    pub fn bound_by(exclusion: &ScopedEntry) -> Self {
        let Self(own) = Self::of(exclusion);
        let later = |bit: u16| LIST & !(bit - 1);
        if own > LIST {
            Self(later(own >> PROJECT) << PROJECT)
        } else {
            Self(later(own) | later(own) << PROJECT)
        }
    }

    /// The lists of both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it contains all of the other set.
    #[must_use]
    pub fn hold(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the sets have a list in common.
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// The distance between the bits of the project's lists and those of the user's.
const PROJECT: u16 = 8;

/// The bits of the user's lists.
const LIST: u16 = (1 << PROJECT) - 1;

fn is_bounded(author: Author) -> bool {
    match author {
        Author::Project => true,
        Author::User | Author::CommandLine | Author::List | Author::Prompt => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Entry, Provenance};

    #[test]
    fn exclusion_applies_to_its_own_and_later_lists_but_a_projects_never_to_a_users() {
        let scopes = [Scope::Global, Scope::Profile, Scope::Project, Scope::Session, Scope::Prompt];
        let of = |scope, author| ScopedEntry::from_list(Provenance { scope, author }, Entry::new("a"));
        for (place, scope) in scopes.into_iter().enumerate() {
            for (other_place, other) in scopes.into_iter().enumerate() {
                let binds = |author, other_author| {
                    Lists::bound_by(&of(scope, author)).meets(Lists::of(&of(other, other_author)))
                };
                let is_later = other_place >= place;
                assert_eq!(binds(Author::User, Author::CommandLine), is_later);
                assert_eq!(binds(Author::User, Author::Project), is_later);
                assert_eq!(binds(Author::Project, Author::Project), is_later);
                assert!(!binds(Author::Project, Author::User));
            }
        }
    }
}
