//! Exchanges two names in one operation, where the system and the file system can.

use std::io;

/// Exchanges two names in these directories; `false` if that is not possible here.
///
/// # Errors
/// The system's error; nothing was changed.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub fn exchange<D: std::os::fd::AsFd>(
    directory: D,
    one: impl rustix::path::Arg,
    other: impl rustix::path::Arg,
) -> io::Result<bool> {
    let flags = rustix::fs::RenameFlags::EXCHANGE;
    match rustix::fs::renameat_with(&directory, one, &directory, other, flags) {
        Ok(()) => Ok(true),
        Err(error) if is_unsupported(error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether the system or the file system does not know an operation or its flags.
#[cfg(unix)]
#[must_use]
pub fn is_unsupported(error: rustix::io::Errno) -> bool {
    use rustix::io::Errno;
    // On some systems the last two are equal.
    [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP].contains(&error)
}

/// Exchanges two files; `false` if that is not possible here.
///
/// # Errors
/// The system's error; nothing was changed.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub fn exchange_files(one: &std::path::Path, other: &std::path::Path) -> io::Result<bool> {
    exchange(rustix::fs::CWD, one, other)
}

/// Exchanges two files; never possible here.
///
/// # Errors
/// None.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub fn exchange_files(_: &std::path::Path, _: &std::path::Path) -> io::Result<bool> {
    Ok(false)
}
