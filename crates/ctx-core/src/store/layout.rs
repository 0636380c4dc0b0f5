//! Which files a store is made of.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{ProfileName, StoreError, Target, files};
use crate::entry::Author;
use crate::fs::Owners;

pub(super) const LOCK: &str = "store.lock";
pub(super) const JOURNAL: &str = "journal.json";
pub(super) const MODELS: &str = "models.json";
pub(super) const PROFILES: &str = "profiles";
pub(super) const HISTORIES: &str = "history";
pub(crate) const TODO: &str = "todo";

/// A document of the store. The order is the one in which changes are applied: at each moment the
/// state names a profile that is there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) enum StoreFile {
    Global,
    Profile(ProfileName),
    State,
}

/// Where the files of a store are, and who can have written them.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// The directory of the store.
    pub root: PathBuf,
    /// Whose files count, where others can have put them there; `None` in the user's own store, which may
    /// have links to anywhere.
    owners: Option<Owners>,
}

impl Layout {
    /// The user's own store.
    pub fn of_user(root: PathBuf) -> Self {
        Self { root, owners: None }
    }

    /// The same directory, as one that others may have filled.
    pub fn of_others(self, owners: Owners) -> Self {
        Self { owners: Some(owners), ..self }
    }

    /// Whether others can have written the store.
    pub fn is_of_others(&self) -> bool {
        self.owners.is_some()
    }

    /// Who wrote the lists.
    pub fn author(&self) -> Author {
        if self.is_of_others() { Author::Project } else { Author::User }
    }

    pub fn path(&self, file: &StoreFile) -> PathBuf {
        self.root.join(file.to_string())
    }

    /// The bytes of a file of the store, at most `limit` of them; `None` if there is no such file.
    pub fn read(&self, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.check(path)?;
        files::read(path, limit)
    }

    /// Refuses what others may have put in the way to a file: a link, or what belongs to somebody else.
    pub fn check(&self, path: &Path) -> Result<(), StoreError> {
        let Some(owners) = &self.owners else { return Ok(()) };
        let mut on_the_way: Vec<&Path> =
            path.ancestors().take_while(|directory| directory.starts_with(&self.root)).collect();
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
                // Whoever opens it finds out.
                Err(_) => return Ok(()),
            }
        }
        Ok(())
    }
}

impl From<&Target> for StoreFile {
    fn from(target: &Target) -> Self {
        match target {
            Target::Global => Self::Global,
            Target::Profile(name) => Self::Profile(name.clone()),
        }
    }
}

impl fmt::Display for StoreFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => f.write_str("global.json"),
            Self::Profile(name) => write!(f, "{PROFILES}/{name}.json"),
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
            _ => profile().map(Self::Profile).ok_or_else(|| format!("{text:?} is not a file of the store")),
        }
    }
}

impl TryFrom<String> for StoreFile {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// The profile that a file in the directory of profiles holds, if its name follows the rule.
pub(super) fn profile_name(file_name: &OsStr) -> Option<ProfileName> {
    file_name.to_str()?.strip_suffix(".json")?.parse::<ProfileName>().ok()
}

/// The files of a store, whether they are there or not, and all that lies among its profiles, histories
/// and to-do lists.
pub(super) fn files(root: &Path) -> Vec<PathBuf> {
    let named = [StoreFile::Global.to_string(), StoreFile::State.to_string()];
    let others = [MODELS, JOURNAL, LOCK].map(str::to_owned);
    let mut files: Vec<PathBuf> = named.into_iter().chain(others).map(|name| root.join(name)).collect();
    for directory in [PROFILES, HISTORIES, TODO] {
        let entries = fs::read_dir(root.join(directory)).into_iter().flatten().flatten();
        files.extend(entries.map(|entry| entry.path()));
    }
    files
}

/// The store's root: what the option says, else what the environment says, else `ctx` in the
/// configuration directory. An empty variable counts as unset.
///
/// # Errors
/// [`StoreError::NoRoot`] if there is none of the three.
pub(super) fn root_from(
    flag: Option<PathBuf>,
    home: Option<std::ffi::OsString>,
    config_dir: Option<PathBuf>,
) -> Result<PathBuf, StoreError> {
    flag.or_else(|| home.filter(|home| !home.is_empty()).map(PathBuf::from))
        .or_else(|| config_dir.map(|dir| dir.join("ctx")))
        .ok_or(StoreError::NoRoot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_and_nothing_else_is() {
        for name in ["global.json", "state.json", "profiles/a-b.json", "profiles/default.json"] {
            assert_eq!(name.parse::<StoreFile>().unwrap().to_string(), name);
        }
        for name in [
            "",
            "models.json",
            "profiles/../global.json",
            "../global.json",
            "profiles/.json",
            "profilesa.json",
        ] {
            assert!(name.parse::<StoreFile>().is_err(), "{name}");
        }
    }

    #[test]
    fn the_root_is_the_nearest_that_is_named() {
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(root_from(path("f"), Some("e".into()), path("c")).unwrap(), Path::new("f"));
        assert_eq!(root_from(None, Some("e".into()), path("c")).unwrap(), Path::new("e"));
        assert_eq!(root_from(None, Some("".into()), path("c")).unwrap(), Path::new("c/ctx"));
        assert!(matches!(root_from(None, None, None), Err(StoreError::NoRoot)));
    }
}
