//! Which tokenizer a model of OpenAI's uses, as tiktoken's `model.py` has it.

/// Beginnings of models' names, the more special ones first.
const PREFIXES: &[(&str, &str)] = &[
    ("gpt-4o", "o200k"),
    ("gpt-4.1", "o200k"),
    ("gpt-4.5", "o200k"),
    ("gpt-5", "o200k"),
    ("chatgpt-4o", "o200k"),
    ("o1", "o200k"),
    ("o3", "o200k"),
    ("o4-mini", "o200k"),
    ("gpt-4", "cl100k"),
    ("gpt-3.5", "cl100k"),
    ("gpt-35", "cl100k"),
    ("davinci-002", "cl100k"),
    ("babbage-002", "cl100k"),
    ("text-embedding-ada-002", "cl100k"),
    ("text-embedding-3-", "cl100k"),
];

/// The name of a model's tokenizer; a fine-tuned one (`ft:gpt-4o:…`) has that of its base.
pub(super) fn tokenizer(name: &str) -> Option<&'static str> {
    let base = name.strip_prefix("ft:").unwrap_or(name);
    let (_, tokenizer) = PREFIXES.iter().find(|(prefix, _)| base.starts_with(prefix))?;
    Some(tokenizer)
}
