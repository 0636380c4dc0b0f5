//! Votes from the messages of earlier commits: the one source of meaning that needs no model.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::collection::K1;
use crate::graph::Itself;
use crate::query::Query;
use crate::score::rarity;
use crate::word::{Word, each_word, hash};

/// Only this many bytes of a message count.
pub const LONGEST_MESSAGE: usize = 2_000;

/// A commit that changed more files than this doesn't vote.
const MOST_FILES: usize = 40;

/// How many commits vote: the ones that match the query best.
const VOTERS: usize = 50;

/// Length penalty of BM25 for messages, from 0 to 1.
const B: f64 = 0.4;

/// A commit: the words of its message and the files that it changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Message {
    /// The words of the message, in order.
    pub words: Vec<Word>,
    /// The hashes of the paths.
    pub paths: Vec<u64>,
}

impl Message {
    /// Reads a message; the paths have `/` between the names.
    #[must_use]
    pub fn new<'p>(text: &str, paths: impl Iterator<Item = &'p str>) -> Self {
        let end = (0..=LONGEST_MESSAGE.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
        let mut words = Vec::new();
        each_word(&text[..end.unwrap_or_default()], &mut |word| words.push(word));
        Self { words, paths: paths.map(|path| hash(path.as_bytes())).collect() }
    }
}

/// How much each file is related to the commits whose messages match a query.
#[derive(Debug, Clone, Default)]
pub struct Votes(HashMap<u64, f64, BuildHasherDefault<Itself>>);

impl Votes {
    /// The votes for a file, from 0 to 1.
    #[must_use]
    pub fn of(&self, path: &str) -> f64 {
        self.0.get(&hash(path.as_bytes())).copied().unwrap_or(0.0)
    }
}

/// The votes of messages for a query.
#[must_use]
pub fn votes(query: &Query, messages: &[Message]) -> Votes {
    let counts: Vec<Vec<u32>> = messages.iter().map(|message| counts(query, &message.words)).collect();
    #[allow(clippy::cast_precision_loss, reason = "a count of what is in memory")]
    let exact = |count: usize| count as f64;
    let average =
        exact(messages.iter().map(|message| message.words.len()).sum()) / exact(messages.len().max(1));
    let found = |place: usize| counts.iter().filter(|counts| counts[place] > 0).count();
    let rarity: Vec<f64> =
        (0..query.words().len()).map(|place| rarity(exact(messages.len()), exact(found(place)))).collect();
    let scores = query.blended(messages.len(), |asked| {
        let weights: Vec<f64> = asked.iter().zip(&rarity).map(|(asked, rarity)| asked * rarity).collect();
        let score = |(message, counts): (&'_ Message, &Vec<u32>)| {
            let norm = K1 * (1.0 - B + B * exact(message.words.len()) / average);
            let score = |(weight, often): (&f64, &u32)| {
                weight * f64::from(*often) * (K1 + 1.0) / (f64::from(*often) + norm)
            };
            weights.iter().zip(counts).map(score).sum::<f64>()
        };
        messages.iter().zip(&counts).map(score).collect()
    });
    let votes = |place: &usize| scores[*place] > 0.0 && messages[*place].paths.len() <= MOST_FILES;
    let mut voters: Vec<usize> = (0..messages.len()).filter(votes).collect();
    voters.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    voters.truncate(VOTERS);
    let mut votes = Votes::default();
    let Some(best) = voters.first().map(|voter| scores[*voter]) else { return votes };
    for voter in voters {
        for path in &messages[voter].paths {
            *votes.0.entry(*path).or_default() += (scores[voter] / best).powi(2);
        }
    }
    let most = votes.0.values().copied().fold(0.0, f64::max);
    votes.0.values_mut().for_each(|vote| *vote /= most);
    votes
}

/// How often each word of a query occurs among words.
fn counts(query: &Query, words: &[Word]) -> Vec<u32> {
    let mut counts = vec![0; query.words().len()];
    words.iter().filter_map(|word| query.place_of(*word)).for_each(|place| counts[place] += 1);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str, paths: &[&str]) -> Message {
        Message::new(text, paths.iter().copied())
    }

    #[test]
    fn votes_go_to_the_files_of_matching_commits() {
        let messages = [
            message("Drop the largest files first", &["src/budget.rs", "src/main.rs"]),
            message("Count tokens", &["src/tokens.rs"]),
            message("Drop nothing that is pinned", &["src/budget.rs"]),
        ];
        let votes = votes(&Query::new("what is dropped?"), &messages);
        assert_eq!((votes.of("src/budget.rs"), votes.of("src/tokens.rs")), (1.0, 0.0));
        assert!(votes.of("src/main.rs") > 0.0 && votes.of("src/main.rs") < 1.0);
    }

    #[test]
    fn votes_of_commits_with_too_many_files_do_not_count() {
        let paths: Vec<String> = (0..=MOST_FILES).map(|number| format!("{number}.rs")).collect();
        let all = Message::new("Reformat the budget", paths.iter().map(String::as_str));
        let votes = votes(&Query::new("budget"), &[all, message("Budget", &["a.rs"])]);
        assert_eq!((votes.of("0.rs"), votes.of("a.rs")), (0.0, 1.0));
    }

    #[test]
    fn votes_of_long_messages_depend_only_on_their_beginning() {
        let long = format!("{}ö budget", "x ".repeat(LONGEST_MESSAGE / 2 - 1) + "y");
        assert_eq!(votes(&Query::new("budget"), &[message(&long, &["a.rs"])]).of("a.rs"), 0.0);
        assert_eq!(votes(&Query::new("budget"), &[]).of("a.rs"), 0.0);
    }
}
