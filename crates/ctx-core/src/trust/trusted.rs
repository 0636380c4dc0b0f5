//! `trusted.json`: what is trusted, and where.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Fingerprint, TrustItem};
use crate::fs::{Identity, real, resolved};
use crate::git::own_repository;
use crate::store::{Store, StoreError, document};
use crate::world::World;

/// The name of the file in the store.
const FILE: &str = "trusted.json";

/// A repository with its linked work trees, or a directory, identified by its real path and its file system
/// identity, so that a copy, a clone, or a directory that was created again is a different place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Here {
    /// The git directory that the work trees share, or the top of the tree.
    path: PathBuf,
    #[serde(flatten)]
    identity: Identity,
}

impl Here {
    /// The place of a tree. If a `.git` leads to a repository that does not link back, the tree is not part
    /// of that repository, and is a place of its own.
    ///
    /// # Errors
    /// If the tree cannot be examined.
    pub fn of_tree(root: &Path, world: &World) -> io::Result<Self> {
        match own_repository(root, world) {
            Ok(repository) => Self::of_directory(&repository.common_dir),
            Err(_) => Self::of_directory(&real(root)?),
        }
    }

    fn of_directory(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), identity: Identity::of(path)? })
    }

    /// The directory that identifies the place.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The items that are trusted at one place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trusted(BTreeSet<Fingerprint>);

impl Trusted {
    /// Whether nothing is trusted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an item is trusted.
    #[must_use]
    pub fn contains(&self, item: &TrustItem) -> bool {
        item.refusal.is_none() && self.0.contains(&item.fingerprint)
    }

    /// Trust in exactly these items, for one command.
    #[must_use]
    pub fn exactly(items: &[TrustItem]) -> Self {
        Self(items.iter().map(|item| item.fingerprint).collect())
    }
}

/// The file with the trusted items: `trusted.json` in the store named by the environment, or else in the
/// default store, but never in a store named by an option.
#[derive(Debug, Clone)]
pub struct TrustedFile {
    store: Store,
}

/// The contents of the file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Places {
    #[serde(default)]
    places: Vec<TrustedPlace>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct TrustedPlace {
    #[serde(flatten)]
    here: Here,
    items: BTreeSet<Fingerprint>,
}

impl TrustedFile {
    /// The file in the directory of the user's own store; `None` if that is inside the tree, since nothing in the
    /// tree can grant trust.
    #[must_use]
    pub fn outside(tree: &Path, store: PathBuf) -> Option<Self> {
        (!resolved(&store).starts_with(resolved(tree))).then(|| Self { store: Store::at(store) })
    }

    /// The items that are trusted at a place.
    ///
    /// # Errors
    /// Errors from reading the file. A damaged file is an error, so that it is not mistaken for a lack of
    /// trust.
    pub fn at(&self, here: &Here) -> Result<Trusted, StoreError> {
        let places = self.parsed(self.store.read_own(FILE)?)?;
        let items =
            places.places.into_iter().filter(|place| place.here == *here).flat_map(|place| place.items);
        Ok(Trusted(items.collect()))
    }

    /// Trusts these items at a place, in addition to those already trusted there.
    ///
    /// # Errors
    /// Errors from changing the file.
    pub fn grant(&self, here: &Here, items: &[TrustItem]) -> Result<(), StoreError> {
        let granted = items.iter().filter(|item| item.refusal.is_none()).map(|item| item.fingerprint);
        self.change(|places| {
            // The earlier directory at this path is gone.
            places.retain(|place| place.here.path() != here.path() || place.here == *here);
            match places.iter_mut().find(|place| place.here == *here) {
                Some(place) => place.items.extend(granted.clone()),
                None => places.push(TrustedPlace { here: here.clone(), items: granted.clone().collect() }),
            }
        })
    }

    /// Forgets everything that is trusted at a place; returns the number of items.
    ///
    /// # Errors
    /// Errors from changing the file.
    pub fn forget(&self, here: &Here) -> Result<usize, StoreError> {
        let mut count = 0;
        self.change(|places| {
            count = 0;
            places.retain(|place| {
                let stays = place.here != *here;
                count += if stays { 0 } else { place.items.len() };
                stays
            });
        })?;
        Ok(count)
    }

    fn change(&self, mut changing: impl FnMut(&mut Vec<TrustedPlace>)) -> Result<(), StoreError> {
        self.store.replace_own(FILE, |bytes| {
            let mut places = self.parsed(bytes)?;
            changing(&mut places.places);
            places.places.sort_by(|a, b| a.here.path().cmp(b.here.path()));
            Ok(document::text_of(&self.path(), &places)?.into_bytes())
        })
    }

    fn parsed(&self, bytes: Option<Vec<u8>>) -> Result<Places, StoreError> {
        bytes.map_or_else(|| Ok(Places::default()), |bytes| document::parse(&self.path(), &bytes))
    }

    fn path(&self) -> PathBuf {
        self.store.root().join(FILE)
    }
}
