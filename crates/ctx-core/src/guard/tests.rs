use proptest::prelude::*;

use super::*;
use crate::entry::{Allowance, Allowed};

fn cleaned(text: &str) -> String {
    clean(text.to_owned(), Allowed::default()).into_string()
}

fn token() -> String {
    ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

#[test]
fn plain_text_is_returned_without_a_copy() {
    let text = "nothing to see\n".to_owned();
    let pointer = text.as_ptr();
    let cleaned = clean(text, Allowed::default());
    assert_eq!(cleaned.as_ptr(), pointer);
    assert_eq!(cleaned.replacements(), []);
}

#[test]
fn secrets_and_hidden_characters_are_both_replaced() {
    let cleaned = clean(format!("a\u{202E}b\n{}\n", token()), Allowed::default());
    assert_eq!(cleaned.as_str(), "a<U+202E>b\n[REDACTED:github-token]\n");
    let hidden = Replaced::Hidden { char: '\u{202E}', count: 1 };
    let secret = Replaced::Secret(secrets::SecretKind("github-token"));
    assert_eq!(
        cleaned.replacements(),
        [Replacement { range: 1..9, replaced: hidden }, Replacement { range: 11..34, replaced: secret }]
    );
}

#[test]
fn hidden_characters_do_not_hide_a_secret() {
    for hidden in ["\u{200B}", "\u{200D}", "\u{AD}", "\u{FE0F}", "\u{E0041}", "\u{1B}", "\u{2060}\u{2060}"] {
        for at in [1, 4, 20, 39] {
            let mut text = format!("x {} y", token());
            text.insert_str(2 + at, hidden);
            assert_eq!(cleaned(&text), "x [REDACTED:github-token] y", "{}", text.escape_unicode());
        }
    }
    let text = format!("\u{200B}{}\u{200B} é", token());
    assert_eq!(cleaned(&text), "<U+200B>[REDACTED:github-token]<U+200B> é");
}

#[test]
fn a_hidden_character_does_not_join_a_password_to_what_follows() {
    let text = "\nAKIA://u:p4ssw0rd@h\u{200B}[REDACTED:aws-access-key-id]@\n";
    let lines = Lines { first: 2, last: Some(2) };
    let allowed = Allowed::default();
    let of_lines = clean_lines(text.to_owned(), lines, allowed).unwrap().text;
    for cleaned in [clean(text.to_owned(), allowed), of_lines] {
        assert!(!cleaned.contains("p4ssw0rd") && cleaned.contains("<U+200B>"), "{cleaned:?}");
        let is_secret = |replaced: &&Replaced| matches!(replaced, Replaced::Secret(_));
        assert_eq!(cleaned.replaced().filter(is_secret).count(), 1);
    }
}

#[test]
fn allowed_contents_are_unchanged() {
    let text = format!("\u{202E}{}", token());
    assert_eq!(clean(text.clone(), Allowed::ALL_CONTENTS).as_str(), text);
    let hidden = Allowed::from_iter([Allowance::Hidden]);
    assert_eq!(clean(text.clone(), hidden).as_str(), "\u{202E}[REDACTED:github-token]");
    let secrets = Allowed::from_iter([Allowance::Secrets]);
    assert_eq!(clean(text.clone(), secrets).as_str(), format!("<U+202E>{}", token()));
    let names = Allowed::from_iter([Allowance::Ignored, Allowance::SecretNames]);
    assert_eq!(clean(text, names).as_str(), "<U+202E>[REDACTED:github-token]");
}

#[test]
fn a_password_that_contains_template_characters_is_redacted() {
    for password in ["w9g4piYceztH0Mar\u{200B}$", "w9g4$iYcez{H0Mar["] {
        let cleaned = cleaned(&format!("machine example.com login me password {password}"));
        assert_eq!(cleaned, "machine example.com login me password [REDACTED:netrc-password]");
    }
    let template = "machine example.com login me password $PASSWORD";
    assert_eq!(cleaned(template), template);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn cleaning_is_idempotent(text in secrets::tests::adversarial()) {
        let once = cleaned(&text);
        prop_assert_eq!(clean(once.clone(), Allowed::default()), once.into());
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
            prop_assert!(clean(text.clone(), allowed).starts_with(head));
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
        let is_secret = |replaced: &&Replaced| matches!(replaced, Replaced::Secret(_));
        assert_eq!(cleaned.replaced().filter(is_secret).count(), 1, "{cleaned:?}");
        assert!(!cleaned.contains(&secret[10..]), "{cleaned:?}");
    }
}
