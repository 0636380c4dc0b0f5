//! The messages of earlier commits, as hashes of their words and paths, in one file per repository.

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

/// The number before the messages: either all messages follow, or none, because listing them was too slow.
const ALL: u64 = 0;
const TOO_SLOW: u64 = 1;

/// What is cached for a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptMessages {
    /// All messages that were read.
    All(Vec<Message>),
    /// Git took too long to list them.
    TooSlow,
}

/// The version of the file format and of the definition of a word; a new number discards all old files, and
/// so does a release.
const VERSION: &str = concat!("5 ", env!("CARGO_PKG_VERSION"));

/// The name of the subdirectory of the cache directory that contains these files.
const DIRECTORY: &str = "commits";

/// A file with more bytes than this is not read.
const MOST_BYTES: u64 = 64 << 20;

/// The most files to keep; the oldest are deleted first.
const MOST_FILES: usize = 64;

/// The cached messages of a repository, for one commit and one limit.
#[derive(Debug)]
pub struct MessageCache {
    path: PathBuf,
    key: u64,
}

impl MessageCache {
    /// The cache of the repository with this root, for the last `most` commits before `head`.
    #[must_use]
    pub fn of(cache: &Path, root: &Path, head: &[u8], most: usize) -> Self {
        let hash = Sha256::digest(root.as_os_str().as_encoded_bytes());
        let path = cache.join(DIRECTORY).join(hex(&hash[..16]));
        let version = format!("{VERSION} {most} ");
        Self { path, key: XxHash3_64::oneshot(&[version.as_bytes(), head].concat()) }
    }

    /// The cached messages; `None` if they are for another commit, or damaged.
    #[must_use]
    pub fn read(&self) -> Option<KeptMessages> {
        let mut bytes = Vec::new();
        let is_usable = |metadata: &fs::Metadata| metadata.is_file() && metadata.len() <= MOST_BYTES;
        fs::symlink_metadata(&self.path).ok().filter(is_usable)?;
        File::open(&self.path).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        let mut rest = bytes.as_slice();
        let is_ours = take_bytes(&mut rest, MAGIC.len())? == MAGIC && take_hash(&mut rest)? == self.key;
        let checksum = take_hash(&mut rest).filter(|_| is_ours)?;
        (XxHash3_64::oneshot(rest) == checksum).then_some(())?;
        if take_number(&mut rest)? == TOO_SLOW {
            return Some(KeptMessages::TooSlow);
        }
        let mut messages = Vec::new();
        for _ in 0..take_count(&mut rest)? {
            let mut message = Message::default();
            for _ in 0..take_count(&mut rest)? {
                let word = take_bytes(&mut rest, 4)?;
                message.words.push(Word(u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
            }
            for _ in 0..take_count(&mut rest)? {
                message.paths.push(take_hash(&mut rest)?);
            }
            messages.push(message);
        }
        Some(KeptMessages::All(messages))
    }

    /// Caches messages in place of the existing ones.
    ///
    /// # Errors
    /// The system's error; the file is then unchanged.
    pub fn write(&self, kept: &KeptMessages) -> io::Result<()> {
        let (mark, messages) = match kept {
            KeptMessages::All(messages) => (ALL, &messages[..]),
            KeptMessages::TooSlow => (TOO_SLOW, &[][..]),
        };
        let mut rest = Vec::new();
        push_number(&mut rest, mark);
        push_number(&mut rest, messages.len() as u64);
        for Message { words, paths } in messages {
            push_number(&mut rest, words.len() as u64);
            words.iter().for_each(|word| rest.extend_from_slice(&word.0.to_le_bytes()));
            push_number(&mut rest, paths.len() as u64);
            paths.iter().for_each(|path| push_hash(&mut rest, *path));
        }
        let mut bytes = MAGIC.to_vec();
        push_hash(&mut bytes, self.key);
        push_hash(&mut bytes, XxHash3_64::oneshot(&rest));
        bytes.extend_from_slice(&rest);
        let directory = self.path.parent().unwrap_or(Path::new("."));
        create_private(directory)?;
        let mut file = tempfile::Builder::new().prefix(".commits-").tempfile_in(directory)?;
        file.write_all(&bytes)?;
        file.persist(&self.path).map_err(|error| error.error)?;
        evict(directory);
        Ok(())
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

/// Deletes the oldest files in a directory until there are few enough.
fn evict(directory: &Path) {
    let written = |entry: fs::DirEntry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()));
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut all: Vec<(SystemTime, PathBuf)> = entries.filter_map(written).collect();
    all.sort();
    for (_, path) in &all[..all.len().saturating_sub(MOST_FILES)] {
        // Another command may have deleted it already.
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn messages_are_read_back_as_cached_or_not_at_all() {
        let cache = tempfile::tempdir().unwrap();
        let of = |head: &str| MessageCache::of(cache.path(), Path::new("/base"), head.as_bytes(), 3_000);
        let messages = vec![Message::new("Drop all files", ["a.rs", "b.rs"].into_iter()), Message::default()];
        let messages = KeptMessages::All(messages);
        assert_eq!(of("1").read(), None);
        of("1").write(&messages).unwrap();
        assert_eq!(of("1").read(), Some(messages));
        assert_eq!(of("2").read(), None);
        let bytes = fs::read(&of("1").path).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(&of("1").path, &damaged).unwrap();
            assert_eq!(of("1").read(), None, "byte {at}");
            fs::write(&of("1").path, &bytes[..at]).unwrap();
            assert_eq!(of("1").read(), None, "length {at}");
        }
        of("1").write(&KeptMessages::TooSlow).unwrap();
        assert_eq!(of("1").read(), Some(KeptMessages::TooSlow));
    }
}
