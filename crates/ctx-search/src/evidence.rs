//! Everything that was said about what to look for, as it was said.

/// What a query is made of. Each part has a weight of its own.
#[derive(Debug, Clone, Default)]
pub struct Evidence<'e> {
    /// The question.
    pub question: &'e str,
    /// More to look for: names that the code probably uses.
    pub names: Vec<&'e str>,
    /// The paths of files that matter more than others.
    pub raised_paths: Vec<&'e str>,
    /// What is shown beside the question: piped text, diffs, the output of commands.
    pub piped: Vec<&'e str>,
    /// The questions before it in the talk, the newest first.
    pub earlier: Vec<&'e str>,
    /// The directory in which it was said, with `/` between the names; empty for the top. Programs print paths from there.
    pub directory: String,
}

impl<'e> Evidence<'e> {
    /// Nothing but a question.
    #[must_use]
    pub fn of(question: &'e str) -> Self {
        Self { question, ..Self::default() }
    }
}
