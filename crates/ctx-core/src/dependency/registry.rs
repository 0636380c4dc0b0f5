//! Which of the directories where cargo keeps the crates of registries are those of one registry.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::lock::{LockedPackage, unquoted};
use super::search::{DependencySearch, MAX_BYTES, names_in};
use crate::fs::read_small;

/// How lock files and configurations name crates.io.
const CRATES_IO: [&str; 3] =
    ["https://github.com/rust-lang/crates.io-index", "https://index.crates.io", "crates-io"];

/// The hosts of its two indexes, and what cargo has called the directory of the older one.
const CRATES_IO_HOSTS: [&str; 2] = ["index.crates.io", "github.com"];
const CRATES_IO_ON_GITHUB: [&str; 2] = ["github.com-1ecc6299db9ec823", "github.com-25cdd57fae9f0462"];

/// The largest number of replacements that lead from one source to the next.
const MAX_REPLACED: usize = 8;

/// Where the sources of a crate may be in cargo's home: below the directories of its registry.
pub fn places(search: &DependencySearch<'_>, home: &Path, package: &LockedPackage) -> Vec<PathBuf> {
    let LockedPackage { name, version, source, checksum } = package;
    let full = format!("{name}-{version}");
    let registry = address(source.as_deref().unwrap_or_default());
    let configured = configuration(search, home);
    let registries = with_replacements(registry, &configured);
    let archive = |directory: &str| home.join("registry/cache").join(directory).join(format!("{full}.crate"));
    let is_right = |directory: &String| match is_archive(&archive(directory), checksum.as_deref()) {
        Some(is_same) => is_same,
        None => registries.iter().any(|registry| is_of(directory, registry)),
    };
    let kept = home.join("registry/src");
    let directories = names_in(&kept).into_iter().filter(is_right);
    directories.map(|directory| kept.join(directory).join(&full)).collect()
}

/// Whether a vendored crate is not the one with this checksum.
pub fn is_other(vendored: &Path, checksum: Option<&str>) -> bool {
    let text = read_small(&vendored.join(".cargo-checksum.json"), MAX_BYTES).unwrap_or_default();
    let json: Value = serde_json::from_slice(&text).unwrap_or_default();
    let package = json.get("package").and_then(Value::as_str);
    package.is_some_and(|package| checksum.is_some_and(|checksum| checksum != package))
}

/// Whether the archive that the sources are from has this checksum; `None` if one of them is missing.
fn is_archive(archive: &Path, checksum: Option<&str>) -> Option<bool> {
    let bytes = read_small(archive, MAX_BYTES).ok()?;
    let sha256: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    checksum.map(|checksum| checksum == sha256)
}

/// Whether a directory, which is called by the host and a hash, is that of a registry.
fn is_of(directory: &str, registry: &str) -> bool {
    let host = directory.rsplit_once('-').map_or(directory, |(host, _)| host);
    if CRATES_IO.contains(&registry) {
        return CRATES_IO_HOSTS.contains(&host);
    }
    host_of(registry) == Some(host) && !CRATES_IO_ON_GITHUB.contains(&directory)
}

/// The address of a registry, without its protocol's prefix.
fn address(source: &str) -> &str {
    let address = source.strip_prefix("registry+").or_else(|| source.strip_prefix("sparse+"));
    address.unwrap_or(source).trim_end_matches('/')
}

fn host_of(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    Some(host.split(':').next().unwrap_or(host))
}

/// A registry, and those that replace it.
fn with_replacements<'a>(registry: &'a str, values: &'a HashMap<String, String>) -> Vec<&'a str> {
    let value = |table: &str, name: &str, key: &str| values.get(&format!("{table}.{name}.{key}"));
    let name_of = |registry: &str| {
        if CRATES_IO.contains(&registry) {
            return Some("crates-io".to_owned());
        }
        let mut named = values.iter().filter(|(_, value)| address(value) == registry);
        let name = named.find_map(|(key, _)| key.strip_prefix("source.")?.strip_suffix(".registry"));
        name.map(str::to_owned)
    };
    let mut all = vec![registry];
    let mut name = name_of(registry);
    while let Some(next) = name.as_deref().and_then(|name| value("source", name, "replace-with"))
        && all.len() < MAX_REPLACED
    {
        let index = value("source", next, "registry").or_else(|| value("registries", next, "index"));
        all.extend(index.map(|index| address(index)));
        name = Some(next.clone());
    }
    all
}

/// The strings in cargo's configuration, each by its table and key; the nearest file counts.
fn configuration(search: &DependencySearch<'_>, home: &Path) -> HashMap<String, String> {
    let near = search.directories.iter().map(|directory| directory.join(".cargo"));
    let directories = near.chain([home.to_owned()]);
    // Of two files in a directory, cargo reads the first.
    let texts = directories.filter_map(|directory| {
        ["config", "config.toml"].iter().find_map(|name| read_small(&directory.join(name), MAX_BYTES).ok())
    });
    let mut values = HashMap::new();
    for text in texts {
        let mut table = String::new();
        for line in String::from_utf8_lossy(&text).lines().map(str::trim) {
            if let Some(start) = line.strip_prefix('[') {
                table = plain(start.split(']').next().unwrap_or_default()) + ".";
            } else if let Some((key, value)) = line.split_once('=')
                && let Some(value) = unquoted(value)
            {
                values.entry(table.clone() + &plain(key)).or_insert(value);
            }
        }
    }
    values
}

/// A key without quotes and spaces.
fn plain(key: &str) -> String {
    key.chars().filter(|char| !char.is_whitespace() && !matches!(char, '"' | '\'')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_belong_to_a_registry_by_its_host() {
        let crates_io = "registry+https://github.com/rust-lang/crates.io-index";
        let other = "sparse+https://user@cargo.example.com:8080/index/";
        let on_github = "registry+https://github.com/someone/index";
        for (source, directory, expected) in [
            (crates_io, "index.crates.io-1949cf8c6b5b557f", true),
            (crates_io, "github.com-1ecc6299db9ec823", true),
            (crates_io, "cargo.example.com-1949cf8c6b5b557f", false),
            ("sparse+https://index.crates.io/", "index.crates.io-6f17d22bba15001f", true),
            (other, "cargo.example.com-1949cf8c6b5b557f", true),
            (other, "index.crates.io-1949cf8c6b5b557f", false),
            (on_github, "github.com-0123456789abcdef", true),
            (on_github, "github.com-1ecc6299db9ec823", false),
        ] {
            assert_eq!(is_of(directory, address(source)), expected, "{source} {directory}");
        }
    }

    #[test]
    fn replacements_are_followed_from_one_to_the_next() {
        let pairs = [
            ("source.crates-io.replace-with", "near"),
            ("source.near.replace-with", "far"),
            ("source.near.registry", "sparse+https://near.example/"),
            ("registries.far.index", "https://far.example"),
        ];
        let values = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let all = with_replacements("https://index.crates.io", &values);
        assert_eq!(all, ["https://index.crates.io", "https://near.example", "https://far.example"]);
        assert_eq!(with_replacements("https://x.example", &values), ["https://x.example"]);
    }
}
