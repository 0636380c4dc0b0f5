//! The corpora: every secret is put together when the test runs, so that the source contains none.

mod harmless;
mod instances;
mod keys;
mod placements;
mod search;
mod template;

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::guard::Replacement;
use rules::SecretRule;
use template::{boundary, examples, expand, private_key};

fn redacted(text: &str) -> String {
    redact(text).map_or_else(|| text.to_owned(), CleanText::into_string)
}

/// `length` characters of `alphabet`, always the same for the same seed, and not a placeholder.
fn random(alphabet: &str, length: usize, seed: usize) -> String {
    let alphabet = alphabet.as_bytes();
    let mut state = seed as u64 * 2 + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(alphabet[(state >> 33) as usize % alphabet.len()])
    };
    (0..length).map(|_| next()).collect()
}

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const URL_SAFE: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const HEX: &str = "0123456789abcdef";

#[test]
fn every_row_has_a_unique_name_and_a_source() {
    let names: BTreeSet<&str> = table::rows().map(|row| row.kind.name()).collect();
    assert_eq!(names.len(), table::rows().count());
    for row in table::rows() {
        let is_kebab = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
        assert!(row.kind.name().chars().all(is_kebab), "{}", row.kind);
        assert!(["https://", "RFC "].iter().any(|start| row.source.starts_with(start)), "{}", row.kind);
    }
}

#[test]
fn harmless_texts_of_the_table_are_unchanged() {
    for text in table::rows().flat_map(|row| row.harmless).map(|text| expand(text, 1)) {
        assert_eq!(redacted(&text), text);
    }
}

#[test]
fn harmless_text_is_unchanged() {
    for text in harmless::texts() {
        assert_eq!(redacted(&text), text);
    }
}

#[test]
fn replacements_are_where_the_secrets_were() {
    let (kind, token) = (SecretKind("aws-access-key-id"), expand("AKIA{upper 16}", 1));
    let (key_kind, block) = (SecretKind::PRIVATE_KEY, private_key("RSA PRIVATE KEY", "\n"));
    let text = CleanText::from(format!("\n{token}\n{block}\n{token}"));
    let marked = |mark_each_line| {
        let redacted = redact_marking(&text, mark_each_line).unwrap();
        let marked = |replacement: &Replacement| {
            (redacted[replacement.range.clone()].to_owned(), replacement.replaced)
        };
        redacted.replacements().iter().map(marked).collect::<Vec<_>>()
    };
    let found = |text: &str, kind| (text.to_owned(), Replaced::Secret(kind));
    let (token, key) = (found(&kind.marker(), kind), key_kind.marker());
    assert_eq!(marked(false), [token.clone(), found(&key, key_kind), token.clone()]);
    let lines = vec![key; block.lines().count()].join("\n");
    assert_eq!(marked(true), [token.clone(), found(&lines, key_kind), token]);
}

#[test]
fn markers_do_not_start_a_secret() {
    for kind in table::rows().map(|row| row.kind) {
        assert!(kind.marker().contains(kind.name()));
        for following in ["", " ", "-"] {
            let text = format!("{}{following}{}", kind.marker(), random(ALNUM, 400, 1));
            assert_eq!(redacted(&text), text);
        }
        assert!(!kind.marker().contains("uthorization"));
    }
}

#[test]
fn no_prefix_is_the_start_of_another() {
    for (i, prefix) in prefixes().iter().enumerate() {
        for (j, other) in prefixes().iter().enumerate() {
            assert!(i == j || !other.text.starts_with(prefix.text), "{} {}", prefix.text, other.text);
        }
    }
}

#[test]
fn every_rule_has_a_prefix_and_longer_anchors_come_first() {
    assert_eq!(prefixes().iter().map(|prefix| prefix.rules.len()).sum::<usize>(), table::rules().count());
    for prefix in prefixes() {
        assert!(prefix.rules.iter().all(|rule| rule.anchor.starts_with(prefix.text)), "{}", prefix.text);
        for (i, rule) in prefix.rules.iter().enumerate() {
            let is_longer =
                |later: &SecretRule| later.anchor != rule.anchor && later.anchor.starts_with(rule.anchor);
            assert!(!prefix.rules[i..].iter().any(is_longer), "{}", rule.anchor);
        }
    }
}

/// A body that must end at the end of a word may contain only word characters: otherwise, replacing a
/// neighbour later could change the verdict.
#[test]
fn exact_bodies_contain_only_word_characters() {
    for rule in table::rules() {
        match *rule.shape {
            rules::Shape::Token(body)
            | rules::Shape::Lone(body)
            | rules::Shape::Value(body)
            | rules::Shape::Assigned(body)
                if body.exact =>
            {
                for byte in 0..=255_u8 {
                    assert!(!body.alphabet.has(byte) || byte.is_ascii_alphanumeric(), "{}", rule.anchor);
                }
            }
            rules::Shape::Token(_)
            | rules::Shape::Lone(_)
            | rules::Shape::Value(_)
            | rules::Shape::Assigned(_) => {}
            rules::Shape::Custom(_) | rules::Shape::Encoded => {}
        }
    }
}

#[test]
fn words_that_encode_tokens_in_base64_are_replaced_completely() {
    for row in table::rows() {
        let encoded =
            |rule: &SecretRule| rule.kind == row.kind && matches!(rule.shape, rules::Shape::Encoded);
        for rule in table::rules().filter(encoded) {
            let (kind, marker) = (row.kind, row.kind.marker());
            let tokens = examples().into_iter().filter(|example| example.stands_alone());
            let words = tokens.map(|example| template::base64(example.secret.as_bytes()));
            let words: Vec<String> = words.filter(|word| word.starts_with(rule.anchor)).collect();
            assert!(!words.is_empty(), "{kind} {}", rule.anchor);
            for word in words {
                for (before, after) in
                    [("", ""), ("  token: ", "\n"), ("{\"k\":\"", "\"}"), ("a\n+", "\n"), ("x\\n", "\\n")]
                {
                    let found = redact(&format!("{before}{word}{after}")).unwrap();
                    let replaced = found.strip_prefix(before).unwrap().strip_suffix(after).unwrap();
                    assert!(replaced.starts_with("[REDACTED:") && replaced.ends_with(']'), "{found:?}");
                    let is_its_kind = replaced == marker;
                    assert!(is_its_kind || words_share_an_anchor(rule.anchor), "{found:?}");
                }
            }
        }
    }
    let within = format!("{}{}", random(BASE64, 40, 3), "/Z2hwXzEyMw");
    assert_eq!(redacted(&within), within);
}

/// Whether tokens of several kinds begin with this anchor.
fn words_share_an_anchor(anchor: &str) -> bool {
    ["c2st", "c2tf"].contains(&anchor)
}

#[test]
fn long_secrets_are_replaced_completely() {
    for secret in ["Bearer {alnum 40000}", "ghp_{alnum 9000}", "postgres://app:{alnum 9000}@db/x"] {
        assert!(redacted(&expand(secret, 1)).len() < 60, "{secret}");
    }
}

#[test]
fn a_token_in_the_user_part_of_a_url_is_found() {
    let (kind, token) = (SecretKind("github-token"), expand("ghp_{alnum 36}", 1));
    assert_eq!(
        redacted(&format!("https://{token}:{}@host/", "hunter22")),
        format!("https://{}:{}@host/", kind.marker(), SecretKind("url-password").marker())
    );
}

#[test]
fn an_old_vault_token_is_found_where_vault_prints_or_takes_it() {
    for before in ["Initial Root Token: ", "$ vault login ", "VAULT_DEV_ROOT_TOKEN_ID="] {
        let text = expand(&format!("{before}s.{{alnum 24}}"), 1);
        assert_eq!(redacted(&text), format!("{before}[REDACTED:vault-token]"), "{text}");
    }
    let harmless = expand("Root Token: see vault login help, or s.{alnum 24}", 1);
    assert_eq!(redacted(&harmless), harmless);
}

/// Text made from the elements of rules, in any order.
pub fn adversarial() -> impl Strategy<Value = String> {
    let mut pieces: Vec<String> = table::rules().map(|rule| rule.anchor.to_owned()).collect();
    pieces.extend(examples().iter().map(template::Example::text));
    pieces.extend(table::rows().map(|row| row.kind.marker()));
    let separators = "- _ . : / = @ -----END # %40 %3A &quot; \" ' \\n \n  sk r do bot /bot %3D < > ] [ + x xxxxxxx Authorization: ://u:p4ssw0rd@h";
    let hidden =
        ["\u{200B}", "\u{1B}", "\u{FE0F}", "\u{200D}", "\u{AD}", "😊", "é", "1\u{FE0F}\u{20E3}", " ", "\n"];
    let separators: Vec<String> = separators.split(' ').chain(hidden).map(str::to_owned).collect();
    let piece = prop_oneof![
        3 => prop::sample::select(pieces),
        3 => prop::sample::select(separators),
        1 => (1..60_usize, any::<prop::sample::Index>()).prop_map(|(n, seed)| random(URL_SAFE, n, seed.index(1000))),
        1 => (1..60_usize, any::<prop::sample::Index>()).prop_map(|(n, seed)| random(ALNUM, n, seed.index(1000))),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

#[test]
fn a_secret_that_ends_at_another_one_is_redacted_too() {
    let text = "Authorization: Basic wHV5+o0EM9ev5aMbLeSoD+WVCF_API_lkObWQpE26mGQM.atlasv1.\
                TqAnC4n-WT_AawNTw2OgkbbYI3J6kdlqZb3r4DghSzVo3BcYrkZwYlQ67tQ6c9QNJMRAuthorization:";
    let twice = "Authorization: Basic [REDACTED:http-credentials][REDACTED:terraform-token]:";
    assert_eq!(redacted(text), twice);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn redacting_is_idempotent(text in adversarial()) {
        let once = redacted(&text);
        prop_assert_eq!(redacted(&once), once);
    }
}
