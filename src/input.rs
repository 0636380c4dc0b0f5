//! Input that a command reads on request: standard input, a prompt, a list of paths.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::iter;
use std::path::{Path, PathBuf};

use super::app::App;
use super::error::Error;
use ctx_core::entry::{Entry, ScopedEntry};
use ctx_core::fs::directory;
use ctx_core::fs::expanded;
use ctx_core::git::quotes;
use ctx_core::read::{self, marks::unmarked};
use ctx_core::select::Label;
use ctx_core::words::cause;
use ctx_core::world::World;

/// The path that means standard input or output.
pub const STANDARD_STREAM: &str = "-";

/// The longest list of paths, in bytes.
pub const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The longest prompt, in bytes.
const LONGEST_PROMPT: u64 = 10 * 1024 * 1024;

/// What to do about a prompt that is too long.
const SHORTER: &str = "put the text in a file, name the file as a PATH, and ask about it";

/// Whether a path means standard input: `-`, or the system's name for it.
pub fn is_standard(path: &Path) -> bool {
    let names = [STANDARD_STREAM, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
    path.to_str().is_some_and(|path| names.contains(&path))
}

/// The absolute path of a file that an option or argument names.
pub fn located(world: &World, path: &Path) -> PathBuf {
    world.cwd.join(expanded(path, world.home.as_deref()))
}

/// Reads all of standard input as a document of at most `limit` bytes, without what only a terminal shows. The hint names the option that raises
/// the limit.
///
/// # Errors
/// If it cannot be read, or is longer.
pub fn document(app: &App, limit: u64) -> Result<Vec<u8>, Error> {
    let bytes = bounded(standard_input(app), limit, "standard input", Some(LARGER))?;
    Ok(read::without_styles(&bytes).into_owned())
}

/// How to end what is typed on a terminal.
const TO_THE_END: &str = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };

/// Standard input. If it is a terminal, a note says that ctx waits for what is typed there.
fn standard_input(app: &App) -> io::StdinLock<'static> {
    if io::stdin().is_terminal() {
        app.ui.waits(format!("paste or type the text, then press {TO_THE_END} on a new line"));
    }
    io::stdin().lock()
}

/// What to do about a document that is too large.
pub const LARGER: &str = "a larger --max-file-size includes it";

/// Reads the text of a file of at most `limit` bytes; `-` is standard input.
///
/// # Errors
/// If it cannot be read, is too long, or is not text.
pub fn text(app: &App, path: &Path, limit: u64) -> Result<String, Error> {
    decoded(path, &bytes(app, path, limit)?)
}

fn decoded(path: &Path, bytes: &[u8]) -> Result<String, Error> {
    read::decode(bytes, None)
        .map(|text| text.text.into_owned())
        .map_err(|error| Error::impossible(format!("cannot read {}: {error}", called(path))))
}

/// Reads a prompt, without what only a terminal shows; `-` is standard input.
///
/// # Errors
/// If it cannot be read, is too long, or is not text.
pub fn prompt(app: &App, path: &Path) -> Result<String, Error> {
    let bytes = bounded_bytes(app, path, LONGEST_PROMPT, Some(SHORTER))?;
    decoded(path, &read::without_styles(&bytes))
}

/// Reads the entries in a list: one path or pattern per line, or literal paths separated by NUL; `-` is
/// standard input. Empty ones are dropped.
///
/// # Errors
/// If the file cannot be read or is too long, or a path contains a NUL.
pub fn paths(app: &App, list: &Path, null: bool) -> Result<Vec<ScopedEntry>, Error> {
    let bytes = bytes(app, list, MAX_BYTES)?;
    let bytes = if null { without_mark(bytes) } else { unmarked(&bytes).into_owned() };
    if !null && bytes.contains(&b'\0') {
        return Err(Error::usage(format!("a path in {} contains a NUL character", called(list)))
            .with_hint("-0 reads paths separated by NUL"));
    }
    let cwd = &app.world().cwd;
    if null {
        let paths = bytes.split(|byte| *byte == b'\0').filter(|path| !path.is_empty());
        return Ok(paths.map(|path| listed(cwd, path, true)).collect());
    }
    let decoded = read::decode(&bytes, None).map(|decoded| decoded.text.into_owned()).unwrap_or_default();
    let decoded = lines(decoded.as_bytes()).map(Some).chain(iter::repeat(None));
    let lines = lines(&bytes).zip(decoded).filter(|(line, _)| !line.is_empty());
    Ok(lines.map(|(line, decoded)| listed(cwd, name(cwd, line, decoded), false)).collect())
}

/// The bytes without a byte-order mark of UTF-8, which no name begins with.
fn without_mark(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(..'\u{feff}'.len_utf8());
    }
    bytes
}

/// The name of a file in a list: the bytes of its line or, if they name no file, the decoded line, since the list may come from
/// a system with another encoding.
fn name<'l>(cwd: &Path, line: &'l [u8], decoded: Option<&'l [u8]>) -> &'l [u8] {
    let is_there = |path: &[u8]| cwd.join(directory::path_of(path)).symlink_metadata().is_ok();
    decoded.filter(|decoded| *decoded != line && !is_there(line) && is_there(decoded)).unwrap_or(line)
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

fn listed(cwd: &Path, path: &[u8], null: bool) -> ScopedEntry {
    let is_there = |path: &[u8]| cwd.join(directory::path_of(path)).symlink_metadata().is_ok();
    if let Some(name) = quotes::unquoted(path).filter(|name| !null && !is_there(path) && is_there(name)) {
        return ScopedEntry::listed_path(Label::new(&name).as_str(), directory::path_of(&name));
    }
    let called = as_path(cwd, Label::new(path).as_str());
    match str::from_utf8(path) {
        Ok(line) if !null => ScopedEntry::listed(Entry::new(as_path(cwd, line))),
        Ok(_) | Err(_) => ScopedEntry::listed_path(called, directory::path_of(path)),
    }
}

/// A line as a path or a pattern: a list never contains exclusions or other kinds of entries, since a checkout may
/// contain a file with such a name.
fn as_path(cwd: &Path, line: &str) -> String {
    let is_home = line == "~" || line.starts_with("~/");
    let is_there = || cwd.join(line).symlink_metadata().is_ok();
    let is_kind = line.split_once(':').is_some_and(|(kind, _)| kind.bytes().all(|b| b.is_ascii_lowercase()));
    match line.as_bytes()[0] {
        b'!' => format!("./{line}"),
        b'~' if !is_home || is_there() => format!("./{line}"),
        _ if is_kind => format!("./{line}"),
        _ => line.to_owned(),
    }
}

/// Reads the bytes of a file, at most `limit`; `-` is standard input.
///
/// # Errors
/// If it cannot be read, or is longer.
pub fn bytes(app: &App, path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    bounded_bytes(app, path, limit, None)
}

fn bounded_bytes(app: &App, path: &Path, limit: u64, hint: Option<&str>) -> Result<Vec<u8>, Error> {
    if is_standard(path) {
        return bounded(standard_input(app), limit, "standard input", hint);
    }
    // Waits for a named pipe, since shells pass `<(command)` as one.
    let file = File::open(located(app.world(), path)).map_err(|error| Error::io("read", path, &error))?;
    bounded(file, limit, &called(path), hint)
}

/// A file's name in messages; `-` is standard input.
pub fn called(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { format!("'{}'", path.display()) }
}

/// Reads all bytes or, if there are more than `limit`, fails with `hint`. Doesn't wait for endless input to
/// end.
fn bounded(from: impl Read, limit: u64, name: &str, hint: Option<&str>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    from.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| Error::impossible(format!("cannot read {name}: {}", cause(&error))))?;
    if bytes.len() as u64 > limit {
        let error = Error::impossible(format!("cannot read {name}: more than {limit} bytes"));
        return Err(hint.into_iter().fold(error, Error::with_hint));
    }
    Ok(bytes)
}
