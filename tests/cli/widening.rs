//! A file that somebody else wrote doesn't decide what else is read or run.

use std::fs;

use serde_json::json;

use crate::support::Sandbox;

/// A directory with a file that is nobody else's business, and its path in the home directory.
fn with_diary() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.md", "walrus\n"), ("docs/b.md", "seal\n")]);
    fs::write(sandbox.home().join("diary.txt"), "dear diary\n").unwrap();
    sandbox
}

#[test]
fn agents_of_a_repository_bring_no_entries_from_outside() {
    let sandbox = with_diary();
    sandbox.repository();
    let inside = format!("file://{}/docs/b.md", sandbox.project().display());
    let outside = ["file://~/diary.txt", "file:///etc/hostname", "file://../out/x", "file://{a.md,/etc/x}"];
    let resources: Vec<&str> = outside.into_iter().chain(["file://a.md", &inside]).collect();
    let agent = json!({"name": "rev", "resources": resources, "prompt": "You review."}).to_string();
    sandbox.write(".amazonq/cli-agents/rev.json", &agent);
    let left_out = "left out of '.amazonq/cli-agents/rev.json': '~/diary.txt' (outside this directory tree), \
                    '/etc/hostname' (outside";
    sandbox
        .ctx(["import", "--from", "amazonq"])
        .stderr_has(left_out)
        .stderr_has("'../out/x' (outside")
        .stderr_has("'{a.md,/etc/x}' (outside")
        .stderr_has("--force imports what is outside this directory tree\n")
        .stderr_has("Imported profile 'rev': 2 entries\n")
        .check();
    sandbox
        .ctx(["--profile", "rev", "render"])
        .stdout_lacks("dear diary")
        .stdout_has("walrus\n")
        .stdout_has("seal\n")
        .check();
    sandbox.write(".kiro/agents/forced.json", agent.replace("rev", "forced"));
    sandbox
        .ctx(["import", "--from", "kiro", "--force"])
        .stderr_has("Imported profile 'forced': 6 entries\n")
        .check();
    sandbox.ctx(["--profile", "forced", "render"]).stdout_has("dear diary\n").stderr_any().check();
}

#[test]
#[cfg(unix)] // symbolic links
fn an_absolute_path_that_leaves_the_tree_through_a_link_is_outside() {
    let sandbox = with_diary();
    std::os::unix::fs::symlink(sandbox.home().join("diary.txt"), sandbox.path("link.txt")).unwrap();
    let link = sandbox.path("link.txt").display().to_string();
    let document = json!({"version": 1, "profiles": {"x": {"paths": ["a.md", link]}}});
    sandbox
        .ctx(["import", "-"])
        .stdin(document.to_string())
        .stderr_has("left out of profile 'x': '")
        .stderr_has("Imported profile 'x': 1 entry\n")
        .check();
}

#[test]
fn agents_of_your_own_may_name_anything() {
    let sandbox = with_diary();
    sandbox.write("../home/.aws/amazonq/cli-agents/own.json", r#"{"resources": ["file://~/diary.txt"]}"#);
    sandbox.ctx(["import", "--from", "amazonq"]).stderr_has("Imported profile 'own': 1 entry\n").check();
    sandbox.ctx(["--profile", "own", "render"]).stdout_has("dear diary\n").check();
}

#[test]
fn a_document_brings_no_entries_from_outside() {
    let sandbox = with_diary();
    let paths = ["a.md", "~/diary.txt", "/etc/hostname", "../out/*.md", "!~/notes/**", "docs/../a.md"];
    let document = json!({"version": 1, "global": {"paths": ["~/.aws/amazonq/rules/**/*.md", "~/x"]},
        "profiles": {"default": {"paths": paths}}});
    sandbox.write("d.json", document.to_string());
    let left_out = "left out of profile 'default': '~/diary.txt', '/etc/hostname', '../out/*.md', 'docs/../a.md' \
                    (outside this directory tree; --force imports them)\n";
    let global = "left out of the global list: '~/x' (outside this directory tree; --force imports it)\n";
    sandbox
        .ctx(["import", "--merge", "--dry-run", "d.json"])
        .stdout_lacks("diary")
        .stderr_has(left_out)
        .stderr_has(global)
        .check();
    sandbox.ctx(["import", "--merge", "d.json"]).stderr_has(left_out).stderr_has(global).check();
    assert_eq!(sandbox.stored_entries(), json!(["a.md", "!~/notes/**"]));
    sandbox.ctx(["import", "--merge", "--force", "d.json"]).stderr_has("Added 4 entries to ").check();
    sandbox.ctx(["render"]).stdout_has("dear diary\n").stderr_any().check();
}

/// A repository with a bare one in it, and links into that.
#[cfg(unix)]
fn with_bare_repository() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.md", "walrus\n")]);
    sandbox.repository();
    for directory in ["sub/bare.git/objects", "sub/bare.git/refs", "sub/bare.git/hooks"] {
        fs::create_dir_all(sandbox.path(directory)).unwrap();
    }
    sandbox.write("sub/bare.git/HEAD", "ref: refs/heads/main\n");
    sandbox.write("sub/bare.git/config", "[remote \"o\"]\n\turl = https://o.example/?k=PRIVATE\n");
    sandbox.write("sub/bare.git/hooks/hook.md", "PRIVATE\n");
    sandbox.write("sub/worktree/.git", "gitdir: ../own-dir\n");
    for directory in ["objects", "refs"] {
        fs::create_dir_all(sandbox.path("sub/own-dir").join(directory)).unwrap();
    }
    sandbox.write("sub/own-dir/HEAD", "ref: refs/heads/main\n");
    sandbox.write("sub/own-dir/config", "PRIVATE\n");
    for (target, link) in [
        ("sub/bare.git/config", "notes.md"),
        ("sub/own-dir/config", "w.md"),
        ("sub/bare.git/hooks", "docs"),
        ("sub/bare.git", "all"),
    ] {
        std::os::unix::fs::symlink(target, sandbox.path(link)).unwrap();
    }
    sandbox
}

#[test]
#[cfg(unix)]
fn a_link_that_a_pattern_finds_leads_into_no_git_directory() {
    let sandbox = with_bare_repository();
    for args in [
        &["render", "--only", "**"][..],
        &["render", "--only", "*.md"],
        &["render", "--only", "."],
        &["render", "--only", "-r", "."],
        &["render", "--only", "--allow", "secret-names", "**"],
        &["ask", "PRIVATE walrus"],
        &["search", "PRIVATE walrus"],
    ] {
        sandbox
            .ctx(args)
            .stdout_has("walrus")
            .stdout_lacks("k=")
            .stdout_lacks("PRIVATE\n")
            .stderr_any()
            .check();
    }
    sandbox.ctx(["render", "--only", "*.md"]).stdout_any().stderr_has("'notes.md'").check();
    for named in ["notes.md", "w.md", "docs/*", "docs/hook.md"] {
        sandbox.ctx(["render", "--only", named]).code(1).stderr_has("it is in a git directory").check();
    }
}

#[test]
#[cfg(unix)]
fn no_program_in_the_tree_is_run_in_place_of_git() {
    use std::os::unix::fs::PermissionsExt;
    let Some(git) = crate::shells::program("git") else { return };
    let sandbox = Sandbox::with(&[("a.md", "walrus\n")]);
    crate::shells::output(&sandbox, &git, &["init", "-q"]);
    fs::create_dir_all(sandbox.path(".venv/bin")).unwrap();
    fs::create_dir_all(sandbox.path("../linked")).unwrap();
    let canary = format!("#!/bin/sh\necho \"$0\" >>{}\nexit 1\n", sandbox.home().join("ran").display());
    sandbox.write(".venv/bin/git", canary);
    fs::set_permissions(sandbox.path(".venv/bin/git"), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink(sandbox.path(".venv/bin/git"), sandbox.path("../linked/git")).unwrap();
    sandbox.write(".venv/etc/gitconfig", "[core]\n\texcludesFile = /dev/stdin\n");
    sandbox.ctx(["add", "a.md", "git:diff"]).stderr_any().check();
    let rest = std::env::var("PATH").unwrap();
    for first in [".venv/bin", "../linked"] {
        let path = format!("{}:{rest}", sandbox.path(first).display());
        for args in [
            &["ask", "walrus"][..],
            &["search", "walrus"],
            &["show"],
            &["check"],
            &["render"],
            &["explain", "a.md"],
            &["checkpoint", "create"],
            &["checkpoint"],
        ] {
            let run = sandbox.ctx(args).env("PATH", &path).stdout_any().stderr_any();
            run.stderr_lacks("error").check();
        }
    }
    assert!(!sandbox.home().join("ran").exists());
    let only = sandbox.ctx(["checkpoint", "create"]).env("PATH", sandbox.path(".venv/bin").to_str().unwrap());
    only.code(1).stderr_has("'git'").check();
}
