//! The files of a corpus, and the tasks made from text removed from them, so that no query is found word for
//! word.

use std::fs;
use std::path::Path;

use ctx_outline::{Declaration, Kind, Language, Lines, outline};

/// A file of a corpus.
pub struct File {
    /// Its path, relative to the corpus.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// A query and its answers.
pub struct Task {
    pub query: String,
    pub answers: Vec<Answer>,
}

/// A file that a query asks for.
pub struct Answer {
    pub path: String,
    /// The lines that the query asks for, if known.
    pub lines: Vec<Lines>,
}

impl Task {
    /// A query answered by one line of a file.
    pub fn at(query: &str, path: &str, line: usize) -> Self {
        let answer = Answer { path: path.to_owned(), lines: vec![Lines { first: line, last: line }] };
        Self { query: query.to_owned(), answers: vec![answer] }
    }
}

/// A commit older than every commit that the tasks ask about.
#[derive(Clone)]
pub struct Commit {
    pub message: String,
    pub paths: Vec<String>,
}

/// The commits of a log: for each, a NUL, the message, a unit separator, and the paths.
pub fn history(log: &str) -> Vec<Commit> {
    let commit = |text: &str| {
        let (message, paths) = text.split_once('\x1f')?;
        let paths = paths.lines().filter(|path| !path.is_empty()).map(str::to_owned).collect();
        Some(Commit { message: message.to_owned(), paths })
    };
    log.split('\0').filter_map(commit).collect()
}

/// The UTF-8 files below a directory that have one of the extensions, sorted by path.
pub fn files(root: &Path, extensions: &[&str]) -> Vec<File> {
    let mut files = Vec::new();
    collect(root, root, extensions, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn collect(root: &Path, directory: &Path, extensions: &[&str], files: &mut Vec<File>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "target" || name == "node_modules" {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, extensions, files);
            continue;
        }
        let fits = extensions.iter().any(|extension| name.ends_with(extension));
        if !fits || fs::metadata(&path).is_ok_and(|metadata| metadata.len() > 1_000_000) {
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        files.push(File { path: relative, text });
    }
}

/// Removes the documentation from source files, and makes a task for each documented function or type: the
/// first sentence of its documentation is the query.
pub fn docstrings(files: &mut [File]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for file in files {
        let Some(language) = Language::of_path(&file.path) else { continue };
        let outline = outline(&file.text, language);
        let lines: Vec<&str> = file.text.lines().collect();
        let mut documented: Vec<(usize, String)> = Vec::new();
        for declaration in outline.declarations() {
            if !matches!(declaration.kind, Kind::Function | Kind::Type) {
                continue;
            }
            let found = match language {
                Language::Rust => rust_doc(declaration, &lines),
                Language::Python => python_doc(declaration, &lines),
                _ => None,
            };
            if let Some((line, doc)) = found.filter(|(_, doc)| is_sentence(doc)) {
                documented.push((line, doc));
            }
        }
        let gone = without_docs(&lines, language);
        let mut number = vec![0; lines.len() + 2];
        let mut kept = String::with_capacity(file.text.len());
        let mut count = 0;
        for (at, line) in lines.iter().enumerate() {
            if !gone[at] {
                count += 1;
                kept.push_str(line);
                kept.push('\n');
            }
            number[at + 1] = count;
        }
        for (line, query) in documented {
            tasks.push(Task::at(&query, &file.path, number[line]));
        }
        file.text = kept;
    }
    tasks
}

/// The line of the name, from 1, and the first sentence of the `///` comment.
fn rust_doc(declaration: &Declaration<'_>, lines: &[&str]) -> Option<(usize, String)> {
    let range = declaration.lines.first - 1..declaration.lines.last.min(lines.len());
    let doc: Vec<&str> = lines[range.clone()]
        .iter()
        .take_while(|line| line.trim_start().starts_with("///") || line.trim_start().starts_with("#["))
        .filter_map(|line| line.trim_start().strip_prefix("///"))
        .map(str::trim)
        .collect();
    let at = range.clone().find(|at| {
        let line = lines[*at].trim_start();
        !line.starts_with("//") && !line.starts_with('#') && line.contains(declaration.name)
    })?;
    Some((at + 1, first_sentence(&doc)?))
}

/// The line of the name, from 1, and the first sentence of the string that follows the signature.
fn python_doc(declaration: &Declaration<'_>, lines: &[&str]) -> Option<(usize, String)> {
    let range = declaration.lines.first - 1..declaration.lines.last.min(lines.len());
    let at = range.clone().find(|at| {
        let line = lines[*at].trim_start();
        (line.starts_with("def ") || line.starts_with("class ") || line.starts_with("async def "))
            && line.contains(declaration.name)
    })?;
    let signature_end = (at..range.end.min(at + 30)).find(|at| lines[*at].trim_end().ends_with(':'))?;
    let opening = lines.get(signature_end + 1)?.trim_start();
    let quote = ["\"\"\"", "'''"]
        .into_iter()
        .find(|quote| opening.trim_start_matches(['r', 'R']).starts_with(quote))?;
    let mut doc = Vec::new();
    for (offset, line) in lines[signature_end + 1..range.end].iter().enumerate() {
        let line = if offset == 0 {
            line.trim_start().trim_start_matches(['r', 'R']).trim_start_matches(quote)
        } else {
            line
        };
        match line.split_once(quote) {
            Some((last, _)) => {
                doc.push(last.trim());
                break;
            }
            None => doc.push(line.trim()),
        }
    }
    Some((at + 1, first_sentence(&doc)?))
}

fn first_sentence(doc: &[&str]) -> Option<String> {
    let paragraph: Vec<&str> =
        doc.iter().copied().skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty()).collect();
    let text = paragraph.join(" ").replace(['`', '[', ']', '\t'], "");
    let sentence = text.split(". ").next()?.trim_end_matches('.').trim();
    (!sentence.is_empty()).then(|| sentence.to_owned())
}

fn is_sentence(text: &str) -> bool {
    (5..=40).contains(&text.split_whitespace().count()) && text.is_ascii()
}

/// Which lines are documentation.
fn without_docs(lines: &[&str], language: Language) -> Vec<bool> {
    let mut gone = vec![false; lines.len()];
    match language {
        Language::Rust => {
            for (at, line) in lines.iter().enumerate() {
                let line = line.trim_start();
                gone[at] = line.starts_with("///") || line.starts_with("//!") || line.starts_with("#![doc");
            }
        }
        Language::Python => {
            let mut at = 0;
            while at < lines.len() {
                let line = lines[at].trim_start().trim_start_matches(['r', 'R', 'u', 'b', 'f']);
                let quote = ["\"\"\"", "'''"].into_iter().find(|quote| line.starts_with(quote));
                let Some(quote) = quote else {
                    at += 1;
                    continue;
                };
                gone[at] = true;
                let mut rest = &line[3..];
                while !rest.contains(quote) && at + 1 < lines.len() {
                    at += 1;
                    gone[at] = true;
                    rest = lines[at];
                }
                at += 1;
            }
        }
        _ => {}
    }
    gone
}

/// Removes the headings from Markdown files, and makes a task for each: the heading is the query, and the
/// first long line of its section is the answer.
pub fn headings(files: &mut [File]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for file in files {
        let mut kept = String::with_capacity(file.text.len());
        let (mut count, mut in_code) = (0, false);
        let mut pending: Option<String> = None;
        for line in file.text.lines() {
            in_code ^= line.trim_start().starts_with("```");
            let heading =
                line.strip_prefix('#').filter(|_| !in_code).map(|rest| rest.trim_start_matches('#').trim());
            if let Some(heading) = heading {
                let plain = heading.replace(['`', '[', ']', '*', '\t'], "");
                let words = plain.split_whitespace().count();
                pending = ((2..=12).contains(&words) && plain.is_ascii() && !plain.contains("://"))
                    .then_some(plain);
                continue;
            }
            count += 1;
            kept.push_str(line);
            kept.push('\n');
            if line.split_whitespace().count() >= 6
                && let Some(query) = pending.take()
            {
                tasks.push(Task::at(&query, &file.path, count));
            }
        }
        file.text = kept;
    }
    tasks
}
