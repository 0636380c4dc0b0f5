//! What the entries that run programs may do here.

use crate::app::App;
use crate::error::Error;
use ctx_core::fs::{Tree, expanded};
use ctx_core::store::Store;
use ctx_core::trust::{Fingerprint, Here, StoredLists, TrustItem, Trusted, TrustedFile, digest};

/// What is said where nothing can be trusted.
pub const NO_TRUST: &str =
    "the store is in this repository, where nothing can grant trust: what needs it is not used";

/// The place that a command runs in, as far as trust goes.
#[derive(Debug)]
pub struct Ground {
    /// The tree around the current directory.
    pub tree: Tree,
    /// The repository or directory that trust holds in.
    pub here: Here,
}

impl Ground {
    /// The ground around the current directory.
    ///
    /// # Errors
    /// If the directory cannot be looked at.
    pub fn around(app: &App) -> Result<Self, Error> {
        let tree = Tree::around(app.world());
        let here = Here::of_tree(tree.root()).map_err(|error| Error::io("read", tree.root(), &error))?;
        Ok(Self { tree, here })
    }

    /// The file that trust is kept in; none if it would be in the tree, which grants no trust.
    ///
    /// # Errors
    /// When there is no place for a store.
    pub fn file(&self, app: &App) -> Result<Option<TrustedFile>, Error> {
        let environment = &app.environment;
        // A store that --store names is not the place: it may be a stranger's.
        let root = Store::root_from(None, environment.ctx_home.clone(), environment.config_dir.clone())?;
        let root = app.world().cwd.join(expanded(&root, app.world().home.as_deref()));
        Ok(TrustedFile::outside(self.tree.root(), root))
    }

    /// What is trusted here.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub fn trusted(&self, app: &App) -> Result<Trusted, Error> {
        match self.file(app)? {
            Some(file) => Ok(file.at(&self.here)?),
            None => Ok(Trusted::default()),
        }
    }

    /// What of the stored lists needs trust, each once.
    pub fn items(&self, app: &App, lists: &StoredLists) -> Vec<TrustItem> {
        lists.items(app.world(), self.tree.root())
    }

    /// What is trusted for one command: exactly what the digest was made of.
    ///
    /// # Errors
    /// If the digest is another one.
    pub fn trusted_for(&self, digest: Fingerprint, items: &[TrustItem]) -> Result<Trusted, Error> {
        same_digest(digest, items)?;
        Ok(Trusted::exactly(items))
    }

    /// Trusts what a person has just typed; whether there is a place for that.
    ///
    /// # Errors
    /// When the file cannot be changed.
    pub fn grant(&self, app: &App, items: &[TrustItem]) -> Result<bool, Error> {
        match self.file(app)? {
            Some(file) => file.grant(&self.here, items).map(|()| true).map_err(Error::from),
            None => Ok(false),
        }
    }
}

/// Makes sure that a digest is that of these items.
///
/// # Errors
/// If it is another one.
pub fn same_digest(named: Fingerprint, items: &[TrustItem]) -> Result<(), Error> {
    let digest = digest(items);
    if named == digest {
        return Ok(());
    }
    Err(Error::impossible(format!("what needs trust here has another digest: {digest}"))
        .with_hint("'ctx trust --dry-run' shows what it is made of"))
}
