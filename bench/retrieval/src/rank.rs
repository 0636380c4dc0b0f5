//! Ways to rank, each a list of pieces of the corpus, the best first.

use std::cmp::Reverse;

use ctx_search::{Digest, Document, Keep, Lines, Message, Passage, Query, Score, rank, votes};
use ctx_tokens::Tokenizer;

use crate::graph::Graph;
use crate::plain::{Manner, Plain};
use crate::text::{Commit, File};

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
    digests: Vec<Digest>,
    history: Vec<Message>,
    /// Unless only `ctx` is asked.
    others: Option<Others<'c>>,
}

struct Others<'c> {
    tokens: Vec<u64>,
    whole: Plain,
    chunks: Plain,
    weights: Vec<Score>,
    graph: Graph<'c>,
}

/// The ways, in the order in which they are reported.
pub const WAYS: [&str; 7] = [
    "largest dropped",
    "path order",
    "BM25, whole files",
    "BM25, chunks of 512 words",
    "imports (PageRank)",
    "aider's graph",
    "ctx",
];

impl<'c> Corpus<'c> {
    pub fn new(files: &'c [File], history: Vec<Commit>, compares: bool) -> Self {
        let digests: Vec<Digest> = files
            .iter()
            .map(|file| Digest::of(&ctx_search::Text::new(&file.path, &file.text), Keep::All))
            .collect();
        let lines: Vec<usize> = files.iter().map(|file| file.text.lines().count().max(1)).collect();
        let others = compares.then(|| Others::new(files, &digests, &lines));
        let history =
            history.iter().map(|one| Message::new(&one.message, one.paths.iter().map(String::as_str)));
        let history = history.collect();
        Self { files, lines, digests, others, history }
    }

    /// How many tokens a piece has.
    pub fn tokens_of(&self, piece: &Piece) -> u64 {
        let lines = self.files[piece.file].text.split_inclusive('\n').skip(piece.lines.first - 1);
        let text: String = lines.take(piece.lines.last + 1 - piece.lines.first).collect();
        Tokenizer::O200k.count(&text)
    }

    /// The pieces in the order of a way.
    pub fn ranked(&self, way: usize, text: &str) -> Vec<Piece> {
        let all = |file: usize| Piece { file, lines: Lines { first: 1, last: self.lines[file] } };
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        match (way, &self.others) {
            (0, Some(others)) => order.sort_by_key(|file| (others.tokens[*file], *file)),
            (1, _) => {}
            (2, Some(others)) => return others.whole.ranked(text),
            (3, Some(others)) => return others.chunks.ranked(text),
            (4, Some(others)) => order.sort_by_key(|file| (Reverse(others.weights[*file]), *file)),
            (5, Some(others)) => return others.graph.ranked(text),
            _ => return self.passages(text),
        }
        order.into_iter().map(all).collect()
    }

    fn passages(&self, text: &str) -> Vec<Piece> {
        let Some(query) = Query::of(text) else { return Vec::new() };
        let votes = votes(&query, &self.history);
        let document = |(file, digest): (&'c File, _)| {
            let vote = votes.of(&file.path);
            Document { path: &file.path, digest, vote }
        };
        let documents: Vec<Document<'_>> = self.files.iter().zip(&self.digests).map(document).collect();
        let ranking = rank(Some(&query), &documents);
        let mut pieces: Vec<(Reverse<Score>, usize, usize)> = Vec::new();
        for (file, ranked) in ranking.iter().enumerate() {
            for (passage, score) in ranked.passages.iter().enumerate().filter(|(_, score)| score.0 > 0) {
                pieces.push((Reverse(*score), file, passage));
            }
        }
        pieces.sort_unstable();
        pieces
            .into_iter()
            .map(|(_, file, passage)| Piece { file, lines: self.digests[file].passages[passage].lines })
            .collect()
    }
}

impl<'c> Others<'c> {
    fn new(files: &'c [File], digests: &[Digest], lines: &[usize]) -> Self {
        let documents: Vec<Document<'_>> = files
            .iter()
            .zip(digests)
            .map(|(file, digest)| Document::new(&file.path, digest))
            .collect();
        let weights = rank(None, &documents).into_iter().map(|ranked| ranked.score).collect();
        let whole = |(file, last): (usize, &usize)| Piece { file, lines: Lines { first: 1, last: *last } };
        let passages: Vec<&[Passage]> = digests.iter().map(|digest| digest.passages.as_slice()).collect();
        Self {
            tokens: files.iter().map(|file| Tokenizer::O200k.count(&file.text)).collect(),
            whole: Plain::new(files, Manner::Whole),
            chunks: Plain::new(files, Manner::Chunks),
            weights,
            graph: Graph::new(files, &passages, lines.iter().enumerate().map(whole).collect()),
        }
    }
}
