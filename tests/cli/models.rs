use serde_json::Value;

use crate::support::Sandbox;

const OWN: &str = r#"{"models": [
    {"name": "zephyr-local", "window": 32768, "tokenizer": "bytes4", "date": "2026-01-02", "source": "its card"},
    {"name": "gpt-5", "window": 1000}
]}"#;

#[test]
fn the_models_are_listed_in_a_table() {
    let sandbox = Sandbox::new();
    let table = sandbox.ctx(["models"]).stdout_any().check();
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!(header, ["name", "window", "tokenizer", "factor", "provider"]);
    let row = |name: &str| -> Vec<&str> {
        let line = table.lines().find(|line| line.split_whitespace().next() == Some(name)).unwrap();
        line.split_whitespace().skip(1).collect()
    };
    assert_eq!(row("gpt-4o"), ["128,000", "o200k", "1", "OpenAI"]);
    assert!(row("claude-sonnet-4-5")[2].starts_with('~'));
}

#[test]
fn user_models_come_first_and_override_built_in_ones() {
    let sandbox = Sandbox::new();
    sandbox.write_store("models.json", OWN);
    let table = sandbox.ctx(["models"]).stdout_any().check();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[1], ["gpt-5", "1,000", "o200k", "~1", "user"]);
    assert_eq!(rows[2], ["zephyr-local", "32,768", "bytes4", "~1", "user"]);
    assert_eq!(rows.iter().filter(|row| row[0] == "gpt-5").count(), 1);
}

#[test]
fn json_includes_the_source_of_the_figures() {
    let sandbox = Sandbox::new();
    sandbox.write_store("models.json", OWN);
    let json = sandbox.ctx(["models", "--json"]).stdout_any().check();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["version"], 1);
    let models = json["models"].as_array().unwrap();
    let named = |name: &str| models.iter().find(|model| model["name"] == name).unwrap();
    assert_eq!(named("zephyr-local")["own"], true);
    assert_eq!(named("zephyr-local")["estimated"], true);
    assert_eq!(named("zephyr-local")["date"], "2026-01-02");
    assert_eq!(named("gpt-4o")["own"], false);
    assert_eq!(named("gpt-4o")["basis"], "exact");
    assert!(!named("gpt-4o")["source"].as_str().unwrap().is_empty());
}

#[test]
fn one_model_is_shown_in_full_by_any_of_its_names() {
    let sandbox = Sandbox::new();
    sandbox
        .ctx(["models", "anthropic/claude-sonnet-4.5"])
        .stdout_has("name         claude-sonnet-4-5\n")
        .stdout_has("window       ")
        .stdout_has("(measured)\n")
        .stdout_has("factor from  ")
        .check();
    let json = sandbox.ctx(["models", "--json", "gpt-4o"]).stdout_any().check();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["models"].as_array().unwrap().len(), 1);
}

#[test]
fn unknown_names_get_suggestions_and_a_damaged_file_is_reported_with_its_line() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["models", "gpt-4oo"]).code(2).stderr_has("did you mean").check();
    sandbox.write_store("models.json", "{\"models\": [\n{\"name\": 5}]}");
    sandbox
        .ctx(["models"])
        .code(4)
        .stderr_has("models.json': ")
        .stderr_has("line 2")
        .stderr_has("hint: the format is {\"models\": [{")
        .check();
}

#[test]
fn the_format_shown_in_the_help_is_accepted() {
    let sandbox = Sandbox::new();
    let help = sandbox.ctx(["models", "--help"]).stdout_any().check();
    let (_, form) = help.split_once("name and window are needed:\n").unwrap();
    sandbox.write_store("models.json", form);
    sandbox.ctx(["models"]).stdout_has("\nmy-model  ").stdout_has("\nother  ").check();
    sandbox.ctx(["models", "o"]).stdout_has("1.2 (cited)").check();
    sandbox.write_store("models.json", r#"{"models": [{"name": "my-model", "window": 32768}]}"#);
    sandbox.ctx(["models", "my-model"]).stdout_has("32,768").check();
}

#[cfg(unix)]
#[test]
fn a_models_file_that_is_a_pipe_is_refused_without_waiting() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["profile", "-c", "api"]).stderr_any().check();
    sandbox.fifo("../home/store/models.json");
    for args in [&["models"][..], &["render", "-m", "gpt-4o"]] {
        sandbox.ctx(args).code(4).stderr_has("models.json").check();
    }
    sandbox.ctx(["check"]).code(3).stdout_has("models.json").check();
}

#[test]
fn a_factor_below_one_is_reported_like_one_above_it() {
    let sandbox = Sandbox::with(&[("a.txt", "text\n")]);
    for factor in ["0.5", "1.5"] {
        let models = format!(r#"{{"models": [{{"name": "mine", "window": 32768, "factor": {factor}}}]}}"#);
        sandbox.write_store("models.json", models);
        sandbox
            .ctx(["render", "--only", "a.txt", "-m", "mine", "--stats"])
            .stdout_any()
            .stderr_has(&format!("counted with o200k times {factor}\n"))
            .check();
    }
}

#[test]
fn part_of_a_name_filters_the_models() {
    let sandbox = Sandbox::new();
    let listed = sandbox.ctx(["models", "sonnet"]).stdout_has("claude-sonnet-4-5").check();
    assert!(listed.lines().skip(1).all(|line| line.contains("sonnet")), "{listed}");
    assert!(listed.lines().count() > 2, "{listed}");
    sandbox.ctx(["models", "nonesuch"]).code(2).stderr_has("unknown model 'nonesuch'").check();
    sandbox.ctx(["render", "-m", "sonnet"]).code(2).stderr_has("did you mean claude-").check();
}

#[test]
fn tokens_are_counted_with_the_factor_of_the_script() {
    let sandbox = Sandbox::with(&[("a.rs", "fn main() {}\n"), ("b.md", "संगणक\n")]);
    let tokens = |path: &str, more: &[&str]| {
        let mut args = vec!["render", "--only", path, "--dry-run", "--json"];
        args.extend_from_slice(more);
        let run = sandbox.ctx(args).stdout_any().stderr_any().check();
        let account: Value = serde_json::from_str(&run).unwrap();
        (account["files"][0]["tokens"].as_u64().unwrap(), account["factor"].as_f64().unwrap(), account)
    };
    let (exact, one, account) = tokens("a.rs", &[]);
    assert_eq!((one, account.get("factors")), (1.0, None));
    let (code, factor, account) = tokens("a.rs", &["-m", "claude-sonnet-4-5"]);
    let factors = &account["factors"];
    assert_eq!(factors["Latin"].as_f64(), Some(factor));
    assert!(code <= (exact as f64 * factor).ceil() as u64, "{code}");
    let hindi = factors["Devanagari"].as_f64().unwrap();
    let (of_hindi, ..) = tokens("b.md", &["-m", "claude-sonnet-4-5"]);
    let (of_o200k, ..) = tokens("b.md", &[]);
    assert!(of_hindi > (of_o200k as f64 * factor).ceil() as u64, "{of_hindi} of {of_o200k}");
    assert!(of_hindi <= (of_o200k as f64 * hindi).ceil() as u64, "{of_hindi} of {of_o200k}");
}

#[test]
fn unknown_model_can_be_used_with_a_window() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    sandbox
        .ctx(["show", "-m", "phi4:14b"])
        .code(2)
        .stderr_has("hint: --window N works with any model; 'ctx models' lists those that ctx knows\n")
        .check();
    sandbox
        .ctx(["show", "-m", "phi4:14b", "--window", "16k"])
        .stdout_has("of 12,000 (75% of the 16,000 of phi4:14b) [")
        .check();
    sandbox
        .ctx(["show", "--window", "32768"])
        .stdout_has("of 24,576 (75% of 32,768, no model set) [")
        .check();
    sandbox
        .ctx(["show", "-m", "gpt-4o", "--window", "1m"])
        .stdout_has("(75% of the 1,000,000 of gpt-4o)")
        .check();
    for wrong in ["0", "75%", "none", "2000m", "x"] {
        sandbox.ctx(["show", "--window", wrong]).code(2).stderr_has("use tokens: 32768, 128k, 1m").check();
    }
}

#[test]
fn block_that_exceeds_the_models_window_is_a_warning_whatever_the_budget() {
    let sandbox =
        Sandbox::with(&[("a.txt", &"some words here\n".repeat(3_000))]).variable("CTX_MODEL", "gpt-4");
    let said = " tokens do not fit in the window of gpt-4 (8,192)\n";
    let warning = |tokens: &str| format!("warning: {tokens}{said}");
    let render = sandbox.ctx(["render", "--only", "-b", "100k", "a.txt"]).stdout_any();
    render.stderr(warning("12,013")).check();
    sandbox.ctx(["render", "--only", "-b", "none", "a.txt"]).stdout_any().stderr(warning("12,013")).check();
    sandbox.ctx(["render", "--only", "-b", "none", "--strict", "a.txt"]).code(3).stderr_has(said).check();
    sandbox.ctx(["ask", "-b", "100k", "some words?"]).stdout_any().stderr_has(said).check();
    sandbox.ctx(["ask", "-b", "100k", "some words?", "--", "cat"]).stdout_any().stderr_has(said).check();
    sandbox.ctx(["ask", "some words?"]).stdout_any().stderr_lacks("window").check();
    sandbox.ctx(["add", "-q", "*.txt"]).check();
    sandbox.ctx(["profile", "-q", "--set", "budget=1m"]).check();
    let show = sandbox.ctx(["--color", "always", "show"]).stderr_has("do not fit in the window");
    show.stdout_has("1% of 1,000,000 [\u{1b}[31m").check();
    sandbox.ctx(["check"]).code(3).stdout_has("budget:\n    default: 12,013 tokens do not fit in").check();
    sandbox.ctx(["check", "--json"]).code(3).stdout_has("\"over-window\"").check();
    // The window is only assumed if no model is named.
    sandbox.ctx(["show"]).env("CTX_MODEL", "gpt-4.1").stdout_any().check();
}

#[test]
fn no_hint_proposes_a_budget_above_the_models_window() {
    let sandbox =
        Sandbox::with(&[("large.txt", &"some words here\n".repeat(3_000)), ("b.txt", &"b\n".repeat(3_500))]);
    let told = "hint: the window of gpt-4 is 8,192 tokens; name or pin fewer files\n";
    for typed in [&["render", "-m", "gpt-4"][..], &["ask", "-m", "gpt-4", "some words?"]] {
        sandbox.ctx(["clear", "-q"]).check();
        sandbox.ctx(["add", "-q", "--pin", "large.txt"]).check();
        sandbox.ctx(typed).code(1).stderr_has(told).stderr_lacks("--budget").check();
        // A larger budget helps if the window has room.
        sandbox.ctx(["clear", "-q"]).check();
        sandbox.ctx(["add", "-q", "--pin", "b.txt"]).check();
        let hint = if typed[0] == "ask" { " --budget 8192 " } else { " --budget 70" };
        sandbox.ctx(typed).code(1).stderr_has(hint).stderr_lacks(told).check();
    }
}
