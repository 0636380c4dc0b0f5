//! Patterns and directories typed at `render` that match only unreadable files.

use crate::support::Sandbox;

const LARGER: &str = "hint: a larger --max-file-size includes it\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[("mixed/a.md", "a\n")]);
    sandbox.write("binary/one.png", b"\0\x01");
    sandbox.write("binary/two.png", b"\0\x02");
    sandbox.write("large/a.txt", vec![b'a'; 11_000_000]);
    sandbox.write("mixed/b.png", b"\0");
    sandbox
}

#[test]
fn pattern_or_directory_without_a_readable_file_is_an_error_that_says_why() {
    let sandbox = sandbox();
    for (path, why, hint) in [
        ("binary/*", "2 binary", ""),
        ("binary", "2 binary", ""),
        ("**/*.png", "3 binary", ""),
        ("large/**", "1 too large", LARGER),
    ] {
        let told = format!("error: '{path}': none of the files that it matches can be used: {why}\n{hint}");
        sandbox.ctx(["render", "--only", path, "-p", "Why?"]).code(1).stderr(&told).check();
        sandbox.ctx(["render", "--only", path, "mixed/a.md", "--dry-run"]).code(1).stderr(told).check();
    }
}

#[test]
fn pattern_with_a_readable_or_filtered_file_is_not_an_error() {
    let sandbox = sandbox();
    sandbox.ctx(["render", "--only", "mixed/*"]).stdout_has("[mixed/a.md]").check();
    let filtered = ["render", "--only", "large/*", "--max-file-size", "1m", "-p", "Why?"];
    sandbox.ctx(filtered).stdout("Why?\n").stderr_any().check();
    let filtered = ["render", "--only", "mixed/*", "--exclude", "*.md", "-p", "Why?"];
    sandbox.ctx(filtered).stdout("Why?\n").stderr_any().check();
}

#[cfg(unix)]
#[test]
fn pattern_without_matches_names_the_unsafe_ignore_file() {
    let sandbox = Sandbox::with(&[(".git/HEAD", ""), ("docs/a.md", "a\n"), ("rules", "*.log\n")]);
    std::os::unix::fs::symlink("../rules", sandbox.path("docs/.gitignore")).unwrap();
    let why = "No files found matching glob pattern 'docs/*': 'docs' is not searched: \
               ignore file cannot be read safely: 'docs/.gitignore' is a link\n";
    sandbox.ctx(["render", "--only", "docs/*"]).code(1).stderr(format!("error: {why}")).check();
    sandbox.ctx(["add", "docs/*"]).code(1).stderr_has(why).check();
}

/// Why the directory `shut` is not searched.
#[cfg(unix)]
const UNSAFE: &str = "ignore file cannot be read safely: 'shut/.gitignore' is not a regular file";

/// A repository whose directory `shut` has an ignore file that is not regular.
#[cfg(unix)]
fn with_shut_directory() -> Sandbox {
    let sandbox =
        Sandbox::with(&[(".git/HEAD", ""), ("a.md", "rotate keys\n"), ("shut/b.md", "rotate keys\n")]);
    sandbox.fifo("shut/.gitignore");
    sandbox
}

#[cfg(unix)]
#[test]
fn question_reports_the_directories_that_cannot_be_searched() {
    let sandbox = with_shut_directory();
    let told = format!("left out: 'shut' ({UNSAFE})\n");
    let manifest = sandbox.home().join("manifest.json");
    sandbox
        .ctx(["ask", "rotate", "--manifest", manifest.to_str().unwrap()])
        .stdout_has("[a.md]")
        .stderr(format!("warning: {told}"))
        .check();
    let account: serde_json::Value = serde_json::from_slice(&std::fs::read(manifest).unwrap()).unwrap();
    assert_eq!(
        account["unsearched"],
        serde_json::json!([{"path": "shut", "reason": {"code": "unsafe-ignore-file", "text": UNSAFE}}])
    );
    let listed = sandbox.ctx(["ask", "rotate", "--dry-run"]).stdout_has("a.md");
    listed.stderr(format!("warning: {told}")).check();
    sandbox.ctx(["ask", "rotate", "--strict"]).code(3).stderr_has(&format!("error: {told}")).check();
}

#[cfg(unix)]
#[test]
fn search_reports_what_cannot_be_read() {
    let sandbox = with_shut_directory();
    let told = format!("warning: left out: 'shut' ({UNSAFE})\n");
    sandbox.ctx(["search", "rotate"]).stdout_has("a.md:1 ").stderr(&told).check();
    let error = "error: no match for 'zebra' in what could be read\n";
    sandbox.ctx(["search", "zebra"]).code(1).stderr(format!("{told}{error}")).check();
    sandbox.ctx(["search", "zebra", "a.md"]).code(1).stderr("error: no match for 'zebra'\n").check();
    // A file that is not read at all.
    sandbox.write("large.md", "zebra\n".repeat(2_000_000));
    let told = "1 file left out: 'large.md' (too large: 12,000,000 bytes, the limit is 10,485,760)";
    sandbox.ctx(["search", "zebra"]).code(1).stderr_has(told).stderr_has(error).check();
}
