//! Names and paths in the reply of a model, whatever form it has. A reply is only data: nothing in it is obeyed.

use ctx_search::is_ideographic;
use serde_json::Value;

/// Only this much of a reply is read, in bytes.
pub const MOST_BYTES: usize = 8 << 10;

/// The longest name, in characters.
const LONGEST: usize = 64;

/// The most words of an item of a list that is not quoted, such as `- no upstreams available`.
const MOST_WORDS: usize = 4;

/// The pairs of characters around a quoted name.
const QUOTES: [(char, char); 8] =
    [('`', '`'), ('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’'), ('«', '»'), ('「', '」'), ('『', '』')];

/// What is between the items of a list on one line.
const SEPARATORS: [char; 7] = [',', ';', '、', '，', '；', '､', '،'];

/// The names and paths in a reply, in order, each once.
#[must_use]
pub fn names_in(reply: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(beginning(reply));
    let text = after_thoughts(&text);
    let mut names = Names::default();
    match json_in(text) {
        Some(value) => names.take_json(&value),
        None => text.split(['\n', '\r']).for_each(|line| names.take_line(line)),
    }
    names.0
}

/// Whether a reply repeats the request, as that of a program for tests does.
#[must_use]
pub fn echoes(reply: &[u8], paragraph: &str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    words(&String::from_utf8_lossy(reply)).contains(&words(paragraph))
}

/// The reply, up to the last whole line if it is too long.
fn beginning(reply: &[u8]) -> &[u8] {
    if reply.len() <= MOST_BYTES {
        return reply;
    }
    let beginning = &reply[..MOST_BYTES];
    &beginning[..memchr::memrchr(b'\n', beginning).unwrap_or(0)]
}

/// The part after the thoughts that some models print first.
fn after_thoughts(text: &str) -> &str {
    text.rsplit_once("</think>").map_or(text, |(_, rest)| rest)
}

/// The reply as JSON, alone or between fences.
fn json_in(text: &str) -> Option<Value> {
    let fenced = text.split("```").nth(1).map(|fenced| fenced.trim_start_matches(char::is_alphanumeric));
    [Some(text), fenced].into_iter().flatten().find_map(|text| {
        let value: Value = serde_json::from_str(text.trim()).ok()?;
        (value.is_array() || value.is_object()).then_some(value)
    })
}

#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn take_json(&mut self, value: &Value) {
        match value {
            Value::String(text) => text.split('\n').for_each(|line| self.take(line)),
            Value::Array(values) => values.iter().for_each(|value| self.take_json(value)),
            Value::Object(map) => map.values().for_each(|value| self.take_json(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Takes the names in a line: all items of a list; in prose, only what is quoted or spelled like an identifier.
    fn take_line(&mut self, line: &str) {
        let (line, is_item) = without_bullet(line.trim());
        if line.starts_with("```") {
            return;
        }
        let line = without_title(line);
        let quoted: Vec<&str> = quoted(line);
        if !quoted.is_empty() {
            quoted.into_iter().for_each(|name| self.take(name));
            return;
        }
        let items: Vec<&str> = line.split(SEPARATORS).map(item).filter(|item| !item.is_empty()).collect();
        let most = if is_item { MOST_WORDS } else { 1 };
        let is_name = |item: &&str| item.split_whitespace().count() <= most && !ends_a_sentence(item);
        if items.iter().all(is_name) {
            items.into_iter().for_each(|name| self.take(name));
        } else {
            // Languages without spaces write a name between their own letters.
            let is_between = |c: char| c.is_whitespace() || is_ideographic(c) || SEPARATORS[2..].contains(&c);
            let words = line
                .split(is_between)
                .map(|word| item(word.trim_end_matches(['.', ',', ';', ':', '!', '?'])));
            words.filter(|word| is_spelled_as_name(word)).for_each(|name| self.take(name));
        }
    }

    /// Takes a name, if it can be one.
    fn take(&mut self, name: &str) {
        let name = name.trim();
        let is_name = name.chars().any(char::is_alphanumeric)
            && name.chars().count() <= LONGEST
            && !name.chars().any(char::is_control);
        if is_name && !self.0.iter().any(|known| known == name) {
            self.0.push(name.to_owned());
        }
    }
}

/// The line without the mark of a list's item, and whether it had one.
fn without_bullet(line: &str) -> (&str, bool) {
    const MARKS: [&str; 8] = ["- ", "* ", "+ ", "• ", "– ", "・", "●", "■"];
    const AFTER_A_NUMBER: [&str; 9] = [". ", ") ", ": ", "．", "）", "：", "、", "。", "　"];
    if let Some(rest) = MARKS.iter().find_map(|mark| line.strip_prefix(mark)) {
        return (rest.trim(), true);
    }
    if let Some(rest) = line.strip_prefix(|c: char| ('①'..='⑳').contains(&c)) {
        return (rest.trim(), true);
    }
    let number = line.strip_prefix(['(', '（']).unwrap_or(line);
    let rest = number.trim_start_matches(char::is_numeric);
    let numbered = AFTER_A_NUMBER.iter().find_map(|mark| rest.strip_prefix(mark));
    match numbered.filter(|_| rest.len() < number.len()) {
        Some(rest) => (rest.trim(), true),
        None => (line, false),
    }
}

/// The line without what announces its names, as in `Names: a, b`.
fn without_title(line: &str) -> &str {
    let plain = line.trim_matches(['*', '#', ' ']);
    if let Some((_, rest)) = plain.split_once('：').filter(|(title, _)| is_title(title)) {
        return rest.trim_matches(['*', ' ']);
    }
    match plain.split_once(':') {
        Some((title, rest)) if is_title(title) && (rest.is_empty() || rest.starts_with([' ', '*'])) => {
            rest.trim_matches(['*', ' '])
        }
        Some(_) | None => plain,
    }
}

fn is_title(text: &str) -> bool {
    const TITLES: [&str; 19] = [
        "name",
        "names",
        "path",
        "paths",
        "file",
        "files",
        "identifiers",
        "functions",
        "名前",
        "識別子",
        "関数",
        "ファイル",
        "パス",
        "名称",
        "标识符",
        "函数",
        "文件",
        "路径",
        "이름",
    ];
    TITLES.contains(&text.trim_matches(['*', ' ']).to_ascii_lowercase().as_str())
}

/// The texts between quotation marks, of one line. An apostrophe doesn't open a quotation.
fn quoted(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        let pair = QUOTES
            .iter()
            .find(|(open, _)| *open == first && (!before.is_alphanumeric() || is_ideographic(before)));
        match pair.and_then(|(_, close)| after.split_once(*close)) {
            Some((inside, outside)) => {
                found.push(inside);
                (rest, before) = (outside, ' ');
            }
            None => (rest, before) = (after, first),
        }
    }
    found
}

/// An item of a list without what describes it: `parse_header() - reads a header`.
fn item(text: &str) -> &str {
    let text = text.trim().trim_matches('*');
    let ends =
        [" - ", " – ", " — ", ": ", " (", "(", "（", "：", "――"].iter().filter_map(|mark| text.find(mark));
    let end = ends.filter(|end| *end > 0).min().unwrap_or(text.len());
    text[..end].trim()
}

fn ends_a_sentence(text: &str) -> bool {
    text.ends_with(['.', '!', '?', ':', '…', '。', '！', '？', '：'])
}

/// Whether a word is written as only names are: `snake_case`, `camelCase`, `a::b`.
fn is_spelled_as_name(word: &str) -> bool {
    let mut pairs = word.as_bytes().windows(2);
    pairs.any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        || word.trim_matches('_').contains('_')
        || word.contains("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_are(expected: &[&str], replies: &[&str]) {
        replies.iter().for_each(|reply| assert_eq!(names_in(reply.as_bytes()), expected, "{reply}"));
    }

    #[test]
    fn names_are_found_in_lists_of_every_form() {
        all_are(
            &["restore_merge", "UndoStack", "src/undo.rs"],
            &[
                "restore_merge\nUndoStack\nsrc/undo.rs\n",
                "- restore_merge\r\n- `UndoStack`\r\n* src/undo.rs\r\n",
                "1. `restore_merge` - restores it\n2) UndoStack: the stack\n3. src/undo.rs (the file)\n",
                "restore_merge, UndoStack, src/undo.rs",
                "Names: restore_merge, UndoStack\n\n**Paths:**\nsrc/undo.rs\n",
                "```\nrestore_merge()\nUndoStack\nsrc/undo.rs\n```",
                "```json\n[\"restore_merge\", \"UndoStack\", \"src/undo.rs\"]\n```\n",
                "{\"names\": [\"restore_merge\", \"UndoStack\"], \"paths\": [\"src/undo.rs\"], \"n\": 3}",
                "<think>Perhaps `other`?</think>\nrestore_merge\nUndoStack\nsrc/undo.rs",
                "I'd look for `restore_merge` and \"UndoStack\", which doesn't use it, in 'src/undo.rs'.",
                "Look at restore_merge(), then at UndoStack.\n- src/undo.rs",
            ],
        );
    }

    #[test]
    fn names_are_found_in_lists_of_languages_without_spaces() {
        all_are(
            &["DoubleArray", "normalize", "長音"],
            &[
                "DoubleArray、normalize、長音",
                "DoubleArray；normalize；長音",
                "名前：DoubleArray，normalize，長音\n",
                "DoubleArray（木構造）\nnormalize（長音の正規化）\n長音：ー の 扱い",
                "１．DoubleArray\n２．normalize（正規化）\n３．長音\n",
                "①DoubleArray\n② normalize\n③長音",
                "1、DoubleArray\n2、normalize\n（3）長音",
                "・DoubleArray\n・normalize：正規化\n・長音",
                "「DoubleArray」と「normalize」、「長音」を見てください。",
            ],
        );
        all_are(
            &["DoubleArray", "rewrite_prolonged"],
            &["まずDoubleArrayを見て、次にrewrite_prolongedを確認してください。"],
        );
        all_are(&[], &["分かりません。", "すみません、名前は一つも分かりません。"]);
    }

    #[test]
    fn prose_and_messages_are_told_apart() {
        all_are(
            &[],
            &["", "\n\n", "I have no idea, sorry.", "Sure!", "Here are the names:", "[]", "...", "```\n```"],
        );
        all_are(
            &["no upstreams available", "-uu"],
            &["- no upstreams available\n- -uu", "\"no upstreams available\"\n-uu"],
        );
    }

    #[test]
    fn long_names_and_long_replies_are_cut() {
        let reply = format!("{}\n{}\n", "a".repeat(65), "b".repeat(64));
        all_are(&[&"b".repeat(64)], &[&reply]);
        let many: String = (0..10_000).map(|number| format!("name_{number}\n")).collect();
        let names = names_in(many.as_bytes());
        assert!(names.iter().map(|name| name.len() + 1).sum::<usize>() <= MOST_BYTES);
        assert_eq!(names.last().map(String::as_str), Some("name_921"));
        assert!(names_in(&b"x".repeat(20_000)).is_empty());
        assert_eq!(names_in(b"a\x1b[31mb\xff\ncd"), ["cd"]);
    }

    #[test]
    fn echo_is_recognised_in_every_form() {
        let paragraph = "Which names does it use? One a line.";
        assert!(echoes(b"x Which names does it\n use? One  a line.\n", paragraph));
        assert!(echoes(br#"{"prompt": "\n\nWhich names does it use? One a line.\n"}"#, paragraph));
        assert!(!echoes(b"Which names?", paragraph));
    }
}
