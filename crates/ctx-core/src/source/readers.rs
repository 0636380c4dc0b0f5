//! Readers: the user's own programs that make text of files that are not text.
//!
//! A file never chooses its reader, and no checked-in list has one. A reader runs in an empty directory, without a
//! shell, and within limits for its time, its output and the number of files. What it prints is kept by the contents
//! of the file and the version of the program, so that the same file is read once.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::KeptOutputs;
use crate::command::{Command, CommandError, CommandLimits, Excerpt, Words};
use crate::fs::{FileMetadata, Stamp, real, resolved};
use crate::process::{Launcher, Programs};
use crate::read::{self, FileDigest, Unreadable};
use crate::report::{Reason, ReasonCode};
use crate::select::FilePlace;
use crate::setting::PLACEHOLDER;
use crate::trust::Fingerprint;

/// How long one reader may run, and how much of its output is used, in bytes.
const LIMITS: CommandLimits =
    CommandLimits { timeout: Duration::from_secs(30), most_output: 10 << 20, only_success: true, ttl: None };

/// How many files one command reads in this way, and for how long in total. The next command goes on.
const MOST_FILES: usize = 100;
const MOST_TIME: Duration = Duration::from_secs(60);

/// A program that reads files.
#[derive(Debug)]
pub struct ReadingProgram {
    words: Words,
    /// The file of the program, if there is one: another version may print something else.
    version: Option<Stamp>,
}

impl ReadingProgram {
    /// The reader with these words, whose program is one of these.
    #[must_use]
    pub fn of(words: Words, programs: &Programs) -> Self {
        let program = programs.find(OsStr::new(words.program()), Path::new(""));
        let metadata = program.and_then(|program| program.metadata().ok());
        Self { words, version: metadata.map(|metadata| FileMetadata::of(&metadata).stamp) }
    }

    /// What stands for the text that it makes of a file.
    fn key(&self, file: &FileDigest) -> Fingerprint {
        let version = self.version.map_or([0; 3], |Stamp { size, modified, .. }| {
            [size, modified.seconds as u64, modified.nanoseconds as u64]
        });
        let version = version.map(u64::to_le_bytes);
        let of_this: [&[u8]; 4] =
            [b"reader", env!("CARGO_PKG_VERSION").as_bytes(), version.as_flattened(), &file.sha256];
        Fingerprint::of(of_this.into_iter().chain(self.words.iter().map(str::as_bytes)))
    }
}

/// The programs, by the extension of the files that they read, in lower case.
#[derive(Debug, Default)]
pub struct Readers {
    programs: BTreeMap<String, ReadingProgram>,
    kept: Option<KeptOutputs>,
    runner: Option<Runner>,
}

/// Runs readers. Without it, only cached texts are used.
#[derive(Debug)]
pub struct Runner {
    launcher: Arc<Launcher>,
    /// The real path of the top of the tree.
    tree: PathBuf,
    so_far: Mutex<ReadSoFar>,
}

/// What a command has done so far.
#[derive(Debug, Default)]
struct ReadSoFar {
    files: usize,
    /// When no more readers start.
    end: Option<Instant>,
    /// Results that aren't in the cache: failures, or every result if there is no cache.
    results: HashMap<Fingerprint, Result<Arc<[u8]>, Reason>>,
}

impl Readers {
    /// Readers by extension.
    #[must_use]
    pub fn new(
        programs: BTreeMap<String, ReadingProgram>,
        kept: Option<KeptOutputs>,
        runner: Option<Runner>,
    ) -> Self {
        Self { programs, kept, runner }
    }

    /// The program that reads files of this name.
    pub(crate) fn of(&self, path: &Path) -> Option<&ReadingProgram> {
        self.programs.get(&path.extension()?.to_str()?.to_lowercase())
    }

    /// The text of a file that is not text; `None` if nothing reads files of that name.
    pub(crate) fn text(&self, place: &FilePlace, max_bytes: u64) -> Option<Result<Arc<[u8]>, Reason>> {
        let reader = self.of(&place.path())?;
        Some(self.text_by(reader, place, max_bytes))
    }

    fn text_by(
        &self,
        reader: &ReadingProgram,
        place: &FilePlace,
        max_bytes: u64,
    ) -> Result<Arc<[u8]>, Reason> {
        let unreadable = |error: Unreadable| Reason::new(error.code(), error);
        let before = place.open().map_err(Unreadable::from).and_then(|file| read::digest(file, max_bytes));
        let before = before.map_err(unreadable)?;
        let key = reader.key(&before);
        if let Some(known) = self.known(key) {
            return known;
        }
        let runner = self.runner.as_ref().ok_or(ReasonCode::NotRead)?;
        let result = runner.read(&reader.words, place);
        let after = place.open().map_err(Unreadable::from).and_then(|file| read::digest(file, max_bytes));
        if after.map_err(unreadable)? != before {
            return Err(ReasonCode::Changed.into());
        }
        let kept = self.kept.as_ref().zip(result.as_ref().ok());
        let is_kept =
            kept.is_some_and(|(kept, output)| kept.put(key, &runner.tree, output, SystemTime::now()).is_ok());
        let text = result.and_then(text_of);
        let waits = text.as_ref().is_err_and(|reason| reason.code == ReasonCode::ReadLater);
        if !is_kept && !waits {
            runner.so_far().results.insert(key, text.clone());
        }
        text
    }

    /// What is known from an earlier run.
    fn known(&self, key: Fingerprint) -> Option<Result<Arc<[u8]>, Reason>> {
        let kept = || self.kept.as_ref()?.get(key, Duration::MAX, SystemTime::now()).map(text_of);
        self.runner.as_ref().and_then(|runner| runner.so_far().results.get(&key).cloned()).or_else(kept)
    }
}

impl Runner {
    /// Runs readers with a launcher, but none that is below `tree`: others may have written it.
    #[must_use]
    pub fn outside(tree: &Path, launcher: Launcher) -> Self {
        let tree = resolved(tree);
        let launcher = launcher.with_programs(|directory| !resolved(directory).starts_with(&tree));
        Self { launcher: Arc::new(launcher), tree, so_far: Mutex::default() }
    }

    /// What starts the programs, and can stop them.
    #[must_use]
    pub fn launcher(&self) -> &Arc<Launcher> {
        &self.launcher
    }

    fn so_far(&self) -> std::sync::MutexGuard<'_, ReadSoFar> {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long the next reader may run; `None` if the limits of this command are used up.
    fn next(&self) -> Option<Duration> {
        let mut so_far = self.so_far();
        let end = *so_far.end.get_or_insert_with(|| Instant::now() + MOST_TIME);
        let left = end.saturating_duration_since(Instant::now());
        let is_over = so_far.files == MOST_FILES || left.is_zero();
        so_far.files += usize::from(!is_over);
        (!is_over).then_some(left.min(LIMITS.timeout))
    }

    fn read(&self, words: &Words, place: &FilePlace) -> Result<Excerpt, Reason> {
        let path = real(place.path()).map_err(|error| {
            let error = Unreadable::from(error);
            Reason::new(error.code(), error)
        })?;
        let path = path.to_str().ok_or_else(|| Reason::new(ReasonCode::Failed, "its path is not UTF-8"))?;
        let failed =
            |error: &dyn std::fmt::Display| Reason::new(ReasonCode::Failed, format!("not read: {error}"));
        let scratch = self.launcher.scratch().map_err(|error| failed(&error))?;
        let words = words.with_each(|word| word.replace(PLACEHOLDER, path));
        let found = self.launcher.programs().find(OsStr::new(words.program()), scratch.path());
        if found.is_some_and(|program| resolved(program).starts_with(&self.tree)) {
            return Err(failed(&format!("its reader '{}' is in this directory tree", words.program())));
        }
        let timeout = self.next().ok_or(ReasonCode::ReadLater)?;
        let command = Command { words, limits: CommandLimits { timeout, ..LIMITS } };
        match command.run(scratch.path(), &self.launcher) {
            Ok(ran) if ran.output.omitted > 0 => Err(failed(&"its reader printed more than 10 MiB")),
            Ok(ran) => Ok(ran.output),
            Err(CommandError::Silent { failure: None }) => Ok(Excerpt { text: Vec::new(), omitted: 0 }),
            Err(CommandError::TimedOut { .. }) if timeout < LIMITS.timeout => {
                Err(ReasonCode::ReadLater.into())
            }
            Err(error) => {
                // It leaves its place to another one.
                self.so_far().files -= 1;
                Err(failed(&error))
            }
        }
    }
}

/// The text, without the form feeds that some programs write between pages.
fn text_of(output: Excerpt) -> Result<Arc<[u8]>, Reason> {
    if output.is_empty() {
        return Err(ReasonCode::NothingRead.into());
    }
    Ok(output.text.into_iter().filter(|byte| *byte != b'\x0c').collect())
}
