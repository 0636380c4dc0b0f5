//! The result of resolving entries.

use std::ffi::OsStr;
use std::fs::File as OpenFile;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::label::Label;
use crate::entry::value::TextEncoding;
use crate::entry::{Allowed, Author, LevelOfDetail, ScopedEntry};
use crate::fs::FileMetadata;
use crate::fs::directory::{self, RootDirectory};
use crate::fs::names::last_name;
use crate::fs::open_without_waiting;

/// The message for a file whose label would not name it as an entry.
pub const NO_ENTRY: &str = "its name cannot be written as an entry";

/// The most tags that a file can have, and the most entries they are collected from.
const MOST_TAGS: usize = 32;

/// The maximum total length of a file's tags, in bytes.
const MOST_TAG_BYTES: usize = 1 << 10;

/// The index of an entry in the slice passed to `select`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub usize);

/// The entries that selected a file, and their attributes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SelectedBy {
    /// In order; the first one determines the file's position.
    pub entries: Vec<EntryId>,
    /// Their tags, each once: at most 32 and 1 KiB in total, since they are listed for every file.
    pub tags: Arc<Vec<String>>,
    /// Whether any entry pins it.
    pub pin: bool,
    /// The entry of a list because of which it is in every question, if it is.
    pub in_every_question: Option<EntryId>,
    /// Whether a literal path named it.
    pub named: bool,
    /// Whether the command line names it, by a literal path or as text.
    pub typed: bool,
    /// Whether the command line asks for it without naming it, as with a changed file from git.
    pub preferred: bool,
    /// Whether the prompt refers to it.
    pub reference: Option<PromptReference>,
    /// What any entry allows.
    pub allowed: Allowed,
    /// How it is encoded, as the first entry that says so has it.
    pub encoding: Option<TextEncoding>,
    /// The most detailed level of all entries.
    pub level: LevelOfDetail,
    /// The entry that only searches it, if no other entry includes it directly.
    pub searched: Option<EntryId>,
    /// For lines of a file that other entries include whole: what selected its other lines.
    pub rest: Option<Arc<SelectedBy>>,
}

/// Whether a document that the prompt refers to is included only for that reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptReference {
    /// Nothing else includes it.
    Only,
    /// It would be included, or compete in a search of everything, without the prompt.
    Also,
}

impl SelectedBy {
    /// Adds the attributes of one more entry.
    pub(crate) fn unite(&mut self, id: EntryId, scoped: &ScopedEntry) {
        let attributes = &scoped.entry.attributes;
        let is_reference = scoped.author == Author::Prompt;
        let was_reference = self.reference.is_some();
        let was_only = self.entries.is_empty() || self.reference == Some(PromptReference::Only);
        self.reference = if is_reference && was_only {
            Some(PromptReference::Only)
        } else if is_reference || was_reference {
            Some(PromptReference::Also)
        } else {
            None
        };
        self.allowed = self.allowed | attributes.allow;
        self.encoding = self.encoding.or(attributes.encoding);
        self.entries.push(id);
        self.pin |= attributes.pin;
        // This is done for each set of entries, and there may be as many sets as files.
        if self.entries.len() <= MOST_TAGS {
            attributes.tags.iter().take(MOST_TAGS).for_each(|tag| self.add_tag(tag));
        }
    }

    /// The attributes of lines of a file, if this selected these lines and `rest` the others. Lines that the
    /// prompt refers to count as named on the command line if the file is named there.
    pub(crate) fn with_rest(self, rest: &Self) -> Self {
        let allowed = self.allowed | rest.allowed;
        Self {
            typed: self.typed || (self.reference.is_some() && rest.typed),
            reference: self.reference.map(|_| PromptReference::Also),
            allowed,
            rest: Some(Arc::new(Self { allowed, ..rest.clone() })),
            ..self
        }
    }

    /// The attributes of the whole file, if this selected some of its lines and `rest` the others.
    pub(crate) fn joined(&self, rest: &Self, entries: &[ScopedEntry]) -> Self {
        let mut all = rest.clone();
        self.entries.iter().for_each(|id| all.unite(*id, &entries[id.0]));
        Self { typed: self.typed || rest.typed, named: self.named || rest.named, ..all }
    }

    fn add_tag(&mut self, tag: &String) {
        let length: usize = self.tags.iter().chain([tag]).map(String::len).sum();
        if self.tags.len() < MOST_TAGS && length <= MOST_TAG_BYTES && !self.tags.contains(tag) {
            Arc::make_mut(&mut self.tags).push(tag.clone());
        }
    }
}

/// A selected file.
#[derive(Debug, Clone)]
pub struct File {
    /// Its label.
    pub label: Label,
    /// How to open it.
    pub place: FilePlace,
    /// The entries that selected it; shared by all files with the same entries.
    pub selected_by: Arc<SelectedBy>,
    /// Size and times, if requested, and always for literals.
    pub metadata: Option<Box<FileMetadata>>,
}

/// Where a file is, and a safe way to open it.
#[derive(Debug, Clone)]
pub enum FilePlace {
    /// Below an open directory, and only opened through it.
    Below {
        /// The directory.
        tree: Arc<RootDirectory>,
        /// The path from there, without links.
        relative: Box<[u8]>,
    },
    /// At a path that a person wrote, which may lead through links.
    Named {
        /// The path.
        path: Box<Path>,
    },
}

impl FilePlace {
    pub(super) fn below(tree: &Arc<RootDirectory>, relative: Box<[u8]>) -> Self {
        Self::Below { tree: Arc::clone(tree), relative }
    }

    /// A file below a directory, both with all links resolved; links created later cannot lead out of the
    /// directory.
    pub(crate) fn in_tree(root: &Path, real: &Path) -> Self {
        let below = real.strip_prefix(root).ok().zip(RootDirectory::unlisted(root).ok());
        match below {
            Some((below, tree)) => Self::below(&Arc::new(tree), directory::bytes_of(below).into()),
            None => Self::named(real.to_owned()),
        }
    }

    pub(super) fn named(path: PathBuf) -> Self {
        Self::Named { path: path.into() }
    }

    /// Whether its name has this extension, compared case-insensitively.
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        let path = match self {
            Self::Below { relative, .. } => &**relative,
            Self::Named { path } => path.as_os_str().as_encoded_bytes(),
        };
        let end = path.len().saturating_sub(extension.len());
        path[..end].ends_with(b".") && path[end..].eq_ignore_ascii_case(extension.as_bytes())
    }

    /// Opens the file for reading, without blocking. A file found by a walk is opened below the directory where
    /// the walk began, never through a link. The caller checks on the descriptor that it is a regular file.
    ///
    /// # Errors
    /// Any error from `open`.
    pub fn open(&self) -> io::Result<OpenFile> {
        match self {
            Self::Below { tree, relative } => tree.open_file(relative),
            Self::Named { path } => open_without_waiting(path),
        }
    }

    /// The file's metadata now, without opening it. By the time the file is opened, another one may have
    /// replaced it, even one outside the tree; only the metadata of an open file is certain.
    ///
    /// # Errors
    /// Any error from `stat`.
    pub fn metadata(&self) -> io::Result<FileMetadata> {
        match self {
            Self::Below { tree, relative } => tree.metadata(relative),
            Self::Named { path } => path.metadata().map(|metadata| FileMetadata::of(&metadata)),
        }
    }

    /// The path relative to the directory that it is opened from; for a named file, its name.
    pub(super) fn relative(&self) -> &[u8] {
        match self {
            Self::Below { relative, .. } => relative,
            Self::Named { .. } => self.name(),
        }
    }

    /// The last component of the path.
    pub(super) fn name(&self) -> &[u8] {
        match self {
            Self::Below { relative, .. } => last_name(relative),
            Self::Named { path } => path.file_name().map(OsStr::as_encoded_bytes).unwrap_or_default(),
        }
    }

    /// The absolute path, for messages and comparisons.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        match self {
            Self::Below { tree, relative } => tree.path().join(directory::path_of(relative)),
            Self::Named { path } => path.to_path_buf(),
        }
    }
}
