//! Which history a command works on, and how it is measured.

use ctx_core::history::{History, HistoryError};
use ctx_core::models::Counter;
use ctx_core::store::{ProfileName, Setting};

use crate::app::App;
use crate::conversation::{named, parsed, share, warn_if_unfinished};
use crate::error::Error;
use crate::options::{BudgetOptions, OF_THE_PROFILE};
use crate::request::measure;
use crate::stored::Stored;

/// The name of the history that an option names, or else the environment or the profile, whether or not it exists.
///
/// # Errors
/// If the name isn't valid or the profile can't be read.
pub fn name(app: &App, option: Option<&str>) -> Result<ProfileName, Error> {
    app.check_named()?;
    let variable = app.environment.ctx_history.as_ref().map(|name| name.to_string_lossy());
    match (option, variable) {
        (Some(OF_THE_PROFILE), _) => app.store.read(|view| app.profile_in(view)),
        (Some(name), _) => parsed(app, name, "--history"),
        (None, Some(name)) => parsed(app, &name, "$CTX_HISTORY"),
        (None, None) => {
            let stored = Stored::read(app, None)?;
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
/// Like [`name`], and if the history doesn't exist or is damaged.
pub fn read(app: &App, option: Option<&str>) -> Result<History, Error> {
    let name = name(app, option)?;
    let is_of_variable = option.is_none() && app.environment.ctx_history.is_some();
    let history = match app.store.history(&name) {
        // Whoever only ever asked questions has no other history.
        Err(error @ HistoryError::Unknown { .. }) if option.is_none() && !is_of_variable => {
            let questions = ProfileName::of_questions(&app.world().root);
            app.store.history(&questions).map_err(|_| named(error, false))?
        }
        history => history.map_err(|error| named(error, is_of_variable))?,
    };
    warn_if_unfinished(app, &history);
    Ok(history)
}

/// How histories are measured.
pub struct Scale {
    /// Counts the tokens of a history.
    pub counter: Counter,
    /// Whether counts are estimates.
    pub estimated: bool,
    /// The most tokens that the model can read.
    pub window: u64,
    /// The most tokens of a block that a history may take up.
    pub share: u64,
}

impl Scale {
    /// The scale of a model, or else of the one in use.
    ///
    /// # Errors
    /// If the model isn't known, or the profile can't be read or contains an invalid setting.
    pub fn of(app: &App, model: Option<&str>) -> Result<Self, Error> {
        let stored = Stored::read(app, None)?;
        let options = BudgetOptions { model: model.map(str::to_owned), ..BudgetOptions::default() };
        let measure = measure(app, &options, &stored, false)?;
        let share = share(&measure, stored.chosen(None, Setting::HistoryBudget)?);
        Ok(Self { counter: measure.counter, estimated: measure.estimated, window: measure.window, share })
    }

    /// Formats a number of tokens, with `~` before an estimate.
    pub fn tokens(&self, tokens: u64) -> String {
        ctx_core::words::figure(tokens, self.estimated)
    }
}
