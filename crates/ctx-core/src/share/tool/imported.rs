//! Reads another tool's files, and keeps a record of the results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::hooks::Hooks;
use super::remark::{clipped, is_empty, not};
use super::{FoundLists, Remark, jsonc, names};
use crate::entry::Entry;
use crate::entry::pattern;
use crate::fs::resolved;
use crate::models::Registry;
use crate::read::{self, Page, Unreadable};
use crate::select::{self, Label, MissedReason};
use crate::share::Bundle;
use crate::store::{ByPath, FILE_LIMIT, List, ProfileName, document, first_places};
use crate::todo::{NamedList, TodoList};
use crate::world::World;

/// How many files in one directory are read.
const MAX_FILES: usize = 1_000;
/// A list to import, and its file.
#[derive(Debug)]
pub(super) struct ImportedPart {
    pub(super) name: String,
    pub(super) file: String,
    pub(super) list: List,
}

/// What has been read so far. Files are named as in a stored entry: `~/…` or relative to the current directory.
#[derive(Debug)]
pub(super) struct ImportedLists<'a> {
    pub(super) world: &'a World,
    pub(super) models: &'a Registry,
    /// Whether files in the current directory may name paths outside the tree.
    pub(super) may_lead_outside: bool,
    /// Whether entries that lead out of the tree were left out.
    pub(super) left_outside: bool,
    global: Option<List>,
    parts: Vec<ImportedPart>,
    todo_lists: Vec<NamedList>,
    remarks: Vec<Remark>,
    /// A file that was read before, and its text.
    given: Option<(String, String)>,
}

impl<'a> ImportedLists<'a> {
    pub(super) fn new(world: &'a World, models: &'a Registry, may_lead_outside: bool) -> Self {
        let (parts, todo_lists, remarks) = (Vec::new(), Vec::new(), Vec::new());
        let (left_outside, global, given) = (false, None, None);
        Self { world, models, may_lead_outside, left_outside, global, parts, todo_lists, remarks, given }
    }

    /// Takes this text for that of a file.
    pub(super) fn give(&mut self, file: &str, text: String) {
        self.given = Some((file.to_owned(), text));
    }

    /// Notes what cannot be imported.
    pub(super) fn left_out(&mut self, file: &str, parts: Vec<String>) {
        if !parts.is_empty() {
            self.remarks.push(Remark::LeftOut { file: file.to_owned(), parts });
        }
    }

    /// Lists the saved prompts in these directories, which are messages rather than entries.
    pub(super) fn prompts_left_out(&mut self, directories: &[&str]) {
        for directory in self.distinct(directories) {
            for file in self.files(directory) {
                self.left_out(
                    &file,
                    vec!["all of it (a saved prompt: pass the file as a question)".to_owned()],
                );
            }
        }
    }

    /// The directories without duplicates: the current directory may be the home directory.
    pub(super) fn distinct<'d>(&self, directories: &[&'d str]) -> Vec<&'d str> {
        let mut seen = BTreeSet::new();
        let is_new = |directory: &&str| {
            let path = self.path(directory);
            path.is_none_or(|path| seen.insert(resolved(path)))
        };
        directories.iter().copied().filter(is_new).collect()
    }

    pub(super) fn path(&self, given: &str) -> Option<PathBuf> {
        select::path_of(given, self.world).ok()
    }

    /// The names in a directory, sorted; none if it does not exist.
    pub(super) fn directory(&mut self, directory: &str) -> Vec<String> {
        let Some(path) = self.path(directory) else { return Vec::new() };
        let names = std::fs::read_dir(path)
            .and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect::<Result<Vec<_>, _>>());
        let mut names = match names.map_err(Unreadable::from) {
            Ok(names) => names,
            Err(error) => {
                self.note_unreadable(directory, &error);
                return Vec::new();
            }
        };
        names.sort_unstable();
        if names.len() > MAX_FILES {
            self.left_out(directory, vec![format!("everything after the first {MAX_FILES} files")]);
            names.truncate(MAX_FILES);
        }
        let (names, not_utf8): (Vec<_>, Vec<_>) =
            names.into_iter().map(std::ffi::OsString::into_string).partition(Result::is_ok);
        let not_utf8 = not_utf8.into_iter().filter_map(Result::err);
        self.left_out(
            directory,
            not_utf8.map(|name| format!("{} (not UTF-8)", Label::new(name.as_encoded_bytes()))).collect(),
        );
        names.into_iter().flatten().collect()
    }

    /// The paths of the names that [`Self::directory`] finds.
    pub(super) fn files(&mut self, directory: &str) -> Vec<String> {
        self.directory(directory).iter().map(|name| format!("{directory}/{name}")).collect()
    }

    /// The JSON files in a directory.
    pub(super) fn json_files(&mut self, directory: &str) -> Vec<String> {
        let mut files = self.files(directory);
        files.retain(|file| is_json(file));
        files
    }

    /// The text of a file; `None` if it does not exist, or cannot be read, which is noted.
    pub(super) fn text(&mut self, file: &str) -> Option<String> {
        if let Some((_, text)) = self.given.as_ref().filter(|(given, _)| given == file) {
            return Some(text.clone());
        }
        let opened = read::open(&self.path(file)?);
        let mut buffer = Page::default();
        match opened.and_then(|opened| read::read(opened, FILE_LIMIT, &mut buffer)) {
            Ok(text) => Some(text.text.into_owned()),
            Err(error) => {
                self.note_unreadable(file, &error);
                None
            }
        }
    }

    /// Notes why a file or directory cannot be read, unless it does not exist.
    fn note_unreadable(&mut self, given: &str, error: &Unreadable) {
        let path = self.path(given);
        let is_there = |path: &PathBuf| path.symlink_metadata().is_ok();
        let reason = match error {
            Unreadable::NotFound if !path.as_ref().is_some_and(is_there) => return,
            Unreadable::NotFound if path.is_some_and(|path| path.exists()) => "not a directory".to_owned(),
            Unreadable::NotFound => MissedReason::BrokenLink.to_string(),
            error => error.to_string(),
        };
        self.left_out(given, vec![format!("all of it ({reason})")]);
    }

    /// The object in a JSON file, which may have comments; `None` if the file does not exist or is not a JSON
    /// object.
    pub(super) fn json(&mut self, file: &str) -> Option<Map<String, Value>> {
        let text = self.text(file)?;
        match document::read(jsonc::plain(&text).as_bytes()) {
            Ok(keys) => Some(keys),
            Err(damage) => {
                self.left_out(file, vec![format!("all of it ({damage})")]);
                None
            }
        }
    }

    /// The object in a JSON file; `None`, without a remark, if there is none.
    pub(super) fn quietly_read(&mut self, file: &str) -> Option<Map<String, Value>> {
        let remarks = self.remarks.len();
        let keys = self.json(file);
        self.remarks.truncate(remarks);
        keys
    }

    /// The list in a file with `paths`, in the format of a store or, with hooks, of another tool, named after the file.
    pub(super) fn single_list(&mut self, file: &str) -> Option<ImportedPart> {
        let keys = self.quietly_read(file)?;
        (keys.contains_key("paths") && !keys.contains_key("version")).then_some(())?;
        let name = Path::new(file).file_stem()?.to_str()?.to_owned();
        let list = if keys.contains_key("hooks") {
            self.paths_file(file)?
        } else {
            serde_json::from_value(Value::Object(keys)).ok()?
        };
        Some(ImportedPart { name, file: file.to_owned(), list })
    }

    /// Reads a file with the keys `paths` and `hooks` as a list.
    pub(super) fn paths_file(&mut self, file: &str) -> Option<List> {
        let keys = self.json(file)?;
        let mut list = List::default();
        let mut left_out = Vec::new();
        for (key, value) in keys {
            match (key.as_str(), value) {
                (_, value) if is_empty(&value) => {}
                ("paths", Value::Array(paths)) => {
                    for path in paths {
                        match path {
                            Value::String(path) => add(&mut list, &path, &mut left_out),
                            other => left_out.push(not("a string", &other.to_string())),
                        }
                    }
                }
                ("hooks", Value::Object(hooks)) => self.take_hooks(file, &mut list, &hooks, &mut left_out),
                ("paths", _) => left_out.push(not("a list", &key)),
                ("hooks", _) => left_out.push(not("an object", &key)),
                _ => left_out.push(clipped(&key)),
            }
        }
        keep_first(&mut list, &mut left_out);
        self.left_out(file, left_out);
        Some(list)
    }

    /// Adds the hooks of a file as commands.
    pub(super) fn take_hooks(
        &mut self,
        file: &str,
        list: &mut List,
        hooks: &Map<String, Value>,
        left_out: &mut Vec<String>,
    ) {
        let mut hooks = Hooks::of(hooks);
        list.paths.append(&mut hooks.entries);
        left_out.append(&mut hooks.left_out);
        if !hooks.changed.is_empty() {
            self.remarks.push(Remark::Changed { file: file.to_owned(), parts: hooks.changed });
        }
    }

    /// Adds entries for the global list, after the built-in ones.
    pub(super) fn take_global(&mut self, file: &str, list: &List) {
        if list.paths.is_empty() && list.unknown().next().is_none() {
            return;
        }
        let mut global = self.global.take().unwrap_or_else(List::built_in_global);
        let left_out = join(&mut global, list);
        self.global = Some(global);
        self.left_out(file, left_out);
    }

    /// Adds a list for the profile of that name.
    pub(super) fn take(&mut self, part: ImportedPart) {
        let is_nothing = part.list == List::default();
        if !(is_nothing && part.name == ProfileName::default_profile().as_str()) {
            self.parts.push(part);
        }
    }

    /// Whether the current directory is the home directory, whose files are the user's own.
    pub(super) fn is_at_home(&self) -> bool {
        self.world
            .home
            .as_ref()
            .is_some_and(|home| resolved(home.clone()) == resolved(self.world.cwd.clone()))
    }

    /// Another name for an agent that a stranger may have called `default`: that profile is used everywhere.
    pub(super) fn not_default(&mut self, file: &str, name: String) -> String {
        if names::map(&name, &BTreeSet::new()) != ProfileName::default_profile() {
            return name;
        }
        let root = self.world.root.file_name().unwrap_or_default().to_string_lossy();
        let to = format!("{}-default", names::map(&root, &BTreeSet::new()));
        self.remarks.push(Remark::NotDefault { file: file.to_owned(), to: to.clone() });
        to
    }

    /// Adds a to-do list, named after its file.
    pub(super) fn take_todo_list(&mut self, directory: &str, file: &str) {
        let Some(keys) = self.json(file) else { return };
        let list: TodoList = match serde_json::from_value(Value::Object(keys)) {
            Ok(list) => list,
            Err(error) => return self.left_out(file, vec![format!("all of it ({error})")]),
        };
        let stem = file.strip_prefix(directory).and_then(|name| name.strip_prefix('/')).unwrap_or(file);
        let stem = stem.strip_suffix(".json").unwrap_or(stem);
        let taken = self.todo_lists.iter().map(|list| list.name.clone()).collect();
        let name = names::map(stem, &taken);
        if stem != name.as_str() {
            let from = clipped(stem);
            self.remarks.push(Remark::RenamedList { from, to: name.to_string() });
        }
        self.todo_lists.push(NamedList { name, list });
    }

    /// Assigns a profile to every name and combines lists that belong together.
    pub(super) fn finish(mut self) -> FoundLists {
        let mut mapped: BTreeMap<String, ProfileName> = BTreeMap::new();
        let mut taken: BTreeSet<ProfileName> =
            self.parts.iter().filter_map(|part| part.name.parse().ok()).collect();
        let mut profiles: BTreeMap<ProfileName, Vec<ImportedPart>> = BTreeMap::new();
        for part in std::mem::take(&mut self.parts) {
            let known = mapped.get(&part.name).cloned();
            let name = known.unwrap_or_else(|| {
                let name = names::map(&part.name, &taken);
                if part.name != name.as_str() {
                    let from = clipped(&part.name);
                    self.remarks.push(Remark::Renamed { from, to: name.to_string() });
                }
                taken.insert(name.clone());
                mapped.insert(part.name.clone(), name.clone());
                name
            });
            profiles.entry(name).or_default().push(part);
        }
        let profiles =
            profiles.into_iter().map(|(name, parts)| (name.clone(), self.joined(&name, parts))).collect();
        let bundle = Bundle { global: self.global, profiles, unknown: Vec::new() };
        let (todo_lists, left_outside) = (self.todo_lists, self.left_outside);
        FoundLists { bundle, todo_lists, remarks: self.remarks, left_outside }
    }

    fn joined(&mut self, name: &ProfileName, parts: Vec<ImportedPart>) -> List {
        let mut files: Vec<String> = parts.iter().map(|part| format!("'{}'", part.file)).collect();
        files.dedup();
        if files.len() > 1 {
            self.remarks.push(Remark::Joined { profile: name.to_string(), files });
        }
        let mut list = List::default();
        for part in parts {
            let left_out = join(&mut list, &part.list);
            self.left_out(&part.file, left_out);
        }
        list
    }
}

/// Adds the entries and settings of another list, and returns what could not be added.
fn join(list: &mut List, other: &List) -> Vec<String> {
    let mut left_out = Vec::new();
    let mut known = ByPath::of(&list.paths);
    let new: Vec<Entry> = other.paths.iter().filter(|entry| known.insert(entry)).cloned().collect();
    list.paths.extend(new);
    for setting in crate::store::Setting::ALL {
        match (list.defaults.get(setting), other.defaults.get(setting)) {
            (_, None) => {}
            (None, Some(value)) => list.defaults.set(setting, Some(value.to_owned())),
            (Some(one), Some(other)) if one == other => {}
            (Some(_), Some(_)) => left_out.push(setting.name().to_owned()),
        }
    }
    for (key, value) in other.unknown() {
        let same = list.unknown().find(|(known, _)| *known == key).map(|(_, same)| same == value);
        match same {
            None => list.keep_unknown(key, value.clone()),
            Some(true) => {}
            Some(false) => left_out.push(key.to_owned()),
        }
    }
    left_out
}

/// Adds a path or pattern from another tool, in which `!` and `-` have no meaning.
pub(super) fn add(list: &mut List, path: &str, left_out: &mut Vec<String>) {
    let path = match path {
        "-" => "./-".to_owned(),
        path if path.starts_with('!') => format!("./{path}"),
        path => path.to_owned(),
    };
    match pattern::parse(&path) {
        Ok(_) => list.paths.push(Entry::of_tool(path)),
        Err(error) => left_out.push(format!("'{}' ({error})", clipped(&path))),
    }
}

/// Keeps the first of several spellings of one path.
pub(super) fn keep_first(list: &mut List, left_out: &mut Vec<String>) {
    let first = first_places(&list.paths);
    let mut places = first.into_iter().enumerate();
    list.paths.retain(|entry| {
        let is_first = places.next().is_none_or(|(place, first)| place == first);
        if !is_first {
            left_out.push(format!("'{}' (given twice)", clipped(&entry.path)));
        }
        is_first
    });
}

/// Whether a file is read, going by its name.
pub(super) fn is_json(file: &str) -> bool {
    file.ends_with(".json")
}
