//! YAML: the keys of the outer levels, and the first elements of each list.

use crate::Kind;
use crate::lines::{LineStarts, indent_of};
use crate::outline::Findings;

/// Keys in as many mappings and lists stay.
const KEY_DEPTH: usize = 3;
/// How many elements of each list stay.
const ELEMENTS: usize = 3;

/// A mapping or list whose lines are indented by `indent`.
struct MappingLevel {
    indent: usize,
    elements: usize,
}

pub(crate) fn scan<'t>(text: &'t str, lines: &LineStarts) -> Findings<'t> {
    let mut findings = Findings::new(text, lines);
    let mut levels: Vec<MappingLevel> = Vec::new();
    let mut key: Option<usize> = None;
    // The first line of the run that is left out, and the indentation that ends it.
    let mut run: Option<MappingLevel> = None;
    let mut run_start = 0;
    let mut last_content = 0;
    for line in 0..lines.count() {
        let bytes = &text.as_bytes()[lines.bytes(line)];
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
            if let Some(place) = key.take() {
                findings.end_declaration(place, line.saturating_sub(1));
            }
            key = declare_key(text, lines, line, &mut findings);
        }
    }
    if run.is_some() {
        findings.omit(run_start, last_content);
    }
    if let Some(place) = key {
        findings.end_declaration(place, lines.count().saturating_sub(1));
    }
    findings
}

fn declare_key<'t>(
    text: &'t str,
    lines: &LineStarts,
    line: usize,
    findings: &mut Findings<'t>,
) -> Option<usize> {
    let (name, _) = text[lines.bytes(line)].split_once(':')?;
    Some(findings.declare(name.trim().trim_matches(['"', '\'']), Kind::Key, line, line))
}

/// Whether the lines after a line are a text of their own: `key: |`
fn begins_block_text(content: &[u8]) -> bool {
    let word = content.rsplit(|byte| matches!(byte, b' ' | b'\t')).next().unwrap_or(content);
    matches!(word.first(), Some(b'|' | b'>')) && word.len() <= 3 && word.len() < content.len()
}
