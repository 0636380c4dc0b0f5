//! What a person could do next. Only the caller knows how that is asked for, so it has no words here.

use crate::store::ProfileName;

/// What a person could do about a notice or a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Add entries.
    AddEntries,
    /// List the entries and what they match.
    ShowEntries,
    /// List what is in the block and what is not.
    ShowPlan,
    /// Lift the ignore rules.
    LiftIgnoreRules,
    /// Lift the built-in ignore rules, for some names or with all others.
    LiftBuiltInRules,
    /// Allow names that suggest secrets.
    AllowSecretNames,
    /// Look at what is not trusted.
    ShowUntrusted {
        /// How many commands, settings and the like.
        items: usize,
    },
    /// Make a block, for which commands are run.
    RunCommands,
    /// Choose a trim rule that shortens files or keeps those that matter, or look at where the tokens are.
    TrimOtherwise,
    /// Have a history summarised.
    CompressHistory {
        /// Its name.
        name: ProfileName,
    },
    /// Finish a restore that was interrupted, or put everything back.
    FinishRestore,
}
