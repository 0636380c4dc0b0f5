//! What the front matter of a rule says about when the rule holds.
//!
//! Rules in the wild hold values such as `globs: *.ts`, which no YAML parser takes; so the front matter is
//! read line by line (see `fields`), and only where every reader would find the same keys in it. All else
//! cannot be read, and nobody may take the rule for one that always holds.

mod fields;
#[cfg(test)]
mod tests;

use crate::read::{self, Limits, Page, Unreadable};
use crate::select::FilePlace;

pub use fields::Unclear;
use fields::fields;

/// Keys that name files: with a value, the rule holds for those alone.
const FILES: [&str; 3] = ["globs", "applyTo", "paths"];

/// Whether a value names every file, so that the rule always holds. With `globs`, a rule of Cursor's waits for a file
/// all the same.
fn names_all_files(key: &str, files: &str) -> bool {
    key == "applyTo" && ["**", "**/*"].contains(&files)
}

/// Why nobody can say of a file when it holds.
#[derive(Debug, thiserror::Error)]
pub enum Doubt {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// What it says is not clear.
    #[error(transparent)]
    Unclear(#[from] Unclear),
}

/// What makes the rule in a file conditional; see [`condition`].
///
/// # Errors
/// If the file cannot be read, or it cannot be told.
pub fn condition_in(place: &FilePlace) -> Result<Option<String>, Doubt> {
    let mut buffer = Page::default();
    let file = place.open().map_err(Unreadable::from)?;
    Ok(condition(&read::read(file, Limits::default(), &mut buffer)?.text)?)
}

/// What makes a rule conditional, such as `globs: **/*.ts`; `None` if nothing does.
///
/// # Errors
/// If it cannot be told.
pub fn condition(text: &str) -> Result<Option<String>, Unclear> {
    let fields = fields(text)?;
    let value = |key: &str| {
        let field = fields.iter().find(|field| field.key == key)?;
        Some(field.value.as_str()).filter(|value| !value.is_empty())
    };
    let told = |key: &str, value: &str| Ok(Some(format!("{key}: {value}")));
    for key in FILES {
        if let Some(files) = value(key).filter(|files| !names_all_files(key, files)) {
            return told(key, files);
        }
    }
    if fields.iter().any(|field| field.is_list && ["inclusion", "alwaysApply"].contains(&field.key.as_str()))
    {
        return Err(Unclear);
    }
    match (value("inclusion"), value("alwaysApply")) {
        (Some(inclusion), _) if inclusion != "always" => told("inclusion", inclusion),
        (_, Some(applies)) if !applies.eq_ignore_ascii_case("true") => told("alwaysApply", applies),
        (_, _) => Ok(None),
    }
}
