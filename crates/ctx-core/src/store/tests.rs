//! What readers see when a command dies between two steps, and when a step fails.

use std::fs;

use tempfile::TempDir;

use super::error::{ChangeOutcome, Unwritten};
use super::journal::{self, FileChange, FileContent, JournalStep};
use super::layout::{JOURNAL, StoreFile};
use super::*;
use crate::entry::Entry;

fn name(text: &str) -> ProfileName {
    text.parse().unwrap()
}

fn scratch() -> (TempDir, Store) {
    let directory = TempDir::new().unwrap();
    let store = Store::at(directory.path().join("ctx"));
    (directory, store)
}

/// Everything that a reader can see.
#[derive(Debug, PartialEq)]
struct Seen {
    active: ProfileName,
    global: List,
    profiles: Vec<(ProfileName, List)>,
}

fn seen(store: &Store) -> Seen {
    let read = store.read(|view| {
        let lists = view.profiles()?.into_iter().map(|name| Ok((name.clone(), view.profile(&name)?)));
        Ok::<_, StoreError>(Seen {
            active: view.active()?,
            global: view.global()?,
            profiles: lists.collect::<Result<_, StoreError>>()?,
        })
    });
    read.unwrap()
}

type Changing = fn(&mut Transaction) -> Result<(), StoreError>;

/// A store with the profile `old`, active and not empty.
fn prepared() -> (TempDir, Store) {
    let (directory, store) = scratch();
    store
        .update(|t| {
            t.create_profile(&name("old"))?.add(Entry::new("a"))?;
            t.create_profile(&name("other"))?;
            t.set_active(&name("old"))
        })
        .unwrap();
    (directory, store)
}

const CHANGES: [Changing; 4] = [
    |t| t.rename_profile(&name("old"), &name("new")),
    |t| {
        t.create_profile(&name("new"))?.add(Entry::new("b"))?;
        t.set_active(&name("new"))
    },
    |t| {
        t.set_active(&name("other"))?;
        t.delete_profile(&name("old"), &[])?;
        t.rename_profile(&name("other"), &name("old"))
    },
    |t| {
        t.list_mut(&ListTarget::Global)?.paths.clear();
        t.list_mut(&ListTarget::Profile(name("old")))?.add(Entry::new("c"))?;
        t.list_mut(&ListTarget::Profile(ProfileName::default_profile()))?.add(Entry::new("d"))
    },
];

fn steps_of(store: &Store, changing: Changing) -> Vec<JournalStep> {
    let mut transaction = Transaction::new(&store.layout, &[]);
    changing(&mut transaction).unwrap();
    journal::steps(&store.layout, transaction.changes().unwrap(), transaction.renamed_history()).unwrap()
}

#[test]
fn a_crash_after_any_step_leaves_the_old_or_the_new_state() {
    for changing in CHANGES {
        let (_directory, whole) = prepared();
        let before = seen(&whole);
        whole.update(changing).unwrap();
        let after = seen(&whole);
        assert_ne!(before, after);
        let count = steps_of(&prepared().1, changing).len();
        assert!(count > 3, "the change is in several files");
        for done in 0..=count {
            let (_directory, store) = prepared();
            for step in &steps_of(&store, changing)[..done] {
                step.run(&store.layout).unwrap();
            }
            let expected = if done == 0 { &before } else { &after };
            assert_eq!(&seen(&store), expected, "after {done} steps");
            store.update(|_| Ok::<_, StoreError>(())).unwrap();
            assert_eq!(&seen(&store), expected, "after {done} steps and the next writer");
            assert!(!store.root().join(JOURNAL).exists());
            let files = |store: &Store| fs::read_dir(store.root().join("profiles")).unwrap().count();
            assert_eq!(files(&store), if done == 0 { files(&prepared().1) } else { files(&whole) });
        }
    }
}

#[test]
fn an_edit_after_a_crash_is_kept_and_nothing_is_removed() {
    const EDIT: &[u8] = b"{\"paths\": [\"by hand\"]}\n";
    let count = steps_of(&prepared().1, CHANGES[0]).len();
    for done in 1..count {
        for edited in ["old", "new"] {
            let (_directory, store) = prepared();
            for step in &steps_of(&store, CHANGES[0])[..done] {
                step.run(&store.layout).unwrap();
            }
            let path = store.layout.path(&StoreFile::Profile(name(edited)));
            let left_old = store.layout.path(&StoreFile::Profile(name("old"))).exists();
            fs::write(&path, EDIT).unwrap();
            let unfinished = store.unfinished().unwrap().unwrap();
            assert_eq!(unfinished, std::slice::from_ref(&path), "{edited} after {done} steps");
            let kept = store.update(|t| Ok::<_, StoreError>(t.kept_edits().to_vec())).unwrap();
            assert_eq!(kept, std::slice::from_ref(&path), "{edited} after {done} steps");
            assert_eq!(fs::read(&path).unwrap(), EDIT, "{edited} after {done} steps");
            assert_eq!(store.unfinished().unwrap(), None);
            assert_eq!(store.active().unwrap(), name("new"));
            assert!(!left_old || store.profile(&name("old")).is_ok(), "{edited} after {done} steps");
        }
    }
}

#[test]
fn a_journal_without_the_former_contents_is_replayed() {
    let (_directory, store) = prepared();
    let journal = r#"{"files": {"global.json": {"text": "{\"paths\": [\"recorded\"]}"}}}"#;
    fs::write(store.root().join(JOURNAL), journal).unwrap();
    store.update(|t| t.create_profile(&name("next")).map(drop)).unwrap();
    assert_eq!(store.global().unwrap().paths, [Entry::new("recorded")]);
}

#[test]
fn recovery_itself_can_be_interrupted() {
    let changing = CHANGES[0];
    let (_directory, store) = prepared();
    let steps = steps_of(&store, changing);
    steps[0].run(&store.layout).unwrap();
    for done in 1..steps.len() {
        for step in &steps[1..done] {
            step.run(&store.layout).unwrap();
        }
    }
    store.update(|t| t.list_mut(&ListTarget::Profile(name("new")))?.add(Entry::new("z"))).unwrap();
    assert_eq!(store.profile(&name("new")).unwrap().paths.len(), 2);
    assert_eq!(store.active().unwrap(), name("new"));
    assert_eq!(store.profiles().unwrap(), ["default", "new", "other"].map(name));
}

#[test]
fn a_step_that_fails_undoes_the_others() {
    let (_directory, store) = prepared();
    store.update(|t| t.list_mut(&ListTarget::Global)?.add(Entry::new("g"))).unwrap();
    let before = fs::read(store.layout.path(&StoreFile::Global)).unwrap();
    let blocked = StoreFile::Project { directory: "/nowhere/.ctx".into(), name: name("blocked") };
    let text = |text: &str| FileContent { link: None, text: Some(text.to_owned()) };
    let changes = [
        FileChange {
            file: StoreFile::Global,
            before: text(std::str::from_utf8(&before).unwrap()),
            after: text("{}\n"),
        },
        FileChange { file: blocked, before: FileContent::default(), after: text("{}\n") },
    ];
    let error = journal::commit(&store.layout, changes.into(), None).unwrap_err();
    assert!(error.to_string().ends_with("; nothing was changed"), "{error}");
    assert_eq!(fs::read(store.layout.path(&StoreFile::Global)).unwrap(), before);
    assert!(!store.root().join(JOURNAL).exists());
    for directory in [store.root().to_owned(), store.root().join("profiles")] {
        for entry in fs::read_dir(directory).unwrap() {
            assert!(!entry.unwrap().file_name().to_str().unwrap().contains(".ctx-"));
        }
    }
}

#[test]
fn change_that_cannot_be_undone_stays_recorded() {
    let (_directory, store) = prepared();
    let mut steps = steps_of(&store, CHANGES[0]);
    steps[..2].iter().for_each(|step| step.run(&store.layout).unwrap());
    let JournalStep::Apply(change) = &mut steps[1] else { panic!("{steps:?}") };
    // The journal claims that the previous state was a link to an unwritable path.
    change.before = FileContent { link: Some("no/such/directory/x".into()), text: Some(String::new()) };
    if cfg!(unix) {
        assert_eq!(journal::take_back(&store.layout, &steps[..2]), ChangeOutcome::Recorded);
        assert!(store.root().join(JOURNAL).exists());
    }
}

#[test]
fn a_save_at_the_last_moment_is_noticed_and_the_change_starts_over() {
    for (at, changing) in CHANGES.into_iter().enumerate() {
        let (_directory, store) = prepared();
        let path = store.layout.path(&StoreFile::Profile(name("old")));
        let mut saves = 0;
        let saved_then_changed = store.update(|t| {
            changing(t)?;
            if saves < 2 {
                saves += 1;
                fs::write(&path, format!("{{\"paths\": [\"saved {saves}\"]}}\n")).unwrap();
            }
            Ok::<_, StoreError>(())
        });
        // The second change does not touch that file.
        assert_eq!((saved_then_changed.is_ok(), saves), (true, if at == 1 { 1 } else { 2 }), "{at}");
        let kept = [name("old"), name("new")].map(|name| store.profile(&name).map(|list| list.paths));
        let expected = Entry::new(format!("saved {saves}"));
        // The third deletes it and gives its name to another one.
        assert!(at == 2 || kept.iter().flatten().any(|list| list.first() == Some(&expected)), "{kept:?}");
        assert!(!store.root().join(JOURNAL).exists());
    }
}

#[test]
fn a_save_while_a_change_is_applied_is_kept_and_the_change_is_undone() {
    let (_directory, store) = prepared();
    let before = seen(&store);
    let steps = steps_of(&store, CHANGES[0]);
    for applied in 1..steps.len() - 1 {
        let JournalStep::Apply(next) = &steps[applied] else { continue };
        steps[..applied].iter().for_each(|step| step.run(&store.layout).unwrap());
        let path = store.layout.path(&next.file);
        let text = fs::read(&path);
        fs::write(&path, "{\"paths\": [\"saved\"]}\n").unwrap();
        assert!(matches!(steps[applied].run(&store.layout), Err(Unwritten::Edited { .. })), "{applied}");
        assert_eq!(fs::read(&path).unwrap(), b"{\"paths\": [\"saved\"]}\n", "{applied}");
        match text {
            Ok(text) => fs::write(&path, text).unwrap(),
            Err(_) => fs::remove_file(&path).unwrap(),
        }
        assert_eq!(journal::take_back(&store.layout, &steps[..applied]), ChangeOutcome::NothingChanged);
        assert_eq!(seen(&store), before, "{applied}");
    }
}

#[test]
fn a_journal_of_a_project_that_is_gone_counts_as_edited_and_blocks_nothing() {
    let (directory, store) = prepared();
    let gone = directory.path().join("gone/.ctx/profiles/new.json");
    let journal = format!(r#"{{"files": {{"{}": {{"text": "{{}}"}}}}}}"#, gone.display());
    fs::write(store.root().join(JOURNAL), journal).unwrap();
    let mut told = Vec::new();
    store
        .update(|t| {
            told.extend(t.kept_edits().to_vec());
            t.create_profile(&name("next")).map(drop)
        })
        .unwrap();
    assert_eq!(told, [gone]);
    assert!(!store.root().join(JOURNAL).exists());
}

#[test]
#[cfg(unix)]
fn a_project_has_only_one_writer_even_with_different_stores() {
    let directory = TempDir::new().unwrap();
    let project = directory.path().join(".ctx");
    fs::create_dir(&project).unwrap();
    let of = |root: &str| {
        let store = Store::at(directory.path().join(root)).with_patience(Duration::ZERO);
        store.with_project(project.clone(), Owners::in_directory(directory.path()))
    };
    let (one, other) = (of("one"), of("other"));
    let add = |store: &Store| store.update(|t| t.create_profile(&name("new")).map(drop));
    one.update(|_| {
        assert!(matches!(add(&other), Err(StoreError::Busy { path }) if path == project));
        Ok::<_, StoreError>(())
    })
    .unwrap();
    add(&other).unwrap();
    assert_eq!(fs::read_dir(&project).unwrap().count(), 1);
}

#[test]
fn a_damaged_journal_stops_readers_and_writers() {
    let (_directory, store) = prepared();
    for text in ["", "{", "{}", r#"{"files":{"../x.json":{"text":"{}"}}}"#, r#"{"files":{},"more":1}"#] {
        fs::write(store.root().join(JOURNAL), text).unwrap();
        assert_eq!(store.global().unwrap_err().kind(), StoreErrorKind::Damaged, "{text}");
        let error = store.update(|_| Ok::<_, StoreError>(())).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Damaged, "{text}");
        assert_eq!(fs::read_to_string(store.root().join(JOURNAL)).unwrap(), text);
    }
}

#[test]
fn a_change_to_one_file_needs_no_journal() {
    let (_directory, store) = prepared();
    let steps = steps_of(&store, |t| t.list_mut(&ListTarget::Global)?.add(Entry::new("g")));
    assert!(matches!(steps.as_slice(), [JournalStep::Apply(_)]));
    assert!(steps_of(&store, |t| t.set_active(&name("old"))).is_empty());
}

#[test]
fn the_root_comes_from_the_option_or_the_variable_or_the_config_directory() {
    let path = |text: &str| Some(PathBuf::from(text));
    assert_eq!(Store::root_from(path("f"), Some("e".into()), path("c")).unwrap(), Path::new("f"));
    assert_eq!(Store::root_from(None, Some("e".into()), path("c")).unwrap(), Path::new("e"));
    assert_eq!(Store::root_from(None, Some("".into()), path("c")).unwrap(), Path::new("c/ctx"));
    assert!(matches!(Store::root_from(None, None, None), Err(StoreError::NoRoot)));
}

#[test]
fn file_that_cannot_be_read_again_is_not_taken_for_an_edited_one() {
    let (_directory, store) = prepared();
    let path = store.root().join("todo.md");
    fs::create_dir(&path).unwrap();
    let replaced = store.writing(|writer| writer.replace(&path, None, b"text"));
    assert!(matches!(&replaced, Err(StoreError::NotRegular { path: of }) if *of == path), "{replaced:?}");
}
