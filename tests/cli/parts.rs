//! What is reported about a document is true of the part of it that is printed.

use std::fs;
use std::time::SystemTime;

use ctx_core::entry::{Attributes, LevelOfDetail};
use ctx_core::{Budget, Context, Entry, Plan, Trim, World};
use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::Sandbox;

fn token() -> String {
    ["gh", "p_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat()
}

/// A function with a secret in its body, below its declaration and above many other lines.
fn with_secret_in_body() -> String {
    let rest: String = (0..12).map(|line| format!("    let x{line} = {line};\n")).collect();
    format!("pub fn connect() {{\n    let t = \"{}\";\n{rest}}}\n", token())
}

#[test]
fn strict_prints_an_outline_without_the_secrets_of_its_file() {
    let sandbox = Sandbox::with(&[("o.rs", &with_secret_in_body())]);
    sandbox.ctx(["add", "-q", "--as", "outline", "o.rs"]).check();
    sandbox.ctx(["render", "--strict"]).stdout_has("pub fn connect() {\n[… 13 lines omitted …]\n}\n").check();
    sandbox.ctx(["check"]).stdout_lacks("redacted").check();
    let account = sandbox.ctx(["show", "--json"]).stdout_any().check();
    assert!(!account.contains("github-token"), "{account}");
}

#[test]
fn strict_prints_a_found_passage_without_the_secrets_of_its_file() {
    let filler: String = (0..400).map(|line| format!("let other_{line} = {line};\n")).collect();
    let text = format!("let t = \"{}\";\n{filler}fn zebrafish() {{}}\n", token());
    let sandbox = Sandbox::with(&[("big.rs", &text)]);
    sandbox.ctx(["add", "-q", "--search", "big.rs"]).check();
    sandbox.ctx(["render", "--strict", "-p", "zebrafish"]).stdout_has("zebrafish").check();
}

#[test]
fn words_of_a_document_about_redaction_are_not_counted() {
    let filler = "one line of text that takes some room\n".repeat(200);
    let text = format!("[REDACTED:github-token] and <U+202E>\n{filler}{0}\n{0}\n", token());
    let sandbox = Sandbox::with(&[("doc.md", &text)]);
    let render = |more: &[&str]| sandbox.ctx([&["render", "doc.md"], more].concat()).stdout_any();
    render(&["-b", "200", "--trim", "truncate"]).stderr_lacks("redacted").check();
    render(&[]).stderr_has("warning: 2 secrets redacted in 1 file: 'doc.md' (2 github-token)\n").check();
}

/// Pieces of a source file: declarations, bodies, secrets, hidden characters, and text that looks like a marker.
fn source() -> impl Strategy<Value = String> {
    let pieces = [
        "pub fn one() {\n    first();\n    second();\n    third();\n}\n".to_owned(),
        format!("pub fn two() {{\n    let token = \"{}\";\n    second();\n    third();\n}}\n", token()),
        format!("pub const TOKEN: &str = token = \"{}\";\n", token()),
        "pub fn three() {\n    let hidden = \"\u{202e}\";\n    zebrafish();\n    third();\n}\n".to_owned(),
        "pub static HIDDEN: &str = hidden = \"\u{200b}\";\n".to_owned(),
        "// [REDACTED:github-token] and <U+202E> and <U+200B>\n".to_owned(),
        "pub fn four() {\n    zebrafish();\n    // [REDACTED:github-token]\n    third();\n}\n".to_owned(),
        "pub fn five() {\n    fifth();\n    fifth();\n    fifth();\n    fifth();\n    fifth();\n}\n"
            .repeat(4),
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 1..16).prop_map(|pieces| pieces.concat())
}

/// A way to print part of a file.
fn attributes() -> impl Strategy<Value = Attributes> {
    let lines = (1..40_u64, 0..40_u64).prop_map(|(first, more)| format!("{first}-{}", first + more));
    prop_oneof![
        Just(Attributes::default()),
        Just(Attributes { level: LevelOfDetail::Outline, ..Attributes::default() }),
        Just(Attributes { search: true, ..Attributes::default() }),
        lines.prop_map(|lines| Attributes { lines: lines.parse().ok(), ..Attributes::default() }),
    ]
}

fn world(directory: &TempDir) -> World {
    let cwd = directory.path().to_owned();
    World {
        root: cwd.clone(),
        cwd,
        home: None,
        project: None,
        git: ctx_core::world::GitEnvironment::default(),
        now: SystemTime::UNIX_EPOCH,
        threads: 1,
    }
}

/// How often something was replaced in a block: where the text before it is followed by anything on its line.
fn replaced(block: &str, before: &str) -> u64 {
    block.lines().filter_map(|line| line.split_once(before)).filter(|(_, rest)| !rest.is_empty()).count()
        as u64
}

/// How often something was replaced according to the account.
fn reported(plan: &Plan, key: &str) -> u64 {
    let account = serde_json::to_value(plan.account()).unwrap();
    let printed =
        |file: &&Value| ["included", "outlined", "truncated"].contains(&file["status"].as_str().unwrap());
    let files = account["files"].as_array().unwrap().iter().filter(printed);
    // Nothing found is no key.
    let tallies = files.flat_map(|file| file[key].as_array().into_iter().flatten());
    tallies.map(|tally| tally["count"].as_u64().unwrap()).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_reported_is_in_the_block(
        text in source(), attributes in attributes(), limit in prop::option::of(30..400_u64),
        trim in prop::sample::select(vec![Trim::Largest, Trim::Outline, Trim::Truncate, Trim::Relevant]),
        line_numbers in any::<bool>(), asks in any::<bool>(),
    ) {
        let directory = TempDir::new().unwrap();
        fs::write(directory.path().join("a.rs"), &text).unwrap();
        let context = Context::new()
            .entry(Entry { attributes, ..Entry::new("a.rs") })
            .budget(limit.map_or(Budget::Unlimited, Budget::Tokens))
            .trim(trim)
            .line_numbers(line_numbers);
        let context = if asks { context.query("zebrafish") } else { context };
        let plan = context.plan(&world(&directory)).unwrap();
        let Ok(printable) = plan.block() else { return Ok(()) };
        let mut block = Vec::new();
        printable.write(&mut block).unwrap();
        let block = String::from_utf8(block).unwrap();
        let notices: String = plan.notices().iter().map(|notice| format!("{}\n", notice.text)).collect();
        for (key, before, what, became) in [
            ("redacted", "token = \"", "secret", "redacted"),
            ("revealed", "hidden = \"", "hidden character", "made visible"),
        ] {
            let count = replaced(&block, before);
            prop_assert_eq!(reported(&plan, key), count, "{}\n{}", what, &block);
            let said = if count == 1 { format!("1 {what} {became}") } else { format!("{count} {what}s {became}") };
            prop_assert_eq!(notices.contains(became), count > 0, "{}\n{}", &notices, &block);
            prop_assert!(count == 0 || notices.contains(&said), "{notices}\n{block}");
        }
    }
}
