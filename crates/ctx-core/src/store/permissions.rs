//! POSIX features that other systems lack: modes, and opening without blocking.

/// Who may use a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only the owner, regardless of the umask.
    Private,
    /// Whoever the umask allows: a project's files are meant to be checked in.
    Ordinary,
}

#[cfg(unix)]
pub(super) use posix::{
    cautious, check_writable, everyone_may_write, make_directory, make_own_file, make_private_file, new_file,
};

#[cfg(not(unix))]
pub(super) use other::{
    cautious, check_writable, everyone_may_write, make_directory, make_own_file, make_private_file, new_file,
};

#[cfg(unix)]
mod posix {
    use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
    use std::path::Path;

    use rustix::fs::OFlags;

    use super::Access;

    const ORDINARY_FILE: u32 = 0o644;
    const ORDINARY_DIRECTORY: u32 = 0o755;
    const PRIVATE_FILE: u32 = 0o600;
    const PRIVATE_DIRECTORY: u32 = 0o700;
    const OTHERS_WRITE: u32 = 0o002;

    /// Sets the options so that opening a FIFO does not wait for its other end, and new files are only for
    /// their owner.
    pub fn cautious(options: &mut OpenOptions) -> &mut OpenOptions {
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.mode(PRIVATE_FILE).custom_flags(flags.bits() as i32)
    }

    /// Makes a file accessible only to its owner: the umask may have removed bits, and an existing file may
    /// have more.
    pub fn make_private_file(file: &File) -> io::Result<()> {
        if file.metadata()?.permissions().mode() & 0o7777 == PRIVATE_FILE {
            return Ok(());
        }
        file.set_permissions(Permissions::from_mode(PRIVATE_FILE))
    }

    /// Makes a file accessible to its owner, even if the umask removed the bits for that.
    pub fn make_own_file(file: &File) -> io::Result<()> {
        match with_owner(&file.metadata()?, PRIVATE_FILE) {
            Some(permissions) => file.set_permissions(permissions),
            None => Ok(()),
        }
    }

    /// The permissions with these bits for the owner; `None` if they have them.
    fn with_owner(metadata: &Metadata, owner: u32) -> Option<Permissions> {
        let mode = metadata.permissions().mode() & 0o7777;
        (mode & owner != owner).then(|| Permissions::from_mode(mode | owner))
    }

    /// The permissions for creating a file.
    pub fn new_file(access: Access) -> Option<Permissions> {
        Some(Permissions::from_mode(match access {
            Access::Private => PRIVATE_FILE,
            Access::Ordinary => ORDINARY_FILE,
        }))
    }

    pub fn make_directory(path: &Path, access: Access) -> io::Result<()> {
        match access {
            Access::Private => {
                DirBuilder::new().mode(PRIVATE_DIRECTORY).create(path)?;
                fs::set_permissions(path, Permissions::from_mode(PRIVATE_DIRECTORY))
            }
            Access::Ordinary => {
                DirBuilder::new().mode(ORDINARY_DIRECTORY).create(path)?;
                match with_owner(&fs::metadata(path)?, PRIVATE_DIRECTORY) {
                    Some(permissions) => fs::set_permissions(path, permissions),
                    None => Ok(()),
                }
            }
        }
    }

    /// Whether this process may create files in a directory.
    pub fn check_writable(directory: &Path) -> io::Result<()> {
        Ok(rustix::fs::access(directory, rustix::fs::Access::WRITE_OK)?)
    }

    pub fn everyone_may_write(metadata: &Metadata) -> bool {
        metadata.permissions().mode() & OTHERS_WRITE != 0
    }
}

#[cfg(not(unix))]
mod other {
    use std::fs::{self, File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::path::Path;

    use super::Access;

    pub fn cautious(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    pub fn make_private_file(_: &File) -> io::Result<()> {
        Ok(())
    }

    pub fn make_own_file(_: &File) -> io::Result<()> {
        Ok(())
    }

    pub fn new_file(_: Access) -> Option<Permissions> {
        None
    }

    pub fn make_directory(path: &Path, _: Access) -> io::Result<()> {
        fs::create_dir(path)
    }

    pub fn check_writable(_: &Path) -> io::Result<()> {
        Ok(())
    }

    pub fn everyone_may_write(_: &Metadata) -> bool {
        false
    }
}
