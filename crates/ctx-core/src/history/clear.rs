//! Clears histories: removes turns, and keeps the old history as a backup.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memchr::memchr_iter;

use super::file::History;
use super::record::{LogRecord, Turns, cleared_line};
use super::{FILE_LIMIT, HistoryError};
use crate::store::lines::{self, torn_path};
use crate::store::{ProfileName, Store};
use crate::words::timestamp;

/// The result of clearing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClearedTurns {
    /// How many turns were removed.
    pub turns: usize,
    /// The earlier backup that this one replaced.
    pub replaced_backup: Option<PathBuf>,
}

impl Store {
    /// Removes all turns or some of them, and every summary that covers one of them. The old file becomes the
    /// backup; without one, an existing backup is removed.
    ///
    /// # Errors
    /// [`HistoryError::Unknown`], [`HistoryError::NoSuchTurn`], [`HistoryError::Damaged`], and errors from
    /// changing the store.
    pub fn clear_history(
        &self,
        name: &ProfileName,
        range: Option<Turns>,
        with_backup: bool,
        now: SystemTime,
    ) -> Result<ClearedTurns, HistoryError> {
        let path = &self.history_file(name);
        self.writing(|writer| {
            let unknown = || HistoryError::Unknown { name: name.clone() };
            let file = lines::read(path, FILE_LIMIT)?.ok_or_else(unknown)?;
            let history = History::parse_and(name, path, &file, LogRecord::without_texts)?;
            if history.whole.length == 0 {
                return Err(unknown());
            }
            let last = history.last_number();
            let range = range.unwrap_or(Turns { from: 1, to: last.max(1) });
            let turns = history.numbers().into_iter().filter(|number| range.contains(*number)).count();
            if turns == 0 && last > 0 && range != (Turns { from: 1, to: last }) {
                return Err(HistoryError::NoSuchTurn { name: name.clone(), turn: range.from });
            }
            let backup = backup_path(path);
            let is_empty = history.records.iter().all(|record| matches!(record, LogRecord::Cleared { .. }));
            if is_empty && with_backup {
                return Ok(ClearedTurns { turns: 0, replaced_backup: None });
            }
            let replaces = with_backup && backup.metadata().is_ok_and(|metadata| metadata.len() > 0);
            let cleared = Turns { to: range.to.min(last.max(range.from)), ..range };
            let cleared = cleared_line(cleared, last, &timestamp(now), history.root());
            let rest = without(&history, &file, range, &cleared);
            if with_backup {
                writer.back_up(&backup, &file)?;
            }
            writer.replace(path, Some(&file), &rest)?;
            if !with_backup {
                writer.remove_after(&backup)?;
                writer.remove_after(&torn_path(path))?;
            }
            Ok(ClearedTurns { turns, replaced_backup: replaces.then_some(backup) })
        })
    }
}

/// The path of a history's backup.
pub(super) fn backup_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".bak");
    PathBuf::from(name)
}

/// The lines of the file that stay, and one that records the removed turns and the highest number. The lines are
/// unchanged, except that a conversation whose beginning is removed begins with its next turn.
fn without(history: &History, file: &[u8], range: Turns, cleared: &str) -> Vec<u8> {
    let mut next_beginning = next_beginning(history, range);
    let mut kept = Vec::new();
    let mut start = 0;
    let whole = &file[..usize::try_from(history.whole.length).unwrap_or(usize::MAX).min(file.len())];
    let ends = memchr_iter(b'\n', whole).map(|at| at + 1).chain([whole.len()]);
    let mut records = history.records.iter();
    for end in ends {
        let line = &whole[start..end];
        start = end;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Some(record) = records.next() else { break };
        let stays = match record {
            LogRecord::Messages { turn, .. } => !range.contains(*turn),
            LogRecord::Summary(summary) => !range.meets(summary.turns),
            LogRecord::Undo(turns) => !range.meets(*turns),
            LogRecord::Cleared { .. } => false,
        };
        if stays {
            let line = line.trim_ascii_end();
            let begins = matches!(record, LogRecord::Messages { turn, .. } if Some(*turn) == next_beginning);
            next_beginning = next_beginning.filter(|_| !begins);
            kept.extend_from_slice(&if begins { beginning(line) } else { Cow::Borrowed(line) });
            kept.push(b'\n');
        }
    }
    kept.extend_from_slice(cleared.as_bytes());
    kept.push(b'\n');
    kept
}

/// The first turn after a range, if it becomes the beginning of a conversation once the range is removed,
/// because a beginning is in the range and this turn is not one itself.
fn next_beginning(history: &History, range: Turns) -> Option<u64> {
    let turns = history.turns_without_messages();
    let had_beginning = turns.iter().any(|turn| turn.begins && range.contains(turn.turn.number));
    let next = turns.iter().find(|turn| turn.turn.number > range.to)?;
    (had_beginning && !next.begins).then_some(next.turn.number)
}

/// The line of a turn, marked as the beginning of a conversation. The line must be an object with keys.
fn beginning(line: &[u8]) -> Cow<'_, [u8]> {
    let keys = line.strip_suffix(b"}").unwrap_or(line);
    Cow::Owned([keys, br#","begins":true}"#].concat())
}
