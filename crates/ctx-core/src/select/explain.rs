//! Why a path is or is not selected.

use std::path::{Path, PathBuf};

use crate::entry::lists::Lists;
use crate::entry::positions::Dots;
use crate::entry::{Allowance, ScopedEntry};
use crate::fs::real;
use crate::world::World;

use super::fate::{EntryFate, EntryKind};
use super::file::EntryId;
use super::ignore_rules::{Ruling, verdict};
use super::options::Options;
use super::problem::Problem;
use super::resolve::{Resolved, Start, resolve, surplus};
use super::resolver::{PathResolver, path_of};
use super::secret_names::allows_secret_names;
use crate::fs::directory;

/// Everything that affects whether a path is selected, except its contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The requested path, absolute.
    pub asked: PathBuf,
    /// The same path with all directories resolved, but not the file itself if it is a link.
    pub absolute: PathBuf,
    /// The path with all links resolved.
    pub canonical: PathBuf,
    /// The entries whose text matches it, in the given order.
    pub matched: Vec<Matched>,
    /// The verdict of the ignore rules.
    pub verdict: Ruling,
    /// The kind of secret that its name, or its target's name, suggests.
    pub secret: Option<&'static str>,
    /// Whether it is in a `.git`, which patterns and directories never enter.
    pub inside_git: bool,
}

/// An entry that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matched {
    /// The entry.
    pub entry: EntryId,
    /// Its kind.
    pub kind: EntryKind,
    /// The first exclusion that excludes the path from it.
    pub excluded_by: Option<EntryId>,
    /// Whether ignore rules apply to it.
    pub rules: bool,
    /// Whether it may match names that suggest secrets.
    pub secrets: bool,
    /// Whether it would match if no name in the path began with a dot.
    pub dotted: bool,
    /// The path relative to the directory where the entry's search begins; for a named file, just its name.
    pub below_start: PathBuf,
}

/// Explains an absolute path.
///
/// # Errors
/// If the path does not exist.
pub fn explain(
    asked: &Path,
    entries: &[ScopedEntry],
    world: &World,
    options: &Options,
) -> Result<Explanation, Problem> {
    let resolver = PathResolver::new(world, options);
    let canonical = resolver.text_links.real(asked).map_err(|error| Problem::of(&error))?;
    let absolute = place_of(asked).unwrap_or_else(|| canonical.clone());
    let is_directory = canonical.is_dir();
    let mut matched = Vec::new();
    // Of exclusions that bind the same lists at the same depth, only the first one matters.
    let mut exclusions: Vec<(EntryId, usize, Lists)> = Vec::new();
    let surplus = surplus(entries, &resolver);
    let is_for_files = |id: &EntryId| !entries[id.0].entry.kind().is_text() && !surplus.contains_key(id);
    for id in (0..entries.len()).map(EntryId).filter(is_for_files) {
        let scoped = &entries[id.0];
        let attributes = &scoped.entry.attributes;
        let mut dotted = false;
        let mut root = canonical.parent().unwrap_or(&canonical).to_owned();
        let kind = match resolve(scoped, &resolver) {
            Ok(Resolved::File(file)) if file.canonical == canonical => EntryKind::Literal,
            Err(
                Problem::NotRegular
                | Problem::InsideGit
                | Problem::TooWide
                | Problem::Outside
                | Problem::LinkOutside(_)
                | Problem::Forbidden(_),
            ) if names(&scoped.entry.path, &canonical, resolver.base(scoped).world) => EntryKind::Literal,
            Ok(Resolved::Directory(start)) if is_directory && start.root == canonical => EntryKind::Directory,
            Ok(Resolved::Directory(start)) if !is_directory && selects(&start, &absolute) => {
                root = start.root;
                EntryKind::Directory
            }
            // Patterns match only files, even if a directory fits the pattern.
            Ok(Resolved::Pattern(starts))
                if !is_directory && starts.iter().any(|start| matches(start, &absolute, Dots::Plain)) =>
            {
                let selecting = starts.into_iter().find(|start| selects(start, &absolute));
                dotted = selecting.is_none();
                root = selecting.map_or(root, |start| start.root);
                EntryKind::Pattern
            }
            Ok(Resolved::Hierarchy(levels)) if levels.iter().any(|level| level.finds(&canonical)) => {
                EntryKind::Up
            }
            Ok(Resolved::Exclusion(starts)) => {
                let is_used = EntryFate::of_unused(scoped, &options.tags).is_none();
                if is_used && starts.iter().any(|start| start.takes_out(&absolute)) {
                    // An exclusion that begins in a directory applies to its contents.
                    let takes_out = |path: &&Path| {
                        starts.iter().any(|start| start.root != **path && start.takes_out(path))
                    };
                    let depth = depth(absolute.ancestors().take_while(takes_out).last());
                    let binds = Lists::bound_by(scoped);
                    if !exclusions.iter().any(|(_, other, bound)| (*other, *bound) == (depth, binds)) {
                        exclusions.push((id, depth, binds));
                    }
                }
                continue;
            }
            Ok(
                Resolved::File(_) | Resolved::Directory(_) | Resolved::Pattern(_) | Resolved::Hierarchy(_),
            )
            | Err(_) => continue,
        };
        matched.push(Matched {
            entry: id,
            kind,
            excluded_by: None,
            rules: !is_named(kind) && options.ignore_rules && !attributes.allow.has(Allowance::Ignored),
            secrets: allows_secret_names(scoped, kind, options),
            dotted,
            below_start: canonical.strip_prefix(&root).or(absolute.strip_prefix(&root)).map_or_else(
                |_| canonical.file_name().map(PathBuf::from).unwrap_or_default(),
                Path::to_owned,
            ),
        });
    }
    let verdict_on_it = verdict(&absolute, world);
    let is_ignored = |path: &&Path| verdict(path, world).leaves_out();
    let ignored = || depth(absolute.ancestors().take_while(is_ignored).last());
    let ignored = (!exclusions.is_empty() && verdict_on_it.leaves_out()).then(ignored);
    for one in matched.iter_mut().filter(|one| !is_named(one.kind)) {
        let list = Lists::of(&entries[one.entry.0]);
        // A rule that keeps the search out of a directory takes precedence over exclusions of its contents.
        let start = depth(Some(&absolute)).saturating_sub(depth(Some(&one.below_start)));
        let ignored = ignored.filter(|_| one.rules).map(|ignored| ignored.max(start));
        let is_met = |depth: usize| ignored.is_none_or(|ignored| depth.max(start) <= ignored);
        let for_one_block = if options.looks_through { Lists::FOR_ONE_BLOCK } else { Lists::NONE };
        let holds = |(_, depth, binds): &&(EntryId, usize, Lists)| {
            is_met(*depth) && binds.and(for_one_block).meets(list)
        };
        one.excluded_by = exclusions.iter().find(holds).map(|(id, ..)| *id);
    }
    Ok(Explanation {
        asked: asked.to_owned(),
        matched,
        verdict: verdict_on_it,
        secret: (options.secret)(&absolute).or_else(|| (options.secret)(&canonical)),
        inside_git: resolver.tree.is_in_git(&absolute) || resolver.tree.is_in_git(&canonical),
        absolute,
        canonical,
    })
}

/// How many names a path has.
fn depth(path: Option<&Path>) -> usize {
    path.map_or(0, |path| path.components().count())
}

/// Whether entries of a kind name files, which are not subject to ignore rules and exclusions.
fn is_named(kind: EntryKind) -> bool {
    matches!(kind, EntryKind::Literal | EntryKind::Up)
}

/// The path with all directories resolved, but not the file itself; `None` if they do not exist.
#[must_use]
pub fn place_of(path: &Path) -> Option<PathBuf> {
    Some(real(path.parent()?).ok()?.join(path.file_name()?))
}

fn names(text: &str, canonical: &Path, world: &World) -> bool {
    path_of(text, world).ok().and_then(|path| real(path).ok()).is_some_and(|path| path == canonical)
}

fn selects(start: &Start, path: &Path) -> bool {
    matches(start, path, Dots::Literal)
}

fn matches(start: &Start, path: &Path, dots: Dots) -> bool {
    let components = &start.glob.components;
    path.strip_prefix(&start.root).is_ok_and(|below| components.match_all(&directory::bytes_of(below), dots))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Fixture, scoped};
    use super::*;
    use crate::entry::Scope;

    #[test]
    fn entries_exclusions_rules_and_secrets_are_explained() {
        let fixture = Fixture::new(&["r/.git/HEAD", "r/a/x.log", "r/a/y.md", "r/a/k.pem"]);
        fixture.write("r/.gitignore", "*.log\n!x.log\n/a/*.log\n");
        let entries = ["r/**", "r/a", "r/a/x.log", "!r/a/*.md"].map(|text| scoped(Scope::Profile, text));
        let told =
            |path: &str| explain(&fixture.path(path), &entries, &fixture.world, &fixture.options).unwrap();
        let log = told("r/a/x.log");
        assert_eq!(log.matched.iter().map(|one| one.entry.0).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(matches!(&log.verdict, Ruling::Ignored(by) if by.line == 3 && by.pattern == "/a/*.log"));
        assert!(!log.matched[2].rules && log.matched[0].rules);
        let excluded = told("r/a/y.md");
        assert!(excluded.matched.iter().all(|one| one.excluded_by == Some(EntryId(3))));
        assert_eq!(excluded.verdict, Ruling::Unmentioned);
        assert_eq!(told("r/a/k.pem").secret, Some("key"));
        assert!(told("r/.git/HEAD").inside_git);
        assert!(explain(&fixture.path("gone"), &entries, &fixture.world, &fixture.options).is_err());
    }

    #[test]
    fn entry_for_standard_input_matches_no_file_of_that_name() {
        let fixture = Fixture::new(&["-"]);
        let entries = ["-", "./-"].map(|text| scoped(Scope::Profile, text));
        let told = explain(&fixture.path("-"), &entries, &fixture.world, &fixture.options).unwrap();
        assert_eq!(told.matched.iter().map(|one| one.entry.0).collect::<Vec<_>>(), [1]);
    }
}
