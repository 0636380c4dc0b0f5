use super::{Task, TodoList, tasks_of};

fn task(description: &str, completed: bool, note: Option<&str>) -> Task {
    Task { completed, note: note.map(str::to_owned), ..Task::open(description) }
}

#[test]
fn items_of_a_checklist_become_tasks_with_their_notes() {
    let text = "# Release\n\nSome words.\n\n- [ ] Tag it\n- [x] Write notes\n  in CHANGELOG.md\n\n  twice\n  * [X] even this\n1. [ ] Publish\nAfterwards.\n  not a note\n- [y] no\n- [ ]\n- plain\n";
    assert_eq!(
        tasks_of(text),
        [
            task("Tag it", false, None),
            task("Write notes", true, Some("in CHANGELOG.md\ntwice")),
            task("even this", true, None),
            task("Publish", false, None),
            task("[y] no", false, None),
            task("plain", false, None),
        ]
    );
}

#[test]
fn lines_of_a_text_without_a_checklist_become_tasks() {
    let text = "one\r\n\n- two\n 3) three\n-four\n[ ] five\n";
    let descriptions: Vec<String> = tasks_of(text).into_iter().map(|task| task.task_description).collect();
    assert_eq!(descriptions, ["one", "two", "three", "-four", "[ ] five"]);
}

#[test]
fn markdown_is_read_back() {
    let list = TodoList {
        tasks: vec![task("a", true, Some("one\ntwo")), task("b", false, None)],
        description: "For later".to_owned(),
        ..TodoList::default()
    };
    assert_eq!(list.markdown(), "For later\n\n- [x] a\n      one\n      two\n- [ ] b\n");
    assert_eq!(tasks_of(&list.markdown()), list.tasks);
}

#[test]
fn a_document_marks_the_first_open_task() {
    let list = TodoList {
        description: "Release 1.0\n".to_owned(),
        tasks: vec![task("a", true, Some("n")), task("b\n[x] 7. c", false, None), task("d", false, None)],
        context: vec!["learned".to_owned()],
        modified_files: vec!["src/a.rs".to_owned()],
        ..TodoList::default()
    };
    assert_eq!(
        list.text(),
        "Release 1.0\n\n[x] 1. a\n      n\n[ ] 2. b [x] 7. c (next)\n[ ] 3. d\n\nNotes:\n- learned\n\n\
         Modified files:\n- src/a.rs\n"
    );
    assert_eq!(TodoList::default().text(), "(no tasks)\n");
}

#[test]
fn unknown_keys_and_long_numbers_survive_a_round_trip() {
    let text = r#"{"id":"1","description":"d","tasks":[{"task_description":"t","completed":true,"later":[1.50,100000000000000000000000]}],"context":[],"modified_files":[],"more":{"a":1e+400}}"#;
    let list: TodoList = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&list).unwrap(), text);
}

#[test]
fn numbers_are_checked_before_anything_changes() {
    let mut list = TodoList { tasks: vec![task("a", false, None)], ..TodoList::default() };
    for numbers in [&[1, 2][..], &[0]] {
        assert!(list.complete(numbers, None).is_err());
        assert!(list.remove(numbers).is_err());
    }
    assert!(!list.tasks[0].completed);
}
