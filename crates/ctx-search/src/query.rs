//! A query: its words and the names that it writes as identifiers.

use crate::word::{Word, by_script, each_part, each_spelling, each_word, hash, module_name};

/// A query, read once for a whole collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The words, ascending, each once.
    words: Vec<Asked>,
    /// The hashes of the names that are written as identifiers, ascending.
    names: Vec<u64>,
    /// Its words as they occur in file names: parts of identifiers, in lower case and stemmed, each once.
    parts: Vec<String>,
    /// The words as spelled, in lower case and stemmed, each once.
    spellings: Vec<String>,
    /// A bit for each word, to quickly rule out words that aren't in the query.
    filter: [u64; 16],
    /// For each first letter of a word, a bit for each second letter. Letters are numbered by their five lowest
    /// bits, which are the same in upper and lower case.
    beginnings: [u32; 32],
}

/// A word of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Asked {
    pub(crate) word: Word,
    pub(crate) count: u32,
}

/// Words of questions that don't say anything about the subject, but are rare enough in code to weigh a lot there.
const STOP: &str = "a about all also an and any are as at be been being but by can could did do does doing done for from \
    get give had has have how i if in into is it its just let like make me my need of on or our out please should show so \
    some such tell than that the their them then there these they this those to us use used using want was we were what \
    when where which who why will with would you your explain find";

/// Words of questions about a collection as a whole, no matter which files contain them. The single letters
/// are the remains of `what's` and `don't`.
const WHOLE: &str = "project repository repo code codebase crate package library app application program software system \
    tool overview architecture summary summarize summarise describe description structure organized organised layout \
    purpose goal idea introduction intro generally basically work whole entire everything thing actually really exactly \
    understand help paragraph sentence brief briefly shortly quickly more much many here s t d m re ll ve don doesn isn \
    whats hows pls plz thanks hello hi";

/// Words that are about the whole collection if they all occur.
const WHOLE_TOGETHER: [&str; 10] = [
    "high level",
    "source code",
    "few words",
    "one paragraph",
    "single paragraph",
    "one sentence",
    "short summary",
    "quick overview",
    "quick summary",
    "general overview",
];

/// The fewest letters that identify the beginning of a word.
const SHORTEST_BEGINNING: usize = 3;

/// Stems of words in questions about versions, and about licences.
const ABOUT_VERSIONS: [&str; 4] = ["version", "releas", "changelog", "news"];
const ABOUT_LICENCES: [&str; 6] = ["licens", "licenc", "copyright", "notic", "author", "maintainer"];

impl Query {
    /// Reads a query: a question, a few words, an identifier.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut stop = words_of(STOP);
        stop.sort_unstable();
        let all = words_of(text);
        let telling: Vec<Word> =
            all.iter().copied().filter(|word| stop.binary_search(word).is_err()).collect();
        let mut words = if telling.is_empty() { all } else { telling };
        words.sort_unstable();
        let counted = words.chunk_by(|a, b| a == b);
        let count = |same: &[Word]| u32::try_from(same.len()).unwrap_or(u32::MAX);
        let words: Vec<Asked> = counted.map(|same| Asked { word: same[0], count: count(same) }).collect();
        let mut names: Vec<u64> = identifiers(text).iter().map(|name| hash(name.as_bytes())).collect();
        names.sort_unstable();
        names.dedup();
        let mut filter = [0; 16];
        let mut spellings = Vec::new();
        words.iter().for_each(|asked| filter[slot(asked.word)] |= bit(asked.word));
        let (parts, beginnings) = (Vec::new(), [0; 32]);
        let mut query = Self { words, names, parts, spellings: Vec::new(), filter, beginnings };
        query.parts =
            parts_of(text).into_iter().filter(|part| query.asks_for(Word::of(part.as_bytes()))).collect();
        query.parts.sort_unstable();
        query.parts.dedup();
        each_spelling(text, &mut |letters| {
            if query.asks_for(Word::of(letters)) {
                spellings.push(String::from_utf8_lossy(letters).into_owned());
            }
        });
        spellings.sort_unstable();
        spellings.dedup();
        for word in &spellings {
            let (first, second) = beginning(word.as_bytes());
            query.beginnings[first] |= second.map_or(u32::MAX, |second| 1 << second);
        }
        Self { spellings, ..query }
    }

    /// The weight of each word of the query: a word that occurs sixteen times counts four times as much as
    /// one that occurs once.
    pub(crate) fn weights(&self) -> impl Iterator<Item = f64> + '_ {
        self.words.iter().map(|asked| f64::from(asked.count).sqrt())
    }

    /// The share of the query's words that are in the name of a file or of its directory, from 0 to 1. A word
    /// also counts if one of the two is a prefix of the other, as with `comp` and `completion`.
    pub(crate) fn cover(&self, path: &str) -> f64 {
        let mut components = path.rsplit(['/', '\\']).filter(|name| !name.is_empty());
        let name = components.next().unwrap_or_default();
        let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or_default();
        let named: Vec<String> =
            [Some(stem), components.next()].into_iter().flatten().flat_map(parts_of).collect();
        share_in(&self.parts, &named)
    }

    /// The share of the words of a file's name that the query contains, from 0 to 1. A file that stands for
    /// its directory, such as `mod.rs`, has the name of the directory.
    pub(crate) fn said(&self, path: &str) -> f64 {
        share_in(&module_name(path).map(parts_of).unwrap_or_default(), &self.parts)
    }

    /// The share, in thousandths, of the words of a declared name that the query contains; `None` if it
    /// contains fewer than two, since many names have one word in common with it.
    pub(crate) fn thousandths_of(&self, name: &str) -> Option<u16> {
        let (mut words, mut said) = (0_u32, 0_u32);
        each_part(name, &mut |part| {
            words += 1;
            said += u32::from(self.asks_for(Word::of(part.as_bytes())));
        });
        u16::try_from(1_000 * said / words.max(1)).ok().filter(|_| said > 1)
    }

    /// Whether the query asks about changes from version to version.
    pub(crate) fn is_about_versions(&self) -> bool {
        self.has_one_of(&ABOUT_VERSIONS)
    }

    /// Whether the query asks about licences or authors.
    pub(crate) fn is_about_licences(&self) -> bool {
        self.has_one_of(&ABOUT_LICENCES)
    }

    fn has_one_of(&self, stems: &[&str]) -> bool {
        self.parts.iter().any(|part| stems.contains(&part.as_str()))
    }

    /// The query in `text`; `None` if it contains nothing to look for.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        Some(Self::new(text)).filter(|query| !query.is_empty())
    }

    /// The query without the words of questions about the whole collection, such as "what does this project
    /// do?"; `None` if nothing else is left.
    #[must_use]
    pub fn telling(&self) -> Option<Self> {
        let asks_for_all = |words: &Vec<Word>| words.iter().all(|word| self.asks_for(*word));
        let together = WHOLE_TOGETHER.iter().map(|words| words_of(words)).filter(asks_for_all).flatten();
        let whole: Vec<Word> = [STOP, WHOLE].into_iter().flat_map(words_of).chain(together).collect();
        let mut telling = self.clone();
        telling.words.retain(|asked| !whole.contains(&asked.word));
        let is_left = |part: &&String| telling.asks_for(Word::of(part.as_bytes()));
        telling.parts = self.parts.iter().filter(is_left).cloned().collect();
        (!telling.words.is_empty() || !telling.names.is_empty()).then_some(telling)
    }

    /// Whether a name contains a word of the query.
    pub(crate) fn is_in(&self, name: &str) -> bool {
        parts_of(name).iter().any(|part| self.parts.contains(part))
    }

    /// Whether the query contains nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(crate) fn words(&self) -> &[Asked] {
        &self.words
    }

    /// Whether the query writes the name with this hash as an identifier.
    #[must_use]
    pub fn names_it(&self, name: u64) -> bool {
        self.names.binary_search(&name).is_ok()
    }

    /// Whether the query writes this name as an identifier.
    #[must_use]
    pub fn writes(&self, name: &str) -> bool {
        self.names_it(hash(name.as_bytes()))
    }

    pub(crate) fn names(&self) -> &[u64] {
        &self.names
    }

    /// The words as spelled, in lower case and stemmed.
    pub(crate) fn spellings(&self) -> &[String] {
        &self.spellings
    }

    /// Whether these ASCII letters, in any case and not stemmed, may be a word of the query.
    pub(crate) fn may_ask_for(&self, letters: &[u8]) -> bool {
        // A stem has the first letters of its word.
        let (first, second) = beginning(letters);
        self.beginnings[first] >> second.unwrap_or_default() & 1 == 1
    }

    pub(crate) fn asks_for(&self, word: Word) -> bool {
        self.place_of(word).is_some()
    }

    /// The index of a word among the words of the query.
    pub(crate) fn place_of(&self, word: Word) -> Option<usize> {
        let may_be = self.filter[slot(word)] & bit(word) != 0;
        may_be.then(|| self.words.binary_search_by_key(&word, |asked| asked.word).ok())?
    }
}

/// The share of the words that are among `others`. A word also counts if it is a prefix of one of them, or one of
/// them is a prefix of it.
fn share_in(words: &[String], others: &[String]) -> f64 {
    let begins = |whole: &str, part: &str| part.len() >= SHORTEST_BEGINNING && whole.starts_with(part);
    let is_there =
        |word: &&String| others.iter().any(|one| one == *word || begins(word, one) || begins(one, word));
    #[allow(clippy::cast_precision_loss, reason = "a count of words")]
    let exact = |count: usize| count as f64;
    exact(words.iter().filter(is_there).count()) / exact(words.len().max(1))
}

/// Parts of identifiers, in lower case and stemmed.
fn parts_of(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    each_part(text, &mut |part| parts.push(part.to_owned()));
    parts
}

fn words_of(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    each_word(text, &mut |word| words.push(word));
    words
}

/// The numbers of the first two letters of a word, from 0 to 31.
fn beginning(letters: &[u8]) -> (usize, Option<u32>) {
    let number = |letter: &u8| letter & 31;
    (usize::from(letters.first().map_or(0, number)), letters.get(1).map(number).map(u32::from))
}

fn slot(word: Word) -> usize {
    usize::try_from((word.0 >> 6) & 15).unwrap_or_default()
}

fn bit(word: Word) -> u64 {
    1 << (word.0 & 63)
}

/// The names that the query writes as identifiers: with a change of case, `_`, a digit, `::` or backticks, or as
/// the whole query.
fn identifiers(text: &str) -> Vec<&str> {
    let text = text.trim();
    if is_name(text) {
        return names_of(text).collect();
    }
    let quoted = quoted(text).flat_map(names_of);
    let is_path_part = |name: &str| {
        let at = name.as_ptr() as usize - text.as_ptr() as usize;
        text[..at].ends_with("::") || text[at + name.len()..].starts_with("::")
    };
    let evident = names_of(text).filter(|name| looks_like_identifier(name) || is_path_part(name));
    quoted.chain(evident).collect()
}

/// The text between pairs of backticks. A backtick used as an apostrophe, as in "don`t", doesn't open a pair.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    let mut ticks = text.match_indices('`').map(|(at, _)| at);
    std::iter::from_fn(move || {
        let is_apostrophe =
            |at: usize| text[..at].ends_with(is_letter) && text[at + 1..].starts_with(is_letter);
        let open = ticks.find(|at| !is_apostrophe(*at))?;
        ticks.next().map(|close| &text[open + 1..close])
    })
}

/// The names in `text`. In languages written without spaces, a run such as `parse_headerはどこ` yields the whole
/// run and its part in each script.
fn names_of(text: &str) -> impl Iterator<Item = &str> {
    let with_parts = |run| by_script(run).filter(move |part| *part != run).chain([run]);
    text.split(|c: char| !c.is_alphanumeric() && c != '_').flat_map(with_parts).filter(|name| is_name(name))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a word is written in a way that only identifiers are. `Where` and `HTTP` aren't.
fn looks_like_identifier(name: &str) -> bool {
    let mut pairs = name.as_bytes().windows(2);
    let has_hump = pairs.any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    has_hump || name.contains('_') || name.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether `text` contains a word of `query`, so that a listing can emphasise the lines that match.
#[must_use]
pub fn shares_word(text: &str, query: &Query) -> bool {
    let mut found = false;
    each_word(text, &mut |word| found |= query.asks_for(word));
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::word::WordCache;

    #[test]
    fn identifiers_of_a_question_are_words_written_like_code() {
        assert_eq!(
            identifiers(
                "Where does `fit` call parseHeader, utf8 or budget::trim in HTTP code, and read_all?"
            ),
            ["fit", "parseHeader", "utf8", "budget", "trim", "read_all"]
        );
        assert_eq!(identifiers("  budget "), ["budget"]);
        assert_eq!(identifiers("the budget"), Vec::<&str>::new());
    }

    #[test]
    fn identifiers_in_backticks_need_a_closing_backtick() {
        assert_eq!(identifiers("don`t drop the budget"), Vec::<&str>::new());
        assert_eq!(identifiers("drop `the budget"), Vec::<&str>::new());
        assert_eq!(identifiers("don`t drop the `Digest`s of a `fit"), ["Digest"]);
        assert_eq!(identifiers("``drop`` a `fit`, not `the budget"), ["fit"]);
    }

    #[test]
    fn identifiers_in_prose_without_blanks_are_found() {
        let whole = "parse_headerはどこ";
        assert_eq!(identifiers(whole), ["parse_header", "はどこ", whole]);
        assert_eq!(identifiers("では、`fit`とparseHeaderを"), ["fit", "parseHeader", "とparseHeaderを"]);
    }

    #[test]
    fn query_omits_stop_words_unless_there_are_no_others() {
        assert_eq!(Query::new("where is the budget").words, Query::new("budget").words);
        assert!(!Query::new("where is this").is_empty());
        assert!(Query::new(" ?! ").is_empty());
    }

    #[test]
    fn telling_omits_words_about_the_whole_project() {
        for question in [
            "what does this project do?",
            "What's this repo about?",
            "Give me a high-level overview of this codebase.",
            "summarize the code in one paragraph",
            "how is this crate structured and how does it work?",
            "please describe the architecture of the app in a few words",
            "what is it?",
        ] {
            assert_eq!(Query::new(question).telling(), None, "{question}");
        }
        for (question, telling) in [
            ("how does the overview page work?", "pages"),
            ("which levels has the project?", "level"),
            ("what does the `project` do?", "`project`"),
            ("where are words counted?", "count word"),
        ] {
            let words = |query: &str| Query::new(query).telling().map(|query| query.words);
            assert_eq!(words(question), words(telling), "{question}");
            assert!(words(question).is_some(), "{question}");
        }
    }

    #[test]
    fn cover_is_the_share_of_query_words_in_the_file_and_directory_names() {
        let cover = |query: &str, path| Query::new(query).cover(path);
        assert_eq!(cover("how is the shell completed", "src/shell_completion.rs"), 1.0);
        assert_eq!(cover("zsh completion", "shell/completions.go"), 0.5);
        assert_eq!(cover("HTTP servers", "net/HTTPServer/mod.rs"), 1.0);
        assert_eq!(cover("a request", "src/request/index.test.ts"), 1.0);
        assert_eq!(cover("of it", "src/ofit.rs"), 0.0);
        assert_eq!(cover("?", "src/a.rs"), 0.0);
    }

    #[test]
    fn said_is_the_share_of_a_file_name_that_the_query_contains() {
        let said = |query: &str, path| Query::new(query).said(path);
        assert_eq!(said("how is the shell completed", "shell/completions.rs"), 1.0);
        assert_eq!(said("how is the shell completed", "shell/bash_completions.rs"), 0.5);
        assert_eq!(said("how are responses made", "src/response/mod.rs"), 1.0);
        assert_eq!(said("how are responses made", "src/response/parts.rs"), 0.0);
        assert_eq!(said("?", "src/lib.rs"), 0.0);
    }

    #[test]
    fn query_asks_for_all_forms_of_its_words() {
        let query = Query::new("caching of user names");
        let asked = |text: &str| words_of(text).iter().any(|word| query.asks_for(*word));
        assert!(asked("cached") && asked("getUserName") && !asked("budget"));
    }

    proptest! {
        #[test]
        fn words_among_those_of_a_query_are_all_that_it_asks_for(
            query in "([a-z]{1,5}(s|ed|ing|y)?|[A-Z][a-z]{0,3}|_|ä|検|索|[0-9]| ){1,8}",
            text in "([a-z]{1,5}(s|ed|ing|y)?|[A-Z]{1,3}|_|ä|Ö|検|索|[0-9]|[ .(]){0,12}",
        ) {
            let text = format!("{text} {query} {}", query.to_uppercase());
            let asked = Query::new(&query);
            let mut found = Vec::new();
            WordCache::default().each_word_among(&text, |word| asked.may_ask_for(word), &mut |word| {
                found.push(word.filter(|word| asked.asks_for(*word)));
            });
            let expected = words_of(&text).into_iter().map(|word| Some(word).filter(|word| asked.asks_for(*word)));
            prop_assert_eq!(found, expected.collect::<Vec<_>>());
        }
    }
}
