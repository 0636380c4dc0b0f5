//! The environment of a program.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Environment variables by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<OsString, OsString>);

impl Variables {
    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Sets a variable.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.0.insert(name.into(), value.into());
    }

    /// Removes a variable, if it is set.
    pub fn remove(&mut self, name: &str) {
        self.0.remove(OsStr::new(name));
    }

    /// Keeps the variables whose name passes.
    pub fn retain(&mut self, mut keep: impl FnMut(&OsStr) -> bool) {
        self.0.retain(|name, _| keep(name));
    }

    pub(super) fn apply(&self, command: &mut std::process::Command) {
        command.env_clear().envs(&self.0);
    }
}

impl FromIterator<(OsString, OsString)> for Variables {
    fn from_iter<I: IntoIterator<Item = (OsString, OsString)>>(variables: I) -> Self {
        Self(variables.into_iter().collect())
    }
}
