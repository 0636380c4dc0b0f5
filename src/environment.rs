//! The world outside the program, read once: environment variables, directories, the clock.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ctx_core::command::DEPTH;
use ctx_core::dependency::Caches;
use ctx_core::fs::resolved;
use ctx_core::git::dot_git;
use ctx_core::process::Launcher;
use ctx_core::world::{GitEnvironment, World};

/// More threads than this find nothing to do in a walk or between two reads.
const MOST_THREADS: usize = 16;

/// The environment; empty variables count as unset.
#[derive(Debug)]
pub struct Environment {
    /// Directories and the clock, for the library.
    pub world: World,
    /// `$CTX_HOME`: the store's root.
    pub ctx_home: Option<OsString>,
    /// `$CTX_PROFILE`: the profile of this shell or script.
    pub ctx_profile: Option<OsString>,
    /// `$CTX_HISTORY`: the history of this shell or script.
    pub ctx_history: Option<OsString>,
    /// `$CTX_MODEL`: the model when none is named.
    pub ctx_model: Option<OsString>,
    /// `$CTX_PROJECT`: whether to use the project.
    pub ctx_project: Option<OsString>,
    /// `$CTX_TRUST`: the digest of the items to trust for this one command.
    pub ctx_trust: Option<OsString>,
    /// Whether this process was started by a command of a list or by the choice of names, which start no programs of their
    /// own.
    pub is_nested: bool,
    /// How long a program may take to choose names.
    pub naming_time: Duration,
    /// The user's configuration directory.
    pub config_dir: Option<PathBuf>,
    /// The user's cache directory.
    pub cache_dir: Option<PathBuf>,
    /// Whether `$NO_COLOR` is set.
    pub no_color: bool,
    /// Whether `$CLICOLOR_FORCE` is set and not `0`.
    pub force_color: bool,
    /// Whether `$CI` is set, which means that nobody is watching.
    pub ci: bool,
    /// Whether the terminal lacks support for colours: `$TERM` is `dumb`.
    pub dumb_terminal: bool,
    /// Whether the locale can show more than ASCII.
    pub unicode: bool,
}

impl Environment {
    /// Reads the environment of this process, which runs in `cwd`.
    pub fn read(cwd: PathBuf) -> Self {
        let git = GitEnvironment::new(env::vars_os(), system_git_config(&cwd));
        Self {
            world: World {
                root: cwd.clone(),
                cwd,
                home: env::home_dir().filter(|home| !home.as_os_str().is_empty()),
                project: None,
                now: now(),
                threads: threads(),
                git,
            },
            ctx_home: variable("CTX_HOME"),
            ctx_profile: variable("CTX_PROFILE"),
            ctx_history: variable("CTX_HISTORY"),
            ctx_model: variable("CTX_MODEL"),
            ctx_project: variable("CTX_PROJECT"),
            ctx_trust: variable("CTX_TRUST"),
            is_nested: variable(DEPTH).is_some(),
            naming_time: naming_time(),
            config_dir: of_windows("APPDATA").or_else(dirs::config_dir),
            cache_dir: of_windows("LOCALAPPDATA").or_else(dirs::cache_dir),
            no_color: variable("NO_COLOR").is_some(),
            force_color: variable("CLICOLOR_FORCE").is_some_and(|value| value != "0"),
            ci: variable("CI").is_some(),
            dumb_terminal: match variable("TERM") {
                Some(value) => value == "dumb",
                // The Windows console has to be asked to support colours.
                None => anstyle_query::windows::enable_ansi_colors() == Some(false),
            },
            unicode: locale_is_unicode(),
        }
    }
}

/// The clock. `$CTX_NOW`, in seconds since 1970, replaces it, so that a test need not wait for files to age.
fn now() -> SystemTime {
    let seconds = variable("CTX_NOW").and_then(|seconds| seconds.to_str()?.parse().ok());
    let set = seconds.and_then(|seconds| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)));
    set.unwrap_or_else(SystemTime::now)
}

/// How long a program may take to choose names. `$CTX_NAMING_TIME`, in milliseconds, replaces it, so that a test need not
/// wait for a program that never replies.
fn naming_time() -> Duration {
    const MOST: Duration = Duration::from_secs(60);
    let set = variable("CTX_NAMING_TIME").and_then(|time| time.to_str()?.parse().ok());
    set.map_or(MOST, Duration::from_millis)
}

/// The launcher for programs, with the environment of this process.
pub fn launcher() -> Launcher {
    Launcher::new(env::vars_os().collect())
}

/// The processors that this process may use, with one system call; the standard library, which also looks at
/// control groups, reads half a dozen files.
#[cfg(target_os = "linux")]
fn threads() -> usize {
    rustix::thread::sched_getaffinity(None).map_or(1, |set| set.count() as usize).clamp(1, MOST_THREADS)
}

#[cfg(not(target_os = "linux"))]
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS)
}

/// Where package managers keep sources outside of trees.
pub fn dependency_caches(home: Option<&Path>) -> Caches {
    let in_home = |path: &str| home.map(|home| home.join(path));
    let go_path = || Some(env::split_paths(&variable("GOPATH")?).next()?.join("pkg/mod"));
    Caches {
        cargo_home: variable("CARGO_HOME").map(PathBuf::from).or_else(|| in_home(".cargo")),
        go_modules: variable("GOMODCACHE")
            .map(PathBuf::from)
            .or_else(go_path)
            .or_else(|| in_home("go/pkg/mod")),
    }
}

/// Whether a program is installed, outside of the tree around `cwd`.
pub fn has_program(name: &str, cwd: &Path) -> bool {
    let top = cwd.ancestors().find(|above| dot_git(above).is_some()).unwrap_or(cwd);
    let name = if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() };
    let is_there = |directory: PathBuf| {
        let program = directory.join(&name);
        program.is_file() && !resolved(&program).starts_with(resolved(top))
    };
    variable("PATH").is_some_and(|path| env::split_paths(&path).any(is_there))
}

/// Where this machine's git looks for the system configuration: in the `etc` next to git's own directory if
/// there is one (but not in `/usr/etc`), and otherwise in `/etc`. A git in the repository around `cwd` is another one.
fn system_git_config(cwd: &Path) -> Option<PathBuf> {
    let path = variable("PATH")?;
    let name = if cfg!(windows) { "git.exe" } else { "git" };
    let top = cwd.ancestors().find(|above| dot_git(above).is_some()).unwrap_or(cwd);
    let is_of_machine = |directory: &PathBuf| {
        directory.join(name).is_file() && !resolved(directory.join(name)).starts_with(resolved(top))
    };
    let directory = env::split_paths(&path).find(is_of_machine)?;
    let prefix = directory.parent()?;
    let own = prefix.join("etc/gitconfig");
    let is_own = prefix != Path::new("/usr") && own.is_file();
    Some(if is_own { own } else { PathBuf::from("/etc/gitconfig") })
}

fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// A directory from a Windows variable.
fn of_windows(name: &str) -> Option<PathBuf> {
    variable(name).filter(|_| cfg!(windows)).map(PathBuf::from)
}

/// The Windows console can show everything, whatever the variables of other systems contain.
fn locale_is_unicode() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
    locale.map_or(cfg!(windows), |locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// Whether standard input can be read to its end: a pipe or a file, but not a terminal. A socket may stay open for
/// as long as the program at its other end runs.
#[cfg(unix)]
pub fn input_is_given() -> bool {
    use rustix::fs::{FileType, fstat};

    let kind = fstat(io::stdin()).map(|found| FileType::from_raw_mode(found.st_mode));
    matches!(kind, Ok(FileType::Fifo | FileType::RegularFile))
}

/// Never, since it can't be known.
#[cfg(not(unix))]
pub fn input_is_given() -> bool {
    false
}

/// Whether somebody has already written to the pipe on standard input, and meant it for this process. A pipe that the
/// parent process reads as well, such as a loop in a shell, is meant for the parent. Reads nothing, and doesn't wait.
#[cfg(unix)]
pub fn input_is_waiting() -> bool {
    use rustix::fs::{FileType, fstat};

    let Ok(found) = fstat(io::stdin()) else { return false };
    let is_pipe = matches!(FileType::from_raw_mode(found.st_mode), FileType::Fifo | FileType::Socket);
    let of_parent = || {
        let parent = std::os::unix::process::parent_id();
        // Only Linux shows what other processes read.
        rustix::fs::stat(format!("/proc/{parent}/fd/0")).ok()
    };
    let is_shared =
        || of_parent().is_some_and(|other| (other.st_dev, other.st_ino) == (found.st_dev, found.st_ino));
    is_pipe && rustix::io::ioctl_fionread(io::stdin()).is_ok_and(|bytes| bytes > 0) && !is_shared()
}

/// Never, since it can't be known.
#[cfg(not(unix))]
pub fn input_is_waiting() -> bool {
    false
}
