//! The values of a profile's settings: each is one that the option of the same name accepts.

mod named_by;

pub use named_by::NamedBy;

use std::path::Path;

use crate::budget::{Budget, Trim};
use crate::command::Words;
use crate::format::Format;
use crate::models::{Registry, UnknownModel};
use crate::store::{LONGEST_INSTRUCTION, ProfileName, Setting, Switch};
use crate::words::{WrongText, grouped};
use ctx_outline::Language;

/// Why a value is invalid for its setting, as reported by the corresponding option.
#[derive(Debug, thiserror::Error)]
pub enum InvalidSetting {
    /// No model has this name.
    #[error(transparent)]
    Model(#[from] UnknownModel),
    /// The value is not one that the setting can have.
    #[error(transparent)]
    Value(#[from] WrongText),
}

/// Stands for the path of a file among the words of its reader.
pub const PLACEHOLDER: &str = "{}";

/// The error for a history with the budget `none`: it needs a number or a percentage.
pub const UNLIMITED_HISTORY: &str = "a history cannot have the budget 'none': use N, Nk or Nm tokens, or P%";

/// Checks that a command line names a program that no checkout can replace: it must not be relative to the
/// current directory.
fn program(value: &str) -> Result<(), WrongText> {
    let invalid = |error: WrongText| WrongText::new(format!("invalid program '{value}': {error}"));
    let words: Words = value.parse().map_err(invalid)?;
    let program = words.program();
    let is_path = program.contains(std::path::is_separator);
    if is_path && !Path::new(program).has_root() && !program.starts_with("~/") {
        return Err(WrongText::new(format!(
            "'{program}' depends on the current directory: name a program in PATH, ~/… or an absolute path"
        )));
    }
    Ok(())
}

/// The extensions of text that no outline is made of. Files with these need no reader.
const TEXT: [&str; 14] =
    ["adoc", "conf", "csv", "htm", "html", "ini", "log", "ndjson", "rst", "svg", "text", "tsv", "txt", "xml"];

/// Checks the reader of files with an extension, and returns its words.
///
/// # Errors
/// If such files are text, or the value does not name a program and where the file's path goes.
pub fn reader(extension: &str, value: &str) -> Result<Words, WrongText> {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    if extension.is_empty() || extension.len() > 16 || !extension.chars().all(is_letter) {
        return Err(WrongText::new(format!(
            "'{extension}' is not an extension of lower-case letters and digits"
        )));
    }
    if TEXT.contains(&extension) || Language::of_path(&format!("a.{extension}")).is_some() {
        return Err(WrongText::new(format!(
            "files with the extension '{extension}' are text, which needs no reader"
        )));
    }
    program(value)?;
    let words: Words = value.parse()?;
    if !words.arguments().iter().any(|word| word.contains(PLACEHOLDER)) {
        return Err(WrongText::new(format!(
            "the reader '{value}' has no {PLACEHOLDER} for the file's path among its arguments"
        )));
    }
    // A shell would run what the name of a file says.
    let is_of_script = |word: &&str| word.contains(PLACEHOLDER) && word.contains(char::is_whitespace);
    if words.arguments().iter().any(|word| is_of_script(&word.as_str())) {
        return Err(WrongText::new(format!(
            "{PLACEHOLDER} cannot be part of a script, which a file's name could change: write \
             sh -c 'PROGRAM \"$1\"' sh {PLACEHOLDER}"
        )));
    }
    Ok(words)
}

/// Checks the value of a setting. Without a registry, any model name is accepted.
///
/// # Errors
/// If the option of that name would not accept the value.
pub fn check(setting: Setting, value: &str, registry: Option<&Registry>) -> Result<(), InvalidSetting> {
    match setting {
        Setting::Description => Ok(()),
        Setting::Instruction if value.len() > LONGEST_INSTRUCTION => {
            let (most, bytes) = (grouped(LONGEST_INSTRUCTION as u64), grouped(value.len() as u64));
            Err(WrongText::new(format!(
                "an instruction can have at most {most} bytes, and this one has {bytes}"
            ))
            .into())
        }
        Setting::Instruction => Ok(()),
        Setting::Model => Ok(registry.map_or(Ok(()), |registry| registry.find(value).map(drop))?),
        Setting::Budget | Setting::AskBudget => Ok(value.parse::<Budget>().map(drop)?),
        Setting::Trim => Ok(value.parse::<Trim>().map(drop).map_err(WrongText::new)?),
        Setting::History => match value.parse::<ProfileName>() {
            Ok(_) => Ok(()),
            Err(_) => {
                let rule = ProfileName::RULE;
                Err(WrongText::new(format!("invalid history name '{value}': {rule}")).into())
            }
        },
        Setting::HistoryBudget => match value.parse::<Budget>()? {
            Budget::Unlimited => Err(WrongText::new(UNLIMITED_HISTORY).into()),
            Budget::Tokens(_) | Budget::Share(_) => Ok(()),
        },
        Setting::Checkpoint | Setting::GitHistory => {
            Ok(value.parse::<Switch>().map(drop).map_err(WrongText::new)?)
        }
        Setting::Program => Ok(program(value)?),
        Setting::WordsFrom if NamedBy::WORDS.contains(&value) => Ok(()),
        Setting::WordsFrom => Ok(program(value)?),
        Setting::Format => Ok(value.parse::<Format>().map(drop).map_err(WrongText::new)?),
    }
}
