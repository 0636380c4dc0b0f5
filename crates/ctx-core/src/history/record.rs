//! The lines of a history, one JSON object each.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::message::{Message, string};
use crate::entry::Entry;
use crate::words::grouped;

/// The longest line of a history, in bytes, including its newline.
pub const LINE_LIMIT: u64 = 16 << 20;

/// The largest history, in bytes.
pub const FILE_LIMIT: u64 = 256 << 20;

/// The highest turn number: the largest integer that every JSON parser represents exactly.
const LAST_TURN: u64 = (1 << 53) - 1;

/// The contents of a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LogRecord {
    /// Messages of a turn, at most one of them from the user.
    Messages { turn: u64, time: String, said: Box<NewMessages> },
    /// A summary that replaces earlier turns.
    Summary(Summary),
    /// Undoes the summary of these turns.
    Undo(Turns),
    /// Removed turns.
    Cleared {
        turns: Turns,
        /// The highest turn number used so far.
        last: u64,
        time: String,
        /// For a history of questions, the directory in which they were asked.
        root: Option<String>,
    },
}

/// A range of consecutive turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Turns {
    /// The number of the first turn.
    pub from: u64,
    /// The number of the last turn.
    pub to: u64,
}

impl Turns {
    /// Whether the range includes a turn.
    #[must_use]
    pub fn contains(self, turn: u64) -> bool {
        (self.from..=self.to).contains(&turn)
    }

    /// Whether the two ranges have a turn in common.
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        self.from <= other.to && other.from <= self.to
    }
}

/// Messages appended to a turn together, and where they came from.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct NewMessages {
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// The program that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// Its exit code, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i64>,
    /// Whether the answer is incomplete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The conversation that they belong to.
    #[serde(skip)]
    pub talk: InTalk,
    /// The terminal on which they were asked, if on any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal: Option<Terminal>,
    /// The files that the question was about, as entries relative to the work root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<Entry>,
    /// What limited its search, as entries relative to the work root, if the command line named anything.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Entry>,
    /// The texts that it was about and that cannot be read again, made safe.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<KeptText>,
    /// Other keys of the line.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The conversation that messages belong to. In the file, it is the number of its first turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InTalk {
    /// That of the turn before them.
    #[default]
    Last,
    /// One that begins with their turn.
    New,
    /// The one that began with this turn.
    Of(u64),
}

impl InTalk {
    /// How another turn names the conversation of this one.
    pub(super) fn of_turn(self, turn: u64) -> Self {
        match self {
            Self::New => Self::Of(turn),
            Self::Last | Self::Of(_) => self,
        }
    }
}

/// A text that a question was about, such as what was piped to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptText {
    /// Its label in the block of that question.
    pub label: String,
    /// The text, or its beginning and end.
    pub text: String,
}

/// A terminal, recognised by the session that runs on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terminal {
    /// The machine, and when it was started.
    pub machine: String,
    /// The process that leads the session.
    pub session: u64,
    /// When that process was started, in the system's own units; numbers of processes are used again.
    pub started: u64,
}

impl NewMessages {
    /// Whether these messages start their turn.
    pub(super) fn opens(&self) -> bool {
        self.messages.iter().any(|message| message.role == super::Role::User)
    }
}

/// A summary that replaces earlier turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The turns that it covers.
    #[serde(rename = "summary")]
    pub turns: Turns,
    /// When it was made.
    pub time: String,
    /// The program that made it.
    pub command: Vec<String>,
    /// Its text.
    pub content: String,
}

impl LogRecord {
    /// Parses a line.
    ///
    /// # Errors
    /// If the line is not a valid record, with the reason.
    pub fn read(line: &[u8]) -> Result<Self, String> {
        let value: Value = serde_json::from_slice(line).map_err(|error| reason(&error))?;
        let Value::Object(mut map) = value else { return Err("not an object".to_owned()) };
        let time = string(map.shift_remove("time")).unwrap_or_default();
        if let Some(summary) = map.shift_remove("summary") {
            return Ok(Self::Summary(Summary {
                turns: turns(&summary)?,
                time,
                command: words(map.get("command"))?.unwrap_or_default(),
                content: string(map.shift_remove("content")).ok_or("a summary has no text")?,
            }));
        }
        if let Some(undo) = map.get("undo") {
            return turns(undo.get("summary").unwrap_or(&Value::Null)).map(Self::Undo);
        }
        if let Some(cleared) = map.get("cleared") {
            let turns = turns(cleared)?;
            let last = map.get("last").and_then(Value::as_u64).map_or(Ok(turns.to), number)?;
            return Ok(Self::Cleared { turns, last, time, root: string(map.shift_remove("root")) });
        }
        Self::messages(map, time)
    }

    /// The record without the texts of its messages, for whoever needs only the turns.
    pub fn without_texts(mut self) -> Self {
        if let Self::Messages { said, .. } = &mut self {
            for message in &mut said.messages {
                message.content = None;
                message.tool_calls.clear();
            }
        }
        self
    }

    /// If it starts a turn, the conversation of that turn, as far as the record names it.
    pub fn talk(&self) -> Option<InTalk> {
        match self {
            Self::Messages { turn, said, .. } if said.opens() => Some(said.talk.of_turn(*turn)),
            Self::Messages { .. } | Self::Summary(_) | Self::Undo(_) | Self::Cleared { .. } => None,
        }
    }

    /// When it was appended.
    pub fn time(&self) -> Option<&str> {
        match self {
            Self::Summary(summary) => Some(&summary.time),
            Self::Messages { time, .. } | Self::Cleared { time, .. } => Some(time),
            Self::Undo(_) => None,
        }
    }

    fn messages(mut map: Map<String, Value>, time: String) -> Result<Self, String> {
        let turn = map.shift_remove("turn").and_then(|turn| turn.as_u64());
        let messages = match map.shift_remove("messages") {
            Some(Value::Array(messages)) => messages,
            Some(_) | None => return Err("neither messages nor a summary".to_owned()),
        };
        let mut ignored = 0;
        Ok(Self::Messages {
            turn: turn
                .filter(|turn| *turn > 0)
                .ok_or_else(|| "messages without a turn number".to_owned())
                .and_then(number)?,
            time,
            said: Box::new(NewMessages {
                messages: messages
                    .into_iter()
                    .map(|message| Message::read(message, &mut ignored))
                    .collect::<Result<_, _>>()?,
                command: words(map.shift_remove("command").as_ref())?,
                exit: map.shift_remove("exit").and_then(|exit| exit.as_i64()),
                cut: map.shift_remove("cut").is_some_and(|cut| cut == Value::Bool(true)),
                talk: match map.shift_remove("talk").and_then(|talk| talk.as_u64()) {
                    None => InTalk::Last,
                    Some(talk) if Some(talk) == turn => InTalk::New,
                    Some(talk) => InTalk::Of(talk),
                },
                terminal: map.shift_remove("terminal").and_then(|value| serde_json::from_value(value).ok()),
                about: all_of(map.shift_remove("about")),
                within: all_of(map.shift_remove("within")),
                texts: all_of(map.shift_remove("texts")),
                other: map,
            }),
        })
    }
}

/// The values of an array that can be read.
fn all_of<T: DeserializeOwned>(array: Option<Value>) -> Vec<T> {
    let values = array.and_then(|array| if let Value::Array(values) = array { Some(values) } else { None });
    values.into_iter().flatten().filter_map(|value| serde_json::from_value(value).ok()).collect()
}

/// Serialises a record as one line, without a newline.
pub(super) fn line_of(record: &impl Serialize) -> String {
    json!(record).to_string()
}

/// The line that appends messages to a turn.
pub(super) fn messages_line(turn: u64, time: &str, said: &NewMessages) -> String {
    let mut line = json!({"turn": turn, "time": time});
    match said.talk {
        InTalk::Last => {}
        InTalk::New => line["talk"] = turn.into(),
        InTalk::Of(talk) => line["talk"] = talk.into(),
    }
    if let (Value::Object(line), Value::Object(said)) = (&mut line, json!(said)) {
        line.extend(said);
    }
    line.to_string()
}

/// The line that records which turns were removed, the highest number used until then, and the directory of a
/// history of questions.
pub(super) fn cleared_line(cleared: Turns, last: u64, time: &str, root: Option<&str>) -> String {
    let mut line = json!({"cleared": cleared, "last": last, "time": time});
    if let Some(root) = root {
        line["root"] = root.into();
    }
    line.to_string()
}

/// The line that undoes a summary.
pub(super) fn undo_line(summary: Turns, time: &str) -> String {
    json!({"undo": {"summary": summary}, "time": time}).to_string()
}

fn turns(value: &Value) -> Result<Turns, String> {
    let given = |key: &str| value.get(key).and_then(Value::as_u64);
    match (given("from"), given("to")) {
        (Some(from), Some(to)) if from <= to => Ok(Turns { from, to: number(to)? }),
        (_, _) => Err("the first and the last turn are missing".to_owned()),
    }
}

/// Checks a turn's number, and returns it.
fn number(turn: u64) -> Result<u64, String> {
    if turn > LAST_TURN {
        Err(format!("a turn number cannot be over {}", grouped(LAST_TURN)))
    } else {
        Ok(turn)
    }
}

fn words(value: Option<&Value>) -> Result<Option<Vec<String>>, String> {
    value
        .map(|value| serde_json::from_value(value.clone()))
        .transpose()
        .map_err(|_| "the command is not a list of words".to_owned())
}

/// The parser's message, without a line number, since there is only one line.
fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rsplit_once(" at line 1 column ") {
        Some((reason, column)) => format!("column {column}: {reason}"),
        None => message,
    }
}
