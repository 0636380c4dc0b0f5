//! Splits text into words, so that `parseHeader`, `parse_header` and "parsing headers" have words in common.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use crate::stem::stem;

/// A word in lower case and stemmed, stored as a 32-bit hash of its letters to save memory. Words with the
/// same hash count as one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Word(pub u32);

impl Word {
    /// The word with these letters, in lower case and stemmed.
    pub(crate) fn of(letters: &[u8]) -> Self {
        Self::of_hash(hash(letters))
    }

    /// The word with this hash.
    pub(crate) fn of_hash(hash: u64) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "the higher half of the hash is used")]
        Self((hash >> 32) as u32)
    }
}

/// Longer identifiers are data, not words.
const LONGEST: usize = 128;

/// Calls `visit` for each word of `text`, in order: for each identifier, its parts and, if it has several, the
/// whole.
pub(crate) fn each_word(text: &str, visit: &mut impl FnMut(Word)) {
    WordCache::default().each_word(text, visit);
}

/// The words of recently read short identifiers. Most of them occur again in the same file and in the next
/// ones.
#[derive(Debug)]
pub struct WordCache {
    recent: [Recent; 1 << RECENT_BITS],
}

const RECENT_BITS: u32 = 9;

/// An identifier of at most eight bytes without parts, and its word.
#[derive(Debug, Clone, Copy)]
struct Recent {
    letters: u64,
    word: Word,
}

impl Default for WordCache {
    fn default() -> Self {
        Self { recent: [Recent { letters: 0, word: Word(0) }; 1 << RECENT_BITS] }
    }
}

impl WordCache {
    /// Calls `visit` for each word of `text`, as [`each_word`] does.
    pub(crate) fn each_word(&mut self, text: &str, visit: &mut impl FnMut(Word)) {
        self.each_word_among(text, |_| true, &mut |word| word.into_iter().for_each(&mut *visit));
    }

    /// Like [`Self::each_word`], but visits an ASCII word as `None` if `may_be` returns false for its
    /// letters, which takes less time than stemming and hashing them. The letters may be in upper case, and
    /// aren't stemmed.
    pub(crate) fn each_word_among(
        &mut self,
        text: &str,
        may_be: impl Fn(&[u8]) -> bool + Copy,
        visit: &mut impl FnMut(Option<Word>),
    ) {
        let bytes = text.as_bytes();
        let kind_at = |at: usize| bytes.get(at).map(|byte| KINDS[usize::from(*byte)]);
        let mut at = 0;
        loop {
            while kind_at(at) == Some(NONE) {
                at += 1;
            }
            let (start, mut kinds) = (at, NONE);
            while let Some(kind) = kind_at(at).filter(|kind| *kind != NONE) {
                kinds |= kind;
                at += 1;
            }
            match kinds {
                NONE => return,
                LOWER | UPPER | DIGIT if at - start > LONGEST => {}
                LOWER | UPPER | DIGIT if !may_be(&bytes[start..at]) => visit(None),
                LOWER | UPPER | DIGIT => visit(self.simple(&bytes[start..], at - start)),
                _ if kinds & OTHER == 0 => {
                    identifier(&bytes[start..at], may_be, &mut |letters| visit(letters.map(Word::of)));
                }
                _ => each_of_script(&text[start..at], &mut |letters| visit(Some(Word::of(letters)))),
            }
        }
    }

    /// The word of an identifier that has no parts: the first `length` bytes.
    fn simple(&mut self, bytes: &[u8], length: usize) -> Option<Word> {
        let Some(first) = bytes.first_chunk::<8>().filter(|_| length <= 8) else {
            return simple(&bytes[..length]);
        };
        let letters = u64::from_le_bytes(*first) & (u64::MAX >> (64 - 8 * length));
        let slot = letters.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - RECENT_BITS);
        let recent = &mut self.recent[usize::try_from(slot).unwrap_or_default()];
        if recent.letters != letters {
            *recent = Recent { letters, word: simple(&bytes[..length])? };
        }
        Some(recent.word)
    }
}

/// The words of a path: those of the file's name without its extension twice, unless it stands for its directory, and of its
/// last three directories.
pub(crate) fn each_word_of_path(path: &str, visit: &mut impl FnMut(Word)) {
    let mut components = path.rsplit(['/', '\\']).filter(|name| !name.is_empty());
    let name = components.next().unwrap_or_default();
    let stem = match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        Some(_) | None => name,
    };
    each_word(stem, visit);
    // Many files are called so, for their directories.
    if !["mod", "index", "__init__"].contains(&stem) {
        each_word(stem, visit);
    }
    components.take(3).for_each(|directory| each_word(directory, visit));
}

/// The name under which others import a file: its own name, or that of its directory if it stands for the
/// directory.
pub(crate) fn module_name(path: &str) -> Option<&str> {
    let mut components = path.rsplit(['/', '\\']).filter(|name| !name.is_empty());
    let name = components.next()?;
    let stem = name.split('.').find(|part| !part.is_empty())?;
    match stem {
        "mod" | "lib" | "main" | "index" | "__init__" | "init" => components.find(|name| *name != "src"),
        _ => Some(stem),
    }
}

/// The possible roles of a byte in a word, one bit each.
const NONE: u8 = 0;
const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const UNDERSCORE: u8 = 8;
const OTHER: u8 = 16;

const KINDS: [u8; 256] = {
    let mut kinds = [NONE; 256];
    let mut byte = 0_u8;
    loop {
        kinds[byte as usize] = match byte {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE,
            0x80.. => OTHER,
            _ => NONE,
        };
        match byte.checked_add(1) {
            Some(next) => byte = next,
            None => break kinds,
        }
    }
};

/// Calls `visit` with the letters of each word in `text`, in lower case and stemmed.
pub(crate) fn each_spelling(text: &str, visit: &mut impl FnMut(&[u8])) {
    each_of_script(text, visit);
}

/// Calls `visit` for each word of a run with non-ASCII characters, some of which separate words.
fn each_of_script(run: &str, visit: &mut impl FnMut(&[u8])) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let run = of_usual_width(run);
    for part in run.split(|c: char| !is_part(c)).flat_map(by_script) {
        if part.is_ascii() {
            identifier(part.as_bytes(), |_| true, &mut |letters| letters.into_iter().for_each(&mut *visit));
        } else if part.starts_with(is_ideographic) {
            pairs(part, visit);
        } else if part.len() <= LONGEST {
            each_accented(part, visit);
        }
    }
}

/// Calls `visit` for each part of an identifier with letters such as `ö`, and for the whole: `größe_cm`, `HöheMax`.
fn each_accented(identifier: &str, visit: &mut impl FnMut(&[u8])) {
    let mut lower = String::with_capacity(identifier.len());
    let (mut parts, mut start, mut before_is_lower) = (0, 0, false);
    for c in identifier.chars().chain(['_']) {
        if (c == '_' || (before_is_lower && c.is_uppercase())) && start < lower.len() {
            let mut part = lower[start..].to_owned().into_bytes();
            let length = if part.is_ascii() { stem(&mut part) } else { part.len() };
            visit(&part[..length]);
            (parts, start) = (parts + 1, lower.len());
        }
        lower.extend(c.to_lowercase().filter(|c| *c != '_'));
        before_is_lower = c.is_lowercase();
    }
    if parts > 1 {
        visit(lower.as_bytes());
    }
}

/// A run with letters of the usual width: `CSV` for `ＣＳＶ`, `カ` for `ｶ`.
pub(crate) fn of_usual_width(run: &str) -> Cow<'_, str> {
    if !run.contains(has_other_width) {
        return Cow::Borrowed(run);
    }
    let (mut folded, mut one) = (String::with_capacity(run.len()), [0; 4]);
    for c in run.chars() {
        if has_other_width(c) {
            folded.extend(c.encode_utf8(&mut one).nfkc());
        } else {
            folded.push(c);
        }
    }
    Cow::Owned(folded.nfc().collect())
}

fn has_other_width(c: char) -> bool {
    ('\u{ff01}'..='\u{ff9f}').contains(&c)
}

/// The letter that stands for `c` in the other width: `Ｃ` for `C`, `ｶ` for `カ` and `ガ`.
pub(crate) fn in_other_width(c: char) -> Option<char> {
    match std::iter::once(c).nfd().next()? {
        base @ '!'..='~' => char::from_u32(u32::from(base) - u32::from('!') + u32::from('！')),
        base @ '\u{3000}'..='\u{30ff}' => {
            ('\u{ff61}'..='\u{ff9f}').find(|other| std::iter::once(*other).nfkc().eq([base]))
        }
        _ => None,
    }
}

/// Splits text into runs that are entirely ideographic or entirely not: `次に`, `HTTP`, `サーバ`.
pub(crate) fn by_script(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_first = is_ideographic(rest.chars().next()?);
        let end = rest.find(|c| is_ideographic(c) != is_first).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(run)
    })
}

/// Chinese, Japanese and Korean are written without spaces; `々`, `〆` and `〇` count as their letters.
#[must_use]
pub fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

fn pairs(run: &str, visit: &mut impl FnMut(&[u8])) {
    let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    match starts.len() {
        2 => visit(run.as_bytes()),
        _ => starts.windows(3).for_each(|ends| visit(&run.as_bytes()[ends[0]..ends[2]])),
    }
}

/// The word of an identifier that has no parts.
fn simple(bytes: &[u8]) -> Option<Word> {
    let mut lower = [0_u8; LONGEST];
    let lower = lower.get_mut(..bytes.len())?;
    lower.copy_from_slice(bytes);
    lower.make_ascii_lowercase();
    let stem = stem(lower);
    Some(Word::of(&lower[..stem]))
}

/// Calls `visit` with the letters of each word of an ASCII identifier; see [`WordCache::each_word_among`].
fn identifier(bytes: &[u8], may_be: impl Fn(&[u8]) -> bool, visit: &mut impl FnMut(Option<&[u8]>)) {
    if bytes.len() > LONGEST {
        return;
    }
    let mut lower = [0_u8; LONGEST];
    let mut length = 0;
    let mut parts = 0;
    each_range(bytes, &mut |range| {
        let (part, end) = (&bytes[range.clone()], length + range.len());
        let letters = &mut lower[length..end];
        letters.copy_from_slice(part);
        letters.make_ascii_lowercase();
        if may_be(part) {
            let stem = stem(letters);
            visit(Some(&letters[..stem]));
            // The last letter of the stem may differ from the one in the identifier.
            letters[stem - 1] = part[stem - 1].to_ascii_lowercase();
        } else {
            visit(None);
        }
        length = end;
        parts += 1;
    });
    if parts > 1 {
        let whole = &lower[..length];
        visit(may_be(whole).then_some(whole));
    }
}

/// Calls `visit` with each part of each ASCII identifier, in lower case and stemmed.
pub(crate) fn each_part(text: &str, visit: &mut impl FnMut(&str)) {
    for run in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        each_range(run.as_bytes(), &mut |range| {
            let mut letters = run.as_bytes()[range].to_ascii_lowercase();
            let length = stem(&mut letters);
            visit(&String::from_utf8_lossy(&letters[..length]));
        });
    }
}

/// Calls `visit` with the range of each part of an identifier.
fn each_range(bytes: &[u8], visit: &mut impl FnMut(Range<usize>)) {
    let kind_of = |byte: u8| KINDS[usize::from(byte)];
    let mut start = 0;
    let mut part = |range: Range<usize>| {
        if !range.is_empty() {
            visit(range);
        }
    };
    let mut before = NONE;
    for (at, byte) in bytes.iter().enumerate() {
        let kind = kind_of(*byte);
        if kind == UNDERSCORE {
            part(start..at);
            start = at + 1;
        } else if at > start && ends_part(before, kind, bytes.get(at + 1).copied().map_or(NONE, kind_of)) {
            part(start..at);
            start = at;
        }
        before = kind;
    }
    part(start..bytes.len());
}

/// Whether a part of an ASCII identifier, or of one in another script, may begin at an offset.
pub(crate) fn may_begin_part(bytes: &[u8], at: usize) -> bool {
    let kind_at = |at: usize| bytes.get(at).map_or(NONE, |byte| KINDS[usize::from(*byte)]);
    let (before, kind) = (at.checked_sub(1).map_or(NONE, kind_at), kind_at(at));
    match (before, kind) {
        (_, NONE) | (LOWER | UPPER | DIGIT | UNDERSCORE, UNDERSCORE) => false,
        (NONE | UNDERSCORE | OTHER, _) | (_, OTHER) => true,
        _ => ends_part(before, kind, kind_at(at + 1)),
    }
}

/// The longest run around an offset that can be an identifier, without anything before `floor`.
pub(crate) fn run_around(bytes: &[u8], at: usize, floor: usize) -> Range<usize> {
    let is_part = |byte: &u8| KINDS[usize::from(*byte)] != NONE;
    let before = bytes[floor..at].iter().rev().take_while(|byte| is_part(byte)).count();
    let after = bytes[at..].iter().take_while(|byte| is_part(byte)).count();
    at - before..at + after
}

/// Whether a part ends between bytes of the kinds `before` and `kind`, with one of `next` after them: `get|Name`,
/// `HTTP|Server`, `utf|8`, `8|bit`.
fn ends_part(before: u8, kind: u8, next: u8) -> bool {
    match (before, kind) {
        (LOWER, UPPER) => true,
        (UPPER, UPPER) => next == LOWER,
        _ => (before == DIGIT) != (kind == DIGIT),
    }
}

/// A hash of bytes whose low bits can be used alone.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    hash_each(bytes.iter().copied())
}

/// The same as [`hash`]: FNV-1a with a final mix.
pub(crate) fn hash_each(bytes: impl Iterator<Item = u8>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_any_width_are_the_same() {
        let words = |text: &str| {
            let mut words = Vec::new();
            each_word(text, &mut |word| words.push(word));
            words
        };
        assert_eq!(words("ＣＳＶとｶﾞｲﾄﾞ"), words("CSVとガイド"));
        assert_eq!(['C', 'カ', 'ガ', '日'].map(in_other_width), [Some('Ｃ'), Some('ｶ'), Some('ｶ'), None]);
    }

    #[test]
    fn identifiers_with_accents_have_parts() {
        let words = |text: &str| {
            let mut all = Vec::new();
            each_spelling(text, &mut |letters| all.push(String::from_utf8(letters.to_vec()).unwrap()));
            all
        };
        assert_eq!(words("größe_cm HöheMax"), ["größe", "cm", "größecm", "höhe", "max", "höhemax"]);
        assert_eq!(words("straßen_names _ö_ Öl"), ["straßen", "nam", "straßennames", "ö", "öl"]);
    }

    fn words(text: &str) -> Vec<Word> {
        let mut words = Vec::new();
        each_word(text, &mut |word| words.push(word));
        words
    }

    fn named(names: &[&str]) -> Vec<Word> {
        names.iter().map(|name| Word::of(name.as_bytes())).collect()
    }

    #[test]
    fn words_of_an_identifier_are_its_parts_and_the_whole() {
        assert_eq!(
            words("parseHTTPRequests2(x)"),
            named(&["pars", "http", "request", "2", "parsehttprequests2", "x"])
        );
        assert_eq!(words("utf_8"), named(&["utf", "8", "utf8"]));
        assert_eq!(words("_private __init__"), named(&["privat", "init"]));
    }

    #[test]
    fn words_of_snake_and_camel_case_are_equal() {
        assert_eq!(words("get_user_name"), words("getUserName"));
        assert_eq!(words("HTTP_SERVER"), words("HTTPServer"));
    }

    #[test]
    fn words_of_other_scripts_are_lower_case_or_character_pairs() {
        assert_eq!(words("Größe — größe"), named(&["größe", "größe"]));
        assert_eq!(words("検索語"), named(&["検索", "索語"]));
        assert_eq!(words("“quoted”"), named(&["quot"]));
    }

    #[test]
    fn words_of_an_identifier_in_prose_without_blanks_are_separate() {
        assert_eq!(words("次にHTTPサーバ"), named(&["次に", "http", "サー", "ーバ"]));
        assert_eq!(
            words("ここではparse_headerを呼ぶ"),
            [words("ここでは"), words("parse_header"), words("を呼ぶ")].concat()
        );
        assert_eq!(words("人々Größe検索"), named(&["人々", "größe", "検索"]));
    }

    #[test]
    fn data_has_no_words() {
        assert_eq!(words(&"a1".repeat(100)), []);
    }

    #[test]
    fn words_are_the_same_with_a_cache() {
        let text = "Cats cats eightbyt ninebytes8 CATS 12345678 catsandd x cats\n";
        let mut cache = WordCache::default();
        for _ in 0..2 {
            for end in 0..text.len() {
                let mut again = Vec::new();
                cache.each_word(&text[..end], &mut |word| again.push(word));
                assert_eq!(again, words(&text[..end]), "{end}");
            }
        }
    }

    #[test]
    fn words_of_a_path_have_the_name_twice_and_three_directories() {
        let mut words = Vec::new();
        each_word_of_path("a/crates/core/src/budget/trim.rs", &mut |word| words.push(word));
        assert_eq!(words, named(&["trim", "trim", "budget", "src", "cor"]));
    }
}
