//! A list as text for a model, and as a checklist in Markdown, which can be read back.

use std::fmt::Write;

use super::{Task, TodoList};

impl TodoList {
    /// The list as a document: the description, one line per task with the first open one marked, notes, files.
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

    /// The list as a checklist in Markdown that [`tasks_of`] can read.
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

    /// The task on one line, so that no task can look like another one.
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

/// Reads the tasks in `text`, in order. If it has checklist items (`- [ ]`, `- [x]`), these and the other items of lists
/// are the tasks, and indented lines below a checklist item are its note; otherwise each line that is not blank is a task,
/// without its bullet.
#[must_use]
pub fn tasks_of(text: &str) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    let mut indentation = None;
    let mut has_boxes = false;
    for line in text.lines() {
        let depth = line.len() - line.trim_start().len();
        if let Some(task) = item(line.trim()) {
            tasks.push(task);
            indentation = Some(depth);
            has_boxes = true;
        } else if line.trim().is_empty() {
            continue;
        } else if let (Some(task), true) = (tasks.last_mut(), indentation.is_some_and(|item| depth > item)) {
            let note = task.note.get_or_insert_default();
            if !note.is_empty() {
                note.push('\n');
            }
            note.push_str(unescaped(line.trim()));
        } else {
            indentation = None;
            tasks.extend(plain_item(line.trim()));
        }
    }
    if has_boxes {
        tasks
    } else {
        text.lines().map(|line| bullet(line.trim())).filter(|line| !line.is_empty()).map(Task::open).collect()
    }
}

/// A line of a note in a Markdown checklist; one that looks like a task begins with a backslash.
fn escaped(line: &str) -> String {
    let is_like_item = item(line.trim_start_matches('\\')).is_some();
    if is_like_item { format!("\\{line}") } else { line.to_owned() }
}

fn unescaped(line: &str) -> &str {
    match line.strip_prefix('\\') {
        Some(rest) if item(rest.trim_start_matches('\\')).is_some() => rest,
        Some(_) | None => line,
    }
}

/// The task in a checklist item.
fn item(line: &str) -> Option<Task> {
    let rest = bullet(line);
    if rest.len() == line.len() {
        return None;
    }
    let (mark, description) = rest.strip_prefix('[')?.split_once(']')?;
    let completed = match mark {
        " " | "" => false,
        "x" | "X" => true,
        _ => return None,
    };
    let description = description.strip_prefix([' ', '\t'])?.trim();
    (!description.is_empty()).then(|| Task { completed, ..Task::open(description) })
}

/// The task in an item of a list without a box. A box without text isn't a task.
fn plain_item(line: &str) -> Option<Task> {
    let rest = bullet(line);
    let is_task = rest.len() < line.len() && !["", "[ ]", "[x]", "[X]"].contains(&rest);
    is_task.then(|| Task::open(rest))
}

/// A line without the bullet or number that begins an item.
fn bullet(line: &str) -> &str {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let marker = match digits {
        0 => line.strip_prefix(['-', '*', '+']),
        _ => line[digits..].strip_prefix(['.', ')']),
    };
    match marker {
        Some(rest) if rest.starts_with([' ', '\t']) => rest.trim_start(),
        Some("") => "",
        Some(_) | None => line,
    }
}
