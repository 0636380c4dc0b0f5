//! The corpora: every secret is put together when the test runs, so that nothing here is one.

mod harmless;
mod secret;

use proptest::prelude::*;

use super::anchors::Group;
use super::*;

fn redacted(text: &str) -> String {
    redact(text).map_or_else(|| text.to_owned(), |redacted| redacted.text)
}

/// `length` characters of `alphabet`, always the same for the same seed, and no placeholder.
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
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

#[test]
fn every_secret_is_replaced_wherever_it_stands() {
    for (kind, secret) in secret::tokens() {
        let marker = kind.marker();
        for (before, after) in [
            ("", ""),
            ("key = \"", "\"\n"),
            ("TOKEN=", "\n"),
            ("see ", ", or ask"),
            ("{\\\"a\\\":\\\"", "\\\"}"),
            ("line\\n", "\\n"),
            ("x%3D", "&y=1"),
            ("\u{1b}[32m", "\u{1b}[0m"),
            ("日本", "語"),
        ] {
            let text = format!("{before}{secret}{after}");
            assert_eq!(redacted(&text), format!("{before}{marker}{after}"), "{kind}: {text}");
        }
    }
}

#[test]
fn secrets_known_by_context_are_replaced() {
    for (kind, text, secret) in secret::in_context() {
        assert!(text.contains(&secret), "{text}");
        assert_eq!(redacted(&text), text.replace(&secret, kind.marker()), "{kind}");
    }
}

#[test]
fn every_kind_is_in_the_corpus() {
    let tokens = secret::tokens().into_iter().map(|(kind, _)| kind);
    let found: Vec<Kind> = tokens.chain(secret::in_context().into_iter().map(|(kind, ..)| kind)).collect();
    for kind in Kind::ALL {
        assert!(found.contains(kind), "{kind}");
    }
}

#[test]
fn harmless_text_stays() {
    for text in harmless::texts() {
        assert_eq!(redacted(&text), text);
    }
}

#[test]
fn findings_name_kind_and_line() {
    let (kind, token) = secret::tokens().swap_remove(0);
    let (key_kind, block) = (Kind::PrivateKey, secret::private_key("RSA PRIVATE KEY", "\n"));
    let found = redact(&format!("\n{token}\n{block}\n{token}")).unwrap().found;
    let line = 4 + block.matches('\n').count();
    assert_eq!(
        found,
        [Finding { kind, line: 2 }, Finding { kind: key_kind, line: 3 }, Finding { kind, line }]
    );
}

#[test]
fn markers_start_no_secret() {
    for kind in Kind::ALL {
        assert!(kind.marker().contains(kind.name()));
        for following in ["", " ", "-"] {
            let text = format!("{}{following}{}", kind.marker(), random(ALNUM, 400, 1));
            assert_eq!(redacted(&text), text);
        }
        assert!(!kind.marker().contains("uthorization"));
    }
}

#[test]
fn no_anchor_is_the_prefix_of_another() {
    for (i, rule) in RULES.iter().enumerate() {
        for (j, other) in RULES.iter().enumerate() {
            assert!(i == j || !other.anchor.starts_with(rule.anchor), "{} {}", rule.anchor, other.anchor);
        }
    }
}

/// A body that must end where a word ends may hold only what words are made of: a neighbour that is
/// replaced later could change the verdict otherwise.
#[test]
fn exact_bodies_are_words() {
    for rule in RULES {
        match rule.shape {
            rules::Shape::Token(body) | rules::Shape::Value(body) if body.min == body.max => {
                for byte in 0..=255_u8 {
                    assert!(!body.alphabet.has(byte) || byte.is_ascii_alphanumeric(), "{}", rule.anchor);
                }
            }
            rules::Shape::Token(body) | rules::Shape::Value(body) => assert!(body.max <= rules::MAX_TOKEN),
            rules::Shape::Custom(_) => {}
        }
    }
}

#[test]
fn every_search_finds_the_same() {
    let all: Vec<usize> = (0..RULES.len()).collect();
    let text =
        harmless::texts().concat() + &secret::in_context().into_iter().map(|c| c.1).collect::<String>();
    let text = text.as_bytes();
    let mut vectorised = Anchors::new(text);
    let mut from = 0;
    let first: Vec<Anchor> = std::iter::from_fn(|| {
        let anchor = vectorised.next(from)?;
        from = anchor.span.start + 1;
        Some(anchor)
    })
    .collect();
    let others = [Group::with_automaton(all.clone()), Group::plain(all)].map(|group| {
        let mut span = Span { start: 0, end: text.len() };
        std::iter::from_fn(|| {
            let anchor = group.find(text, span)?;
            span.start = anchor.span.start + 1;
            Some(anchor)
        })
        .collect::<Vec<_>>()
    });
    assert!(first.len() > 50);
    assert!(others.iter().all(|other| *other == first));
}

#[test]
fn a_private_key_goes_to_its_end_and_no_further() {
    let marker = Kind::PrivateKey.marker();
    for label in
        ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "EC PRIVATE KEY"]
    {
        for line_end in ["\n", "\r\n", "\\n", "\\n\" +\n    \"", "\n    ", "\n# "] {
            let block = secret::private_key(label, line_end);
            assert_eq!(redacted(&format!("a {block} z")), format!("a {marker} z"));
            let (cut, _) = block.split_once("-----END").unwrap();
            let left = redacted(&format!("{cut}\n\nOther words follow.\n"));
            assert!(left.starts_with(marker) && left.len() < 80, "{left}");
            assert!(left.ends_with("Other words follow.\n"), "{left}");
        }
    }
}

#[test]
fn what_is_replaced_is_bounded() {
    let endless =
        format!("{}{}", secret::boundary("BEGIN PRIVATE KEY"), random(BASE64, 4 * blocks::MAX_BLOCK, 1));
    assert!(redacted(&endless).len() >= 3 * blocks::MAX_BLOCK);
    let endless = format!("Bearer {}", random(ALNUM, 4 * rules::MAX_TOKEN, 1));
    assert!(redacted(&endless).len() >= 3 * rules::MAX_TOKEN);
}

#[test]
fn a_token_in_the_user_part_of_an_address_is_found_too() {
    let (kind, token) = secret::tokens().into_iter().find(|(kind, _)| *kind == Kind::GithubToken).unwrap();
    assert_eq!(
        redacted(&format!("https://{token}:{}@host/", "hunter22")),
        format!("https://{}:{}@host/", kind.marker(), Kind::UrlPassword.marker())
    );
}

/// Pieces that rules are made of, in any order.
pub fn adversarial() -> impl Strategy<Value = String> {
    let mut pieces: Vec<String> = RULES.iter().map(|rule| rule.anchor.to_owned()).collect();
    pieces.extend(secret::tokens().into_iter().map(|(_, token)| token));
    pieces.extend(secret::in_context().into_iter().map(|(_, text, _)| text));
    pieces.extend(Kind::ALL.iter().map(|kind| kind.marker().to_owned()));
    let separators =
        "- _ . : / = @ \" ' \\n \n  sk r do bot /bot %3D < > ] [ + x xxxxxxx Authorization: ://u:p4ssw0rd@h";
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn redacting_twice_is_redacting_once(text in adversarial()) {
        let once = redacted(&text);
        prop_assert_eq!(redacted(&once), once);
    }
}
