//! The weights of collections, in a file beside the index: they depend on every file of a collection and on no query, and
//! computing them takes longer than the rest of a search.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::SystemTime;

use twox_hash::XxHash3_64;

use super::bytes::{Pull, Push};
use super::header::VERSION;
use super::{Index, MARK, kept};
use crate::cache::Checksum;
use ctx_search::{Digest, Precision, Weights};

/// What the file begins with.
const MAGIC: &[u8; 16] = b"ctx file weights";

/// The number of collections whose weights are kept.
const MOST: usize = 4;

/// A text of a collection.
#[derive(Debug, Clone, Copy)]
pub enum Member<'t> {
    /// A file as an index has it, now or from now on.
    Indexed {
        /// Its label.
        label: &'t str,
        /// The bytes that it had.
        checksum: Checksum,
    },
    /// Any other text: its digest has all names.
    Other(&'t Digest),
}

/// Texts in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollectionKey(u64);

impl CollectionKey {
    /// The key of texts, for weights of a precision.
    pub fn of<'t>(precision: Precision, members: impl Iterator<Item = Member<'t>>) -> Self {
        let mut bytes = vec![u8::from(precision == Precision::Fine)];
        for member in members {
            match member {
                Member::Indexed { label, checksum } => {
                    bytes.push_hash(XxHash3_64::oneshot(label.as_bytes()));
                    bytes.push_hash(checksum.number());
                }
                Member::Other(Digest { passages, defined, imported, .. }) => {
                    bytes.push_number(passages.len() as u64);
                    bytes.push_number(defined.len() as u64);
                    for definition in defined {
                        bytes.push_hash(definition.name);
                        bytes.push_number(definition.passage.into());
                    }
                    bytes.push_number(imported.len() as u64);
                    imported.iter().for_each(|name| bytes.push_hash(*name));
                }
            }
        }
        Self(XxHash3_64::oneshot(&bytes))
    }
}

/// The weights of a collection as they are in the file.
struct Stored<'f> {
    key: CollectionKey,
    bytes: &'f [u8],
}

impl Index {
    fn weights_path(&self) -> PathBuf {
        kept::weights_path(&self.path)
    }

    fn weights_file(&self, now: SystemTime) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Some(mut file) = kept::open(&self.weights_path()) {
            kept::mark_used(&file, now, MARK);
            if file.read_to_end(&mut bytes).is_err() {
                bytes.clear();
            }
        }
        bytes
    }

    /// The weights of a collection, if they are known.
    #[must_use]
    pub fn weights(&self, key: CollectionKey, now: SystemTime) -> Option<Weights> {
        let file = self.weights_file(now);
        let stored = stored(&file).into_iter().find(|stored| stored.key == key)?;
        let numbers =
            stored.bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        Some(Weights(numbers.collect()))
    }

    /// Keeps the weights of a collection, and those of the most recent others.
    ///
    /// # Errors
    /// What the system says; the file is then as it was.
    pub fn keep_weights(&self, key: CollectionKey, weights: &Weights, now: SystemTime) -> io::Result<()> {
        let file = self.weights_file(now);
        let own: Vec<u8> = weights.0.iter().flat_map(|weight| weight.to_le_bytes()).collect();
        let others = stored(&file).into_iter().filter(|stored| stored.key != key);
        let mut bytes = MAGIC.to_vec();
        bytes.push_hash(XxHash3_64::oneshot(VERSION.as_bytes()));
        for Stored { key, bytes: weights } in
            [Stored { key, bytes: &own }].into_iter().chain(others).take(MOST)
        {
            bytes.push_hash(key.0);
            bytes.push_hash(XxHash3_64::oneshot(weights));
            bytes.push_number(weights.len() as u64);
            bytes.extend_from_slice(weights);
        }
        let mut file = kept::create(&self.path)?;
        file.write_all(&bytes)?;
        file.persist(self.weights_path()).map_err(|error| error.error)?;
        Ok(())
    }
}

/// What is in a file of this version, up to the first damage.
fn stored(file: &[u8]) -> Vec<Stored<'_>> {
    let mut pull = Pull::new(file);
    let mut all = Vec::new();
    let is_ours = pull.bytes(MAGIC.len()) == Some(MAGIC)
        && pull.hash() == Some(XxHash3_64::oneshot(VERSION.as_bytes()));
    while let Some(stored) = next(&mut pull).filter(|_| is_ours) {
        all.push(stored);
    }
    all
}

fn next<'f>(pull: &mut Pull<'f>) -> Option<Stored<'f>> {
    let (key, checksum) = (CollectionKey(pull.hash()?), pull.hash()?);
    let length = pull.count()?;
    let bytes = pull.bytes(length)?;
    (XxHash3_64::oneshot(bytes) == checksum).then_some(Stored { key, bytes })
}
