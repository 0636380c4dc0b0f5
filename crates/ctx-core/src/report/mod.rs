//! Notices about a plan: one wording for each fact, whatever command prints it.

pub mod notice;
pub mod reason;

pub use notice::{Hint, Notice, NoticeKind, Severity};
pub use reason::{Reason, ReasonCode, Unread};
