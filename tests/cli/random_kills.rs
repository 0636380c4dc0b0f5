//! A command that is killed at some time leaves the old store or the new one, on every system.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::states::{State, copy, furnished, next_writer_works, run};
use crate::support::{Sandbox, binary, is_whole};

/// Kills commands after random times; a twin of the store, where the command is let be, says what the
/// new state would be.
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
        let started = Instant::now();
        assert!(run(&twin, args).status.success());
        let whole = started.elapsed();
        let mut command = Command::new(binary());
        command.args(args).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
        let mut child = command.stdin(Stdio::null()).spawn().unwrap();
        // A multiplicative walk visits all parts of the time that the command takes.
        thread::sleep(whole.mul_f64((round.wrapping_mul(7_919) % 1_200) as f64 / 1_000.0));
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
