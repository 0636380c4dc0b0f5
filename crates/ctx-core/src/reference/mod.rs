//! References to files in text that others wrote: `@src/main.rs` in a prompt, `@docs/style.md` in a memory
//! file.

pub mod code;
pub mod grammar;
mod prompt;
pub mod target;
#[cfg(test)]
mod tests;

pub use prompt::{MOST_REFERENCES, Prompt};
