use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::budget::{Budget, Trim};
use crate::entry::{Entry, Scope, ScopedEntry};
use crate::format::Format;
use crate::guard::names::holds_secrets;
use crate::plan::{Detail, Form, Known, Measure, Order, Plan, Reader, Request, plan};
use crate::select::Options;
use crate::world::World;
use ctx_tokens::Tokenizer;

const FILES: usize = 30;

fn path(directory: &Path, number: usize) -> PathBuf {
    directory.join(format!("f{number:02}.txt"))
}

fn planned(directory: &Path, cache: Option<PathBuf>, format: Format) -> Plan {
    let entry = Entry::new("*.txt".to_owned());
    let request = Request {
        profile: None,
        entries: vec![ScopedEntry { scope: Scope::Session, entry }],
        given: None,
        unnameable: Vec::new(),
        selection: Options::new(holds_secrets),
        reading: Reader::default(),
        order: Order::default(),
        form: Form { format, ..Form::default() },
        measure: Measure::of(None, None, Budget::Unlimited, Trim::default()),
        detail: Detail::Counts,
        cache,
        known: Known::ReadLater,
        progress: None,
    };
    // By then, all files are old.
    let now = SystemTime::now() + Duration::from_secs(60);
    let world = World { cwd: directory.to_owned(), home: None, xdg_config_home: None, now, threads: 2 };
    plan(request, &world).unwrap()
}

fn check(format: Format, prompt: Option<&str>, lost: &[usize]) {
    let directory = tempfile::tempdir().unwrap();
    let cache = tempfile::tempdir().unwrap();
    for number in 0..FILES {
        fs::write(path(directory.path(), number), format!("line {number}\n").repeat(6_000)).unwrap();
    }
    planned(directory.path(), Some(cache.path().to_owned()), format);
    let mut plan = planned(directory.path(), Some(cache.path().to_owned()), format);
    assert!(plan.defers());
    lost.iter().for_each(|number| fs::remove_file(path(directory.path(), *number)).unwrap());
    let mut block = Vec::new();
    let notices = plan.print(&mut block, prompt).unwrap();
    assert_eq!(notices.is_empty(), lost.is_empty());

    let mut expected = Vec::new();
    planned(directory.path(), None, format).write(&mut expected, prompt).unwrap();
    let [block, expected] = [block, expected].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(block == expected, "{format} without {lost:?}: {} and {} bytes", block.len(), expected.len());
    let totals = plan.totals();
    assert_eq!((totals.file_counts.included, totals.file_counts.skipped), (FILES - lost.len(), lost.len()));
    if prompt.is_none() {
        assert_eq!(totals.bytes, block.len() as u64);
        assert_eq!(totals.tokens.block, Tokenizer::O200k.count(&block));
    }
}

#[test]
fn without_the_files_that_are_gone_the_block_is_that_of_the_others() {
    let all: Vec<usize> = (0..FILES).collect();
    for format in [Format::Text, Format::Xml] {
        for lost in [&[][..], &[0], &[0, 1, 2, 3, 4, 5, 6], &[3], &[5, 17, FILES - 1], &all[1..], &all] {
            check(format, None, lost);
        }
        check(format, Some("why?"), &all);
        check(format, Some("why?"), &[0, 8]);
    }
}
