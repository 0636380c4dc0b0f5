use std::path::Path;

use crate::shells::{command, output, program};
use crate::support::Sandbox;

const ENTRIES: [&str; 6] =
    ["my file.md", "notes:a b.md", "app/[id]/page.tsx", "~/notes/**/*.md", "!old/**", "it's $HOME.md"];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[("src/main.rs", ""), ("with blank/x", "")]);
    for name in ["api", "apple"] {
        sandbox.ctx(["profile", "-c", name]).stderr_any().check();
    }
    sandbox.ctx(["--profile", "apple", "profile", "--set", "description=The fruit"]).stderr_any().check();
    sandbox.ctx(["add", "--force", "--tag", "two words"].into_iter().chain(ENTRIES)).stderr_any().check();
    sandbox.ctx(["--profile", "api", "add", "-f", "only-api.md"]).stderr_any().check();
    let other = sandbox.path("other store");
    sandbox.ctx(["--store", other.to_str().unwrap(), "profile", "-c", "elsewhere"]).stderr_any().check();
    sandbox
}

#[test]
fn bash_completes_the_program_after_dashes() {
    let Some(shell) = program("bash") else { return };
    let sandbox = sandbox();
    for line in ["ctx run -- bas", "ctx ask \"why?\" src -- bas", "ctx --profile api run -p x -- bas"] {
        let offered = bash(&sandbox, &shell, line);
        assert!(offered.iter().any(|name| name == "bash"), "{line}: {offered:?}");
        assert!(offered.iter().all(|name| name.starts_with("bas")), "{line}: {offered:?}");
    }
    // The arguments of the program are left to the shell, which completes them as paths.
    for line in ["ctx run -- bash src/m", "ctx run -- ./sr", "ctx history compress -- llm gi"] {
        assert!(bash(&sandbox, &shell, line).is_empty(), "{line}");
    }
    assert_eq!(bash(&sandbox, &shell, "ctx add -- gi"), ["git:"]);
}

/// For each candidate, the last word of the line after bash has inserted it.
fn bash(sandbox: &Sandbox, shell: &Path, line: &str) -> Vec<String> {
    const SCRIPT: &str = r#"
        source <(ctx completions bash)
        COMP_LINE=$1 COMP_POINT=${#1}
        _ctx
        for reply in "${COMPREPLY[@]}"; do printf '%s\n' "$reply"; done"#;
    let printed = output(sandbox, shell, &["--norc", "-c", SCRIPT, "bash", line]);
    printed.lines().map(ToOwned::to_owned).collect()
}

/// How a shell reads a word that was completed.
fn read_back(sandbox: &Sandbox, shell: &Path, words: &str) -> String {
    output(sandbox, shell, &["-c", &format!("set +H 2>/dev/null; printf '%s\n' {words}")])
}

#[test]
fn bash_completes_from_the_store() {
    let Some(shell) = program("bash") else { return };
    let sandbox = sandbox();
    let complete = |line: &str| bash(&sandbox, &shell, line);
    assert_eq!(complete("ctx switch "), ["default", "api", "apple"]);
    assert_eq!(complete("ctx switch app"), ["apple"]);
    assert_eq!(complete("ctx export "), ["default", "api", "apple"]);
    assert_eq!(complete("ctx export api ap"), ["api", "apple"]);
    assert_eq!(complete("ctx --profile=ap"), ["api", "apple"]);
    assert_eq!(complete("ctx --profile api rm "), ["only-api.md"]);
    assert_eq!(complete("ctx --store 'other store' switch e"), ["elsewhere"]);
    assert_eq!(complete("ctx rm -g Am"), ["AmazonQ.md"]);
    assert_eq!(complete("ctx render --tag "), [r"two\ words"]);
    assert_eq!(complete("ctx render -m gpt-4o-mi"), ["gpt-4o-mini"]);
    assert_eq!(complete("ctx profile -d "), ["api", "apple"]);
    assert_eq!(complete("ctx profile --set b"), ["budget="]);
    assert_eq!(complete("ctx profile -g --set h"), [""; 0]);
    assert_eq!(complete("ctx profile --set h"), ["history=", "history_budget="]);
    assert_eq!(complete("ctx help sk"), ["skill"]);
    assert_eq!(complete("ctx help mor"), ["more"]);
    sandbox.ctx(["ask", "why?", "src", "--", "true"]).stderr_any().check();
    let elsewhere = sandbox.path("with blank");
    sandbox.ctx_in(&elsewhere, ["ask", "why?", "--", "true"]).stderr_any().check();
    assert_eq!(complete("ctx render --history=@"), ["ask"]);
    assert_eq!(complete("ctx add gi"), ["git:"]);
    assert_eq!(complete("ctx render git:s"), ["staged", "show"]);
    assert_eq!(complete("ctx explain up:A"), ["AGENTS.md"]);
    assert_eq!(complete("ctx profile --set trim=o"), ["outline"]);
    assert_eq!(complete("ctx profile --set checkpoint="), ["on", "off"]);
    assert_eq!(complete("ctx profile --set model=gpt-4o-mi"), ["gpt-4o-mini"]);
    assert_eq!(
        complete("ctx profile --unset "),
        [
            "description",
            "instruction",
            "model",
            "budget",
            "ask_budget",
            "trim",
            "format",
            "history",
            "history_budget",
            "checkpoint",
            "program",
            "git_history",
            "words_from",
        ]
    );
    assert_eq!(complete("ctx remo"), ["remove"]);
    assert_eq!(complete("ctx render --prompt-f"), ["--prompt-file"]);
    assert_eq!(complete("ctx rm notes:"), [r"a\ b.md"]);
    assert_eq!(complete("ctx rm \"my"), ["my file.md"]);
    for (typed, entry) in ["m", "n", "a", r"\~", r"\!", "i"].into_iter().zip(ENTRIES) {
        let completed = complete(&format!("ctx rm {typed}"));
        assert_eq!(read_back(&sandbox, &shell, &completed.join(" ")), format!("{entry}\n"));
    }
}

#[test]
fn bash_without_comp_line_uses_comp_words() {
    let Some(shell) = program("bash") else { return };
    let script = r#"source <(ctx completions bash)
        COMP_WORDS=(ctx switch ap) COMP_CWORD=2
        _ctx ctx ap switch
        echo "${COMPREPLY[@]}""#;
    assert_eq!(output(&sandbox(), &shell, &["--norc", "-c", script]), "api apple\n");
}

#[test]
fn fish_completes_from_the_store() {
    let Some(shell) = program("fish") else { return };
    let sandbox = sandbox();
    let complete = |line: &str| {
        let script = "ctx completions fish | source; complete -C $argv[1]";
        let printed = output(&sandbox, &shell, &["--no-config", "-c", script, line]);
        printed.lines().map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(complete("ctx switch "), ["default", "api", "apple\tThe fruit"]);
    assert_eq!(complete("ctx --profile=app"), ["--profile=apple\tThe fruit"]);
    assert_eq!(complete("ctx --profile api rm "), ["only-api.md"]);
    assert_eq!(complete("ctx --store 'other store' switch e"), ["elsewhere"]);
    assert_eq!(complete("ctx rm "), ENTRIES);
    assert_eq!(complete("ctx rm my\\ f"), ["my file.md"]);
    assert_eq!(complete("ctx rm 'my f"), ["my file.md"]);
    assert_eq!(complete("ctx render --tag "), ["two words"]);
    assert_eq!(complete("ctx render --prompt-file=src/m"), ["--prompt-file=src/main.rs"]);
    assert_eq!(complete("ctx add wi"), ["with blank/"]);
    assert_eq!(complete("ctx profile --set format=x"), ["format=xml"]);
    assert_eq!(complete("ctx remo").len(), 1);
}

/// A zsh on its own terminal: each line, a tab, and the resulting line.
fn zsh(sandbox: &Sandbox, shell: &Path, lines: &[&str]) -> Vec<String> {
    const SCRIPT: &str = r#"
        zmodload zsh/zpty || exit
        zpty shell zsh -f -i
        zpty -w shell "PS1='> '; setopt no_beep; autoload -Uz compinit; compinit -u -D
            source <(ctx completions zsh)
            show() { print -r -- \"\$BUFFER\" >> shown; zle kill-buffer; print -r -- SHO''WN }
            zle -N show; bindkey '^T' show; print REA''DY"
        zpty -r shell seen '*READY*'
        for line; do
            zpty -n -w shell "$line"$'\t\x14'
            zpty -r shell seen '*SHOWN*'
        done
        zpty -d shell
        cat shown"#;
    let mut args = vec!["-f", "-c", SCRIPT, "zsh"];
    args.extend(lines);
    output(sandbox, shell, &args).lines().map(ToOwned::to_owned).collect()
}

#[test]
fn zsh_completes_from_the_store() {
    let Some(shell) = program("zsh") else { return };
    let expected = [
        ("ctx switch app", "ctx switch apple "),
        ("ctx --profile=app", "ctx --profile=apple "),
        ("ctx --profile api rm o", "ctx --profile api rm only-api.md "),
        ("ctx --store 'other store' switch e", "ctx --store 'other store' switch elsewhere "),
        ("ctx rm my", r"ctx rm my\ file.md "),
        ("ctx rm notes:a", r"ctx rm notes:a\ b.md "),
        ("ctx rm app", r"ctx rm app/\[id\]/page.tsx "),
        (r"ctx rm \~", r"ctx rm \~/notes/\*\*/\*.md "),
        ("ctx rm \"my", "ctx rm \"my file.md\" "),
        ("ctx render --tag t", r"ctx render --tag two\ words "),
        ("ctx render --prompt-file=src/m", "ctx render --prompt-file=src/main.rs "),
        ("ctx add src/m", "ctx add src/main.rs "),
        ("ctx profile --set des", "ctx profile --set description="),
        ("ctx profile --set format=x", "ctx profile --set format=xml "),
        ("ctx switch nothing", "ctx switch nothing"),
    ];
    let lines = expected.map(|(line, _)| line);
    assert_eq!(zsh(&sandbox(), &shell, &lines), expected.map(|(_, completed)| completed));
}

#[test]
fn zsh_aligns_descriptions() {
    let Some(shell) = program("zsh") else { return };
    const SCRIPT: &str = r#"
        compdef() { }
        source <(ctx completions zsh)
        compadd() { print -rl -- "${shown[@]}" }
        words=("$@") CURRENT=$# PREFIX=${@[-1]}
        _ctx"#;
    let offered = |words: &[&str]| {
        let args = [&["-f", "-c", SCRIPT, "zsh"], words].concat();
        output(&sandbox(), &shell, &args).lines().map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(offered(&["ctx", "switch", ""]), ["default", "api", "apple    -- The fruit"]);
    let commands = offered(&["ctx", ""]);
    assert!(
        commands.iter().all(|command| command.find("  -- ") == Some("completions".len())),
        "{commands:?}"
    );
}

#[test]
fn bash_completes_files_on_a_terminal() {
    let (Some(shell), Some(_)) = (program("zsh"), program("bash")) else { return };
    let sandbox = sandbox();
    let script = r#"
        zmodload zsh/zpty || exit
        zpty shell bash --norc --noprofile -i
        zpty -w shell "PS1='> '; bind 'set bell-style none'; source <(ctx completions bash); ctx() { printf '<%s>' \"\$@\" > shown; echo SHO''WN; }; echo REA''DY"
        zpty -r shell seen '*READY*'
        zpty -w shell $'ctx add with\tx my\t'
        zpty -r shell seen '*SHOWN*'
        cat shown; rm shown
        zpty -w shell $'ctx rm notes:a\t my\t'
        zpty -r shell seen '*SHOWN*'
        cat shown
        zpty -d shell"#;
    let printed = output(&sandbox, &shell, &["-f", "-c", script]);
    assert_eq!(printed, "<add><with blank/x><my><rm><notes:a b.md><my file.md>");
}

#[test]
fn candidates_with_control_or_hidden_characters_are_left_out() {
    let sandbox = Sandbox::new();
    let paths =
        ["c1\u{9b}31m", "bidi\u{202e}", "none\u{200b}", "cr\r", "tab\t", "esc\u{1b}[31m", "nl\n", "p.md"];
    let tagged: Vec<_> = paths.iter().map(|path| serde_json::json!({"path": path, "tags": [path]})).collect();
    sandbox.write_store("profiles/default.json", serde_json::json!({"paths": tagged}).to_string());
    sandbox.write_store("profiles/api.json", "{\"description\": \"a\\u009b31m\\u202e\\rb\\nc\"}");
    let ask = |shell: &str, words: &[&str]| {
        let line = [words.join(" ")];
        let args: Vec<&str> =
            if shell == "zsh" { words.to_vec() } else { line.iter().map(String::as_str).collect() };
        sandbox.ctx(["--"].into_iter().chain(args)).env("COMPLETE", shell).stdout_any().check()
    };
    for shell in ["bash", "fish", "zsh"] {
        assert_eq!(ask(shell, &["ctx", "rm", ""]), "values\np.md\n", "{shell}");
        assert_eq!(ask(shell, &["ctx", "render", "--tag", ""]), "values\np.md\n", "{shell}");
    }
    for shell in ["fish", "zsh"] {
        assert_eq!(ask(shell, &["ctx", "switch", "a"]), "values\napi\ta\\u{9b}31m\\u{202e}\\rb\n", "{shell}");
    }
}

#[test]
fn entries_that_look_like_options_are_offered_only_after_dashes() {
    let sandbox = Sandbox::new();
    sandbox.write_store("profiles/default.json", r#"{"paths": ["-dash.txt", "a"]}"#);
    let zsh =
        |words: &[&str]| sandbox.ctx(["--"].iter().chain(words)).env("COMPLETE", "zsh").stdout_any().check();
    assert!(!zsh(&["ctx", "rm", "-"]).contains("-dash.txt"));
    assert_eq!(zsh(&["ctx", "rm", ""]), "values\na\n");
    assert_eq!(zsh(&["ctx", "rm", "--", ""]), "values\n-dash.txt\na\n");
    assert_eq!(zsh(&["ctx", "rm", "--", "-"]), "values\n-dash.txt\n");
    let fish = ["--", "ctx rm -- -"];
    sandbox.ctx(fish).env("COMPLETE", "fish").stdout("values\n-dash.txt\n").check();
    sandbox.ctx(["rm", "--", "-dash.txt"]).stderr("Removed '-dash.txt' from profile 'default'\n").check();
}

#[test]
#[cfg_attr(windows, ignore = "Windows takes its names for something else")]
fn a_damaged_store_offers_no_candidates_and_prints_no_errors() {
    let lines = ["ctx switch ", "ctx rm ", "ctx render --tag ", "ctx render -m g", "ctx --profile gone rm "];
    let sandbox = sandbox();
    for file in ["state.json", "global.json", "models.json"] {
        sandbox.write_store(file, "{\"damaged");
    }
    for line in &lines[1..] {
        for (shell, words) in
            [("bash", vec![*line]), ("fish", vec![*line]), ("zsh", line.split(' ').collect())]
        {
            sandbox.ctx(["--"].into_iter().chain(words)).env("COMPLETE", shell).stdout("values\n").check();
        }
    }
    let Some(shell) = program("bash") else { return };
    assert_eq!(bash(&sandbox, &shell, lines[1]), Vec::<String>::new());
    let gone =
        command(&sandbox, Path::new("ctx"), &["--", "ctx switch "]).env("COMPLETE", "bash").output().unwrap();
    assert!(gone.stderr.is_empty());
}

#[test]
fn a_stray_variable_does_not_affect_commands() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell", "1", "yes"] {
        sandbox.ctx(["profile", "--current"]).env("COMPLETE", shell).stdout("default\n").check();
    }
}

#[test]
fn rm_is_not_offered_by_its_aliases() {
    let sandbox = Sandbox::new();
    let offered = sandbox.ctx(["--", "ctx", "r"]).env("COMPLETE", "zsh").stdout_any().check();
    let names: Vec<&str> = offered.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(names, ["values", "rm", "render", "run"]);
}

#[test]
fn profiles_are_described_only_if_few_match() {
    let sandbox = Sandbox::new();
    for number in 0..120 {
        let list = serde_json::json!({"paths": [], "description": format!("No. {number}")});
        sandbox.write_store(&format!("profiles/p{number:03}.json"), list.to_string());
    }
    let zsh =
        |word: &str| sandbox.ctx(["--", "ctx", "switch", word]).env("COMPLETE", "zsh").stdout_any().check();
    assert_eq!(zsh("p11").lines().nth(1), Some("p110\tNo. 110"));
    let all = zsh("p");
    assert_eq!(all.lines().count(), 121);
    assert!(!all.contains("No."), "{all}");
}

/// The script inserts what it gets, and passes the line on without evaluating it.
#[test]
fn powershell_gets_quoted_words() {
    let sandbox = Sandbox::new();
    let hostile = ["$(touch PWN).md", "a`b.md", "it's.md", "a b.md", "plain.md"];
    sandbox.ctx(["add", "-f"].into_iter().chain(hostile)).stderr_any().check();
    let complete = |word: &str| {
        sandbox
            .ctx(["--", "ctx", "rm", &format!("={word}")])
            .env("COMPLETE", "powershell")
            .stdout_any()
            .check()
    };
    assert_eq!(complete(""), "values\n'$(touch PWN).md'\n'a`b.md'\n'it''s.md'\n'a b.md'\nplain.md\n");
    assert_eq!(complete("'a "), "values\n'a b.md'\n");
    let script = sandbox.ctx(["completions", "powershell"]).stdout_any().check();
    assert!(!script.contains("Invoke-Expression") && script.contains("& ctx -- @words"), "{script}");
}

/// Tasks, two turns and two checkpoints.
fn numbered() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    sandbox.ctx(["todo", "add", "Write the notes", "Tag it"]).stderr_any().check();
    sandbox.ctx(["todo", "add", "--list", "other", "Rest"]).stderr_any().check();
    sandbox.ctx(["todo", "done", "1"]).stderr_any().stdout_any().check();
    for (history, text) in [("default", "Why two passes?\nTell me."), ("default", "And now?"), ("x", "Hm")] {
        let option = format!("--history={history}");
        sandbox.ctx(["history", "append", "--role", "user", text, &option]).stdout_any().stderr_any().check();
    }
    sandbox.ctx(["checkpoint", "create", "-m", "first words"]).stdout_any().stderr_any().check();
    sandbox.write("a.txt", "b\n");
    sandbox.ctx(["checkpoint", "create"]).stdout_any().stderr_any().check();
    sandbox
}

#[test]
fn numbers_are_completed_with_their_first_words() {
    let sandbox = numbered();
    let complete = |line: &str| {
        let run = sandbox.ctx(["--", line]).env("COMPLETE", "fish").stdout_any().check();
        run.lines().skip(1).map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(complete("ctx todo done "), ["2\tTag it"]);
    assert_eq!(complete("ctx todo undo "), ["1\tWrite the notes"]);
    assert_eq!(complete("ctx todo rm "), ["1\tWrite the notes", "2\tTag it"]);
    assert_eq!(complete("ctx todo rm 1 "), ["2\tTag it"]);
    assert_eq!(complete("ctx todo done --list other "), ["1\tRest"]);
    assert_eq!(complete("ctx history clear "), ["2\tAnd now?", "1\tWhy two passes?"]);
    assert_eq!(complete("ctx history clear 2-"), ["2-2\tAnd now?"]);
    assert_eq!(complete("ctx history clear --history=x "), ["1\tHm"]);
    let checkpoints = ["2", "1\tfirst words"];
    for command in ["restore", "rm", "diff"] {
        assert_eq!(complete(&format!("ctx checkpoint {command} ")), checkpoints);
    }
    assert_eq!(complete("ctx checkpoint diff 1 "), ["2"]);
}

#[test]
fn shells_offer_numbers() {
    let sandbox = numbered();
    if let Some(shell) = program("bash") {
        assert_eq!(bash(&sandbox, &shell, "ctx todo rm "), ["1", "2"]);
        assert_eq!(bash(&sandbox, &shell, "ctx checkpoint restore "), ["2", "1"]);
    }
    if let Some(shell) = program("zsh") {
        let completed = zsh(&sandbox, &shell, &["ctx todo done ", "ctx history clear --history=x "]);
        assert_eq!(completed, ["ctx todo done 2 ", "ctx history clear --history=x 1 "]);
    }
}
