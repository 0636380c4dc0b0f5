//! The program that a question is sent to, and the conversation that its answers make.

use std::fs;

use serde_json::Value;

#[cfg(unix)]
use crate::shells::{command, program};
use crate::support::{Sandbox, skipped};

/// The questions in a history, from its lines, each with whether it begins a conversation.
fn asked(sandbox: &Sandbox, name: &str) -> Vec<(String, bool)> {
    let lines = sandbox.stored(&format!("history/{name}.jsonl"));
    let turn = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        (line["messages"][0]["content"].as_str().unwrap().to_owned(), line["talk"] == line["turn"])
    };
    lines.lines().map(turn).collect()
}

/// The histories of questions, by name.
fn histories_of_questions(sandbox: &Sandbox) -> Vec<String> {
    let names = fs::read_dir(sandbox.store().join("history")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| Some(name.strip_suffix(".jsonl")?.to_owned())).collect()
}

#[cfg(unix)]
#[test]
fn program_reads_what_would_be_printed_and_its_answer_is_recorded() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    let block = sandbox.ctx(["ask", "what of one?"]).stdout_any().check();
    sandbox
        .ctx(["ask", "what of one?", "--", "cat"])
        .stdout(block)
        .stderr_has("note: sent to 'cat'\n")
        .stderr_has("note: all of 1 file of <project>, ")
        .check();
    let [name] = &histories_of_questions(&sandbox)[..] else { panic!("one history") };
    assert!(name.starts_with("@ask-"), "{name}");
    assert_eq!(asked(&sandbox, name), [("what of one?".to_owned(), true)]);
    sandbox.ctx(["ask", "--no-record", "what?", "--", "true"]).stderr_any().check();
    sandbox.ctx(["ask", "why?", "--", "sh", "-c", "exit 42"]).code(42).stderr_any().check();
    assert_eq!(asked(&sandbox, name).len(), 2);
    sandbox.ctx(["ask", "why?", "-o", "x", "--", "cat"]).code(2).stderr_has("cannot be used with").check();
    let unknown = "error: program 'no-such-program' not found\n";
    sandbox.ctx(["ask", "why?", "--", "no-such-program"]).code(127).stderr(unknown).check();
    let quoted = "error: program 'cat -n' not found\nhint: write the program and its arguments without quotes around all of them: -- llm -m gpt-5\n\
         hint: what follows '--' is the program; a question comes before it: ctx ask -p \"cat -n\"\n";
    sandbox.ctx(["ask", "-b", "8k", "why?", "a.md", "--", "cat -n"]).code(127).stderr(quoted).check();
}

#[cfg(unix)]
#[test]
fn question_continues_the_conversation_only_with_continue() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    let answer = |arguments: &[&str], answer: &str| {
        let script = format!("cat > block; printf '{answer}'");
        let all = [&["ask"], arguments, &["--", "sh", "-c", &script]].concat();
        sandbox.ctx(all).stdout(answer).stderr_any().check();
        sandbox.read("block")
    };
    sandbox.write(".gitignore", "block\n");
    let first = answer(&["what is one?"], "A.");
    assert!(!first.contains("CHAT HISTORY"), "{first}");
    let second = answer(&["-c", "and two?"], "B.");
    assert!(second.contains("[turn 1: user]\nwhat is one?\n") && second.contains("A.\n"), "{second}");
    assert!(!answer(&["what is new?"], "C.").contains("CHAT HISTORY"));
    let last = sandbox
        .ctx(["ask", "-c", "and then?"])
        .stderr_has("note: continuing 1 turn of '@ask', from 'what is new?'\n")
        .stderr_has("note: no program runs, so the answer won't be recorded\n")
        .stdout_any()
        .check();
    assert!(last.contains("[turn 3: user]\nwhat is new?\n") && !last.contains("what is one?"), "{last}");
    sandbox.ctx(["render", "--history=@ask", "-p", "x"]).stdout_has("what is new?").stderr_any().check();
    answer(&["--history=other", "what of another?"], "D.");
    assert_eq!(asked(&sandbox, "other"), [("what of another?".to_owned(), true)]);
    sandbox.ctx(["history"]).stdout_has("@ask in <project> ").check();
    sandbox.ctx(["history", "clear", "--history=@ask"]).stderr("Cleared history '@ask' (3 turns)\n").check();
    sandbox.ctx(["history"]).stdout_has("@ask in <project> ").check();
}

#[cfg(unix)]
#[test]
fn questions_in_another_root_are_another_conversation() {
    let sandbox = Sandbox::with(&[("a/x.md", "one\n"), ("b/x.md", "two\n")]);
    for directory in ["a", "b"] {
        let directory = sandbox.path(directory);
        let nothing = "error: there is nothing to continue in '@ask' yet\n\
                       hint: without --continue, the question begins a new conversation\n";
        let line = ["ask", "-c", "what?", "--", "echo", "Yes."];
        sandbox.ctx_in(&directory, line).code(1).stderr(nothing).check();
        sandbox
            .ctx_in(&directory, ["ask", "what?", "--", "echo", "Yes."])
            .stdout("Yes.\n")
            .stderr_any()
            .check();
        sandbox.ctx_in(&directory, line).stdout("Yes.\n").stderr_any().check();
    }
    assert_eq!(histories_of_questions(&sandbox).len(), 2);
}

#[cfg(unix)]
#[test]
fn configured_program_is_used_by_run_and_by_ask_only_on_a_terminal() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    sandbox.ctx(["run", "-p", "x"]).code(2).stderr_has("error: no program was given\nhint: ").check();
    sandbox.ctx(["profile", "--set", "program=sh -c 'cat >/dev/null; echo answered'"]).stderr_any().check();
    sandbox.ctx(["run", "-p", "x", "a.md"]).stdout("answered\n").stderr_has("note: sent to 'sh …': ").check();
    sandbox.ctx(["ask", "what of one?"]).stdout_has("[a.md]\none\n").check();
    let Some(script) = program("script") else { return };
    let on_terminal = |line: &str| {
        let line = format!("{} ask -q 'what of one?'{line}", crate::support::binary().display());
        let output = command(&sandbox, &script, &["-qec", &line, "/dev/null"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().replace('\r', "")
    };
    assert_eq!(on_terminal(""), "answered\n");
    assert!(on_terminal(" --dry-run").contains("a.md"), "{}", on_terminal(" --dry-run"));
    assert!(on_terminal(" | cat").contains("[a.md]\none\n"), "{}", on_terminal(" | cat"));
    assert!(on_terminal(" -o -").contains("[a.md]\none\n"), "{}", on_terminal(" -o -"));
}

#[cfg(unix)]
#[test]
fn configured_program_must_be_set_by_the_user_and_outside_the_tree() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = Sandbox::with(&[("a.md", "one\n"), ("bin/here", "#!/bin/sh\necho here\n")]);
    let program = sandbox.path("bin/here");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let set = |value: &str| sandbox.ctx(["profile", "--set", &format!("program={value}")]);
    set("./bin/here").code(2).stderr_has("depends on the current directory").check();
    set(program.to_str().unwrap()).stderr_any().check();
    sandbox
        .ctx(["run", "-p", "x", "a.md"])
        .code(1)
        .stderr_has("from the settings was not run: it is in this directory tree\nhint: ")
        .check();
    sandbox
        .ctx(["ask", "q", "--"])
        .code(2)
        .stderr_has("no program was given after '--'; name one, as in '-- llm'\n")
        .check();
    sandbox.ctx(["export"]).stdout_lacks("program").check();
    let bundle = r#"{"version":1,"profiles":{"team":{"paths":["a.md"],"program":"rm -rf x"}}}"#;
    sandbox
        .ctx(["import", "--force", "-"])
        .stdin(bundle)
        .stderr_has("left out of profile 'team': 'program', which only you can set\n")
        .check();
    sandbox.ctx(["--profile", "team", "run", "-p", "x"]).code(2).stderr_has("no program was given").check();
}

#[cfg(unix)]
#[test]
fn question_after_a_failed_answer_reports_what_is_left_out() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    sandbox.ctx(["ask", "why?", "--", "false"]).code(1).stderr_any().check();
    let none = "error: nothing to continue: 1 turn of '@ask' failed or got no answer\n";
    sandbox.ctx(["ask", "-c", "and now?"]).code(1).stderr_has(none).check();
    sandbox.ctx(["ask", "what?", "--", "cat"]).stdout_any().stderr_any().check();
    sandbox.ctx(["ask", "-c", "and?", "--", "false"]).code(1).stderr_any().check();
    let some = "continuing 1 turn of '@ask', from 'what?'; left out 1 turn that failed or got no answer\n";
    sandbox.ctx(["ask", "-c", "and now?"]).stdout_any().stderr_has(some).check();
}

#[cfg(unix)]
#[test]
fn failed_question_does_not_resume_the_previous_conversation() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    sandbox.ctx(["ask", "what is first?", "--", "echo", "One."]).stdout_any().stderr_any().check();
    for (script, code) in [("exit 3", 3), ("kill -TERM $$", 143), ("exit 0", 0)] {
        let second = sandbox.ctx(["ask", "what is second?", "--", "sh", "-c", script]);
        second.code(code).stdout_any().stderr_any().check();
        let nothing = "error: nothing to continue: 1 turn of '@ask' failed or got no answer\n";
        sandbox.ctx(["ask", "-c", "and now?", "--", "echo", "sent"]).code(1).stderr_has(nothing).check();
    }
    sandbox.ctx(["ask", "what is third?", "--", "echo", "Three."]).stdout_any().stderr_any().check();
    let goes_on = "continuing 1 turn of '@ask', from 'what is third?'\n";
    sandbox.ctx(["ask", "-c", "and then?"]).stdout_any().stderr_has(goes_on).check();
}

/// Two conversations of three turns each, the second about other things.
#[cfg(unix)]
fn two_talks() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    for talk in ["old", "new"] {
        for (number, continues) in [(1, &[][..]), (2, &["-c"]), (3, &["-c"])] {
            let question = format!("what is {talk} {number}?");
            let answer = ["--", "sh", "-c", "cat > /dev/null; echo Yes."];
            let line = [&["ask"], continues, &[&question], &answer].concat();
            sandbox.ctx(line).stdout("Yes.\n").stderr_any().check();
        }
    }
    sandbox
}

#[cfg(unix)]
#[test]
fn conversation_with_cleared_first_turns_is_not_joined_to_the_previous_one() {
    let sandbox = two_talks();
    let goes_on = |turns: &str, clear: &str, note: &str| {
        let cleared = format!("Cleared history '@ask' ({turns})\n");
        let clear = sandbox.ctx(["history", "clear", "--history=@ask", clear]);
        clear.stderr_has(&cleared).check();
        let note = format!("note: continuing {note}\n");
        sandbox.ctx(["ask", "-c", "and?"]).stderr_has(&note).stdout_any().check()
    };
    let block = goes_on("1 turn", "4", "2 turns of '@ask', from 'what is new 2?'");
    assert!(!block.contains("what is old"), "{block}");
    goes_on("1 turn", "1", "2 turns of '@ask', from 'what is new 2?'");
    let block = goes_on("2 turns", "3-5", "1 turn of '@ask', from 'what is new 3?'");
    assert!(!block.contains("what is old"), "{block}");
    // Once all its turns are cleared, a conversation is gone.
    goes_on("1 turn", "6", "1 turn of '@ask', from 'what is old 2?'");
}

#[cfg(unix)]
#[test]
fn answer_belongs_to_the_conversation_it_continued_even_if_another_began() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    let binary = crate::support::binary();
    let other = format!("'{}' ask 'what is other?' -- echo Other. >/dev/null 2>&1", binary.display());
    let answers = |script: &str| ["--".to_owned(), "sh".to_owned(), "-c".to_owned(), script.to_owned()];
    let ask = |words: &[&str], script: &str| {
        let words = words.iter().map(|word| (*word).to_owned()).chain(answers(script));
        sandbox.ctx(["ask".to_owned()].into_iter().chain(words)).stdout_any().stderr_any().check();
    };
    ask(&["what is first?"], "echo One.");
    ask(&["-c", "what is second?"], &format!("{other}; echo Two."));
    let goes_on = "note: continuing 2 turns of '@ask', from 'what is first?'\n";
    let block = sandbox.ctx(["ask", "-c", "and?"]).stdout_any().stderr_has(goes_on).check();
    assert!(block.contains("Two.\n") && !block.contains("Other."), "{block}");
    sandbox.ctx(["history", "show", "--raw", "--history=@ask"]).stdout_has("what is other?").check();
}

#[cfg(unix)]
#[test]
fn interrupted_answer_is_kept_marked_and_continued() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    let interrupted = ["ask", "what is one?", "--", "sh", "-c", "echo One is; kill -TERM $$"];
    sandbox.ctx(interrupted).code(143).stdout("One is\n").stderr_any().check();
    let goes_on = "continuing 1 turn of '@ask', from 'what is one?'\n";
    let block = sandbox.ctx(["ask", "-c", "go on"]).stdout_any().stderr_has(goes_on).check();
    assert!(block.contains("One is\n[… interrupted …]\n"), "{block}");
}

/// What a line of a shell prints on a terminal of its own.
#[cfg(unix)]
fn on_terminal(sandbox: &Sandbox, line: &str) -> Option<String> {
    let output = command(sandbox, &program("script")?, &["-qec", line, "/dev/null"]).output().unwrap();
    Some(String::from_utf8(output.stdout).unwrap().replace('\r', ""))
}

#[cfg(target_os = "linux")]
#[test]
fn each_terminal_has_its_own_conversation() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    let other = "script -qec \"ctx ask 'what is second?' -- echo Two.; ctx ask -c 'and?' -o -\" /dev/null";
    let line = format!("ctx ask 'what is first?' -- echo One.; {other}; ctx ask -c 'and then?' -o -");
    let Some(shown) = on_terminal(&sandbox, &line) else { return };
    let (second, first) = (shown.find("from 'what is second?'"), shown.find("from 'what is first?'"));
    assert!(second.is_some() && second < first, "{shown}");
    // Both terminals are gone, so another one continues what was asked last.
    let shown = on_terminal(&sandbox, "ctx ask -c 'and?' -o -; true").unwrap();
    assert!(shown.contains("from 'what is second?'"), "{shown}");
    // Without a terminal, only what was asked without any is continued.
    let others = "error: nothing was asked here: the conversations in '@ask' belong to other terminals\n\
                  hint: -c=2 continues 'what is second?'\n\
                  hint: -c=1 continues 'what is first?'\n\
                  hint: without --continue, the question begins a new conversation\n";
    sandbox.ctx(["ask", "-c", "and?"]).code(1).stderr(others).check();
    let first = sandbox.ctx(["ask", "-c=1", "and?", "--", "cat"]).stdout_has("what is first?");
    first.stderr_has("continuing 1 turn of '@ask', from 'what is first?'").check();
    // Any turn names its conversation.
    let same = sandbox.ctx(["ask", "-c=3", "and?"]).stdout_has("what is first?");
    same.stderr_has("continuing 2 turns of '@ask', from 'what is first?'").check();
    let none = "error: history '@ask' has no turn 9\nhint: -c=1 continues 'what is first?'\n";
    sandbox.ctx(["ask", "-c=9", "and?"]).code(1).stderr_has(none).check();
    sandbox.ctx(["ask", "-c=x", "and?"]).code(2).stderr_has("number of a turn").check();
    sandbox.ctx(["ask", "what is third?", "--", "echo", "Three."]).stdout_any().stderr_any().check();
    sandbox.ctx(["ask", "-c", "and?"]).stdout_any().stderr_has("from 'what is third?'").check();
}

/// In a container whose terminal was opened outside it, no process of the container leads the session.
#[cfg(target_os = "linux")]
#[test]
fn conversation_is_continued_in_a_container_on_a_terminal_from_outside() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    let container = "unshare --user --map-root-user --pid --fork --mount-proc";
    let can_contain = std::process::Command::new("sh").args(["-c", &format!("{container} true")]).output();
    if !can_contain.is_ok_and(|output| output.status.success()) {
        return skipped("this machine lets nobody make a namespace");
    }
    let asks = "ctx ask 'what is first?' -- echo One.; ctx ask -c 'and?' -o -";
    let Some(shown) = on_terminal(&sandbox, &format!("{container} sh -c \"{asks}\"")) else { return };
    assert!(shown.contains("One.") && shown.contains("from 'what is first?'"), "{shown}");
}

#[cfg(target_os = "linux")]
#[test]
fn conversations_of_open_terminals_are_not_continued_elsewhere() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    let other = "script -qec \"ctx ask -c 'and?' -- echo sent; true\" /dev/null";
    let line = format!("ctx ask 'what is first?' -- echo One.; {other}; true");
    let Some(shown) = on_terminal(&sandbox, &line) else { return };
    assert!(
        shown.contains("belong to other terminals") && shown.contains("-c=1 continues 'what is first?'"),
        "{shown}"
    );
    assert!(
        shown.contains("without --continue, the question begins") && !shown.contains("\nsent"),
        "{shown}"
    );
    // Another machine's terminal may be open for a week after its last question.
    let [name] = &histories_of_questions(&sandbox)[..] else { panic!("one history") };
    let path = format!("history/{name}.jsonl");
    let elsewhere = sandbox.stored(&path).replace("\"machine\":\"", "\"machine\":\"other");
    sandbox.write_store(&path, &elsewhere);
    let shown = on_terminal(&sandbox, "ctx ask -c 'and?' -o -; true").unwrap();
    assert!(shown.contains("belong to other terminals"), "{shown}");
    let shown = on_terminal(&sandbox, "CTX_NOW=4000000000 ctx ask -c 'and?' -o -; true").unwrap();
    assert!(shown.contains("from 'what is first?'"), "{shown}");
}

#[cfg(unix)]
#[test]
fn clearing_earlier_turns_keeps_the_line_that_begins_a_conversation() {
    let sandbox = two_talks();
    let [name] = &histories_of_questions(&sandbox)[..] else { panic!("one history") };
    let path = format!("history/{name}.jsonl");
    let second: String = sandbox.stored(&path).lines().skip(3).map(|line| format!("{line}\n")).collect();
    sandbox.ctx(["history", "clear", "1-3", "--history=@ask"]).stderr_any().check();
    let rest = sandbox.stored(&path);
    assert!(rest.starts_with(&second) && rest.matches("\"talk\":4").count() == 3, "{rest}");
}

#[cfg(unix)]
#[test]
fn summary_covers_only_the_last_conversation() {
    let sandbox = two_talks();
    let compress = ["history", "compress", "--history=@ask", "--over", "1", "--keep", "0%", "--", "sh", "-c"];
    let script = "cat > asked; printf 'So far.'";
    let told = "Compressed 3 turns, ";
    sandbox.ctx(compress.iter().chain(&[script])).stdout_any().stderr_has(told).check();
    let asked = sandbox.read("asked");
    assert!(asked.contains("what is new 1?") && !asked.contains("what is old"), "{asked}");
    let goes_on = "note: continuing the summary of turns 4-6 of '@ask', from 'what is new 1?'\n";
    sandbox.ctx(["ask", "-c", "and?"]).stdout_has("So far.\n").stderr_has(goes_on).check();
}

#[cfg(unix)]
#[test]
fn question_without_words_of_its_own_suggests_the_conversation() {
    let sandbox = Sandbox::with(&[("a.md", "one\n"), ("b.md", "two\n")]);
    sandbox.ctx(["ask", "why?"]).stdout_any().stderr_lacks("-c continues").check();
    sandbox.ctx(["ask", "what is one?", "--", "echo", "One."]).stdout_any().stderr_any().check();
    let hint = "hint: -c continues 'what is one?'\n";
    sandbox.ctx(["ask", "why?"]).stdout_any().stderr_has(hint).check();
    sandbox.ctx(["ask", "why?", "-"]).stdin("two\n").stdout_any().stderr_lacks("-c continues").check();
    sandbox.ctx(["ask", "-c", "why?"]).stdout_any().stderr_lacks("-c continues").check();
}

#[cfg(unix)]
#[test]
fn name_of_a_history_belongs_to_its_option() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    sandbox.ctx(["ask", "--history=talk", "what is one?", "--", "cat"]).stdout_any().stderr_any().check();
    let hint = "\nhint: the name goes with an equals sign: --history=talk\n";
    for words in [&["-c", "more"][..], &["more"]] {
        let line = [&["ask", "--history", "talk"], words].concat();
        sandbox.ctx(line).code(1).stderr_has(hint).stderr_lacks("without --continue").check();
    }
}

#[test]
fn continue_without_a_history_is_an_error() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    let error = "error: '--continue' cannot be used with '--history=none', which uses no history\n";
    sandbox.ctx(["ask", "-c", "--history=none", "and?"]).code(2).stderr(error).check();
}

#[cfg(unix)]
#[test]
fn conversation_reduced_to_a_summary_can_be_continued() {
    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    sandbox.ctx(["ask", "what is first?", "--", "echo", "One."]).stdout_any().stderr_any().check();
    sandbox.ctx(["ask", "-c", "what is second?", "--", "echo", "Two."]).stdout_any().stderr_any().check();
    let compress = ["history", "compress", "--history=@ask", "--over", "1", "--", "sh", "-c"];
    let script = "cat > asked; printf 'So far.'";
    sandbox.ctx(compress.iter().chain(&[script])).stdout_any().stderr_any().check();
    let goes_on = "note: continuing the summary of turns 1-2 of '@ask', from 'what is first?'\n";
    let third = sandbox.ctx(["ask", "-c", "what is third?", "--", "echo", "Three."]);
    third.stdout_any().stderr_has(goes_on).check();
    let fourth = sandbox.ctx(["ask", "-c", "what is fourth?"]).stderr_any();
    fourth.stdout_has("So far.\n").stdout_has("what is third?\n").check();
}

#[cfg(unix)]
#[test]
fn configured_program_is_found_only_outside_checkouts() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = Sandbox::with(&[("a.md", "one\n")]);
    sandbox.repository();
    let program = |path: &str, says: &str| {
        let path = sandbox.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\necho {says}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.parent().unwrap().to_str().unwrap().to_owned()
    };
    let own = program("../home/.local/bin/answerer", "own");
    let foreign = program("node_modules/.bin/answerer", "foreign");
    let cloned = program("../home/clone/bin/answerer", "cloned");
    fs::create_dir_all(sandbox.home().join("clone/.git/objects")).unwrap();
    fs::create_dir_all(sandbox.home().join("clone/.git/refs")).unwrap();
    fs::write(sandbox.home().join("clone/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    sandbox.ctx(["profile", "-g", "--set", "program=answerer"]).stderr_any().check();
    let run = |directory: &std::path::Path, path: &[&str]| {
        let path = [path, &["/usr/bin", "/bin"]].concat().join(":");
        sandbox.ctx_in(directory, ["run", "-p", "x"]).env("PATH", &path).stderr_any()
    };
    // The first program of that name outside the tree runs.
    run(&sandbox.project(), &[&foreign, &own]).stdout("own\n").check();
    run(&sandbox.home(), &[&cloned, &own]).stdout("own\n").check();
    run(std::path::Path::new("/"), &[&own]).stdout("own\n").check();
    run(&sandbox.project(), &[&foreign]).code(1).stderr_has("is in this directory tree\n").check();
    run(&sandbox.home(), &[&cloned]).code(1).stderr_has("is in this directory tree\n").check();
}

#[cfg(unix)]
#[test]
fn list_of_histories_shows_the_turns_in_use_and_in_total() {
    let sandbox = Sandbox::with(&[("a.md", "keys\n")]);
    for question in ["which keys?", "and whose keys?"] {
        let program = ["--", "sh", "-c", "cat >/dev/null; echo mine"];
        sandbox.ctx(["ask", question].into_iter().chain(program)).stdout("mine\n").stderr_any().check();
    }
    sandbox.ctx(["history"]).stdout_has(" 1 of 2 ").check();
    sandbox.ctx(["history", "--json"]).stdout_has("\"turns\": 2,\n      \"shown\": 1,").check();
}

#[cfg(unix)]
#[test]
fn conversation_keeps_the_files_and_texts_that_it_is_about() {
    let sandbox = Sandbox::with(&[("one.md", "first\n"), ("sub/two.md", "second\nline\n")]);
    sandbox.repository();
    let secret = format!("{}{}", "AKIA", "Q3EGRJ5XK7T2M4WZ");
    let words = ["ask", "what of @one.md?", "-", "sub/two.md:2", "cmd:echo now", "--"];
    let answer = ["sh", "-c", "cat > /dev/null; echo Yes."];
    let first = sandbox.ctx(words.iter().chain(&answer)).stdin(format!("trace {secret}\n"));
    first.stdout("Yes.\n").stderr_any().check();
    sandbox.write("one.md", "changed\n");
    let ask = ["ask", "-c", "why?", "-b", "4k"];
    let block = sandbox.ctx_in(&sandbox.path("sub"), ask).stdout_any().stderr_any().check();
    for part in [
        "[one.md]\nchanged\n",
        "[sub/two.md:2]\nline\n",
        "[stdin of turn 1]\ntrace [REDACTED:aws-access-key-id]\n",
        "[cmd:echo now of turn 1]\nnow\n",
    ] {
        assert!(block.contains(part), "{part} is not in {block}");
    }
    let [name] = &histories_of_questions(&sandbox)[..] else { panic!("one history") };
    assert!(!sandbox.stored(&format!("history/{name}.jsonl")).contains(&secret));
    // A question without -c is about nothing else, and a file that is gone is named.
    let new = sandbox.ctx(["ask", "what?", "sub"]).stderr_any().stdout_any().check();
    assert!(!new.contains("turn 1") && !new.contains("changed"), "{new}");
    fs::remove_file(sandbox.path("one.md")).unwrap();
    let gone = "note: no longer here, though the conversation is about it: 'one.md'\n";
    sandbox.ctx(ask).stdout_any().stderr_has(gone).check();
}

#[cfg(unix)]
#[test]
fn conversation_keeps_files_outside_the_tree() {
    let sandbox = Sandbox::with(&[("one.md", "first\n")]);
    sandbox.repository();
    fs::write(sandbox.home().join("notes.md"), "noted\n").unwrap();
    let other = sandbox.project().parent().unwrap().join("other.md");
    fs::write(&other, "elsewhere\n").unwrap();
    let answer = ["--", "sh", "-c", "cat > /dev/null; echo Yes."];
    let words = ["ask", "what?", "~/notes.md", other.to_str().unwrap()];
    sandbox.ctx(words.iter().chain(&answer)).stdout("Yes.\n").stderr_any().check();
    for question in ["why?", "and then?"] {
        let again =
            sandbox.ctx(["ask", "-c", question]).stderr_lacks("outside").stderr_lacks("no longer here");
        let block = again.stdout_any().check();
        assert!(block.contains("\nnoted\n") && block.contains("\nelsewhere\n"), "{block}");
    }
    fs::remove_file(sandbox.home().join("notes.md")).unwrap();
    let gone = "note: no longer here, though the conversation is about it: '~/notes.md'\n";
    sandbox.ctx(["ask", "-c", "why?"]).stdout_any().stderr_has(gone).check();
}

#[cfg(unix)]
#[test]
fn permission_for_secrets_in_one_block_does_not_put_them_in_the_store() {
    let sandbox = Sandbox::with(&[("one.md", "first\n")]);
    let secret = format!("{}{}", "AKIA", "Q3EGRJ5XK7T2M4WZ");
    let words = ["ask", "--allow", "secrets", "what?", "-", "--", "sh", "-c", "cat > block; echo Yes."];
    sandbox.ctx(words).stdin(format!("trace {secret}\n")).stdout("Yes.\n").stderr_any().check();
    assert!(sandbox.read("block").contains(&secret));
    let [name] = &histories_of_questions(&sandbox)[..] else { panic!("one history") };
    let kept = sandbox.stored(&format!("history/{name}.jsonl"));
    assert!(kept.contains("trace [REDACTED:") && !kept.contains(&secret), "{kept}");
}

#[cfg(unix)]
#[test]
fn turn_added_to_a_conversation_stays_in_it_if_the_turns_before_it_are_cleared() {
    let sandbox = Sandbox::with(&[("one.md", "first\n")]);
    let answer = ["--", "sh", "-c", "cat > /dev/null; echo Yes."];
    for words in [
        &["ask", "--history=h", "one"][..],
        &["ask", "--history=h", "two"],
        &["run", "--history=h", "-p", "three"],
    ] {
        sandbox.ctx(words.iter().chain(&answer)).stdout("Yes.\n").stderr_any().check();
    }
    sandbox.ctx(["history", "clear", "--history=h", "2"]).stderr_any().check();
    sandbox
        .ctx(["run", "--history=h", "-p", "four"].iter().chain(&answer))
        .stdout("Yes.\n")
        .stderr_any()
        .check();
    let block = sandbox.ctx(["render", "--history=h", "-p", "x"]).stdout_any().stderr_any().check();
    assert!(block.contains("three\n") && block.contains("four\n") && !block.contains("one\n"), "{block}");
}

#[cfg(unix)]
#[test]
fn answer_is_kept_rather_than_the_texts_if_both_are_too_long_for_a_line() {
    let sandbox = Sandbox::with(&[("one.md", "first\n")]);
    // Each byte of the answer takes six in the history.
    let script = "cat > /dev/null; head -c 2795000 /dev/zero | tr '\\0' '\\001'";
    let words = ["ask", "what?", "-", "--", "sh", "-c", script];
    sandbox.ctx(words).stdin("line\n".repeat(20_000)).stdout_any().stderr_any().check();
    let [name] = &histories_of_questions(&sandbox)[..] else { panic!("one history") };
    let kept = sandbox.stored(&format!("history/{name}.jsonl"));
    assert!(!kept.contains("\"texts\"") && !kept.contains("\"shortened\""), "{}", kept.len());
}

#[cfg(unix)]
#[test]
fn long_text_is_kept_with_its_beginning_and_end() {
    let sandbox = Sandbox::with(&[("one.md", "first\n")]);
    let long = format!("start\n{}end\n", "line\n".repeat(20_000));
    let words = ["ask", "what?", "-", "--", "sh", "-c", "cat > /dev/null; echo Yes."];
    sandbox.ctx(words).stdin(long).stdout("Yes.\n").stderr_any().check();
    let block = sandbox.ctx(["ask", "-c", "why?", "-b", "60k"]).stdout_any().stderr_any().check();
    let (_, kept) = block.split_once("[stdin of turn 1]\n").unwrap();
    assert!(kept.starts_with("start\n") && kept.contains(" bytes omitted …]\n") && kept.contains("\nend\n"));
}

#[cfg(unix)]
#[test]
fn long_text_is_cut_in_later_questions_as_in_the_first() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let log = |count: usize| "chunk built, 12 kB\n".repeat(count);
    let log = format!("{}error: widget 7 is gone\n{}", log(1_500), log(1_500));
    let first = sandbox.ctx(["ask", "-b", "4k", "why does the build fail?", "-", "--", "cat"]);
    first.stdin(log).stdout_has("error: widget 7 is gone\n").stderr_any().check();
    let second = sandbox.ctx(["ask", "-c", "-b", "4k", "how do I mend it?", "--", "cat"]);
    second.stdout_has("error: widget 7 is gone\n").stderr_any().check();
}

#[cfg(unix)]
#[test]
fn run_keeps_what_its_history_is_about() {
    let sandbox = Sandbox::with(&[("one.md", "first\n"), ("two.md", "second\n")]);
    sandbox
        .ctx(["run", "--history", "-p", "Explain @one.md", "two.md", "--", "echo", "Yes."])
        .stdout_any()
        .stderr_any()
        .check();
    let block =
        sandbox.ctx(["run", "--history", "-p", "and now?", "--", "cat"]).stdout_any().stderr_any().check();
    assert!(block.contains("[one.md]\nfirst\n") && block.contains("[two.md]\nsecond\n"), "{block}");
}

/// The turn belongs to the option, as in `-c=1`.
#[test]
fn number_after_the_option_to_continue_is_no_question() {
    let sandbox = Sandbox::with(&[("a.md", "One.\n")]);
    let told = "error: the question after '--continue' is only the number 1\n\
                hint: -c=1 continues the conversation of turn 1\n\
                hint: -c -p 1 asks it\n";
    sandbox.ctx(["ask", "-c", "1"]).code(2).stderr(told).check();
    sandbox.ctx(["ask", "-c", "1", "and then?", "--", "cat"]).code(2).stderr(told).check();
    sandbox.ctx(["ask", "-c", "-p", "1"]).code(1).stderr_has("nothing to continue").check();
    sandbox.ctx(["ask", "1"]).stdout_any().stderr_any().check();
}
