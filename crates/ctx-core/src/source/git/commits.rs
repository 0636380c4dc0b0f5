//! The messages of earlier commits, which say in words what files are about. None of them is ever printed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::program::{Git, GitError};
use crate::account::CommitsRecord;
use crate::fs::real;
use crate::git::{Dirs, RepositoryError, own_repository};
use crate::index::MessageCache;
use crate::process::Launcher;
use ctx_search::Message;

/// The most commits that are read, the last ones.
const MOST_COMMITS: usize = 3_000;

/// How long git may take for them.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What is known of the commits before what is in the tree.
#[derive(Debug, Clone)]
pub enum EarlierCommits {
    /// Nobody wants to know.
    Off,
    /// There are none, or not all.
    None(NoCommits),
    /// The last ones.
    Known {
        /// What they say.
        messages: Arc<[Message]>,
        /// The top of the work tree, which their paths are relative to, with all links resolved.
        root: PathBuf,
        /// The directory that labels begin at, likewise.
        labels: PathBuf,
    },
    /// Git is being asked for them.
    Coming(Arc<Coming>),
}

/// Commits that are read while files are.
#[derive(Debug)]
pub struct Coming {
    reader: Mutex<Option<JoinHandle<EarlierCommits>>>,
    commits: OnceLock<EarlierCommits>,
}

/// Why no commits are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoCommits {
    /// There is no repository, or nothing was committed.
    #[error("no commits")]
    NoRepository,
    /// The history ends somewhere.
    #[error("shallow clone")]
    Shallow,
    /// Objects are missing, the repository is not safe to read, git is not installed, or it took too long.
    #[error("git failed")]
    Failed,
}

impl Coming {
    /// The commits, as soon as they are read.
    fn wait(&self) -> &EarlierCommits {
        self.commits.get_or_init(|| {
            let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
            let read =
                reader.map(|reader| reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            read.unwrap_or(EarlierCommits::None(NoCommits::Failed))
        })
    }
}

impl EarlierCommits {
    /// Reads commits in a thread of their own, or at once where there is none to be had.
    #[must_use]
    pub fn coming(read: impl Fn() -> Self + Send + Sync + 'static) -> Self {
        let read = Arc::new(read);
        let here = Arc::clone(&read);
        match thread::Builder::new().spawn(move || read()) {
            Ok(reader) => {
                Self::Coming(Arc::new(Coming { reader: Mutex::new(Some(reader)), commits: OnceLock::new() }))
            }
            Err(_) => here(),
        }
    }

    /// Asks git for the commits of the tree with this root, unless they are cached.
    #[must_use]
    pub fn of(root: &Path, labels: &Path, cache: Option<&Path>, launcher: &Launcher) -> Self {
        let known = || {
            let repository = own_repository(root).map_err(|error| {
                if matches!(error, RepositoryError::None) {
                    NoCommits::NoRepository
                } else {
                    NoCommits::Failed
                }
            })?;
            let messages = messages(&repository, cache, launcher)?;
            let labels = real(labels).map_err(|_| NoCommits::Failed)?;
            Ok(Self::Known { messages: messages.into(), root: repository.root, labels })
        };
        known().unwrap_or_else(Self::None)
    }

    /// Where a file is in the repository, with `/` between the names; `None` if it is not in it.
    #[must_use]
    pub fn path_of(&self, label: &str) -> Option<String> {
        match self {
            Self::Off | Self::None(_) => None,
            Self::Coming(coming) => coming.wait().path_of(label),
            Self::Known { root, labels, .. } => {
                // A label that begins at the root of all paths is its path.
                let path = labels.join(label);
                let names = path.strip_prefix(root).ok()?.components().map(|name| name.as_os_str().to_str());
                names.collect::<Option<Vec<&str>>>().map(|names| names.join("/"))
            }
        }
    }

    /// What an account says of them; nothing if nobody asked.
    #[must_use]
    pub fn record(&self) -> Option<CommitsRecord> {
        match self {
            Self::Off => None,
            Self::Coming(coming) => coming.wait().record(),
            Self::None(why) => Some(CommitsRecord { count: 0, none: Some(why.to_string()) }),
            Self::Known { messages, .. } => Some(CommitsRecord { count: messages.len(), none: None }),
        }
    }

    /// The messages that are known.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        match self {
            Self::Off | Self::None(_) => &[],
            Self::Coming(coming) => coming.wait().messages(),
            Self::Known { messages, .. } => messages,
        }
    }
}

fn messages(repository: &Dirs, cache: Option<&Path>, launcher: &Launcher) -> Result<Vec<Message>, NoCommits> {
    if fs::symlink_metadata(repository.common_dir.join("shallow")).is_ok_and(|list| list.len() > 0) {
        return Err(NoCommits::Shallow);
    }
    let head = repository.head();
    let cache =
        cache.zip(head).map(|(cache, head)| MessageCache::of(cache, &repository.root, &head, MOST_COMMITS));
    if let Some(messages) = cache.as_ref().and_then(MessageCache::read) {
        return Ok(messages);
    }
    let log = log(&repository.root, launcher).map_err(|error| {
        let is_empty = matches!(error, GitError::UnknownRevision { .. });
        if is_empty { NoCommits::NoRepository } else { NoCommits::Failed }
    })?;
    let messages = read(&log);
    // Without it, git is asked again.
    let _ = cache.map(|cache| cache.write(&messages));
    Ok(messages)
}

fn log(root: &Path, launcher: &Launcher) -> Result<Vec<u8>, GitError> {
    let git = Git::open(root, launcher, Instant::now() + TIMEOUT)?;
    git.changed_files(&git.resolve("HEAD")?, MOST_COMMITS)
}

/// The messages of a log. What was cut off at its end is no name.
fn read(log: &[u8]) -> Vec<Message> {
    let whole = memchr::memrchr(b'\n', log).map_or(0, |end| end + 1);
    let log = String::from_utf8_lossy(&log[..whole]);
    let message = |commit: &str| {
        // A message can have any character, a name that has this one is quoted.
        let (text, names) = commit.rsplit_once('\x1f')?;
        let names = names.lines().filter(|name| !name.is_empty() && !name.starts_with('"'));
        Some(Message::new(text, names))
    };
    log.split('\0').filter_map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctx_search::{Query, votes};

    #[test]
    fn messages_of_a_log_are_those_with_their_files() {
        let log = "\0Drop files\n\nNot all.\n\x1f\n\nsrc/a b.rs\n\"src/c\\n.rs\"\n\0Odd \x1f one\n\x1f\n\nb.rs\n\0Cut\n\x1f\n\nsrc/lon";
        let messages = read(log.as_bytes());
        assert_eq!(messages.iter().map(|message| message.paths.len()).collect::<Vec<_>>(), [1, 1, 0]);
        let of = |query: &str, path: &str| votes(&Query::new(query), &messages).of(path);
        assert_eq!((of("what is dropped", "src/a b.rs"), of("odd", "b.rs")), (1.0, 1.0));
        assert_eq!(of("what is dropped", "b.rs"), 0.0);
    }

    #[test]
    fn coming_commits_are_read_in_a_thread_of_their_own_and_once() {
        let (told, asked) = std::sync::mpsc::channel();
        let commits = EarlierCommits::coming(move || {
            told.send(thread::current().id()).unwrap();
            EarlierCommits::Known {
                messages: [Message::new("Drop files", ["a.rs"].into_iter())].into(),
                root: PathBuf::from("/tree"),
                labels: PathBuf::from("/tree"),
            }
        });
        let again = commits.clone();
        assert_eq!((commits.messages().len(), again.messages().len()), (1, 1));
        assert_eq!(again.record(), Some(CommitsRecord { count: 1, none: None }));
        assert_eq!(commits.path_of("a/b.rs").as_deref(), Some("a/b.rs"));
        let readers: Vec<thread::ThreadId> = asked.iter().collect();
        assert!(readers.len() == 1 && readers[0] != thread::current().id(), "{readers:?}");
    }

    #[test]
    fn path_of_a_label_is_in_the_repository_or_nowhere() {
        let commits = EarlierCommits::Known {
            messages: Arc::default(),
            root: PathBuf::from("/home/you/tree"),
            labels: PathBuf::from("/home/you/tree/crates"),
        };
        assert_eq!(commits.path_of("a/b.rs").as_deref(), Some("crates/a/b.rs"));
        assert_eq!(commits.path_of("/home/you/tree/c.rs").as_deref(), Some("c.rs"));
        assert_eq!(commits.path_of("/home/you/notes.md"), None);
        assert_eq!(EarlierCommits::Off.path_of("a"), None);
    }
}
