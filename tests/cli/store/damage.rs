//! Damaged stores: every command that needs the file refuses it and leaves it byte for byte as it was.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::name;
use ctx_core::store::{FILE_LIMIT, ListTarget, StoreErrorKind, Transaction};
use ctx_core::{Entry, ProfileName, Store, StoreError};
use tempfile::TempDir;

const LIST: &str = r#"{
  "later": {"numbers": [1, 2.5, -3e2], "text": "\u00e4\n"},
  "paths": [
    "README.md",
    {"path": "src/lib.rs", "tags": ["api"], "pin": true, "note": null}
  ],
  "budget": "60k"
}
"#;
const STATE: &str = "{\n  \"profile\": \"api\",\n  \"x\": [true]\n}\n";

fn store_with(files: &[(&str, &[u8])]) -> (TempDir, Store) {
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join("profiles")).unwrap();
    let sound = [("global.json", LIST), ("profiles/api.json", LIST), ("state.json", STATE)];
    for (file, text) in sound {
        fs::write(directory.path().join(file), text).unwrap();
    }
    for (file, bytes) in files {
        fs::write(directory.path().join(file), bytes).unwrap();
    }
    let store = Store::at(directory.path().to_owned());
    store.update(|_| Ok::<_, StoreError>(())).unwrap();
    (directory, store)
}

fn files_below(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files_below(&path)
            } else {
                let bytes = fs::read(&path).unwrap();
                [(path, bytes)].into()
            }
        })
        .collect()
}

/// Changes to the store that need the file, some after another change in the same transaction.
fn changes(store: &Store, file: &str) -> Vec<Result<(), StoreError>> {
    let other = |t: &mut Transaction| t.create_profile(&name("other")).map(drop);
    let api = name("api");
    match file {
        "global.json" => vec![
            store.update(|t| t.list_mut(&ListTarget::Global)?.add(Entry::new("new"))),
            store.update(|t| {
                other(t)?;
                t.list_mut(&ListTarget::Global).map(|list| list.paths.clear())
            }),
        ],
        "state.json" => vec![
            store.update(|t| t.set_active(&ProfileName::default_profile())),
            store.update(|t| {
                other(t)?;
                t.set_active(&name("other"))
            }),
            store.update(|t| t.rename_profile(&api, &name("new"))),
            store.update(|t| t.delete_profile(&api, &[]).map(drop)),
        ],
        _ => vec![
            store.update(|t| t.list_mut(&ListTarget::Profile(api.clone()))?.add(Entry::new("new"))),
            store.update(|t| {
                other(t)?;
                t.rename_profile(&api, &name("new"))
            }),
            store.update(|t| {
                t.set_active(&ProfileName::default_profile())?;
                t.delete_profile(&api, &[]).map(drop)
            }),
        ],
    }
}

fn reading(store: &Store, file: &str) -> StoreError {
    match file {
        "global.json" => store.global().unwrap_err(),
        "state.json" => store.active().unwrap_err(),
        _ => store.profile(&name("api")).unwrap_err(),
    }
}

fn check_refused(file: &str, bytes: &[u8]) {
    let (directory, store) = store_with(&[(file, bytes)]);
    let before = files_below(directory.path());
    let error = reading(&store, file);
    assert_eq!(error.kind(), StoreErrorKind::Damaged, "{error}");
    assert!(error.to_string().contains(&directory.path().join(file).display().to_string()), "{error}");
    if let StoreError::Damaged { line, column, .. } = &error {
        assert!(*line > 0 && *column > 0, "{error}");
    }
    for result in changes(&store, file) {
        assert_eq!(result.unwrap_err().kind(), StoreErrorKind::Damaged);
    }
    assert_eq!(files_below(directory.path()), before, "{}", String::from_utf8_lossy(bytes));
}

#[test]
fn a_store_truncated_anywhere_is_refused() {
    for (file, text) in [("global.json", LIST), ("profiles/api.json", LIST), ("state.json", STATE)] {
        for length in 0..text.len() - 1 {
            check_refused(file, &text.as_bytes()[..length]);
        }
    }
}

#[test]
fn a_byte_order_mark_is_skipped_and_not_written_back() {
    let marked = [b"\xef\xbb\xbf", LIST.as_bytes()].concat();
    let (directory, store) = store_with(&[("global.json", &marked)]);
    assert_eq!(store.global().unwrap().paths.len(), 2);
    store.update(|t| t.list_mut(&ListTarget::Global)?.add(Entry::new("new"))).unwrap();
    let text = fs::read_to_string(directory.path().join("global.json")).unwrap();
    assert!(text.starts_with("{\n") && text.contains("README.md") && text.contains("new"), "{text}");
}

#[test]
fn every_kind_of_damage_is_refused() {
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(5000), "]".repeat(5000));
    let deep_entry = format!("{{\"paths\":[{{\"path\":{}}}]}}", "{\"a\":".repeat(5000));
    let common: [&[u8]; 13] = [
        b"null",
        b"[]",
        b"\"profile\"",
        b"1",
        b"{} x",
        b"{}{}",
        b"{\"a\":1,\"a\":1}",
        b"{\"a\":{\"b\":[{\"c\":1,\"\\u0063\":2}]}}",
        b"{\"a\":\"\xff\"}",
        b"\0",
        b"{\"a\":1e}",
        b"{'a':1}",
        b"{\"a\":1,}",
    ];
    let lists: [&[u8]; 13] = [
        b"{\"paths\":null}",
        b"{\"paths\":{}}",
        b"{\"paths\":\"a\"}",
        b"{\"paths\":[1]}",
        b"{\"paths\":[[\"a\"]]}",
        b"{\"paths\":[{\"tags\":[]}]}",
        b"{\"paths\":[{\"path\":\"a\",\"pin\":1}]}",
        b"{\"paths\":[{\"path\":\"a\",\"path\":\"b\"}]}",
        b"{\"paths\":[],\"paths\":[]}",
        b"{\"paths\":[\"a\\u0000b\"]}",
        b"{\"paths\":[{\"path\":\"\\u0000\"}]}",
        b"{\"paths\":[\"\\ud800\"]}",
        b"{\"budget\":60000}",
    ];
    let states: [&[u8]; 4] =
        [b"{\"profile\":1}", b"{\"profile\":null}", b"{\"profile\":\"../x\"}", b"{\"profile\":\"\"}"];
    for file in ["global.json", "profiles/api.json", "state.json"] {
        let large = format!("{{{}}}", " ".repeat(usize::try_from(FILE_LIMIT).unwrap() - 1));
        for bytes in common.into_iter().chain([deep.as_bytes(), large.as_bytes()]) {
            check_refused(file, bytes);
        }
    }
    for file in ["global.json", "profiles/api.json"] {
        for bytes in lists.into_iter().chain([deep_entry.as_bytes()]) {
            check_refused(file, bytes);
        }
    }
    for bytes in states {
        check_refused("state.json", bytes);
    }
}

#[test]
fn a_file_of_exactly_the_limit_is_read_and_no_larger_one_is_written() {
    let text = format!("{{{}}}", " ".repeat(usize::try_from(FILE_LIMIT).unwrap() - 2));
    let (directory, store) = store_with(&[("global.json", text.as_bytes())]);
    assert!(store.global().unwrap().paths.is_empty());
    let before = files_below(directory.path());
    let much = "x".repeat(usize::try_from(FILE_LIMIT).unwrap());
    for path in [much.as_str(), "a\0b"] {
        let error = store.update(|t| t.list_mut(&ListTarget::Global)?.add(Entry::new(path))).unwrap_err();
        assert!(matches!(error, StoreError::Unstorable { .. }), "{error}");
    }
    assert_eq!(files_below(directory.path()), before);
}

#[test]
fn damage_in_an_unused_file_does_not_stop_a_command() {
    let (_directory, store) = store_with(&[("profiles/api.json", b"{")]);
    store.update(|t| t.list_mut(&ListTarget::Global)?.add(Entry::new("new"))).unwrap();
    store.update(|t| t.set_active(&ProfileName::default_profile())).unwrap();
    assert_eq!(store.profiles().unwrap(), ["default", "api"].map(name));
}

#[test]
fn an_unchanged_file_is_not_rewritten() {
    let squeezed = b"{\"x\":1,\"paths\":[{\"path\":\"a\",\"pin\":false}]}";
    let (directory, store) = store_with(&[("global.json", squeezed), ("profiles/api.json", squeezed)]);
    let change = |path: &'static str| {
        store.update(|t| {
            let list = t.list_mut(&ListTarget::Global)?;
            list.add(Entry::new(path))?;
            list.remove_all(&[vec![path.to_owned()]]);
            t.rename_profile(&name("api"), &name("new"))
        })
    };
    change("b").unwrap();
    assert_eq!(fs::read(directory.path().join("global.json")).unwrap(), squeezed);
    assert_eq!(fs::read(directory.path().join("profiles/new.json")).unwrap(), squeezed);
    let state = fs::read_to_string(directory.path().join("state.json")).unwrap();
    assert_eq!(state, STATE.replace("api", "new").replace("[true]", "[\n    true\n  ]"));
}
