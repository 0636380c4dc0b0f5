//! `cmd:` entries and `ctx trust` through the whole program.

use crate::support::Sandbox;

/// A project with a script that leaves a mark when it is run.
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
fn failing_command_is_used_and_warned_of() {
    let sandbox = Sandbox::new();
    let command = "cmd:sh -c 'echo out; echo why >&2; exit 3'";
    sandbox
        .ctx(["render", "--only", command])
        .stdout_has("(exit 3)]\nout\n")
        .stderr(format!("warning: '{command}' ended with exit 3: why\n"))
        .check();
    sandbox.ctx(["render", "--only", "--strict", command]).code(3).stderr_has("exit 3: why").check();
}

#[test]
fn typed_command_without_output_is_an_error_unless_it_is_only_silent() {
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
    sandbox.ctx(["render", "--only", "cmd:"]).code(2).stderr_has("no command is named").check();
}

#[test]
fn added_command_runs_in_this_place_alone() {
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
    sandbox.ctx(["trust", &other]).code(1).stderr_has("has another digest").check();
    sandbox.ctx(["render", "--trust", &other]).code(1).stderr_has("has another digest").check();
    sandbox.ctx(["render", "--trust", &digest]).stdout_has("evil").check();
    sandbox.ctx(["render"]).env("CTX_TRUST", &digest).stdout_has("evil").check();
    sandbox.ctx(["render"]).stderr_has("1 command is not trusted here").check();
    sandbox
        .ctx(["trust", &digest])
        .stderr("Trusted command 'sh test.sh' (profile 'default', with test.sh)\n")
        .check();
    sandbox.ctx(["render"]).stdout_has("evil").check();
    sandbox.ctx(["trust"]).stderr("Nothing needs trust here that does not have it\n").check();
    sandbox.ctx(["trust", "--remove"]).stderr("Forgot 2 items that were trusted here\n").check();
    sandbox.ctx(["render"]).stderr_has("1 command is not trusted here").check();
}

#[test]
fn interrupted_render_leaves_no_command_behind() {
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
    // Opening waits until the command has begun, reading until nobody holds the other end any more.
    let mut held = std::fs::File::open(sandbox.path("held")).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_child(&render), rustix::process::Signal::TERM)
        .unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&render.wait().unwrap()), Some(15));
    assert_eq!(std::io::Read::read(&mut held, &mut [0]).unwrap(), 0);
}

#[test]
fn trust_is_not_taken_from_a_store_that_an_option_names() {
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
fn kept_outputs_are_counted_and_cleared_with_the_cache() {
    let sandbox = project();
    sandbox.ctx(["add", "--ttl", "1h", "cmd:sh test.sh"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout(BLOCK).check();
    assert!(has_run(&sandbox));
    sandbox.ctx(["cache"]).stdout_has("/ctx/commands: 1 output of commands, ").check();
    sandbox.ctx(["render"]).stdout(BLOCK).check();
    assert!(!has_run(&sandbox));
    sandbox.ctx(["cache", "--clear"]).stderr("Cleared the count cache and 1 output of commands\n").check();
    sandbox.ctx(["render"]).stdout(BLOCK).check();
    assert!(has_run(&sandbox));
}
