//! Embedded data, such as pictures in base64, is left out of documents unless it is allowed.

use crate::support::Sandbox;

fn picture() -> String {
    format!("data:image/png;base64,{}", "iVBORw0KGgo+".repeat(12_500))
}

fn sandbox() -> Sandbox {
    let readme = format!("# Title\n\n![a]({})\n\nThe end.\n", picture());
    let style = format!("a {{ src: url({}); }}\nb {{ color: red; }}\n", picture());
    Sandbox::with(&[
        ("README.md", &readme),
        ("style.css", &style),
        ("small.md", "![i](data:image/gif;base64,R0lGOD==)\n"),
    ])
}

#[test]
fn data_is_omitted_in_every_file_and_noted_once() {
    let block = sandbox()
        .ctx(["render", "--only", "*"])
        .stdout_any()
        .stderr(
            "note: 225 kB of embedded data omitted in 2 files: 'README.md' (113 kB), 'style.css' (113 kB); \
             --allow data keeps it\n",
        )
        .check();
    assert!(
        block.contains("# Title\n\n![a](data:image/png;base64,[… 113 kB omitted …])\n\nThe end.\n"),
        "{block}"
    );
    assert!(block.contains("a { src: url(data:image/png;base64,[… 113 kB omitted …]); }\nb {"), "{block}");
    assert!(block.contains("![i](data:image/gif;base64,R0lGOD==)\n"), "{block}");
}

#[test]
fn data_is_kept_where_it_is_allowed() {
    let sandbox = sandbox();
    let allowed = ["render", "--only", "-b", "none", "--allow", "data", "README.md"];
    sandbox.ctx(allowed).stdout_has(&picture()).check();
    sandbox.ctx(["add", "-q", "--allow", "data", "README.md"]).check();
    sandbox.ctx(["render", "-b", "none"]).stdout_has(&picture()).check();
    sandbox
        .ctx(["render", "-b", "none", "--allow", "none"])
        .stdout_lacks(&picture())
        .stderr_has("note: 113 kB of embedded data omitted in 1 file")
        .check();
}

#[test]
fn data_costs_nothing_in_any_budget_and_with_any_cache() {
    let sandbox = sandbox().a_minute_later();
    for _ in 0..2 {
        for trim in ["largest", "truncate", "outline"] {
            sandbox
                .ctx(["render", "--only", "-b", "400", "--trim", trim, "*"])
                .stdout_has("The end.\n")
                .stdout_has("b { color: red; }\n")
                .stderr_has("--allow data keeps it")
                .check();
        }
    }
}

#[test]
fn parts_of_files_questions_and_outputs_of_commands_lose_it_too() {
    let sandbox = sandbox();
    sandbox
        .ctx(["render", "--only", "README.md:3-5"])
        .stdout_has("[README.md:3-5]\n![a](data:image/png;base64,[… 113 kB omitted …])\n\nThe end.\n")
        .stderr_has("note: 113 kB of embedded data omitted")
        .check();
    sandbox.ctx(["ask", "where is the title?"]).stdout_lacks("iVBOR").stderr_any().check();
    sandbox
        .ctx(["render", "--only", "cmd:head -c 5000 README.md"])
        .stdout_lacks("iVBOR")
        .stderr_has("omitted")
        .check();
    sandbox.ctx(["search", "title"]).stdout_lacks("iVBOR").stderr_any().check();
}

#[test]
fn account_and_explanation_tell_how_much_was_omitted() {
    let sandbox = sandbox();
    let json = sandbox.ctx(["show", "-q", "--json", "--only", "*.md"]).stdout_any().check();
    let account: serde_json::Value = serde_json::from_str(&json).unwrap();
    let omitted =
        |file: usize| account["files"][file].get("omitted_data").and_then(serde_json::Value::as_u64);
    assert_eq!((omitted(0), omitted(1)), (Some(112_500), None));
    sandbox.ctx(["add", "-q", "README.md"]).check();
    sandbox.ctx(["explain", "README.md"]).stdout_has("  embedded data omitted: 113 kB\n").check();
}

#[test]
fn long_base64_is_omitted_without_a_type_and_on_several_lines() {
    let (data, line) = ("iVBORw0KGgo+".repeat(1_000), "iVBORw0KGgo+".repeat(6));
    let drawing =
        format!("<image href=\"data:image/png;base64,{line}\n  {line}\n  {line}\n  AA==\"/>\nlast\n");
    let sandbox = Sandbox::with(&[("wasm.ts", &format!("load(\"{data}\");\n")), ("drawing.svg", &drawing)]);
    let wasm = sandbox.ctx(["render", "--only", "wasm.ts"]).stdout_has("load(\"[… 9 kB omitted …]\");\n");
    wasm.stderr_has("note: 9 kB of embedded data omitted").check();
    let allowed = ["render", "--only", "--allow", "data", "wasm.ts"];
    sandbox.ctx(allowed).stdout_has(&data).check();
    // Later lines keep their numbers.
    sandbox.ctx(["render", "-q", "--only", "drawing.svg:5"]).stdout_has("]\nlast\n").check();
    sandbox.ctx(["render", "-q", "--only", "drawing.svg"]).stdout_has("omitted …]\n\n\n\"/>\nlast\n").check();
}
