//! The lock that makes one writer at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::error::{ChangeOutcome, Fault};
use super::{StoreError, permissions};

/// Always the same short time: with growing pauses those who wait longest would come last.
const PAUSE: Duration = Duration::from_millis(2);

/// Held until it is dropped, or until the process ends, however it ends.
///
/// The lock is on a file of its own that is never removed or renamed: a lock on a data file would be
/// on the old file once the data are replaced.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    pub fn acquire(path: &Path, patience: Duration) -> Result<Self, StoreError> {
        let fault = |source| Fault::of("lock", path)(source).with(ChangeOutcome::NothingChanged);
        let file = open(path).map_err(fault)?;
        if !file.metadata().map_err(fault)?.is_file() {
            return Err(StoreError::NotRegular { path: path.to_owned() });
        }
        permissions::make_private_file(&file).map_err(fault)?;
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::Error(error)) => return Err(fault(error)),
                Err(TryLockError::WouldBlock) if waited >= patience => {
                    return Err(StoreError::Busy { path: path.to_owned() });
                }
                Err(TryLockError::WouldBlock) => {
                    thread::sleep(PAUSE);
                    waited += PAUSE;
                }
            }
        }
    }

    /// Whether a command holds the lock at this moment. Makes no file.
    pub fn is_held(path: &Path) -> bool {
        let file = permissions::cautious(OpenOptions::new().read(true)).open(path);
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    permissions::cautious(&mut options).open(path)
}
