//! What a render may write to.

use std::path::{Path, PathBuf};

use crate::app::App;
use crate::error::Error;
use crate::input::{self, STANDARD_STREAM};
use crate::output::{is_in_place, is_same_file, is_standard_input, is_standard_output, resolved};
use ctx_core::fs::Tree;

/// The files that a render writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outputs<'a> {
    /// That of the block, unless it goes to standard output.
    pub block: Option<&'a Path>,
    /// That of the account.
    pub manifest: Option<&'a Path>,
    /// What says what the reader has; the account may take its place.
    pub since: Option<&'a Path>,
}

impl<'a> Outputs<'a> {
    /// Makes sure, before anything is read, that the two are not the same file, and neither is one of
    /// `inputs` or a file of the store.
    ///
    /// # Errors
    /// Wrong usage if they are; and if a link of the checkout would lead the writing out of it.
    pub fn check(self, app: &App, inputs: impl Iterator<Item = &'a Path>) -> Result<(), Error> {
        self.are_two(app)?;
        self.stay_in_the_tree(app)?;
        let at = |path: &Path| app.world().cwd.join(path);
        let inputs: Vec<&Path> = inputs.collect();
        for output in [self.block, self.manifest].into_iter().flatten() {
            if is_in_place(&at(output)) {
                continue;
            }
            let output_file = resolved(&at(output));
            let mut inputs = inputs.iter().copied().chain(self.since.filter(|_| Some(output) == self.block));
            let is_read = |input: &&Path| {
                if input::is_standard(input) {
                    is_standard_input(&at(output))
                } else {
                    resolved(&input::located(app.world(), input)) == output_file
                }
            };
            if let Some(input) = inputs.find(is_read) {
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

    /// A name that a shell completes or a recipe gives is no choice of where a link leads.
    fn stay_in_the_tree(self, app: &App) -> Result<(), Error> {
        let tree = Tree::around(app.world());
        let relative = [self.block, self.manifest].into_iter().flatten().filter(|path| path.is_relative());
        for output in relative {
            if let Some(real) = tree.left_through_link(&app.world().cwd.join(output)) {
                return Err(Error::link_outside(&output.to_string_lossy(), &real));
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
        let manifest = at(manifest);
        let (is_same, name) = match self.block {
            Some(block) => (is_same_file(&at(block), &manifest), "--output"),
            None => (!is_in_place(&manifest) && is_standard_output(&manifest), "standard output"),
        };
        if is_same { Err(Error::usage(format!("{name} and --manifest are the same file"))) } else { Ok(()) }
    }
}

fn is_of_store(app: &App, output: &Path) -> bool {
    let is_output = |file: PathBuf| resolved(&file) == output;
    output.parent() == Some(&*resolved(&app.store.profiles_directory()))
        || app.store.files().into_iter().any(is_output)
}
