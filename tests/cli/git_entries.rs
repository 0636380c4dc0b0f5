//! `git:` entries, tested through the program.

use crate::support::Sandbox;

/// A repository with a commit, a staged change, a changed file and an untracked one.
fn repository() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.txt", "a\n"), ("sub/b.txt", "b\n")]);
    git(&sandbox, &["init", "-q", "-b", "main"]);
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "-qm", "First"]);
    sandbox.write("a.txt", "a2\n");
    git(&sandbox, &["add", "a.txt"]);
    sandbox.write("sub/b.txt", "b2\n");
    sandbox.write("new.txt", "n\n");
    sandbox
}

pub fn git(sandbox: &Sandbox, arguments: &[&str]) {
    assert!(git_output(sandbox, arguments).status.success(), "git {arguments:?}");
}

fn git_output(sandbox: &Sandbox, arguments: &[&str]) -> std::process::Output {
    std::process::Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
        .args(arguments)
        .current_dir(sandbox.project())
        .env_clear()
        .envs(sandbox.environment())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap()
}

const STAGED: &str = "--- CONTEXT FILES BEGIN ---\n[git:staged a.txt]\ndiff --git a/a.txt b/a.txt\nindex \
                      78981922613b..c1827f07e114 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 \
                      @@\n-a\n+a2\n--- CONTEXT FILES END ---\n";

#[test]
fn temporary_copies_for_git_are_not_listed_as_untracked() {
    let sandbox = repository();
    std::fs::create_dir(sandbox.path("tmp")).unwrap();
    let before = sandbox.ctx(["render", "--only", "git:changes"]).stdout_any().check();
    let place = sandbox.path("tmp");
    let inside = sandbox.ctx(["render", "--only", "git:changes"]).env("TMPDIR", place.to_str().unwrap());
    inside.stdout(before).check();
}

#[test]
#[cfg(unix)]
fn missing_directory_for_temporary_files_is_named() {
    let sandbox = repository();
    for place in ["/no/such/place", "relative"] {
        let error = format!(
            "error: 'git:changes': cannot create a temporary directory in '{place}': no such file or directory; \
             set TMPDIR to a directory that exists\n"
        );
        sandbox.ctx(["render", "--only", "git:changes"]).env("TMPDIR", place).code(1).stderr(error).check();
    }
}

#[test]
fn staged_changes_are_rendered() {
    repository().ctx(["render", "--only", "git:staged"]).stdout(STAGED).check();
}

#[test]
fn stored_entry_is_rendered_and_shown() {
    let sandbox = repository();
    sandbox.ctx(["add", "git:staged"]).stderr_has("Added 'git:staged' to profile 'default'").check();
    sandbox.ctx(["render"]).stdout(STAGED).check();
    sandbox.ctx(["show"]).stdout_has("git:staged (1 match, 51 tokens)").stderr_any().check();
    sandbox.ctx(["add", "git:staged"]).stderr_has("already exists in the context").check();
    sandbox.ctx(["rm", "git:staged"]).stderr_any().check();
}

#[test]
fn every_changed_file_is_a_document() {
    let sandbox = repository();
    let block = sandbox.ctx(["render", "--only", "git:changes"]).stdout_any().check();
    let labels: Vec<&str> = block.lines().filter(|line| line.starts_with("[git:")).collect();
    assert_eq!(labels, ["[git:changes a.txt]", "[git:changes sub/b.txt]", "[git:changes new.txt]"]);
    let filtered = sandbox.ctx(["render", "--only", "git:changes", "--exclude", "sub"]).stdout_any().check();
    assert!(!filtered.contains("b.txt"), "{filtered}");
}

#[test]
fn changed_file_whose_name_suggests_secrets_is_left_out() {
    let sandbox = repository();
    sandbox.write(".env", "PASSWORD=hidden\n");
    sandbox
        .ctx(["render", "--only", "git:changes"])
        .stdout_has("[git:changes new.txt]")
        .stdout_lacks("hidden")
        .stderr_has("git:changes .env")
        .check();
}

#[test]
fn allowance_of_an_entry_applies_to_the_names_of_changed_files() {
    let sandbox = repository();
    sandbox.write(".env", "MODE=test\n");
    sandbox
        .ctx(["render", "--only", "--allow", "secrets", "git:changes"])
        .stdout_lacks("MODE")
        .stderr_has("git:changes .env")
        .check();
    sandbox.ctx(["add", "git:changes", "--allow", "secret-names"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has("[git:changes .env]").stdout_has("+MODE=test").check();
}

#[test]
fn typed_entry_that_git_cannot_answer_is_an_error() {
    let sandbox = repository();
    for (entry, code, message) in [
        ("git:show nowhere", 1, "error: 'git:show nowhere': unknown revision 'nowhere'\n"),
        (
            "git:diff --ext-diff",
            2,
            "error: Invalid path 'git:diff --ext-diff': '--ext-diff' is not a revision; options for git are not allowed\n",
        ),
        ("!git:staged", 2, "error: Invalid path '!git:staged': only paths and patterns can be excluded\n"),
    ] {
        sandbox.ctx(["render", "--only", entry]).code(code).stderr(message).check();
    }
    let outside = Sandbox::new();
    outside
        .ctx(["render", "--only", "git:staged"])
        .code(1)
        .stderr("error: 'git:staged': not in a git repository\n")
        .check();
}

#[test]
fn stored_entry_that_git_cannot_answer_is_skipped_with_the_reason() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    sandbox.ctx(["add", "a.txt", "git:staged"]).stderr_has("Added 'git:staged'").check();
    sandbox
        .ctx(["render"])
        .stdout_has("[a.txt]")
        .stderr_has("'git:staged' (not in a git repository)")
        .check();
}

#[test]
fn entry_without_changes_gets_a_warning() {
    let sandbox = repository();
    git(&sandbox, &["commit", "-qam", "Second"]);
    sandbox
        .ctx(["render", "--only", "git:staged", "new.txt"])
        .stdout_has("[new.txt]")
        .stderr("warning: no changes: 'git:staged'\n")
        .check();
}

#[test]
fn file_named_like_an_entry_can_be_read_by_its_path() {
    let sandbox = Sandbox::with(&[("git:staged", "a file\n")]);
    sandbox.ctx(["render", "--only", "./git:staged"]).stdout_has("a file").check();
    sandbox.ctx(["render", "--only", "--files-from", "-"]).stdin("git:staged\n").stdout_has("a file").check();
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf_8_have_different_labels() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = repository();
    for name in [b"x\xfe", b"x\xff"] {
        std::fs::write(sandbox.project().join(std::ffi::OsStr::from_bytes(name)), "x\n").unwrap();
    }
    sandbox
        .ctx(["render", "--only", "git:changes"])
        .stdout_has("[git:changes x\\xFE]\n")
        .stdout_has("[git:changes x\\xFF]\n")
        .stderr_has("read as Windows-1252")
        .check();
}

#[test]
fn repository_that_git_rejects_is_an_error() {
    let sandbox = repository();
    git(&sandbox, &["config", "core.repositoryFormatVersion", "99"]);
    for entry in ["git:diff", "git:log"] {
        sandbox.ctx(["render", "--only", entry]).code(1).stderr_has("repo version").check();
    }
}

#[test]
fn typed_changes_over_the_budget_are_trimmed_after_stored_entries() {
    let sandbox = repository();
    sandbox.write("stored.md", "a few words\n");
    git(&sandbox, &["add", "stored.md"]);
    git(&sandbox, &["commit", "-qm", "Stored", "--", "stored.md"]);
    sandbox.write("b.txt", "word ".repeat(300));
    sandbox.ctx(["add", "stored.md"]).stderr_any().check();
    let largest = ["render", "git:changes", "--trim", "largest", "-b"];
    let nothing = sandbox.ctx(largest.iter().chain(&["30"])).code(1).stderr_has("even the smallest file");
    nothing.stderr_has("hint: --trim truncate prints files in part\n").check();
    let block = sandbox.ctx(largest.iter().chain(&["250"])).stdout_any().stderr_has("; without ").check();
    assert!(!block.contains("stored.md") && block.contains("[git:changes a.txt]"), "{block}");
    sandbox.ctx(largest.iter().chain(&["30"])).code(1).stderr_has("nothing fits in 30 tokens").check();
    sandbox
        .ctx(["render", "git:changes", "-b", "250"])
        .code(1)
        .stderr_has("error: the files you pinned or named need ")
        .check();
    sandbox.ctx(["render", "git:changes", "-b", "900"]).stdout_has("a few words").check();
}

#[test]
fn failed_and_invalid_entries_are_shown_with_the_reason() {
    let sandbox = repository();
    sandbox.ctx(["add", "git:diff nope", "a.txt"]).stderr_any().check();
    sandbox.ctx(["add", "--force", "todo:nope", "a.txt:9-"]).code(1).stderr_any().check();
    sandbox.ctx(["add", "--force", "todo:nope"]).stderr_any().check();
    sandbox.write_store(
        "profiles/default.json",
        r#"{"paths": ["git:diff nope", "todo:nope", {"path": "a.txt", "lines": "9"}]}"#,
    );
    sandbox
        .ctx(["show"])
        .stdout_has("git:diff nope (unknown revision 'nope')")
        .stdout_has("todo:nope (List 'nope' does not exist)")
        .stdout_has("a.txt:9 (starts after the last line, 1)")
        .stderr_any()
        .check();
    let shown = sandbox.ctx(["show", "--json"]).stdout_any().stderr_any().check();
    let account: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let own = account["entries"].as_array().unwrap().iter().filter(|entry| entry["scope"] == "profile");
    let states: Vec<&str> = own.map(|entry| entry["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["failed", "failed", "invalid"]);
}

#[test]
fn exclusion_that_matches_only_changes_has_an_effect() {
    let sandbox = repository();
    sandbox.ctx(["add", "git:changes", "!sub/**"]).stderr_any().check();
    sandbox.ctx(["show"]).stdout_has("    !sub/** (excludes 1 file)\n").check();
    sandbox.ctx(["check"]).stdout_lacks("!sub/**").check();
    let block = sandbox.ctx(["render"]).stdout_any().check();
    assert!(!block.contains("b.txt"), "{block}");
}

#[test]
fn project_in_a_subdirectory_sees_only_changes_in_it() {
    let sandbox = repository();
    git(&sandbox, &["commit", "-qm", "Secret plan", "--", "a.txt"]);
    sandbox.write(
        "sub/.ctx/profiles/default.json",
        r#"{"paths": ["git:log", "git:show", "git:changes", "git:log -- ..", "git:diff -- :/"]}"#,
    );
    let block = sandbox.ctx_in(&sandbox.path("sub"), ["render"]).stdout_any().stderr_any().check();
    assert!(block.contains("First") && !block.contains("Secret plan"), "{block}");
    let labels: Vec<&str> = block.lines().filter(|line| line.starts_with("[git:")).collect();
    assert_eq!(
        labels,
        ["[git:log]", "[git:changes sub/b.txt]", "[git:changes sub/.ctx/profiles/default.json]"]
    );
    sandbox
        .ctx_in(&sandbox.path("sub"), ["show"])
        .stdout_has("'..' may be elsewhere")
        .stdout_has("':/' may be elsewhere")
        .stderr_any()
        .check();
}

#[test]
fn repository_that_cannot_be_read_safely_is_an_error_with_a_remedy() {
    let sandbox = repository();
    let theirs = sandbox.home().join("shared");
    git(&sandbox, &["clone", "-q", "--shared", ".", theirs.to_str().unwrap()]);
    sandbox.ctx_in(&theirs, ["render", "--only", "git:log"]).code(1).stderr_has("'git repack -a -d'").check();
    let separate = sandbox.home().join("separate");
    let option = format!("--separate-git-dir={}", sandbox.home().join("x.git").display());
    git(&sandbox, &["init", "-q", &option, separate.to_str().unwrap()]);
    sandbox
        .ctx_in(&separate, ["render", "--only", "git:log"])
        .code(1)
        .stderr_has("'git --git-dir=<home>/x.git config core.worktree <home>/separate' adds the link")
        .check();
    let option = format!("--git-dir={}", sandbox.home().join("x.git").display());
    git(&sandbox, &[&option, "config", "core.worktree", separate.to_str().unwrap()]);
    sandbox.ctx_in(&separate, ["render", "--only", "git:log"]).stderr_has("no changes: 'git:log'").check();
}

#[test]
fn file_named_like_another_kind_of_document_has_a_different_label() {
    let sandbox = repository();
    sandbox.write("git:staged a.txt", "evil\n");
    sandbox.write("cmd:echo hi", "evil\n");
    let block =
        sandbox.ctx(["render", "--only", "git:staged", "cmd:echo hi", "*a.txt", "cmd*"]).stdout_any().check();
    let labels: Vec<&str> = block.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(
        labels,
        ["[git:staged a.txt]", "[cmd:echo hi]", "[a.txt]", "[./git:staged a.txt]", "[./cmd:echo hi]"]
    );
    sandbox.ctx(["explain", "./cmd:echo hi"]).stdout_has("not on your list").stderr_any().check();
}

#[test]
fn changed_files_with_equal_labels_are_numbered() {
    let sandbox = repository();
    sandbox.write("x", "x\n");
    sandbox.write("HEAD x", "y\n");
    git(&sandbox, &["add", "x", "HEAD x"]);
    git(&sandbox, &["commit", "-qm", "Second", "--", "x", "HEAD x"]);
    let block = sandbox.ctx(["render", "--only", "git:show", "git:show HEAD"]).stdout_any().check();
    assert!(
        block.contains("\n[git:show HEAD x]\n") && block.contains("\n[git:show HEAD x (2)]\n"),
        "{block}"
    );
}

#[test]
fn configured_filter_is_not_run_and_one_note_names_it() {
    let sandbox = repository();
    sandbox.write(".gitattributes", "*.txt filter=own\n");
    sandbox.write("mark.sh", "touch $1/mark; cat\n");
    let script = format!("sh {0}/mark.sh {0}", sandbox.project().display());
    git(&sandbox, &["config", "--global", "filter.own.clean", &script]);
    let note = "note: git: entries run no filters; files with one are compared as they are: 'own'\n";
    sandbox
        .ctx(["render", "--only", "git:diff", "git:changes", "git:staged"])
        .stdout_has("[git:diff sub/b.txt]")
        .stderr(note)
        .check();
    sandbox.ctx(["render", "--only", "git:staged"]).stdout_any().check();
    assert!(!sandbox.path("mark").exists());
    sandbox.write("a.txt", "changed\n");
    git(&sandbox, &["add", "a.txt"]);
    assert!(sandbox.path("mark").exists());
}

#[cfg(unix)]
#[test]
fn repository_in_which_git_would_hang_is_refused_with_the_reason() {
    let sandbox = repository();
    std::fs::remove_file(sandbox.path(".git/HEAD")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(sandbox.path(".git/HEAD")).status();
    assert!(made.unwrap().success());
    sandbox
        .ctx(["render", "--only", "git:log"])
        .code(1)
        .stderr("error: 'git:log': '<project>/.git/HEAD' is neither a file nor a directory\n")
        .check();
}

#[cfg(unix)]
#[test]
fn git_is_not_run_if_the_configuration_includes_an_unreadable_file() {
    let sandbox = repository();
    sandbox.fifo("../home/pipe");
    std::fs::write(sandbox.path("../home/long"), "#".repeat(2 << 20)).unwrap();
    let own = std::fs::read_to_string(sandbox.path(".git/config")).unwrap();
    for (section, path, named) in [
        ("include", "../../home/pipe", "<project>/.git/../../home/pipe"),
        ("includeIf \"gitdir:**\"", "../../home/pipe", "<project>/.git/../../home/pipe"),
        ("include", "../../home/long", "<project>/.git/../../home/long"),
        ("include", "config", "<project>/.git/config"),
    ] {
        std::fs::write(sandbox.path(".git/config"), format!("{own}[{section}]\n\tpath = {path}\n")).unwrap();
        let reason = "git configuration cannot be read safely";
        for entry in ["git:diff", "git:log"] {
            let error = format!("error: '{entry}': {reason}: '{named}'\n");
            sandbox.ctx(["render", "--only", entry]).code(1).stderr(error).check();
        }
        let inside = named.strip_prefix("<project>/").unwrap_or(named);
        let error = format!("error: cannot use checkpoints in '<project>': {reason}: '{inside}'\n");
        sandbox.ctx(["checkpoint", "create"]).code(1).stderr(error).check();
        let error = format!("error: nothing to search in '<project>': {reason}: '{inside}'\n");
        sandbox.ctx(["ask", "new"]).code(1).stderr_has(&error).check();
    }
}

#[cfg(unix)]
#[test]
fn pipe_named_like_an_ignore_file_is_reported_in_any_directory() {
    let sandbox = repository();
    sandbox.write("deep/er/x", "x\n");
    sandbox.fifo("deep/er/.gitignore");
    sandbox
        .ctx(["render", "--only", "git:changes"])
        .code(1)
        .stderr("error: 'git:changes': ignore file cannot be read safely: 'deep/er/.gitignore' is not a regular file\n")
        .check();
    std::fs::remove_file(sandbox.path("deep/er/.gitignore")).unwrap();
    let own = std::fs::read_to_string(sandbox.path(".git/config")).unwrap();
    sandbox.write(".git/config", format!("{own}[core]\n\texcludesFile = ~/pipe\n"));
    sandbox.fifo("../home/pipe");
    sandbox
        .ctx(["render", "--only", "git:changes"])
        .code(1)
        .stderr(
            "error: 'git:changes': ignore file cannot be read safely: '<home>/pipe' is not a regular file\n",
        )
        .check();
    sandbox.write(".git/config", &own);
    sandbox.fifo("deep/er/.gitignore");
    sandbox.fifo("sub/.gitattributes");
    sandbox.ctx(["render", "--only", "git:diff"]).stdout_has("[git:diff sub/b.txt]").check();
    sandbox.ctx(["add", "git:changes"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has("[git:changes new.txt]").stderr_has("'deep/er/.gitignore'").check();
}

#[test]
fn exclusion_of_a_name_applies_only_in_the_directory_of_its_list() {
    let sandbox = repository();
    for directory in [".github", "deep/.github", "gen", "deep/gen"] {
        sandbox.write(&format!("{directory}/x"), "x\n");
    }
    for exclusions in [["!.github", "!gen/"], ["!./.github", "!./gen/"]] {
        sandbox.ctx(["add", "git:changes"].into_iter().chain(exclusions)).stderr_any().check();
        let block = sandbox.ctx(["render"]).stdout_any().check();
        let labels: Vec<&str> = block.lines().filter(|line| line.contains("/x]")).collect();
        assert_eq!(labels, ["[git:changes deep/.github/x]", "[git:changes deep/gen/x]"], "{exclusions:?}");
        sandbox.ctx(["clear"]).stderr_any().check();
    }
}

#[test]
fn ignore_file_can_include_changes_that_the_built_in_one_leaves_out() {
    let sandbox = repository();
    sandbox.write("Cargo.lock", "1\n");
    sandbox.write("sub/go.sum", "1\n");
    sandbox
        .ctx(["render", "--only", "git:changes"])
        .stdout_lacks("Cargo.lock]")
        .stderr_has("2 changed files left out by the built-in ignore file: 'git:changes Cargo.lock', 'git:changes sub/go.sum';")
        .check();
    sandbox.write(".ctxignore", "!Cargo.lock\n");
    sandbox
        .ctx(["render", "--only", "git:changes"])
        .stdout_has("[git:changes Cargo.lock]")
        .stdout_lacks("go.sum]")
        .stderr_has("1 changed file left out by the built-in ignore file: 'git:changes sub/go.sum';")
        .check();
}

/// The base 64 lines of a private key.
fn key_lines(width: usize) -> Vec<String> {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(digits[(state >> 58) as usize])
    };
    (0..16).map(|_| (0..width).map(|_| next()).collect()).collect()
}

/// A file with `key` in it, between its boundaries.
fn file_with(key: &[String]) -> String {
    let [begin, end] = ["BEGIN", "END"].map(|word| format!("-----{word} {} KEY-----", "PRIVATE"));
    format!("{begin}\n{}\nab12cd==\n{end}\nwords\nmore words\nthe last words\n", key.join("\n"))
}

#[test]
fn hunk_in_a_private_key_is_redacted_whichever_of_its_lines_changes() {
    for (width, attributes) in [(64, ""), (70, "* diff\n")] {
        let sandbox = repository();
        let key = key_lines(width);
        sandbox.write(".gitattributes", attributes);
        sandbox.write("key.txt", file_with(&key));
        git(&sandbox, &["add", "."]);
        git(&sandbox, &["commit", "-qm", "Key"]);
        for changed in [0, 2, 3, 8, 14, 15] {
            let mut other = key.clone();
            other[changed].insert(20, 'x');
            sandbox.write("key.txt", file_with(&other));
            git(&sandbox, &["add", "."]);
            git(&sandbox, &["commit", "-qm", "Changed key"]);
            for what in ["diff HEAD~", "show"] {
                let block = sandbox
                    .ctx(["render", "--only", &format!("git:{what} -- key.txt")])
                    .stdout_has("key.txt]\n")
                    .stdout_has("[REDACTED:private-key]")
                    .stderr_has("1 secret redacted in 1 file")
                    .check();
                let shown = key.iter().chain(&other).filter(|line| block.contains(&line[20..])).count();
                assert_eq!(shown, 0, "{width} {changed} {what} {block}");
            }
            git(&sandbox, &["reset", "-q", "--soft", "HEAD~"]);
            sandbox.ctx(["render", "--only", "git:staged"]).stdout_lacks(&key[8][20..]).stderr_any().check();
            git(&sandbox, &["reset", "-q"]);
            sandbox.ctx(["render", "--only", "git:diff"]).stdout_lacks(&key[8][20..]).stderr_any().check();
        }
    }
}

#[test]
fn conflict_in_a_private_key_is_redacted() {
    let sandbox = repository();
    let key = key_lines(64);
    let commit = |changed: &str| {
        let mut key = key.clone();
        key[8] += changed;
        sandbox.write("key.txt", file_with(&key));
        git(&sandbox, &["add", "."]);
        git(&sandbox, &["commit", "-qm", "Key"]);
    };
    commit("");
    git(&sandbox, &["checkout", "-q", "-b", "other"]);
    commit("a");
    git(&sandbox, &["checkout", "-q", "main"]);
    commit("b");
    assert_eq!(git_output(&sandbox, &["merge", "other"]).status.code(), Some(1));
    let block = sandbox
        .ctx(["render", "--only", "git:diff -- key.txt"])
        .stdout_has("diff --cc key.txt\n")
        .stdout_has("@@@ [REDACTED:private-key]\n")
        .stderr_has("1 secret redacted in 1 file")
        .check();
    assert_eq!(key.iter().filter(|line| block.contains(&line[20..])).count(), 0, "{block}");
}

#[test]
fn change_meets_the_condition_for_its_file() {
    let sandbox = repository();
    sandbox.write("sub/my b.txt", "b\n");
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "-qm", "Second"]);
    sandbox.write("sub/my b.txt", "b3\n");
    sandbox.write("rules.md", "Use hooks.\n");
    sandbox.ctx(["add", "rules.md", "--when", "sub/my b.txt"]).stderr_any().check();
    sandbox.ctx(["render", "git:diff"]).stdout_has("+b3\n").stdout_has("Use hooks.\n").stderr_any().check();
}
