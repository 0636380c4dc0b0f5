//! The contents of a checkpoint, and the changes since.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::state::{Thing, files};
use super::{git, kept, tree};
use crate::support::Sandbox;

#[test]
fn temporary_files_left_by_a_restore_are_deleted_if_their_contents_are_saved() {
    let sandbox = tree();
    let note = "note: 2 paths not saved: '.env' (the name suggests a secret), \
                'src/.ctx-restore-0-2' (left by a restore); 'ctx checkpoint --json' lists them\n";
    sandbox.ctx(["checkpoint", "create"]).stdout("1\n").stderr_any().check();
    let known = std::fs::read(sandbox.path("src/a.rs")).unwrap();
    sandbox.write("src/.ctx-restore-0-2", "somebody's\n");
    for command in [&["checkpoint", "create", "-m", "second"][..], &["checkpoint", "restore", "1"]] {
        sandbox.write("src/.ctx-restore-0-1", &known);
        sandbox.write("README.md", command.len().to_string());
        let ran = sandbox.ctx(command).stdout_any();
        let ran = if command[1] == "create" { ran.stderr(note) } else { ran.stderr_any() };
        ran.check();
        assert!(!sandbox.path("src/.ctx-restore-0-1").exists(), "{command:?}");
        assert_eq!(std::fs::read_to_string(sandbox.path("src/.ctx-restore-0-2")).unwrap(), "somebody's\n");
    }
}

#[test]
fn a_checkpoint_contains_files_that_git_does_not_ignore_and_reports_the_rest() {
    let sandbox = tree();
    symlink("src/a.rs", sandbox.path("link")).unwrap();
    sandbox.write("big", vec![0; (10 << 20) + 1]);
    sandbox.fifo("pipe");
    sandbox
        .ctx(["checkpoint", "create", "-m", "first"])
        .stdout("1\n")
        .stderr(
            "note: 3 paths not saved: '.env' (the name suggests a secret), 'big' (larger than 10 MiB), 'pipe' (not a \
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
            // The file is small enough now.
            "big",
            "kept.log",
            "link",
            "nested/.gitignore",
            "nested/n.txt",
            "\"new\\nline\"",
            "prod.env",
            "src/a.rs",
            "src/b.rs",
            // Without the rules in .gitignore, nothing is ignored.
            "target/debug/out",
            "x.log",
            "13 files changed, 3 insertions(+), 12 deletions(-)",
        ]
    );
}

#[test]
fn files_of_a_file_manager_are_not_saved_unless_tracked_or_unignored() {
    let sandbox = Sandbox::new();
    sandbox.repository();
    for path in ["a/.DS_Store", "b/.DS_Store", "c/.DS_Store", "c/one.txt"] {
        sandbox.write(path, "1");
    }
    sandbox.write("b/.gitignore", "!.DS_Store\n");
    git(&sandbox.project(), &["add", "c"]);
    sandbox.ctx(["checkpoint", "create"]).stdout("1\n").check();
    for path in ["a/.DS_Store", "b/.DS_Store", "c/.DS_Store"] {
        sandbox.write(path, "2");
    }
    sandbox
        .ctx(["checkpoint", "diff", "1", "--stat"])
        .stdout_has(" b/.DS_Store |")
        .stdout_has(" c/.DS_Store |")
        .stdout_lacks("a/.DS_Store")
        .check();
    sandbox.ctx(["checkpoint", "restore", "1", "--hard"]).stdout_any().stderr_any().check();
    let read = |path| sandbox.read(path);
    assert_eq!(["a/.DS_Store", "b/.DS_Store", "c/.DS_Store"].map(read), ["2", "1", "1"]);
}

#[test]
fn no_checkpoint_is_created_if_nothing_changed() {
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
fn diff_compares_bytes_whatever_the_git_attributes() {
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
    sandbox.write("n", "three");
    sandbox.ctx(["checkpoint", "diff"]).stdout_has("-3\n").stdout_has("+three\n").check();
    sandbox.ctx(["checkpoint", "diff", "--", "README.md"]).check();
    sandbox.ctx(["checkpoint", "rm", "--keep", "0", "--prune", "-q"]).check();
    sandbox.ctx(["checkpoint"]).stderr_has("note: no checkpoints").check();
    let none = "error: no checkpoints of this tree\nhint: ctx checkpoint create\n";
    sandbox.ctx(["checkpoint", "diff"]).code(1).stderr(none).check();
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("4\n").check();
    sandbox.ctx(["checkpoint", "diff", "4"]).check();
    sandbox.ctx(["checkpoint", "rm"]).code(2).stderr_has("required arguments").check();
}

#[test]
fn a_directory_that_contains_the_home_or_the_store_is_refused() {
    let sandbox = Sandbox::new();
    let home = sandbox.home();
    sandbox
        .ctx_in(&home, ["checkpoint", "create"])
        .code(1)
        .stderr("error: cannot use checkpoints in '<home>': the home directory is in it\n")
        .check();
    sandbox
        .ctx(["checkpoint", "create", "--store", "kept"])
        .code(1)
        .stderr("error: cannot use checkpoints in '<project>': the store is in it\n")
        .check();
    sandbox
        .ctx_in(std::path::Path::new("/"), ["checkpoint"])
        .code(1)
        .stderr_has("the root of the file system")
        .check();
}

#[test]
fn a_tree_whose_ignore_file_cannot_be_read_safely_is_refused() {
    let sandbox = tree();
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("1\n").check();
    std::fs::remove_file(sandbox.path(".gitignore")).unwrap();
    symlink("README.md", sandbox.path(".gitignore")).unwrap();
    let error = "error: cannot use checkpoints in '<project>': ignore file cannot be read safely: '.gitignore' is a \
                 link\n\
                 hint: correct it, or restore only it: 'ctx checkpoint restore N .gitignore'\n";
    for args in [&["create"][..], &["diff", "1"], &["restore", "1"]] {
        sandbox.ctx(["checkpoint"].iter().chain(args)).code(1).stderr(error).check();
    }
    assert!(sandbox.path(".gitignore").is_symlink());
}

#[test]
fn restoring_only_an_unreadable_ignore_file_keeps_its_old_contents() {
    let sandbox = tree();
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("1\n").check();
    let kept = |number: &str| sandbox.path(&format!(".gitignore.ctx-kept-.gitignore{number}"));
    std::fs::remove_file(sandbox.path(".gitignore")).unwrap();
    sandbox.write(".gitignore/inside", "inside\n");
    sandbox.ctx(["checkpoint", "create"]).code(1).stderr_has("'.gitignore' is not a regular file").check();
    sandbox
        .ctx(["checkpoint", "restore", "1", ".gitignore"])
        .stderr(
            "Restored 1 file from 1; the file in its place is kept next to it as \
             '.gitignore.ctx-kept-.gitignore'\n",
        )
        .check();
    assert_eq!(sandbox.read(".gitignore"), "*.log\ntarget/\n");
    assert_eq!(std::fs::read_to_string(kept("").join("inside")).unwrap(), "inside\n");
    sandbox.write(".gitignore", "x".repeat(5_000));
    sandbox.ctx(["checkpoint", "create"]).code(1).stderr_has("'.gitignore:1' is over 4,096 bytes").check();
    sandbox.ctx(["checkpoint", "restore", "1", ".gitignore", "-q"]).check();
    assert_eq!(std::fs::read(kept("-2")).unwrap().len(), 5_000);
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("2\n").check();
}

#[test]
fn git_directories_of_any_name_are_reported_but_neither_saved_nor_restored() {
    let sandbox = Sandbox::with(&[("a", "one\n"), ("fixture/HEAD", "no repository\n")]);
    git(&sandbox.project(), &["init", "-q", "."]);
    // Files of these names are saved unless their directory belongs to git.
    sandbox.write("srv.git/config", "was saved\n");
    sandbox.write("inner.data/config", "was saved\n");
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("1\n").check();
    std::fs::remove_dir_all(sandbox.path("srv.git")).unwrap();
    std::fs::remove_dir_all(sandbox.path("inner.data")).unwrap();
    git(&sandbox.project(), &["init", "-q", "--bare", "srv.git"]);
    git(&sandbox.project(), &["init", "-q", "--separate-git-dir=inner.data", "inner"]);
    sandbox.write("inner/a", "one\n");
    git(&sandbox.path("inner"), &["add", "."]);
    git(&sandbox.path("inner"), &["commit", "-q", "-m", "1"]);
    sandbox
        .ctx(["checkpoint", "create"])
        .stdout("2\n")
        .stderr(
            "note: 2 paths not saved: 'inner.data' (a git directory), 'srv.git' (a git directory); \
             'ctx checkpoint --json' lists them\n",
        )
        .check();
    git(&sandbox.path("inner"), &["commit", "-q", "--allow-empty", "-m", "2"]);
    let before = files(&sandbox.project());
    sandbox
        .ctx(["checkpoint", "restore", "1", "--hard", "--force"])
        .code(1)
        .stderr_has("'srv.git/config' stays as it is: it is in a git directory\n")
        .stderr_has("'inner.data/config' stays as it is: it is in a git directory\n")
        .check();
    let after = files(&sandbox.project());
    let of_git = |files: std::collections::BTreeMap<std::path::PathBuf, Thing>| {
        let is_gits = |path: &std::path::Path| path.starts_with("srv.git") || path.starts_with("inner.data");
        files.into_iter().filter(|(path, _)| is_gits(path)).collect::<Vec<_>>()
    };
    assert!(of_git(before) == of_git(after));
    assert!(!sandbox.path("inner/a").exists() && sandbox.path("fixture/HEAD").exists());
    let bare = sandbox.home().join("bare.git");
    git(&sandbox.project(), &["init", "-q", "--bare", bare.to_str().unwrap()]);
    sandbox.ctx_in(&bare, ["checkpoint", "create"]).code(1).stderr_has("it is a git directory").check();
}

#[test]
fn files_of_a_newer_version_are_refused_and_unknown_keys_are_kept() {
    let sandbox = Sandbox::with(&[("a", "one\n")]);
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("1\n").check();
    let list = kept(&sandbox).join("checkpoints.json");
    let text = std::fs::read_to_string(&list).unwrap();
    let later = text.replace("\"version\": 1", "\"version\": 1, \"future\": {\"a\": 1}");
    std::fs::write(&list, later.replace("\"text\": \"\"", "\"text\": \"\", \"keep\": true")).unwrap();
    sandbox.write("a", "two\n");
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("2\n").check();
    let kept_text = std::fs::read_to_string(&list).unwrap();
    assert!(kept_text.contains("\"future\"") && kept_text.contains("\"keep\": true"), "{kept_text}");
    std::fs::write(&list, text.replace("\"version\": 1", "\"version\": 9")).unwrap();
    for args in [&[][..], &["create"], &["restore", "1"], &["diff", "1"], &["rm", "1"]] {
        sandbox
            .ctx(["checkpoint"].iter().chain(args))
            .code(4)
            .stderr_has("checkpoints.json' was written by a newer version of ctx: its format is 9\n")
            .check();
    }
    std::fs::write(&list, text).unwrap();
    let journal =
        r#"{"version":2,"target":1,"before":1,"stage":"preparing","back":false,"steps":[],"made":[]}"#;
    std::fs::write(kept(&sandbox).join("restore.json"), journal).unwrap();
    sandbox.ctx(["checkpoint", "restore", "--abort"]).code(4).stderr_has("newer version of ctx").check();
}

#[test]
fn files_left_by_a_killed_git_are_deleted() {
    let sandbox = Sandbox::with(&[("a", "one\n")]);
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("1\n").check();
    let objects = kept(&sandbox).join("objects.git");
    let packs = || {
        let entries = std::fs::read_dir(objects.join("objects/pack")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect::<Vec<String>>()
    };
    let pack = packs().into_iter().find(|name| name.ends_with(".pack")).unwrap();
    std::fs::write(objects.join("objects/pack").join(pack.replace(".pack", ".keep")), "").unwrap();
    std::fs::write(objects.join("objects/pack/tmp_pack_x"), "").unwrap();
    // A pack for which a killed git had not written an index yet.
    std::fs::write(objects.join("objects/pack/pack-00.pack"), "PACK").unwrap();
    std::fs::write(objects.join("fast_import_crash_1"), "").unwrap();
    sandbox.write("a", "two\n");
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("2\n").check();
    sandbox.ctx(["checkpoint", "rm", "--keep", "1", "--prune", "-q"]).check();
    let left: Vec<String> = packs().into_iter().filter(|name| name.ends_with(".pack")).collect();
    assert!(left.len() == 1 && left[0] != pack && left[0] != "pack-00.pack", "{left:?}");
    assert!(!packs().iter().any(|name| name.starts_with("tmp_")));
    assert!(!objects.join("fast_import_crash_1").exists());
}

#[test]
fn without_git_there_are_no_checkpoints() {
    let sandbox = Sandbox::with(&[("a", "a")]);
    sandbox
        .ctx(["checkpoint", "create"])
        .env("PATH", "/nowhere")
        .code(1)
        .stderr("error: checkpoints need git: program 'git' not found\n")
        .check();
    sandbox.ctx(["checkpoint"]).stderr_has("note: no checkpoints").check();
    sandbox.ctx(["checkpoint", "create"]).stdout("1\n").check();
}

#[test]
fn the_repository_is_unchanged_and_git_variables_are_ignored() {
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

#[test]
fn files_of_a_checkpoint_are_private_whatever_the_umask() {
    let sandbox = tree();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "umask 000; exec \"$0\" checkpoint create -q"]).arg(crate::support::binary());
    shell.current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
    assert!(shell.output().unwrap().status.success());
    let mut places = vec![kept(&sandbox)];
    let mut refs = 0;
    while let Some(place) = places.pop() {
        let metadata = place.symlink_metadata().unwrap();
        assert_eq!(metadata.permissions().mode() & 0o077, 0, "{}", place.display());
        refs += usize::from(place.parent().is_some_and(|above| above.ends_with("refs/checkpoints")));
        if metadata.is_dir() {
            places.extend(std::fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    assert_eq!(refs, 1);
}
