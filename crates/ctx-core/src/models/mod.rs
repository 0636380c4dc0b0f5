//! The model registry: how much each model can read, how its tokens are counted, and where these facts come
//! from.
//!
//! The rows are data, in `models.json` next to this file; a user's own file has the same format and overrides
//! it. A name is looked up as given, then in the spellings that other platforms use for the same model (see
//! `name`). There is no matching by prefix: an unknown name is an error that suggests similar ones.

mod counter;
mod factor;
mod model;
mod name;
mod row;
mod scripts;
#[cfg(test)]
mod tests;
mod tokenizer;

use std::cmp::Reverse;
use std::collections::BTreeMap;

pub use counter::Counter;
pub use factor::Factor;
pub use model::{Basis, Model};
use row::Rows;
pub use scripts::{ScriptFactors, tokens_by_script};
pub use tokenizer::{Ruler, Tokenizer};

const BUILT_IN: &str = include_str!("models.json");

/// All known models.
#[derive(Debug, Clone)]
pub struct Registry {
    models: Vec<Model>,
    /// Every key (see [`name::key`]) of every model, with the model's index in `models`.
    places: BTreeMap<String, usize>,
}

impl Registry {
    /// The built-in models.
    ///
    /// # Panics
    ///
    /// If the embedded data is damaged, which a test rules out.
    #[must_use]
    pub fn built_in() -> Self {
        Self::of(built_in_rows())
    }

    /// The built-in models and those of a user's `models.json`.
    ///
    /// A user's model replaces every built-in one whose name is its own name or one of its aliases, and takes
    /// over that one's aliases. An alias in both belongs to the user's model.
    ///
    /// # Errors
    ///
    /// If the text is not JSON in the right format, or a row is invalid.
    pub fn with_user(json_text: &str) -> Result<Self, serde_json::Error> {
        let mut user: Rows = serde_json::from_str(json_text)?;
        user.models.iter_mut().for_each(|model| model.own = true);
        Ok(Self::of(overlay(built_in_rows(), user.models)))
    }

    /// The model with this name.
    ///
    /// # Errors
    ///
    /// If no model has this name; the error suggests models with similar names.
    pub fn find(&self, name: &str) -> Result<&Model, UnknownModel> {
        name::spellings(name)
            .iter()
            .find_map(|key| self.places.get(key))
            .copied()
            .or_else(|| match self.places_of_part(name).as_slice() {
                [only] => Some(*only),
                _ => None,
            })
            .or_else(|| self.place_in_family(name))
            .map(|place| &self.models[place])
            .ok_or_else(|| UnknownModel { name: name.to_owned(), near: self.near(name) })
    }

    /// The model that a name with a tag (`qwen2.5-coder:7b`) most likely means: of the nearest models in its
    /// family, the one with the smallest window.
    fn place_in_family(&self, name: &str) -> Option<usize> {
        name::families(name)?.iter().find_map(|family| {
            let is_of = |key: &&String| name::is_of_family(key, family);
            let places = self.places.keys().filter(is_of).filter_map(|key| self.places.get(key).copied());
            places.min_by_key(|place| (self.models[*place].window, *place))
        })
    }

    /// The models with a name or alias that contains `part` as whole words: `sonnet`, `gpt-4o`.
    #[must_use]
    pub fn with_part(&self, part: &str) -> Vec<&Model> {
        self.places_of_part(part).into_iter().map(|place| &self.models[place]).collect()
    }

    fn places_of_part(&self, part: &str) -> Vec<usize> {
        let part = name::key(part);
        let holds = |key: &&String| name::has_words(key, &part);
        let mut places: Vec<usize> =
            self.places.keys().filter(holds).filter_map(|key| self.places.get(key)).copied().collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The models, sorted by provider, then by name.
    #[must_use]
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    fn of(mut models: Vec<Model>) -> Self {
        models.sort_by_cached_key(|model| (model.provider.to_lowercase(), model.name.clone()));
        let places = models.iter().enumerate();
        let places = places.flat_map(|(place, model)| keys(model).map(move |key| (key, place)));
        Self { places: places.collect(), models }
    }

    fn near(&self, name: &str) -> Vec<String> {
        let mut near: Vec<String> = Vec::new();
        let mut of_part = self.places_of_part(name);
        of_part.sort_by_cached_key(|place| Reverse(name::version(&self.models[*place].name)));
        for place in of_part.into_iter().chain(name::nearest(name, &self.places)) {
            let found = &self.models[place].name;
            if near.len() < MAX_NEAR && !near.contains(found) {
                near.push(found.clone());
            }
        }
        near
    }
}

const MAX_NEAR: usize = 3;

fn built_in_rows() -> Vec<Model> {
    let rows: Rows = serde_json::from_str(BUILT_IN).expect("the embedded registry is well-formed");
    rows.models
}

/// Merges `user` into `base`, so that no key belongs to two models.
fn overlay(base: Vec<Model>, mut user: Vec<Model>) -> Vec<Model> {
    let mut owners: BTreeMap<String, usize> = BTreeMap::new();
    for (place, model) in user.iter().enumerate() {
        owners.extend(keys(model).map(|key| (key, place)));
    }
    let mut kept = Vec::with_capacity(base.len());
    for mut model in base {
        let replacement = owners.get(&name::key(&model.name)).copied();
        model.aliases.retain(|alias| !owners.contains_key(&name::key(alias)));
        match replacement {
            Some(place) => user[place].aliases.append(&mut model.aliases),
            None => kept.push(model),
        }
    }
    kept.append(&mut user);
    kept
}

fn keys(model: &Model) -> impl Iterator<Item = String> + '_ {
    std::iter::once(&model.name).chain(&model.aliases).map(|name| name::key(name))
}

/// No model has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown model '{}'", name.escape_debug())]
pub struct UnknownModel {
    /// The requested name.
    pub name: String,
    /// The names of up to three models that may have been meant, nearest first and, if equally near, newest
    /// first.
    pub near: Vec<String>,
}
