//! Whose files ctx obeys.

use std::fs::Metadata;
use std::path::Path;

/// The users whose files a command obeys in places that others can write to: root and the user who runs it. For
/// root, who works in other people's directories, also the owner of the current directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owners {
    #[cfg(unix)]
    users: Vec<u32>,
}

#[cfg(unix)]
impl Owners {
    /// The owners that count everywhere.
    #[must_use]
    pub fn everywhere() -> Self {
        Self { users: vec![rustix::process::geteuid().as_raw(), 0] }
    }

    /// The owners that count in a directory.
    #[must_use]
    pub fn in_directory(cwd: &Path) -> Self {
        use std::os::unix::fs::MetadataExt;
        let user = rustix::process::geteuid().as_raw();
        let of_directory = cwd.metadata().ok().map(|metadata| metadata.uid()).filter(|_| user == 0);
        Self { users: [user, 0].into_iter().chain(of_directory).collect() }
    }

    /// These owners and that of a file or directory.
    #[must_use]
    pub fn and_of(mut self, metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        self.users.push(metadata.uid());
        self
    }

    /// Whether a file or directory belongs to one of these owners.
    #[must_use]
    pub fn have(&self, metadata: &Metadata) -> bool {
        use std::os::unix::fs::MetadataExt;
        self.users.contains(&metadata.uid())
    }
}

#[cfg(not(unix))]
impl Owners {
    /// The owners that count everywhere; owners cannot be distinguished here.
    #[must_use]
    pub fn everywhere() -> Self {
        Self {}
    }

    /// The owners that count in a directory; owners cannot be distinguished here.
    #[must_use]
    pub fn in_directory(_: &Path) -> Self {
        Self {}
    }

    /// These owners and that of a file or directory.
    #[must_use]
    pub fn and_of(self, _: &Metadata) -> Self {
        self
    }

    /// Whether a file or directory belongs to one of these owners.
    #[must_use]
    pub fn have(&self, _: &Metadata) -> bool {
        true
    }
}

/// Whether a file or directory belongs to the user who runs the program.
#[cfg(unix)]
#[must_use]
pub fn is_own(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Whether a file or directory belongs to the user who runs the program; owners cannot be distinguished here.
#[cfg(not(unix))]
#[must_use]
pub fn is_own(_: &Metadata) -> bool {
    true
}
