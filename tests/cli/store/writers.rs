//! Many processes change one store at once: nothing is lost, and readers see nothing half done.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::name;
use ctx_core::store::{List, ListTarget, StoreErrorKind};
use ctx_core::{Entry, ProfileName, Store, StoreError};
use tempfile::TempDir;

const ADDERS: usize = 32;
const ADDS: usize = 10;
const MIXERS: usize = 16;
const ROUNDS: usize = 24;

/// The part of a worker process, and the variable that makes this program one.
const PART: &str = "STORE_TEST_PART";
const NUMBER: &str = "STORE_TEST_NUMBER";
const ROOT: &str = "STORE_TEST_ROOT";

fn paths(list: &List) -> Vec<String> {
    list.paths.iter().map(|entry| entry.path.clone()).collect()
}

/// Starts this test program again, as a worker.
fn start(part: &str, number: usize, root: &Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "store::writers::worker", "--nocapture"])
        .env(PART, part)
        .env(NUMBER, number.to_string())
        .env(ROOT, root)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn worker() {
    let Ok(part) = env::var(PART) else { return };
    let number = env::var(NUMBER).unwrap().parse().unwrap();
    // A slow disk is no reason to fail: it is losses that are looked for.
    let store = Store::at(PathBuf::from(env::var_os(ROOT).unwrap())).with_patience(Duration::from_secs(300));
    match part.as_str() {
        "add" => add(number, &store),
        "mix" => Mixer::new(number, store).run(),
        part => panic!("no such part: {part}"),
    }
}

fn add(number: usize, store: &Store) {
    for k in 0..ADDS {
        let entry = Entry::new(format!("{number}-{k}"));
        store.update(|t| t.list_mut(&ListTarget::Global)?.add(entry)).unwrap();
    }
}

fn all_succeed(children: Vec<Child>) {
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn thirty_two_processes_lose_nothing() {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("not/yet/there");
    all_succeed((0..ADDERS).map(|number| start("add", number, &root)).collect());
    let stored: BTreeSet<String> = paths(&Store::at(root).global().unwrap()).into_iter().collect();
    let lost: Vec<String> = (0..ADDERS)
        .flat_map(|number| (0..ADDS).map(move |k| format!("{number}-{k}")))
        .filter(|path| !stored.contains(path))
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert_eq!(stored.len(), ADDERS * ADDS + 3);
}

/// A process with a profile of its own, whose name begins with its number, and its own idea of what
/// the store must hold for it.
struct Mixer {
    number: usize,
    store: Store,
    random: u64,
    generation: usize,
    global: Vec<String>,
    profile: Vec<String>,
}

impl Mixer {
    fn new(number: usize, store: Store) -> Self {
        let random = number as u64 + 1;
        Self { number, store, random, generation: 0, global: Vec::new(), profile: Vec::new() }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % limit
    }

    fn own(&self) -> ProfileName {
        name(&format!("w{}_{}", self.number, self.generation))
    }

    fn run(mut self) {
        for round in 0..ROUNDS {
            match self.below(6) {
                0 => self.add(round, true),
                1 => self.add(round, false),
                2 => self.remove(),
                3 => self.store.update(|t| t.set_active(&self.own())).unwrap(),
                4 => self.rename(),
                _ => self.clear(),
            }
        }
        let expected =
            serde_json::json!({"profile": self.own(), "global": self.global, "paths": self.profile});
        let beside = self.store.root().with_extension(format!("expected-{}", self.number));
        fs::write(beside, expected.to_string()).unwrap();
    }

    fn add(&mut self, round: usize, global: bool) {
        let path = format!("w{}/{round}", self.number);
        let target = if global { ListTarget::Global } else { ListTarget::Profile(self.own()) };
        self.store.update(|t| t.list_mut(&target)?.add(Entry::new(path.as_str()))).unwrap();
        if global { self.global.push(path) } else { self.profile.push(path) }
    }

    fn remove(&mut self) {
        if self.global.is_empty() {
            return;
        }
        let at = self.below(self.global.len());
        let path = self.global.remove(at);
        let names = [vec![path]];
        let removed =
            self.store.update(|t| Ok::<_, StoreError>(t.list_mut(&ListTarget::Global)?.remove_all(&names)));
        assert_eq!(removed.unwrap()[0].len(), 1);
    }

    fn rename(&mut self) {
        let old = self.own();
        self.generation += 1;
        self.store.update(|t| t.rename_profile(&old, &self.own())).unwrap();
    }

    fn clear(&mut self) {
        let target = ListTarget::Profile(self.own());
        let clear = |list: &mut List| list.paths.clear();
        self.store.update(|t| t.list_mut(&target).map(clear)).unwrap();
        self.profile.clear();
    }
}

/// What must hold at every moment: each mixer has exactly one profile, and the active one exists.
fn check_moment(store: &Store) {
    let read = store.read(|view| {
        let names = view.profiles()?;
        let active = view.active()?;
        view.global()?;
        view.profile(&active)?;
        Ok::<_, StoreError>((names, active))
    });
    let (names, active) = read.unwrap();
    assert!(names.contains(&active), "{active} is not among {names:?}");
    let owners: BTreeSet<&str> =
        names.iter().filter_map(|name| Some(name.as_str().split_once('_')?.0)).collect();
    assert_eq!(owners.len(), MIXERS, "{names:?}");
    assert_eq!(names.len(), MIXERS + 1, "{names:?}");
    store.active().unwrap();
}

#[test]
fn mixed_changes_agree_with_the_model_and_readers_see_whole_states() {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("ctx");
    let store = Store::at(root.clone());
    let prepared = store.update(|t| {
        (0..MIXERS).try_for_each(|number| t.create_profile(&name(&format!("w{number}_0"))).map(drop))
    });
    prepared.unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut moments = 0;
            while !done.load(Ordering::Relaxed) {
                check_moment(&store);
                moments += 1;
            }
            moments
        });
        let children: Vec<Child> = (0..MIXERS).map(|number| start("mix", number, &root)).collect();
        let succeeded: Vec<bool> =
            children.into_iter().map(|mut child| child.wait().unwrap().success()).collect();
        done.store(true, Ordering::Relaxed);
        assert!(reader.join().unwrap() > 0);
        assert!(succeeded.into_iter().all(|success| success));
    });
    let global = paths(&store.global().unwrap());
    for number in 0..MIXERS {
        let text = fs::read(root.with_extension(format!("expected-{number}"))).unwrap();
        let expected: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let own = name(expected["profile"].as_str().unwrap());
        let of_mixer = format!("w{number}/");
        let in_global: Vec<&String> = global.iter().filter(|path| path.starts_with(&of_mixer)).collect();
        assert_eq!(serde_json::json!(in_global), expected["global"]);
        assert_eq!(serde_json::json!(paths(&store.profile(&own).unwrap())), expected["paths"]);
    }
    assert_eq!(store.profiles().unwrap().len(), MIXERS + 1);
}

#[test]
fn a_writer_that_waits_too_long_says_that_the_store_is_busy() {
    let directory = TempDir::new().unwrap();
    let store = Store::at(directory.path().join("ctx"));
    let impatient = store.clone().with_patience(Duration::from_millis(20));
    let inner = store.update(|t| {
        t.list_mut(&ListTarget::Global)?.paths.clear();
        assert_eq!(store.global().unwrap(), List::built_in_global(), "reading does not wait");
        Ok::<_, StoreError>(impatient.update(|_| Ok::<_, StoreError>(())))
    });
    let error = inner.unwrap().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Busy);
    assert!(error.to_string().starts_with("store is busy"), "{error}");
}
