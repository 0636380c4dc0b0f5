//! A command killed at a random moment leaves either the old store or the new one, on every system.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::states::{State, copy, furnished, next_writer_works, run};
use crate::support::{Sandbox, binary, is_whole};

/// The approximate number of changes that a command makes to a store's files.
const CHANGES: u64 = 8;

/// The names and sizes of the files in and below a directory.
fn listing(directory: &Path) -> Vec<(String, u64)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        // The file may have been removed.
        let Ok(metadata) = entry.metadata() else { continue };
        all.push((entry.path().display().to_string(), metadata.len()));
        if metadata.is_dir() {
            all.extend(listing(&entry.path()));
        }
    }
    all.sort();
    all
}

/// Waits until the files of a store have changed this many times, or the command has ended.
fn wait_for_changes(child: &mut Child, store: &Path, before: Vec<(String, u64)>, count: u64) {
    let (mut last, mut seen) = (before, 0);
    while seen < count && child.try_wait().unwrap().is_none() {
        let now = listing(store);
        if now == last {
            thread::yield_now();
        } else {
            (last, seen) = (now, seen + 1);
        }
    }
}

/// Kills commands after random changes to the store. A copy of the store, in which the command finishes, shows
/// what the new state would be.
#[test]
fn random_kills_leave_the_old_store_or_the_new_one() {
    let time = Duration::from_secs(if is_whole() { 60 } else { 3 });
    let (sandbox, twin) = (furnished(), Sandbox::new());
    let begun = Instant::now();
    let (mut kills, mut round) = (0, 0_u64);
    while begun.elapsed() < time || round < 10 {
        round += 1;
        let new = format!("n{round}");
        let active = State::of(&sandbox).profiles["active"].as_str().unwrap().to_owned();
        let commands: [&[&str]; 5] = [
            &["profile", "-q", "-m", &active, &new],
            &["switch", "-q", "-c", &new],
            &["add", "-q", "-f", &new],
            &["add", "-q", "-g", "-f", &new],
            &["clear", "-q"],
        ];
        let args = commands[usize::try_from(round).unwrap() % commands.len()];
        copy(&sandbox, &twin);
        let before = State::of(&sandbox);
        assert!(run(&twin, args).status.success());
        let files = listing(&sandbox.store());
        let mut command = Command::new(binary());
        command.args(args).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
        let mut child = command.stdin(Stdio::null()).spawn().unwrap();
        wait_for_changes(&mut child, &sandbox.store(), files, round.wrapping_mul(7_919) % CHANGES);
        let _ = child.kill();
        kills += usize::from(!child.wait().unwrap().success());
        let after = State::of(&sandbox);
        assert!(after == before || after == State::of(&twin), "{args:?}\n{after:#?}");
        if round.is_multiple_of(40) {
            next_writer_works(&sandbox);
            copy(&furnished(), &sandbox);
        }
    }
    next_writer_works(&sandbox);
    eprintln!("killed {kills} of {round} commands");
}
