//! The files that a render may write, and those that an earlier one wrote.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

use crate::app::App;
use crate::error::Error;
use crate::input::{self, STANDARD_STREAM};
use crate::output::{is_in_place, is_same_file, is_standard_input, is_standard_output, resolved};
use crate::session::check_link;
use ctx_core::account::{BlockReader, NoReader};
use ctx_core::fs::{expanded, read_small};
use ctx_core::plan::Since;
use ctx_core::tree::Tree;

/// Checks, before anything is read, that the files to be written (`block`, unless it goes to standard output, and
/// the account in `manifest`) differ from each other, from every file in `inputs`, and from the files of the
/// store. Only `since`, the manifest of what the reader has, may be replaced by the account.
///
/// # Errors
/// Wrong usage if they don't, or if a link in the checkout leads out of it.
pub(super) fn check_outputs<'a>(
    app: &App,
    block: Option<&Path>,
    manifest: Option<&Path>,
    since: Option<&'a Path>,
    inputs: impl Iterator<Item = &'a Path>,
) -> Result<(), Error> {
    are_two(app, block, manifest)?;
    let outputs: Vec<&Path> = [block, manifest].into_iter().flatten().collect();
    stay_in_the_tree(app, &outputs)?;
    let at = |path: &Path| app.world().cwd.join(path);
    let inputs: Vec<&Path> = inputs.collect();
    for output in outputs {
        if is_in_place(&at(output)) {
            continue;
        }
        let output_file = resolved(&at(output));
        let mut inputs = inputs.iter().copied().chain(since.filter(|_| Some(output) == block));
        let is_read = |input: &&Path| {
            if input::is_standard(input) {
                is_standard_input(&at(output))
            } else {
                resolved(&input::located(app.world(), input)) == output_file
            }
        };
        if let Some(input) = inputs.find(is_read) {
            let read = format!("{} would be both read and overwritten", input::called(input));
            return Err(Error::usage(read).with_hint("write to another file"));
        }
        if is_of_store(app, &output_file) {
            let owned = format!("'{}' is a file of the store", output.display());
            return Err(Error::usage(owned).with_hint("write to another file"));
        }
    }
    Ok(())
}

/// Refuses relative outputs that leave the tree through a link: if a shell completed the name, or it comes
/// from a recipe, you may not know where it leads.
fn stay_in_the_tree(app: &App, outputs: &[&Path]) -> Result<(), Error> {
    let tree = Tree::around(app.world());
    for output in outputs.iter().filter(|path| path.is_relative()) {
        if let Some(real) = tree.left_through_link(&app.world().cwd.join(output)) {
            return Err(Error::link_outside(&output.to_string_lossy(), &real));
        }
    }
    Ok(())
}

fn are_two(app: &App, block: Option<&Path>, manifest: Option<&Path>) -> Result<(), Error> {
    let Some(manifest) = manifest else { return Ok(()) };
    if manifest.as_os_str() == STANDARD_STREAM {
        return Err(Error::usage("--manifest needs a file, not '-'")
            .with_hint("--dry-run --json prints the same on standard output"));
    }
    let at = |path: &Path| app.world().cwd.join(path);
    let manifest = at(manifest);
    let (is_same, name) = match block {
        Some(block) => (is_same_file(&at(block), &manifest), "--output"),
        None => (!is_in_place(&manifest) && is_standard_output(&manifest), "standard output"),
    };
    if is_same { Err(Error::usage(format!("{name} and --manifest are the same file"))) } else { Ok(()) }
}

fn is_of_store(app: &App, output: &Path) -> bool {
    let is_output = |file: PathBuf| resolved(&file) == output;
    output.parent() == Some(&*resolved(&app.store.profiles_directory()))
        || app.store.files().into_iter().any(is_output)
}

/// The largest manifest that is read, in bytes.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// What the reader of the block already has.
#[derive(Debug, Default, Args)]
pub struct SinceOption {
    /// Print only what has changed since an earlier --manifest
    ///
    /// FILE is the manifest of an earlier output that the reader still has. ctx leaves out files that are the
    /// same, and names files that are gone. If FILE doesn't exist yet, ctx prints everything. Use --manifest again
    /// to record what the reader has now.
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    since: Option<PathBuf>,
}

impl SinceOption {
    /// Expands `~` to the home directory.
    pub fn expand(&mut self, app: &App) {
        self.since = self.since.take().map(|file| expanded(&file, app.world().home.as_deref()));
    }

    /// The manifest file.
    pub fn file(&self) -> Option<&Path> {
        self.since.as_deref()
    }

    /// Reads the manifest, if one was given.
    ///
    /// # Errors
    /// If the file isn't a manifest, is damaged, or can't be read.
    pub fn read(&self, app: &App) -> Result<Option<Since>, Error> {
        self.file().map(|file| read_since(app, file)).transpose()
    }
}

/// Reads a manifest. If it doesn't exist yet, the reader has nothing.
///
/// # Errors
/// If the file isn't a manifest, is damaged, or can't be read.
fn read_since(app: &App, file: &Path) -> Result<Since, Error> {
    check_link(app, Some(file))?;
    let refused = |why: &str| Error::impossible(format!("cannot read '{}': {why}", file.display()));
    let reader = match read_small(&input::located(app.world(), file), MOST_BYTES) {
        Ok(bytes) => match BlockReader::of_manifest(&bytes) {
            Ok(reader) => reader.ok_or(NoReader::NotPrinted),
            Err(error) => {
                return Err(refused(&error.to_string()).with_hint("leave out --since to print everything"));
            }
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Err(NoReader::Missing),
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::FileTooLarge) => {
            return Err(refused("it is not a regular file of at most 16 MiB"));
        }
        Err(error) => return Err(Error::io("read", file, &error)),
    };
    Ok(Since { manifest: file.display().to_string(), reader })
}
