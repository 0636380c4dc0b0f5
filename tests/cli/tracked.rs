//! Files that git tracks are part of a checkout, so git's own ignore rules don't hide them.

use std::path::PathBuf;

use crate::shells::{command, program};
use crate::support::{Run, Sandbox};

struct Checkout {
    sandbox: Sandbox,
    git: PathBuf,
}

impl Checkout {
    /// A repository that tracks all of these files, whatever its rules say.
    fn with(files: &[(&str, &str)]) -> Option<Self> {
        let git = program("git")?;
        let checkout = Self { sandbox: Sandbox::with(files), git };
        checkout.git(&["init", "-q"]);
        checkout.git(&["add", "-f", "."]);
        Some(checkout)
    }

    fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "core.autocrlf=false"];
        let output = command(&self.sandbox, &self.git, &[&identity, args].concat()).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn ctx<'s>(&'s self, args: &[&str]) -> Run<'s> {
        self.sandbox.ctx(args)
    }

    /// The labels of what matches these patterns, sorted.
    #[track_caller]
    fn labels(&self, patterns: &[&str]) -> Vec<String> {
        let block = self.ctx(&[&["render", "--only"], patterns].concat()).stdout_any().stderr_any().check();
        let label = |line: &str| Some(line.strip_prefix('[')?.strip_suffix(']')?.to_owned());
        let mut labels: Vec<String> = block.lines().filter_map(label).collect();
        labels.sort();
        labels
    }
}

#[test]
fn tracked_files_that_gits_rules_match_are_found() {
    let Some(checkout) = Checkout::with(&[
        (".gitignore", "src/evil.rs\n*.log\nbuild/\n"),
        ("src/a.rs", "fn a() {}\n"),
        ("src/evil.rs", "evil backdoor\n"),
        ("build/sub/deep.rs", "evil cellar\n"),
        ("build/b.rs", "evil attic\n"),
        ("x.log", "evil log\n"),
    ]) else {
        return;
    };
    checkout.sandbox.write("untracked.log", "untracked\n");
    checkout.sandbox.write("build/untracked.rs", "untracked\n");
    checkout.sandbox.write("build/other/untracked.rs", "untracked\n");
    checkout.sandbox.write(".git/info/exclude", "a.rs\n");
    let all = ["build/b.rs", "build/sub/deep.rs", "src/a.rs", "src/evil.rs", "x.log"];
    for version in ["2", "3", "4"] {
        checkout.git(&["update-index", "--index-version", version]);
        for patterns in
            [&["**"][..], &["-r", "."], &["src/**", "**/*.rs", "*.log"], &["build/**", "src/*", "*.log"]]
        {
            assert_eq!(checkout.labels(patterns), all, "{patterns:?}");
        }
    }
    assert_eq!(checkout.labels(&["build/*.rs"]), ["build/b.rs"]);
    assert_eq!(checkout.labels(&["build/sub"]), ["build/sub/deep.rs"]);
    for (question, found) in
        [("evil backdoor", "src/evil.rs"), ("evil attic", "build/b.rs"), ("cellar", "build/sub/deep.rs")]
    {
        checkout
            .ctx(&["ask", question])
            .stdout_has(&format!("[{found}]\n"))
            .stdout_lacks("untracked")
            .check();
        checkout.ctx(&["search", question]).stdout_has(found).stderr_any().check();
    }
    checkout.ctx(&["add", "**"]).stdout_any().stderr_any().check();
    checkout.ctx(&["explain", "build/b.rs"]).stdout_has("printed whole").stderr_any().check();
    checkout.ctx(&["explain", "build/untracked.rs"]).stdout_has(".gitignore").stderr_any().check();
    let everything = checkout.ctx(&["render", "--only", "--no-ignore", "**"]);
    everything
        .stdout_has("[build/other/untracked.rs]\n")
        .stdout_has("[build/untracked.rs]\n")
        .stderr_any()
        .check();
}

#[test]
fn an_index_that_only_git_reads_is_read_by_git() {
    let Some(checkout) = Checkout::with(&[(".gitignore", "src/\n"), ("src/evil.rs", "evil backdoor\n")])
    else {
        return;
    };
    checkout.git(&["update-index", "--split-index"]);
    assert_eq!(checkout.labels(&["**"]), ["src/evil.rs"]);
    checkout.sandbox.write(".git/index", "no index");
    checkout.ctx(&["render", "--only", "**"]).code(1).stderr_any().check();
}

#[test]
fn other_rules_bind_tracked_files_and_are_counted() {
    let Some(checkout) = Checkout::with(&[
        (".gitignore", "build/\n*.rs\n"),
        (".ctxignore", "b.rs\n"),
        (".ignore", "c.rs\n"),
        ("a.rs", "a\n"),
        ("b.rs", "b\n"),
        ("c.rs", "c\n"),
        ("Cargo.lock", "lock\n"),
        ("build/.ctxignore", "hidden.rs\n"),
        ("build/b.rs", "b\n"),
        ("build/d.rs", "d\n"),
        ("build/hidden.rs", "h\n"),
        ("build/Cargo.lock", "lock\n"),
        ("build/.env", "SECRET=1\n"),
    ]) else {
        return;
    };
    assert_eq!(checkout.labels(&["**"]), ["a.rs", "build/d.rs"]);
    checkout
        .ctx(&["render", "--only", "**"])
        .stdout_any()
        .stderr_has("note: 3 files left out by .ctxignore, 1 file by .ignore")
        .check();
    assert_eq!(checkout.labels(&["**", "!build/d.rs"]), ["a.rs"]);
    assert_eq!(checkout.labels(&["**", "!build"]), ["a.rs"]);
}

#[test]
fn inner_repositories_have_their_own_index() {
    let Some(checkout) = Checkout::with(&[(".gitignore", "inner/\n*.x\n"), ("a.rs", "a\n")]) else { return };
    checkout.sandbox.write("inner/b.rs", "b\n");
    checkout.sandbox.write("inner/c.x", "c\n");
    checkout.git(&["-C", "inner", "init", "-q"]);
    checkout.git(&["-C", "inner", "add", "-f", "."]);
    assert_eq!(checkout.labels(&["**"]), ["a.rs"]);
    checkout.sandbox.write(".gitignore", "*.x\n");
    assert_eq!(checkout.labels(&["**"]), ["a.rs", "inner/b.rs", "inner/c.x"]);
    checkout.git(&["-C", "inner", "commit", "-q", "-m", "x"]);
    checkout.git(&["add", "-f", "inner"]);
    checkout.sandbox.write(".gitignore", "inner/\n*.x\n");
    assert_eq!(checkout.labels(&["**"]), ["a.rs", "inner/b.rs", "inner/c.x"]);
}

#[test]
#[cfg(unix)] // symbolic links
fn tracked_links_are_followed_to_what_is_not_ignored() {
    let Some(checkout) = Checkout::with(&[
        (".gitignore", "build/\nlink.md\n"),
        ("docs/a.md", "a\n"),
        ("other/c.md", "c\n"),
        ("build/b.md", "b\n"),
    ]) else {
        return;
    };
    checkout.sandbox.write("build/untracked.md", "u\n");
    let link =
        |target: &str, name: &str| std::os::unix::fs::symlink(target, checkout.sandbox.path(name)).unwrap();
    link("other/c.md", "link.md");
    link("../docs", "build/link");
    checkout.git(&["add", "-f", "link.md", "build/link"]);
    link("build/untracked.md", "u.md");
    link("build/b.md", "b.md");
    link("build", "dir");
    let found = checkout.labels(&["**"]);
    for label in ["link.md", "b.md", "build/link/a.md"] {
        assert!(found.iter().any(|found| found == label), "{label}: {found:?}");
    }
    assert!(!found.iter().any(|found| found.contains("u.md") || found.contains("untracked")), "{found:?}");
}

#[test]
fn nothing_outside_the_tree_is_read_for_an_index() {
    let Some(checkout) = Checkout::with(&[(".gitignore", "build/\n"), ("build/b.md", "b\n")]) else { return };
    checkout.sandbox.write("../secret.md", "secret\n");
    // As long as the name that it replaces, so that the index stays sound.
    checkout.git(&["add", "-f", "."]);
    let index = std::fs::read(checkout.sandbox.path(".git/index")).unwrap();
    let at = index.windows(10).position(|name| name == b"build/b.md").unwrap();
    let forged = [&index[..at], b"build/../x", &index[at + 10..]].concat();
    std::fs::write(checkout.sandbox.path(".git/index"), forged).unwrap();
    checkout.sandbox.write("x", "x\n");
    checkout.ctx(&["render", "--only", "build/**"]).code(1).stderr_any().check();
}

#[test]
fn path_outside_of_a_sparse_checkout_is_said_to_be_there() {
    let Some(checkout) = Checkout::with(&[("in/a.rs", "a\n"), ("out/b.rs", "b\n"), ("gone.rs", "g\n")])
    else {
        return;
    };
    let sandbox = &checkout.sandbox;
    checkout.git(&["commit", "-q", "-m", "x"]);
    checkout.git(&["sparse-checkout", "set", "in"]);
    let told = "it is outside of the sparse checkout";
    sandbox.ctx(["render", "--only", "out/b.rs"]).code(1).stderr_has(told).check();
    sandbox.ctx(["render", "--only", "out/**"]).code(1).stderr_has(told).check();
    sandbox.ctx(["add", "out/b.rs"]).code(1).stderr_has(told).check();
    sandbox.ctx(["render", "--only", "in/a.rs", "-p", "see @out/b.rs"]).stdout_any().stderr_has(told).check();
    let listed = sandbox.ctx(["render", "--only", "--files-from", "-"]).stdin("out/b.rs\n");
    listed.stderr_has(&format!("listed but not found: 'out/b.rs' ({told})")).check();
    sandbox.ctx(["render", "--only", "out/none.rs"]).code(1).stderr_lacks(told).check();
    // Then the index only names the directory.
    checkout.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    for path in ["out/b.rs", "out/**", "out"] {
        sandbox.ctx(["render", "--only", path]).code(1).stderr_has(told).check();
    }
    sandbox.ctx(["render", "--only", "in/none.rs"]).code(1).stderr_lacks(told).check();
    checkout.git(&["sparse-checkout", "disable"]);
    std::fs::remove_file(sandbox.path("gone.rs")).unwrap();
    sandbox.ctx(["render", "--only", "gone.rs"]).code(1).stderr_lacks(told).check();
}
