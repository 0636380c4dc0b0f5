//! Ways to rank, each a list of pieces of the corpus, the best first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ctx_search::{Digest, Keep, Lines, Query, Score, rank};

use crate::text::File;

/// A piece of a file.
#[derive(Clone, Copy)]
pub struct Piece {
    pub file: usize,
    pub lines: Lines,
}

/// What the ways to rank need to know of a corpus, made once.
pub struct Corpus<'c> {
    pub files: &'c [File],
    lines: Vec<usize>,
    tokens: Vec<u64>,
    digests: Vec<Digest>,
    whole: Vec<Digest>,
    chunks: Vec<Digest>,
    weights: Vec<Score>,
}

/// The ways, in the order in which they are reported.
pub const WAYS: [&str; 6] = [
    "largest dropped",
    "path order",
    "BM25, whole files",
    "BM25, 512-word chunks",
    "imports (PageRank)",
    "ctx",
];

const CHUNK_WORDS: usize = 512;

impl<'c> Corpus<'c> {
    pub fn new(files: &'c [File], tokens: Vec<u64>) -> Self {
        let digests: Vec<Digest> = files
            .iter()
            .map(|file| Digest::of(&ctx_search::Text::new(&file.path, &file.text), Keep::All))
            .collect();
        let weights =
            rank(None, &digests.iter().collect::<Vec<_>>()).into_iter().map(|ranked| ranked.score).collect();
        Self {
            files,
            lines: files.iter().map(|file| file.text.lines().count().max(1)).collect(),
            tokens,
            whole: files.iter().zip(&digests).map(|(_, digest)| merged(digest, |_| 0)).collect(),
            chunks: files.iter().zip(&digests).map(|(file, digest)| chunked(&file.text, digest)).collect(),
            digests,
            weights,
        }
    }

    /// The pieces in the order of a way.
    pub fn ranked(&self, way: usize, text: &str) -> Vec<Piece> {
        let all = |file: usize| Piece { file, lines: Lines { first: 1, last: self.lines[file] } };
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        match way {
            0 => order.sort_by_key(|file| (self.tokens[*file], *file)),
            1 => {}
            2 => return self.pieces(&self.whole, text, Mix::Words),
            3 => return self.pieces(&self.chunks, text, Mix::Words),
            4 => order.sort_by_key(|file| (Reverse(self.weights[*file]), *file)),
            _ => return self.pieces(&self.digests, text, Mix::All),
        }
        order.into_iter().map(all).collect()
    }

    fn pieces(&self, digests: &[Digest], text: &str, mix: Mix) -> Vec<Piece> {
        let Some(query) = Query::of(text) else { return Vec::new() };
        let bare: Vec<Digest>;
        let digests: Vec<&Digest> = match mix {
            Mix::All => digests.iter().collect(),
            Mix::Words => {
                bare = digests
                    .iter()
                    .map(|digest| Digest { defined: Vec::new(), imported: Vec::new(), ..digest.clone() })
                    .collect();
                bare.iter().collect()
            }
        };
        let ranking = rank(Some(&query), &digests);
        let mut pieces: Vec<(Reverse<Score>, usize, usize)> = Vec::new();
        for (file, ranked) in ranking.iter().enumerate() {
            for (passage, score) in ranked.passages.iter().enumerate().filter(|(_, score)| score.0 > 0) {
                pieces.push((Reverse(*score), file, passage));
            }
        }
        pieces.sort_unstable();
        pieces
            .into_iter()
            .map(|(_, file, passage)| Piece { file, lines: digests[file].passages[passage].lines })
            .collect()
    }
}

#[derive(Clone, Copy)]
enum Mix {
    /// Everything that the crate knows.
    All,
    /// Neither definitions nor imports.
    Words,
}

/// A digest with passages put together.
fn merged(digest: &Digest, group: impl Fn(usize) -> u32) -> Digest {
    let mut merged =
        Digest { defined: digest.defined.clone(), imported: digest.imported.clone(), ..Digest::default() };
    for (place, passage) in digest.passages.iter().enumerate() {
        let at = group(place) as usize;
        match merged.passages.get_mut(at) {
            Some(last) => {
                last.lines.last = passage.lines.last;
                last.length += passage.length;
            }
            None => merged.passages.push(*passage),
        }
    }
    let mut counts: BTreeMap<(ctx_search::Word, u32), u32> = BTreeMap::new();
    for posting in &digest.postings {
        *counts.entry((posting.word, group(posting.passage as usize))).or_default() += posting.count;
    }
    merged.postings = counts
        .into_iter()
        .map(|((word, passage), count)| ctx_search::Posting { word, passage, count })
        .collect();
    merged
}

/// Passages put together until they have 512 words or more, as an index of chunks has them.
fn chunked(text: &str, digest: &Digest) -> Digest {
    let lines: Vec<&str> = text.lines().collect();
    let (mut chunk, mut words) = (0, 0);
    let mut groups = Vec::with_capacity(digest.passages.len());
    for passage in &digest.passages {
        if words >= CHUNK_WORDS {
            (chunk, words) = (chunk + 1, 0);
        }
        groups.push(chunk);
        let lines = &lines[passage.lines.first - 1..passage.lines.last.min(lines.len())];
        words += lines.iter().map(|line| line.split_whitespace().count()).sum::<usize>();
    }
    merged(digest, |place| groups[place])
}
