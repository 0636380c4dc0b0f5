//! What can be trusted.

use std::path::Path;

use super::{Fingerprint, Script, scripts};
use crate::source::command::{Command, CommandLimits};
use crate::words::is_unseen;

/// One thing that works only where it is trusted, with what it is and what identifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustItem {
    /// The whole of it for a person, escaped: `command 'cargo test' (global)`.
    pub description: String,
    /// The SHA-256 over its kind and everything that changes what it does. Its place in a list, its tags
    /// and other entries do not matter.
    pub fingerprint: Fingerprint,
}

impl TrustItem {
    /// A command, run in a directory of the tree. `list` says where it is stored: `global`,
    /// `profile 'api'`.
    #[must_use]
    pub fn command(command: &Command, list: &str, directory: &Path, root: &Path) -> Self {
        let scripts = scripts(&command.words, directory, root);
        let words: Vec<&str> = command.words.iter().collect();
        let limits = described(&command.limits);
        let mut fields: Vec<&[u8]> = vec![b"command", limits.as_bytes()];
        let count = (words.len() as u64).to_le_bytes();
        fields.push(&count);
        fields.extend(words.iter().map(|word| word.as_bytes()));
        for Script { path, contents } in &scripts {
            fields.push(path.as_os_str().as_encoded_bytes());
            fields.push(contents.as_ref().map_or(b"unreadable".as_slice(), |contents| contents.as_bytes()));
        }
        let text = command.words.line();
        let named: Vec<String> =
            scripts.iter().map(|script| escaped(&script.path.to_string_lossy())).collect();
        let with = if named.is_empty() { String::new() } else { format!(", with {}", named.join(", ")) };
        let limits = if limits.is_empty() { String::new() } else { format!(", {limits}") };
        Self {
            description: format!("command '{}' ({list}{limits}{with})", escaped(&text)),
            fingerprint: Fingerprint::of(fields),
        }
    }

    /// A text that instructs the model.
    #[must_use]
    pub fn instruction(text: &str, list: &str) -> Self {
        Self {
            description: format!("instruction ({list}, {} bytes): '{}'", text.len(), escaped(text)),
            fingerprint: Fingerprint::of([b"instruction".as_slice(), text.as_bytes()]),
        }
    }

    /// Settings of a profile, each with its value: `budget`, `model`.
    #[must_use]
    pub fn settings(settings: &[String], list: &str) -> Self {
        let mut settings = settings.to_vec();
        settings.sort();
        let fields = [b"settings".as_slice()].into_iter().chain(settings.iter().map(String::as_bytes));
        Self {
            fingerprint: Fingerprint::of(fields),
            description: format!("settings ({list}): {}", escaped(&settings.join(", "))),
        }
    }

    /// An entry that nothing trims.
    #[must_use]
    pub fn pin(entry: &str, list: &str) -> Self {
        Self {
            description: format!("pin '{}' ({list})", escaped(entry)),
            fingerprint: Fingerprint::of([b"pin".as_slice(), entry.as_bytes()]),
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

/// The attributes that are not as usual: `timeout=60s, exit=zero`.
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

/// A text in which nothing moves the cursor, is unseen, or ends the quotes.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\'' | '\\' => escaped.extend(['\\', char]),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            _ if is_unseen(char) => escaped.push_str(&format!("\\u{{{:x}}}", u32::from(char))),
            _ => escaped.push(char),
        }
    }
    escaped
}
