//! The language of a question, as far as it tells which of its words say nothing about the subject.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::sync::OnceLock;

use crate::word::{Word, each_word};

/// The function words of each language: see `build.rs`.
const FUNCTION_WORDS: &str = include_str!(concat!(env!("OUT_DIR"), "/function_words.txt"));

/// A question is taken for another language if it has at least this many of its function words, and fewer of English
/// ones.
const FEWEST: usize = 2;

/// What says nothing in the language of a question.
#[derive(Debug, Default)]
pub(crate) struct FunctionWords {
    /// In languages that put blanks between words.
    pub(crate) words: BTreeSet<Word>,
    /// In others, the longest ones first.
    runs: Vec<&'static str>,
}

impl FunctionWords {
    /// Those of the language that `text` is written in; none for English.
    pub(crate) fn of(text: &str) -> Self {
        if let Some(code) = unspaced(text) {
            return Self { runs: runs(code), words: BTreeSet::new() };
        }
        let said: BTreeSet<String> = text
            .split(|c: char| !c.is_alphabetic())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        if said.len() < FEWEST {
            return Self::default();
        }
        let known = |list: &str| list.split(' ').filter(|word| said.contains(*word)).count();
        let spaced = languages().filter(|(code, _)| !UNSPACED.contains(code));
        let best =
            spaced.map(|(code, list)| (known(list), code, list)).rev().max_by_key(|(count, ..)| *count);
        let mut words = BTreeSet::new();
        if let Some((count, code, list)) = best
            && count >= FEWEST
            && code != "en"
        {
            each_word(list, &mut |word| _ = words.insert(word));
        }
        Self { words, runs: Vec::new() }
    }

    /// A text without the runs of letters that say nothing, unless nothing is left.
    pub(crate) fn without_runs<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.runs.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut kept = text.to_owned();
        for run in &self.runs {
            if kept.contains(run) {
                kept = kept.replace(run, " ");
            }
        }
        if kept.chars().any(char::is_alphanumeric) { Cow::Owned(kept) } else { Cow::Borrowed(text) }
    }
}

/// The languages with their function words, English first.
fn languages() -> impl DoubleEndedIterator<Item = (&'static str, &'static str)> {
    FUNCTION_WORDS.lines().filter_map(|line| line.split_once(' '))
}

/// Whether a word is a function word of any language that puts blanks between words.
pub(crate) fn is_function_word(word: &str) -> bool {
    static ALL: OnceLock<HashSet<&'static str>> = OnceLock::new();
    let spaced = || languages().filter(|(code, _)| !UNSPACED.contains(code));
    let all = ALL.get_or_init(|| spaced().flat_map(|(_, list)| list.split(' ')).collect());
    all.contains(&*word.to_lowercase())
}

/// The languages that have no blanks between words.
const UNSPACED: [&str; 4] = ["ja", "ko", "th", "zh"];

/// The function words of such a language, the longest first. Single letters are parts of other words, and so are most
/// words with Han letters in Japanese.
fn runs(code: &str) -> Vec<&'static str> {
    let is_kana = |c: char| matches!(c, '\u{3040}'..='\u{309f}');
    let is_run = |word: &&str| word.chars().nth(1).is_some() && (code != "ja" || word.chars().all(is_kana));
    let words = languages().filter(|(other, _)| *other == code).flat_map(|(_, list)| list.split(' '));
    let mut runs: Vec<&str> = words.filter(is_run).collect();
    runs.sort_by_key(|run| Reverse(run.len()));
    runs
}

/// The language of a text that has no blanks between words.
fn unspaced(text: &str) -> Option<&'static str> {
    let has = |first: char, last: char| text.chars().any(|c| (first..=last).contains(&c));
    if has('\u{3040}', '\u{30ff}') {
        Some("ja")
    } else if has('\u{ac00}', '\u{d7af}') {
        Some("ko")
    } else if has('\u{4e00}', '\u{9fff}') {
        Some("zh")
    } else if has('\u{0e00}', '\u{0e7f}') {
        Some("th")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str) -> String {
        let function_words = FunctionWords::of(text);
        let says_something = |word: &&str| {
            let mut all = true;
            each_word(word, &mut |word| all &= !function_words.words.contains(&word));
            all
        };
        let without = function_words.without_runs(text).into_owned();
        let words = without.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.filter(says_something).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn function_words_of_other_languages_are_no_words_to_look_for() {
        for (question, subject) in [
            ("Wo wird die Datei gespeichert, und warum ist das so?", "Datei gespeichert"),
            ("¿Dónde se guarda la configuración de los usuarios?", "guarda configuración usuarios"),
            ("Où est la limite de la profondeur, et pourquoi ?", "limite profondeur"),
            ("Где это хранится и почему?", "хранится"),
            ("Gdzie jest plik, i dlaczego tak?", "plik"),
            ("Dov'è il file, e perché non si apre?", "file apre"),
            ("Waar is het bestand, en waarom niet?", "bestand"),
        ] {
            assert_eq!(left(question), subject);
        }
        assert!(!left("为什么容器可以删除文件").contains("为什么"));
        assert!(left("为什么容器可以删除文件").contains("容器"));
        assert!(!left("어떤 순서로 실행되나요").is_empty());
    }

    #[test]
    fn english_questions_keep_their_words() {
        for question in ["die on error in la la land", "does an alias die?", "parse_die", "it was so"] {
            assert_eq!(FunctionWords::of(question).words, BTreeSet::new(), "{question}");
        }
    }
}
