use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, Args};

use super::render::{Block, Destination};
use super::run::{Program, Recorded, Running};
use crate::app::App;
use crate::conversation::{first_words, opening, resumed};
use crate::environment::{input_is_given, launcher};
use crate::error::Error;
use crate::hints::{question_word, quoted_word, shell_word};
use crate::input::STANDARD_STREAM;
use crate::looks::Looks;
use crate::more_words::MoreWords;
use crate::namer::{Namer, Wish};
use crate::options::{NO_HISTORY, turn};
use crate::request::{self, More};
use crate::visible::visible;
use ctx_core::history::{Curated, HistoryError, InTalk, Summary, Turn};
use ctx_core::models::Counter;
use ctx_core::store::{ProfileName, QUESTIONS};
use ctx_core::words::counted;

/// Ask a question about everything here
///
/// Searches every file in the repository (or only the PATHs) and prints the passages that best answer the
/// question, followed by the question. You don't need a list; if you have one, what is pinned or small on it is
/// in every question, and ctx searches the rest. With a PROGRAM after `--`, ctx sends the output to its standard input, and
/// records the question and the answer in the history `@ask`, which --continue continues. Without `--`, ctx uses
/// the profile's setting 'program' if standard output is a terminal. Pass text by others with -p,
/// --prompt-file or standard input, so that none of it is an option.
#[derive(Debug, Args)]
#[command(
    mut_args(of_a_question),
    after_help = "Examples:
  ctx ask \"why does /undo fail after a merge?\" | llm
  ctx ask -b 60k \"how are keys rotated?\" src docs -- llm -m gpt-5
  ctx ask -c \"and who may do that?\" -- llm"
)]
pub struct Ask {
    /// The question; `-` is standard input
    #[arg(value_name = "QUESTION")]
    question: Option<String>,

    #[command(flatten)]
    more: MoreWords,

    #[command(flatten)]
    block: Block,

    #[command(flatten)]
    destination: Destination,

    /// Continue the conversation from your last question, or that of turn N
    #[arg(
        short,
        long = "continue",
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        value_parser = turn,
        help_heading = "Instruction and history"
    )]
    continues: Option<Option<u64>>,

    #[command(flatten)]
    running: Running,

    /// The program that answers the question, and its arguments
    #[arg(last = true, value_name = "PROGRAM", conflicts_with = "output")]
    command: Vec<OsString>,
}

const PATHS: &str = "Search these files, directories and patterns instead of everything here";

const PATHS_AT_LENGTH: &str = "Search these files, directories and patterns instead of everything here; at least \
                               the best passage of a file that you name is always printed";

const HISTORY: &str = "Use this history instead of `@ask`; `none` uses no history";

const HISTORY_AT_LENGTH: &str = "Use this history instead of `@ask`; `none` uses no history

The program's answer is appended to it, and --continue continues it. Without NAME: the profile's own.";

const STRICT: &str = "Exit 3 if what you named or the best answer is in part or redacted";

/// The options that `-h` shows.
const EVERY_DAY: [&str; 10] =
    ["words", "continues", "budget", "model", "include", "exclude", "format", "output", "dry_run", "strict"];

/// Adapts an option of a block to a question: its help, and whether `-h` shows it.
fn of_a_question(arg: Arg) -> Arg {
    let is_of_every_day = arg.is_positional() || EVERY_DAY.contains(&arg.get_id().as_str());
    let arg = arg.hide_short_help(!is_of_every_day);
    let arg = if is_of_every_day { arg.help_heading(None) } else { arg };
    match arg.get_id().as_str() {
        // The question is the prompt and the query, and directories always mean everything below them.
        "prompt" | "query" | "recursive" => arg.hide(true),
        "paths" => arg.help(PATHS).long_help(PATHS_AT_LENGTH),
        "history" => arg.help(HISTORY).long_help(HISTORY_AT_LENGTH),
        "budget" => {
            arg.help("Print at most this many tokens [default: 16k plus list and question]").long_help(None)
        }
        "include" => arg.help("Use only files that match this pattern (repeat for several)"),
        "exclude" => arg.help("Leave out files that match this pattern (repeat for several)"),
        "format" => arg.help("The output format: text, markdown, xml, json, messages [default: text]"),
        "strict" => arg.help(STRICT).long_help(None),
        "order" => arg
            .default_value("score")
            .help("The order of files: stored, path, stable (least recently changed first) or score [default: score]"),
        "trim" => arg.help("How to fit files into the budget [default: relevant]"),
        "since" => arg.help("Print the next page: what --manifest hasn't listed yet").long_help(
            "Print the next page: what --manifest hasn't listed yet. FILE is the manifest of earlier output, or doesn't \
             exist yet; write it to the same FILE again to go on",
        ),
        "only" => arg.help("Leave out your stored entries, including pins"),
        _ => arg,
    }
}

impl Ask {
    /// Prints the block, or sends it to a program.
    pub fn run(mut self, app: &App) -> Result<ExitCode, Error> {
        self.refuse_query()?;
        self.block.more = self.more.more(app.world());
        let question = self.asked()?;
        self.refuse_number(question.as_deref())?;
        self.block.session.ask(question);
        let program = self.program(app)?;
        let talk = self.talk(app)?;
        self.block.namer = self.namer(app, program.as_ref())?;
        let Some(program) = program.filter(|_| !self.destination.is_list()) else {
            if self.continues.is_some() && !self.destination.is_list() {
                app.ui.note("no program runs, so the answer won't be recorded");
            }
            let is_bare = app.ui.is_terminal() && !self.destination.is_chosen() && !self.block.has_form();
            self.destination.lists_places = is_bare;
            let printed = self.destination.print(app, self.block, Looks::ThroughEverything);
            return printed.map(|()| ExitCode::SUCCESS);
        };
        self.running.run(app, self.block, &program, talk, Looks::ThroughEverything)
    }

    /// Fails if there is a query, which other commands have instead of a question.
    fn refuse_query(&self) -> Result<(), Error> {
        let Some(query) = &self.block.plan.budget.query else { return Ok(()) };
        let error = Error::usage("'--query' is not an option of 'ask', which searches for the question");
        Err(error.with_hint(format!("-w {} also searches for it", shell_word(query))))
    }

    /// Fails if the question is a number that was probably meant as a turn, as in `-c 1`.
    fn refuse_number(&self, question: Option<&str>) -> Result<(), Error> {
        let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match question.filter(is_number) {
            Some(number) if self.continues == Some(None) => {
                let error =
                    Error::usage(format!("the question after '--continue' is only the number {number}"));
                let error =
                    error.with_hint(format!("-c={number} continues the conversation of turn {number}"));
                Err(error.and_hint(format!("-c -p {number} asks it")))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The question as typed; a missing one is read from standard input if something is piped to it.
    ///
    /// # Errors
    /// If there is none.
    fn asked(&mut self) -> Result<Option<String>, Error> {
        match self.question.take() {
            Some(question) => Ok(Some(question)),
            None if self.block.session.has_prompt_option() => Ok(None),
            None if input_is_given() => Ok(Some(STANDARD_STREAM.to_owned())),
            None if self.command.is_empty() => {
                Err(Error::usage("the question is missing").with_hint("ctx ask \"where is the bug?\""))
            }
            None => Err(without_question(&self.command)),
        }
    }

    /// The program from the command line or, on a terminal, from the settings. A list of what it would read doesn't run it.
    fn program(&mut self, app: &App) -> Result<Option<Program>, Error> {
        if self.command.is_empty() {
            let is_used = self.destination.is_list() || !self.destination.is_chosen();
            return Program::of_setting(app, app.ui.is_terminal() && is_used);
        }
        Ok(Some(Program { words: std::mem::take(&mut self.command) }))
    }

    /// The program that chooses names to search for, if one does.
    fn namer(&self, app: &App, program: Option<&Program>) -> Result<Option<Namer>, Error> {
        let set = request::named_by(app)?;
        Namer::of(
            app,
            Wish {
                typed: self.more.from(),
                set: set.as_ref(),
                has_words: self.block.more != More::default(),
                answers: program.map(|program| &program.words[..]),
            },
        )
    }

    /// The history that records the answer. The block shows earlier turns only if the question continues
    /// them.
    fn talk(&mut self, app: &App) -> Result<Option<Recorded>, Error> {
        let plan = &mut self.block.plan;
        plan.history.get_or_insert_with(|| QUESTIONS.to_owned());
        let Some(history) = request::history_name(app, plan)? else {
            return if self.continues.is_some() { Err(continues_nothing()) } else { Ok(None) };
        };
        let Some(turn) = self.continues else {
            plan.history = Some(NO_HISTORY.to_owned());
            return Ok(Some(Recorded { history, talk: InTalk::New }));
        };
        let anew = "without --continue, the question begins a new conversation";
        let talk = goes_on(app, &history, turn).map_err(|error| error.and_hint(anew))?;
        plan.talk = Some(talk);
        Ok(Some(Recorded { history, talk: InTalk::Of(talk) }))
    }
}

/// The error for a missing question, which may have been typed where the program belongs.
fn without_question(program: &[OsString]) -> Error {
    let words: Vec<Cow<'_, str>> = program.iter().map(|word| word.to_string_lossy()).collect();
    let text = words.join(" ");
    let is_question = words.len() == 1 && text.trim().contains(char::is_whitespace)
        || launcher().programs().find(&program[0], Path::new("/")).is_none();
    let hint = if is_question {
        format!("ctx ask -p {}", question_word(&text))
    } else {
        let words: Vec<String> = words.iter().map(|word| quoted_word(word)).collect();
        format!("ctx ask \"where is the bug?\" -- {}", words.join(" "))
    };
    let shown = visible(&first_words(&text));
    Error::usage(format!("the question is missing: what follows '--' is the program, here '{shown}'"))
        .with_hint(hint)
}

fn continues_nothing() -> Error {
    let option = format!("--history={NO_HISTORY}");
    Error::usage(format!("'--continue' cannot be used with '{option}', which uses no history"))
}

/// How many of the conversations to choose from are named.
const NAMED: usize = 3;

/// Reports which conversation the question continues, the one of a turn if one is named, and returns the turn that began it.
///
/// # Errors
/// If there is nothing to continue here.
fn goes_on(app: &App, history: &ProfileName, turn: Option<u64>) -> Result<u64, Error> {
    let known = match app.store.history(history) {
        Ok(known) => known,
        Err(HistoryError::Unknown { .. }) => return Err(nothing_to_continue(history)),
        Err(error) => return Err(Error::from(error).in_store()),
    };
    let talks = known.talks();
    let talk = match turn {
        _ if talks.is_empty() => return Err(nothing_to_continue(history)),
        Some(turn) => known.talk_of(turn).ok_or_else(|| no_such_turn(history, turn)),
        None => resumed(app, &known).ok_or_else(|| of_others(history)),
    };
    let talk = talk.map_err(|error| {
        talks.iter().take(NAMED).fold(error, |error, talk| {
            error.and_hint(format!("-c={} continues '{}'", talk.first, opening(&known, talk)))
        })
    })?;
    let began = talks.iter().find(|each| each.number == talk).map(|talk| opening(&known, talk));
    let Curated { summary, turns, left_out, .. } = known.into_curated(Some(talk), &Counter::default());
    let failed = counted(left_out, "turn");
    let Some(first) = turns.first() else {
        let Some(Summary { turns, .. }) = summary else {
            let text = format!("nothing to continue: {failed} of '{history}' failed or got no answer");
            return Err(Error::impossible(text));
        };
        let from = began.unwrap_or_default();
        let turns = format!("turns {}-{}", turns.from, turns.to);
        app.ui.note(format!("continuing the summary of {turns} of '{history}', from '{from}'"));
        return Ok(talk);
    };
    let count = counted(turns.len(), "turn");
    let failed = match left_out {
        0 => String::new(),
        _ => format!("; left out {failed} that failed or got no answer"),
    };
    let from = visible(&beginning(first));
    app.ui.note(format!("continuing {count} of '{history}', from '{from}'{failed}"));
    Ok(talk)
}

fn nothing_to_continue(history: &ProfileName) -> Error {
    Error::impossible(format!("there is nothing to continue in '{history}' yet"))
}

/// The error that only others have asked something.
fn of_others(history: &ProfileName) -> Error {
    Error::impossible(format!(
        "nothing was asked here: the conversations in '{history}' belong to other terminals"
    ))
}

fn no_such_turn(history: &ProfileName, turn: u64) -> Error {
    Error::impossible(HistoryError::NoSuchTurn { name: history.clone(), turn })
}

/// The first words of a turn.
fn beginning(turn: &Turn) -> String {
    first_words(turn.messages.iter().find_map(|message| message.content.as_deref()).unwrap_or_default())
}
