//! Lists: the entries of the global scope or a profile, with the profile's settings.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::mem;
use std::str::FromStr;

use serde::de::{MapAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::StoreError;
use super::spelling::{ByPath, Spelling};
use crate::entry::form::TextValue;
use crate::entry::{Author, BUILT_IN_GLOBAL, Bound, Entry, Provenance, ScopedEntry, is_built_in};
use crate::named::named;

const PATHS: &str = "paths";

/// The key of the readers.
const READERS: &str = "readers";

/// What comes before an extension in the name of its reader.
pub const READER: &str = "reader.";

/// The longest instruction, in bytes.
pub const LONGEST_INSTRUCTION: usize = 64 << 10;

named! {
    /// A setting of a profile: its description, or a default for render.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Setting {
        /// What the profile is for.
        Description = "description",
        /// The instruction to the model. The global list can have one too.
        Instruction = "instruction",
        /// The name of the model.
        Model = "model",
        /// The budget: `60k`, `50%`, `none`.
        Budget = "budget",
        /// The budget for the files selected to answer a question.
        AskBudget = "ask_budget",
        /// The trim rule, by its name.
        Trim = "trim",
        /// The block format, by its name.
        Format = "format",
        /// The history to use if none is named.
        History = "history",
        /// How much of the budget a history may take: `20k`, `25%`.
        HistoryBudget = "history_budget",
        /// Whether to make checkpoints before and after running a program: a [`Switch`].
        Checkpoint = "checkpoint",
        /// The program that questions are sent to, with its arguments. Only in the user's own store.
        Program = "program",
        /// Whether the messages of earlier commits help to rank files for a question: a [`Switch`].
        GitHistory = "git_history",
        /// Who chooses more words to search for: `auto`, `none` or a program. Only in the user's own store.
        WordsFrom = "words_from",
    }
}

impl Setting {
    /// Whether the global list can have it, for all profiles that do not set it.
    #[must_use]
    pub fn is_for_all(self) -> bool {
        match self {
            Self::Instruction
            | Self::Model
            | Self::Budget
            | Self::AskBudget
            | Self::Trim
            | Self::Format
            | Self::Program
            | Self::GitHistory
            | Self::WordsFrom => true,
            Self::Description | Self::History | Self::HistoryBudget | Self::Checkpoint => false,
        }
    }

    /// How far it applies with this value in a project's files.
    #[must_use]
    pub fn bound(self, value: &str) -> Bound {
        match self {
            Self::Description => Bound::Always,
            Self::Budget if value == "none" => Bound::Never,
            Self::Instruction | Self::Model | Self::Format | Self::Trim | Self::Budget => Bound::OnceTrusted,
            Self::AskBudget
            | Self::History
            | Self::HistoryBudget
            | Self::Checkpoint
            | Self::Program
            | Self::GitHistory
            | Self::WordsFrom => Bound::Never,
        }
    }

    /// Whether it stays in the user's own store: exports and imports do not contain it.
    #[must_use]
    pub fn stays_here(self) -> bool {
        match self {
            Self::Program | Self::WordsFrom => true,
            Self::Description
            | Self::Instruction
            | Self::Model
            | Self::Budget
            | Self::AskBudget
            | Self::Trim
            | Self::Format
            | Self::History
            | Self::HistoryBudget
            | Self::Checkpoint
            | Self::GitHistory => false,
        }
    }
}

impl FromStr for Setting {
    type Err = StoreError;

    fn from_str(key: &str) -> Result<Self, StoreError> {
        let found = Self::ALL.into_iter().find(|setting| setting.name() == key);
        found.ok_or_else(|| StoreError::UnknownSetting { key: key.to_owned() })
    }
}

/// A setting that is on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Switch {
    /// The setting is on.
    On,
    /// The setting is off.
    #[default]
    Off,
}

impl Switch {
    /// Both, as written.
    pub const NAMES: [&str; 2] = ["on", "off"];
}

impl FromStr for Switch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            other => Err(format!("invalid value '{other}': use on or off")),
        }
    }
}

/// The settings of a profile, as they were written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Defaults(BTreeMap<Setting, String>);

impl Defaults {
    /// The value of a setting.
    #[must_use]
    pub fn get(&self, setting: Setting) -> Option<&str> {
        self.0.get(&setting).map(String::as_str)
    }

    /// Sets or removes a setting.
    pub fn set(&mut self, setting: Setting, value: Option<String>) {
        match value {
            Some(value) => drop(self.0.insert(setting, value)),
            None => drop(self.0.remove(&setting)),
        }
    }
}

/// Where [`List::move_to`] puts entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveTo {
    /// Before all others.
    First,
    /// After all others.
    Last,
    /// Just before the entry at this index.
    Before(usize),
    /// Just after the entry at this index.
    After(usize),
}

/// The entries of one scope, and everything else in its file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct List {
    /// The entries, in stored order.
    pub paths: Vec<Entry>,
    /// The settings of the profile or, in the global list, those for all profiles.
    pub defaults: Defaults,
    /// The programs that make text of files that are not text, by extension, as they were written. Only those in the
    /// user's own global list are used.
    pub readers: BTreeMap<String, String>,
    /// The file as it was read: the order of its keys, and the values of unknown ones. The values of known
    /// keys only mark their position.
    document: Map<String, Value>,
}

impl List {
    /// The global list while there is no `global.json`.
    #[must_use]
    pub fn built_in_global() -> Self {
        Self::of(BUILT_IN_GLOBAL.map(Entry::of_tool).into())
    }

    /// A list with only these entries.
    pub(super) fn of(paths: Vec<Entry>) -> Self {
        Self { paths, ..Self::default() }
    }

    /// The entries, with the provenance of the list. Built-in entries in a global list count as the user's own,
    /// whoever wrote the rest.
    pub fn scoped(self, list: Provenance) -> impl Iterator<Item = ScopedEntry> {
        let built_in = Provenance { author: Author::User, ..list };
        self.paths.into_iter().map(move |entry| {
            if is_built_in(list.scope, &entry.path) && entry == Entry::of_tool(&*entry.path) {
                ScopedEntry::from_list(built_in, entry)
            } else {
                ScopedEntry::from_list(list, entry)
            }
        })
    }

    /// The index of the entry with this path; paths are compared without `./` and trailing `/`.
    #[must_use]
    pub fn position(&self, path: &str) -> Option<usize> {
        let wanted = Spelling::of(path);
        self.paths.iter().position(|entry| Spelling::of_entry(entry) == wanted)
    }

    /// For each name, which stands for one of several paths, the indices of all entries with the first of
    /// these paths that is in the list. Takes one pass over the list.
    #[must_use]
    pub fn places(&self, names: &[Vec<String>]) -> Vec<Vec<usize>> {
        let mut places: HashMap<Spelling<'_>, Vec<usize>> = HashMap::new();
        for (place, entry) in self.paths.iter().enumerate() {
            places.entry(Spelling::of_entry(entry)).or_default().push(place);
        }
        let mut named = Vec::with_capacity(names.len());
        for paths in names {
            let there = paths.iter().find_map(|path| places.get(&Spelling::of(path)));
            named.push(there.cloned().unwrap_or_default());
        }
        named
    }

    /// Adds an entry at the end.
    ///
    /// # Errors
    /// [`StoreError::Duplicate`] if there already is one with the same path.
    pub fn add(&mut self, entry: Entry) -> Result<(), StoreError> {
        self.add_all(std::slice::from_ref(&entry))
    }

    /// Adds entries at the end, in one pass over the list.
    ///
    /// # Errors
    /// [`StoreError::Duplicate`] if the list already contains one of their paths, or if two of them have the
    /// same path; the list is then unchanged.
    pub fn add_all(&mut self, entries: &[Entry]) -> Result<(), StoreError> {
        let mut known = ByPath::of(&self.paths);
        if let Some(entry) = entries.iter().find(|entry| !known.insert(entry)) {
            return Err(StoreError::Duplicate { path: entry.name().into_owned() });
        }
        self.paths.extend(entries.iter().cloned());
        Ok(())
    }

    /// Removes the entries that [`List::places`] finds, and returns those of each name.
    pub fn remove_all(&mut self, names: &[Vec<String>]) -> Vec<Vec<Entry>> {
        let named = self.places(names);
        let mut left: Vec<Option<Entry>> = mem::take(&mut self.paths).into_iter().map(Some).collect();
        let taken = |places: Vec<usize>| places.into_iter().filter_map(|place| left[place].take()).collect();
        let removed = named.into_iter().map(taken).collect();
        self.paths = left.into_iter().flatten().collect();
        removed
    }

    /// Moves the entries at these indices, in the given order, and returns whether that changed anything.
    ///
    /// # Errors
    /// [`StoreError::BesideItself`]; the list is then unchanged.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn move_to(&mut self, places: &[usize], target: MoveTo) -> Result<bool, StoreError> {
        let mut is_moved = vec![false; self.paths.len()];
        let mut is_new = |place: &usize| !mem::replace(&mut is_moved[*place], true);
        let moved: Vec<usize> = places.iter().copied().filter(|place| is_new(place)).collect();
        let mut order: Vec<usize> = (0..self.paths.len()).filter(|place| !is_moved[*place]).collect();
        let beside = |anchor: usize| {
            let path = || self.paths[anchor].name().into_owned();
            order.binary_search(&anchor).map_err(|_| StoreError::BesideItself { path: path() })
        };
        let at = match target {
            MoveTo::First => 0,
            MoveTo::Last => order.len(),
            MoveTo::Before(anchor) => beside(anchor)?,
            MoveTo::After(anchor) => beside(anchor)? + 1,
        };
        order.splice(at..at, moved);
        let mut left: Vec<Option<Entry>> = mem::take(&mut self.paths).into_iter().map(Some).collect();
        self.paths = order.iter().filter_map(|place| left[*place].take()).collect();
        Ok(!order.is_sorted())
    }

    /// The keys that this version knows.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        [PATHS, READERS].into_iter().chain(Setting::ALL.map(Setting::name))
    }

    /// The keys that this version does not know, in the order of the file.
    pub fn unknown(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.document.iter().filter(|(key, _)| !is_known(key)).map(|(key, value)| (key.as_str(), value))
    }

    /// Stores a value under an unknown key; known keys are left alone.
    pub fn keep_unknown(&mut self, key: &str, value: Value) {
        if !is_known(key) {
            self.document.insert(key.to_owned(), value);
        }
    }
}

fn is_known(key: &str) -> bool {
    key == PATHS || key == READERS || key.parse::<Setting>().is_ok()
}

impl Serialize for List {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = self.document.clone();
        let paths = serde_json::to_value(&self.paths).map_err(S::Error::custom)?;
        document.insert(PATHS.to_owned(), paths);
        if self.readers.is_empty() {
            document.shift_remove(READERS);
        } else {
            let readers = serde_json::to_value(&self.readers).map_err(S::Error::custom)?;
            document.insert(READERS.to_owned(), readers);
        }
        for setting in Setting::ALL {
            match self.defaults.get(setting) {
                Some(value) => document.insert(setting.name().to_owned(), value.into()),
                None => document.shift_remove(setting.name()),
            };
        }
        document.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for List {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self::default())
    }
}

/// Reads the keys of the file into an empty list.
impl<'de> Visitor<'de> for List {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with \"paths\"")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let kept = if key == PATHS {
                self.paths = map.next_value()?;
                Value::Null
            } else if key == READERS {
                let readers: BTreeMap<String, String> = map.next_value()?;
                self.readers =
                    readers.into_iter().map(|(extension, words)| (extension.to_lowercase(), words)).collect();
                Value::Null
            } else if let Ok(setting) = key.parse::<Setting>() {
                let text = map.next_value_seed(TextValue(&format!("{key:?} to be a string")))?;
                self.defaults.set(setting, Some(text));
                Value::Null
            } else {
                map.next_value()?
            };
            self.document.insert(key, kept);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests;
