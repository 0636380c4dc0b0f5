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

#[test]
fn path_in_a_paste_is_first_of_all_one_below_the_current_directory() {
    let text = "export function auth() {\n  return login();\n}\n".repeat(5);
    let apps = ["mobile", "site", "web"];
    let files: Vec<String> = apps.iter().map(|app| format!("apps/{app}/src/auth.ts")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), text.as_str())).collect();
    let sandbox = tree(&files);
    sandbox.ctx(["init"]).stderr_any().check();
    for app in apps {
        let directory = sandbox.path(&format!("apps/{app}"));
        let account = sandbox
            .ctx_in(&directory, ["ask", "--dry-run", "--json", "why?", "-"])
            .stdin("src/auth.ts:2:3 - error TS2322: wrong type\n")
            .stdout_any()
            .stderr_any()
            .check();
        let account: Value = serde_json::from_str(&account).unwrap();
        let first = account["files"].as_array().unwrap().iter().find(|file| file["rank"] == 1).unwrap();
        assert_eq!(first["path"], format!("apps/{app}/src/auth.ts"));
    }
}

#[test]
fn failure_in_the_middle_of_a_long_log_is_looked_up() {
    let sandbox = tree(&[("src/lock.rs", "pub fn acquire() {\n    lease();\n}\n")]);
    let quiet = "info: package was fetched from the registry\n".repeat(4_000);
    let log = format!("{quiet}error: it is gone\n   --> src/lock.rs:2:5\n{quiet}");
    assert_eq!(ranked(&sandbox, &["why did it fail?", "-"], &log)[0], "src/lock.rs");
}

#[test]
fn log_of_a_test_runner_leads_to_the_test_that_fails_and_what_it_tests() {
    let passed = |name: &str| format!("#[test]\nfn test_{name}() {{\n    assert(run(\"{name}\"));\n}}\n");
    let tests: String =
        ["most_keys", "open_locks", "turn_keys", "shut_doors", "paint_walls"].map(passed).concat();
    let mut files = vec![("tests/all.rs", tests.as_str())];
    let codes = ["open_locks", "turn_keys", "shut_doors", "paint_walls"]
        .map(|name| (format!("src/{name}.rs"), format!("pub fn {name}() {{\n    lock();\n}}\n").repeat(9)));
    files.extend(codes.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    files.push(("src/options.rs", "pub fn most_keys() -> usize {\n    3\n}\n"));
    let sandbox = tree(&files);
    let log = "test test_open_locks ... ok\ntest test_turn_keys ... ok\ntest test_shut_doors ... ok\n\
               test test_paint_walls ... ok\ntest test_most_keys ... FAILED\n\ntest result: FAILED. 4 passed; 1 failed\n";
    let ranked = ranked(&sandbox, &["why does this fail?", "-"], log);
    assert_eq!(ranked[..2], ["tests/all.rs", "src/options.rs"], "{ranked:?}");
}

#[test]
fn line_that_prints_a_message_comes_before_lines_with_its_words() {
    let words = "// the lease of the lock: open, close, cannot, read it, acquire it\n".repeat(9);
    let sandbox = tree(&[
        ("src/a.rs", "pub fn check(n: u8) {\n    bail!(\"cannot acquire the {} lease: {n} open\")\n}\n"),
        ("src/lease.rs", &words),
        ("src/lock/open.rs", &words),
    ]);
    let log = "12:04:12 cannot acquire the `/tmp/x y` lease: 7 open\n";
    assert_eq!(ranked(&sandbox, &["why?", "-"], log)[0], "src/a.rs");
    let quoted = "why is the lock \"cannot acquire the x lease\"?";
    assert_eq!(ranked(&sandbox, &[quoted], "")[0], "src/a.rs");
}

#[test]
fn function_words_of_any_language_are_not_looked_for() {
    let sandbox = tree(&[
        ("src/die.rs", "pub fn die() {\n    wo(la, die, und, der)\n}\n"),
        ("src/cache.rs", "pub fn cache() {\n    // keeps what was read\n}\n"),
    ]);
    for question in ["Wo liegt die Cache, und wie?", "Où est la cache, et pourquoi ?"] {
        assert_eq!(ranked(&sandbox, &[question], "")[0], "src/cache.rs", "{question}");
    }
    assert_eq!(ranked(&sandbox, &["where does it die?"], "")[0], "src/die.rs");
}

#[test]
fn little_is_printed_if_few_words_of_the_question_occur() {
    let sandbox = tree(&[("README.md", "# Leases\n")]);
    for letter in 'a'..='k' {
        let text = format!("pub fn http_{letter}() {{}} // leases over http\n").repeat(90);
        sandbox.write(&format!("src/http/{letter}.rs"), text);
    }
    let warning = "warning: few words of the question occur here (not 'verhindere' or 'einzelnen' or 'Rechner'); -w \
                   NAMES looks for what the code calls it, --words-from PROGRAM asks a model\n";
    let question = "Wie verhindere ich auf einem einzelnen Rechner die Umleitung von HTTP?";
    sandbox
        .ctx(["ask", question])
        .stderr_has(warning)
        .stderr_has(" of 4,000 tokens")
        .stdout_has("http_")
        .check();
    let strict = sandbox.ctx(["ask", "--strict", question]).code(3).stderr_has("few words");
    strict.stdout_any().check();
    let without_any = "Wie verhindere ich auf einem einzelnen Rechner die Umleitung?";
    let told = "few words of the question occur here (not 'verhindere' or 'einzelnen' or 'Rechner')";
    let overview = sandbox.ctx(["ask", without_any]).stderr_has(told);
    overview.stderr_has(" of 4,000 tokens").stdout_has("# Leases").check();
    let one = sandbox.ctx(["ask", "Umleitung"]).stderr_has("occur here (not 'Umleitung')");
    one.stderr_has(" of 4,000 tokens").stdout_has("# Leases").check();
    let named = sandbox.ctx(["ask", question, "-w", "http_a"]).stderr_lacks("few words");
    named.stdout_has("http_a").stderr_any().check();
}

/// Other files, so that not everything fits.
fn beside(sandbox: &Sandbox) {
    for number in 0..40 {
        let text = format!("fn other_{number}() {{\n    step();\n}}\n\n").repeat(60);
        sandbox.write(&format!("src/other_{number}.rs"), text);
    }
}

#[test]
fn small_file_that_matters_is_whole() {
    let sandbox = Sandbox::with(&[(
        "src/preset/quick.ts",
        "/**\n * The quick preset.\n */\nimport { Base } from '../base'\n\nexport class Hono extends Base {\n  constructor() {\n    super()\n    this.router = 1\n  }\n}\n",
    )]);
    sandbox.repository();
    beside(&sandbox);
    sandbox
        .ctx(["ask", "-b", "4k", "what is the quick preset?"])
        .stdout_has("[src/preset/quick.ts]\n")
        .stdout_has("    this.router = 1\n")
        .stderr_any()
        .check();
}

#[test]
fn rows_of_a_table_come_below_its_first_line() {
    let rows: String = (0..900).map(|row| format!("{row},Person {row},{}\n", row % 7)).collect();
    let text = format!("id,name,class\n{rows}").replace("Person 700", "Zebedee");
    let sandbox = Sandbox::with(&[("data/people.csv", &text)]);
    sandbox.repository();
    beside(&sandbox);
    let block =
        sandbox.ctx(["ask", "-b", "4k", "where is Zebedee?"]).stdout_has("Zebedee").stderr_any().check();
    let (head, rest) = block.split_once("id,name,class\n[… lines 2-").expect(&block);
    assert!(head.contains("[data/people.csv") && rest.contains("700,Zebedee,0\n"), "{block}");
}

#[test]
fn rows_of_a_table_that_is_only_searched_come_with_its_first_line() {
    let rows: String = (1..=3_000).map(|number| format!("C{number},name of {number}\n")).collect();
    let sandbox = tree(&[("people.csv", &format!("id,person\n{rows}"))]);
    sandbox.ctx(["add", "--search", "people.csv"]).stderr_any().check();
    let block = sandbox.ctx(["ask", "who is C2500?", "-b", "2k"]).stderr_any().stdout_any().check();
    assert!(block.contains("id,person\n") && block.contains("C2500,name of 2500\n"), "{block}");
}

#[test]
fn row_is_found_by_its_date_and_by_what_it_has_beside_others() {
    let row = |n: usize| format!("2025-{:02}-{:02},S{:03},{n}\n", n % 12 + 1, n % 28 + 1, n % 191);
    let rows: String = (0..9_000).map(row).collect();
    let shops: String = (0..900).map(|n| format!("S{n:03},shop {n}\n")).collect();
    let files =
        [("sales.csv", format!("date,shop,amount\n{rows}")), ("shops.csv", format!("shop,name\n{shops}"))];
    let sandbox = tree(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    // One row of the twelve months, 28 days and 191 shops has all three.
    let only = rows.lines().find(|row| row.starts_with("2025-09-17,S034,")).unwrap();
    for question in ["what did S034 sell on 2025-09-17?", "S034 の 2025/9/17 の売上は?"] {
        let block = sandbox.ctx(["ask", "-b", "4k", question]).stderr_any().stdout_any().check();
        assert!(block.contains(only), "{block}");
    }
    sandbox.ctx(["add", "--search", "*.csv"]).stderr_any().check();
    let block = sandbox.ctx(["ask", "-b", "2k", "what is S045 called?"]).stderr_any().stdout_any().check();
    assert!(block.contains("S045,shop 45\n") && block.contains("[sales.csv:1]\n"), "{block}");
}

/// A quoted field may contain line breaks. A row that is too long is cut, as its label says.
#[test]
fn row_of_a_table_is_whole_with_its_line_breaks() {
    let row = |row: usize, name: &str| format!("{row},\"Person {name}\n\nof \"\"{row}\"\"\"\n");
    let rows = |name: &str| (0..900).map(|n| row(n, if n == 200 { name } else { "X" })).collect::<String>();
    let sandbox = Sandbox::with(&[("people.csv", &format!("id,\"full\nname\"\n{}", rows("Zebedee")))]);
    let asked = ["ask", "-b", "4k", "where is Zebedee?"];
    let shown = format!("id,\"full\nname\"\n[… lines 3-602 omitted …]\n{}201,", row(200, "Zebedee"));
    sandbox.ctx(asked).stdout_has(&shown).stderr_any().check();
    let story = format!("{}Zebedee\n{}", "once upon a time\n".repeat(1_500), "and then\n".repeat(1_500));
    sandbox.write("people.csv", format!("id,story\n{}1,\"{story}\"\n", rows("X")));
    let block = sandbox.ctx(asked).stdout_has("Zebedee\n").stdout_has("[people.csv:1-").stderr_any().check();
    assert!(block.len() < 20_000 && block.contains("id,story\n[… lines "), "{block}");
}

#[test]
fn table_is_a_sample_if_no_word_of_the_question_tells_rows_apart() {
    let rows: String = (0..900).map(|row| format!("{row},Person {row},{}\n", row % 7)).collect();
    let text = format!("id,name,class\n{rows}");
    let sandbox = Sandbox::with(&[("data/people.csv", &text), ("notes.md", "# Notes\n\nAll of them.\n")]);
    for question in ["what is this?", "what does it look like?"] {
        let rest = "9,Person 9,2\n[… lines 12-901 omitted …]\n";
        let asked =
            sandbox.ctx(["ask", "-b", "4k", question]).stdout_has("id,name,class\n0,").stdout_has(rest);
        asked.stdout_has("[notes.md]\n").stderr_any().check();
    }
}

#[test]
fn table_that_a_question_names_is_its_first_rows() {
    let rows: String = (0..900).map(|row| format!("{row},Person {row},{}\n", row % 7)).collect();
    let text = format!("id,name,class\n{rows}");
    let sandbox = Sandbox::with(&[("data/people.csv", &text), ("load.py", "read('data/people.csv')\n")]);
    sandbox.repository();
    beside(&sandbox);
    let sample = "[data/people.csv:1-11]\nid,name,class\n0,Person 0,0\n";
    let rest = "9,Person 9,2\n[… lines 12-901 omitted …]\n";
    for question in ["which columns does people.csv have?", "people.csvにはどの列がありますか？"]
    {
        sandbox.ctx(["ask", "-b", "4k", question]).stdout_has(sample).stdout_has(rest).stderr_any().check();
    }
    // Of many rows that match, a few are enough.
    let many = sandbox.ctx(["ask", "-b", "8k", "who is a Person in people.csv?"]).stderr_any().stdout_any();
    let rows = many.check().matches(",Person ").count();
    assert!((11..=110).contains(&rows), "{rows}");
    // Of a table that is typed as a path, all rows count.
    let typed = ["ask", "what is the mean of the class?", "data/people.csv"];
    sandbox.ctx(typed).stdout_has("899,Person 899,3\n").stdout_lacks("omitted").stderr_any().check();
    let part = sandbox.ctx([&typed[..], &["-b", "1k"]].concat()).stdout_has("id,name,class\n");
    part.stderr_has("warning: part of 1 file")
        .stderr_has("\nhint: -b 7500 has room for what you named\n")
        .check();
}

#[test]
fn constants_come_with_the_function_that_uses_them_and_its_rest_is_marked_by_itself() {
    let body = |what: &str| format!("    {what}();\n").repeat(300);
    let code = format!(
        "const MOST_TRIES: u32 = 7;\nconst OTHER: u32 = 9;\n\nfn unrelated() {{\n{}}}\n\nfn reconnect() {{\n    \
         reconnect_up_to(MOST_TRIES);\n{}}}\n\nfn more() {{\n{}}}\n",
        body("walk"),
        body("step"),
        body("jump")
    );
    let sandbox = tree(&[("src/net.rs", &code)]);
    let block =
        sandbox.ctx(["ask", "-b", "500", "how often does it reconnect?"]).stderr_any().stdout_any().check();
    assert!(block.contains("const MOST_TRIES: u32 = 7;\n") && !block.contains("OTHER"), "{block}");
    assert!(
        block.contains("fn reconnect() {\n") && block.contains("-609 omitted …]\n--- CONTEXT"),
        "{block}"
    );
}
