//! Vue and Svelte: the declarations of scripts and styles; what is drawn is the body.

use crate::brace;
use crate::css;
use crate::lines::{LineStarts, is_blank};
use crate::outline::Findings;
use crate::{Kind, Language};

/// A part of a component, from its tag to the end of it.
struct Part {
    tag: Tag,
    /// The line of the tag, from 0.
    first: usize,
    /// The line after the tag.
    body: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    Script,
    Style,
    Template,
}

impl Tag {
    const ALL: [Self; 3] = [Self::Script, Self::Style, Self::Template];

    const fn name(self) -> &'static str {
        match self {
            Self::Script => "script",
            Self::Style => "style",
            Self::Template => "template",
        }
    }

    /// The tag that begins a line, which is not indented.
    fn opened_by(line: &str) -> Option<Self> {
        let rest = line.strip_prefix('<')?;
        Self::ALL.into_iter().find(|tag| rest.strip_prefix(tag.name()).is_some_and(ends_name))
    }

    /// Whether a line ends the part. A template has other templates in it, which are indented.
    fn is_closed_by(self, line: &str) -> bool {
        let line = if self == Self::Template { line } else { line.trim_start() };
        line.strip_prefix("</").and_then(|rest| rest.strip_prefix(self.name())).is_some_and(ends_name)
    }
}

fn ends_name(rest: &str) -> bool {
    rest.starts_with(|c: char| c == '>' || c == '/' || c.is_ascii_whitespace())
}

pub(crate) fn scan<'t>(text: &'t str, lines: &LineStarts, language: Language) -> Findings<'t> {
    let mut findings = Findings::new(text, lines);
    let mut part: Option<Part> = None;
    // The first line of what is drawn, where that has no tag of its own.
    let mut drawn = (language == Language::Svelte).then_some(0);
    for number in 0..lines.count() {
        let line = &text[lines.bytes(number)];
        match &mut part {
            None => {
                let Some(tag) = Tag::opened_by(line).filter(|tag| *tag != Tag::Template || drawn.is_none())
                else {
                    continue;
                };
                if line.trim_end().ends_with("/>") || line.contains("</") {
                    continue;
                }
                if let Some(first) = drawn {
                    omit_drawn(&mut findings, text, lines, first..number);
                }
                part = Some(Part { tag, first: number, body: number + 1 });
            }
            Some(open) if open.tag.is_closed_by(line) => {
                read(&mut findings, text, lines, open, number);
                drawn = drawn.map(|_| number + 1);
                part = None;
            }
            // The tag has a line for each attribute.
            Some(open) if open.body == number && !tag_ends(&text[lines.bytes(number - 1)]) => open.body += 1,
            Some(_) => {}
        }
    }
    match (part, drawn) {
        (Some(open), _) => read(&mut findings, text, lines, &open, lines.count()),
        (None, Some(first)) => omit_drawn(&mut findings, text, lines, first..lines.count()),
        (None, None) => {}
    }
    findings
}

fn tag_ends(line: &str) -> bool {
    line.trim_end().ends_with('>')
}

/// Reads a part that ends before the line `end`.
fn read<'t>(findings: &mut Findings<'t>, text: &'t str, lines: &LineStarts, part: &Part, end: usize) {
    let body = part.body.min(end);
    let inner = &text[lines.start(body)..lines.start(end)];
    let inner_lines = LineStarts::of(inner);
    match part.tag {
        Tag::Script => {
            let found = brace::BraceScanner::new(inner, &inner_lines, Language::TypeScript).scan();
            findings.take_in(found, body);
        }
        Tag::Style => findings.take_in(css::scan(inner, &inner_lines), body),
        Tag::Template => {
            let last = end.min(lines.count().saturating_sub(1));
            findings.declare("template", Kind::Section, part.first, last);
            findings.omit(body, end);
        }
    }
}

/// Leaves out what is drawn in these lines, but for the blank ones around it.
fn omit_drawn(findings: &mut Findings<'_>, text: &str, lines: &LineStarts, range: std::ops::Range<usize>) {
    let has_text = |line: &usize| !is_blank(&text.as_bytes()[lines.bytes(*line)]);
    if let (Some(first), Some(last)) = (range.clone().find(has_text), range.rev().find(has_text)) {
        findings.omit(first, last + 1);
    }
}
