//! What you can do with profiles, and the messages that refuse the rest.

use std::cell::Cell;
use std::fs;

use super::name;
use ctx_core::entry::BUILT_IN_GLOBAL;
use ctx_core::store::{ListTarget, Setting, Transaction};
use ctx_core::{Entry, ProfileName, Store, StoreError};
use tempfile::TempDir;

/// A store with the profiles `a`, which is active, and `b`.
fn prepared() -> (TempDir, Store) {
    let directory = TempDir::new().unwrap();
    let store = Store::at(directory.path().join("ctx"));
    store
        .update(|t| {
            t.create_profile(&name("b"))?;
            t.create_profile(&name("a"))?;
            t.set_active(&name("a"))
        })
        .unwrap();
    (directory, store)
}

#[test]
fn a_missing_store_is_empty_and_is_not_created() {
    let directory = TempDir::new().unwrap();
    let store = Store::at(directory.path().join("ctx"));
    let global: Vec<String> = store.global().unwrap().paths.into_iter().map(|entry| entry.path).collect();
    assert_eq!(global, BUILT_IN_GLOBAL);
    assert!(store.profile(&ProfileName::default_profile()).unwrap().paths.is_empty());
    assert_eq!(store.profiles().unwrap(), [ProfileName::default_profile()]);
    assert!(store.active().unwrap().is_default());
    assert!(!store.root().exists());
}

#[test]
fn the_first_change_writes_the_built_in_list_too() {
    let (_directory, store) = prepared();
    assert!(!store.root().join("global.json").exists());
    store.update(|t| t.list_mut(&ListTarget::Global).map(drop)).unwrap();
    assert!(!store.root().join("global.json").exists());
    store.update(|t| t.list_mut(&ListTarget::Global)?.add(Entry::new("x"))).unwrap();
    assert_eq!(
        fs::read_to_string(store.root().join("global.json")).unwrap(),
        "{\n  \"paths\": [\n    \"~/.aws/amazonq/rules/**/*.md\",\n    \"AmazonQ.md\",\n    {\n      \"path\": \".amazonq/rules/**/*.md\",\n      \"allow\": [\n        \"ignored\"\n      ]\n    },\n    \"up:AGENTS.md\",\n    \"x\"\n  ]\n}\n"
    );
}

#[test]
fn profiles_are_created_renamed_and_deleted() {
    let (_directory, store) = prepared();
    assert_eq!(store.profiles().unwrap(), ["default", "a", "b"].map(name));
    store.update(|t| t.rename_profile(&name("a"), &name("c"))).unwrap();
    assert_eq!(store.active().unwrap(), name("c"));
    store.update(|t| t.rename_profile(&name("b"), &name("a"))).unwrap();
    assert_eq!(store.active().unwrap(), name("c"));
    store.update(|t| t.delete_profile(&name("a"), &[])).unwrap();
    assert_eq!(store.profiles().unwrap(), ["default", "c"].map(name));
    let profile = fs::read_to_string(store.root().join("profiles/c.json")).unwrap();
    assert_eq!(profile, "{\n  \"paths\": []\n}\n");
}

#[test]
fn settings_are_stored_and_removed() {
    let (_directory, store) = prepared();
    let target = ListTarget::Profile(name("a"));
    let budget = "budget".parse::<Setting>().unwrap();
    let set = |value: Option<String>| {
        store.update(|t| t.list_mut(&target).map(|list| list.defaults.set(budget, value.clone())))
    };
    set(Some("60k".to_owned())).unwrap();
    assert_eq!(store.profile(&name("a")).unwrap().defaults.get(budget), Some("60k"));
    set(None).unwrap();
    assert_eq!(store.profile(&name("a")).unwrap().defaults.get(budget), None);
    assert!("colour".parse::<Setting>().is_err());
}

type Changing = fn(&mut Transaction) -> Result<(), StoreError>;

#[test]
fn refused_changes_have_the_expected_messages_and_change_nothing() {
    let table: [(Changing, &str); 13] = [
        (|t| t.create_profile(&name("a")).map(drop), "Profile 'a' already exists"),
        (|t| t.create_profile(&name("default")).map(drop), "Profile 'default' already exists"),
        (|t| t.set_active(&name("x")), "Profile 'x' does not exist"),
        (|t| t.delete_profile(&name("x"), &[]).map(drop), "Profile 'x' does not exist"),
        (|t| t.delete_profile(&name("default"), &[]).map(drop), "Cannot delete the default profile"),
        (
            |t| t.delete_profile(&name("a"), &[]).map(drop),
            "Cannot delete the active profile. Switch to another profile first",
        ),
        (
            |t| t.delete_profile(&name("b"), &[name("b")]).map(drop),
            "Cannot delete the active profile. Switch to another profile first",
        ),
        (|t| t.rename_profile(&name("x"), &name("y")), "Profile 'x' does not exist"),
        (|t| t.rename_profile(&name("a"), &name("b")), "Profile 'b' already exists"),
        (|t| t.rename_profile(&name("a"), &name("a")), "Profile 'a' already exists"),
        (|t| t.rename_profile(&name("default"), &name("x")), "Cannot rename the default profile"),
        (
            |t| t.rename_profile(&name("a"), &name("default")),
            "Cannot rename to 'default' as it's a reserved profile name",
        ),
        (|t| t.list_mut(&ListTarget::Profile(name("x"))).map(drop), "Profile 'x' does not exist"),
    ];
    let (_directory, store) = prepared();
    for (changing, words) in table {
        let error = store.update(|t| {
            t.list_mut(&ListTarget::Global)?.paths.clear();
            changing(t)
        });
        assert_eq!(error.unwrap_err().to_string(), words);
    }
    assert!(!store.root().join("global.json").exists());
    assert_eq!(store.profiles().unwrap(), ["default", "a", "b"].map(name));
    assert_eq!(store.active().unwrap(), name("a"));
}

#[test]
fn an_invalid_name_has_the_expected_message() {
    assert_eq!(
        "../x".parse::<ProfileName>().unwrap_err().to_string(),
        "Profile name must start with an ASCII letter or digit and can only contain ASCII letters, digits, \
         hyphens, and underscores"
    );
}

#[test]
fn a_missing_active_profile_is_an_error_until_another_is_active() {
    let (_directory, store) = prepared();
    fs::remove_file(store.root().join("profiles/a.json")).unwrap();
    let error = store.active().unwrap_err();
    assert!(matches!(&error, StoreError::ActiveProfileGone { .. }), "{error}");
    assert_eq!(store.read(|view| view.choice()).unwrap().profile, name("a"));
    store.update(|t| t.set_active(&ProfileName::default_profile())).unwrap();
    assert!(store.active().unwrap().is_default());
}

#[test]
fn an_unknown_profile_is_an_error_that_lists_the_available_ones() {
    let (_directory, store) = prepared();
    let error = store.read(|view| view.require_profile(&name("x"))).unwrap_err();
    assert_eq!(error.to_string(), "Profile 'x' does not exist. Available profiles: default, a, b");
    store.read(|view| view.require_profile(&ProfileName::default_profile())).unwrap();
}

#[test]
fn a_reader_starts_over_when_the_store_changes_under_it() {
    let (_directory, store) = prepared();
    let times = Cell::new(0);
    let active = store.read(|view| {
        let active = view.choice()?.profile;
        if times.replace(times.get() + 1) == 0 {
            store.update(|t| t.rename_profile(&name("a"), &name("c")))?;
        }
        view.profile(&active)?;
        Ok::<_, StoreError>(active)
    });
    assert_eq!(active.unwrap(), name("c"));
    assert_eq!(times.get(), 2);
}
