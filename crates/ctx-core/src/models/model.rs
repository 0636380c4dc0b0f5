//! A model: its window, its tokenizer, and where its row comes from.

use super::{Counter, Factor, ScriptFactors, Tokenizer};

/// One model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// The name that its provider gives it.
    pub name: String,
    /// Who makes it; `user` in a user's row that does not say.
    pub provider: String,
    /// The most tokens it takes as input.
    pub window: u64,
    /// What is used in place of its own tokenizer, or is that if the basis is [`Basis::Exact`].
    pub tokenizer: Tokenizer,
    /// Its tokens per token that `tokenizer` counts, on the safe side.
    pub factor: Factor,
    /// The source of the tokenizer and the factor.
    pub basis: Basis,
    /// Where tokenizer and factor come from.
    pub factor_source: String,
    /// The source of the window.
    pub source: String,
    /// The day on which the source said so, as `YYYY-MM-DD`.
    pub date: String,
    /// Other names of it.
    pub aliases: Vec<String>,
    /// Whether it is in the user's own file.
    pub own: bool,
}

impl Model {
    /// A model of which no more is known than the window: counted as the costliest of each script is.
    ///
    /// # Panics
    /// If the embedded factors are damaged, which a test rules out.
    #[must_use]
    pub fn unknown(name: &str, window: u64) -> Self {
        let factors =
            ScriptFactors::measured("costliest").expect("the embedded factors have those of the costliest");
        Self {
            name: name.to_owned(),
            provider: "user".to_owned(),
            window,
            tokenizer: Tokenizer::Weighted(factors),
            factor: Factor::ONE,
            basis: Basis::Assumed,
            factor_source: String::new(),
            source: String::new(),
            date: String::new(),
            aliases: Vec::new(),
            own: true,
        }
    }

    /// What counts tokens for this model.
    #[must_use]
    pub fn counter(&self) -> Counter {
        Counter { tokenizer: self.tokenizer, factor: self.factor }
    }

    /// Whether token counts for this model are estimates, to be shown with `~`.
    #[must_use]
    pub fn is_estimate(&self) -> bool {
        self.basis != Basis::Exact || self.counter().is_estimate()
    }
}

/// How the factor of a model is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The tokenizer is the model's own.
    Exact,
    /// The model's own tokenizer was compared with the tokenizer over many texts.
    Measured,
    /// Somebody who knows says so.
    Cited,
    /// Nobody says so; the factor is meant to be safe.
    Assumed,
}

impl Basis {
    /// The word that `models.json` uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Measured => "measured",
            Self::Cited => "cited",
            Self::Assumed => "assumed",
        }
    }
}
