//! Which history a command works on, and how it is measured.

use clap::Args;
use clap_complete::ArgValueCandidates;
use ctx_core::history::History;
use ctx_core::models::Counter;
use ctx_core::store::{ProfileName, Setting};

use crate::app::App;
use crate::complete;
use crate::conversation::{named, parsed, share, warn_if_unfinished};
use crate::error::Error;
use crate::options::{BudgetOptions, OF_THE_PROFILE};
use crate::request::measure;
use crate::stored::Stored;
use crate::trust::Commands;

/// Which history.
#[derive(Debug, Clone, Default, Args)]
pub struct HistoryOption {
    /// The history; without NAME, the one named after the profile
    /// [default: $CTX_HISTORY, or the profile's setting 'history', or the one named after the profile]
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
    /// The name of the history, whether or not it exists.
    ///
    /// # Errors
    /// If the name isn't valid or the profile can't be read.
    pub fn name(&self, app: &App) -> Result<ProfileName, Error> {
        app.check_named()?;
        let variable = app.environment.ctx_history.as_ref().map(|name| name.to_string_lossy());
        match (self.history.as_deref(), variable) {
            (Some(OF_THE_PROFILE), _) => app.store.read(|view| app.profile_in(view)),
            (Some(name), _) => parsed(app, name, "--history"),
            (None, Some(name)) => parsed(app, &name, "$CTX_HISTORY"),
            (None, None) => {
                let stored = Stored::read(app, Commands::NotRun)?;
                let profile = &stored.lists.profile;
                match stored.defaults().get(Setting::History) {
                    Some(name) => parsed(app, name, &format!("profile '{profile}'")),
                    None => Ok(profile.clone()),
                }
            }
        }
    }

    /// Reads the history.
    ///
    /// # Errors
    /// Like [`HistoryOption::name`], and if the history doesn't exist or is damaged.
    pub fn read(&self, app: &App) -> Result<History, Error> {
        let name = self.name(app)?;
        let is_of_variable = self.history.is_none() && app.environment.ctx_history.is_some();
        let history = app.store.history(&name).map_err(|error| named(error, is_of_variable))?;
        warn_if_unfinished(app, &history);
        Ok(history)
    }
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
    /// The scale of a model, or else of the one in use.
    ///
    /// # Errors
    /// If the model isn't known, or the profile can't be read or contains an invalid setting.
    pub fn of(app: &App, model: Option<&str>) -> Result<Self, Error> {
        let stored = Stored::read(app, Commands::NotRun)?;
        let options = BudgetOptions { model: model.map(str::to_owned), ..BudgetOptions::default() };
        let measure = measure(app, &options, &stored, false)?;
        let share = share(&measure, stored.chosen(None, Setting::HistoryBudget)?);
        Ok(Self { counter: measure.counter, estimated: measure.estimated, window: measure.window, share })
    }

    /// A number of tokens in words, with `~` before an estimate.
    pub fn tokens(&self, tokens: u64) -> String {
        ctx_core::report::Count { number: tokens, estimated: self.estimated }.to_string()
    }
}
