//! Measures how well different rankings find the answers to frozen tasks: see README.md.
//!
//!     retrieval-bench freeze CORPORA TASKS
//!     retrieval-bench measure CORPORA TASKS tune|test
//!     retrieval-bench repository NAME WORK
//!     retrieval-bench write CORPORA TASKS tune|test WORK
//!     retrieval-bench compare BEFORE AFTER
//!
//! If `SCORES` names a file, the scores of each task are appended to it, for `compare`. `WAY=ctx` measures
//! only that way of ranking.

mod graph;
mod plain;
mod rank;
mod score;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;

use ctx_search::Lines;

use score::report;
use text::{Answer, File, Task};

const PER_SET: usize = 200;
const SETS: [(&str, &str); 3] = [("rust", ".rs"), ("python", ".py"), ("markdown", ".md")];

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["freeze", corpora, tasks] => freeze(Path::new(corpora), Path::new(tasks)),
        ["measure", corpora, tasks, half] => measure(Path::new(corpora), Path::new(tasks), half),
        ["write", corpora, tasks, half, work] => {
            write(Path::new(corpora), Path::new(tasks), half, Path::new(work))
        }
        ["repository", name, work] => repository(name, Path::new(work)),
        ["compare", before, after] => score::compare(Path::new(before), Path::new(after)),
        _ => {
            eprintln!(
                "usage: freeze CORPORA TASKS | measure CORPORA TASKS tune|test | repository NAME WORK | compare BEFORE AFTER"
            );
            std::process::exit(2)
        }
    }
}

/// The files of a set without the text that its queries are made from, and all possible tasks.
fn prepared(corpora: &Path, set: &str, extension: &str) -> (Vec<File>, Vec<Task>) {
    let mut files = text::files(&corpora.join(set), &[extension]);
    let tasks = if set == "markdown" { text::headings(&mut files) } else { text::docstrings(&mut files) };
    (files, tasks)
}

fn key(task: &Task) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let Answer { path, lines } = &task.answers[0];
    for byte in format!("{path}\t{}\t{}", lines[0].first, task.query).bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^ (hash >> 32)
}

/// Writes tasks for each set, chosen by their hash; queries that occur more than once are left out.
fn freeze(corpora: &Path, directory: &Path) -> std::io::Result<()> {
    fs::create_dir_all(directory)?;
    for (set, extension) in SETS {
        let (_, mut tasks) = prepared(corpora, set, extension);
        let mut seen = BTreeSet::new();
        let mut twice = BTreeSet::new();
        tasks.iter().for_each(|task| {
            if !seen.insert(task.query.clone()) {
                twice.insert(task.query.clone());
            }
        });
        tasks.retain(|task| !twice.contains(&task.query));
        tasks.sort_by_key(key);
        tasks.truncate(2 * PER_SET);
        let mut out = fs::File::create(directory.join(format!("{set}.tsv")))?;
        for (place, task) in tasks.iter().enumerate() {
            let half = if place % 2 == 0 { "tune" } else { "test" };
            let Answer { path, lines } = &task.answers[0];
            writeln!(out, "{half}\t{path}\t{}\t{}", lines[0].first, task.query)?;
        }
        eprintln!("{set}: {} tasks", tasks.len());
    }
    Ok(())
}

fn read_tasks(path: &Path, half: Option<&str>) -> std::io::Result<Vec<Task>> {
    let text = fs::read_to_string(path)?;
    let task = |line: &str| {
        let mut fields = line.splitn(4, '\t');
        let (of, path, number, query) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let is_asked = half.is_none_or(|half| half == of);
        // Comments from tokio are never used for tuning.
        let is_held_back = of == "tune" && path.starts_with("tokio-1");
        (is_asked && !is_held_back).then(|| Task::at(query, path, number.parse().unwrap_or(1)))
    };
    Ok(text.lines().filter_map(task).collect())
}

fn measure(corpora: &Path, tasks: &Path, half: &str) -> std::io::Result<()> {
    println!("{}", score::HEAD);
    for (set, extension) in SETS {
        let (files, _) = prepared(corpora, set, extension);
        let tasks = read_tasks(&tasks.join(format!("{set}.tsv")), Some(half))?;
        report(set, &files, Vec::new(), &tasks)?;
    }
    Ok(())
}

/// Writes the files of each set, exactly as they are searched, and its tasks in the format used for
/// repositories, so that printed.py can run a program on them.
fn write(corpora: &Path, tasks: &Path, half: &str, work: &Path) -> std::io::Result<()> {
    for (set, extension) in SETS {
        let work = work.join(set);
        let (files, _) = prepared(corpora, set, extension);
        for file in files {
            let path = work.join("tree").join(&file.path);
            fs::create_dir_all(path.parent().unwrap_or(&work))?;
            fs::write(path, file.text)?;
        }
        let mut out = fs::File::create(work.join("tasks"))?;
        for Task { query, answers } in read_tasks(&tasks.join(format!("{set}.tsv")), Some(half))? {
            let Answer { path, lines } = &answers[0];
            writeln!(out, "comments\t{query}\t{path}:{}", lines[0].first)?;
        }
    }
    Ok(())
}

/// Measures a repository's tasks, kind by kind. Each line of its file `tasks` contains the kind, the query,
/// and `path:lines` for each answer, separated by tabs.
fn repository(name: &str, work: &Path) -> std::io::Result<()> {
    let extensions = [
        ".rs", ".py", ".md", ".rst", ".ts", ".tsx", ".js", ".mjs", ".go", ".java", ".c", ".h", ".cpp", ".kt",
        ".swift", ".rb", ".toml", ".yml", ".yaml", ".json", ".snap", ".sh", ".vue", ".svelte", ".css",
    ];
    let files = text::files(&work.join("tree"), &extensions);
    let history = text::history(&fs::read_to_string(work.join("history"))?);
    let mut kinds: BTreeMap<String, Vec<Task>> = BTreeMap::new();
    for line in fs::read_to_string(work.join("tasks"))?.lines() {
        let mut fields = line.split('\t');
        let (Some(kind), Some(query)) = (fields.next(), fields.next()) else { continue };
        let answers = fields.filter_map(answer).collect();
        kinds.entry(kind.to_owned()).or_default().push(Task { query: query.to_owned(), answers });
    }
    for (kind, tasks) in kinds {
        report(&format!("{name}, {kind}"), &files, history.clone(), &tasks)?;
    }
    Ok(())
}

/// An answer in the form `path:1-3,7`.
fn answer(field: &str) -> Option<Answer> {
    let (path, lines) = field.rsplit_once(':')?;
    let run = |run: &str| {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        Some(Lines { first: first.parse().ok()?, last: last.parse().ok()? })
    };
    Some(Answer { path: path.to_owned(), lines: lines.split(',').filter_map(run).collect() })
}
