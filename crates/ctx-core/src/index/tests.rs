//! What comes back is what was learned, or nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::header::IndexPart;
use super::{Builder, CachedIndexes, FileKey, Index, IndexDraft, KeptIndex, Sealed};
use crate::cache::Checksum;
use crate::read::{Stamp, Time};
use ctx_search::{Digest, Keep, Query, Text};

const QUERY: &str = "where are numbers counted, and in parse_header?";

fn stamp(number: u64) -> Stamp {
    let time = Time { seconds: 7, nanoseconds: 8 };
    Stamp { device: 1, inode: number, size: 9, modified: time, changed: time }
}

fn label(number: u64) -> String {
    format!("src/file_{number}.rs")
}

fn text(number: u64) -> String {
    let function = |at: u64| {
        format!("/// Counts numbers.\nfn parse_header_{at}() {{\n{}}}\n\n", "    count(number);\n".repeat(20))
    };
    let functions: String = (0..3).map(|at| function(number * 3 + at)).collect();
    format!("use crate::engine_{number}::Engine;\n\n{functions}")
}

fn digest(number: u64) -> Digest {
    Digest::of(&Text::new(&label(number), &text(number)), Keep::All)
}

fn sealed(numbers: impl IntoIterator<Item = u64>) -> Vec<Sealed> {
    let mut builder = Builder::default();
    for number in numbers {
        let bytes = text(number);
        let key = FileKey::of(&label(number), &stamp(number));
        builder.add(key, Checksum::of(bytes.as_bytes()), bytes.len() as u64, &digest(number));
    }
    builder.seal().into_iter().collect()
}

fn save(index: &Index, sealed: Vec<Sealed>) {
    let mut draft = IndexDraft::default();
    sealed.into_iter().for_each(|sealed| index.learn(&mut draft, sealed));
    index.save(draft).unwrap();
}

struct Place {
    cache: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { cache: tempfile::tempdir().unwrap() }
    }

    fn open(&self, base: &str) -> Index {
        Index::open(self.cache.path(), Path::new(base), SystemTime::now())
    }

    fn save(&self, sealed: Vec<Sealed>) {
        save(&self.open("/base"), sealed);
    }

    fn file(&self) -> PathBuf {
        super::kept::path(self.cache.path(), Path::new("/base"))
    }

    /// What is found of the first so many files, with the words of the query; `None` if damage is found.
    fn found(&self, count: u64) -> Option<BTreeMap<u64, Digest>> {
        let (index, query) = (self.open("/base"), Query::new(QUERY));
        let postings = index.postings(&query).ok()?;
        let found = (0..count).filter_map(|number| {
            let found = index.find(&FileKey::of(&label(number), &stamp(number)), None)?;
            assert_eq!(found.checksum, Checksum::of(text(number).as_bytes()));
            let mut postings = postings.get(&found.id).cloned().unwrap_or_default();
            postings.sort_unstable();
            Some((number, Digest { postings, ..found.digest }))
        });
        Some(found.collect())
    }
}

fn expected(count: u64) -> BTreeMap<u64, Digest> {
    let query = Query::new(QUERY);
    (0..count).map(|number| (number, digest(number).only(&query))).collect()
}

#[test]
fn index_that_was_written_knows_the_files_in_that_state_alone() {
    let place = Place::new();
    place.save(sealed(0..40));
    assert_eq!(place.found(40).unwrap(), expected(40));
    let index = place.open("/base");
    assert!(index.find(&FileKey::of(&label(1), &stamp(2)), None).is_none());
    assert!(index.find(&FileKey::of(&label(2), &stamp(1)), None).is_none());
    assert!(place.open("/other").find(&FileKey::of(&label(1), &stamp(1)), None).is_none());
}

#[test]
fn index_takes_up_what_is_new_beside_what_is_old() {
    let place = Place::new();
    for part in [0..10, 10..25, 25..40] {
        place.save(sealed(part));
    }
    assert_eq!(place.found(40).unwrap(), expected(40));
}

#[test]
fn index_does_not_grow_with_each_change() {
    let place = Place::new();
    let mut largest = 0;
    for round in 0..60_u64 {
        let mut builder = Builder::default();
        for number in 0..20 {
            let key = FileKey::of(&label(number), &stamp(1_000 * round + number));
            builder.add(key, Checksum::of(b""), 1_000, &digest(number));
        }
        place.save(builder.seal().into_iter().collect());
        largest = largest.max(fs::metadata(place.file()).unwrap().len());
    }
    assert!(fs::metadata(place.file()).unwrap().len() * 2 <= largest * 3);
    let all = CachedIndexes::in_cache(place.cache.path()).all();
    assert!(all[0].files <= 400, "{all:?}");
}

#[test]
fn index_with_a_flipped_bit_knows_what_was_written_or_nothing() {
    let place = Place::new();
    place.save(sealed(0..6));
    let bytes = fs::read(place.file()).unwrap();
    let all = expected(6);
    for at in (0..bytes.len()).step_by(3) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        fs::write(place.file(), &damaged).unwrap();
        if let Some(found) = place.found(6) {
            assert!(found.iter().all(|(number, digest)| all[number] == *digest), "byte {at}");
        }
    }
    for length in (0..bytes.len()).step_by(7) {
        fs::write(place.file(), &bytes[..length]).unwrap();
        if let Some(found) = place.found(6) {
            assert!(found.iter().all(|(number, digest)| all[number] == *digest), "length {length}");
        }
    }
}

#[test]
fn index_that_is_none_is_empty_and_written_over() {
    let place = Place::new();
    for foreign in
        [&b""[..], b"ctx search index", b"something else that is long enough to be a header", &[0xff; 4_096]]
    {
        fs::create_dir_all(place.file().parent().unwrap()).unwrap();
        fs::write(place.file(), foreign).unwrap();
        assert_eq!(place.found(3), Some(BTreeMap::new()));
        place.save(sealed(0..3));
        assert_eq!(place.found(3).unwrap(), expected(3));
    }
}

#[test]
fn index_of_another_version_is_empty() {
    let place = Place::new();
    place.save(sealed(0..3));
    let mut bytes = fs::read(place.file()).unwrap();
    bytes[16] ^= 1;
    fs::write(place.file(), &bytes).unwrap();
    assert_eq!(place.found(3), Some(BTreeMap::new()));
}

#[cfg(unix)]
#[test]
fn index_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::new();
    place.save(sealed(0..3));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.file()), 0o600);
    assert_eq!(mode(place.file().parent().unwrap()), 0o700);
}

#[test]
fn index_of_many_writers_is_that_of_one_of_them() {
    let place = Place::new();
    let indexes: Vec<Index> = (0..8).map(|_| place.open("/base")).collect();
    std::thread::scope(|scope| {
        for (writer, index) in (0_u64..).zip(indexes) {
            scope.spawn(move || save(&index, sealed(writer * 5..writer * 5 + 5)));
        }
    });
    let found = place.found(40).unwrap();
    assert_eq!(found.len(), 5);
    let all = expected(40);
    assert!(found.iter().all(|(number, digest)| all[number] == *digest));
}

#[test]
fn oldest_indexes_are_evicted_first() {
    let place = Place::new();
    for (age, base) in [(300, "/a"), (200, "/b"), (100, "/c")] {
        save(&place.open(base), sealed(0..3));
        let file =
            fs::File::options().write(true).open(super::kept::path(place.cache.path(), Path::new(base)));
        file.unwrap().set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    }
    let path = super::kept::path(place.cache.path(), Path::new("/a"));
    let size = fs::metadata(&path).unwrap().len();
    super::kept::evict(&path, size * 2);
    let bases: Vec<PathBuf> = CachedIndexes::in_cache(place.cache.path())
        .all()
        .into_iter()
        .map(|KeptIndex { base, .. }| base)
        .collect();
    assert_eq!(bases, [Path::new("/a"), Path::new("/c")]);
}

fn large(numbers: std::ops::Range<u64>) -> impl Iterator<Item = Sealed> {
    sealed(numbers)
        .into_iter()
        .map(|sealed| Sealed { part: IndexPart { source_bytes: 4 << 20, ..sealed.part }, ..sealed })
}

#[test]
fn index_of_large_segments_is_written_while_it_is_made() {
    let place = Place::new();
    place.save(sealed(0..3));
    let files = || fs::read_dir(place.file().parent().unwrap()).unwrap().count();
    let index = place.open("/base");
    let mut draft = IndexDraft::default();
    large(3..5).chain(large(5..6)).for_each(|sealed| index.learn(&mut draft, sealed));
    assert_eq!(files(), 2);
    sealed(2..3).into_iter().for_each(|sealed| index.learn(&mut draft, sealed));
    index.save(draft).unwrap();
    assert_eq!(place.found(6).unwrap(), expected(6));
    assert_eq!(files(), 1);
}

#[test]
fn index_that_is_not_finished_leaves_nothing() {
    let place = Place::new();
    let mut draft = IndexDraft::default();
    large(0..2).for_each(|sealed| place.open("/base").learn(&mut draft, sealed));
    let files = || fs::read_dir(place.file().parent().unwrap()).unwrap().count();
    assert_eq!(files(), 1);
    drop(draft);
    assert_eq!(files(), 0);
}

#[test]
fn index_without_room_has_the_segments_that_fit() {
    let place = Place::new();
    let index = place.open("/base");
    let segments: Vec<Sealed> = (0..6).flat_map(|number| large(number..number + 1)).collect();
    let mut draft = IndexDraft::with_room(segments[0].bytes.len() as u64 * 3);
    segments.into_iter().for_each(|sealed| index.learn(&mut draft, sealed));
    index.save(draft).unwrap();
    let found = place.found(6).unwrap();
    assert!(!found.is_empty() && found.len() < 6, "{}", found.len());
    let all = expected(6);
    assert!(found.iter().all(|(number, digest)| all[number] == *digest));
}
