//! Clears histories: removes turns, and keeps the old history as a backup.

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

/// The lines of the file that stay, unchanged, and one that records the removed turns and the highest number.
fn without(history: &History, file: &[u8], range: Turns, cleared: &str) -> Vec<u8> {
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
            kept.extend_from_slice(line.trim_ascii_end());
            kept.push(b'\n');
        }
    }
    kept.extend_from_slice(cleared.as_bytes());
    kept.push(b'\n');
    kept
}
