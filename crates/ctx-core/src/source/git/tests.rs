use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use tempfile::TempDir;

use super::{FoundChanges, Git, GitError, deadline};
use crate::fs::real;
use crate::process::{Launcher, Variables};
use crate::world::{GitEnvironment, World};

/// A repository with one commit: `a.txt`, `old.txt` and `sub/b.txt`.
struct Repository(TempDir);

impl Repository {
    fn empty() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&["init", "-q", "-b", "main"]);
        repository
    }

    fn new() -> Self {
        let repository = Self::empty();
        repository.write("a.txt", "one\ntwo\n");
        repository.write("old.txt", &"a line of the file that is renamed\n".repeat(9));
        repository.write("sub/b.txt", "b\n");
        repository.git(&["add", "."]);
        repository.git(&["commit", "-qm", "First\n\nWith a body."]);
        repository
    }

    fn root(&self) -> PathBuf {
        real(self.0.path()).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, arguments: &[&str]) {
        let mut command = Command::new("git");
        for name in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{name}_NAME"), "A. Person")
                .env(format!("GIT_{name}_EMAIL"), "person@example.org")
                .env(format!("GIT_{name}_DATE"), "2026-02-03T04:05:06+01:00");
        }
        let home = self.root();
        let status = command
            .args(arguments)
            .current_dir(&home)
            .env("HOME", "/nonexistent")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .status();
        assert!(status.unwrap().success(), "git {arguments:?}");
    }

    fn world(&self) -> World {
        World {
            cwd: self.root(),
            root: self.root(),
            home: None,
            project: None,
            git: GitEnvironment::default(),
            now: SystemTime::UNIX_EPOCH,
            threads: 1,
        }
    }

    fn find_in(&self, directory: &Path, query: &str) -> Result<FoundChanges, GitError> {
        let path = std::env::var_os("PATH").unwrap();
        let variables: Variables = [
            (OsString::from("PATH"), path),
            ("HOME".into(), "/nonexistent".into()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
        ]
        .into_iter()
        .collect();
        let launcher = Launcher::new(variables);
        let world = World { cwd: directory.to_owned(), ..self.world() };
        Git::open(&self.root(), &world, &launcher, deadline())?.find(
            &query.parse().unwrap(),
            directory,
            &world,
        )
    }

    /// The contents of the documents, one after the other.
    fn texts_in(&self, directory: &Path, query: &str) -> String {
        let found = self.find_in(directory, query).unwrap();
        found.documents.iter().map(|document| String::from_utf8_lossy(&document.text).into_owned()).collect()
    }

    /// The documents, each with its label.
    fn found(&self, query: &str) -> String {
        shown(&self.find_in(&self.root(), query).unwrap())
    }
}

fn shown(found: &FoundChanges) -> String {
    let text = |document: &super::GitText| {
        let label = document.label("git");
        format!("[{}]\n{}", String::from_utf8_lossy(&label), String::from_utf8_lossy(&document.text))
    };
    found.documents.iter().map(text).collect()
}

#[test]
fn each_changed_file_is_a_document_with_the_diff_git_prints() {
    let repository = Repository::new();
    repository.git(&["config", "diff.noprefix", "true"]);
    repository.git(&["config", "diff.context", "0"]);
    repository.git(&["config", "color.ui", "always"]);
    repository.write("a.txt", "one\n2\n");
    repository.write("sub/b.txt", "c\n");
    let a = "[git a.txt]\ndiff --git a/a.txt b/a.txt\nindex 814f4a422927..99b356dcd03d 100644\n--- a/a.txt\n+++ \
             b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
    let b = "[git sub/b.txt]\ndiff --git a/sub/b.txt b/sub/b.txt\nindex 61780798228d..f2ad6c76f011 \
             100644\n--- a/sub/b.txt\n+++ b/sub/b.txt\n@@ -1 +1 @@\n-b\n+c\n";
    assert_eq!(repository.found("diff"), format!("{a}{b}"));
    assert_eq!(repository.found("diff HEAD"), format!("{a}{b}"));
    assert_eq!(repository.found("diff -- sub"), b);
    assert_eq!(repository.found("staged"), "");
    repository.git(&["add", "sub"]);
    assert_eq!(repository.found("staged"), b);
    assert_eq!(repository.found("diff"), a);
    assert_eq!(repository.found("changes"), format!("{a}{b}"));
}

#[test]
fn configured_drivers_do_not_change_the_diff() {
    let repository = Repository::empty();
    let text: String = (0..30).map(|line| format!("line {line}\n")).collect();
    repository.write(".gitattributes", "*.txt diff=own\n");
    repository.write("a.txt", &text);
    repository.write("b.dat", &text);
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "First"]);
    for name in ["a.txt", "b.dat"] {
        repository.write(name, &text.replace("line 20\n", "changed\n"));
    }
    let plain = repository.found("diff");
    assert!(plain.contains("@@ -18,7 +18,7 @@ line 16\n"), "{plain}");
    repository.write("attributes", "*.dat -diff\n");
    let attributes = repository.root().join("attributes");
    for (name, value) in [
        ("diff.own.binary", "true"),
        ("diff.own.xfuncname", "^line 3$"),
        ("diff.own.funcname", "^line 4$"),
        ("core.attributesFile", attributes.to_str().unwrap()),
        ("attr.tree", "refs/heads/attributes"),
    ] {
        repository.git(&["config", name, value]);
        assert_eq!(repository.found("diff"), plain, "{name}");
    }
    repository.git(&["checkout", "-q", "--orphan", "attributes"]);
    repository.write(".gitattributes", "* -diff\n");
    repository.git(&["commit", "-qam", "Attributes"]);
    repository.git(&["checkout", "-q", "main"]);
    repository.write("a.txt", &text.replace("line 20\n", "changed\n"));
    let (first, _) = plain.split_once("[git b.dat]").unwrap();
    assert_eq!(repository.found("diff"), first);
    repository.git(&["replace", "main", "attributes"]);
    assert!(repository.found("show").contains("    First\n"));
}

#[test]
fn commit_that_changed_none_of_the_paths_has_no_document() {
    let repository = Repository::new();
    repository.write("a.txt", "one\n");
    repository.git(&["commit", "-qam", "Second"]);
    assert_eq!(repository.found("show -- sub"), "");
    assert!(repository.found("show -- a.txt").contains("Second"));
}

#[test]
fn paths_are_relative_to_the_directory_and_names_to_the_tree() {
    let repository = Repository::new();
    repository.write("sub/b.txt", "c\n");
    repository.write("a.txt", "c\n");
    repository.write("sub/new.txt", "new\n");
    let below = repository.root().join("sub");
    let names = |query: &str| -> Vec<PathBuf> {
        let found = repository.find_in(&below, query).unwrap();
        found.documents.into_iter().filter_map(|document| document.path).collect()
    };
    assert_eq!(names("diff"), [Path::new("a.txt"), Path::new("sub/b.txt")]);
    assert_eq!(names("diff -- b.txt"), [Path::new("sub/b.txt")]);
    assert_eq!(names("changes"), [Path::new("a.txt"), Path::new("sub/b.txt"), Path::new("sub/new.txt")]);
    assert_eq!(names("changes -- new.txt"), [Path::new("sub/new.txt")]);
}

#[test]
fn untracked_files_are_shown_as_additions_as_in_git() {
    let repository = Repository::new();
    repository.write("plain", "one\ntwo\n");
    repository.write("no end", "one");
    repository.write("empty", "");
    repository.write("binary", "a\0b");
    repository.write("run", "#!/bin/sh\n");
    repository.write("quo\"te\t", "x\n");
    repository.write("ignored", "x\n");
    repository.write(".gitignore", "ignored\n");
    repository.write("nested/.git/HEAD", "ref: refs/heads/main\n");
    fs::set_permissions(repository.root().join("run"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("/etc/passwd", repository.root().join("link")).unwrap();
    let ours = repository.found("changes");
    repository.git(&[
        "add",
        "--",
        ".gitignore",
        "plain",
        "no end",
        "empty",
        "binary",
        "run",
        "quo\"te\t",
        "link",
    ]);
    let theirs = repository.found("staged");
    let without_index: String =
        theirs.split_inclusive('\n').filter(|line| !line.starts_with("index ")).collect();
    assert_eq!(sections(&ours), sections(&without_index));
}

fn sections(text: &str) -> Vec<&str> {
    let mut sections: Vec<&str> = text.split("[git ").collect();
    sections.sort_unstable();
    sections
}

#[test]
fn renamed_file_is_one_document_with_both_names() {
    let repository = Repository::new();
    repository.git(&["mv", "old.txt", "new name.txt"]);
    let found = repository.find_in(&repository.root(), "staged").unwrap();
    assert_eq!(
        shown(&found),
        "[git new name.txt]\ndiff --git a/old.txt b/new name.txt\nsimilarity index 100%\nrename from \
         old.txt\nrename to new name.txt\n"
    );
    assert_eq!(found.documents[0].old_path.as_deref(), Some(Path::new("old.txt")));
}

#[test]
fn file_that_becomes_a_link_is_one_document() {
    let repository = Repository::new();
    fs::remove_file(repository.root().join("a.txt")).unwrap();
    symlink("sub/b.txt", repository.root().join("a.txt")).unwrap();
    let found = repository.find_in(&repository.root(), "diff").unwrap();
    assert_eq!(found.documents.len(), 1);
    assert_eq!(String::from_utf8_lossy(&found.documents[0].text).matches("diff --git").count(), 2);
}

#[test]
fn shown_commit_consists_of_its_message_and_its_files() {
    let repository = Repository::new();
    repository.write("a.txt", "one\n");
    repository.git(&["commit", "-qam", "Second"]);
    let found = repository.found("show HEAD");
    let (message, files) = found.split_once("[git a.txt]\n").unwrap();
    let hash = message.strip_prefix("[git]\ncommit ").unwrap().split('\n').next().unwrap();
    assert_eq!(
        message,
        format!(
            "[git]\ncommit {hash}\nAuthor: A. Person\nDate:   2026-02-03T04:05:06+01:00\n\n    Second\n\n"
        )
    );
    assert!(files.ends_with("@@ -1,2 +1 @@\n one\n-two\n"), "{files}");
    assert!(repository.found("show HEAD~").contains("\n    With a body.\n"));
    assert_eq!(repository.found("show HEAD~").matches("[git ").count(), 3);
}

#[test]
fn log_is_one_document_without_email_addresses() {
    let repository = Repository::new();
    for message in ["Second", "Third"] {
        repository.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }
    let subjects = |query: &str| -> Vec<String> {
        let text = repository.found(query);
        assert!(!text.contains("example.org"), "{text}");
        text.lines().filter_map(|line| line.strip_prefix("    ")).map(str::to_owned).collect()
    };
    assert_eq!(subjects("log"), ["Third", "Second", "First", "With a body."]);
    assert_eq!(subjects("log -1"), ["Third"]);
    assert_eq!(subjects("log HEAD~2..HEAD~1"), ["Second"]);
    assert_eq!(subjects("log -- a.txt"), ["First", "With a body."]);
}

#[test]
fn repository_without_commits_has_changes_and_no_log() {
    let repository = Repository::empty();
    assert_eq!(repository.found("log"), "");
    assert_eq!(repository.found("changes"), "");
    repository.write("staged", "x\n");
    repository.git(&["add", "staged"]);
    repository.write("new", "y\n");
    assert_eq!(repository.found("changes").matches("new file mode").count(), 2);
}

#[test]
fn failed_query_reports_the_reason() {
    let repository = Repository::new();
    let message = |query: &str| repository.find_in(&repository.root(), query).unwrap_err().to_string();
    assert_eq!(message("show nowhere"), "unknown revision 'nowhere'");
    assert_eq!(message("diff HEAD..gone"), "unknown revision 'gone'");
    assert_eq!(message("show HEAD:a.txt"), "unknown revision 'HEAD:a.txt'");
    assert_eq!(message("diff HEAD:a.txt -- old.txt"), "unknown revision 'HEAD:a.txt'");
    assert!(message("diff -- ../elsewhere").contains("is outside repository"));
    let outside = tempfile::tempdir().unwrap();
    let launcher = Launcher::new(Variables::default());
    let error =
        |root: &Path| Git::open(root, &repository.world(), &launcher, deadline()).unwrap_err().to_string();
    assert_eq!(error(outside.path()), "not in a git repository");
    assert_eq!(error(&repository.root()), "program 'git' not found");
}

#[test]
fn git_is_not_run_after_the_deadline() {
    let repository = Repository::new();
    let launcher =
        Launcher::new([(OsString::from("PATH"), std::env::var_os("PATH").unwrap())].into_iter().collect());
    let answer = Git::open(&repository.root(), &repository.world(), &launcher, std::time::Instant::now());
    assert_eq!(answer.unwrap_err().to_string(), "timed out after 30s");
}

/// The output of plain git for the same query in the work tree itself.
fn plain(repository: &Repository, command: &[&str], paths: &[&str]) -> String {
    let abbreviated =
        ["-c", "core.quotePath=false", "-c", "core.abbrev=12", "-c", "core.bigFileThreshold=10m"];
    let output = Command::new("git")
        .args(abbreviated.iter().chain(command).chain(&super::program::PATCH))
        .arg("--")
        .args(paths)
        .current_dir(repository.root())
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {command:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn work_tree_in_any_state_is_compared_as_in_git() {
    let repository = Repository::new();
    let root = repository.root();
    repository.git(&["init", "-q", "-b", "main", "module"]);
    repository.git(&["-C", "module", "commit", "-q", "--allow-empty", "-m", "First"]);
    for path in [
        "kept",
        "gone",
        "link-to-file",
        "file-to-link",
        "pipe",
        "mode",
        "assumed",
        "dir/x",
        "up/y",
        "touched",
    ] {
        repository.write(path, &format!("{path}\n"));
    }
    for path in ["crlf.txt", "crlf.auto", "binary.dat", "shown.dat", "nested/forced.dat", "nested/plain.txt"]
    {
        repository.write(path, "one\ntwo\n");
    }
    repository.write("large", &"x".repeat(11 << 20));
    repository.write("large-touched", &"y".repeat(11 << 20));
    repository.write(".gitattributes", "*.txt text eol=crlf\n*.dat -diff\nshown.dat diff\n");
    repository.write("nested/.gitattributes", "forced.dat diff\nplain.txt -text\n");
    symlink("kept", root.join("link")).unwrap();
    fs::remove_file(root.join("link-to-file")).unwrap();
    symlink("kept", root.join("link-to-file")).unwrap();
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "All"]);
    repository.git(&["checkout", "-qb", "side"]);
    repository.write("old.txt", "side\n");
    repository.git(&["commit", "-qam", "Side"]);
    repository.git(&["checkout", "-q", "main"]);
    repository.write("old.txt", "main\n");
    repository.git(&["commit", "-qam", "Main"]);
    Command::new("git").args(["merge", "side"]).current_dir(&root).output().unwrap();
    repository.git(&["-C", "module", "commit", "-q", "--allow-empty", "-m", "Second"]);
    for path in ["gone", "link-to-file", "file-to-link", "pipe", "link", "up/y"] {
        fs::remove_file(root.join(path)).unwrap();
    }
    fs::remove_dir(root.join("up")).unwrap();
    fs::rename(root.join("dir"), root.join("moved")).unwrap();
    symlink("moved", root.join("dir")).unwrap();
    symlink("gone", root.join("link")).unwrap();
    symlink("kept", root.join("file-to-link")).unwrap();
    repository.write("up", "a file\n");
    repository.write("link-to-file", "a file\n");
    assert!(Command::new("mkfifo").arg(root.join("pipe")).status().unwrap().success());
    fs::set_permissions(root.join("mode"), fs::Permissions::from_mode(0o755)).unwrap();
    repository.git(&["update-index", "--assume-unchanged", "assumed"]);
    repository.write("assumed", "else\n");
    for path in ["touched", "large-touched"] {
        fs::File::options()
            .append(true)
            .open(root.join(path))
            .unwrap()
            .set_modified(SystemTime::UNIX_EPOCH)
            .unwrap();
    }
    for path in ["crlf.txt", "crlf.auto"] {
        repository.write(path, "one\r\ntwo\r\n");
    }
    for path in ["binary.dat", "shown.dat", "nested/forced.dat", "nested/plain.txt"] {
        repository.write(path, "one\r\nthree\r\n");
    }
    repository.write("large", &"x".repeat(12 << 20));
    repository.write("added-later", "");
    repository.write("added-too", "text\n");
    repository.git(&["add", "-N", "added-later", "added-too"]);
    repository.git(&["mv", "-f", "sub/b.txt", "sub/renamed.txt"]);
    // Git itself would wait for the pipe, which appears as deleted here.
    let ours = |query: &str| repository.texts_in(&root, query);
    let (difference, since) = (ours("diff"), ours("diff HEAD"));
    let pipe = "diff --git a/pipe b/pipe\ndeleted file mode 100644\n";
    assert!(difference.contains(pipe) && since.contains(pipe), "{difference}");
    fs::remove_file(root.join("pipe")).unwrap();
    assert_eq!(difference, plain(&repository, &["diff"], &[]));
    assert_eq!(since, plain(&repository, &["diff", "HEAD"], &[]));
    assert_eq!(ours("diff side"), plain(&repository, &["diff", "side"], &[]));
    let paths = ["nested", "c*", ":!crlf.auto"];
    assert_eq!(ours("diff -- nested 'c*' ':!crlf.auto'"), plain(&repository, &["diff"], &paths));
    assert_eq!(ours("staged"), plain(&repository, &["diff", "--cached"], &[]));
    for path in ["touched", "kept", "assumed", "large-touched", "crlf.txt"] {
        assert!(!difference.contains(&format!(" b/{path}\n")), "{path}");
    }
    for path in ["large", "crlf.auto", "nested/plain.txt", "added-later", "module", "up/y", "dir/x"] {
        assert!(difference.contains(&format!(" b/{path}\n")), "{path}: {difference}");
    }
    let absolute = format!("diff -- {}", root.join("nested/plain.txt").display());
    assert_eq!(ours(&absolute), ours("diff -- nested/plain.txt"));
}

#[test]
fn changed_attributes_and_files_before_them_are_compared_as_in_git() {
    let repository = Repository::new();
    let root = repository.root();
    for path in [".editorconfig", "b", "d/!x", "d/cc", "stored"] {
        repository.write(path, "a\r\n");
    }
    repository.write(".gitattributes", "b foo\n");
    repository.write("d/.gitattributes", "!x text\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "All"]);
    repository.write(".gitattributes", "cc foo\nstored text\n");
    repository.write("stored", "a\r\n");
    for path in [".editorconfig", "b", "d/!x", "d/cc", "d/.gitattributes"] {
        repository.write(path, "a\nb\n");
    }
    let ours = |query: &str| repository.texts_in(&root, query);
    assert_eq!(ours("diff"), plain(&repository, &["diff"], &[]));
    assert!(ours("diff").contains(" b/stored\n"));
    assert_eq!(ours("diff -- ':(attr:foo)'"), plain(&repository, &["diff"], &[":(attr:foo)"]));
}

#[test]
fn exclude_only_paths_match_as_in_git_from_a_subdirectory() {
    let repository = Repository::new();
    let sub = repository.root().join("sub");
    assert_eq!(repository.texts_in(&sub, "diff -- ':!b.txt'"), "");
    repository.write("a.txt", "else\n");
    for path in [":!b.txt", ":(top,exclude)old.txt", ":/!a.txt"] {
        let query = format!("diff -- '{path}'");
        assert_eq!(repository.texts_in(&sub, &query), plain(&repository, &["-C", "sub", "diff"], &[path]));
    }
    repository.write("untracked", "u\n");
    assert!(repository.texts_in(&sub, "changes -- ':!b.txt'").contains(" b/untracked\n"));
}

#[test]
fn links_and_submodules_in_conflict_are_compared_as_in_git() {
    let repository = Repository::new();
    let root = repository.root();
    let link = |target: &str| {
        let _ = fs::remove_file(root.join("link"));
        symlink(target, root.join("link")).unwrap();
        repository.git(&["add", "link"]);
        repository.git(&["commit", "-qm", target]);
    };
    let module = |name: &str, message: &str| {
        repository.git(&["init", "-q", "-b", "main", name]);
        repository.git(&["-C", name, "commit", "-q", "--allow-empty", "-m", message]);
    };
    repository.git(&["checkout", "-qb", "side"]);
    link("side");
    module("module", "One");
    repository.git(&["add", "module"]);
    repository.git(&["commit", "-qm", "Module"]);
    repository.git(&["checkout", "-q", "main"]);
    fs::remove_dir_all(root.join("module")).unwrap();
    link("main");
    module("module", "Two");
    repository.git(&["add", "module"]);
    repository.git(&["commit", "-qm", "Module"]);
    Command::new("git").args(["merge", "side"]).current_dir(&root).output().unwrap();
    for command in [&["diff"][..], &["diff", "HEAD"]] {
        assert_eq!(repository.texts_in(&root, &command.join(" ")), plain(&repository, command, &[]));
    }
}

#[test]
fn mode_changes_are_ignored_if_git_ignores_them() {
    let repository = Repository::new();
    for path in ["a.txt", "sub/b.txt"] {
        fs::set_permissions(repository.root().join(path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    repository.write("sub/b.txt", "c\n");
    assert!(repository.found("diff").contains("new mode 100755"));
    repository.git(&["config", "core.fileMode", "false"]);
    let found = repository.found("diff");
    assert!(found.starts_with("[git sub/b.txt]") && !found.contains("mode 100755"), "{found}");
}

#[test]
fn untracked_files_are_those_that_git_lists() {
    let repository = Repository::new();
    let root = repository.root();
    for path in [
        "new",
        "sub/new",
        "sub/ignored.log",
        "kept.log",
        "deep/a/b",
        "deep/ignored/c",
        "nested/x",
        "tracked-repository/y",
        "module/z",
        "a.txt.orig",
        ".hidden",
        "vendor/.gitignored",
    ] {
        repository.write(path, "x\n");
    }
    repository.write(".gitignore", "*.log\n!kept.log\n/deep/ignored\n");
    repository.write("vendor/.gitignore", "*\n!.gitignore\n");
    repository.write(".git/info/exclude", "*.orig\n");
    for inner in ["nested", "tracked-repository", "module"] {
        repository.git(&["init", "-q", "-b", "main", inner]);
    }
    repository.git(&["-C", "module", "commit", "-q", "--allow-empty", "-m", "First"]);
    repository.git(&["add", "module"]);
    symlink("new", root.join("link")).unwrap();
    symlink("sub", root.join("link-to-directory")).unwrap();
    for (paths, expected) in
        [("", &[][..]), (" -- sub 'd*'", &["sub", "d*"]), (" -- ':!sub' .", &[":!sub", "."])]
    {
        let mut arguments = vec!["ls-files", "--others", "--exclude-standard", "--"];
        arguments.extend(expected);
        let listed = Command::new("git").args(&arguments).current_dir(&root).output().unwrap().stdout;
        let listed = String::from_utf8(listed).unwrap();
        let listed: Vec<PathBuf> =
            listed.lines().filter(|name| !name.ends_with('/')).map(PathBuf::from).collect();
        assert!(!listed.is_empty());
        let found = repository.find_in(&root, &format!("changes{paths}")).unwrap();
        let names = found.documents.into_iter().filter(|document| {
            String::from_utf8_lossy(&document.text)
                .lines()
                .nth(2)
                .is_none_or(|line| !line.starts_with("index "))
        });
        assert_eq!(names.filter_map(|document| document.path).collect::<Vec<_>>(), listed, "{paths}");
    }
}

#[test]
fn pipe_in_place_of_a_rule_file_does_not_block_queries() {
    let repository = Repository::new();
    for name in [".gitattributes", "sub/.gitattributes", "deep/.gitignore", "deep/.gitattributes"] {
        fs::create_dir_all(repository.root().join(name).parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(repository.root().join(name)).status().unwrap().success());
    }
    repository.write("sub/b.txt", "c\n");
    repository.write("deep/new", "n\n");
    repository.write("new", "n\n");
    for query in ["diff", "diff HEAD", "changes", "staged", "show", "log", "changes -- sub"] {
        let found = repository.find_in(&repository.root(), query).unwrap();
        let refused: Vec<&Path> = found.refused.iter().map(|(path, _)| path.as_path()).collect();
        let expected = if query == "changes" { &[Path::new("deep/.gitignore")][..] } else { &[] };
        assert_eq!(refused, expected, "{query}");
    }
    assert!(repository.found("changes").contains("[git new]"));
}

#[test]
fn pipe_that_the_configuration_names_does_not_block_queries() {
    let repository = Repository::new();
    repository.write("a.txt", "one\n");
    let queries = ["diff", "diff HEAD", "changes", "staged", "show", "log", "log -- sub"];
    let before = queries.map(|query| repository.found(query));
    let place = tempfile::tempdir().unwrap();
    let pipe = place.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for key in [
        "core.attributesFile",
        "mailmap.file",
        "diff.orderFile",
        "commit.template",
        "blame.ignoreRevsFile",
        "gpg.ssh.allowedSignersFile",
        "gpg.ssh.revocationFile",
        "fsck.skipList",
    ] {
        repository.git(&["config", key, pipe.to_str().unwrap()]);
    }
    assert_eq!(queries.map(|query| repository.found(query)), before);
    repository.git(&["config", "core.excludesFile", pipe.to_str().unwrap()]);
    for (query, before) in queries.into_iter().zip(before) {
        match repository.find_in(&repository.root(), query) {
            Ok(found) => assert_eq!(shown(&found), before, "{query}"),
            Err(error) => {
                assert!(matches!(error, GitError::Unsafe(_)) && query == "changes", "{query}: {error}")
            }
        }
    }
}

#[test]
fn nothing_is_read_or_written_through_a_link_out_of_the_tree() {
    let repository = Repository::new();
    let outside = tempfile::tempdir().unwrap();
    fs::remove_dir_all(repository.root().join("sub")).unwrap();
    symlink(outside.path(), repository.root().join("sub")).unwrap();
    fs::write(outside.path().join("b.txt"), "from outside\n").unwrap();
    fs::write(outside.path().join(".gitattributes"), "* -diff\n").unwrap();
    for query in ["diff", "changes"] {
        let found = repository.found(query);
        assert!(found.contains("deleted file") && !found.contains("from outside"), "{found}");
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 2);
}
