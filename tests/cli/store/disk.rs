//! The store on disk: permissions, links, special files, and the leftovers of a killed command.

use std::env;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use super::name;
use crate::support::skipped;
use ctx_core::store::{List, ListTarget, StoreErrorKind};
use ctx_core::{Entry, ProfileName, Store, StoreError};
use rustix::fs::{Mode, RawMode};
use tempfile::TempDir;

const UMASK: &str = "STORE_TEST_UMASK";
const ROOT: &str = "STORE_TEST_ROOT";

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn add(store: &Store, target: &ListTarget, path: &str) -> Result<(), StoreError> {
    store.update(|t| t.list_mut(target)?.add(Entry::new(path)))
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn scratch() -> (TempDir, Store) {
    let directory = TempDir::new().unwrap();
    let store = Store::at(directory.path().join("ctx"));
    (directory, store)
}

#[test]
fn worker() {
    let Some(root) = env::var_os(ROOT) else { return };
    let mask = RawMode::from_str_radix(&env::var(UMASK).unwrap(), 8).unwrap();
    rustix::process::umask(Mode::from_bits_truncate(mask));
    let store = Store::at(PathBuf::from(root));
    add(&store, &ListTarget::Global, "a").unwrap();
    store
        .update(|t| {
            t.create_profile(&name("x"))?;
            t.set_active(&name("x"))
        })
        .unwrap();
}

#[test]
fn files_are_private_whatever_the_umask() {
    for mask in ["000", "022", "077", "277"] {
        let directory = TempDir::new().unwrap();
        let parent = directory.path().join("config");
        let root = parent.join("ctx");
        let status = Command::new(env::current_exe().unwrap())
            .args(["--exact", "store::disk::worker"])
            .env(UMASK, mask)
            .env(ROOT, &root)
            .output()
            .unwrap();
        assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
        for private in [parent, root.clone(), root.join("profiles")] {
            assert_eq!(mode(&private), 0o700, "{} under {mask}", private.display());
        }
        assert_eq!(names_in(&root), ["global.json", "profiles", "state.json", "store.lock"]);
        for file in ["global.json", "profiles/x.json", "state.json", "store.lock"] {
            assert_eq!(mode(&root.join(file)), 0o600, "{file} under {mask}");
        }
    }
}

#[test]
fn a_store_that_others_can_write_to_is_not_changed() {
    for unsafe_directory in [".", "profiles"] {
        for bits in [0o777, 0o1777, 0o702] {
            let (_directory, store) = scratch();
            add(&store, &ListTarget::Global, "a").unwrap();
            let path = store.root().join(unsafe_directory);
            fs::set_permissions(&path, Permissions::from_mode(bits)).unwrap();
            let before = fs::read(store.root().join("global.json")).unwrap();
            let error = add(&store, &ListTarget::Global, "b").unwrap_err();
            assert!(error.to_string().starts_with("unsafe store"), "{error}");
            assert_eq!(error.kind(), StoreErrorKind::Io);
            assert_eq!(fs::read(store.root().join("global.json")).unwrap(), before);
            store.global().unwrap();
        }
    }
}

#[test]
fn writing_to_a_linked_file_keeps_the_link() {
    let (directory, store) = scratch();
    let dotfiles = directory.path().join("dotfiles");
    fs::create_dir_all(&dotfiles).unwrap();
    fs::create_dir_all(store.root().join("profiles")).unwrap();
    fs::write(dotfiles.join("global.json"), "{\"paths\": [\"a\"], \"x\": 1}").unwrap();
    symlink("../dotfiles/second", store.root().join("global.json")).unwrap();
    symlink("global.json", dotfiles.join("second")).unwrap();
    add(&store, &ListTarget::Global, "b").unwrap();
    assert!(store.root().join("global.json").is_symlink() && dotfiles.join("second").is_symlink());
    assert_eq!(
        fs::read_to_string(dotfiles.join("global.json")).unwrap(),
        "{\n  \"paths\": [\n    \"a\",\n    \"b\"\n  ],\n  \"x\": 1\n}\n"
    );
    assert_eq!(names_in(&dotfiles), ["global.json", "second"]);

    fs::set_permissions(&dotfiles, Permissions::from_mode(0o777)).unwrap();
    assert!(matches!(add(&store, &ListTarget::Global, "c"), Err(StoreError::Unsafe { .. })));
}

#[test]
fn writing_to_a_dangling_link_creates_its_target() {
    let (directory, store) = scratch();
    fs::create_dir_all(store.root().join("profiles")).unwrap();
    symlink(directory.path().join("later.json"), store.root().join("global.json")).unwrap();
    assert_eq!(store.global().unwrap(), List::built_in_global());
    add(&store, &ListTarget::Global, "b").unwrap();
    assert_eq!(store.global().unwrap().paths.len(), 5);
    assert!(directory.path().join("later.json").is_file());

    symlink("no/such/directory/x.json", store.root().join("state.json")).unwrap();
    let error = store.update(|t| {
        t.create_profile(&name("x"))?;
        t.set_active(&name("x"))
    });
    let error = error.unwrap_err().to_string();
    assert!(error.ends_with("; nothing was changed"), "{error}");
    assert_eq!(store.profiles().unwrap(), [ProfileName::default_profile()]);
    assert_eq!(names_in(&store.root().join("profiles")), [""; 0]);
}

#[test]
fn a_linked_profile_stays_linked_when_renamed_and_its_target_is_not_deleted() {
    let (directory, store) = scratch();
    fs::create_dir_all(store.root().join("profiles")).unwrap();
    let target = directory.path().join("team.json");
    fs::write(&target, "{\"paths\": [\"a\"]}").unwrap();
    symlink(&target, store.root().join("profiles/a.json")).unwrap();
    store.update(|t| t.set_active(&name("a"))).unwrap();
    store.update(|t| t.rename_profile(&name("a"), &name("b"))).unwrap();
    assert_eq!(fs::read_link(store.root().join("profiles/b.json")).unwrap(), target);
    assert_eq!(store.profiles().unwrap(), ["default", "b"].map(name));
    store.update(|t| t.set_active(&ProfileName::default_profile())).unwrap();
    store.update(|t| t.delete_profile(&name("b"), &[])).unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "{\"paths\": [\"a\"]}");
    assert_eq!(names_in(&store.root().join("profiles")), [""; 0]);
}

#[test]
fn a_store_file_that_is_not_regular_is_refused_without_waiting() {
    for file in ["global.json", "journal.json", "store.lock"] {
        let (_directory, store) = scratch();
        fs::create_dir_all(store.root().join("profiles")).unwrap();
        let path = store.root().join(file);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let error = add(&store, &ListTarget::Global, "a").unwrap_err();
        assert!(matches!(error, StoreError::NotRegular { .. }), "{file}: {error}");
        if file != "store.lock" {
            assert_eq!(store.global().unwrap_err().kind(), StoreErrorKind::Damaged);
        }
    }
    let (_directory, store) = scratch();
    fs::create_dir_all(store.root().join("state.json")).unwrap();
    assert_eq!(store.active().unwrap_err().kind(), StoreErrorKind::Damaged);
    symlink("global.json", store.root().join("global.json")).unwrap();
    let error = add(&store, &ListTarget::Global, "a").unwrap_err().to_string();
    assert!(error.ends_with("; nothing was changed"), "{error}");
}

#[test]
fn leftovers_of_killed_commands_are_removed_and_nothing_else_is() {
    let (directory, store) = scratch();
    let dotfiles = directory.path().join("dotfiles");
    fs::create_dir_all(&dotfiles).unwrap();
    for written in ["profiles", "cleared", "history", "todo"] {
        fs::create_dir_all(store.root().join(written)).unwrap();
    }
    fs::write(dotfiles.join("mine.json"), "{}").unwrap();
    symlink(dotfiles.join("mine.json"), store.root().join("global.json")).unwrap();
    let kept =
        ["profiles/.x.json.ctx-abc", "profiles/x y.json", ".note", "../dotfiles/.other.json.ctx-abcdef"];
    let swept = [
        ".state.json.ctx-aB3dEf",
        "profiles/.x.json.ctx-000000",
        "cleared/.x.json.ctx-000000",
        "history/.x.jsonl.ctx-000000",
        "todo/.x.json.ctx-000000",
        "../dotfiles/.mine.json.ctx-abcdef",
    ];
    for file in kept.into_iter().chain(swept) {
        fs::write(store.root().join(file), "").unwrap();
    }
    symlink("nowhere", store.root().join("profiles/.y.json.ctx-abcdef")).unwrap();
    // Next to a file behind a link, another store's command may be at work.
    let recent = store.root().join("../dotfiles/.mine.json.ctx-ABCDEF");
    fs::write(&recent, "").unwrap();
    let old = fs::File::options().write(true).open(dotfiles.join(".mine.json.ctx-abcdef")).unwrap();
    old.set_modified(SystemTime::now() - Duration::from_secs(3_600)).unwrap();
    store.update(|_| Ok::<_, StoreError>(())).unwrap();
    assert!(kept.iter().all(|file| store.root().join(file).exists()));
    assert!(swept.iter().all(|file| !store.root().join(file).exists()));
    assert!(recent.exists());
    assert!(!store.root().join("profiles/.y.json.ctx-abcdef").is_symlink());
    let strays: Vec<PathBuf> =
        ["profiles/.x.json.ctx-abc", "profiles/x y.json"].map(|f| store.root().join(f)).into();
    assert_eq!(store.strays().unwrap(), strays);
}

#[test]
fn a_read_only_store_is_not_changed() {
    if rustix::process::geteuid().is_root() {
        skipped("permissions do not stop root");
        return;
    }
    let (_directory, store) = scratch();
    add(&store, &ListTarget::Global, "a").unwrap();
    fs::set_permissions(store.root(), Permissions::from_mode(0o500)).unwrap();
    let error = add(&store, &ListTarget::Global, "b").unwrap_err().to_string();
    fs::set_permissions(store.root(), Permissions::from_mode(0o700)).unwrap();
    assert!(error.ends_with("; nothing was changed"), "{error}");
    assert_eq!(store.global().unwrap().paths.len(), 5);
}

#[test]
fn a_store_that_cannot_be_created_is_an_error_with_its_path() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("file"), "").unwrap();
    let store = Store::at(directory.path().join("file/ctx"));
    let error = add(&store, &ListTarget::Global, "a").unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Io);
    assert!(
        error.to_string().contains("file/ctx") && error.to_string().ends_with("nothing was changed"),
        "{error}"
    );
}

#[test]
fn a_writer_that_waits_too_long_reports_that_the_store_is_busy() {
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
