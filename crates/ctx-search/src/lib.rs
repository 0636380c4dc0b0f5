#![doc = include_str!("../README.md")]

mod digest;
mod graph;
mod imports;
mod lines;
mod passage;
mod query;
mod rank;
mod stem;
mod word;

pub use ctx_outline::Lines;
pub use digest::{Definition, Digest, Keep, Passage, Posting, Text};
pub use graph::{Precision, Weights};
pub use query::{Query, shares_word};
pub use rank::{Ranked, Score, precision_for, rank, rank_with};
pub use word::Word;
