//! `state.json`: the active profile.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::ProfileName;

const PROFILE: &str = "profile";

/// Which profile is active, and what else the file says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    pub profile: ProfileName,
    document: Map<String, Value>,
}

impl Default for State {
    fn default() -> Self {
        Self { profile: ProfileName::default_profile(), document: Map::new() }
    }
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = self.document.clone();
        document.insert(PROFILE.to_owned(), self.profile.as_str().into());
        document.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let document = Map::deserialize(deserializer)?;
        let profile = match document.get(PROFILE) {
            None => ProfileName::default_profile(),
            Some(Value::String(name)) => name.parse().map_err(D::Error::custom)?,
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                return Err(D::Error::custom("\"profile\" must be a string"));
            }
        };
        Ok(Self { profile, document })
    }
}
