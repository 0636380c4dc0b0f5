//! Scans files for the words of a query, to choose the files that are worth cutting into passages.
//!
//! If the first three letters of a word occur, the identifier around them is read. The rest of the file is
//! only compared with those letters, several bytes at a time. The scan finds the same words as a
//! [`Digest`](crate::Digest) of the same file, except for those that a passage gets from the names it
//! defines.

use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::passage::MOST;
use crate::query::Query;
use crate::word::{Word, WordCache, each_word_of_path, hash, in_other_width, may_begin_part, run_around};

/// Files are scanned in blocks of this many bytes, the average length of a passage in most collections.
const BLOCK: usize = 840;

/// The result of scanning a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scan {
    /// The length of the file in bytes.
    pub(crate) bytes: u64,
    /// The words of the query in its path, one bit each.
    pub(crate) in_path: u64,
    /// The blocks that contain a word of the query, in order.
    pub(crate) blocks: Vec<Block>,
    /// The words of the query that the file contains.
    pub(crate) words: Vec<FoundWord>,
    /// Whether it seems to define a name that the query writes as an identifier.
    pub(crate) defines: bool,
}

/// The words of a query in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    /// Its words, one bit each.
    pub(crate) words: u64,
    /// Its index among the blocks of the file.
    number: u32,
    /// How often they occur.
    pub(crate) hits: u32,
}

/// A word of a query, found in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FoundWord {
    /// The index of the word among those of the query.
    pub(crate) place: usize,
    /// How many blocks contain it.
    pub(crate) blocks: u32,
    /// The last of those blocks.
    last: u32,
}

impl Scan {
    /// The scan of an empty file.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: 0, in_path: 0, blocks: Vec::new(), words: Vec::new(), defines: false }
    }

    /// Whether the file or its path contains a word of the query.
    #[must_use]
    pub fn matches(&self) -> bool {
        !self.words.is_empty()
    }

    /// Roughly how many passages the file has.
    pub(crate) fn passages(&self) -> u64 {
        self.bytes.div_ceil(BLOCK as u64)
    }

    /// Counts a word in a block. A word in an overlong line isn't a hit, since such a passage comes after all
    /// others.
    fn find(&mut self, place: usize, bit: u64, block: u32, is_overlong: bool) {
        match self.words.iter_mut().find(|word| word.place == place) {
            Some(word) if word.last == block => {}
            Some(word) => (word.blocks, word.last) = (word.blocks + 1, block),
            None => self.words.push(FoundWord { place, blocks: 1, last: block }),
        }
        if is_overlong {
            return;
        }
        match self.blocks.last_mut().filter(|last| last.number == block) {
            Some(last) => (last.words, last.hits) = (last.words | bit, last.hits + 1),
            None => self.blocks.push(Block { words: bit, number: block, hits: 1 }),
        }
    }

    /// Adds the words of the path, which every passage has.
    fn find_in_path(&mut self, place: usize, bit: u64) {
        let blocks = u32::try_from(self.passages()).unwrap_or(u32::MAX);
        self.in_path |= bit;
        match self.words.iter_mut().find(|word| word.place == place) {
            Some(word) => word.blocks = blocks,
            None => self.words.push(FoundWord { place, blocks, last: 0 }),
        }
    }
}

/// Looks for the words of one query.
#[derive(Debug)]
pub struct Scanner<'q> {
    query: &'q Query,
    /// Whether three bytes may begin a word, by the five lowest bits of each, which are the same for both cases of
    /// a letter.
    beginnings: Box<[bool; 1 << 15]>,
}

/// How many bytes are examined together, and at how many of their offsets a group of three bytes begins.
const WORD: usize = 8;
const STEP: usize = 6;

impl<'q> Scanner<'q> {
    /// A scanner for the words of a query.
    #[must_use]
    pub fn new(query: &'q Query) -> Self {
        let mut scanner = Self { query, beginnings: Box::new([false; 1 << 15]) };
        for word in query.spellings() {
            scanner.add(word);
        }
        scanner
    }

    fn add(&mut self, word: &str) {
        let mut chars = word.chars();
        let first = chars.clone().next();
        for letter in first.into_iter().flat_map(|first| [Some(first), first.to_uppercase().next()]).flatten()
        {
            let other = in_other_width(letter).map(String::from);
            other.into_iter().for_each(|other| self.add_beginning(other.as_bytes()));
        }
        let cased = |c: Option<char>| {
            let both = |c: char| [c.to_lowercase().to_string(), c.to_uppercase().to_string()];
            c.map_or([String::new(), String::new()], both)
        };
        let (first, second) = (cased(chars.next()), cased(chars.next()));
        let rest = chars.as_str();
        for (first, second) in first.iter().flat_map(|first| second.iter().map(move |second| (first, second)))
        {
            self.add_beginning(format!("{first}{second}{rest}").as_bytes());
            // An identifier with several parts is also a word as a whole.
            self.add_beginning(format!("{first}_{second}{rest}").as_bytes());
            self.add_beginning(format!("{first}{second}_{rest}").as_bytes());
        }
    }

    /// Notes the three bytes that a word begins with; any byte may follow if it has fewer.
    fn add_beginning(&mut self, bytes: &[u8]) {
        let of = |place: usize| bytes.get(place).map(|byte| usize::from(*byte & 31));
        let range = |bits: Option<usize>| bits.map_or(0..32, |bits| bits..bits + 1);
        for third in range(of(2)) {
            for second in range(of(1)) {
                for first in range(of(0)) {
                    self.beginnings[first | second << 5 | third << 10] = true;
                }
            }
        }
    }

    /// Scans a file and its path, which has `/` between the names.
    #[must_use]
    pub fn scan(&self, path: &str, text: &str, cache: &mut WordCache) -> Scan {
        let bytes = text.as_bytes();
        let mut scan = Scan { bytes: bytes.len() as u64, ..Scan::default() };
        let (mut at, mut line) = (0, 0..0);
        while let Some(start) = self.next(bytes, at) {
            let run = run_around(bytes, start, at);
            at = run.end;
            if run.start >= line.end {
                line = line_around(bytes, run.start, line.end);
            }
            let block = u32::try_from(run.start / BLOCK).unwrap_or(u32::MAX);
            cache.each_word(&text[run.clone()], &mut |word: Word| {
                if let Some(place) = self.query.place_of(word) {
                    scan.find(place, self.query.bit_of(place), block, line.len() > MOST);
                }
            });
            if !scan.defines && self.query.names_it(hash(&bytes[run.clone()])) {
                scan.defines = seems_defined(bytes, line.start, run);
            }
        }
        each_word_of_path(path, &mut |word| {
            if let Some(place) = self.query.place_of(word) {
                scan.find_in_path(place, self.query.bit_of(place));
            }
        });
        scan.blocks.shrink_to_fit();
        scan.words.shrink_to_fit();
        scan
    }

    /// The first offset at or after `at` where a word of the query may begin.
    fn next(&self, bytes: &[u8], mut at: usize) -> Option<usize> {
        while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<WORD>) {
            let word = u64::from_le_bytes(*word);
            let (even, odd) = (indexes(word), indexes(word >> 8));
            let is = |indexes: u64, place: u32| {
                self.beginnings[(indexes >> (16 * place)) as u16 as usize & 0x7fff]
            };
            let any = is(even, 0) | is(odd, 0) | is(even, 1) | is(odd, 1) | is(even, 2) | is(odd, 2);
            if any {
                let may_begin = |at: &usize| self.may_begin(bytes, *at);
                if let Some(place) = (at..at + STEP).find(may_begin) {
                    return Some(place);
                }
            }
            at += STEP;
        }
        (at..bytes.len()).find(|at| self.may_begin(bytes, *at))
    }

    fn may_begin(&self, bytes: &[u8], at: usize) -> bool {
        let of = |at: usize| bytes.get(at).map_or(0, |byte| usize::from(*byte & 31));
        self.beginnings[of(at) | of(at + 1) << 5 | of(at + 2) << 10] && may_begin_part(bytes, at)
    }
}

/// The line around an offset, including its newline, but nothing before `floor`.
fn line_around(bytes: &[u8], at: usize, floor: usize) -> Range<usize> {
    let start = memrchr(b'\n', &bytes[floor..at]).map_or(floor, |place| floor + place + 1);
    let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |place| at + place + 1);
    start..end
}

/// Packs the five lowest bits of three consecutive bytes into each sixteen bits of the result, for the groups
/// that begin at the first, third and fifth byte.
#[inline]
fn indexes(word: u64) -> u64 {
    word & 0x001f_001f_001f_001f | word >> 3 & 0x03e0_03e0_03e0_03e0 | word >> 6 & 0x7c00_7c00_7c00_7c00
}

/// Words that precede the name in a definition, in various languages.
const DEFINING: [&[u8]; 26] = [
    b"fn",
    b"def",
    b"class",
    b"struct",
    b"enum",
    b"trait",
    b"type",
    b"interface",
    b"func",
    b"function",
    b"const",
    b"let",
    b"var",
    b"val",
    b"static",
    b"mod",
    b"module",
    b"macro_rules",
    b"define",
    b"object",
    b"record",
    b"namespace",
    b"package",
    b"union",
    b"sub",
    b"protocol",
];

/// Whether a name in the line that begins at `line` follows a word that defines it, or begins what looks like a C
/// function on a line of its own.
fn seems_defined(bytes: &[u8], line: usize, name: Range<usize>) -> bool {
    let before = bytes[..name.start].trim_ascii_end();
    let before = before.strip_suffix(b"!").unwrap_or(before);
    let word = run_around(before, before.len(), before.len().saturating_sub(16));
    DEFINING.contains(&&before[word])
        || !bytes[line].is_ascii_whitespace() && bytes.get(name.end) == Some(&b'(')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Digest, Text};

    fn scan(query: &Query, path: &str, text: &str) -> Scan {
        Scanner::new(query).scan(path, text, &mut WordCache::default())
    }

    fn matches(query: &str, text: &str) -> bool {
        scan(&Query::new(query), "a.md", text).matches()
    }

    #[test]
    fn scan_finds_words_in_all_forms() {
        for text in [
            "parse",
            "Parses",
            "PARSED",
            "reParsing",
            "HTTPParse_of(x)",
            "a_parse",
            "parse2",
            "x=parsing;",
            "(_parse)",
        ] {
            assert!(matches("where is it parsed", text), "{text}");
        }
        for text in ["sparse", "par", "pa rse", "compares", "PaRse", ""] {
            assert!(!matches("where is it parsed", text), "{text}");
        }
    }

    #[test]
    fn scan_finds_identifiers_however_their_parts_are_joined() {
        for text in ["filesystem", "file_system", "fileSystem", "FILE_SYSTEM", "FileSystem", "fi_lesystem"] {
            assert!(matches("the filesystem", text), "{text}");
        }
        for (query, text) in [("etag", "ETag"), ("etag", "e_tag"), ("todo", "toDo")] {
            assert!(matches(query, text), "{text}");
        }
    }

    #[test]
    fn scan_finds_short_words_and_those_of_other_scripts() {
        assert!(matches("an ip", "the IP,") && matches("ip", "ipAddress") && !matches("ip", "ship"));
        assert!(matches("c", "in C") && matches("is 8 a limit", "utf8") && !matches("c", "abc"));
        assert!(matches("größe", "Die GRÖSSE und GRÖßE") && matches("Übergröße", "die übergröße"));
        assert!(matches("検索語", "全文検索") && matches("parse_header", "ここではparse_headerを呼ぶ"));
    }

    #[test]
    fn scan_recognises_likely_definitions() {
        let defines = |text: &str| scan(&Query::new("`fit`"), "a.rs", text).defines;
        assert!(
            defines("    pub fn fit() {}\n") && defines("class  fit:\n") && defines("int x;\nfit(int a)\n")
        );
        assert!(!defines("    let x = fit();\n") && !defines("fn fitting() {}\n") && !defines("see fit\n"));
    }

    #[test]
    fn scan_leaves_overlong_lines_out_of_the_blocks() {
        let query = Query::new("budget");
        let long = format!("{}\nbudget\n", "budget ".repeat(200));
        let found = scan(&query, "a.js", &long);
        assert_eq!(found.blocks.iter().map(|block| block.hits).sum::<u32>(), 1);
        assert_eq!(found.words, [FoundWord { place: 0, blocks: 2, last: 1 }]);
    }

    proptest! {
        #[test]
        fn scan_finds_the_same_words_as_a_digest(
            query in "([a-z]{1,5}|[A-Z][a-z]{0,3}|_|ä|Ö|検|索|[0-9]| ){1,8}",
            pieces in prop::collection::vec("([a-z]{1,5}|[A-Z]{1,3}|_|ä|Ö|検|索|[0-9]|[ .(]){0,12}", 0..20),
            path in "[a-z]{1,3}(/[a-zA-Z_]{1,4}){0,2}",
        ) {
            // The words of the query are among the others, in various forms.
            let text: String = pieces.iter().flat_map(|piece| [piece.as_str(), "\n", query.as_str()]).collect();
            for text in [text, pieces.join("")] {
                let query = Query::new(&query);
                let digest = Digest::of(&Text::new(&path, &text), Some(&query));
                let mut expected: Vec<usize> =
                    digest.postings.iter().filter_map(|posting| query.place_of(posting.word)).collect();
                let mut found: Vec<usize> = scan(&query, &path, &text).words.iter().map(|word| word.place).collect();
                expected.sort_unstable();
                expected.dedup();
                found.sort_unstable();
                // An empty file has no passages and so no words, not even those of its path.
                if !text.is_empty() {
                    prop_assert_eq!(found, expected, "{:?} {:?}", query, text);
                }
            }
        }
    }
}
