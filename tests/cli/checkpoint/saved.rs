//! What is in a checkpoint, and what has changed since.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::{git, tree};
use crate::support::Sandbox;

#[test]
fn a_checkpoint_has_what_git_would_not_ignore_and_names_the_rest() {
    let sandbox = tree();
    symlink("src/a.rs", sandbox.path("link")).unwrap();
    sandbox.write("big", vec![0; (10 << 20) + 1]);
    sandbox.fifo("pipe");
    sandbox
        .ctx(["checkpoint", "create", "-m", "first"])
        .stdout("1\n")
        .stderr(
            "note: 3 paths not saved: '.env' (the name suggests a secret), 'big' (larger than 10 MiB), 'pipe' (no \
             regular file); 'ctx checkpoint --json' lists them\n",
        )
        .check();
    for path in ["src", "README.md", "nested", "kept.log", "prod.env", "new\nline", "link", ".gitignore"] {
        let path = sandbox.path(path);
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap()
        } else {
            std::fs::remove_file(path).unwrap()
        }
    }
    for path in ["target/debug/out", "x.log", "big", ".env", "deep/.GIT/config"] {
        sandbox.write(path, "changed");
    }
    let stat = sandbox.ctx(["checkpoint", "diff", "1", "--stat"]).stdout_any().check();
    let names: Vec<&str> = stat.lines().filter_map(|line| line.split(" |").next()).map(str::trim).collect();
    assert_eq!(
        names,
        [
            ".gitignore",
            "README.md",
            // It is small enough now.
            "big",
            "kept.log",
            "link",
            "nested/.gitignore",
            "nested/n.txt",
            "\"new\\nline\"",
            "prod.env",
            "src/a.rs",
            "src/b.rs",
            // Without its rules nothing is ignored.
            "target/debug/out",
            "x.log",
            "13 files changed, 3 insertions(+), 12 deletions(-)",
        ]
    );
}

#[test]
fn nothing_changed_makes_no_checkpoint() {
    let sandbox = tree();
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("1\n").check();
    sandbox.ctx(["checkpoint", "create"]).stderr("nothing has changed since checkpoint 1\n").check();
    sandbox.write("src/a.rs", "fn a() {}\n");
    sandbox.ctx(["checkpoint", "create"]).stderr("nothing has changed since checkpoint 1\n").check();
    let file = sandbox.path("src/a.rs");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.ctx(["checkpoint", "create", "-q", "-m", "executable"]).stdout("2\n").check();
    sandbox
        .ctx(["checkpoint", "diff", "1", "2"])
        .stdout("diff --git a/src/a.rs b/src/a.rs\nold mode 100644\nnew mode 100755\n")
        .check();
    sandbox
        .ctx(["checkpoint"])
        .stdout_has("\n     1  20")
        .stdout_has("        1        1  executable\n")
        .check();
}

#[test]
fn differences_are_those_of_the_bytes() {
    let sandbox = tree();
    sandbox.write(".gitattributes", "* text=auto eol=lf filter=loud\n*.rs -diff\n");
    git(&sandbox.project(), &["config", "filter.loud.clean", "touch filtered; cat"]);
    git(&sandbox.project(), &["config", "core.autocrlf", "true"]);
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("1\n").check();
    sandbox.write("src/b.rs", "fn b() {}\r\nmixed\r\n");
    let expected = "diff --git a/src/b.rs b/src/b.rs\n";
    sandbox.ctx(["checkpoint", "diff", "1"]).stdout_has(expected).stdout_has("-mixed\n+mixed\r\n").check();
    sandbox.ctx(["checkpoint", "diff", "1", "--", "src"]).stdout_has(expected).check();
    sandbox
        .ctx_in(&sandbox.path("src"), ["checkpoint", "diff", "1", "--", "b.rs"])
        .stdout_has(expected)
        .check();
    sandbox.ctx(["checkpoint", "diff", "1", "--", "README.md"]).check();
    assert!(!sandbox.path("filtered").exists());
    sandbox
        .ctx(["checkpoint", "diff", "1", "--", "../home"])
        .code(1)
        .stderr("error: '../home' is not in '<project>'\n")
        .check();
}

#[test]
fn removed_checkpoints_are_gone_and_their_space_is_freed_on_demand() {
    let sandbox = tree();
    for number in 1..=3 {
        sandbox.write("n", format!("{number}"));
        sandbox.ctx(["checkpoint", "create", "-q"]).stdout(format!("{number}\n")).check();
    }
    sandbox
        .ctx(["checkpoint", "rm", "7", "1"])
        .code(1)
        .stderr_has("error: there is no checkpoint 7\n")
        .check();
    sandbox.ctx(["checkpoint", "rm", "1", "1"]).stderr("Removed checkpoint 1\n").check();
    sandbox.ctx(["checkpoint", "diff", "1"]).code(1).stderr_has("error: there is no checkpoint 1\n").check();
    sandbox
        .ctx(["checkpoint", "rm", "--keep", "1", "--prune"])
        .stderr_has("Removed checkpoint 2\nFreed ")
        .check();
    sandbox.ctx(["checkpoint", "diff", "3"]).check();
    sandbox.ctx(["checkpoint", "rm", "--keep", "0", "--prune", "-q"]).check();
    sandbox.ctx(["checkpoint"]).stderr_has("note: no checkpoints").check();
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("4\n").check();
    sandbox.ctx(["checkpoint", "diff", "4"]).check();
    sandbox.ctx(["checkpoint", "rm"]).code(2).stderr_has("required arguments").check();
}

#[test]
fn a_directory_that_is_too_much_is_refused() {
    let sandbox = Sandbox::new();
    let home = sandbox.home();
    sandbox
        .ctx_in(&home, ["checkpoint", "create"])
        .code(1)
        .stderr("error: no checkpoints of '<home>': the home directory is in it\n")
        .check();
    sandbox
        .ctx(["checkpoint", "create", "--store", "kept"])
        .code(1)
        .stderr("error: no checkpoints of '<project>': the store is in it\n")
        .check();
    sandbox
        .ctx_in(std::path::Path::new("/"), ["checkpoint"])
        .code(1)
        .stderr_has("the root of the file system")
        .check();
}

#[test]
fn a_tree_whose_own_rules_cannot_be_read_safely_is_refused() {
    let sandbox = tree();
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("1\n").check();
    std::fs::remove_file(sandbox.path(".gitignore")).unwrap();
    symlink("README.md", sandbox.path(".gitignore")).unwrap();
    let error =
        "error: no checkpoints of '<project>': the directory or its ignore file cannot be read safely\n";
    for args in [&["create"][..], &["diff", "1"], &["restore", "1"]] {
        sandbox.ctx(["checkpoint"].iter().chain(args)).code(1).stderr(error).check();
    }
    assert!(sandbox.path(".gitignore").is_symlink());
}

#[test]
fn without_git_there_are_no_checkpoints() {
    let sandbox = Sandbox::with(&[("a", "a")]);
    sandbox
        .ctx(["checkpoint", "create"])
        .env("PATH", "/nowhere")
        .code(1)
        .stderr("error: checkpoints are kept by git: program 'git' not found\n")
        .check();
    sandbox.ctx(["checkpoint"]).stderr_has("note: no checkpoints").check();
    sandbox.ctx(["checkpoint", "create"]).stdout("1\n").check();
}

#[test]
fn the_repository_and_the_environment_of_git_are_left_alone() {
    let sandbox = tree();
    let index = std::fs::read(sandbox.path(".git/index")).unwrap();
    let before = git(&sandbox.project(), &["status", "--porcelain", "--ignored"]);
    let refs = git(&sandbox.project(), &["for-each-ref"]);
    let index_after_status = std::fs::read(sandbox.path(".git/index")).unwrap();
    let elsewhere = sandbox.home().join("elsewhere");
    sandbox
        .ctx(["checkpoint", "create", "-q"])
        .env("GIT_DIR", elsewhere.to_str().unwrap())
        .env("GIT_OBJECT_DIRECTORY", elsewhere.to_str().unwrap())
        .env("GIT_INDEX_FILE", elsewhere.join("index").to_str().unwrap())
        .stdout("1\n")
        .check();
    assert!(!elsewhere.exists());
    assert_eq!(std::fs::read(sandbox.path(".git/index")).unwrap(), index_after_status);
    assert_eq!(index.len(), index_after_status.len());
    assert_eq!(git(&sandbox.project(), &["status", "--porcelain", "--ignored"]), before);
    assert_eq!(git(&sandbox.project(), &["for-each-ref"]), refs);
}
