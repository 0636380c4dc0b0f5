//! The files that make up a store.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::permissions::Access;
use super::state::{ChoiceKey, ChoicePlace};
use super::{FILE_LIMIT, ProfileName, StoreError, files};
use crate::entry::Author;
use crate::fs::{Identity, Owners};
use crate::project;
use crate::words::hex;

pub(super) const LOCK: &str = "store.lock";
pub const JOURNAL: &str = "journal.json";
pub(super) const MODELS: &str = "models.json";
pub(super) const PROFILES: &str = "profiles";
pub(super) const HISTORIES: &str = "history";
pub(super) const TODO: &str = "todo";
pub(super) const CLEARED: &str = "cleared";

/// The name of the global list among cleared lists; no profile can have it.
const CLEARED_GLOBAL: &str = "@global";

/// A file of the store. Changes are applied in the order of the variants, so that the state names an existing
/// profile at each moment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) enum StoreFile {
    /// The contents of a list when it was last cleared: for a project's list, in this folder of the user's store;
    /// without a name, the global list.
    Cleared {
        folder: Option<String>,
        name: Option<ProfileName>,
    },
    Global,
    Profile(ProfileName),
    /// A profile of a project, in this `.ctx`, which is absolute.
    Project {
        directory: PathBuf,
        name: ProfileName,
    },
    State,
}

/// Where the files of a store are, and who may have written them.
#[derive(Debug, Clone)]
pub(super) struct StoreLayout {
    /// The directory of the store.
    pub root: PathBuf,
    /// Whether others may have put files in it. Only the user's own store may contain links, which can lead
    /// anywhere.
    of_others: bool,
    /// Whose files are accepted, if others may have put files there.
    owners: Owners,
    /// The directory of the project whose profiles are in use, if any.
    pub project: Option<PathBuf>,
    /// The work root that choices are made for; `None` outside projects and repositories.
    pub place: Option<ChoicePlace>,
}

impl StoreLayout {
    /// The user's own store.
    pub fn of_user(root: PathBuf) -> Self {
        Self { root, of_others: false, owners: Owners::everywhere(), project: None, place: None }
    }

    /// This store, as one that others may have written.
    pub fn of_others(self, owners: Owners) -> Self {
        Self { of_others: true, owners, ..self }
    }

    /// This store, with the profiles of the project in this directory on top.
    pub fn with_project(self, directory: PathBuf, owners: Owners) -> Self {
        let of_project = || {
            let root = directory.parent()?.to_owned();
            Some(ChoicePlace { identity: Identity::of(&root).ok(), root, origins: Vec::new() })
        };
        let place = self.place.clone().or_else(of_project);
        Self { project: Some(directory), owners, place, ..self }
    }

    /// Whether others may have written the store.
    pub fn is_of_others(&self) -> bool {
        self.of_others
    }

    /// Who wrote a list.
    pub fn author(&self, file: &StoreFile) -> Author {
        if self.of_others || file.project().is_some() { Author::Project } else { Author::User }
    }

    /// The file of a new profile with this name.
    pub fn own(&self, name: &ProfileName) -> StoreFile {
        match &self.project {
            Some(directory) => StoreFile::Project { directory: directory.clone(), name: name.clone() },
            None => StoreFile::Profile(name.clone()),
        }
    }

    /// The directory of the profiles: the project's, if there is one.
    pub fn profiles(&self) -> PathBuf {
        self.project.as_ref().unwrap_or(&self.root).join(PROFILES)
    }

    /// Where the entries of a list are kept when it is cleared.
    pub fn cleared(&self, list: &StoreFile) -> StoreFile {
        match list {
            StoreFile::Project { name, .. } => {
                StoreFile::Cleared { folder: self.folder(), name: Some(name.clone()) }
            }
            StoreFile::Profile(name) => StoreFile::Cleared { folder: None, name: Some(name.clone()) },
            StoreFile::Global | StoreFile::State | StoreFile::Cleared { .. } => {
                StoreFile::Cleared { folder: None, name: None }
            }
        }
    }

    /// The directory of the histories, a different one for each project.
    pub fn histories(&self) -> PathBuf {
        let all = self.root.join(HISTORIES);
        self.folder().map_or(all.clone(), |folder| all.join(folder))
    }

    /// The name of the project's directory among the histories.
    pub fn folder(&self) -> Option<String> {
        self.project.as_deref().map(folder_of)
    }

    /// The key of the choice made here.
    pub fn here(&self) -> ChoiceKey<'_> {
        ChoiceKey { place: self.place.as_ref(), is_project: self.project.is_some() }
    }

    pub fn path(&self, file: &StoreFile) -> PathBuf {
        match file {
            StoreFile::Project { directory, name } => directory.join(PROFILES).join(format!("{name}.json")),
            StoreFile::Cleared { .. } | StoreFile::Global | StoreFile::Profile(_) | StoreFile::State => {
                self.root.join(file.to_string())
            }
        }
    }

    /// Who may use a file created at a path: a project's files are meant to be checked in.
    pub fn access(&self, path: &Path) -> Access {
        match &self.project {
            Some(directory) if path.starts_with(directory) => Access::Ordinary,
            Some(_) | None => Access::Private,
        }
    }

    /// The contents of a document; `None` if the file does not exist.
    pub fn read_document(&self, file: &StoreFile) -> Result<Option<Vec<u8>>, StoreError> {
        self.check_document(file)?;
        files::read(&self.path(file), FILE_LIMIT).map_err(|error| file.about(error))
    }

    /// Refuses a link or foreign file that others may have put on the path to a document.
    pub fn check_document(&self, file: &StoreFile) -> Result<(), StoreError> {
        self.check_in(file.project(), &self.path(file))
    }

    /// Refuses a link or foreign file that others may have put on the path to a file of a project, if it is in
    /// one, or else of the store.
    fn check_in(&self, project: Option<&Path>, path: &Path) -> Result<(), StoreError> {
        match project {
            Some(directory) => check_below(directory, path, &self.owners).map_err(StoreError::in_project),
            None => self.check(path),
        }
    }

    /// The contents of a store file, at most `limit` bytes; `None` if it does not exist.
    pub fn read(&self, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.check(path)?;
        files::read(path, limit)
    }

    /// Refuses a link, or a file that belongs to somebody else, on the path to a file.
    pub fn check(&self, path: &Path) -> Result<(), StoreError> {
        if self.of_others { check_below(&self.root, path, &self.owners) } else { Ok(()) }
    }

    /// The directories of to-do lists: the project's, if there is one, and that of the user's store.
    pub fn todo_lists(&self) -> Vec<PathBuf> {
        self.project.iter().chain([&self.root]).map(|directory| directory.join(TODO)).collect()
    }

    /// Refuses a link or foreign file on the path to a to-do list.
    pub fn check_todo_list(&self, path: &Path) -> Result<(), StoreError> {
        self.check_in(self.project.as_deref().filter(|directory| path.starts_with(directory)), path)
    }

    /// Refuses a link or foreign file on the path to the directory of the profiles.
    pub fn check_profiles(&self) -> Result<(), StoreError> {
        self.check_in(self.project.as_deref(), &self.profiles())
    }

    /// The directories that writers put files into, except where others have put something in the way.
    pub fn written_directories(&self) -> Vec<PathBuf> {
        let cleared = self.root.join(CLEARED);
        let of_project = self.folder().map(|folder| cleared.join(folder));
        let own = [self.root.clone(), self.root.join(PROFILES), self.histories(), cleared];
        let own = own.into_iter().chain(of_project).filter(|directory| self.check(directory).is_ok());
        let profiles =
            Some(self.profiles()).filter(|_| self.project.is_some() && self.check_profiles().is_ok());
        let todo_lists = self.todo_lists().into_iter().filter(|list| self.check_todo_list(list).is_ok());
        own.chain(profiles).chain(todo_lists).collect()
    }
}

/// Checks every component of a path from `directory` on, including `directory` itself.
fn check_below(directory: &Path, path: &Path, owners: &Owners) -> Result<(), StoreError> {
    let mut on_the_way: Vec<&Path> =
        path.ancestors().take_while(|above| above.starts_with(directory)).collect();
    on_the_way.reverse();
    for path in on_the_way {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_symlink() => {
                return Err(StoreError::Linked { path: path.to_owned() });
            }
            Ok(metadata) if !owners.have(&metadata) => {
                return Err(StoreError::OtherOwner { path: path.to_owned() });
            }
            Ok(_) => {}
            // The caller that opens it gets the error.
            Err(_) => return Ok(()),
        }
    }
    Ok(())
}

/// The name of a project's directory among the histories; no two projects have the same one.
fn folder_of(directory: &Path) -> String {
    let root = directory.parent().unwrap_or(directory);
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let digits = hex(&digest[..8]);
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let plain = |char: char| if char.is_ascii_alphanumeric() || "-_.".contains(char) { char } else { '_' };
    let name: String = name.chars().take(32).map(plain).collect();
    format!("{name}@{digits}")
}

impl StoreFile {
    /// Who may use the file.
    pub fn access(&self) -> Access {
        if self.project().is_some() { Access::Ordinary } else { Access::Private }
    }

    /// The error, marked as one about a project's file if this is one.
    pub fn about(&self, error: StoreError) -> StoreError {
        if self.project().is_some() { StoreError::in_project(error) } else { error }
    }

    /// The directory of its project, if it belongs to one.
    pub fn project(&self) -> Option<&Path> {
        match self {
            Self::Project { directory, .. } => Some(directory),
            Self::Cleared { .. } | Self::Global | Self::Profile(_) | Self::State => None,
        }
    }
}

impl fmt::Display for StoreFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cleared { folder, name } => {
                write!(f, "{CLEARED}/")?;
                folder.iter().try_for_each(|folder| write!(f, "{folder}/"))?;
                write!(f, "{}.json", name.as_ref().map_or(CLEARED_GLOBAL, ProfileName::as_str))
            }
            Self::Global => f.write_str("global.json"),
            Self::Profile(name) => write!(f, "{PROFILES}/{name}.json"),
            Self::Project { directory, name } => {
                write!(f, "{}/{PROFILES}/{name}.json", directory.display())
            }
            Self::State => f.write_str("state.json"),
        }
    }
}

impl From<StoreFile> for String {
    fn from(file: StoreFile) -> Self {
        file.to_string()
    }
}

impl FromStr for StoreFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let profile = || profile_name(OsStr::new(text.strip_prefix(PROFILES)?.strip_prefix('/')?));
        match text {
            "global.json" => Ok(Self::Global),
            "state.json" => Ok(Self::State),
            _ => profile()
                .map(Self::Profile)
                .or_else(|| cleared(text))
                .or_else(|| of_project(Path::new(text)))
                .ok_or_else(|| format!("{text:?} is not a file of the store")),
        }
    }
}

/// The cleared list at a path relative to the root of the store.
fn cleared(text: &str) -> Option<StoreFile> {
    let path = text.strip_prefix(CLEARED)?.strip_prefix('/')?;
    let (folder, file) = match path.split_once('/') {
        Some((folder, file)) => (Some(folder), file),
        None => (None, path),
    };
    let is_folder = |folder: &str| folder.contains('@') && !folder.contains('/');
    if !folder.is_none_or(is_folder) {
        return None;
    }
    let name = match file.strip_suffix(".json")? {
        CLEARED_GLOBAL if folder.is_none() => None,
        name => Some(name.parse().ok()?),
    };
    Some(StoreFile::Cleared { folder: folder.map(str::to_owned), name })
}

/// The profile of a project that is at an absolute path.
fn of_project(path: &Path) -> Option<StoreFile> {
    let name = profile_name(path.file_name()?)?;
    let profiles = path.parent().filter(|directory| directory.ends_with(PROFILES))?;
    let directory = profiles.parent().filter(|directory| directory.ends_with(project::DIRECTORY))?;
    let is_plain = path.is_absolute() && !path.iter().any(|name| name == "..");
    is_plain.then(|| StoreFile::Project { directory: directory.to_owned(), name })
}

impl TryFrom<String> for StoreFile {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// The profile in a file in the directory of profiles, if the name is valid.
pub(super) fn profile_name(file_name: &OsStr) -> Option<ProfileName> {
    file_name.to_str()?.strip_suffix(".json")?.parse::<ProfileName>().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_store_files_are_parsed() {
        for name in [
            "global.json",
            "state.json",
            "profiles/a-b.json",
            "profiles/default.json",
            "cleared/@global.json",
            "cleared/api.json",
            "cleared/x@0123456789abcdef/api.json",
        ] {
            assert_eq!(name.parse::<StoreFile>().unwrap().to_string(), name);
        }
        let of_project: StoreFile = "/a/.ctx/profiles/api.json".parse().unwrap();
        assert!(matches!(&of_project, StoreFile::Project { directory, .. } if directory == "/a/.ctx"));
        assert_eq!(of_project.to_string(), "/a/.ctx/profiles/api.json");
        for name in [
            "/a/profiles/api.json",
            "/a/.ctx/../.ctx/profiles/api.json",
            "a/.ctx/profiles/api.json",
            "",
            "models.json",
            "profiles/../global.json",
            "../global.json",
            "profiles/.json",
            "profilesa.json",
            "cleared/x/api.json",
            "cleared/x@1/@global.json",
            "cleared/x@1/../a.json",
            "cleared/../global.json",
        ] {
            assert!(name.parse::<StoreFile>().is_err(), "{name}");
        }
    }
}
