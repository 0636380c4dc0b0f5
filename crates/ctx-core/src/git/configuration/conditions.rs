//! When a configuration file is included: `includeIf`.

use std::path::{Path, PathBuf};

use crate::fs::directory::{bytes_of, path_of};
use crate::fs::{real, resolved};
use crate::git::Dirs;
use crate::git::wildmatch::{Case, Wild};
use crate::world::World;

use super::syntax::expand;

/// A condition as written after `includeIf.`, if it can be evaluated without other files.
#[derive(Debug, PartialEq, Eq)]
pub enum Condition<'a> {
    /// The location of the repository.
    Place { pattern: &'a [u8], case: Case },
    /// The checked-out branch.
    Branch(&'a [u8]),
    /// The configured remotes.
    Remote(&'a [u8]),
    /// A condition from a later version of git, which is never true.
    Unknown,
}

impl<'a> Condition<'a> {
    /// Parses the text of a condition.
    #[must_use]
    pub fn new(text: &'a [u8]) -> Self {
        let after = |start: &str| text.strip_prefix(start.as_bytes());
        if let Some(pattern) = after("gitdir:") {
            Self::Place { pattern, case: Case::Sensitive }
        } else if let Some(pattern) = after("gitdir/i:") {
            Self::Place { pattern, case: Case::Ignored }
        } else if let Some(pattern) = after("onbranch:") {
            Self::Branch(pattern)
        } else if let Some(pattern) = after("hasconfig:remote.*.url:") {
            Self::Remote(pattern)
        } else {
            Self::Unknown
        }
    }
}

/// The paths of the repository's git directory: with links resolved, and as the user reached it.
#[must_use]
pub fn names_of(repository: &Dirs, world: &World) -> Vec<Vec<u8>> {
    let git_dir = resolved(&repository.git_dir);
    let is_root = |pwd: &&PathBuf| real(pwd).is_ok_and(|pwd| pwd == repository.root);
    let given = match (repository.git_dir.parent() == Some(&repository.root), &world.git.pwd) {
        (true, Some(pwd)) if is_root(&pwd) => pwd.join(".git"),
        (true | false, _) => repository.git_dir.clone(),
    };
    vec![bytes_of(&git_dir), bytes_of(&given)]
}

/// Whether a location with these names matches the pattern of a condition in `file`; `None` if unknown.
#[must_use]
pub fn matches_place(
    pattern: &[u8],
    case: Case,
    names: &[Vec<u8>],
    file: Option<&Path>,
    world: &World,
) -> Option<bool> {
    let mut pattern = match pattern.first() {
        Some(b'~') => {
            let home = pattern.get(1).is_none_or(|byte| *byte == b'/');
            let expanded = expand(pattern, world).filter(|_| home)?;
            // Links in the home directory are resolved; the rest is a pattern.
            let home = world.home.as_ref()?;
            let rest = expanded.get(bytes_of(home).len()..)?;
            [bytes_of(&real(home).ok()?).as_slice(), rest].concat()
        }
        Some(_) | None => pattern.to_vec(),
    };
    let mut plain = 0;
    if let Some(rest) = pattern.strip_prefix(b"./") {
        let directory = bytes_of(real(file?).ok()?.parent()?);
        plain = directory.len() + 1;
        pattern = [directory.as_slice(), b"/", rest].concat();
    } else if path_of(&pattern).is_relative() {
        pattern.splice(0..0, *b"**/");
    }
    let pattern = with_everything_below(&pattern);
    let wild = Wild::new(&pattern[plain..], case);
    Some(names.iter().any(|name| {
        name.split_at_checked(plain)
            .is_some_and(|(start, rest)| case.same(&pattern[..plain], start) && wild.matches(rest))
    }))
}

/// Whether a branch matches the pattern of a condition.
#[must_use]
pub fn matches_branch(pattern: &[u8], branch: &[u8]) -> bool {
    Wild::new(&with_everything_below(pattern), Case::Sensitive).matches(branch)
}

/// A pattern that ends in a slash means everything below.
fn with_everything_below(pattern: &[u8]) -> Vec<u8> {
    let end: &[u8] = if pattern.ends_with(b"/") { b"**" } else { b"" };
    [pattern, end].concat()
}
