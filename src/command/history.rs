use std::collections::BTreeMap;
use std::io::{self, Write};

use clap::{Args, Subcommand};
use clap_complete::{ArgValueCandidates, ArgValueCompleter};
use serde::Serialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::complete;
use crate::conversation::{resumed, warn_if_unfinished};
use crate::error::Error;
use crate::options::{JsonOption, OF_THE_PROFILE};
use crate::table::{Cell, Column, Table};
use crate::ui::Ui;
use crate::visible::{json as written_as_json, visible, visible_lines};
use ctx_core::format::{self, transcript};
use ctx_core::history::{Curated, History, HistoryError, Message, Said, Turns, Voice};
use ctx_core::store::ProfileName;
use ctx_core::words::{counted, grouped};

mod change;
mod compress;
mod which;

use which::Scale;

/// List and change histories: conversations that any model CLI can continue
///
/// Without a subcommand, lists all histories. Names follow the rules for profiles, and 'append' creates a history.
/// Subcommands show what a model would see: the last summary and the turns after it, without failed or unanswered
/// turns, with secrets redacted and hidden characters visible. Nothing you append is lost until you 'clear' it.
#[derive(Debug, Args)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:
  ctx history                                        list all histories
  ctx history append --role user \"Why two passes?\"   start a turn, and print its number
  llm < prompt.txt | ctx history append --role assistant -
  ctx history append --from claude session.jsonl --history=review
  ctx history show --last 3
  ctx history compress -- llm -m gpt-4o-mini         summarise the earlier turns
  ctx history clear 1-20"
)]
pub struct HistoryCommand {
    #[command(subcommand)]
    operation: Option<HistoryOperation>,

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
    history: Option<String>,

    #[command(flatten)]
    json: JsonOption,
}

// No doc comment: clap would print it as the description of the command.
#[derive(Debug, Subcommand)]
enum HistoryOperation {
    #[command(hide = true, alias = "ls")]
    List(JsonOption),
    Append(change::Append),
    Show(ShowHistory),
    /// Remove all turns of a history, or some of them
    ///
    /// A summary of any of these turns is removed too. ctx never reuses a number. It keeps the old history in
    /// NAME.jsonl.bak until you clear again.
    #[command(after_help = "Examples:
  ctx history clear                  remove all turns
  ctx history clear 1-20             remove these
  ctx history clear --no-backup      remove all turns without a backup")]
    Clear {
        /// The turns to remove
        #[arg(value_name = "N|N-M", value_parser = change::turns_in, add = ArgValueCompleter::new(complete::turns))]
        turns: Option<Turns>,

        /// Keep no backup, and remove the existing one
        #[arg(long)]
        no_backup: bool,
    },
    Compress(compress::Compress),
}

impl HistoryCommand {
    /// Runs the subcommand; without one, lists the histories.
    pub fn run(self, app: &App) -> Result<(), Error> {
        let history = self.history.as_deref();
        match self.operation {
            Some(HistoryOperation::Append(append)) => append.run(app, history),
            Some(HistoryOperation::Show(show)) => show.run(app, history),
            Some(HistoryOperation::Clear { turns, no_backup }) => {
                change::clear(app, history, turns, !no_backup)
            }
            Some(HistoryOperation::Compress(compress)) => compress.run(app, history),
            Some(HistoryOperation::List(json)) => list(app, json.json),
            None => list(app, self.json.json),
        }
    }
}

#[derive(Serialize)]
struct HistoryRow {
    name: ProfileName,
    /// For a history of questions, the directory they were asked in.
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<String>,
    turns: usize,
    /// How many turns a model would see.
    shown: usize,
    tokens: u64,
    estimated: bool,
    changed: Option<String>,
}

impl HistoryRow {
    /// How many turns there are and, if a model would not see all of them, how many it would.
    fn counted(&self) -> String {
        let turns = grouped(self.turns as u64);
        if self.shown == self.turns { turns } else { format!("{} of {turns}", grouped(self.shown as u64)) }
    }
}

/// Prints all histories. A damaged one does not hide the others.
fn list(app: &App, json: bool) -> Result<(), Error> {
    app.check_named()?;
    let scale = Scale::of(app, None)?;
    let mut histories = Vec::new();
    let mut damage = None;
    for name in app.store.histories()? {
        match app.store.history(&name) {
            Ok(history) => {
                warn_if_unfinished(app, &history);
                let turns = history.numbers().len();
                let changed = history.changed().map(str::to_owned);
                let root = history.root().map(str::to_owned);
                let talk = resumed(app, &history);
                let curated = history.into_curated(talk, &scale.counter);
                histories.push(HistoryRow {
                    turns,
                    shown: curated.turns.len(),
                    tokens: curated.tokens(&scale.counter),
                    estimated: scale.estimated,
                    changed,
                    root,
                    name,
                });
            }
            // The first line is incomplete, or another command has just removed the history.
            Err(HistoryError::Unknown { .. }) => {}
            Err(error) => damage = damage.or(Some(error)),
        }
    }
    if json {
        app.ui.json(&json!({"version": 1, "histories": histories}))?;
    } else if !histories.is_empty() {
        app.ui.data(|out| write_table(out, &histories, &scale, &app.ui))?;
    } else if damage.is_none() {
        app.ui.note("no histories; 'ctx history append' makes one");
    }
    damage.map_or(Ok(()), |error| Err(error.into()))
}

fn write_table(out: &mut impl Write, rows: &[HistoryRow], scale: &Scale, ui: &Ui) -> io::Result<()> {
    let mut table = Table::new([
        Column::path("name", 1),
        Column::number("turns used"),
        Column::number("tokens"),
        Column::words("last change"),
    ]);
    for row in rows {
        let place = row.root.as_ref().map_or_else(String::new, |root| format!(" in {root}"));
        table.add([
            Cell::plain(visible(&format!("{}{place}", row.name))),
            Cell::plain(row.counted()),
            Cell::plain(scale.tokens(row.tokens)),
            Cell::plain(visible(row.changed.as_deref().unwrap_or("-"))),
        ]);
    }
    table.write(out, ui)
}

/// Print a history
///
/// Without --raw, prints what a model would see, plus system messages. With --raw, prints everything as you
/// appended it, including secrets.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx history show --last 3
  ctx history show --messages | jq '.[-1].content'
  ctx history show --raw --history=review")]
pub struct ShowHistory {
    /// Print everything: failed, unanswered and summarised turns, and secrets as they are
    #[arg(long)]
    raw: bool,

    /// Print only the last N turns, without a summary
    #[arg(long, value_name = "N")]
    last: Option<usize>,

    /// Print JSON; FILES in the manual page names the schema
    #[arg(long, conflicts_with = "messages")]
    json: bool,

    /// Print only the array of messages, in OpenAI's format
    #[arg(long)]
    messages: bool,
}

impl ShowHistory {
    /// Prints the history.
    pub fn run(self, app: &App, option: Option<&str>) -> Result<(), Error> {
        let history = which::read(app, option)?;
        let text = if self.raw {
            self.raw(history)?
        } else {
            let name = history.name.clone();
            let talk = resumed(app, &history);
            self.curated(app, &name, history.into_curated(talk, &Scale::of(app, None)?.counter))?
        };
        let is_json = self.json || self.messages;
        let text = if app.ui.is_terminal() && !is_json { visible_lines(&text) } else { text };
        app.ui.data(|out| out.write_all(text.as_bytes()))
    }

    fn curated(&self, app: &App, name: &ProfileName, curated: Curated) -> Result<String, Error> {
        let (all, left_out) = (curated.turns.len(), curated.left_out);
        let curated = match self.last {
            Some(last) => Curated {
                summary: None,
                turns: curated.turns.into_iter().skip(all.saturating_sub(last)).collect(),
                cleaned: BTreeMap::new(),
                ..curated
            },
            None => curated,
        };
        if left_out > 0 {
            app.ui.note(format!(
                "left out {} that failed or got no answer; --raw shows them",
                counted(left_out, "turn")
            ));
        }
        if self.json || self.messages {
            self.as_json(name, &format::messages(&curated.chat()))
        } else {
            Ok(transcript(&curated.said()))
        }
    }

    fn raw(&self, history: History) -> Result<String, Error> {
        let numbers = history.numbers();
        let first = self.last.map_or(0, |last| numbers.len().saturating_sub(last));
        let from = numbers.into_iter().nth(first);
        let turns = history.turns_where(|number| from.is_some_and(|from| number >= from));
        if self.json || self.messages {
            let messages: Vec<Message> = turns.iter().flat_map(|turn| turn.turn.messages.clone()).collect();
            return self.as_json(&history.name, &messages);
        }
        let mut said = Vec::new();
        for turn in &turns {
            let number = turn.turn.number;
            said.extend(turn.turn.said());
            let exit = turn.exit.map(|exit| format!("exit code {exit}"));
            let cut = turn.cut.then(|| "cut".to_owned());
            let end = |how| Said { voice: Voice::End { turn: number, how }, text: "" };
            said.extend(exit.into_iter().chain(cut).map(end));
        }
        let summaries = history.summaries();
        if self.last.is_none() {
            said.extend(summaries.iter().map(|summary| summary.said()));
        }
        Ok(transcript(&said))
    }

    fn as_json(&self, name: &ProfileName, messages: &[Message]) -> Result<String, Error> {
        let messages: Vec<Value> = messages.iter().map(Message::to_value).collect();
        let text = if self.messages {
            written_as_json(&messages)
        } else {
            written_as_json(&json!({"version": 1, "name": name, "messages": messages}))
        };
        text.map_err(Error::impossible)
    }
}
