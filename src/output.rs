//! Writes to a file that you name, completely or not at all.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::error::Error;
use ctx_core::fs::real;
use ctx_core::select::FileNumber;
use ctx_core::store::symlink;

/// A file that is about to be written. A regular or new file changes in one step, with [`Output::commit`]; a
/// device, a pipe or a standard stream is written to directly.
#[derive(Debug)]
pub struct Output {
    name: PathBuf,
    target: Target,
}

#[derive(Debug)]
enum Target {
    InPlace(File),
    Replaced { file: Temporary, path: PathBuf, permissions: Option<fs::Permissions> },
}

impl Output {
    /// Prepares to write to `path`, called `name` in messages.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn open(path: &Path, name: &Path) -> Result<Self, Error> {
        let target = match Stream::at(path) {
            Some(stream) => stream.open().map(Target::InPlace),
            None => target(path),
        };
        match target {
            Ok(target) => Ok(Self { name: name.to_owned(), target }),
            Err(error) => Err(Error::io("write", name, &error)),
        }
    }

    /// Writes everything that `write` produces.
    ///
    /// # Errors
    /// If it cannot be written; a regular file is then unchanged. A pipe that nobody reads any more is an error
    /// that ends `ctx` quietly.
    pub fn write(
        &mut self,
        write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
    ) -> Result<(), Error> {
        let result = match &mut self.target {
            Target::InPlace(file) => filled(file, write),
            Target::Replaced { file, .. } => {
                filled(file.as_file_mut(), write).and_then(|()| file.as_file_mut().sync_all())
            }
        };
        result.map_err(|error| match self.target {
            Target::InPlace(_) if error.kind() == io::ErrorKind::BrokenPipe => Error::closed_pipe(),
            Target::InPlace(_) | Target::Replaced { .. } => Error::io("write", &self.name, &error),
        })
    }

    /// Moves the written file into place.
    ///
    /// # Errors
    /// If that is not possible; a regular file is then unchanged.
    pub fn commit(self) -> Result<(), Error> {
        let result = match self.target {
            Target::InPlace(_) => Ok(()),
            Target::Replaced { mut file, path, permissions } => permissions
                .map_or(Ok(()), |permissions| file.as_file_mut().set_permissions(permissions))
                .and_then(|()| file.persist(&path)),
        };
        result.map_err(|error| Error::io("write", &self.name, &error))
    }
}

/// One of the command's standard streams. If it were opened by its path, a regular file behind it would lose what
/// others write there.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Output,
    Error,
}

impl Stream {
    /// The stream that a path names on every system with such paths.
    fn at(path: &Path) -> Option<Self> {
        match path.to_str()? {
            "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => Some(Self::Output),
            "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => Some(Self::Error),
            _ => None,
        }
    }

    /// The file behind the stream.
    fn file(self) -> Option<FileNumber> {
        match self {
            Self::Output => FileNumber::of(io::stdout()),
            Self::Error => FileNumber::of(io::stderr()),
        }
    }

    #[cfg(unix)]
    fn open(self) -> io::Result<File> {
        use std::os::fd::AsFd;

        let descriptor = match self {
            Self::Output => io::stdout().as_fd().try_clone_to_owned(),
            Self::Error => io::stderr().as_fd().try_clone_to_owned(),
        };
        descriptor.map(File::from)
    }

    #[cfg(not(unix))]
    fn open(self) -> io::Result<File> {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// Whether two paths lead to the same regular file, existing or not. If both are written in place, they don't
/// count as the same, since both outputs can go to such a file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    match (Stream::at(one), Stream::at(other)) {
        _ if is_in_place(one) && is_in_place(other) => false,
        (Some(stream), _) => is_behind(stream.file(), other),
        (_, Some(stream)) => is_behind(stream.file(), one),
        (None, None) => resolved(one) == resolved(other),
    }
}

/// Whether a path names one of the command's standard streams.
pub fn is_stream(path: &Path) -> bool {
    Stream::at(path).is_some()
}

/// Whether a path leads to the regular file that standard output goes to.
pub fn is_standard_output(path: &Path) -> bool {
    is_behind(Stream::Output.file(), path)
}

/// Whether a path leads to the regular file that standard input comes from.
pub fn is_standard_input(path: &Path) -> bool {
    is_behind(FileNumber::of(io::stdin()), path)
}

fn is_behind(stream: Option<FileNumber>, path: &Path) -> bool {
    stream.is_some() && stream == FileNumber::at(path)
}

/// Whether output to the path is written in place: to a device, a pipe or a standard stream.
pub fn is_in_place(path: &Path) -> bool {
    is_stream(path) || is_descriptor(path) || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

/// Whether a path names an open file by its number: `/dev/fd/3`.
fn is_descriptor(path: &Path) -> bool {
    ["/dev/fd", "/proc/self/fd"].into_iter().any(|directory| path.parent() == Some(Path::new(directory)))
}

fn target(path: &Path) -> io::Result<Target> {
    match fs::metadata(path) {
        // Others write to this file too, and their output must stay.
        Ok(_) if is_descriptor(path) => File::options().append(true).open(path).map(Target::InPlace),
        Ok(metadata) if metadata.is_file() => replacing(path, &metadata),
        Ok(_) => File::options().write(true).open(path).map(Target::InPlace),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A file is created where dangling links lead.
            symlink::resolve(path).map_err(|broken| broken.source).and_then(|end| beside(end, None))
        }
        Err(error) => Err(error),
    }
}

/// Where a path leads, whether or not the file exists.
pub fn resolved(path: &Path) -> PathBuf {
    if let Ok(path) = real(path) {
        return path;
    }
    let path = symlink::resolve(path).unwrap_or_else(|_| path.to_owned());
    match (path.parent().map(real), path.file_name()) {
        (Some(Ok(parent)), Some(name)) => parent.join(name),
        (Some(_) | None, _) => path,
    }
}

fn replacing(path: &Path, metadata: &Metadata) -> io::Result<Target> {
    // A rename only needs permission for the directory, but a file that may not be written to must not be replaced
    // either.
    File::options().write(true).open(path)?;
    beside(real(path)?, Some(metadata.permissions()))
}

fn beside(path: PathBuf, permissions: Option<fs::Permissions>) -> io::Result<Target> {
    let file = Temporary::beside(&path)?;
    Ok(Target::Replaced { file, path, permissions })
}

/// A file that replaces another one when it is complete.
#[derive(Debug)]
enum Temporary {
    /// A file without a name, if the system supports it. Unless it gets a name, it disappears however the
    /// command ends.
    #[cfg(target_os = "linux")]
    Nameless(File),
    Named(NamedTempFile),
}

impl Temporary {
    fn beside(path: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = nameless(directory(path)) {
            return Ok(Self::Nameless(file));
        }
        named().tempfile_in(directory(path)).map(Self::Named)
    }

    fn as_file_mut(&mut self) -> &mut File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Nameless(file) => file,
            Self::Named(file) => file.as_file_mut(),
        }
    }

    fn persist(self, path: &Path) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Nameless(file) => {
                match give_name(&file, path) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    done => return done,
                }
                let link = named().make_in(directory(path), |at| give_name(&file, at))?;
                link.persist(path).map_err(|error| error.error)
            }
            Self::Named(file) => file.persist(path).map(drop).map_err(|error| error.error),
        }
    }
}

fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Builds a temporary file with the permissions of an ordinary one, by the umask, rather than a private one.
fn named() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ctx-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

/// A file without a name; `None` if the file system does not support that, or cannot name it later.
#[cfg(target_os = "linux")]
fn nameless(directory: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags};

    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(directory, flags, Mode::from_raw_mode(0o666)).ok()?);
    descriptor(&file).exists().then_some(file)
}

#[cfg(target_os = "linux")]
fn give_name(file: &File, at: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};

    Ok(linkat(CWD, descriptor(file), CWD, at, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;

    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

fn filled(
    file: &mut File,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(64 * 1024, file);
    write(&mut out)?;
    out.flush()
}
