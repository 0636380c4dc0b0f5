//! The readers that the user has set, and when they may run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::app::App;
use super::environment::launcher;
use super::error::Error;
use super::interrupt;
use super::stored::Stored;
use ctx_core::command::{DEPTH, Words};
use ctx_core::fs::expanded;
use ctx_core::setting;
use ctx_core::source::KeptOutputs;
use ctx_core::source::readers::{Readers, ReadingProgram, Runner};
use ctx_core::tree::Tree;

/// The readers in the user's global list. `runs`: whether they run; otherwise only what they printed earlier is used.
///
/// # Errors
/// If one is invalid.
pub fn readers(app: &App, stored: &Stored, runs: bool, cache: Option<&Path>) -> Result<Arc<Readers>, Error> {
    let set = stored.lists.global.readers();
    if set.is_empty() {
        return Ok(Arc::default());
    }
    let launcher = launcher();
    let reader = |value: Words| ReadingProgram::of(value, launcher.programs());
    let programs =
        set.iter().map(|(extension, value)| Ok((extension.clone(), reader(words(app, extension, value)?))));
    let programs: BTreeMap<String, ReadingProgram> = programs.collect::<Result<_, Error>>()?;
    let kept = cache.map(KeptOutputs::in_cache);
    // A command that ctx runs starts no programs.
    if !runs || launcher.variables().get(DEPTH).is_some() {
        return Ok(Arc::new(Readers::new(programs, kept, None)));
    }
    Ok(app.readers_once(|| {
        let runner = Runner::outside(Tree::around(app.world()).root(), launcher);
        interrupt::stops(runner.launcher());
        Readers::new(programs, kept, Some(runner))
    }))
}

fn words(app: &App, extension: &str, value: &str) -> Result<Words, Error> {
    let words = setting::reader(extension, value).map_err(|error| {
        let hint = format!(
            "'ctx profile -g --set reader.{extension}=…' changes it, and '--unset reader.{extension}' removes it"
        );
        Error::usage(error).and_hint(hint).in_store()
    })?;
    // No shell does it.
    let home = app.world().home.as_deref();
    let expand = |word: &str| expanded(Path::new(word), home).to_string_lossy().into_owned();
    let program = expand(words.program());
    Ok(words.with_each(expand).with_program(program))
}
