//! Ways of ranking. Each lists pieces of the corpus, best first.

use std::cmp::Reverse;

use ctx_search::{
    Digest, Document, FileKind, Lines, Message, Passage, Query, Ranked, Scan, Scanned, Scanner, Score, Text,
    WordCache, rank, rank_among, votes, worth_cutting,
};
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

/// What the ways of ranking need to know about a corpus, computed once.
pub struct Corpus<'c> {
    pub files: &'c [File],
    lines: Vec<usize>,
    history: Vec<Message>,
    /// The data for the other ways; `None` if only `ctx` is measured.
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
pub const WAYS: [&str; 8] = [
    "largest dropped",
    "path order",
    "BM25, whole files",
    "BM25, chunks of 512 words",
    "imports (PageRank)",
    "aider's graph",
    "ctx, all cut",
    "ctx",
];

impl<'c> Corpus<'c> {
    pub fn new(files: &'c [File], history: Vec<Commit>, compares: bool) -> Self {
        let lines: Vec<usize> = files.iter().map(|file| file.text.lines().count().max(1)).collect();
        let others = compares.then(|| Others::new(files, &lines));
        let history =
            history.iter().map(|one| Message::new(&one.message, one.paths.iter().map(String::as_str)));
        let history = history.collect();
        Self { files, lines, others, history }
    }

    /// How many tokens a piece has.
    pub fn tokens_of(&self, piece: &Piece) -> u64 {
        let lines = self.files[piece.file].text.split_inclusive('\n').skip(piece.lines.first - 1);
        let text: String = lines.take(piece.lines.last + 1 - piece.lines.first).collect();
        Tokenizer::O200k.count(&text)
    }

    /// The pieces in the order in which this way ranks them.
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
            (6, _) => return self.passages(text, |_, texts| (0..texts.len()).collect()),
            _ => return self.passages(text, worth_cutting),
        }
        order.into_iter().map(all).collect()
    }

    /// The passages of the files that `chosen` selects, as `ctx` ranks them: it scans all files, but cuts
    /// only some into passages.
    fn passages(&self, text: &str, chosen: impl Fn(&Query, &[Scanned<'_>]) -> Vec<usize>) -> Vec<Piece> {
        let Some(query) = Query::of(text) else { return Vec::new() };
        let votes = votes(&query, &self.history);
        let (scanner, mut cache) = (Scanner::new(&query), WordCache::default());
        let scans: Vec<Scan> =
            self.files.iter().map(|file| scanner.scan(&file.path, &file.text, &mut cache)).collect();
        let scanned = self.files.iter().zip(&scans);
        let scanned: Vec<Scanned<'_>> = scanned
            .map(|(file, scan)| Scanned {
                path: &file.path,
                kind: FileKind::of(&file.path),
                scan,
                vote: votes.of(&file.path),
            })
            .collect();
        let mut digests: Vec<Option<Digest>> = vec![None; self.files.len()];
        for place in chosen(&query, &scanned) {
            let file = &self.files[place];
            digests[place] = Some(Digest::of(&Text::new(&file.path, &file.text), Some(&query)));
        }
        let digests: Vec<Option<&Digest>> = digests.iter().map(Option::as_ref).collect();
        let ranking = rank_among(&query, &scanned, &digests);
        let matching = |(file, ranked): (usize, &Ranked)| {
            let scored = ranked.passages.iter().copied().enumerate().filter(|(_, score)| score.0 > 0);
            scored.map(move |(passage, score)| (Reverse(score), file, passage)).collect::<Vec<_>>()
        };
        let mut pieces: Vec<(Reverse<Score>, usize, usize)> =
            ranking.iter().enumerate().flat_map(matching).collect();
        pieces.sort_unstable();
        let piece = |(_, file, passage): (Reverse<Score>, usize, usize)| {
            Some(Piece { file, lines: digests[file]?.passages[passage].lines })
        };
        pieces.into_iter().filter_map(piece).collect()
    }
}

impl<'c> Others<'c> {
    fn new(files: &'c [File], lines: &[usize]) -> Self {
        let digests: Vec<Digest> =
            files.iter().map(|file| Digest::of(&Text::new(&file.path, &file.text), None)).collect();
        let documents: Vec<Document<'_>> =
            files.iter().zip(&digests).map(|(file, digest)| Document::new(&file.path, digest)).collect();
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
