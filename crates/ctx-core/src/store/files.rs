//! Files on disk: read without hanging, and written so that each is either the old or the new one.

use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use super::StoreError;
use super::error::{ChangeOutcome, Fault, Unwritten};
use super::permissions::{self, Access};
use super::symlink;
use crate::fs::Stamp;
use crate::fs::exchange::exchange_files;

/// The largest store file that is read or written, in bytes.
pub const FILE_LIMIT: u64 = 1 << 20;

/// How much of a file is compared at once, in bytes.
const PART: usize = 64 * 1024;

const TEMPORARY_MARK: &str = ".ctx-";
const RANDOM_LENGTH: usize = 6;

/// How long to wait for readers that keep a file open and prevent it from being replaced.
const LONGEST_READ: Duration = Duration::from_secs(5);
/// The pause between attempts.
const PAUSE: Duration = Duration::from_millis(2);

/// Whether a write must have reached the disk before success is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sync {
    Required,
    /// For undoing a failed change, which need not be durable.
    Skipped,
}

/// Opens a regular file; `None` if it does not exist.
pub(super) fn open(path: &Path) -> Result<Option<fs::File>, StoreError> {
    open_as(path, path)
}

/// Opens a regular file that errors call `name`; `None` if it does not exist.
fn open_as(path: &Path, name: &Path) -> Result<Option<fs::File>, StoreError> {
    let mut options = OpenOptions::new();
    let file = match permissions::cautious(options.read(true)).open(path) {
        Ok(file) => file,
        Err(error) if symlink::is_absence(path, &error) => return Ok(None),
        Err(error) => return Err(unread(name, error)),
    };
    let metadata = file.metadata().map_err(|error| unread(name, error))?;
    if metadata.is_file() { Ok(Some(file)) } else { Err(StoreError::NotRegular { path: name.to_owned() }) }
}

/// The error for a file that could not be read.
pub(super) fn unread(path: &Path, error: io::Error) -> StoreError {
    Fault::of("read", path)(error).with(ChangeOutcome::NothingAsked)
}

/// The contents of a regular file, at most `limit` bytes; `None` if it does not exist.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(file) = open(path)? else { return Ok(None) };
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(limit)).unwrap_or(0) + 1);
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| unread(path, error))?;
    if bytes.len() as u64 > limit {
        return Err(StoreError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(Some(bytes))
}

/// Whether a file has these contents; `None` means that it does not exist. Errors call it `name`: it may be a file of
/// that name that was moved just now.
pub(super) fn holds(file: &Path, contents: Option<&[u8]>, name: &Path) -> Result<bool, StoreError> {
    let Some(mut file) = open_as(file, name)? else { return Ok(contents.is_none()) };
    let Some(mut rest) = contents else { return Ok(false) };
    let mut part = vec![0; PART];
    loop {
        let read = file.read(&mut part).map_err(|error| unread(name, error))?;
        match rest.split_at_checked(read).filter(|(next, _)| *next == &part[..read]) {
            Some(_) if read == 0 => return Ok(rest.is_empty()),
            Some((_, after)) => rest = after,
            None => return Ok(false),
        }
    }
}

pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    }
}

/// Replaces or creates a file, if it is as expected: a temporary file next to it is filled and synced, and then
/// the two exchange their names. If somebody saved the file at the last moment, what comes out is not as expected,
/// and gets its name back.
///
/// Where names cannot be exchanged, the file is only looked at just before it is replaced.
pub(super) fn replace(
    path: &Path,
    bytes: &[u8],
    access: Access,
    sync: Sync,
    is_expected: impl Fn(&Path) -> bool,
) -> Result<(), Unwritten> {
    let prefix = temporary_prefix(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).rand_bytes(RANDOM_LENGTH);
    if let Some(permissions) = permissions::new_file(access) {
        builder.permissions(permissions);
    }
    let mut file = builder.tempfile_in(parent(path)).map_err(Fault::of("create", path))?;
    file.write_all(bytes).map_err(Fault::of("write", path))?;
    let protected = match access {
        Access::Private => permissions::make_private_file(file.as_file()),
        Access::Ordinary => permissions::make_own_file(file.as_file()),
    };
    protected.map_err(Fault::of("protect", path))?;
    if sync == Sync::Required {
        file.as_file().sync_all().map_err(Fault::of("sync", path))?;
    }
    let edited = || Unwritten::Edited { path: path.to_owned() };
    if !is_expected(path) {
        return Err(edited());
    }
    match put(file, path, &is_expected)? {
        Put::Done => Ok(sync_directory(parent(path), sync)?),
        Put::MetEdit => Err(edited()),
    }
}

/// What became of a new file.
enum Put {
    /// It has its name.
    Done,
    /// Somebody has just saved a file of that name, which stays.
    MetEdit,
}

/// Gives a filled temporary file its name.
fn put(file: NamedTempFile, path: &Path, is_expected: &impl Fn(&Path) -> bool) -> Result<Put, Fault> {
    let fault = |error| Fault::of("replace", path)(error);
    if fs::symlink_metadata(path).is_err() {
        return match file.persist_noclobber(path) {
            Ok(_) => Ok(Put::Done),
            Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => Ok(Put::MetEdit),
            // The file system has neither the operation nor links.
            Err(refused) => persist(refused.file, path).map(|()| Put::Done).map_err(fault),
        };
    }
    if !exchange_files(file.path(), path).map_err(fault)? {
        return persist(file, path).map(|()| Put::Done).map_err(fault);
    }
    if is_expected(file.path()) {
        return Ok(Put::Done);
    }
    put_back(file, path).map(|()| Put::MetEdit)
}

/// Gives what came out its name back. If somebody has saved a third version by then, that one has the name, and
/// this one is kept next to it.
fn put_back(mut came_out: NamedTempFile, path: &Path) -> Result<(), Fault> {
    let fault = |in_place| move |error| Fault { in_place, ..Fault::of("replace", path)(error) };
    // Whatever happens, nothing else has this version.
    came_out.disable_cleanup(true);
    let exchanged = exchange_files(came_out.path(), path);
    // Without an exchange, the new file keeps the name.
    let keeps_name = !matches!(exchanged, Ok(true));
    if !keeps_name && is_at(came_out.as_file(), came_out.path()) {
        came_out.disable_cleanup(false);
        return Ok(());
    }
    let again = if keeps_name { Ok(true) } else { exchange_files(came_out.path(), path) };
    keep_beside(came_out.path(), path).map_err(fault(keeps_name))?;
    exchanged.and(again).map(drop).map_err(fault(keeps_name))
}

/// Whether a path leads to an open file, as far as is known.
pub(super) fn is_at(file: &fs::File, path: &Path) -> bool {
    let place = |metadata: &fs::Metadata| {
        let Stamp { device, inode, .. } = Stamp::of(metadata);
        (device, inode)
    };
    match (file.metadata(), fs::metadata(path)) {
        (Ok(one), Ok(other)) => place(&one) == place(&other),
        (_, Err(error)) => error.kind() != io::ErrorKind::NotFound,
        (Err(_), Ok(_)) => true,
    }
}

/// Renames a version that nothing else has, so that it counts neither as a file of the store nor as a temporary
/// one.
fn keep_beside(version: &Path, path: &Path) -> io::Result<()> {
    let random = version.to_string_lossy().rsplit(TEMPORARY_MARK).next().unwrap_or_default().to_owned();
    let mut kept = path.as_os_str().to_owned();
    kept.push(format!(".ctx-kept-{random}"));
    fs::rename(version, kept)
}

/// Renames a filled temporary file. Windows refuses that while a reader has the old one open.
fn persist(mut file: NamedTempFile, path: &Path) -> io::Result<()> {
    let last = Instant::now() + LONGEST_READ;
    loop {
        match file.persist(path) {
            Err(refused) if cfg!(windows) && is_in_use(&refused.error) && Instant::now() < last => {
                file = refused.file;
                thread::sleep(PAUSE);
            }
            persisted => return persisted.map(drop).map_err(|refused| refused.error),
        }
    }
}

/// Whether a Windows error may go away after a short wait.
fn is_in_use(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ResourceBusy)
}

/// Makes a path a symbolic link to a target, which need not exist.
#[cfg(unix)]
pub(super) fn link(path: &Path, target: &Path, sync: Sync) -> Result<(), Fault> {
    if symlink::target(path)?.as_deref() != Some(target) {
        let link = tempfile::Builder::new()
            .prefix(&temporary_prefix(path))
            .rand_bytes(RANDOM_LENGTH)
            .make_in(parent(path), |at| std::os::unix::fs::symlink(target, at))
            .map_err(Fault::of("create", path))?;
        link.persist(path).map_err(|error| Fault::of("replace", path)(error.error))?;
    }
    sync_directory(parent(path), sync)
}

/// Removes a file or a symbolic link if it is as expected; a missing one is not an error. It is moved aside first,
/// so that what somebody saved at the last moment gets its name back.
pub(super) fn remove_if(
    path: &Path,
    sync: Sync,
    is_expected: impl Fn(&Path) -> bool,
) -> Result<(), Unwritten> {
    let edited = || Unwritten::Edited { path: path.to_owned() };
    if !is_expected(path) {
        return Err(edited());
    }
    let aside = tempfile::Builder::new()
        .prefix(&temporary_prefix(path))
        .rand_bytes(RANDOM_LENGTH)
        .make_in(parent(path), |aside| fs::rename(path, aside));
    let mut aside = match aside {
        Ok(aside) => aside,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(sync_directory(parent(path), sync)?);
        }
        Err(error) => return Err(Fault::of("remove", path)(error).into()),
    };
    aside.disable_cleanup(true);
    if is_expected(aside.path()) {
        let Err(error) = fs::remove_file(aside.path()) else {
            return Ok(sync_directory(parent(path), sync)?);
        };
        let in_place = fs::rename(aside.path(), path).is_err();
        return Err(Fault { in_place, ..Fault::of("remove", path)(error) }.into());
    }
    let given_back = match aside.persist_noclobber(path) {
        Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => {
            keep_beside(refused.file.path(), path)
        }
        given_back => given_back.map(drop).map_err(|refused| refused.error),
    };
    given_back.map_err(Fault::of("replace", path))?;
    Err(edited())
}

/// Removes a file or a symbolic link; a missing one is not an error.
pub(super) fn remove(path: &Path, sync: Sync) -> Result<(), Fault> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Fault::of("remove", path)(error)),
        Ok(()) | Err(_) => sync_directory(parent(path), sync),
    }
}

/// Creates a directory and its parents, and makes them durable.
pub(super) fn create_directory(path: &Path, access: Access) -> Result<(), Fault> {
    let missing: Vec<&Path> =
        path.ancestors().take_while(|dir| !dir.as_os_str().is_empty() && !dir.exists()).collect();
    for directory in missing.into_iter().rev() {
        match permissions::make_directory(directory, access) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(Fault::of("create", directory)(error));
            }
            Ok(()) | Err(_) => sync_directory(parent(directory), Sync::Required)?,
        }
    }
    Ok(())
}

/// Refuses a directory in which anyone could replace our files.
pub(super) fn check_safe(directory: &Path) -> Result<(), StoreError> {
    let metadata =
        fs::metadata(directory).map_err(|error| Fault::of("read", directory)(error).nothing_changed())?;
    if permissions::everyone_may_write(&metadata) {
        return Err(StoreError::Unsafe { path: directory.to_owned() });
    }
    Ok(())
}

/// Makes changes in a directory durable.
#[cfg(unix)]
pub(super) fn sync_directory(path: &Path, sync: Sync) -> Result<(), Fault> {
    use crate::fs::exchange::is_unsupported;
    use rustix::io::Errno;
    if sync == Sync::Skipped {
        return Ok(());
    }
    match fs::File::open(path).and_then(|directory| directory.sync_all()) {
        // Some file systems cannot sync a directory, and report that.
        Err(error) if Errno::from_io_error(&error).is_some_and(is_unsupported) => Ok(()),
        synced => synced.map_err(|source| Fault { in_place: true, ..Fault::of("sync", path)(source) }),
    }
}

#[cfg(not(unix))]
pub(super) fn sync_directory(_: &Path, _: Sync) -> Result<(), Fault> {
    Ok(())
}

/// The beginning of the names of temporary files for a path; random characters follow.
fn temporary_prefix(path: &Path) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(path.file_name().unwrap_or_default());
    prefix.push(TEMPORARY_MARK);
    prefix
}

/// Whether a file name is that of one of our temporary files; with `for_name`, one for that file.
pub(super) fn is_temporary(name: &OsStr, for_name: Option<&OsStr>) -> bool {
    let Some((stem, random)) = name.to_str().and_then(|name| name.rsplit_once(TEMPORARY_MARK)) else {
        return false;
    };
    let Some(stem) = stem.strip_prefix('.') else { return false };
    random.len() == RANDOM_LENGTH
        && random.bytes().all(|b| b.is_ascii_alphanumeric())
        && for_name.is_none_or(|name| name == stem)
}

/// A temporary file next to a link's target may be in use by a command with another store, unless it is this old.
const OLD: Duration = Duration::from_secs(600);

/// Removes temporary files left by killed commands, in a directory of the store and next to the targets of
/// its links. Only for the holder of the lock, since no other temporary file is then in use.
pub(crate) fn sweep(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if is_temporary(&entry.file_name(), None) {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        } else if is_link && let Ok(target) = symlink::resolve(&entry.path()) {
            sweep_beside(&target);
        }
    }
}

fn sweep_beside(target: &Path) {
    let Ok(entries) = fs::read_dir(parent(target)) else { return };
    let is_old = |entry: &fs::DirEntry| {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age > OLD))
    };
    for entry in entries.flatten() {
        if is_temporary(&entry.file_name(), target.file_name()) && is_old(&entry) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn only_our_own_temporary_files_are_recognised() {
        let is_ours = |name: &str| is_temporary(OsStr::new(name), None);
        assert!(is_ours(".global.json.ctx-a1B2c3"));
        for name in ["global.json", ".global.json", ".ctx-", ".a.ctx-12345", ".a.ctx-12345!", "a.ctx-a1B2c3"]
        {
            assert!(!is_ours(name), "{name}");
        }
        let made = temporary_prefix(Path::new("x/global.json"));
        assert_eq!(made, ".global.json.ctx-");
        let name = OsStr::new(".a.json.ctx-a1B2c3");
        assert!(is_temporary(name, Some(OsStr::new("a.json"))));
        assert!(!is_temporary(name, Some(OsStr::new("b.json"))));
    }

    /// A file in a directory of its own.
    fn stored(text: &str) -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.json");
        fs::write(&path, text).unwrap();
        (directory, path)
    }

    /// Saves a file as an editor does.
    fn save(path: &Path, text: &str) {
        let beside = path.with_extension("saved");
        fs::write(&beside, text).unwrap();
        fs::rename(beside, path).unwrap();
    }

    fn contents(directory: &Path) -> Vec<String> {
        let files =
            fs::read_dir(directory).unwrap().map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
        let mut contents: Vec<String> = files.collect();
        contents.sort();
        contents
    }

    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    #[test]
    fn file_saved_after_the_last_look_gets_its_name_back() {
        let replace = |path: &Path, saved: [Option<&str>; 2]| {
            let is_expected = |at: &Path| {
                let is_old = fs::read_to_string(at).unwrap() == "old";
                if let Some(text) = saved[usize::from(at != path)] {
                    save(path, text);
                }
                is_old
            };
            replace(path, b"new", Access::Private, Sync::Skipped, is_expected)
        };
        let (directory, path) = stored("old");
        assert!(replace(&path, [None, None]).is_ok());
        assert_eq!(contents(directory.path()), ["new"]);
        let (directory, path) = stored("old");
        assert!(matches!(replace(&path, [Some("typed"), None]), Err(Unwritten::Edited { .. })));
        assert_eq!(contents(directory.path()), ["typed"]);
        let (directory, path) = stored("old");
        assert!(matches!(
            replace(&path, [Some("typed"), Some("typed again")]),
            Err(Unwritten::Edited { .. })
        ));
        assert_eq!(fs::read_to_string(&path).unwrap(), "typed again");
        assert_eq!(contents(directory.path()), ["typed", "typed again"]);
        sweep(directory.path());
        assert_eq!(contents(directory.path()).len(), 2);
    }

    #[test]
    fn file_saved_after_the_last_look_is_not_created_over_or_removed() {
        let (directory, path) = stored("old");
        let is_expected = |at: &Path| {
            let is_old = fs::read_to_string(at).unwrap() == "old";
            if at == path {
                save(&path, "typed");
            }
            is_old
        };
        assert!(matches!(remove_if(&path, Sync::Skipped, is_expected), Err(Unwritten::Edited { .. })));
        assert_eq!(contents(directory.path()), ["typed"]);
        assert!(remove_if(&path, Sync::Skipped, |_| true).is_ok());
        assert!(remove_if(&path, Sync::Skipped, |_| true).is_ok());
        assert_eq!(contents(directory.path()), [""; 0]);
        let is_missing = |at: &Path| {
            if at == path {
                save(&path, "typed");
            }
            at == path
        };
        let created = replace(&path, b"new", Access::Private, Sync::Skipped, is_missing);
        assert!(matches!(created, Err(Unwritten::Edited { .. })));
        assert_eq!(contents(directory.path()), ["typed"]);
    }

    #[test]
    fn file_is_compared_to_its_end() {
        let (_directory, path) = stored(&"x".repeat(PART + 5));
        let holds = |length: usize| holds(&path, Some("x".repeat(length).as_bytes()), &path).unwrap();
        assert!(holds(PART + 5) && !holds(PART + 4) && !holds(PART + 6) && !holds(PART) && !holds(0));
        assert!(!super::holds(&path, None, &path).unwrap());
        assert!(super::holds(&path.with_extension("missing"), None, &path).unwrap());
    }
}
