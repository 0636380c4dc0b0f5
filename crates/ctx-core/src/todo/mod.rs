//! To-do lists: documents of the store that people and models work through.
//!
//! A list has a name like a profile and is a file of the store, `todo/NAME.json`, with the keys of Amazon Q
//! Developer CLI. One writer at a time changes it, and it is replaced as a whole.

mod files;
mod list;
mod text;

#[cfg(test)]
mod tests;

pub use files::{Merged, NamedList};
pub use list::{Task, TodoError, TodoList};
pub use text::tasks_of;
