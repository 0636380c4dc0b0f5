//! The items that can be trusted.

use std::path::Path;

use serde_json::Value;

use super::{Fingerprint, Scripts, Untrustable};
use crate::command::{Command, CommandLimits};
use crate::entry::Attribute;
use crate::words::is_unseen;

/// Something that works only where it is trusted, with its description and identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustItem {
    /// The complete item as text, with each line escaped: `command 'cargo test' (global)`.
    pub description: String,
    /// The SHA-256 of its kind and everything that changes its effect. Its position in a list, its tags and
    /// other entries do not matter.
    pub fingerprint: Fingerprint,
    /// Why nobody can trust it.
    pub refusal: Option<Untrustable>,
}

impl TrustItem {
    /// A command, run in a directory of the tree. `list` is where it is stored: `global`, `profile 'api'`.
    #[must_use]
    pub fn command(command: &Command, list: &str, directory: &Path, scripts: &Scripts) -> Self {
        let contents = scripts.contents(&command.words, directory);
        let directory = scripts.from_root(directory);
        let words: Vec<&str> = command.words.iter().collect();
        let limits = described(&command.limits);
        let count = (words.len() as u64).to_le_bytes();
        let mut fields: Vec<&[u8]> = vec![limits.as_bytes(), &count];
        fields.extend(words.iter().map(|word| word.as_bytes()));
        for (path, contents) in contents.iter().flatten() {
            fields.push(path.as_os_str().as_encoded_bytes());
            fields.push(contents.as_ref().map_or(b"unreadable".as_slice(), |contents| contents.as_bytes()));
        }
        let files = match &contents {
            Ok(files) if files.is_empty() => "with no file of this repository".to_owned(),
            Ok(files) => {
                let named: Vec<String> = files.keys().map(|path| escaped(&path.to_string_lossy())).collect();
                format!("with {}", named.join(", "))
            }
            Err(refusal) => refusal.to_string(),
        };
        let details = [list, &limits, &files].into_iter().filter(|detail| !detail.is_empty());
        let details: Vec<&str> = details.collect();
        let what = format!("command '{}'", escaped(&command.words.line()));
        Self {
            refusal: contents.as_ref().err().copied(),
            ..Self::new("command", &directory, &fields, &what, &details.join(", "))
        }
    }

    /// An instruction to the model. `project` is the directory of its project, relative to the top of the tree.
    #[must_use]
    pub fn instruction(text: &str, list: &str, project: &Path) -> Self {
        let details = format!("{list}, {} bytes", text.len());
        let item = Self::new("instruction", project, &[text.as_bytes()], "instruction", &details);
        Self { description: format!("{}: '{}'", item.description, escaped(text)), ..item }
    }

    /// A setting of a profile with its value: `budget=200k`.
    #[must_use]
    pub fn setting(setting: &str, list: &str, project: &Path) -> Self {
        let item = Self::new("settings", project, &[setting.as_bytes()], "settings", list);
        Self { description: format!("{}: {}", item.description, escaped(setting)), ..item }
    }

    /// An attribute of an entry, with its value unless that is only `true`: `pin 'docs/**'`.
    #[must_use]
    pub fn attribute(attribute: Attribute, value: &Value, entry: &str, list: &str, project: &Path) -> Self {
        let value = Some(value.to_string()).filter(|value| value != "true");
        let fields = [entry.as_bytes()].into_iter().chain(value.as_deref().map(str::as_bytes));
        let name = attribute.name();
        let set =
            value.as_ref().map_or_else(|| name.to_owned(), |value| format!("{name}={}", escaped(value)));
        let what = format!("{set} '{}'", escaped(entry));
        Self::new(name, project, &fields.collect::<Vec<_>>(), &what, list)
    }

    /// An item of this kind, which works in this directory.
    fn new(kind: &str, directory: &Path, fields: &[&[u8]], what: &str, details: &str) -> Self {
        let place = directory.as_os_str().as_encoded_bytes();
        let details = match directory.to_string_lossy() {
            top if top.is_empty() => details.to_owned(),
            below => format!("{details}, in {}", escaped(&below)),
        };
        Self {
            description: format!("{what} ({details})"),
            fingerprint: Fingerprint::of([kind.as_bytes(), place].into_iter().chain(fields.iter().copied())),
            refusal: None,
        }
    }
}

/// One fingerprint for a set of items, whatever their order.
#[must_use]
pub fn digest(items: &[TrustItem]) -> Fingerprint {
    let mut all: Vec<Fingerprint> = items.iter().map(|item| item.fingerprint).collect();
    all.sort_unstable();
    all.dedup();
    Fingerprint::of(all.iter().map(|fingerprint| fingerprint.as_bytes().as_slice()))
}

/// The attributes other than defaults: `timeout=60s, exit=zero`.
fn described(limits: &CommandLimits) -> String {
    let usual = CommandLimits::default();
    let milliseconds = |duration: std::time::Duration| match duration.subsec_millis() {
        0 => format!("{}s", duration.as_secs()),
        _ => format!("{}ms", duration.as_millis()),
    };
    let mut parts = Vec::new();
    if limits.timeout != usual.timeout {
        parts.push(format!("timeout={}", milliseconds(limits.timeout)));
    }
    if limits.most_output != usual.most_output {
        parts.push(format!("max_output={}", limits.most_output));
    }
    if limits.only_success {
        parts.push("exit=zero".to_owned());
    }
    if let Some(ttl) = limits.ttl {
        parts.push(format!("ttl={}", milliseconds(ttl)));
    }
    parts.join(", ")
}

/// Escapes everything in `text` that moves the cursor, is invisible, or ends the quotes.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\'' | '\\' => escaped.extend(['\\', char]),
            '\n' => escaped.push('\n'),
            '\t' => escaped.push_str("\\t"),
            _ if is_unseen(char) => escaped.push_str(&format!("\\u{{{:x}}}", u32::from(char))),
            _ => escaped.push(char),
        }
    }
    escaped
}
