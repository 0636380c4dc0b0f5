//! Files whose passages are known while their texts are not at hand: of most files that are ranked nothing is printed.

use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use super::item::{IndexedFile, KnownFile};
use super::making::{Handling, Making};
use super::relevance::Relevance;
use crate::cache::Checksum;
use crate::entry::Allowed;
use crate::guard::{self, Cleaned};
use crate::index::{Builder, Damaged, FileKey, Index, IndexDraft};
use crate::read::{Contents, DecodedText, Encoding, Stamp};
use crate::world::World;
use ctx_search::{Digest, Digester, Keep, Query};

/// What a label is relative to: each directory has an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LabelBase {
    /// Where labels begin.
    Here,
    /// The home directory.
    Home,
    /// The root of all paths.
    Root,
}

impl LabelBase {
    const ALL: [Self; 3] = [Self::Here, Self::Home, Self::Root];

    fn of(label: &str) -> Self {
        match label.as_bytes() {
            [b'/', ..] => Self::Root,
            [b'~', b'/', ..] => Self::Home,
            _ => Self::Here,
        }
    }

    fn directory(self, world: &World) -> &std::path::Path {
        match self {
            Self::Here => &world.root,
            Self::Home => world.home.as_deref().unwrap_or(&world.root),
            Self::Root => std::path::Path::new("/"),
        }
    }
}

/// The indexes, and what is learned for them.
#[derive(Debug)]
pub(crate) struct Indexes {
    /// No two are of the same directory.
    indexes: Vec<Index>,
    /// Which index is that of a base, in the order of [`LabelBase::ALL`].
    of_base: [usize; 3],
    learned: Vec<Mutex<IndexDraft>>,
    now: SystemTime,
}

impl Indexes {
    /// Those in a cache directory, or empty ones where what is cached is not to be trusted.
    pub(crate) fn open(cache: &std::path::Path, world: &World, trusts_cache: bool) -> Self {
        let mut directories = Vec::new();
        let of_base = LabelBase::ALL.map(|base| {
            let directory = base.directory(world);
            directories.iter().position(|other| *other == directory).unwrap_or_else(|| {
                directories.push(directory);
                directories.len() - 1
            })
        });
        let open = |directory: &&std::path::Path| {
            if trusts_cache {
                Index::open(cache, directory, world.now)
            } else {
                Index::empty(cache, directory)
            }
        };
        let indexes: Vec<Index> = directories.iter().map(open).collect();
        let learned = indexes.iter().map(|_| Mutex::default()).collect();
        Self { indexes, of_base, learned, now: world.now }
    }

    fn place_of(&self, label: &str) -> usize {
        self.of_base[LabelBase::of(label) as usize]
    }

    /// What is known of a file in this state, for a query.
    pub(crate) fn find(
        &self,
        stamp: &Stamp,
        handling: Handling<'_>,
        query: Option<&Query>,
    ) -> Option<KnownFile> {
        let index = self.place_of(handling.label);
        let key = FileKey::of(handling.label, Some(stamp).filter(|stamp| stamp.is_settled(self.now))?);
        let found = self.indexes[index].find(&key, query)?;
        Some(KnownFile {
            bytes: found.bytes,
            place: Some(IndexedFile { index, file: found.id }),
            relevance: Box::new(Relevance::of_digest(found.checksum, found.digest, handling.level)),
        })
    }

    pub(crate) fn learner(&self) -> Learner<'_> {
        Learner { indexes: self, builders: self.indexes.iter().map(|_| Builder::default()).collect() }
    }

    /// Completes what the indexes know for a query.
    pub(crate) fn complete<'k>(
        &self,
        known: impl Iterator<Item = &'k mut KnownFile>,
        query: Option<&Query>,
    ) -> Result<(), Damaged> {
        let known: Vec<(&mut KnownFile, IndexedFile)> =
            known.filter_map(|known| known.place.map(|place| (known, place))).collect();
        let Some(query) = query.filter(|_| !known.is_empty()) else { return Ok(()) };
        let postings: Vec<_> =
            self.indexes.iter().map(|index| index.postings(query)).collect::<Result<_, _>>()?;
        for (known, IndexedFile { index, file }) in known {
            if let Some(postings) = postings[index].get(&file) {
                known.relevance.complete(postings);
            }
        }
        Ok(())
    }

    /// Adds all names to what the indexes know.
    pub(crate) fn name<'k>(&self, known: impl Iterator<Item = &'k mut KnownFile>) {
        for known in known {
            let Some(IndexedFile { index, file }) = known.place else { continue };
            if let Some(found) = self.indexes[index].at(file, None) {
                known.relevance.name(found.digest);
            }
        }
    }

    /// Writes what was learned. An index that cannot be written costs the next command some time, and nothing else.
    pub(crate) fn save(&self) {
        for (index, learned) in self.indexes.iter().zip(&self.learned) {
            let learned = std::mem::take(&mut *learned.lock().unwrap_or_else(PoisonError::into_inner));
            let _ = index.save(learned);
        }
    }
}

/// What one thread learns.
pub(crate) struct Learner<'i> {
    indexes: &'i Indexes,
    builders: Vec<Builder>,
}

impl Learner<'_> {
    fn learn(&mut self, label: &str, stamp: &Stamp, checksum: Checksum, bytes: u64, digest: &Digest) {
        let index = self.indexes.place_of(label);
        let builder = &mut self.builders[index];
        builder.add(FileKey::of(label, stamp), checksum, bytes, digest);
        if builder.is_full() {
            self.hand_over(index);
        }
    }

    fn hand_over(&mut self, index: usize) {
        let Some(sealed) = self.builders[index].seal() else { return };
        let mut learned = self.indexes.learned[index].lock().unwrap_or_else(PoisonError::into_inner);
        self.indexes.indexes[index].learn(&mut learned, sealed);
    }

    /// Hands over the rest.
    pub(crate) fn finish(mut self) {
        (0..self.builders.len()).for_each(|index| self.hand_over(index));
    }
}

impl Making<'_> {
    /// What is known of a text from now on; it is learned if every later command may know it.
    pub(crate) fn look_into(
        &self,
        contents: Contents<'_>,
        handling: Handling<'_>,
        digester: &mut Digester,
        learner: Option<&mut Learner<'_>>,
    ) -> KnownFile {
        let Handling { label, allowed, level, .. } = handling;
        let checksum = Checksum::of(contents.text.text.as_bytes());
        let is_guarded = allowed == Allowed::default() && contents.text.encoding == Encoding::Utf8;
        let stamp = contents.stamp.filter(|stamp| is_guarded && stamp.is_settled(self.now));
        let DecodedText { text, bytes, .. } = contents.text;
        let Cleaned { text, found } = guard::clean(text.into_owned(), allowed);
        let stamp = stamp.filter(|_| found.is_empty());
        let outline = handling.extent.language().map(|language| ctx_outline::outline(&text, language));
        let text = ctx_search::Text { path: label, text: &text, outline: outline.as_ref() };
        let keep = self.query.map_or(Keep::Nothing, Keep::Only);
        let digest = match learner.zip(stamp) {
            Some((learner, stamp)) => {
                let all = digester.digest(&text, Keep::All);
                learner.learn(label, &stamp, checksum, bytes, &all);
                match self.query {
                    Some(query) => all.only(query),
                    None => Digest { postings: Vec::new(), ..all },
                }
            }
            None => digester.digest(&text, keep),
        };
        let relevance = Box::new(Relevance::of_digest(checksum, digest, level));
        KnownFile { bytes, place: None, relevance }
    }
}
