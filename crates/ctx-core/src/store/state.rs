//! `state.json`: which profile was chosen, and the previous one, for each work root and outside all of them.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::ProfileName;
use crate::fs::Identity;

const PROFILE: &str = "profile";
const PREVIOUS: &str = "previous";
const EVERYWHERE: &str = "everywhere";
const ROOTS: &str = "roots";

/// The most work roots whose choices are kept.
const MOST_ROOTS: usize = 1_000;

/// A work root for which choices are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoicePlace {
    /// The directory, with all links resolved.
    pub root: PathBuf,
    /// What distinguishes it from another directory that replaces it, if known.
    pub identity: Option<Identity>,
    /// The work roots whose choice applies if none was made for this one: its main worktree, its
    /// superproject.
    pub origins: Vec<PathBuf>,
}

/// Which profile was chosen, and for which place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The profile.
    pub profile: ProfileName,
    /// The previous one.
    pub previous: Option<ProfileName>,
    /// The place for which it was chosen.
    pub by: ChosenFor,
}

/// The place for which a profile was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChosenFor {
    /// Nothing was chosen.
    Nothing,
    /// For a work root.
    Root(PathBuf),
    /// For a directory that used to be at the path of the work root.
    Before(PathBuf),
    /// For everything outside projects and repositories.
    Outside,
    /// For all work roots without their own choice.
    Everywhere,
}

/// The active profile, and the previous one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ActiveProfile {
    #[serde(rename = "profile")]
    pub active: ProfileName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<ProfileName>,
}

/// The choice for a work root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RootChoice {
    path: String,
    /// Whether the profile belongs to the project there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    project: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    identity: Option<Identity>,
    profile: ProfileName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<ProfileName>,
}

/// Which profile is active, and everything else in the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct StateFile {
    /// Outside projects and repositories.
    outside: Option<ActiveProfile>,
    /// Wherever nothing else was chosen.
    everywhere: Option<ActiveProfile>,
    /// For work roots, the newest choice first.
    roots: Vec<RootChoice>,
    document: Map<String, Value>,
}

/// The key for choices: in a work root or outside all of them, with a project's profiles or the user's.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChoiceKey<'a> {
    pub place: Option<&'a ChoicePlace>,
    pub is_project: bool,
}

impl ChoiceKey<'_> {
    fn is_of(&self, choice: &RootChoice) -> bool {
        let is_path = |place: &ChoicePlace| choice.path == *place.root.to_string_lossy();
        choice.project == self.is_project && self.place.is_some_and(is_path)
    }
}

impl StateFile {
    /// The choice that applies here.
    pub fn choice(&self, here: ChoiceKey<'_>) -> Choice {
        let ChoiceKey { place, is_project } = here;
        let of_root = |root: &Path| {
            let is_it =
                |choice: &&RootChoice| choice.project == is_project && choice.path == *root.to_string_lossy();
            self.roots.iter().find(is_it)
        };
        let chosen = |choice: &RootChoice, by| Choice {
            profile: choice.profile.clone(),
            previous: choice.previous.clone(),
            by,
        };
        let own = place.and_then(|place| {
            let choice = of_root(&place.root)?;
            let is_other =
                choice.identity.is_some() && place.identity.is_some() && choice.identity != place.identity;
            let root = place.root.clone();
            Some(chosen(choice, if is_other { ChosenFor::Before(root) } else { ChosenFor::Root(root) }))
        });
        let origin = || {
            let origin = place?.origins.iter().find_map(|root| Some((root, of_root(root)?)));
            origin.map(|(root, choice)| chosen(choice, ChosenFor::Root(root.clone())))
        };
        let of = |chosen: &ActiveProfile, by| Choice {
            profile: chosen.active.clone(),
            previous: chosen.previous.clone(),
            by,
        };
        let outside = || Some(of(self.outside.as_ref().filter(|_| place.is_none())?, ChosenFor::Outside));
        // A project's profiles are separate.
        let everywhere =
            || Some(of(self.everywhere.as_ref().filter(|_| !is_project)?, ChosenFor::Everywhere));
        let nothing =
            || Choice { profile: ProfileName::default_profile(), previous: None, by: ChosenFor::Nothing };
        own.or_else(origin).or_else(outside).or_else(everywhere).unwrap_or_else(nothing)
    }

    /// Records a choice for this place, which becomes the newest one even if it is the same again.
    pub fn choose(&mut self, here: ChoiceKey<'_>, chosen: ActiveProfile) {
        let Some(place) = here.place else {
            self.outside = Some(chosen);
            return;
        };
        self.roots.retain(|choice| !here.is_of(choice));
        let new = RootChoice {
            path: place.root.to_string_lossy().into_owned(),
            project: here.is_project,
            identity: place.identity.clone(),
            profile: chosen.active,
            previous: chosen.previous,
        };
        self.roots.insert(0, new);
        self.roots.truncate(MOST_ROOTS);
    }

    /// The choice for places without their own.
    pub fn everywhere(&self) -> Option<&ActiveProfile> {
        self.everywhere.as_ref()
    }

    /// Records a choice for places without their own.
    pub fn choose_everywhere(&mut self, chosen: ActiveProfile) {
        self.everywhere = Some(chosen);
    }

    /// Renames a profile wherever it was chosen; a project's profile can only have been chosen in the
    /// project.
    pub fn rename(&mut self, here: ChoiceKey<'_>, old: &ProfileName, new: &ProfileName) {
        let rename = |name: &mut ProfileName| {
            if name == old {
                *name = new.clone();
            }
        };
        for choice in &mut self.roots {
            if here.is_of(choice) || !(here.is_project || choice.project) {
                rename(&mut choice.profile);
                choice.previous.iter_mut().for_each(rename);
            }
        }
        for chosen in
            [&mut self.outside, &mut self.everywhere].into_iter().flatten().filter(|_| !here.is_project)
        {
            rename(&mut chosen.active);
            chosen.previous.iter_mut().for_each(rename);
        }
    }

    /// Chooses the default profile wherever a profile was chosen that is deleted.
    pub fn release(&mut self, here: ChoiceKey<'_>, name: &ProfileName) {
        let release = |chosen: &mut ProfileName| {
            if chosen == name {
                *chosen = ProfileName::default_profile();
            }
        };
        let is_meant = |choice: &&mut RootChoice| here.is_of(choice) || !(here.is_project || choice.project);
        self.roots.iter_mut().filter(is_meant).for_each(|choice| release(&mut choice.profile));
        let general = [&mut self.outside, &mut self.everywhere].into_iter().flatten();
        general.filter(|_| !here.is_project).for_each(|chosen| release(&mut chosen.active));
    }

    /// Where else a profile was chosen.
    pub fn elsewhere(&self, here: ChoiceKey<'_>, name: &ProfileName) -> Vec<ChosenFor> {
        if here.is_project {
            return Vec::new();
        }
        let is_it = |choice: &&RootChoice| !choice.project && choice.profile == *name && !here.is_of(choice);
        let roots =
            self.roots.iter().filter(is_it).map(|choice| ChosenFor::Root(PathBuf::from(&choice.path)));
        let is_active =
            |chosen: &Option<ActiveProfile>| chosen.as_ref().is_some_and(|chosen| chosen.active == *name);
        let outside = (here.place.is_some() && is_active(&self.outside)).then_some(ChosenFor::Outside);
        let everywhere = is_active(&self.everywhere).then_some(ChosenFor::Everywhere);
        roots.chain(outside).chain(everywhere).collect()
    }
}

impl Serialize for StateFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = self.document.clone();
        let outside = self.outside.as_ref();
        let previous = outside.and_then(|outside| outside.previous.as_ref());
        for (key, value) in [
            (PROFILE, outside.map(|outside| json!(outside.active))),
            (PREVIOUS, previous.map(|previous| json!(previous))),
            (EVERYWHERE, self.everywhere.as_ref().map(|everywhere| json!(everywhere))),
            (ROOTS, Some(json!(self.roots)).filter(|_| !self.roots.is_empty())),
        ] {
            match value {
                Some(value) => drop(document.insert(key.to_owned(), value)),
                None => drop(document.remove(key)),
            }
        }
        document.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for StateFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self::default())
    }
}

/// Reads the keys of the file into an empty state.
impl<'de> Visitor<'de> for StateFile {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with \"profile\"")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        let (mut profile, mut previous) = (None, None);
        while let Some(key) = map.next_key::<String>()? {
            // A known key only marks its position.
            let mut value = Value::Null;
            match key.as_str() {
                PROFILE => profile = Some(map.next_value()?),
                PREVIOUS => previous = Some(map.next_value()?),
                EVERYWHERE => self.everywhere = Some(map.next_value()?),
                ROOTS => self.roots = map.next_value()?,
                _ => value = map.next_value()?,
            }
            self.document.insert(key, value);
        }
        self.outside = profile.map(|active| ActiveProfile { active, previous });
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> ProfileName {
        text.parse().unwrap()
    }

    fn place(root: &str) -> ChoicePlace {
        ChoicePlace { root: root.into(), identity: None, origins: Vec::new() }
    }

    fn choose(state: &mut StateFile, root: &str, profile: &str) {
        let place = place(root);
        let here = ChoiceKey { place: Some(&place), is_project: false };
        state.choose(here, ActiveProfile { active: name(profile), previous: None });
    }

    #[test]
    fn newest_thousand_roots_are_kept() {
        let mut state = StateFile::default();
        (0..MOST_ROOTS + 2).for_each(|number| choose(&mut state, &format!("/{number}"), "api"));
        choose(&mut state, "/2", "web");
        assert_eq!(state.roots.len(), MOST_ROOTS);
        assert_eq!((state.roots[0].path.as_str(), state.roots[1].path.as_str()), ("/2", "/1001"));
        let text = serde_json::to_string(&state).unwrap();
        let again: StateFile = serde_json::from_str(&text).unwrap();
        assert_eq!(again.roots, state.roots);
    }

    #[test]
    fn choice_of_the_root_precedes_that_of_its_origin_and_the_general_one() {
        let mut state = StateFile::default();
        choose(&mut state, "/main", "api");
        let tree = ChoicePlace { origins: vec!["/main".into()], ..place("/tree") };
        let here = ChoiceKey { place: Some(&tree), is_project: false };
        assert_eq!(state.choice(here).by, ChosenFor::Root("/main".into()));
        state.choose_everywhere(ActiveProfile { active: name("all"), previous: None });
        assert_eq!(state.choice(here).profile, name("api"));
        let other = place("/other");
        let elsewhere = ChoiceKey { place: Some(&other), is_project: false };
        assert_eq!(state.choice(elsewhere).profile, name("all"));
        assert_eq!(state.choice(ChoiceKey { is_project: true, ..elsewhere }).by, ChosenFor::Nothing);
        choose(&mut state, "/tree", "web");
        assert_eq!(state.choice(here).profile, name("web"));
        assert_eq!(state.elsewhere(here, &name("api")), [ChosenFor::Root("/main".into())]);
    }
}
