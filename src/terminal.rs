//! The terminal that this process runs on: each has its own conversations.

use std::io::{IsTerminal, stderr, stdin, stdout};
use std::time::{Duration, SystemTime};

use ctx_core::history::Terminal;
use ctx_core::words::timestamp;

/// How long a terminal of another machine, of which nothing is known, counts as open after its last question.
const ELSEWHERE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The terminal that this process reads from or writes to, if any.
pub fn here() -> Option<Terminal> {
    let is_on_terminal = stdin().is_terminal() || stdout().is_terminal() || stderr().is_terminal();
    let session = session().filter(|_| is_on_terminal)?;
    Some(Terminal { machine: machine(), session, started: started(session).unwrap_or(0) })
}

/// Whether a terminal on which something was last asked at this time is still open.
pub fn is_open(terminal: &Terminal, asked: &str, now: SystemTime) -> bool {
    if terminal.machine == machine() {
        return started(terminal.session) == Some(terminal.started);
    }
    now.checked_sub(ELSEWHERE).is_some_and(|then| asked >= timestamp(then).as_str())
}

/// The process that leads the session of this terminal; `None` if it runs outside the container that this one is in.
#[cfg(target_os = "linux")]
fn session() -> Option<u64> {
    stat("self", 3).filter(|&leader| leader != 0)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn session() -> Option<u64> {
    let leader = rustix::process::getsid(None).ok()?;
    u64::try_from(leader.as_raw_nonzero().get()).ok()
}

/// Nothing here tells the windows of a console apart.
#[cfg(not(unix))]
fn session() -> Option<u64> {
    None
}

/// The name of the machine and, where it is known, the id of the run of its system.
#[cfg(unix)]
fn machine() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let run = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    format!("{name} {run}").trim_end().to_owned()
}

#[cfg(not(unix))]
fn machine() -> String {
    String::new()
}

/// When a process was started; `None` if it does not run.
#[cfg(target_os = "linux")]
fn started(process: u64) -> Option<u64> {
    stat(&process.to_string(), 19)
}

/// A field of what the system knows of a process, by its place after the program's name (proc(5)).
#[cfg(target_os = "linux")]
fn stat(process: &str, place: usize) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may contain anything.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(place)?.parse().ok()
}

/// When a process was started, which is not known here; `None` if it does not run.
#[cfg(all(unix, not(target_os = "linux")))]
fn started(process: u64) -> Option<u64> {
    let process = rustix::process::Pid::from_raw(i32::try_from(process).ok()?)?;
    rustix::process::test_kill_process(process).ok().map(|()| 0)
}

#[cfg(not(unix))]
fn started(_: u64) -> Option<u64> {
    None
}
