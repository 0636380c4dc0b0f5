//! Names that the library may not contain.

mod cycles;
mod names;
mod phrases;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::needs;

/// The packages needed to build a crate of the workspace, according to `cargo tree`.
fn dependencies(package: &str) -> Option<Vec<String>> {
    let cargo = option_env!("CARGO")?;
    let run = Command::new(cargo)
        .args([
            "tree",
            "--offline",
            "--locked",
            "--prefix",
            "none",
            "--edges",
            "normal",
            "--package",
            package,
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .ok()?;
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let text = String::from_utf8(run.stdout).unwrap();
    Some(text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect())
}

#[test]
fn libraries_do_not_depend_on_crates_for_arguments_or_terminals() {
    for package in ["sticky-ctx-core", "ctx-tokens", "ctx-outline", "ctx-search"] {
        let Some(found) = dependencies(package) else { return needs("cargo") };
        assert!(found.contains(&package.to_owned()));
        for forbidden in ["clap", "clap_builder", "comfy-table", "indicatif", "owo-colors"] {
            assert!(!found.iter().any(|name| name == forbidden), "{package} depends on {forbidden}");
        }
    }
}

#[test]
fn outline_crate_has_no_dependencies() {
    let Some(found) = dependencies("ctx-outline") else { return needs("cargo") };
    assert_eq!(found, ["ctx-outline"]);
}

/// Names that the library may contain because they belong to other programs: options of git and of programs that
/// ask models.
const OF_OTHERS: [&str; 17] = [
    "checkpoint/objects.rs: --force",
    "checkpoint/objects.rs: --quiet",
    "checkpoint/objects.rs: --stat",
    "git/accepted.rs: --add",
    "git/accepted.rs: --global",
    "history/import/llm.rs: --json",
    "history/import/mod.rs: --json",
    "naming/programs.rs: --model",
    "naming/programs.rs: --no-cache",
    "naming/programs.rs: --prompt",
    "naming/programs.rs: --query",
    "naming/programs.rs: --quiet",
    "naming/programs.rs: --raw",
    "source/git/drivers.rs: --list",
    "source/git/drivers.rs: --null",
    "source/git/program.rs: --format",
    "source/git/program.rs: --quiet",
];

/// The subcommands of `ctx` and the long options of every command, from the manual pages.
fn names_of_the_program(root: &Path) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut commands, mut options) = (BTreeSet::new(), BTreeSet::new());
    for page in fs::read_dir(root.join("man")).unwrap() {
        let page = page.unwrap().path();
        let name = page.file_stem().unwrap().to_str().unwrap();
        commands.extend(name.split('-').nth(1).map(str::to_owned));
        let text = fs::read_to_string(&page).unwrap().replace("\\-", "-");
        let headings = text.lines().filter(|line| line.starts_with(r"\fB-"));
        let words = headings.flat_map(|line| line.split(r"\f"));
        options.extend(words.filter_map(|word| word.strip_prefix("B--")).map(str::to_owned));
    }
    (commands, options)
}

/// The files below a directory.
fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// The words that follow a prefix, each up to the first character other than a letter, digit or hyphen.
fn words_after<'t>(text: &'t str, prefix: &'static str) -> impl Iterator<Item = &'t str> {
    let is_of_word = |char: char| char.is_ascii_alphanumeric() || char == '-';
    text.split(prefix).skip(1).map(move |rest| rest.split(|char| !is_of_word(char)).next().unwrap())
}

#[test]
fn core_library_mentions_no_options_or_commands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (commands, options) = names_of_the_program(root);
    assert!(commands.contains("render") && options.contains("allow"), "{commands:?} {options:?}");
    let source = root.join("crates/ctx-core/src");
    let mut found = BTreeSet::new();
    for file in files_below(&source) {
        let name = file.strip_prefix(&source).unwrap().to_str().unwrap().replace('\\', "/");
        let is_test = name.split('/').any(|part| part == "tests" || part == "tests.rs");
        if is_test || !name.ends_with(".rs") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let named = words_after(code, "--").filter(|word| options.contains(*word));
        found.extend(named.map(|word| format!("{name}: --{word}")));
        for quoted in ["'ctx ", "\"ctx ", "`ctx "] {
            let named = words_after(code, quoted).filter(|word| commands.contains(*word));
            found.extend(named.map(|word| format!("{name}: ctx {word}")));
        }
    }
    assert_eq!(found, OF_OTHERS.map(str::to_owned).into());
}

#[test]
fn paths_are_canonicalized_in_one_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found: Vec<PathBuf> = ["src", "crates/ctx-core/src"]
        .into_iter()
        .flat_map(|directory| files_below(&root.join(directory)))
        .filter(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("canonicalize(")))
        .map(|path| path.strip_prefix(root).unwrap().to_owned())
        .collect();
    found.sort();
    assert_eq!(found, [Path::new("crates/ctx-core/src/fs/real.rs")]);
}
