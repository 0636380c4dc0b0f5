//! Trust in the entries that run programs, and the contents of these entries.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::app::App;
use crate::environment::launcher;
use crate::error::Error;
use crate::interrupt;
use crate::options::parsed;
use ctx_core::entry::ScopedEntry;
use ctx_core::fs::expanded;
use ctx_core::select;
use ctx_core::source::KeptOutputs;
use ctx_core::source::kind::TextSource;
use ctx_core::source::texts::{self, Means, Texts};
use ctx_core::store::Store;
use ctx_core::tree::Tree;
use ctx_core::trust::{
    Fingerprint, Here, Scripts, StoredLists, TrustItem, Trusted, TrustedFile, digest, project_of,
};

/// The message if nothing can be trusted.
pub const NO_TRUST: &str =
    "the store is inside this repository, so it cannot grant trust; items that need trust are not used";

/// The place where a command runs, for the purpose of trust.
#[derive(Debug)]
pub struct Ground<'a> {
    /// The tree that contains the current directory.
    pub tree: Tree,
    /// The repository or directory in which trust applies.
    pub here: Here,
    /// The files of the tree that commands name.
    pub scripts: &'a Scripts,
}

impl<'a> Ground<'a> {
    /// The place for commands that run in the current directory.
    ///
    /// # Errors
    /// If the directory cannot be examined.
    pub fn around(app: &'a App) -> Result<Self, Error> {
        let tree = Tree::around(app.world());
        let here = Here::of_tree(tree.root(), app.world())
            .map_err(|error| Error::io("read", tree.root(), &error))?;
        let scripts = app.scripts(tree.root());
        Ok(Self { tree, here, scripts })
    }

    /// The file with the trusted items; `None` if it would be in the tree, which cannot grant trust.
    ///
    /// # Errors
    /// If there is no place for a store.
    pub fn file(&self, app: &App) -> Result<Option<TrustedFile>, Error> {
        let environment = &app.environment;
        // Not a store named by --store, which may be a stranger's.
        let root = Store::root_from(None, environment.ctx_home.clone(), environment.config_dir.clone())?;
        let root = app.world().cwd.join(expanded(&root, app.world().home.as_deref()));
        Ok(TrustedFile::outside(self.tree.root(), root))
    }

    /// The items that are trusted here.
    ///
    /// # Errors
    /// If the file is damaged or cannot be read.
    pub fn trusted(&self, app: &App) -> Result<Trusted, Error> {
        match self.file(app)? {
            Some(file) => Ok(file.at(&self.here)?),
            None => Ok(Trusted::default()),
        }
    }

    /// The items on the stored lists that need trust, each once.
    pub fn items(&self, app: &App, lists: &StoredLists) -> Vec<TrustItem> {
        lists.items(app.world(), self.scripts)
    }

    /// How many of these items are not trusted.
    pub fn pending(&self, app: &App, lists: &StoredLists, trusted: &Trusted) -> usize {
        // If nothing is trusted, no file has to be looked up to know that.
        let blind = trusted.is_empty().then(|| self.scripts.blind());
        let items = lists.items(app.world(), blind.as_ref().unwrap_or(self.scripts));
        items.iter().filter(|item| !trusted.contains(item)).count()
    }

    /// The directory of the project in use, in the form used in trust items.
    pub fn project(&self, app: &App) -> PathBuf {
        project_of(app.world(), self.scripts)
    }

    /// Trusts items that a person has just typed, and returns whether that was possible; `true` if there are
    /// none.
    ///
    /// # Errors
    /// If the file cannot be changed.
    pub fn grant(&self, app: &App, items: &[TrustItem]) -> Result<bool, Error> {
        if items.is_empty() {
            return Ok(true);
        }
        let refused = items.iter().filter(|item| item.refusal.is_some());
        refused.for_each(|item| app.ui.warn(format!("{} cannot be trusted", item.description)));
        match self.file(app)? {
            Some(file) => file.grant(&self.here, items).map(|()| true).map_err(Error::from),
            None => Ok(false),
        }
    }
}

/// Checks that a digest matches these items.
///
/// # Errors
/// If it does not.
pub fn same_digest(named: Fingerprint, items: &[TrustItem]) -> Result<(), Error> {
    let digest = digest(items);
    if named == digest {
        return Ok(());
    }
    Err(Error::impossible(format!("the items that need trust here have another digest: {digest}"))
        .with_hint("ctx trust --dry-run"))
}

/// The digest of what is trusted for one command.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct TrustOption {
    /// Trust what 'ctx trust --dry-run' listed under this digest, for this command only
    #[arg(hide_short_help = true, long, value_name = "DIGEST", value_parser = parsed::<Fingerprint>, help_heading = "Safety")]
    trust: Option<Fingerprint>,
}

impl TrustOption {
    /// The digest of the option or the variable.
    ///
    /// # Errors
    /// Wrong usage, if the variable has another text.
    pub fn digest(self, app: &App) -> Result<Option<Fingerprint>, Error> {
        if self.trust.is_some() {
            return Ok(self.trust);
        }
        let variable = app.environment.ctx_trust.as_ref();
        let digest = variable.map(|digest| digest.to_string_lossy().parse()).transpose();
        digest.map_err(|error| Error::usage(format!("$CTX_TRUST: {error}")))
    }
}

/// What happens to the commands among the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Commands {
    /// No command is run; cached output is used.
    #[default]
    NotRun,
    /// Trusted commands are run.
    Run,
}

/// The contents of the entries that are not paths. Of the stored commands, only `trusted` ones are run.
///
/// # Errors
/// If the tree cannot be examined, or a filter is not a pattern.
pub fn texts_of(
    app: &App,
    trusted: &Trusted,
    entries: &[ScopedEntry],
    selection: &select::Options,
    commands: Commands,
) -> Result<Texts, Error> {
    if entries.iter().all(|scoped| matches!(TextSource::of(&scoped.entry.path), Ok(None))) {
        return Ok(Texts::default());
    }
    let ground = Ground::around(app)?;
    let runs = match commands {
        Commands::NotRun => false,
        Commands::Run => true,
    };
    let kept = app.cache_directory().map(|directory| KeptOutputs::in_cache(&directory));
    let launcher = Arc::new(launcher());
    interrupt::stops(&launcher);
    let means = Means {
        launcher: &launcher,
        tree: ground.tree.root(),
        scripts: ground.scripts,
        store: &app.store,
        trusted,
        runs,
        kept: kept.as_ref(),
        git_deadline: app.git_deadline(),
    };
    let texts = texts::texts(entries, selection, means, app.world());
    interrupt::gives_way();
    Ok(texts?)
}
