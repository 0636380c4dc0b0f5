//! How the files of a collection lean on each other.

use std::collections::BTreeMap;

use crate::digest::Digest;

/// How much of a file's weight goes to those that it is connected with.
const DAMPING: f64 = 0.85;

const ROUNDS: usize = 20;

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
pub(crate) fn weights(digests: &[&Digest]) -> Vec<Vec<f64>> {
    let edges = edges(digests);
    let ranks = ranks(digests.len(), &edges);
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

fn edges(digests: &[&Digest]) -> Vec<Edge> {
    struct Definer {
        file: usize,
        passage: usize,
    }
    let mut definers: BTreeMap<u64, Vec<Definer>> = BTreeMap::new();
    for (file, digest) in digests.iter().enumerate() {
        for one in digest.defined.chunk_by(|a, b| a.name == b.name) {
            let passage = usize::try_from(one[0].passage).unwrap_or_default();
            definers.entry(one[0].name).or_default().push(Definer { file, passage });
        }
    }
    let mut edges = Vec::new();
    for (from, digest) in digests.iter().enumerate() {
        for name in &digest.imported {
            let Some(found) = definers.get(name).filter(|found| found.len() <= MOST_DEFINERS) else {
                continue;
            };
            #[allow(clippy::cast_precision_loss, reason = "at most MOST_DEFINERS")]
            let weight = 1.0 / found.len() as f64;
            let others = found.iter().filter(|definer| definer.file != from);
            edges.extend(others.map(|to| Edge { from, to: to.file, passage: to.passage, weight }));
        }
    }
    edges
}

/// An undirected `PageRank`, of which the largest is 1.
fn ranks(count: usize, edges: &[Edge]) -> Vec<f64> {
    let mut degrees = vec![0.0; count];
    for edge in edges {
        degrees[edge.from] += edge.weight;
        degrees[edge.to] += edge.weight;
    }
    // What is connected with nothing has no weight.
    let own = |degree: &f64| if *degree > 0.0 { 1.0 } else { 0.0 };
    let mut ranks: Vec<f64> = degrees.iter().map(own).collect();
    for _ in 0..ROUNDS {
        let mut next: Vec<f64> = degrees.iter().map(|degree| own(degree) * (1.0 - DAMPING)).collect();
        for edge in edges {
            next[edge.to] += DAMPING * ranks[edge.from] * edge.weight / degrees[edge.from];
            next[edge.from] += DAMPING * ranks[edge.to] * edge.weight / degrees[edge.to];
        }
        ranks = next;
    }
    let most = ranks.iter().copied().fold(0.0, f64::max);
    ranks.iter().map(|rank| if most > 0.0 { rank / most } else { 0.0 }).collect()
}
