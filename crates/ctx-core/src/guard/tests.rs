use proptest::prelude::*;

use super::*;
use crate::entry::{Allowance, Allowed};

fn cleaned(text: &str) -> Cleaned {
    clean(text.to_owned(), Allowed::default())
}

fn token() -> String {
    ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

#[test]
fn plain_text_is_returned_without_a_copy() {
    let text = "nothing to see\n".to_owned();
    let pointer = text.as_ptr();
    let cleaned = clean(text, Allowed::default());
    assert_eq!(cleaned.text.as_ptr(), pointer);
    assert!(cleaned.found.is_empty());
}

#[test]
fn secrets_and_hidden_characters_are_both_replaced() {
    let cleaned = cleaned(&format!("a\u{202E}b\n{}\n", token()));
    assert_eq!(cleaned.text, "a<U+202E>b\n[REDACTED:github-token]\n");
    assert_eq!(
        cleaned.found.secrets,
        [SecretFinding { kind: secrets::SecretKind("github-token"), line: 2, last_line: 2 }]
    );
    assert_eq!(cleaned.found.hidden.len(), 1);
}

#[test]
fn hidden_characters_do_not_hide_a_secret() {
    for hidden in ["\u{200B}", "\u{200D}", "\u{AD}", "\u{FE0F}", "\u{E0041}", "\u{1B}", "\u{2060}\u{2060}"] {
        for at in [1, 4, 20, 39] {
            let mut text = format!("x {} y", token());
            text.insert_str(2 + at, hidden);
            assert_eq!(cleaned(&text).text, "x [REDACTED:github-token] y", "{}", text.escape_unicode());
        }
    }
    let text = format!("\u{200B}{}\u{200B} é", token());
    assert_eq!(cleaned(&text).text, "<U+200B>[REDACTED:github-token]<U+200B> é");
}

#[test]
fn a_hidden_character_does_not_join_a_password_to_what_follows() {
    let text = "\nAKIA://u:p4ssw0rd@h\u{200B}[REDACTED:aws-access-key-id]@\n";
    let lines = Lines { first: 2, last: Some(2) };
    for cleaned in [cleaned(text), clean_lines(text.to_owned(), lines, Allowed::default()).unwrap()] {
        assert!(!cleaned.text.contains("p4ssw0rd") && cleaned.text.contains("<U+200B>"), "{}", cleaned.text);
        assert_eq!(cleaned.found.secrets.iter().map(|secret| secret.line).collect::<Vec<_>>(), [2]);
    }
}

#[test]
fn allowed_contents_are_unchanged() {
    let text = format!("\u{202E}{}", token());
    assert_eq!(clean(text.clone(), Allowed::ALL_CONTENTS).text, text);
    let hidden = Allowed::from_iter([Allowance::Hidden]);
    assert_eq!(clean(text.clone(), hidden).text, "\u{202E}[REDACTED:github-token]");
    let secrets = Allowed::from_iter([Allowance::Secrets]);
    assert_eq!(clean(text.clone(), secrets).text, format!("<U+202E>{}", token()));
    let names = Allowed::from_iter([Allowance::Ignored, Allowance::SecretNames]);
    assert_eq!(clean(text, names).text, "<U+202E>[REDACTED:github-token]");
}

#[test]
fn a_password_that_contains_template_characters_is_redacted() {
    for password in ["w9g4piYceztH0Mar\u{200B}$", "w9g4$iYcez{H0Mar["] {
        let cleaned = cleaned(&format!("machine example.com login me password {password}"));
        assert_eq!(cleaned.text, "machine example.com login me password [REDACTED:netrc-password]");
    }
    let template = "machine example.com login me password $PASSWORD";
    assert_eq!(cleaned(template).text, template);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn cleaning_is_idempotent(text in secrets::tests::adversarial()) {
        let once = cleaned(&text);
        let twice = cleaned(&once.text);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert!(twice.found.is_empty());
    }

    #[test]
    fn cleaned_text_begins_with_its_untouched_head(
        parts in proptest::collection::vec(secrets::tests::adversarial(), 1..4),
        most in 0..300_usize,
        allowed in proptest::sample::subsequence(&Allowance::ALL, 0..=Allowance::ALL.len()),
    ) {
        let (text, allowed) = (parts.join("\n"), Allowed::from_iter(allowed));
        if let Some(head) = head(&text, most).filter(|head| is_untouched(head, allowed)) {
            prop_assert!(head.len() <= most && head.ends_with('\n') && text.starts_with(head));
            prop_assert!(clean(text.clone(), allowed).text.starts_with(head));
        }
    }
}

#[test]
fn secret_that_contains_terminal_colours_is_replaced() {
    let secret = "16C7e42F292c6912E7710c838347Ae178B4a";
    for text in [
        format!("tok=\u{1b}[01;31m\u{1b}[Kghp_\u{1b}[m\u{1b}[K{secret}\n"),
        format!("ghp_{}\u{9b}31m{}\n", &secret[..9], &secret[9..]),
    ] {
        let cleaned = clean(text, Allowed::default());
        assert_eq!(cleaned.found.secrets.len(), 1, "{}", cleaned.text);
        assert!(!cleaned.text.contains(&secret[10..]), "{}", cleaned.text);
    }
}
