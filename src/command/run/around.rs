//! Checkpoints around a program: one before it, one after it.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Instant;

use crate::app::App;
use crate::command::checkpoint::note_unsaved;
use crate::environment::launcher;
use crate::error::{Error, Failure};
use crate::progress;
use crate::visible::visible;
use ctx_core::checkpoint::{Checkpoint, CheckpointLimits, Checkpoints, Created};
use ctx_core::process::Launcher;
use ctx_core::source::git;
use ctx_core::store::ProfileName;
use ctx_core::words::counted;

/// The most characters of a question, and of a command, to put in a label.
const LONGEST: usize = 60;

/// A program between two checkpoints.
#[derive(Debug)]
pub struct Around {
    launcher: Arc<Launcher>,
    /// What was asked, and of which program.
    asked: String,
    /// The history that gets its answer.
    history: Option<ProfileName>,
    /// The state before the program.
    before: Checkpoint,
}

impl Around {
    /// Makes the checkpoint before a program runs.
    ///
    /// # Errors
    /// If it can't be made.
    pub fn begin(
        app: &App,
        question: Option<&str>,
        command: &[OsString],
        history: Option<&ProfileName>,
    ) -> Result<Self, Error> {
        let turn = history.map(|history| app.store.next_turn(history)).transpose()?;
        let launcher = Arc::new(launcher());
        crate::interrupt::stops(&launcher);
        let asked = asked(question, command);
        let label = label("before", history, turn, &asked);
        let created = create(app, &launcher, &label, turn, app.git_deadline()).map_err(|error| {
            error.prefixed("no checkpoint before the program, which was not started: ", Failure::Impossible)
        })?;
        if created.is_new {
            note_unsaved(app, &created.checkpoint);
        }
        Ok(Self { launcher, asked, history: history.cloned(), before: created.checkpoint })
    }

    /// Makes the checkpoint after the program, with the turn that got the answer, and reports what the program
    /// changed. The program has already run, so a failure is only a warning.
    pub fn end(self, app: &App, turn: Option<u64>) {
        let label = label("after", self.history.as_ref(), turn, &self.asked);
        // This is a new deadline, no matter how long the program ran.
        match create(app, &self.launcher, &label, turn, git::deadline()) {
            Ok(Created { is_new: false, .. }) => {}
            Ok(Created { checkpoint: after, .. }) => app.ui.note(format!(
                "{} changed; 'ctx checkpoint diff {} {}' shows how, 'ctx checkpoint restore {}' restores them",
                counted(after.changed, "file"),
                self.before.number,
                after.number,
                self.before.number
            )),
            Err(error) => {
                for message in &error.messages {
                    app.ui.warn(format!("no checkpoint after the program: {message}"));
                }
            }
        }
    }
}

/// The label of a checkpoint: `before turn 3 of 'review': Rename this function (claude -p)`.
fn label(when: &str, history: Option<&ProfileName>, turn: Option<u64>, asked: &str) -> String {
    let of = |(history, turn): (&ProfileName, u64)| format!(" turn {turn} of '{history}'");
    format!("{when}{}: {asked}", history.zip(turn).map(of).unwrap_or_default())
}

fn create(
    app: &App,
    launcher: &Launcher,
    label: &str,
    turn: Option<u64>,
    git_deadline: Instant,
) -> Result<Created, Error> {
    let checkpoints =
        Checkpoints::around(&app.store, app.world(), launcher, CheckpointLimits::default(), git_deadline)?;
    let created = progress::shown(&app.ui, |progress| checkpoints.watched(progress).create(label, turn));
    Ok(created?)
}

/// The beginning of a question, and the command that gets it.
fn asked(question: Option<&str>, command: &[OsString]) -> String {
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    let command = beginning(&words.join(" "));
    let line = question.unwrap_or_default().lines().map(str::trim).find(|line| !line.is_empty());
    match line {
        Some(line) => format!("{} ({command})", beginning(&visible(line))),
        None => command,
    }
}

/// A text, cut off if it is too long for a label.
fn beginning(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
