//! `ctx` keeps sticky context for any model CLI.
//!
//! Data flows one way; each arrow is a module with one public function and its own types, and none
//! calls back:
//!
//! | from | to | module |
//! | --- | --- | --- |
//! | JSON files | entries (what the store says) | [`store`], [`entry`] |
//! | entries | files (what they match) | [`select`] |
//! | files | documents (read, decoded, made safe) | [`read`], [`guard`] |
//! | documents | costs (tokens) | [`tokens`], [`models`] |
//! | costs | selection (what fits, and why the rest does not) | [`budget`] |
//! | selection | block (bytes) | [`mod@format`] |
//!
//! [`plan`] goes the whole way, and [`account`] says what became of every file;
//! [`share`] moves lists from store to store, and from other tools into one.
//!
//! The `cli` module is the only one that prints, exits, or reads the environment, the current
//! directory or the clock; it reads them once into a [`world::World`] and passes that down.

pub mod account;
pub mod budget;
pub mod cache;
pub mod check;
#[doc(hidden)]
pub mod cli;
pub mod detect;
pub mod entry;
pub mod format;
pub mod guard;
pub mod models;
pub mod plan;
pub mod read;
pub mod select;
pub mod share;
pub mod store;
pub mod tokens;
pub mod world;
