//! Which history a command is about, and how it is measured.

use clap::Args;
use clap_complete::ArgValueCandidates;

use super::app::App;
use super::complete;
use super::error::{Error, Failure};
use super::request::{self, Measured};
use ctx_core::budget::Budget;
use ctx_core::history::{FilterError, HISTORY_NAME_RULE, History, HistoryError, HistoryErrorKind};
use ctx_core::store::{ProfileName, Setting};
use ctx_tokens::Counter;

/// How much of the budget a history may take unless somebody says otherwise, in hundredths of a percent.
const DEFAULT_SHARE: u16 = 2_500;

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
        default_missing_value = "",
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
            (Some(""), _) => app.store.read(|view| app.profile_in(view)),
            (Some(name), _) => parsed(name, "--history"),
            (None, Some(name)) => parsed(&name, "$CTX_HISTORY"),
            (None, None) => app.store.read(|view| {
                let profile = app.profile_in(view)?;
                match view.profile(&profile)?.defaults.get(Setting::History) {
                    Some(name) => parsed(name, &format!("profile '{profile}'")),
                    None => Ok(profile),
                }
            }),
        }
    }

    /// The history that is meant, as it stands.
    ///
    /// # Errors
    /// As [`HistoryOption::name`], and when there is none or it is damaged.
    pub fn read(&self, app: &App) -> Result<History, Error> {
        let history = app.store.history(&self.name(app)?)?;
        warn_if_unfinished(app, &history);
        Ok(history)
    }
}

/// Says that a line was left out.
pub fn warn_if_unfinished(app: &App, history: &History) {
    if history.unfinished {
        app.ui
            .warn(format!("the last line of history '{}' was never finished and is left out", history.name));
    }
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
        let whole = measure.limit.unwrap_or(measure.window);
        let share = history_budget.unwrap_or(Budget::Share(DEFAULT_SHARE)).limit(whole);
        Ok(Self {
            counter: measure.counter,
            estimated: measure.estimated,
            window: measure.window,
            share: share.unwrap_or(whole),
        })
    }

    /// A number of tokens in words, `~` before an estimate.
    pub fn tokens(&self, tokens: u64) -> String {
        ctx_core::report::Count { number: tokens, estimated: self.estimated }.to_string()
    }
}

impl From<HistoryError> for Error {
    fn from(error: HistoryError) -> Self {
        let failure = match (error.kind(), error) {
            (HistoryErrorKind::Store, HistoryError::Store(error)) => return error.into(),
            (HistoryErrorKind::Damaged, error) => (Failure::Damaged, error),
            (HistoryErrorKind::Refused | HistoryErrorKind::Store, error) => (Failure::Impossible, error),
        };
        let (failure, error) = failure;
        match error.hint() {
            Some(hint) => Self::new(failure, &error).with_hint(hint),
            None => Self::new(failure, &error),
        }
    }
}

impl From<FilterError> for Error {
    fn from(error: FilterError) -> Self {
        Self::impossible(error)
    }
}
