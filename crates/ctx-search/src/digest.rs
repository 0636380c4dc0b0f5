//! The data that a search needs about a file.

use std::ops::Range;

use ctx_outline::{Declaration, Kind, Language, Lines, Outline};

use crate::imports::each_imported;
use crate::kind::is_table;
use crate::passage::lines;
use crate::passage::{MOST, Piece, pieces};
use crate::query::Query;
use crate::table::{UNITS_OF_SAMPLE, units_of_table};
use crate::tally::{Posting, Tally};
use crate::unit::units;
use crate::word::{Word, WordCache, each_word_of_path, hash, module_name};

/// How many times the words of a name count in the passage that declares it.
const NAME_WEIGHT: usize = 3;

/// How many times the words of a path count in each passage, in addition to [`each_word_of_path`].
const PATH_WEIGHT: usize = 2;

/// The text of a file, and its path.
#[derive(Debug, Clone, Copy)]
pub struct Text<'t> {
    /// Its path, with `/` between the names.
    pub path: &'t str,
    /// The text.
    pub text: &'t str,
    /// Its outline, if already computed.
    pub outline: Option<&'t Outline<'t>>,
}

/// A run of whole lines in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// The lines, from 1.
    pub lines: Lines,
    /// How many words it has, including those of the path.
    pub length: u32,
    /// Its length in bytes.
    pub bytes: u32,
    /// The bytes of the passage that the outline keeps; all of them if the file has no outline.
    pub outlined: u32,
    /// The largest share, in thousandths, of the words of a declared name that are in the query. Names that
    /// have only one word in common with it don't count.
    pub said: u16,
}

impl Passage {
    /// The share of the words of a name that are in the query.
    pub(crate) fn share_said(&self) -> f64 {
        f64::from(self.said) / 1e3
    }

    /// Whether it is a single line longer than other passages.
    #[must_use]
    pub fn is_overlong(&self) -> bool {
        self.bytes as usize > MOST
    }
}

/// A declaration, a section, or what is between declarations, as whole lines. It is shown whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// The lines, from 1.
    pub lines: Lines,
    /// Its length in bytes.
    pub bytes: u32,
    /// A hash of its letters: units that differ only in white space, digits and punctuation have the same.
    pub likeness: u64,
}

/// The lines that a passage and a unit have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Overlap {
    /// The index of the passage.
    pub(crate) passage: u32,
    /// The index of the unit.
    pub(crate) unit: u32,
    /// Its length in bytes.
    pub(crate) bytes: u32,
}

/// A word of the query in an overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OverlapWord {
    /// The index of the overlap.
    pub(crate) overlap: u32,
    pub(crate) word: Word,
}

/// A name that a passage defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Definition {
    /// The hash of the name as written.
    pub name: u64,
    /// The index of the passage in the file.
    pub passage: u32,
}

/// The data that a search needs about a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Digest {
    /// Whether the file has an outline that is shorter than its text.
    pub has_outline: bool,
    /// The file's passages in order; together they make up its text.
    pub passages: Vec<Passage>,
    /// The words of the query it contains, ascending.
    pub postings: Vec<Posting>,
    /// The file's units in order: whole declarations and sections, which also make up its text.
    pub units: Vec<Unit>,
    /// What passages and units have in common, in order.
    pub(crate) overlaps: Vec<Overlap>,
    /// The words of the query in each overlap, ascending.
    pub(crate) overlap_words: Vec<OverlapWord>,
    /// Ascending: the names that the file declares outside function bodies, and the file's own name as a
    /// module.
    pub defined: Vec<Definition>,
    /// Ascending, without repetition: the names that import statements mention.
    pub imported: Vec<u64>,
}

impl<'t> Text<'t> {
    /// A file without a computed outline.
    #[must_use]
    pub fn new(path: &'t str, text: &'t str) -> Self {
        Self { path, text, outline: None }
    }
}

/// Reads files one after another. It remembers words from earlier files, which makes later files faster
/// without changing the result.
#[derive(Debug, Default)]
pub struct Digester {
    cache: WordCache,
    tally: Tally,
}

impl Digester {
    /// The words that it remembers, for scans in the same thread.
    pub fn words(&mut self) -> &mut WordCache {
        &mut self.cache
    }

    /// Reads a file.
    #[must_use]
    pub fn digest(&mut self, text: &Text<'_>, query: Option<&Query>) -> Digest {
        let language = Language::of_path(text.path);
        match (text.outline, language) {
            (Some(outline), language) => self.with_outline(text, Some(outline), language, query),
            (None, Some(language)) => {
                let outline = ctx_outline::outline(text.text, language);
                self.with_outline(text, Some(&outline), Some(language), query)
            }
            (None, None) => self.with_outline(text, None, None, query),
        }
    }

    fn with_outline(
        &mut self,
        text: &Text<'_>,
        outline: Option<&Outline<'_>>,
        language: Option<Language>,
        query: Option<&Query>,
    ) -> Digest {
        let declarations = outline.map(Outline::declarations).unwrap_or_default();
        let declared: Vec<usize> = declarations.iter().map(|declaration| declaration.lines.first).collect();
        let pieces = pieces(text.text, &declared);
        let outline = outline.filter(|outline| !outline.is_whole());
        let mut digest = Digest { has_outline: outline.is_some(), ..Digest::default() };
        let named = named(text.text, &pieces, declarations);
        // Units are shown as answers to a query; of a table, also without one.
        let units = match query {
            Some(_) | None if is_table(text.path) => units_of_table(text.text),
            Some(_) => units(text.text, language, declarations),
            None => Vec::new(),
        };
        digest.units = units.iter().map(|unit| Unit::of(unit, text.text)).collect();
        self.read_words(text, [&pieces, &units], &named, query, &mut digest);
        if let Some(outline) = outline {
            digest.measure_outline(text.text, outline);
        }
        digest.read_names(text.path, &named);
        let mut imported = Vec::new();
        if let Some(language) = language {
            each_imported(text.text, language, &mut |name| imported.push(hash(name.as_bytes())));
        }
        imported.sort_unstable();
        imported.dedup();
        digest.imported = imported;
        // Digests are kept in memory; spare capacity would be wasted.
        digest.passages.shrink_to_fit();
        digest.units.shrink_to_fit();
        digest.overlaps.shrink_to_fit();
        digest.overlap_words.shrink_to_fit();
        digest.defined.shrink_to_fit();
        digest.imported.shrink_to_fit();
        digest
    }

    fn read_words(
        &mut self,
        text: &Text<'_>,
        [pieces, units]: [&[Piece]; 2],
        named: &[Named<'_>],
        query: Option<&Query>,
        digest: &mut Digest,
    ) {
        let asks_for = |word: &Word| query.is_some_and(|query| query.asks_for(*word));
        let may_be = |letters: &[u8]| query.is_some_and(|query| query.may_ask_for(letters));
        let needs_words = is_table(text.path);
        let mut in_path: Vec<Word> = Vec::new();
        for _ in 0..PATH_WEIGHT {
            each_word_of_path(text.path, &mut |word| in_path.push(word));
        }
        for (passage, piece) in (0_u32..).zip(pieces) {
            let mut length = 0;
            self.tally.begin(&digest.postings);
            let Digest { postings, overlaps, overlap_words, .. } = &mut *digest;
            let mut take = |word: Option<Word>| {
                length += 1;
                if let Some(word) = word.filter(asks_for) {
                    self.tally.count(postings, passage, word);
                }
            };
            in_path.iter().copied().map(Some).for_each(&mut take);
            // A ranking without a query uses no words.
            if let Some(query) = query {
                for (unit, bytes) in in_units(units, piece) {
                    let overlap = u32::try_from(overlaps.len()).unwrap_or(u32::MAX);
                    overlaps.push(Overlap {
                        passage,
                        unit,
                        bytes: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
                    });
                    let mut take_here = |word: Option<Word>| {
                        take(word);
                        overlap_words.extend(word.filter(asks_for).map(|word| OverlapWord { overlap, word }));
                    };
                    self.cache.each_word_among(&text.text[bytes.clone()], may_be, &mut take_here);
                    query.each_wording(&text.text[bytes], &mut |word| take_here(Some(word)));
                    // Only rows with a word of the query answer it; the first ones say what is in the table.
                    let has_word = overlap_words.last().is_some_and(|found| found.overlap == overlap);
                    if needs_words && unit as usize >= UNITS_OF_SAMPLE && !has_word {
                        overlaps.pop();
                    }
                }
                for name in names_in(named, passage) {
                    (1..NAME_WEIGHT).for_each(|_| self.cache.each_word_among(name, may_be, &mut take));
                }
            }
            let bytes = u32::try_from(piece.bytes.len()).unwrap_or(u32::MAX);
            let said = names_in(named, passage).filter_map(|name| query?.thousandths_of(name)).max();
            let said = said.unwrap_or_default();
            digest.passages.push(Passage { lines: piece.lines, length, bytes, outlined: bytes, said });
        }
        digest.postings.sort_unstable();
        digest.overlap_words.sort_unstable();
        digest.overlap_words.dedup();
    }
}

/// The parts of `piece` in each of the `units`, with the unit's index.
fn in_units<'u>(units: &'u [Piece], piece: &Piece) -> impl Iterator<Item = (u32, Range<usize>)> + use<'u> {
    let Range { start, end } = piece.bytes;
    let first = units.partition_point(|unit| unit.bytes.end <= start);
    let within = units[first..].iter().take_while(move |unit| unit.bytes.start < end);
    (u32::try_from(first).unwrap_or(u32::MAX)..)
        .zip(within.map(move |unit| unit.bytes.start.max(start)..unit.bytes.end.min(end)))
}

impl Unit {
    fn of(piece: &Piece, text: &str) -> Self {
        let letters: String =
            text[piece.bytes.clone()].chars().filter(|letter| letter.is_alphabetic()).collect();
        let bytes = u32::try_from(piece.bytes.len()).unwrap_or(u32::MAX);
        Self { lines: piece.lines, bytes, likeness: hash(letters.as_bytes()) }
    }
}

impl Digest {
    /// The digest of an empty file.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            has_outline: false,
            passages: Vec::new(),
            postings: Vec::new(),
            units: Vec::new(),
            overlaps: Vec::new(),
            overlap_words: Vec::new(),
            defined: Vec::new(),
            imported: Vec::new(),
        }
    }

    /// Reads one file.
    #[must_use]
    pub fn of(text: &Text<'_>, query: Option<&Query>) -> Self {
        Digester::default().digest(text, query)
    }

    fn measure_outline(&mut self, text: &str, outline: &Outline<'_>) {
        let mut lines = lines(text).zip(1..);
        let mut kept = outline.kept().peekable();
        for passage in &mut self.passages {
            let mut bytes = 0;
            for (line, number) in lines.by_ref().take(passage.lines.count()) {
                while kept.next_if(|run: &Lines| run.last < number).is_some() {}
                if kept.peek().is_some_and(|run| run.first <= number) {
                    bytes += line.len();
                }
            }
            passage.outlined = u32::try_from(bytes).unwrap_or(u32::MAX);
        }
    }

    fn read_names(&mut self, path: &str, named: &[Named<'_>]) {
        let referred = named.iter().filter(|named| is_referred_to(named.kind));
        self.defined.extend(referred.map(|Named { name, passage, .. }| Definition {
            name: hash(name.as_bytes()),
            passage: *passage,
        }));
        if let (Some(name), false) = (module_name(path), self.passages.is_empty()) {
            self.defined.push(Definition { name: hash(name.as_bytes()), passage: 0 });
        }
        self.defined.sort_unstable();
        self.defined.dedup();
    }

    /// The passages that define a name.
    pub(crate) fn definitions_of(&self, name: u64) -> &[Definition] {
        let first = self.defined.partition_point(|definition| definition.name < name);
        let count = self.defined[first..].partition_point(|definition| definition.name == name);
        &self.defined[first..first + count]
    }
}

/// A name that a passage declares.
struct Named<'t> {
    name: &'t str,
    kind: Kind,
    passage: u32,
}

/// The names that a file declares, grouped by passage.
fn named<'t>(text: &str, pieces: &[Piece], declarations: &[Declaration<'t>]) -> Vec<Named<'t>> {
    let with_passage = |declaration: &Declaration<'t>| {
        let passage = passage_of(declaration.name, declaration.lines, text, pieces)?;
        Some(Named { name: declaration.name, kind: declaration.kind, passage })
    };
    let mut named: Vec<Named<'_>> = declarations
        .iter()
        .filter(|declaration| is_name(declaration.kind))
        .filter_map(with_passage)
        .collect();
    named.sort_by_key(|named| named.passage);
    named
}

/// The names that a passage declares.
fn names_in<'n>(named: &'n [Named<'_>], passage: u32) -> impl Iterator<Item = &'n str> {
    let first = named.partition_point(|named| named.passage < passage);
    named[first..].iter().take_while(move |named| named.passage == passage).map(|named| named.name)
}

/// Whether a declaration of this kind has a name of its own.
fn is_name(kind: Kind) -> bool {
    kind == Kind::Section || is_referred_to(kind)
}

/// Whether a declaration of this kind has a name that code refers to.
fn is_referred_to(kind: Kind) -> bool {
    match kind {
        Kind::Function | Kind::Type | Kind::Module | Kind::Value | Kind::Macro => true,
        Kind::Implementation | Kind::Section | Kind::Key => false,
        _ => false,
    }
}

/// The passage that first mentions a name within the lines of its declaration, which may begin with a long
/// comment.
fn passage_of(name: &str, lines: Lines, text: &str, pieces: &[Piece]) -> Option<u32> {
    if name.is_empty() {
        return None;
    }
    let first = pieces.partition_point(|piece| piece.lines.last < lines.first);
    let within = pieces[first..].iter().take_while(|piece| piece.lines.first <= lines.last);
    let mentions = |piece: &Piece| text[piece.bytes.clone()].contains(name);
    let place = within.clone().position(mentions).unwrap_or(0);
    u32::try_from(first + place).ok().filter(|_| first < pieces.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "use crate::word::Word;\n\n/// Reads.\npub fn read(word: Word) -> Word {\n    word\n}\n";

    #[test]
    fn digest_of_a_source_file_has_passages_names_and_imports() {
        let digest = Digest::of(&Text::new("src/query/mod.rs", TEXT), None);
        assert_eq!(digest.passages.len(), 1);
        assert_eq!(digest.passages[0].lines, Lines { first: 1, last: 6 });
        let name = |name: &str| hash(name.as_bytes());
        assert_eq!(digest.definitions_of(name("read")), [Definition { name: name("read"), passage: 0 }]);
        assert_eq!(digest.definitions_of(name("query")).len(), 1);
        assert!(digest.imported.contains(&name("Word")) && digest.imported.contains(&name("word")));
    }

    #[test]
    fn digest_for_a_query_has_postings_only_for_its_words() {
        let query = Query::new("words read");
        let digest = Digest::of(&Text::new("a/b.rs", TEXT), Some(&query));
        let without = Digest::of(&Text::new("a/b.rs", TEXT), None);
        assert_eq!(digest.defined, without.defined);
        assert!(without.postings.is_empty());
        assert!(digest.postings.is_sorted() && digest.postings.iter().all(|one| query.asks_for(one.word)));
        let mut counts: Vec<u32> = digest.postings.iter().map(|posting| posting.count).collect();
        counts.sort_unstable();
        // `read` is in `Reads`, and counts three times where it is declared; `Word` and `word` are one word.
        assert_eq!(counts, [4, 6]);
    }

    #[test]
    fn digest_measures_how_much_of_a_name_the_query_contains() {
        let said = |query: &str, text: &str| {
            Digest::of(&Text::new("a.rs", text), Some(&Query::new(query))).passages[0].said
        };
        assert_eq!(said("where are headers parsed", "fn parse_header() {}\nfn read_header() {}\n"), 1_000);
        assert_eq!(said("where are headers parsed", "fn parse_header_line() {}\n"), 666);
        assert_eq!(said("where are headers parsed", "fn read_header() {}\nfn parse() {}\n"), 0);
    }

    #[test]
    fn digest_measures_how_much_of_a_passage_the_outline_keeps() {
        let text = format!("fn a() {{\n{}}}\n", "    step();\n".repeat(90));
        let digest = Digest::of(&Text::new("a.rs", &text), None);
        assert!(digest.has_outline);
        assert_eq!(digest.passages[0].outlined, 9);
        assert_eq!(digest.passages.last().unwrap().outlined, 2);
        let prose = Digest::of(&Text::new("a.txt", &text), None);
        assert!(!prose.has_outline && prose.passages.iter().all(|one| one.outlined == one.bytes));
    }

    #[test]
    fn digest_of_an_empty_text_is_empty() {
        assert_eq!(Digest::of(&Text::new("a.rs", ""), None), Digest::default());
    }
}
