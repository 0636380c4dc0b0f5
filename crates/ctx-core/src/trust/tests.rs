use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command as Program;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::{Fingerprint, Here, Scripts, TrustItem, Trusted, TrustedFile, Untrustable, digest, items_of};
use crate::command::{Command, CommandLimits};
use crate::entry::{Attribute, Author, Bound, Provenance, Scope, ScopedEntry};
use crate::fs::place::Place;
use crate::fs::real;
use crate::process::{Launcher, Variables};
use crate::world::{GitEnvironment, World};

/// A home directory with a store, and a repository with a script.
struct Yard(TempDir);

fn here_of(root: &Path) -> Here {
    Here::of_tree(root, &Place::new(&[]).world("")).unwrap()
}

impl Yard {
    fn new() -> Self {
        let yard = Self(tempfile::tempdir().unwrap());
        yard.write("repository/test.sh", "echo test\n");
        yard.git("repository", &["init", "-q", "-b", "main"]);
        yard.git("repository", &["add", "."]);
        yard.git("repository", &["commit", "-qm", "First"]);
        yard
    }

    fn at(&self, path: &str) -> PathBuf {
        real(self.0.path()).unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, directory: &str, arguments: &[&str]) {
        let status = Program::new("git")
            .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
            .args(arguments)
            .current_dir(self.at(directory))
            .env("HOME", self.at(""))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .status();
        assert!(status.unwrap().success(), "git {arguments:?}");
    }

    fn file(&self) -> TrustedFile {
        TrustedFile::outside(&self.at("repository"), self.at("home/store")).unwrap()
    }

    fn item(&self, tree: &str, words: &str) -> TrustItem {
        item(words, &self.at(tree), &self.at(tree))
    }

    /// Trusts a command in the repository.
    fn trust(&self, words: &str) {
        let here = here_of(&self.at("repository"));
        self.file().grant(&here, &[self.item("repository", words)]).unwrap();
    }

    /// Whether the command is trusted in a tree.
    fn trusts(&self, tree: &str, words: &str) -> bool {
        let trusted = self.file().at(&here_of(&self.at(tree))).unwrap();
        trusted.contains(&self.item(tree, words))
    }
}

fn command(words: &str) -> Command {
    Command { words: words.parse().unwrap(), limits: CommandLimits::default() }
}

fn item(words: &str, directory: &Path, root: &Path) -> TrustItem {
    TrustItem::command(&command(words), "global", directory, &scripts(root))
}

fn scripts(root: &Path) -> Scripts {
    Scripts::of_tree(root, &Launcher::new(Variables::default()))
}

#[test]
fn program_found_through_the_path_inside_the_tree_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let yard = Yard::new();
    for path in ["repository/bin/lint", "outside/lint", "outside/other"] {
        yard.write(path, "#!/bin/sh\n");
        fs::set_permissions(yard.at(path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    symlink(yard.at("repository/bin/lint"), yard.at("outside/link")).unwrap();
    let root = yard.at("repository");
    let found = |words: &str, path: [&str; 2]| {
        let path = std::env::join_paths(path.map(|directory| yard.at(directory))).unwrap();
        let launcher = Launcher::new([("PATH".into(), path)].into_iter().collect());
        Scripts::of_tree(&root, &launcher).paths(&words.parse().unwrap(), &root)
    };
    let lint = [Path::new("bin/lint")];
    for words in ["lint", "lint src", "link"] {
        assert_eq!(found(words, ["repository/bin", "outside"]), lint, "{words}");
    }
    assert!(found("lint", ["outside", "repository/bin"]).is_empty());
    assert!(found("other", ["repository/bin", "outside"]).is_empty());
}

#[test]
fn directory_is_part_of_an_item() {
    let yard = Yard::new();
    yard.write("repository/sub/x", "x\n");
    let root = yard.at("repository");
    let below = item("make test", &root.join("sub"), &root);
    assert_eq!(below.description, "command 'make test' (global, with no file of this repository, in sub)");
    assert_ne!(below.fingerprint, item("make test", &root, &root).fingerprint);
    let pin = |entry: &str, list: &str, project: &Path| {
        TrustItem::attribute(Attribute::Pin, &true.into(), entry, list, project)
    };
    for item in [TrustItem::instruction, TrustItem::setting, pin] {
        let [top, below] = ["", "sub"].map(|project| item("x", "project profile 'a'", Path::new(project)));
        assert_ne!(top.fingerprint, below.fingerprint);
        assert!(
            below.description.contains("(project profile 'a', 1 bytes, in sub)")
                || below.description.contains("(project profile 'a', in sub)"),
            "{}",
            below.description
        );
    }
}

#[test]
fn every_attribute_that_needs_trust_is_part_of_an_item() {
    let yard = Yard::new();
    let root = yard.at("repository");
    let scripts = scripts(&root);
    let world = World {
        cwd: root.clone(),
        root: root.clone(),
        home: None,
        project: Some(root.clone()),
        git: GitEnvironment::default(),
        now: SystemTime::UNIX_EPOCH,
        threads: 1,
    };
    let items = |entry: &str| {
        let project = Provenance { scope: Scope::Project, author: Author::Project };
        let scoped = ScopedEntry::from_list(project, serde_json::from_str(entry).unwrap());
        let items = items_of(&scoped, "project profile 'a'", &world, &scripts);
        items.into_iter().map(|item| item.fingerprint).collect::<Vec<Fingerprint>>()
    };
    for attribute in Attribute::ALL.into_iter().filter(|one| one.bound() == Bound::OnceTrusted) {
        let value = match attribute {
            Attribute::Pin | Attribute::Search | Attribute::Off | Attribute::Imports => "true",
            Attribute::Timeout | Attribute::Ttl => "\"7s\"",
            Attribute::MaxOutput => "\"3k\"",
            Attribute::Exit => "\"zero\"",
            Attribute::Lines => "\"1-2\"",
            Attribute::Name => "\"parse\"",
            Attribute::As => "\"name\"",
            Attribute::Share => "\"20%\"",
            Attribute::Encoding => "\"GBK\"",
            Attribute::Tags | Attribute::Allow | Attribute::When => "[]",
        };
        let path = if attribute.is_of_commands() { "cmd:date" } else { "docs" };
        let name = attribute.name();
        let with = items(&format!(r#"{{"path": "{path}", "{name}": {value}}}"#));
        assert!(!with.is_empty() && with != items(&format!("\"{path}\"")), "{name}");
    }
}

#[test]
fn files_that_are_too_large_together_cannot_be_trusted_and_are_read_only_once() {
    let yard = Yard::new();
    let root = yard.at("repository");
    for (name, size) in [("huge", 1 << 40), ("large", 40 << 20), ("other", 30 << 20)] {
        fs::File::create(root.join(name)).unwrap().set_len(size).unwrap();
    }
    let scripts = scripts(&root);
    let refusal = |words: &str| TrustItem::command(&command(words), "global", &root, &scripts).refusal;
    assert_eq!(refusal("cat huge"), Some(Untrustable::TooLarge));
    for place in 0..200 {
        assert_eq!(refusal(&format!("cat large {place}")), None);
    }
    assert_eq!(refusal("cat other"), Some(Untrustable::TooLargeTogether));
    let together = TrustItem::command(&command("cat other"), "global", &root, &scripts).description;
    assert_eq!(together, "command 'cat other' (global, the commands together name files over 64 MiB)");
    assert_eq!(item("cat other", &root, &root).refusal, None);
    assert_eq!(refusal("cat test.sh"), None);
    let item = TrustItem::command(&command("cat huge"), "global", &root, &scripts);
    assert_eq!(item.description, "command 'cat huge' (global, names files over 64 MiB)");
    assert!(!Trusted::exactly(std::slice::from_ref(&item)).contains(&item));
    let here = here_of(&root);
    yard.file().grant(&here, &[item]).unwrap();
    assert!(yard.file().at(&here).unwrap().is_empty());
}

#[test]
fn no_file_is_looked_up_if_nothing_is_trusted() {
    let yard = Yard::new();
    let root = yard.at("repository");
    let blind = scripts(&root).blind();
    assert_eq!(blind.paths(&command("sh test.sh").words, &root), Vec::<PathBuf>::new());
    assert_eq!(scripts(&root).paths(&command("sh test.sh").words, &root), [PathBuf::from("test.sh")]);
}

#[test]
fn command_is_trusted_in_the_repository_and_its_work_trees() {
    let yard = Yard::new();
    yard.trust("sh test.sh");
    assert!(yard.trusts("repository", "sh test.sh"));
    yard.git("repository", &["worktree", "add", "-q", "../tree"]);
    assert!(yard.trusts("tree", "sh test.sh"));
    yard.git("repository", &["worktree", "move", "../tree", "../moved"]);
    assert!(yard.trusts("moved", "sh test.sh"));
}

#[test]
fn copy_clone_and_recreated_directory_are_not_trusted() {
    let yard = Yard::new();
    yard.trust("sh test.sh");
    yard.git("", &["clone", "-q", "repository", "clone"]);
    let copied = Program::new("cp").args(["-a", "repository", "copy"]).current_dir(yard.at("")).status();
    assert!(copied.unwrap().success());
    yard.git("repository", &["worktree", "add", "-q", "../tree"]);
    let copied = Program::new("cp").args(["-a", "tree", "copied-tree"]).current_dir(yard.at("")).status();
    assert!(copied.unwrap().success());
    for other in ["clone", "copy", "copied-tree"] {
        assert!(!yard.trusts(other, "sh test.sh"), "{other}");
    }
    fs::rename(yard.at("repository"), yard.at("gone")).unwrap();
    fs::rename(yard.at("clone"), yard.at("repository")).unwrap();
    assert!(!yard.trusts("repository", "sh test.sh"));
}

#[test]
fn forged_git_file_does_not_make_a_command_trusted() {
    let yard = Yard::new();
    yard.trust("sh test.sh");
    yard.write("evil/test.sh", "echo test\n");
    yard.write("evil/.git", &format!("gitdir: {}\n", yard.at("repository/.git").display()));
    assert!(!yard.trusts("evil", "sh test.sh"));
    yard.git("repository", &["worktree", "add", "-q", "../tree"]);
    fs::copy(yard.at("tree/.git"), yard.at("evil/.git")).unwrap();
    assert!(!yard.trusts("evil", "sh test.sh"));
    fs::remove_file(yard.at("evil/.git")).unwrap();
    symlink(yard.at("repository/.git"), yard.at("evil/.git")).unwrap();
    assert!(!yard.trusts("evil", "sh test.sh"));
}

#[test]
fn command_with_a_changed_word_or_attribute_is_a_different_one() {
    let yard = Yard::new();
    yard.trust("sh test.sh");
    for other in ["sh ./test.sh", "sh test.sh x", "sh 'test.sh x'", "bash test.sh", "sh"] {
        assert!(!yard.trusts("repository", other), "{other}");
    }
    let root = yard.at("repository");
    let usual = command("sh test.sh");
    let fingerprint = |limits: CommandLimits| {
        let command = Command { limits, ..usual.clone() };
        TrustItem::command(&command, "profile 'x'", &root, &scripts(&root)).fingerprint
    };
    let same = fingerprint(CommandLimits::default());
    assert_eq!(same, yard.item("repository", "sh  test.sh").fingerprint);
    for limits in [
        CommandLimits { timeout: Duration::from_secs(31), ..CommandLimits::default() },
        CommandLimits { most_output: 1, ..CommandLimits::default() },
        CommandLimits { only_success: true, ..CommandLimits::default() },
        CommandLimits { ttl: Some(Duration::from_secs(1)), ..CommandLimits::default() },
    ] {
        assert_ne!(fingerprint(limits), same, "{limits:?}");
    }
}

#[test]
fn changed_script_is_not_trusted_until_it_is_restored() {
    let yard = Yard::new();
    for words in ["sh test.sh", "./test.sh", "make --file test.sh"] {
        yard.write("repository/test.sh", "echo test\n");
        yard.trust(words);
        yard.write("repository/test.sh", "echo evil\n");
        assert!(!yard.trusts("repository", words), "{words}");
        yard.write("repository/test.sh", "echo test\n");
        assert!(yard.trusts("repository", words), "{words}");
        fs::remove_file(yard.at("repository/test.sh")).unwrap();
        assert!(!yard.trusts("repository", words), "{words}");
    }
}

#[test]
fn script_that_becomes_executable_is_not_trusted() {
    use std::os::unix::fs::PermissionsExt;
    let yard = Yard::new();
    let set =
        |mode| fs::set_permissions(yard.at("repository/test.sh"), fs::Permissions::from_mode(mode)).unwrap();
    set(0o644);
    yard.trust("./test.sh");
    assert!(yard.trusts("repository", "./test.sh"));
    set(0o755);
    assert!(!yard.trusts("repository", "./test.sh"));
    set(0o600);
    assert!(yard.trusts("repository", "./test.sh"));
}

#[test]
fn what_a_command_runs_beyond_its_words_is_trusted_with_it() {
    let yard = Yard::new();
    for words in ["make", "sh -c 'cd . && ./test.sh'"] {
        yard.write("repository/Makefile", "all:\n\techo made\n");
        yard.trust(words);
        yard.write("repository/Makefile", "all:\n\techo other\n");
        yard.write("repository/test.sh", "echo other\n");
        assert!(yard.trusts("repository", words), "{words}");
        assert!(yard.item("repository", words).description.contains("with no file of this repository"));
    }
}

#[test]
fn scripts_are_the_files_inside_the_tree_and_the_targets_of_its_links() {
    let yard = Yard::new();
    yard.write("outside.sh", "x");
    yard.write("repository/sub/run", "x");
    symlink("../outside.sh", yard.at("repository/link.sh")).unwrap();
    let root = yard.at("repository");
    let named = |words: &str, directory: &str| -> Vec<PathBuf> {
        scripts(&root).paths(&words.parse().unwrap(), &yard.at(directory))
    };
    let path = |path: &str| PathBuf::from(path);
    assert_eq!(named("sub/run test.sh sub missing", "repository"), [path("sub/run"), path("test.sh")]);
    assert_eq!(named("./run ../test.sh", "repository/sub"), [path("sub/run"), path("test.sh")]);
    assert_eq!(named("sh link.sh", "repository"), [yard.at("outside.sh")]);
    let outside = format!("cat ../outside.sh /bin/sh {}", yard.at("repository/test.sh").display());
    assert_eq!(named(&outside, "repository"), [path("test.sh")]);
}

#[test]
fn digest_depends_only_on_the_set_of_items() {
    let yard = Yard::new();
    let (a, b) = (yard.item("repository", "a"), yard.item("repository", "b"));
    let all = digest(&[a.clone(), b.clone()]);
    assert_eq!(digest(&[b.clone(), a.clone(), b.clone()]), all);
    assert_ne!(digest(std::slice::from_ref(&a)), all);
    let exactly = Trusted::exactly(std::slice::from_ref(&a));
    assert!(exactly.contains(&a) && !exactly.contains(&b));
}

#[test]
fn item_is_described_completely_and_escaped() {
    let yard = Yard::new();
    let description = |words: &str| yard.item("repository", words).description;
    assert_eq!(description("cargo test"), "command 'cargo test' (global, with no file of this repository)");
    assert_eq!(description("sh test.sh"), "command 'sh test.sh' (global, with test.sh)");
    assert_eq!(
        description("echo '\u{1b}[2K\n\u{202e}'"),
        "command 'echo \\'\\u{1b}[2K\n\\u{202e}\\'' (global, with no file of this repository)"
    );
    assert_eq!(
        TrustItem::instruction("You're\nin", "project profile 'api'", Path::new("")).description,
        "instruction (project profile 'api', 9 bytes): 'You\\'re\nin'"
    );
    assert_eq!(
        TrustItem::setting("budget=200k", "project profile 'api'", Path::new("")).description,
        "settings (project profile 'api'): budget=200k"
    );
}

#[test]
fn trust_is_forgotten_only_for_one_place() {
    let yard = Yard::new();
    yard.trust("sh test.sh");
    yard.trust("cargo test");
    let here = here_of(&yard.at("repository"));
    let elsewhere = here_of(&yard.at(""));
    assert_eq!(yard.file().forget(&elsewhere).unwrap(), 0);
    assert!(yard.trusts("repository", "cargo test"));
    assert_eq!(yard.file().forget(&here).unwrap(), 2);
    assert!(!yard.trusts("repository", "cargo test"));
}

#[test]
fn trust_file_inside_the_tree_is_never_used() {
    let yard = Yard::new();
    let tree = yard.at("repository");
    assert!(TrustedFile::outside(&tree, tree.join("store")).is_none());
    symlink(tree.join("store"), yard.at("link")).unwrap();
    fs::create_dir(tree.join("store")).unwrap();
    assert!(TrustedFile::outside(&tree, yard.at("link")).is_none());
    assert!(TrustedFile::outside(&tree, yard.at("repository-store")).is_some());
}

#[test]
fn damaged_trust_file_is_an_error_and_is_kept() {
    let yard = Yard::new();
    yard.write("home/store/trusted.json", "{");
    let here = here_of(&yard.at("repository"));
    assert!(yard.file().at(&here).is_err());
    assert!(yard.file().grant(&here, &[]).is_err());
    assert_eq!(fs::read_to_string(yard.at("home/store/trusted.json")).unwrap(), "{");
}
