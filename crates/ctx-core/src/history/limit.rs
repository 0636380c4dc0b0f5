//! How large a history may become.

/// The longest line of a history, in bytes, its end included.
pub const LINE_LIMIT: u64 = 16 << 20;

/// The largest history, in bytes.
pub const FILE_LIMIT: u64 = 256 << 20;
