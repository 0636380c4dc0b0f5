use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use super::{Command, CommandError, CommandLimits, Ran};
use crate::entry::{Attributes, UsedOutput};
use crate::process::{Launcher, Variables};

fn launcher(more: &[(&str, &str)]) -> Launcher {
    let mut variables = Variables::default();
    variables.set("PATH", std::env::var_os("PATH").unwrap());
    more.iter().for_each(|(name, value)| variables.set(OsString::from(name), OsString::from(value)));
    Launcher::new(variables)
}

fn command(words: &str) -> Command {
    Command { words: words.parse().unwrap(), limits: CommandLimits::default() }
}

fn run(words: &str) -> Result<Ran, CommandError> {
    command(words).run(Path::new("/"), &launcher(&[]))
}

fn text(ran: &Ran) -> &str {
    std::str::from_utf8(&ran.output.text).unwrap()
}

#[test]
fn output_of_a_successful_command_is_the_document() {
    let ran = run("sh -c 'echo out; echo err >&2'").unwrap();
    assert_eq!(text(&ran), "out\n");
    assert_eq!(ran.label("cmd:x"), "cmd:x");
}

#[test]
fn output_of_a_failed_command_is_used_and_its_label_reports_the_failure() {
    let ran = run("sh -c 'echo out; echo why >&2; exit 101'").unwrap();
    assert_eq!(text(&ran), "out\n--- standard error ---\nwhy\n");
    assert_eq!(ran.label("cmd:cargo test"), "cmd:cargo test (exit 101)");
    assert_eq!(ran.failure.unwrap().last_error_line.as_deref(), Some("why"));
    assert_eq!(run("sh -c 'echo out; kill -9 $$'").unwrap().label("cmd:x"), "cmd:x (signal 9)");
}

#[test]
fn command_without_a_document_reports_the_reason() {
    let only_success = |words| Command {
        limits: CommandLimits { only_success: true, ..CommandLimits::default() },
        ..command(words)
    };
    let short = Command {
        limits: CommandLimits { timeout: Duration::from_millis(50), ..CommandLimits::default() },
        ..command("sh -c 'echo begun; while :; do :; done'")
    };
    let message = |command: Command| command.run(Path::new("/"), &launcher(&[])).unwrap_err().to_string();
    assert_eq!(message(only_success("sh -c 'echo out; echo why >&2; exit 2'")), "exit 2: why");
    assert_eq!(message(command("true")), "no output");
    assert_eq!(message(command("no-such-program x")), "program 'no-such-program' not found");
    assert_eq!(message(short), "timed out after 50ms");
}

#[test]
fn command_inside_a_command_is_not_run() {
    assert_eq!(text(&run("sh -c 'echo $CTX_DEPTH'").unwrap()), "1\n");
    let nested = command("echo x").run(Path::new("/"), &launcher(&[("CTX_DEPTH", "1")]));
    assert!(matches!(nested, Err(CommandError::Nested)));
}

#[test]
fn command_does_not_search_the_directories_in_cdpath() {
    let place = tempfile::tempdir().unwrap();
    for path in ["here/sub", "there/sub"] {
        std::fs::create_dir_all(place.path().join(path)).unwrap();
        std::fs::write(place.path().join(path).join("x"), path).unwrap();
    }
    let there = place.path().join("there");
    let launcher = launcher(&[("CDPATH", there.to_str().unwrap())]);
    let ran = command("sh -c 'cd sub && cat x'").run(&place.path().join("here"), &launcher);
    assert_eq!(text(&ran.unwrap()), "here/sub");
}

#[test]
fn long_output_keeps_both_ends() {
    let limits = CommandLimits { most_output: 20, ..CommandLimits::default() };
    let ran = Command { limits, ..command("seq 100") }.run(Path::new("/"), &launcher(&[])).unwrap();
    assert_eq!(text(&ran), "1\n2\n3\n4\n5\n[… 275 bytes omitted …]\n99\n100\n");
    assert_eq!(ran.output.omitted, 275);
}

#[test]
fn attributes_of_an_entry_change_the_limits() {
    let attributes = Attributes {
        timeout: "10m".parse().ok(),
        max_output: "1m".parse().ok(),
        exit: UsedOutput::OfSuccess,
        ttl: "2h".parse().ok(),
        ..Attributes::default()
    };
    let limits = CommandLimits {
        timeout: Duration::from_secs(600),
        most_output: 1_000_000,
        only_success: true,
        ttl: Some(Duration::from_secs(7_200)),
    };
    assert_eq!(CommandLimits::of(&attributes), limits);
    assert_eq!(CommandLimits::of(&Attributes::default()), CommandLimits::default());
}
