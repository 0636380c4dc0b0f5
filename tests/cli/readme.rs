//! Runs the README and the guides exactly as written.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::shells::{command, output, program};
use crate::support::{Sandbox, root};

/// A command in a `console` block, and its output according to the README.
struct Step {
    command: String,
    printed: String,
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

/// The steps of all `console` blocks, in order.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step { command: command.into(), printed: String::new() }),
                (None, Some(step)) => step.printed += &format!("{line}\n"),
                (None, None) => panic!("a block begins with output: {line}"),
            },
            (false, _) => {}
        }
    }
    steps
}

/// One script for all steps, so that each step sees the directory and the `$?` of the previous one.
fn script(steps: &[Step]) -> String {
    let ended = "last=$?; printf '\\0'; (exit $last)";
    steps.iter().map(|step| format!("{{ {}\n}} 2>&1; {ended}\n", step.command)).collect()
}

#[test]
fn the_readme_shows_the_real_output() {
    prints_what_it_says(&readme());
}

#[test]
fn the_guide_to_conversations_shows_the_real_output() {
    let guide = fs::read_to_string(root().join("docs/conversation.md")).unwrap();
    prints_what_it_says(&guide);
}

#[test]
fn the_guide_to_checkpoints_shows_the_real_output() {
    let guide = fs::read_to_string(root().join("docs/checkpoints.md")).unwrap();
    prints_what_it_says(&guide);
}

#[test]
fn the_guides_to_patterns_safety_and_projects_show_the_real_output() {
    for guide in ["docs/patterns.md", "docs/safety.md", "docs/projects.md"] {
        prints_what_it_says(&fs::read_to_string(root().join(guide)).unwrap());
    }
}

#[test]
fn the_guide_to_safety_lists_every_kind_of_secret_and_no_other() {
    let guide = fs::read_to_string(root().join("docs/safety.md")).unwrap();
    let (_, kinds) = guide.split_once("ctx knows these kinds:").unwrap();
    let (kinds, _) = kinds.split_once("ctx recognises some kinds").unwrap();
    let documented: BTreeSet<&str> = kinds.split('`').skip(1).step_by(2).collect();
    let table = root().join("crates/ctx-core/src/guard/secrets/table");
    let files = fs::read_dir(table).unwrap().map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let sources: String = files.collect();
    let rows = sources.split("row!(").skip(1).filter_map(|row| row.split('"').nth(1));
    assert_eq!(documented, rows.collect::<BTreeSet<&str>>());
}

/// Copies the sources of a package used in the build into a directory of the same name.
pub fn sources_of(package: &str, sandbox: &Sandbox) {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let (_, entry) = lock.split_once(&format!("name = \"{package}\"\nversion = \"")).unwrap();
    let version = entry.split('"').next().unwrap();
    let cargo = std::env::var_os("CARGO_HOME")
        .map_or_else(|| std::env::home_dir().unwrap().join(".cargo"), std::path::PathBuf::from);
    let registries = fs::read_dir(cargo.join("registry/src")).unwrap();
    let directory = registries
        .map(|registry| registry.unwrap().path().join(format!("{package}-{version}")))
        .find(|directory| directory.is_dir())
        .unwrap();
    let copied = Command::new("cp").arg("-r").args([&directory, &sandbox.path(package)]).status().unwrap();
    assert!(copied.success());
}

fn prints_what_it_says(text: &str) {
    let Some(bash) = program("bash") else { return };
    let steps = steps(text);
    assert!(steps.len() > 10);
    let sandbox = Sandbox::new();
    sources_of("clap_builder", &sandbox);
    let store = sandbox.store();
    let run = command(&sandbox, &bash, &["-c", &script(&steps)]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stderr), "");
    let printed = String::from_utf8(run.stdout).unwrap();
    let printed: Vec<&str> = printed.split_terminator('\0').collect();
    assert_eq!(printed.len(), steps.len());
    for (step, printed) in steps.iter().zip(printed) {
        let printed = printed.replace(store.to_str().unwrap(), "/home/you/.config/ctx");
        let printed = printed.replace(sandbox.project().to_str().unwrap(), "~");
        assert_eq!(printed, step.printed, "$ {}", step.command);
    }
}

#[test]
fn the_first_command_needs_no_store() {
    let Some(bash) = program("bash") else { return };
    let text = readme();
    let arguments = text.lines().find_map(|line| line.strip_prefix("cargo run --release -- ")).unwrap();
    let sandbox = Sandbox::new();
    let script = format!("cd '{}' && ctx {arguments} 2>/dev/null", root().display());
    let block = output(&sandbox, &bash, &["-c", &script]);
    let first = block.lines().find(|line| line.ends_with(".rs]"));
    assert!(first.is_some_and(|label| label.ends_with("crates/ctx-core/src/guard/secrets.rs]")), "{first:?}");
    assert!(block.ends_with(" ---\n\nWhere are secrets redacted?\n"), "{}", &block[block.len() - 200..]);
    assert!(!sandbox.store().exists());
}

/// What a heading is linked by.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    text.chars().filter(|char| char.is_alphanumeric() || "-_".contains(*char)).collect()
}

#[test]
fn links_of_the_readme_point_to_existing_files() {
    let text = readme();
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for link in links.filter(|link| !link.contains("://")) {
        let (file, heading) = link.split_once('#').unwrap_or((link, ""));
        assert!(root().join(file).exists(), "README.md links to {link}, which is not there");
        let is_there = heading.is_empty() || {
            let text = std::fs::read_to_string(root().join(file)).unwrap();
            text.lines().any(|line| line.starts_with('#') && anchor(line) == heading)
        };
        assert!(is_there, "README.md links to {link}, but the page has no such heading");
    }
}
