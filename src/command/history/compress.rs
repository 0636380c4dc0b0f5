use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::Args;
use clap_complete::ArgValueCandidates;

use super::which::{self, Scale};
use crate::app::App;
use crate::complete;
use crate::conversation::{resumed, warn_of_torn};
use crate::environment::launcher;
use crate::error::Error;
use crate::input;
use ctx_core::budget::Budget;
use ctx_core::format::conversation;
use ctx_core::history::{Compression, DEFAULT_KEEP, LINE_LIMIT, REQUEST, Refusal, Said, Summary, filtered};
use ctx_core::words::{counted, grouped};

/// How long the program may run.
const TIME: Duration = Duration::from_secs(10 * 60);

/// Have a program summarise the earlier turns of a history
///
/// The program reads the turns and a request on standard input and prints the summary. Nothing is removed: ctx
/// appends the summary and uses it in place of the turns, and --undo undoes it. The program gets the original
/// turns rather than the previous summary, as long as they fit its window.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx history compress -- llm -m gpt-4o-mini
  ctx history compress --over 20k --keep 50% -- claude -p
  ctx history compress --undo")]
pub struct Compress {
    /// Do nothing unless the history has more tokens than this: 20000, 20k, or a share of the window (10%)
    /// [default: half of the history's share of the budget]
    #[arg(long, value_name = "N|P%", conflicts_with = "undo")]
    over: Option<Budget>,

    /// How much of the history to leave as it is, counted from its newest turn [default: 30%]
    #[arg(long, value_name = "P%", conflicts_with = "undo")]
    keep: Option<String>,

    /// Ask for the summary with the text in this file; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "undo")]
    prompt_file: Option<PathBuf>,

    /// The model that the program uses; sets the window and the tokenizer [env: CTX_MODEL]
    #[arg(short, long, value_name = "NAME", conflicts_with = "undo", add = ArgValueCandidates::new(complete::models))]
    model: Option<String>,

    /// Undo the most recent summary; repeat to undo earlier ones
    #[arg(long)]
    undo: bool,

    /// The program and its arguments
    #[arg(last = true, value_name = "CMD", required_unless_present = "undo", conflicts_with = "undo")]
    command: Vec<OsString>,
}

impl Compress {
    /// Appends a summary or undoes one.
    pub fn run(self, app: &App, option: Option<&str>) -> Result<(), Error> {
        if self.undo {
            let name = which::name(app, option)?;
            let (turns, torn) = app.store.undo_summary(&name, app.world().now)?;
            warn_of_torn(app, &name, torn.as_deref());
            app.ui.confirm(format!("Undid the summary of turns {}-{}", turns.from, turns.to));
            return Ok(());
        }
        let scale = Scale::of(app, self.model.as_deref())?;
        let (keep, over) = (self.keep()?, self.over(&scale)?);
        let request = match &self.prompt_file {
            Some(file) => input::text(app, file, input::MAX_BYTES)?,
            None => REQUEST.to_owned(),
        };
        let history = which::read(app, option)?;
        let talk = resumed(app, &history);
        let input = |said: &[Said<'_>]| format!("{}\n{}\n", conversation(said), request.trim_end());
        let compression = match history.compression(&scale.counter, talk, over, keep, scale.window, input) {
            Ok(compression) => compression,
            Err(refusal) => return refuse(app, refusal, &scale, over),
        };
        let Compression { turns, input, sent_turns, sent_tokens, replaced_tokens } = compression;
        let printed = filtered(&launcher(), &self.command, &app.world().cwd, input, TIME, LINE_LIMIT)?;
        let content = self.summary(app, &printed)?;
        let command: Vec<String> =
            self.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let summary = Summary { turns, time: String::new(), command: command.clone(), content };
        let tokens = summary.tokens(&scale.counter);
        if tokens >= replaced_tokens {
            return Err(Error::impossible(format!(
                "the summary has {} tokens, and the turns it would replace have {}; nothing was changed",
                scale.tokens(tokens),
                scale.tokens(replaced_tokens)
            )));
        }
        let torn = app.store.append_summary(&history, turns, command, summary.content, SystemTime::now())?;
        warn_of_torn(app, &history.name, torn.as_deref());
        let (from, to) = (scale.tokens(sent_tokens), scale.tokens(tokens));
        app.ui.confirm(format!("Compressed {}, {from} to {to} tokens", counted(sent_turns, "turn")));
        Ok(())
    }

    /// The share of the history to leave as it is, from its newest turns, in hundredths of a percent.
    fn keep(&self) -> Result<u16, Error> {
        match self.keep.as_deref().map(str::parse::<Budget>) {
            None => Ok(DEFAULT_KEEP),
            Some(Ok(Budget::Share(keep))) => Ok(keep),
            Some(Ok(Budget::Tokens(_) | Budget::Unlimited) | Err(_)) => {
                Err(Error::usage("--keep is a share of the history: 30%"))
            }
        }
    }

    /// The most tokens that a history may have before it is compressed.
    fn over(&self, scale: &Scale) -> Result<u64, Error> {
        match self.over {
            None => Ok(scale.share / 2),
            Some(Budget::Unlimited) => Err(Error::usage("--over is a number of tokens, or P% of the window")),
            Some(over @ (Budget::Tokens(_) | Budget::Share(_))) => {
                Ok(over.limit(scale.window).unwrap_or(u64::MAX))
            }
        }
    }

    /// The output of the program, as text.
    fn summary(&self, app: &App, printed: &[u8]) -> Result<String, Error> {
        let program = self.command.first().map(|program| program.to_string_lossy()).unwrap_or_default();
        let text = String::from_utf8_lossy(printed);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            app.ui.warn(format!("what '{program}' printed is not UTF-8; invalid bytes were replaced"));
        }
        match text.trim() {
            "" => Err(Error::impossible(format!("'{program}' printed no summary; nothing was changed"))),
            text => Ok(text.to_owned()),
        }
    }
}

/// Reports why there is nothing to compress.
///
/// # Errors
/// If the turns are too long for the window.
fn refuse(app: &App, refusal: Refusal, scale: &Scale, over: u64) -> Result<(), Error> {
    let why = match refusal {
        Refusal::Under { tokens } => {
            format!("{} tokens, and the threshold is {} (--over)", scale.tokens(tokens), grouped(over))
        }
        Refusal::NothingNew => "there are only the newest turns".to_owned(),
        Refusal::Summarised => "there are no turns since the last summary".to_owned(),
        Refusal::TooLong { tokens } => {
            let (sent, window) = (scale.tokens(tokens), grouped(scale.window));
            return Err(Error::impossible(format!(
                "the turns have {sent} tokens, but the window is {window}"
            ))
            .with_hint("a larger --keep sends fewer turns"));
        }
    };
    app.ui.confirm(format!("Nothing to compress: {why}"));
    Ok(())
}
