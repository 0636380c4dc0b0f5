//! Random trees, edits and commands: whatever they do, nothing is lost.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::git;
use super::state::{Thing, files, repository};
use crate::states::run;

use crate::support::{Sandbox, is_whole};

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % limit
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// Names that collide in every way: files and directories, ignored and not.
const NAMES: [&str; 12] =
    ["a", "b", "c.log", "d\ne", "target", ".env", ".gitignore", "ä", "e f", "x\"y", ".GIT", "a.b"];
const RULES: [&str; 6] = ["", "*.log\n", "target\n", "b/\n", "/a\n!/a\n", "*\n!a\n!.gitignore\n"];

fn path(random: &mut Random) -> PathBuf {
    let depth = 1 + random.below(3);
    (0..depth).map(|_| random.one_of(&NAMES)).collect()
}

/// An edit that a person or a program could make; many of them do nothing.
fn edit(root: &Path, random: &mut Random) {
    let path = root.join(path(random));
    match random.below(9) {
        0..=3 => {
            if path.parent().is_some_and(|parent| fs::create_dir_all(parent).is_ok()) {
                let bytes = if path.file_name().is_some_and(|name| name == ".gitignore") {
                    random.one_of(&RULES).as_bytes().to_vec()
                } else {
                    format!("{}\r\n", random.below(5)).into_bytes()
                };
                let _ = fs::write(&path, bytes);
            }
        }
        4 => drop(fs::remove_file(&path)),
        5 => drop(fs::remove_dir_all(&path)),
        6 => drop(symlink(random.one_of(&NAMES), &path)),
        7 => {
            let mode = if random.below(2) == 0 { 0o644 } else { 0o755 };
            if path.is_file() && !path.is_symlink() {
                let _ = fs::set_permissions(&path, Permissions::from_mode(mode));
            }
        }
        _ => drop(fs::rename(&path, root.join(self::path(random)))),
    }
}

/// The paths that a restore never touches because no checkpoint can contain them.
fn unsaved(sandbox: &Sandbox, all: &BTreeMap<PathBuf, Thing>) -> BTreeMap<PathBuf, Thing> {
    let is_secret = |path: &Path| path.file_name().is_some_and(|name| name == ".env");
    let is_git = |path: &Path| path.iter().any(|name| name.eq_ignore_ascii_case(".git"));
    let listed = git(&sandbox.project(), &["ls-files", "-z", "-o", "-i", "--exclude-standard"]);
    let ignored: Vec<&str> = listed.split('\0').collect();
    let tracked = git(&sandbox.project(), &["ls-files", "-z"]);
    let tracked: Vec<&str> = tracked.split('\0').collect();
    let is_tracked = |path: &Path| path.to_str().is_some_and(|path| tracked.contains(&path));
    let is_ignored = |path: &Path| path.to_str().is_some_and(|path| ignored.contains(&path));
    let is_unsaved = |path: &Path| is_git(path) || !is_tracked(path) && (is_secret(path) || is_ignored(path));
    all.iter()
        .filter(|(path, _)| is_unsaved(path))
        .map(|(path, thing)| (path.clone(), thing.clone()))
        .collect()
}

/// Alternates commands and edits, and checks the promise after each.
fn walk(seed: u64, steps: usize) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let sandbox = Sandbox::new();
    let root = sandbox.project();
    git(&root, &["init", "-q", "."]);
    let mut checkpoints = 0;
    for step in 0..steps {
        (0..1 + random.below(12)).for_each(|_| edit(&root, &mut random));
        if random.below(4) == 0 {
            let _ =
                std::process::Command::new("git").args(["add", "-A"]).current_dir(&root).output().unwrap();
        }
        let before = files(&root);
        let untouchable = unsaved(&sandbox, &before);
        let index = repository(&root);
        let number = (1 + random.below(checkpoints.max(1))).to_string();
        let choice = random.below(7);
        let args: Vec<&str> = match choice {
            _ if checkpoints == 0 => vec!["checkpoint", "create"],
            0 => vec!["checkpoint", "create"],
            1 => vec!["checkpoint", "diff", &number],
            2 => vec!["checkpoint", "restore", &number],
            3 => vec!["checkpoint", "restore", &number, "--dry-run", "--hard"],
            4 => vec!["checkpoint", "restore", &number, "--hard"],
            _ => vec!["checkpoint", "restore", &number, "--hard", "--force"],
        };
        let output = run(&sandbox, &args);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let here = format!("seed {seed} step {step} {args:?}: {stderr}");
        assert!(matches!(output.status.code(), Some(0 | 1)), "{here}");
        assert!(!stderr.contains("interrupted") && !stderr.contains("git could not"), "{here}");
        assert!(repository(&root) == index, "{here}");
        let after = files(&root);
        for (path, thing) in &untouchable {
            assert_eq!(after.get(path), Some(thing), "{here}: {}", path.display());
        }
        let is_restore = args.contains(&"restore") && !args.contains(&"--dry-run");
        if !is_restore {
            assert_eq!(after, before, "{here}");
        }
        if let Some((_, command)) = stderr.split_once(": ctx ").filter(|_| is_restore) {
            let command: Vec<&str> = command.lines().next().unwrap().split(' ').collect();
            let back = run(&sandbox, &command);
            let said = String::from_utf8_lossy(&back.stderr);
            let now = files(&root);
            for (path, thing) in &before {
                assert_eq!(now.get(path), Some(thing), "{here}\nback {command:?} {said}: {}", path.display());
            }
            if back.status.success() {
                let stays = unsaved(&sandbox, &now);
                let is_newer = |path: &&PathBuf| !before.contains_key(*path) && !stays.contains_key(*path);
                let newer: Vec<&PathBuf> = now.keys().filter(is_newer).collect();
                // Ignored files stay.
                assert!(
                    newer.is_empty() || command.iter().all(|word| *word != "--hard"),
                    "{here}: {newer:?} {said}"
                );
            }
        }
        checkpoints = run(&sandbox, &["checkpoint", "--json"])
            .stdout
            .windows(9)
            .filter(|window| window == b"\"number\":")
            .count();
    }
}

/// A number from the environment, which a campaign's script can set.
fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect(variable))
}

#[test]
fn random_commands_lose_nothing() {
    let seeds = number("CTX_SEEDS", if is_whole() { 120 } else { 8 });
    let first = number("CTX_SEED", 1);
    for seed in first..first + seeds {
        walk(seed, 10);
    }
    eprintln!("walked with {seeds} seeds from {first}");
}

#[test]
fn files_written_during_a_restore_are_not_lost() {
    let sandbox = Sandbox::new();
    let root = sandbox.project();
    const FILES: usize = 12;
    for file in 0..FILES {
        sandbox.write(&format!("f{file}"), "first\n");
    }
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("1\n").check();
    let ended = AtomicBool::new(false);
    let last = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut last = vec![String::new(); FILES];
            let mut count = 0;
            while !ended.load(Ordering::Relaxed) {
                count += 1;
                let file = count % FILES;
                last[file] = format!("version {count}\n");
                // As editors do: a new file replaces the old one.
                let beside = root.parent().unwrap().join("beside");
                fs::write(&beside, &last[file]).unwrap();
                fs::rename(&beside, root.join(format!("f{file}"))).unwrap();
            }
            last
        });
        let rounds = if is_whole() { 200 } else { 15 };
        for _ in 0..rounds {
            let output = run(&sandbox, &["checkpoint", "restore", "1", "--hard"]);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), Some(0 | 1)), "{stderr}");
            assert!(!stderr.contains("interrupted"), "{stderr}");
        }
        ended.store(true, Ordering::Relaxed);
        writer.join().unwrap()
    });
    let there: Vec<Thing> = files(&root).into_values().collect();
    let listed = run(&sandbox, &["checkpoint", "--json"]).stdout;
    let numbers = listed.windows(9).filter(|window| window == b"\"number\":").count();
    for (file, version) in last.iter().enumerate() {
        let thing = Thing::File { bytes: version.clone().into_bytes(), executable: false };
        let is_saved = |number: &usize| {
            let args = ["checkpoint", "diff", "1", &number.to_string(), "--", &format!("f{file}")];
            String::from_utf8_lossy(&run(&sandbox, &args).stdout).contains(&format!("+{version}"))
        };
        assert!(
            there.contains(&thing) || (1..=numbers).rev().any(|number| is_saved(&number)),
            "f{file}: {version}"
        );
    }
}
