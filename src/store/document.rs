//! The JSON documents of the store: strict on reading, stable on writing.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde::de::{DeserializeOwned, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::StoreError;

/// How much of a reason is shown, in characters: it may quote the file.
const REASON_LENGTH: usize = 120;

/// Where and why a text is not the document that it should be; lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct Damage {
    /// The line.
    pub line: usize,
    /// The column, in bytes.
    pub column: usize,
    /// What is wrong there.
    pub reason: String,
}

/// Reads a store file.
pub(super) fn parse<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T, StoreError> {
    read(bytes).map_err(|Damage { line, column, reason }| StoreError::Damaged {
        path: path.to_owned(),
        line,
        column,
        reason,
    })
}

/// Reads a document, refusing whatever could not be written back as it was meant.
///
/// # Errors
/// [`Damage`]: not UTF-8, not JSON, a key twice in one object, or not what `T` expects.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Damage> {
    let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(bytes, error.valid_up_to()))?;
    serde_json::from_str::<WithoutDuplicates>(text)
        .and_then(|_| serde_json::from_str(text))
        .map_err(|error| damage(&error))
}

/// The text of a document: two spaces of indentation and a final newline.
pub(super) fn render<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
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
    // The parser counts from 0 where it has not taken the character yet.
    let (line, column) = (line.max(1), column.max(1));
    Damage { line, column, reason: shortened(reason) }
}

fn shortened(reason: &str) -> String {
    match reason.char_indices().nth(REASON_LENGTH) {
        Some((end, _)) => format!("{}…", &reason[..end]),
        None => reason.to_owned(),
    }
}

/// Any JSON value in which no object has a key twice: a parser would silently keep one of the two.
struct WithoutDuplicates;

impl<'de> Deserialize<'de> for WithoutDuplicates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Walk)
    }
}

struct Walk;

impl<'de> Visitor<'de> for Walk {
    type Value = WithoutDuplicates;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(WithoutDuplicates)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(WithoutDuplicates)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(WithoutDuplicates)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(WithoutDuplicates)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(WithoutDuplicates)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(WithoutDuplicates)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<WithoutDuplicates>()?.is_some() {}
        Ok(WithoutDuplicates)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if keys.contains(&key) {
                return Err(A::Error::custom(format_args!("the key {key:?} appears twice")));
            }
            keys.insert(key);
            map.next_value::<WithoutDuplicates>()?;
        }
        Ok(WithoutDuplicates)
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
    fn damage_is_reported_with_its_place() {
        assert_eq!(
            reason(b"{\n  \"a\": 1,\n  \"a\": 2\n}"),
            "store file 'x.json' is damaged: line 3, column 5: the key \"a\" appears twice"
        );
        assert_eq!(
            reason(b"{\n  \"a\": \"\xff\"}"),
            "store file 'x.json' is damaged: line 2, column 9: not UTF-8"
        );
        assert!(reason(b"{} {}").ends_with("line 1, column 4: trailing characters"));
        assert!(reason("[".repeat(1000).as_bytes()).contains("recursion limit exceeded"));
    }

    #[test]
    fn a_reason_never_quotes_the_whole_file() {
        let text = format!("\"{}\"", "é".repeat(10_000));
        let error = parse::<u8>(Path::new("x.json"), text.as_bytes()).unwrap_err().to_string();
        assert!(error.chars().count() < 200, "{error}");
    }
}
