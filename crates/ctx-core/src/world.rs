//! What a command knows about the machine it runs on, read once at the edge.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::SystemTime;

/// The current directory, the home directory and the clock, as they were when the command started.
#[derive(Debug, Clone)]
pub struct World {
    /// The current directory, absolute; typed paths are relative to it.
    pub cwd: PathBuf,
    /// The work root, with all links resolved: relative entries on the lists are resolved against it, and
    /// labels are relative to it. It is the current directory or above it.
    pub root: PathBuf,
    /// The home directory, if known; `~/…` is resolved against it.
    pub home: Option<PathBuf>,
    /// The root of the project that contains the current directory, with all links resolved, if one is in
    /// use.
    pub project: Option<PathBuf>,
    /// The part of the environment that determines git's configuration.
    pub git: GitEnvironment,
    /// The time at which the command started.
    pub now: SystemTime,
    /// How many worker threads may run at once (at least 1).
    pub threads: usize,
}

/// The part of the environment that affects git's configuration; empty by default.
#[derive(Debug, Clone, Default)]
pub struct GitEnvironment {
    /// `XDG_CONFIG_HOME` and all variables that begin with `GIT_CONFIG`.
    variables: BTreeMap<OsString, OsString>,
    /// Where this machine's git keeps the system configuration.
    pub system_config: Option<PathBuf>,
    /// `$PWD`: the current directory by the path that led there.
    pub pwd: Option<PathBuf>,
    /// `$SUDO_UID`: the user who called `sudo`.
    pub sudo_user: Option<u32>,
}

impl World {
    /// The same world with the work root, which stored entries are relative to, as the current directory.
    #[must_use]
    pub fn at_root(&self) -> Self {
        Self { cwd: self.root.clone(), ..self.clone() }
    }
}

impl GitEnvironment {
    /// Picks the relevant variables from a process's environment.
    pub fn new(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        system_config: Option<PathBuf>,
    ) -> Self {
        let mut environment = Self { system_config, ..Self::default() };
        for (name, value) in variables {
            match name.to_str() {
                Some("PWD") => environment.pwd = Some(PathBuf::from(value)),
                Some("SUDO_UID") => environment.sudo_user = value.to_str().and_then(|id| id.parse().ok()),
                Some(known) if known == "XDG_CONFIG_HOME" || known.starts_with("GIT_CONFIG") => {
                    environment.variables.insert(name, value);
                }
                Some(_) | None => {}
            }
        }
        environment
    }

    /// The value of one of git's variables or of `XDG_CONFIG_HOME`.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }
}
