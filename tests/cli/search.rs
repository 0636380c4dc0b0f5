//! Searched entries, and `ctx search`.

use serde_json::Value;

use crate::support::Sandbox;

/// Notes in several sections, one of which is about keys.
fn with_notes() -> Sandbox {
    let sandbox = Sandbox::new();
    let section = |title: &str, word: &str| {
        format!("# {title}\n\n{}\n", format!("A line about {word}, and nothing else.\n").repeat(20))
    };
    let auth = [section("Login", "sessions"), section("Keys", "rotating secrets"), section("Logs", "files")]
        .concat();
    sandbox.write("docs/auth.md", auth);
    sandbox.write("docs/build.md", section("Build", "compilers"));
    sandbox
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn searched_entry_includes_the_matching_passages_with_their_lines() {
    let sandbox = with_notes();
    sandbox.write("main.rs", "fn main() {}\n");
    sandbox.ctx(["add", "--search", "docs/**"]).stderr_any().check();
    sandbox.ctx(["add", "main.rs"]).stderr_any().check();
    let block = sandbox.ctx(["render", "-p", "How are secrets rotated?"]).stdout_any().check();
    let lines: Vec<&str> = block.lines().collect();
    assert_eq!(lines[1], "[docs/auth.md:24-46]", "{block}");
    assert_eq!(lines[2], "# Keys");
    assert_eq!(lines.iter().filter(|line| line.contains("rotating")).count(), 20);
    assert!(!block.contains("sessions") && !block.contains("compilers"), "{block}");
    assert!(block.contains("\n[main.rs]\nfn main() {}\n"));
}

#[test]
fn searched_entry_without_a_query_includes_nothing_and_prints_a_note() {
    let sandbox = with_notes();
    sandbox.write("main.rs", "fn main() {}\n");
    sandbox.ctx(["add", "--search", "docs/**"]).stderr_any().check();
    sandbox.ctx(["add", "main.rs"]).stderr_any().check();
    sandbox
        .ctx(["render", "--strict"])
        .stdout("--- CONTEXT FILES BEGIN ---\n[main.rs]\nfn main() {}\n--- CONTEXT FILES END ---\n")
        .stderr("note: no prompt and no query, so nothing is searched in 'docs/**'\n")
        .check();
}

#[test]
fn searched_entry_stays_within_its_share() {
    let sandbox = with_notes();
    sandbox.ctx(["add", "--search", "--share", "5%", "docs/**"]).stderr_any().check();
    let account = |budget: &str| {
        let arguments = ["render", "-b", budget, "--query", "line about", "--dry-run", "--json"];
        json(&sandbox.ctx(arguments).stdout_any().stderr_any().check())
    };
    for (budget, room) in [("5k", 250), ("20k", 1_000)] {
        let used = account(budget)["tokens"]["documents"].as_u64().unwrap();
        assert!(used > 0 && used <= room, "{used} of {room}");
    }
    sandbox.ctx(["show"]).stdout_has("docs/** (2 matches, only searched, share 5%)").stderr_any().check();
}

#[test]
fn plain_entry_of_the_same_file_wins_over_a_searched_one() {
    let sandbox = with_notes();
    sandbox.ctx(["add", "--search", "docs/**"]).stderr_any().check();
    sandbox
        .ctx(["render", "docs/build.md", "-p", "secrets"])
        .stdout_has("[docs/build.md]\n# Build\n")
        .stdout_has("[docs/auth.md:24-46]\n")
        .check();
}

#[test]
fn lines_of_a_file_win_over_an_entry_that_only_searches_it() {
    let sandbox = with_notes();
    sandbox.ctx(["add", "--search", "docs/**"]).stderr_any().check();
    sandbox.ctx(["add", "docs/build.md:1-2"]).stderr_any().check();
    sandbox
        .ctx(["render", "-p", "compilers"])
        .stdout("--- CONTEXT FILES BEGIN ---\n[docs/build.md:1-2]\n# Build\n\n--- CONTEXT FILES END ---\n\ncompilers\n")
        .check();
}

#[test]
fn query_without_a_word_is_wrong_usage() {
    let sandbox = with_notes();
    for arguments in [&["render", "docs/*.md", "--query", "?"][..], &["search", "?"]] {
        sandbox.ctx(arguments).code(2).stderr("error: there is no word to search for in '?'\n").check();
    }
    let error = "error: invalid number '0'\nhint: use 1 or more\n";
    sandbox.ctx(["search", "-n", "0", "keys"]).code(2).stderr(error).check();
}

#[test]
fn files_that_are_searched_are_in_the_account() {
    let sandbox = with_notes();
    sandbox.ctx(["add", "--search", "docs/**"]).stderr_any().check();
    let arguments = ["render", "--query", "rotating", "--dry-run", "--json"];
    let account = json(&sandbox.ctx(arguments).stdout_any().stderr_any().check());
    let files = account["files"].as_array().unwrap();
    assert_eq!(files[0]["path"], "docs/auth.md:24-46");
    assert_eq!((&files[0]["status"], &files[0]["rank"]), (&"included".into(), &1.into()));
    assert_eq!(files[1]["path"], "docs/build.md");
    assert_eq!(files[1]["reason"]["code"], "not-among-the-best");
}

#[test]
fn search_prints_the_best_passages_with_their_lines_and_marks_matches() {
    let sandbox = Sandbox::with(&[
        ("a.md", "# Keys\n\nRotate the keys.\nOften.\n"),
        ("b.md", "# Other\n\nNothing about it.\n"),
    ]);
    sandbox
        .ctx(["search", "rotating", "*.md"])
        .stdout(
            "a.md:3 (lines 1-4, score 0.900)  'a.md#keys'\n    # Keys\n\n  > Rotate the keys.\n    Often.\n",
        )
        .check();
    sandbox.ctx(["search", "absent", "*.md"]).code(1).stderr("error: no match for 'absent'\n").check();
    sandbox
        .ctx(["search", "?!", "*.md"])
        .code(2)
        .stderr("error: there is no word to search for in '?!'\n")
        .check();
}

#[test]
fn names_in_scripts_without_an_extension_are_printed() {
    let sandbox = Sandbox::with(&[("bin/tool", "#!/bin/sh\nrotate() {\n  echo rotating keys\n}\n")]);
    sandbox.ctx(["search", "keys"]).stdout_has("'bin/tool#rotate'").check();
}

#[test]
fn search_covers_the_current_directory_and_searched_entries() {
    let sandbox = with_notes();
    sandbox.write("src/.hidden/compilers.md", "compilers\n");
    sandbox.write("src/.ctxignore", "ignored.md\n");
    sandbox.write("src/ignored.md", "compilers\n");
    let first_lines = |directory: &str, arguments: &[&str]| {
        let all = [&["search", "compilers"], arguments].concat();
        let printed = sandbox.ctx_in(&sandbox.path(directory), all).stdout_any().stderr_any().check();
        let heads = printed.lines().filter(|line| !line.starts_with(' ') && !line.is_empty());
        heads.map(|line| line.split_once(' ').unwrap().0.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(first_lines("src", &[]), [".hidden/compilers.md:1"]);
    assert_eq!(first_lines(".", &[]), ["src/.hidden/compilers.md:1", "docs/build.md:3"]);
    assert_eq!(first_lines(".", &["src"]), ["src/.hidden/compilers.md:1"]);
    sandbox.ctx(["add", "--search", sandbox.path("docs").to_str().unwrap()]).stderr_any().check();
    assert_eq!(first_lines("src", &[]).len(), 2);
    let found = json(&sandbox.ctx(["search", "--json", "-n", "1", "line", "docs"]).stdout_any().check());
    assert_eq!(found["passages"].as_array().unwrap().len(), 1);
    assert_eq!(found["passages"][0]["path"], "docs/auth.md");
}

#[test]
fn search_with_context_prints_matching_lines_and_the_lines_around_them() {
    let lines: String = (1..=30)
        .map(
            |line| {
                if [3, 5, 20].contains(&line) { format!("keys {line}\n") } else { format!("line {line}\n") }
            },
        )
        .collect();
    let sandbox = Sandbox::with(&[("a.md", &lines)]);
    let heading = "a.md:3 (lines 1-30, score 0.900)\n";
    let with = |context: &str, printed: &str| {
        sandbox.ctx(["search", "-C", context, "keys"]).stdout(format!("{heading}{printed}")).check();
    };
    with("0", "  > keys 3\n--\n  > keys 5\n--\n  > keys 20\n");
    with(
        "1",
        "    line 2\n  > keys 3\n    line 4\n  > keys 5\n    line 6\n--\n    line 19\n  > keys 20\n    line 21\n",
    );
    let all = sandbox.ctx(["search", "-C", "99", "keys"]).stdout_any().check();
    assert_eq!(all, sandbox.ctx(["search", "keys"]).stdout_any().check());
    let found = json(&sandbox.ctx(["search", "--json", "-C", "1", "keys"]).stdout_any().check());
    assert_eq!(
        (&found["passages"][0]["first_line"], &found["passages"][0]["last_line"]),
        (&1.into(), &30.into())
    );
}

#[test]
fn search_shortens_very_long_lines_except_in_json() {
    let line = format!("{}zebra{}", "a b ".repeat(3_000), " c d".repeat(3_000));
    let sandbox = Sandbox::with(&[("a.js", &format!("{line}\n"))]);
    let printed = sandbox.ctx(["search", "zebra"]).stdout_any().check();
    assert!(
        printed.len() < 600 && printed.contains("  > …") && printed.contains(" a b zebra c d "),
        "{printed}"
    );
    let found = json(&sandbox.ctx(["search", "--json", "zebra"]).stdout_any().check());
    assert_eq!(found["passages"][0]["text"], format!("{line}\n"));
}

#[test]
fn search_drops_passages_that_score_far_below_the_best() {
    let sandbox = Sandbox::with(&[
        ("a.md", "Rotating the zebra keys: zebra, keys.\n"),
        ("b.js", &format!("{}zebra\n", "x ".repeat(2_000))),
    ]);
    let found = json(&sandbox.ctx(["search", "--json", "zebra keys"]).stdout_any().check());
    assert_eq!(found["passages"].as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn search_includes_ignored_files_that_are_in_the_list() {
    let sandbox =
        Sandbox::with(&[(".gitignore", "kept.md\n"), ("kept.md", "zebra\n"), ("src/a.md", "one\n")]);
    sandbox.ctx(["search", "zebra"]).code(1).stderr("error: no match for 'zebra'\n").check();
    sandbox.ctx(["add", "--force", "kept.md"]).stderr_any().check();
    sandbox.ctx(["search", "zebra"]).stdout_has("kept.md:1 ").check();
    sandbox.ctx(["search", "zebra", "src"]).code(1).stderr("error: no match for 'zebra'\n").check();
}

#[test]
fn query_may_begin_with_a_hyphen() {
    let sandbox = Sandbox::with(&[("a.md", "the option --since-then is\n")]);
    sandbox.ctx(["search", "--", "--since-then"]).stdout_has("a.md:1 ").check();
}

#[test]
fn entries_that_are_searched_or_reduced_are_not_findings() {
    let sandbox = with_notes();
    sandbox.write("main.rs", format!("fn main() {{\n{}}}\n", "    step();\n".repeat(30)));
    sandbox.ctx(["add", "--search", "docs/**"]).stderr_any().check();
    sandbox.ctx(["check"]).stdout_any().stderr_any().check();
    sandbox.ctx(["add", "--as", "outline", "main.rs"]).stderr_any().check();
    sandbox.ctx(["check"]).stdout_any().stderr_any().check();
}

#[test]
fn searched_entry_that_does_not_match_leaves_an_empty_context() {
    let sandbox = with_notes();
    sandbox.ctx(["add", "--search", "docs/**"]).stderr_any().check();
    sandbox
        .ctx(["render", "-p", "zebra"])
        .stdout("zebra\n")
        .stderr(
            "warning: the context is empty: your entries are only searched, and nothing in them matches\n",
        )
        .check();
}

#[test]
fn search_never_shows_secrets() {
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let sandbox = Sandbox::with(&[("a.md", &format!("The token is {token} here.\n"))]);
    sandbox
        .ctx(["search", "token", "a.md"])
        .stdout_has("> The token is ")
        .stdout_lacks(&token)
        .stderr_any()
        .check();
}

#[test]
fn lines_of_a_file_are_searched_alone() {
    let sandbox = Sandbox::with(&[("a.md", "zebra one\n\nzebra two\n\nzebra three\n"), ("b.md", "zebra\n")]);
    let found = sandbox.ctx(["search", "zebra", "a.md:3-4"]).stdout_has("a.md:3 (lines 3-");
    found.stdout_has("zebra two").stdout_lacks("one").stdout_lacks("three").stdout_lacks("b.md").check();
    sandbox.ctx(["search", "three", "a.md:1-2"]).code(1).stderr("error: no match for 'three'\n").check();
    sandbox.ctx(["search", "zebra", "a.md:9"]).code(1).stdout("").stderr_any().check();
}

#[test]
fn query_may_come_from_standard_input_or_a_file() {
    let sandbox =
        Sandbox::with(&[("a.md", "zebra\n"), ("src/a.md", "zebra\n"), ("q.txt", "where is\nzebra\n")]);
    let heads = |args: &[&str]| {
        let printed = sandbox.ctx(args).stdin("where is\nzebra\n").stdout_any().check();
        printed.lines().filter(|line| line.contains(".md:")).count()
    };
    assert_eq!(heads(&["search"]), 2);
    assert_eq!(heads(&["search", "-"]), 2);
    assert_eq!(heads(&["search", "-", "src"]), 1);
    assert_eq!(heads(&["search", "--prompt-file", "-", "src"]), 1);
    assert_eq!(heads(&["search", "--prompt-file", "q.txt"]), 2);
    let found = sandbox.ctx(["search", "--prompt-file", "q.txt"]).stdout_lacks("q.txt");
    found.stdout_has("zebra").check();
    let wordless = "error: there is no word to search for in '?'\n";
    sandbox.ctx(["search", "-"]).stdin("?\n").code(2).stderr(wordless).check();
    sandbox.ctx(["search"]).code(2).stderr_has("error: there is no word to search for").check();
}

#[test]
fn tabs_are_printed_as_they_are() {
    let sandbox = Sandbox::with(&[("f.go", "func Zebra() {\n\tif x {\n\t\treturn\u{1b}[2J\n\t}\n}\n")]);
    let printed = sandbox.ctx(["search", "Zebra"]).stdout_any().check();
    let lines: Vec<&str> = printed.lines().skip(1).collect();
    let escaped = "    \t\treturn<U+001B>[2J";
    assert_eq!(lines, ["  > func Zebra() {", "    \tif x {", escaped, "    \t}", "    }"]);
}

#[test]
fn name_of_a_declaration_finds_it_and_then_each_use_on_one_line() {
    let sandbox = Sandbox::new();
    let body = "    step();\n".repeat(200);
    sandbox.write(
        "src/undo.rs",
        format!("/// Restores.\npub fn restore_merge() {{\n{body}}}\n\nfn other() {{}}\n"),
    );
    sandbox.write("src/main.rs", "fn main() {\n    undo::restore_merge();\n    restore();\n}\n");
    sandbox.write(
        "src/tests.rs",
        "#[test]\nfn merges() {\n    restore_merge();\n}\n\nfn restore() { merge() }\n",
    );
    for query in ["restore_merge", "undo::restore_merge"] {
        let found = sandbox.ctx(["search", query]).stdout_any().check();
        let lines: Vec<&str> = found.lines().collect();
        assert!(lines[0].starts_with("src/undo.rs:2 (lines 1-203, "), "{found}");
        assert_eq!(lines[1..3], ["    /// Restores.", "  > pub fn restore_merge() {"], "{found}");
        let mut uses = lines[lines.iter().position(|line| line.is_empty()).unwrap() + 1..].to_vec();
        uses.sort_unstable();
        assert_eq!(
            uses,
            ["src/main.rs:2 [main] undo::restore_merge();", "src/tests.rs:3 [merges] restore_merge();"],
            "{found}"
        );
    }
}

#[test]
fn uses_of_a_name_in_code_come_before_those_in_tests_and_comments() {
    let sandbox = Sandbox::with(&[
        ("src/path.ts", "export const getPath = (url: string) => {\n  return url\n}\n"),
        ("src/base.ts", "// getPath, getPath, getPath\nconst other = 1\nserve(getPath(request.url))\n"),
        ("src/path.test.ts", &"expect(getPath('/a')).toBe('/a')\n".repeat(30)),
        ("README.md", "# getPath\n\nThe getPath of getPath.\n"),
    ]);
    let found = sandbox.ctx(["search", "getPath"]).stdout_any().check();
    let uses = &found[found.find("\n\n").unwrap() + 2..];
    let uses: Vec<&str> = uses.lines().map(|line| line.split_once(' ').unwrap().0).collect();
    assert_eq!(uses[..3], ["src/base.ts:3", "src/path.test.ts:1", "src/path.test.ts:2"], "{found}");
    assert_eq!(uses.len(), 1 + 30 + 1 + 2, "{found}");
    assert!(uses[31..].contains(&"src/base.ts:1"), "{found}");
}

#[test]
fn name_that_nothing_declares_is_printed_in_two_passages_and_then_on_one_line_each() {
    let sandbox = Sandbox::new();
    let user = |file: usize| {
        let other = format!("    let other_{file} = {file};\n").repeat(6);
        format!(
            "fn use_{file}() {{\n{other}    let at = options.keep_order;\n    let reorder = keep(at);\n}}\n"
        )
    };
    for file in 0..60 {
        sandbox.write(&format!("src/u{file:02}.rs"), user(file));
    }
    let found = sandbox
        .ctx(["search", "keep_order"])
        .stderr_has("note: only the first 40 lines with the name; -n 120 prints more\n");
    let found = found.stdout_has("  >     let at = options.keep_order;\n").check();
    let is_use =
        |line: &&str| line.contains(".rs:8 [use_") && line.ends_with("] let at = options.keep_order;");
    assert_eq!(found.matches("(lines ").count(), 2, "{found}");
    assert_eq!(found.lines().filter(is_use).count(), 40, "{found}");
    // Only the lines with the whole name are marked.
    assert_eq!(found.matches("  > ").count(), 2, "{found}");
    let all = sandbox.ctx(["search", "keep_order", "-n", "120"]).stdout_any().check();
    assert_eq!(all.lines().filter(is_use).count(), 58, "{all}");
    // A word of prose is a query like any other.
    let prose = sandbox.ctx(["search", "options"]).stdout_any().check();
    assert_eq!(prose.matches("(lines ").count(), 10, "{prose}");
}

#[test]
fn declarations_of_a_name_after_the_first_long_ones_are_one_line_each() {
    let sandbox = Sandbox::new();
    let body = "    step();\n".repeat(90);
    for file in 0..4 {
        sandbox.write(&format!("src/f{file}.rs"), format!("/// Runs.\npub fn run_it() {{\n{body}}}\n"));
    }
    let found = sandbox.ctx(["search", "run_it"]).stdout_any().check();
    assert_eq!(found.matches("(lines 1-93, ").count(), 2, "{found}");
    assert_eq!(found.matches(".rs:2 [run_it] pub fn run_it() {\n").count(), 2, "{found}");
    let one = sandbox.ctx(["search", "-n", "1", "run_it"]).stdout_any().stderr_any().check();
    assert_eq!(one.matches("(lines 1-93, ").count(), 1, "{one}");
    assert_eq!(one.matches(".rs:2 [run_it] pub fn run_it() {\n").count(), 1, "{one}");
}

#[test]
fn missing_file_among_several_is_reported_after_the_others() {
    let sandbox = with_notes();
    sandbox
        .ctx(["search", "secrets", "docs/auht.md", "docs/auth.md"])
        .code(1)
        .stdout_has("docs/auth.md:26 (lines 24-46, ")
        .stderr_has("auht.md")
        .stderr_has("docs/auth.md")
        .check();
    sandbox
        .ctx(["render", "--only", "docs/auht.md", "docs/build.md"])
        .code(1)
        .stdout_has("[docs/build.md]\n# Build\n")
        .stderr_has("docs/auth.md")
        .check();
    for arguments in [
        &["search", "secrets", "docs/auht.md"][..],
        &["render", "--only", "docs/auht.md", "docs/build.md", "-p", "Why?"],
        &["render", "--only", "docs/auht.md", "docs/build.md", "--strict"],
        &["render", "--only", "docs/auht.md", "docs/build.md", "-o", "block.txt"],
        &["run", "--only", "docs/auht.md", "docs/build.md", "--", "cat"],
        &["ask", "secrets?", "docs/auht.md", "docs/build.md"],
    ] {
        sandbox.ctx(arguments).code(1).stderr_has("docs/auth.md").check();
    }
}

#[test]
fn file_that_git_attributes_mark_as_generated_or_vendored_comes_later() {
    let text = |name: &str| format!("// The retry policy of {name}.\nfunction retryPolicy{name}() {{}}\n");
    let sandbox = Sandbox::new();
    sandbox.write("a/client.js", text("a"));
    sandbox.write("b/own.js", text("b"));
    sandbox.write("c/others.js", text("c"));
    let order = |first: [&str; 3]| {
        let found = sandbox.ctx(["search", "retry policy"]).stdout_any().check();
        let places = first.map(|file| found.find(file).unwrap());
        assert!(places.is_sorted(), "{found}");
    };
    order(["a/client.js", "b/own.js", "c/others.js"]);
    sandbox.write(".gitattributes", "a/*.js linguist-generated=true\nb/** linguist-vendored\n");
    order(["c/others.js", "a/client.js", "b/own.js"]);
    sandbox.write("a/.gitattributes", "client.js -linguist-generated\n");
    order(["a/client.js", "c/others.js", "b/own.js"]);
}

#[test]
fn words_in_a_row_come_first_if_they_are_rare() {
    let sandbox = Sandbox::new();
    sandbox.write("src/wallet.ts", "guard() {\n  if (closed) throw new Error('provider destroyed');\n}\n");
    for number in 0..20 {
        let path = format!("vendor/provider{number}.ts");
        let name = format!("Provider{number}");
        let body =
            "destroy() { this.destroyed = true } isDestroyed() { return this.destroyed } provider() {}";
        sandbox.write(&path, format!("export class {name} {{ {body} }}\n"));
    }
    let first = |sandbox: &Sandbox| {
        let found = sandbox.ctx(["search", "-n", "1", "provider destroyed"]).stdout_any().check();
        found.split(':').next().unwrap().to_owned()
    };
    assert_eq!(first(&sandbox), "src/wallet.ts");
    for number in 0..3 {
        sandbox.write(&format!("log{number}.md"), "the provider destroyed itself\n");
    }
    assert_ne!(first(&sandbox), "src/wallet.ts");
}

#[test]
fn passages_that_only_repeat_lines_of_better_ones_come_last() {
    let sandbox = Sandbox::with(&[(
        "src/hooks.py",
        "HOOKS = {}\ndef register_hook(event, fn):\n    HOOKS[event] = fn\nregister_hook('PromptSubmit', f)\n",
    )]);
    let line = "The PromptSubmit hook: registration of the PromptSubmit hook is described here. Hook registration.\n";
    for name in ["comparison", "guide", "notes"] {
        sandbox.write(&format!("docs/{name}.md"), line.repeat(12));
    }
    let query = "PromptSubmit hook registration";
    sandbox.ctx(["search", "-n", "2", query]).stdout_has("src/hooks.py:").check();
    let all = sandbox.ctx(["search", query]).stdout_any().check();
    assert!(["comparison", "guide", "notes"].iter().all(|name| all.contains(&format!("docs/{name}.md"))));
}

#[test]
fn text_with_punctuation_is_first_found_word_for_word() {
    let sandbox = Sandbox::new();
    let origin = "// The origin of lib: origin, lib, jq.\nfn lib_origin() { origin(lib) }\n".repeat(20);
    sandbox.write("src/linker.c", origin);
    let before = "    step();\n".repeat(40);
    sandbox.write(
        "src/main.c",
        format!("int main() {{\n{before}    add(\"~/.jq\", \"$ORIGIN/../lib/jq\");\n{before}}}\n"),
    );
    sandbox.write("docs/manual.md", "# Paths\n\nIt looks in `$ORIGIN/../lib`.\n");
    let found = sandbox.ctx(["search", "ORIGIN/../lib"]).stdout_any().check();
    assert!(found.starts_with("src/main.c:42 (lines 39-45, score "), "{found}");
    assert!(found.contains("  >     add(\"~/.jq\"") && !found.contains("linker.c"), "{found}");
    // If no file contains the text, its words are looked for.
    let none = "note: no file has 'ORIGIN/./lib', written like this: these passages have some of its words\n";
    let found = sandbox.ctx(["search", "ORIGIN/./lib"]).stderr(none).stdout_any().check();
    assert!(found.contains("linker.c"), "{found}");
}

#[test]
fn name_that_no_file_has_is_reported_before_the_best_passages() {
    let sandbox = Sandbox::new();
    for file in 0..20 {
        sandbox.write(&format!("src/f{file}.rs"), format!("fn clear_{file}() {{\n    halt();\n}}\n"));
    }
    for query in ["clear_halt", "ClearHalt", "clearHalt haltClear"] {
        let note = format!(
            "note: no file has '{query}', written like this: these passages have some of its words\n"
        );
        let found = sandbox.ctx(["search", query]).stderr(note).stdout_any().check();
        assert_eq!(found.matches("(lines ").count(), 3, "{found}");
    }
    let more = sandbox.ctx(["search", "-n", "5", "clear_halt"]).stderr_any().stdout_any().check();
    assert_eq!(more.matches("(lines ").count(), 5, "{more}");
    let asked = ["ask", "how is it cleared?", "-w", "clear_halt,clear_7,halt_now,halt"];
    sandbox.ctx(asked).stdout_any().stderr_has("note: no file has 'clear_halt' or 'halt_now'\n").check();
}

#[test]
fn each_of_several_names_is_found_as_it_would_be_alone() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "src/env.rs",
        "pub fn convert_env_vars() {\n    step();\n}\n\npub fn env_to_strings() {\n    step();\n}\n",
    );
    sandbox.write("src/main.rs", "use env::{\n    convert_env_vars,\n    env_to_strings,\n};\n\nfn main() {\n    env_to_strings();\n}\n");
    sandbox.write(
        "src/other.rs",
        "/// Env vars, strings to convert.\nfn env_vars_to_strings() { env(); }\n".repeat(20),
    );
    let found = sandbox.ctx(["search", "env_to_strings convert_env_vars"]).stdout_any().check();
    let heads: Vec<&str> = found.lines().filter(|line| line.contains("(lines ")).collect();
    let first = |head: &str| head.split_once(" (").unwrap().0.to_owned();
    let heads: Vec<String> = heads.into_iter().map(first).collect();
    assert_eq!(heads, ["src/env.rs:5", "src/env.rs:1"], "{found}");
    assert!(found.contains("\nsrc/main.rs:7 [main] env_to_strings();\n"), "{found}");
}

#[test]
fn definition_of_a_name_that_is_no_declaration_comes_first_with_a_few_lines_around_it() {
    let sandbox = Sandbox::new();
    let include = |number| format!("#include \"header_{number}.h\"\n");
    let includes: String = (0..30).map(include).collect();
    sandbox.write(
        "src/print.mk",
        format!("{includes}\nMAX_PRINT_DEPTH := 256\n\nint colours;\n{}", "int other;\n".repeat(30)),
    );
    let uses = "void dump() {\n    if (depth > MAX_PRINT_DEPTH) puts(MAX_PRINT_DEPTH);\n}\n";
    sandbox.write("src/dump.c", uses.repeat(3));
    sandbox.write("src/list.ts", "import {\n    MAX_PRINT_DEPTH,\n} from './print'\n");
    let found = sandbox.ctx(["search", "MAX_PRINT_DEPTH"]).stdout_any().check();
    assert!(found.starts_with("src/print.mk:32 (lines 29-35, "), "{found}");
    assert!(!found.contains("header_20.h") && found.contains("  > MAX_PRINT_DEPTH := 256\n"), "{found}");
    assert_eq!(found.matches("(lines ").count(), 2, "{found}");
    assert!(found.contains("\nsrc/list.ts:2 MAX_PRINT_DEPTH,\n"), "{found}");
    // A macro of C is a declaration.
    sandbox.write("src/print.c", "int a;\n#define MAX_PRINT_DEPTH 256\nint b;\n");
    let found = sandbox.ctx(["search", "MAX_PRINT_DEPTH"]).stdout_any().check();
    assert!(found.starts_with("src/print.c:2 (lines 2-2, "), "{found}");
    sandbox
        .ctx(["render", "--only", "src/print.c#MAX_PRINT_DEPTH"])
        .stdout_has("[src/print.c:2]\n#define")
        .check();
    // An import is a passage of its own only where nothing else has the name.
    let only = sandbox.ctx(["search", "MAX_PRINT_DEPTH", "src/list.ts"]).stdout_any().check();
    assert!(only.starts_with("src/list.ts:2 (lines 1-3, "), "{only}");
}
