//! A command killed at any point leaves either the old store or the new one.
//!
//! The test suite samples the points; `tests/campaigns/kills` tries them all. `random_kills` kills at random.

use crate::known::Known;
use crate::states::{State, campaign, copy, furnished, next_writer_works, run, sum_over};
use crate::strace::{CALLS, denied, places, traced};
use crate::support::{Sandbox, is_whole, skipped};

/// The commands of the sample: one file, several files, and a directory that doesn't exist yet.
const SAMPLE: [&[&str]; 7] = [
    &["add", "-f", "new"],
    &["profile", "-m", "a", "new"],
    &["switch", "-c", "new"],
    &["import", "--merge", "team.json"],
    &["history", "append", "--role", "user", "new"],
    &["history", "clear"],
    &["todo", "done", "1"],
];

/// Kills `args` at the `place`th of `calls`; returns whether it got that far.
fn kill(
    origin: &Sandbox,
    args: &[&str],
    calls: &str,
    place: usize,
    states: &[State; 2],
    known: &Known,
) -> bool {
    let sandbox = Sandbox::new();
    copy(origin, &sandbox);
    let run = traced(&sandbox, args, calls, Some(&format!("signal=KILL:when={place}")));
    let found = known.state(&sandbox);
    let here = format!("{args:?} killed at {calls} {place}: {}", run.stderr());
    if run.was_killed() {
        assert!(states.contains(&found), "{here}\n{found:#?}");
    } else {
        assert_eq!(run.code(), Some(0), "{here}");
        assert_eq!(found, states[1], "{here}");
    }
    run.was_killed()
}

fn states(origin: &Sandbox, args: &[&str]) -> [State; 2] {
    let sandbox = Sandbox::new();
    copy(origin, &sandbox);
    let before = State::of(&sandbox);
    let output = run(&sandbox, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    [before, State::of(&sandbox)]
}

/// Kills the command at every point until it finishes.
fn kill_everywhere(origin: &Sandbox, args: &[&str]) -> usize {
    let (states, known) = (states(origin, args), Known::default());
    let until_done =
        |calls: &&str| (1..).take_while(|place| kill(origin, args, calls, *place, &states, &known)).count();
    CALLS.iter().map(until_done).sum()
}

/// Kills the command wherever it accesses the store.
fn kill_at_store_calls(origin: &Sandbox, args: &[&str]) -> usize {
    let (states, known) = (states(origin, args), Known::default());
    let mut kills = 0;
    for calls in CALLS.iter().filter(|calls| **calls != "openat") {
        let measured = Sandbox::new();
        copy(origin, &measured);
        for place in places(&measured, args, calls) {
            kills += usize::from(kill(origin, args, calls, place, &states, &known));
        }
    }
    kills
}

#[test]
fn a_killed_command_leaves_the_old_store_or_the_new_one() {
    if denied() {
        return;
    }
    let origins = [furnished(), Sandbox::new()];
    let mut kills = 0;
    if is_whole() {
        kills += sum_over(&campaign(), |args| {
            let killed = kill_everywhere(&origins[0], args);
            eprintln!("killed {killed} times: {args:?}");
            killed
        });
        let append = ["history", "append", "--role", "user", "new"];
        for args in [&["add", "-f", "new"][..], &["clear", "-g"], &["switch", "-c", "new"], &append] {
            kills += kill_everywhere(&origins[1], args);
        }
    } else {
        for args in SAMPLE {
            kills += kill_at_store_calls(&origins[0], args);
        }
        kills += kill_at_store_calls(&origins[1], SAMPLE[0]);
    }
    eprintln!("killed {kills} commands");
    assert!(kills >= 20, "{kills}");
}

/// The commands that change several files.
const SEVERAL_FILES: [&[&str]; 4] = [
    &["profile", "-m", "a", "new"],
    &["profile", "-m", "b", "new"],
    &["switch", "-c", "new"],
    &["import", "--merge", "team.json"],
];

const BY_HAND: &str = "{\"paths\": [\"by hand\"]}\n";

/// The files that an interrupted command recorded.
fn recorded(sandbox: &Sandbox) -> Vec<String> {
    let Ok(journal) = std::fs::read(sandbox.store().join("journal.json")) else { return Vec::new() };
    let journal: serde_json::Value = serde_json::from_slice(&journal).unwrap();
    journal["files"].as_object().unwrap().keys().cloned().collect()
}

/// Kills `args` at the `place`th of `calls`, and edits each list by hand before the next command.
fn edit_after_kill(origin: &Sandbox, args: &[&str], calls: &str, place: usize) -> usize {
    let killed = Sandbox::new();
    copy(origin, &killed);
    if !traced(&killed, args, calls, Some(&format!("signal=KILL:when={place}"))).was_killed() {
        return 0;
    }
    let recorded = recorded(&killed);
    let mut edits = 0;
    for file in ["global.json", "profiles/a.json", "profiles/b.json", "profiles/new.json"] {
        let here = format!("{args:?} killed at {calls} {place}, {file} edited");
        let edited = Sandbox::new();
        copy(&killed, &edited);
        edited.write_store(file, BY_HAND);
        let checked = String::from_utf8(run(&edited, &["check"]).stdout).unwrap();
        assert_eq!(checked.contains("journal.json"), !recorded.is_empty(), "{here}: {checked}");
        let next = run(&edited, &["profile", "-c", "next"]);
        let said = String::from_utf8(next.stderr).unwrap();
        assert_eq!(next.status.code(), Some(0), "{here}: {said}");
        assert_eq!(edited.stored(file), BY_HAND, "{here}: {said}");
        let is_told = said.contains(&format!("{file}' was edited after a command was interrupted"));
        assert_eq!(is_told, recorded.iter().any(|name| name == file), "{here}: {said}");
        let read = run(&edited, &["export", "--all", "-g"]);
        assert!(String::from_utf8_lossy(&read.stdout).contains("by hand"), "{here}");
        next_writer_works(&edited);
        edits += 1;
    }
    edits
}

#[test]
fn an_edit_after_a_killed_command_is_kept() {
    if denied() {
        return;
    }
    let origin = furnished();
    let (commands, classes) = if is_whole() {
        (&SEVERAL_FILES[..], &CALLS[..])
    } else {
        (&SEVERAL_FILES[..1], &["?rename,?renameat,?renameat2", "?unlink,?unlinkat"][..])
    };
    let mut edits = 0;
    for args in commands {
        for calls in classes {
            let measured = Sandbox::new();
            copy(&origin, &measured);
            let places = places(&measured, args, calls).into_iter();
            edits += places.map(|place| edit_after_kill(&origin, args, calls, place)).sum::<usize>();
        }
    }
    eprintln!("kept {edits} edits");
    assert!(edits >= 12, "{edits}");
}

/// However a render ends, no temporary file is left next to the old one.
#[cfg(target_os = "linux")]
#[test]
fn a_render_that_is_killed_leaves_no_temporary_file() {
    if denied() {
        return;
    }
    let sandbox = Sandbox::with(&[("a.txt", "new\n"), ("out/block.txt", "old\n")]);
    if !has_nameless_files(&sandbox.path("out")) {
        return skipped("this file system has no files without a name");
    }
    for (number, signal) in [(2, "INT"), (15, "TERM"), (9, "KILL")] {
        if is_ignored(number) {
            skipped(&format!("whoever started the tests had SIG{signal} ignored"));
            continue;
        }
        let inject = format!("signal={signal}:when=1");
        let args = ["render", "--only", "a.txt", "-o", "out/block.txt"];
        let run = traced(&sandbox, &args, "?fsync,?fdatasync", Some(&inject));
        assert_ne!(run.code(), Some(0), "{}", run.stderr());
        let names: Vec<_> = std::fs::read_dir(sandbox.path("out")).unwrap().collect();
        assert_eq!((names.len(), sandbox.read("out/block.txt").as_str()), (1, "old\n"), "{names:?}");
    }
}

/// Whether a signal is ignored. Shells start a script's background jobs with some signals ignored, and child
/// processes inherit that.
#[cfg(target_os = "linux")]
fn is_ignored(signal: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 << (signal - 1) != 0
}

#[cfg(target_os = "linux")]
fn has_nameless_files(directory: &std::path::Path) -> bool {
    use rustix::fs::{Mode, OFlags, open};

    open(directory, OFlags::TMPFILE | OFlags::WRONLY, Mode::RUSR).is_ok()
}

#[test]
fn a_reader_of_many_lists_reads_an_interrupted_change_once() {
    const LISTS: usize = 40;
    if denied() {
        return;
    }
    let sandbox = Sandbox::new();
    let after =
        |name: usize| (format!("profiles/p{name}.json"), serde_json::json!({"text": "{\"paths\": []}\n"}));
    let files: serde_json::Map<_, _> = (0..LISTS).map(after).collect();
    let before: serde_json::Map<_, _> =
        files.keys().map(|name| (name.clone(), serde_json::json!({}))).collect();
    sandbox.write_store("journal.json", serde_json::json!({"files": files, "before": before}).to_string());
    sandbox.write("all.json", sandbox.ctx(["export", "--all"]).stdout_any().stderr_any().check());
    for args in [&["profile"][..], &["check"], &["import", "--merge", "--dry-run", "all.json"]] {
        let traced = traced(&sandbox, args, "openat", None);
        let opened = |place: &str| traced.calls.iter().filter(|call| call.contains(place)).count();
        assert!(opened("/profiles/p") <= 10 * LISTS, "{args:?}: {} files opened", opened("/profiles/p"));
        assert!(opened("journal.json") <= LISTS, "{args:?}: {} times", opened("journal.json"));
        assert!(traced.code() != Some(101), "{}", traced.stderr());
    }
}
