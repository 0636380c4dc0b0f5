//! The known models: the built-in ones and the user's own.

use ctx_core::models::{Model, Registry, UnknownModel};
use ctx_core::read::marks::unmarked;
use ctx_core::store::Store;

use crate::error::{Error, Failure};

/// What to do about a `models.json` that is not usable.
const MODELS_FORM: &str =
    "the format is {\"models\": [{\"name\": \"my-model\", \"window\": 32768}]}; see 'ctx models --help'";

/// The registry: the user's own models, and the built-in ones.
///
/// # Errors
/// If the user's `models.json` cannot be read or is not usable.
pub fn registry(store: &Store) -> Result<Registry, Error> {
    let Some(bytes) = store.models()? else { return Ok(Registry::built_in()) };
    let damaged = |error: String| {
        let path = store.root().join("models.json");
        Error::new(Failure::Damaged, format!("'{}': {error}", path.display()))
            .with_hint(MODELS_FORM)
            .in_store()
    };
    let text =
        String::from_utf8(unmarked(&bytes).into_owned()).map_err(|_| damaged("not UTF-8".to_owned()))?;
    Registry::with_user(&text).map_err(|error| damaged(error.to_string()))
}

/// The model with that name, with another window if one is given; in that case the name can be unknown.
///
/// # Errors
/// Wrong usage, with similar names, if there is none.
pub fn find(store: &Store, name: &str, window: Option<u64>) -> Result<Model, Error> {
    match (registry(store)?.find(name), window) {
        (Ok(model), None) => Ok(model.clone()),
        (Ok(model), Some(window)) => Ok(Model { window, ..model.clone() }),
        (Err(_), Some(window)) => Ok(Model::unknown(name, window)),
        (Err(unknown), None) => Err(unknown.into()),
    }
}

impl From<UnknownModel> for Error {
    fn from(unknown: UnknownModel) -> Self {
        let hint = match unknown.near.as_slice() {
            [] => "--window N works with any model; 'ctx models' lists those that ctx knows".to_owned(),
            near => format!(
                "did you mean {}? 'ctx models' lists all of them, and --window N works with any other",
                near.join(", ")
            ),
        };
        Self::usage(&unknown).with_hint(hint)
    }
}
