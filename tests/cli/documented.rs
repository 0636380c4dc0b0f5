//! Code blocks from the documentation, so that the tests run what people copy.

use std::fs;
use std::path::Path;

/// The first block of this language in `docs/FILE` after the given text.
#[track_caller]
pub fn block(file: &str, behind: &str, language: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(file);
    let text = fs::read_to_string(path).unwrap();
    let (_, rest) = text.split_once(behind).unwrap_or_else(|| panic!("no '{behind}' in {file}"));
    let (_, rest) = rest.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}
