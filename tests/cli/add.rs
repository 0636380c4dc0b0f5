use crate::support::Sandbox;

#[test]
fn a_file_is_stored_by_its_path_from_the_root() {
    let sandbox = Sandbox::with(&[("README.md", "hello\n")]);
    sandbox
        .ctx(["add", "./README.md"])
        .stderr("Added 'README.md' to profile 'default': 1 file, 2 tokens\n")
        .check();
    assert_eq!(sandbox.stored("profiles/default.json"), "{\n  \"paths\": [\n    \"README.md\"\n  ]\n}\n");
}

#[test]
fn adding_a_pattern_reports_how_many_files_it_matches() {
    let sandbox = Sandbox::with(&[("src/a.rs", ""), ("src/b/c.rs", ""), ("src/d.txt", "")]);
    sandbox
        .ctx(["add", "src/**/*.rs"])
        .stderr("Added 'src/**/*.rs' to profile 'default': 2 files, 0 tokens\n")
        .check();
}

#[test]
fn the_first_global_change_writes_the_built_in_list_too() {
    let sandbox = Sandbox::with(&[("notes.md", "")]);
    sandbox
        .ctx(["add", "-g", "notes.md"])
        .stderr("Added 'notes.md' to the global list: 1 file, 0 tokens\n")
        .check();
    assert_eq!(
        sandbox.stored("global.json"),
        "{\n  \"paths\": [\n    \"~/.aws/amazonq/rules/**/*.md\",\n    \"AmazonQ.md\",\n    {\n      \"path\": \".amazonq/rules/**/*.md\",\n      \"allow\": [\n        \"ignored\"\n      ]\n    },\n    \"up:AGENTS.md\",\n    \"notes.md\"\n  ]\n}\n"
    );
}

#[test]
fn a_missing_path_is_refused_and_nothing_is_added() {
    let sandbox = Sandbox::with(&[("a.md", "")]);
    sandbox
        .ctx(["add", "a.md", "missing.md"])
        .code(1)
        .stderr("error: Invalid path 'missing.md': not found. Use --force to add anyway.\n")
        .check();
    sandbox
        .ctx(["add", "a.md", "*.rs"])
        .code(1)
        .stderr("error: No files found matching glob pattern '*.rs'\nhint: --force adds it\n")
        .check();
    assert!(!sandbox.store().join("profiles/default.json").exists());
}

#[test]
fn force_adds_paths_that_do_not_exist_yet() {
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
fn force_never_adds_invalid_paths() {
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
    for (spelling, kept) in [("docs", "docs"), ("docs/", "docs/"), ("./docs", "docs"), ("x/../docs", "docs")]
    {
        sandbox
            .ctx(["add", spelling])
            .stderr_has(&format!("note: Path '{kept}' already exists in the context\n"))
            .check();
    }
}

#[test]
fn adding_a_directory_reports_omitted_subdirectories() {
    let sandbox = Sandbox::with(&[("docs/a.md", ""), ("docs/deep/b.md", ""), ("docs/deeper/c.md", "")]);
    sandbox
        .ctx(["add", "docs"])
        .stderr(
            "Added 'docs' to profile 'default': 1 file, 0 tokens\n\
             note: 2 subdirectories of 'docs' are left out: 'docs/**' includes everything below it\n",
        )
        .check();
    sandbox
        .ctx(["add", "-r", "docs"])
        .stderr("Added 'docs/**' to profile 'default': 3 files, 0 tokens\n")
        .check();
    sandbox
        .ctx(["add", "docs/*"])
        .stderr(
            "Added 'docs/*' to profile 'default': 1 file, 0 tokens\n\
             note: 2 subdirectories of 'docs/' are left out: 'docs/**' includes everything below it\n",
        )
        .check();
}

#[test]
fn an_existing_path_is_not_read_as_a_pattern() {
    let sandbox = Sandbox::with(&[("app/[id]/page.tsx", "page\n"), ("app/i/page.tsx", "other\n")]);
    sandbox
        .ctx(["add", "app/[id]/page.tsx"])
        .stderr("Added 'app/[id]/page.tsx' to profile 'default': 1 file, 2 tokens\n")
        .check();
    sandbox.ctx(["render"]).stdout_has("[app/[id]/page.tsx]\npage\n").check();
}

#[test]
fn an_unreadable_file_is_refused() {
    let sandbox = Sandbox::with(&[("closed.txt", "a\n")]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let closed = sandbox.path("closed.txt");
        std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o0)).unwrap();
        // Root can read everything.
        if std::fs::File::open(&closed).is_err() {
            let message = "error: Invalid path 'closed.txt': permission denied\n";
            sandbox.ctx(["add", "closed.txt"]).code(1).stderr(message).check();
            sandbox.ctx(["add", "--force", "closed.txt"]).code(1).stderr(message).check();
        }
    }
    if cfg!(target_os = "linux") {
        sandbox.ctx(["add", "/proc/self/status"]).code(1).stderr_has("kernel file").check();
    }
}

#[test]
fn an_existing_entry_is_reported_as_a_duplicate_before_any_other_error() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    sandbox.ctx(["add", "a.txt"]).stderr_any().check();
    std::fs::remove_file(sandbox.path("a.txt")).unwrap();
    let message = "Path 'a.txt' already exists in the context\n";
    sandbox.ctx(["add", "./a.txt"]).stderr(format!("note: {message}")).check();
    sandbox.ctx(["add", "--strict", "./a.txt"]).code(1).stderr_has(&format!("error: {message}")).check();
}

#[test]
fn matches_are_counted_without_excluded_files() {
    let sandbox = Sandbox::with(&[("a/x.rs", ""), ("a/y.md", ""), ("a/z.txt", "")]);
    sandbox.ctx(["add", "-g", "!*/x.rs"]).stderr_any().check();
    sandbox.ctx(["add", "!a/*.md"]).stderr_any().check();
    sandbox.ctx(["add", "a/**"]).stderr("Added 'a/**' to profile 'default': 1 file, 0 tokens\n").check();
    sandbox.ctx(["add", "-g", "a/*"]).stderr("Added 'a/*' to the global list: 2 files, 0 tokens\n").check();
    sandbox.ctx(["show"]).stdout_has("    a/* (2 matches, 0 tokens, in every question)\n").check();
}

#[test]
fn a_path_named_twice_is_added_once() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    let added = "Added 'a.md' to profile 'default': 1 file, 2 tokens\nAdded 'b.md' to profile 'default': 1 file, 2 tokens\n";
    sandbox.ctx(["add", "a.md", "b.md", "./a.md", "a.md"]).stderr(added).check();
    sandbox.ctx(["add", "b.md"]).stderr_has("Path 'b.md' already exists in the context").check();
}

#[cfg(unix)]
#[test]
fn recursive_adds_exactly_the_directory_whatever_its_name() {
    let decoys = ["x/f", "ab/f", "ac/f", "i/f", "q1/f", "a/f", "{/f", "]/f", "b/f"];
    let names = [
        ("x}", "x[}]"),
        ("a{b,c}", "a[{]b,c[}]"),
        ("[id]", "[[]id[]]"),
        ("a*", "a[*]"),
        ("q?", "q[?]"),
        ("./!x", "./!x"),
        ("./~{x", "./~[{]x"),
        ("a{b/../a{b", "a[{]b"),
        (".x}", ".x[}]"),
    ];
    for (name, escaped) in names {
        let files = [format!("{name}/f"), format!("{name}/deep/g")];
        let sandbox = Sandbox::with(&files.each_ref().map(|path| (path.as_str(), "x\n")));
        decoys.iter().for_each(|path| sandbox.write(path, "decoy\n"));
        sandbox
            .ctx(["add", "--recursive", name])
            .stderr(format!("Added '{escaped}/**' to profile 'default': 2 files, 4 tokens\n"))
            .check();
        let block = sandbox.ctx(["render"]).stdout_lacks("decoy").check();
        sandbox.ctx(["render", "--only", "-r", name]).stdout(block).check();
    }
}

#[cfg(unix)]
#[test]
fn recursive_adds_a_link_to_a_directory_whatever_its_name() {
    let sandbox = Sandbox::with(&[("elsewhere/f", "f\n")]);
    std::os::unix::fs::symlink("elsewhere", sandbox.path("a}")).unwrap();
    sandbox
        .ctx(["add", "-r", "a}"])
        .stderr("Added 'a[}]/**' to profile 'default': 1 file, 2 tokens\n")
        .check();
}

#[test]
fn an_empty_path_is_invalid_even_with_recursive() {
    let sandbox = Sandbox::new();
    for options in [&["add", "-r", ""][..], &["add", "-rf", ""]] {
        sandbox.ctx(options).code(2).stderr("error: Invalid path '': it is empty\n").check();
    }
}

#[test]
fn suggested_pattern_for_a_directory_is_escaped() {
    let sandbox = Sandbox::with(&[("[id]/a", "a\n"), ("[id]/sub/b", "b\n"), ("i/c", "c\n")]);
    let note = "note: 1 subdirectory of '[id]' is left out: '[[]id[]]/**' includes everything below it\n";
    let added = "Added '[id]' to profile 'default': 1 file, 2 tokens\n";
    sandbox.ctx(["add", "[id]"]).stderr(format!("{added}{note}")).check();
    sandbox.ctx(["render"]).stdout_has("[[id]/a]\n").check();
    sandbox.ctx(["add", "[[]id[]]/**"]).stderr_has("2 files").check();
}

#[test]
fn recursive_adds_a_missing_directory_only_with_force() {
    let sandbox = Sandbox::with(&[("docs/a.md", "a\n"), ("b.md", "b\n")]);
    let refused = "error: Invalid path 'new': not found. Use --force to add anyway.\n";
    sandbox.ctx(["add", "-r", "new"]).code(1).stderr(refused).check();
    sandbox
        .ctx(["add", "-rf", "new", "n}/", "docs", "b.md", "./new", "!new/x", "*.rs"])
        .stderr(
            "Added 'new/**' to profile 'default': no file yet\n\
             Added 'n[}]/**' to profile 'default': no file yet\n\
             Added 'docs/**' to profile 'default': 1 file, 2 tokens\n\
             Added 'b.md' to profile 'default': 1 file, 2 tokens\n\
             Added '!new/x' to profile 'default': excludes nothing\n\
             Added '*.rs' to profile 'default': no file yet\n\
             note: -r adds what does not exist yet as a directory: 'new', 'n}/'\n",
        )
        .check();
    ["new/deep/c.md", "n}/d.md"].iter().for_each(|path| sandbox.write(path, "later\n"));
    sandbox.ctx(["render"]).stdout_has("[new/deep/c.md]").stdout_has("[n}/d.md]").stderr_any().check();
    sandbox
        .ctx(["add", "--force", "more/"])
        .stderr("Added 'more/' to profile 'default': no file yet\n")
        .check();
    // A directory that already exists isn't reported as missing.
    sandbox
        .ctx(["add", "new/"])
        .stderr(
            "Added 'new/' to profile 'default': no file, contains only subdirectories, which are left out\n\
             note: 1 subdirectory of 'new/' is left out: 'new/**' includes everything below it\n",
        )
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn dry_run_prints_what_would_be_added_and_adds_nothing() {
    let sandbox = Sandbox::with(&[("a.txt", "a\n"), ("d/b.txt", "b\n")]);
    sandbox
        .ctx(["add", "--dry-run", "a.txt", "d/**", "cmd:touch ran"])
        .stdout(
            "Would add 'a.txt' to profile 'default': 1 file, 2 tokens\nWould add 'd/**' to profile 'default': 1 \
             file, 2 tokens\nWould add 'cmd:touch ran' to profile 'default'\n",
        )
        .check();
    assert!(!sandbox.store().exists());
    sandbox.ctx(["add", "--dry-run", "nope"]).code(1).stderr_has("'nope': not found").check();
    sandbox.ctx(["add", "a.txt"]).stderr_any().check();
    sandbox.ctx(["add", "--dry-run", "a.txt"]).stderr_has("already exists").check();
    sandbox
        .ctx(["add", "--dry-run", "-g", "d"])
        .stdout("Would add 'd' to the global list: 1 file, 2 tokens\n")
        .check();
}

#[cfg(unix)]
#[test]
fn entry_without_documents_is_noted_with_the_reason() {
    let sandbox = Sandbox::with(&[(".env", "A=1\n")]);
    std::os::unix::fs::symlink("/etc/hostname", sandbox.path("H.md")).unwrap();
    sandbox
        .ctx(["add", "git:diff", "cmd:no-such-program x", "up:.env", "up:H.md", "up:NONE.md"])
        .stderr(
            "Added 'git:diff' to profile 'default'\nAdded 'cmd:no-such-program x' to profile 'default'\nAdded \
             'up:.env' to profile 'default': no file yet\nAdded 'up:H.md' to profile 'default': no file \
             yet\nAdded 'up:NONE.md' to profile 'default': no file yet\nnote: 'up:.env' yields nothing here: \
             '.env': the name suggests secrets (.env)\nnote: 'up:H.md' yields nothing here: 'H.md': link leads \
             outside this directory tree\nnote: 'git:diff' yields nothing here: not in a git repository\nnote: \
             'cmd:no-such-program x' yields nothing here: program 'no-such-program' not found\n",
        )
        .check();
    sandbox
        .ctx(["show"])
        .stdout_has("up:.env (0 matches: '.env': the name suggests secrets (.env))")
        .stdout_has("up:H.md (0 matches: 'H.md': link leads outside this directory tree)")
        .stderr_any()
        .check();
    sandbox
        .ctx(["render", "--only", "up:.env"])
        .code(1)
        .stderr("error: 'up:.env': '.env': the name suggests secrets (.env)\n")
        .check();
}

#[test]
fn existing_entry_is_a_note_and_strictly_an_error() {
    let sandbox = Sandbox::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    sandbox.ctx(["add", "-q", "a.md"]).check();
    sandbox
        .ctx(["add", "a.md", "b.md"])
        .stderr(
            "note: Path 'a.md' already exists in the context\nAdded 'b.md' to profile 'default': 1 file, 2 tokens\n",
        )
        .check();
    sandbox
        .ctx(["add", "--strict", "a.md"])
        .code(1)
        .stderr("error: Path 'a.md' already exists in the context\n")
        .check();
    sandbox
        .ctx(["add", "a.md", "b.md"])
        .stderr(
            "note: Path 'a.md' already exists in the context\nnote: Path 'b.md' already exists in the context\n",
        )
        .check();
    // The all-or-nothing rule applies only to new paths.
    sandbox.ctx(["add", "a.md", "gone.md"]).code(1).stderr_has("'gone.md': not found").check();
}

#[test]
#[cfg_attr(windows, ignore = "Windows takes its names for something else")]
fn urls_and_paths_after_an_at_sign_are_refused_with_a_hint() {
    let sandbox = Sandbox::with(&[("README.md", "")]);
    let fetched = "hint: ctx fetches nothing: 'curl -sL URL | ctx render -' reads it from a pipe\n";
    let answers = [
        ("https://example.com/a", "ctx does not fetch URLs", fetched),
        ("file://README.md", "not found", "hint: give only the path: README.md\n"),
        ("@README.md", "not found", "hint: give only the path: README.md\n"),
        ("@gone.md", "not found", "hint: give only the path: gone.md\n"),
    ];
    for (typed, why, hint) in answers {
        sandbox
            .ctx(["add", typed])
            .code(1)
            .stderr(format!("error: Invalid path '{typed}': {why}\n{hint}"))
            .check();
        sandbox.ctx(["render", typed]).code(1).stderr_has(hint).check();
    }
    sandbox.write("@later.md", "l\n");
    sandbox.ctx(["add", "@later.md"]).stderr_has("1 file").check();
}

#[test]
fn name_that_is_also_a_pattern_is_reported_with_its_escaped_form() {
    let sandbox = Sandbox::with(&[("app/[id]/page.tsx", "p\n")]);
    let error = "error: No files found matching glob pattern 'app/[id]/**': 'app/[id]' exists, but its name is read as a pattern in 'app/[id]/**'\nhint: ctx add 'app/[[]id[]]/**'\n";
    sandbox.ctx(["add", "app/[id]/**"]).code(1).stderr(error).check();
    let whole = sandbox.path("app/[id]/**").to_str().unwrap().to_owned();
    sandbox.ctx(["add", &whole]).code(1).stderr_has("hint: ctx add '<project>/app/[[]id[]]/**'\n").check();
    sandbox.write("app/i/page.tsx", "p\n");
    sandbox
        .ctx(["add", "app/[id]/**"])
        .stderr_has("note: 'app/[id]' exists, but its name is read as a pattern in 'app/[id]/**': 'ctx add 'app/[[]id[]]/**'' takes it literally")
        .check();
    sandbox
        .ctx(["add", "app/[[]id[]]/**"])
        .stderr("Added 'app/[[]id[]]/**' to profile 'default': 1 file, 2 tokens\n")
        .check();
}

#[test]
fn file_in_a_dot_directory_is_reported_with_a_matching_pattern() {
    let sandbox = Sandbox::with(&[
        (".cargo/x", ""),
        ("src/.github/workflows/ci.yml", "a\n"),
        (".idea/a.xml", ""),
        ("build/a.o", ""),
        (".ctxignore", "build\n"),
    ]);
    let added = "Added 'src/.github/**/*.yml' to profile 'default': 1 file, 2 tokens\n";
    for pattern in ["**/*.yml", "src/**/*.yml"] {
        let error = format!(
            "error: No files found matching glob pattern '{pattern}': 'src/.github/workflows/ci.yml' is left out: a directory in its path begins with a dot\nhint: ctx add 'src/.github/**/*.yml'\n"
        );
        sandbox.ctx(["add", pattern]).code(1).stderr(error).check();
    }
    sandbox.ctx(["add", "src/.github/**/*.yml"]).stderr(added).check();
    sandbox.ctx(["add", "**/*.zig"]).code(1).stderr_lacks("begins with a dot").check();
}

#[cfg(unix)]
#[test]
fn excluded_link_to_a_file_is_not_reported_as_an_unsearched_directory() {
    let sandbox = Sandbox::with(&[("README.md", "r\n"), ("docs/a.md", "a\n")]);
    std::os::unix::fs::symlink("README.md", sandbox.path("link.md")).unwrap();
    std::os::unix::fs::symlink("docs", sandbox.path("linked.md")).unwrap();
    sandbox.ctx(["add", "-f", "!link.md", "!README.md"]).stderr_any().check();
    sandbox
        .ctx(["add", "**/*.txt"])
        .code(1)
        .stderr("error: No files found matching glob pattern '**/*.txt'\nhint: --force adds it\n")
        .check();
    sandbox.ctx(["add", "-f", "!linked.md"]).stderr_any().check();
    sandbox
        .ctx(["add", "**/*.txt"])
        .code(1)
        .stderr_has("'linked.md' is not searched: excluded by '!linked.md'\n")
        .check();
}

#[test]
fn adding_an_ignored_directory_reports_why_it_has_no_files() {
    let sandbox = Sandbox::with(&[("node_modules/a.js", "a\n"), (".gitignore", "node_modules\n")]);
    sandbox.repository();
    sandbox
        .ctx(["add", "node_modules"])
        .stderr_has(
            "Added 'node_modules' to profile 'default': no file, 'node_modules' is not searched: ignored by ",
        )
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs links")]
fn file_is_added_once_by_whatever_path() {
    let sandbox = Sandbox::with(&[("README.md", "r\n"), ("src/mod.rs", ""), ("lib/mod.rs", "")]);
    let whole = |path: &str| sandbox.path(path).to_str().unwrap().to_owned();
    let both = ["add".to_owned(), "README.md".to_owned(), whole("README.md")];
    sandbox.ctx(both).stderr("Added 'README.md' to profile 'default': 1 file, 2 tokens\n").check();
    sandbox.ctx(["add".to_owned(), whole("README.md")]).stderr_has("already exists in the context\n").check();
    sandbox
        .ctx(["add", "src/mod.rs", "lib/mod.rs"])
        .stderr_has("'src/mod.rs'")
        .stderr_has("'lib/mod.rs'")
        .check();
    sandbox.ctx(["add".to_owned(), whole("src")]).stderr_has("Added '").check();
    assert_eq!(sandbox.stored_entries().as_array().unwrap().len(), 4);
}

#[test]
fn files_that_a_shell_found_by_a_pattern_come_with_the_pattern() {
    let names: Vec<String> = (0..5).map(|number| format!("src/{number}.rs")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x\n")).collect();
    let sandbox = Sandbox::with(&files);
    let all = || ["add"].into_iter().chain(names.iter().map(String::as_str));
    sandbox.ctx(all().take(5)).stderr_lacks("pattern").check();
    let told = "note: these are all files that a pattern matches now; \"ctx add 'src/*.rs'\" matches later ones too\n";
    sandbox.ctx(all()).stderr_has(told).check();
    sandbox.ctx(["add", "src/*.rs"]).stderr_any().check();
}

#[test]
fn processes_that_add_the_same_path_at_once_all_succeed() {
    let sandbox = Sandbox::with(&[("one.md", "x\n")]);
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| sandbox.ctx(["add", "one.md"]).stderr_any().check());
        }
    });
    assert_eq!(sandbox.stored_entries(), serde_json::json!(["one.md"]));
}

#[test]
fn what_is_only_binary_or_over_the_budget_is_a_warning() {
    let sandbox =
        Sandbox::with(&[("a.txt", "a\n"), ("x.bin", "\0\u{1}"), ("big.txt", &"word ".repeat(2_000))]);
    sandbox.ctx(["profile", "--set", "budget=1k"]).stderr_any().check();
    let binary = "warning: 'x.bin' is only binary, which is never printed\n";
    sandbox.ctx(["add", "x.bin"]).stderr_has(binary).check();
    let over = "warning: 'big.txt' alone has 2,001 tokens, more than the budget of 1,000\n";
    sandbox.ctx(["add", "big.txt", "a.txt"]).stderr_has(over).check();
    sandbox.ctx(["add", "*.txt", "--search"]).stderr_lacks("warning").check();
}
