#[cfg(target_os = "linux")]
use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

#[cfg(target_os = "linux")]
use crate::support::needs;
use crate::support::{Sandbox, binary};

fn command(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.args(args).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
    command
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let sandbox = Sandbox::with(&[("a.txt", "text\n")]);
    for args in [&["render", "--only", "a.txt"][..], &["show"], &["profile"], &["completions", "bash"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = command(&sandbox, args)
            .stdout(full)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
            .wait_with_output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(
            stderr.contains("error: cannot write to standard output: no space left"),
            "{args:?}: {stderr}"
        );
    }
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", "line of text\n".repeat(400_000));
    let mut child = command(&sandbox, &["render", "--only", "-b", "none", "--manifest", "m.json", "a.txt"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 10]).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(sandbox.path("m.json").exists(), "the account does not depend on who reads the block");
}

/// The output of a shell script that runs `ctx`, followed by its messages.
#[cfg(unix)]
fn in_shell(sandbox: &Sandbox, script: &str) -> String {
    let output = Command::new("sh")
        .args(["-c", &format!("ctx() {{ '{}' \"$@\"; }}; {script}", binary().display())])
        .current_dir(sandbox.project())
        .env_clear()
        .envs(sandbox.environment())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_given_by_path_is_not_an_error() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    sandbox.write("big.txt", "line of text\n".repeat(400_000));
    sandbox.fifo("fifo");
    for (path, others) in [("/dev/stdout", ""), ("fifo", "head -c 1 fifo >first & ")] {
        let render =
            format!("{{ ctx render --only big.txt -b none -o {path} --manifest m.json; echo $? >code; }}");
        assert_eq!(in_shell(&sandbox, &format!("{others}{render} | true; wait")), "", "{path}");
        assert_eq!(sandbox.read("code"), "0\n", "{path}");
        std::fs::remove_file(sandbox.path("m.json")).unwrap();
    }
    // An account that nobody reads doesn't prevent the block.
    let names = (0..1000).map(|n| format!("{n}\n")).collect::<String>();
    names.lines().for_each(|name| sandbox.write(&format!("many/{name}"), "x\n"));
    let render = "ctx render --only -b none 'many/*' --manifest /dev/stdout -o block.txt; echo $? >code";
    assert_eq!(in_shell(&sandbox, &format!("{{ {render}; }} | true")), "");
    assert_eq!(sandbox.read("code"), "0\n");
    assert!(sandbox.read("block.txt").ends_with("--- CONTEXT FILES END ---\n"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_given_by_path_is_an_error() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    for option in ["-o", "--manifest"] {
        let said = in_shell(&sandbox, &format!("ctx render --only a.txt {option} /dev/full; echo $?"));
        assert_eq!(said.lines().next(), Some("1"), "{said}");
        assert!(said.contains("error: cannot write '/dev/full': no space left"), "{said}");
    }
}

#[test]
#[cfg(unix)]
fn the_paths_of_standard_streams_write_to_the_streams() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    let block = "--- CONTEXT FILES BEGIN ---\n[a.txt]\na\n--- CONTEXT FILES END ---\n";
    for (name, redirected) in [
        ("/dev/stdout", "> f"),
        ("/dev/fd/1", "> f"),
        ("/dev/stderr", "2> f"),
        ("/dev/fd/2", "2> f"),
        #[cfg(target_os = "linux")]
        ("/proc/self/fd/1", "> f"),
    ] {
        let echo = if redirected == "> f" { "echo" } else { ">&2 echo" };
        let render = |options: &str| {
            let script =
                format!("{{ {echo} one; ctx render --only a.txt {options}; {echo} two; }} {redirected}");
            assert_eq!(in_shell(&sandbox, &script).replace(block, ""), "", "{script}");
            sandbox.read("f")
        };
        assert_eq!(render(&format!("-o {name}")), format!("one\n{block}two\n"), "{name}");
        let account = render(&format!("--manifest {name} -o block.txt"));
        assert!(account.starts_with("one\n{") && account.ends_with("}\ntwo\n"), "{account}");
        let both = render(&format!("--manifest {name} -o {name}"));
        assert!(both.starts_with("one\n{") && both.ends_with(&format!("}}\n{block}two\n")), "{both}");
        let script = format!("ctx render --only a.txt --manifest f -o {name} {redirected}; cat f");
        let said = in_shell(&sandbox, &script);
        assert!(said.contains("error: --output and --manifest are the same file"), "{said}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_is_already_open_keeps_its_contents() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n"), ("f", "one\n")]);
    let block = "--- CONTEXT FILES BEGIN ---\n[a.txt]\na\n--- CONTEXT FILES END ---\n";
    for name in ["/dev/fd/4", "/proc/self/fd/4"] {
        sandbox.write("f", "one\n");
        let script = format!("exec 4>>f; ctx render --only a.txt -o {name}; echo two >&4");
        assert_eq!(in_shell(&sandbox, &script), "");
        assert_eq!(sandbox.read("f"), format!("one\n{block}two\n"), "{name}");
    }
}

#[test]
fn colour_is_only_for_terminals_unless_forced() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["-q", "show"]).stdout_lacks("\x1b").check();
    sandbox.ctx(["--color", "always", "-q", "show"]).stdout_has("\x1b[").check();
    sandbox.ctx(["-q", "show"]).env("CLICOLOR_FORCE", "1").stdout_has("\x1b[").check();
    sandbox.ctx(["-q", "show"]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").stdout_lacks("\x1b").check();
    sandbox.ctx(["--color", "never", "-q", "show"]).env("CLICOLOR_FORCE", "1").stdout_lacks("\x1b").check();
}

/// `script` runs a command on its own terminal.
#[test]
#[cfg(target_os = "linux")]
fn output_on_a_terminal_is_coloured_unless_no_color_is_set() {
    let sandbox = Sandbox::new();
    let on_terminal = |variables: &[(&str, &str)]| {
        let output = Command::new("script")
            .args(["-qec", &format!("{} show", binary().display()), "/dev/null"])
            .current_dir(sandbox.project())
            .env_clear()
            .envs(sandbox.environment())
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .output();
        output.ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let Some(colored) = on_terminal(&[]) else {
        return needs("script");
    };
    assert!(colored.contains("\x1b["), "{colored}");
    assert!(!on_terminal(&[("NO_COLOR", "1")]).unwrap().contains("\x1b["));
    assert!(!on_terminal(&[("TERM", "dumb")]).unwrap().contains("\x1b["));
}

#[test]
fn standard_input_is_not_read_unless_asked_for() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    let mut child = command(&sandbox, &["render", "--only", "a.txt"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The pipe stays open and empty: a reader would wait forever.
    let stdin = child.stdin.take();
    assert!(child.wait().unwrap().success());
    drop(stdin);
}

#[test]
fn quiet_silences_everything_but_errors() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    sandbox.ctx(["-q", "add", "a.txt"]).check();
    sandbox.ctx(["-q", "add", "--force", "gone"]).check();
    sandbox.ctx(["-q", "render"]).stdout_has("[a.txt]").check();
    sandbox.ctx(["-q", "add", "absent"]).code(1).stderr_has("error: ").check();
}

#[test]
fn no_arguments_print_the_help() {
    let sandbox = Sandbox::new();
    sandbox.ctx::<&str>([]).stdout_has("Usage: ctx").check();
    sandbox.ctx(["--help"]).stdout_has("Examples:").check();
    sandbox.ctx(["--version"]).stdout_has("ctx ").check();
}

#[cfg(unix)]
#[test]
fn a_loop_of_links_cannot_be_written_to() {
    let sandbox = Sandbox::with(&[("a.txt", "text\n")]);
    std::os::unix::fs::symlink("two", sandbox.path("one")).unwrap();
    std::os::unix::fs::symlink("one", sandbox.path("two")).unwrap();
    for option in ["-o", "--manifest"] {
        sandbox
            .ctx(["render", "--only", "a.txt", option, "one"])
            .code(1)
            .stderr_has("cannot write 'one'")
            .check();
    }
    assert!(sandbox.path("one").is_symlink() && sandbox.path("two").is_symlink());
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_over_the_size_limit_is_an_error_and_programs_get_the_default_signal() {
    const TOO_LARGE: u32 = 25;
    let sandbox = Sandbox::with(&[("a.txt", &"text\n".repeat(20_000))]);
    let script = "ulimit -f 8; exec \"$0\" render --only a.txt -o out";
    let limited = |script: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).arg(binary()).current_dir(sandbox.project());
        shell.env_clear().envs(sandbox.environment()).output().unwrap()
    };
    let output = limited(script);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("error: cannot write 'out': file too large"), "{stderr}");
    // A program that ignores the signal would not have been started with it ignored.
    let output = limited("exec \"$0\" render --only 'cmd:grep SigIgn /proc/self/status'");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let ignored = stdout.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    assert_eq!(u64::from_str_radix(ignored.trim(), 16).unwrap() >> (TOO_LARGE - 1) & 1, 0, "{stdout}");
}
