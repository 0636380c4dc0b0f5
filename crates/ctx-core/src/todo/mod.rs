//! To-do lists: documents of the store that people and models work through.
//!
//! A list is named like a profile and is a file of the store, `todo/NAME.json`, with the keys of Amazon Q
//! Developer CLI. It is changed one writer at a time and replaced as a whole.

mod checklist;
mod error;
mod files;
mod list;
mod text;

#[cfg(test)]
mod tests;

pub use checklist::tasks_of;
pub use error::TodoError;
pub use files::{Merged, Missing, NamedList};
pub use list::{Task, TodoList};
