//! The messages of earlier commits, as hashes of their words and paths, in a file beside the index.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use super::bytes::{Pull, push_hash, push_number};
use super::header::VERSION;
use super::kept;
use ctx_search::{Message, Word};

/// What the file begins with.
const MAGIC: &[u8; 16] = b"ctx commit words";

/// What is before the messages, or says why there are none.
const ALL: u64 = 0;
const TOO_SLOW: u64 = 1;

/// What is kept of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptMessages {
    /// All messages that were read.
    All(Vec<Message>),
    /// That git took too long for them.
    TooSlow,
}

/// Where the messages of a repository are kept, for one commit and one limit.
#[derive(Debug)]
pub struct MessageCache {
    path: PathBuf,
    key: u64,
}

impl MessageCache {
    /// The cache of the repository with this root, of the last `most` commits before `head`.
    #[must_use]
    pub fn of(cache: &Path, root: &Path, head: &[u8], most: usize) -> Self {
        let path = kept::path(cache, root).with_extension("commits");
        let version = format!("{VERSION} 2 {most} ");
        Self { path, key: XxHash3_64::oneshot(&[version.as_bytes(), head].concat()) }
    }

    /// What is kept; `None` if that is of another commit, or damaged.
    #[must_use]
    pub fn read(&self) -> Option<KeptMessages> {
        let mut bytes = Vec::new();
        kept::open(&self.path)?.read_to_end(&mut bytes).ok()?;
        let mut pull = Pull::new(&bytes);
        let is_ours = pull.bytes(MAGIC.len())? == MAGIC && pull.hash()? == self.key;
        let checksum = pull.hash().filter(|_| is_ours)?;
        (XxHash3_64::oneshot(pull.rest) == checksum).then_some(())?;
        if pull.number()? == TOO_SLOW {
            return Some(KeptMessages::TooSlow);
        }
        let mut messages = Vec::new();
        for _ in 0..pull.count()? {
            let mut message = Message::default();
            for _ in 0..pull.count()? {
                let word = pull.bytes(4)?;
                message.words.push(Word(u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
            }
            for _ in 0..pull.count()? {
                message.paths.push(pull.hash()?);
            }
            messages.push(message);
        }
        Some(KeptMessages::All(messages))
    }

    /// Keeps messages in the place of those that were there.
    ///
    /// # Errors
    /// What the system says; the file is then as it was.
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
        let mut file = kept::create(&self.path)?;
        file.write_all(&bytes)?;
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn messages_are_those_that_were_kept_or_none() {
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
