//! What a question says about its cost, and about what it did not find.

use crate::states;
use crate::support::Sandbox;

const FUNCTIONS: &str = "fn answer() {}\nfn question() {}\n";

#[test]
fn every_question_says_how_much_it_sends() {
    let sandbox = Sandbox::with(&[("a.rs", FUNCTIONS), ("b.md", "About b.\n")]);
    let all = "note: all 2 files of <project>, ";
    sandbox
        .ctx(["ask", "what is the answer?"])
        .stdout_any()
        .stderr_has(all)
        .stderr_has(" of 16,000 tokens\n")
        .check();
    let unlimited = sandbox.ctx(["ask", "what is the answer?", "-b", "none"]);
    unlimited.stdout_any().stderr_has(all).stderr_lacks(" of 16,000").stderr_has(" tokens\n").check();
    let one = sandbox.ctx(["ask", "what is the answer?", "a.rs"]).stdout_any();
    one.stderr_has("note: all of 1 file of <project>, ").check();
    sandbox.ctx(["ask", "-q", "what is the answer?"]).stdout_any().stderr("").check();
    sandbox.ctx(["render", "a.rs"]).stdout_any().stderr("").check();
}

#[test]
fn more_than_the_assumed_window_is_a_warning() {
    let sandbox = Sandbox::with(&[("a.rs", FUNCTIONS)]);
    sandbox.write("long.md", "one two three four five six seven eight\n".repeat(30_000));
    let asked = sandbox.ctx(["ask", "what is the answer?", "-b", "none", "-o", "out.txt"]);
    let warning = " tokens may be too many: without -m MODEL, ctx assumes a window of 200,000\n";
    asked.stderr_has("warning: 2").stderr_has(warning).check();
    let known = sandbox.ctx(["ask", "what is the answer?", "-b", "none", "-m", "gpt-4.1", "-o", "out.txt"]);
    known.stderr_lacks("too many").check();
}

#[test]
fn line_names_what_was_found_before_what_is_on_the_list() {
    let code: String = (0..3_000).map(|number| format!("fn answer_{number}() {{}}\n")).collect();
    let sandbox = Sandbox::with(&[("a.rs", &code), ("rules.md", "Be brief.\n"), ("z.md", "The answer.\n")]);
    sandbox.ctx(["add", "rules.md"]).stderr_any().check();
    let asked = sandbox.ctx(["ask", "what is the answer?"]).stdout_any();
    asked.stderr_has(" for 1 from your list): ").stderr_has(", rules.md\n").stderr_lacks("--dry-run").check();
}

#[test]
fn line_says_which_files_the_built_in_list_brings() {
    let code: String = (0..3_000).map(|number| format!("fn answer_{number}() {{}}\n")).collect();
    let sandbox = Sandbox::with(&[("a.rs", &code), ("rules.md", "Be brief.\n"), ("AGENTS.md", "Be kind.\n")]);
    let ask = || sandbox.ctx(["ask", "what is the answer?"]).stdout_any();
    ask().stderr_has(" for 1 from the built-in list)").stderr_lacks("your list").check();
    sandbox.ctx(["add", "rules.md"]).stderr_any().check();
    ask().stderr_has(" for 1 from your list and 1 from the built-in list)").check();
    sandbox.ctx(["add", "AGENTS.md"]).stderr_any().check();
    ask().stderr_has(" for 2 from your list)").check();
}

#[test]
fn data_that_is_not_text_comes_with_the_setting_that_reads_it() {
    let sandbox = Sandbox::with(&[("a.rs", FUNCTIONS)]);
    sandbox.write("m.parquet", b"PAR1\0\x01");
    let way = "to read .parquet: ctx profile -g --set 'reader.parquet=PROGRAM {}'\n";
    let error = format!("error: 'm.parquet': binary file\nhint: {way}");
    sandbox.ctx(["ask", "which columns?", "m.parquet"]).code(1).stderr_has(&error).check();
    sandbox.ctx(["render", "--only", "m.parquet"]).code(1).stderr(error).check();
    let added = sandbox.ctx(["add", "m.parquet"]).stdout_any();
    added.stderr_has(&format!("'m.parquet' is only binary, which is never printed; {way}")).check();
    sandbox.ctx(["profile", "-g", "--set", "reader.parquet=PROGRAM {}"]).stderr_any().check();
}

#[test]
fn documents_that_nothing_reads_are_noted() {
    let sandbox = Sandbox::with(&[("a.rs", FUNCTIONS)]);
    let pdf = b"%PDF-1.4\n\0\x01\x02";
    sandbox.write("papers/one.pdf", pdf);
    sandbox.write("papers/two.PDF", pdf);
    sandbox.write("slides/one.pptx", b"PK\x03\x04\0\0");
    let reads = "to read .pdf: ctx profile -g --set 'reader.pdf=pdftotext {} -'\n";
    let asked = sandbox.ctx(["ask", "which answer?"]).stdout_any();
    asked.stderr_has(&format!("note: not read: 2 .pdf and 1 .pptx files; {reads}")).check();
    let dry = sandbox.ctx(["ask", "--dry-run", "which answer?"]).stdout_any();
    dry.stderr_has("note: not read: 2 .pdf").check();
    sandbox.ctx(["ask", "which answer?", "papers"]).code(1).stderr_has(&format!("hint: {reads}")).check();
    let slides = sandbox.ctx(["ask", "which answer?", "slides", "a.rs"]).code(1);
    slides.stderr_has("1 binary\n").stderr_lacks("pandoc").check();
    for number in 0..160 {
        sandbox.write(&format!("src/{number}.rs"), "fn other() {}\n");
    }
    sandbox.ctx(["ask", "which answer?"]).stdout_any().stderr_lacks("not read").check();
}

#[test]
fn places_that_are_not_here_are_noted() {
    let sandbox = Sandbox::with(&[("src/context.rs", FUNCTIONS)]);
    let says = |question: &str, note: &str| {
        sandbox.ctx(["ask", question]).stdout_any().stderr_has(&format!("note: {note}\n")).check();
    };
    says("explain src/contxt.rs:1-2", "no file 'src/contxt.rs'; did you mean 'src/context.rs'?");
    says("explain src/context.rs:30", "'src/context.rs' has only 2 lines, not 30");
    says("explain context.rs:3", "'src/context.rs' has only 2 lines, not 3");
    let here = sandbox.ctx(["ask", "explain src/context.rs:2 and/or context.answer"]).stdout_any();
    here.stderr_lacks("did you mean").stderr_lacks("has only").check();
}

#[test]
fn places_outside_the_tree_are_not_looked_up_and_large_files_are_not_read() {
    let sandbox = Sandbox::with(&[("src/a.rs", FUNCTIONS), ("../outside.rs", FUNCTIONS)]);
    let large = std::fs::File::create(sandbox.path("src/large.log")).unwrap();
    large.set_len(20 << 20).unwrap();
    let outside = sandbox.path("../outside.rs").with_extension("r");
    let question = format!("which answer at {}:1 ../outside.r:1 src/large.log:7", outside.display());
    sandbox
        .ctx(["ask", "-p", &question])
        .stdout_any()
        .stderr_lacks("did you mean")
        .stderr_lacks("has only")
        .check();
}

#[test]
fn words_that_nothing_here_has_are_named() {
    let sandbox = Sandbox::with(&[("a.rs", FUNCTIONS)]);
    for number in 0..20 {
        sandbox.write(&format!("b{number}.rs"), "fn other() {}\n");
    }
    let asked = sandbox.ctx(["ask", "what is the answer?", "-w", "question,emial,foobarbaz"]).stdout_any();
    asked.stderr_has("note: no file has 'emial' or 'foobarbaz'\n").check();
    let asked = sandbox.ctx(["ask", "what is the answer?", "-w", "question", "answer"]);
    asked.code(1).stderr_has("hint: -w takes several words with commas: -w question,answer\n").check();
}

/// The only file of a name is meant by it, though its words are everywhere.
#[test]
fn file_of_one_letter_is_found_by_its_name() {
    let sandbox = Sandbox::with(&[("src/a.rs", "fn wobble() {}\n"), ("lib/q.py", "def noodle(): pass\n")]);
    for number in 0..30 {
        sandbox.write(&format!("lib/m{number}.rs"), "fn a() { b() }\n");
        sandbox.write(&format!("lib/m{number}.py"), "def q(): a()\n");
    }
    for (question, found) in [("what does a.rs do?", "[src/a.rs]\n"), ("explain q.py", "[lib/q.py]\n")] {
        let asked = sandbox.ctx(["ask", question]).stdout_has(found).stderr_any().check();
        assert!(asked.find(found) == asked.find('['), "{asked}");
    }
    for question in ["are there others, e.g. i.e?", "what is v1.x?"] {
        let asked = sandbox.ctx(["ask", question]).stdout_any();
        asked.stderr_lacks("did you mean").stderr_lacks("no file 'e.g").check();
    }
}

#[test]
fn budget_for_the_best_answer_is_named_if_nothing_else_was() {
    let body = "    mount_table.read_entry();\n".repeat(12);
    let sandbox = Sandbox::with(&[
        ("src/mounts.rs", &format!("/// Reads the mounts.\nfn read_mounts() {{\n{body}}}\n")),
        ("src/other.rs", "// The mounts of others.\nfn other() {}\n"),
    ]);
    let question = "how are mounts read?";
    let ask = |budget: &str| sandbox.ctx(["ask", "--only", "-b", budget, question]).stdout_any();
    ask("60").stderr_has("warning: 'src/mounts.rs:1-15' answers best, but is left out: ").check();
    let asked = states::run(&sandbox, &["ask", "--only", "-b", "60", question]);
    let said = String::from_utf8(asked.stderr).unwrap();
    let (_, hint) = said.split_once("\nhint: -b ").unwrap_or_else(|| panic!("{said}"));
    let (budget, what) = hint.split_once(' ').unwrap();
    assert_eq!(what, "has room for what answers best\n");
    ask(budget).stdout_has(&body).stderr_lacks("answers best, but ").stderr_lacks("hint: -b").check();
}
