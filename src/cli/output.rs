//! Writing to a file that a person names: whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::error::Error;

/// Writes to `path` (called `name` in messages). A regular or new file changes at once, when all is
/// written; a device or pipe is written to as it is.
///
/// # Errors
/// When the file cannot be written; a regular file is then as it was.
pub fn write(
    path: &Path,
    name: &Path,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> Result<(), Error> {
    let result = match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => in_place(path, write),
        Ok(metadata) => fs::canonicalize(path).and_then(|path| atomically(&path, Some(&metadata), write)),
        Err(_) => link_target(path).and_then(|path| atomically(&path, None, write)),
    };
    result.map_err(|error| Error::io("write", name, &error))
}

fn in_place(path: &Path, write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>) -> io::Result<()> {
    let mut file = File::options().write(true).open(path)?;
    filled(&mut file, write)
}

fn atomically(
    path: &Path,
    replaced: Option<&fs::Metadata>,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ctx-");
    let mut file = with_usual_permissions(&mut builder).tempfile_in(directory)?;
    filled(file.as_file_mut(), write)?;
    if let Some(metadata) = replaced {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Temporary files are private; this one will be a file like any other, as the umask says.
#[cfg(unix)]
fn with_usual_permissions<'a, 'b>(
    builder: &'a mut tempfile::Builder<'b, 'b>,
) -> &'a mut tempfile::Builder<'b, 'b> {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn with_usual_permissions<'a, 'b>(
    builder: &'a mut tempfile::Builder<'b, 'b>,
) -> &'a mut tempfile::Builder<'b, 'b> {
    builder
}

fn filled(
    file: &mut File,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(64 * 1024, file);
    write(&mut out)?;
    out.flush()
}

/// Where a link to nothing leads, so that the file is made there; any other path as it is.
fn link_target(path: &Path) -> io::Result<PathBuf> {
    match fs::read_link(path) {
        Ok(target) => Ok(path.parent().unwrap_or(Path::new("")).join(target)),
        Err(_) => Ok(path.to_owned()),
    }
}
