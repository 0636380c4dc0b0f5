//! The library behind `ctx`, which keeps sticky context for any model CLI.
//!
//! A person names files, directories and glob patterns once, in a global list and in named profiles
//! of a [`Store`]. A [`Context`] is made of such entries; its [`Plan`] has found the files that they
//! match now, has read them, taken the secrets out, counted their tokens and decided what fits into
//! the [`Budget`]. The plan writes the **block**, ready for a model, and gives an [`account`] of
//! every file.
//!
//! # Example
//!
//! From a store on the disk to a block of at most 60 tokens, which leaves no room for the log:
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
//! // The profile holds "*.md"; the log is only for this block.
//! let plan = Context::of(&store, &store.active()?)?
//!     .entry(Entry::new("*.log"))
//!     .budget(Budget::Tokens(60))
//!     .plan(&world)?;
//!
//! let mut block = Vec::new();
//! plan.block()?.write(&mut block, Some("Is it short?"))?;
//! assert_eq!(
//!     String::from_utf8(block)?,
//!     "--- CONTEXT FILES BEGIN ---\n[notes.md]\nKeep it short.\n--- CONTEXT FILES END ---\n\nIs it short?\n"
//! );
//!
//! let account = plan.account();
//! assert!(account.tokens.block <= 60);
//! let dropped: Vec<&str> = account.with_status(Status::Dropped).map(|file| file.path.as_str()).collect();
//! assert_eq!(dropped, ["build.log"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What to expect
//!
//! - The library does not print, exit, or read the environment, the current directory or the clock:
//!   everything that it knows of the machine is in a [`World`]. A [`Plan`] reads the store
//!   and the files and writes nothing but caches; the tree is written by restoring a checkpoint alone.
//! - Sizes are in tokens of the model's tokenizer where they are called tokens, and in bytes
//!   otherwise. The budget is a hard cap on the tokens of the block; the prompt comes on top.
//! - What concerns one file or entry is not an error but is in the account and in
//!   [`Plan::notices`]. Errors have a type for each step: [`StoreError`], [`PlanError`] and
//!   [`FitError`]; their messages are meant for people. What can be done about a notice is a [`Hint`]: its
//!   words are the caller's, who knows how that is asked for.
//! - The JSON that an [`account::Account`] serialises to is described by `schemas/account-1.json`.

pub mod account;
pub mod budget;
pub mod cache;
pub mod check;
#[cfg(unix)]
pub mod checkpoint;
pub mod context;
pub mod detect;
mod document;
pub mod entry;
pub mod format;
pub mod front_matter;
pub mod fs;
pub mod git;
pub mod guard;
pub mod history;
pub mod models;
mod named;
pub mod parallel;
pub mod plan;
pub mod process;
mod progress;
pub mod project;
pub mod read;
pub mod reference;
pub mod report;
pub mod select;
pub mod share;
pub mod source;
pub mod store;
pub mod symlink;
pub mod todo;
pub mod trust;
pub mod words;
pub mod world;

pub use budget::{Budget, BudgetError, DocumentCost, FitError, Trim};
pub use context::Context;
pub use entry::{Attributes, Author, Entry, Scope, ScopedEntry};
pub use format::Format;
pub use models::UnknownModel;
pub use plan::{Plan, PlanError};
pub use report::{Hint, Notice, NoticeKind, Severity};
pub use select::SelectError;
pub use store::{ProfileName, Store, StoreError};
pub use world::World;
