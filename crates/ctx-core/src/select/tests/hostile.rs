//! Links, special files, untrustworthy ignore files, and slow trees.
#![cfg(unix)]

use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::AtomicUsize;

use super::*;
use crate::entry::Author;
use crate::entry::pattern::TargetError;
use crate::select::exclusions::Exclusions;
use crate::select::outputs::Outputs;
use crate::select::resolver::WrittenPath;
use crate::select::selection::Selection;
use crate::select::walk_plan::{Common, WalkPlan};

fn reasons(selected: &Selected) -> Vec<String> {
    selected.skipped.iter().map(|one| format!("{}: {}", one.label, one.why)).collect()
}

fn text(file: &File) -> String {
    let mut text = String::new();
    file.place.open().unwrap().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn links_are_followed_only_inside_the_tree() {
    let fixture = Fixture::new(&["in/a", "in/sub/b", "out/c", "out/d", "in/z"]);
    fixture.link("a", "in/file");
    fixture.link("../out/c", "in/leak");
    fixture.link("../out", "in/leaks");
    fixture.link("sub", "in/dir");
    fixture.link("gone", "in/broken");
    let selected = fixture.select(&["in/**"]);
    assert_eq!(labels(&selected), ["in/a", "in/dir/b", "in/z"]);
    assert_eq!(text(&selected.files[1]), "in/sub/b");
    let outside = "link leads out of the directory the pattern starts in";
    assert_eq!(
        reasons(&selected),
        ["in/broken: broken link".to_owned(), format!("in/leak: {outside}"), format!("in/leaks: {outside}")]
    );
    assert_eq!(fixture.labels(&["in/leak", "in/leaks/*"]), ["in/leak", "in/leaks/d"]);
    let merged = fixture.select(&["**/zzz", "in/**", "in/dir/**"]);
    assert_eq!(labels(&merged), labels(&selected));
    assert!(reasons(&merged).contains(&format!("in/leak: {outside}")));
}

#[test]
fn a_directory_that_becomes_a_link_before_it_is_walked_is_not_followed() {
    let fixture = Fixture::new(&["a.md", "b/c/x.md", "elsewhere/c/y.md"]);
    let entries = ["**/*.md", "b/c/*.md"].map(|text| scoped(Scope::Profile, text));
    let outputs = Outputs::new(&[], &[]);
    let mut selection = Selection::new(&entries, &fixture.options);
    let resolver = PathResolver::new(&fixture.world, &fixture.options);
    selection.resolve(&resolver, &outputs);
    let count = AtomicUsize::new(0);
    let exclusions = Exclusions::default();
    let cwd = &fixture.world.cwd;
    let common = Common {
        resolver: &resolver,
        cwd,
        exclusions: &exclusions,
        outputs: &outputs,
        is_outside: false,
        count: &count,
    };
    let mut plan = WalkPlan::new(std::mem::take(&mut selection.included), common);
    let walk = plan.next(&mut Vec::new()).unwrap().unwrap();
    assert!(plan.next(&mut Vec::new()).is_none());
    std::fs::remove_dir_all(fixture.path("b")).unwrap();
    fixture.link("elsewhere", "b");
    let parts = links::walk(&walk, 1);
    let mut found: Vec<(&[u8], &[u32])> =
        parts.iter().flat_map(|part| &part.found).map(|one| (&*one.relative, &*one.patterns)).collect();
    found.sort_unstable();
    let all: [u32; 1] = [0];
    assert_eq!(found, [(&b"a.md"[..], &all[..]), (b"b/c/y.md", &all), (b"elsewhere/c/y.md", &all)]);
    let passed: Vec<_> = parts.iter().flat_map(|part| &part.skipped).collect();
    assert_eq!(passed.len(), 1);
    assert_eq!((&passed[0].why, &passed[0].patterns[..]), (&MissedReason::LeavesDirectory, &[1][..]));
}

#[test]
fn a_directory_that_becomes_a_link_before_it_is_opened_is_refused() {
    let fixture = Fixture::new(&["d/e/f.md", "../out/e/f.md"]);
    let outputs = Outputs::new(&[], &[]);
    for text in ["d/**", "d/e", "d/e/*.md", "d/e/f.md", "up:d/e/f.md"] {
        let entries = [scoped(Scope::Profile, text)];
        let mut selection = Selection::new(&entries, &fixture.options);
        let resolver = PathResolver::new(&fixture.world, &fixture.options);
        selection.resolve(&resolver, &outputs);
        std::fs::rename(fixture.path("d"), fixture.path("kept")).unwrap();
        fixture.link("../out", "d");
        let count = AtomicUsize::new(0);
        let (exclusions, cwd) = (Exclusions::default(), &fixture.world.cwd);
        let common = Common {
            resolver: &resolver,
            cwd,
            exclusions: &exclusions,
            outputs: &outputs,
            is_outside: false,
            count: &count,
        };
        let mut plan = WalkPlan::new(std::mem::take(&mut selection.included), common);
        while let Some(walk) = plan.next(&mut Vec::new()) {
            assert!(walk.is_none(), "{text}");
        }
        for file in merge::files(selection.named, LabelStyle::Root, |_| SelectedBy::default()) {
            assert!(file.place.open().is_err(), "{text}");
        }
        std::fs::remove_file(fixture.path("d")).unwrap();
        std::fs::rename(fixture.path("kept"), fixture.path("d")).unwrap();
    }
}

#[test]
fn a_link_that_becomes_a_directory_again_is_still_refused() {
    let fixture = Fixture::new(&["d/f.md", "../out/f.md"]);
    let resolver = PathResolver::new(&fixture.world, &fixture.options);
    let typed = ScopedEntry::typed(Entry::new("d/f.md"));
    let real = fixture.home().join("out/f.md");
    for text in ["d/f.md", "./d/../d/f.md", "../w/d/f.md"] {
        let told = resolver.base(&typed).check_reach(
            typed.author,
            &WrittenPath::of_text(text, &fixture.world).unwrap(),
            &real,
        );
        assert_eq!(told, Err(Problem::LinkOutside(real.clone())), "{text}");
    }
    let left_by_its_words = WrittenPath::of_text("d/../../out/f.md", &fixture.world).unwrap();
    assert_eq!(resolver.base(&typed).check_reach(typed.author, &left_by_its_words, &real), Ok(()));
}

#[test]
fn files_in_link_loops_are_selected_only_once() {
    let fixture = Fixture::new(&["a/f", "b/g"]);
    fixture.link("..", "a/up");
    fixture.link(".", "a/self");
    fixture.link("../b", "a/b");
    fixture.link("../a", "b/a");
    fixture.link("loop", "loop");
    assert_eq!(fixture.labels(&["**"]), ["a/b/g", "a/f"]);
    assert_eq!(fixture.labels(&["**/b/*"]), ["a/b/g"]);
}

#[test]
fn a_maze_of_links_is_not_walked_beyond_the_limit() {
    let fixture = Fixture::new(&[]);
    for a in 0..12 {
        fixture.write(&format!("d{a}/f"), "");
        (0..12).for_each(|b| fixture.link(&format!("../d{b}"), &format!("d{a}/l{b}")));
    }
    let selected = fixture.select(&["**"]);
    assert_eq!(selected.files.len(), 12);
    assert!(selected.skipped.iter().any(|one| one.why == MissedReason::TooManyLinks));
}

#[test]
fn links_do_not_bypass_ignore_rules_or_secret_names() {
    let fixture = Fixture::new(&["r/.env", "r/hidden/x", "r/ok", "r/.git/config"]);
    fixture.write("r/.gitignore", "hidden/\n");
    fixture.link(".env", "r/readme.md");
    fixture.link("hidden/x", "r/x.md");
    fixture.link("hidden", "r/shown");
    fixture.link(".git", "r/g");
    fixture.link("r/.env", "direct.md");
    let selected = fixture.select(&["r/**", "direct.md"]);
    assert_eq!(labels(&selected), ["r/ok"]);
    assert_eq!(selected.entries[0].left_out_secrets, 1);
    assert_eq!(selected.entries[1].fate, EntryFate::Invalid(Problem::SecretName("key")));
}

#[test]
fn exclusions_apply_to_the_real_path_of_a_linked_file() {
    let fixture = Fixture::new(&["t/real/x", "t/y"]);
    fixture.link("real", "t/link");
    assert_eq!(fixture.labels(&["t/link*/**", "!t/real"]), [""; 0]);
    assert_eq!(fixture.labels(&["t/**", "!t/link"]), ["t/real/x", "t/y"]);
}

#[test]
fn a_file_is_selected_once_whatever_it_is_called() {
    let fixture = Fixture::new(&["d/a"]);
    fixture.link("d/a", "link");
    fixture.link("d", "dir");
    std::fs::hard_link(fixture.path("d/a"), fixture.path("d/hard")).unwrap();
    let selected = fixture.select(&["link", "d/*", "dir/a", "./d/../d/a"]);
    assert_eq!(labels(&selected), ["link", "d/hard"]);
    assert_eq!(selected.files[0].selected_by.entries, [0, 1, 2, 3].map(EntryId));
}

#[test]
fn a_directory_swapped_for_a_link_is_not_followed() {
    let fixture = Fixture::new(&["t/d/f", "out/f"]);
    let selected = fixture.select(&["t/**"]);
    assert_eq!(text(&selected.files[0]), "t/d/f");
    std::fs::rename(fixture.path("t/d"), fixture.path("t/e")).unwrap();
    fixture.link("../out", "t/d");
    assert!(selected.files[0].place.open().is_err());
}

#[test]
fn special_files_are_skipped_and_reported_if_named() {
    let fixture = Fixture::new(&["d/a"]);
    fixture.fifo("d/fifo");
    fixture.link("/dev/zero", "d/zero");
    let selected = fixture.select(&["d/*", "d/fifo", "/dev/zero"]);
    assert_eq!(labels(&selected), ["d/a"]);
    assert_eq!(selected.entries[1].fate, EntryFate::Invalid(Problem::NotRegular));
    assert_eq!(selected.entries[2].fate, EntryFate::Invalid(Problem::NotRegular));
}

#[test]
fn a_directory_whose_ignore_file_cannot_be_read_safely_is_skipped() {
    let hostile: [(&str, &str, Vec<u8>); 3] = [
        (":1", "has over 64 '{'", "{".repeat(300).into_bytes()),
        (":1", "is over 4,096 bytes", vec![b'a'; 5000]),
        ("", "is over 1 MiB", b"a\n".repeat(600_000)),
    ];
    for (line, name, bytes) in hostile {
        for file in [".gitignore", ".ignore", ".ctxignore"] {
            let fixture = Fixture::new(&["t/open/a", "t/shut/b", "t/shut/c/d"]);
            fixture.write(&format!("t/shut/{file}"), &bytes);
            let selected = fixture.select(&["t/**"]);
            assert_eq!(labels(&selected), ["t/open/a"], "{name} {file}");
            let why = format!("ignore file cannot be read safely: 't/shut/{file}{line}' {name}");
            assert_eq!(reasons(&selected), [format!("t/shut: {why}")]);
            assert_eq!(reasons(&fixture.select(&["t/shut/c/*"])), [format!("t/shut/c: {why}")]);
            assert_eq!(fixture.labels(&["t/shut/b"]), ["t/shut/b"]);
        }
    }
}

#[test]
fn an_ignore_file_in_another_encoding_applies() {
    for file in [".gitignore", ".ignore", ".ctxignore"] {
        let fixture = Fixture::new(&["t/a", "t/b", "t/c/d"]);
        fixture.write(&format!("t/{file}"), b"# caf\xe9\nb\n");
        let selected = fixture.select(&["t/**"]);
        assert_eq!(
            (labels(&selected), reasons(&selected)),
            (vec!["t/a".into(), "t/c/d".into()], vec![]),
            "{file}"
        );
    }
}

#[test]
fn directories_whose_ignore_file_is_special_are_skipped_without_waiting() {
    let fixture = Fixture::new(&["l/a", "d/a", "d/.gitignore/x", "f/a", "rules"]);
    fixture.link("../rules", "l/.gitignore");
    fixture.fifo("f/.ignore");
    let selected = fixture.select(&["*/a"]);
    assert_eq!(labels(&selected), [""; 0]);
    assert_eq!(selected.skipped.len(), 3);
}

#[test]
fn names_that_are_not_utf8_are_selected_and_shown_escaped() {
    let fixture = Fixture::new(&["d/a"]);
    let name = std::ffi::OsStr::from_bytes(b"d/b\xff\n");
    if std::fs::write(fixture.world.cwd.join(name), "x").is_err() {
        return;
    }
    let selected = fixture.select(&["d/*"]);
    assert_eq!(labels(&selected), ["d/a", "d/b\\xFF\\n"]);
    assert_eq!(text(&selected.files[1]), "x");
}

#[test]
fn deep_trees_are_walked_to_the_end() {
    let deep = "d/".repeat(64) + "f";
    let fixture = Fixture::new(&[&deep]);
    assert_eq!(fixture.labels(&["**/f"]), [deep.as_str()]);
    assert_eq!(fixture.labels(&[&("d/".repeat(30) + "*/" + &"d/".repeat(33) + "f")]), [deep]);
}

#[test]
fn unreadable_directory_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new(&["t/shut/a", "t/b"]);
    let shut = fixture.path("t/shut");
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o000)).unwrap();
    let readable = std::fs::read_dir(&shut).is_ok();
    let selected = fixture.select(&["t/**", "t/shut/*"]);
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o700)).unwrap();
    if !readable {
        assert_eq!(labels(&selected), ["t/b"]);
        assert!(matches!(selected.skipped[0].why, MissedReason::UnreadableDirectory(_)));
    }
}

#[test]
fn other_ignore_files_override_gitignore() {
    let fixture = Fixture::new(&["t/a", "t/b", "t/c", "t/d/a"]);
    fixture.write("t/.gitignore", "a\nb\n");
    fixture.write("t/.ignore", "!a\nc\n");
    fixture.write("t/.ctxignore", "!c\n");
    fixture.write("t/d/.gitignore", "a\n");
    assert_eq!(fixture.labels(&["t/**"]), ["t/a", "t/c", "t/d/a"]);
}

#[test]
fn rules_apply_from_the_repository_root_and_their_line_is_reported() {
    let fixture = Fixture::new(&["r/.git/HEAD", "r/target/x/a.rs", "r/src/a.rs", "r/src/b.tmp"]);
    fixture.write("r/.gitignore", "# build\ntarget/\n*.tmp\n");
    assert_eq!(fixture.labels(&["r/src/*"]), ["r/src/a.rs"]);
    let selected = fixture.select(&["r/target/x/**"]);
    let missed = selected.entries[0].fate.missed().unwrap();
    let MissedReason::Ignored(by) = &missed.why else { panic!("{missed:?}") };
    assert_eq!((by.line, by.pattern.as_str(), &by.file), (2, "target/", &fixture.path("r/.gitignore")));
}

#[test]
fn patterns_of_a_project_are_counted_separately_from_all_others() {
    let fixture = Fixture::new(&["a/x.md", "[a]"]);
    let of = |author, texts: &[&str]| {
        texts.iter().map(|text| ScopedEntry { author, ..scoped(Scope::Profile, text) }).collect::<Vec<_>>()
    };
    let half = "a/{a,b}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}*";
    let texts = [half, half, "a/*.md", "up:A|B", "!{a,b}/y*", "!a/y", "a/x.md", "[a]"];
    let mut entries = of(Author::Project, &texts);
    entries.extend(of(Author::User, &["a/*.md"]));
    let selected = fixture.select_scoped(&entries);
    let problems = |selected: &Selected| {
        selected.entries.iter().map(|report| report.fate.problem().cloned()).collect::<Vec<_>>()
    };
    let surplus = Some(Problem::Invalid(TargetError::TooManyPatterns));
    // The exclusions are counted first.
    let expected = [None, surplus.clone(), surplus.clone(), surplus.clone(), None, None, None, None, None];
    assert_eq!(problems(&selected), expected);
    assert_eq!(labels(&selected), ["a/x.md", "[a]"]);
    // If the exclusions alone exceed the limit, some of them do not apply, so an entry could print what they
    // leave out.
    let excluded = format!("!{half}");
    let entries = of(Author::Project, &["a/x.md", &excluded, &excluded, "!a/*.md", "[a]"]);
    let selected = fixture.select_scoped(&entries);
    assert_eq!(problems(&selected), [surplus.clone(), None, None, surplus.clone(), surplus]);
    assert_eq!(labels(&selected), [""; 0]);
}

#[test]
fn number_of_line_ranges_in_a_project_is_limited() {
    let fixture = Fixture::new(&["a.md"]);
    let entry = |line: u64, author| {
        let mut entry = Entry::new("a.md");
        entry.attributes.lines = Some(crate::entry::Lines { first: line, last: Some(line) });
        ScopedEntry { author, ..ScopedEntry::stored(Scope::Profile, entry) }
    };
    for (author, refused) in [(Author::Project, 44), (Author::User, 0)] {
        let entries: Vec<_> = (1..=300).map(|line| entry(line, author)).collect();
        let selected = fixture.select_scoped(&entries);
        let too_many = Some(Problem::Invalid(TargetError::TooManyRanges));
        assert_eq!(
            selected.entries.iter().filter(|report| report.fate.problem() == too_many.as_ref()).count(),
            refused
        );
    }
}

#[test]
fn number_of_entries_that_name_the_same_directory_is_limited() {
    let fixture = Fixture::new(&["d/a.md", "e/b.md"]);
    let spellings: Vec<String> = (0..100).map(|count| format!("{}d", "./".repeat(count))).collect();
    let mut texts: Vec<&str> = spellings.iter().map(String::as_str).collect();
    texts.push("e");
    let selected = fixture.select(&texts);
    assert_eq!(labels(&selected), ["d/a.md", "e/b.md"]);
    assert_eq!(selected.entries.iter().filter(|report| report.fate.problem().is_some()).count(), 36);
}

#[test]
fn every_spelling_of_an_exclusion_applies_wherever_a_walk_begins() {
    let fixture = Fixture::new(&["a/b/c/x", "a/b/y", "a/z", "d/w"]);
    for exclusion in ["!a/b", "!a/b/", "!./a/b"] {
        assert_eq!(fixture.labels(&["**", exclusion]), ["a/z", "d/w"], "{exclusion}");
        assert_eq!(fixture.labels(&["a/b/c/**", "a/*", "d", exclusion]), ["a/z", "d/w"], "{exclusion}");
    }
    assert_eq!(fixture.labels(&["a/b/**", "!a/b/c/x", "!y"]), ["a/b/y"]);
}

#[test]
fn more_directories_than_can_be_open_at_once_are_searched() {
    let fixture = Fixture::new(&[]);
    let names: Vec<String> = (0..3000).map(|number| format!("d{number:04}")).collect();
    names.iter().for_each(|name| fixture.write(&format!("{name}/x"), ""));
    let entries: Vec<ScopedEntry> = names.iter().map(|name| scoped(Scope::Profile, name)).collect();
    let selected = fixture.select_scoped(&entries);
    assert_eq!(selected.files.len(), 3000);
}
