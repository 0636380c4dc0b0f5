//! A command's options for the selection.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::file::EntryId;
use super::filter_hits::FilterHits;
use super::label::LabelStyle;
use super::outputs::FileNumber;

/// How many files may match by default.
pub const DEFAULT_MAX_MATCHES: usize = 1_000_000;

/// The most files and bytes of a search outside repositories, where nobody chose the files.
pub(super) const MOST_FILES_OUTSIDE: usize = 100_000;
pub(super) const MOST_BYTES_OUTSIDE: u64 = 1_000_000_000;

/// A command's options for the selection.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether ignore rules apply; an entry can lift them for itself.
    pub ignore_rules: bool,
    /// Whether a directory means all files below it.
    pub recursive: bool,
    /// Whether the entries for this one block are only searched for the answer to a question: directories
    /// mean everything below them, including names that begin with a dot, and the exclusions of every list
    /// apply.
    pub looks_through: bool,
    /// Whether names that suggest secrets match; an entry can allow them for itself.
    pub secret_names: bool,
    /// The kind of secret that a name suggests, if any.
    pub secret: fn(&Path) -> Option<&'static str>,
    /// Only entries with one of these tags; empty means all.
    pub tags: Vec<String>,
    /// Only files that match one of these; empty means all.
    pub include: Vec<String>,
    /// Exclude files that match one of these.
    pub exclude: Vec<String>,
    /// Only files changed since then.
    pub newer_than: Option<SystemTime>,
    /// Files that the command writes.
    pub output_paths: Vec<PathBuf>,
    /// Files that the command writes, by device and inode.
    pub output_ids: Vec<FileNumber>,
    /// The file that the prompt is read from, which only an entry that names it includes as well.
    pub prompt_file: Option<PathBuf>,
    /// The form of labels.
    pub labels: LabelStyle,
    /// Whether size and times of all files are needed.
    pub metadata: bool,
    /// Whether to count how many files each exclusion excludes, which takes a second search.
    pub count_exclusions: bool,
    /// Whether to report FIFOs, sockets and devices that patterns match.
    pub irregular: bool,
    /// The entries whose text is already available, once for each of their documents.
    pub provided: Vec<EntryId>,
    /// All entries that stand for text, whether or not any text is available.
    pub texts: Vec<EntryId>,
    /// How many changed files from git each exclusion excludes, if any.
    pub excluded_texts: BTreeMap<EntryId, usize>,
    /// How many changed files of each entry the exclusions and filters leave out, if any.
    pub left_out_of_texts: BTreeMap<EntryId, usize>,
    /// What the filters match among the changed files from git.
    pub matched_in_texts: FilterHits,
    /// Whether to look only for problems with ignore files, and find no files.
    pub only_rules: bool,
    /// How many files may match.
    pub max_matches: usize,
    /// Lists what a repository tracks if its index cannot be read without git; otherwise, nothing is known to be
    /// tracked there.
    pub git: Option<AskGit>,
}

/// Asks git what the repository with that root tracks. The selection itself starts no programs.
#[derive(Clone)]
pub struct AskGit(Arc<Ask>);

type Ask = dyn Fn(&Path) -> Option<Vec<Vec<u8>>> + Send + Sync;

impl AskGit {
    /// Asks in this way.
    pub fn new(ask: impl Fn(&Path) -> Option<Vec<Vec<u8>>> + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }

    /// The tracked paths, relative to `root`, which is the top of the work tree; `None` if git cannot say.
    #[must_use]
    pub fn tracked(&self, root: &Path) -> Option<Vec<Vec<u8>>> {
        (self.0)(root)
    }
}

impl fmt::Debug for AskGit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AskGit")
    }
}

impl Options {
    /// The defaults, with the predicate for names that suggest secrets.
    #[must_use]
    pub fn new(secret: fn(&Path) -> Option<&'static str>) -> Self {
        Self {
            ignore_rules: true,
            recursive: false,
            looks_through: false,
            secret_names: false,
            secret,
            tags: Vec::new(),
            include: Vec::new(),
            exclude: Vec::new(),
            newer_than: None,
            output_paths: Vec::new(),
            output_ids: Vec::new(),
            prompt_file: None,
            labels: LabelStyle::Root,
            metadata: false,
            count_exclusions: false,
            irregular: false,
            provided: Vec::new(),
            texts: Vec::new(),
            excluded_texts: BTreeMap::new(),
            left_out_of_texts: BTreeMap::new(),
            matched_in_texts: FilterHits::default(),
            only_rules: false,
            max_matches: DEFAULT_MAX_MATCHES,
            git: None,
        }
    }
}
