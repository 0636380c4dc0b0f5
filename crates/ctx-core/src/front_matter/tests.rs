use super::Doubt;
use proptest::prelude::*;

/// What makes a rule conditional; an error if it is unclear.
fn condition(text: &str) -> Result<Option<String>, String> {
    super::condition(text).map(|one| one.map(|one| one.told)).map_err(|doubt| doubt.to_string())
}

/// The same text with every kind of line ending.
fn spellings(text: &str) -> [String; 3] {
    ["\n", "\r\n", "\r"].map(|end| text.replace('\n', end))
}

#[test]
fn keys_that_name_files_make_a_rule_conditional() {
    for (front, told) in [
        ("globs: **/*.ts", "globs: **/*.ts"),
        ("description: x\nglobs: *.ts,*.tsx\nalwaysApply: false", "globs: *.ts,*.tsx"),
        ("globs: *.{ts,tsx}", "globs: *.{ts,tsx}"),
        ("applyTo: \"**/*.py\"", "applyTo: **/*.py"),
        ("'applyTo': 'src/#a'  ", "applyTo: src/#a"),
        ("paths:\n  - src/**\n  - \"lib/**\" # both", "paths: src/**, lib/**"),
        ("paths:\n- src/**\nother: 1", "paths: src/**"),
        ("paths: ['a', \"b\",]", "paths: a, b"),
        ("paths: [\"**/*.{ts,tsx}\", c] # two", "paths: **/*.{ts,tsx}, c"),
        ("globs: >\n  *.rs", "globs: *.rs"),
        ("globs: |\n  # no comment", "globs: # no comment"),
        ("alwaysApply: false", "alwaysApply: false"),
        ("alwaysApply: no", "alwaysApply: no"),
        ("trigger: glob\nglobs: src/**", "globs: src/**"),
        ("trigger: manual", "trigger: manual"),
        ("trigger: model_decision\ndescription: x", "trigger: model_decision"),
    ] {
        for text in spellings(&format!("---\n{front}\n---\nText.\n")) {
            assert_eq!(condition(&text), Ok(Some(told.to_owned())), "{text:?}");
        }
    }
}

#[test]
fn trigger_that_waits_for_nothing_is_no_condition() {
    for front in ["trigger: always_on", "trigger: always_on\nglobs: src/**", "trigger: push"] {
        assert_eq!(condition(&format!("---\n{front}\n---\nText.\n")), Ok(None), "{front}");
    }
}

#[test]
fn any_inclusion_other_than_always_is_a_condition() {
    for (front, told) in [
        ("inclusion: fileMatch\nfileMatchPattern: ['**/*.ts', '**/*.py']", "fileMatch"),
        ("fileMatchPattern:\n  - \"a/**\"\ninclusion: 'fileMatch'  # sometimes", "fileMatch"),
        ("inclusion: \"manual\"", "manual"),
        ("inclusion : manual", "manual"),
        ("inclusion: auto # when it fits", "auto"),
        ("inclusion: auto\t# when it fits", "auto"),
        ("inclusion:\n  manual", "manual"),
        ("inclusion:\n\n  # later\n  'manual'", "manual"),
        ("  inclusion: manual", "manual"),
        ("  title: x\n  inclusion: manual\n  other: y", "manual"),
        ("inclusion: >-\n  manual", "manual"),
        ("inclusion: |2\n   always", "|2 always"),
        ("inclusion: always\n  not", "always not"),
        ("inclusion: always\u{a0}", "always\u{a0}"),
        ("inclusion: !!str always", "!!str always"),
        ("description: long\n  text: more\ninclusion: manual", "manual"),
        ("description: >\n  text\n  # more\n\ninclusion: manual", "manual"),
        ("meta:\n  a: [1,\n    2]\ninclusion: manual", "manual"),
    ] {
        for text in spellings(&format!("---\n{front}\n---\n# Text\n")) {
            assert_eq!(condition(&text), Ok(Some(format!("inclusion: {told}"))), "{text:?}");
        }
    }
}

#[test]
fn everything_else_is_unconditional() {
    for text in [
        "",
        "# Rules\n",
        "----\ninclusion: manual\n----\n",
        "# Title\n---\nglobs: x\n---\n",
        "---\n---\nglobs: *.ts\n---\n",
        "---\ntitle: x\n---\ninclusion: manual\n",
        "---\nglobs:\nalwaysApply: true\n---\n",
        "---\nglobs:\nalwaysApply: True\n...\n",
        "---\nglobs: **/*\nalwaysApply: true\n---\n",
        "---\nalwaysApply: true\nglobs: src/**\n---\n",
        "---\nglobs: []\napplyTo: \"\"\npaths: ~\n---\n",
        "---\nglobs: # none\n---\n",
        "---\n# globs: *.ts\n---\n",
        "---\nnested:\n  globs: *.ts\n---\n",
        "---\nnested:\n  inclusion: manual\n---\n",
        "---\ninclusion: always\n---\n",
        "---\napplyTo: **\n---\n",
        "---\napplyTo: \"**\"\n---\n",
        "---\napplyTo: '**/*' # all\n---\n",
        "---\ninclusion: \"always\" # yes\n---\n",
        "---\ninclusion:\n  always\n---\n",
        "---\ninclusion:\n---\n",
        "---\ntitle: it's \"so\": x\ninclusion: always\n---\n",
    ] {
        for text in spellings(text) {
            assert_eq!(condition(&text), Ok(None), "{text:?}");
        }
    }
}

#[test]
fn uncertain_conditions_are_not_guessed() {
    for text in [
        "---",
        "---\n",
        "---\ninclusion: always\nnever closed\n",
        "---\ninclusion: always\n",
        "---yaml\ninclusion: manual\n---\n",
        "--- {inclusion: manual}\n---\n",
        "---\n{inclusion: manual}\n---\n",
        "---\n{\n  inclusion: manual\n}\n---\n",
        "---\n? inclusion\n: manual\n---\n",
        "---\n\"inclu\\x73ion\": manual\n---\n",
        "---\n!!map\ninclusion: manual\n---\n",
        "---\n<<: {inclusion: manual}\n---\n",
        "---\n- inclusion: manual\n---\n",
        "---\n\tinclusion: manual\n---\n",
        "---\ntitle: \"open\ninclusion: manual\n---\n",
        "---\ntitle: 'a' b\n---\n",
        "---\ntitle: [a,\n  b]\n---\n",
        "---\n  title: x\ninclusion: manual\n---\n",
        "---\ninclusion: always\ninclusion: manual\n---\n",
        "---\ninclusion:manual\n---\n",
        "---\ninclusion: [always]\n---\n",
        "---\ninclusion:\n  [always]\n---\n",
        "---\ninclusion:\n  - always\n---\n",
        "---\ntitle: x\n- y\n---\n",
        "---\ntitle: x\u{2028}inclusion: manual\n---\n",
        "---\nSome words.\n---\n",
        "\n---\n{inclusion: manual}\n---\n",
    ] {
        for text in spellings(text) {
            assert_eq!(condition(&text), Err(Doubt::Unclear.to_string()), "{text:?}");
        }
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "(---\n)?([-a-z:#\"'\\[\\]{}|>~, é\t\\\\]{0,9}\n){0,6}(---)?") {
        let _ = condition(&text);
    }

    #[test]
    fn a_condition_is_noticed_whatever_text_surrounds_it(
        before in prop::collection::vec("[a-z]{1,3}:( [-a-z:#\"'\\[\\]{}|>~, ]{0,7})?|[ #-]{1,2}[a-z:\"']{0,6}", 0..4),
        after in "[-a-z:#\"'\\[\\]{}|>~, \n]{0,20}",
    ) {
        let text = format!("---\n{}\ninclusion: manual\n{after}\n---\n", before.join("\n"));
        let shown = condition(&text);
        let never_top = text.lines().take_while(|line| *line != "inclusion: manual").any(|line| line.starts_with(' '));
        prop_assert!(never_top || shown != Ok(None), "{text:?}: {shown:?}");
    }
}

#[test]
fn patterns_of_a_condition_are_separated_by_commas_outside_of_braces() {
    let when = |text: &str| super::condition(&format!("---\n{text}\n---\n")).unwrap().unwrap().when;
    assert_eq!(when("globs: *.{ts,tsx}, web/**"), ["*.{ts,tsx}", "web/**"]);
    assert_eq!(
        when("inclusion: fileMatch\nfileMatchPattern: ['**/*.ts', '**/*.py']"),
        ["**/*.ts", "**/*.py"]
    );
    assert!(when("inclusion: manual\nfileMatchPattern: '*.ts'").is_empty());
    assert!(when("globs: \"{a\"").is_empty() && when("globs: '*.ts, [b'").is_empty());
}
