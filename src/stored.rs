//! The stored lists that a command uses, without the parts that are not trusted here.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use super::app::App;
use super::conversation::conversation;
use super::error::{Error, Failure};
use super::models::registry;
use super::options::{BudgetOptions, PlanOptions, parsed};
use super::trust::{Ground, same_digest};
use ctx_core::account::SettingRecord;
use ctx_core::entry::Scope;
use ctx_core::history::Conversation;
use ctx_core::plan::{Instruction, Measure};
use ctx_core::report::Notice;
use ctx_core::store::{Choice, Defaults, Setting};
use ctx_core::trust::{Fingerprint, StoredLists, Trusted, Untrusted};

/// The global list and the profile in use, without untrusted parts.
pub struct Stored {
    /// The lists.
    pub lists: StoredLists,
    /// The items that are trusted here; empty if nothing needs trust.
    pub trusted: Trusted,
    /// The parts of the lists that are not used because they are not trusted.
    pub untrusted: Untrusted,
    /// How many items on the lists are not trusted here, if a project is in use.
    pub pending: usize,
    /// Which profile was chosen for this place, unless the command line or the environment names one.
    pub choice: Option<Choice>,
    /// Forbidden and invalid parts of the lists.
    pub refused: Vec<Notice>,
}

impl Stored {
    /// Reads the lists of the profile in use; a digest trusts its items just this once.
    ///
    /// # Errors
    /// If the store cannot be read, the profile does not exist, or a digest does not match what needs trust.
    pub fn read(app: &App, trust: Option<Fingerprint>) -> Result<Self, Error> {
        let (mut lists, choice) = app.store.read(|view| {
            let profile = app.profile_in(view)?;
            Ok::<_, Error>((StoredLists::of(view, profile)?, app.choice_in(view)?))
        })?;
        if lists.name_a_model() {
            lists.leave_out_unknown_model(&registry(&app.store)?);
        }
        let mut trusted = Trusted::default();
        let mut pending = 0;
        let mut project = PathBuf::new();
        if lists.need_trust() {
            let ground = Ground::around(app)?;
            trusted = match trust {
                Some(digest) => {
                    let items = ground.items(app, &lists);
                    same_digest(digest, &items)?;
                    Trusted::exactly(&items)
                }
                None => ground.trusted(app)?,
            };
            pending = ground.pending(app, &lists, &trusted);
            project = ground.project(app);
        }
        let refused = lists.refused();
        let untrusted = lists.keep_trusted(&trusted, &project);
        Ok(Self { lists, trusted, untrusted, pending, choice, refused })
    }

    /// The settings of the profile, which apply even if no stored entries are used.
    pub fn defaults(&self) -> &Defaults {
        &self.lists.own.defaults
    }

    /// The value of a setting in the profile, or the one for all profiles.
    pub fn default(&self, setting: Setting) -> Option<&str> {
        let for_all = || self.lists.global.defaults.get(setting).filter(|_| setting.is_for_all());
        self.defaults().get(setting).or_else(for_all)
    }

    /// The settings in effect that no option overrides, in order, including `$CTX_MODEL` but not those that
    /// are shown separately.
    pub fn settings(&self, app: &App, options: &PlanOptions) -> Vec<SettingRecord> {
        let BudgetOptions { model, budget, trim, format, no_git_history, .. } = &options.budget;
        let variable = app.environment.ctx_model.as_ref().filter(|_| model.is_none());
        let is_open = |setting: &Setting| match setting {
            Setting::Description | Setting::Instruction | Setting::History => false,
            Setting::Model => model.is_none() && variable.is_none(),
            Setting::Budget => budget.is_none(),
            Setting::Trim => trim.is_none(),
            Setting::Format => format.is_none(),
            Setting::HistoryBudget => options.history_budget.is_none(),
            Setting::GitHistory => !no_git_history,
            Setting::AskBudget | Setting::Checkpoint | Setting::Program | Setting::WordsFrom => true,
        };
        let own = if self.lists.own.provenance.scope == Scope::Project { "project" } else { "profile" };
        let of_list = |setting: Setting| {
            let from = if self.defaults().get(setting).is_some() { own } else { "all profiles" };
            Some(SettingRecord { name: setting.name(), value: self.default(setting)?.to_owned(), from })
        };
        let model = variable.map(|name| SettingRecord {
            name: Setting::Model.name(),
            value: name.to_string_lossy().into_owned(),
            from: "$CTX_MODEL",
        });
        model.into_iter().chain(Setting::ALL.into_iter().filter(is_open).filter_map(of_list)).collect()
    }

    /// The value of an option, or else of the default.
    pub fn chosen<T: FromStr<Err: Display>>(
        &self,
        option: Option<T>,
        setting: Setting,
    ) -> Result<Option<T>, Error> {
        if option.is_some() {
            return Ok(option);
        }
        let default = self.default(setting).map(parsed).transpose();
        default.map_err(|error| self.with_way_out(setting, error))
    }

    /// The history that the block continues, if any.
    pub fn conversation(
        &self,
        app: &App,
        options: &PlanOptions,
        measure: &Measure,
        may_be_new: bool,
    ) -> Result<Option<Conversation>, Error> {
        let Some(name) = options.history_name(app, &self.lists.profile, self.defaults())? else {
            return Ok(None);
        };
        let budget = self.chosen(options.history_budget, Setting::HistoryBudget)?;
        let is_of_variable = options.history.is_none() && app.environment.ctx_history.is_some();
        conversation(app, name, options.talk, is_of_variable, measure, budget, may_be_new).map(Some)
    }

    /// The instruction to the model, from the command line or else from the lists.
    pub fn instruction(&self, options: &PlanOptions) -> Option<Instruction> {
        let stored = [&self.lists.global, &self.lists.own]
            .map(|list| (list.defaults.get(Setting::Instruction), list.provenance.scope));
        let (texts, scopes): (Vec<&str>, Vec<Scope>) = match &options.instruction {
            Some(text) => vec![(text.as_str(), Scope::Session)],
            None => stored.iter().filter_map(|(text, scope)| Some(((*text)?, *scope))).collect(),
        }
        .into_iter()
        .map(|(text, scope)| (text.trim_end_matches(['\n', '\r']), scope))
        .filter(|(text, _)| !text.trim().is_empty())
        .unzip();
        (!texts.is_empty()).then(|| Instruction { text: texts.join("\n\n"), scopes })
    }

    /// Adds what to do about an error in the value of a default.
    pub fn with_way_out(&self, setting: Setting, error: Error) -> Error {
        if error.failure != Failure::Usage {
            return error;
        }
        let (profile, key) = (&self.lists.profile, setting.name());
        let (whose, command) = match self.defaults().get(setting) {
            Some(_) => (format!("of profile '{profile}'"), format!("ctx --profile {profile} profile")),
            None => ("for all profiles".to_owned(), "ctx profile -g".to_owned()),
        };
        let way_out = format!(
            "it is the {key} {whose}: '{command} --set {key}=…' changes it, and '--unset {key}' removes it"
        );
        error.and_hint(way_out).in_store()
    }
}
