//! Disks that are full, broken or read-only: ctx reports it and leaves the store as it was.
//!
//! The test suite samples the failing calls; `tests/campaigns/faults` tries them all.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::known::Known;
use crate::states::{RUN, State, WRITING, campaign, copy, furnished, next_writer_works, run, sum_over};
use crate::strace::{Traced, denied, places, traced};
use crate::support::{Sandbox, binary, is_whole, skipped};

/// The calls that may fail, and the kinds of commands in the sample.
const CALLS: [&str; 6] =
    ["write", "?fsync,?fdatasync", "?rename,?renameat,?renameat2", "openat", "flock", "?unlink,?unlinkat"];
const ERRORS: [(&str, &str); 4] = [
    ("ENOSPC", "no space left on device"),
    ("EIO", "input/output error"),
    ("EPERM", "operation not permitted"),
    ("EROFS", "read-only file system"),
];
const SAMPLE: [&[&str]; 6] = [
    &["add", "-f", "new"],
    &["profile", "-m", "a", "new"],
    &["profile", "--set", "budget=5k"],
    &["history", "append", "--role", "user", "new"],
    &["history", "clear"],
    &["clear"],
];

/// Checks that the messages of a command that met a fault match the state of the store.
fn check_told(run: &Traced, cause: &str, here: &str, store: &Path, found: &State, states: &[State; 2]) {
    let said = run.stderr();
    if run.code() == Some(0) {
        assert_eq!(*found, states[1], "{here}: success without the change");
        return;
    }
    assert_eq!(run.code(), Some(1), "{here}: {said}");
    assert!(run.output.stdout.is_empty(), "{here}");
    assert!(said.starts_with("error: cannot "), "{here}: {said}");
    assert!(said.contains(store.to_str().unwrap()), "{here}: the path in {said}");
    assert!(said.contains(cause), "{here}: the cause in {said}");
    assert!(!said.contains(".ctx-"), "{here}: a temporary file in {said}");
    let only_read =
        ["error: cannot read ", "error: cannot list "].iter().any(|start| said.starts_with(start));
    if said.contains("nothing was changed") || only_read {
        assert_eq!(*found, states[0], "{here}: {said}");
    } else {
        assert!(said.contains("; the change was "), "{here}: {said}");
        assert_eq!(*found, states[1], "{here}: {said}");
    }
}

/// Checks that an answer is recorded unless ctx reports that it wasn't or, before it runs the program, that it won't be.
fn check_run(run: &Traced, here: &str, found: &State, states: &[State; 2]) {
    let said = run.stderr();
    let not_recorded = said.contains("error: the answer was printed but not recorded: ");
    let is_warned = said.contains("warning: the answer won't be recorded: ");
    let answer = String::from_utf8_lossy(&run.output.stdout).into_owned();
    match run.code() {
        Some(0) if is_warned => assert_eq!((answer.as_str(), found), ("1\n", &states[0]), "{here}: {said}"),
        Some(0) => assert_eq!((answer.as_str(), found), ("1\n", &states[1]), "{here}: {said}"),
        _ if said.contains("; the change was ") => assert_eq!(*found, states[1], "{here}: {said}"),
        _ if not_recorded => assert_eq!((answer.as_str(), found), ("1\n", &states[0]), "{here}: {said}"),
        _ => assert!(!said.is_empty() && states.contains(found), "{here}: {said}"),
    }
}

fn disturb(origin: &Sandbox, args: &[&str], calls: &str, states: &[State; 2], known: &Known) -> usize {
    let measured = Sandbox::new();
    copy(origin, &measured);
    let mut disturbed = 0;
    for place in places(&measured, args, calls) {
        for (error, cause) in ERRORS {
            for persistent in ["", "+"] {
                // If nothing can be written, no message can be either.
                if calls == "write" && persistent == "+" {
                    continue;
                }
                if !is_whole() && (persistent.is_empty() == (error == "EPERM" || error == "ENOSPC")) {
                    continue;
                }
                let sandbox = Sandbox::new();
                copy(origin, &sandbox);
                let inject = format!("error={error}:when={place}{persistent}");
                let run = traced(&sandbox, args, calls, Some(&inject));
                let here = format!("{args:?} with {calls} {inject}");
                let found = known.state(&sandbox);
                if args == RUN {
                    check_run(&run, &here, &found, states)
                } else {
                    check_told(&run, cause, &here, &sandbox.store(), &found, states)
                }
                disturbed += usize::from(run.was_disturbed());
            }
        }
    }
    disturbed
}

#[test]
fn a_failing_system_call_is_reported_truthfully() {
    if denied() {
        return;
    }
    let all = campaign();
    let commands: &[&[&str]] = if is_whole() { &all } else { &SAMPLE };
    let mut disturbed = 0;
    for (origin, commands) in [(furnished(), commands), (Sandbox::new(), &SAMPLE[..1])] {
        disturbed += sum_over(commands, |args| {
            let after = Sandbox::new();
            copy(&origin, &after);
            let before = State::of(&after);
            assert!(run(&after, args).status.success());
            let (states, known) = ([before, State::of(&after)], Known::default());
            let failed =
                CALLS.iter().map(|calls| disturb(&origin, args, calls, &states, &known)).sum::<usize>();
            if is_whole() {
                eprintln!("disturbed {failed} times: {args:?}");
            }
            failed
        });
    }
    eprintln!("disturbed {disturbed} commands");
    assert!(disturbed >= 40, "{disturbed}");
}

/// A small separate file system for the duration of a test.
struct Disk(PathBuf);

impl Disk {
    /// Mounts one at `path`, which only root can do.
    fn mount(path: PathBuf, options: &str) -> Result<Self, String> {
        fs::create_dir_all(&path).unwrap();
        mount(&["-t", "tmpfs", "-o", options, "none"], &path).map(|()| Self(path))
    }

    fn remount(&self, options: &str) {
        mount(&["-o", &format!("remount,{options}")], &self.0).unwrap();
    }

    fn fill(&self) {
        let mut file = File::create(self.0.join("ballast")).unwrap();
        while std::io::Write::write_all(&mut file, &[b'x'; 512]).is_ok() {}
    }
}

fn mount(args: &[&str], path: &Path) -> Result<(), String> {
    let output = Command::new("mount").args(args).arg(path).stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn writes_to_a_full_or_read_only_disk_change_nothing() {
    let place = tempfile::tempdir().unwrap();
    let disk = match Disk::mount(place.path().join("disk"), "size=64k") {
        Ok(disk) => disk,
        Err(why) => return skipped(&format!("no file system can be mounted: {why}")),
    };
    let sandbox = Sandbox::new().variable("CTX_HOME", disk.0.join("store").to_str().unwrap());
    sandbox.write("a.txt", "text\n".repeat(30_000));
    for command in [&["add", "-g", "-f", "common"][..], &["profile", "-c", "b"], &["add", "-f", "one"]] {
        sandbox.ctx(command).stderr_any().check();
    }
    let (block, manifest) = (disk.0.join("block.txt"), disk.0.join("manifest.json"));
    fs::write(&block, "old block").unwrap();
    fs::write(&manifest, "old manifest").unwrap();
    let before = State::of(&sandbox);
    let check = |cause: &str| {
        for args in [
            &["add", "-f", "x"][..],
            &["rm", "one"],
            &["clear", "-g"],
            &["profile", "-c", "c"],
            &["profile", "-m", "b", "c"],
            &["profile", "-d", "b"],
            &["switch", "b"],
            &["switch", "-c", "c"],
            &["history", "append", "--role", "user", "x"],
        ] {
            // Removing a file needs no space.
            let succeeds = args[1] == "-d" && cause.starts_with("no space");
            if succeeds {
                continue;
            }
            let told = sandbox.ctx(args).code(1).stderr_has(cause).stderr_has("nothing was changed");
            told.stderr_has(disk.0.join("store").to_str().unwrap()).check();
            assert_eq!(State::of(&sandbox), before, "{args:?}");
        }
        for (option, file, old) in [("-o", &block, "old block"), ("--manifest", &manifest, "old manifest")] {
            let file = file.to_str().unwrap();
            sandbox
                .ctx(["render", "--only", "a.txt", option, file])
                .code(1)
                .stderr_has(cause)
                .stderr_has(file)
                .check();
            assert_eq!(fs::read_to_string(file).unwrap(), old);
        }
        let mut names: Vec<String> = fs::read_dir(&disk.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "ballast")
            .collect();
        names.sort();
        assert_eq!(names, ["block.txt", "manifest.json", "store"]);
    };
    disk.fill();
    check("no space left on device");
    fs::remove_file(disk.0.join("ballast")).unwrap();
    disk.remount("ro");
    check("read-only file system");
    disk.remount("rw");
    sandbox.ctx(["add", "-f", "x"]).stderr_any().check();
}

#[test]
fn writes_to_a_read_only_directory_change_nothing() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = furnished();
    let probe = sandbox.path("probe");
    fs::create_dir(&probe).unwrap();
    let protect = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    protect(&probe, 0o500);
    if File::create(probe.join("x")).is_ok() {
        return skipped("permissions do not stop root");
    }
    let before = State::of(&sandbox);
    protect(&sandbox.store(), 0o500);
    protect(&sandbox.store().join("profiles"), 0o500);
    for args in WRITING {
        sandbox.ctx(args).code(1).stderr_has("permission denied").stderr_has("nothing was changed").check();
        assert_eq!(State::of(&sandbox), before, "{args:?}");
    }
    protect(&sandbox.store(), 0o700);
    protect(&sandbox.store().join("profiles"), 0o700);
    next_writer_works(&sandbox);
}

/// `/dev/full` accepts nothing.
#[test]
fn no_command_succeeds_if_its_output_cannot_be_written() {
    let sandbox = furnished();
    sandbox.write("a.txt", "text\n");
    let printing: [&[&str]; 17] = [
        &["render", "--only", "a.txt"],
        &["render", "--only", "a.txt", "--dry-run"],
        &["render", "--only", "a.txt", "--dry-run", "--json"],
        &["render", "--only", "a.txt", "--format", "json"],
        &["render", "--only", "-p", "question"],
        &["render", "--only", "a.txt", "-o", "/dev/full"],
        &["render", "--only", "a.txt", "--manifest", "/dev/full", "-o", "/dev/null"],
        &["show"],
        &["show", "--expand"],
        &["show", "--tree"],
        &["show", "--json"],
        &["profile"],
        &["profile", "--json"],
        &["profile", "--current"],
        &["completions", "zsh"],
        &["--help"],
        &["--version"],
    ];
    for args in printing {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(binary());
        command.args(args).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
        let child = command.stdin(Stdio::null()).stdout(full).stderr(Stdio::piped()).spawn();
        let output = child.unwrap().wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        let is_json = args.contains(&"--json") || args.contains(&"json");
        let begins = if is_json { "{\"error\":\"cannot write " } else { "error: cannot write " };
        assert!(stderr.contains(begins), "{args:?}: {stderr}");
        assert!(stderr.contains("no space left on device"), "{args:?}: {stderr}");
    }
}

#[test]
fn a_file_system_that_cannot_sync_a_directory_is_written_to() {
    for error in ["EINVAL", "EOPNOTSUPP", "ENOSYS"] {
        let sandbox = Sandbox::with(&[("one", "1\n")]);
        sandbox.ctx(["add", "-q", "one"]).check();
        if denied() {
            return;
        }
        // The first call is about the file.
        let inject = format!("error={error}:when=2");
        let run = traced(&sandbox, &["add", "-q", "-f", "two"], "?fsync,?fdatasync", Some(&inject));
        assert_eq!((run.code(), run.stderr().as_str()), (Some(0), ""), "{error}");
        sandbox.ctx(["show"]).stdout_has("two (missing)").check();
    }
}
