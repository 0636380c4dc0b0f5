//! A file that does not fit is reduced to its outline before it is dropped.

use crate::support::Sandbox;

fn with_source() -> Sandbox {
    let sandbox = Sandbox::new();
    let body: String = (0..60).map(|number| format!("    total += compute({number});\n")).collect();
    sandbox
        .write("big.rs", format!("//! Sums.\n\n/// The sum.\npub fn sum() -> u64 {{\n{body}    total\n}}\n"));
    sandbox.write("small.rs", "pub fn one() -> u64 {\n    1\n}\n");
    sandbox
}

const OUTLINED: &str = "--- CONTEXT FILES BEGIN ---\n[big.rs]\n//! Sums.\n\n/// The sum.\npub fn sum() -> u64 {\n\
    [… 61 lines omitted …]\n}\n\n[small.rs]\npub fn one() -> u64 {\n    1\n}\n--- CONTEXT FILES END ---\n";

#[test]
fn outline_rule_over_budget_reduces_the_largest_file() {
    let sandbox = with_source();
    sandbox
        .ctx(["render", "--only", "*.rs", "-b", "100", "--trim", "outline"])
        .stdout(OUTLINED)
        .stderr_has("warning: 2 of 2 files, 1 in part, ")
        .check();
}

#[test]
fn script_without_extension_is_outlined_in_the_language_of_its_interpreter() {
    let sandbox = Sandbox::new();
    let body = "    echo \"one of the lines of a function\"\n".repeat(20);
    sandbox.write("bin/build", format!("#!/bin/bash\nbuild() {{\n{body}}}\nbuild\n"));
    sandbox.write("bin/text", "build() {\n");
    let outline = "--- CONTEXT FILES BEGIN ---\nbin/\n  text\n\n[bin/build]\n#!/bin/bash\nbuild() {\n[… 20 lines omitted …]\n}\nbuild\n--- CONTEXT FILES END ---\n";
    sandbox.ctx(["render", "--only", "bin/*", "--as", "outline"]).stdout(outline).check();
    sandbox
        .ctx(["render", "--only", "bin/b*", "--trim", "outline", "-b", "60"])
        .stdout_has("build() {\n[… 20 lines omitted …]\n}\n")
        .stderr_any()
        .check();
}

#[test]
fn outline_rule_drops_the_largest_outline_if_the_outlines_do_not_fit() {
    let sandbox = with_source();
    sandbox
        .ctx(["render", "--only", "*.rs", "-b", "50", "--trim", "outline"])
        .stdout_has("[small.rs]\npub fn one()")
        .stdout_lacks("[big.rs]")
        .stderr_has("warning: 1 of 2 files, ")
        .check();
}

#[test]
fn outline_of_numbered_lines_keeps_the_numbers_of_the_file() {
    let sandbox = with_source();
    sandbox
        .ctx(["render", "--only", "big.rs", "-n", "-b", "100", "--trim", "outline"])
        .stdout_has("4: pub fn sum() -> u64 {\n[… 61 lines omitted …]\n66: }\n")
        .stderr_has("warning: ")
        .check();
}

#[test]
fn outlined_file_is_a_strict_finding_and_is_explained() {
    let sandbox = with_source();
    sandbox
        .ctx(["render", "--only", "*.rs", "-b", "100", "--trim", "outline", "--strict"])
        .code(3)
        .stderr_has("error: 1 of 2 files does not fit in 100 tokens: big.rs (")
        .check();
    sandbox.ctx(["add", "*.rs"]).stderr_any().check();
    sandbox
        .ctx(["explain", "big.rs", "-b", "100", "--trim", "outline"])
        .stdout_has("big.rs is printed in part: ")
        .stdout_has("over budget, reduced to its outline")
        .check();
}
