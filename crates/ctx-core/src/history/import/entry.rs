//! A value of a file that is imported, and what is wrong with it.

use serde_json::Value;

/// Why a file is not what its source writes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct ImportError {
    /// The line, from 1, where the file has one value a line.
    pub line: Option<usize>,
    /// What is wrong.
    pub reason: String,
}

/// A value of the file and the line on which it stands, if it has a line of its own.
pub(super) struct ImportedValue {
    pub(super) value: Value,
    pub(super) line: Option<usize>,
}

impl ImportedValue {
    pub(super) fn error(&self, reason: impl Into<String>) -> ImportError {
        ImportError { line: self.line, reason: reason.into() }
    }

    /// The string under a key.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.value.get(key).and_then(Value::as_str)
    }

    pub(super) fn is(&self, key: &str) -> bool {
        self.value.get(key) == Some(&Value::Bool(true))
    }
}

/// The elements of an array, one object, or one object a line.
pub(super) fn entries(text: &str) -> Result<Vec<ImportedValue>, ImportError> {
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str(text) {
        Ok(Value::Array(values)) => {
            return Ok(values.into_iter().map(|value| ImportedValue { value, line: None }).collect());
        }
        Ok(value @ Value::Object(_)) => return Ok(vec![ImportedValue { value, line: None }]),
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | Err(_) => {}
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let parsed = lines.map(|(at, line)| {
        let line_number = Some(at + 1);
        let error = |reason: String| ImportError { line: line_number, reason };
        match serde_json::from_str(line) {
            Ok(value @ Value::Object(_)) => Ok(ImportedValue { value, line: line_number }),
            Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                Err(error("not an object".to_owned()))
            }
            Err(problem) => Err(error(problem.to_string())),
        }
    });
    parsed.collect()
}
