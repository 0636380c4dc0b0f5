//! To-do lists: documents of the store that people and models work through.
//!
//! A list is named like a profile and is a file of the store, `todo/NAME.json`, with the keys of Amazon Q
//! Developer CLI. It is changed one writer at a time and replaced as a whole.

mod files;
mod list;
mod text;

#[cfg(test)]
mod tests;

pub use files::{Merged, NamedList};
pub use list::{Task, TodoError, TodoList};
pub use text::tasks_of;
