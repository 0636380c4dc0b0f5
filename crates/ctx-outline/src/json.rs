//! JSON: the keys of the outer levels, and the first elements of each list.

use crate::Kind;
use crate::lines::{LineCursor, LineStarts};
use crate::outline::Findings;
use std::ops::Range;

/// Keys in as many objects and lists stay.
const KEY_DEPTH: usize = 3;
/// How many elements of each list stay.
const ELEMENTS: usize = 3;

#[derive(Clone, Copy)]
struct Container {
    is_list: bool,
    elements: usize,
    /// The first line of what is left out of the container.
    omit_from: Option<usize>,
    place: Option<usize>,
}

struct JsonScanner<'t, 's> {
    text: &'t str,
    bytes: &'t [u8],
    cursor: LineCursor<'s>,
    findings: Findings<'t>,
    containers: Vec<Container>,
    /// How many containers are open inside of the innermost that is followed.
    deeper: usize,
    last_text: Range<usize>,
    key: Option<usize>,
}

pub(crate) fn scan<'t>(text: &'t str, lines: &LineStarts) -> Findings<'t> {
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
                let end = string_end(self.bytes, at + 1);
                self.last_text = at + 1..end.saturating_sub(1).max(at + 1);
                return end;
            }
            b'/' if matches!(self.bytes.get(at + 1), Some(b'/')) => {
                return crate::words::line_end(self.bytes, at);
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
        // The innermost containers that are followed show only that they are there.
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

    /// Declares the key of the outermost object that ends before `at`.
    fn colon(&mut self, at: usize) {
        self.key = None;
        if self.deeper == 0 && self.containers.len() == 1 {
            let line = self.cursor.advance_to(at);
            self.key = Some(self.findings.declare(&self.text[self.last_text.clone()], Kind::Key, line, line));
        }
    }
}

fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'"' => return at + 1,
            b'\n' => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}
