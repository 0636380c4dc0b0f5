//! TOML: tables and keys; values over several lines are left out.

use crate::Kind;
use crate::lines::{LineCursor, LineStarts, indent_of};
use crate::outline::Findings;
use crate::words::line_end;

pub(crate) fn scan<'t>(text: &'t str, lines: &LineStarts) -> Findings<'t> {
    let bytes = text.as_bytes();
    let mut cursor = LineCursor::new(lines);
    let mut findings = Findings::new(text, lines);
    let mut table = None;
    let mut at = 0;
    while at < bytes.len() {
        let start = at + indent_of(&bytes[at..]);
        let first = cursor.advance_to(at);
        let end = value_end(bytes, start);
        let last = cursor.advance_to(end.saturating_sub(1).max(at));
        match bytes.get(start) {
            Some(b'[') => {
                if let Some(place) = table {
                    findings.end_declaration(place, first.saturating_sub(1));
                }
                let name = text[start..end].split('#').next().unwrap_or("").trim().trim_matches(['[', ']']);
                table = Some(findings.declare(name, Kind::Key, first, last));
            }
            Some(byte) if !matches!(byte, b'#' | b'\n' | b'\r') => {
                findings.omit(first + 1, last);
                let key = bytes[start..end].iter().position(|byte| *byte == b'=');
                if let Some(length) = key.filter(|_| table.is_none()) {
                    findings.declare(text[start..start + length].trim(), Kind::Key, first, last);
                }
            }
            _ => {}
        }
        at = end + 1;
    }
    if let Some(place) = table {
        findings.end_declaration(place, lines.count().saturating_sub(1));
    }
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
                at = string_end(bytes, at, quote);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn string_end(bytes: &[u8], at: usize, quote: u8) -> usize {
    let triple = bytes[at..].starts_with(&[quote; 3]);
    let mut next = at + if triple { 3 } else { 1 };
    while next < bytes.len() {
        match bytes[next] {
            b'\\' if quote == b'"' => next += 1,
            b'\n' if !triple => return next,
            byte if byte == quote && !triple => return next + 1,
            byte if byte == quote && bytes[next..].starts_with(&[quote; 3]) => return next + 3,
            _ => {}
        }
        next += 1;
    }
    bytes.len()
}
