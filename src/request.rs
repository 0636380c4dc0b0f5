//! From options, environment and profile to a request: the only place where they meet, so that `render`, `show`,
//! `check` and `explain` never disagree.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::app::App;
use super::dependencies;
use super::environment::launcher;
use super::error::{Error, Failure};
use super::hints;
use super::interrupt;
use super::looks::Looks;
use super::models;
use super::options::{BudgetOptions, NO_HISTORY, OF_THE_PROFILE, PlanOptions, SelectionOptions};
use super::progress;
use super::stored::Stored;
use super::subject;
use super::trust::{Commands, texts_of};
use super::visible::argument;
use ctx_core::account::{ProjectRecord, SettingRecord, WordsRecord};
use ctx_core::budget::{Budget, FitError, FramePart, Trim};
use ctx_core::command::Words;
use ctx_core::entry::{Allowance, Allowed, Scope, ScopedEntry};
use ctx_core::format::Format;
use ctx_core::fs::resolved;
use ctx_core::guard::names::holds_secrets;
use ctx_core::guard::without_marks;
use ctx_core::history::{Conversation, Role, Turn};
use ctx_core::naming::Chosen;
use ctx_core::plan::{
    self, Detail, Form, ListUse, Measure, Plan, PlanError, Purpose, ReadOptions, Request, Since, UserMessage,
};
use ctx_core::read::DEFAULT_MAX_BYTES;
use ctx_core::report::{Notice, NoticeKind};
use ctx_core::select::{self, AskGit, SelectError};
use ctx_core::setting::{self, InvalidSetting, NamedBy};
use ctx_core::source::git::{self, EarlierCommits, Git};
use ctx_core::source::readers::Readers;
use ctx_core::source::{Order, Provided};
use ctx_core::store::{ProfileName, Setting, Switch};
use ctx_core::tree::Tree;
use ctx_core::trust::{Fingerprint, Untrusted};
use ctx_core::words::{nearest, quoted, tokens};
use ctx_search::{Evidence, Query};

/// What a command adds to the shared options.
#[derive(Debug, Clone, Default)]
pub struct Extra {
    /// Entries for this one block.
    pub session: Vec<ScopedEntry>,
    /// The contents of session entries that aren't paths; their indices refer to `session`.
    pub texts: Vec<Provided>,
    /// Whether the stored entries are left out.
    pub only_session: bool,
    /// Whether to start with a tree of the files.
    pub tree: bool,
    /// What the reader has from earlier blocks, if only the rest is to be printed.
    pub since: Option<Since>,
    /// Files that the command writes.
    pub outputs: Vec<PathBuf>,
    /// Whether to count how many files each exclusion excludes.
    pub count_exclusions: bool,
    /// The user's message, which is the query if none is given.
    pub prompt: Option<UserMessage>,
    /// What to search for besides the query.
    pub more: More,
    /// The file that it was read from.
    pub prompt_file: Option<PathBuf>,
    /// The purpose of the plan.
    pub purpose: Purpose,
    /// How much detail is needed.
    pub detail: Detail,
    /// Whether the tokens of everything may be asked for.
    pub sums_everything: bool,
    /// Whether commands may run.
    pub commands: Commands,
    /// The digest of the items that are trusted just this once.
    pub trust: Option<Fingerprint>,
    /// Whether readers of files that are not text may run.
    pub reads: bool,
    /// Whether a history that doesn't exist yet is accepted.
    pub history_may_be_new: bool,
    /// Where the contents of the block come from.
    pub looks: Looks,
    /// Messages about the references in the prompt.
    pub notices: Vec<Notice>,
}

/// What to search for besides the question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct More {
    /// Words, and names that the code probably uses.
    pub names: Vec<String>,
    /// The labels of files that matter more.
    pub paths: Vec<String>,
}

impl More {
    /// What is planned and recorded of it.
    fn record(self) -> Option<WordsRecord> {
        let Self { names: words, paths } = self;
        let is_any = !words.is_empty() || !paths.is_empty();
        is_any.then_some(WordsRecord { program: None, words, paths, dropped: None, tokens: None })
    }
}

/// Plans a block from the store and the command line.
///
/// # Errors
/// Wrong usage, and everything that prevents a plan. If nothing fits, that is not an error here.
pub fn plan(app: &App, options: &PlanOptions, extra: Extra) -> Result<Plan, Error> {
    planned(app, requested(app, options, extra)?)
}

/// The plan that explains a file: that of the lists or, for a question about a file on none of them that a question
/// searches, that of a search of everything.
///
/// # Errors
/// As [`plan`](fn@plan).
pub fn plan_of_file(app: &App, options: &PlanOptions, extra: Extra, file: &OsStr) -> Result<Plan, Error> {
    let stored = Stored::read(app, extra.trust)?;
    let is_only_searched = || {
        let readers = crate::readers::readers(app, &stored, extra.reads, None)?;
        let selection = selection(app, options, extra.outputs.clone());
        let is_only_searched =
            |world| plan::is_only_searched(file, &stored.lists.entries, &selection, &readers, world);
        Ok::<_, Error>([app.world(), app.base(Scope::Profile)].into_iter().any(is_only_searched))
    };
    let looks =
        if extra.prompt.is_some() && is_only_searched()? { Looks::ThroughEverything } else { extra.looks };
    planned(app, request(app, options, Extra { looks, ..extra }, stored)?)
}

/// The request for a block from the store and the command line.
///
/// # Errors
/// As [`plan`](fn@plan).
pub fn requested(app: &App, options: &PlanOptions, extra: Extra) -> Result<Request, Error> {
    let stored = Stored::read(app, extra.trust)?;
    request(app, options, extra, stored)
}

/// What a program chose to search for.
#[derive(Debug)]
pub struct Named {
    /// The program, for people.
    pub program: String,
    /// The names and paths.
    pub chosen: Chosen,
    /// The tokens that it was sent.
    pub tokens: u64,
}

/// Makes the request search for what a program chose as well.
pub fn search_for_named(app: &App, request: &mut Request, mut more: More, named: Named) {
    let Named { program, chosen: Chosen { names, paths, dropped }, tokens } = named;
    more.names.extend(names);
    more.paths.extend(paths);
    let question = request.question.as_deref().unwrap_or_default();
    let is_typed =
        |text: &&Provided| text.entries.iter().any(|id| request.entries[id.0].scope.is_for_one_block());
    let beside = request.provided.iter().filter(is_typed);
    request.query = whole_query(app, question, &more, beside, request.conversation.as_deref());
    request.words = more.record().map(|record| WordsRecord {
        program: Some(program),
        dropped: Some(dropped),
        tokens: Some(tokens),
        ..record
    });
}

/// A plan, and data about the profile in use, whose settings apply even if no stored entries are used.
pub struct Described {
    /// The plan.
    pub plan: Plan,
    /// The profile.
    pub profile: ProfileName,
    /// The root it was chosen for, if any.
    pub chosen: Option<String>,
    /// The profile's description, if it has one.
    pub description: Option<String>,
    /// The settings in effect.
    pub settings: Vec<SettingRecord>,
}

/// Plans a block, and describes the profile as it was when the entries were read.
///
/// # Errors
/// As [`plan`](fn@plan).
pub fn described(app: &App, options: &PlanOptions, extra: Extra) -> Result<Described, Error> {
    let stored = Stored::read(app, extra.trust)?;
    let (profile, description) =
        (stored.lists.profile.clone(), stored.defaults().get(Setting::Description).map(str::to_owned));
    let chosen = stored.choice.as_ref().and_then(|choice| app.chosen_for(&choice.by));
    let settings = stored.settings(app, options);
    let request = request(app, options, extra, stored)?;
    let plan = planned(app, request)?;
    Ok(Described { plan, profile, chosen, description, settings })
}

fn request(app: &App, options: &PlanOptions, mut extra: Extra, stored: Stored) -> Result<Request, Error> {
    let mut kept = kept_entries(options, &extra, &stored)?;
    extra.notices.extend(dependencies::look_up(&mut kept, app));
    let prompt = extra.prompt.as_ref().map(|prompt| prompt.text.as_str());
    let question = question(options.budget.query.as_deref(), prompt).map(str::to_owned);
    let question = question.as_deref();
    let ask_budget = stored.chosen(options.budget.budget, Setting::AskBudget)?;
    let chosen = extra.looks.defaults(options, ask_budget);
    let measure = measure(app, &chosen.budget, &stored, question.is_some())?;
    let measure = extra.looks.measure(measure, options.budget.trim, ask_budget);
    let list = list_use(&stored, ask_budget, measure.window)?;
    let format = stored.chosen(options.budget.format, Setting::Format)?.unwrap_or_default();
    if extra.since.is_some() {
        let history = chosen.history_name(app, &stored.lists.profile, stored.defaults())?;
        can_mark_changes(format, history.is_some())?;
    }
    let conversation = stored.conversation(app, &chosen, &measure, extra.history_may_be_new)?.map(Arc::new);
    let idle =
        idle_options(options, &extra, &kept, measure.trim, measure.limit.is_none(), format, &conversation);
    extra.notices.extend(idle);
    let mut session = extra.session;
    let mut provided = extra.texts;
    let resumed = subject::resume(conversation.as_deref(), extra.looks, &mut session, &mut provided, app);
    let rest_competes = extra.looks.narrow(app, &mut kept, &mut session);
    if options.safety.takes_back() {
        kept.iter_mut().for_each(|scoped| scoped.entry.attributes.allow = Allowed::default());
    }
    let before = kept.len();
    provided.iter_mut().flat_map(|text| &mut text.entries).for_each(|id| id.0 += before);
    let entries: Vec<ScopedEntry> = kept.into_iter().chain(session).collect();
    let of_project = app.project_warnings.iter();
    let of_project = of_project.map(|text| Notice::warning(NoticeKind::Project, text.clone()));
    let of_another = stored.choice.as_ref().and_then(|choice| app.note_of_choice(choice));
    let of_another = of_another.map(|text| Notice::note(NoticeKind::Project, text));
    let refused =
        if extra.looks.through() { app.refused("the root is") } else { app.refused_repository(&entries) };
    let refused = refused.map(|text| Notice::note(NoticeKind::Project, text));
    let mut selection = selection(app, options, extra.outputs);
    (selection.looks_through, selection.prompt_file) = (extra.looks.through(), extra.prompt_file);
    let texts = texts_of(app, &stored.trusted, &entries, &selection, extra.commands)?;
    let untrusted = Untrusted { commands: texts.untrusted, ..stored.untrusted };
    selection.texts = texts.entries;
    selection.excluded_texts = texts.excluded;
    selection.left_out_of_texts = texts.left_out;
    selection.matched_in_texts = texts.matched;
    selection.count_exclusions = extra.count_exclusions;
    let provided: Vec<Provided> = provided.into_iter().chain(texts.provided).collect();
    let query = match options.budget.query.as_deref() {
        Some(text) => Some(query(text)?),
        None => {
            let beside = provided.iter().filter(|text| text.entries.iter().any(|id| id.0 >= before));
            question.and_then(|text| whole_query(app, text, &extra.more, beside, conversation.as_deref()))
        }
    };
    let cache = app.cache_directory().filter(|_| !options.safety.no_cache);
    let readers = crate::readers::readers(app, &stored, extra.reads, cache.as_deref())?;
    let ranks = measure.trim == Trim::Relevant && measure.limit.is_some() || extra.purpose != Purpose::Block;
    let asks = ranks && query.is_some() && !options.budget.no_git_history;
    let commits = match stored.chosen(None, Setting::GitHistory)?.unwrap_or(Switch::On) {
        Switch::On if asks => earlier_commits(app, cache.as_deref()),
        Switch::On | Switch::Off => EarlierCommits::Off,
    };
    Ok(Request {
        profile: (!extra.only_session).then(|| stored.lists.profile.to_string()),
        measure,
        form: Form { format, guard: options.budget.guard, tree: extra.tree },
        order: options.budget.order,
        selection,
        reading: reader(options, readers),
        instruction: stored.instruction(options),
        conversation,
        question: question.filter(|_| extra.purpose == Purpose::Block).map(str::to_owned),
        prompt: extra.prompt,
        query,
        commits,
        words: extra.more.record(),
        looked_through: extra.looks.root(app),
        list: ListUse { rest_competes, ..list },
        since: extra.since,
        purpose: extra.purpose,
        detail: extra.detail,
        sums_everything: extra.sums_everything,
        progress: None,
        cache,
        provided,
        notices: texts
            .notices
            .into_iter()
            .chain(of_project)
            .chain(refused)
            .chain(of_another)
            .chain(untrusted.notice(app.named_profile().map(|name| name.to_string())))
            .chain(stored.refused.clone())
            .chain(extra.notices)
            .chain(resumed)
            .collect(),
        project: app.project().map(|root| ProjectRecord { root, pending: stored.pending }),
        entries,
    })
}

/// The stored entries of a block.
///
/// # Errors
/// If none of them has one of the tags.
fn kept_entries(options: &PlanOptions, extra: &Extra, stored: &Stored) -> Result<Vec<ScopedEntry>, Error> {
    if extra.only_session {
        return Ok(Vec::new());
    }
    check_tags(&options.selection.tags, &stored.lists.entries)?;
    Ok(stored.lists.entries.clone())
}

/// What a question with this budget, if one is chosen, does with the stored entries.
///
/// # Errors
/// If the profile has an invalid setting.
fn list_use(stored: &Stored, budget: Option<Budget>, window: u64) -> Result<ListUse, Error> {
    let limit = |budget: Option<Budget>| budget.and_then(|budget| budget.limit(window));
    let within = |budget: Option<u64>| {
        budget.map_or_else(ListUse::default, |budget| ListUse::default().within(budget))
    };
    let usual = within(limit(stored.chosen(None, Setting::AskBudget)?));
    Ok(ListUse { usual_tokens: usual.usual_tokens, ..within(limit(budget)) })
}

/// Warns of options that have no effect beside the others.
fn idle_options(
    options: &PlanOptions,
    extra: &Extra,
    kept: &[ScopedEntry],
    rule: Trim,
    is_unlimited: bool,
    format: Format,
    conversation: &Option<Arc<Conversation>>,
) -> Vec<Notice> {
    let PlanOptions { selection: SelectionOptions { tags, .. }, budget, .. } = options;
    let tag = extra.only_session && !tags.is_empty();
    let tag = tag.then(|| "--tag has no effect with --only, which leaves out your entries".to_owned());
    let searches = kept.iter().any(|scoped| scoped.entry.attributes.search);
    let query = budget.query.is_some() && rule != Trim::Relevant && budget.order != Order::Score && !searches;
    let query = query.then(|| format!("--query has no effect with --trim {rule}, only with --trim relevant"));
    let is_block = extra.purpose == Purpose::Block;
    let is_unlimited =
        is_block && budget.query.is_some() && is_unlimited && budget.order != Order::Score && !searches;
    let query = query.or_else(|| {
        is_unlimited
            .then(|| "--query has no effect without a budget, which leaves nothing to choose".to_owned())
    });
    let share = options.history_budget.is_some() && options.history.is_none() && conversation.is_none();
    let share = share.then(|| "--history-budget has no effect without --history".to_owned());
    let guard = budget.guard && !format.carries_ids();
    let guard =
        guard.then(|| format!("--guard has no effect with --format {format}, which has no delimiters"));
    let idle = [tag, query, share, guard].into_iter().flatten();
    idle.map(|text| Notice::warning(NoticeKind::Filters, text)).collect()
}

/// Checks that each of the tags is that of an entry.
///
/// # Errors
/// If one isn't, with the tag that may have been meant.
fn check_tags(tags: &[String], entries: &[ScopedEntry]) -> Result<(), Error> {
    let known: BTreeSet<&String> = entries.iter().flat_map(|scoped| &scoped.entry.attributes.tags).collect();
    let Some(unknown) = tags.iter().find(|tag| !known.contains(tag)) else { return Ok(()) };
    let error = Error::impossible(format!("no entry has the tag {}", quoted(unknown)));
    let near = nearest(unknown, known.iter().map(|tag| tag.as_str())).map(hints::did_you_mean);
    let names: Vec<String> = known.into_iter().cloned().collect();
    Err(near.or_else(|| hints::there_are(&names, "--tag ")).into_iter().fold(error, Error::with_hint))
}

/// Checks that a block can consist of only what has changed.
///
/// # Errors
/// Wrong usage, if its format cannot mark changes, or it continues a history, which sends the files again.
fn can_mark_changes(format: Format, continues: bool) -> Result<(), Error> {
    if continues {
        return Err(Error::usage("--since cannot be used with a history")
            .with_hint("--history=none leaves the history out"));
    }
    if !format.marks_changes() {
        return Err(Error::usage(format!(
            "--since cannot be used with --format {format}: use text, xml or json"
        )));
    }
    Ok(())
}

/// The plan of a request; shows the progress.
///
/// # Errors
/// Everything that prevents a plan.
pub fn planned(app: &App, request: Request) -> Result<Plan, Error> {
    let narrower = narrower(request.purpose);
    let plan = |progress| plan::plan(&Request { progress, ..request }, app.world());
    let planned = progress::shown(&app.ui, plan);
    interrupt::gives_way();
    planned.map_err(|error| {
        let is_too_much = matches!(error, PlanError::Select(SelectError::TooMuch));
        let error = Error::from(error);
        if is_too_much { error.with_hint(narrower) } else { error }
    })
}

/// What to type to search less.
pub fn narrower(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Block => "name a directory or pattern in it: ctx ask QUESTION PATH",
        Purpose::Search(_) => "name a directory or pattern in it: ctx search QUERY PATH",
    }
}

/// The question that the block answers: the query or, unless it is blank, the prompt.
fn question<'a>(asked: Option<&'a str>, prompt: Option<&'a str>) -> Option<&'a str> {
    asked.or(prompt.filter(|prompt| !prompt.trim().is_empty()))
}

/// The messages of the commits in the repository; git runs while files are read.
fn earlier_commits(app: &App, cache: Option<&Path>) -> EarlierCommits {
    let world = app.world().clone();
    let tree = Tree::around(&world).root().to_owned();
    let cache = cache.map(Path::to_owned);
    let deadline = app.git_deadline();
    EarlierCommits::coming(move || EarlierCommits::of(&tree, &world, cache.as_deref(), &launcher(), deadline))
}

/// The query in a text.
///
/// # Errors
/// If it contains no word.
fn query(text: &str) -> Result<Query, Error> {
    let no_word = || Error::usage(format!("there is no word to search for in '{}'", argument(text.trim())));
    Query::of(&without_marks(text)).or_else(|| Query::of(text)).ok_or_else(no_word)
}

/// The current directory as seen from the root of the search, with `/` between the names.
fn from_root(app: &App) -> String {
    let below = resolved(&app.world().cwd).strip_prefix(&app.world().root).ok().map(Path::to_owned);
    let names: Vec<_> =
        below.iter().flat_map(|path| path.iter()).map(|name| name.to_string_lossy()).collect();
    names.join("/")
}

/// What to look for: the words of the question, further words, what is shown beside it, and the questions before it.
fn whole_query<'e>(
    app: &App,
    question: &str,
    more: &More,
    beside: impl Iterator<Item = &'e Provided>,
    conversation: Option<&Conversation>,
) -> Option<Query> {
    let text = |text: &'e Provided| str::from_utf8(text.content.as_ref().ok()?).ok();
    let turns = conversation.map_or(&[][..], |conversation| &conversation.turns);
    let asked = |turn: &Turn| {
        let message = turn.messages.iter().find(|message| message.role == Role::User);
        without_marks(message.and_then(|message| message.content.as_deref()).unwrap_or_default()).into_owned()
    };
    let earlier: Vec<String> = turns.iter().rev().map(asked).collect();
    let question = without_marks(question);
    Query::from(&Evidence {
        directory: from_root(app),
        names: more.names.iter().map(String::as_str).collect(),
        raised_paths: more.paths.iter().map(String::as_str).collect(),
        piped: beside.filter_map(text).collect(),
        earlier: earlier.iter().map(String::as_str).collect(),
        ..Evidence::of(&question)
    })
}

/// The measure of a block with these options, whether or not it answers a question.
///
/// # Errors
/// Wrong usage, if the model is unknown; and if the profile has an invalid setting.
pub fn measure(
    app: &App,
    options: &BudgetOptions,
    stored: &Stored,
    has_question: bool,
) -> Result<Measure, Error> {
    let window = options.window;
    let find = |name: &str| models::find(&app.store, name, window);
    let variable = app.environment.ctx_model.as_ref().map(|name| name.to_string_lossy().into_owned());
    let model = match (&options.model, variable, stored.default(Setting::Model)) {
        (Some(name), _, _) => Some(find(name)?),
        (None, Some(name), _) => {
            let named = |error: Error| {
                if error.failure == Failure::Usage {
                    error.and_hint("the name comes from $CTX_MODEL")
                } else {
                    error
                }
            };
            Some(find(&name).map_err(named)?)
        }
        (None, None, Some(name)) => {
            Some(find(name).map_err(|error| stored.with_way_out(Setting::Model, error))?)
        }
        (None, None, None) => None,
    };
    let BudgetOptions { tokenizer, budget, trim, .. } = *options;
    let budget = stored.chosen(budget, Setting::Budget)?;
    let chosen = stored.chosen(trim, Setting::Trim)?;
    let trim = chosen.unwrap_or(if has_question { Trim::Relevant } else { Trim::Largest });
    Ok(Measure { is_default_rule: chosen.is_none(), ..Measure::of(model, tokenizer, window, budget, trim) })
}

/// The program that gets a block if the command line names none.
///
/// # Errors
/// If the profile cannot be read, or its setting names no program.
pub fn program(app: &App) -> Result<Option<Words>, Error> {
    let stored = Stored::read(app, None)?;
    let Some(words) = stored.chosen::<Words>(None, Setting::Program)? else { return Ok(None) };
    check_setting(app, Setting::Program, &words.line())?;
    Ok(Some(words))
}

/// Who chooses names for questions, if a setting says so.
///
/// # Errors
/// If the profile cannot be read, or its setting is invalid.
pub fn named_by(app: &App) -> Result<Option<NamedBy>, Error> {
    let stored = Stored::read(app, None)?;
    let set = stored.chosen::<NamedBy>(None, Setting::WordsFrom)?;
    if let Some(NamedBy::Program(words)) = &set {
        check_setting(app, Setting::WordsFrom, &words.line())?;
    }
    Ok(set)
}

/// The history that a block with these options continues, if any. Sets it in the options, so that the answer is
/// recorded in the history that was shown, even if the profile changes in the meantime.
///
/// # Errors
/// If the profile cannot be read or the name of the history is invalid.
pub fn history_name(app: &App, options: &mut PlanOptions) -> Result<Option<ProfileName>, Error> {
    let stored = Stored::read(app, None)?;
    let history = options.history_name(app, &stored.lists.profile, stored.defaults())?;
    let depends_on_profile = match options.history.as_deref() {
        Some(name) => name == OF_THE_PROFILE,
        None => app.environment.ctx_history.is_none(),
    };
    // A profile may have the name that turns histories off, and the history of questions has no name to type.
    let can_be_named =
        |name: &ProfileName| name.as_str() != NO_HISTORY && name.as_str().parse() == Ok(name.clone());
    if depends_on_profile && history.as_ref().is_none_or(can_be_named) {
        let name = history.as_ref().map_or(NO_HISTORY, ProfileName::as_str);
        options.history = Some(name.to_owned());
    }
    Ok(history)
}

fn selection(app: &App, options: &PlanOptions, outputs: Vec<PathBuf>) -> select::Options {
    let SelectionOptions { tags, include, exclude, newer_than, recursive, .. } = &options.selection;
    let allowed = options.safety.allowed();
    select::Options {
        ignore_rules: !allowed.has(Allowance::Ignored),
        recursive: *recursive,
        secret_names: allowed.has_secret_names(),
        tags: tags.clone(),
        include: include.clone(),
        exclude: exclude.clone(),
        newer_than: newer_than.and_then(|age| app.world().now.checked_sub(age)),
        output_paths: outputs.iter().map(|path| app.world().cwd.join(path)).collect(),
        // A render never reads its own output.
        output_ids: select::FileNumber::of(std::io::stdout()).into_iter().collect(),
        labels: options.budget.labels,
        metadata: options.budget.order == Order::Stable,
        git: Some(ask_git(app)),
        ..select::Options::new(holds_secrets)
    }
}

/// Asks git for tracked files, with the usual limits.
fn ask_git(app: &App) -> AskGit {
    let world = app.world().clone();
    AskGit::new(move |root| {
        let launcher = launcher();
        Git::open(root, &world, &launcher, git::deadline()).and_then(|git| git.tracked()).ok()
    })
}

fn reader(options: &PlanOptions, readers: Arc<Readers>) -> ReadOptions {
    let max_bytes = options.selection.max_file_size;
    ReadOptions {
        max_bytes: max_bytes.unwrap_or(DEFAULT_MAX_BYTES),
        allowed: options.safety.allowed(),
        line_numbers: options.budget.line_numbers,
        encoding: options.selection.encoding,
        raw: options.budget.raw,
        level: options.budget.level.unwrap_or_default(),
        containing: options.selection.containing.clone(),
        readers,
    }
}

impl From<PlanError> for Error {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Select(error) => error.into(),
            PlanError::Unsettled => Self::impossible(error),
            PlanError::AmbiguousLabel(_) => Self::usage(error)
                .with_hint("leave out the file, or give the text on standard input another --stdin-name"),
            PlanError::Fit(error) => Self::impossible(error),
        }
    }
}

impl From<SelectError> for Error {
    fn from(error: SelectError) -> Self {
        match error {
            SelectError::TooMuch | SelectError::SlowRules(_) => Self::impossible(error),
            SelectError::TooManyMatches { .. } | SelectError::InvalidFilter { .. } => Self::usage(error),
        }
    }
}

/// The error that a block does not fit, with what to do about it.
pub fn does_not_fit(error: &FitError, plan: &Plan, is_strict: bool) -> Error {
    let measure = &plan.request().measure;
    let most = measure.known_window().unwrap_or(u64::MAX);
    let lines = options_that_fit(error, most, is_strict, plan);
    let fault = Error::impossible(error);
    if let (Some(model), true) = (&measure.model, error.needed().is_some_and(|needed| needed > most)) {
        let way_out = match error {
            FitError::FrameOver { parts, .. } if *parts == [FramePart::Prompt] => "shorten the prompt",
            FitError::FrameOver { .. } => "use --instruction '' or --history=none",
            FitError::PinnedOver { .. } | FitError::NothingFits { .. } | FitError::Unread => {
                "name or pin fewer files"
            }
        };
        let window = format!("the window of {model} is {}; {way_out}", tokens(most, false));
        return lines.into_iter().fold(fault, Error::and_hint).and_hint(window);
    }
    if lines.is_empty() {
        return fault.with_hint(how_to_fit(error));
    }
    let several = are_several_and_whole(error).then(|| WHAT_IS_IN_PART.to_owned());
    lines.into_iter().chain(several).fold(fault, Error::and_hint)
}

/// The option with a large enough budget of at most `most` tokens and, if another rule would print little
/// enough of the named files, the option with that rule.
fn options_that_fit(error: &FitError, most: u64, is_strict: bool, plan: &Plan) -> Vec<String> {
    let request = plan.request();
    let asks = request.looked_through.is_some();
    // With --strict, a rule that prints files in part does not help.
    let measure = &request.measure;
    let is_ranked = measure.is_default_rule && measure.trim == Trim::Relevant && request.query.is_some();
    let (needed, is_cut_by_another, may_be_ranked) = match error {
        // A budget of this size leaves no room for documents, or the size is unknown.
        FitError::FrameOver { .. } | FitError::Unread => return Vec::new(),
        FitError::NothingFits { .. } if is_strict && !asks => return Vec::new(),
        FitError::NothingFits { needed, .. } => {
            (needed.to_string(), measure.trim == Trim::Largest && !is_strict, false)
        }
        FitError::PinnedOver { needed, least, beside, named_under, .. } => {
            // The exact budget is unknown for a question, whose files compete for the rest, and with a last
            // turn, which grows with the budget until it is complete.
            let least = least.filter(|_| !is_strict);
            let is_all = least.is_some() || !asks && !beside.contains(&FramePart::LastTurn);
            // A larger budget may have room for more of the list in a question: up to a quarter.
            let with_list = |needed: u64| {
                if asks && plan.has_list() { needed.saturating_mul(4) / 3 + LABELS } else { needed }
            };
            let exactly = || with_list(least.unwrap_or(*needed)).to_string();
            let thousands = needed.saturating_mul(2).div_ceil(1_000);
            let is_below = thousands.saturating_mul(1_000) <= most;
            let roughly = || if is_below { format!("{thousands}k") } else { most.to_string() };
            (
                if is_all { exactly() } else { roughly() },
                !is_strict && named_under.is_some_and(|rule| rule != Trim::Truncate),
                // A diff or a range is only ranked if the rule is chosen.
                !is_strict && is_ranked && named_under.is_some() && least.is_none(),
            )
        }
    };
    let is_readable = error.needed().is_none_or(|needed| needed <= most);
    let larger = is_readable.then(|| format!("--budget {needed} is enough"));
    let what = if matches!(error, FitError::NothingFits { .. }) { "files" } else { "the named files" };
    let cut = is_cut_by_another.then(|| format!("--trim {} prints {what} in part", Trim::Truncate));
    let rank = may_be_ranked.then(|| format!("--trim {} prints what matters for the prompt", Trim::Relevant));
    larger.into_iter().chain(rank).chain(cut).collect()
}

/// Roughly how many tokens the labels of what is on the list take.
const LABELS: u64 = 32;

/// Which files may be printed in part, for users whose shell may have expanded a pattern to all files of a directory.
const WHAT_IS_IN_PART: &str = "from a directory or a quoted pattern, ctx prints what fits";

/// Whether you named several files that no other rule would make small enough.
fn are_several_and_whole(error: &FitError) -> bool {
    match error {
        FitError::PinnedOver { named_under: None | Some(Trim::Truncate), pinned, .. } => pinned.len() > 1,
        FitError::PinnedOver { .. }
        | FitError::NothingFits { .. }
        | FitError::FrameOver { .. }
        | FitError::Unread => false,
    }
}

/// A hint about what to do if a block does not fit.
fn how_to_fit(error: &FitError) -> String {
    if are_several_and_whole(error) {
        return format!("use a larger --budget or name fewer files; {WHAT_IS_IN_PART}");
    }
    match error {
        FitError::FrameOver { parts, .. } if *parts == [FramePart::Tree] => "use a larger --budget",
        FitError::FrameOver { parts, .. } if *parts == [FramePart::Prompt] => {
            "use a larger --budget or a shorter prompt"
        }
        FitError::FrameOver { .. } => "use a larger --budget, --instruction '' or --history=none",
        FitError::PinnedOver { named_under: Some(Trim::Largest), .. } => {
            "use a larger --budget, or --trim truncate, relevant or outline, which print the named files in part"
        }
        FitError::PinnedOver { named_under: Some(Trim::Outline), .. } => {
            "use a larger --budget, or --trim truncate or relevant, which print less of the named files"
        }
        FitError::PinnedOver { named_under: Some(Trim::Relevant), .. } => {
            "use a larger --budget, or --trim truncate, which prints the named files in part"
        }
        FitError::NothingFits { .. }
        | FitError::Unread
        | FitError::PinnedOver { named_under: None | Some(Trim::Truncate), .. } => "use a larger --budget",
    }
    .to_owned()
}

/// Checks the value of a profile's setting as the option of that name would.
///
/// # Errors
/// Wrong usage, with the option's message.
pub fn check_setting(app: &App, setting: Setting, value: &str) -> Result<(), Error> {
    let registry = (setting == Setting::Model).then(|| models::registry(&app.store)).transpose()?;
    Ok(setting::check(setting, value, registry.as_ref())?)
}

impl From<InvalidSetting> for Error {
    fn from(error: InvalidSetting) -> Self {
        if let InvalidSetting::Model(unknown) = error { unknown.into() } else { Self::usage(error) }
    }
}
