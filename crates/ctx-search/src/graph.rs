//! How much the files of a collection depend on each other.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use crate::digest::Digest;
use crate::score::scale;

/// The share of a file's weight that goes to connected files.
const DAMPING: f64 = 0.85;

/// The number of iterations of PageRank.
const ITERATIONS: usize = 20;

/// A name that more files than this define is ignored.
const MOST_DEFINERS: usize = 20;

/// How much the rest of a collection depends on each passage, from 0 to 1, file by file.
pub(crate) fn weights(digests: &[&Digest]) -> Vec<f64> {
    let graph = Graph::of(digests);
    let ranks = graph.ranks(digests.len());
    let (mut weights, mut firsts) = (Vec::new(), Vec::with_capacity(digests.len()));
    for (digest, rank) in digests.iter().zip(&ranks) {
        firsts.push(weights.len());
        weights.resize(weights.len() + digest.passages.len(), rank / 2.0);
    }
    for name in graph.names() {
        for (definer, gain) in gains(name.importers, name.definers, &ranks) {
            if let Some(weight) = weights.get_mut(firsts[definer.file as usize] + definer.passage as usize) {
                *weight += gain * name.weight;
            }
        }
    }
    scale(&mut weights);
    weights
}

/// What files import and define.
struct Graph {
    importers: Members,
    definers: Members,
}

/// A name that some files import and a few define. Each importer is connected with each definer, but no file with
/// itself.
struct Name<'g> {
    importers: &'g [Member],
    definers: &'g [Member],
    /// The weight of each connection.
    weight: f64,
}

/// A file that defines or imports a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Member {
    file: u32,
    /// The first passage that defines the name.
    passage: u32,
    /// Whether the file both defines and imports it.
    does_both: bool,
}

/// A file that defines or imports a name.
struct Mention {
    name: u32,
    member: Member,
}

impl Graph {
    fn of(digests: &[&Digest]) -> Self {
        // Most names are defined but never imported, and need no number.
        let imported = Filter::of(imports(digests).map(|(name, _)| name));
        // Keyed by names, which are hashes already.
        let mut numbers: HashMap<u64, u32, BuildHasherDefault<Itself>> = HashMap::default();
        let mut number = |name: u64| {
            let next = u32::try_from(numbers.len()).ok()?;
            Some(*numbers.entry(name).or_insert(next))
        };
        let shared = definitions(digests).filter(|(name, _)| imported.may_have(*name));
        let definitions: Vec<Mention> =
            shared.filter_map(|(name, member)| Some(Mention { name: number(name)?, member })).collect();
        let known = |(name, member)| Some(Mention { name: *numbers.get(&name)?, member });
        let imports: Vec<Mention> = imports(digests).filter_map(known).collect();
        let count = numbers.len();
        let mut graph =
            Self { importers: Members::of(&imports, count), definers: Members::of(&definitions, count) };
        (0..count).for_each(|name| graph.mark(name));
        graph
    }

    /// Marks the files that both import and define a name.
    fn mark(&mut self, name: usize) {
        let importers = self.importers.of_name_mut(name);
        for definer in self.definers.of_name_mut(name) {
            if let Ok(place) = importers.binary_search_by_key(&definer.file, |importer| importer.file) {
                (definer.does_both, importers[place].does_both) = (true, true);
            }
        }
    }

    fn names(&self) -> impl Iterator<Item = Name<'_>> {
        (0..self.definers.ends.len()).filter_map(|name| {
            let (importers, definers) = (self.importers.of_name(name), self.definers.of_name(name));
            #[allow(clippy::cast_precision_loss, reason = "at most MOST_DEFINERS")]
            let weight = 1.0 / definers.len() as f64;
            (definers.len() <= MOST_DEFINERS).then_some(Name { importers, definers, weight })
        })
    }

    /// The undirected `PageRank` of this many files, scaled so that the largest is 1.
    fn ranks(&self, files: usize) -> Vec<f64> {
        let degrees = self.exchange(&vec![1.0; files]);
        // A file without connections has no weight.
        let own = |degree: &f64| if *degree > 0.0 { 1.0 } else { 0.0 };
        let mut ranks: Vec<f64> = degrees.iter().map(own).collect();
        for _ in 0..ITERATIONS {
            let share =
                |(rank, degree): (&f64, &f64)| if *degree > 0.0 { DAMPING * rank / degree } else { 0.0 };
            let shares: Vec<f64> = ranks.iter().zip(&degrees).map(share).collect();
            let gains = self.exchange(&shares);
            let sum = |(degree, gain): (&f64, f64)| own(degree) * (1.0 - DAMPING) + gain;
            ranks = degrees.iter().zip(gains).map(sum).collect();
        }
        scale(&mut ranks);
        ranks
    }

    /// What each file receives if each sends its weight along its connections.
    fn exchange(&self, have: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; have.len()];
        for Name { importers, definers, weight } in self.names() {
            gains(importers, definers, have).for_each(|(to, gain)| all[to.file as usize] += gain * weight);
            gains(definers, importers, have).for_each(|(to, gain)| all[to.file as usize] += gain * weight);
        }
        all
    }
}

/// What each file on one side of a name receives if each file on the other side sends its weight, but not to
/// itself.
fn gains<'n>(from: &[Member], to: &'n [Member], have: &'n [f64]) -> impl Iterator<Item = (&'n Member, f64)> {
    let all: f64 = from.iter().map(|member| have[member.file as usize]).sum();
    let own = |member: &Member| if member.does_both { have[member.file as usize] } else { 0.0 };
    to.iter().map(move |member| (member, all - own(member)))
}

/// The names that files define, once per file.
fn definitions<'d>(digests: &'d [&Digest]) -> impl Iterator<Item = (u64, Member)> + 'd {
    (0..).zip(digests).flat_map(|(file, digest)| {
        let names = digest.defined.chunk_by(|a, b| a.name == b.name);
        names.map(move |same| (same[0].name, Member { file, passage: same[0].passage, ..Member::default() }))
    })
}

/// The names that files import.
fn imports<'d>(digests: &'d [&Digest]) -> impl Iterator<Item = (u64, Member)> + Clone + 'd {
    (0..).zip(digests).flat_map(|(file, digest)| {
        digest.imported.iter().map(move |name| (*name, Member { file, ..Member::default() }))
    })
}

/// The files that define or import names, grouped by name, in the order of the files.
struct Members {
    members: Vec<Member>,
    /// Where the files of each name end.
    ends: Vec<usize>,
}

impl Members {
    fn of(mentions: &[Mention], names: usize) -> Self {
        let mut ends = vec![0; names];
        mentions.iter().for_each(|mention| ends[mention.name as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            (*end, sum) = (sum, sum + *end);
        }
        let mut members = vec![Member::default(); mentions.len()];
        for Mention { name, member } in mentions {
            let end = &mut ends[*name as usize];
            members[*end] = *member;
            *end += 1;
        }
        Self { members, ends }
    }

    fn range_of(&self, name: usize) -> Range<usize> {
        let start = name.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[name]
    }

    fn of_name(&self, name: usize) -> &[Member] {
        &self.members[self.range_of(name)]
    }

    fn of_name_mut(&mut self, name: usize) -> &mut [Member] {
        let range = self.range_of(name);
        &mut self.members[range]
    }
}

/// Quickly rules out most names that are not in a set.
struct Filter {
    bits: Vec<u64>,
}

impl Filter {
    fn of(names: impl Iterator<Item = u64> + Clone) -> Self {
        let words = (names.clone().count() / 8).next_power_of_two();
        let mut filter = Self { bits: vec![0; words] };
        for name in names {
            let slot = filter.slot(name);
            filter.bits[slot] |= 1 << (name % 64);
        }
        filter
    }

    fn slot(&self, name: u64) -> usize {
        usize::try_from(name >> 6).unwrap_or_default() & (self.bits.len() - 1)
    }

    fn may_have(&self, name: u64) -> bool {
        self.bits[self.slot(name)] & (1 << (name % 64)) != 0
    }
}

/// A hasher for keys that are hashes already: it returns them unchanged.
#[derive(Debug, Default)]
pub(crate) struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }
}
