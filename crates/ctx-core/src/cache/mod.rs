//! The count cache: results for files that were read before, so that they need not be scanned and counted again.
//!
//! The cache must never be wrong, so a record is found only by a [`Key`] that changes whenever the document
//! could: the file's device, inode, size, modification and change time, and everything that happens to its
//! text before counting. If a file is printed, its text is also read and checked to be the one that was
//! counted; a file that does not fit is dropped, and listed with its tokens, on the basis of its record alone.
//! A file that was changed within the clock's resolution before it was read is not recorded at all, since a second
//! change could leave every timestamp the same (git calls such entries racily clean).
//!
//! The cache contains only counts and checksums. If a document was not counted to its end, because it is
//! certain to be dropped, its record has a lower bound instead. A document in which secrets or hidden
//! characters were found is recorded as such, and cleaned again by whoever uses the record. If there is more to tell
//! about a document than its numbers, the record says so, and whoever lists it reads it.
//!
//! The file is a table that is searched in its on-disk form. Writers replace the whole file by a rename; if
//! there are two at once, the last one wins, and the other's results are computed again. Each record has a
//! checksum, so a damaged file costs time but never gives a wrong count.

mod bytes;
mod key;
mod messages;
mod table;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

use crate::fs::create_private;
pub use key::{Checksum, Key, Treatment};
pub use messages::{KeptCommit, KeptMessages, MessageCache};
use table::{MOST_RECORDS, Table, table_of};
pub use table::{Record, TextKind};

/// The name of the file in the cache directory.
const FILE: &str = "counts";

/// The fewest new records worth writing: writing 1,000 takes about as long as counting one file.
const WORTH_WRITING: usize = 1_000;

/// A cache in its directory; nothing is read or created before it is needed.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    /// The approximate number of lookups.
    lookups: usize,
    table: OnceLock<Table>,
    fresh: Mutex<Vec<Record>>,
}

impl Cache {
    /// The cache in a directory, which need not exist yet.
    #[must_use]
    pub fn at(directory: PathBuf) -> Self {
        Self { directory, lookups: usize::MAX, table: OnceLock::new(), fresh: Mutex::new(Vec::new()) }
    }

    /// The cache, prepared for about `lookups` lookups: a few lookups in a large table read only what they
    /// need.
    #[must_use]
    pub fn for_lookups(self, lookups: usize) -> Self {
        Self { lookups, ..self }
    }

    /// The record with this key.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<Record> {
        self.table().find(key)
    }

    /// Keeps a record until [`Cache::save`].
    pub fn put(&self, record: Record) {
        let mut fresh = self.fresh.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if fresh.len() < MOST_RECORDS {
            fresh.push(record);
        }
    }

    /// Writes the new records, if there are enough.
    ///
    /// # Errors
    /// The system's error; the cache is then unchanged.
    pub fn save(&self) -> io::Result<()> {
        let fresh = self.fresh.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if fresh.is_empty() {
            return Ok(());
        }
        if fresh.len() < self.table().least_records() / WORTH_WRITING {
            return Ok(());
        }
        // Another command may have written since this one started.
        let mut records = Table::read(&self.path(), usize::MAX).records();
        if fresh.len() < records.len() / WORTH_WRITING {
            return Ok(());
        }
        if records.len() + fresh.len() > MOST_RECORDS {
            records.clear();
        }
        records.extend(fresh.iter().copied());
        create_private(&self.directory)?;
        let mut file = tempfile::Builder::new().prefix(".counts-").tempfile_in(&self.directory)?;
        file.write_all(&table_of(&records))?;
        file.persist(self.path()).map_err(|error| error.error)?;
        Ok(())
    }

    /// How many files have a record now.
    #[must_use]
    pub fn count(&self) -> usize {
        Table::read(&self.path(), usize::MAX).records().len()
    }

    /// The size of the cache in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        fs::metadata(self.path()).map_or(0, |metadata| metadata.len())
    }

    /// Deletes the cache, if it exists.
    ///
    /// # Errors
    /// The system's error.
    pub fn clear(&self) -> io::Result<()> {
        match fs::remove_file(self.path()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The path of the cache file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.directory.join(FILE)
    }

    /// Whether the cache is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table().is_empty()
    }

    fn table(&self) -> &Table {
        self.table.get_or_init(|| Table::read(&self.path(), self.lookups))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctx_tokens::{Core, Measure};

    fn record(number: u64) -> Record {
        let core = Some(Core { start: 1, end: 9, tokens: number });
        let measure = Measure { tokens: number + 2, bytes: 10, core };
        let (key, checksum) = (Key::of_bytes(&number.to_le_bytes()), Checksum(number));
        let kind = match number % 4 {
            0 => return Record::more_than(key, checksum, number).unwrap(),
            1 => TextKind::Plain,
            2 => TextKind::Clean,
            _ => TextKind::Found,
        };
        Record::new(key, checksum, &measure, kind).unwrap()
    }

    #[test]
    fn saved_records_are_found_by_another_command() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path().join("deep/ctx"));
        assert_eq!(cache.get(&record(1).key()), None);
        (0..1_000).for_each(|number| cache.put(record(number)));
        cache.save().unwrap();
        let again = Cache::at(directory.path().join("deep/ctx"));
        for number in 0..1_000 {
            assert_eq!(again.get(&record(number).key()), Some(record(number)));
        }
        assert_eq!(again.get(&record(1_000).key()), None);
        assert_eq!(again.count(), 1_000);
        again.clear().unwrap();
        again.clear().unwrap();
        assert_eq!(Cache::at(directory.path().join("deep/ctx")).count(), 0);
    }

    #[test]
    fn few_lookups_in_a_large_table_find_the_same_as_many() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path().to_owned());
        (0..3_000).for_each(|number| cache.put(record(number)));
        cache.save().unwrap();
        let few = Cache::at(directory.path().to_owned()).for_lookups(2);
        for number in 0..3_000 {
            assert_eq!(few.get(&record(number).key()), Some(record(number)));
        }
        assert!((3_000..6_000).all(|number| few.get(&record(number).key()).is_none()));
    }

    #[test]
    fn few_records_are_only_written_to_a_small_cache() {
        let directory = tempfile::tempdir().unwrap();
        let saved = |numbers: std::ops::Range<u64>| {
            let cache = Cache::at(directory.path().to_owned());
            numbers.for_each(|number| cache.put(record(number)));
            cache.save().unwrap();
            cache.count()
        };
        assert_eq!(
            [saved(0..1), saved(1..3_000), saved(3_000..3_001), saved(3_000..3_003)],
            [1, 3_000, 3_000, 3_003]
        );
    }

    #[test]
    fn lower_bound_is_not_a_measure() {
        let (key, checksum) = (Key::of_bytes(b"1"), Checksum(1));
        let measure = Measure { tokens: 7, bytes: 10, core: None };
        let counted = Record::new(key, checksum, &measure, TextKind::Plain).unwrap();
        let bounded = Record::more_than(key, checksum, 7).unwrap();
        assert_eq!((counted.exceeds(6), counted.exceeds(7)), (true, false));
        assert_eq!((bounded.exceeds(7), bounded.exceeds(8)), (true, false));
        assert_eq!(bounded.measure(), None);
        assert!(counted.tells_all() && !bounded.tells_all());
        assert_eq!(Record::more_than(key, checksum, 1 << 40), None);
    }

    #[test]
    fn a_damaged_cache_never_returns_a_wrong_record() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path().to_owned());
        (0..50).for_each(|number| cache.put(record(number)));
        cache.save().unwrap();
        let bytes = fs::read(cache.path()).unwrap();
        // A record's size is not a multiple of this step, so every byte of a record is damaged at some point.
        for at in (0..bytes.len()).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x41;
            fs::write(cache.path(), &damaged).unwrap();
            let read = Cache::at(directory.path().to_owned());
            for number in 0..50 {
                let found = read.get(&record(number).key());
                assert!(found.is_none() || found == Some(record(number)), "byte {at}");
            }
        }
        for length in 0..bytes.len().min(300) {
            fs::write(cache.path(), &bytes[..length]).unwrap();
            assert_eq!(Cache::at(directory.path().to_owned()).get(&record(1).key()), None);
        }
    }

    #[test]
    fn the_cache_does_not_grow_without_bound() {
        let directory = tempfile::tempdir().unwrap();
        for round in 0..3 {
            let cache = Cache::at(directory.path().to_owned());
            (0..60_000).for_each(|number| cache.put(record(round * 60_000 + number)));
            cache.save().unwrap();
            assert!(Cache::at(directory.path().to_owned()).count() <= MOST_RECORDS);
        }
    }

    #[test]
    fn records_up_to_the_limit_are_found_again() {
        for count in [MOST_RECORDS - 1, MOST_RECORDS, MOST_RECORDS + 1] {
            let directory = tempfile::tempdir().unwrap();
            let cache = Cache::at(directory.path().to_owned());
            (0..count as u64).for_each(|number| cache.put(record(number)));
            cache.save().unwrap();
            let again = Cache::at(directory.path().to_owned());
            assert_eq!(again.count(), count.min(MOST_RECORDS));
            assert_eq!(again.get(&record(7).key()), Some(record(7)));
        }
    }

    #[test]
    fn concurrent_writers_leave_an_intact_table() {
        let directory = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..16_u64 {
                let directory = directory.path().to_owned();
                scope.spawn(move || {
                    let cache = Cache::at(directory);
                    (0..100).for_each(|number| cache.put(record(writer * 100 + number)));
                    cache.save().unwrap();
                });
            }
        });
        let cache = Cache::at(directory.path().to_owned());
        let found = (0..1_600).filter(|number| cache.get(&record(*number).key()) == Some(record(*number)));
        assert!(found.count() >= 100);
    }
}
