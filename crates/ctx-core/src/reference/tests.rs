//! References in prompts, in a repository with tempting file names.

use std::fs;
use std::io::Write;
use std::path::Path;

use tempfile::TempDir;

mod cases;

use super::Prompt;
use crate::report::Notice;
use crate::world::{GitEnvironment, World};

/// A repository with tempting file names.
struct Place(TempDir);

const FILES: [&str; 26] = [
    "README",
    "README.md",
    "a.rs",
    "app.route",
    "b c.md",
    "docs/x.md",
    "docs/y.md",
    "docs/deep/z.md",
    "end.",
    "list(1).md",
    "media/print.css",
    "param",
    "q\"uote.md",
    "src/a.rs",
    "src/a.rs:7",
    "src/main.ts",
    "types/node",
    "über/straße.md",
    "文档.md",
    "scope/pkg@1.2/index.js",
    ".env",
    ".gitignore",
    "cmd:touch x",
    "git:diff",
    "!a.rs",
    "~tilde",
];

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(place.root().join(".git")).unwrap();
        fs::write(place.root().join(".git/config"), "[core]\n").unwrap();
        for path in FILES {
            let path = place.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x\n").unwrap();
        }
        fs::write(place.0.path().join("outside.md"), "x\n").unwrap();
        place
    }

    fn root(&self) -> std::path::PathBuf {
        self.0.path().join("repository")
    }

    fn prompt(&self, text: &str) -> Prompt {
        Prompt::of(text, &world(&self.root()))
    }

    fn references(&self, text: &str) -> Vec<String> {
        self.prompt(text).entries.iter().map(|scoped| scoped.entry.name().into_owned()).collect()
    }

    fn warnings(&self, text: &str) -> Vec<String> {
        self.prompt(text).notices.iter().map(Notice::to_string).collect()
    }
}

fn world(cwd: &Path) -> World {
    World {
        cwd: cwd.to_owned(),
        root: cwd.to_owned(),
        home: cwd.parent().map(Path::to_owned),
        project: None,
        git: GitEnvironment::default(),
        now: std::time::SystemTime::UNIX_EPOCH,
        threads: 1,
    }
}

/// Chinese, Japanese and Korean go on after a path without a space.
#[test]
fn path_ends_where_a_sentence_without_spaces_goes_on() {
    let place = Place::new();
    let files = ["doc/仕様書.txt", "doc/規約", "doc/取り扱い.md", "v2/x.txt", "Makefile", "a.rsを読む.md"];
    for path in files {
        let path = place.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x\n").unwrap();
    }
    for (text, expected) in [
        ("「@doc/仕様書.txt」を要約", &["doc/仕様書.txt"][..]),
        ("『@doc/仕様書.txt』", &["doc/仕様書.txt"]),
        ("（@doc/仕様書.txt）を要約", &["doc/仕様書.txt"]),
        ("@doc/仕様書.txtを要約して", &["doc/仕様書.txt"]),
        ("@doc/仕様書.txtを要約してdoc/y.txtに書く", &["doc/仕様書.txt"]),
        ("まず、@doc/仕様書.txt、@a.rsを比べて。", &["doc/仕様書.txt", "a.rs"]),
        ("@doc/規約を要約", &["doc/規約"]),
        ("@doc/取り扱い.mdは何?", &["doc/取り扱い.md"]),
        ("@文档.md的内容是什么？", &["文档.md"]),
        ("@a.rs:1를 설명", &["a.rs:1"]),
        ("@Makefileを直して", &["Makefile"]),
        // The longest path counts.
        ("@a.rsを読む.md", &["a.rsを読む.md"]),
        ("@a.rsを読む", &["a.rs"]),
        // It is not part of a path that doesn't exist.
        ("@v2仕様.txt", &[]),
        ("@doc/規約2.txtを", &[]),
        ("@doc/仕様.txt", &[]),
    ] {
        assert_eq!(place.references(text), expected, "{text}");
    }
    assert_eq!(place.warnings("@doc/無い.txtを要約して"), ["'@doc/無い.txt' does not exist; left as text"]);
}

#[test]
fn escaped_reference_loses_its_backslash_and_nothing_else_changes() {
    let place = Place::new();
    for (text, expected) in [
        ("\\@a.rs", "@a.rs"),
        ("(\\@a.rs) \\@nothing \\@x/y.md", "(@a.rs) \\@nothing \\@x/y.md"),
        ("a\\@a.rs", "a\\@a.rs"),
        ("\\@~/outside.md", "@~/outside.md"),
        ("```\n\\@a.rs\n```", "```\n\\@a.rs\n```"),
        ("\\@docs \\@docs/", "\\@docs @docs/"),
        ("@b\\ c.md \\n \\\\@a.rs\r\n\u{0}", "@b\\ c.md \\n \\\\@a.rs\r\n\u{0}"),
    ] {
        let prompt = place.prompt(text);
        assert_eq!(prompt.text, expected, "{text}");
        assert!(prompt.notices.is_empty(), "{text}: {:?}", prompt.notices);
    }
}

#[test]
fn unfollowed_reference_that_looks_like_a_path_is_reported() {
    let place = Place::new();
    for (text, expected) in [
        ("@src/mian.rs:3, please", "'@src/mian.rs:3' does not exist; left as text"),
        ("@mian.rs?", "'@mian.rs' does not exist; left as text"),
        ("@a.svelte", "'@a.svelte' does not exist; left as text"),
        ("@gone/a.unknown", "'@gone/a.unknown' does not exist; left as text"),
        ("in @docs?", "'@docs/' would include that directory"),
        ("@docs, @media @docs", "'@docs/', '@media/' would include these directories"),
        ("@docs/q @docs/r @docs/q", "'@docs/q', '@docs/r' do not exist; left as text"),
        ("@~/outside.md", "'@~/outside.md' is outside this directory tree; name it as a PATH"),
        ("@../outside.md.", "'@../outside.md' is outside this directory tree; name it as a PATH"),
        ("@.git/config", "'@.git/config' is in the git directory; left as text"),
        ("@.env", "'@.env' has a name that suggests secrets; left as text"),
    ] {
        assert_eq!(place.warnings(text), [expected], "{text}");
    }
    for text in [
        "@a.unknown @example.ru",
        "@param @app.router @1.2.3 \\@docs",
        "@babel/core @gone/dir",
        "{\"@type\":\"a/b.md\"}",
        "@Component({x:'a/b.ts'})",
        "@@ -1 @@",
        "me@x.org/y",
        "```\n@a/b.md\n```",
        "@pytest.mark.skip @Foo<a/b> @/ @//",
        "@import\"a.css\";",
        "[@a.rs](x.html), **`@a.rs`** and @a.rs's",
    ] {
        assert_eq!(place.warnings(text), [""; 0], "{text}");
    }
}

#[cfg(unix)]
#[test]
fn link_out_of_the_tree_is_not_followed() {
    let place = Place::new();
    std::os::unix::fs::symlink("../outside.md", place.root().join("link.md")).unwrap();
    std::os::unix::fs::symlink("a.rs", place.root().join("inside.md")).unwrap();
    std::os::unix::fs::symlink(".git/config", place.root().join("conf.md")).unwrap();
    assert_eq!(place.references("@link.md @inside.md @conf.md"), ["inside.md"]);
    assert_eq!(
        place.warnings("@link.md @conf.md"),
        [
            "'@link.md' is outside this directory tree; name it as a PATH",
            "'@conf.md' is in the git directory; left as text"
        ]
    );
}

#[test]
fn ignored_files_are_followed_by_name_but_not_by_pattern() {
    let place = Place::new();
    fs::write(place.root().join(".gitignore"), "x.md\n").unwrap();
    assert_eq!(place.references("@docs/x.md @docs/x*"), ["docs/x.md"]);
}

#[test]
fn number_of_followed_references_is_limited() {
    let place = Place::new();
    let text: String = (1..=300).map(|line| format!("@a.rs:{line} ")).collect();
    let prompt = place.prompt(&text);
    assert_eq!(prompt.entries.len(), super::MOST_REFERENCES);
    let warnings: Vec<String> = prompt.notices.iter().map(Notice::to_string).collect();
    assert_eq!(warnings, ["more than 200 references in the prompt; the rest is left as text"]);
}

#[test]
fn hostile_texts_do_not_hang_the_search() {
    let place = Place::new();
    for text in [
        "@".repeat(200_000),
        "(@".repeat(50_000),
        format!("{}{}", "(@a".repeat(5_000), ")".repeat(50_000)),
        format!("@{}", ")".repeat(200_000)),
        "@x/*/**/*.zz ".repeat(5_000),
        "@{".repeat(50_000),
        "@\"a ".repeat(50_000),
        "```\n@a\n".repeat(20_000),
        "> ".repeat(100_000) + "@a.rs",
        "\\@a.rs ".repeat(20_000),
    ] {
        assert!(place.prompt(&text).entries.len() <= super::MOST_REFERENCES);
    }
}

/// Real files used as prompts, in the directory of their package: none may contain an accidental reference to
/// a file. They come from the packages that this was built with; without any, there is nothing to test.
#[test]
fn real_files_contain_no_accidental_references() {
    let Some(packages) = packages() else {
        // The macros would write to what the harness hides.
        std::io::stderr()
            .write_all(b"skipped: real_files_contain_no_accidental_references: no packages in $CARGO_HOME\n")
            .unwrap();
        return;
    };
    let mut tried = 0;
    let mut found = Vec::new();
    for package in packages {
        let mut files = Vec::new();
        texts_below(&package, &mut files);
        for file in files {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            tried += 1;
            let prompt = Prompt::of(&text, &world(&package));
            found.extend(
                prompt.entries.iter().map(|scoped| format!("{}: {}", file.display(), scoped.entry.name())),
            );
            if prompt.text != text {
                found.push(format!("{}: changed", file.display()));
            }
        }
    }
    assert!(found.is_empty(), "{tried} files: {found:#?}");
}

fn packages() -> Option<Vec<std::path::PathBuf>> {
    let home = std::env::var_os("CARGO_HOME").map(std::path::PathBuf::from);
    let home = home.or_else(|| Some(std::path::PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    let registries = fs::read_dir(home.join("registry/src")).ok()?;
    let packages =
        registries.flatten().filter_map(|registry| fs::read_dir(registry.path()).ok()).flatten().flatten();
    let mut packages: Vec<std::path::PathBuf> = packages.map(|package| package.path()).collect();
    packages.sort();
    (!packages.is_empty()).then_some(packages)
}

fn texts_below(directory: &Path, files: &mut Vec<std::path::PathBuf>) {
    const LARGEST: u64 = 1 << 20;
    // Memory files refer to others on purpose.
    const MEMORY: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
    let is_memory = |path: &Path| MEMORY.iter().any(|name| path.ends_with(name));
    let is_text = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        ["md", "ts", "tsx", "js", "py", "json", "rs", "css", "html", "yml", "toml"].contains(&extension)
    };
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => texts_below(&path, files),
            Ok(kind)
                if kind.is_file()
                    && is_text(&path)
                    && !is_memory(&path)
                    && entry.metadata().is_ok_and(|it| it.len() <= LARGEST) =>
            {
                files.push(path);
            }
            Ok(_) | Err(_) => {}
        }
    }
}
