//! Memory files: `up:` entries and imports.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Sandbox, block, block_of};

/// A repository with a memory file at each level.
fn levels() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("AGENTS.md", "root\n"),
        ("a/AGENTS.md", "a, not used\n"),
        ("a/AGENTS.override.md", "a\n"),
        ("a/b/AGENTS.md", "b\n"),
        ("a/b/c/x.txt", ""),
    ]);
    sandbox.repository();
    fs::write(sandbox.home().parent().unwrap().join("AGENTS.md"), "outside\n").unwrap();
    sandbox
}

fn files(sandbox: &Sandbox, options: &[&str]) -> Vec<Value> {
    let arguments = ["render", "--dry-run", "--json"].iter().chain(options);
    let json = sandbox.ctx(arguments).stdout_any().stderr_any().check();
    let account: Value = serde_json::from_str(&json).unwrap();
    account["files"].as_array().unwrap().clone()
}

#[test]
fn names_are_looked_up_from_the_root_of_the_tree_down() {
    let sandbox = levels();
    let documents =
        block_of(&[("AGENTS.md", "root\n"), ("a/AGENTS.override.md", "a\n"), ("a/b/AGENTS.md", "b\n")]);
    sandbox
        .ctx_in(&sandbox.path("a/b/c"), ["render", "--only", "up:AGENTS.override.md|AGENTS.md"])
        .stdout(documents)
        .check();
    sandbox.ctx(["render"]).stdout(block_of(&[("AGENTS.md", "root\n")])).check();
    sandbox.ctx(["show"]).stdout_has("    up:AGENTS.md (1 match, ").check();
}

#[test]
fn file_that_is_also_an_entry_is_included_once() {
    let sandbox = levels();
    sandbox.ctx(["add", "AGENTS.md", "--tag", "x"]).stderr_any().check();
    let files = files(&sandbox, &[]);
    assert_eq!(files.len(), 1);
    assert_eq!((&files[0]["origin"], &files[0]["tags"]), (&json!("up"), &json!(["x"])));
    sandbox.ctx(["explain", "AGENTS.md"]).stdout_has("matched by 'up:AGENTS.md' (global, up)").check();
}

#[test]
fn up_entries_are_checked_added_and_removed() {
    let sandbox = levels();
    for (entry, reason) in [
        ("up:", "a file name is missing"),
        ("up:../x", "only a file name can be looked up through the tree"),
        ("up:*.md", "patterns cannot be looked up through the tree"),
        ("!up:AGENTS.md", "only paths and patterns can be excluded"),
    ] {
        sandbox
            .ctx(["add", entry])
            .code(2)
            .stderr(format!("error: Invalid path '{entry}': {reason}\n"))
            .check();
    }
    sandbox.ctx(["clear", "-g"]).stderr_any().check();
    sandbox
        .ctx(["add", "--pin", "up:CLAUDE.md|AGENTS.md", "up:GEMINI.md"])
        .stderr_has("Added 'up:CLAUDE.md|AGENTS.md' to profile 'default': 1 file, ")
        .stderr_has("Added 'up:GEMINI.md' to profile 'default': no file yet\n")
        .check();
    sandbox.ctx(["render"]).stdout_has("[AGENTS.md]").stderr_has("'up:GEMINI.md' (0 matches)").check();
    let removed =
        "Removed 'up:GEMINI.md' from profile 'default'\nto bring it back: ctx add --pin up:GEMINI.md\n";
    sandbox.ctx(["rm", "up:GEMINI.md"]).stderr(removed).check();
    sandbox
        .ctx(["render", "--only", "up:GEMINI.md"])
        .code(1)
        .stderr("error: no GEMINI.md here or above, up to the root of the project\n")
        .check();
}

#[cfg(unix)]
#[test]
fn link_out_of_the_tree_is_skipped_and_the_other_files_are_kept() {
    let sandbox = levels();
    fs::remove_file(sandbox.path("AGENTS.md")).unwrap();
    std::os::unix::fs::symlink("../AGENTS.md", sandbox.path("AGENTS.md")).unwrap();
    let below = sandbox.path("a/b");
    let note = "note: 1 entry left out: 'AGENTS.md' (link leads outside this directory tree)\n";
    sandbox
        .ctx_in(&below, ["render"])
        .stdout(block_of(&[("a/AGENTS.md", "a, not used\n"), ("a/b/AGENTS.md", "b\n")]))
        .stderr(note)
        .check();
    sandbox.ctx_in(&below, ["render", "--strict"]).code(3).stderr_any().check();
}

#[test]
fn detect_adds_files_above_as_up_entries() {
    let sandbox = levels();
    sandbox
        .ctx_in(&sandbox.path("a"), ["detect", "--add"])
        .stderr_has("note: 'up:AGENTS.md' is already in the global list\n")
        .check();
    sandbox.ctx(["clear", "-g"]).stderr_any().check();
    sandbox
        .ctx_in(&sandbox.path("a"), ["detect", "--add"])
        .stderr_has("Added 'up:AGENTS.md' to profile")
        .check();
}

fn importing(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::with(files);
    fs::create_dir_all(sandbox.path(".git")).unwrap();
    sandbox.ctx(["clear", "-g"]).stderr_any().check();
    sandbox
}

#[test]
fn imports_follow_the_file_that_names_them_depth_first_and_once() {
    let sandbox = importing(&[
        ("CLAUDE.md", "See @README, @docs/a.md and @docs/b.md.\n"),
        ("README", "r\n"),
        ("docs/a.md", "@c.md @../CLAUDE.md\n"),
        ("docs/b.md", "@c.md @b.md\n"),
        ("docs/c.md", "c, see @a.md\n"),
        ("last.md", "last\n"),
    ]);
    sandbox.ctx(["add", "--imports", "--pin", "--tag", "m", "up:CLAUDE.md"]).stderr_any().check();
    sandbox.ctx(["add", "last.md"]).stderr_any().check();
    sandbox
        .ctx(["render"])
        .stdout(block_of(&[
            ("CLAUDE.md", "See @README, @docs/a.md and @docs/b.md.\n"),
            ("README", "r\n"),
            ("docs/a.md", "@c.md @../CLAUDE.md\n"),
            ("docs/c.md", "c, see @a.md\n"),
            ("docs/b.md", "@c.md @b.md\n"),
            ("last.md", "last\n"),
        ]))
        .check();
    let files = files(&sandbox, &[]);
    let c = &files[3];
    assert_eq!(
        (&c["path"], &c["origin"], &c["imported_by"], &c["pinned"], &c["tags"]),
        (
            &json!("docs/c.md"),
            &json!("import"),
            &json!({"path": "docs/a.md", "line": 1}),
            &json!(true),
            &json!(["m"])
        )
    );
    sandbox.ctx(["explain", "docs/c.md"]).stdout_has("imported by 'docs/a.md' line 1\n").check();
    sandbox.ctx(["show", "--expand"]).stdout_has("imported by 'docs/a.md' line 1").check();
    sandbox.ctx(["set", "--unset", "imports", "up:CLAUDE.md"]).stderr_any().check();
    assert_eq!(self::files(&sandbox, &[]).len(), 2);
}

#[test]
fn code_comments_and_front_matter_import_nothing() {
    let sandbox = importing(&[
        (
            "CLAUDE.md",
            "---\nx: @a.md\n---\n`@a.md` and \\@a.md\n\n```\n@a.md\n```\n\n    @a.md\n\n<!-- @a.md -->\n\n@b.md\n",
        ),
        ("a.md", "a\n"),
        ("b.md", "b\n"),
    ]);
    sandbox.ctx(["add", "--imports", "CLAUDE.md"]).stderr_any().check();
    let paths: Vec<Value> = files(&sandbox, &[]).iter().map(|file| file["path"].clone()).collect();
    assert_eq!(paths, ["CLAUDE.md", "b.md"]);
}

#[cfg(unix)]
#[test]
fn imports_stay_in_the_tree_and_refused_ones_are_in_the_account() {
    let sandbox = importing(&[
        (
            "CLAUDE.md",
            "@../outside.md @~/private.md @link.md @.env @.git/config @gone/x.md @docs/ @docs/*.md @a.md:1\n",
        ),
        (".env", "x\n"),
        ("docs/a.md", "a\n"),
        ("a.md", "a\n"),
        (".git/config", "x\n"),
    ]);
    fs::write(sandbox.home().join("private.md"), "private\n").unwrap();
    fs::write(sandbox.project().parent().unwrap().join("outside.md"), "outside\n").unwrap();
    std::os::unix::fs::symlink("../outside.md", sandbox.path("link.md")).unwrap();
    sandbox.ctx(["add", "--imports", "CLAUDE.md"]).stderr_any().check();
    let told: Vec<[Value; 3]> = files(&sandbox, &[])
        .iter()
        .map(|file| [file["path"].clone(), file["status"].clone(), file["reason"]["code"].clone()])
        .collect();
    assert_eq!(
        json!(told[1..7]),
        json!([
            ["@../outside.md", "skipped", "outside"],
            ["@~/private.md", "skipped", "outside"],
            ["@link.md", "skipped", "outside"],
            ["@.env", "skipped", "secret-name"],
            ["@.git/config", "skipped", "inside-git"],
            ["@gone/x.md", "skipped", "not-found"]
        ])
    );
    sandbox
        .ctx(["render"])
        .stdout_has("[CLAUDE.md]\n")
        .stderr_has("'@../outside.md' (it is outside this directory tree)")
        .check();
    sandbox.ctx(["render", "--strict"]).code(3).stderr_any().check();
}

#[test]
fn file_outside_of_the_tree_imports_from_its_own_directory() {
    let sandbox = importing(&[]);
    fs::create_dir(sandbox.home().join("notes")).unwrap();
    fs::write(sandbox.home().join("notes/index.md"), "@style.md @../private.md\n").unwrap();
    fs::write(sandbox.home().join("notes/style.md"), "style\n").unwrap();
    fs::write(sandbox.home().join("private.md"), "private\n").unwrap();
    sandbox.ctx(["add", "--imports", "~/notes/index.md"]).stderr_any().check();
    sandbox
        .ctx(["render"])
        .stdout(block_of(&[
            ("~/notes/index.md", "@style.md @../private.md\n"),
            ("~/notes/style.md", "style\n"),
        ]))
        .stderr_has("'@../private.md' (it is outside this directory tree)")
        .check();
}

#[test]
fn imports_are_bounded_in_number_and_depth() {
    let many: String = (0..200).map(|number| format!("@m/{number}.md\n")).collect();
    let sandbox = importing(&[("CLAUDE.md", &many), ("deep.md", "@d/1.md\n")]);
    for number in 0..200 {
        sandbox.write(&format!("m/{number}.md"), "x\n");
        sandbox.write(&format!("d/{number}.md"), format!("@{}.md\n", number + 1));
    }
    sandbox.ctx(["add", "--imports", "CLAUDE.md"]).stderr_any().check();
    let told = files(&sandbox, &[]);
    let count = |told: &[Value], status: &str| told.iter().filter(|file| file["status"] == status).count();
    assert_eq!((count(&told, "included"), count(&told, "skipped")), (65, 136));
    assert_eq!(told[65]["reason"]["text"], "more than 64 imports of one entry");
    sandbox.ctx(["rm", "CLAUDE.md"]).stderr_any().check();
    sandbox.ctx(["add", "--imports", "deep.md"]).stderr_any().check();
    let told = files(&sandbox, &[]);
    assert_eq!((count(&told, "included"), count(&told, "skipped")), (6, 1));
    assert_eq!(told[6]["reason"]["text"], "more than 5 levels of imports");
}

#[test]
fn imports_apply_only_to_paths_and_up_entries() {
    let sandbox = importing(&[("a.md", "a\n")]);
    sandbox
        .ctx(["add", "--imports", "git:diff"])
        .code(2)
        .stderr("error: 'imports' does not apply to 'git:diff'\n")
        .check();
}

#[test]
fn missing_import_is_not_counted_as_a_file_of_the_entry() {
    let sandbox = importing(&[("CLAUDE.md", "See @docs/gone.md\n")]);
    sandbox
        .ctx(["add", "--imports", "CLAUDE.md"])
        .stderr_has("Added 'CLAUDE.md' to profile 'default': 1 file, 7 tokens\n")
        .check();
}

#[test]
fn entry_that_another_file_imports_comes_right_after_that_file() {
    let sandbox =
        Sandbox::with(&[("CLAUDE.md", "@a.md\n"), ("a.md", "A @c.md\n"), ("b.md", "B\n"), ("c.md", "C\n")]);
    sandbox.write(".git/HEAD", "");
    sandbox.ctx(["add", "--imports", "CLAUDE.md"]).stderr_any().check();
    sandbox.ctx(["add", "b.md", "a.md"]).stderr_any().check();
    let expected = block("[CLAUDE.md]\n@a.md\n\n[a.md]\nA @c.md\n\n[c.md]\nC\n\n[b.md]\nB\n");
    sandbox.ctx(["render"]).stdout(expected).check();
    sandbox.ctx(["explain", "a.md"]).stdout_has("imported by 'CLAUDE.md' line 1").check();
}

#[test]
fn imports_of_a_file_that_comes_earlier_are_followed() {
    let sandbox = Sandbox::with(&[
        ("AGENTS.md", "See @style.md and @CLAUDE.md\n"),
        ("CLAUDE.md", "@AGENTS.md\n"),
        ("style.md", "S\n"),
    ]);
    sandbox.write(".git/HEAD", "");
    sandbox.ctx(["add", "-q", "AGENTS.md"]).stderr_any().check();
    sandbox.ctx(["add", "-q", "--imports", "CLAUDE.md"]).stderr_any().check();
    let expected =
        block("[AGENTS.md]\nSee @style.md and @CLAUDE.md\n\n[CLAUDE.md]\n@AGENTS.md\n\n[style.md]\nS\n");
    sandbox.ctx(["render"]).stdout(expected).check();
}

#[test]
fn path_with_blanks_is_imported_from_a_line_of_its_own_and_from_a_sentence() {
    let sandbox = Sandbox::with(&[
        (
            "CLAUDE.md",
            "@My Docs/x y\n\n- @My Docs/z.md \n\nSee @My Docs/the w.md, then @a.md and v.md\n\n@you and u.md\n",
        ),
        ("My Docs/x y", "X\n"),
        ("My Docs/z.md", "Z\n"),
        ("My Docs/the w.md", "W\n"),
        ("a.md", "A\n"),
        ("a.md and v.md", "V\n"),
        ("u.md", "U\n"),
    ]);
    sandbox.ctx(["add", "-q", "--imports", "CLAUDE.md"]).stderr_any().check();
    let block = sandbox.ctx(["render"]).stdout_any().check();
    let labels: Vec<&str> = block.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(labels, ["[CLAUDE.md]", "[My Docs/x y]", "[My Docs/z.md]", "[My Docs/the w.md]", "[a.md]"]);
}

#[test]
fn import_of_a_part_says_that_the_whole_file_can_be_imported() {
    let sandbox = Sandbox::with(&[("CLAUDE.md", "See @a.md:3 and @a.md#L3-L4\n"), ("a.md", "a\n")]);
    sandbox.ctx(["add", "-q", "--imports", "CLAUDE.md"]).stderr_any().check();
    let why = "only whole files are imported; '@a.md' is one";
    sandbox
        .ctx(["render"])
        .stdout_any()
        .stderr_has(&format!("'@a.md:3' ({why}), '@a.md#L3-L4' ({why})"))
        .check();
}

#[test]
fn file_that_ctxignore_excludes_is_not_imported_but_git_rules_do_not_count() {
    let sandbox = Sandbox::with(&[
        ("CLAUDE.md", "See @private.md and @local.md\n"),
        ("private.md", "private\n"),
        ("local.md", "local\n"),
        (".ctxignore", "private.md\n"),
        (".gitignore", "local.md\n"),
    ]);
    sandbox.repository();
    sandbox.ctx(["add", "-q", "--imports", "CLAUDE.md"]).stderr_any().check();
    let block = sandbox.ctx(["render"]).stdout_has("[local.md]\n").stdout_lacks("private\n");
    block.stderr_has("'private.md' (ignored by ").stderr_has(".ctxignore:1: private.md)").check();
    sandbox.ctx(["render", "private.md"]).stdout_has("[private.md]\nprivate\n").stderr_any().check();
}

#[test]
fn memory_files_are_found_in_any_letter_case_and_the_exact_one_first() {
    for name in ["AGENTS.MD", "agents.md"] {
        let sandbox = Sandbox::with(&[(name, "Be kind.\n"), ("sub/a.rs", "a\n")]);
        sandbox.repository();
        sandbox.ctx(["render"]).stdout_has(&format!("[{name}]\nBe kind.\n")).stderr_any().check();
        sandbox.ctx_in(&sandbox.path("sub"), ["render"]).stdout_has("Be kind.\n").stderr_any().check();
        sandbox.ctx(["detect"]).stdout_has(name).stderr_any().check();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_memory_file_with_the_exact_name_comes_before_another_spelling() {
    let sandbox = Sandbox::with(&[("AGENTS.md", "exact\n"), ("AGENTS.MD", "other\n")]);
    sandbox.ctx(["render"]).stdout_has("exact\n").stdout_lacks("other\n").stderr_any().check();
}

#[test]
fn directory_in_a_memory_file_is_said_to_be_one() {
    let sandbox = Sandbox::with(&[("MEM.md", "See @docs/ for more.\n"), ("docs/x.md", "x\n")]);
    sandbox.ctx(["add", "-q", "--imports", "MEM.md"]).stderr_any().check();
    let rendered = sandbox.ctx(["render"]).stdout(block("[MEM.md]\nSee @docs/ for more.\n"));
    rendered.stderr_has("'@docs/' (a directory; only files are imported)").check();
}
