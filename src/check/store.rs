//! What is wrong with the files of the store.

use std::io;

use super::{Finding, Group, setting};
use crate::models::Registry;
use crate::store::{Kind, ProfileName, Setting, Store, StoreError};

/// Everything that is wrong with the store: files that cannot be used, stray files among the profiles,
/// and defaults of profiles that no render would take. The registry is the person's own, or why there is
/// none.
#[must_use]
pub fn of_store(store: &Store, registry: &Result<Registry, String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(store.active().err().map(|error| unusable("state.json", &error)));
    findings.extend(store.global().err().map(|error| unusable("global.json", &error)));
    if let Err(text) = registry {
        let path = format!("'{}': ", store.root().join("models.json").display());
        findings.push(finding("models.json", "damaged", text.strip_prefix(&path).unwrap_or(text).to_owned()));
    }
    findings.extend(
        ["state.json", "global.json", "models.json"].into_iter().filter_map(|file| lost(store, file)),
    );
    // Where links and strays cannot be listed, the profiles cannot either.
    let links = store.broken_links().unwrap_or_default();
    match store.profiles() {
        Ok(names) => findings.extend(
            names.iter().filter(|name| !links.contains(name)).flat_map(|name| profile(store, name, registry)),
        ),
        Err(error) => findings.push(unusable("profiles", &error)),
    }
    findings.extend(links.iter().map(|name| broken_link(store, name)));
    for path in store.strays().unwrap_or_default() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        findings.push(finding(
            &format!("profiles/{name}"),
            "stray",
            "is no profile, and never used".to_owned(),
        ));
    }
    findings
}

fn profile(store: &Store, name: &ProfileName, registry: &Result<Registry, String>) -> Vec<Finding> {
    let file = format!("profiles/{name}.json");
    match store.profile(name) {
        // It was deleted since the names were listed.
        Err(StoreError::NoSuchProfile { .. }) => Vec::new(),
        Err(error) => vec![unusable(&file, &error)],
        Ok(list) => Setting::ALL
            .into_iter()
            .filter_map(|key| setting(key, list.defaults.get(key)?, registry.as_ref().ok()).err())
            .map(|invalid| finding(&file, "invalid-default", invalid.to_string()))
            .collect(),
    }
}

fn broken_link(store: &Store, name: &ProfileName) -> Finding {
    let file = format!("profiles/{name}.json");
    match store.profile(name) {
        Ok(_) | Err(StoreError::NoSuchProfile { .. }) => leads_nowhere(&file),
        Err(error) => unusable(&file, &error),
    }
}

/// What is to be said of a file that has its fixed name in the store and is a link to no file: it counts
/// as not there.
fn lost(store: &Store, file: &str) -> Option<Finding> {
    let path = store.root().join(file);
    let is_absent = |error: io::Error| error.kind() == io::ErrorKind::NotFound;
    (path.is_symlink() && path.metadata().is_err_and(is_absent)).then(|| leads_nowhere(file))
}

fn leads_nowhere(file: &str) -> Finding {
    finding(file, "broken-link", "is a link to a file that does not exist".to_owned())
}

fn unusable(file: &str, error: &StoreError) -> Finding {
    let code = match error.kind() {
        Kind::Damaged => "damaged",
        Kind::Usage | Kind::Refused => "unusable",
        Kind::Io | Kind::Busy => "unreadable",
    };
    finding(file, code, error.to_string())
}

fn finding(file: &str, code: &'static str, text: String) -> Finding {
    Finding { group: Group::Store, code, subject: file.to_owned(), scope: None, profile: None, text }
}
