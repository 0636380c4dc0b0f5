#![doc = include_str!("../README.md")]

mod digest;
mod graph;
mod imports;
mod lines;
mod passage;
mod query;
mod rank;
mod stem;
mod tally;
mod word;

pub use ctx_outline::Lines;
pub use digest::{Definition, Digest, Digester, Keep, Passage, Text};
pub use graph::{Precision, Weights};
pub use query::{Query, shares_word};
pub use rank::{Ranked, Score, precision_for, rank, rank_with, tells_apart};
pub use tally::Posting;
pub use word::Word;
