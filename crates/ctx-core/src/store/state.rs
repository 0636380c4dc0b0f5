//! `state.json`: the active profile, and the one before.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::ProfileName;

const PROFILE: &str = "profile";
const PREVIOUS: &str = "previous";

/// Which profile is active, and what else the file says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    pub profile: ProfileName,
    /// The one that was active before.
    pub previous: Option<ProfileName>,
    document: Map<String, Value>,
}

impl Default for State {
    fn default() -> Self {
        Self { profile: ProfileName::default_profile(), previous: None, document: Map::new() }
    }
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = self.document.clone();
        document.insert(PROFILE.to_owned(), self.profile.as_str().into());
        if let Some(previous) = &self.previous {
            document.insert(PREVIOUS.to_owned(), previous.as_str().into());
        }
        document.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(StateVisitor)
    }
}

struct StateVisitor;

impl<'de> Visitor<'de> for StateVisitor {
    type Value = State;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with \"profile\"")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<State, A::Error> {
        let mut state = State::default();
        while let Some(key) = map.next_key::<String>()? {
            let value = if key == PROFILE {
                state.profile = map.next_value()?;
                state.profile.as_str().into()
            } else if key == PREVIOUS {
                let previous: ProfileName = map.next_value()?;
                state.previous.insert(previous).as_str().into()
            } else {
                map.next_value()?
            };
            state.document.insert(key, value);
        }
        Ok(state)
    }
}
