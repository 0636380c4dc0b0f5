//! Measures the guard: `cargo run --release --example guard_speed DIRECTORY [--list]`.
//!
//! Reads every file below the directory into memory, and prints the speed of each step in megabytes per
//! second (the best of five runs) and how many secrets of each kind were found. `--list` also prints each
//! finding with its file and line.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{Write as _, stdout};
use std::path::PathBuf;
use std::time::Instant;

use ctx_core::entry::Allowed;
use ctx_core::guard::{CleanText, Replaced, Replacement, clean, reveal, secrets};
use ctx_core::read::{DEFAULT_MAX_BYTES, Page, decode, open, read};

struct Document {
    path: PathBuf,
    text: String,
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let root = arguments.next().unwrap_or_else(|| ".".into());
    let list = arguments.next().is_some_and(|argument| argument == "--list");
    let documents = documents(root.into());
    let bytes: usize = documents.iter().map(|document| document.text.len()).sum();
    writeln!(stdout(), "{} files, {bytes} bytes", documents.len())?;
    measure("secrets", bytes, &documents, |text| secrets::redact(text).is_some())?;
    measure("hidden", bytes, &documents, |text| reveal(&CleanText::from(text.to_owned())).is_some())?;
    measure("utf-8", bytes, &documents, |text| decode(text.as_bytes(), None).is_ok())?;
    measure("clean", bytes, &documents, |text| {
        !clean(text.to_owned(), Allowed::default()).replacements().is_empty()
    })?;
    let mut kinds = BTreeMap::new();
    for Document { path, text } in &documents {
        let cleaned = clean(text.clone(), Allowed::default());
        for Replacement { range, replaced } in cleaned.replacements() {
            if let Replaced::Secret(kind) = replaced {
                *kinds.entry(*kind).or_insert(0) += 1;
            }
            if list {
                let line = cleaned[..range.start].lines().count();
                let text: String =
                    cleaned[range.start..].lines().next().unwrap_or_default().chars().take(200).collect();
                writeln!(stdout(), "{}:{line}: {replaced:?}: {text}", path.display())?;
            }
        }
    }
    writeln!(stdout(), "{kinds:?}")
}

fn documents(root: PathBuf) -> Vec<Document> {
    let files = ignore::WalkBuilder::new(root).standard_filters(false).build().flatten();
    let mut buffer = Page::default();
    files
        .filter_map(|entry| {
            let text = read(open(entry.path()).ok()?, DEFAULT_MAX_BYTES, &mut buffer).ok()?;
            Some(Document { path: entry.into_path(), text: text.text.into_owned() })
        })
        .collect()
}

fn measure(
    name: &str,
    bytes: usize,
    documents: &[Document],
    step: impl Fn(&str) -> bool,
) -> std::io::Result<()> {
    let best = (0..5)
        .map(|_| {
            let start = Instant::now();
            let hits = documents.iter().filter(|document| step(black_box(&document.text))).count();
            black_box(hits);
            start.elapsed()
        })
        .min()
        .unwrap_or_default();
    #[allow(clippy::cast_precision_loss, reason = "a figure for people")]
    let speed = bytes as f64 / 1e6 / best.as_secs_f64();
    writeln!(stdout(), "{name:8} {speed:8.0} MB/s")
}
