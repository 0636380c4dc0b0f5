//! Why a file cannot be read.

use crate::report::ReasonCode;
use crate::words::grouped;
use std::fmt;
use std::io;

/// Why a file was not read. The caller adds the path.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The file does not exist.
    #[error("{}", ReasonCode::NotFound.describe())]
    NotFound,
    /// The file may not be opened.
    #[error("{}", ReasonCode::PermissionDenied.describe())]
    PermissionDenied,
    /// Not text.
    #[error("{}", ReasonCode::Binary.describe())]
    Binary,
    /// More bytes than the limit allows.
    #[error("too large: {} bytes, the limit is {}", grouped(*size), grouped(*limit))]
    TooLarge {
        /// The file's size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Only regular files are read.
    #[error("not a regular file but a {0}")]
    NotRegular(Special),
    /// Somebody wrote to the file while it was being read.
    #[error("{}", ReasonCode::Changed.describe())]
    Changed,
    /// The system failed.
    #[error("cannot be read: {}", crate::words::cause(.0))]
    Io(#[source] io::Error),
}

impl Unreadable {
    /// The code of the reason.
    #[must_use]
    pub fn code(&self) -> ReasonCode {
        match self {
            Self::NotFound => ReasonCode::NotFound,
            Self::PermissionDenied => ReasonCode::PermissionDenied,
            Self::Binary => ReasonCode::Binary,
            Self::TooLarge { .. } => ReasonCode::TooLarge,
            Self::NotRegular(_) => ReasonCode::NotRegular,
            Self::Changed => ReasonCode::Changed,
            Self::Io(_) => ReasonCode::IoError,
        }
    }
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::NotFound,
            io::ErrorKind::PermissionDenied => Self::PermissionDenied,
            _ => Self::Io(error),
        }
    }
}

/// A file that is not regular.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// A directory.
    Directory,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// A file that the kernel generates when it is read, such as those in `/proc` and `/sys`.
    Kernel,
    /// Anything else.
    Other,
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Directory => "directory",
            Self::Fifo => "named pipe",
            Self::Socket => "socket",
            Self::Device => "device",
            Self::Kernel => "kernel file",
            Self::Other => "special file",
        })
    }
}
