//! The JSON form of the registry, built-in or a user's. It is checked as it is read, so that errors have a
//! line and a column.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde_json::Value;

use super::{Basis, Factor, Model, ScriptFactors, Tokenizer, name};

/// `{"models": [{"name": …, "window": …}, …]}`; other keys are ignored.
#[derive(serde::Deserialize)]
pub(super) struct Rows {
    #[serde(deserialize_with = "models")]
    pub(super) models: Vec<Model>,
}

#[derive(serde::Deserialize)]
struct ModelRow {
    #[serde(deserialize_with = "model_name")]
    name: String,
    #[serde(default = "nobody")]
    provider: String,
    #[serde(deserialize_with = "window")]
    window: u64,
    #[serde(default, deserialize_with = "tokenizer")]
    tokenizer: Option<Tokenizer>,
    #[serde(default, deserialize_with = "factor")]
    factor: Option<Factor>,
    #[serde(default, deserialize_with = "factors")]
    factors: Option<ScriptFactors>,
    basis: Option<Basis>,
    #[serde(default)]
    factor_source: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    date: String,
    #[serde(default)]
    aliases: Vec<Alias>,
}

#[derive(serde::Deserialize)]
struct Alias(#[serde(deserialize_with = "model_name")] String);

impl TryFrom<ModelRow> for Model {
    type Error = &'static str;

    fn try_from(row: ModelRow) -> Result<Self, Self::Error> {
        let basis = row.basis.unwrap_or(match (row.tokenizer, row.factor, row.factors) {
            (Some(_), None | Some(Factor::ONE), None) => Basis::Exact,
            (_, Some(_), _) | (_, _, Some(_)) => Basis::Cited,
            (None, None, None) => Basis::Assumed,
        });
        let tokenizer = match (row.factors, row.tokenizer, row.factor) {
            (None, tokenizer, _) => tokenizer.unwrap_or_default(),
            (Some(factors), None | Some(Tokenizer::O200K), None) => Tokenizer::Weighted(factors),
            (Some(_), _, Some(_)) => return Err("'factor' or 'factors', not both"),
            (Some(_), Some(_), None) => return Err("'factors' apply only to o200k's tokens"),
        };
        Ok(Self {
            name: row.name,
            provider: row.provider,
            window: row.window,
            tokenizer,
            factor: row.factor.unwrap_or(Factor::ONE),
            basis,
            factor_source: row.factor_source,
            source: row.source,
            date: row.date,
            aliases: row.aliases.into_iter().map(|alias| alias.0).collect(),
            own: false,
        })
    }
}

/// The largest accepted window, in tokens; no model can read as much, so anything larger is a typo.
const MAX_WINDOW: u64 = 1_000_000_000;

fn nobody() -> String {
    "user".to_owned()
}

fn model_name<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    let name = String::deserialize(input)?;
    if name.is_empty() || name.len() > name::MAX_LEN {
        return Err(D::Error::custom(format!("a name must have 1 to {} bytes", name::MAX_LEN)));
    }
    if name.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(D::Error::custom(format!(
            "a name cannot contain spaces or control characters: {name:?}"
        )));
    }
    Ok(name)
}

fn window<'de, D: Deserializer<'de>>(input: D) -> Result<u64, D::Error> {
    let window = u64::deserialize(input)?;
    if (1..=MAX_WINDOW).contains(&window) {
        return Ok(window);
    }
    Err(D::Error::custom(format!("a window must be 1 to {MAX_WINDOW} tokens, not {window}")))
}

fn tokenizer<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Tokenizer>, D::Error> {
    let name = Option::<String>::deserialize(input)?;
    name.map(|name| name.parse().map_err(D::Error::custom)).transpose()
}

fn factor<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Factor>, D::Error> {
    let Some(number) = Option::<f64>::deserialize(input)? else { return Ok(None) };
    let refused = || D::Error::custom(format!("a factor must be 0.1 to 100, not {number}"));
    Factor::from_number(number).ok_or_else(refused).map(Some)
}

/// Reads factors by script, or the name of measured factors.
fn factors<'de, D: Deserializer<'de>>(input: D) -> Result<Option<ScriptFactors>, D::Error> {
    let factors = match Option::<Value>::deserialize(input)? {
        None => return Ok(None),
        Some(Value::String(name)) => ScriptFactors::measured(&name),
        Some(given) => serde_json::from_value::<BTreeMap<String, f64>>(given)
            .map_err(|error| format!("factors: {error}"))
            .and_then(|factors| ScriptFactors::named(&factors)),
    };
    factors.map(Some).map_err(D::Error::custom)
}

fn models<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Model>, D::Error> {
    input.deserialize_seq(UniqueModels)
}

/// A list of models in which no name occurs twice.
struct UniqueModels;

impl<'de> Visitor<'de> for UniqueModels {
    type Value = Vec<Model>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of models")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Vec<Model>, A::Error> {
        let mut models = Vec::new();
        let mut taken = BTreeSet::new();
        while let Some(row) = rows.next_element::<ModelRow>()? {
            let model = Model::try_from(row).map_err(A::Error::custom)?;
            for name in std::iter::once(&model.name).chain(&model.aliases) {
                if !taken.insert(name::key(name)) {
                    return Err(A::Error::custom(format!("'{name}' is named twice")));
                }
            }
            models.push(model);
        }
        Ok(models)
    }
}
