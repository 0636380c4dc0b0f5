//! How a block is measured, from what a caller chooses.

use super::Measure;
use crate::budget::{Budget, Trim};
use crate::models::{Basis, Model};
use crate::tokens::{Counter, Tokenizer};

/// The window when no model is named, in tokens.
const DEFAULT_WINDOW: u64 = 200_000;

impl Measure {
    /// Counts with `tokenizer`, else as `model` does, else exactly with the default one; a share of the
    /// budget is one of the model's window, or of 200,000 tokens without a model.
    pub(crate) fn of(model: Option<Model>, tokenizer: Option<Tokenizer>, budget: Budget, trim: Trim) -> Self {
        let window = model.as_ref().map_or(DEFAULT_WINDOW, |model| model.window);
        let counter = match (tokenizer, &model) {
            (Some(tokenizer), _) => Counter { tokenizer, ..Counter::default() },
            (None, Some(model)) => model.counter(),
            (None, None) => Counter::default(),
        };
        let assumed =
            tokenizer.is_none() && model.as_ref().is_some_and(|model| model.basis == Basis::Assumed);
        Self {
            model: model.map(|model| model.name),
            window,
            counter,
            estimated: counter.is_estimate() || assumed,
            limit: budget.limit(window),
            trim,
        }
    }
}
