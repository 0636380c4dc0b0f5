#![doc = include_str!("../README.md")]

mod collection;
mod digest;
mod evidence;
mod found;
mod graph;
mod imports;
mod kind;
mod message;
mod passage;
mod place;
mod query;
mod rank;
mod report;
mod scan;
mod score;
mod stem;
mod tally;
mod twin;
mod unit;
mod unit_score;
mod word;
mod wording;
mod written;

pub use collection::{Scanned, worth_cutting};
pub use ctx_outline::Lines;
pub use digest::{Definition, Digest, Digester, Passage, Text, Unit};
pub use evidence::Evidence;
pub use found::found;
pub use kind::{FileKind, names_text};
pub use message::{Message, Votes, votes};
pub use query::{Query, shares_word};
pub use rank::{Document, Ranked, missing_words, rank, rank_among, tells_apart};
pub use scan::{Scan, Scanner};
pub use score::Score;
pub use tally::Posting;
pub use word::{Word, WordCache};
