//! What a command knows of the machine it runs on, read once at the edge.

use std::path::PathBuf;
use std::time::SystemTime;

/// The current directory, the home directory and the clock, as they were when the command began.
#[derive(Debug, Clone)]
pub struct World {
    /// The current directory, absolute; relative entries are resolved against it.
    pub cwd: PathBuf,
    /// The home directory, where it is known; `~/…` is resolved against it.
    pub home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`, where it is set; git's own configuration may lie there.
    pub xdg_config_home: Option<PathBuf>,
    /// The time at which the command began.
    pub now: SystemTime,
    /// How many worker threads may run at once (at least 1).
    pub threads: usize,
}
