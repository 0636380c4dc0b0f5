//! The changes that an import makes: it never overwrites anything stored.

use super::Bundle;
use crate::entry::Entry;
use crate::store::{ByPath, Defaults, List, ListTarget, Setting, StoreError, Transaction, View};

/// The change to one list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListChange {
    /// The list.
    pub target: ListTarget,
    /// What to do.
    pub action: Action,
}

/// What to do with a list.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// The list is created as imported, with each entry once; in a merge, after the built-in entries.
    Create {
        /// The list.
        list: Box<List>,
        /// Entries of the previous built-in list that it does not contain.
        replaced: Vec<String>,
        /// Parts that are not imported: repeated entries with other attributes.
        left_out: Vec<String>,
    },
    /// Missing entries are added at the end of the list.
    Add {
        /// The missing entries.
        entries: Vec<Entry>,
        /// Parts that are not imported: existing entries with other attributes, and settings.
        left_out: Vec<String>,
    },
}

impl Action {
    fn make(&self, list: &mut List) {
        match self {
            Self::Create { list: arrived, .. } => list.clone_from(arrived),
            Self::Add { entries, .. } => list.paths.extend(entries.iter().cloned()),
        }
    }
}

/// Why a bundle cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// Lists that already exist.
    #[error("lists already exist")]
    Exist(Vec<ListTarget>),
    /// An error from the store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The changes to the lists that `stored` returns, where `None` means a list that nobody has written yet. An
/// existing list is in the way or, in a merge, gets the missing entries.
///
/// # Errors
/// [`ChangeError::Exist`] with all the lists in the way, and errors from `stored`.
fn changes(
    bundle: &Bundle,
    merge: bool,
    mut stored: impl FnMut(&ListTarget) -> Result<Option<List>, StoreError>,
) -> Result<Vec<ListChange>, ChangeError> {
    let mut changes = Vec::new();
    let mut in_the_way = Vec::new();
    for (target, list) in bundle.lists() {
        let before = stored(&target)?;
        let is_written = before.as_ref().is_some_and(|before| is_written(&target, before));
        let before = before.unwrap_or_default();
        let action = match (merge, is_written) {
            (false, true) => {
                in_the_way.push(target);
                continue;
            }
            (false, false) => instead(&before, list),
            (true, true) => lacking(&before, list),
            (true, false) => on_top(&before, list),
        };
        changes.push(ListChange { target, action });
    }
    if in_the_way.is_empty() { Ok(changes) } else { Err(ChangeError::Exist(in_the_way)) }
}

/// The list as a reader sees it, for `changes`.
///
/// # Errors
/// Errors from reading a store file.
fn stored(view: &View, target: &ListTarget) -> Result<Option<List>, StoreError> {
    match target {
        ListTarget::Global => view.global().map(Some),
        ListTarget::Profile(name) if view.has_profile(name)? => view.profile(name).map(Some),
        ListTarget::Profile(_) => Ok(None),
    }
}

/// Computes the changes for a dry run, which fails if making them would.
///
/// # Errors
/// [`ChangeError::Exist`] with all the lists in the way, and errors from the store.
pub fn dry_run(bundle: &Bundle, merge: bool, view: &View) -> Result<Vec<ListChange>, ChangeError> {
    let changes = changes(bundle, merge, |target| stored(view, target))?;
    for change in &changes {
        let before = stored(view, &change.target)?;
        let mut after = before.clone().unwrap_or_default();
        change.action.make(&mut after);
        if before.as_ref() != Some(&after) {
            view.check_storable(&change.target, &after)?;
        }
    }
    Ok(changes)
}

/// Computes the changes and makes them, as part of a change to the store.
///
/// # Errors
/// Same as [`dry_run`]; the store is then unchanged.
pub fn apply(bundle: &Bundle, merge: bool, store: &mut Transaction) -> Result<Vec<ListChange>, ChangeError> {
    let changes = changes(bundle, merge, |target| match target {
        ListTarget::Profile(name) if !store.has_profile(name)? => Ok(None),
        ListTarget::Global | ListTarget::Profile(_) => store.list_mut(target).map(|list| Some(list.clone())),
    })?;
    for change in &changes {
        let list = match &change.target {
            ListTarget::Profile(name) if !store.has_profile(name)? => store.create_profile(name)?,
            ListTarget::Global | ListTarget::Profile(_) => store.list_mut(&change.target)?,
        };
        change.action.make(list);
    }
    Ok(changes)
}

/// Whether anything has been put in the list; the global list and the default profile exist from the start.
fn is_written(target: &ListTarget, list: &List) -> bool {
    let is_untouched = match target {
        ListTarget::Global => list.paths.is_empty() || list.paths == List::built_in_global().paths,
        ListTarget::Profile(name) if name.is_default() => list.paths.is_empty(),
        ListTarget::Profile(_) => return true,
    };
    !is_untouched
        || list.defaults != Defaults::default()
        || !list.readers.is_empty()
        || list.unknown().next().is_some()
}

/// The imported list, in place of one that nobody has written.
fn instead(untouched: &List, arrived: &List) -> Action {
    let mut left_out = Vec::new();
    let mut list = Box::new(arrived.clone());
    list.paths = new_entries(&[], &arrived.paths, &mut left_out);
    let is_gone = |entry: &&Entry| list.position(&entry.name()).is_none();
    let replaced = untouched.paths.iter().filter(is_gone).map(|entry| entry.name().into_owned()).collect();
    Action::Create { list, replaced, left_out }
}

/// The imported list, after the entries of one that nobody has written.
fn on_top(untouched: &List, arrived: &List) -> Action {
    let mut left_out = Vec::new();
    let mut list = Box::new(arrived.clone());
    list.paths.clone_from(&untouched.paths);
    list.paths.extend(new_entries(&untouched.paths, &arrived.paths, &mut left_out));
    Action::Create { list, replaced: Vec::new(), left_out }
}

/// The new entries, each once; also returns which attributes of the others are lost.
fn new_entries(stored: &[Entry], arrived: &[Entry], left_out: &mut Vec<String>) -> Vec<Entry> {
    let mut known = ByPath::of(stored);
    let mut new = Vec::new();
    for entry in arrived {
        match known.get(entry) {
            None => {
                known.insert(entry);
                new.push(entry.clone());
            }
            Some(same) if same.attributes == entry.attributes && same.unknown == entry.unknown => {}
            Some(_) => left_out.push(format!("the attributes of '{}'", entry.name())),
        }
    }
    new
}

fn lacking(stored: &List, arrived: &List) -> Action {
    let mut left_out = Vec::new();
    let entries = new_entries(&stored.paths, &arrived.paths, &mut left_out);
    for setting in Setting::ALL {
        let value = arrived.defaults.get(setting);
        if value.is_some() && value != stored.defaults.get(setting) {
            left_out.push(setting.name().to_owned());
        }
    }
    for (key, value) in arrived.unknown() {
        if !stored.unknown().any(|(other, same)| other == key && same == value) {
            left_out.push(key.to_owned());
        }
    }
    Action::Add { entries, left_out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::BUILT_IN_GLOBAL;

    fn bundle(text: &str) -> Bundle {
        Bundle::parse(text.as_bytes()).unwrap()
    }

    fn list(text: &str) -> List {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn existing_list_is_an_error_unless_it_is_merged() {
        let bundle = bundle(r#"{"version":1,"global":{},"profiles":{"default":{},"x":{},"y":{}}}"#);
        let store = |target: &ListTarget| {
            Ok(match target {
                ListTarget::Global => Some(List::built_in_global()),
                ListTarget::Profile(name) if name.is_default() => Some(list(r#"{"paths":[]}"#)),
                ListTarget::Profile(name) => (name.as_str() == "x").then(List::default),
            })
        };
        let error = changes(&bundle, false, store).unwrap_err();
        let ChangeError::Exist(targets) = error else { panic!("{error}") };
        assert_eq!(targets, [ListTarget::Profile("x".parse().unwrap())]);
        assert_eq!(changes(&bundle, true, store).unwrap().len(), 4);
    }

    #[test]
    fn a_merge_adds_entries_and_leaves_the_rest_alone() {
        let stored = list(r#"{"paths":["a",{"path":"./b","pin":true}],"budget":"1k"}"#);
        let arrived = list(r#"{"paths":["b","c","a/","c"],"budget":"2k","prompt":"p"}"#);
        let Action::Add { entries, left_out } = lacking(&stored, &arrived) else { panic!() };
        assert_eq!(entries, [Entry::new("c")]);
        assert_eq!(left_out, ["the attributes of 'b'", "budget", "prompt"]);
    }

    #[test]
    fn a_built_in_list_is_kept_only_by_a_merge() {
        let built_in = List::built_in_global();
        let arrived = list(r#"{"paths":["x",{"path":"up:AGENTS.md","pin":true}],"hooks":{}}"#);
        let Action::Create { list: made, replaced, left_out } = instead(&built_in, &arrived) else {
            panic!()
        };
        assert_eq!((*made, left_out), (arrived.clone(), Vec::new()));
        assert_eq!(replaced, BUILT_IN_GLOBAL[..3]);
        let Action::Create { list: made, replaced, left_out } = on_top(&built_in, &arrived) else { panic!() };
        assert_eq!(made.paths, [&built_in.paths[..], &arrived.paths[..1]].concat());
        assert_eq!(made.unknown().map(|(key, _)| key).collect::<Vec<_>>(), ["hooks"]);
        assert_eq!((replaced, left_out), (Vec::new(), vec!["the attributes of 'up:AGENTS.md'".to_owned()]));
    }

    #[test]
    fn a_new_list_contains_each_entry_only_once() {
        let arrived = list(r#"{"paths":["x","x","./x",{"path":"x/","pin":true},"!x"],"budget":"2k"}"#);
        let Action::Create { list: created, left_out, .. } = instead(&List::default(), &arrived) else {
            panic!()
        };
        assert_eq!(*created, list(r#"{"paths":["x","!x"],"budget":"2k"}"#));
        assert_eq!(left_out, ["the attributes of 'x/'"]);
    }
}
