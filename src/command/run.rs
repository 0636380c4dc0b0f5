mod answer;
#[cfg(unix)]
mod around;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;

use clap::Args;
use serde_json::{Map, Value, json};

use super::render::{Block, Manner, Prepared, fits_or_lists};
use crate::app::App;
use crate::conversation::warn_of_torn;
use crate::environment::launcher;
use crate::error::{Error, Failure};
use crate::hints::question_word;
use crate::looks::Looks;
use crate::output::Output;
use crate::own_program::own_program;
use crate::stored::Stored;
use crate::visible::visible;
use crate::{interrupt, models, request, subject, terminal};
use answer::Answer;
#[cfg(unix)]
use around::Around;
use ctx_core::account::ReadDocument;
use ctx_core::budget::Budget;
use ctx_core::command::Words;
use ctx_core::entry::Entry;
use ctx_core::guard::Findings;
use ctx_core::history::{Addition, HistoryError, InTalk, KeptText, Message, NewMessages, Role};
use ctx_core::plan::{Detail, Plan};
use ctx_core::process::{End, Invocation, Launcher, StartError};
use ctx_core::store::{ProfileName, Setting, StoreError, StoreErrorKind, Switch};
use ctx_core::words::tokens;
use ctx_core::words::{counted, grouped, omitted};

/// Send your files and a prompt to a program, and record its answer
///
/// The program gets exactly what `ctx render` prints with these options, without a shell in between, and you
/// see its answer as it arrives. With a history (--history), ctx also appends the prompt and the answer to the
/// history. The exit code is the program's.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx run -p \"Where is the bug?\" -- llm               ask one question
  ctx run --history -p \"And the fix?\" -- llm          record the conversation
  ctx run --history=review -p \"Go on\" -- claude -p    continue the history 'review'")]
pub struct Run {
    #[command(flatten)]
    block: Block,

    #[command(flatten)]
    running: Running,

    /// The program and its arguments [default: the setting 'program']
    #[arg(last = true, value_name = "CMD", help_heading = None)]
    command: Vec<OsString>,
}

/// What to do before and after a program runs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Checkpoints")]
pub struct Running {
    /// Don't append the prompt and the answer to the history
    #[arg(hide_short_help = true, long, help_heading = "Instruction and history")]
    no_record: bool,

    /// Make a checkpoint of the tree before and after the program runs ('ctx checkpoint')
    #[arg(hide_short_help = true, long, overrides_with = "no_checkpoint")]
    checkpoint: bool,

    /// Make no checkpoints, even if the profile has them on
    #[arg(hide_short_help = true, long, overrides_with = "checkpoint")]
    no_checkpoint: bool,
}

/// The history that the answer is appended to.
#[derive(Debug)]
pub struct Recorded {
    /// Its name.
    pub history: ProfileName,
    /// The conversation that the turn belongs to.
    pub talk: InTalk,
}

/// A program that reads a block.
#[derive(Debug)]
pub struct Program {
    /// Its name and its arguments.
    pub words: Vec<OsString>,
}

impl Run {
    /// Runs the program.
    pub fn run(mut self, app: &App) -> Result<ExitCode, Error> {
        let program = match Program::of_setting(app, self.command.is_empty())? {
            Some(program) => program,
            None if self.command.is_empty() => return Err(no_program()),
            None => Program { words: self.command },
        };
        let history = request::history_name(app, &mut self.block.plan)?;
        let recorded = history.map(|history| Recorded { history, talk: InTalk::Last });
        self.running.run(app, self.block, &program, recorded, Looks::AtEntries)
    }
}

impl Program {
    /// The program from the setting, if it should be used and is set. Never a file that others could have put
    /// into the tree: see [`own_program`].
    ///
    /// # Errors
    /// If the profile can't be read, or the setting names a program that may not run.
    pub fn of_setting(app: &App, is_used: bool) -> Result<Option<Self>, Error> {
        let words = if is_used { request::program(app)? } else { None };
        let Some(words) = words else { return Ok(None) };
        let program = own_program(app, words.program()).ok_or_else(|| is_in_tree(&words))?;
        let arguments = words.arguments().iter().map(OsString::from);
        Ok(Some(Self { words: [program].into_iter().chain(arguments).collect() }))
    }

    /// Announces what the program is sent. For a question, a notice has said how much that is.
    fn announce(&self, app: &App, plan: &Plan) {
        let more = if self.words.len() > 1 { " …" } else { "" };
        let name = Path::new(&self.words[0]).file_name().unwrap_or(&self.words[0]);
        let mut text = format!("sent to '{}{more}'", visible(&name.to_string_lossy()));
        if plan.request().looked_through.is_none() {
            let tokens = tokens(plan.token_counts().printed(), plan.request().measure.estimated);
            let from = match plan.file_counts().printed() {
                0 => String::new(),
                files => format!(" from {}", counted(files, "file")),
            };
            text += &format!(": {tokens}{from}");
        }
        app.ui.note(text);
    }
}

impl Program {
    /// The model that the program's own options name, in the form that most programs share.
    fn model(&self) -> Option<&str> {
        let words: Vec<&str> = self.words.iter().filter_map(|word| word.to_str()).collect();
        let after = words.iter().position(|word| ["-m", "--model"].contains(word)).map(|place| place + 1);
        let joined = words.iter().find_map(|word| word.strip_prefix("--model="));
        joined.or_else(|| words.get(after?).copied())
    }

    /// Warns if ctx knows the model only from the program's options, and the block leaves it no room to
    /// answer.
    fn warn_of_small_window(&self, app: &App, plan: &Plan) {
        let measure = &plan.request().measure;
        let name = self.model().filter(|_| measure.model.is_none());
        let Some(model) = name.and_then(|name| models::find(&app.store, name, None).ok()) else { return };
        let most = Budget::default().limit(model.window).unwrap_or(model.window);
        let printed = plan.token_counts().printed();
        if printed > most {
            let (tokens, window) = (tokens(printed, measure.estimated), grouped(model.window));
            let name = model.name;
            app.ui.warn(format!(
                "{tokens} are too many for {name}, whose window is {window}; '-m {name}' before -- makes them fit"
            ));
        }
    }
}

fn is_in_tree(words: &Words) -> Error {
    Error::impossible(format!(
        "the program '{}' from the settings was not run: it is in this directory tree",
        words.program()
    ))
    .with_hint(format!("type it to run it: -- {}", words.line()))
}

fn no_program() -> Error {
    Error::usage("no program was given")
        .with_hint("ctx run -p \"QUESTION\" -- llm")
        .and_hint("ctx profile -g --set program=llm")
}

impl Running {
    /// Runs the program.
    pub fn run(
        self,
        app: &App,
        mut block: Block,
        program: &Program,
        recorded: Option<Recorded>,
        looks: Looks,
    ) -> Result<ExitCode, Error> {
        let launcher = Arc::new(launcher());
        check_program(&launcher, &program.words[0], &app.world().cwd)?;
        let recorded = recorded.filter(|_| !self.no_record);
        let history = recorded.as_ref().map(|recorded| &recorded.history);
        if let Some(name) = history.filter(|_| !block.session.has_prompt()) {
            looks.have_a_question(None)?;
            return Err(no_prompt(name));
        }
        let unwritable = history.map(|name| unwritable(app, name)).transpose()?.flatten();
        let manner = match history {
            Some(_) => Manner { detail: Detail::Counts, history_may_be_new: true, ..Manner::default() },
            None => Manner { detail: Detail::Block, ..Manner::default() },
        };
        let manner = Manner { runs: true, hides_dry_run: !looks.through(), looks, ..manner };
        let Prepared { plan, message, .. } = block.prepare(app, manner)?;
        let has_prompt = message.as_ref().is_some_and(|message| !message.trim().is_empty());
        if let Some(name) = history.filter(|_| !has_prompt) {
            return Err(no_prompt(name));
        }
        let recorded = match &unwritable {
            Some(why) => warn_of_unrecorded(app, why, block.is_strict()).map(|()| None)?,
            None => recorded,
        };
        let history = recorded.as_ref().map(|recorded| &recorded.history);
        block.or_account(app, &plan, fits_or_lists(&plan, block.is_strict()))?;
        if let Some(manifest) = block.write_manifest(app, &plan)? {
            Output::commit(manifest)?;
        }
        block.print_statistics(app, &plan);
        program.announce(app, &plan);
        program.warn_of_small_window(app, &plan);
        let invocation = invocation(app, &program.words, &launcher);
        let input = printed(&plan);
        #[cfg(not(unix))]
        if self.makes_checkpoints(app)? {
            return Err(super::checkpoint::unavailable());
        }
        #[cfg(unix)]
        let around = self.checkpoint_before(app, message.as_deref(), &program.words, history)?;
        interrupt::hands_on(&launcher);
        let mut answer = Answer::to(input);
        let end = launcher.attend(&invocation, recorded.is_none(), &mut answer).map_err(not_started)?;
        let turn = recorded.as_ref().map(|Recorded { history, talk }| {
            let prompt = message.unwrap_or_default();
            let said = Said { prompt, command: &program.words, plan: &plan, end, talk: *talk };
            said.record(app, history, &answer)
        });
        let turn = turn.transpose();
        #[cfg(unix)]
        if let Some(around) = around {
            around.end(app, turn.as_ref().ok().copied().flatten());
        }
        turn?;
        match answer.failure() {
            Some(error) => Err(error),
            None if answer.is_cut() => Ok(ExitCode::SUCCESS),
            None => Ok(ended(end)),
        }
    }

    /// Whether to make checkpoints: the command line decides, or else the profile.
    fn makes_checkpoints(&self, app: &App) -> Result<bool, Error> {
        if self.checkpoint || self.no_checkpoint {
            return Ok(self.checkpoint);
        }
        let stored = Stored::read(app, None)?;
        Ok(stored.chosen(None, Setting::Checkpoint)? == Some(Switch::On))
    }

    /// Makes the checkpoint before the program, if one is wanted.
    #[cfg(unix)]
    fn checkpoint_before(
        &self,
        app: &App,
        question: Option<&str>,
        command: &[OsString],
        history: Option<&ProfileName>,
    ) -> Result<Option<Around>, Error> {
        if !self.makes_checkpoints(app)? {
            return Ok(None);
        }
        Around::begin(app, question, command, history).map(Some)
    }
}

/// Why a turn can't be appended to a history, if the system doesn't let ctx write. The program runs anyway.
///
/// # Errors
/// If the history or the store is damaged or busy.
fn unwritable(app: &App, history: &ProfileName) -> Result<Option<StoreError>, Error> {
    match app.store.check_history_writable(history) {
        Ok(()) => Ok(None),
        Err(HistoryError::Store(error)) if error.kind() == StoreErrorKind::Io => Ok(Some(error)),
        Err(error) => Err(error.into()),
    }
}

/// Warns that the answer won't be recorded.
///
/// # Errors
/// If a strict caller doesn't accept the warning.
fn warn_of_unrecorded(app: &App, why: &StoreError, is_strict: bool) -> Result<(), Error> {
    let text = format!("the answer won't be recorded: {}", why.fault());
    if is_strict {
        return Err(Error::new(Failure::Strict, text).with_hint("--no-record records nothing"));
    }
    app.ui.warn(format!("{text}; --no-record records nothing"));
    Ok(())
}

fn invocation(app: &App, words: &[OsString], launcher: &Launcher) -> Invocation {
    Invocation {
        program: words[0].clone(),
        arguments: words[1..].to_vec(),
        directory: app.world().cwd.clone(),
        variables: launcher.variables().clone(),
        timeout: None,
        memory: None,
    }
}

/// What to record.
struct Said<'a> {
    prompt: String,
    command: &'a [OsString],
    plan: &'a Plan,
    end: End,
    talk: InTalk,
}

impl Said<'_> {
    /// Appends the turn and returns its number. What is too long for a line loses first the texts that it is about, then
    /// the middle of the answer.
    fn record(&self, app: &App, name: &ProfileName, answer: &Answer) -> Result<u64, Error> {
        let not_recorded =
            |error: Error| error.prefixed("the answer was printed but not recorded: ", Failure::Impossible);
        if answer.is_lossy() {
            app.ui.warn("the answer is not UTF-8; invalid bytes were replaced in the history");
        }
        let mut most = Answer::MOST;
        let mut texts: Vec<KeptText> =
            self.plan.named_texts().map(|(label, text)| kept(label, text)).collect();
        loop {
            let messages = self.messages(app, answer.text(most), !answer.fits(most), answer.is_cut());
            let addition = Addition::turn(NewMessages { texts: texts.clone(), ..messages });
            match app.store.append_history(name, addition, SystemTime::now()) {
                Err(HistoryError::LineTooLong) if !texts.is_empty() => texts.clear(),
                Err(HistoryError::LineTooLong) if most > 0 => most /= 2,
                appended => {
                    let appended = appended.map_err(|error| not_recorded(error.into()))?;
                    warn_of_torn(app, name, appended.torn.as_deref());
                    return Ok(appended.first);
                }
            }
        }
    }

    /// The files that this question is about and the earlier ones of its conversation were not.
    fn new_files(&self) -> Vec<Entry> {
        let mut files = self.plan.named_files();
        let conversation = self.plan.request().conversation.as_ref();
        let earlier = conversation.map_or(&[][..], |conversation| &conversation.subject.files);
        files.retain(|file| !earlier.contains(file));
        files
    }

    fn messages(&self, app: &App, text: String, shortened: bool, is_cut: bool) -> NewMessages {
        let mut other = Map::new();
        let referred = |ReadDocument { path, sha256, .. }| json!({"path": path, "sha256": sha256});
        let refs: Vec<Value> = self.plan.references().into_iter().map(referred).collect();
        if !refs.is_empty() {
            other.insert("refs".to_owned(), refs.into());
        }
        if let Some(sha256) = self.plan.sha256() {
            let tokens = self.plan.token_counts().block;
            other.insert("block".to_owned(), json!({"sha256": sha256, "tokens": tokens}));
        }
        if self.plan.request().looked_through.is_some() {
            other.insert("root".to_owned(), json!(self.plan.request().looked_through));
        }
        if shortened {
            other.insert("shortened".to_owned(), Value::Bool(true));
        }
        let words = self.command.iter().map(|word| word.to_string_lossy().into_owned());
        NewMessages {
            messages: vec![
                Message::text(Role::User, self.prompt.clone()),
                Message::text(Role::Assistant, text),
            ],
            command: Some(words.collect()),
            exit: Some(i64::from(code(self.end))),
            cut: is_cut || matches!(self.end, End::Signalled(_) | End::TimedOut),
            talk: self.talk,
            about: self.new_files(),
            within: subject::limits(self.plan.request(), app),
            texts: Vec::new(),
            terminal: terminal::here().filter(|_| self.talk != InTalk::Last),
            other,
        }
    }
}

/// The longest text that is kept with a turn, in bytes.
const LONGEST_TEXT: usize = 64 << 10;

/// A text to keep with a turn; of a long one, the beginning and the end.
///
/// Whatever may be printed in this one block, the store keeps no secret.
fn kept(label: &str, text: &str) -> KeptText {
    let text = Findings::default().clean(text.to_owned());
    let text = if text.len() <= LONGEST_TEXT {
        text
    } else {
        let half = LONGEST_TEXT / 2;
        let is_boundary = |at: &usize| text.is_char_boundary(*at);
        let head = &text[..(0..=half).rev().find(is_boundary).unwrap_or(0)];
        let tail = &text[(text.len() - half..=text.len()).find(is_boundary).unwrap_or(text.len())..];
        format!("{head}\n{}\n{tail}", omitted((text.len() - head.len() - tail.len()) as u64, "byte"))
    };
    KeptText { label: label.to_owned(), text }
}

/// Everything that a program reads.
fn printed(plan: &Plan) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = plan.block().map(|block| block.write(&mut bytes));
    bytes
}

fn no_prompt(history: &ProfileName) -> Error {
    Error::usage(format!("recording to history '{history}' needs a prompt"))
        .with_hint("add one with -p TEXT; with --history=none or --no-record you need none")
}

/// Reports a program that can't be run, as a shell would, before anything is read.
fn check_program(launcher: &Launcher, program: &OsString, directory: &Path) -> Result<(), Error> {
    match launcher.programs().find(program, directory) {
        Some(_) => Ok(()),
        None if launcher.programs().is_there(program, directory) => {
            Err(Error::new(Failure::NotExecutable, format!("'{}' is not executable", program.display())))
        }
        None => {
            let error = not_started(StartError::NotFound { program: program.clone() });
            let is_quoted_whole = program.to_string_lossy().contains(char::is_whitespace);
            let hints = is_quoted_whole.then(|| {
                let question = question_word(&program.to_string_lossy());
                let asks = format!(
                    "what follows '--' is the program; a question comes before it: ctx ask -p {question}"
                );
                [
                    "write the program and its arguments without quotes around all of them: -- llm -m gpt-5"
                        .to_owned(),
                    asks,
                ]
            });
            Err(hints.into_iter().flatten().fold(error, Error::and_hint))
        }
    }
}

fn not_started(error: StartError) -> Error {
    let failure = match &error {
        StartError::NotFound { .. } => Failure::NotFound,
        // Out of processes or memory: not the program's fault.
        StartError::Failed { source, .. }
            if matches!(source.kind(), ErrorKind::WouldBlock | ErrorKind::OutOfMemory) =>
        {
            Failure::Impossible
        }
        StartError::Failed { .. } => Failure::NotExecutable,
        StartError::NoDirectory { .. } => Failure::Impossible,
    };
    Error::new(failure, error)
}

/// The exit code that a shell would report.
fn code(end: End) -> u8 {
    match end {
        End::Exited(code) => u8::try_from(code).unwrap_or(1),
        End::Signalled(signal) => 128_u8.saturating_add(u8::try_from(signal).unwrap_or(127)),
        End::TimedOut => 1,
    }
}

/// Exits as the program did.
fn ended(end: End) -> ExitCode {
    if let End::Signalled(signal) = end {
        interrupt::end_by_interrupt(signal);
    }
    code(end).into()
}

#[cfg(test)]
mod tests {
    use std::io::Error as IoError;

    use super::*;

    #[test]
    fn exit_code_126_is_only_for_problems_with_the_program() {
        let code = |kind: ErrorKind| {
            let (program, source) = (OsString::from("x"), IoError::from(kind));
            not_started(StartError::Failed { program, source }).failure.code()
        };
        assert_eq!(code(ErrorKind::PermissionDenied), 126);
        assert_eq!([code(ErrorKind::WouldBlock), code(ErrorKind::OutOfMemory)], [1, 1]);
    }
}
