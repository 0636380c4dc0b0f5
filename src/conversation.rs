//! The history that a block continues.

use std::path::Path;

use super::app::App;
use super::error::{Error, Failure, MissingName};
use super::options::{NO_HISTORY, OF_THE_PROFILE, PlanOptions};
use super::terminal;
use super::visible::visible;
use ctx_core::budget::Budget;
use ctx_core::history::{Conversation, Curated, FilterError, History, HistoryError, Talk};
use ctx_core::plan::{Measure, Plan};
use ctx_core::store::{Defaults, ProfileName, QUESTIONS, Setting};

/// The default share of the budget for a history, in hundredths of a percent.
const DEFAULT_SHARE: u16 = 2_500;

impl PlanOptions {
    /// The history that a block continues, from the command line, the environment or the profile; `None` if
    /// none of these names one.
    ///
    /// # Errors
    /// If a name is invalid.
    pub fn history_name(
        &self,
        app: &App,
        profile: &ProfileName,
        defaults: &Defaults,
    ) -> Result<Option<ProfileName>, Error> {
        let variable = app.environment.ctx_history.as_ref().map(|name| name.to_string_lossy());
        match (self.history.as_deref(), variable.as_deref(), defaults.get(Setting::History)) {
            (Some(NO_HISTORY), _, _) | (None, Some(NO_HISTORY), _) | (None, None, Some(NO_HISTORY)) => {
                Ok(None)
            }
            (Some(OF_THE_PROFILE), _, _) => Ok(Some(profile.clone())),
            (Some(name), _, _) => parsed(app, name, "--history").map(Some),
            (None, Some(name), _) => parsed(app, name, "$CTX_HISTORY").map(Some),
            (None, None, Some(name)) => parsed(app, name, &format!("profile '{profile}'")).map(Some),
            (None, None, None) => Ok(None),
        }
    }
}

/// Reads the part of a history that a block may show.
///
/// # Errors
/// If the history is damaged, or does not exist and is not allowed to be new.
pub fn conversation(
    app: &App,
    name: ProfileName,
    talk: Option<u64>,
    is_of_variable: bool,
    measure: &Measure,
    budget: Option<Budget>,
    may_be_new: bool,
) -> Result<Conversation, Error> {
    let curated = match app.store.history(&name) {
        Ok(history) => {
            warn_if_unfinished(app, &history);
            let talk = talk.or_else(|| resumed(app, &history));
            history.into_curated(talk, &measure.counter)
        }
        Err(HistoryError::Unknown { .. }) if may_be_new => Curated::default(),
        Err(error) => return Err(named(error, is_of_variable).in_store()),
    };
    Ok(Conversation::new(name, curated, share(measure, budget)))
}

/// The conversation of a history that goes on here: the last one of this terminal or, if nothing was asked on it, the last
/// one that belongs to no open terminal. Without a terminal, the last one that was asked without any.
pub fn resumed(app: &App, history: &History) -> Option<u64> {
    let here = terminal::here();
    let talks = history.talks();
    let of_here = talks.iter().find(|talk| talk.terminal == here);
    let is_left = |talk: &&Talk| {
        let of_open = talk.terminal.as_ref();
        !of_open.is_some_and(|terminal| terminal::is_open(terminal, &talk.time, app.world().now))
    };
    let left = || talks.iter().find(is_left).filter(|_| here.is_some());
    of_here.or_else(left).map(|talk| talk.number)
}

/// How many characters of a question are repeated in a message.
const REPEATED: usize = 60;

/// The beginning of a question.
pub fn first_words(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(REPEATED) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// The beginning of the question that began a conversation, as a terminal may show it.
pub fn opening(known: &History, talk: &Talk) -> String {
    visible(&first_words(&known.question(talk.first)))
}

/// Says how to continue the conversation of this terminal instead of asking something that hardly has words of its own.
pub fn hint_to_continue(app: &App, plan: &Plan) {
    let names_something = plan.named_texts().next().is_some() || !plan.named_files().is_empty();
    let is_alone = plan.request().conversation.is_none() && !names_something;
    let known = is_alone.then(|| app.store.history(&ProfileName::of_questions(&app.world().root)));
    let Some(Ok(known)) = known else { return };
    let Some(talk) = resumed(app, &known) else { return };
    if let Some(talk) = known.talks().iter().find(|each| each.number == talk) {
        app.ui.hint(format!("-c continues '{}'", opening(&known, talk)));
    }
}

/// The most tokens of a block that a history may take up.
pub fn share(measure: &Measure, budget: Option<Budget>) -> u64 {
    let whole = measure.limit.unwrap_or(measure.window);
    budget.unwrap_or(Budget::Share(DEFAULT_SHARE)).limit(whole).unwrap_or(whole)
}

/// Warns that a line was ignored.
pub fn warn_if_unfinished(app: &App, history: &History) {
    if history.is_unfinished() {
        app.ui.warn(format!("the last line of history '{}' is incomplete and was ignored", history.name));
    }
}

/// Warns that an incomplete last line was moved, and where to.
pub fn warn_of_torn(app: &App, name: &ProfileName, torn: Option<&Path>) {
    if let Some(torn) = torn {
        app.ui.warn(format!(
            "the last line of history '{name}' was incomplete and has been moved to '{}'",
            torn.display()
        ));
    }
}

pub fn named(error: HistoryError, is_of_variable: bool) -> Error {
    let error = Error::from(error);
    if is_of_variable { error.and_hint("the name comes from $CTX_HISTORY") } else { error }
}

/// The history with that name; `@ask` is the history of questions here.
///
/// # Errors
/// Wrong usage, if it is not a valid name.
pub fn parsed(app: &App, name: &str, origin: &str) -> Result<ProfileName, Error> {
    if name == QUESTIONS {
        return Ok(ProfileName::of_questions(&app.world().root));
    }
    if name == NO_HISTORY {
        return Err(Error::usage(format!(
            "'{NO_HISTORY}' in {origin} is not a history: it turns histories off"
        )));
    }
    let invalid =
        || Error::usage(format!("invalid history name '{name}' in {origin}: {}", ProfileName::RULE));
    name.parse().map_err(|_| invalid())
}

impl From<HistoryError> for Error {
    fn from(error: HistoryError) -> Self {
        let impossible = Self::impossible(&error);
        match error {
            HistoryError::Store(error) => error.into(),
            HistoryError::Damaged { .. } => Self::new(Failure::Damaged, error).with_hint(
                "correct the line or move the file out of the way; ctx never rewrites a damaged history",
            ),
            HistoryError::Unknown { name } => {
                impossible.with_hint("ctx history").of_unknown(MissingName::History(name.to_string()))
            }
            HistoryError::FileTooLarge { name } => {
                impossible.with_hint(format!("ctx history clear 1-100 --history={name} --no-backup"))
            }
            HistoryError::NoTurns { .. } | HistoryError::Answered { .. } => {
                impossible.with_hint("a message with --role user starts a turn")
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
