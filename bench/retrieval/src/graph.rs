//! Ranks files and their definitions as aider's repository map does: by a personalised PageRank in which each
//! file votes for the files that define what it mentions. The constants are those of aider's `repomap.py`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ctx_outline::{Declaration, Kind, Language, outline};
use ctx_search::Passage;

use crate::rank::Piece;
use crate::text::File;

const DAMPING: f64 = 0.85;
const TOLERANCE: f64 = 1e-6;
const ROUNDS: usize = 100;

/// A name, with the files that define it and the files that mention it.
struct Name<'c> {
    text: &'c str,
    /// The files that define it.
    definers: Vec<usize>,
    /// The files that mention it.
    mentions: Vec<Mention>,
}

struct Mention {
    file: usize,
    weight: f64,
}

/// An edge of the graph.
struct Edge {
    to: usize,
    weight: f64,
}

/// The definitions and mentions in a corpus, collected once for all queries.
pub struct Graph<'c> {
    files: &'c [File],
    names: Vec<Name<'c>>,
    /// The pieces in which a file defines a name.
    pieces: HashMap<(usize, &'c str), Vec<Piece>>,
    whole: Vec<Piece>,
}

impl<'c> Graph<'c> {
    /// Builds the graph of `files`, which are cut into these passages.
    pub fn new(files: &'c [File], passages: &[&[Passage]], whole: Vec<Piece>) -> Self {
        let mut pieces: HashMap<(usize, &str), Vec<Piece>> = HashMap::new();
        for (file, File { path, text }) in files.iter().enumerate() {
            let Some(language) = Language::of_path(path) else { continue };
            for declaration in outline(text, language).declarations().iter().filter(|one| is_name(one)) {
                if let Some(lines) = lines_of(declaration, text, passages[file]) {
                    pieces.entry((file, declaration.name)).or_default().push(Piece { file, lines });
                }
            }
        }
        let mut definers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        pieces.keys().for_each(|(file, name)| definers.entry(name).or_default().push(*file));
        let mut mentions: HashMap<&str, Vec<Mention>> = HashMap::new();
        for (file, File { text, .. }) in files.iter().enumerate() {
            for (name, count) in mentioned(text, &definers) {
                let own = pieces.get(&(file, name)).map_or(0, Vec::len);
                #[allow(clippy::cast_precision_loss)]
                let weight = (count.saturating_sub(own) as f64).sqrt();
                if weight > 0.0 {
                    mentions.entry(name).or_default().push(Mention { file, weight });
                }
            }
        }
        let name = |(text, mut definers): (&'c str, Vec<usize>)| {
            definers.sort_unstable();
            Name { text, definers, mentions: mentions.remove(text).unwrap_or_default() }
        };
        Self { files, names: definers.into_iter().map(name).collect(), pieces, whole }
    }

    /// The passages with definitions, highest rank first, then the files that define nothing.
    pub fn ranked(&self, query: &str) -> Vec<Piece> {
        let asked: HashSet<&str> = words(query).collect();
        let edges = self.edges(&asked);
        let ranks = page_rank(&edges, &self.preferred(&asked));
        let totals: Vec<f64> = edges.iter().map(|edges| edges.iter().map(|edge| edge.weight).sum()).collect();
        let mut definitions: Vec<(f64, usize, &str)> = Vec::new();
        for name in &self.names {
            let factor = factor(name, &asked);
            let share = |mention: &Mention| {
                ranks[mention.file] * factor * mention.weight / totals[mention.file].max(f64::MIN_POSITIVE)
            };
            let rank: f64 = name.mentions.iter().map(share).sum();
            definitions.extend(name.definers.iter().map(|file| (rank, *file, name.text)));
        }
        definitions.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut rest: Vec<usize> = (0..self.files.len()).collect();
        rest.sort_by(|a, b| ranks[*b].total_cmp(&ranks[*a]).then(a.cmp(b)));
        let defined: HashSet<usize> = definitions.iter().map(|(_, file, _)| *file).collect();
        let pieces = definitions.iter().flat_map(|(_, file, name)| &self.pieces[&(*file, *name)]).copied();
        let mut seen = BTreeSet::new();
        let rest = rest.into_iter().filter(|file| !defined.contains(file)).map(|file| self.whole[file]);
        pieces.filter(|piece| seen.insert((piece.file, piece.lines))).chain(rest).collect()
    }

    /// The edges from each file to the files that define what it mentions.
    fn edges(&self, asked: &HashSet<&str>) -> Vec<Vec<Edge>> {
        let mut edges: Vec<HashMap<usize, f64>> = vec![HashMap::new(); self.files.len()];
        for name in &self.names {
            let factor = factor(name, asked);
            for to in &name.definers {
                for mention in &name.mentions {
                    *edges[mention.file].entry(*to).or_default() += factor * mention.weight;
                }
                if name.mentions.is_empty() {
                    *edges[*to].entry(*to).or_default() += 0.1;
                }
            }
        }
        let in_order = |edges: HashMap<usize, f64>| {
            let mut edges: Vec<Edge> = edges.into_iter().map(|(to, weight)| Edge { to, weight }).collect();
            edges.sort_by_key(|edge| Reverse(edge.to));
            edges
        };
        edges.into_iter().map(in_order).collect()
    }

    /// The probability that a walk begins at each file: the same for all files whose paths contain a word of
    /// the query or, if there are none, for all files.
    fn preferred(&self, asked: &HashSet<&str>) -> Vec<f64> {
        let lower: HashSet<String> =
            asked.iter().filter(|word| word.len() >= 5).map(|word| word.to_lowercase()).collect();
        let is_asked = |file: &File| {
            let name = file.path.rsplit('/').next().unwrap_or_default();
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            file.path.split('/').any(|part| asked.contains(part))
                || asked.contains(stem)
                || lower.contains(&stem.to_lowercase())
        };
        let mut preferred: Vec<f64> =
            self.files.iter().map(|file| f64::from(u8::from(is_asked(file)))).collect();
        if preferred.iter().sum::<f64>() == 0.0 {
            preferred.fill(1.0);
        }
        let sum: f64 = preferred.iter().sum();
        preferred.iter_mut().for_each(|share| *share /= sum);
        preferred
    }
}

fn is_name(declaration: &Declaration<'_>) -> bool {
    let is_code = !matches!(declaration.kind, Kind::Implementation | Kind::Section | Kind::Key);
    is_code && !declaration.name.is_empty()
}

/// The lines of the passage in which a declaration's name first appears.
fn lines_of(declaration: &Declaration<'_>, text: &str, passages: &[Passage]) -> Option<ctx_search::Lines> {
    let range = declaration.lines;
    let lines = (range.first..).zip(text.lines().skip(range.first - 1)).take(range.count());
    let line = lines.filter(|(_, line)| line.contains(declaration.name)).map(|(number, _)| number).next()?;
    passages.iter().map(|passage| passage.lines).find(|lines| (lines.first..=lines.last).contains(&line))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// How often each defined name occurs in `text`.
fn mentioned<'c>(text: &str, definers: &BTreeMap<&'c str, Vec<usize>>) -> BTreeMap<&'c str, usize> {
    let mut counts = BTreeMap::new();
    for word in words(text) {
        if let Some((name, _)) = definers.get_key_value(word) {
            *counts.entry(*name).or_default() += 1;
        }
    }
    counts
}

fn factor(name: &Name<'_>, asked: &HashSet<&str>) -> f64 {
    let text = name.text;
    let has = |is: fn(&char) -> bool| text.chars().any(|c| is(&c));
    let is_compound = text.contains('_') || (has(|c| c.is_uppercase()) && has(|c| c.is_lowercase()));
    let mut factor = 1.0;
    if asked.contains(text) {
        factor *= 10.0;
    }
    if is_compound && text.len() >= 8 {
        factor *= 10.0;
    }
    if text.starts_with('_') {
        factor *= 0.1;
    }
    if name.definers.len() > 5 {
        factor *= 0.1;
    }
    factor
}

fn page_rank(edges: &[Vec<Edge>], preferred: &[f64]) -> Vec<f64> {
    #[allow(clippy::cast_precision_loss)]
    let count = edges.len() as f64;
    let totals: Vec<f64> = edges.iter().map(|edges| edges.iter().map(|edge| edge.weight).sum()).collect();
    let mut ranks = vec![1.0 / count; edges.len()];
    for _ in 0..ROUNDS {
        let idle: f64 =
            ranks.iter().zip(&totals).filter(|(_, total)| **total == 0.0).map(|(rank, _)| rank).sum();
        let base = 1.0 - DAMPING + DAMPING * idle;
        let mut next: Vec<f64> = preferred.iter().map(|share| share * base).collect();
        for (from, edges) in edges.iter().enumerate() {
            for edge in edges {
                next[edge.to] += DAMPING * ranks[from] * edge.weight / totals[from];
            }
        }
        let change: f64 = next.iter().zip(&ranks).map(|(a, b)| (a - b).abs()).sum();
        ranks = next;
        if change < count * TOLERANCE {
            break;
        }
    }
    ranks
}
