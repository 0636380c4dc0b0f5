//! Records in a hash table that is searched in its on-disk form.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::key::{Checksum, Key};
use ctx_tokens::{Core, Measure};

/// The size of a record in bytes: the key, five numbers, two flags, the file's checksum, and a checksum of
/// the record.
const SIZE: usize = CHECKSUM + 8 + 4;
const NUMBERS: usize = 16;
const FLAGS: usize = NUMBERS + 5 * 4;
const CHECKSUM: usize = FLAGS + 4;

/// The flag for text in which something was found.
const FOUND: u8 = 1;
/// The flag for text with only a lower bound.
const UNCOUNTED: u8 = 2;
/// The flag for text that is plain.
const PLAIN: u8 = 4;

/// What is known about a text besides its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// An account tells only its tokens, bytes and hash if it is dropped.
    Plain,
    /// Nothing was found in it, but an account tells more about it.
    Clean,
    /// Something was found in it, so that it has to be cleaned again.
    Found,
}

/// The most records to keep.
pub(super) const MOST_RECORDS: usize = 96 * 1024;

/// The largest file accepted as a cache, in bytes.
const LIMIT: u64 = (slots(MOST_RECORDS) * SIZE) as u64;

/// The results for one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The file and how its text is treated.
    key: Key,
    /// The checksum of the file's bytes.
    checksum: Checksum,
    measure: Measure,
    /// Whether the document was counted to its end; if not, it has more than this many tokens.
    is_counted: bool,
    kind: TextKind,
}

impl Record {
    /// A record of a document and its measure by a tokenizer. `None` if a number does not fit in 32 bits.
    #[must_use]
    pub fn new(key: Key, checksum: Checksum, measure: &Measure, kind: TextKind) -> Option<Self> {
        numbers(measure)?;
        Some(Self { key, checksum, measure: *measure, is_counted: true, kind })
    }

    /// A record of a document that has more than this many tokens, and was not counted further. `None` if the
    /// number does not fit in 32 bits.
    #[must_use]
    pub fn more_than(key: Key, checksum: Checksum, tokens: u64) -> Option<Self> {
        let measure = Measure { tokens, bytes: 0, core: None };
        numbers(&measure)?;
        Some(Self { key, checksum, measure, is_counted: false, kind: TextKind::Clean })
    }

    /// Its key.
    #[cfg(test)]
    #[must_use]
    pub fn key(&self) -> Key {
        self.key
    }

    /// The checksum of the file's bytes when they were counted.
    #[must_use]
    pub fn checksum(&self) -> Checksum {
        self.checksum
    }

    /// Whether something was found in the text; if so, the numbers are those of the cleaned text.
    #[must_use]
    pub fn found(&self) -> bool {
        self.kind == TextKind::Found
    }

    /// Whether the document was counted, and an account tells nothing about it that is not here.
    #[must_use]
    pub fn tells_all(&self) -> bool {
        self.is_counted && self.kind == TextKind::Plain
    }

    /// The measure of the file's document, if it was counted to its end.
    #[must_use]
    pub fn measure(&self) -> Option<Measure> {
        self.is_counted.then_some(self.measure)
    }

    /// Whether the document is known to have more than this many tokens.
    #[must_use]
    pub fn exceeds(&self, limit: u64) -> bool {
        if self.is_counted { self.measure.tokens > limit } else { self.measure.tokens >= limit }
    }

    fn to_bytes(self) -> [u8; SIZE] {
        // The numbers fit, or there would be no record.
        let numbers = numbers(&self.measure).unwrap_or_default();
        let mut bytes = [0; SIZE];
        bytes[..NUMBERS].copy_from_slice(&self.key.0);
        for (index, number) in numbers.into_iter().enumerate() {
            let at = NUMBERS + index * 4;
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        let of_kind = match self.kind {
            TextKind::Plain => PLAIN,
            TextKind::Clean => 0,
            TextKind::Found => FOUND,
        };
        bytes[FLAGS] = of_kind | if self.is_counted { 0 } else { UNCOUNTED };
        bytes[CHECKSUM..CHECKSUM + 8].copy_from_slice(&self.checksum.0.to_le_bytes());
        let checksum = checksum(&bytes[..SIZE - 4]);
        bytes[SIZE - 4..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a slot; `None` if it is empty or damaged.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        if number(SIZE - 4)? != checksum(&bytes[..SIZE - 4]) {
            return None;
        }
        let core = Core {
            start: number(NUMBERS + 8)? as usize,
            end: number(NUMBERS + 12)? as usize,
            tokens: number(NUMBERS + 16)?.into(),
        };
        let flags = *bytes.get(FLAGS)?;
        let core = (core.start <= core.end).then_some(core);
        Some(Self {
            key: Key(bytes.get(..NUMBERS)?.try_into().ok()?),
            checksum: Checksum(u64::from_le_bytes(bytes.get(CHECKSUM..CHECKSUM + 8)?.try_into().ok()?)),
            measure: Measure { tokens: number(NUMBERS)?.into(), bytes: number(NUMBERS + 4)?.into(), core },
            is_counted: flags & UNCOUNTED == 0,
            kind: match (flags & PLAIN != 0, flags & FOUND != 0) {
                (_, true) => TextKind::Found,
                (true, false) => TextKind::Plain,
                (false, false) => TextKind::Clean,
            },
        })
    }
}

/// A missing core is written as one that ends before it starts.
const NO_CORE: Core = Core { start: 1, end: 0, tokens: 0 };

/// The numbers of a measure as written; `None` if they do not fit in 32 bits.
fn numbers(measure: &Measure) -> Option<[u32; 5]> {
    let core = measure.core.unwrap_or(NO_CORE);
    Some([
        u32::try_from(measure.tokens).ok()?,
        u32::try_from(measure.bytes).ok()?,
        u32::try_from(core.start).ok()?,
        u32::try_from(core.end).ok()?,
        u32::try_from(core.tokens).ok()?,
    ])
}

/// FNV-1a, over eight bytes at a time, folded; never 0, so that an empty slot has no valid checksum.
fn checksum(bytes: &[u8]) -> u32 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 29;
    }
    let folded = (hash ^ (hash >> 32)) & 0xffff_ffff;
    u32::try_from(folded).unwrap_or(0).max(1)
}

/// How many slots a table of this many records has; the records fill at most three quarters of it.
const fn slots(records: usize) -> usize {
    (records * 4).div_ceil(3).next_power_of_two()
}

/// The slots that are examined together.
const WINDOW: usize = 32;

/// An open-addressing hash table; the number of slots is a power of two.
#[derive(Debug)]
pub(super) enum Table {
    /// The whole table.
    Read(Vec<u8>),
    /// A file, of which only the needed parts are read, and its length in bytes.
    Open(File, usize),
}

impl Table {
    /// The table in a file; empty if the file does not exist or is not a table. A large table is not read
    /// completely for a few lookups.
    pub(super) fn read(path: &Path, lookups: usize) -> Self {
        Self::open(path, lookups).unwrap_or(Self::Read(Vec::new()))
    }

    fn open(path: &Path, lookups: usize) -> Option<Self> {
        let is_table = |length: u64| {
            length <= LIMIT && length.is_multiple_of(SIZE as u64) && (length / SIZE as u64).is_power_of_two()
        };
        fs::metadata(path).ok().filter(|metadata| metadata.is_file() && is_table(metadata.len()))?;
        let mut file = File::open(path).ok()?;
        let length =
            file.metadata().ok().map(|metadata| metadata.len()).filter(|length| is_table(*length))?;
        let length = usize::try_from(length).ok()?;
        if CAN_READ_AT && length / SIZE / WINDOW > lookups {
            return Some(Self::Open(file, length));
        }
        let mut bytes = Vec::with_capacity(length);
        file.read_to_end(&mut bytes).ok()?;
        is_table(bytes.len() as u64).then_some(Self::Read(bytes))
    }

    fn slots(&self) -> usize {
        match self {
            Self::Read(bytes) => bytes.len() / SIZE,
            Self::Open(_, length) => length / SIZE,
        }
    }

    /// The fewest records, at least one, for which a table has this many slots.
    pub(super) fn least_records(&self) -> usize {
        self.slots() * 3 / 8
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots() == 0
    }

    pub(super) fn find(&self, key: &Key) -> Option<Record> {
        let slots = self.slots();
        let mut seen = 0;
        while seen < slots {
            let first = (home(key).wrapping_add(seen)) & (slots - 1);
            let count = WINDOW.min(slots - first);
            for slot in self.window(first, count)?.chunks_exact(SIZE) {
                if slot.iter().all(|byte| *byte == 0) {
                    return None;
                }
                if slot[..NUMBERS] == key.0 {
                    return Record::from_bytes(slot);
                }
            }
            seen += count;
        }
        None
    }

    fn window(&self, first: usize, count: usize) -> Option<Cow<'_, [u8]>> {
        let range = first * SIZE..(first + count) * SIZE;
        match self {
            Self::Read(bytes) => bytes.get(range).map(Cow::Borrowed),
            Self::Open(file, _) => {
                let mut bytes = vec![0; range.len()];
                read_at(file, &mut bytes, range.start as u64).ok()?;
                Some(Cow::Owned(bytes))
            }
        }
    }

    pub(super) fn records(&self) -> Vec<Record> {
        let all = self.window(0, self.slots()).unwrap_or_default();
        all.chunks_exact(SIZE).filter_map(Record::from_bytes).collect()
    }
}

/// The first slot that may contain a key.
fn home(key: &Key) -> usize {
    usize::from_le_bytes(key.0[..size_of::<usize>()].try_into().unwrap_or_default())
}

/// The bytes of a table of these records; of two with the same key, only the later one.
pub(super) fn table_of(records: &[Record]) -> Vec<u8> {
    let slots = slots(records.len());
    let mut bytes = vec![0; slots * SIZE];
    for record in records {
        let key = &record.key;
        let mut probes = (0..slots).map(|step| home(key).wrapping_add(step) & (slots - 1));
        let is_free = |slot: &usize| {
            let slot = &bytes[slot * SIZE..(slot + 1) * SIZE];
            slot.iter().all(|byte| *byte == 0) || slot[..NUMBERS] == key.0
        };
        if let Some(slot) = probes.find(is_free) {
            bytes[slot * SIZE..(slot + 1) * SIZE].copy_from_slice(&record.to_bytes());
        }
    }
    bytes
}

/// Whether several threads can read parts of a file at the same time.
const CAN_READ_AT: bool = cfg!(unix);

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn read_at(_file: &File, _bytes: &mut [u8], _offset: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
