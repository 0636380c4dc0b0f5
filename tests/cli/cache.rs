use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::{Run, Sandbox};

/// Enough files for the cache to be used, all old enough to be trusted.
fn settled() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..40 {
        sandbox.write(&format!("f{number:02}.txt"), format!("text number {number}\n"));
    }
    sandbox.a_minute_later()
}

fn tokens(sandbox: &Sandbox, options: &[&str]) -> Value {
    counted(sandbox.ctx(DRY_RUN.iter().chain(options)))
}

const DRY_RUN: [&str; 5] = ["render", "--only", "*.txt", "--dry-run", "--json"];

fn counted(run: Run<'_>) -> Value {
    let json = run.stdout_any().stderr_any().check();
    let json: Value = serde_json::from_str(&json).unwrap();
    Value::from(
        json["files"].as_array().unwrap().iter().map(|file| file["tokens"].clone()).collect::<Vec<_>>(),
    )
}

#[test]
#[cfg_attr(windows, ignore = "counts and indexes are kept between runs on POSIX alone")]
fn counts_are_the_same_with_and_without_the_cache() {
    let sandbox = settled();
    let cold = tokens(&sandbox, &[]);
    sandbox.ctx(["cache"]).stdout_has("40 files, ").check();
    assert_eq!(tokens(&sandbox, &[]), cold);
    assert_eq!(tokens(&sandbox, &["--no-cache"]), cold);
    sandbox.ctx(["cache", "--clear"]).stderr("Cleared the count cache\n").check();
    sandbox.ctx(["cache", "--clear"]).stderr("Cleared the count cache\n").check();
    sandbox.ctx(["cache"]).stdout_has("0 files, 0 bytes").check();
    let json = sandbox.ctx(["cache", "--json"]).stdout_any().check();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["version"], &json["files"]), (&Value::from(1), &Value::from(0)));
}

#[test]
#[cfg_attr(windows, ignore = "counts and indexes are kept between runs on POSIX alone")]
fn the_path_of_the_cache_is_shown_without_escape_sequences() {
    let sandbox = Sandbox::new();
    let place = sandbox.path("e\u{1b}[31m");
    sandbox
        .ctx(["cache"])
        .env("XDG_CACHE_HOME", place.to_str().unwrap())
        .stdout_has("e\\u{1b}[31m/ctx/")
        .check();
}

#[test]
fn nothing_is_written_with_no_cache() {
    let sandbox = settled();
    tokens(&sandbox, &["--no-cache"]);
    assert!(!sandbox.home().join(".cache").exists());
}

#[test]
fn a_change_that_keeps_size_and_modification_time_is_detected() {
    let sandbox = settled();
    tokens(&sandbox, &[]);
    let before = fs::metadata(sandbox.path("f07.txt")).unwrap().modified().unwrap();
    sandbox.write("f07.txt", "tttt qqqqqx 7\n\n");
    sandbox.write("f07.txt", "zqxj vkwp 77\n\n");
    let file = fs::File::options().write(true).open(sandbox.path("f07.txt")).unwrap();
    file.set_modified(before).unwrap();
    drop(file);
    assert_eq!(tokens(&sandbox, &[]), tokens(&sandbox, &["--no-cache"]));
}

#[test]
fn a_file_that_changes_within_the_clock_resolution_is_counted_again() {
    let sandbox = settled();
    for round in 0..20 {
        sandbox.write("f03.txt", if round % 2 == 0 { "aaaa bbbb cccc\n" } else { "zqxjvkwpzqxjv\n\n" });
        let now = counted(sandbox.ctx(DRY_RUN).env("CTX_NOW", ""));
        assert_eq!(now, tokens(&sandbox, &["--no-cache"]), "round {round}");
    }
}

#[test]
fn a_safety_option_takes_effect_despite_the_cache() {
    let sandbox = settled();
    let secret = ["ghp", "_", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].concat();
    sandbox.write("f05.txt", format!("token: {secret}\n"));
    sandbox.write("f06.txt", "hid\u{202e}den\n");
    let block = |options: &[&str]| {
        sandbox.ctx(["render", "--only", "*.txt"].iter().chain(options)).stdout_any().stderr_any().check()
    };
    for _ in 0..2 {
        assert!(block(&["--allow", "secrets,hidden"]).contains(&secret));
        let safe = block(&[]);
        assert!(!safe.contains(&secret) && safe.contains("[REDACTED:"), "{safe}");
        assert!(safe.contains("<U+202E>"));
    }
}

#[test]
fn a_cache_that_cannot_be_written_does_not_affect_the_output() {
    let sandbox = settled();
    fs::create_dir_all(sandbox.home().join(".cache")).unwrap();
    fs::write(sandbox.home().join(".cache/ctx"), "in the way").unwrap();
    sandbox.ctx(["render", "--only", "*.txt"]).stdout_has("text number 39").check();
}

#[test]
#[cfg_attr(windows, ignore = "counts and indexes are kept between runs on POSIX alone")]
fn a_file_modified_in_the_future_is_not_cached() {
    let sandbox = settled();
    sandbox.write("f01.txt", "from the future\n");
    let file = fs::File::options().write(true).open(sandbox.path("f01.txt")).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(10_000)).unwrap();
    drop(file);
    tokens(&sandbox, &[]);
    sandbox.ctx(["cache"]).stdout_has("39 files").check();
}
