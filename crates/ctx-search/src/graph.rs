//! How the files of a collection lean on each other.

use crate::digest::Digest;

/// How much of a file's weight goes to those that it is connected with.
const DAMPING: f64 = 0.85;

/// How often weight goes round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounds {
    /// Where the weights are the score.
    Many,
    /// Where they only decide between scores that are nearly equal.
    Few,
}

impl Rounds {
    fn count(self) -> usize {
        match self {
            Self::Many => 20,
            Self::Few => 4,
        }
    }
}

/// A name that more files define tells nothing.
const MOST_DEFINERS: usize = 20;

/// The edge between a file that imports a name and one that defines it.
struct Edge {
    from: usize,
    to: usize,
    /// The passage of `to` that defines the name.
    passage: usize,
    weight: f64,
}

/// The weights of the passages of each digest, from 0 to 1: how much the rest of the collection leans on them.
pub(crate) fn weights(digests: &[&Digest], rounds: Rounds) -> Vec<Vec<f64>> {
    let edges = edges(digests);
    let ranks = ranks(digests.len(), &edges, rounds);
    let mut weights: Vec<Vec<f64>> =
        digests.iter().zip(&ranks).map(|(digest, rank)| vec![rank / 2.0; digest.passages.len()]).collect();
    for edge in &edges {
        if let Some(weight) = weights[edge.to].get_mut(edge.passage) {
            *weight += ranks[edge.from] * edge.weight;
        }
    }
    let most = weights.iter().flatten().copied().fold(0.0, f64::max);
    if most > 0.0 {
        weights.iter_mut().flatten().for_each(|weight| *weight /= most);
    }
    weights
}

/// A name that a passage of a file defines; of several passages of the file the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Definer {
    name: u64,
    file: usize,
    passage: usize,
}

/// A name that a file imports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Import {
    name: u64,
    file: usize,
}

fn edges(digests: &[&Digest]) -> Vec<Edge> {
    let (mut definers, mut imports) = (Vec::new(), Vec::new());
    for (file, digest) in digests.iter().enumerate() {
        definers.extend(digest.defined.chunk_by(|a, b| a.name == b.name).map(|one| Definer {
            name: one[0].name,
            file,
            passage: usize::try_from(one[0].passage).unwrap_or_default(),
        }));
        imports.extend(digest.imported.iter().map(|name| Import { name: *name, file }));
    }
    definers.sort_unstable();
    imports.sort_unstable();
    let mut edges = Vec::new();
    let mut rest = definers.as_slice();
    for same in imports.chunk_by(|a, b| a.name == b.name) {
        let name = same[0].name;
        let start = rest.iter().position(|definer| definer.name >= name).unwrap_or(rest.len());
        rest = &rest[start..];
        let count = rest.iter().take_while(|definer| definer.name == name).count();
        if count > MOST_DEFINERS {
            continue;
        }
        #[allow(clippy::cast_precision_loss, reason = "at most MOST_DEFINERS")]
        let weight = 1.0 / count as f64;
        for import in same {
            let others = rest[..count].iter().filter(|definer| definer.file != import.file);
            edges.extend(others.map(|to| Edge {
                from: import.file,
                to: to.file,
                passage: to.passage,
                weight,
            }));
        }
    }
    edges
}

/// An undirected `PageRank`, of which the largest is 1.
fn ranks(count: usize, edges: &[Edge], rounds: Rounds) -> Vec<f64> {
    let mut degrees = vec![0.0; count];
    for edge in edges {
        degrees[edge.from] += edge.weight;
        degrees[edge.to] += edge.weight;
    }
    // What is connected with nothing has no weight.
    let own = |degree: &f64| if *degree > 0.0 { 1.0 } else { 0.0 };
    let mut ranks: Vec<f64> = degrees.iter().map(own).collect();
    for _ in 0..rounds.count() {
        let shares: Vec<f64> = ranks
            .iter()
            .zip(&degrees)
            .map(|(rank, degree)| if *degree > 0.0 { DAMPING * rank / degree } else { 0.0 })
            .collect();
        let mut next: Vec<f64> = degrees.iter().map(|degree| own(degree) * (1.0 - DAMPING)).collect();
        for edge in edges {
            next[edge.to] += shares[edge.from] * edge.weight;
            next[edge.from] += shares[edge.to] * edge.weight;
        }
        ranks = next;
    }
    let most = ranks.iter().copied().fold(0.0, f64::max);
    ranks.iter().map(|rank| if most > 0.0 { rank / most } else { 0.0 }).collect()
}
