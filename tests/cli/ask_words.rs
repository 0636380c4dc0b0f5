//! What a question searches for besides its own words.

use crate::ask::account;
use crate::support::Sandbox;

/// The question, and a repository that uses other words.
pub const QUESTION: &str = "what draws the bar at the bottom?";

pub fn with_other_words() -> Sandbox {
    let sandbox = Sandbox::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/objects/info/x", ""),
        (".git/refs/heads/x", ""),
        ("src/view.rs", "/// The state of the editor.\npub fn statusline(width: usize) {}\n"),
        ("src/options.rs", "pub const UNRESTRICTED: &str = \"-uu\";\n"),
        ("src/foot.rs", "pub fn render_footer(height: usize) {}\n"),
    ]);
    for number in 0..40 {
        let text = format!("/// Draws the bottom of bar {number}.\npub fn bar_{number}() {{}}\n").repeat(200);
        sandbox.write(&format!("src/bars/bar_{number}.rs"), text);
    }
    sandbox
}

/// The files with a part in the block, the best one first.
fn printed(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    let account = account(sandbox, &[&[QUESTION], arguments].concat());
    let mut files: Vec<_> = account["files"].as_array().unwrap().clone();
    files.retain(|file| file["rank"].is_u64() && file["status"] != "dropped");
    files.sort_by_key(|file| file["rank"].as_u64());
    files.into_iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn words_find_code_that_the_question_does_not_name() {
    let sandbox = with_other_words();
    let without = printed(&sandbox, &[]);
    let other = ["src/view.rs", "src/options.rs", "src/foot.rs"];
    assert!(other.iter().all(|file| !without.iter().any(|printed| printed == file)), "{without:?}");
    let with = printed(&sandbox, &["-w", "statusline,\n-uu", "--words=render_footer"]);
    assert!(other.iter().all(|file| with.iter().any(|printed| printed == file)), "{with:?}");
}

#[test]
fn path_of_a_file_raises_it_and_does_not_limit() {
    let sandbox = with_other_words();
    let with = printed(&sandbox, &["-w", "src/bars/bar_7.rs,statusline"]);
    for file in ["src/bars/bar_7.rs", "src/view.rs"] {
        assert!(with.iter().any(|printed| printed == file), "{with:?}");
    }
    assert!(!printed(&sandbox, &["-w", "statusline"]).iter().any(|file| file == "src/bars/bar_7.rs"));
}

#[test]
fn what_names_hardly_find_is_left_out_although_there_is_room() {
    let sandbox = Sandbox::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/objects/info/x", ""),
        (".git/refs/heads/x", ""),
        (
            "src/undo.rs",
            "/// Takes the last change back.\npub fn undo_last(history: &mut Journal) { history.pop(); }\n",
        ),
    ]);
    for part in ["cell", "frame", "label", "layer", "page"] {
        for name in ["colour", "width", "height", "border", "margin", "font"].map(|of| format!("{part}_{of}"))
        {
            let lines: String =
                (0..60).map(|line| format!("    let {name}_{line} = history.{name}({line});\n")).collect();
            let head = format!(
                "/// A change of the {name} that is taken.\npub fn {name}_of(history: &mut Journal) {{\n"
            );
            sandbox.write(&format!("src/{name}.rs"), format!("{head}{lines}}}\n"));
        }
    }
    let question = "how is a change taken back?";
    let labels = |more: &[&str]| {
        let block = sandbox.ctx([&["ask", question], more].concat()).stderr_any().stdout_any().check();
        block.lines().filter(|line| line.starts_with("[src/")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(labels(&["-w", "undo_last,layer"]).len() > 5);
    assert_eq!(labels(&["-w", "undo_last,pop,history,layer"]), ["[src/undo.rs]"]);
}

#[test]
fn words_of_nothing_change_nothing() {
    let sandbox = with_other_words();
    assert_eq!(printed(&sandbox, &["-w", " ,\n", "-w", ""]), printed(&sandbox, &[]));
}

#[test]
fn words_are_not_printed() {
    let sandbox = with_other_words();
    let block = sandbox.ctx(["ask", QUESTION, "-w", "quicksilver"]).stdout_any().stderr_any().check();
    assert!(!block.contains("quicksilver") && block.ends_with(&format!("\n\n{QUESTION}\n")), "{block}");
}

#[test]
fn query_of_a_question_is_refused_with_the_option_to_use_instead() {
    let sandbox = with_other_words();
    sandbox
        .ctx(["ask", QUESTION, "--query", "statusline"])
        .code(2)
        .stderr_has("error: '--query' is not an option of 'ask', which searches for the question\n")
        .stderr_has("hint: -w statusline also searches for it\n")
        .check();
}
