//! Compares the search for anchors with one that tries every prefix at every position.

use super::super::anchors::BLOCK;
use super::*;

fn found(text: &[u8]) -> Vec<Anchor> {
    let mut anchors = Anchors::new(text);
    let mut from = 0;
    std::iter::from_fn(|| {
        let anchor = anchors.next(from)?;
        from = anchor.range.start + 1;
        Some(anchor)
    })
    .collect()
}

/// The anchors found by trying, at every position, each prefix that begins with the byte there.
fn compared(text: &[u8]) -> Vec<Anchor> {
    let mut by_first: Vec<Vec<(usize, &[u8])>> = vec![Vec::new(); 256];
    for (place, prefix) in prefixes().iter().enumerate() {
        let prefix = prefix.text.as_bytes();
        by_first[usize::from(prefix[0])].push((place, prefix));
    }
    let at = |start: usize| {
        let mut known = by_first[usize::from(text[start])].iter();
        let (prefix, text) = known.find(|(_, prefix)| text[start..].starts_with(prefix))?;
        Some(Anchor { prefix: *prefix, range: start..start + text.len() })
    };
    (0..text.len()).filter_map(at).collect()
}

#[test]
fn prefixes_have_at_least_three_bytes() {
    assert!(prefixes().iter().all(|prefix| prefix.text.len() >= 3));
}

#[test]
fn every_prefix_is_found_wherever_it_ends() {
    for (index, prefix) in prefixes().iter().enumerate() {
        for before in 0..17 {
            let text = format!("{}{}", "~".repeat(before), prefix.text);
            let whole = Anchor { prefix: index, range: before..text.len() };
            assert_eq!(found(text.as_bytes()), compared(text.as_bytes()), "{text}");
            assert_eq!(found(text.as_bytes())[0], whole);
            assert!(!found(&text.as_bytes()[..text.len() - 1]).contains(&whole));
        }
    }
}

#[test]
fn every_prefix_is_found_across_blocks() {
    for prefix in prefixes() {
        for before in BLOCK - prefix.text.len()..=BLOCK {
            let text = format!("{}{}~~", "~".repeat(before), prefix.text);
            assert!(
                found(text.as_bytes()).iter().any(|anchor| anchor.range.start == before),
                "{}",
                prefix.text
            );
        }
    }
}

#[test]
fn anchors_in_all_corpora_are_those_found_by_comparison() {
    let examples = examples().iter().map(template::Example::text).collect::<String>();
    let text = harmless::texts().concat() + &examples;
    assert!(compared(text.as_bytes()).len() > 50);
    assert_eq!(found(text.as_bytes()), compared(text.as_bytes()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn anchors_are_those_found_by_comparison(text in adversarial()) {
        prop_assert_eq!(found(text.as_bytes()), compared(text.as_bytes()));
    }

    #[test]
    fn the_next_anchor_is_found_from_any_position(text in adversarial(), from in 0..200_usize) {
        let later = compared(text.as_bytes()).into_iter().find(|anchor| anchor.range.start >= from);
        prop_assert_eq!(Anchors::new(text.as_bytes()).next(from), later);
    }
}
