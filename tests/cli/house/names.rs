//! A name means one thing in its crate.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::files_below;

/// Files that replace others on platforms that lack something: their types have the same names.
const STAND_INS: [&str; 3] = ["supervise_portable.rs", "directory_portable.rs", "checkpoint_elsewhere.rs"];

/// Words that were misleading, and their replacements.
const REPLACED: [(&str, &str); 14] = [
    ("sieve", "prefilter"),
    ("applicant", "candidate"),
    ("arrival", "offer"),
    ("admit", "skip"),
    ("weigh", "assess"),
    ("harvest", "imported"),
    ("rehearse", "dry run"),
    ("rehearsal", "dry run"),
    ("wary", "name rules"),
    ("withheld", "blocked"),
    ("wanted", "include"),
    ("brought", "provenance"),
    ("given", "text source"),
    ("taken", "included"),
];

/// The source files of the product by crate, without tests.
fn sources() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let folders = crates.map(|path| path.join("src")).chain([root.join("src")]);
    let of_crate = |folder: PathBuf| {
        let name = folder.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        files_below(&folder).into_iter().map(move |file| (name.clone(), file))
    };
    let is_product = |file: &Path| {
        let is_test = file
            .components()
            .any(|part| ["tests", "tests.rs"].map(AsRef::as_ref).contains(&part.as_os_str()));
        file.extension().is_some_and(|extension| extension == "rs") && !is_test
    };
    folders.flat_map(of_crate).filter(|(_, file)| is_product(file)).collect()
}

/// The names of the types that a file declares, outside of functions and inline tests.
fn types(text: &str) -> impl Iterator<Item = &str> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    code.lines().filter_map(|line| {
        let line = match line.strip_prefix("pub(") {
            Some(rest) => rest.split_once(") ")?.1,
            None => line.strip_prefix("pub ").unwrap_or(line),
        };
        let keywords = ["struct ", "enum ", "trait ", "union ", "type "];
        let rest = keywords.iter().find_map(|keyword| line.strip_prefix(keyword))?;
        rest.split(|char: char| !char.is_alphanumeric() && char != '_').next()
    })
}

#[test]
fn no_type_name_is_declared_twice_in_a_crate() {
    let mut declared: BTreeMap<(String, String), Vec<PathBuf>> = BTreeMap::new();
    for (name, file) in sources() {
        let text = fs::read_to_string(&file).unwrap();
        if STAND_INS.iter().any(|stand_in| file.ends_with(stand_in)) {
            continue;
        }
        for one in types(&text) {
            declared.entry((name.clone(), one.to_owned())).or_default().push(file.clone());
        }
    }
    assert!(declared.len() > 500, "{}", declared.len());
    declared.retain(|_, files| files.len() > 1);
    assert!(declared.is_empty(), "{declared:#?}");
}

#[test]
fn no_type_or_module_has_a_name_that_was_replaced() {
    for (_, file) in sources() {
        let module = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&file).unwrap();
        let names = types(&text).map(str::to_lowercase).chain([module]);
        for name in names {
            let replaced = REPLACED.iter().find(|(word, _)| name == *word);
            assert_eq!(replaced, None, "{}: {name}", file.display());
        }
    }
}
