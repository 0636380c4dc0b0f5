//! What of a text is a reference, case by case.

#![allow(clippy::print_stderr, reason = "a test that cannot run says so")]

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::Prompt;
use crate::plan::Notice;
use crate::world::{GitEnvironment, World};

/// A repository with files whose names tempt.
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
        home: cwd.parent().map(Path::to_owned),
        project: None,
        git: GitEnvironment::default(),
        now: std::time::SystemTime::UNIX_EPOCH,
        threads: 1,
    }
}

/// A text and the references in it.
struct Case(&'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    // Where a reference may begin.
    Case("@a.rs", &["a.rs"]),
    Case("see @a.rs", &["a.rs"]),
    Case("see\t@a.rs", &["a.rs"]),
    Case("see\n@a.rs", &["a.rs"]),
    Case("(@a.rs)", &["a.rs"]),
    Case("[@a.rs]", &["a.rs"]),
    Case("{@a.rs}", &["a.rs"]),
    Case("<@a.rs>", &["a.rs"]),
    Case("\"@a.rs\"", &["a.rs"]),
    Case("'@a.rs'", &["a.rs"]),
    Case("`@a.rs`", &["a.rs"]),
    Case("x,@a.rs", &["a.rs"]),
    Case("@a.rs,@README.md", &["a.rs", "README.md"]),
    Case("（@a.rs）", &["a.rs"]),
    Case("「@a.rs」", &["a.rs"]),
    Case("请看 @文档.md。", &["文档.md"]),
    Case("《@docs/x.md》，", &["docs/x.md"]),
    Case("【@a.rs】", &["a.rs"]),
    Case("请看@a.rs", &[]),
    Case("me@a.rs", &[]),
    Case("me@README", &[]),
    Case("git@a.rs", &[]),
    Case("x/@a.rs", &[]),
    Case("x:@a.rs", &[]),
    Case("=@a.rs", &[]),
    Case("-@a.rs", &[]),
    Case("@@a.rs", &[]),
    Case("a@1.2", &[]),
    Case("*@a.rs", &[]),
    Case("|@a.rs", &[]),
    Case("&@a.rs", &[]),
    Case("x@README.md, @README", &["README"]),
    // Addresses, hosts, versions, scopes.
    Case("write to me@x.org or git@github.com:a/b.git", &[]),
    Case("npm i react@18.2.0 @types/react @babel/core", &[]),
    Case("mail <me@README.md>", &[]),
    Case("ssh user@param", &[]),
    Case("https://x.org/@param/post", &[]),
    Case("https://user@README/x", &[]),
    Case("uses: actions/checkout@v4", &[]),
    Case("docker pull x@sha256:abc", &[]),
    Case("go install x.org/y@latest", &[]),
    Case("@1.2.3", &[]),
    Case("\"@scope/pkg\": \"^1\"", &[]),
    // Doc tags, decorators, annotations.
    Case("/** @returns {string} x */", &[]),
    Case(" * @example", &[]),
    Case("{@link Foo}", &[]),
    Case("{@code docs}", &[]),
    Case("@Override", &[]),
    Case("@SuppressWarnings(\"x\")", &[]),
    Case("@pytest.mark.parametrize(\"a\", [1])", &[]),
    Case("@functools.lru_cache(maxsize=None)", &[]),
    Case("@property", &[]),
    Case("@Component({selector: 'a-b'})", &[]),
    Case("@Input() name: string;", &[]),
    Case("@objc func x()", &[]),
    Case("@interface Foo : Bar", &[]),
    Case("#[derive(X)] @ @ @", &[]),
    Case("@@ -1,3 +1,4 @@ fn main()", &[]),
    Case("@echo off", &[]),
    Case("@{u}", &[]),
    Case("HEAD@{1}", &[]),
    Case("SELECT @rows := 1", &[]),
    Case("$@ and \"$@\"", &[]),
    Case("@channel @here @team", &[]),
    // At-rules.
    Case("@media (min-width: 1px) {}", &[]),
    Case("@media print {", &[]),
    Case("@import \"print.css\";", &[]),
    Case("@charset \"utf-8\";", &[]),
    Case("@font-face{src:url(a.woff)}", &[]),
    Case("@keyframes x { from {} }", &[]),
    Case("@layer base, x;", &[]),
    // JSON.
    Case("{\"@context\":\"https://schema.org\",\"@type\":\"X\"}", &[]),
    Case("[\"@babel/preset-env\"]", &[]),
    // Files, directories, patterns.
    Case("@README", &["README"]),
    Case("@param", &["param"]),
    Case("@app.route", &["app.route"]),
    Case("@types/node", &["types/node"]),
    Case("@./a.rs", &["./a.rs"]),
    Case("@src/../a.rs", &["src/../a.rs"]),
    Case("@docs", &[]),
    Case("@media", &[]),
    Case("@docs/", &["docs/"]),
    Case("look at @docs/.", &["docs/."]),
    Case("@./docs", &["./docs"]),
    Case("@docs/*.md", &["docs/*.md"]),
    Case("@docs/**", &["docs/**"]),
    Case("@*.md", &[]),
    Case("@docs/*.rs", &[]),
    Case("@docs/{x,y}.md,", &["docs/{x,y}.md"]),
    Case("@readme", &[]),
    Case("@SRC/a.rs", &[]),
    Case("@src/a", &[]),
    // Punctuation after it.
    Case("Is it in @a.rs?", &["a.rs"]),
    Case("It is in @a.rs.", &["a.rs"]),
    Case("@a.rs: what?", &["a.rs"]),
    Case("@a.rs; @README!", &["a.rs", "README"]),
    Case("(see @src/a.rs).", &["src/a.rs"]),
    Case("**@a.rs**", &[]),
    Case("@a.rs`).\"", &["a.rs"]),
    Case("@a.rs...", &["a.rs"]),
    Case("@a.rs's", &[]),
    Case("@a.rs-x", &[]),
    Case("@end.", &["end."]),
    Case("@end..", &["end."]),
    Case("@list(1).md)", &["list(1).md"]),
    Case("@a.rs。」", &["a.rs"]),
    Case("@a.rs、@README。", &["a.rs", "README"]),
    Case("@über/straße.md!", &["über/straße.md"]),
    // Spaces, braces, quotes.
    Case("@b\\ c.md", &["b c.md"]),
    Case("@b c.md", &[]),
    Case("@{b c.md}", &["b c.md"]),
    Case("@\"b c.md\"", &["b c.md"]),
    Case("@'b c.md'.", &["b c.md"]),
    Case("@'q\"uote.md'", &["q\"uote.md"]),
    Case("@{a.rs}x", &["a.rs"]),
    Case("@{docs}", &[]),
    Case("@{docs/}", &["docs/"]),
    Case("@{a.rs", &[]),
    Case("@\"a.rs", &[]),
    Case("@{}", &[]),
    Case("@{a.rs.}", &[]),
    Case("@{src/a.rs:1-2}", &["src/a.rs:1-2"]),
    Case("@\"a\nrs\"", &[]),
    // Lines.
    Case("@a.rs:10-40", &["a.rs:10-40"]),
    Case("@a.rs:10-40.", &["a.rs:10-40"]),
    Case("@a.rs:10:", &["a.rs:10"]),
    Case("@a.rs#L3-L4,", &["a.rs:3-4"]),
    Case("@a.rs:10:5:", &["a.rs:10"]),
    Case("@src/a.rs:7", &["src/a.rs:7"]),
    Case("@a.rs:x", &[]),
    Case("@docs/:3", &[]),
    Case("@docs/*.md:3", &[]),
    // Code.
    Case("```\n@a.rs\n```\n@README", &["README"]),
    Case("~~~ts\n@a.rs\n~~~", &[]),
    Case("```\n@a.rs", &[]),
    Case("> ```\n> @a.rs\n> ```\n> @README", &["README"]),
    Case("    @a.rs", &["a.rs"]),
    // Escapes.
    Case("\\@a.rs", &[]),
    Case("\\\\@a.rs", &[]),
    Case("(\\@a.rs) @README", &["README"]),
    // Each once, in order of appearance.
    Case("@README @a.rs @README", &["README", "a.rs"]),
    Case("@a.rs:1 @a.rs:2 @a.rs:1", &["a.rs:1", "a.rs:2"]),
    // Files that are named as entries of other kinds begin.
    Case("@git:diff @!a.rs @~tilde", &["./git:diff", "./!a.rs", "./~tilde"]),
    Case("@{cmd:touch x}", &["./cmd:touch x"]),
    Case("@cmd:ls @git:staged @-", &[]),
    // What nobody may name.
    Case("@.env", &[]),
    Case("@.git/config", &[]),
    Case("@../outside.md", &[]),
    Case("@~/outside.md", &[]),
    Case("@/etc/passwd", &[]),
    Case("@.gitignore", &[".gitignore"]),
];

#[test]
fn references_are_found_case_by_case() {
    let place = Place::new();
    assert!(CASES.len() >= 100, "{}", CASES.len());
    for Case(text, expected) in CASES {
        assert_eq!(place.references(text), *expected, "{text}");
    }
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
fn what_is_not_followed_is_warned_of_if_it_looks_like_a_path() {
    let place = Place::new();
    for (text, expected) in [
        ("@src/mian.rs:3, please", "'@src/mian.rs:3' does not exist; left as text"),
        ("@mian.rs?", "'@mian.rs' does not exist; left as text"),
        ("@x/y @x/z @x/y", "'@x/y', '@x/z' do not exist; left as text"),
        ("@~/outside.md", "'@~/outside.md' is outside the project; name it as a PATH"),
        ("@../outside.md.", "'@../outside.md' is outside the project; name it as a PATH"),
        ("@.git/config", "'@.git/config' is in the git directory; left as text"),
        ("@.env", "'@.env' has a name that suggests secrets; left as text"),
    ] {
        assert_eq!(place.warnings(text), [expected], "{text}");
    }
    for text in [
        "@param @app.router @1.2.3 @docs @media",
        "{\"@type\":\"a/b.md\"}",
        "@Component({x:'a/b.ts'})",
        "@@ -1 @@",
        "me@x.org/y",
        "```\n@a/b.md\n```",
        "@pytest.mark.skip @Foo<a/b> @/ @//",
        "@import\"a.css\";",
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
            "'@link.md' is outside the project; name it as a PATH",
            "'@conf.md' is in the git directory; left as text"
        ]
    );
}

#[test]
fn ignored_files_are_followed_and_not_listed() {
    let place = Place::new();
    fs::write(place.root().join(".gitignore"), "x.md\n").unwrap();
    assert_eq!(place.references("@docs/x.md @docs/x*"), ["docs/x.md"]);
}

#[test]
fn at_most_so_many_references_are_followed() {
    let place = Place::new();
    let text: String = (1..=300).map(|line| format!("@a.rs:{line} ")).collect();
    let prompt = place.prompt(&text);
    assert_eq!(prompt.entries.len(), super::MOST_REFERENCES);
    let warnings: Vec<String> = prompt.notices.iter().map(Notice::to_string).collect();
    assert_eq!(warnings, ["more than 200 references in the prompt; the rest is left as text"]);
}

#[test]
fn hostile_texts_end() {
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

/// Real texts as prompts, in the directory of the package that they are of: whatever is found there must be
/// meant. They are those of the packages that this was built with; where none are, there is nothing to try.
#[test]
fn real_files_hold_no_reference_by_chance() {
    let Some(packages) = packages() else {
        eprintln!("skipped: no sources of packages in $CARGO_HOME");
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
