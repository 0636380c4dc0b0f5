//! Hooks of Amazon Q Developer CLI and Kiro: commands whose output is put before a prompt.
//!
//! Agents have a list for each trigger; earlier profiles had an object for each hook, with its trigger.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::remark::{clipped, is_empty, not};
use crate::command::CommandLimits;
use crate::entry::value::{OutputSize, Timeout};
use crate::entry::{Attributes, Entry, UsedOutput};
use crate::words::grouped;

/// The triggers for context; all others are about tools.
const TRIGGERS: [&str; 4] = ["agentSpawn", "userPromptSubmit", "conversation_start", "per_prompt"];

/// The result of importing hooks.
#[derive(Debug, Default)]
pub struct Hooks {
    /// The commands, in order. None of them is trusted.
    pub entries: Vec<Entry>,
    /// What cannot be imported.
    pub left_out: Vec<String>,
    /// What was changed.
    pub changed: Vec<String>,
}

impl Hooks {
    /// Reads the value of the key `hooks`.
    pub fn of(hooks: &Map<String, Value>) -> Self {
        let mut read = Self::default();
        for (key, value) in hooks {
            match value {
                value if is_empty(value) => {}
                Value::Array(hooks) if is_trigger(key) => hooks.iter().for_each(|hook| read.add(key, hook)),
                Value::Object(_) if trigger(value).is_some_and(is_trigger) => read.add(key, value),
                Value::Object(_) => {
                    let trigger = trigger(value).map_or_else(|| "no trigger".to_owned(), clipped);
                    read.left_out.push(format!("hook '{}' ({trigger})", clipped(key)));
                }
                Value::Array(_) => read.left_out.push(format!("hooks '{}'", clipped(key))),
                _ => read.left_out.push(not("a list", &format!("hooks '{}'", clipped(key)))),
            }
        }
        read
    }

    fn add(&mut self, name: &str, hook: &Value) {
        match self.entry(name, hook) {
            Ok(entry) => self.entries.push(entry),
            Err(reason) => self.left_out.push(format!("hook '{}' ({reason})", clipped(name))),
        }
    }

    fn entry(&mut self, name: &str, hook: &Value) -> Result<Entry, &'static str> {
        let text = |key: &str| hook.get(key).and_then(Value::as_str);
        if text("type").is_some_and(|kind| kind != "inline") {
            return Err("not inline");
        }
        let command = text("command").filter(|command| !command.trim().is_empty()).ok_or("no command")?;
        let line = line_of(command)?;
        let mut number = |key: &str, bounds: RangeInclusive<u64>| self.number(name, hook, key, bounds);
        let timeout = number("timeout_ms", TIMEOUT).map(|milliseconds| milliseconds.div_ceil(1_000));
        let max_output = number("max_output_size", OUTPUT);
        let ttl = number("cache_ttl_seconds", TTL).filter(|seconds| *seconds > 0);
        let attributes = Attributes {
            off: hook.get("disabled").and_then(Value::as_bool).unwrap_or_default(),
            timeout: timeout.and_then(|seconds| seconds_of(seconds).parse::<Timeout>().ok()),
            max_output: max_output.and_then(|bytes| bytes.to_string().parse::<OutputSize>().ok()),
            exit: UsedOutput::OfSuccess,
            ttl: ttl.and_then(|seconds| seconds_of(seconds).parse().ok()),
            ..Attributes::default()
        };
        let attributes = CommandLimits::without_usual(&attributes);
        Ok(Entry { attributes, ..Entry::new(format!("cmd:{line}")) })
    }

    /// Reads a number and limits it to its bounds, with a remark if it was outside them.
    fn number(&mut self, name: &str, hook: &Value, key: &str, bounds: RangeInclusive<u64>) -> Option<u64> {
        let value = hook.get(key).filter(|value| !value.is_null())?;
        let note = |is: &dyn Display| {
            format!("{key} of hook '{}' is {is}, not {}", clipped(name), clipped(&value.to_string()))
        };
        let Some(number) =
            value.as_u64().or_else(|| value.as_f64().filter(|number| *number >= 0.0).map(whole))
        else {
            self.changed.push(note(&"ours"));
            return None;
        };
        let within = number.clamp(*bounds.start(), *bounds.end());
        if within != number {
            self.changed.push(note(&grouped(within)));
        }
        Some(within)
    }
}

/// The characters that make a shell do more than split a command at spaces.
const SHELL_SYNTAX: &[char] = &[
    '|', '&', ';', '<', '>', '(', ')', '$', '`', '\\', '"', '\'', '*', '?', '[', ']', '#', '~', '=', '%',
    '{', '}', '!', '\n', '\r',
];

/// First words of a command that only a shell understands: keywords and built-ins.
const SHELL_WORDS: &str = ". : alias bg bind break builtin caller case cd command compgen complete continue declare dirs \
    disown enable eval exec exit export fc fg for function getopts hash help history if jobs let local mapfile popd pushd \
    read readarray readonly return set shift shopt source suspend time times trap type typeset ulimit umask unalias unset \
    until wait while";

/// A command as the text of an entry: its own words if a shell would only split them, or else `sh -c` with
/// the command.
fn line_of(command: &str) -> Result<String, &'static str> {
    let words: Vec<&str> = command.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
    let is_known = words.first().is_some_and(|first| SHELL_WORDS.split(' ').all(|word| word != *first));
    if !command.contains(SHELL_SYNTAX) && !command.contains('\0') && is_known {
        return Ok(words.join(" "));
    }
    // An entry may have quotes too.
    if is_known && without_quoted(command).is_some_and(|rest| !rest.contains(SHELL_SYNTAX)) {
        return Ok(command.trim().to_owned());
    }
    shlex::try_join(["sh", "-c", command]).map_err(|_| "a NUL in its command")
}

/// The command without its quotes and what is between them; `None` if a quote is open, or a shell would expand
/// something between double quotes.
fn without_quoted(command: &str) -> Option<String> {
    let mut rest = String::new();
    let mut left = command;
    while let Some(at) = left.find(['\'', '"']) {
        rest.push_str(&left[..at]);
        let quote = if left[at..].starts_with('"') { '"' } else { '\'' };
        let (quoted, after) = left[at + 1..].split_once(quote)?;
        if quote == '"' && quoted.contains(['$', '`', '\\', '!']) || quoted.contains(['\n', '\r', '\0']) {
            return None;
        }
        left = after;
    }
    Some(rest + left).filter(|rest| !rest.contains('\0'))
}

/// The valid timeouts, in milliseconds.
const TIMEOUT: RangeInclusive<u64> = 1..=Timeout::MOST.as_secs() * 1_000;
const OUTPUT: RangeInclusive<u64> = 1..=OutputSize::MOST;
/// The valid times to reuse an output, in seconds: at most a year.
const TTL: RangeInclusive<u64> = 0..=365 * 86_400;

fn is_trigger(name: &str) -> bool {
    TRIGGERS.contains(&name)
}

fn trigger(hook: &Value) -> Option<&str> {
    hook.get("trigger")?.as_str()
}

/// A duration as written in an entry, in the largest unit that gives a whole number.
fn seconds_of(seconds: u64) -> String {
    match seconds {
        seconds if seconds % 3_600 == 0 => format!("{}h", seconds / 3_600),
        seconds if seconds % 60 == 0 => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is limited later")]
fn whole(number: f64) -> u64 {
    number.ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hooks(text: &str) -> (Vec<String>, Vec<String>, Vec<String>) {
        let Hooks { entries, left_out, changed } = Hooks::of(&serde_json::from_str(text).unwrap());
        let entries = entries.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
        (entries, left_out, changed)
    }

    #[test]
    fn hooks_of_agents_and_of_profiles_become_commands_in_their_order() {
        let agent = r#"{
            "userPromptSubmit": [{"command": "git status"}],
            "agentSpawn": [{"command": "echo 'a' && b", "timeout_ms": 1500, "max_output_size": 1000, "cache_ttl_seconds": 300}],
            "preToolUse": [{"matcher": "fs_write", "command": "x"}],
            "stop": []
        }"#;
        let (entries, left_out, changed) = hooks(agent);
        assert_eq!(
            entries,
            [
                r#"{"path":"cmd:git status","exit":"zero"}"#,
                r#"{"path":"cmd:sh -c \"echo 'a' && b\"","timeout":"2s","max_output":"1000","exit":"zero","ttl":"5m"}"#,
            ]
        );
        assert_eq!((left_out, changed), (vec!["hooks 'preToolUse'".to_owned()], vec![]));
        let profile = r#"{
            "status": {"trigger": "per_prompt", "type": "inline", "disabled": true, "timeout_ms": 30000,
                       "max_output_size": 10240, "cache_ttl_seconds": 0, "command": "git status --short"},
            "critical": {"trigger": "conversation_start", "type": "criticalPath", "command": "x"},
            "other": {"trigger": "later", "command": "x"}
        }"#;
        let (entries, left_out, _) = hooks(profile);
        assert_eq!(
            entries,
            [r#"{"path":"cmd:git status --short","off":true,"max_output":"10240","exit":"zero"}"#]
        );
        assert_eq!(left_out, ["hook 'critical' (not inline)", "hook 'other' (later)"]);
    }

    #[test]
    fn command_without_shell_syntax_is_run_without_a_shell() {
        for (command, line) in [
            ("git  status\t--short ", "git status --short"),
            ("./tools/list é a-b_c:d,e@f+g/h", "./tools/list é a-b_c:d,e@f+g/h"),
            ("cd sub", "sh -c 'cd sub'"),
            ("command -v git", "sh -c 'command -v git'"),
            ("A=1 make", "sh -c 'A=1 make'"),
            ("ls ~", "sh -c 'ls ~'"),
            ("a\nb", "sh -c 'a\nb'"),
            ("ls *.md", "sh -c 'ls *.md'"),
            ("date +%F", "sh -c 'date +%F'"),
            ("echo 'two words'", "echo 'two words'"),
            ("echo \"a; b\" 'c | d' ", "echo \"a; b\" 'c | d'"),
            ("echo \"$HOME\"", "sh -c 'echo \"$HOME\"'"),
            ("echo 'a' | b", "sh -c \"echo 'a' | b\""),
            ("echo it's", "sh -c \"echo it's\""),
        ] {
            assert_eq!(line_of(command).as_deref(), Ok(line));
        }
        assert_eq!(line_of("a\0"), Err("a NUL in its command"));
    }

    #[test]
    fn number_beyond_the_limits_is_clamped_and_reported() {
        let text = r#"{"agentSpawn": [
            {"command": "a", "timeout_ms": 900000, "max_output_size": 99000000, "cache_ttl_seconds": 1e12},
            {"command": "b", "timeout_ms": 0, "max_output_size": "much"},
            {"command": " "}, {}, 7
        ]}"#;
        let (entries, left_out, changed) = hooks(text);
        assert_eq!(
            entries,
            [
                r#"{"path":"cmd:a","timeout":"10m","max_output":"16000000","exit":"zero","ttl":"8760h"}"#,
                r#"{"path":"cmd:b","timeout":"1s","exit":"zero"}"#,
            ]
        );
        assert_eq!(left_out, ["hook 'agentSpawn' (no command)"; 3]);
        assert_eq!(
            changed,
            [
                "timeout_ms of hook 'agentSpawn' is 600,000, not 900000",
                "max_output_size of hook 'agentSpawn' is 16,000,000, not 99000000",
                "cache_ttl_seconds of hook 'agentSpawn' is 31,536,000, not 1e+12",
                "timeout_ms of hook 'agentSpawn' is 1, not 0",
                "max_output_size of hook 'agentSpawn' is ours, not \"much\"",
            ]
        );
    }
}
