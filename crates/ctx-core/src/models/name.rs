//! The many spellings of a model's name.
//!
//! Platforms put their own name in front (`anthropic/…`, `us.anthropic.…`) and a date or a version at the end
//! (`…-20250929`, `…-2024-08-06`, `…-v1:0`, `…-latest`), and use `.`, `-`, `_` and `@` interchangeably
//! (`4.5`, `4-5`). Only these known additions are removed, and only whole: `gpt-50` is not `gpt-5`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The longest name that a row may have, in bytes.
pub(super) const MAX_LEN: usize = 200;

/// Makers, and platforms that sell their models, as written before `/`.
const PLATFORMS: &[&str] = &[
    "alibaba",
    "amazon",
    "anthropic",
    "azure",
    "azure_ai",
    "bedrock",
    "cohere",
    "cohere_chat",
    "converse",
    "dashscope",
    "deepseek",
    "deepseek-ai",
    "gemini",
    "github",
    "github_copilot",
    "google",
    "groq",
    "meta",
    "meta-llama",
    "meta_llama",
    "mistral",
    "mistralai",
    "models",
    "ollama",
    "openai",
    "openrouter",
    "publishers",
    "qwen",
    "together",
    "together_ai",
    "vertex_ai",
    "x-ai",
    "xai",
];

/// Regions and makers, as Bedrock writes them before `.`.
const DOTTED: &[&str] = &[
    "amazon",
    "anthropic",
    "apac",
    "au",
    "ca",
    "cohere",
    "deepseek",
    "eu",
    "global",
    "google",
    "jp",
    "meta",
    "mistral",
    "openai",
    "qwen",
    "us",
    "us-gov",
    "xai",
];

/// The form in which names are compared.
pub(super) fn key(name: &str) -> String {
    let fold = |c: char| if matches!(c, '.' | '_' | '@') { '-' } else { c.to_ascii_lowercase() };
    name.chars().map(fold).collect()
}

/// Whether a key contains these words in a row: `claude-sonnet-4` contains `sonnet` and `sonnet-4`.
pub(super) fn has_words(key: &str, part: &str) -> bool {
    let (words, wanted): (Vec<&str>, Vec<&str>) = (key.split('-').collect(), part.split('-').collect());
    part.chars().any(char::is_alphabetic) && words.windows(wanted.len()).any(|run| run == wanted)
}

/// For a name with a tag, three prefixes of names in the same family, nearest first, each split into runs of
/// letters and digits. For `qwen2.5-coder:7b`, these are the whole name, the name without its tag, and
/// `qwen2.5`. A name that starts with `ollama/` needs no tag.
pub(super) fn families(name: &str) -> Option<[Vec<String>; 3]> {
    let lower = name.to_ascii_lowercase();
    let bare = without_platform(&lower);
    let latest = lower.starts_with("ollama/").then_some((bare, ""));
    let (untagged, tag) = bare.split_once(':').or(latest)?;
    let (whole, untagged) = (runs(&format!("{untagged}-{tag}")), runs(untagged));
    let is_number = |run: &String| run.starts_with(|first: char| first.is_ascii_digit());
    let version = untagged.iter().position(is_number).unwrap_or(untagged.len());
    let end = untagged[version..]
        .iter()
        .position(|run| !is_number(run))
        .map_or(untagged.len(), |end| version + end);
    let is_known = !untagged.is_empty() && (!tag.is_empty() || version < untagged.len());
    is_known.then(|| [whole, untagged.clone(), untagged[..end].to_vec()])
}

/// Whether a key begins with a family's runs.
pub(super) fn is_of_family(key: &str, family: &[String]) -> bool {
    runs(key).starts_with(family)
}

/// The numbers in a model's version, to tell which of two models is newer: 4 and 5 for `claude-sonnet-4-5`.
/// Sizes and dates do not count.
pub(super) fn version(name: &str) -> Vec<u64> {
    const MOST: u64 = 99;
    let runs = runs(name);
    let is_size = |place: usize| runs.get(place + 1).is_some_and(|unit| unit == "b");
    let numbers = runs.iter().enumerate().filter(|(place, _)| !is_size(*place));
    numbers.filter_map(|(_, run)| run.parse().ok()).filter(|number| *number <= MOST).collect()
}

/// The runs of letters and digits: `qwen`, `2` and `5` for `qwen2.5`.
fn runs(name: &str) -> Vec<String> {
    let words = name.split(|char: char| !char.is_ascii_alphanumeric());
    words
        .flat_map(|word| word.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()))
        .map(|run| String::from_utf8_lossy(run).into_owned())
        .filter(|run| !run.is_empty())
        .collect()
}

/// The keys under which a model may be known, starting with the closest to its name.
pub(super) fn spellings(name: &str) -> Vec<String> {
    if name.len() > MAX_LEN {
        return Vec::new();
    }
    let lower = name.to_ascii_lowercase();
    let mut keys = vec![key(&lower)];
    let bare = without_region(without_platform(&lower));
    let mut rest = key(bare);
    loop {
        if !keys.contains(&rest) {
            keys.push(rest.clone());
        }
        match without_suffix(&rest) {
            Some(shorter) => rest = shorter.to_owned(),
            None => return keys,
        }
    }
}

fn without_platform(mut name: &str) -> &str {
    while let Some((platform, rest)) = name.split_once('/') {
        if !PLATFORMS.contains(&platform) {
            break;
        }
        name = rest;
    }
    name
}

fn without_region(mut name: &str) -> &str {
    while let Some((region, rest)) = name.split_once('.') {
        if !DOTTED.contains(&region) {
            break;
        }
        name = rest;
    }
    name
}

/// `key` without one date, version or `-latest` at its end.
fn without_suffix(key: &str) -> Option<&str> {
    let rest = without_version(key)
        .or_else(|| key.strip_suffix("-latest"))
        .or_else(|| without_date(key, 8, |date| [&date[..4], &date[4..6], &date[6..]]))
        .or_else(|| without_date(key, 10, |date| [&date[..4], &date[5..7], &date[8..]]))?;
    (!rest.is_empty()).then_some(rest)
}

/// `…-v1:0`
fn without_version(key: &str) -> Option<&str> {
    let (rest, version) = key.rsplit_once("-v")?;
    let (major, minor) = version.split_once(':')?;
    (is_number(major) && is_number(minor)).then_some(rest)
}

/// `…-20250929` (8 characters) or `…-2025-09-29` (10)
fn without_date(key: &str, len: usize, fields: fn(&str) -> [&str; 3]) -> Option<&str> {
    let (head, date) = key.split_at_checked(key.len().checked_sub(len)?)?;
    let rest = head.strip_suffix('-')?;
    let hyphens = if len == 10 { [4, 7].as_slice() } else { &[] };
    let shaped = |(at, byte): (usize, u8)| match byte {
        b'-' => hyphens.contains(&at),
        other => other.is_ascii_digit() && !hyphens.contains(&at),
    };
    if !date.bytes().enumerate().all(shaped) {
        return None;
    }
    let [year, month, day] = fields(date);
    let plausible =
        ("2020".."2100").contains(&year) && ("01"..="12").contains(&month) && ("01"..="31").contains(&day);
    plausible.then_some(rest)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The indices of the models with keys similar to `name`, nearest first and, if equally near, newest first.
pub(super) fn nearest(name: &str, places: &BTreeMap<String, usize>) -> Vec<usize> {
    let last = name.rsplit('/').next().unwrap_or(name);
    let Some(wanted) = spellings(last).pop() else { return Vec::new() };
    let near = places.iter().filter_map(|(key, &place)| Some((key, distance(&wanted, key)?, place)));
    let mut near: Vec<(&String, usize, usize)> = near.collect();
    near.sort_by_cached_key(|(key, distance, _)| (*distance, Reverse(version(key))));
    near.into_iter().map(|(_, _, place)| place).collect()
}

/// How far `key` is from `wanted`, if `wanted` may be a misspelling or the beginning of `key`.
fn distance(wanted: &str, key: &str) -> Option<usize> {
    let slips = strsim::damerau_levenshtein(wanted, key);
    if slips <= (wanted.len() / 4).clamp(1, 3) {
        return Some(slips);
    }
    let begun = wanted.len() >= 3 && key.starts_with(wanted);
    let overrun = key.len() >= 3 && wanted.starts_with(key);
    (begun || overrun)
        .then_some(slips.max(4))
        .or_else(|| distance_of_word(wanted, key))
        .or_else(|| is_of_one_maker(wanted, key).then_some(usize::MAX))
}

/// Whether the first word of a name contains that of a key: `gemma2` matches `gemma-3`, and `codellama`
/// matches `llama-3`.
fn is_of_one_maker(wanted: &str, key: &str) -> bool {
    const SHORTEST: usize = 4;
    let first = |name: &str| name.split(['-', ':']).next().unwrap_or_default().to_owned();
    let maker = first(key);
    maker.len() >= SHORTEST && first(wanted).contains(&maker)
}

/// How far `wanted` is from one word of `key`, if it may be a misspelling of it: `sonett` in
/// `claude-sonnet-4`.
fn distance_of_word(wanted: &str, key: &str) -> Option<usize> {
    const SHORTEST: usize = 4;
    const FURTHER: usize = 8;
    let words = key.split('-').filter(|word| word.len() >= SHORTEST);
    let slips = words.map(|word| strsim::damerau_levenshtein(wanted, word)).min()?;
    (wanted.len() >= SHORTEST && slips <= (wanted.len() / 3).clamp(1, 3)).then_some(slips + FURTHER)
}
