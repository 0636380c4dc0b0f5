//! Vue and Svelte: declarations in scripts and styles are kept, and templates are treated as bodies.

use crate::brace;
use crate::css;
use crate::lines::{LineStarts, is_blank};
use crate::outline::Findings;
use crate::{Kind, Language};
use std::ops::Range;

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

    /// The tag that `text` begins with, after white space.
    fn opened_by(text: &str) -> Option<Self> {
        let rest = text.trim_ascii_start().strip_prefix('<')?;
        Self::ALL.into_iter().find(|tag| rest.strip_prefix(tag.name()).is_some_and(ends_name))
    }

    /// The end of the part whose contents begin at `from`: the offset of its closing tag. Templates can contain
    /// templates.
    fn end(self, text: &str, from: usize, comments_end: usize) -> Option<usize> {
        let (mut at, mut depth) = (from, 1);
        while let Some(found) = text[at..].find('<') {
            let start = at + found;
            let rest = &text[start + 1..];
            at = start + 1;
            let is_named = |rest: &str| rest.strip_prefix(self.name()).is_some_and(ends_name);
            if rest.strip_prefix('/').is_some_and(is_named) {
                depth -= 1;
                if depth == 0 {
                    return Some(start);
                }
            } else if self == Self::Template && is_named(rest) {
                at = tag_end(text, at)?;
                depth += usize::from(!text[..at].ends_with("/>"));
            } else if self == Self::Template && rest.starts_with("!--") && at < comments_end {
                at += rest.find("-->")?;
            }
        }
        None
    }
}

fn ends_name(rest: &str) -> bool {
    rest.starts_with(|c: char| c == '>' || c == '/' || c.is_ascii_whitespace())
}

/// The offset after the `>` that ends the tag around `from`; one in an attribute's value doesn't count.
fn tag_end(text: &str, from: usize) -> Option<usize> {
    let mut quote = None;
    let found = text.as_bytes()[from..].iter().position(|byte| {
        match (quote, *byte) {
            (None, b'"' | b'\'') => quote = Some(*byte),
            (Some(open), byte) if open == byte => quote = None,
            (None | Some(_), _) => {}
        }
        quote.is_none() && *byte == b'>'
    })?;
    Some(from + found + 1)
}

pub(crate) fn scan<'t>(text: &'t str, lines: &LineStarts, language: Language) -> Findings<'t> {
    let mut findings = Findings::new(text, lines);
    // The first line of the template, if it has no tag of its own.
    let mut drawn = (language == Language::Svelte).then_some(0);
    let mut has_templates = drawn.is_none();
    let comments_end = text.rfind("-->").unwrap_or(0);
    let mut number = 0;
    while number < lines.count() {
        let line = lines.bytes(number);
        let next = number + 1;
        number = next;
        let Some(tag) =
            Tag::opened_by(&text[line.clone()]).filter(|tag| *tag != Tag::Template || has_templates)
        else {
            continue;
        };
        let Some(body) = tag_end(text, line.start) else { break };
        let is_empty = text[..body].ends_with("/>");
        let end = if is_empty { Some(body) } else { tag.end(text, body, comments_end) };
        // A template that isn't closed can't be told apart from the text after it.
        if tag == Tag::Template && end.is_none() {
            has_templates = false;
            continue;
        }
        let end = end.unwrap_or(text.len());
        let all =
            line.start..text[end..].find('>').filter(|_| !is_empty).map_or(end, |close| end + close + 1);
        if let Some(first) = drawn {
            omit_drawn(&mut findings, text, lines, first..next - 1);
        }
        number = next.max(lines.line_of(all.end.saturating_sub(1)) + 1);
        drawn = drawn.map(|_| number);
        if tag == Tag::Template {
            let last = lines.line_of(all.end - 1);
            findings.declare("template", Kind::Section, lines.line_of(all.start), last);
        }
        read(&mut findings, text, lines, tag, body..end);
    }
    if let Some(first) = drawn {
        omit_drawn(&mut findings, text, lines, first..lines.count());
    }
    findings
}

/// Reads the text between two tags, which is at `inner`.
fn read<'t>(findings: &mut Findings<'t>, text: &'t str, lines: &LineStarts, tag: Tag, inner: Range<usize>) {
    // Lines with a tag are kept.
    let first = lines.line_of(inner.start - 1) + 1;
    let is_open = inner.end == text.len();
    let last = if is_open { lines.count() } else { lines.line_of(inner.end) };
    // A tag's own line is part of the contents if more follows on it.
    let rest = lines.start(first).min(inner.end);
    let is_whole = is_blank(&text.as_bytes()[inner.start.min(rest)..rest]);
    let (from, line) = if is_whole { (rest, first) } else { (inner.start, first - 1) };
    let inner = &text[from..inner.end];
    let inner_lines = LineStarts::of(inner);
    match tag {
        Tag::Script => {
            let found = brace::BraceScanner::new(inner, &inner_lines, Language::TypeScript).scan();
            findings.take_in(found, line, first..last);
        }
        Tag::Style => findings.take_in(css::scan(inner, &inner_lines), line, first..last),
        Tag::Template => findings.omit(first, last),
    }
}

/// Omits these lines of the template, except for blank ones around it.
fn omit_drawn(findings: &mut Findings<'_>, text: &str, lines: &LineStarts, range: Range<usize>) {
    let has_text = |line: &usize| !is_blank(&text.as_bytes()[lines.bytes(*line)]);
    if let (Some(first), Some(last)) = (range.clone().find(has_text), range.rev().find(has_text)) {
        findings.omit(first, last + 1);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Language, outline};

    const BODY: &str =
        "    console.log('the first line of a body');\n    console.log('the second line of a body');\n";

    /// The outline as printed, with `…` for each omitted run of lines.
    fn outlined(text: &str, language: Language) -> String {
        outline(text, language).render_with(|_| "…".to_owned())
    }

    #[test]
    fn script_is_found_wherever_its_tags_are() {
        for language in [Language::Vue, Language::Svelte] {
            for (open, close) in [
                ("<script>\n", "</script>"),
                ("  <script lang=\"ts\">\n", "  </script>"),
                ("<script>\n", "const b = 1</script>"),
                ("<script>const c = 1;\n", "</script>"),
                ("<script\n  generic=\"T extends Map<string, X>\"\n>\n", "</script>"),
            ] {
                let text = format!("{open}function a() {{\n{BODY}}}\n{close}\n");
                let expected = format!("{open}function a() {{\n…\n}}\n{close}\n");
                assert_eq!(outlined(&text, language), expected);
                let text = format!("{open}function a() {{\n{BODY}}}{close}\n");
                let expected = format!("{open}function a() {{\n…\n}}{close}\n");
                assert_eq!(outlined(&text, language), expected);
            }
        }
    }

    #[test]
    fn lines_with_tags_are_kept() {
        let text = format!(
            "<script>/* Copyright\n{} */\nlet a = b(() => {{\n{BODY}</script>\n",
            "* licensed\n".repeat(9)
        );
        let found = outlined(&text, Language::Vue);
        assert!(found.starts_with("<script>/* Copyright\n") && found.ends_with("</script>\n"), "{found}");
    }

    #[test]
    fn template_ends_at_its_own_closing_tag() {
        let drawn = "<p>One of the paragraphs that are drawn.</p>\n".repeat(3);
        let script = "<script>\nlet a = 1\n</script>\n";
        for inner in [
            format!("<template v-if=\"a > 1\">\n{drawn}</template>\n"),
            format!("<template #b/>\n{drawn}"),
            format!("<!-- <template> -->\n{drawn}"),
        ] {
            let text = format!("<template>\n{inner}{drawn}</template>\n{script}");
            assert_eq!(outlined(&text, Language::Vue), format!("<template>\n…\n</template>\n{script}"));
        }
        let text = format!("<template>\n<template>\n{drawn}</template>\n{script}");
        assert_eq!(outlined(&text, Language::Vue), text);
    }
}
