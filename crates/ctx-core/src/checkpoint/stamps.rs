//! Which contents files had when they were last read: a cache, so that unchanged ones are not read again.
//!
//! It is only believed for files whose last change was long enough ago (see [`Stamp::is_settled`]), and
//! only as long as nothing was removed from the object store.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use super::entry::ObjectId;
use crate::read::{Stamp, Time};
use crate::store::lines;

const FILE: &str = "stamps";
const MAGIC: &[u8; 8] = b"ctxstm01";

/// The largest cache that is read, in bytes.
const LIMIT: u64 = 512 << 20;

/// What is known of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    pub stamp: Stamp,
    pub id: ObjectId,
}

/// What is known of the files of a tree, by path.
#[derive(Debug, Default)]
pub(super) struct Stamps {
    known: HashMap<Box<[u8]>, Known>,
    stored: HashSet<ObjectId>,
}

impl Stamps {
    /// Reads the cache; a damaged or foreign one is an empty one.
    pub fn read(directory: &Path) -> Self {
        let bytes = lines::read(&file(directory), LIMIT).ok().flatten();
        bytes.and_then(|bytes| Self::parse(&bytes)).unwrap_or_default()
    }

    /// What is known of a path that has this stamp.
    pub fn get(&self, path: &[u8], stamp: &Stamp) -> Option<ObjectId> {
        self.known.get(path).filter(|known| known.stamp == *stamp).map(|known| known.id)
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Whether the store has these contents.
    pub fn has(&self, id: ObjectId) -> bool {
        self.stored.contains(&id)
    }

    /// Whether it would be written as it was read.
    pub fn is_same(&self, others: &[(Box<[u8]>, Known)]) -> bool {
        self.known.len() == others.len()
            && others.iter().all(|(path, known)| self.known.get(path) == Some(known))
    }

    /// Keeps what was learned. What cannot be kept is read again the next time.
    pub fn write(directory: &Path, known: &[(Box<[u8]>, Known)]) {
        let mut bytes = MAGIC.to_vec();
        for (path, Known { stamp, id }) in known {
            let numbers = [
                path.len() as u64,
                stamp.device,
                stamp.inode,
                stamp.size,
                stamp.modified.seconds.cast_unsigned(),
                stamp.modified.nanoseconds.cast_unsigned(),
                stamp.changed.seconds.cast_unsigned(),
                stamp.changed.nanoseconds.cast_unsigned(),
            ];
            numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
            bytes.extend_from_slice(&id.bytes());
            bytes.extend_from_slice(path);
        }
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        let _ = lines::replace(&file(directory), &bytes);
    }

    /// Forgets everything: before anything is removed from the object store.
    pub fn forget(directory: &Path) -> std::io::Result<()> {
        match fs::remove_file(file(directory)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (bytes, sum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
        if u64::from_le_bytes(sum.try_into().ok()?) != checksum(bytes) {
            return None;
        }
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let mut stamps = Self::default();
        while !rest.is_empty() {
            let mut numbers = [0; 8];
            for number in &mut numbers {
                let (bytes, after) = rest.split_first_chunk::<8>()?;
                *number = u64::from_le_bytes(*bytes);
                rest = after;
            }
            let [length, device, inode, size, modified, modified_part, changed, changed_part] = numbers;
            let time = |seconds: u64, part: u64| Time {
                seconds: seconds.cast_signed(),
                nanoseconds: part.cast_signed(),
            };
            let stamp = Stamp {
                device,
                inode,
                size,
                modified: time(modified, modified_part),
                changed: time(changed, changed_part),
            };
            let (id, after) = rest.split_first_chunk::<32>()?;
            let id = ObjectId::from_bytes(*id);
            let (path, after) = after.split_at_checked(usize::try_from(length).ok()?)?;
            rest = after;
            stamps.stored.insert(id);
            stamps.known.insert(path.into(), Known { stamp, id });
        }
        Some(stamps)
    }
}

fn file(directory: &Path) -> PathBuf {
    directory.join(FILE)
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = XxHash3_64::new();
    hasher.write(bytes);
    hasher.finish()
}
