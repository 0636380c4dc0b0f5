//! The contents that files had when they were last read: a cache, so that unchanged files are not read again.
//!
//! The cache is trusted only for files whose last change was long enough ago (see [`Stamp::is_settled`]), and
//! only while nothing has been removed from the object store.

use std::cell::{Cell, OnceCell};
use std::collections::HashSet;
use std::fs;
use std::hash::Hasher;
use std::ops::Range;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use super::entry::{ObjectId, TreePath};
use crate::read::{Stamp, Time};
use crate::store::lines;

const FILE: &str = "stamps";
const MAGIC: &[u8; 8] = b"ctxstm01";

/// The largest cache that ctx accepts, in bytes.
const LIMIT: u64 = 512 << 20;

/// The record for one file: its path, or where the path is in the cache.
#[derive(Debug)]
pub(super) struct KnownStamp<P> {
    pub path: P,
    pub stamp: Stamp,
    pub id: ObjectId,
}

/// The records for a tree's files, sorted by path.
#[derive(Debug, Default)]
pub(super) struct Stamps {
    /// The cache as it was read, including the paths.
    bytes: Vec<u8>,
    lines: Vec<KnownStamp<Range<usize>>>,
    /// The line after the last one that was looked up; files are looked up in order, too.
    next: Cell<usize>,
    stored: OnceCell<HashSet<ObjectId>>,
}

impl Stamps {
    /// Reads the cache; a damaged or foreign one counts as empty.
    pub fn read(directory: &Path) -> Self {
        let bytes = lines::read(&file(directory), LIMIT).ok().flatten();
        bytes.and_then(Self::parse).unwrap_or_default()
    }

    /// The contents of a path with this stamp, if known.
    pub fn get(&self, path: &[u8], stamp: &Stamp) -> Option<ObjectId> {
        let is_there = |line: &KnownStamp<Range<usize>>| self.bytes[line.path.clone()] == *path;
        let next = self.next.get();
        let place = if self.lines.get(next).is_some_and(is_there) {
            next
        } else {
            self.lines.binary_search_by(|line| self.bytes[line.path.clone()].cmp(path)).ok()?
        };
        self.next.set(place + 1);
        let known = &self.lines[place];
        (known.stamp == *stamp).then_some(known.id)
    }

    /// Whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether the store has these contents.
    pub fn has(&self, id: ObjectId) -> bool {
        self.stored.get_or_init(|| self.lines.iter().map(|line| line.id).collect()).contains(&id)
    }

    /// Whether these records are the same as those that were read.
    pub fn is_same(&self, others: &[KnownStamp<TreePath>]) -> bool {
        self.lines.len() == others.len()
            && self.lines.iter().zip(others).all(|(line, other)| {
                (line.stamp, line.id) == (other.stamp, other.id)
                    && self.bytes[line.path.clone()] == *other.path.bytes()
            })
    }

    /// Writes the records, in the order of the paths. A file that cannot be recorded is read again the next time.
    pub fn write(directory: &Path, known: &[KnownStamp<TreePath>]) {
        let mut bytes = MAGIC.to_vec();
        for KnownStamp { path, stamp, id } in known {
            let path = path.bytes();
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

    /// Deletes the cache, before anything is removed from the object store.
    pub fn forget(directory: &Path) -> std::io::Result<()> {
        match fs::remove_file(file(directory)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn parse(bytes: Vec<u8>) -> Option<Self> {
        let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
        if u64::from_le_bytes(sum.try_into().ok()?) != checksum(content) {
            return None;
        }
        let mut rest = content.strip_prefix(MAGIC)?;
        let mut lines = Vec::new();
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
            let (path, after) = after.split_at_checked(usize::try_from(length).ok()?)?;
            let start = content.len() - after.len() - path.len();
            lines.push(KnownStamp { path: start..start + path.len(), stamp, id: ObjectId::from_bytes(*id) });
            rest = after;
        }
        let is_sorted = lines.is_sorted_by(|one: &KnownStamp<Range<usize>>, other| {
            content[one.path.clone()] < content[other.path.clone()]
        });
        is_sorted.then_some(Self { bytes, lines, ..Self::default() })
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
