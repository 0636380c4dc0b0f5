//! The work root: what relative entries are resolved against, and where labels begin.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::support::{Sandbox, block, block_of};

/// A repository with files on three levels.
fn repository() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("README.md", "root\n"),
        ("src/main.rs", "main\n"),
        ("src/deep/README.md", "deep\n"),
        ("src/deep/a.rs", "a\n"),
    ]);
    sandbox.repository();
    sandbox
}

/// Makes a directory of the home directory a repository, as git takes it for one.
fn checkout(sandbox: &Sandbox, name: &str, file: &str) -> PathBuf {
    let top = sandbox.home().join(name);
    for directory in [".git/objects", ".git/refs", "sub"] {
        fs::create_dir_all(top.join(directory)).unwrap();
    }
    fs::write(top.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(top.join(file), format!("{name}\n")).unwrap();
    top
}

#[test]
fn list_means_the_same_in_three_subdirectories() {
    let sandbox = repository();
    let (src, deep) = (sandbox.path("src"), sandbox.path("src/deep"));
    sandbox.ctx_in(&src, ["add", "-q", "main.rs"]).check();
    sandbox.ctx_in(&deep, ["add", "-q", "*.rs", "!../m*", "../../README.md"]).check();
    assert_eq!(sandbox.stored_entries(), json!(["src/main.rs", "src/deep/*.rs", "!src/m*", "README.md"]));
    let all = block_of(&[("src/main.rs", "main\n"), ("src/deep/a.rs", "a\n"), ("README.md", "root\n")]);
    for directory in [sandbox.project(), src, deep] {
        sandbox.ctx_in(&directory, ["render", "-q"]).stdout(all.as_str()).check();
        // What is typed is relative to where one stands, and called from the root.
        sandbox.ctx_in(&directory, ["render", "-q", "--only", "./"]).stdout_any().check();
    }
    let deep = sandbox.path("src/deep");
    sandbox
        .ctx_in(&deep, ["render", "-q", "--only", "README.md", "../*.rs"])
        .stdout(block_of(&[("src/deep/README.md", "deep\n"), ("src/main.rs", "main\n")]))
        .check();
    sandbox
        .ctx_in(&deep, ["render", "-q", "--only", "--paths", "absolute", "a.rs"])
        .stdout(block("[<project>/src/deep/a.rs]\na\n").as_str())
        .check();
}

#[test]
fn path_added_in_a_subdirectory_is_kept_from_the_root_and_said_so() {
    let sandbox = repository();
    let src = sandbox.path("src");
    sandbox
        .ctx_in(&src, ["add", "main.rs"])
        .stderr_has("Added 'src/main.rs' to profile 'default': 1 file, 2 tokens\n")
        .check();
    sandbox.ctx_in(&src, ["add", "./main.rs"]).code(1).stderr_has("'src/main.rs' already exists").check();
    fs::write(sandbox.home().join("notes.md"), "notes\n").unwrap();
    sandbox
        .ctx_in(&src, ["add", "../../home/notes.md"])
        .stderr_has("Added '~/notes.md' to profile")
        .stderr_has("note: '../../home/notes.md' is outside <project>: kept as '~/notes.md'\n")
        .check();
    sandbox.ctx(["render", "-q"]).stdout_has("[~/notes.md]\nnotes\n").check();
    for pattern in ["*/../x", "{..,a}/x"] {
        sandbox
            .ctx_in(&src, ["add", pattern])
            .code(2)
            .stderr(format!("error: Invalid path '{pattern}': '..' cannot follow a wildcard\n"))
            .check();
    }
    sandbox
        .ctx_in(&src, ["add", "cmd:cat main.rs"])
        .stderr_has("note: 'cmd:cat main.rs' runs in <project>\n")
        .check();
}

#[test]
fn named_entry_is_the_one_here_and_else_the_one_from_the_root() {
    let sandbox = repository();
    let deep = sandbox.path("src/deep");
    sandbox.ctx(["add", "-q", "README.md", "src/main.rs", "src/deep/a.rs"]).check();
    // `README.md` is something else here.
    sandbox
        .ctx_in(&deep, ["rm", "README.md"])
        .code(1)
        .stderr(
            "error: None of the specified paths were found in the context\nhint: ctx rm ../../README.md\n",
        )
        .check();
    sandbox
        .ctx_in(&deep, ["set", "--pin", "README.md"])
        .code(1)
        .stderr_has("\nhint: ctx set ../../README.md\n")
        .check();
    sandbox.ctx_in(&deep, ["explain", "README.md"]).stdout_has("README.md is out: ").check();
    sandbox
        .ctx_in(&deep, ["explain", "src/main.rs"])
        .stdout_has("src/main.rs is included: 2 tokens\n")
        .check();
    sandbox.ctx_in(&deep, ["set", "-q", "--pin", "a.rs", "src/main.rs"]).check();
    sandbox
        .ctx_in(&deep, ["rm", "a.rs", "src/main.rs", "../../README.md"])
        .stderr(
            "Removed 'src/deep/a.rs' from profile 'default'\nRemoved 'src/main.rs' from profile 'default'\n\
             Removed 'README.md' from profile 'default'\n",
        )
        .check();
}

#[test]
fn stored_command_runs_in_the_root_and_a_typed_one_here() {
    let sandbox = repository();
    let src = sandbox.path("src");
    sandbox.ctx(["add", "-q", "cmd:ls", "git:diff -- src"]).check();
    sandbox
        .ctx_in(&src, ["render", "-q", "--tag", "none", "cmd:ls"])
        .stdout_has("[cmd:ls]\ndeep\nmain.rs\n")
        .check();
    sandbox.ctx_in(&src, ["render", "-q"]).stdout_has("[cmd:ls]\nREADME.md\nsrc\n").check();
    sandbox
        .ctx_in(&src, ["render", "-q", "cmd:ls"])
        .stdout_has("[cmd:ls]\nREADME.md\nsrc\n")
        .stdout_has("[cmd:ls (2)]\ndeep\nmain.rs\n")
        .check();
}

#[test]
fn reference_that_is_not_here_is_looked_for_from_the_root() {
    let sandbox = repository();
    let deep = sandbox.path("src/deep");
    sandbox
        .ctx_in(&deep, ["render", "--only", "-p", "See @README.md, @src/main.rs and @src/gone.rs."])
        .stdout_has("[src/deep/README.md]\ndeep\n\n[src/main.rs]\nmain\n")
        .stderr_has("'@src/gone.rs' does not exist; left as text")
        .check();
}

#[test]
fn home_directory_that_is_a_repository_is_no_root_and_a_checkout_below_it_is() {
    let sandbox = Sandbox::with(&[]);
    let home = sandbox.home();
    for directory in [".git/objects", ".git/refs", "notes"] {
        fs::create_dir_all(home.join(directory)).unwrap();
    }
    fs::write(home.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(home.join("notes/README.md"), "notes\n").unwrap();
    let code = checkout(&sandbox, "code", "README.md");
    let why = "note: '~/.git' does not count, since the home directory is in that repository: stored paths are relative \
               to ~/notes\n";
    sandbox
        .ctx_in(&home.join("notes"), ["add", "README.md"])
        .stderr(format!("Added 'README.md' to profile 'default': 1 file, 2 tokens\n{why}"))
        .check();
    sandbox.ctx_in(&home.join("notes"), ["render"]).stdout(block("[README.md]\nnotes\n")).stderr(why).check();
    sandbox.ctx_in(&code.join("sub"), ["render"]).stdout(block("[README.md]\ncode\n")).check();
    sandbox.ctx_in(&home, ["-q", "render"]).check();
}

#[test]
fn git_directory_that_git_would_refuse_is_named() {
    let sandbox = Sandbox::with(&[("README.md", "a\n"), ("sub/README.md", "b\n")]);
    sandbox.write(".git", "gitdir: nowhere\n");
    sandbox.ctx(["add", "-q", "README.md"]).check();
    sandbox
        .ctx_in(&sandbox.path("sub"), ["render"])
        .stdout(block("[README.md]\nb\n"))
        .stderr(
            "note: '<project>/.git' does not count, since git finds no repository there: stored paths are relative to \
             <project>/sub\n",
        )
        .check();
}

#[cfg(unix)]
#[test]
fn repository_of_another_user_is_no_root() {
    let sandbox = repository();
    sandbox.ctx(["add", "-q", "README.md"]).check();
    // Only root can give a directory away.
    if std::os::unix::fs::chown(sandbox.path(".git"), Some(12_345), None).is_ok() {
        sandbox
            .ctx_in(&sandbox.path("src/deep"), ["render"])
            .stdout(block("[README.md]\ndeep\n"))
            .stderr_has("note: '<project>/.git' does not count, since it belongs to another user: ")
            .check();
    }
}

#[test]
fn worktree_and_submodule_have_roots_of_their_own() {
    let sandbox = repository();
    for (name, git) in [("tree", "worktrees/w"), ("module", "modules/m")] {
        let git_dir = sandbox.path(".git").join(git);
        fs::create_dir_all(git_dir.join("objects")).unwrap();
        fs::create_dir_all(git_dir.join("refs")).unwrap();
        fs::write(git_dir.join("HEAD"), "ref: refs/heads/w\n").unwrap();
        sandbox.write(&format!("{name}/.git"), format!("gitdir: ../.git/{git}\n"));
        sandbox.write(&format!("{name}/README.md"), format!("{name}\n"));
        sandbox.write(&format!("{name}/sub/x"), "");
    }
    fs::write(sandbox.path(".git/worktrees/w/commondir"), "../..\n").unwrap();
    sandbox.ctx(["add", "-q", "README.md"]).check();
    for name in ["tree", "module"] {
        let below = sandbox.path(name).join("sub");
        sandbox.ctx_in(&below, ["render"]).stdout(block(&format!("[README.md]\n{name}\n"))).check();
    }
}
