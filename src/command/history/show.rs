use std::io::Write;

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::which::{HistoryOption, Scale};
use crate::app::App;
use crate::error::{Error, Outcome};
use crate::visible::{json, visible_lines};
use ctx_core::format::transcript;
use ctx_core::history::{Curated, History, Message, Said, Voice};
use ctx_core::store::ProfileName;

/// Print a history
///
/// Without --raw: what a model would be shown, and messages of the system. With it: everything, as it was
/// appended, secrets included.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx history show --last 3
  ctx history show --messages | jq '.[-1].content'
  ctx history show --raw --history=review")]
pub struct ShowHistory {
    /// Everything: failed and unanswered turns, summarised ones, secrets as they are
    #[arg(long)]
    raw: bool,

    /// Only the last N turns, without a summary
    #[arg(long, value_name = "N")]
    last: Option<usize>,

    /// Print JSON; FILES in the manual page names the schema
    #[arg(long, conflicts_with = "messages")]
    json: bool,

    /// Print the array of messages alone, as OpenAI's interface takes it
    #[arg(long)]
    messages: bool,
}

#[derive(Serialize)]
struct ShownHistory {
    version: u32,
    name: ProfileName,
    messages: Vec<Value>,
}

impl ShowHistory {
    /// Prints the history.
    pub fn run(self, app: &App, which: &HistoryOption) -> Result<Outcome, Error> {
        let history = which.read(app)?;
        let text = if self.raw {
            self.raw(history)?
        } else {
            let curated = history.curated(&Scale::of(app, None)?.counter);
            self.curated(app, &history, curated)?
        };
        let is_json = self.json || self.messages;
        let text = if app.ui.is_terminal() && !is_json { visible_lines(&text) } else { text };
        app.ui.data(|out| out.write_all(text.as_bytes()))?;
        Ok(Outcome::Done)
    }

    fn curated(&self, app: &App, history: &History, curated: Curated) -> Result<String, Error> {
        let (all, left_out) = (curated.turns.len(), curated.left_out);
        let curated = match self.last {
            Some(last) => Curated {
                summary: None,
                turns: curated.turns.into_iter().skip(all.saturating_sub(last)).collect(),
                left_out,
                cleaned: Vec::new(),
            },
            None => curated,
        };
        if left_out > 0 {
            app.ui.note(format!(
                "{} without an answer or failed left out; --raw shows them",
                ctx_core::words::counted(left_out, "turn")
            ));
        }
        if self.json || self.messages {
            self.as_json(&history.name, &curated.messages())
        } else {
            Ok(transcript(&curated.said()))
        }
    }

    fn raw(&self, history: History) -> Result<String, Error> {
        let turns = history.turns();
        let first = self.last.map_or(0, |last| turns.len().saturating_sub(last));
        let turns = &turns[first..];
        if self.json || self.messages {
            let messages: Vec<Message> = turns.iter().flat_map(|turn| turn.turn.messages.clone()).collect();
            return self.as_json(&history.name, &messages);
        }
        let mut said = Vec::new();
        for turn in turns {
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
            json(&messages)
        } else {
            json(&ShownHistory { version: 1, name: name.clone(), messages })
        };
        text.map_err(Error::impossible)
    }
}
