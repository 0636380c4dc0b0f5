//! What a block is chosen from: the entries that are kept, or everything around the current directory.

use std::path::{Path, PathBuf};

use super::app::App;
use super::error::Error;
use super::options::{BudgetOptions, PlanOptions};
use ctx_core::budget::{Budget, Trim};
use ctx_core::entry::{Author, Kind, ScopedEntry};
use ctx_core::fs::{resolved, with_tilde};
use ctx_core::plan::{Measure, Plan};
use ctx_core::report::{Notice, NoticeKind, Severity};
use ctx_core::select::{Missed, Options};

/// How much room there is for what competes, unless somebody says otherwise.
const ASK_BUDGET: Budget = Budget::Tokens(16_000);

/// How much room a talk that is continued has on top.
const TALK: Budget = Budget::Share(5_000);

/// What a block is chosen from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Looks {
    /// The entries that are kept and those of the command line.
    #[default]
    AtEntries,
    /// Everything below the root, or the paths of the command line; and what is kept, as far as it is more than that.
    ThroughEverything,
    /// Everything below the current directory, or the paths of the command line; and what is kept, as far as it is more
    /// than that.
    ThroughHere,
}

impl Looks {
    /// Leaves out the stored entries that do not count, and adds the files to search to those of the session where none
    /// of them narrows that.
    pub fn narrow(self, app: &App, stored: &mut Vec<ScopedEntry>, session: &mut Vec<ScopedEntry>) {
        if !self.through() {
            return;
        }
        let is_narrowed = session.iter().any(narrows);
        stored.retain(|scoped| {
            let attributes = &scoped.entry.attributes;
            let is_searched = scoped.entry.is_exclusion() || attributes.search;
            let competes = !is_narrowed && scoped.entry.kind() != Kind::Command;
            is_searched || competes || (self == Self::ThroughEverything && attributes.pin)
        });
        if !is_narrowed {
            let root = self.top(app);
            session.push(ScopedEntry::whole(called(app, &root), from_here(&root, &app.world().cwd)));
        }
    }

    /// Whether a notice is of what is kept and matches nothing here: no list is needed for a question, so it need not
    /// fit everywhere.
    pub fn is_beside_the_question(self, notice: &Notice) -> bool {
        self.through() && notice.kind == NoticeKind::Missing && notice.level == Severity::Note
    }

    /// Whether everything below a directory counts, and not only what is kept.
    pub fn through(self) -> bool {
        self != Self::AtEntries
    }

    /// Where it begins.
    fn top(self, app: &App) -> PathBuf {
        match self {
            Self::ThroughEverything => app.world().root.clone(),
            Self::ThroughHere | Self::AtEntries => resolved(&app.world().cwd),
        }
    }

    /// The options of a block, with what holds where they say nothing.
    pub fn defaults(self, options: &PlanOptions, ask_budget: Option<Budget>) -> PlanOptions {
        let mut options = options.clone();
        if self == Self::ThroughEverything {
            options.budget.budget.get_or_insert(ask_budget.unwrap_or(ASK_BUDGET));
            options.history_budget.get_or_insert(TALK);
            options.budget.trim.get_or_insert(Trim::Relevant);
        }
        options
    }

    /// The measure of a block with these options; a budget that nobody chose is that of what competes.
    pub fn measure(self, measure: Measure, chosen: &BudgetOptions) -> Measure {
        if self != Self::ThroughEverything {
            return measure;
        }
        let measure = Measure { is_default_rule: chosen.trim.is_none(), ..measure };
        if chosen.budget.is_none() { measure.beside(Budget::default()) } else { measure }
    }

    /// The directory to search, as a person writes it.
    pub fn root(self, app: &App) -> Option<String> {
        match self {
            Self::AtEntries => None,
            Self::ThroughEverything | Self::ThroughHere => Some(called(app, &self.top(app))),
        }
    }

    /// A question chooses what to search.
    ///
    /// # Errors
    /// Wrong usage where there is none.
    pub fn have_a_question(self, question: Option<&str>) -> Result<(), Error> {
        let is_blank = question.is_none_or(|question| question.trim().is_empty());
        if self == Self::ThroughEverything && is_blank {
            return Err(Error::usage("the question is empty").with_hint("ctx ask \"where is the bug?\""));
        }
        Ok(())
    }

    /// An empty block is one without entries that match. Nothing to search is a failure.
    ///
    /// # Errors
    /// That there is nothing to search.
    pub fn are_not_in_vain(self, plan: &Plan) -> Result<(), Error> {
        match (self, &plan.request().looked_through) {
            (Self::ThroughEverything, Some(root)) if is_filtered(plan) => {
                Err(Error::impossible(format!("no file in '{root}' passes the filters")))
            }
            (Self::ThroughEverything, Some(root)) => {
                let closed = |missed: &&Missed| missed.is_directory && missed.why.closes_a_directory();
                let why = plan.entries().filter_map(|(_, report)| report.fate.missed()).find(closed);
                let why = why.map_or_else(String::new, |missed| format!(": {}", missed.why));
                Err(Error::impossible(format!("nothing to search in '{root}'{why}"))
                    .with_hint("ctx ask \"QUESTION\" PATH searches another place"))
            }
            (Self::ThroughEverything | Self::ThroughHere | Self::AtEntries, _) => Ok(()),
        }
    }
}

/// Whether options choose among the files.
fn is_filtered(plan: &Plan) -> bool {
    let request = plan.request();
    let Options { include, exclude, newer_than, .. } = &request.selection;
    let has_patterns = !include.is_empty() || !exclude.is_empty();
    has_patterns || newer_than.is_some() || request.reading.containing.is_some()
}

/// Whether an entry of the command line says what to search.
fn narrows(scoped: &ScopedEntry) -> bool {
    scoped.author != Author::Prompt && scoped.entry.kind() == Kind::Path
}

/// A directory as a person writes it.
fn called(app: &App, directory: &Path) -> String {
    let home = app.world().home.as_deref();
    if home.is_some_and(|home| resolved(home) == directory) {
        return "~".to_owned();
    }
    with_tilde(&directory.to_string_lossy(), home)
}

/// The way from the current directory to one above it.
fn from_here(root: &Path, cwd: &Path) -> PathBuf {
    let cwd = resolved(cwd);
    match cwd.strip_prefix(root) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.iter().map(|_| "..").collect(),
        Err(_) => root.to_owned(),
    }
}
