//! Measures how well ways to rank find what frozen tasks ask for: see README.md.
//!
//!     retrieval-bench freeze CORPORA TASKS
//!     retrieval-bench measure CORPORA TASKS tune|test
//!     retrieval-bench commits NAME TREE COMMITS

mod graph;
mod plain;
mod rank;
mod text;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use ctx_core::models::Tokenizer;

use rank::{Corpus, Piece, WAYS};
use text::{File, Task};

const BUDGETS: [u64; 3] = [2_000, 8_000, 32_000];
const PER_SET: usize = 200;
const SETS: [(&str, &str); 3] = [("rust", ".rs"), ("python", ".py"), ("markdown", ".md")];

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["freeze", corpora, tasks] => freeze(Path::new(corpora), Path::new(tasks)),
        ["measure", corpora, tasks, half] => measure(Path::new(corpora), Path::new(tasks), half),
        ["commits", name, tree, commits] => commit_tasks(name, Path::new(tree), Path::new(commits)),
        _ => {
            eprintln!(
                "usage: freeze CORPORA TASKS | measure CORPORA TASKS tune|test | commits NAME TREE COMMITS"
            );
            std::process::exit(2)
        }
    }
}

/// The files of a set without what its queries are made of, and all tasks that there could be.
fn prepared(corpora: &Path, set: &str, extension: &str) -> (Vec<File>, Vec<Task>) {
    let mut files = text::files(&corpora.join(set), &[extension]);
    let tasks = if set == "markdown" { text::headings(&mut files) } else { text::docstrings(&mut files) };
    (files, tasks)
}

fn key(task: &Task) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in format!("{}\t{}\t{}", task.path, task.line, task.query).bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^ (hash >> 32)
}

/// Writes the tasks of each set, chosen by their hash, each query once.
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
            writeln!(out, "{half}\t{}\t{}\t{}", task.path, task.line, task.query)?;
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
        is_asked.then(|| Task {
            query: query.to_owned(),
            path: path.to_owned(),
            line: number.parse().unwrap_or(0),
            also: Vec::new(),
        })
    };
    Ok(text.lines().filter_map(task).collect())
}

fn measure(corpora: &Path, tasks: &Path, half: &str) -> std::io::Result<()> {
    println!(
        "| tasks | way | nDCG@10 | within 2k | within 8k | within 32k |\n| --- | --- | ---: | ---: | ---: | ---: |"
    );
    for (set, extension) in SETS {
        let (files, _) = prepared(corpora, set, extension);
        let tasks = read_tasks(&tasks.join(format!("{set}.tsv")), Some(half))?;
        report(&format!("{set}, {} in {} files", tasks.len(), files.len()), &files, &tasks);
    }
    Ok(())
}

/// One line a commit: its subject, and the paths of the files that it changed, between tabs.
fn commit_tasks(name: &str, tree: &Path, commits: &Path) -> std::io::Result<()> {
    let extensions = [
        ".rs", ".py", ".md", ".rst", ".ts", ".tsx", ".js", ".mjs", ".go", ".java", ".c", ".h", ".cpp", ".kt",
        ".swift", ".rb", ".toml", ".yml", ".yaml", ".json",
    ];
    let files = text::files(tree, &extensions);
    let text = fs::read_to_string(commits)?;
    let task = |line: &str| {
        let mut fields = line.split('\t').map(str::to_owned);
        let (query, path) = (fields.next()?, fields.next()?);
        Some(Task { query, path, line: 0, also: fields.collect() })
    };
    let tasks: Vec<Task> = text.lines().filter_map(task).collect();
    report(&format!("{name}, {} in {} files", tasks.len(), files.len()), &files, &tasks);
    Ok(())
}

/// What a way came to over some tasks.
#[derive(Default)]
struct Sum {
    gain: f64,
    within: [f64; 3],
}

fn report(name: &str, files: &[File], tasks: &[Task]) {
    let tokenizer = Tokenizer::O200k;
    let tokens = files.iter().map(|file| tokenizer.count(&file.text)).collect();
    let corpus = Corpus::new(files, tokens);
    for (way, title) in WAYS.iter().enumerate() {
        let mut sum = Sum::default();
        for task in tasks {
            let pieces = corpus.ranked(way, &task.query);
            add(&mut sum, &corpus, &pieces, task, tokenizer);
        }
        #[allow(clippy::cast_precision_loss)]
        let count = tasks.len().max(1) as f64;
        let within = sum.within.map(|found| found / count);
        println!(
            "| {name} | {title} | {:.3} | {:.2} | {:.2} | {:.2} |",
            sum.gain / count,
            within[0],
            within[1],
            within[2]
        );
    }
}

fn add(sum: &mut Sum, corpus: &Corpus<'_>, pieces: &[Piece], task: &Task, tokenizer: Tokenizer) {
    let is_asked = |file: usize| {
        let path = &corpus.files[file].path;
        *path == task.path || task.also.contains(path)
    };
    let is_answer = |piece: &Piece| {
        let line = task.line;
        is_asked(piece.file) && (line == 0 || (piece.lines.first..=piece.lines.last).contains(&line))
    };
    #[allow(clippy::cast_precision_loss)]
    let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let answers = 1 + task.also.len();
    let ideal: f64 = (0..answers.min(10)).map(gain).sum();
    let mut seen = BTreeSet::new();
    let files: Vec<usize> =
        pieces.iter().map(|piece| piece.file).filter(|file| seen.insert(*file)).take(10).collect();
    sum.gain += files
        .iter()
        .enumerate()
        .filter(|(_, file)| is_asked(**file))
        .map(|(rank, _)| gain(rank))
        .sum::<f64>()
        / ideal;
    let mut used = 0;
    let mut found = BTreeSet::new();
    for piece in pieces {
        let file = &corpus.files[piece.file];
        let lines = file.text.split_inclusive('\n').skip(piece.lines.first - 1);
        let text: String = lines.take(piece.lines.last + 1 - piece.lines.first).collect();
        used += tokenizer.count(&text) + 8;
        if used > BUDGETS[2] {
            break;
        }
        if is_answer(piece) && found.insert(piece.file) {
            for (within, budget) in sum.within.iter_mut().zip(BUDGETS) {
                if used <= budget {
                    #[allow(clippy::cast_precision_loss)]
                    let share = 1.0 / answers as f64;
                    *within += share;
                }
            }
        }
    }
}
