//! What this package's own tests, examples and benchmarks look at: no part of the API, and free to
//! change at any time.

pub use crate::budget::{Candidate, Extent, Layout, fit};
pub use crate::entry::pattern;
pub use crate::guard::{Policies, clean, hidden, secrets};
pub use crate::read::{Limits, Page, decode, open, read};
pub use crate::store::{BUILT_IN_GLOBAL, FILE_LIMIT, Kind, List, Setting, Target, Transaction};
pub use crate::tokens::{Counter, Tokenizer};
