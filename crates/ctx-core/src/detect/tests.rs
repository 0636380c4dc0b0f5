use std::fs;
use std::path::Path;
use std::time::SystemTime;

use tempfile::TempDir;

use super::*;
use crate::fs::real;

fn tree(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn detected(cwd: &Path) -> Vec<Detected> {
    let cwd = real(cwd).unwrap();
    let world = World {
        root: cwd.clone(),
        cwd,
        home: None,
        project: None,
        git: crate::world::GitEnvironment::default(),
        now: SystemTime::now(),
        threads: 1,
    };
    detect(&world).unwrap()
}

fn paths(found: &[Detected]) -> Vec<&str> {
    found.iter().flat_map(|one| &one.files).map(|file| file.path.as_str()).collect()
}

fn to_add(found: &[Detected]) -> Vec<String> {
    found.iter().flat_map(Detected::unconditional).collect()
}

#[test]
fn directories_are_searched_up_to_the_root_of_the_repository() {
    let root = tree(&[
        ("AGENTS.md", ""),
        ("r/.git/HEAD", ""),
        ("r/AGENTS.md", ""),
        ("r/a/README.md", ""),
        ("r/a/b/CLAUDE.md", ""),
    ]);
    let found = detected(&root.path().join("r/a/b"));
    assert_eq!(paths(&found), ["CLAUDE.md", "../README.md", "../../AGENTS.md"]);
    assert_eq!(to_add(&found), ["CLAUDE.md", "up:README.md", "up:AGENTS.md"]);
    assert_eq!(paths(&detected(root.path())), ["AGENTS.md"]);
}

#[test]
fn a_pattern_is_one_entry_unless_a_rule_is_conditional() {
    let root = tree(&[
        (".amazonq/rules/a.md", "always\n"),
        (".amazonq/rules/deep/b.md", "always\n"),
        (".cursor/rules/a.mdc", "---\nglobs:\nalwaysApply: true\n---\n"),
        (".cursor/rules/b.mdc", "---\nglobs: *.ts\n---\n"),
        (".github/instructions/c.md", "---\napplyTo: '*.py'\n---\n"),
        (".clinerules/one.md", "always\n"),
    ]);
    let found = detected(root.path());
    assert_eq!(found.len(), 4);
    let conditional =
        Loading::Conditional(RuleCondition { told: "globs: *.ts".to_owned(), when: vec!["*.ts".to_owned()] });
    assert_eq!(
        found[1].files[1],
        ContextFile { path: ".cursor/rules/b.mdc".to_owned(), loading: conditional }
    );
    assert_eq!(to_add(&found), [".amazonq/rules/**/*.md", ".cursor/rules/a.mdc", ".clinerules/one.md"]);
}

#[test]
#[cfg(unix)]
fn links_are_reported_as_the_same_file_or_refused() {
    let root = tree(&[("outside.md", "private\n"), ("r/.git/HEAD", ""), ("r/AGENTS.md", "agents\n")]);
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, root.path().join(name)).unwrap();
    };
    link("AGENTS.md", "r/CLAUDE.md");
    link("../outside.md", "r/GEMINI.md");
    link("nowhere", "r/README.md");
    let found = detected(&root.path().join("r"));
    assert_eq!(paths(&found), ["AGENTS.md", "CLAUDE.md", "GEMINI.md", "README.md"]);
    assert_eq!(found[1].files[0].loading, Loading::SameAs("AGENTS.md".to_owned()));
    assert!(
        matches!(&found[2].files[0].loading, Loading::Refused(why) if why == "link leads outside this directory tree")
    );
    assert_eq!(found[3].files[0].loading, Loading::Refused("broken link".to_owned()));
    assert_eq!(to_add(&found), ["AGENTS.md"]);
}

#[test]
fn binary_files_are_never_added() {
    let root =
        tree(&[("AGENTS.md", "a\0b"), (".github/instructions/x", "\0"), (".github/instructions/y", "y")]);
    let found = detected(root.path());
    assert_eq!(paths(&found), ["AGENTS.md", ".github/instructions/y"]);
    assert_eq!(to_add(&found), [".github/instructions/**"]);
}

#[test]
fn memory_files_further_down_are_for_the_files_in_their_directories() {
    let root = tree(&[
        ("r/.git/HEAD", ""),
        ("r/AGENTS.md", ""),
        ("r/.gitignore", "out/\n"),
        ("r/out/AGENTS.md", ""),
        ("r/web/AGENTS.md", ""),
        ("r/web/[id]/CLAUDE.md", ""),
        ("r/web/rules/AGENTS.md", "---\nglobs: '*.ts'\n---\n"),
        ("r/web/README.md", ""),
        ("other/sub/AGENTS.md", ""),
    ]);
    let found = detected(&root.path().join("r"));
    assert_eq!(paths(&found), ["AGENTS.md", "web/AGENTS.md", "web/rules/AGENTS.md", "web/[id]/CLAUDE.md"]);
    let conditions: Vec<Entry> = found.iter().flat_map(Detected::conditional).collect();
    let when: Vec<&[String]> = conditions.iter().map(|entry| &entry.attributes.when[..]).collect();
    assert_eq!(when, [["web/**"], ["*.ts"], ["web/[[]id[]]/**"]]);
    assert_eq!(to_add(&found), ["AGENTS.md"]);
    assert!(paths(&detected(&root.path().join("other"))).is_empty());
}
