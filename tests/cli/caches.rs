//! The cache never changes an answer. It only makes it faster.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Sandbox, binary};

/// A tree with enough history to be ranked before it is read, and files old enough to be cached.
fn with_tree() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..40 {
        let function = |at: usize| {
            let body: String = (0..14)
                .map(|line| format!("    let value_{line} = step_{at}(budget, {number});\n"))
                .collect();
            format!("/// Does what {at} is for.\npub fn work_{number}_{at}() {{\n{body}}}\n\n")
        };
        let text: String = (0..12).map(function).collect();
        sandbox.write(
            &format!("src/part_{}/file_{number:02}.rs", number % 4),
            format!("use crate::core_{number};\n\n{text}"),
        );
    }
    let secret = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    sandbox.write(
        "src/token.md",
        format!("# Tokens\n\nWhere the budget rotates: {secret}\n{}", "A line.\n".repeat(100)),
    );
    sandbox.write("docs/keys.md", "# Keys\n\nRotate the keys of the budget.\n".repeat(20));
    sandbox.a_minute_later()
}

const COMMANDS: [&[&str]; 5] = [
    &["render", "--only", "**", "--trim", "relevant", "-b", "3k", "--query", "rotate keys work_7_3"],
    &["render", "--only", "**", "--trim", "relevant", "--as", "outline", "-b", "2k"],
    &["search", "-n", "5", "where does the budget rotate", "**"],
    &["search", "work_31_2", "src/**"],
    &["render", "-p", "How do keys rotate?"],
];

/// The output and messages of each command.
fn all(sandbox: &Sandbox, extra: &[&str]) -> Vec<String> {
    let output = |arguments: &&[&str]| {
        let mut command = Command::new(binary());
        command.args(arguments.iter().chain(extra)).current_dir(sandbox.project()).stdin(Stdio::null());
        let output = command.env_clear().envs(sandbox.environment()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    COMMANDS.iter().map(output).collect()
}

/// Everything below the cache directory.
fn files(sandbox: &Sandbox) -> Vec<PathBuf> {
    fn below(directory: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { below(&path, files) } else { files.push(path) }
        }
    }
    let mut files = Vec::new();
    below(&sandbox.home().join(".cache/ctx"), &mut files);
    files.sort();
    files
}

#[test]
#[cfg_attr(windows, ignore = "counts and indexes are kept between runs on POSIX alone")]
fn answers_are_the_same_with_without_and_with_damaged_caches() {
    let sandbox = with_tree();
    sandbox.ctx(["add", "--search", "src/**"]).stderr_any().check();
    // The confirmation of `add` has already cached counts.
    let _ = fs::remove_dir_all(sandbox.home().join(".cache/ctx"));
    let without = all(&sandbox, &["--no-cache"]);
    assert!(!sandbox.home().join(".cache/ctx").exists());
    assert!(
        without[0].contains("Rotate the keys") && without[0].contains("pub fn work_7_3"),
        "{}",
        without[0]
    );
    assert_eq!(all(&sandbox, &[]), without);
    assert_eq!(all(&sandbox, &[]), without);
    let files = files(&sandbox);
    assert!(!files.is_empty());
    for path in files {
        let whole = fs::read(&path).unwrap();
        let places = (0..8).map(|part| part * whole.len() / 8).chain([3, 17, whole.len() - 1]);
        for at in places {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            fs::write(&path, damaged).unwrap();
            assert_eq!(all(&sandbox, &[]), without, "{} byte {at}", path.display());
        }
        for length in [0, 10, whole.len() / 2, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(all(&sandbox, &[]), without, "{} length {length}", path.display());
        }
    }
}

#[test]
fn answers_after_changes_are_the_same_as_without_a_cache() {
    let sandbox = with_tree();
    sandbox.ctx(["add", "--search", "src/**"]).stderr_any().check();
    all(&sandbox, &[]);
    for round in 0..3 {
        sandbox
            .write(&format!("src/part_0/new_{round}.rs"), "fn rotate_keys() { work_7_3(); }\n".repeat(100));
        sandbox.write("src/part_1/file_01.rs", format!("fn work_31_2() {{ keys_{round}(); }}\n"));
        let _ = fs::remove_file(sandbox.path(&format!("src/part_2/file_{:02}.rs", 2 + 4 * round)));
        assert_eq!(all(&sandbox, &[]), all(&sandbox, &["--no-cache"]), "round {round}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "counts and indexes are kept between runs on POSIX alone")]
fn cache_contains_no_words_of_a_text() {
    let sandbox = with_tree();
    all(&sandbox, &[]);
    for path in files(&sandbox) {
        let bytes = fs::read(&path).unwrap();
        let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
        assert!(!has(b"rotate") && !has(b"work_7") && !has(b"ghp_"), "{}", path.display());
    }
}
