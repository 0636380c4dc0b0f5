use super::*;
use crate::entry::pattern::TargetError;
use crate::entry::{Allowance, Allowed, Attributes};
use crate::select::LeftOutByFiles;
use std::time::UNIX_EPOCH;

const TREE: [&str; 9] = [
    "README.md",
    "src/a.rs",
    "src/b/c.rs",
    "src/b.rs",
    "src-x/d.rs",
    "docs/x.md",
    "docs/old/y.md",
    ".hidden",
    ".github/w.yml",
];

#[test]
fn patterns_directories_and_literals_are_selected_in_stored_order() {
    let fixture = Fixture::new(&TREE);
    assert_eq!(
        fixture.labels(&["src/**/*.rs", "README.md"]),
        ["src/a.rs", "src/b.rs", "src/b/c.rs", "README.md"]
    );
    assert_eq!(fixture.labels(&["docs", "src/"]), ["docs/x.md", "src/a.rs", "src/b.rs"]);
    assert_eq!(fixture.labels(&["."]), ["README.md"]);
    assert_eq!(fixture.labels(&["./src//a.rs", "src/../README.md"]), ["src/a.rs", "README.md"]);
    assert_eq!(fixture.labels(&["{src,docs}/*.{rs,md}"]), ["docs/x.md", "src/a.rs", "src/b.rs"]);
    assert_eq!(fixture.labels(&["**/*.rs"]), ["src-x/d.rs", "src/a.rs", "src/b.rs", "src/b/c.rs"]);
    assert_eq!(fixture.labels(&["*/"]), ["docs/x.md", "src-x/d.rs", "src/a.rs", "src/b.rs"]);
}

#[test]
fn dot_files_are_matched_only_by_components_with_a_dot() {
    let fixture = Fixture::new(&TREE);
    fixture.write(".git/config", "");
    assert!(!fixture.labels(&["**"]).iter().any(|label| label.starts_with('.')));
    assert_eq!(fixture.labels(&[".*", ".github/**"]), [".hidden", ".github/w.yml"]);
    assert_eq!(fixture.labels(&[".*/**"]), [".github/w.yml"]);
    assert_eq!(fixture.labels(&[".git/**", ".git/*", "**/.git/config"]), [""; 0]);
    assert_eq!(fixture.select(&[".git"]).entries[0].fate, EntryFate::Invalid(Problem::InsideGit));
}

#[test]
fn files_are_ordered_by_scope_and_their_attributes_are_combined() {
    let fixture = Fixture::new(&TREE);
    let mut pinned = scoped(Scope::Session, "src/a.rs");
    pinned.entry.attributes = Attributes { tags: vec!["t".into()], pin: true, ..Attributes::default() };
    let entries = [pinned, scoped(Scope::Profile, "src/*.rs"), scoped(Scope::Global, "docs/x.md")];
    let selected = fixture.select_scoped(&entries);
    assert_eq!(labels(&selected), ["docs/x.md", "src/a.rs", "src/b.rs"]);
    let selected_by = &selected.files[1].selected_by;
    assert_eq!(selected_by.entries, [EntryId(1), EntryId(0)]);
    assert!(selected_by.pin && selected_by.named && *selected_by.tags == ["t"]);
    assert!(!selected.files[2].selected_by.named);
    assert_eq!(selected.entries.iter().map(|entry| entry.matches).collect::<Vec<_>>(), [1, 2, 1]);
}

#[test]
fn tags_of_a_file_are_limited_however_many_its_entries_have() {
    let fixture = Fixture::new(&TREE);
    let tagged = |tags: Vec<String>| {
        let mut entry = scoped(Scope::Profile, "docs/**");
        entry.entry.attributes.tags = tags;
        entry
    };
    let count = |entries: &[ScopedEntry]| fixture.select_scoped(entries).files[0].selected_by.tags.len();
    let tags = |range: std::ops::Range<u32>| range.map(|place| place.to_string()).collect::<Vec<_>>();
    assert_eq!(count(&[tagged(tags(0..100_000)), tagged(tags(1_000..2_000))]), 32);
    assert_eq!(count(&[tagged(tags(0..10)), tagged(tags(5..15))]), 15);
    let one_each: Vec<ScopedEntry> = (0..2_000).map(|place| tagged(tags(place..place + 1))).collect();
    assert_eq!(count(&one_each), 32);
    assert_eq!(count(&[tagged(vec!["x".repeat(900_000), "y".repeat(600), "z".repeat(600), "a".into()])]), 2);
}

#[test]
fn exclusions_apply_to_their_own_and_later_scopes_but_never_to_literals() {
    let fixture = Fixture::new(&TREE);
    assert_eq!(fixture.labels(&["docs/**", "!docs/old/**"]), ["docs/x.md"]);
    for exclusion in ["!docs/old", "!docs/old/", "!**/old", "!docs/*/y.md"] {
        assert_eq!(fixture.labels(&[exclusion, "docs/**"]), ["docs/x.md"], "{exclusion}");
    }
    assert_eq!(fixture.labels(&["!docs", "docs/x.md", "docs/**"]), ["docs/x.md"]);
    assert_eq!(fixture.labels(&["!.", "docs/**"]), [""; 0]);
    let entries = [
        scoped(Scope::Global, "docs/**"),
        scoped(Scope::Profile, "!docs/**"),
        scoped(Scope::Session, "**/*.md"),
    ];
    assert_eq!(labels(&fixture.select_scoped(&entries)), ["docs/old/y.md", "docs/x.md", "README.md"]);
    let absolute = format!("!{}/docs/old", fixture.world.cwd.display());
    assert_eq!(fixture.labels(&["docs/**", &absolute]), ["docs/x.md"]);
}

#[test]
fn a_path_that_exists_is_literal_whatever_its_characters() {
    let fixture = Fixture::new(&["app/[id]/page.tsx", "app/i/page.tsx", "a{b", "x*"]);
    assert_eq!(
        fixture.labels(&["app/[id]/page.tsx", "a{b", "x*", "app/[id]"]),
        ["app/[id]/page.tsx", "a{b", "x*"]
    );
    assert_eq!(fixture.select(&["app/[id]/page.tsx"]).entries[0].kind, EntryKind::Literal);
    assert_eq!(fixture.labels(&["app/[i]/page.tsx"]), ["app/i/page.tsx"]);
    assert_eq!(fixture.labels(&["app/**", "!app/[id]/page.tsx"]), ["app/i/page.tsx"]);
}

#[test]
fn a_directory_reports_skipped_subdirectories_and_can_be_recursive() {
    let mut fixture = Fixture::new(&TREE);
    fixture.write(".gitignore", "ignored/\n");
    fixture.write("ignored/x", "");
    let selected = fixture.select(&["."]);
    assert_eq!(selected.entries[0].left_out_subdirectories, 3);
    assert_eq!(selected.entries[0].kind, EntryKind::Directory);
    fixture.options.recursive = true;
    assert_eq!(fixture.labels(&["docs"]), ["docs/old/y.md", "docs/x.md"]);
    assert_eq!(fixture.select(&["docs"]).entries[0].left_out_subdirectories, 0);
}

#[test]
fn a_directory_inside_another_walk_is_still_counted() {
    let fixture = Fixture::new(&TREE);
    let selected = fixture.select(&["**/*.md", "docs", "src/**/*.rs"]);
    assert_eq!(selected.entries[1].left_out_subdirectories, 1);
    assert_eq!(selected.entries.iter().map(|one| one.matches).collect::<Vec<_>>(), [3, 1, 3]);
}

#[test]
fn missing_and_invalid_entries_are_reported() {
    let fixture = Fixture::new(&TREE);
    let selected = fixture.select(&["gone.md", "gone/**", "a[", "~nobody/x", "", "src/*.py"]);
    let problems: Vec<_> = selected.entries.iter().map(|entry| entry.fate.problem().cloned()).collect();
    assert_eq!(problems[0], Some(Problem::Missing));
    assert_eq!((&problems[1], &problems[5]), (&None, &None));
    assert_eq!(problems[2], Some(Problem::Invalid(TargetError::UnclosedBracket)));
    assert_eq!(problems[3], Some(Problem::Invalid(TargetError::OtherHome)));
    assert_eq!(problems[4], Some(Problem::Invalid(TargetError::Empty)));
    assert!(selected.files.is_empty());
}

#[test]
fn labels_are_relative_to_the_work_root_or_absolute() {
    let mut fixture = Fixture::new(&["a/x.md", "~/x.md"]);
    std::fs::write(fixture.home().join("x.md"), "").unwrap();
    let absolute = fixture.world.cwd.join("a").display().to_string();
    let entries = ["a/*", "~/*.md", &format!("{absolute}/*"), "./~/x.md", "./~/*"];
    assert_eq!(fixture.labels(&entries), ["a/x.md", "~/x.md", "./~/x.md"]);
    assert_eq!(fixture.labels(&[&format!("{absolute}/x.md")]), ["a/x.md"]);
    fixture.world.cwd = fixture.world.cwd.join("a");
    for (typed, label) in [("x.md", "a/x.md"), ("../~/*", "./~/x.md"), ("../../*.md", "~/x.md")] {
        let typed = ScopedEntry::typed(Entry::new(typed));
        assert_eq!(labels(&fixture.select_scoped(&[typed])), [label]);
    }
    assert_eq!(fixture.labels(&["a/*", "a/../a/x.md"]), ["a/x.md"]);
    assert_eq!(fixture.labels(&["a/../a/x.md"]), ["a/x.md"]);
    fixture.world.cwd = fixture.world.root.clone();
    fixture.options.labels = LabelStyle::Absolute;
    assert_eq!(fixture.labels(&["a/*"]), [format!("{absolute}/x.md")]);
}

#[test]
fn secret_names_need_to_be_allowed() {
    let mut fixture = Fixture::new(&["k/a.pem", "k/.env", "k/b"]);
    let selected = fixture.select(&["k/*", "k/.*", "k/.env", "k"]);
    assert_eq!(labels(&selected), ["k/b"]);
    assert_eq!(selected.entries[0].left_out_secrets, 1);
    assert_eq!(selected.entries[2].fate, EntryFate::Invalid(Problem::SecretName("key")));
    assert_eq!(selected.skipped.len(), 2);
    let mut forced = scoped(Scope::Profile, "k/.env");
    forced.entry.attributes.allow = Allowed::from_iter([Allowance::SecretNames]);
    assert_eq!(labels(&fixture.select_scoped(&[forced])), ["k/.env"]);
    fixture.options.secret_names = true;
    let typed = ["k/*", "k/.*", "k/.env"].map(|text| ScopedEntry::typed(Entry::new(text)));
    assert_eq!(labels(&fixture.select_scoped(&typed)), ["k/b", "k/.env"]);
    assert_eq!(fixture.labels(&["k/*", "k/.env"]), ["k/b"]);
}

#[test]
fn include_and_exclude_filters_restrict_the_files() {
    let mut fixture = Fixture::new(&TREE);
    fixture.options.exclude = vec!["old".into(), "*.yml".into()];
    assert_eq!(fixture.labels(&["**/*.md", ".github/*"]), ["README.md", "docs/x.md"]);
    fixture.options.exclude = vec!["docs/*".into()];
    assert_eq!(fixture.labels(&["**/*.md"]), ["README.md"]);
    fixture.options.exclude.clear();
    fixture.options.include = vec!["*.rs".into()];
    assert_eq!(fixture.labels(&["src", "README.md"]), ["src/a.rs", "src/b.rs"]);
    fixture.options.include = vec!["[".into()];
    assert!(select(&[], &fixture.world, &fixture.options).is_err());
}

#[test]
fn entries_are_filtered_by_tag_and_files_by_age() {
    let mut fixture = Fixture::new(&TREE);
    let mut tagged = scoped(Scope::Profile, "docs");
    tagged.entry.attributes.tags = vec!["d".into()];
    fixture.options.tags = vec!["d".into(), "e".into()];
    let selected = fixture.select_scoped(&[scoped(Scope::Profile, "src"), tagged]);
    assert_eq!(labels(&selected), ["docs/x.md"]);
    assert_eq!(selected.entries[0].fate, EntryFate::OtherTags);
    fixture.options.tags.clear();
    let old = std::fs::File::options().write(true).open(fixture.path("src/a.rs")).unwrap();
    old.set_modified(UNIX_EPOCH + std::time::Duration::from_secs(1000)).unwrap();
    fixture.options.newer_than = Some(UNIX_EPOCH + std::time::Duration::from_secs(2000));
    assert_eq!(fixture.labels(&["src", "src/a.rs"]), ["src/b.rs"]);
}

#[test]
fn output_files_are_never_selected() {
    let mut fixture = Fixture::new(&TREE);
    fixture.options.output_paths = vec![fixture.path("src/a.rs"), fixture.path("README.md")];
    assert_eq!(fixture.labels(&["src", "README.md"]), ["src/b.rs"]);
}

#[test]
fn more_matches_than_the_limit_are_an_error() {
    let mut fixture = Fixture::new(&TREE);
    fixture.options.max_matches = 2;
    let entries = [scoped(Scope::Profile, "**")];
    let error = select(&entries, &fixture.world, &fixture.options).unwrap_err();
    assert_eq!(error, SelectError::TooManyMatches { limit: 2 });
}

#[test]
fn an_entry_can_lift_the_ignore_rules_for_itself() {
    let fixture = Fixture::new(&["a.log", "b.log", "c.md"]);
    fixture.write(".gitignore", "*.log\n");
    let mut lifted = scoped(Scope::Profile, "a.*");
    lifted.entry.attributes.allow = Allowed::from_iter([Allowance::Ignored]);
    let selected = fixture.select_scoped(&[lifted, scoped(Scope::Profile, "*")]);
    assert_eq!(labels(&selected), ["a.log", "c.md"]);
}

#[test]
fn number_of_threads_does_not_change_the_result() {
    let mut files: Vec<String> = Vec::new();
    for a in 0..40 {
        files.extend((0..4).flat_map(|b| [format!("d{a}/e{b}/f"), format!("d{a}-{b}")]));
    }
    let mut fixture = Fixture::new(&files.iter().map(String::as_str).collect::<Vec<_>>());
    files.sort_unstable();
    for threads in [1, 2, 5] {
        fixture.world.threads = threads;
        assert_eq!(fixture.labels(&["**"]), files);
    }
}

#[test]
fn every_other_ignore_file_overrides_the_built_in_one() {
    let mut fixture =
        Fixture::new(&["r/.git/HEAD", "r/Cargo.lock", "r/a/app.min.js", "r/a/b.js", "r/a/go.sum"]);
    let selected = fixture.select(&["r/**", "r/a", "r/*.lock"]);
    assert_eq!(labels(&selected), ["r/a/b.js"]);
    let left_out: Vec<usize> = selected.entries.iter().map(|report| report.left_out_built_in).collect();
    assert_eq!(
        (left_out, selected.left_out_built_in),
        (vec![3, 2, 1], LeftOutByFiles { files: 3, directories: 0 })
    );
    let Some(MissedReason::Ignored(by)) = selected.entries[2].fate.missed().map(|missed| &missed.why) else {
        panic!("{:?}", selected.entries[2]);
    };
    assert_eq!((by.file.to_str(), by.pattern.as_str()), (Some("built-in ignore file"), "Cargo.lock"));
    assert!(selected.entries[0].fate.missed().is_none() && selected.skipped.is_empty());
    assert_eq!(fixture.labels(&["r/Cargo.lock", "r/a/*.js"]), ["r/Cargo.lock", "r/a/b.js"]);
    fixture.write("r/.ctxignore", "!Cargo.lock\n");
    fixture.write("r/a/.gitignore", "!*.sum\n");
    assert_eq!(fixture.labels(&["r/**"]), ["r/Cargo.lock", "r/a/b.js", "r/a/go.sum"]);
    assert_eq!(fixture.select(&["r/**", "!r/a/*.min.js"]).left_out_built_in, LeftOutByFiles::default());
    fixture.options.ignore_rules = false;
    let lifted = fixture.select(&["r/**"]);
    assert_eq!((lifted.files.len(), lifted.left_out_built_in), (4, LeftOutByFiles::default()));
}
