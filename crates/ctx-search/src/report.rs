//! The parts of a longer text that ask something: its title, and what its author wrote below it.

use std::borrow::Cow;

/// The title of a text of several lines: the first one, if it is prose. The rest of a bug report may well drown it.
pub(crate) fn title(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next()?;
    lines.next().is_some().then_some(first).filter(|line| is_prose(line))
}

/// The fewest words of a title.
const FEWEST_WORDS: usize = 3;

/// Whether a line is prose: not a stack frame, a hunk, a line of a log or code.
fn is_prose(line: &str) -> bool {
    let words = line.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    let begins_well = line.starts_with(|c: char| c.is_alphanumeric() || "[(\"'`#*_<".contains(c));
    let is_time = line.starts_with(|c: char| c.is_ascii_digit())
        && line.bytes().take(24).filter(|byte| matches!(byte, b':' | b'-' | b'/')).count() > 2;
    let is_frame = ["at ", "File \"", "--> ", "Traceback ", "diff --git ", "+++ ", "--- ", "@@ "];
    words >= FEWEST_WORDS && begins_well && !is_time && !is_frame.iter().any(|start| line.starts_with(start))
}

/// A text without what forms put into it: headings, comments, boxes to tick. The first line stays.
pub(crate) fn without_form(text: &str) -> Cow<'_, str> {
    let Some((first, rest)) = text.split_once('\n') else { return Cow::Borrowed(text) };
    let rest = without_comments(rest);
    let mut kept = String::with_capacity(text.len());
    kept.push_str(first);
    let mut is_code = false;
    for line in rest.lines() {
        is_code ^= line.trim_start().starts_with("```");
        if is_code || !is_of_form(line.trim()) {
            kept.push('\n');
            kept.push_str(line);
        }
    }
    Cow::Owned(kept)
}

/// Whether a text has a hunk of a diff.
#[must_use]
pub fn is_diff(text: &str) -> bool {
    text.contains("\n@@ ")
}

/// Whether a line is one that test runners, compilers and interpreters print about what failed.
#[must_use]
pub fn tells_failure(line: &str) -> bool {
    const FIRST: [&str; 4] = ["fail", "failures", "assert", "assertion"];
    const WORDS: [&str; 9] =
        ["error", "errored", "failed", "failure", "fatal", "panic", "panicked", "traceback", "exception"];
    const BEGINS: [&str; 8] = ["--- FAIL", "not ok", "E   ", "✗", "✘", "✖", "×", "❌"];
    const HOLDS: [&str; 6] = ["Error:", "Exception:", " not found", "annot ", "ould not ", "nable to "];
    // `0 failed`, `no error`, `errors: 0`, `failed=0`.
    const NONE: [&str; 3] = ["0", "no", "without"];
    let line = line.trim_start();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut before = "";
    let mut words = line.split(|c| !is_word(c)).filter(|word| !word.is_empty()).peekable();
    let begins = words.peek().is_some_and(|word| FIRST.iter().any(|known| known.eq_ignore_ascii_case(word)));
    let mut tells = false;
    while let Some(word) = words.next() {
        let is_none = NONE.iter().any(|none| none.eq_ignore_ascii_case(before)) || words.peek() == Some(&"0");
        tells |= !is_none && WORDS.iter().any(|known| known.eq_ignore_ascii_case(word));
        before = word;
    }
    begins && line.starts_with(is_word)
        || tells
        || BEGINS.iter().any(|start| line.starts_with(start))
        || HOLDS.iter().any(|part| line.contains(part))
}

/// Whether a line is one that test runners print about a test that passes or begins.
#[must_use]
pub fn tells_success(line: &str) -> bool {
    const BEGINS: [&str; 9] =
        ["--- PASS", "--- SKIP", "=== RUN", "=== PAUSE", "=== CONT", "=== NAME", "✔", "✓", "√"];
    const ENDS: [&str; 3] = ["... ok", "... ignored", " PASSED"];
    let line = line.trim();
    // `ok 12 - opens`, `ok example.org/key 0.1s`, `PASS src/key.test.ts`, but not "ok, this is so".
    let mut words = line.split_whitespace();
    let is_verdict = matches!(words.next(), Some("ok" | "PASS"))
        && words.next().is_some_and(|of| of.contains('/') || of.starts_with(|c: char| c.is_ascii_digit()));
    is_verdict
        || BEGINS.iter().any(|start| line.starts_with(start))
        || ENDS.iter().any(|end| line.ends_with(end))
        || line.contains(" PASSED ")
}

/// What the tests that fail are called, each once: the names after the file in `FAIL src/key.test.ts > keys > reads both`.
pub(crate) fn failed_titles(text: &str) -> Vec<&str> {
    const MOST: usize = 16;
    let mut titles = Vec::new();
    for line in text.lines().map(str::trim) {
        let title = line
            .strip_prefix("FAIL ")
            .and_then(|rest| rest.split_once(" > "))
            .map(|(_, title)| title)
            .or_else(|| line.strip_prefix("● ").filter(|title| title.contains(" › ")));
        titles.extend(title.filter(|title| titles.len() < MOST && !titles.contains(title)));
    }
    titles
}

/// The text of a test runner without the lines about tests that pass, which say nothing of those that fail, and without
/// Go's `FAIL example.org/module 0.4s`, whose words are those of an address.
pub(crate) fn without_passed(text: &str) -> Cow<'_, str> {
    let says_nothing = |line: &str| tells_success(line) || line.starts_with("FAIL\t");
    if is_diff(text) || !text.lines().any(says_nothing) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_inclusive('\n').filter(|line| !says_nothing(line)).collect())
}

/// A text or, of a long one, its beginning, its end and what it tells of failures between them: a long one costs hardly
/// more.
pub(crate) fn telling_parts(text: &str) -> Vec<&str> {
    const MOST_BYTES: usize = 64 << 10;
    if text.len() <= 2 * MOST_BYTES {
        return vec![text];
    }
    let (first, rest) = text.split_at(boundary(text, MOST_BYTES));
    let (middle, last) = rest.split_at(boundary(rest, rest.len() - MOST_BYTES));
    [vec![first, last], failures(middle)].concat()
}

/// The last boundary of a character in the first bytes of a text.
fn boundary(text: &str, bytes: usize) -> usize {
    (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// Some of the lines of a text that tell of a failure, each with what comes after it: the first and the last ones.
fn failures(text: &str) -> Vec<&str> {
    const MOST: usize = 16;
    const LINES: usize = 24;
    const BYTES: usize = 4 << 10;
    let (mut found, mut rest): (Vec<&str>, _) = (Vec::new(), text);
    while let Some(line) = rest.split_inclusive('\n').next() {
        let is_failure = tells_failure(&line[..boundary(line, BYTES)]);
        let lines = if is_failure { LINES } else { 1 };
        let length = rest.split_inclusive('\n').take(lines).map(str::len).sum();
        let (part, after) = rest.split_at(length);
        if is_failure {
            if found.len() == 2 * MOST {
                found.remove(MOST);
            }
            found.push(&part[..boundary(part, BYTES)]);
        }
        rest = after;
    }
    found
}

/// What a text says: all of it or, of a diff, first the lines that it changes and then those around them, without what
/// only says where its hunks are.
pub(crate) fn said_by(text: &str) -> Vec<Cow<'_, str>> {
    if !is_diff(text) {
        return vec![Cow::Borrowed(text)];
    }
    let (mut changed, mut around) = (String::new(), String::new());
    for line in text.lines() {
        // git adds the line that declares what the hunk is in.
        let line = line
            .strip_prefix("@@ ")
            .and_then(|ranges| ranges.split_once(" @@"))
            .map_or(line, |(_, rest)| rest);
        if !HEADERS.iter().any(|header| line.starts_with(header)) {
            let lines = if line.starts_with(['-', '+']) { &mut changed } else { &mut around };
            lines.push_str(line);
            lines.push('\n');
        }
    }
    vec![Cow::Owned(changed), Cow::Owned(around)]
}

/// How the lines begin that come before a file's hunks.
const HEADERS: [&str; 5] = ["diff --git ", "index ", "--- ", "+++ ", "new file mode "];

/// Whether a line is a heading or a box to tick.
fn is_of_form(line: &str) -> bool {
    let is_bold = |marks: &str| {
        let inner = line.strip_prefix(marks).and_then(|rest| rest.trim_end_matches(':').strip_suffix(marks));
        inner.is_some_and(|inner| !inner.is_empty() && !inner.contains(marks))
    };
    line.starts_with('#')
        || is_bold("**")
        || ["- [ ]", "- [x]", "- [X]"].iter().any(|box_| line.starts_with(box_))
}

fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        match after.split_once("-->") {
            Some((_, after)) => rest = after,
            None => return kept,
        }
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_tests_have_titles() {
        let log = " FAIL  test/key.test.ts > keys > reads both\nError: no\n FAIL  test/key.test.ts > keys > reads both\n \
                   ● locks › opens\n ✓ test/a.test.ts > a\nFAIL test/b.test.ts\n";
        assert_eq!(failed_titles(log), ["keys > reads both", "locks › opens"]);
    }

    #[test]
    fn text_of_a_diff_is_its_lines_and_what_they_are_in() {
        let diff = "diff --git a/x.rs b/x.rs\nindex 12ab..34cd 100644\n--- a/x.rs\n+++ b/x.rs\n\
                    @@ -1,2 +1,2 @@ fn whole()\n one\n-two\n+three\n";
        assert_eq!(said_by(diff), ["-two\n+three\n", " fn whole()\n one\n"]);
        assert_eq!(said_by("--- no diff\n"), ["--- no diff\n"]);
    }

    #[test]
    fn long_text_tells_of_failures_wherever_they_are() {
        let quiet = "info: package was fetched from the cache\n".repeat(2_000);
        let text = format!("{quiet}Error: no such key\n    at lock (src/key.ts:36:11)\n{quiet}{quiet}");
        let parts = telling_parts(&text);
        assert!(parts[2].starts_with("Error: no such key\n    at lock") && parts.len() == 3, "{parts:?}");
        assert_eq!(telling_parts(&quiet[..1_000]), [&quiet[..1_000]]);
        for endless in ["Error: x\n".repeat(1 << 20), "Error: x ä".repeat(1 << 20)] {
            assert!(telling_parts(&endless).iter().map(|part| part.len()).sum::<usize>() < 1 << 19);
        }
    }

    #[test]
    fn lines_about_failures_are_known_in_many_forms() {
        for line in [
            "src/key.ts:374:11 - error TS2322: Type 'A' is not assignable to type 'B'.",
            "key.ts(1,2): error TS2304: Cannot find name 'a'.",
            "##[error]Process completed with exit code 2.",
            "  254:3  error  'a' is never used  no-unused-vars",
            "E   assert 1 == 2",
            "Module not found: ./key",
            "[vite]: Rollup failed to resolve import \"a\"",
            "--- FAIL: TestKey (0.00s)",
            "test key::opens ... FAILED",
            "thread 'main' panicked at src/main.rs:1:2:",
            "Could not resolve host",
        ] {
            assert!(tells_failure(line), "{line}");
        }
        for quiet in [
            "e poi tutto va bene",
            "failover is enabled",
            "errors: 0",
            "error_log = x",
            "107 passed; 0 failed; 0 ignored",
            "no error",
            "compiled with failed=0",
        ] {
            assert!(!tells_failure(quiet), "{quiet}");
        }
    }

    #[test]
    fn tests_that_pass_say_nothing() {
        let log = "=== RUN   TestKey\n--- PASS: TestKey (0.00s)\n--- FAIL: TestLock (0.00s)\nFAIL\texample.org/key\t0.4s\n\
                   test key::opens ... ok\ntest key::shuts ... FAILED\nok  \texample.org/lock\t0.1s\nok 12 - opens\n\
                   tests/test_key.py::test_open PASSED  [ 3%]\n  ✔ opens\n  ✗ shuts\nnot ok 13 - shuts\nPASS src/key.test.ts\n";
        assert_eq!(
            without_passed(log),
            "--- FAIL: TestLock (0.00s)\ntest key::shuts ... FAILED\n  ✗ shuts\nnot ok 13 - shuts\n"
        );
        let prose = "ok the lock hangs\nPASS it on\n";
        assert_eq!(without_passed(prose), prose);
        let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-ok \n+ok 2\n";
        assert_eq!(without_passed(diff), diff);
    }

    #[test]
    fn title_is_the_first_line_of_several_if_it_is_prose() {
        assert_eq!(
            title("\nTheme option is not shown\n\nI open the page.\n"),
            Some("Theme option is not shown")
        );
        assert_eq!(
            title("[BUG] `--theme` is not shown in help\nx"),
            Some("[BUG] `--theme` is not shown in help")
        );
        for text in [
            "why is the theme not shown?",
            "theme broken\nI open the page.",
            "Traceback (most recent call last):\n  File \"a.py\", line 3\n",
            "at f (src/a.js:1:2) in the tree\nat g",
            "2026/08/22 09:14:03.512 INFO using config from file\nError: no",
            "diff --git a/x b/x and more\n@@ -1 +1 @@\n",
            "error[E0308]\n --> src/main.rs:1:2",
            "",
        ] {
            assert_eq!(title(text), None, "{text}");
        }
    }

    #[test]
    fn what_a_form_puts_into_a_report_is_left_out() {
        let report = "### A title\n### Describe the bug\n<!-- A clear\ndescription -->It fails.\n**Expected behaviour:**\n\
                      - [x] I have searched\n- an item\n```sh\n# no heading\n```\n**bold** text\n<!-- open";
        assert_eq!(
            without_form(report),
            "### A title\nIt fails.\n- an item\n```sh\n# no heading\n```\n**bold** text"
        );
        assert_eq!(without_form("# how is it fixed?"), "# how is it fixed?");
    }
}
