//! Outputs of commands with a `ttl`, kept for the next renders.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use super::{Command, Excerpt};
use crate::trust::Fingerprint;

/// The name of the directory in the cache directory.
const DIRECTORY: &str = "commands";

/// The first line of a file of this version.
const MAGIC: &str = "ctx command output 1";

/// The largest output that is kept, in bytes.
const MOST: u64 = 64 << 20;

/// The kept outputs. They have not been guarded: the files are for their owner alone.
#[derive(Debug, Clone)]
pub struct KeptOutputs {
    directory: PathBuf,
}

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeptContents {
    /// How many outputs.
    pub outputs: usize,
    /// The size of their files in bytes.
    pub bytes: u64,
}

/// What an output belongs to: the command, its limit, its directory, the scripts it names, and the version
/// of `ctx`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptKey([u8; 32]);

impl KeptKey {
    /// The key of a command in a directory; `scripts` are the files in the tree that its words name.
    #[must_use]
    pub fn of(command: &Command, directory: &Path, scripts: Fingerprint) -> Self {
        let mut hash = Sha256::new();
        let mut field = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        field(env!("CARGO_PKG_VERSION").as_bytes());
        field(directory.as_os_str().as_encoded_bytes());
        field(&command.limits.most_output.to_le_bytes());
        field(scripts.as_bytes());
        command.words.iter().for_each(|word| field(word.as_bytes()));
        Self(hash.finalize().into())
    }

    fn file_name(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl KeptOutputs {
    /// The outputs in a cache directory, which need not exist.
    #[must_use]
    pub fn in_cache(cache: &Path) -> Self {
        Self { directory: cache.join(DIRECTORY) }
    }

    /// Where they are kept.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The output of a success that is no older than `ttl`.
    #[must_use]
    pub fn get(&self, key: KeptKey, ttl: Duration, now: SystemTime) -> Option<Excerpt> {
        let path = self.directory.join(key.file_name());
        fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let mut bytes = Vec::new();
        fs::File::open(&path).ok()?.take(MOST + 1024).read_to_end(&mut bytes).ok()?;
        let end = memchr::memchr(b'\n', &bytes)?;
        let mut words =
            std::str::from_utf8(&bytes[..end]).ok()?.strip_prefix(MAGIC)?.split_ascii_whitespace();
        let mut number = || words.next()?.parse::<u64>().ok();
        let (made, omitted) = (number()?, number()?);
        let age = now.duration_since(UNIX_EPOCH + Duration::from_millis(made)).ok()?;
        let text = bytes[end + 1..].to_vec();
        let is_whole = words.next()? == checksum(&text);
        (is_whole && age < ttl).then_some(Excerpt { text, omitted })
    }

    /// Keeps the output of a success.
    ///
    /// # Errors
    /// What the system says; the command then runs again the next time.
    pub fn put(&self, key: KeptKey, output: &Excerpt, now: SystemTime) -> io::Result<()> {
        if output.text.len() as u64 > MOST {
            return Ok(());
        }
        create_private(&self.directory)?;
        let made = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        let mut file = tempfile::Builder::new().prefix(".output-").tempfile_in(&self.directory)?;
        writeln!(file, "{MAGIC} {made} {} {}", output.omitted, checksum(&output.text))?;
        file.write_all(&output.text)?;
        file.persist(self.directory.join(key.file_name())).map_err(|error| error.error)?;
        Ok(())
    }

    /// What is kept now.
    #[must_use]
    pub fn contents(&self) -> KeptContents {
        let mut contents = KeptContents::default();
        for entry in fs::read_dir(&self.directory).into_iter().flatten().flatten() {
            if let Some(metadata) = entry.metadata().ok().filter(fs::Metadata::is_file) {
                contents.outputs += 1;
                contents.bytes += metadata.len();
            }
        }
        contents
    }

    /// Deletes all kept outputs.
    ///
    /// # Errors
    /// What the system says; a directory that is not there is no error.
    pub fn clear(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

fn checksum(text: &[u8]) -> String {
    Sha256::digest(text)[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn create_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}
