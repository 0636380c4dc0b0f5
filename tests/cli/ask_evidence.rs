//! What a question is understood from: its title, what is piped beside it, and the talk before it.

use serde_json::Value;

use crate::support::Sandbox;

/// A tree of small files, given by path and text, among many that have nothing to do with any question.
fn tree(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::with(files);
    for number in 0..30 {
        let text = format!("pub fn other_{number}() {{}}\n").repeat(20);
        sandbox.write(&format!("src/other/file_{number}.rs"), text);
    }
    sandbox
}

/// The paths of all files in the order of a question's ranking, with a text on standard input.
fn ranked(sandbox: &Sandbox, arguments: &[&str], stdin: &str) -> Vec<String> {
    let all = [&["ask", "--dry-run", "--json"], arguments].concat();
    let account = sandbox.ctx(all).stdin(stdin).stdout_any().stderr_any().check();
    let account: Value = serde_json::from_str(&account).unwrap();
    let ranks = account["files"].as_array().unwrap().iter();
    let mut ranks: Vec<(u64, &str)> =
        ranks.filter_map(|file| Some((file["rank"].as_u64()?, file["path"].as_str()?))).collect();
    ranks.sort_unstable();
    ranks.into_iter().map(|(_, path)| path.to_owned()).collect()
}

const REPORT: &str = "Colour of the theme is wrong

### Describe the bug
<!-- Thanks for the report: describe the bug that you found. -->
I call start with some cells, and then they have another border.

```
grid = start(cells)
print(grid.border)
```
";

#[test]
fn report_is_about_its_title_rather_than_about_tests_and_forms() {
    let sandbox = tree(&[
        (".github/ISSUE_TEMPLATE/bug.md", "### Describe the bug\nThanks for the report: describe the bug.\n"),
        ("src/table.rs", "pub fn start() -> Table {\n    draw(Table::new())\n}\n"),
        ("src/theme.rs", "pub fn colour(theme: Theme) -> Colour {\n    theme.colour\n}\n"),
        ("tests/colours.rs", "fn colour_of_theme() {\n    theme().colour(); // the colour of the theme\n}\n"),
    ]);
    assert_eq!(ranked(&sandbox, &["--prompt-file", "-"], REPORT)[0], "src/theme.rs");
    let asked = ranked(&sandbox, &["how is the table started?"], "");
    assert_eq!(asked[0], "src/table.rs");
}

#[test]
fn piped_text_takes_part_in_choosing() {
    let sandbox = tree(&[
        ("src/locks.rs", "pub fn acquire() {\n    fail(\"cannot acquire the lease\")\n}\n"),
        ("src/keys.rs", "/// How these are handled: nothing to fix.\npub fn handle() {}\n"),
    ]);
    let log = "12:04:11 INFO started\n12:04:12 ERROR cannot acquire the lease of 'a'\n";
    assert_eq!(ranked(&sandbox, &["how do I fix this?", "-"], log)[0], "src/locks.rs");
    assert_eq!(ranked(&sandbox, &["how do I fix this?", "-"], "nothing")[0], "src/keys.rs");
}

#[test]
fn file_of_the_innermost_frame_that_is_here_comes_first() {
    let sandbox = tree(&[
        ("src/deep/parse.py", "def step(x):\n    return x.y\n"),
        ("src/fix.py", "# how do I fix this, how to fix it\ndef fix():\n    pass\n"),
    ]);
    let trace = "Traceback (most recent call last):\n  File \"/usr/lib/python3/json.py\", line 9, in load\n  \
                 File \"/home/me/app/src/deep/parse.py\", line 2, in step\nAttributeError: y\n";
    assert_eq!(ranked(&sandbox, &["how do I fix this?", "-"], trace)[0], "src/deep/parse.py");
    assert_eq!(ranked(&sandbox, &["how do I fix src/deep/parse.py:2?"], "")[0], "src/deep/parse.py");
}
