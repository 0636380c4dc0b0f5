//! What caches may and may not change.

mod listed;
mod other_names;
mod ranked;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::{Detail, Form, Measure, Plan, Progress, ReadOptions, Request, UserMessage, plan};
use crate::account::Status;
use crate::budget::{Budget, Trim};
use crate::cache::{Cache, Checksum, Key, Record, TextKind, Treatment};
use crate::entry::{Allowed, Entry, ScopedEntry};
use crate::format::Format;
use crate::guard::names::holds_secrets;
use crate::models::Tokenizer;
use crate::select::Options;
use crate::source::Order;
use crate::world::World;

/// A directory of files, with a cache next to it.
struct Place {
    files: TempDir,
    cache: TempDir,
}

impl Place {
    /// 70 files, each longer than the previous one: 5 to 350 words.
    fn with_many() -> Self {
        let place = Self { files: tempfile::tempdir().unwrap(), cache: tempfile::tempdir().unwrap() };
        for number in 0..70 {
            place
                .write(&format!("f{number:02}.txt"), "some words that make up one line\n".repeat(number + 1));
        }
        place
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.files.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// The tree a minute from now, when no further change to a file could go unnoticed.
    fn world(&self) -> World {
        World {
            cwd: self.files.path().to_owned(),
            root: self.files.path().to_owned(),
            home: None,
            project: None,
            git: crate::world::GitEnvironment::default(),
            now: SystemTime::now() + Duration::from_secs(60),
            threads: 2,
        }
    }

    fn request(&self, budget: Budget, detail: Detail) -> Request {
        Request {
            profile: None,
            project: None,
            entries: vec![ScopedEntry::typed(Entry::new("*.txt"))],
            provided: Vec::new(),
            notices: Vec::new(),
            selection: Options::new(holds_secrets),
            reading: ReadOptions::default(),
            order: Order::default(),
            form: Form::default(),
            measure: Measure::of(None, None, None, Some(budget), Trim::Largest),
            instruction: None,
            conversation: None,
            query: None,
            commits: crate::source::git::EarlierCommits::Off,
            words: None,
            looked_through: None,
            list: super::ListUse::default(),
            since: None,
            question: None,
            prompt: Some(UserMessage::typed("why?".to_owned(), Allowed::default())),
            purpose: super::Purpose::Block,
            detail,
            sums_everything: false,
            cache: Some(self.cache.path().to_owned()),
            progress: None,
        }
    }

    fn plan(&self, budget: Budget, detail: Detail) -> Plan {
        plan(&self.request(budget, detail), &self.world()).unwrap()
    }
}

fn block(plan: &Plan) -> String {
    let mut block = Vec::new();
    plan.block().unwrap().write(&mut block).unwrap();
    String::from_utf8(block).unwrap()
}

#[test]
fn warm_render_of_awkward_texts_gives_the_same_block_and_notices() {
    let place = Place::with_many();
    for (name, text) in [
        ("a-empty.txt", String::new()),
        ("a-break.txt", "\n".to_owned()),
        ("a-open.txt", "no line end".to_owned()),
        ("a-dos.txt", "one\r\ntwo\r\n".to_owned()),
        ("a-fence.txt", "```\ncode\n```\n".to_owned()),
        ("a-greek.txt", "λόγος\nκαὶ ἔργον\n".to_owned()),
        ("a-hidden.txt", "hid\u{202e}den\n".to_owned()),
        ("a-long.txt", "x".repeat(100_000)),
        ("a-blank.txt", format!("{}word{}", " ".repeat(40), " ".repeat(40))),
        ("a-secret.txt", ["ghp", "_", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5\n"].concat()),
    ] {
        place.write(name, text);
    }
    for format in Format::ALL {
        for budget in [Budget::Unlimited, Budget::Tokens(4_000), Budget::Tokens(200)] {
            let of = |cache: Option<PathBuf>| {
                let request = place.request(budget, Detail::Block);
                let request = Request { cache, form: Form { format, ..Form::default() }, ..request };
                plan(&request, &place.world()).unwrap()
            };
            let cold = of(None);
            for _ in 0..2 {
                let warm = of(Some(place.cache.path().to_owned()));
                assert_eq!(block(&warm), block(&cold), "{format} {budget:?}");
                assert_eq!(warm.notices(), cold.notices(), "{format} {budget:?}");
            }
        }
    }
}

#[test]
fn warm_render_over_budget_reads_only_what_it_prints() {
    let place = Place::with_many();
    place.plan(Budget::Unlimited, Detail::Counts);
    let progress = Arc::new(Progress::default());
    let request = place.request(Budget::Tokens(1_000), Detail::Block);
    let warm = plan(&Request { progress: Some(Arc::clone(&progress)), ..request }, &place.world()).unwrap();
    let printed = warm.account().with_status(Status::Included).count() as u64;
    let (read, _) = progress.so_far();
    assert!(printed > 5 && read < printed + 5, "{read} files read, {printed} printed");
}

#[test]
fn second_render_over_budget_reads_only_what_it_prints() {
    let place = Place::with_many();
    let cold = place.plan(Budget::Tokens(1_000), Detail::Block);
    let progress = Arc::new(Progress::default());
    let request = place.request(Budget::Tokens(1_000), Detail::Block);
    let warm = plan(&Request { progress: Some(Arc::clone(&progress)), ..request }, &place.world()).unwrap();
    let printed = warm.account().with_status(Status::Included).count() as u64;
    let (read, _) = progress.so_far();
    assert!(printed > 5 && read < printed + 5, "{read} files read, {printed} printed");
    assert_eq!(block(&warm), block(&cold));
    assert_eq!(warm.notices(), cold.notices());
}

#[test]
fn dropped_file_is_printed_as_soon_as_it_fits() {
    let place = Place::with_many();
    for budget in [300, 5_000, 100, 20_000, 1_000, 2_000].map(Budget::Tokens) {
        let request = place.request(budget, Detail::Block);
        let cold = plan(&Request { cache: None, ..request }, &place.world()).unwrap();
        let warm = place.plan(budget, Detail::Block);
        assert_eq!(block(&warm), block(&cold), "{budget:?}");
        assert_eq!(warm.notices(), cold.notices(), "{budget:?}");
    }
}

#[test]
fn dropped_file_is_printed_once_it_is_replaced_by_a_smaller_one() {
    let place = Place::with_many();
    place.plan(Budget::Tokens(1_000), Detail::Block);
    let new = place.write("new", "a short text\n");
    fs::rename(new, place.files.path().join("f65.txt")).unwrap();
    place.write("f66.txt", "another one\n");
    let warm = block(&place.plan(Budget::Tokens(1_000), Detail::Block));
    assert!(
        warm.contains("[f65.txt]\na short text\n") && warm.contains("[f66.txt]\nanother one\n"),
        "{warm}"
    );
}

#[test]
fn cache_ignores_files_newer_than_the_clock() {
    let place = Place::with_many();
    let young = World { now: SystemTime::now(), ..place.world() };
    let before = World { now: SystemTime::now() - Duration::from_secs(3_600), ..place.world() };
    for world in [&young, &before] {
        plan(&place.request(Budget::Tokens(1_000), Detail::Block), world).unwrap();
        assert!(Cache::at(place.cache.path().to_owned()).is_empty());
    }
    place.plan(Budget::Unlimited, Detail::Counts);
    let progress = Arc::new(Progress::default());
    let request = place.request(Budget::Tokens(1_000), Detail::Block);
    plan(&Request { progress: Some(Arc::clone(&progress)), ..request }, &before).unwrap();
    assert_eq!(progress.so_far(), (70, 70));
}

#[test]
fn warm_render_recounts_a_file_that_changed_without_a_new_stamp() {
    let place = Place::with_many();
    // A program that writes through a memory mapping can leave every stamp unchanged, so that the cached
    // numbers are those of different contents.
    let all = place.plan(Budget::Unlimited, Detail::Counts);
    let changed = all.items().iter().find(|item| item.source.label.as_str() == "f60.txt").unwrap();
    let metadata = changed.source.place().unwrap().metadata().unwrap();
    let key = Key::of(&metadata.stamp, &treatment());
    let checksum = Checksum::of(b"what it held before");
    let cache = Cache::at(place.cache.path().to_owned());
    cache.put(Record::new(key, checksum, &Tokenizer::O200K.measure("x"), TextKind::Plain).unwrap());
    cache.save().unwrap();
    let request = place.request(Budget::Tokens(1_000), Detail::Block);
    let cold = plan(&Request { cache: None, ..request }, &place.world()).unwrap();
    let warm = place.plan(Budget::Tokens(1_000), Detail::Block);
    assert_eq!(block(&warm), block(&cold));
}

#[test]
fn account_of_a_warm_render_includes_the_hashes_of_dropped_files() {
    let place = Place::with_many();
    place.plan(Budget::Unlimited, Detail::Counts);
    let plan = place.plan(Budget::Tokens(1_000), Detail::Account);
    let account = plan.account();
    let dropped: Vec<_> = account.with_status(Status::Dropped).collect();
    assert!(dropped.len() > 10);
    assert!(
        dropped
            .iter()
            .all(|file| file.sha256.is_some() && file.whole_tokens.is_some() && file.whole_bytes.is_some())
    );
}

#[test]
fn account_does_not_keep_the_texts_of_dropped_files() {
    let place = Place::with_many();
    let kept = place.request(Budget::Tokens(1_000), Detail::Account);
    let kept = plan(&Request { sums_everything: true, ..kept }, &place.world()).unwrap();
    let counted = place.plan(Budget::Tokens(1_000), Detail::Account);
    let texts = |plan: &Plan| plan.items().iter().filter(|item| item.document.is_some()).count();
    assert_eq!(texts(&kept), 70);
    assert!(texts(&counted) < 30, "{}", texts(&counted));
    assert_eq!(counted.account(), kept.account());
    assert_eq!(counted.notices(), kept.notices());
    let unfitting = |plan: Plan| (plan.account().failure.is_some(), plan.account());
    let request = || place.request(Budget::Tokens(10), Detail::Account);
    let kept = plan(&Request { sums_everything: true, ..request() }, &place.world()).unwrap();
    let counted = plan(&request(), &place.world()).unwrap();
    assert!(texts(&counted) < 30);
    assert_eq!(unfitting(counted), unfitting(kept));
}

#[test]
fn warm_render_ignores_a_known_file_that_is_gone() {
    let place = Place::with_many();
    place.plan(Budget::Unlimited, Detail::Counts);
    fs::remove_file(place.files.path().join("f00.txt")).unwrap();
    let warm = place.plan(Budget::Tokens(1_000), Detail::Block);
    assert!(warm.items().iter().all(|item| item.source.label.as_str() != "f00.txt"));
    assert!(warm.items().iter().all(|item| item.skipped().is_none()));
}

fn treatment() -> Treatment {
    let reader = ReadOptions::default();
    Treatment {
        allowed: reader.allowed.in_contents(),
        line_numbers: reader.line_numbers,
        notebook: false,
        language: None,
        lines: None,
        level: reader.level,
        tokenizer: Tokenizer::O200K,
    }
}
