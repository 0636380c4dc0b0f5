//! Every command in the guide for newcomers works, in the order of the page.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Sandbox, binary};

/// The commands in the second column of the page's tables.
fn commands() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/coming-from.md");
    let page = fs::read_to_string(page).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|row| row.split_once(" | ").map(|(_, cell)| cell.replace("\\|", "|")));
    let is_command = |span: &&str| span.contains("ctx ");
    cells
        .flat_map(|cell| {
            cell.split('`').skip(1).step_by(2).filter(is_command).map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
}

/// A home directory and a repository, with the files of other tools.
fn prepared() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("README.md", "# Reader\n"),
        ("AmazonQ.md", "Answer briefly.\n"),
        (".amazonq/rules/style.md", "Plain words.\n"),
        ("GEMINI.md", "Use @README.md first.\n"),
        ("docs/guide.md", "# Budget\n\nThe budget is applied in one place.\n"),
        ("src/main.rs", "fn main() {}\n"),
        ("tests/budget.rs", "#[test]\nfn budget_holds() {}\n"),
        ("../other/notes.md", "Elsewhere.\n"),
        (
            "session.json",
            r#"[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"text":"Hello"}]}]"#,
        ),
    ]);
    let home = sandbox.home();
    fs::create_dir_all(home.join(".aws/amazonq/profiles/team")).unwrap();
    fs::write(home.join(".aws/amazonq/profiles/team/context.json"), r#"{"paths":["README.md"]}"#).unwrap();
    fs::create_dir_all(home.join(".kiro/steering")).unwrap();
    fs::write(home.join(".kiro/steering/style.md"), "Plain words.\n").unwrap();
    fs::create_dir_all(home.join("bin")).unwrap();
    let llm = home.join("bin/llm");
    fs::write(&llm, "#!/bin/sh\ncat > /dev/null\necho '- [ ] Tag the release'\n").unwrap();
    fs::set_permissions(&llm, fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink(binary(), home.join("bin/ctx")).unwrap();
    run(&sandbox, "git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm First")
        .unwrap();
    sandbox
}

/// Runs a line in a shell; returns its standard error if it fails.
fn run(sandbox: &Sandbox, line: &str) -> Result<(), String> {
    let path = format!("{}:{}", sandbox.home().join("bin").display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .args(["-o", "pipefail", "-c", line])
        .current_dir(sandbox.project())
        .env_clear()
        .envs(sandbox.environment())
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

#[test]
fn every_command_on_the_page_works_in_order() {
    let sandbox = prepared();
    let commands = commands();
    assert!(commands.len() > 40, "{commands:?}");
    let failed: Vec<String> = commands
        .iter()
        .enumerate()
        .filter_map(|(number, line)| {
            // Something changes between two checkpoints.
            sandbox.write("src/main.rs", format!("fn main() {{}}\n// {number}\n"));
            run(&sandbox, line).err().map(|error| format!("{line}\n{error}"))
        })
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
