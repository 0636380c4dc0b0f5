//! How much checkpoints may take of a disk.

use std::io;
use std::path::Path;

use rustix::fs::statvfs;

use super::import::Limit;
use super::objects::Objects;

/// How much the checkpoints of one tree may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// At most so many bytes of compressed contents.
    pub cap: u64,
    /// So many bytes of the disk stay free.
    pub free: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { cap: 1 << 30, free: 16 << 20 }
    }
}

/// After so many bytes it is looked again how much room there is.
const INTERVAL: usize = 16 << 20;

/// Watches the room while contents come in.
pub(super) struct Room<'a> {
    objects: &'a Objects<'a>,
    directory: &'a Path,
    limits: Limits,
    since: usize,
    /// What it ran into.
    pub reached: Option<Reached>,
}

/// Which limit was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    Cap { used: u64 },
    Disk,
}

impl<'a> Room<'a> {
    pub fn new(objects: &'a Objects<'a>, directory: &'a Path, limits: Limits) -> Self {
        Self { objects, directory, limits, since: 0, reached: None }
    }

    /// Looks now.
    pub fn look(&mut self) -> Option<Reached> {
        let used = self.objects.used();
        self.reached = if used >= self.limits.cap {
            Some(Reached::Cap { used })
        } else if available(self.directory).is_ok_and(|free| free < self.limits.free) {
            Some(Reached::Disk)
        } else {
            None
        };
        self.reached
    }
}

impl Limit for Room<'_> {
    fn is_reached(&mut self, bytes: usize) -> bool {
        self.since += bytes;
        if self.since < INTERVAL {
            return false;
        }
        self.since = 0;
        self.look().is_some()
    }
}

/// No limit: for what is thrown away.
pub(super) struct Unlimited;

impl Limit for Unlimited {
    fn is_reached(&mut self, _: usize) -> bool {
        false
    }
}

/// How many bytes the disk of a directory has room for.
pub(super) fn available(directory: &Path) -> io::Result<u64> {
    let disk = statvfs(directory)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}
