//! To-do lists of a project.

use super::support::{clone, commit, repository};

#[test]
fn list_of_a_project_is_checked_in_with_it() {
    let sandbox = repository();
    let sub = sandbox.path("sub");
    sandbox.ctx_in(&sub, ["todo", "add", "-q", "--list", "release", "Write", "Tag"]).check();
    assert!(sandbox.read(".ctx/todo/release.json").contains("\"task_description\": \"Write\""));
    assert!(!sandbox.store().join("todo").exists());
    sandbox.ctx_in(&sub, ["add", "-q", "todo:release"]).check();
    commit(&sandbox);
    let clone = clone(&sandbox, "clone");
    sandbox.ctx_in(&clone, ["render"]).stdout_has("[todo:release]\n").stdout_has("1. Write").check();
    sandbox.ctx_in(&clone, ["todo", "done", "-q", "1", "-l", "release"]).check();
    sandbox.ctx_in(&clone, ["todo"]).stdout("release  1/2 done\n    next: 2. Tag\n").check();
    sandbox.ctx(["todo"]).stdout("release  0/2 done\n    next: 1. Write\n").check();
}

#[test]
fn own_lists_are_shown_with_those_of_a_project() {
    let sandbox = repository();
    for list in ["mine", "release"] {
        sandbox.ctx(["--no-project", "todo", "add", "-q", "--list", list, "own"]).check();
    }
    sandbox.ctx(["--no-project", "todo", "done", "-q", "1", "-l", "mine"]).check();
    sandbox.ctx(["--no-project", "todo", "undo", "-q", "1", "-l", "mine"]).check();
    sandbox.ctx(["todo", "add", "-q", "--list", "default", "shared"]).check();
    sandbox.write(".ctx/todo/release.json", sandbox.read(".ctx/todo/default.json"));
    sandbox
        .ctx(["todo"])
        .stdout(
            "default  0/1 done\n    next: 1. shared\nmine (user)  0/1 done\n    next: 1. own\n\
             release  0/1 done\n    next: 1. shared\n",
        )
        .check();
    sandbox
        .ctx(["todo", "add", "-l", "mine", "more"])
        .stderr("Added 1 task to list 'mine' (user): 0/2 done\n")
        .check();
    sandbox.ctx(["todo", "done", "-q", "1", "2", "-l", "mine"]).check();
    sandbox.ctx(["todo", "clear", "--finished"]).stderr("note: no list is finished\n").check();
    assert!(sandbox.stored("todo/mine.json").contains("\"completed\": true"));
}

#[test]
fn entry_of_a_project_cannot_use_the_users_lists() {
    let sandbox = repository();
    sandbox.ctx(["--no-project", "todo", "add", "-q", "--list", "mine", "private"]).check();
    sandbox.write(".ctx/profiles/default.json", "{\"paths\": [\"todo:mine\"]}");
    sandbox
        .ctx(["render", "-p", "x"])
        .stdout("x\n")
        .stderr_has("'todo:mine' (List 'mine' does not exist)")
        .check();
    sandbox.ctx(["render", "--only", "todo:mine"]).stdout_has("private").check();
}

#[cfg(unix)]
#[test]
fn link_among_the_lists_of_a_project_is_refused() {
    let sandbox = repository();
    sandbox.write("elsewhere.json", "{\"id\": \"1\", \"description\": \"\", \"tasks\": []}");
    std::fs::create_dir(sandbox.path(".ctx/todo")).unwrap();
    std::os::unix::fs::symlink("../../elsewhere.json", sandbox.path(".ctx/todo/default.json")).unwrap();
    for arguments in [&["todo", "show"][..], &["todo", "add", "x"], &["todo", "clear", "default"]] {
        sandbox
            .ctx(arguments)
            .code(4)
            .stderr(
                "error: '<project>/.ctx/todo/default.json' is a link, and others may have put it in this store\n\
                 hint: --no-project ignores the project's files\n",
            )
            .check();
    }
    assert_eq!(sandbox.read("elsewhere.json"), "{\"id\": \"1\", \"description\": \"\", \"tasks\": []}");
}
