//! The lock that allows one writer at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::error::Fault;
use super::{StoreError, permissions};

/// The pause between attempts. It always stays the same: with increasing pauses, the processes that have
/// waited longest would come last.
const PAUSE: Duration = Duration::from_millis(2);

/// A lock, held until it is dropped or the process ends in any way.
///
/// The lock is on a separate file that is never removed or renamed: a lock on a data file would be on the old file
/// after the data is replaced.
#[derive(Debug)]
pub(crate) struct Lock {
    #[cfg_attr(not(unix), allow(dead_code, reason = "it is only kept open"))]
    file: File,
    #[cfg_attr(not(unix), allow(dead_code, reason = "only errors name it"))]
    path: PathBuf,
}

impl Lock {
    pub fn acquire(path: &Path, patience: Duration) -> Result<Self, StoreError> {
        let fault = |source| Fault::of("lock", path)(source).nothing_changed();
        let file = open(path).map_err(fault)?;
        if !file.metadata().map_err(fault)?.is_file() {
            return Err(StoreError::NotRegular { path: path.to_owned() });
        }
        permissions::make_private_file(&file).map_err(fault)?;
        wait(&file, path, patience)?.map_err(fault)?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Locks a directory itself, so that no file appears in it and commands with another store wait. `None` if it
    /// does not exist, or if its file system cannot lock directories.
    #[cfg(unix)]
    pub fn of_directory(path: &Path, patience: Duration) -> Result<Option<Self>, StoreError> {
        use rustix::fs::{Mode, OFlags};
        use rustix::io::Errno;

        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(directory) = rustix::fs::open(path, flags, Mode::empty()) else { return Ok(None) };
        let file = File::from(directory);
        match wait(&file, path, patience)? {
            Ok(()) => Ok(Some(Self { file, path: path.to_owned() })),
            Err(error) => match Errno::from_io_error(&error) {
                Some(Errno::BADF | Errno::INVAL | Errno::NOLCK | Errno::NOSYS | Errno::NOTSUP) => Ok(None),
                _ => Err(Fault::of("lock", path)(error).nothing_changed()),
            },
        }
    }

    /// Directories cannot be locked on this system.
    #[cfg(not(unix))]
    pub fn of_directory(_: &Path, _: Duration) -> Result<Option<Self>, StoreError> {
        Ok(None)
    }

    /// Lets the programs that this process starts share the lock, so that it is held until the last of them has
    /// ended, even if this process is killed.
    ///
    /// # Errors
    /// The system's error.
    #[cfg(unix)]
    pub fn share_with_programs(&self) -> Result<(), StoreError> {
        use rustix::io::{FdFlags, fcntl_setfd};
        fcntl_setfd(&self.file, FdFlags::empty())
            .map_err(|error| Fault::of("lock", &self.path)(error.into()).nothing_changed())
    }

    /// Whether a command holds the lock at this moment. Creates no file.
    pub fn is_held(path: &Path) -> bool {
        let file = permissions::cautious(OpenOptions::new().read(true)).open(path);
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

/// Waits for its turn; the inner error is the system's.
fn wait(file: &File, path: &Path, patience: Duration) -> Result<std::io::Result<()>, StoreError> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Ok(())),
            Err(TryLockError::Error(error)) => return Ok(Err(error)),
            Err(TryLockError::WouldBlock) if begun.elapsed() >= patience => {
                return Err(StoreError::Busy { path: path.to_owned() });
            }
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
        }
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    permissions::cautious(&mut options).open(path)
}
