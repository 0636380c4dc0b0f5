//! The front matter of steering files: when a file is part of the context.

use super::harvest::clipped;

/// When a steering file is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inclusion {
    /// In every conversation.
    Always,
    /// On a condition: `fileMatch`, `manual`, `auto`, or whatever else it says.
    Conditional(String),
}

/// What the front matter says; without one, or without a word on it, a file is always included.
pub(super) fn inclusion(text: &str) -> Inclusion {
    let mut lines = text.lines().map(str::trim_end);
    if lines.next() != Some("---") {
        return Inclusion::Always;
    }
    let mut said = None;
    for line in lines {
        if matches!(line, "---" | "...") {
            return said.map_or(Inclusion::Always, judge);
        }
        if let Some(value) = value_of("inclusion", line) {
            said = Some(value);
        }
    }
    // The line is never closed: a rule at the top of a document, and no front matter.
    Inclusion::Always
}

fn judge(value: &str) -> Inclusion {
    match value {
        "" | "always" => Inclusion::Always,
        other => Inclusion::Conditional(clipped(other)),
    }
}

/// The value of a plain or quoted scalar under a key at the top level.
fn value_of<'a>(key: &str, line: &'a str) -> Option<&'a str> {
    let (name, value) = line.split_once(':')?;
    if name.trim_end().trim_matches(['"', '\'']) != key {
        return None;
    }
    let value = value.trim_start();
    for quote in ['"', '\''] {
        if let Some(quoted) = value.strip_prefix(quote) {
            return Some(quoted.split(quote).next().unwrap_or(quoted));
        }
    }
    let value = if value.starts_with('#') { "" } else { value.split(" #").next().unwrap_or(value) };
    Some(value.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_always_is_unconditional() {
        let matched = || Inclusion::Conditional("fileMatch".to_owned());
        for (text, expected) in [
            ("# Rules\n", Inclusion::Always),
            ("", Inclusion::Always),
            ("---\ninclusion: always\n---\n# x", Inclusion::Always),
            ("---\r\ninclusion: \"always\" # yes\r\n---\r\n", Inclusion::Always),
            ("---\ninclusion:\n---\n", Inclusion::Always),
            ("---\ntitle: x\n---\ninclusion: manual\n", Inclusion::Always),
            ("---\ninclusion: manual\nno end", Inclusion::Always),
            ("---\ninclusion: fileMatch\nfileMatchPattern: ['**/*.ts', '**/*.py']\n---\n", matched()),
            ("---\nfileMatchPattern:\n  - \"a/**\"\ninclusion: 'fileMatch'  # sometimes\n---\n", matched()),
            ("---\ninclusion: auto\n---\n", Inclusion::Conditional("auto".to_owned())),
            ("---\ninclusion: manual\n...\n", Inclusion::Conditional("manual".to_owned())),
            ("---\nnested:\n  inclusion: manual\n---\n", Inclusion::Always),
        ] {
            assert_eq!(inclusion(text), expected, "{text}");
        }
    }
}
