//! Checkpoints around a program that `ctx run` runs, and the findings of `ctx check` about checkpoints.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::{interrupt_a_restore, kept};
use crate::states::run;
use crate::support::Sandbox;

const CHANGE: [&str; 3] = ["sh", "-c", "cat > answer; echo said"];

fn sandbox() -> Sandbox {
    Sandbox::with(&[("a.md", "text\n")])
}

/// The number, turn and label of each checkpoint.
fn list(sandbox: &Sandbox) -> Vec<String> {
    let listed = run(sandbox, &["checkpoint", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let row = |row: &Value| format!("{} {} {}", row["number"], row["turn"], row["text"].as_str().unwrap());
    listed["checkpoints"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn run_with_checkpoint_makes_one_before_and_one_after() {
    let sandbox = sandbox();
    sandbox
        .ctx(["run", "--checkpoint", "--only", "-p", "x", "--"].iter().chain(&CHANGE))
        .stdout("said\n")
        .stderr(
            "warning: the context is empty: there are no entries; 'ctx add PATH' adds entries\n\
             note: 1 file changed; 'ctx checkpoint diff 1 2' shows how, 'ctx checkpoint restore 1' restores them\n",
        )
        .check();
    let command = "sh -c cat > answer; echo said";
    assert_eq!(
        list(&sandbox),
        [format!("1 null before: x ({command})"), format!("2 null after: x ({command})")]
    );
    // If nothing changed, no other checkpoint is needed.
    let again = ["run", "--checkpoint", "-p", "x", "a.md", "--", "true"];
    sandbox.ctx(again).check();
    assert_eq!(list(&sandbox).len(), 2);
}

#[test]
fn run_with_a_history_labels_checkpoints_with_the_turn() {
    let sandbox = sandbox();
    let ask = ["run", "--history=talk", "-q", "--checkpoint", "-p", "x", "a.md", "--"];
    for turn in ["1", "2"] {
        let script = format!("echo {turn} > answer; echo said");
        sandbox.ctx(ask.iter().copied().chain(["sh", "-c", script.as_str()])).stdout("said\n").check();
    }
    assert_eq!(
        list(&sandbox),
        [
            "1 1 before turn 1 of 'talk': x (sh -c echo 1 > answer; echo said)",
            "2 1 after turn 1 of 'talk': x (sh -c echo 1 > answer; echo said)",
            // The state before turn 2 is the one after turn 1.
            "3 2 after turn 2 of 'talk': x (sh -c echo 2 > answer; echo said)",
        ]
    );
    sandbox.write("a.md", "edited\n");
    sandbox.ctx(ask.iter().chain(&["false"])).code(1).check();
    assert_eq!(list(&sandbox).pop().unwrap(), "4 3 before turn 3 of 'talk': x (false)");
}

#[test]
fn the_setting_of_a_profile_is_the_default_for_the_option() {
    let sandbox = sandbox();
    sandbox.ctx(["profile", "--set", "checkpoint=on", "-q"]).check();
    let ask = |option: &'static [&'static str]| {
        [&["run", "-q", "-p", "x", "a.md"], option, &["--", "sh", "-c", "date >> answer"]].concat()
    };
    sandbox.ctx(ask(&["--no-checkpoint"])).check();
    assert!(!sandbox.store().join("checkpoints").exists());
    sandbox.ctx(ask(&[])).check();
    assert_eq!(list(&sandbox).len(), 2);
    sandbox.ctx(["profile", "--set", "checkpoint=off", "-q"]).check();
    sandbox.ctx(ask(&[])).check();
    assert_eq!(list(&sandbox).len(), 2);
    sandbox.ctx(ask(&["--no-checkpoint", "--checkpoint"])).check();
    assert_eq!(list(&sandbox).len(), 4);
    sandbox
        .ctx(["profile", "--set", "checkpoint=always"])
        .code(2)
        .stderr("error: invalid value 'always': use on or off\n")
        .check();
    sandbox.write_store("profiles/default.json", r#"{"paths": [], "checkpoint": "always"}"#);
    sandbox
        .ctx(ask(&[]))
        .code(2)
        .stderr_has("error: invalid value 'always': use on or off\n")
        .stderr_has("hint: it is the checkpoint of profile 'default'")
        .check();
    sandbox.ctx(["check"]).code(3).stdout_has("profiles/default.json: invalid value 'always'").check();
}

#[test]
fn the_program_is_not_started_if_the_checkpoint_before_it_fails() {
    let sandbox = sandbox();
    let ask = ["run", "--checkpoint", "--history", "-p", "x", "a.md", "--", "touch", "started"];
    let error = "error: no checkpoint before the program, which was not started: ";
    sandbox
        .ctx(ask)
        .env("CTX_HOME", sandbox.path("store").to_str().unwrap())
        .code(1)
        .stderr(format!("{error}cannot use checkpoints in '<project>': the store is in it\n"))
        .check();
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout_any().check();
    interrupt_a_restore(&sandbox);
    sandbox
        .ctx(ask)
        .code(1)
        .stderr(format!(
            "{error}a restore of checkpoint 1 was interrupted\n\
             hint: 'ctx checkpoint restore --continue' finishes it, 'ctx checkpoint restore --abort' undoes it\n"
        ))
        .check();
    assert!(!sandbox.path("started").exists());
    assert!(!sandbox.store().join("history/default.jsonl").exists());
}

#[test]
fn the_exit_code_is_that_of_the_program_if_the_checkpoint_after_it_fails() {
    let sandbox = sandbox();
    let directory = sandbox.store().join("checkpoints");
    // A program may do what it likes to the store of checkpoints.
    let script = format!("echo > new; rm -rf '{0}'; echo > '{0}'; exit 7", directory.display());
    sandbox
        .ctx(["run", "--checkpoint", "--history", "-p", "x", "a.md", "--", "sh", "-c", &script])
        .code(7)
        .stderr_has("warning: no checkpoint after the program: ")
        .check();
    assert!(sandbox.stored("history/default.jsonl").contains("\"exit\":7"));
}

#[test]
fn check_reports_an_interrupted_restore_and_a_damaged_list() {
    let sandbox = sandbox();
    sandbox.ctx(["add", "-q", "a.md"]).check();
    sandbox.ctx(["check"]).stdout_any().check();
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout_any().check();
    sandbox.ctx(["check"]).stdout_any().check();
    interrupt_a_restore(&sandbox);
    sandbox
        .ctx(["check"])
        .code(3)
        .stdout_has(
            "store:\n    checkpoints: a restore of checkpoint 1 was interrupted: 0 of 0 paths left; 'ctx checkpoint \
             restore --continue' finishes it, 'ctx checkpoint restore --abort' undoes it\n\n1 problem\n",
        )
        .check();
    sandbox.ctx(["checkpoint", "restore", "--abort", "-q"]).check();
    sandbox.ctx(["check"]).stdout_any().check();
    let list = kept(&sandbox).join("checkpoints.json");
    fs::set_permissions(&list, Permissions::from_mode(0o600)).unwrap();
    fs::write(&list, "{").unwrap();
    sandbox.ctx(["check", "--json"]).code(3).stdout_has(r#""code": "damaged""#).check();
}
