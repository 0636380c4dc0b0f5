//! What a render may write to.

use std::path::{Path, PathBuf};

use crate::cli::app::App;
use crate::cli::error::Error;
use crate::cli::input::{self, STANDARD_INPUT, STANDARD_STREAM};
use crate::cli::output::{STANDARD_OUTPUT, is_in_place, is_same_file, resolved};

/// The files that a render writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outputs<'a> {
    /// That of the block, unless it goes to standard output.
    pub block: Option<&'a Path>,
    /// That of the account.
    pub manifest: Option<&'a Path>,
}

impl<'a> Outputs<'a> {
    /// Makes sure, before anything is read, that the two are not the same file, and neither is one of
    /// `inputs` or a file of the store.
    ///
    /// # Errors
    /// Wrong usage if they are.
    pub fn check(self, app: &App, inputs: impl Iterator<Item = &'a Path>) -> Result<(), Error> {
        self.are_two(app)?;
        let at = |path: &Path| app.world().cwd.join(path);
        let inputs: Vec<&Path> = inputs.collect();
        for output in [self.block, self.manifest].into_iter().flatten() {
            if is_in_place(&at(output)) {
                continue;
            }
            let output_file = resolved(&at(output));
            if let Some(input) = inputs.iter().find(|input| resolved(&at(source(input))) == output_file) {
                let read = format!("{} would be read and written over", input::called(input));
                return Err(Error::usage(read).with_hint("write to another file"));
            }
            if is_of_store(app, &output_file) {
                let owned = format!("'{}' is a file of the store", output.display());
                return Err(Error::usage(owned).with_hint("write to another file"));
            }
        }
        Ok(())
    }

    fn are_two(self, app: &App) -> Result<(), Error> {
        let Some(manifest) = self.manifest else { return Ok(()) };
        if manifest.as_os_str() == STANDARD_STREAM {
            return Err(Error::usage("--manifest needs a file, not '-'")
                .with_hint("--dry-run --json prints the account on standard output"));
        }
        let at = |path: &Path| app.world().cwd.join(path);
        let (block, name) = match self.block {
            Some(block) => (at(block), "--output"),
            None => (PathBuf::from(STANDARD_OUTPUT), "standard output"),
        };
        match is_same_file(&block, &at(manifest)) {
            true => Err(Error::usage(format!("{name} and --manifest are the same file"))),
            false => Ok(()),
        }
    }
}

/// What is opened to read an input.
fn source(input: &Path) -> &Path {
    if input::is_standard(input) { Path::new(STANDARD_INPUT) } else { input }
}

fn is_of_store(app: &App, output: &Path) -> bool {
    let is_output = |file: PathBuf| resolved(&file) == output;
    output.parent() == Some(&*resolved(&app.store.profiles_directory()))
        || app.store.files().into_iter().any(is_output)
}
