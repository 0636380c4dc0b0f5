//! Runs `ctx` under `strace`, which can kill it at a system call or make the call fail.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

use crate::support::{Sandbox, binary, needs};

/// The calls that change a store or inspect it. A question mark is for calls that some architectures lack.
pub const CALLS: [&str; 8] = [
    "write",
    "?fsync,?fdatasync",
    "?rename,?renameat,?renameat2",
    "openat",
    "?unlink,?unlinkat",
    "?mkdir,?mkdirat",
    "?chmod,?fchmod,?fchmodat",
    "flock,?fcntl",
];

/// Whether nothing can be traced here, which is said. In CI, tracing must be possible.
#[track_caller]
pub fn denied() -> bool {
    match Command::new("strace").args(["-o", "/dev/null", "true"]).output() {
        Err(_) => needs("strace"),
        Ok(output) if !output.status.success() => {
            needs(&format!("leave to trace ({})", String::from_utf8_lossy(&output.stderr).trim()));
        }
        Ok(_) => return false,
    }
    true
}

/// A run, and the calls that it made.
pub struct Traced {
    pub output: Output,
    /// One line for each call of the main thread, with paths for descriptors.
    pub calls: Vec<String>,
}

impl Traced {
    pub fn code(&self) -> Option<i32> {
        self.output.status.code()
    }

    pub fn was_killed(&self) -> bool {
        self.output.status.signal() == Some(9)
    }

    /// Whether a call was made to fail.
    pub fn was_disturbed(&self) -> bool {
        self.calls.iter().any(|call| call.contains("(INJECTED)"))
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }
}

/// Runs `ctx ARGS` and traces `calls`; `inject` describes what happens at which of them, such as
/// `signal=KILL:when=3`. Only the main thread is traced, since it alone changes the store.
pub fn traced(sandbox: &Sandbox, args: &[&str], calls: &str, inject: Option<&str>) -> Traced {
    traced_where(sandbox, args, calls, inject, &[])
}

/// Like [`traced`], but with another injection that applies to every call, such as `renameat2:error=EINVAL`.
pub fn traced_where(
    sandbox: &Sandbox,
    args: &[&str],
    calls: &str,
    inject: Option<&str>,
    also: &[&str],
) -> Traced {
    let log = sandbox.home().join("strace.log");
    let mut command = Command::new("strace");
    let trace = if also.is_empty() { format!("trace={calls}") } else { format!("trace={calls},?renameat2") };
    command.args(["-qq", "-y", "-e", &trace, "-o"]).arg(&log);
    for also in also {
        command.args(["-e", &format!("inject={also}")]);
    }
    if let Some(inject) = inject {
        command.args(["-e", &format!("inject={calls}:{inject}")]);
    }
    command.arg(binary()).args(args).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
    let output = command.stdin(Stdio::null()).output().unwrap();
    let calls = String::from_utf8_lossy(&fs::read(&log).unwrap()).lines().map(str::to_owned).collect();
    Traced { output, calls }
}

/// Runs `ctx ARGS`, stops it right after its `place`th `call`, runs a closure in that window, and lets it
/// continue; `None` if it didn't get that far. It is one call, since strace counts each on its own, and several would
/// stop the process more than once. `also` is a further injection, such as `renameat2:error=EINVAL`.
pub fn interposed(
    sandbox: &Sandbox,
    args: &[&str],
    (call, place): (&str, usize),
    also: &[&str],
    act: impl FnOnce(),
) -> Option<Output> {
    assert!(!call.contains(','), "{call}");
    let log = sandbox.home().join("strace.fifo");
    if !log.exists() {
        assert!(Command::new("mkfifo").arg(&log).status().unwrap().success());
    }
    let mut command = Command::new("strace");
    command.args(["-qq", "-o"]).arg(&log);
    command.args(["-e", &format!("trace={call},?renameat2")]);
    for inject in also {
        command.args(["-e", &format!("inject={inject}")]);
    }
    command.args(["-e", &format!("inject={call}:signal=STOP:when={place}")]);
    command.arg(binary()).args(args).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(File::open(&log).unwrap());
    let mut line = String::new();
    let is_stopped = loop {
        line.clear();
        match lines.read_line(&mut line) {
            Ok(0) | Err(_) => break false,
            Ok(_) if line.contains("stopped by SIGSTOP") => break true,
            Ok(_) => {}
        }
    };
    if is_stopped {
        act();
        let tracer = child.id();
        let traced = fs::read_to_string(format!("/proc/{tracer}/task/{tracer}/children")).unwrap();
        assert!(Command::new("kill").args(["-CONT", traced.trim()]).status().unwrap().success());
    }
    let _ = lines.read_to_end(&mut Vec::new());
    let output = child.wait_with_output().unwrap();
    is_stopped.then_some(output)
}

/// The numbers, from 1, of the `calls` that touch the store in an undisturbed run.
pub fn places(sandbox: &Sandbox, args: &[&str], calls: &str) -> Vec<usize> {
    let store = sandbox.store().to_str().unwrap().to_owned();
    let traced = traced(sandbox, args, calls, None);
    let numbered = traced.calls.iter().filter(|line| line.contains('(')).enumerate();
    numbered.filter(|(_, line)| line.contains(&store)).map(|(index, _)| index + 1).collect()
}
