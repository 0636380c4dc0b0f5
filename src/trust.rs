//! What the entries that run programs may do here.

use crate::app::App;
use crate::error::Error;
use ctx_core::entry::{Scope, ScopedEntry};
use ctx_core::fs::{Tree, expanded};
use ctx_core::source::texts::command_of;
use ctx_core::store::{ProfileName, Store};
use ctx_core::trust::{Fingerprint, Here, Item, Trusted, TrustedFile, digest};

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

    /// What the stored ones of these entries need trust for, each once.
    pub fn items(&self, app: &App, profile: &ProfileName, entries: &[ScopedEntry]) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        for ScopedEntry { scope, entry, .. } in entries {
            let list = match scope {
                Scope::Global => "global".to_owned(),
                Scope::Profile => format!("profile '{profile}'"),
                Scope::Session | Scope::Prompt => continue,
            };
            if let Ok(Some(command)) = command_of(entry) {
                let item = Item::command(&command, &list, &app.world().cwd, self.tree.root());
                if items.iter().all(|other| other.fingerprint != item.fingerprint) {
                    items.push(item);
                }
            }
        }
        items
    }

    /// What may run for one command: exactly what the digest was made of, or what is trusted here.
    ///
    /// # Errors
    /// If the digest is another one.
    pub fn trusted_for(
        &self,
        app: &App,
        named: Option<Fingerprint>,
        items: &[Item],
    ) -> Result<Trusted, Error> {
        match named {
            None => self.trusted(app),
            Some(named) => {
                same_digest(named, items)?;
                Ok(Trusted::exactly(items))
            }
        }
    }
}

/// Makes sure that a digest is that of these items.
///
/// # Errors
/// If it is another one.
pub fn same_digest(named: Fingerprint, items: &[Item]) -> Result<(), Error> {
    let digest = digest(items);
    if named == digest {
        return Ok(());
    }
    Err(Error::impossible(format!("what needs trust here has another digest: {digest}"))
        .with_hint("'ctx trust --dry-run' shows what it is made of"))
}
