//! Maps other tools' names to profile names.

use std::collections::BTreeSet;

use crate::store::ProfileName;

const MAX_LENGTH: usize = 64;
const NAMELESS: &str = "imported";

/// The profile for `name`: the name itself if it is a valid profile name, or else a similar one that is not among
/// `taken`. The same name always maps to the same profile.
pub(super) fn map(name: &str, taken: &BTreeSet<ProfileName>) -> ProfileName {
    if let Ok(name) = name.parse() {
        return name;
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mapped: String = name.trim().chars().map(|c| if allowed(c) { c } else { '-' }).collect();
    let mapped = mapped.trim_start_matches(['-', '_']).trim_end_matches('-');
    let stem = if mapped.is_empty() { NAMELESS } else { mapped };
    (1..)
        .map(|number| match number {
            1 => clipped(stem, ""),
            number => clipped(stem, &format!("-{number}")),
        })
        .filter_map(|candidate| candidate.parse::<ProfileName>().ok())
        .find(|candidate| !taken.contains(candidate))
        .unwrap_or_else(ProfileName::default_profile)
}

fn clipped(stem: &str, suffix: &str) -> String {
    let length = stem.len().min(MAX_LENGTH - suffix.len().min(MAX_LENGTH));
    format!("{}{suffix}", &stem[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_names_are_mapped_to_unused_names() {
        let taken = ["my-agent", "x", "x-2"].map(|name| name.parse().unwrap()).into();
        for (name, expected) in [
            ("api", "api"),
            ("x", "x"),
            ("your agent", "your-agent"),
            ("my agent", "my-agent-2"),
            (".x", "x-3"),
            ("@team/x", "team-x"),
            ("日本", "imported"),
            ("", "imported"),
            ("a/../b", "a----b"),
        ] {
            assert_eq!(map(name, &taken).as_str(), expected, "{name}");
        }
        assert_eq!(map(&" é".repeat(50), &taken).as_str(), "imported");
        assert_eq!(map(&"a.".repeat(50), &taken).as_str().len(), 64);
    }
}
