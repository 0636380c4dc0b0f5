//! Running a program with the block on its standard input.

use serde_json::Value;

use crate::llm::tool;
use crate::support::{Sandbox, skipped};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.md", "text\n")]);
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    sandbox
}

/// The line of the last turn of the history `default`, without its time and its block.
fn last_turn(sandbox: &Sandbox) -> String {
    let line = sandbox.stored("history/default.jsonl").lines().last().unwrap().to_owned();
    let mut line: Value = serde_json::from_str(&line).unwrap();
    let map = line.as_object_mut().unwrap();
    map.shift_remove("time").unwrap();
    map.shift_remove("block").unwrap();
    line.to_string()
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn program_reads_exactly_what_render_prints() {
    let sandbox = sandbox();
    for options in [
        &["-p", "Why?"][..],
        &["--format", "xml", "-p", "Why?"],
        &["--only"],
        &["--instruction", "Be brief.", "-b", "1k"],
    ] {
        let block = sandbox.ctx([&["render"], options].concat()).stdout_any().stderr_any().check();
        let run = [&["run"], options, &["--", "cat"]].concat();
        sandbox.ctx(run).stdout(block).stderr_any().check();
    }
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn what_is_sent_is_said_once() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "text\n");
    let run = |options: &[&str], note: &str| {
        let line = [&["run", "--only", "a.md", "-p", "x"], options, &["--", "cat"]].concat();
        sandbox.ctx(line).stdout_any().stderr(note).check();
    };
    run(&[], "note: sent to 'cat': 22 tokens from 1 file\n");
    run(&["-q"], "");
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn block_too_large_for_the_model_of_the_program_is_a_warning() {
    let sandbox = sandbox();
    sandbox.write("large.md", "word\n".repeat(4_000));
    let run = |options: &[&str], program: &[&str]| {
        let line = [&["run", "--only", "large.md", "-p", "x"], options, &["--", "true"], program].concat();
        sandbox.ctx(line)
    };
    let warning = "warning: 8,021 tokens are too many for gpt-4, whose window is 8,192; '-m gpt-4' before -- makes \
                   them fit\n";
    run(&[], &["-m", "gpt-4"]).stderr(warning).check();
    run(&[], &["--model=gpt-4"]).stderr(warning).check();
    for (options, program) in [
        (&["-m", "gpt-4", "-b", "none"][..], &["-m", "gpt-4"][..]),
        (&[], &["-m", "gpt-4o"]),
        (&[], &["-m", "no-such-model"]),
        (&[], &["-m"]),
    ] {
        run(options, program).check();
    }
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn exit_code_is_that_of_the_program() {
    let sandbox = sandbox();
    sandbox.write("file", "text\n");
    for (command, code) in [
        (&["true"][..], 0),
        (&["false"], 1),
        (&["sh", "-c", "exit 42"], 42),
        (&["sh", "-c", "kill -9 $$"], 137),
        (&["sh", "-c", "exec <&-; exit 3"], 3),
        (&["head", "-c", "1"], 0),
    ] {
        for on in [&["run", "-p", "x", "--"][..], &["run", "--history", "-p", "x", "--"]] {
            sandbox.ctx([on, command].concat()).code(code).stdout_any().check();
        }
    }
    let run = |command: &'static str| ["run", "-p", "x", "--", command];
    sandbox
        .ctx(run("no-such-program"))
        .code(127)
        .stderr("error: program 'no-such-program' not found\n")
        .check();
    sandbox.ctx(run("./file")).code(126).stderr("error: './file' is not executable\n").check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn program_is_not_started_after_an_error() {
    let sandbox = sandbox();
    let started = sandbox.path("started");
    let touch = format!("touch '{}'", started.display());
    sandbox.write("blank", "\n");
    for (options, code) in [
        (&["gone.md"][..], 1),
        (&["-b", "1"], 1),
        (&["--history=gone", "--no-record"], 1),
        (&["--history"], 2),
        (&["--history", "-p", " "], 2),
        (&["--history", "--prompt-file", "blank"], 2),
        (&["--history=a b", "-p", "x"], 2),
        (&["-o", "block.txt"], 2),
        (&["--dry-run"], 2),
    ] {
        let run = [&["run"], options, &["--", "sh", "-c", &touch]].concat();
        sandbox.ctx(run).code(code).stderr_any().check();
    }
    sandbox.ctx(["run", "-p", "x"]).code(2).stderr_has("error: no program was given\n").check();
    sandbox.write_store("history/default.jsonl", "{damaged\n{}\n");
    sandbox.ctx(["run", "--history", "-p", "x", "--", "sh", "-c", &touch]).code(4).stderr_any().check();
    std::fs::create_dir(sandbox.store().join("history/taken.jsonl")).unwrap();
    sandbox.ctx(["run", "--history=taken", "-p", "x", "--", "sh", "-c", &touch]).code(4).stderr_any().check();
    assert!(!started.exists());
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn answer_is_passed_on_and_recorded_with_its_prompt() {
    let sandbox = sandbox();
    let run = |prompt: &'static str, script: &'static str| {
        ["run", "--history", "-p", prompt, "--", "sh", "-c", script]
    };
    sandbox.ctx(run("One?", "cat >/dev/null; echo 1; echo note >&2")).stdout("1\n").stderr("note\n").check();
    assert_eq!(
        last_turn(&sandbox),
        r#"{"turn":1,"messages":[{"role":"user","content":"One?"},{"role":"assistant","content":"1"}],"command":["sh","-c","cat >/dev/null; echo 1; echo note >&2"],"exit":0}"#
    );
    let block =
        sandbox.ctx(["render", "--history", "-p", "Two?"]).stdout_has("[turn 1: assistant]\n1\n").check();
    sandbox.ctx(run("Two?", "cat")).stdout(block).check();
    sandbox
        .ctx(["run", "--history", "--no-record", "-p", "x", "--", "echo", "not recorded"])
        .stdout("not recorded\n")
        .check();
    assert!(last_turn(&sandbox).starts_with(r#"{"turn":2,"#));
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn references_in_the_prompt_are_recorded() {
    let sandbox = sandbox();
    sandbox.write("src/b.rs", "one\ntwo\nthree\n");
    let prompt = "Compare @src/b.rs:2-3 with @a.md and @gone.rs";
    let ask = ["run", "--history", "-p", prompt, "--", "cat"];
    let answer = sandbox.ctx(ask).stdout_has("[src/b.rs:2-3]\ntwo\nthree\n").stderr_any().check();
    assert!(answer.ends_with(&format!("{prompt}\n")));
    let turn: Value = serde_json::from_str(&last_turn(&sandbox)).unwrap();
    // The paths are in the order of the block. `a.md` is recorded although it is also a stored entry.
    let paths: Vec<&Value> = turn["refs"].as_array().unwrap().iter().map(|one| &one["path"]).collect();
    assert_eq!(paths, ["a.md", "src/b.rs:2-3"]);
    assert_eq!(turn["refs"][1]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(turn["messages"][0]["content"], prompt);
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn failed_and_empty_answers_are_recorded_and_not_shown_to_a_model_and_interrupted_ones_are_marked() {
    let sandbox = sandbox();
    for (script, code, recorded) in [
        ("echo part; exit 7", 7, r#""content":"part"}],"command":["sh","-c","echo part; exit 7"],"exit":7}"#),
        ("printf part; kill -9 $$", 137, r#"],"exit":137,"cut":true}"#),
        ("true", 0, r#""content":""}],"command":["sh","-c","true"],"exit":0}"#),
    ] {
        let run = sandbox.ctx(["run", "--history", "-p", "x", "--", "sh", "-c", script]);
        run.code(code).stdout_any().check();
        assert!(last_turn(&sandbox).ends_with(recorded), "{}", last_turn(&sandbox));
    }
    let block = sandbox.ctx(["render", "--history"]).stdout_any().check();
    assert!(block.contains("[turn 2: assistant]\npart\n[… interrupted …]\n---"), "{block}");
    assert!(!block.contains("[turn 1:") && !block.contains("[turn 3:"), "{block}");
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn answer_that_is_not_utf8_is_recorded_with_replacements() {
    let sandbox = sandbox();
    let output = raw(&sandbox, &["run", "--history", "-p", "x", "--", "printf", "caf\\351"]);
    assert_eq!(output.stdout, b"caf\xe9");
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "note: sent to 'printf …': 22 tokens from 1 file\n\
         warning: the answer is not UTF-8; invalid bytes were replaced in the history\n"
    );
    assert!(last_turn(&sandbox).contains("\"content\":\"caf\u{fffd}\""));
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn answer_that_is_too_long_loses_its_middle_only_in_the_history() {
    let sandbox = sandbox();
    let script = "echo start; head -c 20000000 /dev/zero | tr '\\0' '\\001'; echo; echo end";
    let output = raw(&sandbox, &["run", "--history", "-p", "x", "--", "sh", "-c", script]);
    assert_eq!(output.stdout.len(), 6 + 20_000_001 + 4);
    let line = last_turn(&sandbox);
    assert!(line.len() < 16 << 20);
    assert!(line.contains("start\\n") && line.contains("bytes omitted …]") && line.contains("\\nend\""));
    assert!(line.ends_with("\"shortened\":true}"));
}

#[test]
#[cfg_attr(windows, ignore = "it needs the words and devices of POSIX")]
fn full_disk_is_an_error_and_the_turn_is_recorded_as_cut() {
    let sandbox = sandbox();
    let mut command = command(&sandbox, &["run", "--history", "-p", "x", "--", "echo", "answer"]);
    command.stdout(std::fs::File::create("/dev/full").unwrap());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("\nerror: cannot write to standard output: "), "{stderr}");
    assert!(last_turn(&sandbox).contains("\"cut\":true"));
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn closed_output_ends_the_program_and_the_turn_is_recorded_as_cut() {
    use std::io::Read;
    let sandbox = sandbox();
    let mut command = command(&sandbox, &["run", "--history", "-p", "x", "--", "yes"]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut first = [0; 2];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(&first, b"y\n");
    assert!(last_turn(&sandbox).contains("\"cut\":true"));
}

/// A program that reports that it is ready and then waits forever, in its own process group.
#[cfg(unix)]
fn waiting(sandbox: &Sandbox) -> std::process::Child {
    use std::io::Read;
    use std::os::unix::process::CommandExt;
    sandbox.fifo("fifo");
    let script = "echo ready; exec cat fifo";
    let mut command = command(sandbox, &["run", "--history", "-p", "x", "--", "sh", "-c", script]);
    let mut child = command.stdout(std::process::Stdio::piped()).process_group(0).spawn().unwrap();
    let mut ready = [0; 6];
    child.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
    child
}

/// Whether these tests were started with a signal ignored, as by nohup. If so, all programs that they start ignore
/// it too.
#[cfg(unix)]
fn is_ignored(signal: rustix::process::Signal) -> bool {
    use std::os::unix::process::ExitStatusExt;
    let script = format!("kill -{} $$", signal.as_raw());
    let ended = std::process::Command::new("sh").args(["-c", &script]).status().unwrap();
    let is_ignored = ended.signal() != Some(signal.as_raw());
    if is_ignored {
        skipped(&format!("the tests were started with {signal:?} ignored"));
    }
    is_ignored
}

#[cfg(unix)]
#[test]
fn signals_sent_only_to_ctx_are_forwarded_to_the_program() {
    use rustix::process::{Pid, Signal, kill_process};
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        if is_ignored(signal) {
            continue;
        }
        let sandbox = sandbox();
        let mut child = waiting(&sandbox);
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert!(last_turn(&sandbox).contains(r#""content":"ready"}"#));
        assert!(last_turn(&sandbox).contains("\"cut\":true"));
    }
}

#[cfg(unix)]
#[test]
fn interrupt_from_the_terminal_ends_both_after_the_turn_is_recorded() {
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::os::unix::process::ExitStatusExt;
    if is_ignored(Signal::INT) {
        return;
    }
    let sandbox = sandbox();
    let mut child = waiting(&sandbox);
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    assert!(last_turn(&sandbox).contains("\"exit\":130,\"cut\":true"));
}

#[cfg(unix)]
#[test]
fn quit_from_the_terminal_ends_the_program_and_its_code_is_passed_on() {
    use rustix::process::{Pid, Signal, kill_process_group};
    if is_ignored(Signal::QUIT) {
        return;
    }
    let sandbox = sandbox();
    let mut child = waiting(&sandbox);
    kill_process_group(Pid::from_child(&child), Signal::QUIT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(131));
    assert!(last_turn(&sandbox).contains("\"exit\":131,\"cut\":true"));
}

/// `script` runs a command on its own terminal.
#[cfg(target_os = "linux")]
#[test]
fn program_writes_to_the_terminal_unless_its_answer_is_recorded() {
    let sandbox = sandbox();
    let on_terminal = |options: &str| {
        let script = "for number in 0 1 2; do test -t $number && echo $number; done";
        let line =
            format!("{} run -q -p x {options} -- sh -c '{script}'", crate::support::binary().display());
        let mut command = std::process::Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(sandbox.project()).env_clear();
        let output = command.envs(sandbox.environment()).stdin(std::process::Stdio::null()).output().unwrap();
        String::from_utf8(output.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(on_terminal(""), "1 2");
    assert_eq!(on_terminal("--history"), "2");
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn answer_that_was_printed_but_cannot_be_recorded_is_an_error() {
    let sandbox = sandbox();
    let script = "echo answer; mkdir -p \"$CTX_HOME/history/default.jsonl\"";
    sandbox
        .ctx(["run", "--history", "-p", "x", "--", "sh", "-c", script])
        .code(1)
        .stdout("answer\n")
        .stderr_has("error: the answer was printed but not recorded: store file ")
        .check();
}

#[cfg(target_os = "linux")]
#[test]
fn answer_too_large_for_the_disk_is_an_error_and_no_other_turn_is_lost() {
    if !rustix::process::geteuid().is_root() {
        return skipped("nothing can be mounted here");
    }
    let sandbox = sandbox();
    std::fs::create_dir_all(sandbox.store()).unwrap();
    let script = "exec 2>&1; mount -t tmpfs -o size=512k,mode=700 none \"$CTX_HOME\" || exit 77
        ctx run --history -p one -q -- echo first
        ctx run --history -p two -q -- sh -c 'head -c 1m /dev/zero 2>&- >\"$CTX_HOME/fill\"; printf %09000d 2'; echo $?
        rm \"$CTX_HOME/fill\"
        ctx run --history -p three -q -- echo third
        ctx history show";
    let script = format!("ctx() {{ '{}' \"$@\"; }}\n{script}", crate::support::binary().display());
    let mut command = std::process::Command::new("unshare");
    command.args(["--mount", "sh", "-c", &script]).current_dir(sandbox.project()).env_clear();
    let output = command.envs(sandbox.environment()).output().unwrap();
    if output.status.code() == Some(77) {
        return skipped("nothing can be mounted here");
    }
    let printed =
        String::from_utf8(output.stdout).unwrap().replace(sandbox.store().to_str().unwrap(), "<store>");
    assert_eq!(
        printed.replace(&format!("{:09000}", 2), "second\n"),
        "first\nsecond\n\
         error: the answer was printed but not recorded: cannot write '<store>/history/default.jsonl': no space \
         left on device; nothing was changed\n1\nthird\n\
         [turn 1: user]\none\n\n[turn 1: assistant]\nfirst\n\n[turn 2: user]\nthree\n\n[turn 2: assistant]\nthird\n"
    );
}

#[test]
fn conversation_with_llm_continues_after_a_summary() {
    let Some(llm) = tool("llm") else { return };
    let sandbox = sandbox();
    let llm = llm.to_str().unwrap();
    let user = sandbox.home().join("llm");
    let env = user.to_str().unwrap();
    let run = |prompt: &str| {
        let args = ["run", "--history", "-p", prompt, "--", llm, "-m", "echo", "--no-stream"];
        let answer = sandbox.ctx(args).env("LLM_USER_PATH", env).stdout_any().check();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer["prompt"].as_str().unwrap().to_owned()
    };
    for (number, prompt) in (1..).zip(["One?", "Two?", "Three?"]) {
        let block = sandbox.ctx(if number == 1 {
            vec!["render", "-p", prompt]
        } else {
            vec!["render", "--history", "-p", prompt]
        });
        let block = block.stdout_any().check();
        assert_eq!(run(prompt).trim_end(), block.trim_end());
    }
    let compress = [
        "history",
        "compress",
        "--over",
        "0",
        "--keep",
        "0%",
        "--",
        "sh",
        "-c",
        "cat >/dev/null; echo So far.",
    ];
    sandbox.ctx(compress).stderr_has("Compressed 3 turns, ").check();
    let fourth = run("Four?");
    assert!(
        fourth.contains(
            "--- CHAT HISTORY BEGIN ---\n[turns 1-3: summary]\nSo far.\n--- CHAT HISTORY END ---\n\nFour?"
        ),
        "{fourth}"
    );
}

fn command(sandbox: &Sandbox, args: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new(crate::support::binary());
    command.args(args).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
    command.stdin(std::process::Stdio::null());
    command
}

fn raw(sandbox: &Sandbox, args: &[&str]) -> std::process::Output {
    command(sandbox, args).output().unwrap()
}

/// A store that can be read, since there is nothing in it, but not written.
#[cfg(target_os = "linux")]
const SEALED: &str = "/proc/nowhere";

#[test]
#[cfg(target_os = "linux")]
fn program_runs_even_if_nothing_can_be_recorded() {
    let sandbox = Sandbox::with(&[("a.md", "text\n")]);
    for arguments in
        [&["ask", "text?", "--", "cat"][..], &["run", "--history", "-p", "text?", "a.md", "--", "cat"]]
    {
        let why = format!(
            "the answer won't be recorded: cannot create '{SEALED}': no such file or directory; --no-record records nothing\n"
        );
        let run = sandbox.ctx(arguments).env("CTX_HOME", SEALED);
        run.stdout_has("[a.md]\ntext\n").stderr_has(&format!("warning: {why}")).check();
    }
    let refused = sandbox.ctx(["ask", "--strict", "text?", "--", "cat"]).env("CTX_HOME", SEALED).code(3);
    let why = format!("the answer won't be recorded: cannot create '{SEALED}': no such file or directory");
    refused.stderr(format!("error: {why}\nhint: --no-record records nothing\n")).check();
    let asked = sandbox.ctx(["ask", "--no-record", "text?", "--", "cat"]).env("CTX_HOME", SEALED);
    asked.stdout_any().stderr_lacks("warning").check();
}
