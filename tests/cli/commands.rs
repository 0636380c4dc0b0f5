//! `cmd:` entries and `ctx trust`, tested through the program.

#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};

use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use crate::strace::denied;
use crate::support::Sandbox;
#[cfg(target_os = "linux")]
use crate::support::binary;

/// A project with a script that leaves a mark when it runs.
fn project() -> Sandbox {
    Sandbox::with(&[("test.sh", "echo tested; echo x >>mark\n")])
}

fn has_run(sandbox: &Sandbox) -> bool {
    let mark = sandbox.path("mark");
    let has_run = mark.exists();
    if has_run {
        std::fs::remove_file(mark).unwrap();
    }
    has_run
}

const BLOCK: &str = "--- CONTEXT FILES BEGIN ---\n[cmd:sh test.sh]\ntested\n--- CONTEXT FILES END ---\n";

#[test]
fn typed_command_is_run() {
    let sandbox = project();
    sandbox.ctx(["render", "--only", "cmd:sh test.sh"]).stdout(BLOCK).check();
    assert!(has_run(&sandbox));
}

#[test]
fn output_of_a_failing_command_is_included_with_a_warning() {
    let sandbox = Sandbox::new();
    let command = "cmd:sh -c 'echo out; echo why >&2; exit 3'";
    sandbox
        .ctx(["render", "--only", command])
        .stdout_has("(exit 3)]\nout\n")
        .stderr(format!("warning: \"{command}\" ended with exit 3: why\n"))
        .check();
    sandbox.ctx(["render", "--only", "--strict", command]).code(3).stderr_has("exit 3: why").check();
}

#[test]
fn typed_command_that_cannot_run_is_an_error_but_a_silent_one_is_not() {
    let sandbox = project();
    sandbox
        .ctx(["render", "--only", "cmd:no-such-program"])
        .code(1)
        .stderr("error: 'cmd:no-such-program': program 'no-such-program' not found\n")
        .check();
    sandbox
        .ctx(["render", "--only", "cmd:true", "test.sh"])
        .stdout_has("[test.sh]")
        .stderr_has("'cmd:true' (no output)")
        .check();
    sandbox.ctx(["render", "--only", "cmd:"]).code(2).stderr_has("it names no command").check();
}

#[test]
fn added_command_runs_only_in_the_directory_it_was_added_in() {
    let sandbox = project();
    sandbox.ctx(["add", "cmd:sh test.sh"]).stderr_has("Added 'cmd:sh test.sh'").check();
    assert!(!has_run(&sandbox));
    sandbox.ctx(["render"]).stdout(BLOCK).check();
    assert!(has_run(&sandbox));
    let elsewhere = sandbox.home().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::copy(sandbox.path("test.sh"), elsewhere.join("test.sh")).unwrap();
    sandbox
        .ctx_in(&elsewhere, ["render"])
        .stderr_has("warning: 1 command is not trusted here; 'ctx trust --dry-run' shows it\n")
        .check();
    assert!(!elsewhere.join("mark").exists());
    sandbox.ctx_in(&elsewhere, ["render", "--strict"]).code(3).stderr_any().check();
}

#[test]
fn only_render_runs_commands() {
    let sandbox = project();
    sandbox.ctx(["add", "cmd:sh test.sh"]).stderr_any().check();
    for arguments in [
        &["show"][..],
        &["show", "--expand"],
        &["check"],
        &["explain", "test.sh"],
        &["render", "--dry-run"],
        &["trust", "--dry-run"],
        &["export"],
    ] {
        let status = std::process::Command::new(crate::support::binary())
            .args(arguments)
            .current_dir(sandbox.project())
            .env_clear()
            .envs(sandbox.environment())
            .output();
        assert!(status.is_ok());
        assert!(!has_run(&sandbox), "{arguments:?}");
    }
}

#[test]
fn changed_script_is_not_run_until_it_is_trusted() {
    let sandbox = project();
    sandbox.ctx(["add", "cmd:sh test.sh"]).stderr_any().check();
    sandbox.write("test.sh", "echo evil; echo x >>mark\n");
    sandbox.ctx(["render"]).stderr_has("1 command is not trusted here").check();
    assert!(!has_run(&sandbox));
    let listing = sandbox.ctx(["trust", "--dry-run"]).stdout_any().check();
    let digest = listing.lines().last().unwrap().strip_prefix("digest: ").unwrap().to_owned();
    assert!(
        listing.starts_with("command 'sh test.sh' (profile 'default', with test.sh)\n    ")
            && listing.contains(" (not trusted)\n"),
        "{listing}"
    );
    let other = "0".repeat(64);
    sandbox.ctx(["trust", &other]).code(1).stderr_has("have another digest").check();
    sandbox.ctx(["render", "--trust", &other]).code(1).stderr_has("have another digest").check();
    sandbox.ctx(["render", "--trust", &digest]).stdout_has("evil").check();
    sandbox.ctx(["render"]).env("CTX_TRUST", &digest).stdout_has("evil").check();
    for command in ["check", "show"] {
        let untrusted = if command == "check" { 3 } else { 0 };
        sandbox.ctx([command]).code(untrusted).stdout_any().stderr_any().check();
        sandbox.ctx([command, "--trust", &other]).code(1).stderr_has("have another digest").check();
        sandbox.ctx([command]).env("CTX_TRUST", "x").code(2).stderr_has("error: $CTX_TRUST: ").check();
        let trusted = [
            sandbox.ctx([command]).env("CTX_TRUST", &digest),
            sandbox.ctx([command, "--trust", &digest]).env("CTX_TRUST", &other),
        ];
        trusted.into_iter().for_each(|run| drop(run.stdout_lacks("trusted").stderr_lacks("trusted").check()));
    }
    sandbox.ctx(["render"]).stderr_has("1 command is not trusted here").check();
    sandbox
        .ctx(["trust", &digest])
        .stdout(listing.as_str())
        .stderr("Trusted command 'sh test.sh' (profile 'default', with test.sh)\n")
        .check();
    sandbox.ctx(["render"]).stdout_has("evil").check();
    sandbox.ctx(["trust"]).stderr("Everything here is already trusted\n").check();
    sandbox.ctx(["trust", "--remove"]).stderr("2 items are no longer trusted here\n").check();
    sandbox.ctx(["render"]).stderr_has("1 command is not trusted here").check();
}

#[test]
fn interrupted_render_leaves_no_command_running() {
    let sandbox = Sandbox::new();
    sandbox.fifo("held");
    sandbox.fifo("never");
    let mut render = std::process::Command::new(crate::support::binary())
        .args(["render", "--only", "cmd:sh -c 'exec 3>held; read line <never'"])
        .current_dir(sandbox.project())
        .env_clear()
        .envs(sandbox.environment())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // Opening waits until the command has started, and reading until nobody holds the other end.
    let mut held = std::fs::File::open(sandbox.path("held")).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_child(&render), rustix::process::Signal::TERM)
        .unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&render.wait().unwrap()), Some(15));
    assert_eq!(std::io::Read::read(&mut held, &mut [0]).unwrap(), 0);
}

#[test]
fn trust_is_not_read_from_a_store_given_by_an_option() {
    let sandbox = project();
    sandbox.ctx(["add", "cmd:sh test.sh"]).stderr_any().check();
    let trusted = sandbox.stored("trusted.json");
    sandbox.write("evil/trusted.json", trusted);
    sandbox.write("evil/profiles/default.json", r#"{"paths":["cmd:sh test.sh"]}"#);
    sandbox.ctx(["trust", "--remove"]).stderr_any().check();
    sandbox.ctx(["--store", "evil", "render"]).stderr_has("1 command is not trusted here").check();
    assert!(!has_run(&sandbox));
}

#[test]
fn cached_outputs_are_counted_and_cleared_with_the_cache() {
    let sandbox = project();
    sandbox.ctx(["add", "--ttl", "1h", "cmd:sh test.sh"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout(BLOCK).check();
    assert!(has_run(&sandbox));
    sandbox
        .ctx(["cache"])
        .stdout_has("/ctx/commands:\n    <project>")
        .stdout_has(": 1 command output, ")
        .check();
    sandbox.ctx(["render"]).stdout(BLOCK).check();
    assert!(!has_run(&sandbox));
    sandbox.ctx(["cache", "--clear"]).stderr("Cleared the count cache and 1 command output\n").check();
    sandbox.ctx(["render"]).stdout(BLOCK).check();
    assert!(has_run(&sandbox));
}

#[test]
fn state_of_a_command_is_shown_and_in_the_manifest() {
    let sandbox = project();
    sandbox.ctx(["clear", "-g"]).stderr_any().check();
    sandbox.ctx(["add", "--ttl", "10m", "cmd:echo kept"]).stderr_any().check();
    sandbox.ctx(["add", "cmd:sh test.sh", "cmd:true", "cmd:sh -c 'echo out; exit 3'"]).stderr_any().check();
    let shown = |kept: &str| {
        let entries = format!(
            "    cmd:echo kept ({kept}, ttl 10m)\n    cmd:sh test.sh (not run)\n    cmd:true (not run)\n"
        );
        sandbox.ctx(["show"]).stdout_has(&entries).stderr_any().check();
    };
    shown("not run");
    let manifest = sandbox.home().join("manifest.json");
    sandbox.ctx(["render", "--manifest", manifest.to_str().unwrap()]).stdout_any().stderr_any().check();
    let account: Value = serde_json::from_str(&std::fs::read_to_string(manifest).unwrap()).unwrap();
    let states: Vec<&Value> =
        account["entries"].as_array().unwrap().iter().map(|entry| &entry["state"]).collect();
    assert_eq!(states, ["ok", "ok", "failed", "failed"]);
    let exits: Vec<&Value> = account["files"].as_array().unwrap().iter().map(|file| &file["exit"]).collect();
    assert_eq!(exits, [&Value::Null, &Value::Null, &Value::Null, &json!(3)]);
    shown("cached, 3 tokens, in every question");
    sandbox.ctx(["trust", "--remove"]).stderr_any().check();
    sandbox
        .ctx(["show"])
        .stdout_has("    cmd:echo kept (not trusted, ttl 10m)\n    cmd:sh test.sh (not trusted)\n")
        .stderr("warning: 4 commands are not trusted here; 'ctx trust --dry-run' shows them\n")
        .check();
}

#[test]
fn entry_that_is_not_a_file_can_be_explained() {
    let sandbox = project();
    sandbox.write("AGENTS.md", "a\n");
    sandbox.write("sub/x", "x\n");
    sandbox.repository();
    sandbox.ctx(["add", "cmd:sh test.sh"]).stderr_any().check();
    sandbox
        .ctx(["explain", "cmd:sh test.sh"])
        .stdout_has("'cmd:sh test.sh' (profile): not run\n")
        .stdout_has("  [cmd:sh test.sh] is left out: not run\n")
        .check();
    sandbox
        .ctx_in(&sandbox.path("sub"), ["explain", "up:AGENTS.md"])
        .stdout(
            "'up:AGENTS.md' (global): 1 match, 2 tokens, in every question\n  in ..: AGENTS.md\n  in .: none of the names\n  \
             [AGENTS.md] is printed whole: 2 tokens\n",
        )
        .check();
    sandbox
        .ctx(["explain", "cmd:date"])
        .code(1)
        .stderr("error: cannot explain 'cmd:date': not found\n")
        .check();
    assert!(!has_run(&sandbox));
}

#[cfg(target_os = "linux")]
#[test]
fn show_check_explain_and_completion_start_no_program() {
    if denied() {
        return;
    }
    let sandbox = project();
    sandbox.ctx(["add", "--ttl", "10m", "cmd:sh test.sh"]).stderr_any().check();
    for arguments in [
        &["show"][..],
        &["show", "--json"],
        &["check"],
        &["explain", "cmd:sh test.sh"],
        &["explain", "test.sh"],
        &["search", "x"],
        &["render", "--dry-run"],
        &["--", "ctx", "rm", ""],
    ] {
        let completes = arguments[0] == "--";
        let log = sandbox.home().join("execve.log");
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-e", "trace=execve", "-o"]).arg(&log).arg(binary());
        command.args(arguments).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
        if completes {
            command.env("COMPLETE", "zsh");
        }
        let output = command.stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(!completes || text.contains("cmd:sh test.sh"), "{text}");
        let started = std::fs::read_to_string(&log).unwrap();
        let programs = started.lines().filter(|line| line.contains("execve(")).count();
        assert_eq!(programs, 1, "{arguments:?}:\n{started}");
    }
    assert!(!has_run(&sandbox));
}

#[test]
fn command_that_cannot_be_started_is_an_error_with_the_reason() {
    let sandbox = Sandbox::with(&[("n.sh", "echo no first line\n")]);
    #[cfg(unix)]
    std::process::Command::new("chmod").args(["+x", "n.sh"]).current_dir(sandbox.project()).status().unwrap();
    sandbox
        .ctx(["render", "--only", "cmd:./n.sh", "-p", "x"])
        .code(1)
        .stderr_has("error: 'cmd:./n.sh': cannot run './n.sh'")
        .check();
    sandbox
        .ctx(["render", "--only", "cmd:echo hi", "-p", "x"])
        .env("CTX_DEPTH", "1")
        .code(1)
        .stderr("error: 'cmd:echo hi': a command that ctx runs cannot run another\n")
        .check();
}

#[test]
fn failure_without_output_is_reported_with_its_last_error_line() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    sandbox
        .ctx(["render", "--only", "a.txt", "cmd:sh -c 'echo boom >&2; exit 2'"])
        .stdout_any()
        .stdout_has("(exit 2)]\n--- standard error ---\nboom\n")
        .stderr_has(" ended with exit 2: boom\n")
        .check();
}

#[test]
fn check_finds_nothing_wrong_with_a_trusted_command() {
    let sandbox = project();
    sandbox.ctx(["clear", "-g"]).stderr_any().check();
    sandbox.ctx(["add", "cmd:sh test.sh"]).stderr_any().check();
    sandbox.ctx(["check"]).stdout_any().stderr_any().check();
    sandbox.ctx(["trust", "--remove"]).stderr_any().check();
    sandbox.ctx(["check"]).code(3).stdout_has("not trusted").stderr_any().check();
}

#[test]
fn secret_at_the_cut_of_a_long_line_does_not_leak() {
    let secret = "16C7e42F292c6912E7710c838347Ae178B4a";
    for pad in 20..75 {
        let line = format!("{{\"more\":\"{}\",\"token\":\"ghp_{secret}\"}}", "y".repeat(400 + pad));
        let sandbox = Sandbox::with(&[("j.json", &line)]);
        sandbox.ctx(["add", "--max-output", "80", "cmd:cat j.json"]).stderr_any().check();
        let block = sandbox.ctx(["render"]).stdout_any().stderr_any().check();
        let leaks = (0..secret.len() - 8).any(|at| block.contains(&secret[at..at + 8]));
        assert!(!leaks, "{pad}: {block}");
    }
}

#[test]
fn untrusted_command_of_a_profile_that_is_not_active_is_shown_by_the_line_of_the_hint() {
    let sandbox = Sandbox::with(&[("b.json", r#"{"paths": ["cmd:echo other"]}"#)]);
    sandbox.ctx(["import", "b.json"]).stderr_any().check();
    let hint = "1 command is not trusted here; 'ctx --profile b trust --dry-run' shows it\n";
    sandbox.ctx(["--profile", "b", "render"]).stderr_has(hint).check();
    sandbox.ctx(["--profile", "b", "show"]).stdout_any().stderr_has(hint).check();
    sandbox.ctx(["--profile", "b", "check"]).code(3).stdout_has(hint).check();
    sandbox.ctx(["render"]).env("CTX_PROFILE", "b").stdout_any().stderr_has(hint).check();
    sandbox
        .ctx(["--profile", "b", "explain", "cmd:echo other"])
        .stdout_has("'ctx --profile b trust --dry-run' shows it, 'ctx --profile b trust' trusts it")
        .check();
    let nothing = "nothing in profile 'default' or on the global list needs trust here\n";
    sandbox.ctx(["trust", "--dry-run"]).stdout(nothing).check();
    sandbox.ctx(["trust"]).stderr(nothing).check();
}

#[test]
fn trust_prints_every_item_in_full() {
    let sandbox = Sandbox::new();
    sandbox.repository();
    let project = r#"{"paths": [{"path": "docs/**", "pin": true}, "cmd:sh -c 'echo a\necho b'"],
        "instruction": "Be brief.\n    0000 (trusted)\u001b[2K\nTrusted nothing"}"#;
    sandbox.write(".ctx/profiles/default.json", project);
    let listed = sandbox.ctx(["trust", "--dry-run"]).stdout_any().check();
    let lines: Vec<&str> = listed.lines().filter(|line| !line.contains(" (not trusted)")).collect();
    assert_eq!(
        lines[..lines.len() - 1],
        [
            "pin 'docs/**' (project profile 'default')",
            "command 'sh -c \\'echo a",
            "    | echo b\\'' (project profile 'default', with no file of this repository)",
            "instruction (project profile 'default', 48 bytes): 'Be brief.",
            "    |     0000 (trusted)\\u{1b}[2K",
            "    | Trusted nothing'",
        ]
    );
    sandbox.ctx(["trust", "-q"]).stdout(listed.as_str()).check();
    sandbox.ctx(["trust"]).stderr("Everything here is already trusted\n").check();
}

#[test]
fn entry_that_is_turned_off_needs_no_trust() {
    let sandbox = project();
    sandbox.write_store(
        "profiles/default.json",
        r#"{"paths": [{"path": "cmd:sh test.sh", "off": true}, "cmd:true"]}"#,
    );
    let listed = sandbox.ctx(["trust", "--dry-run"]).stdout_any().check();
    assert!(listed.contains("'true'") && !listed.contains("test.sh"), "{listed}");
    sandbox
        .ctx(["trust"])
        .stdout(listed.as_str())
        .stderr("Trusted command 'true' (profile 'default', with no file of this repository)\n")
        .check();
    sandbox.ctx(["set", "--on", "cmd:sh test.sh"]).stderr_any().check();
    sandbox.ctx(["render"]).stderr_has("1 command is not trusted here").stdout_any().check();
    assert!(!has_run(&sandbox));
}

#[test]
fn output_over_the_limit_is_cut_and_reported_as_truncated() {
    let sandbox = Sandbox::new();
    let entry = "cmd:seq 1 100";
    sandbox.ctx(["add", "--max-output", "10", "--ttl", "5m", entry]).stderr_any().check();
    sandbox
        .ctx(["render"])
        .stdout_has("[… 284 bytes omitted …]")
        .stderr_has("284 bytes of the output")
        .check();
    let shown = sandbox.ctx(["show", "--json"]).stdout_any().stderr_any().check();
    let account: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(account["files"][0]["status"], "truncated");
    let reason = json!({ "code": "output-cut", "text": "284 bytes of the output omitted" });
    assert_eq!(account["files"][0]["reason"], reason);
    sandbox
        .ctx(["explain", entry])
        .stdout_has("is printed in part: 284 bytes of the output omitted\n")
        .check();
}

#[test]
fn secret_in_the_words_of_a_command_is_redacted_in_its_label() {
    let sandbox = Sandbox::new();
    let token = |last: &str| format!("ghp_16C7e42F292c6912E7710c838347Ae178B4{last}");
    let commands = ["a", "b"].map(|last| format!("cmd:echo {}", token(last)));
    let marker = "[REDACTED:github-token]";
    let label = format!("cmd:echo {marker}");
    sandbox
        .ctx(["render", &commands[0], &commands[1]])
        .stdout(format!(
            "--- CONTEXT FILES BEGIN ---\n[{label}]\n{marker}\n\n[{label} (2)]\n{marker}\n--- CONTEXT FILES END ---\n"
        ))
        .stderr(format!(
            "warning: secrets redacted in the words of '{label}'\n\
             warning: secrets redacted in the words of '{label}'\n\
             warning: 2 secrets redacted in 2 files: '{label}' (1 github-token), '{label} (2)' (1 github-token)\n"
        ))
        .check();
}

#[cfg(unix)]
#[test]
fn command_that_names_too_large_files_cannot_be_trusted_and_is_reported() {
    let sandbox = Sandbox::with(&[("test.sh", "echo tested\n")]);
    let huge = std::fs::File::create(sandbox.path("huge")).unwrap();
    huge.set_len(1 << 40).unwrap();
    sandbox.write_store("profiles/default.json", r#"{"paths": ["cmd:cat huge", "cmd:sh test.sh"]}"#);
    sandbox.ctx(["show"]).stdout_has("cmd:cat huge (not trusted)").stderr_any().check();
    let refused = "command 'cat huge' (profile 'default', names files over 64 MiB) cannot be trusted";
    sandbox
        .ctx(["trust"])
        .code(1)
        .stdout_has(" (cannot be trusted)\n")
        .stderr(format!("Trusted command 'sh test.sh' (profile 'default', with test.sh)\nerror: {refused}\n"))
        .check();
    sandbox.ctx(["trust", "--dry-run"]).stdout_has(" (cannot be trusted)\n").check();
    let why = "cannot be trusted, names files over 64 MiB";
    sandbox.ctx(["show"]).stdout_has(&format!("cmd:cat huge ({why})")).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has("tested").stderr_has(&format!("'cmd:cat huge' ({why})")).check();
    let warning = "warning: command 'cat huge .' (names files over 64 MiB) cannot be trusted\n";
    sandbox.ctx(["add", "cmd:cat huge ."]).stderr_has(warning).check();
}

#[test]
fn command_is_trusted_only_in_the_directory_it_was_trusted_in() {
    let sandbox = Sandbox::with(&[("test.sh", "echo top\n"), ("vendor/test.sh", "echo evil\n")]);
    let list = r#"{"paths": ["cmd:sh test.sh"], "instruction": "Be brief."}"#;
    for directory in ["", "vendor/"] {
        sandbox.write(&format!("{directory}.ctx/profiles/default.json"), list);
    }
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    sandbox.ctx(["trust"]).stdout_any().stderr_has("with test.sh)").stderr_has("Trusted instruction").check();
    let vendor = sandbox.path("vendor");
    sandbox
        .ctx_in(&vendor, ["render"])
        .stderr_has("1 command and an instruction are not trusted here")
        .check();
    sandbox
        .ctx_in(&vendor, ["trust"])
        .stdout_has("with vendor/test.sh, in vendor)\n")
        .stderr_has("with vendor/test.sh, in vendor)\nTrusted instruction (project profile 'default', 9 bytes, in vendor)")
        .check();
}

#[test]
fn script_that_another_command_changes_meanwhile_is_not_run() {
    // Four run at once, so the fifth starts after one of them has ended.
    let sandbox =
        Sandbox::with(&[("one.sh", "echo echo evil >two.sh; echo one\n"), ("two.sh", "echo two\n")]);
    let commands =
        ["cmd:sh one.sh", "cmd:sh one.sh 2", "cmd:sh one.sh 3", "cmd:sh one.sh 4", "cmd:sh two.sh"];
    sandbox.ctx(["add"].into_iter().chain(commands)).stderr_any().check();
    sandbox
        .ctx(["render"])
        .stdout_has("one\n")
        .stdout_lacks("evil")
        .stderr_has("1 command is not trusted here")
        .check();
}

#[cfg(unix)]
#[test]
fn dry_run_is_offered_only_if_it_would_list_what_is_too_large() {
    let sandbox = Sandbox::with(&[
        ("small", &"one two three four\n".repeat(50)),
        ("large", &"a b c d e f\n".repeat(90)),
    ]);
    let command = |path: &str| format!("cmd:cat {path}");
    let render =
        |paths: [&str; 2]| sandbox.ctx(["render", "-b", "60", "--trim", "largest"].into_iter().chain(paths));
    render([&command("large"), "small"])
        .code(1)
        .stderr_has("hint: --budget")
        .stderr_lacks("--dry-run")
        .check();
    render([&command("small"), "large"])
        .code(1)
        .stderr_has("hint: --dry-run lists the tokens of each file\n")
        .check();
}

#[cfg(unix)]
#[test]
fn failing_command_brings_what_it_wrote_to_standard_error() {
    let sandbox = Sandbox::with(&[]);
    let failing = "cmd:sh -c 'printf out; echo why >&2; exit 3'";
    let block =
        sandbox.ctx(["render", failing, "-p", "Why does this fail?"]).stderr_any().stdout_any().check();
    assert!(block.contains("(exit 3)]\nout\n--- standard error ---\nwhy\n"), "{block}");
    let silent = "cmd:sh -c 'echo why >&2; exit 3'";
    let block =
        sandbox.ctx(["render", silent, "-p", "Why does this fail?"]).stderr_any().stdout_any().check();
    assert!(block.contains("(exit 3)]\n--- standard error ---\nwhy\n"), "{block}");
    let good = "cmd:sh -c 'echo out; echo note >&2'";
    sandbox.ctx(["render", good]).stdout_lacks("\nnote").stdout_has("out\n").check();
}
