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
//! # Example
//!
//! Entries in, a block of at most 500 tokens out:
//!
//! ```
//! use ctx::budget::{Counter, Trim};
//! use ctx::entry::{Entry, Scope};
//! use ctx::guard::names::holds_secrets;
//! use ctx::plan::{Detail, Form, Measure, Order, Reader, Request, plan};
//! use ctx::select::{Options, ScopedEntry};
//! use ctx::world::World;
//!
//! let directory = tempfile::tempdir()?;
//! std::fs::write(directory.path().join("notes.md"), "Keep it short.\n")?;
//!
//! let world = World {
//!     cwd: directory.path().to_owned(),
//!     home: None,
//!     xdg_config_home: None,
//!     now: std::time::SystemTime::now(),
//!     threads: 2,
//! };
//! let request = Request {
//!     profile: None,
//!     entries: vec![ScopedEntry { scope: Scope::Session, entry: Entry::new("*.md") }],
//!     given: None,
//!     selection: Options::new(holds_secrets),
//!     reading: Reader::default(),
//!     order: Order::Stored,
//!     form: Form::default(),
//!     measure: Measure {
//!         model: None,
//!         window: 200_000,
//!         counter: Counter::default(),
//!         estimated: false,
//!         limit: Some(500),
//!         trim: Trim::Largest,
//!     },
//!     detail: Detail::Account,
//!     cache: None,
//!     progress: None,
//! };
//! let plan = plan(request, &world)?;
//! plan.fits()?;
//!
//! let mut block = Vec::new();
//! plan.write(&mut block, Some("Is it short?"))?;
//! assert_eq!(
//!     String::from_utf8(block)?,
//!     "--- CONTEXT FILES BEGIN ---\n[notes.md]\nKeep it short.\n--- CONTEXT FILES END ---\n\nIs it short?\n"
//! );
//! assert!(plan.account().tokens.block <= 500);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
pub mod words;
pub mod world;
