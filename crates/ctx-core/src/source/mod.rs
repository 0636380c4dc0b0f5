//! The meaning of entries: the sources of documents, of any kind, in the order of the block.
//!
//! Files are found by `select`. Anything else, such as standard input, is [`Provided`] text with its own
//! entry. Nothing after this module asks for the kind of a source.

pub mod git;
pub mod imports;
mod kept_outputs;
pub mod kind;
pub mod named;
mod ranges;
pub mod readers;
pub mod texts;

pub use kept_outputs::{KeptContents, KeptOutputs};

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::budget::Priority;
use crate::command::CommandReport;
use crate::entry::{Author, Kind, Lines, ScopedEntry};
use crate::fs::directory::bytes_of;
use crate::fs::from_home;
use crate::git::Linguist;
use crate::guard::secrets;
use crate::named::named;
use crate::report::Reason;
use crate::select::{EntryId, File, FilePlace, Label, Missed, SelectedBy};
use ctx_search::FileKind;
use named::NamedLines;
use ranges::{Extent, Part, parts};

named! {
    /// The order of the sources in a block.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Order read as "order" {
        /// In the order of the stored entries, and by path within an entry.
        #[default]
        Stored = "stored",
        /// By the bytes of the label.
        Path = "path",
        /// Least recently changed first, in whole seconds, then by label; sources other than files come last.
        Stable = "stable",
        /// Most important for the question first; the plan sorts the sources after ranking them.
        Score = "score",
    }
}

/// The text of an entry, with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provided {
    /// The entries for it, by their indices in the request; at least one.
    pub entries: Vec<EntryId>,
    /// Its label in the block; anything that is not plain text is escaped there.
    pub label: Vec<u8>,
    /// Its bytes, decoded like those of a file, or why there are none.
    pub content: Result<Arc<[u8]>, Reason>,
    /// The report of the command that printed it.
    pub command: Option<CommandReport>,
}

/// A source of a document.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its label in the block.
    pub label: Label,
    /// The entries that selected it, and their attributes.
    pub selected_by: Arc<SelectedBy>,
    /// How to read it.
    pub origin: Origin,
    /// Its lines, unless it has all of them.
    pub lines: Option<Lines>,
    /// Whether these are the remaining lines of a file, which no entry names.
    pub is_rest: bool,
    /// Whether `.gitattributes` says that nobody wrote its file here.
    pub is_marked: bool,
    /// Where it is imported, if another document imports it.
    pub imported_by: Option<Box<ImportedBy>>,
    /// The report of the command that printed it.
    pub command: Option<Box<CommandReport>>,
}

/// How to read a source.
#[derive(Debug, Clone)]
pub enum Origin {
    /// From a file.
    File {
        /// Where it is.
        place: FilePlace,
        /// When it was changed, in seconds since 1970, if the order needs it.
        changed: Option<i64>,
    },
    /// From bytes that are already available, or the reason why there are none.
    Provided(Result<Arc<[u8]>, Reason>),
}

impl Priority {
    /// How important it is to print the documents of what these entries select.
    #[must_use]
    pub(crate) fn of(selected_by: &SelectedBy) -> Self {
        if selected_by.pin || selected_by.in_every_question.is_some() {
            Self::Pinned
        } else if selected_by.typed {
            Self::Named
        } else if selected_by.preferred {
            Self::Asked
        } else if selected_by.reference.is_some() {
            Self::Referenced
        } else if selected_by.searched.is_some() {
            Self::Found
        } else {
            Self::Stored
        }
    }
}

impl Source {
    /// The label of its file, even if only some lines are included.
    pub(crate) fn path(&self) -> &str {
        self.lines.map_or(self.label.as_str(), |lines| self.label.without_lines(lines))
    }

    /// The kind of its file.
    pub(crate) fn file_kind(&self) -> FileKind {
        if self.is_marked { FileKind::Generated } else { FileKind::of(self.path()) }
    }

    /// Whether it is part of a file that entries include whole.
    pub(crate) fn is_of_whole_file(&self) -> bool {
        self.lines.is_some() && (self.is_rest || self.selected_by.rest.is_some())
    }

    /// The file that it is part of, if entries include it whole.
    pub(crate) fn whole(&self) -> Option<Self> {
        let rest = if self.is_rest { Some(&self.selected_by) } else { self.selected_by.rest.as_ref() };
        let (lines, selected_by) = (self.lines?, Arc::clone(rest?));
        let label = self.label.of_whole(lines);
        Some(Self { label, selected_by, lines: None, is_rest: false, ..self.clone() })
    }

    /// A complete source that nothing imports.
    fn new(label: Label, selected_by: Arc<SelectedBy>, origin: Origin) -> Self {
        Self {
            label: label.without_secrets(),
            selected_by,
            origin,
            lines: None,
            is_rest: false,
            is_marked: false,
            imported_by: None,
            command: None,
        }
    }

    /// A source without text, and the reason why it has none.
    fn without_text(label: Label, selected_by: Arc<SelectedBy>, reason: Reason) -> Self {
        Self::new(label, selected_by, Origin::Provided(Err(reason)))
    }

    /// Where its file is, if it has one.
    #[must_use]
    pub fn place(&self) -> Option<&FilePlace> {
        match &self.origin {
            Origin::File { place, .. } => Some(place),
            Origin::Provided(_) => None,
        }
    }

    /// When it was changed, in whole seconds; sources other than files count as just changed.
    fn changed(&self) -> i64 {
        match &self.origin {
            Origin::File { changed, .. } => changed.unwrap_or(i64::MAX),
            Origin::Provided(_) => i64::MAX,
        }
    }

    /// The sources of a file: one, or one for each part of it.
    fn of_file(file: File, entries: &[ScopedEntry], named: &NamedLines) -> Vec<Self> {
        let File { label, place, selected_by, metadata } = file;
        let changed = metadata.map(|metadata| metadata.stamp.modified.seconds);
        let parts = parts(&selected_by, entries, named);
        let whole = Self::new(label, selected_by, Origin::File { place, changed });
        let part = |(whole, Part { extent, selected_by }): (Self, Part)| {
            let is_rest = matches!(extent, Extent::Rest(_));
            match extent {
                Extent::Whole => Self { selected_by, ..whole },
                Extent::Lines(lines) | Extent::Rest(lines) => {
                    Self { selected_by, is_rest, ..whole.limited_to(lines) }
                }
                Extent::Missing(name, reason) => {
                    Self::without_text(whole.label.with_name(&name), selected_by, reason)
                }
            }
        };
        std::iter::repeat_n(whole, parts.len()).zip(parts).map(part).collect()
    }

    /// These lines of it.
    fn limited_to(self, lines: Lines) -> Self {
        Self { label: self.label.with_lines(lines), lines: Some(lines), ..self }
    }

    fn of_provided(provided: Provided, entries: &[ScopedEntry]) -> Self {
        let Provided { entries: ids, label, content, command } = provided;
        let mut selected_by = SelectedBy { named: true, ..SelectedBy::default() };
        for id in ids {
            let ScopedEntry { author, entry, .. } = &entries[id.0];
            selected_by.unite(id, &entries[id.0]);
            let is_typed = *author == Author::CommandLine;
            match entry.kind() {
                Kind::Git => selected_by.preferred |= is_typed,
                Kind::Path
                | Kind::Exclusion
                | Kind::StandardInput
                | Kind::Up
                | Kind::Command
                | Kind::Todo
                | Kind::Dependency => {
                    selected_by.typed |= is_typed;
                }
            }
        }
        let command = command.map(Box::new);
        Self { command, ..Self::new(Label::new(&label), Arc::new(selected_by), Origin::Provided(content)) }
    }

    /// Notes the actual lines, now that the file has been read.
    pub(crate) fn end_at(&mut self, there: Lines) {
        if let Some(asked) = self.lines.filter(|asked| *asked != there) {
            self.label = self.label.with_other_lines(asked, there);
            self.lines = Some(there);
        }
    }

    fn of_refused(refused: Missed, entries: &[ScopedEntry]) -> Self {
        let Missed { label, why, entries: ids, .. } = refused;
        let mut selected_by = SelectedBy { named: true, ..SelectedBy::default() };
        ids.into_iter().for_each(|id| selected_by.unite(id, &entries[id.0]));
        let reason = Reason::new(why.code(), why);
        Self::without_text(label, Arc::new(selected_by), reason)
    }

    /// What determines its position: the first entry that selected it.
    fn rank(&self) -> Option<EntryId> {
        self.selected_by.entries.first().copied()
    }
}

/// Notes which of the files `.gitattributes` marks as generated or as others' code.
pub fn mark<'s>(sources: impl Iterator<Item = &'s mut Source>, root: &Path) {
    let mut linguist = Linguist::new(root);
    for source in sources {
        let path = source.place().map(FilePlace::path);
        let below = path.as_deref().and_then(|path| path.strip_prefix(root).ok());
        source.is_marked = below.is_some_and(|below| linguist.marks(&bytes_of(below)));
    }
}

/// The words of an entry without secrets, since they appear in the block as a label.
pub(crate) fn without_secrets(words: &str) -> Cow<'_, str> {
    secrets::redact(words).map_or(Cow::Borrowed(words), |redacted| Cow::Owned(redacted.into_string()))
}

/// Inserts the provided text among the files and sorts everything. If labels are equal, the later one gets a
/// number, except that the label of standard input, which the user chose, must be unique. Standard input takes the place of
/// a file that the command line does not name.
///
/// # Errors
/// The label of standard input, if it is also the label of a file.
pub fn order(
    files: Vec<File>,
    refused: Vec<Missed>,
    provided: Vec<Provided>,
    entries: &[ScopedEntry],
    named: &NamedLines,
    home: Option<&Path>,
    order: Order,
) -> Result<Vec<Source>, Label> {
    let mut sources: Vec<Source> = Vec::with_capacity(files.len());
    let mut later: Vec<Source> = Vec::new();
    for file in files {
        let rank = file.selected_by.entries.first().copied();
        for source in Source::of_file(file, entries, named) {
            // The parts of a whole file stay together, in the order of their lines.
            let is_here = source.rank() == rank || source.is_of_whole_file();
            if is_here { sources.push(source) } else { later.push(source) }
        }
    }
    later.extend(refused.into_iter().map(|refused| Source::of_refused(refused, entries)));
    for source in later {
        insert(&mut sources, source);
    }
    number_equal_labels(&mut sources);
    tell_lines_apart(&mut sources, home);
    let is_input =
        |text: &Provided| text.entries.iter().any(|id| entries[id.0].entry.kind() == Kind::StandardInput);
    if let Some(input) = provided.iter().find(|text| is_input(text)) {
        let label = Label::new(&input.label);
        let is_typed =
            |id: &EntryId| entries[id.0].author == Author::CommandLine && !entries[id.0].is_whole();
        let is_named = |source: &Source| source.selected_by.entries.iter().any(is_typed);
        sources.retain(|source| source.label != label || is_named(source));
    }
    let mut labels: HashSet<Label> = HashSet::new();
    if !provided.is_empty() {
        labels.extend(sources.iter().map(|source| source.label.clone()));
    }
    let mut texts: Vec<(usize, Source)> = Vec::with_capacity(provided.len());
    let is_ordered = sources.is_sorted_by_key(Source::rank);
    for text in provided {
        let is_input = is_input(&text);
        let mut source = Source::of_provided(text, entries);
        let plain = source.label.clone();
        let mut number = 1;
        while labels.contains(&source.label) {
            if is_input {
                return Err(source.label);
            }
            number += 1;
            source.label = plain.with_number(number);
        }
        labels.insert(source.label.clone());
        let place = if is_ordered {
            sources.partition_point(|other| other.rank() <= source.rank())
        } else {
            place_of(&sources, &source)
        };
        texts.push((place, source));
    }
    texts.sort_by_key(|(place, source)| (*place, source.rank()));
    let mut sources = merged(sources, texts);
    sources.sort_by(|a, b| order.compare(a, b));
    Ok(sources)
}

impl Order {
    /// Compares two sources that are in the order of the stored entries.
    pub(crate) fn compare(self, a: &Source, b: &Source) -> Ordering {
        match self {
            Self::Stored | Self::Score => Ordering::Equal,
            Self::Path => a.label.cmp(&b.label),
            Self::Stable => a.changed().cmp(&b.changed()).then_with(|| a.label.cmp(&b.label)),
        }
    }
}

/// Numbers labels that are equal once secrets are removed; all others already differ.
fn number_equal_labels(sources: &mut [Source]) {
    let mut labels: HashSet<Label> = HashSet::new();
    for source in sources.iter_mut().filter(|source| source.label.is_redacted()) {
        let (plain, mut number) = (source.label.clone(), 1);
        while !labels.insert(source.label.clone()) {
            number += 1;
            source.label = plain.with_number(number);
        }
    }
}

/// Relabels a file whose name looks like lines of another file: `a:1` next to the first line of `a`. The
/// actual lines are only known after reading, so any lines of that file count.
fn tell_lines_apart(sources: &mut [Source], home: Option<&Path>) {
    let whole = |source: &Source| {
        let label = source.label.as_str().strip_suffix(&format!(":{}", source.lines?))?;
        Some(label.to_owned())
    };
    let with_lines: HashSet<String> = sources.iter().filter_map(whole).collect();
    let is_taken = |label: &Label| {
        let lines = label.as_str().rsplit_once(':');
        lines.is_some_and(|(path, lines)| with_lines.contains(path) && lines.parse::<Lines>().is_ok())
    };
    if with_lines.is_empty() {
        return;
    }
    for source in sources.iter_mut().filter(|source| source.lines.is_none() && is_taken(&source.label)) {
        let path = source.place().map(|place| from_home(bytes_of(&place.path()), home));
        let label = path.map_or_else(|| source.label.clone(), |path| Label::new(&path));
        source.label = if is_taken(&label) { label.with_number(2) } else { label };
    }
}

/// Inserts a source after those of its entry and of earlier entries.
fn insert(sources: &mut Vec<Source>, source: Source) {
    let place = place_of(sources, &source);
    sources.insert(place, source);
}

fn place_of(sources: &[Source], source: &Source) -> usize {
    let place = sources.iter().position(|other| other.rank() > source.rank());
    place.unwrap_or(sources.len())
}

/// The sources merged with others, each inserted before the source at its index.
fn merged(sources: Vec<Source>, others: Vec<(usize, Source)>) -> Vec<Source> {
    let mut all = Vec::with_capacity(sources.len() + others.len());
    let mut others = others.into_iter().peekable();
    for (place, source) in sources.into_iter().enumerate() {
        while let Some((_, other)) = others.next_if(|(before, _)| *before <= place) {
            all.push(other);
        }
        all.push(source);
    }
    all.extend(others.map(|(_, other)| other));
    all
}

/// Where a document is imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportedBy {
    /// The label of the importing document.
    #[serde(rename = "path", serialize_with = "as_text")]
    pub label: Label,
    /// The line with the import, counted from 1.
    pub line: u64,
}

fn as_text<S: Serializer>(label: &Label, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(label.as_str())
}

impl fmt::Display for ImportedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "imported by '{}' line {}", self.label, self.line)
    }
}
