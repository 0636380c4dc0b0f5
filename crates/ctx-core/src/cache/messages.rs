//! The messages of earlier commits, as hashes of their words and paths, in a few files per repository: one for each head.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use twox_hash::XxHash3_64;

use super::bytes::{push_hash, push_number, take_bytes, take_count, take_hash, take_number};
use crate::fs::create_private;
use crate::words::hex;
use ctx_search::{Message, Word};

/// The beginning of the file.
const MAGIC: &[u8; 16] = b"ctx commit words";

/// The number before the commits: either all follow, or none, because listing them was too slow.
const ALL: u64 = 0;
const TOO_SLOW: u64 = 1;

/// A commit that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptCommit {
    /// When it was made, in seconds since 1970.
    pub time: u64,
    /// Its message and the files that it changed.
    pub message: Message,
}

/// What is cached for one head of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptMessages {
    /// All commits that were read, latest first.
    All(Vec<KeptCommit>),
    /// Git took too long to list them.
    TooSlow,
}

/// The version of the file format and of the definition of a word; a new number discards all old files, and
/// so does a release.
const VERSION: &str = concat!("6 ", env!("CARGO_PKG_VERSION"));

/// The name of the subdirectory of the cache directory that contains these files.
const DIRECTORY: &str = "commits";

/// A file with more bytes than this is not read.
const MOST_BYTES: u64 = 64 << 20;

/// The most files to keep, in all and of one repository; the oldest are deleted first.
const MOST_FILES: usize = 64;
const MOST_HEADS: usize = 4;

/// The cached messages of a repository, for one head and one limit.
#[derive(Debug)]
pub struct MessageCache {
    directory: PathBuf,
    /// What the names of all files of this repository begin with.
    prefix: String,
    head: Vec<u8>,
    most: usize,
}

impl MessageCache {
    /// The cache of the repository with this root, for the last `most` commits before `head`.
    #[must_use]
    pub fn of(cache: &Path, root: &Path, head: &[u8], most: usize) -> Self {
        let hash = Sha256::digest(root.as_os_str().as_encoded_bytes());
        let prefix = format!("{}-", hex(&hash[..16]));
        Self { directory: cache.join(DIRECTORY), prefix, head: head.to_vec(), most }
    }

    /// The cached messages; `None` if there are none for this head, or they are damaged.
    #[must_use]
    pub fn read(&self) -> Option<KeptMessages> {
        let (head, kept) = self.read_file(&self.path())?;
        (head == self.head).then_some(kept)
    }

    /// The commits that were cached last for another head of this repository, and that head.
    #[must_use]
    pub fn of_another_head(&self) -> Option<(Vec<u8>, Vec<KeptCommit>)> {
        let paths = latest_first(&self.directory).into_iter();
        paths.filter(|path| self.has(path)).find_map(|path| match self.read_file(&path)? {
            (head, KeptMessages::All(commits)) => Some((head, commits)),
            (_, KeptMessages::TooSlow) => None,
        })
    }

    /// Whether a file is of this repository.
    fn has(&self, path: &Path) -> bool {
        path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with(&self.prefix))
    }

    fn path(&self) -> PathBuf {
        self.directory.join(format!("{}{:016x}", self.prefix, XxHash3_64::oneshot(&self.head)))
    }

    fn key(&self) -> u64 {
        XxHash3_64::oneshot(format!("{VERSION} {}", self.most).as_bytes())
    }

    fn read_file(&self, path: &Path) -> Option<(Vec<u8>, KeptMessages)> {
        let mut bytes = Vec::new();
        let is_usable = |metadata: &fs::Metadata| metadata.is_file() && metadata.len() <= MOST_BYTES;
        fs::symlink_metadata(path).ok().filter(is_usable)?;
        File::open(path).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        let mut rest = bytes.as_slice();
        let is_ours = take_bytes(&mut rest, MAGIC.len())? == MAGIC && take_hash(&mut rest)? == self.key();
        let checksum = take_hash(&mut rest).filter(|_| is_ours)?;
        (XxHash3_64::oneshot(rest) == checksum).then_some(())?;
        let length = take_count(&mut rest)?;
        let head = take_bytes(&mut rest, length)?.to_vec();
        if take_number(&mut rest)? == TOO_SLOW {
            return Some((head, KeptMessages::TooSlow));
        }
        let count = take_count(&mut rest)?;
        let commits = (0..count).map(|_| take_commit(&mut rest)).collect::<Option<_>>()?;
        Some((head, KeptMessages::All(commits)))
    }

    /// Caches messages in place of the existing ones.
    ///
    /// # Errors
    /// The system's error; the file is then unchanged.
    pub fn write(&self, kept: &KeptMessages) -> io::Result<()> {
        let (mark, commits) = match kept {
            KeptMessages::All(commits) => (ALL, &commits[..]),
            KeptMessages::TooSlow => (TOO_SLOW, &[][..]),
        };
        let mut rest = Vec::new();
        push_number(&mut rest, self.head.len() as u64);
        rest.extend_from_slice(&self.head);
        push_number(&mut rest, mark);
        push_number(&mut rest, commits.len() as u64);
        commits.iter().for_each(|commit| push_commit(&mut rest, commit));
        let mut bytes = MAGIC.to_vec();
        push_hash(&mut bytes, self.key());
        push_hash(&mut bytes, XxHash3_64::oneshot(&rest));
        bytes.extend_from_slice(&rest);
        create_private(&self.directory)?;
        let mut file = tempfile::Builder::new().prefix(".commits-").tempfile_in(&self.directory)?;
        file.write_all(&bytes)?;
        file.persist(self.path()).map_err(|error| error.error)?;
        self.evict();
        Ok(())
    }

    /// Deletes the oldest files until there are few enough.
    fn evict(&self) {
        let paths = latest_first(&self.directory);
        let own = paths.iter().filter(|path| self.has(path));
        for path in own.skip(MOST_HEADS).chain(paths.iter().skip(MOST_FILES)) {
            // Another command may have deleted it already.
            let _ = fs::remove_file(path);
        }
    }

    /// Deletes the messages of all repositories in a cache directory. It is not an error if there are none.
    ///
    /// # Errors
    /// The system's error.
    pub fn clear(cache: &Path) -> io::Result<()> {
        match fs::remove_dir_all(cache.join(DIRECTORY)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

fn push_commit(bytes: &mut Vec<u8>, KeptCommit { time, message: Message { words, paths } }: &KeptCommit) {
    push_number(bytes, *time);
    push_number(bytes, words.len() as u64);
    words.iter().for_each(|word| bytes.extend_from_slice(&word.0.to_le_bytes()));
    push_number(bytes, paths.len() as u64);
    paths.iter().for_each(|path| push_hash(bytes, *path));
}

fn take_commit(rest: &mut &[u8]) -> Option<KeptCommit> {
    let time = take_number(rest)?;
    let mut message = Message::default();
    for _ in 0..take_count(rest)? {
        let word = take_bytes(rest, 4)?;
        message.words.push(Word(u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
    }
    for _ in 0..take_count(rest)? {
        message.paths.push(take_hash(rest)?);
    }
    Some(KeptCommit { time, message })
}

/// The files in a directory, those that were written last first.
fn latest_first(directory: &Path) -> Vec<PathBuf> {
    let written = |entry: fs::DirEntry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()));
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut all: Vec<(SystemTime, PathBuf)> = entries.filter_map(written).collect();
    all.sort_by(|a, b| b.cmp(a));
    all.into_iter().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn commit(time: u64, text: &str) -> KeptCommit {
        KeptCommit { time, message: Message::new(text, ["a.rs", "b.rs"].into_iter()) }
    }

    #[test]
    fn messages_are_read_back_as_cached_or_not_at_all() {
        let cache = tempfile::tempdir().unwrap();
        let of = |head: &str| MessageCache::of(cache.path(), Path::new("/base"), head.as_bytes(), 3_000);
        let empty = KeptCommit { time: 7, message: Message::default() };
        let messages = KeptMessages::All(vec![commit(1, "Drop all files"), empty]);
        assert_eq!(of("1").read(), None);
        of("1").write(&messages).unwrap();
        assert_eq!(of("1").read(), Some(messages));
        assert_eq!(of("2").read(), None);
        let path = of("1").path();
        let bytes = fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(&path, &damaged).unwrap();
            assert_eq!(of("1").read(), None, "byte {at}");
            fs::write(&path, &bytes[..at]).unwrap();
            assert_eq!(of("1").read(), None, "length {at}");
        }
        of("1").write(&KeptMessages::TooSlow).unwrap();
        assert_eq!(of("1").read(), Some(KeptMessages::TooSlow));
    }

    #[test]
    fn a_few_heads_of_a_repository_are_kept_and_found_by_each_other() {
        let cache = tempfile::tempdir().unwrap();
        let of =
            |root: &str, head: &str| MessageCache::of(cache.path(), Path::new(root), head.as_bytes(), 3_000);
        assert_eq!(of("/a", "1").of_another_head(), None);
        for head in ["1", "2", "3", "4", "5", "6"] {
            of("/a", head).write(&KeptMessages::All(vec![commit(1, head)])).unwrap();
        }
        let kept = ["1", "2", "3", "4", "5", "6"].map(|head| of("/a", head).read().is_some());
        assert_eq!(kept.into_iter().filter(|is_kept| *is_kept).count(), MOST_HEADS);
        assert!(of("/a", "7").of_another_head().is_some() && of("/b", "7").of_another_head().is_none());
        let few = MessageCache::of(cache.path(), Path::new("/a"), b"7", 10);
        assert_eq!(few.of_another_head(), None);
    }
}
