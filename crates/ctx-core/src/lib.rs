//! The library behind `ctx`, which keeps sticky context for any model CLI.
//!
//! You name files, directories and glob patterns once, in a global list and in the named profiles of a
//! [`Store`]. A [`Context`] is built from such entries. Its [`Plan`] finds the files that they match now,
//! reads them, redacts secrets, counts tokens and decides what fits in the [`Budget`]. The plan writes the
//! **block**, ready for a model, and gives you an [`account`] of every file.
//!
//! # Example
//!
//! From a store on disk to a block of at most 60 tokens, which leaves no room for the log:
//!
//! ```
//! use ctx_core::{Budget, Context, Entry, Store, World};
//! use ctx_core::account::Status;
//!
//! # let directory = tempfile::tempdir()?;
//! # let project = directory.path().join("project");
//! # let root = directory.path().join("store");
//! # std::fs::create_dir_all(&project)?;
//! # std::fs::create_dir_all(root.join("profiles"))?;
//! # std::fs::write(root.join("profiles/default.json"), r#"{"paths": ["*.md"]}"#)?;
//! # std::fs::write(project.join("notes.md"), "Keep it short.\n")?;
//! # std::fs::write(project.join("build.log"), "all is well\n".repeat(100))?;
//! let store = Store::at(root);
//! let world = World {
//!     cwd: project.clone(),
//!     root: project,
//!     home: None,
//!     project: None,
//!     git: ctx_core::world::GitEnvironment::default(),
//!     now: std::time::SystemTime::now(),
//!     threads: 2,
//! };
//!
//! // The profile contains "*.md"; the log is added only for this block.
//! let plan = Context::of(&store, &store.active()?)?
//!     .entry(Entry::new("*.log"))
//!     .budget(Budget::Tokens(60))
//!     .prompt("Is it short?")
//!     .plan(&world)?;
//!
//! let mut block = Vec::new();
//! plan.block()?.write(&mut block)?;
//! assert_eq!(
//!     String::from_utf8(block)?,
//!     "--- CONTEXT FILES BEGIN ---\n[notes.md]\nKeep it short.\n--- CONTEXT FILES END ---\n\nIs it short?\n"
//! );
//!
//! let account = plan.account();
//! assert!(account.tokens.printed() <= 60);
//! let dropped: Vec<&str> = account.with_status(Status::Dropped).map(|file| file.path.as_str()).collect();
//! assert_eq!(dropped, ["build.log"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What to expect
//!
//! - The library does not print, exit, or read the environment, the current directory or the clock: everything it
//!   knows about the machine is in a [`World`]. A [`Plan`] reads the store and the files and writes only caches.
//!   Only restoring a checkpoint writes to the tree.
//! - Sizes named `tokens` are in tokens of the model's tokenizer; all others are in bytes. The budget is a
//!   hard cap on the number of tokens in the block; the prompt is not included.
//! - A problem with one file or entry is not an error; it is reported in the account and in
//!   [`Plan::notices`]. Each step has its own error type: [`StoreError`], [`PlanError`] or [`FitError`].
//!   Their messages are meant for people. A [`Hint`] suggests what to do about a notice; the caller words it,
//!   because only the caller knows which command to suggest.
//! - `schemas/account-1.json` describes the JSON of an [`account::Account`].

pub mod account;
pub mod budget;
pub mod cache;
pub mod check;
#[cfg(unix)]
pub mod checkpoint;
pub mod command;
pub mod context;
mod declared;
pub mod dependency;
pub mod detect;
mod document;
pub mod entry;
mod forgery;
pub mod format;
pub mod front_matter;
pub mod fs;
pub mod git;
pub mod guard;
mod hidden;
pub mod history;
pub mod models;
mod named;
pub mod naming;
pub mod parallel;
pub mod plan;
pub mod process;
mod profile_name;
mod progress;
pub mod project;
pub mod read;
pub mod reference;
pub mod report;
mod request;
pub mod select;
pub mod setting;
pub mod share;
pub mod source;
pub mod store;
pub mod todo;
pub mod tree;
pub mod trust;
pub mod words;
pub mod world;

pub use budget::{Budget, DocumentCost, FitError, Trim};
pub use context::Context;
pub use entry::{Attributes, Author, Entry, Scope, ScopedEntry};
pub use format::Format;
pub use models::UnknownModel;
pub use plan::{Plan, PlanError};
pub use report::{Hint, Notice, NoticeKind, Severity};
pub use select::SelectError;
pub use store::{ProfileName, Store, StoreError};
pub use words::WrongText;
pub use world::World;
