//! Compares the outline of a sample in each language with the committed one next to it.
//!
//! `CTX_OUTLINE_BLESS=1 cargo test --test samples` rewrites the outlines.

use ctx_outline::{Language, outline};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn samples() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("the samples")
        .map(|entry| entry.expect("a sample").path())
        .filter(|path| path.extension().is_some_and(|extension| extension != "outline"))
        .collect();
    paths.sort();
    paths
}

#[test]
fn outline_samples_match_the_committed_files() {
    let paths = samples();
    assert_eq!(paths.len(), 25);
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a sample").replace("\r\n", "\n");
        let language = Language::of_path(path.to_str().expect("a name in UTF-8")).expect("a language");
        let found = outline(&text, language);
        let mut report = found.render().into_owned();
        report.push_str("\n=== declarations ===\n");
        for declaration in found.declarations() {
            let lines = declaration.lines;
            writeln!(report, "{}-{} {:?} {}", lines.first, lines.last, declaration.kind, declaration.name)
                .expect("a string");
        }
        let mut expected = path.clone().into_os_string();
        expected.push(".outline");
        if std::env::var_os("CTX_OUTLINE_BLESS").is_some() {
            std::fs::write(&expected, &report).expect("a writable directory");
        }
        let expected = std::fs::read_to_string(expected).unwrap_or_default().replace("\r\n", "\n");
        assert_eq!(report, expected, "{}", path.display());
    }
}
