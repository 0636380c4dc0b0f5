//! The header of an index file: what it is of, and where its segments are. It begins the file, but for the list of
//! segments, which ends it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use twox_hash::XxHash3_64;

use super::bytes::{Pull, push_hash, push_number};

/// How the file is written and what a digest means; a new number forgets all old ones, and so does a release.
pub(super) const VERSION: &str = concat!("4 ", env!("CARGO_PKG_VERSION"));

/// What the file begins with.
const MAGIC: &[u8; 16] = b"ctx search index";

/// Magic, version, where the list is, its length, and its checksum.
const FIXED: usize = 16 + 8 + 8 + 8 + 8;

/// Where the first segment can be.
pub(super) const BEGIN: u64 = FIXED as u64;

/// A list of more bytes is treated as damage.
pub(super) const LONGEST_LIST: u64 = 1 << 20;

/// Where a segment is in the file, and what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexPart {
    /// Where it begins.
    pub(super) offset: u64,
    /// Its length.
    pub(super) length: u64,
    /// The length of its table, with which it begins.
    pub(super) table: u64,
    /// Of the table.
    pub(super) checksum: u64,
    /// How many bytes the files have that it is about.
    pub(super) source_bytes: u64,
    /// How many files those are.
    pub(super) files: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) base: PathBuf,
    pub(super) parts: Vec<IndexPart>,
}

impl Header {
    /// The list of the segments, which ends the file.
    pub(super) fn list(&self) -> Vec<u8> {
        let base = self.base.as_os_str().as_encoded_bytes();
        let mut list = Vec::new();
        push_number(&mut list, base.len() as u64);
        list.extend_from_slice(base);
        for part in &self.parts {
            for number in [part.offset, part.length, part.table, part.checksum, part.source_bytes, part.files]
            {
                push_hash(&mut list, number);
            }
        }
        list
    }

    /// What a file begins with whose list is there.
    pub(super) fn beginning(offset: u64, list: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        push_hash(&mut bytes, XxHash3_64::oneshot(VERSION.as_bytes()));
        push_hash(&mut bytes, offset);
        push_hash(&mut bytes, list.len() as u64);
        push_hash(&mut bytes, XxHash3_64::oneshot(list));
        bytes
    }

    /// The header of a file of this version.
    pub(super) fn read(mut file: &File) -> Option<Self> {
        let mut fixed = [0; FIXED];
        file.read_exact(&mut fixed).ok()?;
        let mut pull = Pull::new(&fixed);
        let is_ours =
            pull.bytes(MAGIC.len())? == MAGIC && pull.hash()? == XxHash3_64::oneshot(VERSION.as_bytes());
        let (offset, length) = (pull.hash().filter(|_| is_ours)?, pull.hash()?);
        let mut list = vec![0; usize::try_from(length).ok().filter(|_| length <= LONGEST_LIST)?];
        file.seek(SeekFrom::Start(offset)).ok()?;
        file.read_exact(&mut list).ok()?;
        (pull.hash()? == XxHash3_64::oneshot(&list)).then_some(())?;
        Self::of_list(&list)
    }

    fn of_list(list: &[u8]) -> Option<Self> {
        let mut pull = Pull::new(list);
        let length = pull.count()?;
        let base = path_of(pull.bytes(length)?)?;
        let mut parts = Vec::new();
        while !pull.rest.is_empty() {
            let (offset, length, table) = (pull.hash()?, pull.hash()?, pull.hash()?);
            let (checksum, source_bytes, files) = (pull.hash()?, pull.hash()?, pull.hash()?);
            parts.push(IndexPart { offset, length, table, checksum, source_bytes, files });
        }
        Some(Self { base, parts })
    }
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;

    Some(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}
