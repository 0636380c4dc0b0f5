//! A model: its window, its tokenizer, and the source of its row.

use super::{Counter, Factor, ScriptFactors, Tokenizer};

/// One model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// The provider's name for it.
    pub name: String,
    /// Its maker; `user` in a user's row without one.
    pub provider: String,
    /// The most tokens it accepts as input.
    pub window: u64,
    /// The tokenizer used instead of its own, or its own if the basis is [`Basis::Exact`].
    pub tokenizer: Tokenizer,
    /// Its tokens per token of `tokenizer`, as a cautious estimate.
    pub factor: Factor,
    /// How the factor was determined.
    pub basis: Basis,
    /// The source of the tokenizer and factor.
    pub factor_source: String,
    /// The source of the window.
    pub source: String,
    /// The date of the source, as `YYYY-MM-DD`.
    pub date: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Whether it is in the user's own file.
    pub own: bool,
}

impl Model {
    /// A model about which only the window is known. Each script gets its highest known factor.
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

    /// The counter for this model.
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

/// How the factor of a model was determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The tokenizer is the model's own.
    Exact,
    /// The model's own tokenizer was compared with this one on a large amount of text.
    Measured,
    /// A reliable source states it.
    Cited,
    /// No source states it, so the factor errs on the safe side.
    Assumed,
}

impl Basis {
    /// The word in `models.json`.
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
