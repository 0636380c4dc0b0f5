//! Tasks out of Markdown: a checklist, or lines.

use super::Task;

/// The tasks of a text, in order. Where it has items of a checklist (`- [ ]`, `- [x]`), these are the tasks, and
/// indented lines below one are its note; otherwise each line that is not blank is a task, without its bullet.
#[must_use]
pub fn tasks_of(text: &str) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    let mut indentation = None;
    for line in text.lines() {
        let depth = line.len() - line.trim_start().len();
        if let Some(task) = item(line.trim()) {
            tasks.push(task);
            indentation = Some(depth);
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
        }
    }
    if tasks.is_empty() {
        text.lines().map(|line| bullet(line.trim())).filter(|line| !line.is_empty()).map(Task::open).collect()
    } else {
        tasks
    }
}

/// A line of a note, as a checklist in Markdown has it: one that would be read as a task begins with a backslash.
pub(super) fn escaped(line: &str) -> String {
    let is_like_item = item(line.trim_start_matches('\\')).is_some();
    if is_like_item { format!("\\{line}") } else { line.to_owned() }
}

fn unescaped(line: &str) -> &str {
    match line.strip_prefix('\\') {
        Some(rest) if item(rest.trim_start_matches('\\')).is_some() => rest,
        Some(_) | None => line,
    }
}

/// The task of an item of a checklist.
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
