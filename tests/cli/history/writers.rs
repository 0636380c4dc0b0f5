//! Many processes append to one history at once: nothing is lost, and no two turns are merged.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use ctx_core::history::{Addition, Message, NewMessages, Role};
use ctx_core::{ProfileName, Store};
use tempfile::TempDir;

const WRITERS: usize = 32;
const TURNS: usize = 10;
const BYTES: usize = 300_000;

/// The variables that make this program a writer.
const NUMBER: &str = "HISTORY_TEST_NUMBER";
const ROOT: &str = "HISTORY_TEST_ROOT";

fn name() -> ProfileName {
    "talk".parse().unwrap()
}

fn text(writer: usize, turn: usize) -> String {
    format!("{writer}-{turn} ").repeat(BYTES / 6)
}

fn start(number: usize, root: &Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "history::writers::writer", "--nocapture"])
        .env(NUMBER, number.to_string())
        .env(ROOT, root)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn writer() {
    let Ok(number) = env::var(NUMBER) else { return };
    let number = number.parse().unwrap();
    let store = Store::at(PathBuf::from(env::var_os(ROOT).unwrap())).with_patience(Duration::from_secs(300));
    for turn in 0..TURNS {
        let messages = vec![
            Message::text(Role::User, format!("{number}-{turn}")),
            Message::text(Role::Assistant, text(number, turn)),
        ];
        let turn = Addition::turn(NewMessages::of(messages));
        store.append_history(&name(), turn, SystemTime::UNIX_EPOCH).unwrap();
    }
}

#[test]
fn thirty_two_writers_neither_lose_nor_merge_turns() {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("not/yet/there");
    let writers: Vec<Child> = (0..WRITERS).map(|number| start(number, &root)).collect();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    let history = Store::at(root).history(&name()).unwrap();
    let turns = history.turns();
    let numbers: Vec<u64> = turns.iter().map(|turn| turn.turn.number).collect();
    assert_eq!(numbers, (1..=320).collect::<Vec<u64>>());
    let mut found = BTreeMap::new();
    for turn in turns {
        let [question, answer] = <[Message; 2]>::try_from(turn.turn.messages).unwrap();
        found.insert(question.content.unwrap(), answer.content.unwrap());
    }
    for writer in 0..WRITERS {
        for turn in 0..TURNS {
            let answer = found.remove(&format!("{writer}-{turn}")).expect("a turn was lost");
            assert!(answer == text(writer, turn), "the answer of {writer}-{turn} is another");
        }
    }
    assert!(found.is_empty());
}
