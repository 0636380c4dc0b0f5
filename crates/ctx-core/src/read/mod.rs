//! Reads a file as decoded text with consistent contents, or returns the reason why it can't.

mod decode;
mod guess;
mod html;
mod magic;
pub mod marks;
mod notebook;
mod styles;
#[cfg(test)]
mod tests;
mod unreadable;
mod western;

use std::fs::{File, FileType, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::fs::open_without_waiting;
pub use crate::fs::{Stamp, Time};
use decode::{BINARY_PREFIX, begins_binary};
pub use decode::{DecodedText, Encoding, SaidEncoding, decode};
pub use guess::Guess;
pub use notebook::EXTENSION as NOTEBOOK_EXTENSION;
pub use styles::without_styles;
pub use unreadable::{Special, Unreadable};

/// The largest file that is read by default, in bytes.
pub const DEFAULT_MAX_BYTES: u64 = 10 * 1024 * 1024;

/// A file with more bytes than this is examined before all of it is read.
const LARGE: usize = 1024 * 1024;

/// The most bytes of a file's first line that are read to find its interpreter.
const FIRST_LINE: u64 = 256;

/// How many bytes are read at once for a hash.
const DIGEST_PART: usize = 64 * 1024;

/// A file of at least this many bytes is left out if there is not enough memory for it. A smaller allocation
/// that fails ends the program.
const LARGE_ALLOCATION: usize = 8 << 20;

/// A buffer that is never shrunk, so that only new bytes are set to zero.
#[derive(Debug, Default)]
pub struct Page {
    room: Vec<u8>,
    filled: usize,
}

impl Page {
    /// The bytes read so far.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.room[..self.filled]
    }

    /// Discards the bytes, and frees the memory of a large file, since few are large.
    pub fn clear(&mut self) {
        self.filled = 0;
        if self.room.len() > LARGE {
            self.room = Vec::new();
        }
    }

    /// Reads at most `size` bytes, fewer if the file ends first, and returns how many.
    ///
    /// # Errors
    /// The system's error, or an error if memory runs out.
    fn read(&mut self, file: &mut File, size: usize) -> io::Result<usize> {
        let missing = (self.filled.saturating_add(size)).saturating_sub(self.room.len());
        if missing >= LARGE_ALLOCATION {
            self.room.try_reserve(missing).map_err(|_| io::ErrorKind::OutOfMemory)?;
        }
        let next = self.next(size);
        let mut read = 0;
        while read < size {
            match file.read(&mut next[read..]) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.filled += read;
        Ok(read)
    }

    fn next(&mut self, size: usize) -> &mut [u8] {
        let end = self.filled + size;
        if self.room.len() < end {
            self.room.resize(end, 0);
        }
        &mut self.room[self.filled..end]
    }
}

/// Opens a regular file for reading, and never blocks on other kinds of files.
///
/// # Errors
///
/// Any reason except those that only occur while reading.
pub fn open(path: &Path) -> Result<File, Unreadable> {
    let file = open_without_waiting(path).map_err(|error| explain(path, error))?;
    let metadata = file.metadata()?;
    ensure_regular(&file, &metadata)?;
    Ok(file)
}

/// Explains why a path cannot be opened: it may not be a file at all.
fn explain(path: &Path, error: io::Error) -> Unreadable {
    match path.metadata() {
        Ok(metadata) if !metadata.is_file() && error.kind() != io::ErrorKind::NotFound => {
            match special(metadata.file_type()) {
                Special::Directory if cfg!(unix) => error.into(),
                special => Unreadable::NotRegular(special),
            }
        }
        Ok(_) | Err(_) => error.into(),
    }
}

fn ensure_regular(file: &File, metadata: &Metadata) -> Result<(), Unreadable> {
    if !metadata.is_file() {
        return Err(Unreadable::NotRegular(special(metadata.file_type())));
    }
    if is_made_up(file, metadata)? {
        return Err(Unreadable::NotRegular(Special::Kernel));
    }
    Ok(())
}

#[cfg(unix)]
fn special(kind: FileType) -> Special {
    use std::os::unix::fs::FileTypeExt;

    match kind {
        kind if kind.is_dir() => Special::Directory,
        kind if kind.is_fifo() => Special::Fifo,
        kind if kind.is_socket() => Special::Socket,
        kind if kind.is_char_device() || kind.is_block_device() => Special::Device,
        _ => Special::Other,
    }
}

#[cfg(not(unix))]
fn special(kind: FileType) -> Special {
    if kind.is_dir() { Special::Directory } else { Special::Other }
}

/// Whether the file is in one of the kernel's own file systems, which claim to contain regular files.
#[cfg(target_os = "linux")]
fn is_made_up(file: &File, metadata: &Metadata) -> Result<bool, Unreadable> {
    use std::os::unix::fs::MetadataExt;

    /// proc, sysfs, debugfs, tracefs, cgroup, cgroup2, securityfs, configfs, bpf, selinuxfs, smackfs,
    /// binfmt_misc, pstore, efivarfs, devpts, as `<linux/magic.h>` numbers them.
    const MAGIC: [i64; 15] = [
        0x9fa0,
        0x6265_6572,
        0x6462_6720,
        0x7472_6163,
        0x0027_e0eb,
        0x6367_7270,
        0x7363_6673,
        0x6265_6570,
        0xcafe_4a11,
        0xf97c_ff8c,
        0x4341_5d53,
        0x4249_4e4d,
        0x6165_676c,
        0xde5e_81e4,
        0x1cd1,
    ];
    // Kernel file systems are not on a device. For files on a device, this check saves a system call.
    if rustix::fs::major(metadata.dev()) != 0 {
        return Ok(false);
    }
    let kind = rustix::fs::fstatfs(file).map_err(io::Error::from)?.f_type;
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "the type differs by architecture")]
    let kind = kind as i64 & 0xffff_ffff;
    Ok(MAGIC.contains(&kind))
}

#[cfg(not(target_os = "linux"))]
fn is_made_up(_file: &File, _metadata: &Metadata) -> Result<bool, Unreadable> {
    Ok(false)
}

/// Reads and decodes an open file. The buffer is scratch space, worth keeping from file to file.
///
/// # Errors
///
/// Any reason except those that only occur while opening.
pub fn read(file: File, max_bytes: u64, buffer: &mut Page) -> Result<DecodedText<'_>, Unreadable> {
    Ok(glance(file, max_bytes, None, buffer)?.settle()?.text)
}

/// Text, and the state of the file that it was read from.
#[derive(Debug)]
pub struct Contents<'a> {
    /// The text.
    pub text: DecodedText<'a>,
    /// The file's metadata, the same before and after reading; `None` if the system does not provide enough.
    pub stamp: Option<Stamp>,
}

impl Contents<'_> {
    /// The cells of a notebook in place of its JSON; anything else unchanged.
    #[must_use]
    pub fn with_notebook_rendered(self) -> Self {
        match notebook::rendered(&self.text.text) {
            Some(text) => {
                let text = DecodedText { text: text.into(), encoding: Encoding::Notebook, ..self.text };
                Self { text, ..self }
            }
            None => self,
        }
    }
}

/// Text that was read while somebody may have been writing to the file.
#[derive(Debug)]
pub struct Glance<'a> {
    file: File,
    before: Metadata,
    text: DecodedText<'a>,
}

/// Like [`read`], but does not check yet whether the file has changed.
///
/// # Errors
///
/// The errors of [`read`].
pub fn glance(
    mut file: File,
    max_bytes: u64,
    said: Option<SaidEncoding>,
    buffer: &mut Page,
) -> Result<Glance<'_>, Unreadable> {
    let before = file.metadata()?;
    ensure_regular(&file, &before)?;
    let size = before.len();
    let limit = max_bytes;
    let room = usize::try_from(size).ok().filter(|_| size <= limit);
    let room = room.ok_or(Unreadable::TooLarge { size, limit })?;
    buffer.clear();
    // A large file that is not text is recognised immediately, and its holes need no memory.
    let head = if room > LARGE { BINARY_PREFIX } else { 0 };
    let read = buffer.read(&mut file, head)?;
    let ends_early = read != head
        || !(said.is_none() && begins_binary(buffer.bytes()))
            && buffer.read(&mut file, room - head)? != room - head;
    if ends_early {
        return Err(Unreadable::Changed);
    }
    match decode(buffer.bytes(), said) {
        Ok(text) => Ok(Glance { file, before, text }),
        Err(_) if !is_same(&before, &file.metadata()?) => Err(Unreadable::Changed),
        Err(error) => Err(error),
    }
}

/// The contents of a file, by their hash, and its state when they were read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FileDigest {
    /// The SHA-256 of all bytes.
    pub(crate) sha256: [u8; 32],
    stamp: Stamp,
}

/// Reads an open file that need not be text, for its hash.
///
/// # Errors
///
/// Any reason except those that only occur while opening or decoding.
pub(crate) fn digest(mut file: File, max_bytes: u64) -> Result<FileDigest, Unreadable> {
    let before = file.metadata()?;
    ensure_regular(&file, &before)?;
    if before.len() > max_bytes {
        return Err(Unreadable::TooLarge { size: before.len(), limit: max_bytes });
    }
    let (mut hash, mut part, mut all) = (Sha256::new(), vec![0; DIGEST_PART], 0);
    while all <= max_bytes {
        match file.read(&mut part) {
            Ok(0) => break,
            Ok(read) => {
                hash.update(&part[..read]);
                all += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    if all != before.len() || !is_same(&before, &file.metadata()?) {
        return Err(Unreadable::Changed);
    }
    Ok(FileDigest { sha256: hash.finalize().into(), stamp: Stamp::of(&before) })
}

/// Enough of the first line to find a script's interpreter; `None` if it is not a regular file.
pub(crate) fn first_line(mut file: File) -> Option<String> {
    ensure_regular(&file, &file.metadata().ok()?).ok()?;
    let mut head = Vec::new();
    file.by_ref().take(FIRST_LINE).read_to_end(&mut head).ok()?;
    head.split(|byte| *byte == b'\n').next().and_then(|line| String::from_utf8(line.to_vec()).ok())
}

impl<'a> Glance<'a> {
    /// The text, which may be inconsistent if the file has changed in the meantime.
    #[must_use]
    pub fn text(&self) -> &DecodedText<'a> {
        &self.text
    }

    /// The state of the file before it was read; `None` if the system does not provide enough.
    #[must_use]
    pub fn stamp(&self) -> Option<Stamp> {
        Stamp::of(&self.before).identified()
    }

    /// Checks that the file has not changed, so that it contained exactly this text at one moment, and
    /// returns the text.
    ///
    /// # Errors
    ///
    /// If the file was changed in the meantime.
    pub fn settle(self) -> Result<Contents<'a>, Unreadable> {
        if is_same(&self.before, &self.file.metadata()?) {
            let stamp = self.stamp();
            Ok(Contents { text: self.text, stamp })
        } else {
            Err(Unreadable::Changed)
        }
    }
}

fn is_same(before: &Metadata, after: &Metadata) -> bool {
    Stamp::of(before) == Stamp::of(after)
}
