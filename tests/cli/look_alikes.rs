//! Names that look the same as the one that is typed, and are not.

use crate::states::run;
use crate::support::Sandbox;

const DECOMPOSED: &str = "re\u{301}sume\u{301}.md";
const CYRILLIC: &str = "d\u{430}ta.md";
const NARROW_SPACE: &str = "Shot 4.42\u{202f}PM.md";

#[test]
#[cfg_attr(target_os = "macos", ignore = "both forms name the same file there")]
fn difference_that_cannot_be_seen_is_told_with_the_real_name() {
    let sandbox = Sandbox::with(&[
        (DECOMPOSED, "x\n"),
        (NARROW_SPACE, "y\n"),
        ("Notes.md", "z\n"),
        (CYRILLIC, "u\n"),
        ("plan.md", "v\n"),
    ]);
    for (typed, real, difference) in [
        ("r\u{e9}sum\u{e9}.md", DECOMPOSED, "a file of that name is in another Unicode form"),
        ("Shot 4.42 PM.md", NARROW_SPACE, "a file of that name has U+202F in it"),
        ("notes.md", "Notes.md", "a file of that name differs in letter case"),
        ("data.md", CYRILLIC, "a file of that name has U+0430 (Cyrillic) in it"),
        ("pl\u{430}n.md", "plan.md", "a file of that name has no U+0430 (Cyrillic) in it"),
    ] {
        for command_line in [&["render", "--only"][..], &["add"], &["explain"]] {
            let line: Vec<&str> = command_line.iter().copied().chain([typed]).collect();
            let said = String::from_utf8(run(&sandbox, &line).stderr).unwrap();
            assert!(said.contains(&format!("; {difference}")), "{line:?}: {said}");
            assert!(said.contains(&format!("hint: did you mean '{real}'?\n")), "{said}");
        }
        let listed = sandbox.ctx(["render", "--only", "--files-from", "-"]).stdin(format!("{typed}\n"));
        listed.stderr_has(&format!("listed but not found: '{typed}' ({difference})\n")).check();
    }
}

#[test]
#[cfg_attr(target_os = "macos", ignore = "both forms name the same file there")]
fn reference_in_another_unicode_form_is_followed() {
    let sandbox = Sandbox::with(&[(DECOMPOSED, "one\ntwo\n"), ("a.md", "a\n")]);
    for prompt in
        ["see @r\u{e9}sum\u{e9}.md, please", "see @r\u{e9}sum\u{e9}.md:1-1.", "@./r\u{e9}sum\u{e9}.md"]
    {
        let rendered = sandbox.ctx(["render", "--only", "a.md", "-p", prompt]);
        rendered.stdout_has("one\n").stderr_has("from the prompt: ").stderr_lacks("exist").check();
    }
    sandbox.write("r\u{e9}sume\u{301}.md", "x\n");
    let told = "does not exist; a file of that name is in another Unicode form\n";
    sandbox
        .ctx(["render", "--only", "a.md", "-p", "@r\u{e9}sum\u{e9}.md"])
        .stdout_any()
        .stderr_has(told)
        .check();
}

#[test]
fn difference_that_cannot_be_seen_is_told_of_a_reference() {
    let sandbox = Sandbox::with(&[(NARROW_SPACE, "x\n"), ("a.md", "a\n")]);
    let told = "does not exist; a file of that name has U+202F in it\n";
    let prompt = "see @\"Shot 4.42 PM.md\"";
    sandbox.ctx(["render", "--only", "a.md", "-p", prompt]).stdout_any().stderr_has(told).check();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "other systems take both forms for one name")]
fn patterns_exclusions_and_lines_that_only_look_right_are_told_with_the_real_name() {
    let sandbox = Sandbox::with(&[
        ("re\u{301}sume\u{301}.md", "alpha\n"),
        ("de\u{301}/a.md", "alpha\n"),
        ("Shot 4\u{202f}PM.md", "alpha\n"),
        ("other.md", "alpha\n"),
    ]);
    let form = "a file of that name is in another Unicode form";
    for (path, hint) in [
        ("d\u{e9}/*.md", "de\u{301}/*.md"),
        ("r*sum\u{e9}.md", "r*sume\u{301}.md"),
        ("r\u{e9}sum\u{e9}.md:1-2", "re\u{301}sume\u{301}.md:1-2"),
        ("Shot 4 PM.md:1", "Shot 4\u{202f}PM.md:1"),
    ] {
        let how = if path.is_ascii() { "a file of that name has U+202F in it" } else { form };
        sandbox.ctx(["render", path]).code(1).stderr_has(how).stderr_has(hint).check();
        sandbox.ctx(["add", path]).code(1).stderr_has(how).stderr_has(hint).check();
    }
    for (exclusion, hint) in [
        ("!r\u{e9}sum\u{e9}.md", "'!re\u{301}sume\u{301}.md'"),
        ("!d\u{e9}/**", "'!de\u{301}/**'"),
        ("!Shot 4 PM.md", "'!Shot 4\u{202f}PM.md'"),
    ] {
        sandbox.ctx(["render", "--only", "**/*.md", exclusion]).stdout_any().stderr_has(hint).check();
        sandbox.ctx(["add", exclusion]).stderr_has(hint).check();
        sandbox.ctx(["ask", "alpha"]).stdout_any().stderr_has(hint).check();
        sandbox.ctx(["check"]).code(3).stdout_has(hint).check();
        sandbox.ctx(["clear"]).stderr_any().check();
    }
    let filtered = sandbox.ctx(["render", "--only", "*.md", "--exclude", "r\u{e9}sum\u{e9}.md"]).stdout_any();
    filtered.stderr_has("--exclude 're\u{301}sume\u{301}.md' matches files").check();
}
