//! The JSON documents of the store: strict when reading, stable when writing.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde::de::{DeserializeOwned, DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserializer, Serialize};

use super::{FILE_LIMIT, StoreError};
use crate::read::marks::unmarked;

/// How many levels of arrays and objects a store file may have. This leaves room below the parser's limit
/// (127) for an export, where the lists are nested deeper.
pub const MAX_DEPTH: usize = 120;

/// How much of a reason is shown, in characters, since it may quote the file. This is enough for the rule for
/// profile names.
const REASON_LENGTH: usize = 140;

/// Where and why text is not a valid document; lines and columns are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct Damage {
    /// The line.
    pub line: usize,
    /// The column, in bytes.
    pub column: usize,
    /// The problem.
    pub reason: String,
}

/// Reads a store file.
pub(crate) fn parse<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T, StoreError> {
    read(bytes).map_err(|Damage { line, column, reason }| StoreError::Damaged {
        path: path.to_owned(),
        line,
        column,
        reason,
    })
}

/// Like [`parse`], but for a file with a version, which must be known.
#[cfg_attr(not(unix), allow(dead_code, reason = "only files of checkpoints use it"))]
pub(crate) fn parse_version<T: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
    known: u32,
) -> Result<T, StoreError> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        version: u64,
    }
    match parse(path, bytes)? {
        Versioned { version } if version > u64::from(known) => {
            Err(StoreError::Newer { path: path.to_owned(), version })
        }
        Versioned { .. } => parse(path, bytes),
    }
}

/// Reads a document, refusing anything that could not be written back as intended.
///
/// # Errors
/// [`Damage`]: not UTF-8, not JSON, a key twice in one object, deeper than [`MAX_DEPTH`], or not what
/// `T` expects.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Damage> {
    read_around(bytes, 0)
}

/// Reads a document that contains store files at this depth.
///
/// # Errors
/// Same as [`read`].
pub fn read_around<T: DeserializeOwned>(bytes: &[u8], levels: usize) -> Result<T, Damage> {
    let bytes = &unmarked(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(bytes, error.valid_up_to()))?;
    let mut parser = serde_json::Deserializer::from_str(text);
    NestingWalk { room: MAX_DEPTH + levels }
        .deserialize(&mut parser)
        .and_then(|()| parser.end())
        .and_then(|()| serde_json::from_str(text))
        .map_err(|error| damage(&error))
}

/// Serialises a store file, and checks that it can be read again.
pub(crate) fn to_write<T: Serialize + DeserializeOwned>(
    path: &Path,
    value: &T,
) -> Result<String, StoreError> {
    let unstorable = |reason: String| StoreError::Unstorable { path: path.to_owned(), reason };
    let text = text_of(path, value)?;
    if text.len() as u64 > FILE_LIMIT {
        return Err(unstorable(format!("larger than {FILE_LIMIT} bytes")));
    }
    parse::<T>(path, text.as_bytes()).map_err(|error| unstorable(error.to_string()))?;
    Ok(text)
}

/// Serialises a document to be written to a file.
pub(crate) fn text_of<T: Serialize>(path: &Path, value: &T) -> Result<String, StoreError> {
    render(value).map_err(|error| StoreError::Unstorable { path: path.to_owned(), reason: error.to_string() })
}

/// Serialises a document, with two spaces of indentation and a final newline.
pub(crate) fn render<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(value).map(|text| text + "\n")
}

fn not_utf8(bytes: &[u8], offset: usize) -> Damage {
    let before = &bytes[..offset];
    let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |newline| newline + 1);
    Damage {
        line: before.iter().filter(|b| **b == b'\n').count() + 1,
        column: offset - line_start + 1,
        reason: "not UTF-8".to_owned(),
    }
}

fn damage(error: &serde_json::Error) -> Damage {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let position = format!(" at line {line} column {column}");
    let reason = message.strip_suffix(position.as_str()).unwrap_or(&message);
    // The parser counts from 0 if it has not consumed the character yet.
    let (line, column) = (line.max(1), column.max(1));
    Damage { line, column, reason: shortened(reason) }
}

fn shortened(reason: &str) -> String {
    match reason.char_indices().nth(REASON_LENGTH) {
        Some((end, _)) => format!("{}…", &reason[..end]),
        None => reason.to_owned(),
    }
}

/// Checks that a JSON value is not nested too deeply and that no object has a key twice, since a parser would
/// silently keep one of the two.
#[derive(Clone, Copy)]
struct NestingWalk {
    /// How many more levels there may be.
    room: usize,
}

impl NestingWalk {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        let room = self.room.checked_sub(1).ok_or_else(|| E::custom("nested too deep"))?;
        Ok(Self { room })
    }
}

impl<'de> DeserializeSeed<'de> for NestingWalk {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NestingWalk {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let inner = self.deeper()?;
        while seq.next_element_seed(inner)?.is_some() {}
        Ok(())
    }

    /// Checks objects, and decimals, which the parser passes as objects to keep every digit.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let inner = self.deeper()?;
        let mut keys = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if keys.contains(&key) {
                return Err(A::Error::custom(format_args!("the key {key:?} appears twice")));
            }
            keys.insert(key);
            map.next_value_seed(inner)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn reason(bytes: &[u8]) -> String {
        parse::<Value>(Path::new("x.json"), bytes).unwrap_err().to_string()
    }

    #[test]
    fn damage_is_reported_with_line_and_column() {
        assert_eq!(
            reason(b"{\n  \"a\": 1,\n  \"a\": 2\n}"),
            "store file 'x.json' is damaged: line 3, column 5: the key \"a\" appears twice"
        );
        assert_eq!(
            reason(b"{\n  \"a\": \"\xff\"}"),
            "store file 'x.json' is damaged: line 2, column 9: not UTF-8"
        );
        assert!(reason(b"{} {}").ends_with("line 1, column 4: trailing characters"));
        assert!(reason("[".repeat(1000).as_bytes()).ends_with("line 1, column 121: nested too deep"));
    }

    #[test]
    fn a_reason_never_quotes_the_whole_file() {
        let text = format!("\"{}\"", "é".repeat(10_000));
        let error = parse::<u8>(Path::new("x.json"), text.as_bytes()).unwrap_err().to_string();
        assert!(error.chars().count() < 200, "{error}");
    }
}
