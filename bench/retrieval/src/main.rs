//! Measures how well ways to rank find what frozen tasks ask for: see README.md.
//!
//!     retrieval-bench freeze CORPORA TASKS
//!     retrieval-bench measure CORPORA TASKS tune|test
//!     retrieval-bench commits TREE COMMITS

mod rank;
mod text;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use ctx_tokens::Tokenizer;

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
        ["commits", tree, commits] => commit_tasks(Path::new(tree), Path::new(commits)),
        _ => {
            eprintln!("usage: freeze CORPORA TASKS | measure CORPORA TASKS tune|test | commits TREE COMMITS");
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

fn commit_tasks(tree: &Path, commits: &Path) -> std::io::Result<()> {
    println!(
        "| tasks | way | nDCG@10 | within 2k | within 8k | within 32k |\n| --- | --- | ---: | ---: | ---: | ---: |"
    );
    let extensions = [
        ".rs", ".py", ".md", ".ts", ".tsx", ".js", ".go", ".java", ".c", ".h", ".cpp", ".kt", ".swift",
        ".rb", ".toml",
    ];
    let files = text::files(tree, &extensions);
    let tasks = read_tasks(commits, None)?;
    report(&format!("commits, {} in {} files", tasks.len(), files.len()), &files, &tasks);
    Ok(())
}

/// What a way came to over some tasks.
#[derive(Default)]
struct Sum {
    gain: f64,
    within: [usize; 3],
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
        #[allow(clippy::cast_precision_loss)]
        let within = sum.within.map(|found| found as f64 / count);
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
    let is_answer = |piece: &Piece| {
        let line = task.line;
        corpus.files[piece.file].path == task.path
            && (line == 0 || (piece.lines.first..=piece.lines.last).contains(&line))
    };
    let mut found = BTreeSet::new();
    let files = pieces.iter().filter(|piece| found.insert(piece.file));
    if let Some(rank) = files.take(10).position(|piece| corpus.files[piece.file].path == task.path) {
        #[allow(clippy::cast_precision_loss)]
        let rank = rank as f64;
        sum.gain += 1.0 / (rank + 2.0).log2();
    }
    let mut used = 0;
    for piece in pieces {
        let file = &corpus.files[piece.file];
        let lines = file.text.split_inclusive('\n').skip(piece.lines.first - 1);
        let text: String = lines.take(piece.lines.last + 1 - piece.lines.first).collect();
        used += tokenizer.count(&text) + 8;
        if used > BUDGETS[2] {
            break;
        }
        if is_answer(piece) {
            for (within, budget) in sum.within.iter_mut().zip(BUDGETS) {
                *within += usize::from(used <= budget);
            }
            break;
        }
    }
}
