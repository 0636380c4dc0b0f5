use crate::support::Sandbox;

#[test]
fn a_file_is_kept_as_given() {
    let sandbox = Sandbox::with(&[("README.md", "hello\n")]);
    sandbox.ctx(["add", "./README.md"]).stderr("Added './README.md' to profile 'default': 1 file\n").check();
    assert_eq!(sandbox.stored("profiles/default.json"), "{\n  \"paths\": [\n    \"./README.md\"\n  ]\n}\n");
}

#[test]
fn a_pattern_says_how_many_files_it_matches() {
    let sandbox = Sandbox::with(&[("src/a.rs", ""), ("src/b/c.rs", ""), ("src/d.txt", "")]);
    sandbox.ctx(["add", "src/**/*.rs"]).stderr("Added 'src/**/*.rs' to profile 'default': 2 files\n").check();
}

#[test]
fn the_first_global_change_writes_the_built_in_list_too() {
    let sandbox = Sandbox::with(&[("notes.md", "")]);
    sandbox.ctx(["add", "-g", "notes.md"]).stderr("Added 'notes.md' to the global context: 1 file\n").check();
    assert_eq!(
        sandbox.stored("global.json"),
        "{\n  \"paths\": [\n    \"~/.aws/amazonq/rules/**/*.md\",\n    \"AmazonQ.md\",\n    \"AGENTS.md\",\n    \"notes.md\"\n  ]\n}\n"
    );
}

#[test]
fn what_does_not_exist_is_refused_and_nothing_is_added() {
    let sandbox = Sandbox::with(&[("a.md", "")]);
    sandbox
        .ctx(["add", "a.md", "missing.md"])
        .code(1)
        .stderr("error: Invalid path 'missing.md': not found. Use --force to add anyway.\n")
        .check();
    sandbox
        .ctx(["add", "a.md", "*.rs"])
        .code(1)
        .stderr("error: No files found matching glob pattern '*.rs'\nhint: use --force to add it anyway\n")
        .check();
    assert!(!sandbox.store().join("profiles/default.json").exists());
}

#[test]
fn force_adds_what_does_not_exist_yet() {
    let sandbox = Sandbox::new();
    sandbox
        .ctx(["add", "--force", "later.md", "later/**"])
        .stderr(
            "Added 'later.md' to profile 'default': no file yet\n\
             Added 'later/**' to profile 'default': no file yet\n",
        )
        .check();
}

#[test]
fn force_never_adds_what_cannot_be_parsed() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["add", "--force", "a/**b/["]).code(2).stderr_has("error: ").check();
    sandbox.ctx(["add", "--force", "~root/x"]).code(2).stderr_has("~user").check();
    sandbox.ctx(["add", "--force", ""]).code(2).stderr_has("empty").check();
    assert!(!sandbox.store().join("profiles/default.json").exists());
}

#[test]
fn a_path_is_added_once_however_it_is_spelled() {
    let sandbox = Sandbox::with(&[("docs/a.md", "")]);
    sandbox.ctx(["add", "docs"]).stderr_any().check();
    for spelling in ["docs", "docs/", "./docs", "./docs/"] {
        sandbox
            .ctx(["add", spelling])
            .code(1)
            .stderr(format!("error: Path '{spelling}' already exists in the context\n"))
            .check();
    }
}

#[test]
fn a_directory_says_what_it_leaves_out() {
    let sandbox = Sandbox::with(&[("docs/a.md", ""), ("docs/deep/b.md", ""), ("docs/deeper/c.md", "")]);
    sandbox
        .ctx(["add", "docs"])
        .stderr(
            "Added 'docs' to profile 'default': 1 file\n\
             note: 2 subdirectories of 'docs' are left out: 'docs/**' takes everything below it\n",
        )
        .check();
    sandbox.ctx(["add", "-r", "docs"]).stderr("Added 'docs/**' to profile 'default': 3 files\n").check();
}

#[test]
fn attributes_are_stored_beside_the_path() {
    let sandbox = Sandbox::with(&[("a.rs", "")]);
    sandbox.ctx(["add", "--pin", "--tag", "api", "--no-ignore", "a.rs"]).stderr_any().check();
    assert_eq!(
        sandbox.stored("profiles/default.json"),
        "{\n  \"paths\": [\n    {\n      \"path\": \"a.rs\",\n      \"tags\": [\n        \"api\"\n      ],\n      \"pin\": true,\n      \"ignore\": false\n    }\n  ]\n}\n"
    );
}

#[test]
fn names_that_hold_secrets_need_force() {
    let sandbox = Sandbox::with(&[(".env", "A=1\n")]);
    sandbox
        .ctx(["add", ".env"])
        .code(1)
        .stderr(
            "error: Invalid path '.env': its name says that it holds secrets. Use --force to add anyway.\n",
        )
        .check();
    sandbox.ctx(["add", "--force", ".env"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has("[.env]\nA=1\n").check();
}

#[test]
fn a_literal_path_that_exists_is_literal() {
    let sandbox = Sandbox::with(&[("app/[id]/page.tsx", "page\n"), ("app/i/page.tsx", "other\n")]);
    sandbox
        .ctx(["add", "app/[id]/page.tsx"])
        .stderr("Added 'app/[id]/page.tsx' to profile 'default': 1 file\n")
        .check();
    sandbox.ctx(["render"]).stdout_has("[app/[id]/page.tsx]\npage\n").check();
}

#[test]
fn what_cannot_be_read_needs_force() {
    let sandbox = Sandbox::with(&[("closed.txt", "a\n")]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let closed = sandbox.path("closed.txt");
        std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o0)).unwrap();
        // Root reads whatever it likes.
        if std::fs::File::open(&closed).is_err() {
            let message = "error: Invalid path 'closed.txt': permission denied. Use --force to add anyway.\n";
            sandbox.ctx(["add", "closed.txt"]).code(1).stderr(message).check();
            sandbox.ctx(["add", "--force", "closed.txt"]).stderr_any().check();
        }
    }
    if cfg!(target_os = "linux") {
        sandbox.ctx(["add", "/proc/self/status"]).code(1).stderr_has("made up by the kernel").check();
    }
}

#[test]
fn an_entry_that_is_kept_is_a_duplicate_before_anything_else() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    sandbox.ctx(["add", "a.txt"]).stderr_any().check();
    std::fs::remove_file(sandbox.path("a.txt")).unwrap();
    let message = "error: Path './a.txt' already exists in the context\n";
    sandbox.ctx(["add", "./a.txt"]).code(1).stderr(message).check();
}

#[test]
fn matches_are_counted_as_the_exclusions_in_force_leave_them() {
    let sandbox = Sandbox::with(&[("a/x.rs", ""), ("a/y.md", ""), ("a/z.txt", "")]);
    sandbox.ctx(["add", "-g", "!*/x.rs"]).stderr_any().check();
    sandbox.ctx(["add", "!a/*.md"]).stderr_any().check();
    sandbox.ctx(["add", "a/**"]).stderr("Added 'a/**' to profile 'default': 1 file\n").check();
    sandbox.ctx(["add", "-g", "a/*"]).stderr("Added 'a/*' to the global context: 2 files\n").check();
    sandbox.ctx(["show"]).stdout_has("    a/* (2 matches)\n").check();
}

#[test]
fn an_exclusion_alone_takes_no_attributes() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    for options in [&["--pin"][..], &["--tag", "x"], &["--no-ignore"]] {
        let args = [&["add"][..], options, &["!zz"]].concat();
        sandbox.ctx(args).code(2).stderr_has("'!zz' is an exclusion").check();
    }
    sandbox.ctx(["add", "!zz"]).stderr_any().check();
    for options in [&["--pin"][..], &["--tag", "x"]] {
        let args = [&["set", "!zz"][..], options].concat();
        sandbox.ctx(args).code(2).stderr_has("'!zz' is an exclusion").check();
    }
    sandbox.ctx(["set", "!zz", "--first"]).stderr_any().check();
}

#[test]
fn tags_are_words() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    sandbox.ctx(["add", "a.txt"]).stderr_any().check();
    for tag in ["", " ", "a ", "\ta", "a,b", "a\u{1b}[2Jb", "a\nb"] {
        let option = format!("--tag={tag}");
        sandbox.ctx(["add", &option, "b.txt"]).code(2).stderr_has("a tag ").check();
        sandbox.ctx(["set", &option, "a.txt"]).code(2).stderr_has("a tag ").check();
    }
    sandbox.ctx(["set", "a.txt", "--tag", "t", "--untag", "t"]).code(2).stderr_has("the tag 't'").check();
}

#[test]
fn an_exclusion_among_others_takes_no_attributes_and_that_is_said() {
    let sandbox = Sandbox::with(&[("p", ""), ("x", "")]);
    sandbox
        .ctx(["add", "--pin", "p", "!x"])
        .stderr(
            "Added 'p' to profile 'default': 1 file\nAdded '!x' to profile 'default'\n\
             note: '!x' is an exclusion, which took no --tag, --pin or --no-ignore\n",
        )
        .check();
    sandbox.ctx(["add", "x", "!y"]).stderr_any().check();
}

#[test]
fn a_path_named_twice_is_added_once() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    let added = "Added 'a.md' to profile 'default': 1 file\nAdded 'b.md' to profile 'default': 1 file\n";
    sandbox.ctx(["add", "a.md", "b.md", "./a.md", "a.md"]).stderr(added).check();
    sandbox.ctx(["add", "b.md"]).code(1).stderr_has("Path 'b.md' already exists in the context").check();
}

#[test]
fn force_is_kept_for_a_directory_below_the_home() {
    let sandbox = Sandbox::with(&[("../home/conf/id_rsa", "k\n"), ("../home/conf/a.md", "a\n")]);
    sandbox.ctx(["add", "--force", "~/conf"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has("id_rsa").check();
}

#[cfg(unix)]
#[test]
fn a_directory_of_any_name_is_taken_with_everything_below_it_and_nothing_else() {
    let decoys = ["x/f", "ab/f", "ac/f", "i/f", "q1/f", "a/f", "{/f", "]/f", "b/f"];
    let names = [
        ("x}", "x[}]"),
        ("a{b,c}", "a[{]b,c[}]"),
        ("[id]", "[[]id[]]"),
        ("a*", "a[*]"),
        ("q?", "q[?]"),
        ("./!x", "./!x"),
        ("./~{x", "./~[{]x"),
        ("a{b/../a{b", "a[{]b/../a[{]b"),
        (".x}", ".x[}]"),
    ];
    for (name, escaped) in names {
        let files = [format!("{name}/f"), format!("{name}/deep/g")];
        let sandbox = Sandbox::with(&files.each_ref().map(|path| (path.as_str(), "x\n")));
        decoys.iter().for_each(|path| sandbox.write(path, "decoy\n"));
        sandbox
            .ctx(["add", "--recursive", name])
            .stderr(format!("Added '{escaped}/**' to profile 'default': 2 files\n"))
            .check();
        let block = sandbox.ctx(["render"]).stdout_lacks("decoy").check();
        sandbox.ctx(["render", "--only", "-r", name]).stdout(block).check();
    }
}

#[cfg(unix)]
#[test]
fn a_directory_that_is_a_link_is_taken_whatever_its_name() {
    let sandbox = Sandbox::with(&[("elsewhere/f", "f\n")]);
    std::os::unix::fs::symlink("elsewhere", sandbox.path("a}")).unwrap();
    sandbox.ctx(["add", "-r", "a}"]).stderr("Added 'a[}]/**' to profile 'default': 1 file\n").check();
}

#[test]
fn an_empty_path_is_no_directory() {
    let sandbox = Sandbox::new();
    for options in [&["add", "-r", ""][..], &["add", "-rf", ""]] {
        sandbox.ctx(options).code(2).stderr("error: Invalid path '': it is empty\n").check();
    }
}

#[test]
fn what_takes_everything_below_a_directory_takes_nothing_else() {
    let sandbox = Sandbox::with(&[("[id]/a", "a\n"), ("[id]/sub/b", "b\n"), ("i/c", "c\n")]);
    let note = "note: 1 subdirectory of '[id]' is left out: '[[]id[]]/**' takes everything below it\n";
    let added = "Added '[id]' to profile 'default': 1 file\n";
    sandbox.ctx(["add", "[id]"]).stderr(format!("{added}{note}")).check();
    sandbox.ctx(["render"]).stdout_has("[[id]/a]\n").stderr(note).check();
    sandbox.ctx(["add", "[[]id[]]/**"]).stderr_has("2 files").check();
}

#[test]
fn force_is_kept_for_what_holds_secrets_by_its_place() {
    let sandbox = Sandbox::with(&[(".aws/config", "region\n"), (".aws/other", "o\n")]);
    let aws = sandbox.path(".aws");
    let refused = "its name says that it holds secrets. Use --force to add anyway.\n";
    sandbox.ctx_in(&aws, ["add", "config"]).code(1).stderr_has(refused).check();
    sandbox
        .ctx_in(&aws, ["add", "--force", "config", "other", "credentials"])
        .stderr(
            "Added 'config' to profile 'default': 1 file\nAdded 'other' to profile 'default': 1 file\n\
             Added 'credentials' to profile 'default': no file yet\n",
        )
        .check();
    let stored: String = sandbox.stored("profiles/default.json").split_whitespace().collect();
    let forced = |path: &str| format!(r#"{{"path":"{path}","force":true}}"#);
    assert_eq!(stored, format!(r#"{{"paths":[{},"other",{}]}}"#, forced("config"), forced("credentials")));
    sandbox.write(".aws/credentials", "id\n");
    sandbox
        .ctx_in(&aws, ["render"])
        .stdout_has("[config]\nregion\n")
        .stdout_has("[credentials]\nid\n")
        .check();
}

#[cfg(unix)]
#[test]
fn force_is_kept_for_links_to_what_holds_secrets() {
    let sandbox = Sandbox::with(&[(".env", "A=1\n"), (".ssh/config", "Host b\n")]);
    for (link, to) in [("settings", ".env"), ("keys", ".ssh"), ("later", ".npmrc")] {
        std::os::unix::fs::symlink(to, sandbox.path(link)).unwrap();
    }
    sandbox
        .ctx(["add", "--force", "settings", "keys/config", "later"])
        .stderr(
            "Added 'settings' to profile 'default': 1 file\nAdded 'keys/config' to profile 'default': 1 file\n\
             Added 'later' to profile 'default': no file yet\n",
        )
        .check();
    sandbox.write(".npmrc", "token\n");
    sandbox
        .ctx(["render"])
        .stdout_has("[settings]\nA=1\n")
        .stdout_has("[keys/config]\nHost b\n")
        .stdout_has("[later]\ntoken\n")
        .check();
}

#[test]
fn what_is_kept_without_force_says_how_to_get_it() {
    let sandbox = Sandbox::with(&[(".ssh/config", "c\n"), ("a.md", "a\n")]);
    let known = |path: &str| format!("error: Path '{path}' already exists in the context\n");
    let hint = "hint: it was added without --force: ";
    sandbox.ctx(["add", ".ssh", "a.md"]).stderr_has("--force takes it").check();
    sandbox
        .ctx(["add", "--force", ".ssh"])
        .code(1)
        .stderr(known(".ssh") + hint + "ctx rm '.ssh' && ctx add --force '.ssh'\n")
        .check();
    sandbox.ctx(["add", ".ssh"]).code(1).stderr(known(".ssh")).check();
    sandbox.ctx(["add", "--force", "a.md"]).code(1).stderr(known("a.md")).check();
    sandbox.ctx(["add", "-g", "it's/**", "--force"]).stderr_any().check();
    sandbox.ctx(["add", "-g", "it's/**", "--force"]).code(1).stderr(known("it's/**")).check();
    sandbox.ctx(["rm", ".ssh"]).stderr_any().check();
    sandbox.ctx(["add", "--force", ".ssh"]).stderr("Added '.ssh' to profile 'default': 1 file\n").check();
    sandbox.ctx(["add", "-g", ".ssh"]).stderr_any().check();
    sandbox
        .ctx(["add", "-g", "--force", ".ssh"])
        .code(1)
        .stderr_has("ctx rm -g '.ssh' && ctx add -g --force '.ssh'\n")
        .check();
    sandbox.ctx(["profile", "-q", "-c", "p"]).check();
    sandbox.ctx(["--profile", "p", "add", ".ssh"]).stderr_any().check();
    sandbox
        .ctx(["--profile", "p", "add", "--force", ".ssh"])
        .code(1)
        .stderr_has("ctx --profile p rm '.ssh' && ctx --profile p add --force '.ssh'\n")
        .check();
}

#[test]
fn a_directory_that_is_not_there_yet_is_taken_with_everything_below_it() {
    let sandbox = Sandbox::with(&[("docs/a.md", "a\n"), ("b.md", "b\n")]);
    let refused = "error: Invalid path 'new': not found. Use --force to add anyway.\n";
    sandbox.ctx(["add", "-r", "new"]).code(1).stderr(refused).check();
    sandbox
        .ctx(["add", "-rf", "new", "n}/", "docs", "b.md", "./new", "!new/x", "*.rs"])
        .stderr(
            "Added 'new/**' to profile 'default': no file yet\n\
             Added 'n[}]/**' to profile 'default': no file yet\n\
             Added 'docs/**' to profile 'default': 1 file\n\
             Added 'b.md' to profile 'default': 1 file\n\
             Added '!new/x' to profile 'default'\n\
             Added '*.rs' to profile 'default': no file yet\n\
             note: not there yet, so -r takes it as a directory: 'new', 'n}/'\n",
        )
        .check();
    ["new/deep/c.md", "n}/d.md"].iter().for_each(|path| sandbox.write(path, "later\n"));
    sandbox.ctx(["render"]).stdout_has("[new/deep/c.md]").stdout_has("[n}/d.md]").stderr_any().check();
    sandbox
        .ctx(["add", "--force", "more/"])
        .stderr("Added 'more/' to profile 'default': no file yet\n")
        .check();
}
