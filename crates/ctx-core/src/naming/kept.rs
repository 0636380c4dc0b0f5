//! The names that models chose, kept for the same question about the same files.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Chosen;
use crate::fs::create_private;
use crate::trust::Fingerprint;

/// The name of the directory within the cache directory.
const DIRECTORY: &str = "names";

/// The first line of a file begins with this, followed by the time in seconds since 1970.
const MAGIC: &str = "ctx names 1";

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// How long names are kept.
const MOST_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The names that are kept. Only their owner can read the files.
#[derive(Debug, Clone)]
pub struct KeptNames {
    directory: PathBuf,
}

impl KeptNames {
    /// The names in a cache directory, which need not exist yet.
    #[must_use]
    pub fn in_cache(cache: &Path) -> Self {
        Self { directory: cache.join(DIRECTORY) }
    }

    /// The directory they are in.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The names and paths that were chosen for a request with this key.
    #[must_use]
    pub fn get(&self, key: Fingerprint, now: SystemTime) -> Option<Vec<String>> {
        let bytes = read(&self.directory.join(key.to_string()))?;
        let end = memchr::memchr(b'\n', &bytes)?;
        serde_json::from_slice(&bytes[end..]).ok().filter(|_| is_fresh(&bytes[..end], now))
    }

    /// Keeps names, and deletes those that are too old.
    ///
    /// # Errors
    /// The system's error; the model is then asked again the next time.
    pub fn put(&self, key: Fingerprint, chosen: &Chosen, now: SystemTime) -> io::Result<()> {
        create_private(&self.directory)?;
        self.delete_old(now);
        let made = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let mut file = tempfile::Builder::new().prefix(".names-").tempfile_in(&self.directory)?;
        let all: Vec<&str> = chosen.all().collect();
        writeln!(file, "{MAGIC} {made}\n{}", serde_json::to_string(&all)?)?;
        file.persist(self.directory.join(key.to_string())).map_err(|error| error.error)?;
        Ok(())
    }

    /// How many requests have names.
    #[must_use]
    pub fn count(&self) -> usize {
        self.files().count()
    }

    /// Deletes all names.
    ///
    /// # Errors
    /// The system's error; a missing directory is not an error.
    pub fn clear(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn files(&self) -> impl Iterator<Item = PathBuf> {
        fs::read_dir(&self.directory).into_iter().flatten().flatten().map(|entry| entry.path())
    }

    fn delete_old(&self, now: SystemTime) {
        let is_old = |path: &PathBuf| {
            let bytes = read(path).unwrap_or_default();
            !is_fresh(bytes.split(|byte| *byte == b'\n').next().unwrap_or_default(), now)
        };
        // Another command may have deleted it already.
        self.files().filter(is_old).for_each(|path| drop(fs::remove_file(path)));
    }
}

/// Whether the first line of a file is from the last 30 days.
fn is_fresh(line: &[u8], now: SystemTime) -> bool {
    let made = str::from_utf8(line).ok().and_then(|line| line.strip_prefix(MAGIC)?.trim().parse().ok());
    let made = made.and_then(|made| UNIX_EPOCH.checked_add(Duration::from_secs(made)));
    made.and_then(|made| now.duration_since(made).ok()).is_some_and(|age| age < MOST_AGE)
}

fn read(path: &Path) -> Option<Vec<u8>> {
    fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_for_30_days() {
        let cache = tempfile::tempdir().unwrap();
        let kept = KeptNames::in_cache(&cache.path().join("deep"));
        let [key, other] = ["a", "b"].map(|text| Fingerprint::of([text.as_bytes()]));
        let now = SystemTime::now();
        let chosen =
            Chosen { names: vec!["no upstreams".to_owned()], paths: vec!["a.rs".to_owned()], dropped: 1 };
        assert_eq!(kept.get(key, now), None);
        kept.put(key, &chosen, now).unwrap();
        assert_eq!(kept.get(key, now).unwrap(), ["no upstreams", "a.rs"]);
        assert_eq!((kept.get(other, now), kept.get(key, now + MOST_AGE)), (None, None));
        kept.put(other, &Chosen::default(), now + MOST_AGE).unwrap();
        assert_eq!(kept.count(), 1);
        kept.clear().unwrap();
        kept.clear().unwrap();
        assert_eq!(kept.count(), 0);
    }
}
