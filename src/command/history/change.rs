//! Appending to a history and clearing it.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use clap_complete::ArgValueCompleter;

use super::which;
use crate::app::App;
use crate::complete;
use crate::conversation::warn_of_torn;
use crate::error::Error;
use crate::input;
use crate::options::among;
use ctx_core::history::import::{self, ChatSource};
use ctx_core::history::{Addition, Appended, Message, Role, ToolCall, Turns};
use ctx_core::store::ProfileName;
use ctx_core::words::counted;

/// Append a message, or another program's conversation, and print the number of the turn
///
/// A user message starts a turn. Other messages join the last turn, or the one you name with --turn, until it has
/// an answer: text from the assistant. A conversation is appended as a whole or not at all.
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("kind").required(true).args(["role", "from"])),
    after_help = "Examples:
  ctx history append --role user \"Why two passes?\"
  ctx history append --role assistant --id c1 --name read '{\"path\":\"a.rs\"}'    a call to a tool
  cat a.rs | ctx history append --role tool --id c1 -                          its result
  ctx history append --role assistant \"Because …\"
  llm logs -n 0 --json | ctx history append --from llm -
  ctx history append --from codex ~/.codex/sessions/2026/01/15/rollout-….jsonl"
)]
pub struct Append {
    /// The role of the speaker
    #[arg(long, value_name = "ROLE", value_parser = among(&Role::ALL))]
    role: Option<Role>,

    /// The call that a result belongs to (default: the first one without a result); with --role assistant,
    /// make the message a call with TEXT as its arguments
    #[arg(long, value_name = "ID", requires = "role")]
    id: Option<String>,

    /// The name of the tool, or of the speaker if several share a role
    #[arg(long, value_name = "NAME", requires = "role")]
    name: Option<String>,

    /// Join this turn instead of the last one
    #[arg(long, value_name = "N", add = ArgValueCompleter::new(complete::turns))]
    turn: Option<u64>,

    /// Read a file: messages in OpenAI's format (an array, or one per line), the output of 'llm logs --json', a
    /// transcript of Claude Code, a rollout of Codex, a session or history of the Gemini CLI
    #[arg(long, value_name = "SOURCE", value_parser = among(&ChatSource::ALL))]
    from: Option<ChatSource>,

    /// The text, or with --from the file; - is standard input
    #[arg(value_name = "TEXT|FILE")]
    text: String,
}

impl Append {
    /// Appends, and prints the number of the turn.
    pub fn run(self, app: &App, option: Option<&str>) -> Result<(), Error> {
        let addition = match (&self.role, &self.from) {
            (_, Some(source)) => self.conversation(app, *source)?,
            (Some(role), None) => self.message(app, *role)?,
            (None, None) => return Err(Error::usage("nothing to append: use --role or --from")),
        };
        if self.turn.is_some() && !addition.turns.is_empty() {
            return Err(Error::usage("a user message starts a new turn; leave out --turn"));
        }
        let name = which::name(app, option)?;
        let addition = Addition { joined: self.turn, ..addition };
        let Appended { first, turns, torn } = app.store.append_history(&name, addition, app.world().now)?;
        warn_of_torn(app, &name, torn.as_deref());
        let last = first + turns as u64 - 1;
        if self.from.is_some() {
            app.ui.confirm(format!("Appended {} to history '{name}'", counted(turns, "turn")));
        }
        let printed = app.ui.data(|out| match turns {
            1 => writeln!(out, "{first}"),
            _ => writeln!(out, "{first}-{last}"),
        });
        printed.map_err(|error| {
            let what = if turns == 1 { "the turn was appended" } else { "the turns were appended" };
            error.with_hint(format!("{what} anyway, so do not repeat the command"))
        })
    }

    fn message(&self, app: &App, role: Role) -> Result<Addition, Error> {
        let text = match self.text.as_str() {
            input::STANDARD_STREAM => without_line_end(read(app, Path::new(input::STANDARD_STREAM))?),
            text => text.to_owned(),
        };
        let id = self.id.clone();
        let message = match (role, id, &self.name) {
            (Role::User | Role::System, _, _) if text.trim().is_empty() => {
                return Err(Error::usage("the text is empty"));
            }
            (Role::User | Role::System, Some(_), _) => {
                return Err(Error::usage("--id is for calls and results: --role assistant or tool"));
            }
            (Role::Assistant, Some(id), Some(name)) => {
                Message::calls(vec![ToolCall { id, name: name.clone(), arguments: text }])
            }
            (Role::Assistant, Some(_), None) => {
                return Err(Error::usage("a call needs the --name of its tool"));
            }
            (role, id, name) => {
                let mut message = Message::text(role, text);
                message.tool_call_id = id;
                message.name.clone_from(name);
                message
            }
        };
        Ok(Addition::of(vec![message]))
    }

    fn conversation(&self, app: &App, source: ChatSource) -> Result<Addition, Error> {
        let file = PathBuf::from(&self.text);
        let called = input::called(&file);
        let imported = import::read(source, &read(app, &file)?)
            .map_err(|error| Error::impossible(format!("cannot read {called} as {source}: {error}")))?;
        if !imported.left_out.is_nothing() {
            app.ui.note(format!("left out of {called}: {}", imported.left_out));
        }
        Ok(Addition::of(imported.messages))
    }
}

fn read(app: &App, file: &Path) -> Result<String, Error> {
    input::text(app, file, ctx_core::history::FILE_LIMIT)
}

/// Removes the newline at the end of a program's output, since it isn't part of the message.
fn without_line_end(mut text: String) -> String {
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    text
}

/// Parses the number of a turn, or two numbers with a hyphen between them.
pub(super) fn turns_in(text: &str) -> Result<Turns, String> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    match (from.parse(), to.parse()) {
        (Ok(from), Ok(to)) if 0 < from && from <= to => Ok(Turns { from, to }),
        (_, _) if text.starts_with(char::is_alphabetic) && text.parse::<ProfileName>().is_ok() => {
            Err(format!("not the number of a turn; name a history with '=': --history={text}"))
        }
        (_, _) => Err("use the number of a turn, or two with a hyphen between them: 3, 1-20".to_owned()),
    }
}

/// Removes the given turns of a history, or all turns if none are given.
pub(super) fn clear(
    app: &App,
    option: Option<&str>,
    turns: Option<Turns>,
    keeps_backup: bool,
) -> Result<(), Error> {
    let name = which::name(app, option)?;
    let cleared = app.store.clear_history(&name, turns, keeps_backup, app.world().now)?;
    app.ui.confirm(format!("Cleared history '{name}' ({})", counted(cleared.turns, "turn")));
    if let Some(backup) = cleared.replaced_backup {
        app.ui.note(format!("the earlier backup was replaced: '{}'", backup.display()));
    }
    Ok(())
}
