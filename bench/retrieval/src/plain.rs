//! BM25 as a good script would implement it: over the lower-cased words of whole files or of chunks.

use std::collections::HashMap;

use ctx_search::Lines;

use crate::rank::Piece;
use crate::text::File;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// English words that are ignored in chunks.
const STOP: [&str; 36] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "from", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "s", "such", "t", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
];

/// How a file is divided, and which of its words are used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// The whole file, with every word.
    Whole,
    /// Chunks of 512 words that overlap by 128, stemmed and without stop words.
    Chunks,
}

const CHUNK: usize = 512;
const OVERLAP: usize = 128;

/// Pieces of a corpus with their words.
pub struct Plain {
    manner: Manner,
    pieces: Vec<Piece>,
    lengths: Vec<f64>,
    postings: HashMap<String, Vec<(usize, f64)>>,
}

impl Plain {
    pub fn new(files: &[File], manner: Manner) -> Self {
        let mut plain = Self { manner, pieces: Vec::new(), lengths: Vec::new(), postings: HashMap::new() };
        for (file, File { text, .. }) in files.iter().enumerate() {
            for (lines, text) in cut(text, manner) {
                plain.add(Piece { file, lines }, text);
            }
        }
        plain
    }

    fn add(&mut self, piece: Piece, text: &str) {
        let place = self.pieces.len();
        let mut counts: HashMap<String, f64> = HashMap::new();
        let mut length = 0.0;
        for word in words(text, self.manner) {
            *counts.entry(word).or_default() += 1.0;
            length += 1.0;
        }
        for (word, count) in counts {
            self.postings.entry(word).or_default().push((place, count));
        }
        self.pieces.push(piece);
        self.lengths.push(length);
    }

    /// The pieces that contain a word of the query, best first.
    pub fn ranked(&self, query: &str) -> Vec<Piece> {
        #[allow(clippy::cast_precision_loss)]
        let count = self.pieces.len() as f64;
        let average = self.lengths.iter().sum::<f64>() / count.max(1.0);
        let mut scores = vec![0.0; self.pieces.len()];
        for word in words(query, self.manner) {
            let Some(postings) = self.postings.get(&word) else { continue };
            #[allow(clippy::cast_precision_loss)]
            let found = postings.len() as f64;
            let rarity = (1.0 + (count - found + 0.5) / (found + 0.5)).ln();
            for (place, often) in postings {
                let norm = K1 * (1.0 - B + B * self.lengths[*place] / average);
                scores[*place] += rarity * often * (K1 + 1.0) / (often + norm);
            }
        }
        let mut order: Vec<usize> = (0..scores.len()).filter(|place| scores[*place] > 0.0).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        order.into_iter().map(|place| self.pieces[place]).collect()
    }
}

fn words(text: &str, manner: Manner) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.map(str::to_lowercase).filter_map(move |word| match manner {
        Manner::Whole => Some(word),
        Manner::Chunks => (!STOP.contains(&word.as_str())).then(|| stem(&word).to_owned()),
    })
}

/// The word without its longest known ending, if that leaves at least three bytes.
fn stem(word: &str) -> &str {
    let ending = ["ingly", "edly", "ing", "ies", "ed", "es", "ly", "s", "e", "y"];
    let stems = ending.iter().filter_map(|ending| word.strip_suffix(ending));
    stems.filter(|stem| stem.len() >= 3).min_by_key(|stem| stem.len()).unwrap_or(word)
}

fn cut(text: &str, manner: Manner) -> Vec<(Lines, &str)> {
    let count = text.lines().count().max(1);
    if manner == Manner::Whole {
        return vec![(Lines { first: 1, last: count }, text)];
    }
    let starts: Vec<usize> =
        text.split_whitespace().map(|word| word.as_ptr() as usize - text.as_ptr() as usize).collect();
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let mut chunks = Vec::new();
    for first in (0..starts.len().max(1)).step_by(CHUNK - OVERLAP) {
        let start = starts.get(first).copied().unwrap_or(0);
        let end = starts.get(first + CHUNK).copied().unwrap_or(text.len());
        let last = text[..end].trim_end().len();
        chunks.push((Lines { first: line_of(start), last: line_of(last) }, &text[start..end]));
        if first + CHUNK >= starts.len() {
            break;
        }
    }
    chunks
}
