//! How much disk space checkpoints may take.

use std::io;
use std::path::Path;

use rustix::fs::statvfs;

use super::objects::Objects;

/// How much space one tree's checkpoints may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckpointLimits {
    /// The most bytes of compressed contents.
    pub cap: u64,
    /// How many bytes of the disk to leave free.
    pub free: u64,
}

impl Default for CheckpointLimits {
    fn default() -> Self {
        Self { cap: 1 << 30, free: 16 << 20 }
    }
}

/// How many bytes are written before the room is checked again.
const INTERVAL: usize = 16 << 20;

/// Watches the free space while contents are imported.
pub(super) struct Room<'a> {
    objects: &'a Objects<'a>,
    directory: &'a Path,
    limits: CheckpointLimits,
    since: usize,
    /// The limit that was reached, if any.
    pub reached: Option<Reached>,
}

/// Which limit was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    Cap { used: u64 },
    Disk,
}

impl<'a> Room<'a> {
    pub fn new(objects: &'a Objects<'a>, directory: &'a Path, limits: CheckpointLimits) -> Self {
        Self { objects, directory, limits, since: 0, reached: None }
    }

    /// Checks the free space now.
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

    /// Whether there is no room for this many more bytes.
    pub fn is_reached(&mut self, bytes: usize) -> bool {
        self.since += bytes;
        if self.since < INTERVAL {
            return false;
        }
        self.since = 0;
        self.look().is_some()
    }
}

/// How many more bytes fit on a directory's disk.
pub(super) fn available(directory: &Path) -> io::Result<u64> {
    let disk = statvfs(directory)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::checkpoint::{CheckpointError, Checkpoints, Created};
    use crate::process::Launcher;
    use crate::store::Store;
    use crate::world::{GitEnvironment, World};

    #[test]
    fn reaching_a_limit_leaves_the_checkpoints_unchanged() {
        let temporary = tempfile::tempdir().unwrap();
        let tree = temporary.path().join("tree");
        std::fs::create_dir(&tree).unwrap();
        let store = Store::at(temporary.path().join("store"));
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        let world = World {
            cwd: tree.clone(),
            root: tree.clone(),
            home: None,
            project: None,
            git: GitEnvironment::default(),
            now,
            threads: 1,
        };
        let launcher = Launcher::new(std::env::vars_os().collect());
        let create = |limits: CheckpointLimits| {
            let checkpoints =
                Checkpoints::around(&store, &world, &launcher, limits, crate::source::git::deadline())
                    .unwrap();
            let created = checkpoints.create("", None);
            (created, checkpoints.list().unwrap().len())
        };
        // Noise does not compress.
        let mut state = 1u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        };
        let noise: Vec<u8> = std::iter::repeat_with(&mut next).take(9_000_000).collect();
        std::fs::write(tree.join("a"), &noise).unwrap();
        assert!(matches!(create(CheckpointLimits::default()), (Ok(Created { is_new: true, .. }), 1)));
        std::fs::write(tree.join("b"), &noise[1..]).unwrap();
        std::fs::write(tree.join("c"), &noise[2..]).unwrap();
        let small = CheckpointLimits { cap: 1 << 20, ..CheckpointLimits::default() };
        assert!(matches!(create(small), (Err(CheckpointError::Full { .. }), 1)));
        let used = |limits: CheckpointLimits| {
            let checkpoints =
                Checkpoints::around(&store, &world, &launcher, limits, crate::source::git::deadline())
                    .unwrap();
            checkpoints.lock().unwrap().used()
        };
        let before = used(small);
        // The limit is reached while contents are imported.
        let reached_late = CheckpointLimits { cap: before + (1 << 20), ..CheckpointLimits::default() };
        assert!(matches!(create(reached_late), (Err(CheckpointError::Full { kept: Some(0), .. }), 1)));
        assert_eq!(used(small), before);
        let crowded = CheckpointLimits { free: u64::MAX, ..CheckpointLimits::default() };
        assert!(matches!(create(crowded), (Err(CheckpointError::NoSpace { .. }), 1)));
        assert!(matches!(create(CheckpointLimits::default()), (Ok(Created { is_new: true, .. }), 2)));
    }
}
