//! The scores of each way of ranking, and how certain they are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use ctx_search::Lines;

use crate::rank::{Corpus, Piece, WAYS};
use crate::text::{Commit, File, Task};

const BUDGETS: [u64; 3] = [2_000, 8_000, 32_000];

pub const HEAD: &str = "| tasks | way | nDCG@10 | files 2k | 8k | 32k | lines 8k | 32k |\n\
    | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |";

/// The number of scores for a task: nDCG@10, the share of the files within each budget, and the share of the
/// lines within 8k and 32k.
const MEASURES: usize = 6;

type Scores = [f64; MEASURES];

/// Prints a line for each way.
pub fn report(name: &str, files: &[File], history: Vec<Commit>, tasks: &[Task]) -> io::Result<()> {
    let only = std::env::var("WAY").ok();
    let corpus = Corpus::new(files, history, only.is_none());
    for (way, title) in WAYS.iter().enumerate() {
        if only.as_deref().is_some_and(|only| only != *title) {
            continue;
        }
        let scores: Vec<Scores> =
            tasks.iter().map(|task| scores(&corpus, &corpus.ranked(way, &task.query), task)).collect();
        let [gain, two, eight, more, lines, more_lines] = mean(&scores);
        let Interval { low, high } = interval(&scores.iter().map(|scores| scores[0]).collect::<Vec<_>>());
        println!(
            "| {name}, {} in {} | {title} | {gain:.3} ({low:.3}–{high:.3}) | {two:.2} | {eight:.2} | {more:.2} \
             | {lines:.3} | {more_lines:.3} |",
            tasks.len(),
            files.len()
        );
        keep(&format!("{name}\t{title}"), tasks, &scores)?;
    }
    Ok(())
}

/// Appends the scores of each task to the file in `SCORES`, if it is set.
fn keep(name: &str, tasks: &[Task], scores: &[Scores]) -> io::Result<()> {
    let Ok(path) = std::env::var("SCORES") else { return Ok(()) };
    let mut out = fs::File::options().create(true).append(true).open(path)?;
    for (task, scores) in tasks.iter().zip(scores) {
        let numbers: Vec<String> = scores.iter().map(|score| format!("{score:.6}")).collect();
        writeln!(out, "{name}\t{}\t{}", task.query, numbers.join("\t"))?;
    }
    Ok(())
}

#[allow(clippy::cast_precision_loss)]
fn mean(scores: &[Scores]) -> Scores {
    std::array::from_fn(|at| scores.iter().map(|scores| scores[at]).sum::<f64>() / scores.len().max(1) as f64)
}

fn scores(corpus: &Corpus<'_>, pieces: &[Piece], task: &Task) -> Scores {
    let [two, eight, more] = BUDGETS.map(|budget| within(corpus, pieces, task, budget));
    [gain(corpus, pieces, task), two.files, eight.files, more.files, eight.lines, more.lines]
}

#[allow(clippy::cast_precision_loss)]
fn gain(corpus: &Corpus<'_>, pieces: &[Piece], task: &Task) -> f64 {
    let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let is_asked = |file: usize| task.answers.iter().any(|answer| answer.path == corpus.files[file].path);
    let ideal: f64 = (0..task.answers.len().min(10)).map(gain).sum();
    let mut seen = BTreeSet::new();
    let files = pieces.iter().map(|piece| piece.file).filter(|file| seen.insert(*file)).take(10);
    files.enumerate().filter(|(_, file)| is_asked(*file)).map(|(rank, _)| gain(rank)).sum::<f64>() / ideal
}

/// The shares of the requested files and lines that are within a budget.
struct Within {
    files: f64,
    lines: f64,
}

/// The shares found in as many of the first pieces as fit in the budget.
#[allow(clippy::cast_precision_loss)]
fn within(corpus: &Corpus<'_>, pieces: &[Piece], task: &Task, budget: u64) -> Within {
    let mut used = 0;
    let mut shown: BTreeMap<usize, Vec<Lines>> = BTreeMap::new();
    for piece in pieces {
        used += corpus.tokens_of(piece) + 8;
        if used > budget {
            break;
        }
        shown.entry(piece.file).or_default().push(piece.lines);
    }
    let (mut files, mut lines, mut asked_lines) = (0.0, 0, 0);
    for answer in &task.answers {
        let file = corpus.files.iter().position(|file| file.path == answer.path);
        let shown = file.and_then(|file| shown.get(&file));
        files += f64::from(u8::from(shown.is_some()));
        let asked = || answer.lines.iter().flat_map(|run| run.first..=run.last);
        let is_shown = |line: &usize| {
            shown.is_some_and(|runs| runs.iter().any(|run| (run.first..=run.last).contains(line)))
        };
        asked_lines += asked().count();
        lines += asked().filter(is_shown).count();
    }
    Within { files: files / task.answers.len() as f64, lines: lines as f64 / asked_lines.max(1) as f64 }
}

/// A 95% bootstrap interval: the range that contains the means of 95% of the samples drawn with replacement
/// from the measurements.
struct Interval {
    low: f64,
    high: f64,
}

#[allow(clippy::cast_precision_loss)]
fn interval(numbers: &[f64]) -> Interval {
    const SAMPLES: usize = 2_000;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % numbers.len().max(1)
    };
    let mut means: Vec<f64> = (0..SAMPLES)
        .map(|_| numbers.iter().map(|_| numbers[next()]).sum::<f64>() / numbers.len().max(1) as f64)
        .collect();
    means.sort_by(f64::total_cmp);
    Interval { low: means[SAMPLES / 40], high: means[SAMPLES - SAMPLES / 40 - 1] }
}

/// Prints how much two score files differ, task by task, with 95% intervals.
pub fn compare(before: &Path, after: &Path) -> io::Result<()> {
    let (before, after) = (read(before)?, read(after)?);
    let names: BTreeSet<&str> = before.keys().map(|key| key.split('\t').next().unwrap_or_default()).collect();
    let kinds: BTreeSet<&str> = names.iter().map(|name| kind_of(name)).collect();
    println!(
        "| tasks | before | after | nDCG@10 | files 8k | lines 8k | lines 32k |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    for name in names.iter().map(|name| (*name, false)).chain(kinds.iter().map(|kind| (*kind, true))) {
        let (name, is_kind) = name;
        let is_of = |key: &&String| {
            let of = key.split('\t').next().unwrap_or_default();
            if is_kind { kind_of(of) == name } else { of == name }
        };
        let keys: Vec<&String> = before.keys().filter(is_of).filter(|key| after.contains_key(*key)).collect();
        let pairs: Vec<[Scores; 2]> = keys.iter().map(|key| [before[*key], after[*key]]).collect();
        let [old, new] = [0, 1].map(|at| mean(&pairs.iter().map(|pair| pair[at]).collect::<Vec<_>>()));
        let difference = |at: usize| {
            let Interval { low, high } =
                interval(&pairs.iter().map(|[old, new]| new[at] - old[at]).collect::<Vec<_>>());
            format!("{:+.3} ({low:+.3} – {high:+.3})", new[at] - old[at])
        };
        let title = if is_kind { format!("**all {name}**") } else { name.to_owned() };
        println!(
            "| {title} ({}) | {:.3} | {:.3} | {} | {} | {} | {} |",
            pairs.len(),
            old[0],
            new[0],
            difference(0),
            difference(2),
            difference(4),
            difference(5)
        );
    }
    Ok(())
}

/// The kind of the tasks with this name: `subjects` for `spf13/cobra, subjects`, `comments` for `rust`.
fn kind_of(name: &str) -> &str {
    name.split_once(", ").map_or("comments", |(_, kind)| kind)
}

/// Reads the scores of each task for ctx's own way.
fn read(path: &Path) -> io::Result<BTreeMap<String, Scores>> {
    let mut all = BTreeMap::new();
    for line in fs::read_to_string(path)?.lines() {
        let mut fields = line.split('\t');
        let (Some(name), Some("ctx"), Some(query)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let mut scores = fields.filter_map(|field| field.parse().ok());
        all.insert(format!("{name}\t{query}"), std::array::from_fn(|_| scores.next().unwrap_or(0.0)));
    }
    Ok(all)
}
