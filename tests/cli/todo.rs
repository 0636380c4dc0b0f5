//! To-do lists.

use crate::support::Sandbox;

fn release() -> Sandbox {
    let sandbox = Sandbox::new();
    let plan = "# Plan\n\n- [ ] Write the notes\n- [x] Freeze\n  on main\n- [ ] Tag it\n";
    sandbox
        .ctx(["todo", "add", "--list", "release", "--description", "Version 1.0", "-"])
        .stdin(plan)
        .stderr("Created list 'release': 3 tasks\n")
        .check();
    sandbox
}

#[test]
fn a_list_is_created_completed_and_cleared() {
    let sandbox = release();
    sandbox.ctx(["todo"]).stdout("release  1/3 done  Version 1.0\n    next: 1. Write the notes\n").check();
    sandbox
        .ctx([
            "todo",
            "done",
            "1",
            "-l",
            "release",
            "--note",
            "short",
            "--files",
            "CHANGELOG.md",
            "CHANGELOG.md",
        ])
        .stderr("Done in list 'release': 1 (2/3 done)\n")
        .check();
    sandbox
        .ctx(["todo", "show", "--list", "release"])
        .stdout(
            "Version 1.0\n\n[x] 1. Write the notes\n      short\n[x] 2. Freeze\n      on main\n[ ] 3. Tag it (next)\n\n\
             Modified files:\n- CHANGELOG.md\n",
        )
        .check();
    sandbox
        .ctx(["todo", "undo", "2", "-l", "release"])
        .stderr("Open again in list 'release': 2 (1/3 done)\n")
        .check();
    sandbox
        .ctx(["todo", "rm", "2", "-l", "release"])
        .stderr("Removed in list 'release': 2 (1/2 done)\n")
        .check();
    sandbox.ctx(["todo", "clear", "--finished"]).stderr("note: no list is finished\n").check();
    sandbox.ctx(["todo", "done", "2", "-l", "release", "-q"]).check();
    sandbox
        .ctx(["todo"])
        .stderr("note: 1 list finished: 'release'; 'ctx todo clear --finished' removes finished lists\n")
        .check();
    sandbox.ctx(["todo", "clear", "--finished"]).stderr("Removed 'release'\n").check();
    sandbox.ctx(["todo"]).stderr("note: no to-do lists; 'ctx todo add' makes one\n").check();
}

#[test]
fn a_stored_list_has_the_keys_of_amazon_q_and_keeps_unknown_ones() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["todo", "add", "a", "b"]).stderr("Created list 'default': 2 tasks\n").check();
    assert_eq!(
        sandbox.stored("todo/default.json"),
        "{\n  \"id\": \"default\",\n  \"description\": \"\",\n  \"tasks\": [\n    {\n      \"task_description\": \"a\",\n      \
         \"completed\": false\n    },\n    {\n      \"task_description\": \"b\",\n      \"completed\": false\n    }\n  ],\n  \
         \"context\": [],\n  \"modified_files\": []\n}\n"
    );
    let stored =
        sandbox.stored("todo/default.json").replace("\"context\"", "\"later\": 1.50,\n  \"context\"");
    sandbox.write_store("todo/default.json", stored);
    sandbox.ctx(["todo", "done", "2", "-q"]).check();
    assert!(sandbox.stored("todo/default.json").ends_with("\"later\": 1.50\n}\n"));
}

#[test]
fn an_unknown_list_or_number_changes_nothing() {
    let sandbox = Sandbox::new();
    sandbox
        .ctx(["todo", "done", "1", "--list", "nope"])
        .code(1)
        .stderr(
            "error: List 'nope' does not exist\nhint: 'ctx todo' shows the lists; 'ctx todo add --list nope TASK' \
             makes this one\n",
        )
        .check();
    assert!(!sandbox.store().exists());
    sandbox.ctx(["todo", "add", "a", "-q"]).check();
    let before = sandbox.stored("todo/default.json");
    for command in [&["todo", "done", "1", "2"][..], &["todo", "undo", "0", "2"], &["todo", "rm", "1", "7"]] {
        sandbox
            .ctx(command)
            .code(1)
            .stderr_has("error: there is no task ")
            .stderr_has(": the list has 1 task\n")
            .check();
    }
    assert_eq!(sandbox.stored("todo/default.json"), before);
    sandbox.ctx(["todo", "clear", "nope"]).code(1).stderr_has("List 'nope' does not exist").check();
    sandbox.ctx(["todo", "show", "--list", "a/b"]).code(2).stderr_has("the first a letter or digit").check();
}

#[test]
fn a_list_can_be_rendered_as_an_entry() {
    let sandbox = release();
    sandbox.write("a.md", "A\n");
    sandbox.ctx(["add", "todo:release", "a.md"]).stderr_any().check();
    let list = "[todo:release]\nVersion 1.0\n\n[ ] 1. Write the notes (next)\n[x] 2. Freeze\n      on main\n[ ] 3. Tag it\n";
    sandbox
        .ctx(["render", "-p", "Go on"])
        .stdout(format!(
            "--- CONTEXT FILES BEGIN ---\n{list}\n[a.md]\nA\n--- CONTEXT FILES END ---\n\nGo on\n"
        ))
        .check();
    sandbox
        .ctx(["render", "--order", "stable"])
        .stdout(format!("--- CONTEXT FILES BEGIN ---\n[a.md]\nA\n\n{list}--- CONTEXT FILES END ---\n"))
        .check();
    sandbox
        .ctx(["render", "--only", "todo:release", "--format", "json"])
        .stdout_has("\"path\":\"todo:release\"")
        .check();
}

#[test]
fn a_missing_list_is_an_error_if_it_is_typed() {
    let sandbox = Sandbox::with(&[("a.md", "A\n")]);
    sandbox
        .ctx(["add", "todo:nope"])
        .code(1)
        .stderr("error: Invalid path 'todo:nope': List 'nope' does not exist. Use --force to add anyway.\n")
        .check();
    sandbox
        .ctx(["add", "todo:a b"])
        .code(2)
        .stderr_has("Invalid path 'todo:a b': no to-do list has this name: at most 64 letters")
        .check();
    sandbox
        .ctx(["render", "todo:nope", "-p", "x"])
        .code(1)
        .stderr("error: 'todo:nope': List 'nope' does not exist\nhint: ctx todo\n")
        .check();
    sandbox.ctx(["add", "--force", "todo:nope", "a.md"]).stderr_any().check();
    sandbox
        .ctx(["render"])
        .stdout("--- CONTEXT FILES BEGIN ---\n[a.md]\nA\n--- CONTEXT FILES END ---\n")
        .stderr_has("'todo:nope'")
        .stderr_has("List 'nope' does not exist")
        .check();
}

#[test]
fn a_damaged_list_is_reported_and_left_unchanged() {
    let sandbox = release();
    sandbox.write_store("todo/bad.json", "{\"tasks\": 1}");
    sandbox
        .ctx(["todo"])
        .code(4)
        .stdout_has("release  1/3 done")
        .stderr_has("store file '<store>/todo/bad.json' is damaged: line 1, column ")
        .check();
    sandbox.ctx(["todo", "add", "x", "--list", "bad"]).code(4).stderr_has("is damaged").check();
    assert_eq!(sandbox.stored("todo/bad.json"), "{\"tasks\": 1}");
    sandbox.ctx(["todo", "clear", "bad"]).stderr("Removed list 'bad'\n").check();
}

#[test]
fn faulty_arguments_are_wrong_usage() {
    let sandbox = release();
    for (args, error) in [
        (&["todo", "add"][..], "required arguments were not provided"),
        (&["todo", "add", " "], "a task is empty"),
        (&["todo", "add", "-", "-"], "standard input can be read only once"),
        (&["todo", "clear", "--finished", "release"], "cannot be used with"),
        (&["todo", "clear", "--list", "a", "b"], "--list cannot be used with NAME"),
        (&["todo", "done"], "required arguments were not provided"),
        (&["todo", "done", "x"], "invalid number of a task 'x'"),
    ] {
        sandbox.ctx(args).stdin("x").code(2).stderr_has(error).check();
    }
    sandbox
        .ctx(["todo", "add", "-"])
        .stdin(" \n")
        .code(1)
        .stderr("error: standard input contains no tasks\n")
        .check();
}

#[test]
fn many_writers_lose_no_task() {
    let sandbox = Sandbox::new();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                for number in 0..5 {
                    sandbox.ctx(["todo", "add", "-q", &format!("{writer}-{number}")]).check();
                }
            });
        }
    });
    sandbox.ctx(["todo"]).stdout_has("default  0/40 done\n").check();
}

#[test]
fn a_list_printed_as_markdown_can_be_added_again_with_its_notes() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["todo", "add", "-q", "one", "two"]).check();
    let note = "- [ ] sub\n\\- [x] a backslash\nplain \\- [ ]\n1. [x] numbered";
    sandbox.ctx(["todo", "done", "-q", "1", &format!("--note={note}")]).check();
    let markdown = sandbox.ctx(["todo", "show", "--markdown"]).stdout_any().check();
    sandbox.ctx(["todo", "add", "-q", "--list", "copy", "-"]).stdin(markdown.clone()).check();
    let tasks = |list: &str| {
        let text = sandbox.stored(&format!("todo/{list}.json"));
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["tasks"].clone()
    };
    assert_eq!(tasks("copy"), tasks("default"));
    assert_eq!(tasks("copy")[0]["note"], note);
}

#[test]
fn misspelled_list_in_a_render_gets_a_suggestion() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["todo", "add", "--list", "release", "tag it"]).stdout_any().stderr_any().check();
    sandbox.ctx(["render", "todo:relese"]).code(1).stderr_has("hint: did you mean 'release'?\n").check();
}

#[test]
fn items_without_boxes_in_a_checklist_are_tasks_too() {
    let sandbox = Sandbox::new();
    let tasks = |list: &str, text: &str| {
        sandbox.ctx(["todo", "add", "--list", list, "-"]).stdin(text).stderr_any().check();
        sandbox.ctx(["todo", "show", list, "--markdown"]).stdout_any().check()
    };
    let plan =
        "Here is the plan:\n\n1. Add retries\n2. Write tests\n   - [ ] unit\n     with mocks\n3. Release\n";
    assert_eq!(
        tasks("plan", plan),
        "- [ ] Add retries\n- [ ] Write tests\n- [ ] unit\n      with mocks\n- [ ] Release\n"
    );
    let mixed = "1. do a\n2. do b\n- [x] did c\n";
    assert_eq!(tasks("mixed", mixed), "- [ ] do a\n- [ ] do b\n- [x] did c\n");
}
