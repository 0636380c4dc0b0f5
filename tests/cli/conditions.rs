//! Entries that are used only beside documents that match a pattern.

use std::process::Command;

use crate::support::Sandbox;

fn project() -> Sandbox {
    let code = |word: &str| (0..900).map(|number| format!("fn {word}_{number}() {{}}\n")).collect::<String>();
    let sandbox = Sandbox::with(&[
        ("web-rules.md", "Use hooks. See @more.md.\n"),
        ("more.md", "No classes.\n"),
        ("api-rules.md", "Use axum.\n"),
        ("api/main.rs", &code("handler")),
        ("packages/web/view.rs", &(code("view") + "fn render_statusline() { draw() }\n")),
    ]);
    let add = |words: &[&str]| sandbox.ctx(["add"].iter().chain(words)).stderr_any().check();
    add(&["--imports", "web-rules.md", "--when", "packages/web/**"]);
    add(&["api-rules.md", "--when", "api/**"]);
    sandbox
}

#[test]
fn entry_is_used_if_a_chosen_document_matches_its_condition() {
    let sandbox = project();
    for paths in [&[][..], &["packages"]] {
        let ask = ["ask", "-b", "3k", "what does render_statusline draw?"];
        let block = sandbox.ctx(ask.iter().chain(paths)).stderr_any().stdout_any().check();
        assert!(block.contains("[web-rules.md]\nUse hooks.") && block.contains("No classes."), "{block}");
        assert!(!block.contains("axum"), "{block}");
    }
    let block = sandbox.ctx(["render", "api/main.rs"]).stderr_any().stdout_any().check();
    assert!(block.contains("Use axum.") && !block.contains("hooks"), "{block}");
    sandbox.ctx(["render", "-p", "x"]).stdout("x\n").stderr_any().check();
}

#[test]
fn search_finds_a_file_whatever_its_condition() {
    let sandbox = Sandbox::with(&[
        ("rules.md", "# Zebra\nFrobnicate the zebra.\n"),
        ("a.rs", "// the zebra\nfn a() {}\n"),
    ]);
    for _ in 0..2 {
        sandbox.ctx(["search", "frobnicate the zebra"]).stdout_has("rules.md").stderr_any().check();
        sandbox.ctx(["add", "rules.md", "--when", "*.rs"]).stderr_any().check();
    }
}

#[test]
fn conditional_entry_displaces_nothing() {
    let sandbox = project();
    sandbox.write("web-rules.md", "Use hooks.\n".repeat(40));
    let ask = |budget: &str| {
        let run = sandbox.ctx(["ask", "-b", budget, "what does render_statusline draw?", "packages"]);
        run.stdout_any().stderr_has("note: no room for files whose condition is met: 'web-rules.md'").check()
    };
    let block = ask("100");
    assert!(block.contains("render_statusline()") && !block.contains("hooks"), "{block}");
    sandbox.write("web-rules.md", "Use hooks.\n".repeat(900));
    assert!(!ask("10k").contains("hooks"));
}

#[test]
fn conditional_entry_never_makes_a_block_fail() {
    let code: String = (0..60).map(|number| format!("fn handler_{number}() {{}}\n")).collect();
    let sandbox = Sandbox::with(&[("a.rs", &code), ("rules.md", "Hi.\n")]);
    sandbox.ctx(["add", "a.rs", "--pin"]).stderr_any().check();
    let render = |budget: u64| {
        let words = ["render", "--format", "xml", "-b", &budget.to_string()];
        let mut command = Command::new(crate::support::binary());
        let command = command.args(words).current_dir(sandbox.project()).env_clear();
        let run = command.envs(sandbox.environment()).output().unwrap();
        run.status.success().then(|| String::from_utf8(run.stdout).unwrap())
    };
    let least = (300..900).step_by(10).find(|budget| render(*budget).is_some()).unwrap();
    sandbox.ctx(["add", "rules.md", "--when", "*.rs"]).stderr_any().check();
    let blocks: Vec<String> = (least..least + 60).step_by(3).map(|budget| render(budget).unwrap()).collect();
    assert!(blocks.iter().all(|block| block.contains("fn handler_59()")));
    assert!(!blocks[0].contains("Hi.") && blocks.last().unwrap().contains("Hi."));
}

#[test]
fn file_too_long_for_its_condition_still_competes_in_a_search_of_everything() {
    let rule = "Keep the stripes apart from all other things, always and everywhere.\n";
    let rules = format!("# Stripes\n\n{}\n# Zebra\n\nFrobnicate the zebra with care.\n", rule.repeat(250));
    let sandbox = Sandbox::with(&[("rules.md", &rules), ("a.rs", "fn zebra() { frobnicate() }\n")]);
    sandbox.ctx(["add", "rules.md", "--when", "*.rs"]).stderr_any().check();
    sandbox
        .ctx(["ask", "how does one frobnicate the zebra?"])
        .stdout_has("Frobnicate the zebra with care.\n")
        .stderr_lacks("no room")
        .stderr_any()
        .check();
}

#[test]
fn conditions_do_not_depend_on_other_conditional_entries() {
    let sandbox = project();
    sandbox.ctx(["add", "more.md", "--when", "web-rules.md"]).stderr_any().check();
    sandbox.ctx(["set", "web-rules.md", "--unset", "imports"]).stderr_any().check();
    let block = sandbox.ctx(["render", "packages/web/view.rs"]).stderr_any().stdout_any().check();
    assert!(block.contains("hooks") && !block.contains("No classes."), "{block}");
}

#[test]
fn show_names_the_condition_and_an_invalid_one_is_an_error() {
    let sandbox = project();
    let shown = "    web-rules.md (with imports, when packages/web/**)\n    api-rules.md (when api/**)\n";
    sandbox.ctx(["show"]).stdout_has(shown).stderr_any().check();
    sandbox.ctx(["add", "x.md", "--when", "["]).code(2).stderr_has("is not closed").check();
    sandbox.ctx(["set", "api-rules.md", "--unset", "when"]).stderr_any().check();
    sandbox.ctx(["show"]).stdout_has("api-rules.md (1 match, ").stderr_any().check();
}
