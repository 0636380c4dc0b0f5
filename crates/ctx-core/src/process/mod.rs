//! The only module that starts programs.
//!
//! A [`Launcher`] finds a program only in the absolute directories of `PATH`. It runs the program in a
//! separate process group, with limits on its time, its output and the number of programs at once, or in the
//! foreground, for the user at the terminal. Code without a launcher cannot start anything.

mod dialogue;
mod invocation;
mod own;
mod programs;
mod running;
#[cfg(unix)]
mod supervise;
#[cfg(not(unix))]
#[path = "supervise_portable.rs"]
mod supervise;

#[cfg(all(test, unix))]
mod tests;

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

pub use dialogue::{Captured, Collector, Dialogue, Plain};
pub use invocation::{End, Finished, Invocation, StartError, Variables};
pub use own::OwnProgram;
pub use programs::Programs;

use crate::fs::{create_private, create_private_file};
use crate::words::cause;
use invocation::ProcessGroup;
use running::{Running, Slots, locked};
#[cfg(unix)]
use supervise::Leader as Supervised;
#[cfg(not(unix))]
use supervise::SharedChild as Supervised;

/// How many programs may run at once.
const MOST_AT_ONCE: usize = 4;

/// Starts programs, with a given environment.
#[derive(Debug)]
pub struct Launcher {
    programs: Programs,
    variables: Variables,
    slots: Slots,
    running: Mutex<Running<Supervised>>,
    /// The directories that are removed when it stops.
    scratch: Mutex<ScratchPaths>,
}

impl Launcher {
    /// A launcher for the environment of this process. `PATH` is reduced to its absolute directories, both for
    /// finding programs and for the programs themselves.
    #[must_use]
    pub fn new(mut variables: Variables) -> Self {
        let programs = Programs::in_path(variables.get("PATH").unwrap_or_default());
        match programs.path() {
            Some(path) => variables.set("PATH", path),
            None => variables.remove("PATH"),
        }
        Self {
            programs,
            variables,
            slots: Slots::new(MOST_AT_ONCE),
            running: Mutex::default(),
            scratch: Mutex::default(),
        }
    }

    /// A launcher with the same environment that finds programs only in the directories that `accepts`, and passes
    /// on a `PATH` with only these.
    #[must_use]
    pub fn with_programs(self, accepts: impl Fn(&Path) -> bool) -> Self {
        let mut variables = self.variables;
        match self.programs.only_in(accepts).path() {
            Some(path) => variables.set("PATH", path),
            None => variables.remove("PATH"),
        }
        Self::new(variables)
    }

    /// The environment that programs get unless an [`Invocation`] changes it.
    #[must_use]
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Where programs are found.
    #[must_use]
    pub fn programs(&self) -> &Programs {
        &self.programs
    }

    /// Creates a directory that is removed when the launcher stops, if not before.
    ///
    /// # Errors
    /// If it can't be created.
    pub fn scratch(&self) -> io::Result<Scratch<'_>> {
        Scratch::new(&self.scratch)
    }

    /// Runs a program until it ends or runs out of time, and then ends whatever it left running. The program
    /// reads `input`, and at most `most_output` bytes of its output are kept. Waits first if four are already
    /// running.
    ///
    /// # Errors
    /// If the program is not found or cannot be started. What happens to it afterwards is in the result.
    pub fn run(
        &self,
        invocation: &Invocation,
        input: &[u8],
        most_output: usize,
    ) -> Result<Finished, StartError> {
        let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
        self.plain(invocation, stdin, Plain::new(input, most_output))
    }

    /// Like [`Launcher::run`], but without input, and only until the program has written `enough` bytes or a
    /// little more; the rest of its output is not read.
    ///
    /// # Errors
    /// Same as [`Launcher::run`].
    pub fn run_until(&self, invocation: &Invocation, enough: usize) -> Result<Finished, StartError> {
        self.plain(invocation, Stdio::null(), Plain::enough(enough))
    }

    fn plain(
        &self,
        invocation: &Invocation,
        stdin: Stdio,
        mut plain: Plain<'_>,
    ) -> Result<Finished, StartError> {
        let finished = self.supervised(
            invocation,
            ProcessGroup::Own,
            [stdin, Stdio::piped(), Stdio::piped()],
            &mut plain,
        )?;
        Ok(Finished { output: plain.output.finish(), ..finished })
    }

    /// Like [`Launcher::run`], but for a program with too much input and output to keep. Its output goes only
    /// to the dialogue.
    ///
    /// # Errors
    /// Same as [`Launcher::run`].
    #[cfg(unix)]
    pub fn converse(
        &self,
        invocation: &Invocation,
        dialogue: &mut dyn Dialogue,
    ) -> Result<Finished, StartError> {
        let streams = [Stdio::piped(), Stdio::piped(), Stdio::piped()];
        self.supervised(invocation, ProcessGroup::Own, streams, dialogue)
    }

    /// Runs a program in the foreground until it ends, in the process group of this process, so that the
    /// terminal's signals reach both, and with the same standard error. Its output goes to the dialogue, unless it
    /// is shared with this process.
    ///
    /// # Errors
    /// Same as [`Launcher::run`].
    pub fn attend(
        &self,
        invocation: &Invocation,
        inherits_output: bool,
        dialogue: &mut dyn Dialogue,
    ) -> Result<End, StartError> {
        let stdout = if inherits_output { Stdio::inherit() } else { Stdio::piped() };
        let streams = [Stdio::piped(), stdout, Stdio::inherit()];
        Ok(self.supervised(invocation, ProcessGroup::OfCaller, streams, dialogue)?.end)
    }

    /// Forwards a signal that this process received to the program in the foreground.
    #[cfg(unix)]
    pub fn hand_on(&self, signal: i32) {
        rustix::process::Signal::from_named_raw(signal)
            .into_iter()
            .for_each(|signal| supervise::hand_on(&self.running, signal));
    }

    fn supervised(
        &self,
        invocation: &Invocation,
        group: ProcessGroup,
        [stdin, stdout, stderr]: [Stdio; 3],
        dialogue: &mut dyn Dialogue,
    ) -> Result<Finished, StartError> {
        let Invocation { program: name, arguments, directory, variables, timeout, memory } = invocation;
        let Some(program) = self.programs.find(name, directory) else {
            return Err(StartError::NotFound { program: name.clone() });
        };
        let mut command = Command::new(&program);
        command.args(arguments).current_dir(directory).stdin(stdin).stdout(stdout).stderr(stderr);
        variables.apply(&mut command);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::arg0(&mut command, name);
        let _slot = self.slots.occupy();
        supervise::supervise(&self.running, &mut command, group, (*timeout, *memory), dialogue).map_err(
            |source| match source.kind() {
                io::ErrorKind::NotFound if !directory.is_dir() => {
                    StartError::NoDirectory { directory: directory.clone() }
                }
                _ => StartError::Failed { program: name.clone(), source },
            },
        )
    }

    /// Kills running programs, starts no more, and removes their directories. For a process that is about to be
    /// ended by a signal.
    pub fn stop(&self) {
        supervise::stop(&self.running);
        close(&self.scratch);
    }
}

/// The scratch directories that exist.
#[derive(Debug, Default)]
struct ScratchPaths {
    all: BTreeSet<PathBuf>,
    /// Whether nothing more is created in them.
    are_closed: bool,
}

/// A directory that only this process's user can access. It is removed when this is dropped.
#[derive(Debug)]
pub struct Scratch<'a> {
    path: PathBuf,
    paths: &'a Mutex<ScratchPaths>,
}

impl<'a> Scratch<'a> {
    /// Creates a directory and adds it to `paths`.
    fn new(paths: &'a Mutex<ScratchPaths>) -> io::Result<Self> {
        let path = unless_closed(paths, |all| {
            let mut builder = tempfile::Builder::new();
            builder.prefix("ctx-");
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
            let path = builder.tempdir().map_err(|error| not_made(&error))?.keep();
            all.insert(path.clone());
            Ok(path)
        })?;
        Ok(Self { path, paths })
    }

    /// The path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a directory in this one, and those above it, unless it exists.
    ///
    /// # Errors
    /// The system's error.
    pub fn create_directory(&self, path: &Path) -> io::Result<()> {
        unless_closed(self.paths, |_| create_private(path))
    }

    /// Creates a file in this directory.
    ///
    /// # Errors
    /// The system's error.
    pub fn create_file(&self, path: &Path, is_executable: bool) -> io::Result<File> {
        unless_closed(self.paths, |_| create_private_file(path, is_executable))
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        // The lock is held until the directory is gone, so that a signal doesn't end the process in between.
        let mut paths = locked(self.paths);
        if paths.all.remove(&self.path) {
            // What can't be removed is in a place for temporary files.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Creates something in a scratch directory, unless the launcher has stopped.
fn unless_closed<T>(
    paths: &Mutex<ScratchPaths>,
    create: impl FnOnce(&mut BTreeSet<PathBuf>) -> io::Result<T>,
) -> io::Result<T> {
    let mut paths = locked(paths);
    if paths.are_closed { Err(io::ErrorKind::Interrupted.into()) } else { create(&mut paths.all) }
}

/// How often the removal of a scratch directory is tried, and how long a killed program may take to end before
/// the next time.
const REMOVALS: usize = 100;
const PAUSE: Duration = Duration::from_millis(5);

/// Removes all scratch directories. From now on, nothing is created in them.
fn close(paths: &Mutex<ScratchPaths>) {
    let mut paths = locked(paths);
    paths.are_closed = true;
    for directory in std::mem::take(&mut paths.all) {
        // A killed program may still be writing there.
        for _ in 0..REMOVALS {
            if fs::remove_dir_all(&directory).is_ok() || !directory.exists() {
                break;
            }
            thread::sleep(PAUSE);
        }
    }
}

/// The variable that names the directory for temporary files.
const TEMPORARY: &str = if cfg!(windows) { "TMP" } else { "TMPDIR" };

/// Adds to an error the path of the directory where a temporary directory could not be created, since the
/// system's error doesn't name it.
fn not_made(error: &io::Error) -> io::Error {
    let place = env::temp_dir();
    let text = format!(
        "cannot create a temporary directory in '{}': {}; set {TEMPORARY} to a directory that exists",
        place.display(),
        cause(error)
    );
    io::Error::new(error.kind(), text)
}
