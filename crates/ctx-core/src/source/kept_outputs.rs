//! Outputs of commands with a `ttl` and of readers, cached for later renders.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::command::{Command, Excerpt};
use crate::fs::create_private;
use crate::trust::Fingerprint;
use crate::words::hex;

/// The name of the outputs' directory within the cache directory.
const DIRECTORY: &str = "commands";

/// The first line of a file in this version begins with this. The second line is the directory of the command.
const MAGIC: &str = "ctx command output 2";

/// The maximum length of the first two lines of a file, in bytes.
const HEADER: u64 = 16 << 10;

/// The largest output that is cached, in bytes.
const MOST: u64 = 64 << 20;

/// The cached outputs. They are not cleaned, and only their owner can read the files.
#[derive(Debug, Clone)]
pub struct KeptOutputs {
    directory: PathBuf,
}

/// The cached outputs for a directory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct KeptContents {
    /// The directory in which the commands ran.
    pub directory: String,
    /// The number of outputs.
    pub outputs: usize,
    /// The size of their files in bytes.
    pub bytes: u64,
}

/// The key of an output: a command, its limit, its directory, the files in the tree that its words name
/// (`scripts`), and the version of `ctx`.
#[must_use]
pub fn key_of_output(command: &Command, directory: &Path, scripts: Fingerprint) -> Fingerprint {
    let limit = command.limits.most_output.to_le_bytes();
    let fields: [&[u8]; 4] = [
        env!("CARGO_PKG_VERSION").as_bytes(),
        directory.as_os_str().as_encoded_bytes(),
        &limit,
        scripts.as_bytes(),
    ];
    Fingerprint::of(fields.into_iter().chain(command.words.iter().map(str::as_bytes)))
}

impl KeptOutputs {
    /// The outputs in a cache directory, which need not exist yet.
    #[must_use]
    pub fn in_cache(cache: &Path) -> Self {
        Self { directory: cache.join(DIRECTORY) }
    }

    /// The directory they are in.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The output of a successful run no older than `ttl`.
    #[must_use]
    pub fn get(&self, key: Fingerprint, ttl: Duration, now: SystemTime) -> Option<Excerpt> {
        let path = self.directory.join(key.to_string());
        fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let mut bytes = Vec::new();
        fs::File::open(&path).ok()?.take(MOST + HEADER).read_to_end(&mut bytes).ok()?;
        let mut lines = memchr::memchr_iter(b'\n', &bytes);
        let (first, end) = (lines.next()?, lines.next()?);
        let mut words =
            std::str::from_utf8(&bytes[..first]).ok()?.strip_prefix(MAGIC)?.split_ascii_whitespace();
        let mut number = || words.next()?.parse::<u64>().ok();
        let (made, omitted) = (number()?, number()?);
        let age = now.duration_since(UNIX_EPOCH + Duration::from_millis(made)).ok()?;
        let text = bytes[end + 1..].to_vec();
        let is_whole = words.next()? == checksum(&text);
        (is_whole && age < ttl).then_some(Excerpt { text, omitted })
    }

    /// Caches the output of a successful run in a directory.
    ///
    /// # Errors
    /// The system's error; the command then runs again the next time.
    pub fn put(
        &self,
        key: Fingerprint,
        directory: &Path,
        output: &Excerpt,
        now: SystemTime,
    ) -> io::Result<()> {
        let directory = serde_json::to_string(&directory.to_string_lossy())?;
        if output.text.len() as u64 > MOST || directory.len() as u64 > HEADER / 2 {
            return Ok(());
        }
        create_private(&self.directory)?;
        let made = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        let mut file = tempfile::Builder::new().prefix(".output-").tempfile_in(&self.directory)?;
        writeln!(file, "{MAGIC} {made} {} {}\n{directory}", output.omitted, checksum(&output.text))?;
        file.write_all(&output.text)?;
        file.persist(self.directory.join(key.to_string())).map_err(|error| error.error)?;
        Ok(())
    }

    /// The cached outputs, by directory; the directory is empty for a file in another format.
    #[must_use]
    pub fn contents(&self) -> Vec<KeptContents> {
        let mut all: BTreeMap<String, KeptContents> = BTreeMap::new();
        for entry in fs::read_dir(&self.directory).into_iter().flatten().flatten() {
            if let Some(metadata) = entry.metadata().ok().filter(fs::Metadata::is_file) {
                let directory = directory_of(&entry.path()).unwrap_or_default();
                let contents = all.entry(directory).or_default();
                contents.outputs += 1;
                contents.bytes += metadata.len();
            }
        }
        all.into_iter().map(|(directory, contents)| KeptContents { directory, ..contents }).collect()
    }

    /// Deletes all cached outputs.
    ///
    /// # Errors
    /// The system's error; a missing directory is not an error.
    pub fn clear(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// The directory in which the command of a cached output ran.
fn directory_of(path: &Path) -> Option<String> {
    let mut header = Vec::new();
    fs::File::open(path).ok()?.take(HEADER).read_to_end(&mut header).ok()?;
    let mut lines = header.split(|byte| *byte == b'\n');
    lines.next()?.starts_with(MAGIC.as_bytes()).then_some(())?;
    serde_json::from_slice(lines.next()?).ok()
}

fn checksum(text: &[u8]) -> String {
    hex(&Sha256::digest(text)[..8])
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::command::CommandLimits;

    fn command(words: &str) -> Command {
        Command { words: words.parse().unwrap(), limits: CommandLimits::default() }
    }

    #[test]
    fn kept_output_is_used_until_it_is_too_old() {
        let temporary = tempfile::tempdir().unwrap();
        let kept = KeptOutputs::in_cache(temporary.path());
        let scripts = Fingerprint::of([]);
        let key = key_of_output(&command("date"), Path::new("/a"), scripts);
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        let output = Excerpt { text: b"line\nline".to_vec(), omitted: 7 };
        let minute = Duration::from_secs(60);
        assert_eq!(kept.get(key, minute, now), None);
        kept.put(key, Path::new("/a"), &output, now).unwrap();
        assert_eq!(kept.get(key, minute, now), Some(output.clone()));
        assert_eq!(kept.get(key, minute, now + minute / 2), Some(output));
        assert_eq!(kept.get(key, minute, now + minute), None);
        assert_eq!(kept.get(key, minute, now - minute), None);
        for other in [
            key_of_output(&command("date -u"), Path::new("/a"), scripts),
            key_of_output(&command("date"), Path::new("/b"), scripts),
            key_of_output(&command("date"), Path::new("/a"), Fingerprint::of([b"script".as_slice()])),
        ] {
            assert_eq!(kept.get(other, minute, now), None);
        }
        kept.clear().unwrap();
        assert_eq!(kept.get(key, minute, now), None);
    }

    #[test]
    fn kept_output_is_private_and_a_damaged_one_is_not_used() {
        let temporary = tempfile::tempdir().unwrap();
        let kept = KeptOutputs::in_cache(&temporary.path().join("cache"));
        let key = key_of_output(&command("date"), Path::new("/"), Fingerprint::of([]));
        let now = SystemTime::now();
        kept.put(key, Path::new("/"), &Excerpt { text: b"text".to_vec(), omitted: 0 }, now).unwrap();
        let directory = temporary.path().join("cache/commands");
        let file = fs::read_dir(&directory).unwrap().next().unwrap().unwrap().path();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&directory), mode(&file)), (0o700, 0o600));
        let whole = fs::read(&file).unwrap();
        for length in 0..whole.len() {
            fs::write(&file, &whole[..length]).unwrap();
            assert_eq!(kept.get(key, Duration::from_secs(60), now), None, "{length}");
        }
    }
}
