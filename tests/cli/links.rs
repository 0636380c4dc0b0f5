//! Links that lead out of the tree.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::support::{Sandbox, block};

/// A project with a subdirectory `src`, and private notes of the user next to it in the home directory.
fn checkout() -> Sandbox {
    Sandbox::with(&[
        ("a.md", "a\n"),
        ("src/b.md", "b\n"),
        ("../home/private.txt", "private\n"),
        ("../home/notes/n.md", "note\n"),
    ])
}

#[test]
fn a_stored_entry_behind_a_link_to_outside_is_skipped_with_a_note() {
    let sandbox = checkout();
    sandbox.write_store("profiles/default.json", r#"{"paths": ["a.md", "docs", "rules/**", "x.md"]}"#);
    for (target, link) in [
        ("../home/private.txt", "AGENTS.md"),
        ("../home/private.txt", "x.md"),
        ("../home/notes", "docs"),
        ("../home/notes", "rules"),
    ] {
        symlink(target, sandbox.path(link)).unwrap();
    }
    let why = "link leads outside this directory tree";
    let told = format!("4 entries left out: 'docs' ({why}), 'rules/**' ({why}), 'x.md' ({why}) and 1 more\n");
    sandbox.ctx(["render"]).stdout(block("[a.md]\na\n")).stderr(format!("note: {told}")).check();
    sandbox.ctx(["render", "--strict"]).code(3).stderr_has(&format!("error: {told}")).check();
    let account = sandbox.ctx(["render", "--dry-run", "--json"]).stdout_any().stderr_any().check();
    let account: serde_json::Value = serde_json::from_str(&account).unwrap();
    let skipped: Vec<_> =
        account["files"].as_array().unwrap().iter().filter(|file| file["path"] != "a.md").collect();
    assert_eq!(skipped.len(), 4, "{account}");
    for file in skipped {
        assert_eq!(file["status"], "skipped");
        assert_eq!(file["reason"]["code"], "link-outside");
    }
    sandbox.ctx(["check"]).code(3).stdout_has(&format!("    x.md (profile): {why}\n")).check();
    sandbox.ctx(["explain", "x.md"]).stdout_has(&format!("x.md is left out: {why}\n")).check();
}

#[test]
fn a_link_within_the_tree_is_followed() {
    let sandbox = checkout();
    sandbox.repository();
    symlink("../a.md", sandbox.path("src/up.md")).unwrap();
    symlink("src", sandbox.path("lib")).unwrap();
    let expected = block("[src/up.md]\na\n");
    sandbox.ctx_in(&sandbox.path("src"), ["render", "up.md"]).stdout(expected).check();
    sandbox.ctx(["render", "lib/b.md"]).stdout(block("[lib/b.md]\nb\n")).check();
}

#[test]
fn a_typed_path_behind_a_link_to_outside_is_an_error_that_names_the_file() {
    let sandbox = checkout();
    symlink("../home/private.txt", sandbox.path("x.md")).unwrap();
    symlink("../home/notes", sandbox.path("docs")).unwrap();
    for (path, real) in [
        ("x.md", "private.txt"),
        ("src/../x.md", "private.txt"),
        ("docs", "notes"),
        ("docs/n.md", "notes/n.md"),
        ("docs/**", "notes"),
    ] {
        let message = |path: &str| {
            format!(
                "error: '{path}': link leads outside this directory tree\n\
                 hint: to use the file itself, name it: '<home>/{real}'\n"
            )
        };
        sandbox.ctx(["render", "a.md", path]).code(1).stderr(message(path)).check();
        let kept = path.trim_start_matches("src/../");
        sandbox.ctx(["add", path]).code(1).stderr(message(kept)).check();
        sandbox.ctx(["add", "--force", path]).code(1).stderr(message(kept)).check();
    }
}

#[test]
fn path_that_explicitly_leads_outside_is_read() {
    let sandbox = checkout();
    let paths = ["~/private.txt", "../home/notes/n.md"];
    let expected = block("[~/private.txt]\nprivate\n\n[~/notes/n.md]\nnote\n");
    sandbox.ctx(["render"].iter().chain(&paths)).stdout(expected.clone()).check();
    sandbox.ctx(["add"].iter().chain(&paths)).stderr_any().check();
    sandbox.ctx(["render"]).stdout(expected).check();
    let absolute = sandbox.home().join("notes/n.md");
    sandbox.ctx(["render", "--only", absolute.to_str().unwrap()]).stdout_has("note\n").check();
}

#[test]
fn lines_of_a_list_cannot_leave_the_tree_by_path_or_by_link() {
    let sandbox = checkout();
    symlink("../home/private.txt", sandbox.path("x.md")).unwrap();
    symlink("../home/notes", sandbox.path("docs")).unwrap();
    let outside = sandbox.home().join("private.txt");
    let inside = sandbox.path("src/b.md");
    let lines = [
        "a.md",
        "x.md",
        "docs/*.md",
        "../home/private.txt",
        "~/private.txt",
        outside.to_str().unwrap(),
        inside.to_str().unwrap(),
    ];
    let (link, text) = ("link leads outside this directory tree", "it is outside this directory tree");
    let told = format!(
        "5 files left out: 'x.md' ({link}), 'docs/*.md' ({link}), '../home/private.txt' ({text}) and 2 more\n"
    );
    let render = |options: &[&str]| {
        let args = ["render", "--only", "--files-from", "-"];
        sandbox.ctx(args.iter().chain(options)).stdin(lines.join("\n"))
    };
    let expected = block("[a.md]\na\n\n[src/b.md]\nb\n");
    render(&[]).stdout(expected).stderr_has("warning: 5 files left out: 'x.md' (link leads outside").check();
    render(&["--strict"]).code(3).stderr_has(&format!("error: {told}")).check();
}

#[test]
fn directory_with_only_links_is_an_error_that_says_why() {
    let sandbox = checkout();
    std::fs::create_dir(sandbox.path("docs")).unwrap();
    symlink("../a.md", sandbox.path("docs/a.md")).unwrap();
    let why = "'docs/a.md' is left out: link leads out of the directory the pattern starts in";
    let nothing = |how: &str| format!("error: no files{how} in 'docs': {why}\n");
    sandbox.ctx(["render", "docs"]).code(1).stderr(nothing(" directly")).check();
    sandbox.ctx(["render", "-r", "docs"]).code(1).stderr(nothing("")).check();
}

#[test]
fn an_output_file_behind_a_link_to_outside_is_refused() {
    let sandbox = checkout();
    symlink("../home/private.txt", sandbox.path("context.txt")).unwrap();
    symlink("../home/new.txt", sandbox.path("later.txt")).unwrap();
    symlink("../home/notes", sandbox.path("out")).unwrap();
    symlink("src/block.txt", sandbox.path("inside.txt")).unwrap();
    for (file, real) in
        [("context.txt", "private.txt"), ("later.txt", "new.txt"), ("out/block.txt", "notes/block.txt")]
    {
        let message = format!(
            "error: '{file}': link leads outside this directory tree\n\
             hint: to use the file itself, name it: '<home>/{real}'\n"
        );
        sandbox.ctx(["render", "a.md", "-o", file]).code(1).stderr(message.clone()).check();
        sandbox.ctx(["render", "a.md", "--manifest", file]).code(1).stderr(message).check();
    }
    assert_eq!(sandbox.read("../home/private.txt"), "private\n");
    assert!(!sandbox.home().join("new.txt").exists());
    sandbox.ctx(["render", "a.md", "-o", "inside.txt"]).check();
    assert_eq!(sandbox.read("src/block.txt"), block("[a.md]\na\n"));
    sandbox.ctx(["render", "a.md", "-o", "~/block.txt", "--manifest", "~/account.json"]).check();
    assert_eq!(sandbox.read("../home/block.txt"), block("[a.md]\na\n"));
    assert!(sandbox.home().join("account.json").exists());
}

#[cfg(unix)]
#[test]
fn prompt_file_or_list_behind_a_link_to_outside_is_refused() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n"), ("../out.md", "private words\n")]);
    std::os::unix::fs::symlink("../out.md", sandbox.path("PROMPT.md")).unwrap();
    for option in ["--prompt-file", "--files-from"] {
        sandbox
            .ctx(["render", "--only", "a.txt", option, "PROMPT.md"])
            .code(1)
            .stderr_has("error: 'PROMPT.md': link leads outside this directory tree")
            .check();
    }
    sandbox.ctx(["render", "--only", "a.txt", "--prompt-file", "../out.md"]).stdout_has("private").check();
}

#[test]
fn files_in_a_directory_named_tilde_have_distinct_labels() {
    let sandbox = Sandbox::with(&[("~/f.md", "of the checkout\n")]);
    std::fs::write(sandbox.home().join("f.md"), "of the home directory\n").unwrap();
    sandbox.ctx(["add", "**/*.md", "~/f.md"]).stderr_any().check();
    sandbox
        .ctx(["render"])
        .stdout_has("[./~/f.md]\nof the checkout\n")
        .stdout_has("[~/f.md]\nof the home directory\n")
        .check();
}

#[test]
fn a_link_from_a_pattern_directory_to_elsewhere_in_the_tree_is_not_a_warning() {
    let sandbox = checkout();
    sandbox.write(".git/HEAD", "");
    sandbox.write("docs/guide.md", "g\n");
    symlink("../a.md", sandbox.path("docs/a.md")).unwrap();
    symlink("../src", sandbox.path("docs/src")).unwrap();
    let expected = block("[docs/guide.md]\ng\n");
    sandbox.ctx(["render", "--strict", "docs/**"]).stdout(expected).check();
    let why = "link leads out of the directory the pattern starts in";
    let only = ["render", "docs/a*"];
    sandbox.ctx(only).code(1).stderr_has(&format!("'docs/a.md' is left out: {why}")).check();
    symlink("../../home/private.txt", sandbox.path("docs/p.txt")).unwrap();
    let told = format!("error: left out: 'docs/p.txt' ({why})\n");
    sandbox.ctx(["render", "--strict", "docs/**"]).code(3).stderr_has(&told).check();
}

#[test]
fn link_that_git_checked_out_as_a_file_is_followed() {
    let sandbox = checkout();
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
        assert!(git.status().unwrap().success(), "git {arguments:?}");
    };
    git(&["init", "-q"]);
    for (target, link) in [
        ("src/b.md", "b.md"),
        ("src", "code"),
        ("../home/private.txt", "private.txt"),
        ("gone.md", "broken.md"),
    ] {
        symlink(target, sandbox.path(link)).unwrap();
    }
    git(&["add", "."]);
    git(&["config", "core.symlinks", "false"]);
    for link in ["b.md", "code", "private.txt", "broken.md"] {
        fs::remove_file(sandbox.path(link)).unwrap();
    }
    git(&["checkout", "-q", "--", "."]);
    assert_eq!(sandbox.read("b.md"), "src/b.md");
    let render = |typed: &str| sandbox.ctx(["render", "--only", typed]).stderr_any().stdout_any().check();
    assert_eq!(render("**/*.md"), block("[a.md]\na\n\n[b.md]\nb\n"));
    let all = render("**");
    assert!(!all.contains("private\n") && !all.contains("home/private.txt"), "{all}");
    let asked = sandbox.ctx(["ask", "what is b?"]).stderr_any().stdout_has("b.md]\nb\n").check();
    assert!(!asked.contains("\nsrc/b.md\n") && !asked.contains("[code]"), "{asked}");
    // The text of an ignore file would hide the rules that it leads to.
    sandbox.write("rules.txt", "b.md\n");
    symlink("rules.txt", sandbox.path(".ctxignore")).unwrap();
    symlink("src/b.md", sandbox.path("CLAUDE.md")).unwrap();
    git(&["config", "core.symlinks", "true"]);
    git(&["add", "."]);
    git(&["config", "core.symlinks", "false"]);
    fs::remove_file(sandbox.path(".ctxignore")).unwrap();
    fs::remove_file(sandbox.path("CLAUDE.md")).unwrap();
    git(&["checkout", "-q", "--", "."]);
    let unsafe_rules = "ignore file cannot be read safely: '.ctxignore' is a link";
    sandbox.ctx(["render", "--only", "**/*.md"]).code(1).stderr_has(unsafe_rules).check();
    fs::remove_file(sandbox.path(".ctxignore")).unwrap();
    // Where links are links, a file in the place of one is a file.
    git(&["config", "core.symlinks", "true"]);
    assert!(render("*.md").contains("[b.md]\nsrc/b.md\n"));
}

/// A repository in which git checked out links as files.
fn checkout_of_text_links(links: &[(&str, &str)]) -> Sandbox {
    let sandbox = checkout();
    let git = |arguments: &[&str]| git_in(&sandbox, arguments);
    git(&["init", "-q"]);
    links.iter().for_each(|(target, link)| symlink(target, sandbox.path(link)).unwrap());
    git(&["add", "."]);
    git(&["config", "core.symlinks", "false"]);
    links.iter().for_each(|(_, link)| fs::remove_file(sandbox.path(link)).unwrap());
    git(&["checkout", "-q", "--", "."]);
    assert!(links.iter().all(|(target, link)| sandbox.read(link) == *target));
    sandbox
}

fn git_in(sandbox: &Sandbox, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.args(arguments).current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
    assert!(git.status().unwrap().success(), "git {arguments:?}");
}

#[test]
fn named_link_that_git_checked_out_as_a_file_is_followed() {
    let sandbox = checkout_of_text_links(&[
        ("src/b.md", "CLAUDE.md"),
        ("CLAUDE.md", "AGENTS.md"),
        ("src", "code"),
        ("../home/private.txt", "private.md"),
        ("gone.md", "broken.md"),
        ("two.md", "one.md"),
        ("one.md", "two.md"),
    ]);
    sandbox.write("src/b.md", "b\n@../AGENTS.md\n");
    sandbox.write("memory.md", "see @AGENTS.md, @private.md\n");
    let check = || {
        let render = |typed: &str| sandbox.ctx(["render", "--only", typed]);
        for (typed, label) in
            [("AGENTS.md", "AGENTS.md"), ("code/b.md", "code/b.md"), ("up:AGENTS.md", "AGENTS.md")]
        {
            render(typed).stdout(block(&format!("[{label}]\nb\n@../AGENTS.md\n"))).check();
        }
        render("CLAUDE.md:1").stdout_has("\nb\n").stdout_lacks("AGENTS.md").check();
        render("code/*.md").stdout_has("\nb\n").check();
        let unruled = sandbox.ctx(["render", "--only", "--no-ignore", "*.md"]);
        unruled.stdout_lacks("\nsrc/b.md\n").stderr_any().check();
        render("private.md").code(1).stderr_has("link leads outside this directory tree").check();
        render("broken.md").code(1).stderr_has("no such file: 'broken.md'").check();
        render("one.md").code(1).stderr_has("more than 40 links lead to each other").check();
        let mentioned = sandbox.ctx(["render", "--only", "-p", "look at @CLAUDE.md"]);
        mentioned.stdout_has("\nb\n@../AGENTS.md\n").stderr_any().check();
        sandbox.ctx(["add", "-q", "--imports", "memory.md"]).check();
        let imported = sandbox.ctx(["render"]).stdout_has("[AGENTS.md]\nb\n").stderr_any().check();
        assert!(!imported.contains("private\n"), "{imported}");
        sandbox.ctx(["rm", "-q", "memory.md"]).check();
        sandbox
            .ctx(["detect"])
            .stdout_has("AGENTS.md\nCLAUDE.md (same file as AGENTS.md)\n")
            .stderr_any()
            .check();
        sandbox.ctx(["explain", "CLAUDE.md"]).stdout_any().check();
    };
    check();
    git_in(&sandbox, &["update-index", "--split-index"]);
    git_in(&sandbox, &["add", "memory.md"]);
    check();
    // Whoever writes a text of their own there means it.
    sandbox.write("CLAUDE.md", "my own\ntext\n");
    sandbox.ctx(["render", "--only", "CLAUDE.md"]).stdout_has("\nmy own\n").check();
    sandbox.ctx(["render", "--only", "C*.md"]).stdout_has("\nmy own\n").check();
}
