//! `state.json`: the active profile, and the one before, for each project and outside of all.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::ProfileName;

const PROFILE: &str = "profile";
const PREVIOUS: &str = "previous";
const PROJECTS: &str = "projects";
const PREVIOUS_IN_PROJECTS: &str = "previous_in_projects";

/// The profile of each project, by its root.
type ByProject = BTreeMap<String, ProfileName>;

/// The profile that is active, and the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chosen {
    pub active: ProfileName,
    pub previous: Option<ProfileName>,
}

/// Which profile is active, and what else the file says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    profile: ProfileName,
    /// The one that was active before.
    previous: Option<ProfileName>,
    /// The same in each project.
    projects: ByProject,
    previous_in_projects: ByProject,
    document: Map<String, Value>,
}

impl Default for State {
    fn default() -> Self {
        let profile = ProfileName::default_profile();
        let (projects, previous_in_projects) = Default::default();
        Self { profile, previous: None, projects, previous_in_projects, document: Map::new() }
    }
}

impl State {
    /// What is chosen in a project, by its root, or outside of all.
    pub fn chosen(&self, project: Option<&str>) -> Chosen {
        let Some(root) = project else {
            return Chosen { active: self.profile.clone(), previous: self.previous.clone() };
        };
        let active = self.projects.get(root).cloned().unwrap_or_else(ProfileName::default_profile);
        Chosen { active, previous: self.previous_in_projects.get(root).cloned() }
    }

    /// Chooses in a project, by its root, or outside of all.
    pub fn choose(&mut self, project: Option<&str>, chosen: Chosen) {
        let Chosen { active, previous } = chosen;
        let Some(root) = project else {
            self.profile = active;
            self.previous = previous;
            return;
        };
        self.projects.insert(root.to_owned(), active);
        match previous {
            Some(previous) => drop(self.previous_in_projects.insert(root.to_owned(), previous)),
            None => drop(self.previous_in_projects.remove(root)),
        }
    }
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = self.document.clone();
        document.insert(PROFILE.to_owned(), self.profile.as_str().into());
        if let Some(previous) = &self.previous {
            document.insert(PREVIOUS.to_owned(), previous.as_str().into());
        }
        for (key, by_project) in
            [(PROJECTS, &self.projects), (PREVIOUS_IN_PROJECTS, &self.previous_in_projects)]
        {
            if !by_project.is_empty() {
                document.insert(key.to_owned(), json!(by_project));
            }
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
            } else if key == PROJECTS {
                state.projects = map.next_value()?;
                Value::Null
            } else if key == PREVIOUS_IN_PROJECTS {
                state.previous_in_projects = map.next_value()?;
                Value::Null
            } else {
                map.next_value()?
            };
            state.document.insert(key, value);
        }
        Ok(state)
    }
}
