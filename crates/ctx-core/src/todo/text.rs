//! A list as text: for a model, and as a checklist in Markdown.

use std::fmt::Write;

use super::checklist::escaped;
use super::{Task, TodoList};

impl TodoList {
    /// The list as a document: the description, a line a task with the first open one marked, notes, files.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let description = self.description.trim();
        if !description.is_empty() {
            let _ = writeln!(text, "{description}\n");
        }
        let next = self.next();
        for (number, task) in (1..).zip(&self.tasks) {
            let mark = if next == Some(number) { " (next)" } else { "" };
            let _ = writeln!(text, "{} {number}. {}{mark}", task.check_box(), task.line());
            push_note(&mut text, task, str::to_owned);
        }
        if self.tasks.is_empty() {
            text.push_str("(no tasks)\n");
        }
        push_section(&mut text, "Notes", &self.context);
        push_section(&mut text, "Modified files", &self.modified_files);
        text
    }

    /// The list as a checklist in Markdown, which [`super::tasks_of`] reads.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        let description = self.description.trim();
        if !description.is_empty() {
            let _ = writeln!(text, "{description}\n");
        }
        for task in &self.tasks {
            let _ = writeln!(text, "- {} {}", task.check_box(), task.line());
            push_note(&mut text, task, escaped);
        }
        text
    }
}

impl Task {
    /// `[x]` or `[ ]`.
    #[must_use]
    pub fn check_box(&self) -> &'static str {
        if self.completed { "[x]" } else { "[ ]" }
    }

    /// What is to be done, on one line: no task can look like another one.
    #[must_use]
    pub fn line(&self) -> String {
        self.task_description.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn push_note(text: &mut String, task: &Task, written: impl Fn(&str) -> String) {
    for line in task.note.iter().flat_map(|note| note.lines()).filter(|line| !line.trim().is_empty()) {
        let _ = writeln!(text, "      {}", written(line.trim()));
    }
}

fn push_section(text: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{title}:");
    for line in lines {
        let _ = writeln!(text, "- {}", line.split_whitespace().collect::<Vec<_>>().join(" "));
    }
}
