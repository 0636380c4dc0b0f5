//! The versions in the lock files of Node.js package managers.

use std::collections::HashMap;

use serde::Deserialize;

/// A lock file: what it is called, the command that installs what it names, and how its versions of a package are found.
pub struct NodeLock {
    pub file: &'static str,
    pub command: &'static str,
    pub versions: fn(text: &str, name: &str) -> Vec<String>,
}

/// The lock files, those of npm first.
pub const NODE_LOCKS: [NodeLock; 4] = [
    NodeLock { file: NPM_LOCK, command: "npm ci", versions: of_npm },
    NodeLock { file: "yarn.lock", command: "yarn install", versions: of_yarn },
    NodeLock { file: "pnpm-lock.yaml", command: "pnpm install", versions: of_pnpm },
    NodeLock { file: "bun.lock", command: "bun install", versions: of_bun },
];

pub const NPM_LOCK: &str = "package-lock.json";

/// What matters of a `package-lock.json`.
#[derive(Deserialize)]
struct NpmLock {
    packages: HashMap<String, NpmPackage>,
}

#[derive(Deserialize)]
struct NpmPackage {
    version: Option<String>,
}

/// The directories of all packages in a `package-lock.json`, relative to it.
pub fn npm_places(text: &str) -> Vec<String> {
    let lock: Option<NpmLock> = serde_json::from_str(text).ok();
    lock.map_or_else(Vec::new, |lock| lock.packages.into_keys().collect())
}

/// The version that the tree itself uses.
fn of_npm(text: &str, name: &str) -> Vec<String> {
    let lock: Option<NpmLock> = serde_json::from_str(text).ok();
    let package = lock.and_then(|mut lock| lock.packages.remove(&format!("node_modules/{name}")));
    package.and_then(|package| package.version).into_iter().collect()
}

/// All versions, each on a line after `name@range, name@range:`.
fn of_yarn(text: &str, name: &str) -> Vec<String> {
    let mut is_it = false;
    let version = |line: &str| {
        let key = |spec: &str| {
            let spec = spec.trim().trim_matches('"');
            spec.strip_prefix(name).is_some_and(|rest| rest.starts_with('@'))
        };
        if let Some(specs) = line.strip_suffix(':').filter(|line| !line.starts_with([' ', '#'])) {
            is_it = specs.trim_matches('"').split(", ").any(key);
        }
        // Deeper lines are dependencies, one of which may be called so.
        let version = line.strip_prefix("  version").filter(|rest| is_it && rest.starts_with([' ', ':']))?;
        let version = version.strip_prefix(':').unwrap_or(version).trim();
        Some(version.trim_matches('"').to_owned())
    };
    text.lines().filter_map(version).collect()
}

/// All versions, each in a key like `name@1.0.0:`, `/name@1.0.0(peer@2.0.0):` or `/name/1.0.0_peer@2.0.0:`.
fn of_pnpm(text: &str, name: &str) -> Vec<String> {
    let version = |line: &str| {
        let key = line.trim_start().split(": ").next()?.trim_end_matches(':').trim_matches(['\'', '"']);
        let rest = key.strip_prefix('/').unwrap_or(key).strip_prefix(name)?;
        let version = rest.strip_prefix(['@', '/'])?.split(['(', '_']).next()?;
        version.starts_with(|char: char| char.is_ascii_digit()).then(|| version.to_owned())
    };
    // Newer files have each in two lists.
    let mut versions: Vec<String> = text.lines().filter_map(version).collect();
    versions.sort_unstable();
    versions.dedup();
    versions
}

/// All versions, each in a string like `"name@1.0.0"` at the start of a list.
fn of_bun(text: &str, name: &str) -> Vec<String> {
    let start = format!("[\"{name}@");
    let rests = text.split(&start).skip(1);
    rests.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_each_lock_file() {
        let yarn = "# yarn lockfile v1\n\n\"@x/a@^3.0.0\":\n  version \"3.0.1\"\n\nb@^1.0.0, b@~1.2:\n  version \"1.2.3\"\n  dependencies:\n    a \"^9\"\n    version-guard \"^1.1.1\"\n    version \"^3\"\n";
        let berry = "\"b@npm:^1.0.0, b@npm:~1.2\":\n  version: 1.2.3\n  resolution: \"b@npm:1.2.3\"\n";
        let pnpm = "importers:\n  .:\n    dependencies:\n      b:\n        specifier: ^1\n        version: 1.2.3\npackages:\n  '@x/a@3.0.1':\n    resolution: {}\n  b@1.2.3(c@2.0.0):\n    resolution: {}\nsnapshots:\n  b@1.2.3(c@2.0.0): {}\n";
        let old_pnpm = "packages:\n  /@x/a/3.0.1:\n  /b/1.2.3_c@2.0.0:\n";
        let bun = "{\"packages\": {\n  \"b\": [\"b@1.2.3\", \"\", {}],\n  \"@x/a\": [\"@x/a@3.0.1\", \"\"]}}";
        for (lock, text) in
            [("yarn.lock", yarn), ("pnpm-lock.yaml", pnpm), ("pnpm-lock.yaml", old_pnpm), ("bun.lock", bun)]
        {
            let versions = NODE_LOCKS.iter().find(|one| one.file == lock).unwrap().versions;
            assert_eq!(versions(text, "b"), ["1.2.3"], "{lock}");
            assert_eq!(versions(text, "@x/a"), ["3.0.1"], "{lock}");
            assert!(versions(text, "a").is_empty(), "{lock}");
        }
        assert_eq!(of_yarn(berry, "b"), ["1.2.3"]);
        assert!(of_npm("{}", "b").is_empty());
    }
}
