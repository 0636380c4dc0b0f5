use std::path::Path;

use crate::models::{Counter, Factor, ScriptFactors, Tokenizer};
use proptest::prelude::*;

use super::file::{History, Tail};
use super::{HistoryError, Message, Role, ToolCall, Turn, head_and_tail};

fn name() -> crate::ProfileName {
    "talk".parse().unwrap()
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (0_usize..40_000).prop_map(|size| {
            let text = "x".repeat(size);
            format!(r#"{{"turn":NUMBER,"messages":[{{"role":"user","content":"{text}"}}]}}"#)
        }),
        4 => (0_usize..90_000).prop_map(|size| {
            let text = "y".repeat(size);
            format!(r#"{{"turn":BEFORE,"messages":[{{"role":"assistant","content":"{text}"}}]}}"#)
        }),
        1 => Just(r#"{"summary":{"from":1,"to":2},"content":"s"}"#.to_owned()),
        1 => Just(r#"{"cleared":{"from":1,"to":1},"last":BEFORE}"#.to_owned()),
        1 => Just(String::new()),
    ]
}

/// Numbers the turns consecutively.
fn numbered(lines: Vec<String>) -> String {
    let mut last = 1;
    let mut text = String::from("{\"turn\":1,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}\n");
    for line in lines {
        last += u64::from(line.contains("NUMBER"));
        text += &line.replace("NUMBER", &last.to_string()).replace("BEFORE", &last.to_string());
        text.push('\n');
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn reading_the_end_of_a_file_agrees_with_reading_all_of_it(
        lines in prop::collection::vec(line(), 0..12),
        cut in 0_usize..200,
    ) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("talk.jsonl");
        let mut text = numbered(lines);
        text.truncate(text.len().saturating_sub(cut));
        std::fs::write(&path, &text).unwrap();
        let whole = History::parse(&name(), &path, text.as_bytes());
        let tail = Tail::read(&name(), &path);
        match (whole, tail) {
            (Ok(whole), Ok(tail)) => {
                prop_assert_eq!(tail.last_number, whole.last_number());
                prop_assert_eq!(tail.whole.lacks_newline, whole.whole.lacks_newline);
                prop_assert_eq!(tail.whole.length, whole.whole.length);
            }
            (whole, tail) => prop_assert!(false, "{whole:?} {tail:?}"),
        }
    }

    #[test]
    fn a_long_text_keeps_its_ends_within_the_limit(
        words in prop::collection::vec("[a-zé ]{1,12}\n?", 0..600),
        limit in 30_u64..400,
        tokenizer in prop_oneof![
            3 => prop::sample::select(&Tokenizer::ALL[..]),
            1 => Just(Tokenizer::Weighted(ScriptFactors::measured("qwen3").unwrap())),
        ],
        factor in 1.0_f64..2.0,
    ) {
        let text = words.concat();
        let counter = Counter { tokenizer, factor: Factor::from_number((factor * 10.0).round() / 10.0).unwrap() };
        let kept = head_and_tail(&text, limit, &counter);
        prop_assert!(counter.tokens(&kept) <= limit, "{} over {limit}", counter.tokens(&kept));
        prop_assert_eq!(kept == text, counter.tokens(&text) <= limit);
    }
}

#[test]
fn only_damage_at_the_end_prevents_a_new_turn() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("talk.jsonl");
    let good = "{\"turn\":7,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}\n";
    std::fs::write(&path, format!("nonsense\n{good}")).unwrap();
    assert_eq!(Tail::read(&name(), &path).unwrap().last_number, 7);
    std::fs::write(&path, format!("{good}nonsense\n")).unwrap();
    assert!(matches!(Tail::read(&name(), &path), Err(HistoryError::Damaged { line: 2, .. })));
    assert_eq!(Tail::read(&name(), Path::new("/nowhere")).unwrap().last_number, 0);
}

#[test]
fn a_turn_is_paired_if_every_call_is_followed_by_its_result() {
    let call = |id: &str| {
        Message::calls(vec![ToolCall {
            id: id.to_owned(),
            name: "read".to_owned(),
            arguments: String::new(),
        }])
    };
    let result = |id: &str| Message::result(id, None, "r");
    let paired = |messages: Vec<Message>| Turn { number: 1, messages }.is_paired();
    assert!(paired(vec![Message::text(Role::User, "q")]));
    assert!(paired(vec![call("a"), call("b"), result("b"), result("a")]));
    assert!(paired(vec![call("a"), result("a"), call("a"), result("a")]));
    assert!(!paired(vec![call("a"), call("b"), result("a")]));
    assert!(!paired(vec![result("a"), call("a")]));
    assert!(!paired(vec![call("a"), call("a"), result("a")]));
    assert!(!paired(vec![call("a"), result("a"), result("a")]));
}
