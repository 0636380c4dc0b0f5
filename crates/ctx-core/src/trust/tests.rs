use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command as Program;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::{Fingerprint, Here, Scripts, TrustItem, Trusted, TrustedFile, Untrustable, digest, items_of};
use crate::entry::{Attribute, Author, Bound, Provenance, Scope, ScopedEntry};
use crate::fs::real;
use crate::process::{Launcher, Variables};
use crate::source::command::{Command, CommandLimits};
use crate::world::place::Place;
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

/// The files named by the words of a command that runs at the top of a tree.
fn named(words: &str, root: &Path) -> Vec<PathBuf> {
    scripts(root).paths(&words.parse().unwrap(), root)
}

/// Checks that each command, run at the top of a tree, names the script and nothing else.
#[track_caller]
fn assert_all_name(script: &str, commands: &[&str], root: &Path) {
    for words in commands {
        assert_eq!(named(words, root), [Path::new(script)], "{words}");
    }
}

#[test]
fn script_in_the_value_of_an_option_is_found_however_it_is_written() {
    let yard = Yard::new();
    yard.write("repository/scripts/x.sh", "echo x\n");
    let root = yard.at("repository");
    let commands = [
        "tool --config=scripts/x.sh",
        "tool -fscripts/x.sh",
        "tar -xfscripts/x.sh",
        "tool --mount=type=bind,src=scripts/x.sh",
        "tool -v ./scripts/x.sh:/x",
        "curl -d @scripts/x.sh",
        "sh -c 'tool -fscripts/x.sh'",
        "sh -c 'cd scripts && sh x.sh'",
        "sh -c '(cd \"scripts\"; . ./x.sh)'",
        "make -C scripts -f x.sh",
        "npm --prefix=scripts run x.sh",
        "sh -c 'tool \"--config=scripts/x.sh\"'",
    ];
    assert_all_name("scripts/x.sh", &commands, &root);
    assert!(named("tool -xyz --config=scripts", &root).is_empty());
}

#[test]
fn script_in_a_directory_that_the_command_enters_is_found_however_it_is_written() {
    let yard = Yard::new();
    yard.write("repository/scripts/x.sh", "echo x\n");
    yard.write("repository/a b/y.sh", "echo y\n");
    let root = yard.at("repository");
    let commands = [
        "sh -c 'cd -- scripts && ./x.sh'",
        "sh -c 'cd -P scripts; ./x.sh'",
        "sh -c 'cd -P -- scripts;./x.sh'",
        "sh -c 'cd $PWD/scripts && ./x.sh'",
        "sh -c 'cd \"${PWD}/scripts\" && ./x.sh'",
        "sh -c 'cd $(pwd)/scripts && ./x.sh'",
        "sh -c '$PWD/scripts/x.sh'",
        "sh -c 'cd scr* && ./x.sh'",
        "env --chdir=scripts ./x.sh",
        "env --chdir scripts ./x.sh",
        "env -Cscripts ./x.sh",
        "env -C scripts ./x.sh",
        "sh -c 'pushd scripts;./x.sh'",
        "sh -c 'env -C scripts ./x.sh'",
        "sh -c 'd=scripts; $d/x.sh'",
        "sh -c 'export d=\"scripts\"; cd ${d} && ./x.sh'",
        "sh -c 'd=nowhere; d=scripts; e=$d/x; $e.sh; d=nowhere'",
        "env d=scripts sh -c '$d/x.sh'",
        "env PATH=scripts x.sh",
        "sh -c 'PATH=scripts:$PATH; x.sh'",
        "sh -c 'PATH=/usr/bin:\"$PWD/scripts\" x.sh'",
        "sh -c 'for d in scripts; do $d/x.sh; done'",
        "sh -c 'for d in no other \"scripts\"\ndo $d/x.sh; done'",
        "sh -c 'for d in no scripts; do for e in y x; do $d/$e.sh; done; done'",
        "sh -c 'if true; then d=scripts; else d=no; fi; $d/x.sh'",
        "sh -c 'd=scr; d+=ipts; $d/x.sh'",
        "sh -c '$1/x.sh' name scripts",
        "sh -c 'for d in \"$@\"; do $d/x.sh; done' name no scripts",
        "sh -c 'for d do $d/x.sh; done' name no scripts",
        "sh -c 'set -- scripts; $1/x.sh'",
        "sh -c '${d:-scripts}/x.sh'",
        "sh -c 'e=scripts; ${d-${e}}/x.sh'",
        "sh -c '~+/scripts/x.sh'",
        "git -c 'alias.x=!scripts/x.sh' x",
        "git -c 'alias.x=!cd scripts; ./x.sh' x",
        "git -c 'alias.x=!cat scr*/x.sh' x",
        "sh -c 'CDPATH=.:scr; cd ipts || CDPATH=scripts cd . && ./x.sh'",
    ];
    assert_all_name("scripts/x.sh", &commands, &root);
    let commands = [
        "sh -c 'cd \"a b\" && ./y.sh'",
        "sh -c 'cd \"a b\";./y.sh'",
        "sh -c 'cd a\\ b && ./y.sh'",
        "env -C 'a b' ./y.sh",
        "sh -c 'd=a\\ b; cd \"$d\"; ./y.sh'",
        "sh -c 'd=\"a b\"; \"$d\"/y.sh'",
        "env '--chdir=a b' ./y.sh",
        "sh -c 'env --chdir=\"a b\" ./y.sh'",
    ];
    assert_all_name("a b/y.sh", &commands, &root);
}

#[test]
fn script_in_a_directory_that_the_command_returns_to_is_found() {
    let yard = Yard::new();
    yard.write("repository/d2/x.sh", "echo x\n");
    yard.write("repository/scripts/y", "y\n");
    let root = yard.at("repository");
    for words in [
        "sh -c 'cd scripts; cd $OLDPWD/d2; ./x.sh'",
        "sh -c 'cd scripts; cd \"${OLDPWD}\"/d2; ./x.sh'",
        "sh -c 'cd scripts; $OLDPWD/d2/x.sh'",
        "sh -c 'pushd scripts;~-/d2/x.sh'",
        "sh -c 'cd scripts; (cd ~-/d2; ./x.sh)'",
        "sh -c 'cd scripts; cd -; cd d2; ./x.sh'",
        "sh -c 'cd d2; cd ../scripts; $OLDPWD/x.sh'",
        "sh -c 'cd d2; $PWD/x.sh'",
        "sh -c 'cd d2; $(pwd)/x.sh'",
        "sh -c 'cd d2;~+/x.sh'",
        "sh -c 'cd scripts; PWD=no; cd ../d2; $PWD/x.sh'",
        "sh -c 'd=~+/d2; $d/x.sh'",
        "env -C d2 sh -c '$PWD/x.sh'",
    ] {
        assert_eq!(named(words, &root), [Path::new("d2/x.sh")], "{words}");
        let description = item(words, &root, &root).description;
        assert!(description.ends_with("(global, with d2/x.sh)"), "{description}");
    }
    fs::create_dir_all(root.join("deep/below")).unwrap();
    symlink("deep/below", root.join("link")).unwrap();
    let found = named("sh -c 'cd link; cd ../d2; ./x.sh'", &root);
    assert_eq!(found, [Path::new("d2/x.sh")]);
    // The shell inherits the previous directory of the process that starts it.
    let variables = [("OLDPWD".into(), root.join("d2").into())].into_iter().collect();
    let scripts = Scripts::of_tree(&root, &Launcher::new(variables));
    for words in ["sh -c 'cd -; ./x.sh'", "sh -c '$OLDPWD/x.sh'", "sh -c 'cd ~-; ./x.sh'"] {
        assert_eq!(scripts.paths(&words.parse().unwrap(), &root), [Path::new("d2/x.sh")], "{words}");
    }
}

#[test]
fn text_that_env_splits_is_read_as_words() {
    let yard = Yard::new();
    yard.write("repository/scripts/x.sh", "echo x\n");
    yard.write("repository/run", "#!/usr/bin/env -S-C scripts ./x.sh\n");
    let root = yard.at("repository");
    let commands = [
        "env -S'-C scripts ./x.sh'",
        "env -S '-C scripts ./x.sh'",
        "env -iS'-C scripts ./x.sh'",
        "env -vS '-C scripts ./x.sh'",
        "env --split-string='-C scripts ./x.sh'",
        "env --split '-Cscripts ./x.sh'",
        "/usr/bin/env '-S--chdir=scripts ./x.sh'",
        "env '-SPATH=scripts x.sh'",
        "env '-S-C\\_scripts\\_./x.sh'",
        "env '-Ssh -c \"cd scripts; cat [x].sh\"'",
        "env -S'-S\"-C scripts\" ./x.sh'",
        "sh -c \"env -S'-C scripts ./x.sh'\"",
        "env -iC scripts ./x.sh",
        "env -iCscripts ./x.sh",
        "env --ch=scripts ./x.sh",
        "make -sC scripts -f x.sh",
    ];
    assert_all_name("scripts/x.sh", &commands, &root);
    assert_eq!(named("./run", &root), ["run", "scripts/x.sh"].map(Path::new));
    let unknown = item("env '-Ssh -c \"cd scripts; ./x.sh $d\"'", &root, &root).description;
    assert!(unknown.ends_with("and names that only the shell knows)"), "{unknown}");
    let refusal = |times: usize| item(&format!("env {}", "-S".repeat(times)), &root, &root).refusal;
    assert_eq!((refusal(100), refusal(1000)), (None, Some(Untrustable::TooMany)));
}

#[test]
fn find_goes_to_where_it_starts_and_runs_names_that_only_it_knows() {
    let yard = Yard::new();
    yard.write("repository/scripts/x.sh", "echo x\n");
    let root = yard.at("repository");
    for words in [
        "find scripts -execdir ./x.sh ;",
        "find -L no scripts -name y -okdir ./x.sh {} +",
        "find scripts -name x.sh -exec {} ;",
        "sh -c 'find ./scripts -name x.sh -ok sh {} \\;'",
    ] {
        let description = item(words, &root, &root).description;
        let end = "(global, with scripts/x.sh, and names that only the shell knows)";
        assert!(description.ends_with(end), "{words}: {description}");
    }
    let description = item("find scripts -name x.sh", &root, &root).description;
    assert!(description.ends_with("(global, with no file of this repository)"), "{description}");
}

#[test]
fn names_that_only_a_shell_knows_are_reported_next_to_named_files() {
    let yard = Yard::new();
    yard.write("repository/README", "x\n");
    yard.write("repository/scripts/x.sh", "echo x\n");
    let root = yard.at("repository");
    let unknown = "with README, and names that only the shell knows";
    for words in [
        "sh -c 'cat README; $d/x.sh'",
        "sh -c 'cat README; $(echo scripts)/x.sh'",
        "sh -c 'cat README; `echo scripts`/x.sh'",
        "sh -c 'cat README; read d; $d/x.sh'",
        "sh -c 'cat README; d=no; read d; $d/x.sh'",
        "sh -c 'cat README; d=(no); $d/x.sh'",
        "bash -c 'cat README; d=no; printf -v d scripts; $d/x.sh'",
        "sh -c 'd=no; if . ./README; then $d/x.sh; fi'",
        "bash -c 'd=no; source README && $d/x.sh'",
        "sh -c 'cat README; sh -c \"d=scripts; \\$d/x.sh\"'",
        "sh -c 'cat README; d=scripts; trap \"\\$d/x.sh\" 0'",
        "bash -c 'cat README; declare -l e=SCRIPTS; $e/x.sh'",
        "sh -c 'cat README; ls | xargs -I{} sh {}'",
        "xargs -a README sh",
        "sh -c 'cat README; run-parts scripts'",
        "/usr/bin/run-parts --regex=README .",
        "sh -c 'ls | parallel -a README sh {}'",
        "sh -c 'cat README; echo c2NyaXB0cy94LnNo | base64 -d | sh'",
        "bash -c 'cat README; sh <(printf scri%s pts/x.sh)'",
        "sh -c 'cat README; d=no; ${d%o}/x.sh'",
        "sh -c 'cat README; $1/x.sh'",
        "bash -c \"cat README; \\$'scripts\\\\x2fx.sh'\"",
        "sh -c 'cat README; ~someone/x.sh'",
        "bash -c 'cat README; @(scripts)/x.sh'",
        "sh -c 'f() { $1/x.sh; }; cat README; f scripts' name no",
        "git -c 'alias.x=!cat README; $d/x.sh' x",
    ] {
        let description = item(words, &root, &root).description;
        assert!(description.ends_with(&format!("(global, {unknown})")), "{words}: {description}");
    }
    for words in [
        "sh -c 'cat README; d=no; $d/x.sh'",
        "sh -c 'cat README; echo $# $? $$; $PWD/no'",
        "sh -c 'd=no; printf %s . README; grep -r x . $d'",
        "sh -c 'cat README | sh -c ls; declare d=no; export -x e=no; $d/x.sh'",
        "awk '{print $1}' README",
        "sh -c \"grep 'x$' README\"",
    ] {
        let description = item(words, &root, &root).description;
        assert!(description.ends_with("(global, with README)"), "{words}: {description}");
    }
    let launcher = Launcher::new([("_".into(), "/usr/bin/ctx".into())].into_iter().collect());
    let last_word = "sh -c ': scripts; $_/x.sh'".parse().unwrap();
    assert!(Scripts::of_tree(&root, &launcher).have_unknown_names(&last_word, &root));
    let many: Vec<String> = (0..65).map(|place| place.to_string()).collect();
    let many =
        item(&format!("sh -c 'cat README; for d in {}; do $d/x.sh; done'", many.join(" ")), &root, &root);
    assert!(many.description.ends_with(&format!("(global, {unknown})")), "{}", many.description);
}

#[test]
fn directory_found_through_cdpath_is_searched() {
    let yard = Yard::new();
    yard.write("repository/scripts/sub/x.sh", "echo x\n");
    let root = yard.at("repository");
    let found = named("sh -c 'CDPATH=scripts; cd sub; ./x.sh'", &root);
    assert_eq!(found, [Path::new("scripts/sub/x.sh")]);
    // Directories outside the tree don't count towards the limit.
    let outside: Vec<String> =
        (0..40).map(|place| yard.at(&place.to_string()).display().to_string()).collect();
    outside.iter().for_each(|directory| fs::create_dir(directory).unwrap());
    assert_eq!(item(&format!("env PATH={} make", outside.join(":")), &root, &root).refusal, None);
}

#[test]
fn interpreter_of_a_script_and_main_file_of_a_directory_are_named() {
    use std::os::unix::fs::PermissionsExt;
    let yard = Yard::new();
    yard.write("repository/x.sh", "#!/usr/bin/env interp\nrun\n");
    yard.write("repository/bin/interp", "#!tools/other -x\n");
    yard.write("repository/tools/other", "#!/bin/sh\n");
    yard.write("repository/app/__main__.py", "print()\n");
    fs::set_permissions(yard.at("repository/bin/interp"), fs::Permissions::from_mode(0o755)).unwrap();
    let root = yard.at("repository");
    let launcher = Launcher::new([("PATH".into(), yard.at("repository/bin").into())].into_iter().collect());
    let found = Scripts::of_tree(&root, &launcher).paths(&"./x.sh".parse().unwrap(), &root);
    assert_eq!(found, ["bin/interp", "tools/other", "x.sh"].map(Path::new));
    assert_eq!(named("python3 app", &root), [Path::new("app/__main__.py")]);
}

#[test]
fn files_that_run_before_or_instead_of_a_module_are_named() {
    let yard = Yard::new();
    let root = yard.at("repository");
    yard.write("repository/app/lint/__main__.py", "print()\n");
    for words in ["python3 -m app.lint", "python3 -Imapp.lint", "sh -c 'python3 -um app.lint'"] {
        assert_eq!(named(words, &root), [Path::new("app/lint/__main__.py")], "{words}");
    }
    yard.trust("python3 -m app.lint");
    for shadow in ["app.py", "app/__init__.py", "app/lint.py", "app/lint/__init__.py"] {
        yard.write(&format!("repository/{shadow}"), "");
        assert!(!yard.trusts("repository", "python3 -m app.lint"), "{shadow}");
        fs::remove_file(yard.at("repository").join(shadow)).unwrap();
        assert!(yard.trusts("repository", "python3 -m app.lint"), "{shadow}");
    }
    let message = "x.".repeat(1000);
    assert_eq!(item(&format!("python3 -m {message}"), &root, &root).refusal, Some(Untrustable::TooMany));
    assert_eq!(item(&format!("git commit -m '{message} y'"), &root, &root).refusal, None);
}

#[test]
fn script_that_becomes_executable_is_not_trusted() {
    use std::os::unix::fs::PermissionsExt;
    let yard = Yard::new();
    let set =
        |mode| fs::set_permissions(yard.at("repository/test.sh"), fs::Permissions::from_mode(mode)).unwrap();
    set(0o644);
    yard.trust("sh -c './test.sh || true'");
    assert!(yard.trusts("repository", "sh -c './test.sh || true'"));
    set(0o755);
    assert!(!yard.trusts("repository", "sh -c './test.sh || true'"));
    set(0o600);
    assert!(yard.trusts("repository", "sh -c './test.sh || true'"));
}

#[test]
fn command_whose_variables_grow_too_long_cannot_be_trusted() {
    let yard = Yard::new();
    let root = yard.at("repository");
    let refusal = |times: usize| {
        let doubling = "a=$a$a;".repeat(times);
        item(&format!("sh -c 'a=xxxxxxxxxxxxxxxx;{doubling}cat $a'"), &root, &root).refusal
    };
    assert_eq!((refusal(5), refusal(100)), (None, Some(Untrustable::TooMany)));
}

#[test]
fn every_file_that_matches_a_pattern_in_a_shell_command_is_named() {
    let yard = Yard::new();
    for name in ["x.sh", "y.sh", "z.txt", ".hidden.sh", "sub/w.sh"] {
        yard.write(&format!("repository/scripts/{name}"), "x\n");
    }
    let root = yard.at("repository");
    let both = [Path::new("scripts/x.sh"), Path::new("scripts/y.sh")];
    for words in [
        "sh -c 'scripts/*.sh'",
        "sh -c './scripts/?.sh'",
        "bash -ec 'cat scripts/[xy].sh'",
        "bash --norc -c 'cat scripts/{x,y}.sh'",
        "env sh -c 'cd scripts; cat [xy].sh'",
        "sh -c 'cat \"scripts\"/*.sh'",
        "sh -c 'cat scripts/*.sh;true'",
        "sh -c 'cat s*/*.sh'",
        "sh -c 'cat $PWD/scripts/*.sh'",
    ] {
        assert_eq!(named(words, &root), both, "{words}");
    }
    for words in [
        "cat scripts/*.sh",
        "bash scripts/$(echo x).sh",
        "sh -c 'find . -exec grep x {} +'",
        "sh -c 'cat /etc/*.conf ../*/*'",
    ] {
        assert!(named(words, &root).is_empty(), "{words}");
    }
    assert_eq!(named("sh -c 'cat scripts/.*.sh'", &root), [Path::new("scripts/.hidden.sh")]);
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
    for words in ["lint", "lint src", "sh -c lint", "sh -c 'lint;true'", "env A=b lint", "link"] {
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
            Attribute::Tags | Attribute::Allow => "[]",
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
fn command_that_names_too_many_files_cannot_be_trusted() {
    let yard = Yard::new();
    let root = yard.at("repository");
    for place in 0..101 {
        yard.write(&format!("repository/many/{place}/x"), "");
    }
    let refusal = |words: &str| item(words, &root, &root).refusal;
    assert_eq!(refusal("sh -c 'cat many/*/x'"), None);
    let pattern = "*/../".repeat(3);
    assert_eq!(refusal(&format!("sh -c 'cat many/{pattern}*'")), Some(Untrustable::TooMany));
    let names: Vec<String> = (0..10_001).map(|place| place.to_string()).collect();
    assert_eq!(refusal(&format!("cat {}", names.join(" "))), Some(Untrustable::TooMany));
}

#[test]
fn commands_share_one_limit_for_the_names_that_are_looked_up() {
    let yard = Yard::new();
    let root = yard.at("repository");
    for place in 0..50 {
        yard.write(&format!("repository/many/{place}"), "");
    }
    let scripts = scripts(&root).within(200, 1 << 20);
    let refusal = |words: &str| TrustItem::command(&command(words), "global", &root, &scripts).refusal;
    let first = "sh -c 'cat many/1* 1'";
    assert_eq!(refusal(first), None);
    let others = (2..100).map(|place| refusal(&format!("sh -c 'cat many/1* {place}'")));
    let (looked_up, refused): (Vec<_>, Vec<_>) = others.partition(Option::is_none);
    assert!(
        looked_up.len() < 4 && refused.iter().all(|refusal| *refusal == Some(Untrustable::TooManyTogether))
    );
    assert_eq!(refusal("cargo test"), Some(Untrustable::TooManyTogether));
}

#[test]
fn command_is_examined_only_once() {
    let yard = Yard::new();
    let root = yard.at("repository");
    let scripts = scripts(&root).within(50, 1 << 20);
    let refusal = |words: &str| TrustItem::command(&command(words), "global", &root, &scripts).refusal;
    assert!((0..100).all(|_| refusal("sh test.sh").is_none()));
}

#[test]
fn command_cannot_be_trusted_if_files_are_not_read() {
    let yard = Yard::new();
    let root = yard.at("repository");
    let unread = scripts(&root).unread();
    let refusal = |words: &str| TrustItem::command(&command(words), "global", &root, &unread).refusal;
    for words in ["cargo test", "sh test.sh", "sh -c 'cat */*/*'"] {
        assert_eq!(refusal(words), Some(Untrustable::TooManyTogether), "{words}");
    }
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
    for words in [
        "sh test.sh",
        "./test.sh",
        "sh -c 'cd . && ./test.sh|tail'",
        "make --file=test.sh",
        "sh -ec \". './test.sh';x\"",
    ] {
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
