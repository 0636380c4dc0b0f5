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
               ignore file cannot be read safely\n";
    sandbox.ctx(["render", "--only", "docs/*"]).code(1).stderr(format!("error: {why}")).check();
    sandbox.ctx(["add", "docs/*"]).code(1).stderr_has(why).check();
}
