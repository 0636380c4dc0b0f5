//! The output of `--json` matches `schemas/`, and the schemas reject anything else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use ctx_core::account::{EntryState, InQuestions, Status};
use ctx_core::check::Group;
use ctx_core::entry::{Allowance, Kind, LevelOfDetail};
use ctx_core::history::Role;
use ctx_core::models::Tokenizer;
use ctx_core::plan::Effect;
use ctx_core::{Format, Scope, Trim};
use serde_json::{Value, json};

use crate::llm::tool;
use crate::support::Sandbox;

/// Checks JSON against the committed schemas.
struct Checker {
    program: PathBuf,
}

impl Checker {
    fn find() -> Option<Self> {
        tool("check-jsonschema").map(|program| Self { program })
    }

    /// What the checker reports about the documents; `None` if they are valid.
    fn complaints(&self, schema: &str, documents: &[PathBuf]) -> Option<String> {
        let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        let mut command = Command::new(&self.program);
        command.arg("--schemafile").arg(schemas.join(format!("{schema}-1.json"))).args(documents);
        let output = command.output().unwrap();
        (!output.status.success()).then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Checks that all outputs match the schema, and no longer do if a key is missing, unknown or wrong.
    #[track_caller]
    fn check(&self, sandbox: &Sandbox, schema: &str, outputs: &[String]) {
        let files: Vec<PathBuf> =
            outputs.iter().enumerate().map(|(at, text)| keep(sandbox, &format!("{at}.json"), text)).collect();
        assert_eq!(self.complaints(schema, &files), None, "{schema}");
        let document: Value = serde_json::from_str(&outputs[0]).unwrap();
        for (spoilt, how) in [
            (without(&document, "version"), "no version"),
            (with(&document, "version", json!(2)), "another version"),
            (with(&document, "surprise", json!(true)), "an unknown key"),
        ] {
            let file = keep(sandbox, "spoilt.json", &spoilt.to_string());
            assert!(self.complaints(schema, &[file]).is_some(), "{schema} allows {how}");
        }
    }
}

/// Writes a file outside of the project, so that no command comes across it.
fn keep(sandbox: &Sandbox, name: &str, text: &str) -> PathBuf {
    let path = sandbox.home().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn without(document: &Value, key: &str) -> Value {
    let mut document = document.clone();
    document.as_object_mut().unwrap().shift_remove(key);
    document
}

fn with(document: &Value, key: &str, value: Value) -> Value {
    let mut document = document.clone();
    document.as_object_mut().unwrap().insert(key.to_owned(), value);
    document
}

/// A project with an example of everything that the schemas describe.
fn eventful() -> Sandbox {
    let secret = format!("key = \"{}{}\"\n", "AKIA", "Q3EGRJ5XK7T2M4WZ");
    let sandbox = Sandbox::with(&[
        ("README.md", "# Readme\n"),
        ("AGENTS.md", "Be brief.\n"),
        (".cursor/rules/ts.mdc", "---\nglobs: \"**/*.ts\"\n---\nNo any.\n"),
        ("src/main.rs", "fn main() {}\n"),
        ("src/large.rs", &"let large = 1;\n".repeat(200)),
        ("src/secret.rs", &secret),
        ("src/hidden.rs", "a\u{202e}b\n"),
        ("src/old.rs", "old\n"),
        (".gitignore", "ignored.log\n"),
        ("ignored.log", "log\n"),
        ("keys/.env", "A=b\n"),
    ]);
    sandbox.write("latin.txt", b"caf\xe9\n");
    sandbox.write("binary.bin", b"\0\0\0");
    let add = |args: &[&str]| {
        let args: Vec<&str> = ["add"].iter().chain(args).copied().collect();
        sandbox.ctx(args).stdout_any().stderr_any().check();
    };
    add(&["README.md", "--pin", "--tag", "docs"]);
    add(&["src/**/*.rs", "!src/old.rs", "latin.txt"]);
    add(&["--force", "--allow", "secret-names", "**/*.log", "binary.bin", "missing.txt", "keys/.env"]);
    sandbox
}

fn printed(sandbox: &Sandbox, args: &[&str]) -> String {
    sandbox.ctx(args).stdout_any().stderr_any().check()
}

#[test]
fn the_account_matches_its_schema() {
    let Some(checker) = Checker::find() else { return };
    let sandbox = eventful();
    printed(&sandbox, &["render", "--manifest", "../home/manifest.json"]);
    let manifest = std::fs::read_to_string(sandbox.home().join("manifest.json")).unwrap();
    let cut = printed(&sandbox, &["show", "--json", "-b", "200", "--trim", "truncate"]);
    let dropped =
        printed(&sandbox, &["render", "--dry-run", "--json", "-b", "200", "-m", "claude-sonnet-4.5"]);
    for (output, status) in [(&cut, "truncated"), (&dropped, "dropped"), (&manifest, "skipped")] {
        assert!(output.contains(&format!("\"status\": \"{status}\"")), "no file is {status}: {output}");
    }
    for key in ["redacted", "revealed", "encoding"] {
        assert!(manifest.contains(&format!("\"{key}\"")), "nothing is {key}");
    }
    let outputs = [
        manifest,
        cut,
        dropped,
        printed(&sandbox, &["show", "--json", "--tag", "docs", "-b", "none"]),
        printed(&sandbox, &["render", "--only", "--dry-run", "--json", "--format", "xml", "src"]),
        printed(&sandbox, &["show", "--json", "--tokenizer", "bytes4"]),
        printed(&Sandbox::new(), &["show", "--json"]),
        printed(&sandbox, &["show", "--json", "-b", "3", "--trim", "truncate"]),
        printed(
            &sandbox,
            &["show", "--json", "--history=gone", "--instruction", "x", "--format", "messages"],
        ),
    ];
    assert!(outputs[7].contains("\"failure\""), "{}", outputs[7]);
    checker.check(&sandbox, "account", &outputs);

    let mut spoilt: Value = serde_json::from_str(&outputs[0]).unwrap();
    spoilt["files"][0]["status"] = json!("forgotten");
    let file = keep(&sandbox, "spoilt.json", &spoilt.to_string());
    let complaints = checker.complaints("account", &[file]).unwrap();
    assert!(complaints.contains("forgotten"), "{complaints}");
}

#[test]
fn profiles_match_their_schemas() {
    let Some(checker) = Checker::find() else { return };
    let sandbox = eventful();
    printed(&sandbox, &["switch", "-c", "api"]);
    let settings = ["description=The API", "model=gpt-4o", "budget=60k", "trim=truncate", "format=xml"];
    for setting in settings {
        printed(&sandbox, &["profile", "--set", setting]);
    }
    let outputs =
        [printed(&sandbox, &["profile", "--json"]), printed(&Sandbox::new(), &["profile", "--json"])];
    checker.check(&sandbox, "profiles", &outputs);
    checker.check(&sandbox, "profile", &[printed(&sandbox, &["profile", "--current", "--json"])]);
}

#[test]
fn explanations_match_their_schemas() {
    let Some(checker) = Checker::find() else { return };
    let sandbox = eventful();
    let explain = |args: &[&str]| {
        let args: Vec<&str> = ["explain", "--json"].iter().chain(args).copied().collect();
        printed(&sandbox, &args)
    };
    let outputs = [
        explain(&["src/main.rs"]),
        explain(&["src/old.rs"]),
        explain(&["ignored.log"]),
        explain(&["binary.bin"]),
        explain(&["keys/.env"]),
        explain(&["src/large.rs", "-b", "200"]),
        explain(&["src/large.rs", "-b", "200", "--trim", "truncate"]),
        explain(&["src/secret.rs"]),
        explain(&["src/main.rs", "--tag", "docs"]),
    ];
    checker.check(&sandbox, "explain", &outputs);
    sandbox.ctx(["add", "-f", "cmd:date", "git:log", "up:AGENTS.md|CLAUDE.md"]).stderr_any().check();
    let outputs = [explain(&["up:AGENTS.md|CLAUDE.md"]), explain(&["cmd:date"]), explain(&["git:log"])];
    checker.check(&sandbox, "explain-entry", &outputs);
}

#[test]
fn findings_match_their_schema() {
    let Some(checker) = Checker::find() else { return };
    let check = |sandbox: &Sandbox, code| {
        sandbox.ctx(["check", "--json", "-b", "200"]).code(code).stdout_any().stderr_any().check()
    };
    let sandbox = eventful();
    let found = check(&sandbox, 3);
    let clean = check(&Sandbox::new(), 0);
    let damaged = Sandbox::new();
    damaged.write_store("global.json", "{");
    let damaged = check(&damaged, 3);
    assert!(!damaged.contains("\"window\""), "{damaged}");
    checker.check(&sandbox, "check", &[found, clean, damaged]);
}

#[test]
fn detected_files_match_their_schema() {
    let Some(checker) = Checker::find() else { return };
    let sandbox = eventful();
    let outputs = [
        printed(&sandbox, &["detect", "--json"]),
        printed(&sandbox, &["detect", "--add", "--json"]),
        printed(&Sandbox::new(), &["detect", "--json"]),
    ];
    assert!(outputs[0].contains("\"conditional\""), "{}", outputs[0]);
    checker.check(&sandbox, "detect", &outputs);
}

#[test]
fn models_match_their_schema() {
    let Some(checker) = Checker::find() else { return };
    let sandbox = Sandbox::new();
    let outputs =
        [printed(&sandbox, &["models", "--json"]), printed(&sandbox, &["models", "--json", "gpt-4o"])];
    checker.check(&sandbox, "models", &outputs);
}

#[test]
fn search_results_match_their_schema() {
    let Some(checker) = Checker::find() else { return };
    let sandbox = Sandbox::with(&[("a.md", "# Keys\n\nRotate the keys.\n")]);
    checker.check(&sandbox, "search", &[printed(&sandbox, &["search", "--json", "rotate", "a.md"])]);
}

#[test]
fn the_cache_matches_its_schema() {
    let Some(checker) = Checker::find() else { return };
    let sandbox = eventful();
    let empty = printed(&sandbox, &["cache", "--json"]);
    printed(&sandbox, &["render"]);
    checker.check(&sandbox, "cache", &[printed(&sandbox, &["cache", "--json"]), empty]);
}

#[test]
fn histories_match_their_schemas() {
    let Some(checker) = Checker::find() else { return };
    let sandbox = eventful();
    let append = |args: &[&str]| printed(&sandbox, &[&["history", "append", "--role"], args].concat());
    append(&["user", "Why?"]);
    append(&["assistant", "--id", "c1", "--name", "read", "{}"]);
    append(&["tool", "text"]);
    append(&["assistant", "Because."]);
    let lists = [printed(&sandbox, &["history", "--json"]), printed(&Sandbox::new(), &["history", "--json"])];
    checker.check(&sandbox, "histories", &lists);
    let shown = [
        printed(&sandbox, &["history", "show", "--json"]),
        printed(&sandbox, &["history", "show", "--json", "--raw", "--last", "0"]),
    ];
    checker.check(&sandbox, "history", &shown);
}

#[cfg(unix)]
#[test]
fn checkpoints_match_their_schema() {
    let Some(checker) = Checker::find() else { return };
    let sandbox = eventful();
    let empty = printed(&sandbox, &["checkpoint", "--json"]);
    printed(&sandbox, &["checkpoint", "create", "-m", "first"]);
    checker.check(&sandbox, "checkpoints", &[printed(&sandbox, &["checkpoint", "--json"]), empty]);
}

#[test]
fn to_do_lists_match_their_schemas() {
    let Some(checker) = Checker::find() else { return };
    let sandbox = Sandbox::new();
    let empty = printed(&sandbox, &["todo", "--json"]);
    printed(&sandbox, &["todo", "add", "one", "two"]);
    printed(&sandbox, &["todo", "done", "1", "--note", "n", "--files", "a.rs"]);
    checker.check(&sandbox, "todos", &[printed(&sandbox, &["todo", "--json"]), empty]);
    checker.check(&sandbox, "todo", &[printed(&sandbox, &["todo", "show", "--json"])]);
}

#[test]
fn items_that_need_trust_match_their_schema() {
    let Some(checker) = Checker::find() else { return };
    let sandbox = Sandbox::with(&[("test.sh", "echo x\n")]);
    let empty = printed(&sandbox, &["trust", "--dry-run", "--json"]);
    printed(&sandbox, &["add", "cmd:sh test.sh"]);
    checker.check(&sandbox, "trust", &[printed(&sandbox, &["trust", "--dry-run", "--json"]), empty]);
}

#[test]
fn an_export_matches_its_schema() {
    let Some(checker) = Checker::find() else { return };
    let sandbox = eventful();
    sandbox.write_store("profiles/later.json", r#"{"paths": [{"path": "a", "later": 1}], "hooks": {}}"#);
    let outputs = [printed(&sandbox, &["export", "--all", "-g"]), printed(&sandbox, &["export"])];
    checker.check(&sandbox, "export", &outputs);
}

/// The schemas by their names, such as `account-1.json`.
fn schemas() -> BTreeMap<String, Value> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
    };
    std::fs::read_dir(directory).unwrap().map(|entry| read(entry.unwrap().path())).collect()
}

/// Every list of values that part of a schema allows, with its JSON pointer.
fn word_lists(pointer: &str, part: &Value, found: &mut Vec<(String, Vec<String>)>) {
    if let Some(words) = part.get("enum").and_then(Value::as_array) {
        let words = words.iter().map(|word| word.as_str().unwrap().to_owned()).collect();
        found.push((pointer.to_owned(), words));
    }
    for (key, part) in part.as_object().into_iter().flatten() {
        word_lists(&format!("{pointer}/{key}"), part, found);
    }
}

fn displayed<T: ToString>(all: &[T]) -> Vec<String> {
    all.iter().map(T::to_string).collect()
}

fn serialized<T: serde::Serialize>(all: &[T]) -> Vec<String> {
    all.iter().map(|one| serde_json::to_value(one).unwrap().as_str().unwrap().to_owned()).collect()
}

fn is_less_than_full(level: &LevelOfDetail) -> bool {
    *level != LevelOfDetail::Full
}

/// The values that the program knows for this part of a schema; `None` if it has no such list.
fn known_words(schema: &str, pointer: &str) -> Option<Vec<String>> {
    let words = match (schema, pointer.rsplit('/').next().unwrap()) {
        ("explain-1.json", "status") if pointer == "/properties/status" => {
            [serialized(&Status::ALL), vec!["out".to_owned()]].concat()
        }
        ("explain-1.json", "kind") => return None,
        ("export-1.json", "as") | (_, "level") => displayed(&LevelOfDetail::ALL),
        (_, "as") => displayed(&LevelOfDetail::ALL.into_iter().filter(is_less_than_full).collect::<Vec<_>>()),
        (_, "effect") => serialized(&Effect::ALL),
        (_, "format") => displayed(&Format::ALL),
        (_, "group") => serialized(&Group::ALL),
        (_, "in_questions") => serialized(&InQuestions::ALL),
        (_, "kind") => Kind::ALL.into_iter().map(|kind| kind.name().to_owned()).collect(),
        (_, "role") => displayed(&Role::ALL),
        (_, "scope") => serialized(&Scope::ALL),
        (_, "state") => serialized(&EntryState::ALL),
        (_, "status") => serialized(&Status::ALL),
        (_, "tokenizer") => displayed(&Tokenizer::ALL),
        (_, "trim") => displayed(&Trim::ALL),
        (_, "items") if pointer.ends_with("/allow/items") => displayed(&Allowance::ALL),
        (_, "loading" | "origin") => return None,
        _ => panic!("{schema}: which words has {pointer}?"),
    };
    Some(words)
}

#[test]
fn values_allowed_by_schemas_are_those_of_the_program() {
    for (name, schema) in schemas() {
        let mut lists = Vec::new();
        word_lists("", &schema, &mut lists);
        for (pointer, mut words) in lists {
            let Some(mut known) = known_words(&name, &pointer) else { continue };
            words.sort();
            known.sort();
            assert_eq!(words, known, "{name}: {pointer}");
        }
    }
}

#[test]
fn every_schema_is_valid_and_is_tested() {
    let Some(checker) = Checker::find() else { return };
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let mut tested = Vec::new();
    for part in include_str!("schemas.rs").split("checker.check(&sandbox, \"").skip(1) {
        tested.push(format!("{}-1.json", part.split('"').next().unwrap()));
    }
    for entry in std::fs::read_dir(schemas).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(tested.iter().any(|tested| tested == name), "no test for {name}");
        let output = Command::new(&checker.program).arg("--check-metaschema").arg(&path).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}
