use super::turn;
use crate::support::Sandbox;

#[test]
fn renaming_a_profile_renames_its_history_and_its_backup() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["switch", "-c", "old"]).stderr_any().check();
    turn(&sandbox, "one", "1");
    sandbox.ctx(["history", "clear"]).stderr_any().check();
    turn(&sandbox, "two", "2");
    sandbox.ctx(["profile", "-m", "old", "new"]).stderr("Renamed profile 'old' to 'new'\n").check();
    sandbox.ctx(["history", "show"]).stdout("[turn 2: user]\ntwo\n\n[turn 2: assistant]\n2\n").check();
    assert!(sandbox.stored("history/new.jsonl.bak").contains("one"));
    assert_eq!(std::fs::read_dir(sandbox.store().join("history")).unwrap().count(), 2);
}

#[test]
fn a_profile_cannot_be_renamed_to_the_name_of_an_existing_history() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["switch", "-c", "old"]).stderr_any().check();
    turn(&sandbox, "one", "1");
    sandbox.ctx(["history", "append", "--role", "user", "x", "--history=new"]).stdout("1\n").check();
    sandbox
        .ctx(["profile", "-m", "old", "new"])
        .code(1)
        .stderr_has("error: History 'new' already exists\nhint: a deleted profile's history is kept; ")
        .check();
    sandbox.ctx(["profile", "--current"]).stdout("old\n").check();
    sandbox.ctx(["history", "show"]).stdout_has("one").check();
}

#[test]
fn deleting_a_profile_keeps_its_history() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["profile", "-c", "gone"]).stderr_any().check();
    sandbox.ctx(["history", "append", "--role", "user", "x", "--history=gone"]).stdout("1\n").check();
    sandbox
        .ctx(["profile", "-d", "gone"])
        .stderr(
            "Deleted profile 'gone'\nnote: its history is kept: 'ctx history show --history=gone' prints it\n",
        )
        .check();
    sandbox.ctx(["history", "show", "--raw", "--history=gone"]).stdout("[turn 1: user]\nx\n").check();
}

#[test]
fn a_recorded_renaming_applies_to_readers_and_is_completed_by_the_next_writer() {
    let sandbox = Sandbox::new();
    turn(&sandbox, "one", "1");
    let journal = r#"{"files": {"profiles/new.json": {"text": "{\"paths\": []}\n"}}, "history": {"from": "default", "to": "new"}}"#;
    sandbox.write_store("journal.json", journal);
    sandbox.ctx(["history", "show", "--history=new"]).stdout_has("one").check();
    assert!(sandbox.store().join("history/default.jsonl").exists());
    sandbox.ctx(["history", "append", "--role", "user", "two", "--history=new"]).stdout("2\n").check();
    assert!(!sandbox.store().join("history/default.jsonl").exists());
    assert!(!sandbox.store().join("journal.json").exists());
}

#[test]
fn an_empty_history_name_is_invalid() {
    let sandbox = Sandbox::new();
    let error = "error: invalid history name '' in --history: ";
    for args in [
        &["history", "append", "--role", "user", "x", "--history="][..],
        &["render", "-p", "x", "--history="],
    ] {
        sandbox.ctx(args).code(2).stderr_has(error).check();
    }
    sandbox.ctx(["history", "append", "--role", "user", "x", "--history"]).stdout("1\n").check();
}
