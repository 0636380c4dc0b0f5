//! Reasons why text cannot be an entry.

use crate::words::WrongText;

/// The longest text of an entry, in bytes.
pub const MAX_LENGTH: usize = 4096;
/// How many patterns one entry may expand to.
pub const MAX_EXPANSIONS: usize = 1024;
/// How many patterns the entries of one command may expand to, with a project's files counted separately,
/// since each may have to be tried for each name in the tree. A single entry may expand to all of them.
pub const MAX_PATTERNS: usize = MAX_EXPANSIONS;
/// How many entries of a project may name lines or declarations, since a file is read for each.
pub const MAX_RANGES: usize = 256;
/// The most components that a pattern may have after its literal directories.
pub const MAX_COMPONENTS: usize = 120;

/// Why text is not a valid entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum TargetError {
    /// Empty, or only `!`.
    #[error("it is empty")]
    Empty,
    /// A NUL, which no path can contain.
    #[error("it contains a NUL character")]
    Nul,
    /// Longer than [`MAX_LENGTH`].
    #[error("it is longer than {MAX_LENGTH} bytes")]
    TooLong,
    /// The home directory of somebody else.
    #[error("~user is not supported, only ~ and ~/; write out the path")]
    OtherHome,
    /// More than [`MAX_EXPANSIONS`] expansions.
    #[error("its {{…}} alternatives expand to more than 1,024 patterns")]
    TooManyAlternatives,
    /// With the entries before it, more than [`MAX_PATTERNS`] patterns.
    #[error("all entries together expand to more than 1,024 patterns")]
    TooManyPatterns,
    /// More than [`MAX_RANGES`] entries of a project name lines or declarations.
    #[error("a project may have at most {MAX_RANGES} entries with lines or names")]
    TooManyRanges,
    /// A name after a directory.
    #[error("a '#' and a name can only follow a file, and this is a directory")]
    NameInDirectory,
    /// A name after a pattern, or after an entry that looks files up.
    #[error("a '#' and a name can only follow a file; write [#] if files have it in their names")]
    NameInPattern,
    /// Lines and a name for the same entry.
    #[error("it has both lines and a name; remove one of them")]
    LinesAndName,
    /// More than `braces::MAX_NESTING` levels.
    #[error("its {{…}} alternatives are nested more than 32 deep")]
    NestedTooDeep,
    /// `{` without `}`.
    #[error("'{{' is not closed; write [{{] for the character itself")]
    UnclosedBrace,
    /// `}` without `{`.
    #[error("'}}' closes nothing; write [}}] for the character itself")]
    UnopenedBrace,
    /// `[` without `]`.
    #[error("'[' is not closed; write [[] for the character itself")]
    UnclosedBracket,
    /// `***` and similar.
    #[error("wildcards are either * or **")]
    TooManyStars,
    /// `a**`, `**b`.
    #[error("** must be a whole path component, as in a/**/b")]
    PartialRecursion,
    /// `*/../x`.
    #[error("'..' cannot follow a wildcard or be in braces")]
    ParentAfterWildcard,
    /// A relative path, if the path of the current directory is not UTF-8.
    #[error("the path of the current directory is not UTF-8")]
    NotUtf8,
    /// Not a file on this system.
    #[error(transparent)]
    NoFileName(#[from] WrongText),
    /// More than [`MAX_COMPONENTS`] components.
    #[error("it has more than {MAX_COMPONENTS} components after the first wildcard")]
    TooManyComponents,
}
