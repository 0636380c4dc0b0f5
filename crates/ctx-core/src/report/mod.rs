//! What is said of a plan: one wording for each fact, whatever command says it.

pub mod count;
pub mod reason;

pub use count::{Count, Tokens};
pub use reason::{ReasonCode, Reduction};
