//! `dep:NAME`: the sources of a dependency, in the version that the lock file here names.

use std::fs;
use std::path::PathBuf;

use crate::support::{Sandbox, root};

/// Cargo's home on this machine, with the sources that this very test was built from.
fn cargo_home() -> PathBuf {
    let set = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    set.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).unwrap()
}

#[test]
fn a_question_about_a_crate_is_answered_with_the_sources_of_its_version() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let after = lock.split("name = \"memchr\"\nversion = \"").nth(1).unwrap();
    let version = after.split('"').next().unwrap();
    let sandbox =
        Sandbox::with(&[("src/main.rs", "fn main() { memrchr_of_my_own(); }\n"), ("Cargo.lock", &lock)]);
    let home = cargo_home();
    let home = home.to_str().unwrap();
    let ask =
        sandbox.ctx(["ask", "how does memrchr find the last byte?", "dep:memchr"]).env("CARGO_HOME", home);
    let block = ask.stdout_has(&format!("[dep:memchr@{version} src/memchr.rs")).stderr_any().check();
    assert!(!block.contains("memrchr_of_my_own"), "{block}");
    let search = sandbox.ctx(["search", "memrchr", "dep:cargo:memchr"]).env("CARGO_HOME", home);
    search.stdout_has(&format!("/memchr-{version}/src/memchr.rs:")).stderr_any().check();
    let both = sandbox.ctx(["ask", "memrchr", ".", "dep:memchr"]).env("CARGO_HOME", home);
    both.stdout_has("[src/main.rs]").stdout_has("[dep:memchr@").stderr_any().check();
    sandbox.ctx(["ask", "memrchr"]).env("CARGO_HOME", home).stdout_lacks("dep:memchr").stderr_any().check();
}

fn sandbox() -> Sandbox {
    let site = ".venv/lib/python3.12/site-packages";
    let sandbox = Sandbox::with(&[
        ("app.js", "walrus\n"),
        ("node_modules/left-pad/package.json", r#"{"version": "1.3.0"}"#),
        ("node_modules/left-pad/index.js", "function walrus() {}\n"),
        ("node_modules/left-pad/.gitignore", "*\n"),
        ("node_modules/left-pad/.env", "walrus=1\n"),
        (&format!("{site}/requests-2.31.0.dist-info/RECORD"), "requests/api.py,,\n"),
        (&format!("{site}/requests/api.py"), "def walrus(): pass\n"),
        ("go.mod", "module x\n\nrequire example.com/Walrus/tusk v1.0.0\n"),
        ("../home/go/pkg/mod/example.com/!walrus/tusk@v1.0.0/tusk.go", "func Walrus() {}\n"),
    ]);
    sandbox.repository();
    sandbox
}

#[test]
fn packages_of_node_python_and_go_are_searched_when_they_are_named() {
    let sandbox = sandbox();
    for (wanted, label) in [
        ("dep:left-pad", "dep:left-pad@1.3.0 index.js"),
        ("dep:npm:left-pad@1.3.0", "dep:left-pad@1.3.0 index.js"),
        ("dep:requests", "dep:requests@2.31.0 requests/api.py"),
        ("dep:tusk", "dep:example.com/Walrus/tusk@v1.0.0 tusk.go"),
    ] {
        // The files are not those of the tree.
        let asked = sandbox.ctx(["ask", "where is walrus?", wanted]);
        let block = asked.stdout_any().stderr_lacks("<project>").check();
        let labels: Vec<&str> = block.lines().filter(|line| line.starts_with('[')).collect();
        assert!(labels.contains(&&*format!("[{label}]")), "{wanted}: {labels:?}");
        assert!(!block.contains("app.js") && !block.contains("walrus=1"), "{block}");
        let file = label.rsplit([' ', '/']).next().unwrap();
        sandbox.ctx(["search", "walrus", wanted]).stdout_has(&format!("/{file}:1")).stderr_any().check();
    }
    sandbox.ctx(["ask", "walrus"]).stdout_has("[app.js]").stdout_lacks("dep:").stderr_any().check();
}

#[test]
fn a_dependency_that_is_not_here_is_an_error_that_says_where_it_was_looked_for() {
    let sandbox = sandbox();
    let fails = |wanted: &str, code, why: &str| {
        sandbox
            .ctx(["ask", "why?", wanted])
            .code(code)
            .stderr_has(&format!("error: '{wanted}': {why}"))
            .check();
        sandbox.ctx(["search", "walrus", wanted]).code(code).stderr_has(why).check();
    };
    fails("dep:none", 1, "not found in ");
    fails("dep:left-pad@9.9.9", 1, "node_modules has 'left-pad@1.3.0'");
    fails("dep:cargo:left-pad", 1, "no lock file, node_modules or .venv is here or above");
    fails("dep:", 2, "write dep:NAME or dep:NAME@VERSION");
    fails("dep:../../etc", 2, "write dep:NAME or dep:NAME@VERSION");
    fails("dep:tusk@v9.0.0", 1, "'<project>/go.mod' has 'example.com/Walrus/tusk@v1.0.0'");
    sandbox.write("dep:file", "walrus in a file\n");
    sandbox.ctx(["search", "walrus", "dep:file"]).stdout_has("dep:file:1").check();
    sandbox.ctx(["ask", "walrus"]).stdout_has("[./dep:file]\n").stderr_any().check();
}

#[test]
fn dependency_on_the_list_is_searched_in_the_version_that_is_here() {
    let sandbox = sandbox();
    sandbox
        .ctx(["add", "dep:left-pad"])
        .code(2)
        .stderr_has("error: Invalid path 'dep:left-pad': a dependency is only searched\nhint: ctx add --search dep:left-pad")
        .check();
    sandbox.ctx(["add", "--search", "dep:none"]).code(1).stderr_has("not found in ").check();
    sandbox.ctx(["add", "--search", "dep:left-pad@9.9.9"]).code(1).stderr_has("node_modules has").check();
    sandbox.ctx(["add", "--search", "dep:left-pad"]).stderr_has("Added 'dep:left-pad' to profile").check();
    assert_eq!(sandbox.stored_entries()[0]["path"], "dep:left-pad");
    let question = ["ask", "where is walrus?"];
    let both = sandbox.ctx(question).stdout_has("[dep:left-pad@1.3.0 index.js").stdout_has("[app.js]");
    both.stdout_lacks("walrus=1").stderr_any().check();
    let found = sandbox.ctx(["render", "-p", "where is walrus?"]).stdout_has("[dep:left-pad@1.3.0 index.js");
    found.stderr_any().check();
    sandbox.ctx(["show"]).stdout_has("dep:left-pad@1.3.0 (").stderr_any().check();
    sandbox.write("node_modules/left-pad/package.json", r#"{"version": "2.0.0"}"#);
    sandbox.ctx(question).stdout_has("[dep:left-pad@2.0.0 index.js").stderr_any().check();
    fs::remove_dir_all(sandbox.path("node_modules")).unwrap();
    let warning = "warning: 'dep:left-pad': not found in ";
    sandbox.ctx(question).stdout_lacks("[dep:").stderr_has(warning).check();
    sandbox.ctx(["show"]).stdout_has("dep:left-pad (missing").stderr_any().check();
    // What is on the list of all repositories is not in each of them.
    sandbox.ctx(["render", "--strict", "app.js"]).code(3).stderr_has("'dep:left-pad': not found").check();
    sandbox.ctx(["check"]).code(3).stdout_has("dep:left-pad").stderr_any().check();
    // What 'ctx show' prints can be pasted.
    sandbox.write("node_modules/left-pad/package.json", r#"{"name": "left-pad", "version": "2.0.0"}"#);
    sandbox.ctx(["explain", "dep:left-pad@2.0.0"]).stdout_has("left-pad").stderr_any().check();
    sandbox.ctx(["explain", "dep:left-pad"]).stdout_has("left-pad").stderr_any().check();
    sandbox.ctx(["set", "--tag", "libs", "dep:left-pad@2.0.0"]).stderr_any().check();
    sandbox
        .ctx(["rm", "dep:left-pad@2.0.0"])
        .stderr("Removed 'dep:left-pad' from profile 'default'\nto bring it back: ctx add --tag libs --search dep:left-pad\n")
        .check();
    fs::remove_dir_all(sandbox.path("node_modules")).unwrap();
    sandbox.write_store("global.json", r#"{"paths": [{"path": "dep:npm:left-pad", "search": true}]}"#);
    let note = "note: not found, left out: 'dep:npm:left-pad'\n";
    sandbox.ctx(["render", "app.js"]).stdout_has("[app.js]").stderr_has(note).stderr_lacks("warning").check();
}

#[test]
fn dependency_in_a_project_is_searched_once_it_is_trusted() {
    let sandbox = sandbox();
    let list = r#"{"paths": [{"path": "dep:left-pad", "search": true}]}"#;
    sandbox.write(".ctx/profiles/default.json", list);
    let question = ["ask", "where is walrus?"];
    let untrusted = sandbox.ctx(question).stdout_has("[app.js]").stdout_lacks("[dep:");
    untrusted.stderr_has("1 setting is not trusted here").check();
    let checked = sandbox.ctx(["check"]).code(3).stdout_lacks("not found");
    checked.stdout_has("1 setting is not trusted here").check();
    sandbox.ctx(["explain", "dep:left-pad"]).stdout_has("not trusted here").stderr_any().check();
    sandbox.ctx(["trust"]).stdout_has("search 'dep:left-pad'").stderr_any().check();
    sandbox.ctx(question).stdout_has("[dep:left-pad@1.3.0 index.js").stderr_any().check();
    sandbox.write(".ctx/profiles/default.json", list.replace("left-pad", "requests"));
    sandbox.ctx(question).stdout_lacks("[dep:").stderr_has("1 setting is not trusted here").check();
}

#[test]
fn package_does_not_bring_the_packages_in_it() {
    let sandbox = sandbox();
    let package = |name: &str| format!("{{\"name\": \"{name}\", \"version\": \"1.0.0\"}}");
    sandbox.write("node_modules/foo/package.json", package("foo"));
    sandbox.write("node_modules/foo/index.js", "export function frobnicate() {}\n");
    sandbox.write("node_modules/foo/node_modules/bar/package.json", package("bar"));
    sandbox.write("node_modules/foo/node_modules/bar/index.js", "export function frobnicateBar() {}\n");
    let found = sandbox.ctx(["search", "frobnicate", "dep:foo"]).stdout_has("/foo/index.js:1");
    found.stdout_lacks("/bar/").check();
    let lock = "{\"packages\": {\"node_modules/foo/node_modules/bar\": {\"version\": \"1.0.0\"}}}";
    sandbox.write("package-lock.json", lock);
    let block = sandbox.ctx(["render", "--only", "dep:foo", "dep:bar"]).stdout_any().stderr_any().check();
    let labels: Vec<&str> = block.lines().filter(|line| line.ends_with("index.js]")).collect();
    assert_eq!(labels, ["[dep:foo@1.0.0 index.js]", "[dep:bar@1.0.0 index.js]"]);
}
