use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::{Captured, End, Finished, Invocation, Launcher, StartError, Variables};

/// Long enough that a passing test never reaches it.
const LONG: Duration = Duration::from_secs(60);

/// More than anything here writes.
const MOST: usize = 1 << 20;

fn launcher() -> Launcher {
    let path = std::env::var_os("PATH").unwrap();
    Launcher::new([(OsString::from("PATH"), path)].into_iter().collect())
}

fn shell(script: &str, directory: &Path) -> Invocation {
    Invocation {
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        directory: directory.to_owned(),
        variables: launcher().variables().clone(),
        timeout: Some(LONG),
        memory: None,
    }
}

fn run(script: &str) -> Finished {
    launcher().run(&shell(script, Path::new("/")), &[], MOST).unwrap()
}

fn whole(text: &str) -> Captured {
    Captured { head: text.as_bytes().to_vec(), ..Captured::default() }
}

#[test]
fn program_that_ends_reports_code_output_and_last_error_line() {
    assert_eq!(
        run("echo out; echo first >&2; printf 'last\\n\\n' >&2; exit 3"),
        Finished {
            end: End::Exited(3),
            output: whole("out\n"),
            errors: whole("first\nlast\n\n"),
            last_error_line: Some("last".into())
        }
    );
}

#[test]
fn program_ended_by_a_signal_reports_the_signal() {
    assert_eq!(
        run("kill -9 $$"),
        Finished { end: End::Signalled(9), output: whole(""), errors: whole(""), last_error_line: None }
    );
}

#[test]
fn standard_input_is_null_or_the_given_bytes() {
    assert_eq!(run("cat").output, whole(""));
    let long = "x".repeat(300_000);
    let output =
        |script: &str| launcher().run(&shell(script, Path::new("/")), long.as_bytes(), MOST).unwrap().output;
    assert_eq!(output("cat"), whole(&long));
    assert_eq!(output("exec <&-; echo done"), whole("done\n"));
}

#[test]
fn output_over_the_limit_keeps_both_ends() {
    let invocation = shell("printf %s start; yes | head -c 100000; printf %s end!", Path::new("/"));
    assert_eq!(
        launcher().run(&invocation, &[], 8).unwrap().output,
        Captured { head: b"star".to_vec(), omitted: 100_001, tail: b"end!".to_vec() }
    );
}

#[test]
fn background_process_holding_the_pipe_is_killed_without_delaying_the_end() {
    let temporary = tempfile::tempdir().unwrap();
    for name in ["held", "never"] {
        let made = std::process::Command::new("mkfifo").arg(temporary.path().join(name)).status();
        assert!(made.unwrap().success());
    }
    thread::scope(|scope| {
        // Ends once nobody has the other end open.
        let held = scope.spawn(|| fs::read(temporary.path().join("held")).unwrap());
        let invocation = shell("exec 3>held; cat never & echo done", temporary.path());
        let finished = launcher().run(&invocation, &[], MOST).unwrap();
        assert_eq!(finished.output, whole("done\n"));
        assert_eq!(finished.end, End::Exited(0));
        assert_eq!(held.join().unwrap(), b"");
    });
}

#[test]
fn program_that_exceeds_its_timeout_is_terminated_with_its_group() {
    let temporary = tempfile::tempdir().unwrap();
    let fifo = temporary.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let waiting = Invocation {
        timeout: Some(Duration::from_millis(50)),
        ..shell("echo begun; cat fifo & wait", temporary.path())
    };
    let finished = launcher().run(&waiting, &[], MOST).unwrap();
    assert_eq!(finished.end, End::TimedOut);
    assert_nobody_reads(&fifo);
}

#[test]
fn program_that_ignores_term_is_killed_with_its_group() {
    let temporary = tempfile::tempdir().unwrap();
    let fifo = temporary.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let stubborn = Invocation {
        timeout: Some(Duration::from_millis(200)),
        ..shell("trap '' TERM; cat fifo & cat fifo", temporary.path())
    };
    assert_eq!(launcher().run(&stubborn, &[], MOST).unwrap().end, End::TimedOut);
    assert_nobody_reads(&fifo);
}

/// Asserts that no living process has the fifo open or waits for its other end.
fn assert_nobody_reads(fifo: &Path) {
    use rustix::fs::{Mode, OFlags, open};
    let opened = open(fifo, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty());
    assert_eq!(opened.map(drop), Err(rustix::io::Errno::NXIO));
}

#[test]
fn stopped_launcher_kills_running_programs_and_starts_none() {
    let temporary = tempfile::tempdir().unwrap();
    let fifo = temporary.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let launcher = launcher();
    let invocation = shell("cat fifo", temporary.path());
    thread::scope(|scope| {
        let running = scope.spawn(|| launcher.run(&invocation, &[], MOST).unwrap());
        // Opening succeeds once the program has opened the other end.
        let writer = fs::OpenOptions::new().write(true).open(&fifo).unwrap();
        launcher.stop();
        assert_eq!(running.join().unwrap().end, End::Signalled(9));
        drop(writer);
    });
    let Err(StartError::Failed { source, .. }) = launcher.run(&invocation, &[], MOST) else {
        panic!("it was started")
    };
    assert_eq!(source.kind(), io::ErrorKind::Interrupted);
}

#[test]
fn no_more_than_four_programs_run_at_once() {
    let temporary = tempfile::tempdir().unwrap();
    let launcher = launcher();
    // Each leaves a mark while it runs and prints how many marks it saw.
    let script = "mkdir running.$$; ls -d running.* | wc -l; head -c 300000 /dev/urandom | cksum >/dev/null; rmdir running.$$";
    let invocation = shell(script, temporary.path());
    let seen: Vec<usize> = thread::scope(|scope| {
        let all: Vec<_> =
            (0..12).map(|_| scope.spawn(|| launcher.run(&invocation, &[], MOST).unwrap())).collect();
        all.into_iter()
            .map(|one| String::from_utf8(one.join().unwrap().output.head).unwrap().trim().parse().unwrap())
            .collect()
    });
    assert!(seen.iter().all(|count| (1..=4).contains(count)), "{seen:?}");
}

#[test]
fn environment_is_the_given_one_with_a_clean_path() {
    let variables: Variables = BTreeMap::from([
        (OsString::from("PATH"), OsString::from("relative:/usr/bin:/bin:.")),
        (OsString::from("WORD"), OsString::from("kept")),
    ])
    .into_iter()
    .collect();
    let launcher = Launcher::new(variables);
    let invocation = Invocation {
        program: "env".into(),
        arguments: Vec::new(),
        variables: launcher.variables().clone(),
        ..shell("", Path::new("/"))
    };
    assert_eq!(
        launcher.run(&invocation, &[], MOST).unwrap().output,
        whole("PATH=/usr/bin:/bin\nWORD=kept\n")
    );
}

#[test]
fn program_that_cannot_be_started_reports_the_reason() {
    let temporary = tempfile::tempdir().unwrap();
    fs::write(temporary.path().join("text"), "no program").unwrap();
    let message = |program: &str, directory: &Path| {
        let invocation = Invocation { program: program.into(), ..shell("", directory) };
        launcher().run(&invocation, &[], MOST).unwrap_err().to_string()
    };
    assert_eq!(message("no-such-program", Path::new("/")), "program 'no-such-program' not found");
    assert_eq!(message("./text", temporary.path()), "program './text' not found");
    assert_eq!(message("sh", Path::new("/no/such/place")), "directory '/no/such/place' not found");
}

#[cfg(target_os = "linux")]
#[test]
fn memory_limit_applies_to_a_program_and_its_children() {
    let limited = |memory| {
        // The program waits for its input, since the limit is set after it has started.
        let invocation =
            Invocation { memory, ..shell("read word; ulimit -d; sh -c 'ulimit -d'", Path::new("/")) };
        String::from_utf8(launcher().run(&invocation, b"go\n", MOST).unwrap().output.head).unwrap()
    };
    assert_eq!(limited(Some(64 << 20)), "65536\n65536\n");
    assert_ne!(limited(None), "65536\n65536\n");
}

#[test]
fn scratch_directory_is_removed_with_its_owner_or_the_launcher() {
    let launcher = Launcher::new(Variables::default());
    let [kept, dropped] = [launcher.scratch().unwrap(), launcher.scratch().unwrap()];
    std::fs::write(kept.path().join("file"), "text").unwrap();
    let (first, second) = (kept.path().to_owned(), dropped.path().to_owned());
    drop(dropped);
    assert!(first.is_dir() && !second.exists());
    launcher.stop();
    assert!(!first.exists());
}

#[test]
fn nothing_is_created_in_a_scratch_directory_once_the_launcher_has_stopped() {
    let launcher = Launcher::new(Variables::default());
    let scratch = launcher.scratch().unwrap();
    let [file, directory] = ["file", "directory"].map(|name| scratch.path().join(name));
    scratch.create_file(&file, false).unwrap();
    launcher.stop();
    let interrupted = |created: io::Result<()>| created.unwrap_err().kind() == io::ErrorKind::Interrupted;
    assert!(interrupted(scratch.create_file(&file, false).map(drop)));
    assert!(interrupted(scratch.create_directory(&directory)));
    assert!(interrupted(launcher.scratch().map(drop)));
    assert!(!scratch.path().exists());
}
