//! The entry point of the library for other programs: from entries to a plan.

use crate::budget::{Budget, Trim};
use std::sync::Arc;

use crate::entry::{Allowed, Entry, Kind, LevelOfDetail, ScopedEntry};
use crate::format::Format;
use crate::guard::names::holds_secrets;
use crate::models::{Model, Registry, UnknownModel};
use crate::plan::{
    self, Detail, Form, ListUse, Measure, Plan, PlanError, Purpose, ReadOptions, Request, UserMessage,
};
use crate::select::{EntryId, Options};
use crate::source::git::EarlierCommits;
use crate::source::{Order, Provided};
use crate::store::{ProfileName, Store, StoreError};
use crate::world::World;
use ctx_search::Query;

/// Entries, and how to make a block from what they match.
///
/// By default, the block is the one that the program would make: in the format [`Format::Text`], counted
/// exactly with `o200k`, at most three quarters of 200,000 tokens, with the largest files dropped first,
/// secrets replaced, hidden characters made visible, and ignore rules applied.
#[derive(Debug, Clone, Default)]
pub struct Context {
    profile: Option<ProfileName>,
    entries: Vec<ScopedEntry>,
    model: Option<Model>,
    budget: Option<Budget>,
    trim: Trim,
    form: Form,
    line_numbers: bool,
    level: LevelOfDetail,
    query: Option<String>,
    prompt: Option<String>,
    texts: Vec<Provided>,
}

impl Context {
    /// An empty context: see [`Context::entry`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The entries of the store's global list and of a profile, as they are now. The profile's model, budget, trim
    /// rule and format are not used.
    ///
    /// # Errors
    /// [`StoreError::NoSuchProfile`], and errors from reading the store: a file that is damaged, too large,
    /// not regular or unreadable.
    pub fn of(store: &Store, profile: &ProfileName) -> Result<Self, StoreError> {
        let entries = store.read(|view| view.entries(profile))?;
        Ok(Self { profile: Some(profile.clone()), entries, ..Self::default() })
    }

    /// Adds an entry, for this context only.
    #[must_use]
    pub fn entry(mut self, entry: Entry) -> Self {
        self.entries.push(ScopedEntry::typed(entry));
        self
    }

    /// Adds text of your own, from any source. It comes after the entries so far, and is made safe, counted,
    /// trimmed and accounted for like the contents of a file.
    ///
    /// ```
    /// use ctx_core::{Context, World};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let world = World {
    /// #     cwd: directory.path().to_owned(),
    /// #     root: directory.path().to_owned(),
    /// #     home: None,
    /// #     project: None,
    /// #     git: ctx_core::world::GitEnvironment::default(),
    /// #     now: std::time::SystemTime::now(),
    /// #     threads: 1,
    /// # };
    /// let answer = b"{\"open\": 3}\n";
    /// let plan = Context::new().text("tracker: open issues", answer.as_slice()).plan(&world)?;
    /// let mut block = Vec::new();
    /// plan.block()?.write(&mut block)?;
    /// assert_eq!(
    ///     String::from_utf8(block)?,
    ///     "--- CONTEXT FILES BEGIN ---\n[tracker: open issues]\n{\"open\": 3}\n--- CONTEXT FILES END ---\n"
    /// );
    /// assert_eq!(plan.account().files[0].path, "tracker: open issues");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn text(mut self, label: &str, text: impl Into<Arc<[u8]>>) -> Self {
        let entries = vec![EntryId(self.entries.len())];
        let content = Ok(text.into());
        self.texts.push(Provided { entries, label: label.as_bytes().to_vec(), content, command: None });
        self.entry(Entry::new(Kind::STANDARD_INPUT))
    }

    /// Counts tokens for this model, and applies budgets in percent to its window.
    ///
    /// # Errors
    /// If no built-in model has this name or alias; the error suggests similar ones.
    pub fn model(self, name: &str) -> Result<Self, UnknownModel> {
        let model = Registry::built_in().find(name)?.clone();
        Ok(Self { model: Some(model), ..self })
    }

    /// Sets the most tokens that the block and the prompt may have. They never have more, whatever the files contain.
    /// Without a budget of your own, the prompt comes on top.
    #[must_use]
    pub fn budget(self, budget: Budget) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// Sets what to drop or shorten if the block is over the budget.
    #[must_use]
    pub fn trim(self, trim: Trim) -> Self {
        Self { trim, ..self }
    }

    /// Sets the format of the block.
    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.form.format = format;
        self
    }

    /// Sets whether boundaries and labels carry an id even if no document could forge them.
    #[must_use]
    pub fn guard(mut self, guard: bool) -> Self {
        self.form.guard = guard;
        self
    }

    /// Sets whether to start with a tree of the files.
    #[must_use]
    pub fn tree(mut self, tree: bool) -> Self {
        self.form.tree = tree;
        self
    }

    /// Sets what [`Trim::Relevant`] looks for. Without a query, it prefers files that others import.
    #[must_use]
    pub fn query(self, query: &str) -> Self {
        Self { query: Some(query.to_owned()), ..self }
    }

    /// Sets the message to the model. It is printed last, unchanged.
    #[must_use]
    pub fn prompt(self, prompt: &str) -> Self {
        Self { prompt: Some(prompt.to_owned()), ..self }
    }

    /// Sets the level of detail of each file.
    #[must_use]
    pub fn level(mut self, level: LevelOfDetail) -> Self {
        self.level = level;
        self
    }

    /// Sets whether lines are numbered.
    #[must_use]
    pub fn line_numbers(self, line_numbers: bool) -> Self {
        Self { line_numbers, ..self }
    }

    /// Finds the files, reads and counts them, and decides what fits.
    ///
    /// A block that does not fit is still a plan, so that you can explain it: see [`Plan::block`]. A file that
    /// cannot be read is not an error either: [`Plan::account`] has the reason.
    ///
    /// # Errors
    /// [`PlanError::Select`] if more than a million files match.
    pub fn plan(self, world: &World) -> Result<Plan, PlanError> {
        let request = Request {
            profile: self.profile.map(|name| name.to_string()),
            project: None,
            entries: self.entries,
            provided: self.texts,
            notices: Vec::new(),
            selection: Options::new(holds_secrets),
            reading: ReadOptions {
                line_numbers: self.line_numbers,
                level: self.level,
                ..ReadOptions::default()
            },
            order: Order::default(),
            form: self.form,
            measure: Measure::of(self.model, None, None, self.budget, self.trim),
            instruction: None,
            conversation: None,
            commits: EarlierCommits::Off,
            query: self.query.as_deref().and_then(Query::of),
            question: self.query,
            prompt: self.prompt.map(|text| UserMessage::typed(text, Allowed::default())),
            words: None,
            looked_through: None,
            list: ListUse::default(),
            since: None,
            purpose: Purpose::Block,
            detail: Detail::Account,
            sums_everything: false,
            cache: None,
            progress: None,
        };
        plan::plan(&request, world)
    }
}
