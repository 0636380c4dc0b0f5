//! The only place that starts programs.
//!
//! A [`Launcher`] finds a program in the absolute directories of `PATH` only. It starts it in a process group
//! of its own and bounds what it may use: time, output, and how many run at once; or in the foreground, for whoever
//! is at the terminal. Whoever has no launcher cannot start anything.

mod captured;
mod dialogue;
mod invocation;
mod programs;
mod slots;
#[cfg(unix)]
mod supervise;
#[cfg(not(unix))]
#[path = "supervise_portable.rs"]
mod supervise;
mod variables;

#[cfg(all(test, unix))]
mod tests;

use std::ffi::OsStr;
use std::io;
use std::path::Path;

pub use captured::{Captured, Collector};
pub use dialogue::Dialogue;
pub use invocation::{End, Finished, Foreground, Invocation, StartError};
pub use programs::Programs;
pub use variables::Variables;

use slots::Slots;
use supervise::Running;

/// How many programs run at once.
const MOST_AT_ONCE: usize = 4;

/// The way to start programs, with the environment that they get.
#[derive(Debug)]
pub struct Launcher {
    programs: Programs,
    variables: Variables,
    slots: Slots,
    running: Running,
}

impl Launcher {
    /// A launcher for the environment of this process. `PATH` is reduced to its absolute directories, for
    /// finding programs as well as for the programs themselves.
    #[must_use]
    pub fn new(mut variables: Variables) -> Self {
        let programs = Programs::in_path(variables.get("PATH").unwrap_or_default());
        match programs.path() {
            Some(path) => variables.set("PATH", path),
            None => variables.remove("PATH"),
        }
        Self { programs, variables, slots: Slots::new(MOST_AT_ONCE), running: Running::default() }
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

    /// Runs a program until it has ended or its time is over. Waits first where four run already.
    ///
    /// # Errors
    /// If the program is not found or cannot be started. Whatever becomes of it afterwards is in the result.
    pub fn run(&self, invocation: &Invocation) -> Result<Finished, StartError> {
        self.start(invocation, |program| supervise::run(program, invocation, &self.running))
    }

    /// The same with a program that reads and writes more than should be kept. What it writes goes to the
    /// dialogue alone.
    ///
    /// # Errors
    /// As [`Launcher::run`].
    #[cfg(unix)]
    pub fn converse(
        &self,
        invocation: &Invocation,
        dialogue: &mut dyn Dialogue,
    ) -> Result<Finished, StartError> {
        self.start(invocation, |program| supervise::converse(program, invocation, dialogue, &self.running))
    }

    /// Runs a program in the foreground until it has ended. What it writes goes to the dialogue, unless its
    /// output is that of this process.
    ///
    /// # Errors
    /// As [`Launcher::run`].
    pub fn attend(&self, foreground: &Foreground, dialogue: &mut dyn Dialogue) -> Result<End, StartError> {
        let Foreground { program, directory, .. } = foreground;
        self.started(program, directory, |found| {
            supervise::attend(found, foreground, dialogue, &self.running)
        })
    }

    /// Sends a signal that this process got to what runs in the foreground.
    #[cfg(unix)]
    pub fn hand_on(&self, signal: i32) {
        rustix::process::Signal::from_named_raw(signal)
            .into_iter()
            .for_each(|signal| self.running.hand_on(signal));
    }

    fn start(
        &self,
        invocation: &Invocation,
        run: impl FnOnce(&Path) -> io::Result<Finished>,
    ) -> Result<Finished, StartError> {
        self.started(&invocation.program, &invocation.directory, run)
    }

    fn started<T>(
        &self,
        name: &OsStr,
        directory: &Path,
        run: impl FnOnce(&Path) -> io::Result<T>,
    ) -> Result<T, StartError> {
        let Some(program) = self.programs.find(name, directory) else {
            return Err(StartError::NotFound { program: name.to_owned() });
        };
        let _slot = self.slots.occupy();
        run(&program).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound if !directory.is_dir() => {
                StartError::NoDirectory { directory: directory.to_owned() }
            }
            _ => StartError::Failed { program: name.to_owned(), source },
        })
    }

    /// Kills what runs, and starts nothing any more: for a process that a signal is about to end.
    pub fn stop(&self) {
        self.running.stop();
    }
}
