//! Estimates token counts for a tokenizer that is not public: the counts of `o200k`, times a factor for each
//! piece's script.
//!
//! Counts are in twentieths of a token, so that they add up like tokens and are rounded once, at the end.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use ctx_tokens::{Beginning, Core, Measure, Tokenizer};
use unicode_script::{Script, UnicodeScript};

/// The tokenizer that counts before the factors are applied.
pub(super) const VOCABULARY: Tokenizer = Tokenizer::O200k;

/// How many parts a token is divided into. Factors are whole numbers of parts.
pub const PARTS: u64 = 20;

/// Classes with their own factor: pieces without a letter, pieces whose first letter is in one of these
/// scripts, and those with a letter in any other script. Latin words with a non-ASCII letter form a separate
/// class.
const CLASSES: [(&str, &[Script]); 26] = [
    ("symbols", &[]),
    ("Latin", &[Script::Latin]),
    ("accented", &[]),
    ("Arabic", &[Script::Arabic]),
    ("Armenian", &[Script::Armenian]),
    ("Bengali", &[Script::Bengali]),
    ("Burmese", &[Script::Myanmar]),
    ("Cyrillic", &[Script::Cyrillic]),
    ("Devanagari", &[Script::Devanagari]),
    ("Georgian", &[Script::Georgian]),
    ("Greek", &[Script::Greek]),
    ("Gujarati", &[Script::Gujarati]),
    ("Gurmukhi", &[Script::Gurmukhi]),
    ("Han", &[Script::Han]),
    ("Hangul", &[Script::Hangul]),
    ("Hebrew", &[Script::Hebrew]),
    ("Kana", &[Script::Hiragana, Script::Katakana]),
    ("Kannada", &[Script::Kannada]),
    ("Khmer", &[Script::Khmer]),
    ("Malayalam", &[Script::Malayalam]),
    ("Odia", &[Script::Oriya]),
    ("Sinhala", &[Script::Sinhala]),
    ("Tamil", &[Script::Tamil]),
    ("Telugu", &[Script::Telugu]),
    ("Thai", &[Script::Thai]),
    ("other", &[]),
];
const SYMBOLS: usize = 0;
const LATIN: usize = 1;
const ACCENTED: usize = 2;
const OTHER: usize = CLASSES.len() - 1;

/// The factor of each class, in [`PARTS`]; at least one part, at most 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScriptFactors([u8; CLASSES.len()]);

/// How many `o200k` tokens of each class are in `text`, for measuring factors.
#[must_use]
pub fn tokens_by_script(text: &str) -> [(&'static str, u64); CLASSES.len()] {
    let mut found = CLASSES.map(|(name, _)| (name, 0));
    VOCABULARY.for_each_piece(text, |piece, tokens| {
        found[class_of(&text[piece])].1 += tokens;
        true
    });
    found
}

/// The measured factors of tokenizers, by name, as written by `tools/token-factors`.
static MEASURED: LazyLock<BTreeMap<String, BTreeMap<String, f64>>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("factors.json")).expect("the embedded factors are well-formed")
});

impl ScriptFactors {
    /// The factors measured under a name.
    ///
    /// # Errors
    /// If there are none.
    pub fn measured(name: &str) -> Result<Self, String> {
        MEASURED.get(name).ok_or_else(|| format!("unknown factors '{name}'")).and_then(Self::named)
    }

    /// Factors by the names of their classes, rounded up to a twentieth; a missing script gets the factor of
    /// `other`, and a missing `accented` that of `Latin`.
    ///
    /// # Errors
    /// If a name is not the name of a class, a factor is not from 0.1 to 12, or `symbols`, `Latin` or `other` is
    /// missing.
    pub fn named(factors: &BTreeMap<String, f64>) -> Result<Self, String> {
        for (name, factor) in factors {
            if !CLASSES.iter().any(|(class, _)| class == name) {
                let names: Vec<&str> = CLASSES.iter().map(|(class, _)| *class).collect();
                return Err(format!("unknown script '{name}': use {}", names.join(", ")));
            }
            if !(0.1..=12.0).contains(factor) {
                return Err(format!("a script's factor must be 0.1 to 12, not {factor}"));
            }
        }
        // A decimal such as 1.35 has no exact binary form; the slack keeps it from becoming 1.4.
        let parts = |name: &str| factors.get(name).map(|factor| (factor * PARTS as f64 - 1e-6).ceil() as u8);
        let needed = |name: &str| parts(name).ok_or_else(|| format!("'factors' has no factor for '{name}'"));
        let (latin, other) = (needed("Latin")?, needed("other")?);
        needed("symbols")?;
        let usual = |name| if name == "accented" { latin } else { other };
        Ok(Self(CLASSES.map(|(name, _)| parts(name).unwrap_or_else(|| usual(name)))))
    }

    /// The classes with their factors.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        CLASSES.iter().zip(self.0).map(|((name, _), parts)| (*name, f64::from(parts) / PARTS as f64))
    }

    /// The factor for text in Latin letters, such as most source code.
    #[must_use]
    pub fn latin(&self) -> f64 {
        f64::from(self.0[LATIN]) / PARTS as f64
    }

    /// Each factor in [`PARTS`].
    #[must_use]
    pub fn parts(&self) -> [u8; CLASSES.len()] {
        self.0
    }

    /// The smallest factor, in [`PARTS`].
    #[must_use]
    pub fn least(&self) -> u64 {
        self.0.iter().copied().min().map_or(1, u64::from)
    }

    /// The factor of most tokens in typical text, in [`PARTS`].
    #[must_use]
    pub fn usual(&self) -> u64 {
        u64::from(self.0[LATIN])
    }

    /// The factor of a piece, in [`PARTS`].
    fn of(&self, piece: &str) -> u64 {
        u64::from(self.0[class_of(piece)])
    }

    pub(super) fn count(&self, text: &str) -> u64 {
        self.at_most(text, u64::MAX).unwrap_or(u64::MAX)
    }

    pub(super) fn at_most(&self, text: &str, limit: u64) -> Option<u64> {
        let mut count = 0;
        VOCABULARY.for_each_piece(text, |piece, tokens| {
            count += self.of(&text[piece]) * tokens;
            count <= limit
        });
        (count <= limit).then_some(count)
    }

    pub(super) fn definitely_exceeds(&self, head: &str, limit: u64) -> bool {
        VOCABULARY.definitely_exceeds(head, limit / self.least())
    }

    pub(super) fn measure(&self, text: &str) -> Measure {
        let bytes = text.len() as u64;
        let Some(Range { start, end }) = VOCABULARY.core(text) else {
            return Measure { tokens: self.count(text), bytes, core: None };
        };
        let core = Core { start, end, tokens: self.count(&text[start..end]) };
        let around = self.count(&text[..start]) + self.count(&text[end..]);
        Measure { tokens: core.tokens + around, bytes, core: Some(core) }
    }

    /// A prefix that ends with a piece is split into the same pieces as the text, except for white space at
    /// its end. So the result is counted again, and shortened as long as it exceeds the limit.
    pub(super) fn prefix_within(&self, text: &str, limit: u64) -> usize {
        const TRIES: usize = 16;
        let (mut count, mut ends, mut over) = (0, Vec::new(), None);
        VOCABULARY.for_each_piece(text, |piece, tokens| {
            let each = self.of(&text[piece.clone()]);
            if count + each * tokens > limit {
                over = Some((piece, (limit - count) / each));
                return false;
            }
            count += each * tokens;
            if ends.len() == 2 * TRIES {
                ends.drain(..TRIES);
            }
            ends.push(piece.end);
            true
        });
        let Some((piece, room)) = over else { return text.len() };
        let within = piece.start + VOCABULARY.prefix_within(&text[piece], room);
        std::iter::once(within)
            .chain(ends.into_iter().rev())
            .find(|end| self.at_most(&text[..*end], limit).is_some())
            .unwrap_or(0)
    }

    pub(super) fn line_ends(&self, text: &str, limit: u64) -> Vec<Beginning> {
        /// Line ends within longer pieces are skipped, since each would require counting the piece from its
        /// start.
        const LONGEST_SPLIT: usize = 64;
        let mut ends: Vec<Beginning> = Vec::new();
        let mut count = 0;
        let wants = |ends: &[Beginning], count| {
            ends.last().is_none_or(|end| end.tokens <= limit) && count <= limit.saturating_mul(2)
        };
        let add = |ends: &mut Vec<Beginning>, at, tokens| {
            if wants(ends, 0) {
                // A longer prefix can have one token fewer, in which case it replaces the shorter one.
                ends.truncate(ends.iter().rposition(|end| end.tokens <= tokens).map_or(0, |last| last + 1));
                ends.push(Beginning { at, tokens });
            }
        };
        VOCABULARY.for_each_piece(text, |piece, tokens| {
            let whole = &text[piece.clone()];
            if whole.len() <= LONGEST_SPLIT {
                for newline in memchr::memchr_iter(b'\n', &whole.as_bytes()[..whole.len() - 1]) {
                    let before = self.count(&whole[..=newline]);
                    add(&mut ends, piece.start + newline + 1, count + before);
                }
            }
            count += self.of(whole) * tokens;
            if piece.end == text.len() || whole.ends_with('\n') {
                add(&mut ends, piece.end, count);
            }
            wants(&ends, count)
        });
        ends
    }
}

/// The class of a piece, by its first letter.
fn class_of(piece: &str) -> usize {
    for char in piece.chars() {
        if char.is_ascii() {
            if char.is_ascii_alphabetic() {
                return if piece.is_ascii() { LATIN } else { ACCENTED };
            }
        } else if char.is_alphabetic() {
            match char.script() {
                // Letters shared by several scripts do not count.
                Script::Common | Script::Inherited => {}
                Script::Latin => return ACCENTED,
                script => {
                    let class = CLASSES.iter().position(|(_, scripts)| scripts.contains(&script));
                    return class.unwrap_or(OTHER);
                }
            }
        }
    }
    SYMBOLS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn factors(named: &[(&str, f64)]) -> Result<ScriptFactors, String> {
        ScriptFactors::named(&named.iter().map(|(name, factor)| ((*name).to_owned(), *factor)).collect())
    }

    fn some() -> ScriptFactors {
        factors(&[("symbols", 1.1), ("Latin", 1.35), ("Greek", 0.55), ("Han", 2.0), ("other", 4.6)]).unwrap()
    }

    #[test]
    fn a_piece_belongs_to_the_script_of_its_first_letter() {
        for (piece, class) in [
            (" =>", "symbols"),
            ("123", "symbols"),
            ("...", "symbols"),
            (" fn", "Latin"),
            (".é", "accented"),
            (" naïve", "accented"),
            ("ёлка", "Cyrillic"),
            (" λx", "Greek"),
            ("漢字", "Han"),
            ("ー", "symbols"),
            ("カナ", "Kana"),
            ("ひら", "Kana"),
            (" ᏣᎳᎩ", "other"),
        ] {
            assert_eq!(CLASSES[class_of(piece)].0, class, "{piece:?}");
        }
    }

    #[test]
    fn missing_scripts_get_the_factor_for_other() {
        let some = some();
        let found: BTreeMap<&str, f64> = some.iter().collect();
        assert_eq!((found["Latin"], found["Greek"], found["Thai"]), (1.35, 0.55, 4.6));
        assert_eq!((some.least(), some.usual()), (11, 27));
        assert_eq!(
            factors(&[("Latin", 1.0), ("symbols", 1.0)]).unwrap_err(),
            "'factors' has no factor for 'other'"
        );
        assert!(
            factors(&[("latin", 1.0)]).unwrap_err().starts_with("unknown script 'latin': use symbols, Latin")
        );
        let large = factors(&[("Latin", 12.5), ("symbols", 1.0), ("other", 1.0)]);
        assert_eq!(large.unwrap_err(), "a script's factor must be 0.1 to 12, not 12.5");
    }

    #[test]
    fn each_token_is_weighted_by_the_script_of_its_piece() {
        // One token each; " λόγος" is two.
        assert_eq!(some().count("fn main"), 27 + 27);
        assert_eq!(some().count(" =>"), 22);
        let greek = VOCABULARY.count(" λόγος");
        assert_eq!(some().count(" λόγος fn"), greek * 11 + 27);
    }

    fn texts() -> impl Strategy<Value = String> {
        let parts = prop::sample::select(vec![
            "fn",
            " main",
            "()",
            " {",
            "}\n",
            "\n",
            "\n\n  ",
            "λόγος",
            " мир",
            "漢字",
            "かな",
            "=====",
            "12",
            "\u{301}",
            "ᏣᎳᎩ",
            "é",
            "'s",
            " ",
            "\r\n",
            "\t",
            "ー",
            "//",
        ]);
        prop_oneof![prop::collection::vec(parts, 0..40).prop_map(|parts| parts.concat()), any::<String>()]
    }

    proptest! {
        #[test]
        fn limits_and_measures_agree_with_the_count(text in texts(), limit in 0_u64..900) {
            let some = some();
            let count = some.count(&text);
            prop_assert_eq!(some.at_most(&text, limit), Some(count).filter(|count| *count <= limit));
            prop_assert!(!some.definitely_exceeds(&text, limit) || count > limit);
            let measure = some.measure(&text);
            prop_assert_eq!(measure.tokens, count);
            if let Some(Core { start, end, tokens }) = measure.core {
                prop_assert_eq!(some.count(&text[start..end]), tokens);
                let longer = format!("λ {text}x");
                let around = some.count(&longer[..start + 3]) + some.count(&longer[end + 3..]);
                prop_assert_eq!(some.count(&longer), around + tokens);
            }
        }

        #[test]
        fn beginnings_are_within_the_limit_and_not_much_shorter(text in texts(), limit in 0_u64..900) {
            let some = some();
            let end = some.prefix_within(&text, limit);
            prop_assert!(some.count(&text[..end]) <= limit, "{}", &text[..end]);
            prop_assert!(end == text.len() || some.count(&text[..end]) + 20 * 92 > limit);
        }

        #[test]
        fn line_ends_have_the_count_of_the_text_before_them(text in texts(), limit in 0_u64..900) {
            let some = some();
            let ends = some.line_ends(&text, limit);
            for end in &ends {
                prop_assert_eq!(some.count(&text[..end.at]), end.tokens);
                prop_assert!(end.at == text.len() || text[..end.at].ends_with('\n'));
            }
            prop_assert!(ends.is_sorted_by_key(|end| (end.at, end.tokens)));
        }
    }
}
