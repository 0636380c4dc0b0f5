//! Why one file is in the block or not, in every respect.

use std::fs;
use std::path::Path;

use serde::Serialize;

use super::{Plan, account};
use crate::account::{FileRecord, Reason, Status, VERSION};
use crate::entry::pattern::TargetError;
use crate::entry::{Attributes, Entry, Lines, Scope};
use crate::guard;
use crate::read::{self, Page};
use crate::report::ReasonCode;
use crate::select::explain::{Explanation, Matched, explain, place_of};
use crate::select::filter::Filter;
use crate::select::ignore_rules::Verdict as Ruling;
use crate::select::rule_file::DecidedBy;
use crate::select::{EntryId, EntryKind, EntryReport, Problem, Removal, Unused, entry_of, path_of};
use crate::source::Source;
use crate::world::World;

/// Everything that decides over one file; serialised, the documented JSON of `explain` (`version` 1).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// [`VERSION`].
    pub version: u32,
    /// The path, as asked.
    pub path: String,
    /// What became of it.
    pub status: Verdict,
    /// Why, when it is not simply included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The entries that match it, in the order in which they count.
    pub entries: Vec<EntryEffect>,
    /// The ignore rule that speaks of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleRecord>,
    /// The rule by which its name suggests secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_name: Option<&'static str>,
    /// How it was read and what the budget decided; absent if it was not selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileRecord>,
}

/// What became of a file, selected or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is in the block as it is.
    Included,
    /// Its outline is in the block.
    Outlined,
    /// It is in the block, cut to fit.
    Truncated,
    /// It did not fit the budget.
    Dropped,
    /// It was selected, and could not or must not be read.
    Skipped,
    /// It was not selected.
    Out,
}

impl From<Status> for Verdict {
    fn from(status: Status) -> Self {
        match status {
            Status::Included => Self::Included,
            Status::Outlined => Self::Outlined,
            Status::Truncated => Self::Truncated,
            Status::Dropped => Self::Dropped,
            Status::Skipped => Self::Skipped,
        }
    }
}

/// An entry that matches the file, and whether it brings it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntryEffect {
    /// The entry, as stored.
    pub entry: String,
    /// Where it comes from.
    pub scope: Scope,
    /// `literal`, `directory` or `pattern`.
    pub kind: &'static str,
    /// Whether it brings the file, or why not.
    pub effect: Effect,
    /// The exclusion that takes the file out of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded_by: Option<String>,
    /// How many files that exclusion excludes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded_files: Option<usize>,
    /// Whether what it matches may not be trimmed.
    pub pinned: bool,
}

/// Whether an entry brings a file that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It brings it.
    Selects,
    /// An exclusion takes it out.
    Excluded,
    /// An ignore rule leaves it out, or an ignore file that cannot be read safely.
    Ignored,
    /// Its name suggests secrets.
    SecretName,
    /// It is in `.git`.
    InsideGit,
    /// The entry has none of the tags asked for.
    Filtered,
    /// The entry is turned off.
    Off,
    /// The search does not come to it.
    Unreached,
}

impl Effect {
    fn of_unused(unused: Unused) -> Self {
        match unused {
            Unused::OtherTags => Self::Filtered,
            Unused::Off => Self::Off,
        }
    }
}

/// The ignore rule that decides over a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleRecord {
    /// The ignore file, relative to the current directory if it lies below it.
    pub file: String,
    /// The line in it, from 1; absent if the file cannot be read safely.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The pattern as written there; absent if the file cannot be read safely.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Whether the file is left out by it, or taken back in.
    pub ignores: bool,
}

impl RuleRecord {
    fn of(ruling: &Ruling, world: &World) -> Option<Self> {
        let cwd = world.cwd.canonicalize().unwrap_or_else(|_| world.cwd.clone());
        let shown = |file: &Path| file.strip_prefix(&cwd).unwrap_or(file).display().to_string();
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
                Some(Self { file: shown(&problem.path), line: None, pattern: None, ignores: true })
            }
        }
    }
}

impl Plan {
    /// Explains why the file at `path`, given as an entry would be, is in the block or not.
    ///
    /// # Errors
    /// If the path is empty, or nothing is there.
    pub fn explain(&self, path: &str, world: &World) -> Result<Explained, Problem> {
        if path.is_empty() {
            return Err(Problem::Invalid(TargetError::Empty));
        }
        let request = &self.request;
        let Entry { path: file, attributes: Attributes { lines, .. }, .. } = entry_of(path, world);
        let explanation = explain(&file, &request.entries, world, &request.selection)?;
        let index = self.source_of(&explanation.canonical, lines);
        let file = match index {
            Some(index) => self.account().files.into_iter().nth(index),
            None => self.unread(&explanation),
        };
        let entries = self.effects(&explanation, index);
        let reason = match &file {
            Some(file) => file.reason.clone(),
            None => Some(self.why_out(&explanation, &entries, world).reason()),
        };
        Ok(Explained {
            version: VERSION,
            path: path.to_owned(),
            status: file.as_ref().map_or(Verdict::Out, |file| file.status.into()),
            reason,
            entries,
            rule: RuleRecord::of(&explanation.verdict, world),
            secret_name: explanation.secret,
            file,
        })
    }

    /// The source of a file, or of some of its lines.
    fn source_of(&self, canonical: &Path, lines: Option<Lines>) -> Option<usize> {
        let is_of_file = |source: &Source| {
            source.place().is_some_and(|place| {
                let path = place.path();
                // Only a path that a person wrote may lead through links.
                path == canonical
                    || (source.brought.named && path.canonicalize().is_ok_and(|path| path == canonical))
            })
        };
        let has_lines = |source: &Source| match (lines, source.lines) {
            (Some(asked), Some(there)) => asked.touches(there) && there.touches(asked),
            (Some(_) | None, _) => true,
        };
        self.items.iter().position(|item| is_of_file(&item.source) && has_lines(&item.source))
    }

    /// The record of a file that an entry names, where it cannot be selected.
    fn unread(&self, explanation: &Explanation) -> Option<FileRecord> {
        let mut named = explanation.matched.iter().filter(|matched| matched.kind == EntryKind::Literal);
        named.find_map(|matched| account::unread(self, &self.reports[matched.entry.0]))
    }

    fn effects(&self, explanation: &Explanation, source: Option<usize>) -> Vec<EntryEffect> {
        let brought = source.map_or(&[][..], |index| &self.items[index].source.brought.entries);
        let mut effects: Vec<(EntryId, EntryEffect)> = Vec::new();
        for matched in &explanation.matched {
            let effect = match self.effect(matched, explanation) {
                effect @ (Effect::Filtered | Effect::Off) => effect,
                _ if brought.contains(&matched.entry) => Effect::Selects,
                Effect::Selects if source.is_some() => Effect::Unreached,
                effect => effect,
            };
            let excluded_by = matched.excluded_by.filter(|_| effect == Effect::Excluded);
            effects.push((matched.entry, self.effect_of(matched.entry, matched.kind, effect, excluded_by)));
        }
        for id in brought {
            if !explanation.matched.iter().any(|matched| matched.entry == *id) {
                let EntryReport { kind, unused, .. } = self.reports[id.0];
                let effect = unused.map_or(Effect::Selects, Effect::of_unused);
                effects.push((*id, self.effect_of(*id, kind, effect, None)));
            }
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
            excluded_by: excluded_by.map(text),
            excluded_files: excluded_by.and_then(|id| match self.reports[id.0].removal {
                Removal::Files(count) => Some(count),
                Removal::Nothing(_) | Removal::Something => None,
            }),
            pinned: self.request.entries[id.0].entry.attributes.pin,
        }
    }

    fn effect(&self, matched: &Matched, explanation: &Explanation) -> Effect {
        let literal = matched.kind == EntryKind::Literal;
        if let Some(unused) = self.reports[matched.entry.0].unused {
            Effect::of_unused(unused)
        } else if !literal && explanation.inside_git {
            Effect::InsideGit
        } else if matched.excluded_by.is_some() {
            Effect::Excluded
        } else if matched.rules && explanation.verdict.leaves_out() {
            Effect::Ignored
        } else if explanation.secret.is_some() && !matched.secrets {
            Effect::SecretName
        } else {
            Effect::Selects
        }
    }

    fn why_out(&self, explanation: &Explanation, entries: &[EntryEffect], world: &World) -> ReasonCode {
        if explanation.canonical.is_dir() {
            return ReasonCode::IsDirectory;
        }
        let Some(first) = entries.first() else { return ReasonCode::NoEntry };
        if entries.iter().any(|entry| entry.effect == Effect::Selects) {
            return self
                .filtered_out(&explanation.canonical, world)
                .or_else(|| self.met_on_the_way(&explanation.absolute, world))
                .or_else(|| self.passed_while_reading(&explanation.canonical))
                .unwrap_or(ReasonCode::Unreached);
        }
        match first.effect {
            Effect::Selects | Effect::Unreached => ReasonCode::Unreached,
            Effect::Excluded => ReasonCode::Excluded,
            Effect::Ignored => match &explanation.verdict {
                Ruling::Unsafe(problem) => {
                    ReasonCode::Unreadable { code: problem.kind.code(), text: problem.to_string() }
                }
                Ruling::Unmentioned | Ruling::Kept(_) | Ruling::Ignored(_) => ReasonCode::Ignored,
            },
            Effect::SecretName => ReasonCode::Problem(Problem::SecretName(explanation.secret.unwrap_or(""))),
            Effect::InsideGit => ReasonCode::Problem(Problem::InsideGit),
            Effect::Filtered => ReasonCode::OtherTags,
            Effect::Off => ReasonCode::Off,
        }
    }

    /// Which of the options leaves the file out.
    fn filtered_out(&self, canonical: &Path, world: &World) -> Option<ReasonCode> {
        let options = &self.request.selection;
        let matches = |texts| Filter::new(texts, world).is_ok_and(|filter| filter.matches(canonical));
        if !options.include.is_empty() && !matches(&options.include) {
            return Some(ReasonCode::NotIncluded);
        }
        if matches(&options.exclude) {
            return Some(ReasonCode::FilteredOut);
        }
        let changed = fs::metadata(canonical).and_then(|metadata| metadata.modified()).ok()?;
        let too_old = options.newer_than.is_some_and(|since| changed < since);
        too_old.then_some(ReasonCode::TooOld)
    }

    /// What the walk skipped: the file itself or a directory that it is in.
    fn met_on_the_way(&self, absolute: &Path, world: &World) -> Option<ReasonCode> {
        let skipped = self.passed_over.iter().find(|skipped| {
            let path = path_of(skipped.label.as_str(), world).ok();
            path.and_then(|path| place_of(&path)).is_some_and(|path| absolute.starts_with(path))
        })?;
        Some(ReasonCode::Skipped(skipped.reason.clone()))
    }

    /// What a pattern skips in silence.
    fn passed_while_reading(&self, canonical: &Path) -> Option<ReasonCode> {
        let reader = &self.request.reading;
        let mut buffer = Page::default();
        match read::open(canonical).and_then(|file| read::read(file, reader.limits, &mut buffer)) {
            Err(error) => Some(ReasonCode::unreadable(&error)),
            Ok(text) => {
                let regex = reader.containing.as_ref()?;
                let missing =
                    !regex.is_match(&guard::clean(text.text.into_owned(), reader.policies.strictest()).text);
                missing.then_some(ReasonCode::NotContaining)
            }
        }
    }
}
