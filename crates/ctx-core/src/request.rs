//! A request: which files, how to read them, and the limits of the block.

use std::path::PathBuf;
use std::sync::Arc;

use regex::Regex;

use crate::account::{BlockReader, NoReader, ProjectRecord, WordsRecord};
use crate::budget::{Budget, FitError, Priority, Trim};
use crate::entry::value::TextEncoding;
use crate::entry::{Allowed, Author, LevelOfDetail, Scope, ScopedEntry};
use crate::format::{Format, PrintedPrompt, Sections};
use crate::guard::{self, Findings};
use crate::history::Conversation;
use crate::models::{Counter, Model, Tokenizer};
use crate::progress::Progress;
use crate::read::{DEFAULT_MAX_BYTES, SaidEncoding};
use crate::report::Notice;
use crate::select::{self, SelectError, SelectedBy};
use crate::source::git::EarlierCommits;
use crate::source::named::Lookup;
use crate::source::readers::Readers;
use crate::source::{Order, Provided, Source};
use ctx_search::Query;

/// Everything that determines the contents of a block.
#[derive(Debug, Clone)]
pub struct Request {
    /// The profile whose entries are used, if any.
    pub profile: Option<String>,
    /// The project in use, if any.
    pub project: Option<ProjectRecord>,
    /// The entries, in the order in which they apply.
    pub entries: Vec<ScopedEntry>,
    /// The text of each entry that is not a path, in the order of the entries.
    pub provided: Vec<Provided>,
    /// Notices about the provided text.
    pub notices: Vec<Notice>,
    /// Which files are selected, and how they are labelled.
    pub selection: select::Options,
    /// How files are read.
    pub reading: ReadOptions,
    /// The order of the files.
    pub order: Order,
    /// The layout of the block.
    pub form: Form,
    /// The limits of the block.
    pub measure: Measure,
    /// The instruction to the model.
    pub instruction: Option<Instruction>,
    /// The history that the block continues.
    pub conversation: Option<Arc<Conversation>>,
    /// The query that documents are ranked for; without it, they are ranked by how they import from each other.
    pub query: Option<Query>,
    /// What is searched for besides the question.
    pub words: Option<WordsRecord>,
    /// The directory that is searched for the answer to a question, if any, as shown to the user.
    pub looked_through: Option<String>,
    /// What a question does with the stored entries.
    pub list: ListUse,
    /// The question, even one without a word to look for.
    pub question: Option<String>,
    /// The user's message to the model, which is printed last.
    pub prompt: Option<UserMessage>,
    /// The commits whose messages help to rank files for a query.
    pub commits: EarlierCommits,
    /// What the reader already has from earlier blocks, if only the rest is requested.
    pub since: Option<Since>,
    /// The purpose of the plan.
    pub purpose: Purpose,
    /// How much information the plan has to contain.
    pub detail: Detail,
    /// Whether [`Plan::tokens_of_everything`](crate::plan::Plan::tokens_of_everything) is needed, which takes the
    /// texts of documents that do not fit.
    pub sums_everything: bool,
    /// The directory of the count cache, if it may be used.
    pub cache: Option<PathBuf>,
    /// The progress to update, if it is displayed.
    pub progress: Option<Arc<Progress>>,
}

/// What a question does with the stored entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListUse {
    /// The most tokens of rules in this question, and of each that the built-in list brings.
    pub rules_tokens: u64,
    /// The most tokens of the others that are in this question.
    pub most_tokens: u64,
    /// The most tokens of those that are in every question without a budget of its own.
    pub usual_tokens: u64,
    /// Whether the others compete with everything else.
    pub rest_competes: bool,
}

impl Default for ListUse {
    fn default() -> Self {
        Self { rules_tokens: 16_000, most_tokens: 4_000, usual_tokens: 4_000, rest_competes: true }
    }
}

impl ListUse {
    /// The same in questions with a budget of this many tokens: at most a quarter of it.
    #[must_use]
    pub fn within(self, budget: u64) -> Self {
        let most = |tokens: u64| tokens.min(budget / 4);
        let (most_tokens, usual_tokens) = (most(self.most_tokens), most(self.usual_tokens));
        Self { rules_tokens: budget / 4, most_tokens, usual_tokens, ..self }
    }
}

/// What the reader of a block already has from earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since {
    /// The path of the manifest, as given.
    pub manifest: String,
    /// The contents of the manifest, or why they cannot be used.
    pub reader: Result<BlockReader, NoReader>,
}

/// The purpose of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    /// A block.
    #[default]
    Block,
    /// The best passages, at most this many: see `Plan::hits`.
    Search(usize),
}

/// How much information a plan has to contain. The block is always the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// The contents of the block. Other files need not be counted and have no counts in the account; without
    /// a cap, nothing need be counted.
    Block,
    /// The number of tokens in every file.
    Counts,
    /// What happened to every file, with its hash.
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

    /// Whether the block answers a question out of everything here.
    pub(crate) fn is_question(&self) -> bool {
        self.purpose == Purpose::Block && self.looked_through.is_some()
    }

    /// Whether the block keeps what is in every question: in a question, beside a prompt, and if the files of the lists are chosen
    /// by rank.
    pub(crate) fn keeps_listed(&self) -> bool {
        let is_limited = self.purpose == Purpose::Block && self.measure.limit.is_some();
        self.is_question() || is_limited && (self.query.is_some() || self.trims_by_rank())
    }

    /// Whether the files that fit are chosen by rank.
    fn trims_by_rank(&self) -> bool {
        self.measure.limit.is_some() && self.measure.trim == Trim::Relevant
    }

    /// Whether a source is never shortened unless a trim rule is chosen: something that the command line asks
    /// for and that is not a whole file, such as a diff.
    fn keeps_whole(&self, source: &Source) -> bool {
        let is_asked_for = Priority::of(&source.selected_by) >= Priority::Asked;
        self.measure.is_default_rule && is_asked_for && !is_whole_file(source)
    }

    /// How important it is to print a source. Unless a trim rule was chosen, sources that the command line
    /// asks for are not dropped. In a search, a file that the command line names competes with the others.
    pub(crate) fn priority(&self, source: &Source) -> Priority {
        self.priority_of(source, &source.selected_by)
    }

    /// The priority of a source that is in every question, when it is too large to be kept whole.
    pub(crate) fn priority_of_crowded_out(&self, source: &Source) -> Priority {
        self.priority_of(
            source,
            &SelectedBy { in_every_question: None, ..source.selected_by.as_ref().clone() },
        )
    }

    fn priority_of(&self, source: &Source, selected_by: &SelectedBy) -> Priority {
        let competes = self.looked_through.is_some() && self.trims_by_rank() && is_whole_file(source);
        match Priority::of(selected_by) {
            Priority::Named if competes => Priority::Shown,
            Priority::Asked if self.measure.is_default_rule => Priority::Named,
            priority @ (Priority::Stored
            | Priority::Shown
            | Priority::Found
            | Priority::Referenced
            | Priority::Asked
            | Priority::Named
            | Priority::Pinned) => priority,
        }
    }

    /// Whether passages can be ranked before the documents are read. They cannot if a document's contents
    /// decide whether it is included, or if the prompt has references, since dropping files to fit them
    /// depends on every document.
    pub(crate) fn ranks_unread(&self) -> bool {
        let refers = self.entries.iter().any(|scoped| scoped.author == Author::Prompt);
        !refers && self.reading.containing.is_none()
    }

    /// Whether a source that can be ranked unread may stay unread, because that does not change the block.
    pub(crate) fn leaves_unread(&self, selected_by: &SelectedBy) -> bool {
        let is_kept = Priority::of(selected_by) >= Priority::Named;
        match self.purpose {
            Purpose::Search(_) => true,
            Purpose::Block if selected_by.searched.is_some() => true,
            Purpose::Block => self.trims_by_rank() && self.detail == Detail::Block && !is_kept,
        }
    }

    /// What the reader has, if its documents were labelled and printed the same way.
    pub(crate) fn reader(&self) -> Option<&BlockReader> {
        self.since.as_ref()?.reader.as_ref().ok()
    }

    /// Whether token counts are needed.
    pub(crate) fn counts(&self) -> bool {
        match self.purpose {
            Purpose::Block => {
                let Measure { limit, .. } = self.measure;
                let is_limited = limit.or(self.measure.known_window()).is_some();
                self.detail != Detail::Block || is_limited || self.is_question()
            }
            Purpose::Search(_) => false,
        }
    }

    /// The prompt as a part of the block.
    pub(crate) fn printed_prompt(&self) -> Option<PrintedPrompt<'_>> {
        let is_in_budget = self.measure.covers_prompt();
        self.prompt.as_ref().map(|prompt| PrintedPrompt { text: &prompt.text, is_in_budget })
    }

    /// The parts of the block, other than documents, that a document could imitate.
    pub(crate) fn sections(&self) -> Sections {
        let chat = self.conversation.as_ref().is_some_and(|conversation| !conversation.is_empty());
        Sections { instruction: self.instruction.is_some(), chat, changes: self.reader().is_some() }
    }
}

fn is_whole_file(source: &Source) -> bool {
    source.place().is_some() && (source.lines.is_none() || source.is_rest)
}

/// The user's message to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserMessage {
    /// The printed text.
    pub text: String,
    /// The secrets and hidden characters in it.
    pub found: Findings,
    /// Whether the message was typed. If so, its secrets and hidden characters are printed unchanged.
    pub is_typed: bool,
}

impl UserMessage {
    /// A message that was typed, which is printed unchanged.
    #[must_use]
    pub fn typed(text: String, allowed: Allowed) -> Self {
        let found = Findings::of(&guard::clean(text.clone(), allowed.in_contents()));
        Self { text, found, is_typed: true }
    }

    /// A message from a file or another program, which is made as safe as a document.
    #[must_use]
    pub fn read(text: String, allowed: Allowed) -> Self {
        let text = guard::clean(text, allowed.in_contents());
        let found = Findings::of(&text);
        Self { text: text.into_string(), found, is_typed: false }
    }
}

/// An instruction to the model, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// The text.
    pub text: String,
    /// Its sources, in order.
    pub scopes: Vec<Scope>,
}

/// How files are read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The largest file that is read, in bytes.
    pub max_bytes: u64,
    /// What is allowed for the whole block.
    pub allowed: Allowed,
    /// Whether lines are numbered.
    pub line_numbers: bool,
    /// The level of detail of each file.
    pub level: LevelOfDetail,
    /// How texts are encoded that are not UTF-8, unless an entry says otherwise.
    pub encoding: Option<TextEncoding>,
    /// Whether to print notebooks as JSON.
    pub raw: bool,
    /// Include only documents whose text matches this.
    pub containing: Option<Regex>,
    /// What makes text of files that are not text.
    pub readers: Arc<Readers>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            max_bytes: DEFAULT_MAX_BYTES,
            allowed: Allowed::default(),
            line_numbers: false,
            level: LevelOfDetail::default(),
            encoding: None,
            raw: false,
            containing: None,
            readers: Arc::default(),
        }
    }
}

impl ReadOptions {
    /// How files are read in which names are looked up.
    pub(crate) fn lookup(&self) -> Lookup {
        Lookup { max_bytes: self.max_bytes, encoding: self.encoding, raw: self.raw }
    }

    /// What is said about the encoding of a file that these entries selected.
    pub(crate) fn encoding_of(&self, selected_by: &SelectedBy) -> Option<SaidEncoding> {
        let encoding = selected_by.encoding.or(self.encoding)?;
        Some(SaidEncoding { encoding, is_of_one: selected_by.encoding.is_some() && selected_by.named })
    }

    /// What to leave unchanged in a file that these entries selected.
    pub(crate) fn allowed_for(&self, selected_by: &SelectedBy) -> Allowed {
        (self.allowed | selected_by.allowed).in_contents()
    }
}

/// The layout of the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Form {
    /// The format.
    pub format: Format,
    /// Whether boundaries and labels carry ids even if no document could forge them.
    pub guard: bool,
    /// Whether to start with a tree of the files.
    pub tree: bool,
}

/// The limit of the block, and how it is counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The model that was named, if any.
    pub model: Option<String>,
    /// How many tokens the model can read.
    pub window: u64,
    /// The counter for its tokens.
    pub counter: Counter,
    /// Whether its counts are estimates for the model.
    pub estimated: bool,
    /// The budget, from which the limit is computed.
    pub budget: Budget,
    /// Whether that budget is the default rather than a choice. If so, it does not cover the prompt.
    pub is_default_budget: bool,
    /// The maximum number of tokens in the block; `None` if there is no cap.
    pub limit: Option<u64>,
    /// How far parts of the block that do not compete for room may raise the limit; `None` if they do not
    /// raise it.
    pub ceiling: Option<u64>,
    /// The rule for dropping or shortening files over the limit.
    pub trim: Trim,
    /// Whether that rule is the default rather than a choice. If so, documents that the command line asks for
    /// are not dropped, and only files are shortened.
    pub is_default_rule: bool,
}

/// The window if no model is named, in tokens.
const DEFAULT_WINDOW: u64 = 200_000;

impl Measure {
    /// Counts with `tokenizer`, or else for `model`, or else exactly with the default tokenizer. `budget` is the chosen
    /// one, if any. A percentage is a share of `window`, or else of the model's window, or of 200,000 tokens without a model.
    pub fn of(
        model: Option<Model>,
        tokenizer: Option<Tokenizer>,
        window: Option<u64>,
        budget: Option<Budget>,
        trim: Trim,
    ) -> Self {
        let own = model.as_ref().map_or(DEFAULT_WINDOW, |model| model.window);
        let window = window.unwrap_or(own);
        let is_default_budget = budget.is_none();
        let budget = budget.unwrap_or_default();
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
            is_default_budget,
            limit: budget.limit(window),
            ceiling: None,
            trim,
            is_default_rule: false,
        }
    }

    /// Whether the prompt has to fit in the limit, too.
    #[must_use]
    pub fn covers_prompt(&self) -> bool {
        self.limit.is_some() && !self.is_default_budget
    }

    /// The window, if it is that of a model that was named.
    #[must_use]
    pub fn known_window(&self) -> Option<u64> {
        self.model.is_some().then_some(self.window)
    }

    /// Whether the window is only assumed, because no model is known.
    #[must_use]
    pub fn assumes_window(&self) -> bool {
        self.model.is_none() && self.window == DEFAULT_WINDOW
    }

    /// This measure, except that the parts of the block that are always printed do not reduce the room for
    /// the others until the total reaches `budget`.
    #[must_use]
    pub fn beside(self, budget: Budget) -> Self {
        Self { ceiling: budget.limit(self.window), ..self }
    }
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// An error about the selection as a whole.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// Two documents would have the same label.
    #[error("the label '{0}' is also the label of a file")]
    AmbiguousLabel(String),
    /// Files kept changing while they were being read.
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
    fn counts_are_estimates_if_the_registry_says_so() {
        let of = |model: &Model, tokenizer| {
            Measure::of(Some(model.clone()), tokenizer, None, None, Trim::default()).estimated
        };
        let own = r#"{"models": [
            {"name": "a", "window": 1, "basis": "cited", "tokenizer": "o200k", "factor": 1},
            {"name": "b", "window": 1, "basis": "exact", "tokenizer": "o200k", "factor": 1.2},
            {"name": "c", "window": 1, "basis": "exact", "tokenizer": "bytes4"}]}"#;
        let registry = Registry::with_user(own).unwrap();
        for model in registry.models() {
            assert_eq!(of(model, None), model.is_estimate(), "{}", model.name);
            assert!(!of(model, Some(Tokenizer::CL100K)), "{}", model.name);
            assert!(of(model, Some(Tokenizer::Bytes4)), "{}", model.name);
        }
        for name in ["a", "b", "c"] {
            assert!(registry.find(name).unwrap().is_estimate(), "{name}");
        }
    }
}
