//! From the text of an entry to the file system: which file, which directory, which walk.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::entry::component::Component;
use crate::entry::lines::{Lines, Ranged};
use crate::entry::pattern::{self, Glob, Target, TargetError};
use crate::entry::{Author, Entry, Kind, NamedPart, Scope, ScopedEntry, braces, up_names};
use crate::fs::{Notation, real};
use crate::world::World;

use super::file::EntryId;
use super::problem::Problem;
use super::resolver::{
    EntryBase, Level, NamedFile, PathResolver, WrittenPath, clean, in_git, levels, path_of,
};
use crate::fs::FileMetadata;
use crate::fs::directory;

/// The result of resolving an entry.
#[derive(Debug)]
pub enum Resolved {
    /// A regular file.
    File(NamedFile),
    /// A directory.
    Directory(Start),
    /// A pattern, with a start for each of its alternatives whose directory exists.
    Pattern(Vec<Start>),
    /// The files with certain names, in the directories from the root of the tree down.
    Hierarchy(Vec<Level>),
    /// What to exclude.
    Exclusion(Vec<Start>),
}

/// Where matching starts.
#[derive(Debug)]
pub struct Start {
    /// The directory, canonical.
    pub root: PathBuf,
    /// The directory as given, without `./`.
    pub given: String,
    /// The pattern to match below it.
    pub glob: Glob,
}

impl Start {
    /// The start that matches exactly the file or directory with a canonical path; `None` for the root of the file
    /// system.
    pub(super) fn of_existing(canonical: &Path) -> Option<Self> {
        let name = canonical.file_name().map(OsStr::as_encoded_bytes)?;
        let root = canonical.parent()?.to_owned();
        let glob = Glob::below(String::new(), Component::Literal(name.into()));
        Some(Self { root, given: String::new(), glob })
    }

    /// Whether this excludes a path, or one of its directories.
    pub(super) fn takes_out(&self, path: &Path) -> bool {
        let below = path.strip_prefix(&self.root);
        below.is_ok_and(|below| self.glob.components.takes_out(&directory::bytes_of(below)))
    }
}

/// Resolves an entry.
///
/// # Errors
/// If it is not a valid entry, is a literal that is missing, unreadable or special, or leads where its author may
/// not go.
pub fn resolve(scoped: &ScopedEntry, resolver: &PathResolver<'_>) -> Result<Resolved, Problem> {
    let attributes = &scoped.entry.attributes;
    if attributes.lines.is_some() && attributes.name.is_some() {
        return Err(Problem::Invalid(TargetError::LinesAndName));
    }
    attributes.lines.map_or(Ok(()), Lines::check).map_err(Problem::Lines)?;
    let is_named = attributes.name.is_some();
    match resolve_whole(scoped, resolver)? {
        Resolved::Directory(_) if is_named => Err(Problem::Invalid(TargetError::NameInDirectory)),
        Resolved::Pattern(_) | Resolved::Hierarchy(_) if is_named => {
            Err(Problem::Invalid(TargetError::NameInPattern))
        }
        Resolved::Directory(_) if attributes.lines.is_some() => Err(Problem::LinesOfDirectory),
        Resolved::Pattern(_) | Resolved::Hierarchy(_) if attributes.lines.is_some() => {
            Err(Problem::LinesOfPattern)
        }
        resolved => Ok(resolved),
    }
}

fn resolve_whole(scoped: &ScopedEntry, resolver: &PathResolver<'_>) -> Result<Resolved, Problem> {
    let (text, base) = (scoped.entry.path.as_str(), resolver.base(scoped));
    let (author, world) = (scoped.author, base.world);
    if let Some(forbidden) = scoped.forbidden() {
        return Err(Problem::Forbidden(forbidden));
    }
    if let Some(names) = Kind::Up.argument(text) {
        let names = up_names(names).map_err(Problem::Names)?;
        return Ok(Resolved::Hierarchy(levels(&names, base, resolver)));
    }
    if let Some(path) = &scoped.exact {
        let written = WrittenPath::exactly(path, world);
        let written = if scoped.dependency().is_some() { written.called_always(text) } else { written };
        return literal(written, scoped, resolver);
    }
    if scoped.entry.kind() == Kind::Dependency && !exists(text, world) {
        let may_be_searched = author != Author::Project || scoped.entry.attributes.search;
        return Err(if may_be_searched { Problem::Missing } else { Problem::NotTrusted });
    }
    match pattern::parse(text) {
        Ok(Target::Literal(path)) => literal(WrittenPath::of_text(&path, world)?, scoped, resolver),
        Err(error @ TargetError::OtherHome) => Err(Problem::Invalid(error)),
        Ok(Target::Pattern(_)) | Err(_) if !text.starts_with('!') && exists(text, world) => {
            literal(WrittenPath::of_text(text, world)?, scoped, resolver)
        }
        Ok(Target::Pattern(globs)) => {
            let starts = starts(globs, author, base, resolver)?;
            let is_wide = |start: &Start| start.glob.is_whole() && is_too_wide(&start.root, base.world);
            let looks_through = resolver.options.looks_through && scoped.scope == Scope::Session;
            if looks_through && starts.iter().any(is_wide) {
                return Err(Problem::TooWide);
            }
            Ok(Resolved::Pattern(starts))
        }
        Ok(Target::Exclusion(globs)) => exclusion(text, globs, world, resolver).map(Resolved::Exclusion),
        Err(error) => Err(Problem::Invalid(error)),
    }
}

/// The entries of a command that exceed its limit on patterns, or a project's limit on ranges of lines, and
/// so are not looked up. A project's entries are counted separately.
///
/// Exclusions are counted first, then what the command line names. If the exclusions of an author alone exceed the
/// limit, none of that author's entries is looked up: one of them could print what an exclusion leaves out.
#[must_use]
pub fn surplus(entries: &[ScopedEntry], resolver: &PathResolver<'_>) -> BTreeMap<EntryId, TargetError> {
    let mut surplus = BTreeMap::new();
    let mut ranges = 0;
    let mut rooms = [pattern::MAX_PATTERNS; 2];
    let mut are_unbound = [false; 2];
    let mut used: Vec<usize> = (0..entries.len()).filter(|id| !entries[*id].entry.attributes.off).collect();
    used.sort_by_key(|id| (!entries[*id].entry.is_exclusion(), entries[*id].scope != Scope::Session));
    for index in used {
        let scoped = &entries[index];
        let is_project = scoped.author == Author::Project;
        let author = usize::from(is_project);
        let room = &mut rooms[author];
        if are_unbound[author] && !scoped.entry.is_exclusion() {
            surplus.insert(EntryId(index), TargetError::TooManyPatterns);
        } else if is_project && scoped.entry.attributes.is_partial() {
            ranges += 1;
            if ranges > pattern::MAX_RANGES {
                surplus.insert(EntryId(index), TargetError::TooManyRanges);
            }
        } else if is_pattern(scoped, resolver.base(scoped).world) {
            // Beyond the limit, entries are not expanded either.
            let count = if *room == 0 { 1 } else { alternatives(&scoped.entry.path) };
            if let Some(left) = room.checked_sub(count) {
                *room = left;
            } else {
                *room = 0;
                are_unbound[author] |= scoped.entry.is_exclusion();
                surplus.insert(EntryId(index), TargetError::TooManyPatterns);
            }
        }
    }
    surplus
}

/// Whether an entry is compared with many names, or looked up in many directories.
fn is_pattern(scoped: &ScopedEntry, world: &World) -> bool {
    let text = scoped.entry.path.as_str();
    match scoped.entry.kind() {
        Kind::Up => true,
        Kind::Exclusion => pattern::has_wildcards(text),
        Kind::Path => scoped.exact.is_none() && pattern::has_wildcards(text) && !exists(text, world),
        Kind::StandardInput | Kind::Git | Kind::Command | Kind::Todo | Kind::Dependency => false,
    }
}

/// How many patterns a pattern with `?` or `[…]` counts as, since matching it takes longer.
const SLOW: usize = 4;

/// How many patterns or names the text of an entry expands to; 0 if it is not a pattern.
fn alternatives(text: &str) -> usize {
    match Kind::Up.argument(text) {
        Some(names) => names.split('|').count(),
        None => {
            braces::expand(text).map_or(0, |all| all.len() * if text.contains(['?', '[']) { SLOW } else { 1 })
        }
    }
}

/// The entry that `text` stands for: part of a file if it ends with a range of lines or the name of something in
/// the file, unless a file with exactly that name exists.
#[must_use]
pub fn entry_of(text: &str, world: &World) -> Entry {
    if exists(text, world) {
        return Entry::new(text);
    }
    if let Some(NamedPart { path, name }) = named_part(text, world) {
        let mut entry = Entry::new(path);
        entry.attributes.name = Some(name);
        return entry;
    }
    match Ranged::of(text) {
        Some(Ranged { path, lines }) => {
            let mut entry = Entry::new(path);
            entry.attributes.lines = Some(lines);
            entry
        }
        None => Entry::new(text),
    }
}

/// What `text` names in a file; or in something else, which is an error once it is resolved.
fn named_part<'t>(text: &'t str, world: &World) -> Option<NamedPart<'t>> {
    let is_up = Kind::of(text) == Kind::Up;
    if Kind::of(text) != Kind::Path && !is_up || Ranged::is_fragment(text) {
        return None;
    }
    let at = |path: &str| path_of(path, world).ok()?.metadata().ok();
    let is_file = |path: &str| at(path).is_some_and(|metadata| metadata.is_file());
    NamedPart::of(text, is_file).or_else(|| {
        let part = NamedPart::each(text).next()?;
        let name = part.name.as_str();
        let is_pattern = pattern::has_wildcards(part.path) && !part.path.ends_with('/');
        let begins_path = || {
            let directory = text[part.path.len()..].find('/').map(|slash| &text[..part.path.len() + slash]);
            directory.is_some_and(|directory| exists(directory, world))
        };
        let is_directory = || at(part.path).is_some_and(|metadata| metadata.is_dir()) && !begins_path();
        let is_mistaken = is_up || is_pattern && !pattern::has_wildcards(name) || is_directory();
        is_mistaken.then_some(part)
    })
}

/// Whether the whole text, wildcard characters and all, is a path that exists.
fn exists(text: &str, world: &World) -> bool {
    text.len() <= pattern::MAX_LENGTH
        && !text.is_empty()
        && !text.contains('\0')
        && Notation::HERE.check(&Notation::HERE.slashed(text)).is_ok()
        && path_of(text, world).is_ok_and(|path| path.symlink_metadata().is_ok())
}

fn literal(
    written: WrittenPath,
    scoped: &ScopedEntry,
    resolver: &PathResolver<'_>,
) -> Result<Resolved, Problem> {
    let base = resolver.base(scoped);
    let path = &written.path;
    let (canonical, metadata) = resolver.find(path).map_err(|error| Problem::of(&error))?;
    base.check_reach(scoped.author, &written, &canonical)?;
    if metadata.is_dir() {
        // The labels of files in a directory begin with its name, which has to be UTF-8.
        let given =
            String::from_utf8(written.called(&canonical, base.world)).map_err(|_| Problem::NotRegular)?;
        let looks_through = resolver.options.looks_through && scoped.scope == Scope::Session;
        let component = if looks_through || scoped.entry.kind() == Kind::Dependency {
            Component::Everything
        } else if resolver.options.recursive {
            Component::Recursive
        } else {
            Component::Any
        };
        if component == Component::Everything && is_too_wide(&canonical, base.world) {
            return Err(Problem::TooWide);
        }
        let glob = Glob::below(given.clone(), component);
        return if in_git(Path::new(&given)) || resolver.is_in_git(&canonical) {
            Err(Problem::InsideGit)
        } else {
            Ok(Resolved::Directory(Start { root: canonical, given, glob }))
        };
    }
    if !metadata.is_file() {
        return Err(Problem::NotRegular);
    }
    // Most paths lead through no link, and a list may have very many of them.
    let has_links = *path != canonical;
    let absolute = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if has_links => {
            resolver.directory(parent).map_or_else(|_| canonical.clone(), |parent| parent.join(name))
        }
        (Some(_) | None, _) => canonical.clone(),
    };
    let is_in_git = resolver.is_file_in_git(&canonical) || (has_links && resolver.is_file_in_git(&absolute));
    let may_enter = scoped.entry.attributes.allow.has_secret_names()
        || (scoped.author == Author::CommandLine && resolver.options.secret_names);
    if is_in_git && !may_enter {
        return Err(Problem::InsideGit);
    }
    let metadata = FileMetadata::of(&metadata);
    let given = written.called(&absolute, base.world);
    let place = resolver.place(written, &canonical)?;
    Ok(Resolved::File(NamedFile { given, place, absolute, canonical, metadata }))
}

/// Whether a directory contains the home directory, or is the root of the file system.
fn is_too_wide(directory: &Path, world: &World) -> bool {
    let home = world.home.as_ref().and_then(|home| real(home).ok());
    directory.parent().is_none() || home.is_some_and(|home| home.starts_with(directory))
}

/// Resolves the alternatives of a pattern. Those whose directory does not exist match nothing; any other
/// problem is an error.
fn starts(
    globs: Vec<Glob>,
    author: Author,
    base: EntryBase<'_>,
    resolver: &PathResolver<'_>,
) -> Result<Vec<Start>, Problem> {
    let start = |glob: Glob| start(glob, author, base, resolver).transpose();
    globs.into_iter().filter_map(start).collect()
}

fn start(
    glob: Glob,
    author: Author,
    base: EntryBase<'_>,
    resolver: &PathResolver<'_>,
) -> Result<Option<Start>, Problem> {
    if in_git(Path::new(&glob.directory)) {
        return Err(Problem::InsideGit);
    }
    let written = WrittenPath::of_text(&glob.directory, base.world)?;
    match resolver.directory(&written.path) {
        Ok(root) => {
            base.check_reach(author, &written, &root)?;
            if resolver.is_in_git(&root) {
                return Err(Problem::InsideGit);
            }
            let given = String::from_utf8_lossy(&written.called(&root, base.world)).into_owned();
            Ok(Some(Start { root, given, glob }))
        }
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(Problem::of(&error)),
    }
}

fn exclusion(
    text: &str,
    globs: Vec<Glob>,
    world: &World,
    resolver: &PathResolver<'_>,
) -> Result<Vec<Start>, Problem> {
    let text = text.strip_prefix('!').unwrap_or(text);
    // `!.`, `!..` and `!~` do not end in a name, but their targets have one.
    let has_name = text != "~" && !clean(text).is_empty() && Path::new(text).file_name().is_some();
    if !has_name && let Some(canonical) = path_of(text, world).ok().and_then(|path| real(path).ok()) {
        return Ok(Start::of_existing(&canonical).into_iter().collect());
    }
    let is_literal = pattern::has_wildcards(text) && exists(text, world);
    let globs = if is_literal { vec![Glob::literal(text)] } else { globs };
    let start = |glob: Glob| {
        let root = resolver.directory(&path_of(&glob.directory, world).ok()?).ok()?;
        Some(Start { root, given: glob.directory.clone(), glob })
    };
    Ok(globs.into_iter().filter_map(start).collect())
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
