//! The plugin for `llm`, installed from the checkout, with a model that answers with its input.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use crate::llm::tool;
use crate::support::{Sandbox, binary};

const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/plugins/llm-fragments-ctx");

struct Llm {
    program: PathBuf,
    plugins: PathBuf,
}

impl Llm {
    fn with_plugin(sandbox: &Sandbox) -> Option<Self> {
        let plugins = sandbox.home().join("plugins");
        let install = Command::new(tool("pip")?)
            .args(["install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target"])
            .args([plugins.as_os_str(), PLUGIN.as_ref()])
            .output()
            .unwrap();
        assert!(install.status.success(), "{}", String::from_utf8_lossy(&install.stderr));
        Some(Self { program: tool("llm")?, plugins })
    }

    fn run(&self, sandbox: &Sandbox, arguments: &[&str]) -> Output {
        Command::new(&self.program)
            .args(arguments)
            .current_dir(sandbox.project())
            .env_clear()
            .envs(sandbox.environment())
            .env("LLM_USER_PATH", sandbox.home().join("llm"))
            .env("PYTHONPATH", &self.plugins)
            .env("CTX_PROGRAM", binary())
            .output()
            .unwrap()
    }

    fn json(&self, sandbox: &Sandbox, arguments: &[&str]) -> Value {
        let run = self.run(sandbox, arguments);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        serde_json::from_slice(&run.stdout).unwrap()
    }
}

fn kept() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("notes.md", "Zoë’s notes\n\n\n"),
        ("empty.md", ""),
        ("src/main.rs", "fn main() {\n    run(); // ]\n}"),
    ]);
    sandbox.ctx(["add", "notes.md", "empty.md", "src/**/*.rs"]).stderr_any().check();
    sandbox
}

#[test]
fn fragments_together_are_the_block_byte_for_byte() {
    let sandbox = kept();
    let Some(llm) = Llm::with_plugin(&sandbox) else { return };
    for format in ["text", "markdown", "xml"] {
        sandbox.ctx(["profile", "--set", &format!("format={format}")]).stderr_any().check();
        let block = sandbox.ctx(["render", "-p", "Where?"]).stderr_any().stdout_any().check();
        let answer = llm.json(&sandbox, &["-m", "echo", "--no-stream", "-f", "ctx:", "Where?"]);
        assert_eq!(format!("{}\n", answer["prompt"].as_str().unwrap()), block, "{format}");
    }
}

#[test]
fn each_document_is_a_separate_fragment() {
    let sandbox = kept();
    let Some(llm) = Llm::with_plugin(&sandbox) else { return };
    llm.json(&sandbox, &["-m", "echo", "--no-stream", "-f", "ctx:default", "Where?"]);
    let log = llm.json(&sandbox, &["logs", "-n", "1", "--json"]);
    let fragments = log[0]["prompt_fragments"].as_array().unwrap();
    let contents: Vec<&str> = fragments.iter().map(|each| each["content"].as_str().unwrap()).collect();
    assert_eq!(
        contents,
        [
            "--- CONTEXT FILES BEGIN ---",
            "[notes.md]\nZoë’s notes\n\n\n",
            "[empty.md]\n",
            "[src/main.rs]\nfn main() {\n    run(); // ]\n}",
            "--- CONTEXT FILES END ---\n",
        ]
    );
    let known = llm.run(&sandbox, &["fragments", "list"]);
    assert!(String::from_utf8(known.stdout).unwrap().contains("source: ctx:default src/main.rs\n"));
}

#[test]
fn fragments_of_a_search_are_the_block_for_its_query() {
    let sandbox = kept();
    let Some(llm) = Llm::with_plugin(&sandbox) else { return };
    sandbox.write("docs/tokens.md", "# Counting\n\nTokens are counted by merging pairs.\n");
    sandbox.write("docs/colours.md", "# Colours\n\nGreen is good.\n");
    sandbox.ctx(["add", "--search", "docs/*.md"]).stderr_any().check();
    let rendered = ["render", "--trim", "relevant", "--query", "merging pairs", "-p", "Explain it."];
    let block = sandbox.ctx(rendered).stderr_any().stdout_has("Tokens are counted").check();
    assert!(!block.contains("Green"));
    let fragment = "ctx-search:merging pairs";
    let answer = llm.json(&sandbox, &["-m", "echo", "--no-stream", "-f", fragment, "Explain it."]);
    assert_eq!(format!("{}\n", answer["prompt"].as_str().unwrap()), block);
    let known = llm.run(&sandbox, &["fragments", "list"]);
    let known = String::from_utf8(known.stdout).unwrap();
    assert!(known.contains("source: ctx-search:merging pairs docs/tokens.md"), "{known}");
    let empty = llm.run(&sandbox, &["-m", "echo", "-f", "ctx-search:", "Explain it."]);
    assert!(String::from_utf8(empty.stderr).unwrap().contains("no query; say what to look for"));
}

#[test]
fn llm_reports_an_error_of_ctx() {
    let sandbox = kept();
    let Some(llm) = Llm::with_plugin(&sandbox) else { return };
    let run = llm.run(&sandbox, &["-m", "echo", "-f", "ctx:gone", "Where?"]);
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(run.stderr).unwrap(),
        "Error: Could not load fragment ctx:gone: error: Profile 'gone' does not exist. \
         Available profiles: default\n"
    );
}
