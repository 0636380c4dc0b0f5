//! The beginning of an index file: what it is of, and where its segments are.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use super::bytes::{Pull, Push};
use super::{Sealed, VERSION};

/// What the file begins with.
const MAGIC: &[u8; 16] = b"ctx search index";

/// Magic, version, the length of what follows, and its checksum.
const FIXED: usize = 16 + 8 + 8 + 8;

/// A header of more bytes is none.
const MOST: u64 = 1 << 20;

/// Where a segment is in the file, and what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
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
    pub(super) parts: Vec<Part>,
}

impl Header {
    /// The header of a file with old segments and then new ones.
    pub(super) fn of<'p>(base: &Path, old: impl Iterator<Item = &'p Part>, fresh: &[Sealed]) -> Self {
        let fresh = fresh.iter().map(|sealed| Part {
            offset: 0,
            length: sealed.bytes.len() as u64,
            table: sealed.table,
            checksum: sealed.checksum,
            source_bytes: sealed.source_bytes,
            files: sealed.labels.len() as u64,
        });
        let mut header = Self { base: base.to_owned(), parts: old.copied().chain(fresh).collect() };
        let mut offset = header.to_bytes().len() as u64;
        for part in &mut header.parts {
            part.offset = offset;
            offset += part.length;
        }
        header
    }

    pub(super) fn whole_length(&self) -> u64 {
        self.parts.last().map_or(0, |part| part.offset + part.length)
    }

    /// Its length depends on how many segments there are, not on where they are.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let base = self.base.as_os_str().as_encoded_bytes();
        let mut body = Vec::new();
        body.push_number(base.len() as u64);
        body.extend_from_slice(base);
        for part in &self.parts {
            for number in [part.offset, part.length, part.table, part.checksum, part.source_bytes, part.files]
            {
                body.push_hash(number);
            }
        }
        let mut bytes = MAGIC.to_vec();
        bytes.push_hash(XxHash3_64::oneshot(VERSION.as_bytes()));
        bytes.push_hash(body.len() as u64);
        bytes.push_hash(XxHash3_64::oneshot(&body));
        bytes.extend_from_slice(&body);
        bytes
    }

    /// The header of a file of this version.
    pub(super) fn read(mut file: &File) -> Option<Self> {
        let mut fixed = [0; FIXED];
        file.read_exact(&mut fixed).ok()?;
        let mut pull = Pull::new(&fixed);
        let is_ours =
            pull.bytes(MAGIC.len())? == MAGIC && pull.hash()? == XxHash3_64::oneshot(VERSION.as_bytes());
        let length = pull.hash().filter(|length| is_ours && *length <= MOST)?;
        let mut body = vec![0; usize::try_from(length).ok()?];
        file.read_exact(&mut body).ok()?;
        (pull.hash()? == XxHash3_64::oneshot(&body)).then_some(())?;
        Self::of_body(&body)
    }

    fn of_body(body: &[u8]) -> Option<Self> {
        let mut pull = Pull::new(body);
        let length = pull.count()?;
        let base = path_of(pull.bytes(length)?)?;
        let mut parts = Vec::new();
        while !pull.rest.is_empty() {
            let (offset, length, table) = (pull.hash()?, pull.hash()?, pull.hash()?);
            let (checksum, source_bytes, files) = (pull.hash()?, pull.hash()?, pull.hash()?);
            parts.push(Part { offset, length, table, checksum, source_bytes, files });
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
