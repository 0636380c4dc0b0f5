//! A query: its words and the names that it writes as identifiers.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use ctx_outline::Lines;

use crate::evidence::Evidence;
use crate::kind::FileKind;
use crate::language::FunctionWords;
use crate::place::{Place, Raised, WrittenIn, places, raised};
use crate::report::{failed_titles, is_diff, said_by, telling_parts, title, without_form, without_passed};
use crate::score::{exact, rarity, scale};
use crate::word::{Word, each_part, each_spelling, each_word, hash, module_name};
use crate::wording::{count, each_number, each_run, messages, quoted, without_values};
use crate::written::identifiers;

/// How much an earlier question counts: each one this share of the next.
const EARLIER: f64 = 0.5;

/// The gain of the lines of the first place that is pointed to, what each later one loses of it, and how many have any.
/// A report was written about other versions and other code, too.
const PLACE: f64 = 2.0;
const PLACE_IN_REPORT: f64 = 0.5;
const LATER_PLACE: f64 = 0.1;
const MOST_PLACES: usize = 5;

/// The gain of a file that is named without lines, divided by the files that the name may mean, and how many these
/// may be.
const PATH: f64 = 0.2;
const MOST_ALTERNATIVES: usize = 3;

/// The gain of a file that is to matter more.
const RAISED: f64 = 0.5;

/// How much what was asked counts beside names that the code probably uses, and how much what is shown beside it. Some of
/// the names may be wrong.
const ASKED_BESIDE_NAMES: f64 = 0.3;
const SHOWN_BESIDE_NAMES: f64 = 0.5;

/// How many of the names are each found in at least one place. A question may be a whole log.
const MOST_GIVEN: usize = 100;

/// A question of fewer words, such as "how do I fix this?", counts less beside what it is about.
const TELLING_WORDS: u32 = 3;

/// How much the scope of a name counts beside the name, as `Model` in `Model.fit`: it is written wherever it is used.
const SCOPE: f64 = 0.3;

/// How much a part of an identifier counts beside the whole.
const PART: f64 = 0.4;

/// How much two words in a row count, where three count 1; and if the text has no more than two.
const TWO_WORDS: f64 = 0.3;
const ONLY_TWO_WORDS: f64 = 2.0;

/// A word that occurs n times in a text counts n to the power of this.
const FREQUENCY: f64 = 0.5;

/// What was said in one place, scored for itself. A query's score is the sum of its facets', each by its share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Facet {
    /// The question, and the ones before it.
    Whole,
    /// The title of a question of several lines.
    Title,
    /// Names that the code probably uses.
    Names,
    /// What is shown beside the question.
    Beside,
    /// What is looked for word for word: quoted text, lines of output.
    Wording,
}

/// The facets, in order.
pub(crate) const FACETS: [Facet; 5] =
    [Facet::Whole, Facet::Title, Facet::Names, Facet::Beside, Facet::Wording];

impl Facet {
    /// How much it counts beside a question's whole.
    fn share(self) -> f64 {
        match self {
            Self::Whole | Self::Names | Self::Beside | Self::Wording => 1.0,
            Self::Title => 0.8,
        }
    }

    /// The least that the best score of `count` texts counts as: a few words in a row may stand anywhere.
    fn least_best(self, count: usize) -> f64 {
        /// So many rare runs of words are a message.
        const RUNS: f64 = 3.0;
        match self {
            Self::Whole | Self::Names | Self::Beside | Self::Title => f64::MIN_POSITIVE,
            Self::Wording => RUNS * rarity(exact(count as u64), 1.0),
        }
    }
}

/// A query, read once for a whole collection.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// The words, ascending, each once.
    words: Vec<Asked>,
    /// The hashes of the names that are written as identifiers, ascending.
    names: Vec<u64>,
    /// The words of each facet as they occur in file names: parts of identifiers, in lower case and stemmed, each
    /// once. What is shown beside the question has none.
    parts: [Vec<String>; FACETS.len()],
    /// The words as spelled, in lower case and stemmed, each once.
    spellings: Vec<String>,
    /// A bit for each word, to quickly rule out words that aren't in the query.
    filter: [u64; 16],
    /// For each first letter of a word, a bit for each second letter. Letters are numbered by their five lowest
    /// bits, which are the same in upper and lower case.
    beginnings: [u32; 32],
    /// The files and lines that it points to, the most telling ones first.
    places: Vec<Place>,
    /// Files that matter more than others.
    raised_paths: Vec<Place>,
    /// Where the places were written.
    written_in: WrittenIn,
    /// Whether it reports something, so that it is hardly about tests and manuals.
    is_report: bool,
    /// Whether it contains a diff, so that it is about what goes with a change.
    is_about_change: bool,
    /// How much each facet counts.
    shares: [f64; FACETS.len()],
    /// Whether anything is looked for word for word.
    has_wordings: bool,
    /// The names that somebody gave beside the question and, if there are any, those that it writes itself.
    given: Vec<GivenName>,
}

/// A name that the code probably uses, as somebody gave it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GivenName {
    /// The name itself: `fit` in `Model.fit`.
    pub(crate) word: Word,
    /// The hash of the name as written.
    pub(crate) name: u64,
    /// The hash of the name before it: `Model` in `Model.fit`.
    pub(crate) scope: Option<u64>,
    /// Whether it is made of several words, so that hardly anything else is called this.
    pub(crate) is_compound: bool,
}

impl GivenName {
    fn of(text: &str) -> Option<Self> {
        let (scope, last) = scoped(text)?;
        let scope = scoped(scope).map(|(_, scope)| scope).filter(|scope| !scope.is_empty());
        let words = words_of(last);
        Some(Self {
            word: *words.last()?,
            name: hash(last.as_bytes()),
            scope: scope.map(|scope| hash(scope.as_bytes())),
            is_compound: words.len() > 1,
        })
    }
}

/// How much the evidence points to some lines of a file, or to the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pointer {
    /// The lines; `None` if it is the file as a whole.
    pub(crate) lines: Option<Lines>,
    /// What is added to the scores of these lines, or of the file's best passage.
    pub(crate) gain: f64,
}

/// A word of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Asked {
    pub(crate) word: Word,
    /// How much it counts in each facet.
    pub(crate) weights: [f64; FACETS.len()],
    /// The number of its bit in a set of the query's words; the least important ones share the last.
    pub(crate) bit: u32,
}

/// The number of bits of such a set.
pub(crate) const BITS: u32 = 64;

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
    whats hows pls plz thanks hello hi projekt überblick projet proyecto progetto projeto проект 项目 プロジェクト \
    프로젝트";

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

/// Stems of words in questions about versions, tests, and licences.
const ABOUT_VERSIONS: [&str; 6] = ["version", "releas", "changelog", "news", "depend", "manifest"];
const ABOUT_TESTS: [&str; 2] = ["test", "fixtur"];
const ABOUT_LICENCES: [&str; 6] = ["licens", "licenc", "copyright", "notic", "author", "maintainer"];

impl Query {
    /// Reads a query: a question, a few words, an identifier.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self::made_of(&Evidence::of(text))
    }

    /// The query that all evidence makes together; `None` if it contains nothing to look for.
    #[must_use]
    pub fn from(evidence: &Evidence<'_>) -> Option<Self> {
        Some(Self::made_of(evidence)).filter(|query| !query.is_empty())
    }

    fn made_of(evidence: &Evidence<'_>) -> Self {
        let question = without_form(evidence.question);
        let title = title(&question);
        let talk: Vec<&str> = [&*question].into_iter().chain(evidence.earlier.iter().copied()).collect();
        let mut said = Said { function_words: FunctionWords::of(&talk.join("\n")), ..Said::default() };
        let parts = evidence.piped.iter().flat_map(|text| telling_parts(text));
        let piped: Vec<Cow<'_, str>> = parts.map(without_passed).collect();
        let piped: Vec<&str> = piped.iter().map(|text| &**text).collect();
        // A change says more than a question about it, such as "does this break anything?", so that the question is
        // only more of its words.
        let is_about_change = piped.iter().any(|text| is_diff(text));
        let spoken = if is_about_change { Facet::Beside } else { Facet::Whole };
        said.take(&question, spoken, 1.0);
        if let Some(title) = title.filter(|_| !is_about_change) {
            said.take(title, Facet::Title, 1.0);
        }
        piped
            .iter()
            .flat_map(|text| failed_titles(text))
            .for_each(|title| said.take(title, Facet::Title, 1.0));
        for (age, earlier) in (1..).zip(&evidence.earlier) {
            said.take(earlier, spoken, EARLIER.powi(age));
        }
        for name in &evidence.names {
            let (scope, name) = scoped(name).unwrap_or(("", name));
            said.take(name, Facet::Names, 1.0);
            said.take(scope, Facet::Names, SCOPE);
        }
        let beside: Vec<Cow<'_, str>> = piped.iter().flat_map(|text| said_by(text)).collect();
        beside.iter().for_each(|text| said.take(text, Facet::Beside, 1.0));
        quoted(&question).into_iter().for_each(|text| said.take_wording(text));
        each_number(&question, &mut |number| said.take_number(number));
        piped.iter().flat_map(|text| messages(text)).for_each(|line| said.take_wording(line));
        let is_report = title.is_some();
        let mut written_in = WrittenIn::default();
        // git names files from the top of a repository.
        if !is_about_change {
            written_in.directory.clone_from(&evidence.directory);
            piped.iter().for_each(|text| written_in.add_packages(text));
        }
        let mut places: Vec<Place> = piped.into_iter().flat_map(places).chain(places(&question)).collect();
        if !is_about_change {
            places.extend(places.iter().filter_map(Place::tested).collect::<BTreeSet<_>>());
        }
        // A test only shows where it fails.
        places.sort_by_key(|place| FileKind::of(&place.path) == FileKind::Test);
        let raised = |path: &&str| Place { path: (*path).to_owned(), lines: None };
        let raised_paths = evidence.raised_paths.iter().map(raised).collect();
        // Names that somebody guesses don't push out those that the question writes itself.
        let written = if evidence.names.is_empty() { Vec::new() } else { identifiers(&question) };
        let given = evidence.names.iter().chain(&written).filter_map(|name| GivenName::of(name));
        let given = given.take(MOST_GIVEN).collect();
        Self { is_report, is_about_change, places, raised_paths, written_in, given, ..said.query() }
    }

    /// How much the evidence points to files, by their index: see [`Pointer`].
    pub(crate) fn pointers<'p>(
        &self,
        paths: impl Iterator<Item = &'p str> + Clone,
    ) -> BTreeMap<usize, Vec<Pointer>> {
        let mut pointers: BTreeMap<usize, Vec<Pointer>> = BTreeMap::new();
        for (file, all) in raised(&self.places, &self.written_in, paths.clone()) {
            pointers.entry(file).or_default().extend(all.iter().filter_map(|one| self.pointer(one)));
        }
        for (file, all) in raised(&self.raised_paths, &WrittenIn::default(), paths) {
            let pointer = all.first().map(|_| Pointer { lines: None, gain: RAISED });
            pointers.entry(file).or_default().extend(pointer);
        }
        pointers
    }

    /// The names of which each is to be found, if somebody gave any.
    pub(crate) fn given(&self) -> &[GivenName] {
        &self.given
    }

    /// Where the places were written.
    pub(crate) fn written_in(&self) -> &WrittenIn {
        &self.written_in
    }

    /// The files and lines that the evidence names.
    pub(crate) fn places(&self) -> &[Place] {
        &self.places
    }

    fn pointer(&self, raised: &Raised) -> Option<Pointer> {
        let few = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        if raised.lines.is_some() && raised.alternatives == 1 && raised.order < MOST_PLACES {
            let first = if self.is_report { PLACE_IN_REPORT } else { PLACE };
            let gain = first * (1.0 - LATER_PLACE * few(raised.order));
            return Some(Pointer { lines: raised.lines, gain });
        }
        let gain = PATH / few(raised.alternatives);
        (raised.alternatives <= MOST_ALTERNATIVES).then_some(Pointer { lines: None, gain })
    }

    /// The facets that have words.
    pub(crate) fn facets(&self) -> impl Iterator<Item = Facet> + '_ {
        let has_words =
            move |facet: &Facet| self.words.iter().any(|asked| asked.weights[*facet as usize] > 0.0);
        FACETS.into_iter().filter(has_words)
    }

    /// Calls `visit` with what `text` has of the wordings that are looked for.
    pub(crate) fn each_wording(&self, text: &str, visit: &mut impl FnMut(Word)) {
        if self.has_wordings {
            each_run(text, &mut |run, _| {
                if self.asks_for(run) {
                    visit(run);
                }
            });
            each_number(text, &mut |number| {
                if self.asks_for(number) {
                    visit(number);
                }
            });
        }
    }

    /// How much a facet counts.
    pub(crate) fn share(&self, facet: Facet) -> f64 {
        self.shares[facet as usize]
    }

    /// The weights of the words in a facet.
    pub(crate) fn weights(&self, facet: Facet) -> Vec<f64> {
        self.words.iter().map(|asked| asked.weights[facet as usize]).collect()
    }

    /// The scores of `count` texts: `score` gives the texts' scores for the weights of the words in one facet.
    /// The best score is 1, unless there are no words.
    pub(crate) fn blended(&self, count: usize, score: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
        let mut all = vec![0.0; count];
        for facet in self.facets() {
            let mut scores = score(&self.weights(facet));
            let most = scores.iter().copied().fold(facet.least_best(count), f64::max);
            scores.iter_mut().for_each(|score| *score /= most);
            all.iter_mut().zip(scores).for_each(|(sum, score)| *sum += self.share(facet) * score);
        }
        scale(&mut all);
        all
    }

    /// The share of the query's words that are in the name of a file or of its directory, from 0 to 1. A word
    /// also counts if one of the two is a prefix of the other, as with `comp` and `completion`.
    pub(crate) fn cover(&self, path: &str) -> f64 {
        let mut components = path.rsplit(['/', '\\']).filter(|name| !name.is_empty());
        let name = components.next().unwrap_or_default();
        let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or_default();
        let named: Vec<String> =
            [Some(stem), components.next()].into_iter().flatten().flat_map(parts_of).collect();
        self.of_parts(|parts| share_in(parts, &named))
    }

    /// The share of the words of a file's name that the query contains, from 0 to 1. A file that stands for
    /// its directory, such as `mod.rs`, has the name of the directory.
    pub(crate) fn said(&self, path: &str) -> f64 {
        let named = module_name(path).map(parts_of).unwrap_or_default();
        self.of_parts(|parts| share_in(&named, parts))
    }

    /// The mean of a figure about the parts of the words of each facet.
    fn of_parts(&self, figure: impl Fn(&[String]) -> f64) -> f64 {
        let (mut sum, mut shares) = (0.0, 0.0);
        for (parts, share) in self.parts.iter().zip(self.shares).filter(|(parts, _)| !parts.is_empty()) {
            sum += share * figure(parts);
            shares += share;
        }
        if shares > 0.0 { sum / shares } else { 0.0 }
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

    /// Whether all that it looks for is in the question: no places, no names and texts beside it.
    pub(crate) fn is_only_asked(&self) -> bool {
        let is_spoken = |facet| matches!(facet, Facet::Whole | Facet::Title | Facet::Wording);
        self.places.is_empty() && self.raised_paths.is_empty() && self.facets().all(is_spoken)
    }

    /// Whether it has names that the code probably uses.
    #[must_use]
    pub fn has_names(&self) -> bool {
        self.facets().any(|facet| facet == Facet::Names)
    }

    /// Whether the query reports something, and is hardly about tests and manuals.
    pub(crate) fn is_report(&self) -> bool {
        self.is_report
    }

    /// What the definitions of a name gain together. A report has names of its author's own code, too.
    pub(crate) fn gain_of_definitions(&self) -> f64 {
        if self.is_report { 0.5 } else { 1.0 }
    }

    /// Whether the query contains a diff.
    pub(crate) fn is_about_change(&self) -> bool {
        self.is_about_change
    }

    /// Whether the query asks about tests.
    pub(crate) fn is_about_tests(&self) -> bool {
        self.has_one_of(&ABOUT_TESTS)
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
        self.parts.iter().flatten().any(|part| stems.contains(&part.as_str()))
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
        let is_left = |part: &String| !whole.contains(&Word::of(part.as_bytes()));
        telling.parts.iter_mut().for_each(|parts| parts.retain(|part| is_left(part)));
        (!telling.words.is_empty() || !telling.names.is_empty()).then_some(telling)
    }

    /// Whether a name contains a word of the query.
    pub(crate) fn is_in(&self, name: &str) -> bool {
        parts_of(name).iter().any(|part| self.parts.iter().flatten().any(|said| said == part))
    }

    /// Whether the query contains nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Gives the most important words a bit of their own.
    fn number_bits(&mut self) {
        let weight = |asked: &Asked| -> f64 {
            // A scan doesn't look for wordings.
            let scanned = FACETS.into_iter().filter(|facet| *facet != Facet::Wording);
            scanned.map(|facet| self.share(facet) * asked.weights[facet as usize]).sum()
        };
        let mut order: Vec<usize> = (0..self.words.len()).collect();
        order.sort_by(|a, b| weight(&self.words[*b]).total_cmp(&weight(&self.words[*a])));
        for (bit, place) in (0..).zip(order) {
            self.words[place].bit = bit.min(BITS - 1);
        }
    }

    /// The bit of a word, by its index among the words of the query.
    pub(crate) fn bit_of(&self, place: usize) -> u64 {
        1 << self.words[place].bit
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

/// What was said, word by word.
#[derive(Default)]
struct Said<'t> {
    texts: Vec<(Facet, &'t str)>,
    words: BTreeMap<Word, [f64; FACETS.len()]>,
    /// Words that don't say anything about the subject.
    idle: BTreeMap<Word, [f64; FACETS.len()]>,
    names: Vec<u64>,
    has_wordings: bool,
    function_words: FunctionWords,
}

impl<'t> Said<'t> {
    /// Takes the words of a text, each of which counts `weight` in a facet.
    fn take(&mut self, text: &'t str, facet: Facet, weight: f64) {
        let stop = stop_words();
        // Whoever writes a name means it, and not whatever else its parts are in.
        let of_part = if facet == Facet::Beside { 1.0 } else { PART };
        let mut counts: BTreeMap<Word, f64> = BTreeMap::new();
        // Programs print times, lengths and addresses.
        let says_nothing =
            |run: &&str| facet == Facet::Beside && run.bytes().all(|byte| byte.is_ascii_digit());
        let content = self.function_words.without_runs(text);
        for run in content.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|run| !says_nothing(run))
        {
            let words = words_of(run);
            // The last word of an identifier with several parts is the whole.
            let parts = if run.is_ascii() && words.len() > 1 { words.len() - 1 } else { 0 };
            for (place, word) in words.into_iter().enumerate() {
                let count = if place < parts { of_part } else { 1.0 };
                *counts.entry(word).or_default() += count;
            }
        }
        for (word, count) in counts {
            let is_idle = stop.contains(&word) || self.function_words.words.contains(&word);
            let all = if is_idle { &mut self.idle } else { &mut self.words };
            all.entry(word).or_default()[facet as usize] += weight * count.powf(FREQUENCY);
        }
        let names = identifiers(text);
        // The test of a function is often called like it.
        let tested = names.iter().filter_map(|name| name.strip_prefix("test_"));
        self.names.extend(names.iter().copied().chain(tested).map(|name| hash(name.as_bytes())));
        self.texts.push((facet, text));
    }

    /// Takes a text that is looked for word for word, with and without what a program may have filled in.
    fn take_wording(&mut self, text: &str) {
        let two = if count(text) == 2 { ONLY_TWO_WORDS } else { TWO_WORDS };
        for text in [text, &without_values(text)] {
            each_run(text, &mut |run, words| {
                let weight = if words == 2 { two } else { 1.0 };
                let weights = self.words.entry(run).or_default();
                weights[Facet::Wording as usize] = weight;
            });
        }
        self.has_wordings = true;
    }

    fn take_number(&mut self, number: Word) {
        self.words.entry(number).or_default()[Facet::Wording as usize] = 1.0;
        self.has_wordings = true;
    }

    fn query(self) -> Query {
        let words = if self.words.is_empty() { self.idle } else { self.words };
        let words = words.into_iter().map(|(word, weights)| Asked { word, weights, bit: 0 });
        let mut query = Query {
            words: words.collect(),
            names: self.names,
            has_wordings: self.has_wordings,
            ..Query::default()
        };
        query.names.sort_unstable();
        query.names.dedup();
        query.shares = shares(&query.words);
        query.number_bits();
        query.words.iter().for_each(|asked| query.filter[slot(asked.word)] |= bit(asked.word));
        let asked = |part: &String| query.asks_for(Word::of(part.as_bytes()));
        let parts = |text: &str| parts_of(text).into_iter().filter(asked).collect::<Vec<_>>();
        let mut parts_said = [const { Vec::new() }; FACETS.len()];
        let mut spellings = Vec::new();
        for (facet, text) in &self.texts {
            if *facet != Facet::Beside {
                parts_said[*facet as usize].extend(parts(text));
            }
            each_spelling(text, &mut |letters| {
                if query.asks_for(Word::of(letters)) {
                    spellings.push(String::from_utf8_lossy(letters).into_owned());
                }
            });
        }
        for list in parts_said.iter_mut().chain([&mut spellings]) {
            list.sort_unstable();
            list.dedup();
        }
        for word in &spellings {
            let (first, second) = beginning(word.as_bytes());
            query.beginnings[first] |= second.map_or(u32::MAX, |second| 1 << second);
        }
        Query { parts: parts_said, spellings, ..query }
    }
}

/// A name's scope, and the name itself: `Model.` and `fit` of `Model.fit`; `None` for several words.
fn scoped(name: &str) -> Option<(&str, &str)> {
    let is_outside = |c: char| !c.is_alphanumeric() && c != '_';
    let is_one = !name.trim().contains(char::is_whitespace);
    let name = name.trim_matches(is_outside);
    let start = name.rsplit(is_outside).next().map_or(0, |last| name.len() - last.len());
    is_one.then(|| name.split_at(start))
}

/// How much each facet of these words counts.
fn shares(words: &[Asked]) -> [f64; FACETS.len()] {
    let count = |facet: Facet| words.iter().filter(|asked| asked.weights[facet as usize] > 0.0).count();
    let mut shares = FACETS.map(Facet::share);
    if count(Facet::Names) > 0 {
        for others in [Facet::Whole, Facet::Title, Facet::Wording] {
            shares[others as usize] *= ASKED_BESIDE_NAMES;
        }
        shares[Facet::Beside as usize] *= SHOWN_BESIDE_NAMES;
    }
    if count(Facet::Beside) > 0 {
        let few = u32::try_from(count(Facet::Whole)).unwrap_or(u32::MAX).min(TELLING_WORDS);
        shares[Facet::Whole as usize] *= f64::from(few) / f64::from(TELLING_WORDS);
    }
    shares
}

/// Words that don't say anything about the subject, ascending.
fn stop_words() -> &'static BTreeSet<Word> {
    static WORDS: OnceLock<BTreeSet<Word>> = OnceLock::new();
    WORDS.get_or_init(|| words_of(STOP).into_iter().collect())
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
    fn query_omits_stop_words_unless_there_are_no_others() {
        assert_eq!(Query::new("where is the budget").words, Query::new("budget").words);
        assert!(!Query::new("where is this").is_empty());
        assert!(Query::new(" ?! ").is_empty());
    }

    #[test]
    fn query_counts_earlier_questions_less_the_older_they_are() {
        let evidence = Evidence { earlier: vec!["keys", "locks"], ..Evidence::of("budget") };
        let query = Query::from(&evidence).unwrap();
        let weight = |word: &str| {
            query.place_of(words_of(word)[0]).map(|place| query.words[place].weights[Facet::Whole as usize])
        };
        assert_eq!(["budget", "keys", "locks"].map(weight), [Some(1.0), Some(0.5), Some(0.25)]);
    }

    #[test]
    fn query_scores_its_title_and_what_is_beside_it_for_themselves() {
        let evidence = Evidence {
            piped: vec!["fatal: no such lock"],
            names: vec!["tidy_up"],
            ..Evidence::of("Budget of blocks is exceeded\n\nI start the program with many files.\n")
        };
        let query = Query::from(&evidence).unwrap();
        let facets = |word: &str| {
            let asked = query.words[query.place_of(words_of(word)[0]).unwrap()];
            FACETS.into_iter().filter(|facet| asked.weights[*facet as usize] > 0.0).collect::<Vec<_>>()
        };
        assert_eq!(facets("budget"), [Facet::Whole, Facet::Title]);
        assert_eq!(facets("files"), [Facet::Whole]);
        assert_eq!(facets("lock"), [Facet::Beside]);
        assert_eq!(facets("tidy"), [Facet::Names]);
        assert!(query.is_report() && !Query::new("budget of many blocks").is_report());
        assert_eq!(Query::from(&Evidence::default()), None);
    }

    #[test]
    fn question_about_a_change_is_only_more_of_its_words() {
        let diff = "--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,2 @@\n lock\n-key\n+lock\n";
        let evidence = Evidence { piped: vec![diff], ..Evidence::of("does this break the typed client?") };
        let query = Query::from(&evidence).unwrap();
        assert_eq!(query.facets().collect::<Vec<_>>(), [Facet::Beside]);
        let weight = |word: &str| {
            query.words[query.place_of(words_of(word)[0]).unwrap()].weights[Facet::Beside as usize]
        };
        // The lines that change count beside those around them.
        assert_eq!(["client", "key", "lock"].map(weight), [1.0, 1.0, 2.0]);
    }

    #[test]
    fn places_in_tests_come_after_those_in_code() {
        let piped = "at a (tests/key.test.ts:9:1)\nat b (src/lock.ts:2:1)\nat c (src/key.ts:1:1)\n";
        let query = Query::from(&Evidence { piped: vec![piped], ..Evidence::of("why?") }).unwrap();
        let paths: Vec<&str> = query.places().iter().map(|place| place.path.as_str()).collect();
        assert_eq!(paths, ["src/lock.ts", "src/key.ts", "key.ts", "tests/key.test.ts"]);
    }

    #[test]
    fn words_that_count_most_have_a_bit_of_their_own() {
        let many: String = (0..100).map(|number| format!("word{number} ")).collect();
        let query = Query::new(&format!("Budget of all blocks\n{many}"));
        let bit = |word: &str| query.words[query.place_of(words_of(word)[0]).unwrap()].bit;
        assert!(bit("budget") < 4 && bit("blocks") < 4);
        assert!(query.words.iter().all(|asked| asked.bit < BITS));
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
