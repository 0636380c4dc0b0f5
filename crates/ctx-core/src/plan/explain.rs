//! Why one file is or is not in the block, in detail.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::{Plan, account};
use crate::account::{FileRecord, Status, VERSION};
use crate::entry::pattern::TargetError;
use crate::entry::{Attributes, Entry, Lines, Scope, ScopedEntry};
use crate::format::begins_output;
use crate::fs::{Notation, real, resolved};
use crate::git::rule_file::DecidedBy;
use crate::guard;
use crate::named::named;
use crate::read::{self, DEFAULT_MAX_BYTES, Page, Unreadable};
use crate::report::{Reason, ReasonCode};
use crate::select;
use crate::select::dead_rule::{DeadRule, dead_rule};
use crate::select::explain::{Explanation, Matched, explain};
use crate::select::ignore_rules::Ruling;
use crate::select::{EntryFate, EntryId, EntryKind, EntryReport, Label, Problem, entry_of, path_of};
use crate::source::Source;
use crate::source::named::Lookup;
use crate::source::readers::Readers;
use crate::world::World;

/// Everything that affects one file, serialised to a documented JSON format (`version` 1).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// [`VERSION`].
    pub version: u32,
    /// The path, as given.
    pub path: String,
    /// What happened to it; `None` if it was not selected, which is `out` in JSON.
    #[serde(serialize_with = "status")]
    pub status: Option<Status>,
    /// The reason, unless it is included in full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Whether a search of everything reads it, or why not; `None` if an entry matches it, or it is not below the
    /// work root.
    #[serde(skip)]
    pub search: Option<Result<(), Reason>>,
    /// The entries that match it, in the order in which they apply.
    pub entries: Vec<EntryEffect>,
    /// The ignore rule that matches it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleRecord>,
    /// A rule that should bring it back, and does not.
    #[serde(skip)]
    pub dead_rule: Option<DeadRule>,
    /// The kind of secret that its name suggests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_name: Option<&'static str>,
    /// How it was read, and how much of it fits in the budget; absent if it was not selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileRecord>,
    /// The records of its other ranges of lines, if there are several and none was named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_ranges: Vec<FileRecord>,
}

fn status<S: Serializer>(status: &Option<Status>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.map_or("out", Status::name))
}

/// An entry that matches the file, and its effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntryEffect {
    /// The entry, as stored.
    pub entry: String,
    /// Its scope.
    pub scope: Scope,
    /// `literal`, `directory` or `pattern`.
    pub kind: &'static str,
    /// Whether it includes the file, or why not.
    pub effect: Effect,
    /// The exclusion that excludes the file from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded_by: Option<String>,
    /// How many files that exclusion excludes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded_files: Option<usize>,
    /// Why the entry does not follow the link that leads to the file.
    #[serde(skip)]
    pub unfollowed: Option<String>,
    /// Whether its files are never trimmed.
    pub pinned: bool,
}

named! {
    /// The effect of an entry on a file that it matches.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Effect {
        /// The entry includes the file.
        Selects = "selects",
        /// An exclusion excludes it.
        Excluded = "excluded",
        /// An ignore rule excludes it, or an ignore file cannot be read safely.
        Ignored = "ignored",
        /// Its name suggests secrets.
        SecretName = "secret-name",
        /// It is in `.git`.
        InsideGit = "inside-git",
        /// A name in its path begins with a dot.
        DotFile = "dot-file",
        /// The entry has none of the requested tags.
        Filtered = "filtered",
        /// The entry is turned off.
        Off = "off",
        /// The entry names different lines of it.
        OtherLines = "other-lines",
        /// The entry matches the file's path, but its search does not reach the file.
        Unreached = "unreached",
    }
}

impl Effect {
    /// The effect of an entry that is not used.
    fn of_unused(report: &EntryReport) -> Option<Self> {
        let effect = if report.fate == EntryFate::Off { Self::Off } else { Self::Filtered };
        (!report.is_used()).then_some(effect)
    }
}

/// The ignore rule that decides whether a file is excluded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleRecord {
    /// The ignore file; relative to the current directory if below it.
    pub file: String,
    /// The line number in that file, counted from 1, of the rule, or of what cannot be read safely; absent if that
    /// is not a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The pattern as written on that line; absent if the file cannot be read safely.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Whether it excludes or re-includes the file.
    pub ignores: bool,
}

impl RuleRecord {
    fn of(ruling: &Ruling, world: &World) -> Option<Self> {
        let cwd = resolved(&world.cwd);
        let shown = |file: &Path| Notation::HERE.shown(file.strip_prefix(&cwd).unwrap_or(file));
        let decided = |by: &DecidedBy| Self {
            file: shown(&by.file),
            line: Some(by.line),
            pattern: Some(by.pattern.clone()),
            ignores: !by.negated,
        };
        match ruling {
            Ruling::Unmentioned => None,
            Ruling::Kept(by) | Ruling::Ignored(by) => Some(decided(by)),
            Ruling::Unsafe(problem) => {
                let file = shown(&problem.path);
                Some(Self { file, line: problem.line(), pattern: None, ignores: true })
            }
        }
    }
}

/// Whether a source is a file or some of its lines. `canonical` is the file's path with all links resolved.
pub(super) fn is_of_file(source: &Source, canonical: &Path) -> bool {
    source.place().is_some_and(|place| {
        let path = place.path();
        // Only a path that a person wrote may lead through links.
        path == canonical || (source.selected_by.named && real(&path).is_ok_and(|path| path == canonical))
    })
}

/// The part of a file that is explained.
enum AskedPart {
    Whole,
    Lines(Vec<Lines>),
    /// It is named, and the file has nothing of that name.
    Missing(Reason),
}

impl AskedPart {
    fn of(entry: Option<&Entry>, canonical: &Path, lookup: Lookup) -> Self {
        let Some(Attributes { lines, name, .. }) = entry.map(|entry| &entry.attributes) else {
            return Self::Whole;
        };
        match (lines, name) {
            (Some(lines), _) => Self::Lines(vec![*lines]),
            (None, Some(name)) => {
                match lookup.find(read::open(canonical), &canonical.to_string_lossy(), name) {
                    Ok(lines) => Self::Lines(lines),
                    Err(reason) => Self::Missing(reason),
                }
            }
            (None, None) => Self::Whole,
        }
    }

    /// Whether a document with these lines of the file has any of it.
    fn overlaps(&self, there: Option<Lines>) -> bool {
        match (self, there) {
            (Self::Lines(asked), Some(there)) => asked.iter().any(|asked| asked.overlaps(there)),
            (Self::Missing(_), _) => false,
            (Self::Whole | Self::Lines(_), _) => true,
        }
    }
}

/// Why no document has these lines of a file.
fn no_such_lines(canonical: &Path, lines: Lines) -> Reason {
    let mut buffer = Page::default();
    match read::open(canonical).and_then(|file| read::read(file, DEFAULT_MAX_BYTES, &mut buffer)) {
        Ok(text) => match guard::cut(&text.text, lines) {
            Ok(_) => ReasonCode::OtherLines.into(),
            Err(error) => Reason::new(ReasonCode::PastTheEnd, error),
        },
        Err(error) => Reason::new(error.code(), error),
    }
}

impl Plan {
    /// Explains why the file at `path`, written as in an entry, is or is not in the block.
    ///
    /// # Errors
    /// If the path is empty, or does not exist.
    pub fn explain(&self, path: &OsStr, world: &World) -> Result<Explained, Problem> {
        let request = &self.request;
        let (file, entry) = asked_file(path, world)?;
        let explanation = explain(&file, &request.entries, world, &request.selection)?;
        let sources = self.sources_of(&explanation.canonical, world);
        let lookup = request.reading.lookup();
        let part = AskedPart::of(entry.as_ref(), &explanation.canonical, lookup);
        let has_part = |index: &usize| part.overlaps(self.items[*index].source.lines);
        let asked: Vec<usize> = sources.iter().copied().filter(has_part).collect();
        let mut files: Vec<_> = account::files_at(self, asked.iter().copied()).collect();
        let other_ranges = files.split_off(files.len().min(1));
        let file = files.pop().or_else(|| self.unread(&explanation));
        let mut entries = self.effects(&explanation, &sources, &asked);
        let link = self.link_on_the_way(&explanation, world).map(ToString::to_string);
        let unreached = entries.iter_mut().filter(|entry| entry.effect == Effect::Unreached);
        unreached.for_each(|entry| entry.unfollowed.clone_from(&link));
        let reason = match (&file, part) {
            (Some(file), _) => file.reason.clone(),
            (None, AskedPart::Missing(reason)) => Some(reason),
            (None, AskedPart::Lines(lines)) if !sources.is_empty() => {
                Some(no_such_lines(&explanation.canonical, lines[0]))
            }
            (None, AskedPart::Lines(_) | AskedPart::Whole) => {
                Some(self.why_out(&explanation, &entries, world))
            }
        };
        let (selection, readers) = (&request.selection, &request.reading.readers);
        let search = || searched(&explanation, &request.entries, selection, readers, world);
        Ok(Explained {
            version: VERSION,
            path: match path.to_str() {
                Some(text) => text.to_owned(),
                None => Label::new(path.as_encoded_bytes()).to_string(),
            },
            status: file.as_ref().map(|file| file.status),
            search: if entries.is_empty() { search() } else { None },
            reason,
            entries,
            rule: RuleRecord::of(&explanation.verdict, world),
            dead_rule: dead_rule(&explanation.absolute, world),
            secret_name: explanation.secret,
            file,
            other_ranges,
        })
    }

    /// The indices of a file's sources, whether for all of its lines or some, or else of its refused imports.
    fn sources_of(&self, canonical: &Path, world: &World) -> Vec<usize> {
        let is_refused = |source: &Source| {
            let named = || real(path_of(source.label.as_str(), world).ok()?).ok();
            source.imported_by.is_some()
                && source.place().is_none()
                && named().is_some_and(|path| path == canonical)
        };
        let places = |is_meant: &dyn Fn(&Source) -> bool| -> Vec<usize> {
            let all = self.items.iter().enumerate().filter(|(_, item)| is_meant(&item.source));
            all.map(|(place, _)| place).collect()
        };
        let found = places(&|source| is_of_file(source, canonical));
        if found.is_empty() { places(&is_refused) } else { found }
    }

    /// The record of a file that an entry names but that cannot be selected.
    fn unread(&self, explanation: &Explanation) -> Option<FileRecord> {
        let mut named = explanation.matched.iter().filter(|matched| matched.kind == EntryKind::Literal);
        named.find_map(|matched| account::unread(self, &self.reports[matched.entry.0]))
    }

    /// The effects of the entries that match a file. `sources` are the indices of all of the file's sources;
    /// `asked` are the indices of the requested ones.
    fn effects(&self, explanation: &Explanation, sources: &[usize], asked: &[usize]) -> Vec<EntryEffect> {
        let entries_of = |sources: &[usize]| -> BTreeSet<EntryId> {
            sources
                .iter()
                .flat_map(|index| self.items[*index].source.selected_by.entries.iter().copied())
                .collect()
        };
        let (all, selected_by) = (entries_of(sources), entries_of(asked));
        let mut effects: Vec<(EntryId, EntryEffect)> = Vec::new();
        for matched in &explanation.matched {
            let effect = match self.effect(matched, explanation) {
                effect @ (Effect::Filtered | Effect::Off) => effect,
                _ if selected_by.contains(&matched.entry) => Effect::Selects,
                _ if all.contains(&matched.entry) => Effect::OtherLines,
                Effect::Selects if !sources.is_empty() => Effect::Unreached,
                effect => effect,
            };
            let excluded_by = matched.excluded_by.filter(|_| effect == Effect::Excluded);
            effects.push((matched.entry, self.effect_of(matched.entry, matched.kind, effect, excluded_by)));
        }
        let matched: BTreeSet<EntryId> = explanation.matched.iter().map(|matched| matched.entry).collect();
        for id in selected_by.difference(&matched) {
            let report = &self.reports[id.0];
            let effect = Effect::of_unused(report).unwrap_or(Effect::Selects);
            effects.push((*id, self.effect_of(*id, report.kind, effect, None)));
        }
        effects.sort_by_key(|(id, _)| *id);
        effects.into_iter().map(|(_, effect)| effect).collect()
    }

    fn effect_of(
        &self,
        id: EntryId,
        kind: EntryKind,
        effect: Effect,
        excluded_by: Option<EntryId>,
    ) -> EntryEffect {
        let text = |id: EntryId| self.request.entries[id.0].entry.name().into_owned();
        EntryEffect {
            entry: text(id),
            scope: self.request.entries[id.0].scope,
            kind: match kind {
                EntryKind::Literal => "literal",
                EntryKind::Directory => "directory",
                EntryKind::Pattern => "pattern",
                EntryKind::Up => "up",
                EntryKind::Exclusion => "exclusion",
                EntryKind::Text => "text",
            },
            effect,
            unfollowed: None,
            excluded_by: excluded_by.map(text),
            excluded_files: excluded_by
                .and_then(|id| self.reports[id.0].fate.excluded_files())
                .filter(|count| *count > 0),
            pinned: self.request.entries[id.0].entry.attributes.pin,
        }
    }

    pub(super) fn effect(&self, matched: &Matched, explanation: &Explanation) -> Effect {
        Effect::of_unused(&self.reports[matched.entry.0]).unwrap_or_else(|| Effect::of(matched, explanation))
    }
}

/// The file that a path names, and its lines or declaration.
fn asked_file(path: &OsStr, world: &World) -> Result<(PathBuf, Option<Entry>), Problem> {
    if path.is_empty() {
        return Err(Problem::Invalid(TargetError::Empty));
    }
    match path.to_str().map(|text| entry_of(text, world)) {
        Some(entry) => Ok((path_of(&entry.path, world)?, Some(entry))),
        None => Ok((world.cwd.join(path), None)),
    }
}

/// Whether no entry matches the file with this path, and a search of everything reads it.
#[must_use]
pub fn is_only_searched(
    path: &OsStr,
    entries: &[ScopedEntry],
    selection: &select::Options,
    readers: &Readers,
    world: &World,
) -> bool {
    let Ok((file, _)) = asked_file(path, world) else { return false };
    explain(&file, entries, world, selection).is_ok_and(|explanation| {
        let is_unmatched = explanation.matched.is_empty() && explanation.canonical.is_file();
        is_unmatched && searched(&explanation, entries, selection, readers, world) == Some(Ok(()))
    })
}

/// Whether a search of everything reads a file, or why not; `None` if the file is not below the work root.
fn searched(
    explanation: &Explanation,
    entries: &[ScopedEntry],
    selection: &select::Options,
    readers: &Readers,
    world: &World,
) -> Option<Result<(), Reason>> {
    let all = entries.iter().filter(|scoped| scoped.entry.is_exclusion()).cloned();
    let all: Vec<ScopedEntry> = all.chain([ScopedEntry::whole("", world.root.clone())]).collect();
    let options = select::Options { looks_through: true, ..selection.clone() };
    let explanation = explain(&explanation.asked, &all, world, &options).ok()?;
    let effect = Effect::of(explanation.matched.first()?, &explanation);
    if effect != Effect::Selects {
        return Some(Err(effect.reason(&explanation)));
    }
    let mut page = Page::default();
    let read =
        read::open(&explanation.canonical).and_then(|file| read::read(file, DEFAULT_MAX_BYTES, &mut page));
    Some(match read {
        Ok(contents) if begins_output(&contents.text) => Err(ReasonCode::WrittenByCtx.into()),
        Ok(_) => Ok(()),
        Err(Unreadable::Binary) if readers.of(&explanation.canonical).is_some() => Ok(()),
        Err(error) => Err(Reason::new(error.code(), error)),
    })
}

impl Effect {
    /// The effect of an entry that is used.
    fn of(matched: &Matched, explanation: &Explanation) -> Self {
        let literal = matched.kind == EntryKind::Literal;
        if !literal && explanation.inside_git {
            Self::InsideGit
        } else if matched.dotted {
            Self::DotFile
        } else if matched.excluded_by.is_some() {
            Self::Excluded
        } else if matched.rules && explanation.verdict.leaves_out() {
            Self::Ignored
        } else if explanation.secret.is_some() && !matched.secrets {
            Self::SecretName
        } else {
            Self::Selects
        }
    }
}
