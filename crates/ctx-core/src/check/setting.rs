//! Checks whether the option of the same name would accept the value of a profile's setting.

use std::path::Path;

use crate::budget::{Budget, BudgetError, Trim};
use crate::format::Format;
use crate::models::{Registry, UnknownModel};
use crate::source::command::{Words, WordsError};
use crate::store::{ProfileName, Setting, Switch};
use crate::words::grouped;

/// The longest instruction, in bytes.
pub const LONGEST_INSTRUCTION: usize = 64 << 10;

/// Why a value is invalid for its setting, in the words of the corresponding option.
#[derive(Debug, thiserror::Error)]
pub enum InvalidSetting {
    /// No model has this name.
    #[error(transparent)]
    Model(#[from] UnknownModel),
    /// It is not a budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// It is not a trim rule.
    #[error("{0}")]
    Trim(String),
    /// It is not a block format.
    #[error("{0}")]
    Format(String),
    /// No history can have this name.
    #[error("invalid history name '{name}': {}", ProfileName::RULE)]
    History {
        /// The name.
        name: String,
    },
    /// It is too long to be an instruction.
    #[error("an instruction can have at most {} bytes, and this one has {}", grouped(LONGEST_INSTRUCTION as u64), grouped(*bytes as u64))]
    InstructionTooLong {
        /// Its length.
        bytes: usize,
    },
    /// A history needs a numeric budget.
    #[error("a history cannot have the budget 'none': use N, Nk or Nm tokens, or P%")]
    UnlimitedHistory,
    /// The value is not a program with its arguments.
    #[error(transparent)]
    Program(#[from] WordsError),
    /// It names a program by a path that depends on the current directory.
    #[error("'{program}' depends on the current directory: name a program in PATH, ~/… or an absolute path")]
    RelativeProgram {
        /// The program.
        program: String,
    },
    /// It is neither `on` nor `off`.
    #[error("{0}")]
    Switch(String),
}

/// Checks that the words name a program that no checkout can replace.
fn program(value: &str) -> Result<(), InvalidSetting> {
    let words: Words = value.parse()?;
    let program = words.program();
    let is_path = program.contains(std::path::is_separator);
    if is_path && !Path::new(program).has_root() && !program.starts_with("~/") {
        return Err(InvalidSetting::RelativeProgram { program: program.to_owned() });
    }
    Ok(())
}

/// Checks the value of a setting. Without a registry, any model name is accepted.
///
/// # Errors
/// If the option of that name would not accept the value.
pub fn setting(setting: Setting, value: &str, registry: Option<&Registry>) -> Result<(), InvalidSetting> {
    match setting {
        Setting::Description => Ok(()),
        Setting::Instruction if value.len() > LONGEST_INSTRUCTION => {
            Err(InvalidSetting::InstructionTooLong { bytes: value.len() })
        }
        Setting::Instruction => Ok(()),
        Setting::Model => Ok(registry.map_or(Ok(()), |registry| registry.find(value).map(drop))?),
        Setting::Budget | Setting::AskBudget => Ok(value.parse::<Budget>().map(drop)?),
        Setting::Trim => value.parse::<Trim>().map(drop).map_err(InvalidSetting::Trim),
        Setting::History => value
            .parse::<ProfileName>()
            .map(drop)
            .map_err(|_| InvalidSetting::History { name: value.to_owned() }),
        Setting::HistoryBudget => match value.parse::<Budget>()? {
            Budget::Unlimited => Err(InvalidSetting::UnlimitedHistory),
            Budget::Tokens(_) | Budget::Share(_) => Ok(()),
        },
        Setting::Checkpoint | Setting::GitHistory => {
            value.parse::<Switch>().map(drop).map_err(InvalidSetting::Switch)
        }
        Setting::Program => program(value),
        Setting::Format => value.parse::<Format>().map(drop).map_err(InvalidSetting::Format),
    }
}
