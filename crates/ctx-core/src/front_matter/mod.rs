//! The condition in the front matter of a rule.
//!
//! Real rules contain values such as `globs: *.ts`, which YAML parsers reject. So the front matter is read
//! line by line, and accepted only if every reader would find the same keys in it. Anything else is
//! unreadable, so that no such rule is mistaken for an unconditional one.

#[cfg(test)]
mod tests;

use crate::entry::pattern::alternatives;
use crate::read::{self, DEFAULT_MAX_BYTES, Page, Unreadable};
use crate::select::FilePlace;

/// Keys that name files; with a value, the rule applies only to those files.
const FILES: [&str; 3] = ["globs", "applyTo", "paths"];

/// When a rule of Windsurf applies, which decides whatever files it names.
const TRIGGER: &str = "trigger";

/// The triggers that wait for something.
const WAITING: [&str; 3] = ["glob", "model_decision", "manual"];

/// Whether a value names every file, so that the rule always applies. With `globs`, a Cursor rule still waits for
/// a file.
fn names_all_files(key: &str, files: &str) -> bool {
    key == "applyTo" && ["**", "**/*"].contains(&files)
}

/// Why it is unknown when a file applies.
#[derive(Debug, thiserror::Error)]
pub enum Doubt {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// There is front matter, but its meaning is uncertain.
    #[error("its front matter cannot be read")]
    Unclear,
}

/// What makes a rule conditional.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleCondition {
    /// The key and its value, such as `globs: **/*.ts`.
    pub told: String,
    /// The patterns of the files that the rule is for; none if it waits for something else.
    pub when: Vec<String>,
}

/// What makes the rule in a file conditional; see [`condition`].
///
/// # Errors
/// If the file cannot be read, or its condition is unclear.
pub fn condition_in(place: &FilePlace) -> Result<Option<RuleCondition>, Doubt> {
    let mut buffer = Page::default();
    let file = place.open().map_err(Unreadable::from)?;
    condition(&read::read(file, DEFAULT_MAX_BYTES, &mut buffer)?.text)
}

/// The condition of a rule; `None` if there is none.
///
/// # Errors
/// If it is unclear.
pub fn condition(text: &str) -> Result<Option<RuleCondition>, Doubt> {
    let fields = fields(text)?;
    let value = |key: &str| {
        let field = fields.iter().find(|field| field.key == key)?;
        Some(field.value.as_str()).filter(|value| !value.is_empty())
    };
    let told = |key: &str, value: &str, files: &str| {
        Ok(Some(RuleCondition { told: format!("{key}: {value}"), when: patterns(files) }))
    };
    // In Cursor, this decides, whatever files are named beside it.
    let is_single = fields.iter().any(|field| field.key == "alwaysApply" && !field.is_list);
    let always = value("alwaysApply").is_some_and(|applies| applies.eq_ignore_ascii_case("true"));
    let is_always_on = value(TRIGGER) == Some("always_on");
    if (is_single && always || is_always_on) && value("inclusion").is_none() {
        return Ok(None);
    }
    for key in FILES {
        if let Some(files) = value(key).filter(|files| !names_all_files(key, files)) {
            return told(key, files, files);
        }
    }
    if fields.iter().any(|field| field.is_list && ["inclusion", "alwaysApply"].contains(&field.key.as_str()))
    {
        return Err(Doubt::Unclear);
    }
    if let Some(trigger) = value(TRIGGER).filter(|trigger| WAITING.contains(trigger)) {
        return told(TRIGGER, trigger, "");
    }
    match (value("inclusion"), value("alwaysApply")) {
        (Some(inclusion), _) if inclusion != "always" => {
            let files = value("fileMatchPattern").filter(|_| inclusion == "fileMatch");
            told("inclusion", inclusion, files.unwrap_or_default())
        }
        (_, Some(applies)) if !applies.eq_ignore_ascii_case("true") => told("alwaysApply", applies, ""),
        (_, _) => Ok(None),
    }
}

/// The patterns in a value, which are separated by commas outside of braces; none if one of them is invalid.
fn patterns(files: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = files.split(|char| {
        depth = match char {
            '{' => depth + 1,
            '}' => depth.saturating_sub(1),
            _ => depth,
        };
        char == ',' && depth == 0
    });
    let patterns: Vec<String> =
        parts.map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect();
    if patterns.iter().all(|pattern| alternatives(pattern).is_ok()) { patterns } else { Vec::new() }
}

/// Characters that only some readers take for the end of a line.
const DOUBTFUL: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];
/// All other white space is part of the text.
const BLANKS: [char; 2] = [' ', '\t'];

/// A top-level key with its value; the items of a list are joined with `, `.
#[derive(Debug, PartialEq, Eq)]
struct Field {
    key: String,
    value: String,
    is_list: bool,
}

/// What may still follow below a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Below {
    /// The value itself.
    Value,
    /// More items of a list.
    Items,
    /// More unquoted text, or the value of a nested key.
    Words,
    /// Lines that are literally the value, including `#`.
    Block,
    /// Nothing: the value is complete.
    Nothing,
}

/// The part of a value that is on one line.
struct Value {
    text: String,
    below: Below,
}

/// The fields of the front matter between a first line `---` and the next; none if there is no front matter.
///
/// # Errors
/// If it is never closed, or not completely understood.
fn fields(text: &str) -> Result<Vec<Field>, Doubt> {
    let mut lines = lines(text).skip_while(|line| line.trim().is_empty());
    let first = lines.next().map(|first| first.trim_start_matches('\u{feff}'));
    match first.and_then(|first| first.strip_prefix("---")) {
        Some(rest) if rest.trim().is_empty() => {}
        Some(rest) if !rest.starts_with('-') => return Err(Doubt::Unclear),
        Some(_) | None => return Ok(Vec::new()),
    }
    let mut reader = FieldReader::default();
    for line in lines {
        let line = line.trim_end_matches(BLANKS);
        if matches!(line, "---" | "...") {
            return Ok(reader.fields);
        }
        reader.take(line)?;
    }
    Err(Doubt::Unclear)
}

/// The lines of `text`, whatever its line endings.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').flat_map(|line| {
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line).split('\r')
    })
}

#[derive(Default)]
struct FieldReader {
    fields: Vec<Field>,
    /// The indentation of the top-level keys, once there is one.
    indent: Option<usize>,
    below: Option<Below>,
}

impl FieldReader {
    fn take(&mut self, line: &str) -> Result<(), Doubt> {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        if content.is_empty() {
            return Ok(());
        }
        if content.contains(|c: char| DOUBTFUL.contains(&c) || (c.is_control() && c != '\t')) {
            return Err(Doubt::Unclear);
        }
        let top = self.indent.unwrap_or(indent);
        let is_block = indent > top && self.below == Some(Below::Block);
        if content.starts_with('#') && !is_block {
            return Ok(());
        }
        if content.starts_with('\t') || indent < top {
            return Err(Doubt::Unclear);
        }
        let is_item = content == "-" || content.starts_with("- ");
        let takes_items = matches!(self.below, Some(Below::Value | Below::Items));
        if indent > top || (is_item && takes_items) {
            return self.go_on(content, is_item);
        }
        self.indent = Some(top);
        self.begin(content)
    }

    /// Reads a line with a top-level key.
    fn begin(&mut self, line: &str) -> Result<(), Doubt> {
        let (key, rest) = key(line).ok_or(Doubt::Unclear)?;
        if self.fields.iter().any(|field| field.key == key) {
            return Err(Doubt::Unclear);
        }
        let Value { text, below } = value(rest)?;
        let is_list = rest.trim_start_matches(BLANKS).starts_with('[');
        self.fields.push(Field { key: key.to_owned(), value: text, is_list });
        self.below = Some(below);
        Ok(())
    }

    /// Reads a line below a key.
    fn go_on(&mut self, line: &str, is_item: bool) -> Result<(), Doubt> {
        let (Some(field), Some(below)) = (self.fields.last_mut(), &mut self.below) else {
            return Err(Doubt::Unclear);
        };
        let (separator, text) = match below {
            Below::Nothing => return Err(Doubt::Unclear),
            Below::Block => (" ", line.to_owned()),
            Below::Value | Below::Items if is_item => {
                *below = Below::Items;
                field.is_list = true;
                let item = value(line.strip_prefix('-').unwrap_or(line))?;
                if item.below == Below::Block {
                    return Err(Doubt::Unclear);
                }
                (", ", item.text)
            }
            Below::Value => {
                let Value { text, below: then } = value(line)?;
                *below = then;
                field.is_list = line.starts_with('[');
                (" ", text)
            }
            Below::Items | Below::Words => (" ", without_comment(line).to_owned()),
        };
        if !field.value.is_empty() && !text.is_empty() {
            field.value.push_str(separator);
        }
        field.value.push_str(&text);
        Ok(())
    }
}

/// The key of a line, and the text after its colon.
fn key(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = match line.strip_prefix(['"', '\'']) {
        Some(quoted) => {
            let (key, rest) = quoted.split_once(&line[..1])?;
            (key, rest.trim_start_matches(BLANKS).strip_prefix(':')?)
        }
        None => line.split_once(':')?,
    };
    let key = key.trim_end_matches(BLANKS);
    let is_plain = key.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ' '));
    (is_plain && (rest.is_empty() || rest.starts_with(BLANKS))).then_some((key, rest))
}

/// Parses the value on the line of its key.
fn value(written: &str) -> Result<Value, Doubt> {
    let written = written.trim_matches(BLANKS);
    let complete = |text| Ok(Value { text, below: Below::Nothing });
    match written.chars().next() {
        Some('"' | '\'') => {
            let (text, rest) = quoted(written)?;
            if without_comment(rest).is_empty() { complete(text.to_owned()) } else { Err(Doubt::Unclear) }
        }
        Some('[') => complete(list(&written[1..])?),
        Some('{') => Err(Doubt::Unclear),
        Some('|' | '>') => Ok(header(without_comment(written))),
        Some(_) | None => Ok(plain(without_comment(written))),
    }
}

fn plain(text: &str) -> Value {
    match text {
        "" => Value { text: String::new(), below: Below::Value },
        "~" | "null" | "Null" | "NULL" => Value { text: String::new(), below: Below::Words },
        text => Value { text: text.to_owned(), below: Below::Words },
    }
}

/// The header of literal lines, such as `>-`, or else plain text.
fn header(text: &str) -> Value {
    if matches!(&text[1..], "" | "-" | "+") {
        Value { text: String::new(), below: Below::Block }
    } else {
        plain(text)
    }
}

/// The text between quotes as written, and the rest.
fn quoted(written: &str) -> Result<(&str, &str), Doubt> {
    let mut chars = written.char_indices();
    let quote = chars.next().map(|(_, quote)| quote);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if quote == Some('"') => {
                chars.next();
            }
            '\'' if quote == Some('\'') && written[at + 1..].starts_with('\'') => {
                chars.next();
            }
            c if Some(c) == quote => return Ok((&written[1..at], &written[at + 1..])),
            _ => {}
        }
    }
    Err(Doubt::Unclear)
}

/// Parses a list in brackets, after the opening bracket.
fn list(written: &str) -> Result<String, Doubt> {
    let mut joined = String::new();
    let mut rest = written;
    loop {
        let (item, after) = item(rest.trim_start_matches(BLANKS))?;
        if !joined.is_empty() && !item.is_empty() {
            joined.push_str(", ");
        }
        joined.push_str(item);
        let after = after.trim_start_matches(BLANKS);
        if let Some(end) = after.strip_prefix(']') {
            return if without_comment(end).is_empty() { Ok(joined) } else { Err(Doubt::Unclear) };
        }
        rest = after.strip_prefix(',').ok_or(Doubt::Unclear)?;
    }
}

/// The next item of a list, and the rest.
fn item(written: &str) -> Result<(&str, &str), Doubt> {
    if written.starts_with(['"', '\'']) {
        return quoted(written);
    }
    let end = written.find([',', '[', ']', '{', '}', '#']).ok_or(Doubt::Unclear)?;
    let (item, after) = written.split_at(end);
    Ok((item.trim_end_matches(BLANKS), after))
}

/// Removes a comment, which starts at the beginning of the text or after white space.
fn without_comment(text: &str) -> &str {
    let is_comment = |at: &usize| *at == 0 || text[..*at].ends_with(BLANKS);
    let end = text.match_indices('#').map(|(at, _)| at).find(is_comment);
    text[..end.unwrap_or(text.len())].trim_matches(BLANKS)
}
