//! The messages of earlier commits, which describe files in words. They are never printed.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::error::GitError;
use super::program::{Git, MOST_LOG};
use crate::cache::{KeptCommit, KeptMessages, MessageCache};
use crate::fs::real;
use crate::git::{Dirs, RepositoryError, own_repository};
use crate::process::Launcher;
use crate::words::grouped;
use crate::world::World;
use ctx_search::Message;
use serde::Serialize;

/// The most commits that are read, latest first.
const MOST_COMMITS: usize = 3_000;

/// How long git may take to list the commits.
const TIMEOUT: Duration = Duration::from_secs(10);

/// If more commits than this differ from those of the last known head, all are read.
const MOST_NEW: usize = 300;

/// How long it may take to list these.
const TIMEOUT_OF_NEW: Duration = Duration::from_secs(2);

/// The most bytes of a message that are read; ranking uses fewer.
const MOST_TEXT: usize = 4_000;

/// The earlier commits of a tree.
#[derive(Debug, Clone)]
pub enum EarlierCommits {
    /// They are turned off.
    Off,
    /// There are no commits, or not all are available.
    None(NoCommits),
    /// The latest commits.
    Known {
        /// Their messages.
        messages: Arc<[Message]>,
        /// The top of the work tree, which their paths are relative to, with all links resolved.
        root: PathBuf,
        /// The directory that labels are relative to, with all links resolved.
        labels: PathBuf,
    },
    /// They are being read.
    Coming(Arc<Coming>),
}

/// The earlier commits whose messages help to rank files for a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommitsRecord {
    /// How many there are.
    pub count: usize,
    /// The reason why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub none: Option<String>,
}

impl fmt::Display for CommitsRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.none {
            Some(why) => write!(f, "none ({why})"),
            None => write!(f, "{}", grouped(self.count as u64)),
        }
    }
}

/// Commits that are read at the same time as files.
#[derive(Debug)]
pub struct Coming {
    reader: Mutex<Option<JoinHandle<EarlierCommits>>>,
    commits: OnceLock<EarlierCommits>,
}

/// Why the commits are unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoCommits {
    /// There is no repository, or nothing was committed.
    #[error("no commits")]
    NoRepository,
    /// The history is cut off.
    #[error("shallow clone")]
    Shallow,
    /// Objects are missing that would have to be fetched.
    #[error("partial clone")]
    Partial,
    /// Objects are in another repository, which may belong to anybody.
    #[error("objects are in another repository")]
    Borrows,
    /// Git does not work in it either.
    #[error("the repository belongs to another user")]
    OtherUser,
    /// The git directory leads elsewhere.
    #[error("the repository is not safe to read")]
    NotSafe,
    /// Git cannot be started, or is too old.
    #[error("git is not installed, or too old")]
    NoGit,
    /// Git took too long.
    #[error("git took too long")]
    TooSlow,
    /// The latest message alone exceeds the limit for all messages.
    #[error("the messages are too long")]
    TooLong,
    /// Something else is wrong with the repository.
    #[error("git failed")]
    Failed,
}

impl Coming {
    /// The commits, once they have been read.
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
    /// Reads commits in a separate thread, or immediately if none can be started.
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

    /// Gets the commits of the tree with this root from git, unless they are cached.
    #[must_use]
    pub fn of(
        root: &Path,
        world: &World,
        cache: Option<&Path>,
        launcher: &Launcher,
        deadline: Instant,
    ) -> Self {
        let known = || {
            let repository = own_repository(root, world).map_err(|error| NoCommits::of(&error))?;
            let messages = messages(&repository, world, cache, launcher, deadline)?;
            let labels = real(&world.root).map_err(|_| NoCommits::Failed)?;
            Ok(Self::Known { messages: messages.into(), root: repository.root, labels })
        };
        known().unwrap_or_else(Self::None)
    }

    /// The path of a file in the repository, with `/` between the names; `None` if the file is not in the
    /// repository.
    #[must_use]
    pub fn path_of(&self, label: &str) -> Option<String> {
        match self {
            Self::Off | Self::None(_) => None,
            Self::Coming(coming) => coming.wait().path_of(label),
            Self::Known { root, labels, .. } => {
                // If the label is an absolute path, this is the label itself.
                let path = labels.join(label);
                let names = path.strip_prefix(root).ok()?.components().map(|name| name.as_os_str().to_str());
                names.collect::<Option<Vec<&str>>>().map(|names| names.join("/"))
            }
        }
    }

    /// Their record in an account; `None` if they are turned off.
    #[must_use]
    pub fn record(&self) -> Option<CommitsRecord> {
        match self {
            Self::Off => None,
            Self::Coming(coming) => coming.wait().record(),
            Self::None(why) => Some(CommitsRecord { count: 0, none: Some(why.to_string()) }),
            Self::Known { messages, .. } => Some(CommitsRecord { count: messages.len(), none: None }),
        }
    }

    /// Why commits that are there are not used, if that is for a reason on this machine that somebody can change.
    #[must_use]
    pub fn hindrance(&self) -> Option<NoCommits> {
        match self {
            Self::Off | Self::Known { .. } => None,
            Self::Coming(coming) => coming.wait().hindrance(),
            Self::None(why) => match why {
                NoCommits::OtherUser | NoCommits::NoGit | NoCommits::Borrows => Some(*why),
                NoCommits::NoRepository
                | NoCommits::Shallow
                | NoCommits::Partial
                | NoCommits::NotSafe
                | NoCommits::TooSlow
                | NoCommits::TooLong
                | NoCommits::Failed => None,
            },
        }
    }

    /// The known messages.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        match self {
            Self::Off | Self::None(_) => &[],
            Self::Coming(coming) => coming.wait().messages(),
            Self::Known { messages, .. } => messages,
        }
    }
}

fn messages(
    repository: &Dirs,
    world: &World,
    cache: Option<&Path>,
    launcher: &Launcher,
    deadline: Instant,
) -> Result<Vec<Message>, NoCommits> {
    if fs::symlink_metadata(repository.common_dir.join("shallow")).is_ok_and(|list| list.len() > 0) {
        return Err(NoCommits::Shallow);
    }
    let head = repository.head();
    // What is cached counts only where git would answer, so that the same question gets the same answer.
    let git = Git::open(&repository.root, world, launcher, deadline).map_err(|error| {
        let why = NoCommits::of_git(&error, repository);
        if why == NoCommits::NoGit && head.is_none() { NoCommits::NoRepository } else { why }
    })?;
    let cache =
        cache.zip(head).map(|(cache, head)| MessageCache::of(cache, &repository.root, &head, MOST_COMMITS));
    let kept = match cache.as_ref().and_then(MessageCache::read) {
        Some(kept) => kept,
        None => {
            let head = git.resolve("HEAD").map_err(|error| NoCommits::of_git(&error, repository))?;
            let soon = git.clone().until(deadline.min(Instant::now() + TIMEOUT_OF_NEW));
            let known = cache.as_ref().and_then(MessageCache::of_another_head);
            let kept = match known.and_then(|(before, known)| updated(&soon, &before, known, &head)) {
                Some(commits) => KeptMessages::All(commits),
                None => {
                    latest(&git, &head, deadline).map_err(|error| NoCommits::of_git(&error, repository))?
                }
            };
            // If this fails, the commits are read from git again the next time.
            let _ = cache.map(|cache| cache.write(&kept));
            kept
        }
    };
    match kept {
        KeptMessages::All(commits) if commits.is_empty() => Err(NoCommits::TooLong),
        KeptMessages::All(commits) => Ok(commits.into_iter().map(|commit| commit.message).collect()),
        KeptMessages::TooSlow => Err(NoCommits::TooSlow),
    }
}

impl NoCommits {
    fn of(error: &RepositoryError) -> Self {
        match error {
            RepositoryError::None | RepositoryError::Home { .. } => Self::NoRepository,
            RepositoryError::Borrows { .. } => Self::Borrows,
            RepositoryError::OtherUser { .. } => Self::OtherUser,
            RepositoryError::Unlinked { .. }
            | RepositoryError::Separate { .. }
            | RepositoryError::LeadsOut { .. }
            | RepositoryError::NotRegular { .. }
            | RepositoryError::TooLarge { .. } => Self::NotSafe,
            RepositoryError::Unreadable { .. } => Self::Failed,
        }
    }

    fn of_git(error: &GitError, repository: &Dirs) -> Self {
        match error {
            GitError::Repository(error) => Self::of(error),
            GitError::Unsafe(_) => Self::NotSafe,
            GitError::UnknownRevision { .. } => Self::NoRepository,
            GitError::Start(_) | GitError::TooOld => Self::NoGit,
            GitError::TimedOut => Self::TooSlow,
            GitError::TooLarge => Self::TooLong,
            GitError::Failed { .. } if is_partial(repository) => Self::Partial,
            GitError::TooMuchChanged | GitError::Failed { .. } | GitError::Io(_) => Self::Failed,
        }
    }
}

/// Whether some objects were left on the server, which git marks in the packs of such a clone.
fn is_partial(repository: &Dirs) -> bool {
    let packs = fs::read_dir(repository.common_dir.join("objects/pack"));
    let is_marked = |pack: fs::DirEntry| pack.path().extension().is_some_and(|mark| mark == "promisor");
    packs.is_ok_and(|packs| packs.flatten().any(is_marked))
}

/// The latest commits. That reading them takes too long is a result, too: if it were not cached, every later question
/// would have to wait just as long.
fn latest(git: &Git<'_>, head: &str, deadline: Instant) -> Result<KeptMessages, GitError> {
    let own_deadline = Instant::now() + TIMEOUT;
    match git.clone().until(deadline.min(own_deadline)).changed_files(head, MOST_COMMITS) {
        Ok(log) => Ok(KeptMessages::All(read(&log).into_iter().map(|(_, commit)| commit).collect())),
        Err(GitError::TimedOut) if deadline >= own_deadline => Ok(KeptMessages::TooSlow),
        Err(error) => Err(error),
    }
}

/// The latest commits, given those of an earlier head; `None` unless the difference is only newer commits, which come
/// first in a log.
fn updated(git: &Git<'_>, before: &[u8], known: Vec<KeptCommit>, head: &str) -> Option<Vec<KeptCommit>> {
    let before = std::str::from_utf8(before).ok().filter(|id| is_name_of_commit(id))?;
    let log = git.changed_files(&format!("{before}...{head}"), MOST_NEW + 1).ok()?;
    let differing = read(&log);
    let newest = known.iter().map(|commit| commit.time).max()?;
    let is_new = |(side, commit): &(Side, KeptCommit)| *side == Side::Right && commit.time >= newest;
    if log.len() >= MOST_LOG || differing.len() > MOST_NEW || !differing.iter().all(is_new) {
        return None;
    }
    Some(differing.into_iter().map(|(_, commit)| commit).chain(known).take(MOST_COMMITS).collect())
}

fn is_name_of_commit(id: &str) -> bool {
    matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The side of a range like `a...b` on which a commit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// Parses the commits in a log. A name or message that is cut off at its end is ignored.
fn read(log: &[u8]) -> Vec<(Side, KeptCommit)> {
    let whole = memchr::memrchr(0, log).unwrap_or(0);
    let mut parts = log[..whole].split(|byte| *byte == 0).peekable();
    let mut commits = Vec::new();
    // An empty part begins a commit, and another one follows its message.
    while parts.next().is_some() {
        let (Some(begin), Some(text), Some(_)) = (parts.next(), parts.next(), parts.next()) else { break };
        let (side, time) = match begin {
            [b'<', time @ ..] => (Side::Left, time),
            [b'>', time @ ..] => (Side::Right, time),
            _ => break,
        };
        let time = std::str::from_utf8(time).ok().and_then(|time| time.parse().ok()).unwrap_or(0);
        let mut names = Vec::new();
        while let Some(name) = parts.next_if(|part| !part.is_empty()) {
            let name = if names.is_empty() { name.strip_prefix(b"\n").unwrap_or(name) } else { name };
            names.push(String::from_utf8_lossy(name));
        }
        let text = &text[..text.len().min(MOST_TEXT)];
        let message = Message::new(&String::from_utf8_lossy(text), names.iter().map(|name| &**name));
        commits.push((side, KeptCommit { time, message }));
    }
    commits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::place::Place;
    use ctx_search::{Query, votes};

    #[test]
    fn messages_of_a_log_are_read_with_their_files() {
        let log = "\0>1\0Drop files\n\nNot all.\n\0\0\nsrc/a b.rs\0src/\"c\\.rs\0\ne\n.rs\0\0<2\0Odd \x1f one\n\0\0\nb.rs\0\
                   \0>3\0\0\0\0>4\0No files\n\0\0\0>5\0Cut\n\0\0\nsrc/d.rs\0src/lon";
        let commits = read(log.as_bytes());
        let sides: Vec<Side> = commits.iter().map(|(side, _)| *side).collect();
        assert_eq!(sides, [Side::Right, Side::Left, Side::Right, Side::Right, Side::Right]);
        let messages: Vec<Message> = commits.into_iter().map(|(_, commit)| commit.message).collect();
        assert_eq!(messages.iter().map(|message| message.paths.len()).collect::<Vec<_>>(), [3, 1, 0, 0, 1]);
        let of = |query: &str, path: &str| votes(&Query::new(query), &messages).of(path);
        for path in ["src/a b.rs", "src/\"c\\.rs", "\ne\n.rs"] {
            assert_eq!(of("what is dropped", path), 1.0, "{path}");
        }
        assert_eq!((of("odd", "b.rs"), of("cut", "src/d.rs"), of("cut", "src/lon")), (1.0, 1.0, 0.0));
        assert_eq!(of("what is dropped", "b.rs"), 0.0);
        for end in 0..log.len() {
            assert!(read(&log.as_bytes()[..end]).len() <= messages.len(), "{end}");
        }
        assert!(read(&log.as_bytes()[..5]).is_empty() && read(b"").is_empty());
    }

    #[test]
    fn commits_are_read_only_once_in_a_separate_thread() {
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
    fn commits_are_not_read_after_the_deadline() {
        let place = Place::new(&["tree/.git/objects"]);
        fs::write(place.at("tree/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let mut variables = crate::process::Variables::default();
        variables.set("PATH", std::env::var_os("PATH").unwrap());
        let launcher = Launcher::new(variables);
        let commits =
            EarlierCommits::of(&place.at("tree"), &place.world("tree"), None, &launcher, Instant::now());
        let none = Some(NoCommits::TooSlow.to_string());
        assert_eq!(commits.record(), Some(CommitsRecord { count: 0, none }));
    }

    #[test]
    fn label_outside_the_repository_has_no_path() {
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
