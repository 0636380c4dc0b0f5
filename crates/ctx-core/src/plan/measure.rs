//! How a block is measured, from what a caller chooses.

use super::Measure;
use crate::budget::{Budget, Trim};
use crate::models::Model;
use crate::models::{Counter, Tokenizer};

/// The window when no model is named, in tokens.
const DEFAULT_WINDOW: u64 = 200_000;

impl Measure {
    /// Counts with `tokenizer`, else as `model` does, else exactly with the default one; a share of the
    /// budget is one of `window`, else of the model's, or of 200,000 tokens without a model.
    pub fn of(
        model: Option<Model>,
        tokenizer: Option<Tokenizer>,
        window: Option<u64>,
        budget: Budget,
        trim: Trim,
    ) -> Self {
        let own = model.as_ref().map_or(DEFAULT_WINDOW, |model| model.window);
        let window = window.unwrap_or(own);
        let counter = match (tokenizer, &model) {
            (Some(tokenizer), _) => Counter { tokenizer, ..Counter::default() },
            (None, Some(model)) => model.counter(),
            (None, None) => Counter::default(),
        };
        let approximate = tokenizer.is_none() && model.as_ref().is_some_and(Model::is_estimate);
        Self {
            model: model.map(|model| model.name),
            window,
            counter,
            estimated: counter.is_estimate() || approximate,
            budget,
            limit: budget.limit(window),
            ceiling: None,
            trim,
            is_default_rule: false,
        }
    }

    /// The same, where what is in the block in any case takes no room from what competes for it, up to `budget`.
    #[must_use]
    pub fn beside(self, budget: Budget) -> Self {
        Self { ceiling: budget.limit(self.window), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::Registry;

    #[test]
    fn a_block_is_an_estimate_where_the_registry_says_so() {
        let of = |model: &Model, tokenizer| {
            Measure::of(Some(model.clone()), tokenizer, None, Budget::default(), Trim::default()).estimated
        };
        let own = r#"{"models": [
            {"name": "a", "window": 1, "basis": "cited", "tokenizer": "o200k", "factor": 1},
            {"name": "b", "window": 1, "basis": "exact", "tokenizer": "o200k", "factor": 1.2},
            {"name": "c", "window": 1, "basis": "exact", "tokenizer": "bytes4"}]}"#;
        let registry = Registry::with_user(own).unwrap();
        for model in registry.models() {
            assert_eq!(of(model, None), model.is_estimate(), "{}", model.name);
            assert!(!of(model, Some(Tokenizer::Cl100k)), "{}", model.name);
            assert!(of(model, Some(Tokenizer::Bytes4)), "{}", model.name);
        }
        for name in ["a", "b", "c"] {
            assert!(registry.find(name).unwrap().is_estimate(), "{name}");
        }
    }
}
