//! What the reader has, as the manifest of an earlier block says it.

use std::io::ErrorKind;
use std::path::Path;

use crate::app::App;
use crate::error::Error;
use crate::input;
use crate::session::check_link;
use ctx_core::account::{BlockReader, NoReader};
use ctx_core::fs::read_small;
use ctx_core::plan::Since;

/// The most bytes that a manifest may have.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// Reads a manifest; one that is not there yet says that the reader has nothing.
///
/// # Errors
/// When it is no manifest, is damaged, or cannot be read.
pub fn read(app: &App, file: &Path) -> Result<Since, Error> {
    check_link(app, Some(file))?;
    let refused = |why: &str| Error::impossible(format!("cannot read '{}': {why}", file.display()));
    let reader = match read_small(&input::located(app.world(), file), MOST_BYTES) {
        Ok(bytes) => match BlockReader::of_manifest(&bytes) {
            Ok(reader) => reader.ok_or(NoReader::NotPrinted),
            Err(error) => {
                return Err(
                    refused(&error.to_string()).with_hint("without --since the whole block is printed")
                );
            }
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Err(NoReader::Missing),
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            return Err(refused("it is no regular file of at most 16 MiB"));
        }
        Err(error) => return Err(Error::io("read", file, &error)),
    };
    Ok(Since { manifest: file.display().to_string(), reader })
}
