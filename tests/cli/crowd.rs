//! Many commands at once: no acknowledged change is lost, and readers see consistent states.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::Value;

use crate::states::{assert_only_store_files, json, run};
use crate::support::{Sandbox, binary};

const ADDERS: usize = 32;
const ADDS: usize = 10;
const MIXERS: usize = 16;
const ROUNDS: u64 = 12;

/// Runs a command until it succeeds: under load, a store may stay busy for too long.
fn acknowledged(sandbox: &Sandbox, args: &[&str]) {
    loop {
        let output = run(sandbox, args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => return,
            Some(5) => assert!(stderr.contains("store is busy"), "{stderr}"),
            code => panic!("{args:?} ended with {code:?}: {stderr}"),
        }
    }
}

fn entries(shown: &Value, scope: &str) -> Vec<String> {
    let entries = shown["entries"].as_array().unwrap().iter();
    let of_scope = entries.filter(|entry| entry["scope"] == scope);
    of_scope.map(|entry| entry["entry"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn thirty_two_processes_that_add_lose_nothing() {
    let sandbox = Sandbox::new();
    let name = |adder: usize, k: usize| format!("p{adder}-{k}");
    thread::scope(|scope| {
        for adder in 0..ADDERS {
            let sandbox = &sandbox;
            scope.spawn(move || {
                (0..ADDS).for_each(|k| acknowledged(sandbox, &["add", "-q", "-f", &name(adder, k)]));
            });
        }
    });
    let kept: BTreeSet<String> =
        entries(&json(&sandbox, &["show", "--json"]), "profile").into_iter().collect();
    let all = (0..ADDERS).flat_map(|adder| (0..ADDS).map(move |k| name(adder, k)));
    assert_eq!(kept, all.collect());
    assert_only_store_files(&sandbox.store());
}

/// A command looks up the active profile only when its turn has come.
#[test]
fn a_rename_does_not_break_waiting_commands() {
    const WAITING: [&[&str]; 6] = [
        &["add", "-f", "new"],
        &["rm", "gone"],
        &["set", "kept", "--pin"],
        &["profile", "--set", "budget=5k"],
        &["detect", "--add"],
        &["clear"],
    ];
    for args in WAITING {
        let sandbox = Sandbox::with(&[("README.md", "readme\n")]);
        sandbox.ctx(["switch", "-q", "-c", "old"]).check();
        sandbox.ctx(["add", "-q", "-f", "kept", "gone"]).check();
        let lock = File::open(sandbox.store().join("store.lock")).unwrap();
        lock.lock().unwrap();
        let mut command = Command::new(binary());
        command.args(args).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
        let waiting = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        until_at_the_lock(&waiting);
        sandbox.write_store("state.json", "{\"profile\": \"new\"}");
        let profiles = sandbox.store().join("profiles");
        fs::rename(profiles.join("old.json"), profiles.join("new.json")).unwrap();
        drop(lock);
        let output = waiting.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {stderr}");
        assert!(stderr.contains("profile 'new'"), "{args:?}: {stderr}");
        assert!(!profiles.join("old.json").exists());
    }
}

/// Waits until a command has opened the lock, which is held.
#[cfg(target_os = "linux")]
fn until_at_the_lock(waiting: &Child) {
    let descriptors = format!("/proc/{}/fd", waiting.id());
    let is_lock = |entry: std::io::Result<fs::DirEntry>| {
        entry.and_then(|entry| fs::read_link(entry.path())).is_ok_and(|path| path.ends_with("store.lock"))
    };
    while !fs::read_dir(&descriptors).unwrap().any(is_lock) {
        thread::yield_now();
    }
}

/// Elsewhere, a command that hasn't reached the lock yet finds the new name at once, which is also correct.
#[cfg(not(target_os = "linux"))]
fn until_at_the_lock(_waiting: &Child) {}

/// One of many concurrent writers, with its own profile and its own record of what the store should contain.
struct Mixer<'a> {
    sandbox: &'a Sandbox,
    number: usize,
    profile: String,
    own: Vec<String>,
    global: Vec<String>,
}

impl Mixer<'_> {
    fn round(&mut self, round: u64) {
        let entry = format!("w{}/{round}", self.number);
        let profile = self.profile.clone();
        match (round * 5 + self.number as u64 * 7) % 6 {
            0 => self.acknowledged(&["add", "-q", "-f", "--profile", &profile, &entry], |own, _| {
                own.push(entry.clone())
            }),
            1 | 2 => {
                self.acknowledged(&["add", "-q", "-g", "-f", &entry], |_, global| global.push(entry.clone()))
            }
            3 => match self.global.last().cloned() {
                Some(last) => self.acknowledged(&["rm", "-q", "-g", &last], |_, global| drop(global.pop())),
                None => self.acknowledged(&["switch", "-q", &profile], |_, _| ()),
            },
            4 => {
                let new = format!("w{}_{round}", self.number);
                self.acknowledged(&["profile", "-q", "-m", &profile, &new], |_, _| ());
                self.profile = new;
            }
            _ => self.acknowledged(&["clear", "-q", "--profile", &profile], |own, _| own.clear()),
        }
    }

    fn acknowledged(&mut self, args: &[&str], then: impl FnOnce(&mut Vec<String>, &mut Vec<String>)) {
        acknowledged(self.sandbox, args);
        then(&mut self.own, &mut self.global);
    }
}

#[test]
fn concurrent_commands_agree_with_a_model_while_others_read() {
    let sandbox = Sandbox::new();
    for number in 0..MIXERS {
        acknowledged(&sandbox, &["profile", "-q", "-c", &format!("w{number}_start")]);
    }
    let done = AtomicBool::new(false);
    let mixers: Vec<Mixer> = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut looks = 0;
            while !done.load(Ordering::Relaxed) {
                let profiles = json(&sandbox, &["profile", "--json"]);
                let names: Vec<&Value> =
                    profiles["profiles"].as_array().unwrap().iter().map(|profile| &profile["name"]).collect();
                assert_eq!(names.len(), MIXERS + 1, "{profiles}");
                assert!(names.contains(&&profiles["active"]), "{profiles}");
                json(&sandbox, &["show", "--json"]);
                looks += 1;
            }
            looks
        });
        let start = |number| {
            let profile = format!("w{number}_start");
            Mixer { sandbox: &sandbox, number, profile, own: Vec::new(), global: Vec::new() }
        };
        let work = |mut mixer: Mixer<'_>| {
            (0..ROUNDS).for_each(|round| mixer.round(round));
            (mixer.number, mixer.profile, mixer.own, mixer.global)
        };
        let workers: Vec<_> = (0..MIXERS).map(|number| scope.spawn(move || work(start(number)))).collect();
        let results: Vec<_> = workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Relaxed);
        assert!(reader.join().unwrap() > 0);
        results
            .into_iter()
            .map(Result::unwrap)
            .map(|(number, profile, own, global)| Mixer { sandbox: &sandbox, number, profile, own, global })
            .collect()
    });
    for Mixer { number, profile, own, global, .. } in mixers {
        let shown = json(&sandbox, &["--profile", &profile, "show", "--json"]);
        assert_eq!(entries(&shown, "profile"), own, "{profile}");
        let mut kept = entries(&shown, "global");
        kept.retain(|entry| entry.starts_with(&format!("w{number}/")));
        assert_eq!(kept, global, "{profile}");
    }
    assert_only_store_files(&sandbox.store());
}
