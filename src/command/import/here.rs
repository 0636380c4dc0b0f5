//! What is imported, as the lists that it is for keep it here.

use crate::app::{App, named};
use crate::error::Error;
use ctx_core::entry::bound::Forbidden;
use ctx_core::entry::{Entry, ScopedEntry};
use ctx_core::share::Bundle;
use ctx_core::store::{List, ListTarget};

/// An entry that its list may not have.
#[derive(Debug)]
pub(super) struct Refused {
    target: ListTarget,
    path: String,
    forbidden: Forbidden,
}

impl Refused {
    /// In words, for who leaves it out.
    pub(super) fn remark(&self) -> String {
        format!("left out of {}: '{}' ({})", named(&self.target), self.path, self.forbidden)
    }

    /// The error, for who takes all or nothing.
    pub(super) fn error(&self) -> Error {
        Error::usage(format!("Invalid path '{}' in {}: {}", self.path, named(&self.target), self.forbidden))
    }
}

/// Writes the paths as `ctx add` would: below the home directory with `~`, those in a project from its root. What a
/// project may not name is taken out.
///
/// # Errors
/// When the store cannot be read.
pub(super) fn keep_as_here(app: &App, bundle: &mut Bundle) -> Result<Vec<Refused>, Error> {
    let mut refused = Vec::new();
    let profiles = bundle.profiles.iter_mut().map(|(name, list)| (ListTarget::Profile(name.clone()), list));
    let global = bundle.global.as_mut().map(|list| (ListTarget::Global, list));
    for (target, list) in global.into_iter().chain(profiles) {
        let provenance = app.store.read(|view| view.provenance(&target).map_err(Error::from))?;
        let List { paths, .. } = list;
        for entry in paths.iter_mut() {
            entry.path = app.stored_as(&entry.path, provenance.scope);
        }
        paths.retain(|entry: &Entry| match ScopedEntry::from_list(provenance, entry.clone()).forbidden() {
            Some(forbidden) => {
                refused.push(Refused { target: target.clone(), path: entry.name().into_owned(), forbidden });
                false
            }
            None => true,
        });
    }
    Ok(refused)
}
