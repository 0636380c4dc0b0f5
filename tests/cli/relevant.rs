//! Files that matter for the question are kept, reduced to passages if they are too long.

use serde_json::Value;

use crate::support::Sandbox;

fn function(name: &str, lines: usize) -> String {
    let body: String = (0..lines).map(|line| format!("    let {name}_{line} = step({line});\n")).collect();
    format!("/// Does what {name} is for.\npub fn {name}() {{\n{body}}}\n\n")
}

/// Four files with many functions. One function in one file is about sockets, and another file has that name.
fn with_sources() -> Sandbox {
    let sandbox = Sandbox::new();
    for file in ["alpha", "beta", "gamma"] {
        let mut text: String = (0..12).map(|number| function(&format!("{file}_{number}"), 30)).collect();
        if file == "beta" {
            text.push_str(&function("open_socket", 30));
            text.push_str(&function("beta_last", 30));
        }
        sandbox.write(&format!("src/{file}.rs"), text);
    }
    sandbox.write("src/socket.rs", function("listen", 4));
    sandbox
}

fn account(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let all =
        [&["render", "--only", "src/*.rs", "--trim", "relevant", "--dry-run", "--json"], arguments].concat();
    serde_json::from_str(&sandbox.ctx(all).stdout_any().stderr_any().check()).unwrap()
}

#[test]
fn relevant_rule_keeps_the_passages_that_the_prompt_is_about() {
    let sandbox = with_sources();
    sandbox
        .ctx([
            "render",
            "--only",
            "src/*.rs",
            "--trim",
            "relevant",
            "-b",
            "1200",
            "-p",
            "How is the socket opened?",
        ])
        .stdout_has("[src/socket.rs]\n/// Does what listen is for.\npub fn listen() {\n    let listen_0")
        .stdout_has("pub fn open_socket() {\n    let open_socket_0 = step(0);\n")
        .stdout_has("[… lines 35-")
        .stderr_has("warning: ")
        .check();
}

#[test]
fn passage_is_printed_below_the_heads_of_the_items_around_it() {
    let sandbox = Sandbox::new();
    let steps = |name: &str| -> String {
        (0..30).map(|line| format!("        let {name}_{line} = step({line}, {line});\n")).collect()
    };
    let text = format!(
        "use std::net;\n\nimpl Server {{\n    fn other(&self) {{\n{}    }}\n\n    /// Listens.\n    fn listen(&self) {{\n{}        \
         open_socket();\n{}    }}\n}}\n",
        steps("a"),
        steps("b"),
        steps("c")
    );
    sandbox.write("src/server.rs", text);
    sandbox
        .ctx(["render", "--only", "src/*.rs", "--trim", "relevant", "-b", "500", "--query", "open_socket"])
        .stdout_has(
            "\nimpl Server {\n[… lines 4-37 omitted …]\n    fn listen(&self) {\n[… lines 39-66 omitted …]\n",
        )
        .stdout_has("        open_socket();\n")
        .stdout_lacks("fn other")
        .stderr_has("warning: ")
        .check();
}

#[test]
fn query_is_used_instead_of_the_prompt() {
    let sandbox = with_sources();
    sandbox
        .ctx([
            "render", "--only", "src/*.rs", "--trim", "relevant", "-b", "800", "-p", "Go on", "--query",
            "gamma_7",
        ])
        .stdout_has("pub fn gamma_7() {\n    let gamma_7_0 = step(0);\n")
        .stdout_lacks("let open_socket_0")
        .stderr_any()
        .check();
}

#[test]
fn relevant_rule_uses_the_budget_and_never_exceeds_it() {
    let sandbox = with_sources();
    for budget in [300_u64, 800, 2_000, 5_000, 9_000] {
        let account = account(&sandbox, &["-b", &budget.to_string(), "--query", "open a socket"]);
        let used = account["tokens"]["block"].as_u64().unwrap();
        let room = (budget / 20).max(500);
        assert!(used <= budget && used + room >= budget, "{used} of {budget}");
    }
}

#[test]
fn ranks_and_scores_are_in_the_account_and_explained() {
    let sandbox = with_sources();
    let account = account(&sandbox, &["-b", "1200", "--query", "socket"]);
    let files = account["files"].as_array().unwrap();
    let mut ranks: Vec<u64> = files.iter().map(|file| file["rank"].as_u64().unwrap()).collect();
    assert_eq!(ranks[3], 1, "{ranks:?}");
    assert_eq!(ranks[1], 2, "{ranks:?}");
    ranks.sort_unstable();
    assert_eq!(ranks, [1, 2, 3, 4]);
    assert!(files[3]["score"].as_f64() > files[1]["score"].as_f64());
    sandbox.ctx(["add", "src/*.rs"]).stderr_any().check();
    sandbox
        .ctx(["explain", "src/socket.rs", "--trim", "relevant", "-b", "1200", "--query", "socket"])
        .stdout_has("rank 1 by relevance, score ")
        .check();
}

#[test]
fn relevant_rule_without_a_query_keeps_files_that_others_import() {
    let sandbox = Sandbox::new();
    for number in 0..6 {
        let text = format!("use crate::engine::Engine;\n\n{}", function(&format!("user_{number}"), 30));
        sandbox.write(&format!("src/user_{number}.rs"), text);
    }
    sandbox.write("src/engine.rs", format!("pub struct Engine;\n\n{}", function("start", 30)));
    sandbox.write("src/alone.rs", function("alone", 30));
    sandbox
        .ctx(["render", "--only", "src/*.rs", "--trim", "relevant", "--as", "outline", "-b", "60"])
        .stdout_has("[src/engine.rs]\npub struct Engine;\n")
        .stdout_lacks("alone.rs")
        .stderr_any()
        .check();
}

#[test]
fn pinned_and_named_files_are_kept_whatever_their_rank() {
    let sandbox = with_sources();
    sandbox.write("pinned.txt", "nothing about it\n");
    sandbox.ctx(["add", "--pin", "pinned.txt"]).stderr_any().check();
    sandbox.ctx(["add", "src/*.rs"]).stderr_any().check();
    sandbox
        .ctx(["render", "--trim", "relevant", "-b", "700", "--query", "socket"])
        .stdout_has("[pinned.txt]\nnothing about it\n")
        .stdout_has("open_socket")
        .stderr_any()
        .check();
    sandbox
        .ctx(["render", "src/alpha.rs", "--trim", "relevant", "-b", "700", "--query", "socket"])
        .stdout_has("[pinned.txt]\nnothing about it\n")
        .stdout_has("[src/alpha.rs:1-34]\n")
        .stdout_lacks("open_socket")
        .stderr_has("warning: 2 of 5 files, 1 in part, ")
        .check();
}

const QUESTION: &str = "How is the socket opened?";

#[test]
fn question_keeps_relevant_passages_unless_another_rule_is_chosen() {
    let sandbox = with_sources();
    sandbox.ctx(["add", "src/*.rs"]).stderr_any().check();
    let args = ["render", "-b", "1200", "-p", QUESTION];
    let about = "pub fn open_socket() {\n    let open_socket_0 = step(0);\n";
    sandbox
        .ctx(args)
        .stdout_has(about)
        .stderr_has("warning: 2 of 4 files, 1 in part, ")
        .stderr_has(" of 1,200 tokens: src/beta.rs, src/socket.rs; --dry-run lists them\n")
        .check();
    sandbox.ctx(["render", "-b", "1200", "--query", QUESTION]).stdout_has(about).stderr_any().check();
    let smallest = "--- CONTEXT FILES BEGIN ---\n[src/socket.rs]\n";
    sandbox.ctx(["render", "-b", "1200"]).stdout_has(smallest).stdout_lacks(about).stderr_any().check();
    sandbox
        .ctx(args.iter().chain(&["--trim", "largest"]))
        .stdout_has(smallest)
        .stdout_lacks(about)
        .stderr_has("warning: 1 of 4 files, ")
        .check();
    sandbox.ctx(["profile", "--set", "trim=largest"]).stderr_any().stdout_any().check();
    sandbox.ctx(args).stdout_has(smallest).stdout_lacks(about).stderr_any().check();
}

#[test]
fn question_with_a_history_includes_the_previous_prompt() {
    let sandbox = with_sources();
    sandbox.ctx(["history", "append", "--role", "user", QUESTION]).stdout_any().stderr_any().check();
    sandbox.ctx(["history", "append", "--role", "assistant", "By a call."]).stdout_any().stderr_any().check();
    let args = ["render", "--only", "src/*.rs", "-b", "1400", "-p", "And then?"];
    let about = "pub fn open_socket() {\n    let open_socket_0 = step(0);\n";
    sandbox.ctx(args).stdout_lacks(about).stderr_any().check();
    sandbox.ctx(args.iter().chain(&["--history"])).stdout_has(about).stderr_any().check();
}

#[test]
fn question_that_singles_out_no_files_gets_readmes_and_imported_files() {
    let sandbox = Sandbox::new();
    for number in 0..15 {
        let text = format!(
            "// this project\nuse crate::engine::Engine;\n\n{}",
            function(&format!("user_{number}"), 30)
        );
        sandbox.write(&format!("src/user_{number:02}.rs"), text);
    }
    sandbox.write("src/engine.rs", format!("pub struct Engine;\n\n{}", function("start", 3)));
    sandbox.write("README.md", "# Notes\n\nKeeps notes.\n");
    sandbox.write("src/readme.txt", "Sources.\n");
    for question in ["What does this project do?", "zebras", "???"] {
        sandbox
            .ctx(["render", "--only", "**/*.*", "-b", "160", "-p", question])
            .stdout_has("[README.md]\n# Notes\n")
            .stdout_has("[src/engine.rs]\npub struct Engine;\n")
            .stdout_has("[src/readme.txt]\nSources.\n")
            .stderr_has(" of 160 tokens: README.md, src/readme.txt, src/engine.rs")
            .stderr_has(
                "note: no word of the question singles out any files: READMEs come first, then files that others import\n",
            )
            .check();
    }
}

#[test]
fn order_by_score_puts_the_most_relevant_files_first() {
    let sandbox = with_sources();
    let labels = |options: &[&str]| -> Vec<String> {
        let args = [&["render", "--only", "src/*.rs", "--order", "score"], options].concat();
        let block = sandbox.ctx(args).stdout_any().stderr_any().check();
        block.lines().filter(|line| line.starts_with("[src/")).map(str::to_owned).collect()
    };
    let question = "What listens on the socket?";
    assert_eq!(labels(&["-b", "1200", "-p", question]), ["[src/socket.rs]", "[src/beta.rs:1-470]"]);
    let all = ["[src/socket.rs]", "[src/beta.rs]", "[src/alpha.rs]", "[src/gamma.rs]"];
    assert_eq!(labels(&["-p", question]), all);
    assert_eq!(labels(&["-b", "none", "--trim", "largest", "-p", question]), all);
}

#[test]
fn search_entry_skips_a_passage_that_exceeds_its_share() {
    let sandbox = Sandbox::new();
    sandbox.write("large.txt", format!("{}\n", "socket open ".repeat(3_000)));
    sandbox.write("small.txt", "The socket is opened by a call.\n");
    sandbox.ctx(["add", "--search", "*.txt", "--share", "1%"]).stderr_any().check();
    sandbox
        .ctx(["render", "-p", "open the socket"])
        .stdout_has("[small.txt:1]\nThe socket is opened by a call.\n")
        .check();
    std::fs::remove_file(sandbox.path("small.txt")).unwrap();
    sandbox
        .ctx(["render", "-p", "open the socket"])
        .stdout("open the socket\n")
        .stderr(
            "warning: the context is empty: your entries are only searched, and the matches exceed their share of the budget\n",
        )
        .check();
}

#[test]
fn numbered_passages_keep_the_numbers_of_their_file() {
    let sandbox = with_sources();
    let block = sandbox
        .ctx([
            "render",
            "--only",
            "src/*.rs",
            "-n",
            "--trim",
            "relevant",
            "-b",
            "1500",
            "--query",
            "open_socket",
        ])
        .stdout_any()
        .stderr_any()
        .check();
    let line =
        sandbox.read("src/beta.rs").lines().position(|line| line == "pub fn open_socket() {").unwrap() + 1;
    assert!(block.contains(&format!("\n{line}: pub fn open_socket() {{\n")), "{block}");
}

#[test]
fn relevant_rule_gives_the_same_block_each_time() {
    let sandbox = with_sources();
    let block = || {
        sandbox
            .ctx(["render", "--only", "src/*.rs", "--trim", "relevant", "-b", "2000", "-p", "open a socket"])
            .stdout_any()
            .stderr_any()
            .check()
    };
    assert_eq!(block(), block());
}

#[test]
fn passage_outside_the_outline_does_not_displace_a_file_that_fits() {
    let sandbox = Sandbox::new();
    let body = "    let socket = open_the_socket_again(socket);\n".repeat(90);
    let many = "a: A, ".repeat(60);
    sandbox.write("src/a.rs", format!("pub fn keep({many}) {{\n{body}}} // {many}\n"));
    sandbox.write("src/b.rs", "pub fn b() {}\n");
    sandbox
        .ctx(["render", "--only", "src/*.rs", "--trim", "relevant", "--query", "socket", "-b", "60"])
        .stdout_has("pub fn b() {}")
        .stderr_any()
        .check();
}

#[test]
fn file_of_which_nearly_everything_would_be_printed_is_printed_whole() {
    let sandbox = Sandbox::new();
    let nearly = function("open_socket", 40) + &function("paint", 3);
    sandbox.write("src/nearly.rs", &nearly);
    sandbox.write("src/partly.rs", function("close_socket", 30) + &function("draw", 120));
    sandbox.write("src/other.rs", function("other", 900));
    sandbox
        .ctx(["ask", "-b", "2000", "what are open_socket and close_socket?"])
        .stdout_has(&format!("[src/nearly.rs]\n{nearly}"))
        .stdout_has("[src/partly.rs:1-34]\n")
        .stdout_has("let close_socket_29 = step(29);\n}\n\n--- CONTEXT FILES END ---\n")
        .stderr_has("note: 2 of 3 files of ")
        .check();
}

#[test]
fn small_files_are_whole_before_the_rest_of_a_huge_one() {
    let rows = |count: usize, every: usize| -> String {
        let row = |number: usize| {
            let place = if number.is_multiple_of(every) { "Chiba" } else { "Tokyo" };
            format!("{number},shop of the town,{place}\n")
        };
        "id,shop,place\n".to_owned() + &(1..=count).map(row).collect::<String>()
    };
    let sandbox = Sandbox::with(&[
        ("huge.csv", &rows(10_000, 400)),
        ("shops.csv", &rows(200, 70)),
        ("other.csv", &rows(150, 1_000)),
    ]);
    sandbox.ctx(["add", "*.csv"]).stderr_any().check();
    let block = sandbox.ctx(["render", "-b", "40k", "-p", "how many shops are in Chiba?"]);
    // Of files that are all there, the warning names those in part.
    let block = block.stderr_has("3 of 3 files, 1 in part, ").stderr_has(" tokens: huge.csv; --dry-run");
    let block = block.stdout_has("[… lines ").stdout_any().check();
    for file in ["shops.csv", "other.csv"] {
        assert!(block.contains(&sandbox.read(file)), "{file} is cut");
    }
}
