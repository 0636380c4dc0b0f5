//! Which history a command is about, and how it is measured.

use clap::Args;
use clap_complete::ArgValueCandidates;

use super::app::App;
use super::complete;
use super::error::{Error, Failure};
use super::options::TalkOptions;
use super::request::{self, Measured};
use super::stored::Stored;
use super::texts::Commands;
use ctx_core::budget::Budget;
use ctx_core::history::{Conversation, Curated, FilterError, HISTORY_NAME_RULE, History, HistoryError};
use ctx_core::plan::Measure;
use ctx_core::store::{Defaults, ProfileName, Setting};
use ctx_tokens::Counter;

/// How much of the budget a history may take unless somebody says otherwise, in hundredths of a percent.
const DEFAULT_SHARE: u16 = 2_500;

/// What `--history` without a name is taken for: no name, and not the empty one of `--history="$UNSET"`.
pub const OF_THE_PROFILE: &str = "=";

/// Which history.
#[derive(Debug, Clone, Default, Args)]
pub struct HistoryOption {
    /// The history: without NAME that of the profile's name; without the option $CTX_HISTORY, else the
    /// profile's setting 'history', else that of the profile's name
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = OF_THE_PROFILE,
        add = ArgValueCandidates::new(complete::histories)
    )]
    pub history: Option<String>,
}

impl HistoryOption {
    /// The history that is meant, whether it is there or not.
    ///
    /// # Errors
    /// When a name cannot be one, or the profile cannot be read.
    pub fn name(&self, app: &App) -> Result<ProfileName, Error> {
        app.check_named()?;
        let variable = app.environment.ctx_history.as_ref().map(|name| name.to_string_lossy());
        match (self.history.as_deref(), variable) {
            (Some(OF_THE_PROFILE), _) => app.store.read(|view| app.profile_in(view)),
            (Some(name), _) => parsed(name, "--history"),
            (None, Some(name)) => parsed(&name, "$CTX_HISTORY"),
            (None, None) => {
                let stored = Stored::read(app, Commands::NotRun)?;
                let profile = stored.profile();
                match stored.defaults().get(Setting::History) {
                    Some(name) => parsed(name, &format!("profile '{profile}'")),
                    None => Ok(profile.clone()),
                }
            }
        }
    }

    /// The history that is meant, as it stands.
    ///
    /// # Errors
    /// As [`HistoryOption::name`], and when there is none or it is damaged.
    pub fn read(&self, app: &App) -> Result<History, Error> {
        let name = self.name(app)?;
        let is_of_variable = self.history.is_none() && app.environment.ctx_history.is_some();
        let history = app.store.history(&name).map_err(|error| named(error, is_of_variable))?;
        warn_if_unfinished(app, &history);
        Ok(history)
    }
}

impl TalkOptions {
    /// The history that a block continues: what the command line says, else the environment, else the profile.
    /// None is on unless one of them says so.
    ///
    /// # Errors
    /// When a name cannot be one.
    pub fn history_name(
        &self,
        app: &App,
        profile: &ProfileName,
        defaults: &Defaults,
    ) -> Result<Option<ProfileName>, Error> {
        if self.no_history {
            return Ok(None);
        }
        let variable = app.environment.ctx_history.as_ref().map(|name| name.to_string_lossy());
        match (self.history.as_deref(), variable, defaults.get(Setting::History)) {
            (Some(OF_THE_PROFILE), _, _) => Ok(Some(profile.clone())),
            (Some(name), _, _) => parsed(name, "--history").map(Some),
            (None, Some(name), _) => parsed(&name, "$CTX_HISTORY").map(Some),
            (None, None, Some(name)) => parsed(name, &format!("profile '{profile}'")).map(Some),
            (None, None, None) => Ok(None),
        }
    }
}

/// What becomes of a history that does not exist yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unknown {
    /// It is an error.
    #[default]
    Refused,
    /// It is empty.
    Empty,
}

/// What a block may show of a history.
///
/// # Errors
/// When it is not there, unless that is no matter, and when it is damaged.
pub fn conversation(
    app: &App,
    name: ProfileName,
    is_of_variable: bool,
    measure: &Measure,
    budget: Option<Budget>,
    unknown: Unknown,
) -> Result<Conversation, Error> {
    let curated = match app.store.history(&name) {
        Ok(history) => {
            warn_if_unfinished(app, &history);
            history.curated(&measure.counter)
        }
        Err(HistoryError::Unknown { .. }) if unknown == Unknown::Empty => Curated::default(),
        Err(error) => return Err(named(error, is_of_variable).in_store()),
    };
    Ok(Conversation::new(name, curated, share(measure, budget)))
}

/// The most tokens that a history may take of a block.
fn share(measure: &Measure, budget: Option<Budget>) -> u64 {
    let whole = measure.limit.unwrap_or(measure.window);
    budget.unwrap_or(Budget::Share(DEFAULT_SHARE)).limit(whole).unwrap_or(whole)
}

/// Says that a line was left out.
pub fn warn_if_unfinished(app: &App, history: &History) {
    if history.unfinished {
        app.ui
            .warn(format!("the last line of history '{}' was never finished and is left out", history.name));
    }
}

fn named(error: HistoryError, is_of_variable: bool) -> Error {
    let error = Error::from(error);
    if is_of_variable { error.and_hint("the name comes from $CTX_HISTORY") } else { error }
}

fn parsed(name: &str, origin: &str) -> Result<ProfileName, Error> {
    let invalid = || Error::usage(format!("invalid history name '{name}' in {origin}: {HISTORY_NAME_RULE}"));
    name.parse().map_err(|_| invalid())
}

/// How histories are measured.
pub struct Scale {
    /// What counts.
    pub counter: Counter,
    /// Whether counts are estimates.
    pub estimated: bool,
    /// The most tokens that the model can read.
    pub window: u64,
    /// The most tokens that a history may take of a block.
    pub share: u64,
}

impl Scale {
    /// That of a model, else of the one in use.
    ///
    /// # Errors
    /// When the model is not known, or the profile cannot be read or holds a setting that is none.
    pub fn of(app: &App, model: Option<&str>) -> Result<Self, Error> {
        let Measured { measure, history_budget } = request::measured(app, model)?;
        let share = share(&measure, history_budget);
        Ok(Self { counter: measure.counter, estimated: measure.estimated, window: measure.window, share })
    }

    /// A number of tokens in words, `~` before an estimate.
    pub fn tokens(&self, tokens: u64) -> String {
        ctx_core::report::Count { number: tokens, estimated: self.estimated }.to_string()
    }
}

impl From<HistoryError> for Error {
    fn from(error: HistoryError) -> Self {
        let impossible = Self::impossible(&error);
        match error {
            HistoryError::Store(error) => error.into(),
            HistoryError::Damaged { .. } => Self::new(Failure::Damaged, error)
                .with_hint("correct the line or move the file away; ctx never rewrites a damaged history"),
            HistoryError::Unknown { .. } => impossible.with_hint("ctx history"),
            HistoryError::FileTooLarge { name } => {
                impossible.with_hint(format!("ctx history clear 1-100 --history={name} --no-backup"))
            }
            HistoryError::NoTurns { .. } | HistoryError::Answered { .. } => {
                impossible.with_hint("a message with --role user opens a turn")
            }
            HistoryError::LineTooLong
            | HistoryError::Unreadable { .. }
            | HistoryError::Nothing
            | HistoryError::NoSuchTurn { .. }
            | HistoryError::NoOpenCall { .. }
            | HistoryError::NoSummary { .. }
            | HistoryError::ChangedMeanwhile { .. } => impossible,
        }
    }
}

impl From<FilterError> for Error {
    fn from(error: FilterError) -> Self {
        Self::impossible(error)
    }
}
