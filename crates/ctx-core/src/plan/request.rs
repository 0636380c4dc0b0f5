//! What is asked for: which files, how they are read, and what the block may be.

use std::path::PathBuf;
use std::sync::Arc;

use regex::Regex;

use super::Progress;
use crate::account::{BlockReader, NoReader, ProjectRecord};
use crate::budget::{Budget, FitError, Priority, Trim};
use crate::entry::{Allowed, Author, LevelOfDetail, Scope, ScopedEntry};
use crate::format::{Format, Sections};
use crate::history::Conversation;
use crate::models::{Counter, Model, Tokenizer};
use crate::read::Limits;
use crate::report::Notice;
use crate::select::{self, SelectError, SelectedBy};
use crate::source::git::EarlierCommits;
use crate::source::{Order, Provided, Source};
use ctx_search::Query;

/// Everything that decides what a block holds.
#[derive(Debug, Clone)]
pub struct Request {
    /// The profile whose entries are used, if one is.
    pub profile: Option<String>,
    /// The project in use, if there is one.
    pub project: Option<ProjectRecord>,
    /// The entries, in the order in which they apply.
    pub entries: Vec<ScopedEntry>,
    /// The texts that entries stand for which are no paths, in the order of the entries.
    pub provided: Vec<Provided>,
    /// What a person should know of the provided texts.
    pub notices: Vec<Notice>,
    /// Which of the files are taken, and how they are labelled.
    pub selection: select::Options,
    /// How files are read.
    pub reading: ReadOptions,
    /// The order of the files.
    pub order: Order,
    /// How the block is laid out.
    pub form: Form,
    /// What the block may use.
    pub measure: Measure,
    /// The instruction to the model.
    pub instruction: Option<Instruction>,
    /// The history that the block continues.
    pub conversation: Option<Conversation>,
    /// What the documents are ranked for, where they are; without it they are ranked by how they import from each other.
    pub query: Option<Query>,
    /// The directory that is looked through for what answers the question, as a person writes it, if one is.
    pub looked_through: Option<String>,
    /// Whether there is a question, even if it has no word to look for.
    pub has_question: bool,
    /// The commits whose messages say which files a query is about.
    pub commits: EarlierCommits,
    /// What the reader has of earlier blocks, where only the rest is wanted.
    pub since: Option<Since>,
    /// What the plan is for.
    pub purpose: Purpose,
    /// How much the plan has to know.
    pub detail: Detail,
    /// The directory of the count cache, if it may be used.
    pub cache: Option<PathBuf>,
    /// Who watches, if somebody does.
    pub progress: Option<Arc<Progress>>,
}

/// What the reader of a block has of earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since {
    /// The manifest, as a person writes it.
    pub manifest: String,
    /// Its value.
    pub reader: Result<BlockReader, NoReader>,
}

/// What a plan is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    /// A block.
    #[default]
    Block,
    /// The best passages, at most so many: see [`Plan::hits`](super::Plan::hits).
    Search(usize),
}

/// How much a plan has to know. The block is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// What is in the block. What is not need not be counted, and without a cap nothing need be: the
    /// account is silent there.
    Block,
    /// How many tokens there are in every file.
    Counts,
    /// What became of every file, with its hash.
    #[default]
    Account,
}

impl Request {
    /// Whether the passages of a source are ranked.
    pub(crate) fn ranks(&self, source: &Source) -> bool {
        match self.purpose {
            Purpose::Search(_) => true,
            Purpose::Block if source.selected_by.searched.is_some() => self.query.is_some(),
            Purpose::Block => {
                (self.order == Order::Score || self.trims_by_rank()) && !self.keeps_whole(source)
            }
        }
    }

    /// Whether what does not fit is chosen by rank.
    fn trims_by_rank(&self) -> bool {
        self.measure.limit.is_some() && self.measure.trim == Trim::Relevant
    }

    /// Whether a source is not shortened because nobody chose a rule: a text that the command line asks for and that is
    /// not all of a file, such as a diff.
    fn keeps_whole(&self, source: &Source) -> bool {
        let is_asked_for = source.selected_by.priority() >= Priority::Asked;
        self.measure.is_default_rule && is_asked_for && !is_whole_file(source)
    }

    /// How much it matters that a source is printed: what the command line asks for is not dropped unless a rule was chosen
    /// that does, and a file that it names competes with everything that is looked through.
    pub(crate) fn priority(&self, source: &Source) -> Priority {
        let competes = self.looked_through.is_some() && self.trims_by_rank() && is_whole_file(source);
        match source.selected_by.priority() {
            Priority::Named if competes => Priority::Shown,
            Priority::Asked if self.measure.is_default_rule => Priority::Named,
            priority @ (Priority::Stored
            | Priority::Shown
            | Priority::Referenced
            | Priority::Asked
            | Priority::Named
            | Priority::Pinned) => priority,
        }
    }

    /// Whether passages can be ranked before texts are at hand: not if something in a text decides whether it is there at
    /// all, nor if what is dropped for references depends on all the others.
    pub(crate) fn ranks_unread(&self) -> bool {
        let refers = self.entries.iter().any(|scoped| scoped.author == Author::Prompt);
        !refers && self.reading.containing.is_none()
    }

    /// Whether a source that can be ranked unread may stay so, as the block is the same.
    pub(crate) fn leaves_unread(&self, selected_by: &SelectedBy) -> bool {
        let is_kept = selected_by.priority() >= Priority::Named;
        match self.purpose {
            Purpose::Search(_) => true,
            Purpose::Block if selected_by.searched.is_some() => true,
            Purpose::Block => self.trims_by_rank() && self.detail == Detail::Block && !is_kept,
        }
    }

    /// What the reader has, where documents were shown as they are now.
    pub(super) fn reader(&self) -> Option<&BlockReader> {
        self.since.as_ref()?.reader.as_ref().ok()
    }

    /// Whether anybody needs token counts.
    pub(crate) fn counts(&self) -> bool {
        match self.purpose {
            Purpose::Block => self.detail != Detail::Block || self.measure.limit.is_some(),
            Purpose::Search(_) => false,
        }
    }

    /// What is in the block beside documents that a text could imitate.
    pub(crate) fn sections(&self) -> Sections {
        let chat = self.conversation.as_ref().is_some_and(|conversation| !conversation.is_empty());
        Sections { instruction: self.instruction.is_some(), chat, changes: self.reader().is_some() }
    }
}

fn is_whole_file(source: &Source) -> bool {
    source.place().is_some() && source.lines.is_none()
}

/// An instruction to the model, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// The text.
    pub text: String,
    /// Its sources, in order.
    pub scopes: Vec<Scope>,
}

/// How files are read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// What bounds the reading of one file.
    pub limits: Limits,
    /// What is let through for the whole block.
    pub allowed: Allowed,
    /// Whether lines are numbered.
    pub line_numbers: bool,
    /// The level of detail of each file.
    pub level: LevelOfDetail,
    /// Whether notebooks stay the JSON that they are.
    pub raw: bool,
    /// Only documents in whose text this is found.
    pub containing: Option<Regex>,
}

impl ReadOptions {
    /// What is left as it is in a file that these entries brought.
    pub(crate) fn allowed_for(&self, selected_by: &SelectedBy) -> Allowed {
        (self.allowed | selected_by.allowed).in_contents()
    }
}

/// How the block is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Form {
    /// The format.
    pub format: Format,
    /// Whether boundaries and labels carry ids even if no document could forge them.
    pub guard: bool,
    /// Whether to start with a tree of the files.
    pub tree: bool,
}

/// What the block may use, and how that is counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The model that was named, if any.
    pub model: Option<String>,
    /// How many tokens the model can read.
    pub window: u64,
    /// What counts.
    pub counter: Counter,
    /// Whether its counts are estimates for the model.
    pub estimated: bool,
    /// What was chosen: from it comes the limit.
    pub budget: Budget,
    /// The most tokens that the block may have; `None` lifts the cap.
    pub limit: Option<u64>,
    /// Up to so many tokens the limit grows by what is in the block whatever competes for it; `None` if it does not.
    pub ceiling: Option<u64>,
    /// What is dropped or shortened over the limit.
    pub trim: Trim,
    /// Whether nobody chose that rule: then what the command line asks for is not dropped, and only files are shortened.
    pub is_default_rule: bool,
}

/// The window when no model is named, in tokens.
const DEFAULT_WINDOW: u64 = 200_000;

impl Measure {
    /// Counts with `tokenizer`, else as `model` does, else exactly with the default one; a share of the
    /// budget is one of `window`, else of the model's, or of 200,000 tokens without a model.
    pub fn of(
        model: Option<Model>,
        tokenizer: Option<Tokenizer>,
        window: Option<u64>,
        budget: Budget,
        trim: Trim,
    ) -> Self {
        let own = model.as_ref().map_or(DEFAULT_WINDOW, |model| model.window);
        let window = window.unwrap_or(own);
        let counter = match (tokenizer, &model) {
            (Some(tokenizer), _) => Counter { tokenizer, ..Counter::default() },
            (None, Some(model)) => model.counter(),
            (None, None) => Counter::default(),
        };
        let approximate = tokenizer.is_none() && model.as_ref().is_some_and(Model::is_estimate);
        Self {
            model: model.map(|model| model.name),
            window,
            counter,
            estimated: counter.is_estimate() || approximate,
            budget,
            limit: budget.limit(window),
            ceiling: None,
            trim,
            is_default_rule: false,
        }
    }

    /// The same, where what is in the block in any case takes no room from what competes for it, up to `budget`.
    #[must_use]
    pub fn beside(self, budget: Budget) -> Self {
        Self { ceiling: budget.limit(self.window), ..self }
    }
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// Something about the selection as a whole.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// Two documents would have the same label.
    #[error("the label '{0}' is also the label of a file")]
    AmbiguousLabel(String),
    /// Files changed while they were being read, again and again.
    #[error("the files change while they are being read")]
    Unsettled,
    /// Nothing fits.
    #[error(transparent)]
    Fit(#[from] FitError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::Registry;

    #[test]
    fn a_block_is_an_estimate_where_the_registry_says_so() {
        let of = |model: &Model, tokenizer| {
            Measure::of(Some(model.clone()), tokenizer, None, Budget::default(), Trim::default()).estimated
        };
        let own = r#"{"models": [
            {"name": "a", "window": 1, "basis": "cited", "tokenizer": "o200k", "factor": 1},
            {"name": "b", "window": 1, "basis": "exact", "tokenizer": "o200k", "factor": 1.2},
            {"name": "c", "window": 1, "basis": "exact", "tokenizer": "bytes4"}]}"#;
        let registry = Registry::with_user(own).unwrap();
        for model in registry.models() {
            assert_eq!(of(model, None), model.is_estimate(), "{}", model.name);
            assert!(!of(model, Some(Tokenizer::Cl100k)), "{}", model.name);
            assert!(of(model, Some(Tokenizer::Bytes4)), "{}", model.name);
        }
        for name in ["a", "b", "c"] {
            assert!(registry.find(name).unwrap().is_estimate(), "{name}");
        }
    }
}
