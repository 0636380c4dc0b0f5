//! The texts of entries that are no paths, with what they may use here.

use std::sync::Arc;

use crate::app::App;
use crate::environment::launcher;
use crate::error::Error;
use crate::interrupt;
use crate::trust::Ground;
use ctx_core::entry::ScopedEntry;
use ctx_core::select;
use ctx_core::source::command::KeptOutputs;
use ctx_core::source::kind::TextSource;
use ctx_core::source::texts::{self, Means, Texts};
use ctx_core::trust::{Fingerprint, Trusted};

/// What becomes of the commands among the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Commands {
    /// None is run: outputs that were kept are used.
    #[default]
    NotRun,
    /// Those that are trusted are run; a digest trusts, for this once, what it was made of.
    Run(Option<Fingerprint>),
}

/// The texts of the entries that are no paths; of the stored commands those run that are `trusted`.
///
/// # Errors
/// If the tree cannot be looked at, or a filter is no pattern.
pub fn of(
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
        Commands::Run(_) => true,
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
    };
    Ok(texts::texts(entries, selection, means, app.world())?)
}
