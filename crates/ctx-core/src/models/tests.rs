use proptest::prelude::*;

use super::*;
use crate::models::{Factor, ScriptFactors, Tokenizer};

fn found(name: &str) -> String {
    match Registry::built_in().find(name) {
        Ok(model) => model.name.clone(),
        Err(error) => panic!("{error}, near {:?}", error.near),
    }
}

fn near(name: &str) -> Vec<String> {
    match Registry::built_in().find(name) {
        Ok(model) => panic!("{name} is taken for {}", model.name),
        Err(error) => error.near,
    }
}

fn refused(json: &str) -> serde_json::Error {
    match Registry::with_user(json) {
        Ok(_) => panic!("accepted: {json}"),
        Err(error) => error,
    }
}

fn user(rows: &str) -> Registry {
    Registry::with_user(&format!(r#"{{"models": [{rows}]}}"#)).unwrap()
}

fn is_date(text: &str) -> bool {
    let shape =
        |(at, byte): (usize, u8)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() };
    text.len() == 10 && text.bytes().enumerate().all(shape)
}

#[test]
fn every_built_in_row_is_complete() {
    for model in Registry::built_in().models() {
        let name = &model.name;
        assert_ne!(model.provider, "user", "{name}");
        assert!(model.window >= 8_000, "{name}: {}", model.window);
        assert!(model.source.len() > 20, "{name}: {}", model.source);
        assert!(model.factor_source.len() > 20, "{name}: {}", model.factor_source);
        assert!(is_date(&model.date), "{name}: {}", model.date);
        assert_ne!(model.tokenizer, Tokenizer::Bytes4, "{name}");
        assert!(model.factor >= Factor::ONE, "{name}: a factor errs to the safe side");
        let is_exact = matches!(model.tokenizer, Tokenizer::Exact(_));
        assert!(model.basis != Basis::Exact || is_exact && model.factor == Factor::ONE, "{name}");
    }
}

#[test]
fn factors_by_script_are_named_or_listed_and_apply_only_to_o200k() {
    let is_measured = |name| {
        let model = Registry::built_in().find(name).unwrap().clone();
        model.tokenizer == Tokenizer::Weighted(ScriptFactors::measured("claude-3").unwrap())
    };
    assert!(is_measured("claude-sonnet-4-5") && !is_measured("claude-opus-4-7"));
    let own = user(
        r#"{"name": "a", "window": 9, "factors": {"Latin": 1.5, "symbols": 1.25, "other": 3}},
           {"name": "b", "window": 9, "factors": "llama4"}"#,
    );
    let a = own.find("a").unwrap();
    assert_eq!((a.basis, a.counter().tokens("fn main"), a.is_estimate()), (Basis::Cited, 3, true));
    assert_eq!(
        own.find("b").unwrap().tokenizer,
        Tokenizer::Weighted(ScriptFactors::measured("llama4").unwrap())
    );
    for (given, error) in [
        (r#""factors": "nobody's""#, "unknown factors 'nobody's'"),
        (r#""factors": {"Latin": 1.5, "symbols": 1.25}"#, "'factors' has no factor for 'other'"),
        (r#""factors": "llama4", "factor": 2"#, "'factor' or 'factors', not both"),
        (r#""factors": "llama4", "tokenizer": "cl100k""#, "'factors' apply only to o200k's tokens"),
    ] {
        let message =
            refused(&format!(r#"{{"models": [{{"name": "a", "window": 9, {given}}}]}}"#)).to_string();
        assert!(message.starts_with(error), "{message}");
    }
}

#[test]
fn every_name_and_alias_finds_its_own_model() {
    let registry = Registry::built_in();
    for model in registry.models() {
        for name in std::iter::once(&model.name).chain(&model.aliases) {
            assert_eq!(registry.find(name).unwrap(), model, "{name}");
            assert_eq!(registry.find(&name.to_uppercase()).unwrap(), model, "{name}");
        }
    }
}

#[test]
fn models_are_listed_by_provider_then_name() {
    let registry = Registry::built_in();
    let order = |model: &Model| (model.provider.to_lowercase(), model.name.clone());
    assert!(registry.models().is_sorted_by_key(order));
    let mut providers: Vec<_> = registry.models().iter().map(|m| m.provider.as_str()).collect();
    providers.dedup();
    let expected =
        ["Amazon", "Anthropic", "Cohere", "DeepSeek", "Google", "Meta", "Mistral", "OpenAI", "Qwen", "xAI"];
    assert_eq!(providers, expected);
}

#[test]
fn a_model_is_found_by_many_spellings_of_its_name() {
    for (spelling, name) in [
        ("gpt-5.1", "gpt-5.1"),
        ("GPT-5.1", "gpt-5.1"),
        ("gpt-5-1", "gpt-5.1"),
        ("openai/gpt-5.1", "gpt-5.1"),
        ("openrouter/openai/gpt-5.1", "gpt-5.1"),
        ("gpt-5.1-2025-11-13", "gpt-5.1"),
        ("gpt-5-2025-08-07", "gpt-5"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4-0613", "gpt-4"),
        ("gpt-4-turbo-2024-04-09", "gpt-4-turbo"),
        ("o3-2025-04-16", "o3"),
        ("openai.gpt-oss-120b-1:0", "gpt-oss-120b"),
        ("gpt-5-chat-latest", "gpt-5-chat-latest"),
        ("claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("claude-4.5-sonnet", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-latest", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet"),
        ("claude-3-5-sonnet-latest", "claude-3-5-sonnet"),
        ("gemini-2.5-pro", "gemini-2.5-pro"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("google/gemini-2.5-pro", "gemini-2.5-pro"),
        ("mistral-large-latest", "mistral-large-3"),
        ("mistralai/mistral-large-2512", "mistral-large-3"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b"),
        ("us.meta.llama4-scout-17b-instruct-v1:0", "llama-4-scout"),
        ("Qwen/Qwen3-Coder-480B-A35B-Instruct", "qwen3-coder-480b-a35b"),
        ("deepseek/deepseek-chat", "deepseek-chat"),
        ("x-ai/grok-4", "grok-4"),
        ("us.amazon.nova-pro-v1:0", "nova-pro"),
    ] {
        assert_eq!(found(spelling), name, "{spelling}");
    }
}

#[test]
fn a_name_with_a_tag_finds_a_model_of_its_family() {
    for (name, of) in [
        ("qwen2.5-coder:7b", "qwen2.5-72b-instruct"),
        ("ollama/llama3.2", "llama-3.2-1b"),
        ("qwen3:32b", "qwen3-32b"),
        ("llama3.2:3b", "llama-3.2-3b"),
        ("ollama/llama3.2:latest", "llama-3.2-1b"),
        ("gemma3:12b-it-q4_K_M", "gemma-3-12b-it"),
        ("gpt-oss:20b", "gpt-oss-20b"),
        ("deepseek-r1:14b", "deepseek-r1"),
    ] {
        assert_eq!(found(name), of, "{name}");
    }
    for name in ["phi4:14b", "qwen2.5-coder", ":7b", "gpt-50:1", "7b:"] {
        assert!(Registry::built_in().find(name).is_err(), "{name}");
    }
}

#[test]
fn a_name_that_only_resembles_another_finds_no_model() {
    for name in [
        "gpt-50",
        "gpt-5.99",
        "gpt-4.",
        "gpt-4-1",
        "gpt-4x",
        "o1-foo",
        "o",
        "gpt",
        "claude",
        "claude-sonnet",
        "claude-sonnet-4-5-20259999",
        "claude-sonnet-4-5-2025",
        "evil/gpt-5.1",
        "gpt-5.1/",
        "/gpt-5.1",
        "gpt-5.1-v1",
        "-latest",
        "-20250929",
        "",
        " ",
        "gpt-5.1 ",
        "us.",
        "anthropic/",
        "mistral-large-2407",
    ] {
        match Registry::built_in().find(name) {
            // A different model: `gpt-4-1` is `gpt-4.1`.
            Ok(model) => assert_eq!((name, model.name.as_str()), ("gpt-4-1", "gpt-4.1")),
            Err(error) => assert_eq!(error.name, name),
        }
    }
}

#[test]
fn an_unknown_name_has_near_misses() {
    assert_eq!(near("gpt-50")[0], "gpt-5");
    assert_eq!(near("claude-sonet-4-5")[0], "claude-sonnet-4-5");
    assert_eq!(near("gemini-2.5-por")[0], "gemini-2.5-pro");
    assert_eq!(near("evil/gpt-5.1")[0], "gpt-5.1");
    assert_eq!(near("us.anthropic.claude-opus-4-5-20251101-v1:00x")[0], "claude-opus-4-5");
    assert!(near("claude-sonnet").iter().all(|name| name.contains("sonnet")));
    assert_eq!(near("claude-sonnet").len(), 3);
    assert!(near("sonett").iter().all(|name| name.contains("sonnet")));
    assert_eq!(near("sonett").len(), 3);
    assert_eq!(near("sonnet"), ["claude-sonnet-5-5", "claude-sonnet-5", "claude-sonnet-4-6"]);
    assert_eq!(near("gemma2:9b"), ["gemma-4-26b-a4b-it", "gemma-4-31b-it", "gemma-3-12b-it"]);
    assert!(near("codellama")[0].starts_with("llama-4-"));
    assert!(near("deepseek-coder:6.7b")[0].starts_with("deepseek-v4-"));
    assert!(near("phi3:mini").is_empty());
    assert!(near("o9x").is_empty());
    assert!(near("qqqqqqqqqqqqqqqq").is_empty());
    assert!(near(&"gpt-5".repeat(100_000)).is_empty());
}

#[test]
fn an_unknown_name_is_shown_without_control_characters() {
    let error = Registry::built_in().find("gpt\u{1b}[2J\n").unwrap_err();
    assert_eq!(error.to_string(), r"unknown model 'gpt\u{1b}[2J\n'");
}

#[test]
fn a_user_row_needs_only_a_name_and_a_window() {
    let registry = user(r#"{"name": "local", "window": 32768}"#);
    let model = registry.find("local").unwrap();
    assert_eq!((model.window, model.tokenizer, model.factor), (32_768, Tokenizer::O200K, Factor::ONE));
    assert_eq!((model.provider.as_str(), model.basis), ("user", Basis::Assumed));
    assert!(model.is_estimate());
    assert!(model.own && registry.models().iter().filter(|model| model.own).count() == 1);
    assert_eq!(registry.models().len(), Registry::built_in().models().len() + 1);
}

#[test]
fn user_row_may_set_the_tokenizer_and_factor() {
    let registry = user(
        r#"{"name": "a", "window": 1, "tokenizer": "cl100k"},
           {"name": "b", "window": 2, "tokenizer": "o200k", "factor": 1.35},
           {"name": "c", "window": 3, "tokenizer": "bytes4", "unheard": {"of": [1]}},
           {"name": "d", "window": 4, "tokenizer": null, "factor": null, "basis": "measured"}"#,
    );
    let is = |name, tokenizer, thousandths, estimate| {
        let model = registry.find(name).unwrap();
        assert_eq!((model.tokenizer, model.factor.thousandths()), (tokenizer, thousandths), "{name}");
        assert_eq!(model.is_estimate(), estimate, "{name}");
    };
    is("a", Tokenizer::CL100K, 1000, false);
    is("b", Tokenizer::O200K, 1350, true);
    is("c", Tokenizer::Bytes4, 1000, true);
    is("d", Tokenizer::O200K, 1000, true);
}

#[test]
fn a_user_row_replaces_a_built_in_one_of_the_same_name_and_keeps_its_aliases() {
    let registry = user(r#"{"name": "Claude-Sonnet-4.5", "window": 1000000}"#);
    for name in ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929", "claude-4.5-sonnet"] {
        assert_eq!(registry.find(name).unwrap().window, 1_000_000, "{name}");
    }
    assert_eq!(registry.models().len(), Registry::built_in().models().len());
}

#[test]
fn an_alias_of_a_user_row_takes_precedence() {
    let registry =
        user(r#"{"name": "mine", "window": 5, "aliases": ["gpt-5", "mistral-large-latest", "best"]}"#);
    for name in ["mine", "gpt-5", "mistral-large-latest", "best"] {
        assert_eq!(registry.find(name).unwrap().name, "mine", "{name}");
    }
    assert_eq!(registry.find("mistral-large-2512").unwrap().name, "mistral-large-3");
    let listed = |name| registry.models().iter().any(|model| model.name == name);
    assert!(!listed("gpt-5") && listed("mistral-large-3"));
    for model in registry.models() {
        for name in std::iter::once(&model.name).chain(&model.aliases) {
            assert_eq!(registry.find(name).unwrap(), model, "{name}");
        }
    }
}

#[test]
fn an_invalid_user_file_is_refused_with_the_line() {
    for (row, reason) in [
        (r#"{"name": "a", "window": 0}"#, "a window must be 1 to"),
        (r#"{"name": "a", "window": 18446744073709551615}"#, "a window must be 1 to"),
        (r#"{"name": "a", "window": 99999999999999999999999}"#, "expected u64"),
        (r#"{"name": "a", "window": -1}"#, "expected u64"),
        (r#"{"name": "a", "window": 1.5}"#, "expected u64"),
        (r#"{"name": "a", "window": "1"}"#, "expected u64"),
        (r#"{"name": "a", "window": 1e999}"#, "number out of range"),
        (r#"{"name": "a"}"#, "missing field `window`"),
        (r#"{"window": 1}"#, "missing field `name`"),
        (r#"{"name": "a", "name": "b", "window": 1}"#, "duplicate field `name`"),
        (r#"{"name": "", "window": 1}"#, "a name must have 1 to"),
        (r#"{"name": "a b", "window": 1}"#, "cannot contain spaces"),
        (r#"{"name": "a\u001b[2J", "window": 1}"#, r"\u{1b}"),
        (r#"{"name": ["a"], "window": 1}"#, "expected a string"),
        (r#"{"name": "a", "window": 1, "aliases": "b"}"#, "expected a sequence"),
        (r#"{"name": "a", "window": 1, "aliases": [""]}"#, "a name must have 1 to"),
        (r#"{"name": "a.b", "window": 1, "aliases": ["A-B"]}"#, "'A-B' is named twice"),
        (r#"{"name": "a", "window": 1}, {"name": "a", "window": 2}"#, "'a' is named twice"),
        (r#"{"name": "a", "window": 1, "tokenizer": "p50k"}"#, "unknown tokenizer 'p50k'"),
        (r#"{"name": "a", "window": 1, "tokenizer": 5}"#, "expected a string"),
        (r#"{"name": "a", "window": 1, "factor": 0.05}"#, "a factor must be 0.1 to 100"),
        (r#"{"name": "a", "window": 1, "factor": 1e300}"#, "a factor must be 0.1 to 100"),
        (r#"{"name": "a", "window": 1, "factor": true}"#, "expected f64"),
        (r#"{"name": "a", "window": 1, "basis": "guessed"}"#, "unknown variant `guessed`"),
        ("5", "expected struct"),
    ] {
        let error = refused(&format!("{{\n\"models\": [\n{row}\n]}}"));
        assert!(error.to_string().contains(reason), "{row}: {error}");
        assert!((3..=4).contains(&error.line()), "{row}: {error}");
    }
    for text in ["", "[]", "5", "{}", "null", r#"{"models": {}}"#, r#"{"models": []} x"#, "\u{feff}{"] {
        refused(text);
    }
    assert!(refused(&"[".repeat(1_000_000)).line() <= 1);
}

proptest! {
    #[test]
    fn no_input_panics(name in ".{0,40}", json in ".{0,40}") {
        let registry = Registry::built_in();
        if let Err(error) = registry.find(&name) {
            prop_assert!(error.near.len() <= 3);
        }
        prop_assert!(Registry::with_user(&json).is_err());
    }

    #[test]
    fn platform_prefixes_and_suffixes_do_not_change_the_model(
        place in 0usize..1000, slash in 0usize..3, suffix in 0usize..4,
    ) {
        let registry = Registry::built_in();
        let model = &registry.models()[place % registry.models().len()];
        let slash = ["", "openai/", "openrouter/google/"][slash];
        let suffix = ["", "-20260101", "-2026-01-01", "-v1:0"][suffix];
        let name = format!("{slash}{}{suffix}", model.name);
        prop_assert_eq!(&registry.find(&name).unwrap().name, &model.name);
    }
}
