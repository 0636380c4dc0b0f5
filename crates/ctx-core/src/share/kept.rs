//! What earlier versions kept of other tools' agents under keys that nothing used: `prompt` and `hooks`.

use serde_json::Value;

use super::tool::{Hooks, kept_prompt};
use crate::entry::Entry;
use crate::store::{List, Setting};
use crate::world::World;

const PROMPT: &str = "prompt";
const HOOKS: &str = "hooks";

/// What the keys of a list come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeptKeys {
    /// The keys that are used up.
    pub keys: Vec<&'static str>,
    /// Commands. Nothing of this is trusted.
    pub entries: Vec<Entry>,
    /// The instruction.
    pub instruction: Option<String>,
    /// What cannot be carried over, or not as it was.
    pub remarks: Vec<String>,
}

impl KeptKeys {
    /// Reads the keys of a list; a prompt that is in the way of an instruction stays.
    #[must_use]
    pub fn of(list: &List, world: &World) -> Self {
        let mut kept = Self::default();
        for (key, value) in list.unknown() {
            match (key, value) {
                (PROMPT, Value::String(_)) if list.defaults.get(Setting::Instruction).is_some() => {
                    kept.remarks.push(format!("{PROMPT} (there is an instruction)"));
                }
                (PROMPT, Value::String(prompt)) => match kept_prompt(world, prompt) {
                    Ok(text) => {
                        kept.instruction = Some(text);
                        kept.keys.push(PROMPT);
                    }
                    Err(reason) => kept.remarks.push(reason),
                },
                (HOOKS, Value::Object(hooks)) => {
                    let hooks = Hooks::of(hooks);
                    kept.entries = hooks.entries;
                    kept.remarks.extend(hooks.left_out);
                    kept.remarks.extend(hooks.changed);
                    kept.keys.push(HOOKS);
                }
                (_, _) => {}
            }
        }
        kept
    }
}

/// The keys of a list that an import can turn into what is used, in its order.
#[must_use]
pub fn keys_of(list: &List) -> Vec<&str> {
    let is_usable = |(key, value): &(&str, &Value)| match *key {
        PROMPT => value.is_string(),
        HOOKS => value.is_object(),
        _ => false,
    };
    list.unknown().filter(is_usable).map(|(key, _)| key).collect()
}
