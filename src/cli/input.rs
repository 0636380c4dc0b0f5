//! What a command reads when it is told to: standard input, a prompt, a list of paths.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use super::error::{Error, cause};
use crate::read;

/// All of standard input.
///
/// # Errors
/// When it cannot be read.
pub fn standard() -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| Error::impossible(format!("cannot read standard input: {}", cause(&error))))?;
    Ok(bytes)
}

/// The text of a file; `-` is standard input.
///
/// # Errors
/// When it cannot be read, or is not text.
pub fn text(cwd: &Path, path: &Path) -> Result<String, Error> {
    let bytes = bytes(cwd, path)?;
    let decoded = read::decode(&bytes);
    decoded
        .map(|text| text.text)
        .map_err(|error| Error::impossible(format!("cannot read '{}': {error}", path.display())))
}

/// The paths in a file, a line each or separated by NUL; `-` is standard input. Empty ones are left out.
///
/// # Errors
/// When the file cannot be read, or a path is not UTF-8.
pub fn paths(cwd: &Path, list: &Path, null: bool) -> Result<Vec<String>, Error> {
    let bytes = bytes(cwd, list)?;
    let separator = if null { b'\0' } else { b'\n' };
    bytes
        .split(|byte| *byte == separator)
        .map(|path| if null { path } else { path.strip_suffix(b"\r").unwrap_or(path) })
        .filter(|path| !path.is_empty())
        .map(|path| {
            String::from_utf8(path.to_vec()).map_err(|_| {
                let path = path.escape_ascii();
                Error::impossible(format!("the path '{path}' in '{}' is not UTF-8", list.display()))
                    .with_hint("a pattern or its directory selects it all the same")
            })
        })
        .collect()
}

fn bytes(cwd: &Path, path: &Path) -> Result<Vec<u8>, Error> {
    if path.as_os_str() == "-" {
        return standard();
    }
    fs::read(cwd.join(path)).map_err(|error| Error::io("read", path, &error))
}
