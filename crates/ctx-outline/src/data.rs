//! Data files: JSON, TOML and YAML.

use crate::Kind;
use crate::lines::{LineCursor, LineStarts, indent_of, line_end, maybe_triple_string_end, string_end};
use crate::outline::Findings;
use std::ops::Range;

/// Keys are kept down to this depth of objects, mappings and lists.
const KEY_DEPTH: usize = 3;
/// How many elements of each list are kept.
const ELEMENTS: usize = 3;

#[derive(Clone, Copy)]
struct Container {
    is_list: bool,
    elements: usize,
    /// The first omitted line of the container.
    omit_from: Option<usize>,
    place: Option<usize>,
}

struct JsonScanner<'t, 's> {
    text: &'t str,
    bytes: &'t [u8],
    cursor: LineCursor<'s>,
    findings: Findings<'t>,
    containers: Vec<Container>,
    /// How many containers are open inside the innermost one that is tracked.
    deeper: usize,
    last_text: Range<usize>,
    key: Option<usize>,
}

/// JSON: the keys of the outer levels, and the first elements of each list.
pub(crate) fn scan_json<'t>(text: &'t str, lines: &LineStarts) -> Findings<'t> {
    let mut scanner = JsonScanner {
        text,
        bytes: text.as_bytes(),
        cursor: LineCursor::new(lines),
        findings: Findings::new(text, lines),
        containers: Vec::new(),
        deeper: 0,
        last_text: 0..0,
        key: None,
    };
    let mut at = 0;
    while at < scanner.bytes.len() {
        at = scanner.step(at);
    }
    scanner.findings
}

impl JsonScanner<'_, '_> {
    fn step(&mut self, at: usize) -> usize {
        match self.bytes[at] {
            b'{' => self.open(at, false),
            b'[' => self.open(at, true),
            b'}' | b']' => self.close(at),
            b',' => self.comma(at),
            b':' => self.colon(at),
            b'"' => {
                let end = string_end(self.bytes, at + 1, b'"');
                self.last_text = at + 1..end.saturating_sub(1).max(at + 1);
                return end;
            }
            b'/' if matches!(self.bytes.get(at + 1), Some(b'/')) => {
                return line_end(self.bytes, at);
            }
            b'/' if matches!(self.bytes.get(at + 1), Some(b'*')) => {
                let end = self.bytes[at + 2..].windows(2).position(|pair| pair == b"*/");
                return end.map_or(self.bytes.len(), |length| at + length + 4);
            }
            _ => {}
        }
        at + 1
    }

    fn open(&mut self, at: usize, is_list: bool) {
        if self.containers.len() > KEY_DEPTH {
            self.deeper += 1;
            return;
        }
        let line = self.cursor.advance_to(at);
        // The contents of the innermost tracked containers are omitted.
        let omit_from = (self.containers.len() == KEY_DEPTH).then_some(line + 1);
        self.containers.push(Container { is_list, elements: 0, omit_from, place: self.key.take() });
    }

    fn close(&mut self, at: usize) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let Some(container) = self.containers.pop() else {
            return;
        };
        let line = self.cursor.advance_to(at);
        let outside = self.containers.iter().all(|container| container.omit_from.is_none());
        if let Some(first) = container.omit_from.filter(|_| outside) {
            self.findings.omit(first, line);
        }
        if let Some(place) = container.place {
            self.findings.end_declaration(place, line);
        }
    }

    fn comma(&mut self, at: usize) {
        self.key = None;
        if self.deeper > 0 {
            return;
        }
        if let Some(container) = self.containers.last_mut().filter(|container| container.is_list) {
            container.elements += 1;
            if container.elements == ELEMENTS {
                let line = self.cursor.advance_to(at);
                container.omit_from = container.omit_from.or(Some(line + 1));
            }
        }
    }

    /// Declares the key that ends just before `at`, if it belongs to the outermost object.
    fn colon(&mut self, at: usize) {
        self.key = None;
        if self.deeper == 0 && self.containers.len() == 1 {
            let line = self.cursor.advance_to(at);
            self.key = Some(self.findings.declare(&self.text[self.last_text.clone()], Kind::Key, line, line));
        }
    }
}

/// TOML: tables and keys; values that span several lines are omitted.
pub(crate) fn scan_toml<'t>(text: &'t str, lines: &LineStarts) -> Findings<'t> {
    let bytes = text.as_bytes();
    let mut cursor = LineCursor::new(lines);
    let mut findings = Findings::new(text, lines);
    let (mut at, mut in_table) = (0, false);
    while at < bytes.len() {
        let start = at + indent_of(&bytes[at..]);
        let first = cursor.advance_to(at);
        let end = value_end(bytes, start);
        let last = cursor.advance_to(end.saturating_sub(1).max(at));
        match bytes.get(start) {
            Some(b'[') => {
                findings.close(0, first.saturating_sub(1));
                let name = text[start..end].split('#').next().unwrap_or("").trim().trim_matches(['[', ']']);
                findings.declare(name, Kind::Key, first, last);
                findings.open_last(0);
                in_table = true;
            }
            Some(byte) if !matches!(byte, b'#' | b'\n' | b'\r') => {
                findings.omit(first + 1, last);
                let key = bytes[start..end].iter().position(|byte| *byte == b'=');
                if let Some(length) = key.filter(|_| !in_table) {
                    findings.declare(text[start..start + length].trim(), Kind::Key, first, last);
                }
            }
            _ => {}
        }
        at = end + 1;
    }
    findings.close(0, lines.count().saturating_sub(1));
    findings
}

/// The offset of the newline that ends the key and its value, or the header, at `at`.
fn value_end(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' if depth == 0 => return at,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'#' => {
                at = line_end(bytes, at);
                continue;
            }
            quote @ (b'"' | b'\'') => {
                at = maybe_triple_string_end(bytes, at, quote == b'"');
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// A mapping or list whose lines are indented by `indent`.
struct MappingLevel {
    indent: usize,
    elements: usize,
}

/// YAML: the keys of the outer levels, and the first elements of each list.
pub(crate) fn scan_yaml<'t>(text: &'t str, lines: &LineStarts) -> Findings<'t> {
    let mut findings = Findings::new(text, lines);
    let mut levels: Vec<MappingLevel> = Vec::new();
    // The first line of the omitted run, and the indentation that ends it.
    let mut run: Option<MappingLevel> = None;
    let mut run_start = 0;
    let mut last_content = 0;
    for line in 0..lines.count() {
        let range = lines.bytes(line);
        let bytes = &text.as_bytes()[range.clone()];
        let content = bytes.trim_ascii();
        if content.is_empty() || content.starts_with(b"#") {
            continue;
        }
        let indent = indent_of(bytes);
        let is_element = content == b"-" || content.starts_with(b"- ");
        if let Some(omitted) = &run {
            let same_list = omitted.elements > 0 && is_element && indent == omitted.indent;
            if indent > omitted.indent || same_list {
                last_content = line + 1;
                continue;
            }
            findings.omit(run_start, last_content);
            run = None;
        }
        last_content = line + 1;
        while levels.pop_if(|level| level.indent > indent).is_some() {}
        if levels.last().is_none_or(|level| level.indent < indent) {
            levels.push(MappingLevel { indent, elements: 0 });
        }
        let depth = levels.len();
        let Some(level) = levels.last_mut() else { continue };
        level.elements = if is_element { level.elements + 1 } else { 0 };
        if level.elements > ELEMENTS {
            run = Some(MappingLevel { indent, elements: 1 });
            run_start = line;
        } else if depth >= KEY_DEPTH || begins_block_text(content) {
            run = Some(MappingLevel { indent, elements: 0 });
            run_start = line + 1;
        }
        if indent == 0 && !is_element {
            findings.close(0, line.saturating_sub(1));
            if let Some((name, _)) = text[range].split_once(':') {
                findings.declare(name.trim().trim_matches(['"', '\'']), Kind::Key, line, line);
                findings.open_last(0);
            }
        }
    }
    if run.is_some() {
        findings.omit(run_start, last_content);
    }
    findings.close(0, lines.count().saturating_sub(1));
    findings
}

/// Whether a line is followed by a block of text: `key: |`
fn begins_block_text(content: &[u8]) -> bool {
    let word = content.rsplit(|byte| matches!(byte, b' ' | b'\t')).next().unwrap_or(content);
    matches!(word.first(), Some(b'|' | b'>')) && word.len() <= 3 && word.len() < content.len()
}
