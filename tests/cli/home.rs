//! The home directory as `~`.

use crate::support::Sandbox;

#[test]
fn a_tilde_in_the_path_of_the_store_is_the_home_directory() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    sandbox.ctx(["--store=~/one", "add", "a.md"]).stderr_any().check();
    sandbox.ctx(["add", "a.md"]).env("CTX_HOME", "~/two").stderr_any().check();
    for store in ["one", "two"] {
        assert!(sandbox.home().join(store).join("profiles/default.json").exists());
    }
    assert!(!sandbox.path("~").exists());
}

#[test]
fn an_absolute_path_below_the_home_directory_is_stored_with_a_tilde() {
    let sandbox = Sandbox::with(&[("../home/notes/a.md", "a\n")]);
    let path = |relative: &str| sandbox.home().join(relative).to_str().unwrap().to_owned();
    let (file, pattern, exclusion) =
        (path("notes/a.md"), path("notes/*.md"), format!("!{}", path("notes/b.md")));
    sandbox
        .ctx(["add", &file, &pattern, &exclusion])
        .stderr(
            "Added '~/notes/a.md' to profile 'default': 1 file, 2 tokens\nAdded '~/notes/*.md' to profile 'default': 1 file, 2 tokens\n\
             Added '!~/notes/b.md' to profile 'default': excludes nothing\n",
        )
        .check();
    sandbox.ctx(["render"]).stdout_has("[~/notes/a.md]\n").check();
    sandbox.ctx(["add", &file]).stderr_has("Path '~/notes/a.md' already exists").check();
    sandbox.ctx(["set", "--pin", &file]).stderr_has("Changed").check();
    sandbox.ctx(["rm", &pattern]).stderr("Removed '~/notes/*.md' from profile 'default'\n").check();
    let written = file.replace('\\', "/");
    sandbox.write_store("profiles/old.json", format!(r#"{{"paths": ["{written}"]}}"#));
    sandbox.ctx(["--profile", "old", "add", &file]).stderr_has("already exists").check();
    sandbox.ctx(["--profile", "old", "rm", &file]).stderr_has("Removed").check();
}

#[test]
fn an_absolute_path_below_the_home_directory_is_labelled_with_a_tilde() {
    let sandbox =
        Sandbox::with(&[("../home/notes/a.md", "a\n"), ("../home/b.md", "b\n"), ("../else/c.md", "c\n")]);
    let home = sandbox.home();
    let home = home.to_str().unwrap();
    let block = "--- CONTEXT FILES BEGIN ---\n[~/b.md]\nb\n\n[~/notes/a.md]\na\n--- CONTEXT FILES END ---\n";
    for paths in [["b.md", "notes/*.md"], ["*.md", "notes"], ["./b.md", "/notes/a.md"]] {
        let paths = paths.map(|path| format!("{home}/{path}"));
        sandbox.ctx(["render", "--only", &paths[0], &paths[1]]).stdout(block).check();
    }
    let absolute = format!("{home}/b.md");
    sandbox.ctx(["render", "--only", "--paths", "absolute", &absolute]).stdout_has("[<home>/b.md]").check();
    let elsewhere = sandbox.home().with_file_name("else/c.md");
    let elsewhere = elsewhere.to_str().unwrap();
    let label = format!("[{}]", elsewhere.replace('\\', "/"));
    sandbox.ctx(["render", "--only", elsewhere]).stdout_has(&label).check();
}

/// A link called `~` in the project isn't mistaken for the home directory.
#[cfg(unix)]
#[test]
fn a_tilde_in_the_path_of_an_input_file_is_the_home_directory() {
    let sandbox = Sandbox::with(&[
        ("../home/q.md", "question\n"),
        ("../home/list", "a.md\n"),
        ("../home/export.json", r#"{"version": 1, "profiles": {"p": {"paths": ["a.md"]}}}"#),
        ("../home/chat.json", r#"[{"role": "user", "content": "hello"}]"#),
        ("../outside/q.md", "outside\n"),
        ("../outside/list", "outside.md\n"),
        ("a.md", "a\n"),
        ("outside.md", "o\n"),
    ]);
    std::os::unix::fs::symlink(sandbox.path("../outside"), sandbox.path("~")).unwrap();
    sandbox.ctx(["render", "--only", "--prompt-file=~/q.md"]).stdout("question\n").stderr_any().check();
    sandbox.ctx(["render", "--only", "--files-from", "~/list"]).stdout_has("[a.md]\n").check();
    sandbox.ctx(["import", "~/export.json"]).stderr_has("'p'").check();
    sandbox
        .ctx(["history", "append", "--from", "messages", "~/chat.json"])
        .stdout_has("1")
        .stderr_any()
        .check();
    sandbox.ctx(["profile", "--set", "instruction=@~/q.md"]).stderr_any().check();
    sandbox
        .ctx(["render", "--prompt-file=~/q.md", "-o", "~/q.md"])
        .code(2)
        .stderr_has("'~/q.md' would be both read and overwritten")
        .check();
    let refused = sandbox.ctx(["render", "--prompt-file", "~/q.md"]).env("HOME", "");
    refused.code(1).stderr_any().check();
    sandbox.ctx(["render", "--prompt-file=./~/q.md"]).code(1).stderr_has("link").check();
}

#[test]
fn without_a_home_directory_reading_goes_on_and_writing_says_why() {
    let sandbox = Sandbox::with(&[("a.md", "walrus\n"), ("../else/file", "x\n")]);
    let home = sandbox.home().with_file_name("else").join("file");
    let home = home.to_str().unwrap();
    let run = |args: &[&str]| {
        let run = sandbox.ctx(args).env("CTX_HOME", "").env("XDG_CONFIG_HOME", "").env("XDG_CACHE_HOME", "");
        run.env("HOME", home)
    };
    run(&["ask", "walrus"]).stdout_has("[a.md]\nwalrus\n").stderr_any().check();
    run(&["search", "walrus"]).stdout_has("a.md").stderr_any().check();
    run(&["render", "--only", "a.md"]).stdout_has("[a.md]\nwalrus\n").stderr_any().check();
    run(&["show"]).stdout_any().stderr_any().check();
    run(&["add", "a.md"]).code(1).stderr_has("not a directory").check();
}
