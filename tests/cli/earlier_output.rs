//! What earlier commands printed into the tree, and the prompt's own file, are not context.

use serde_json::Value;

use crate::support::{Sandbox, block_of};

const QUESTION: &str = "how are keys rotated?";

fn fixture() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("src/keys.rs", "/// Rotates the keys.\npub fn rotate_keys() {}\n"),
        ("docs/guide.md", "# Guide\n\nKeys are rotated every night.\n"),
    ]);
    sandbox.repository();
    sandbox
}

#[test]
fn earlier_output_is_not_searched() {
    let sandbox = fixture();
    let first = sandbox.ctx(["ask", QUESTION]).stdout_any().check();
    assert!(first.contains("[src/keys.rs]") && first.contains("[docs/guide.md]"), "{first}");
    sandbox.write("prompt.txt", &first);
    for format in ["text", "xml", "json", "messages"] {
        let file = format!("earlier.{format}");
        sandbox.ctx(["ask", QUESTION, "--format", format, "-o", &file]).check();
    }
    sandbox.write("with-an-id.txt", first.replace("BEGIN ---", "BEGIN 514229317811 ---"));
    sandbox.write("changes.txt", first.replace("FILES BEGIN ---", "FILES CHANGED BEGIN ---"));
    assert_eq!(sandbox.ctx(["ask", QUESTION]).stdout_any().check(), first);
    assert_eq!(sandbox.ctx(["ask", QUESTION, "."]).stdout_any().check(), first);
    sandbox.ctx(["search", "keys rotated"]).stdout_lacks("prompt.txt").stdout_has("docs/guide.md").check();
    let all = sandbox.ctx(["render", "--only", "-r", "."]).stdout_any().check();
    assert_eq!(
        all,
        block_of(&[
            ("docs/guide.md", "# Guide\n\nKeys are rotated every night.\n"),
            ("src/keys.rs", "/// Rotates the keys.\npub fn rotate_keys() {}\n"),
        ])
    );
    sandbox.ctx(["render", "--only", "**"]).stdout_lacks("prompt.txt").stdout_has("[src/keys.rs]").check();
}

#[test]
fn earlier_output_is_left_out_of_a_large_search_too() {
    let sandbox = fixture();
    for number in 0..30 {
        let text = format!("pub fn other_{number}() {{ keys() }}\n").repeat(500);
        sandbox.write(&format!("src/other/file_{number}.rs"), text);
    }
    sandbox.ctx(["ask", QUESTION, "-o", "prompt.txt"]).stderr_any().check();
    sandbox
        .ctx(["ask", QUESTION])
        .stdout_lacks("[prompt.txt]")
        .stdout_has("[src/keys.rs]")
        .stderr_any()
        .check();
}

#[test]
fn accounts_and_results_as_json_are_not_searched() {
    let sandbox = fixture();
    let first =
        sandbox.ctx(["ask", QUESTION, "--manifest", "account.json"]).stdout_has("[src/keys.rs]").check();
    let plan = sandbox.ctx(["ask", QUESTION, "--json"]).stdout_any().check();
    sandbox.write("plan.json", &plan);
    sandbox.write("one-line.json", serde_json::from_str::<Value>(&plan).unwrap().to_string());
    let found = sandbox.ctx(["search", "--json", "keys rotated"]).stdout_any().check();
    sandbox.write("found.json", &found);
    assert_eq!(sandbox.ctx(["ask", QUESTION]).stdout_any().check(), first);
    sandbox.write("version.json", "{\"version\": 1, \"profile\": \"how keys are rotated\"}\n");
    sandbox.ctx(["ask", QUESTION]).stdout_has("[version.json]").stderr_any().check();
}

#[test]
fn a_named_file_is_included_even_if_ctx_wrote_it() {
    let sandbox = fixture();
    sandbox.ctx(["ask", QUESTION, "-o", "prompt.txt"]).check();
    sandbox
        .ctx(["render", "--only", "prompt.txt"])
        .stdout_has(" prompt.txt]\n--- CONTEXT FILES BEGIN ---\n")
        .check();
    sandbox.ctx(["ask", QUESTION, "prompt.txt"]).stdout_has(" prompt.txt]\n").check();
    sandbox
        .ctx(["render", "--only", "-p", "Explain @prompt.txt"])
        .stdout_has(" prompt.txt]\n")
        .stderr_any()
        .check();
    sandbox.ctx(["add", "prompt.txt"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has(" prompt.txt]\n").check();
    sandbox.ctx(["ask", QUESTION]).stdout_has(" prompt.txt]\n").check();
}

#[test]
fn earlier_output_is_a_reason_like_any_other() {
    let sandbox = fixture();
    sandbox.ctx(["ask", QUESTION, "-o", "prompt.txt"]).check();
    sandbox
        .ctx(["render", "--only", "*.txt"])
        .code(1)
        .stderr("error: '*.txt': none of the files that it matches can be used: 1 written by ctx\n")
        .check();
    sandbox
        .ctx(["explain", "prompt.txt"])
        .stdout_has("not on your list, and 'ctx ask' doesn't search it: it begins like the output of ctx\n")
        .stderr_any()
        .check();
    sandbox.ctx(["add", "-q", "*.txt", "src/**"]).stderr_any().check();
    sandbox.ctx(["show"]).stdout_has("*.txt (1 match, 0 tokens, 1 written by ctx)\n").check();
    sandbox
        .ctx(["explain", "prompt.txt"])
        .stdout_has("prompt.txt is left out: it begins like the output of ctx\n")
        .check();
    let explained = sandbox.ctx(["explain", "--json", "prompt.txt"]).stdout_any().check();
    let explained: Value = serde_json::from_str(&explained).unwrap();
    assert_eq!(explained["reason"]["code"], "written-by-ctx", "{explained}");
}

#[test]
fn file_of_the_prompt_is_not_context_unless_it_is_named() {
    let sandbox = fixture();
    let answer = sandbox.ctx(["ask", QUESTION]).stdout_any().check();
    sandbox.write("question.md", "how are keys rotated?\n");
    sandbox.ctx(["ask", "--prompt-file", "question.md"]).stdout(answer).check();
    sandbox
        .ctx(["render", "--only", "**/*.md", "--prompt-file", "./question.md"])
        .stdout_has("[docs/guide.md]")
        .stdout_lacks("[question.md]")
        .check();
    sandbox
        .ctx(["render", "--only", "question.md", "--prompt-file", "question.md"])
        .stdout(block_of(&[("question.md", "how are keys rotated?\n")]) + "\nhow are keys rotated?\n")
        .check();
    sandbox.ctx(["add", "-q", "question.md"]).check();
    sandbox.ctx(["ask", "--prompt-file", "question.md"]).stdout_has("[question.md]\n").check();
}
