//! Which parts of text are code, by CommonMark's rules.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

/// The parts of text that are not searched for references.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Code {
    /// In order; ranges may be nested, but do not overlap otherwise.
    ranges: Vec<Range<usize>>,
}

impl Code {
    /// Only fenced code, for prompts, which may or may not be Markdown.
    #[must_use]
    pub fn fenced(text: &str) -> Self {
        if !text.contains("```") && !text.contains("~~~") {
            return Self::default();
        }
        let is_fenced =
            |event: &Event<'_>| matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))));
        let events = Parser::new(text).into_offset_iter();
        Self { ranges: events.filter(|(event, _)| is_fenced(event)).map(|(_, range)| range).collect() }
    }

    /// Everything in Markdown that is not prose: code spans and blocks, HTML comments, front matter.
    #[must_use]
    pub fn in_markdown(text: &str) -> Self {
        let options =
            Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
        let mut ranges = Vec::new();
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(_) | Tag::MetadataBlock(_)) | Event::Code(_) => {
                    ranges.push(range)
                }
                Event::Start(Tag::HtmlBlock) => comments(text, range, &mut ranges),
                Event::InlineHtml(html) if html.starts_with(COMMENT) => ranges.push(range),
                _ => {}
            }
        }
        Self { ranges }
    }

    /// Whether the text at this offset is code.
    #[must_use]
    pub fn contains(&self, at: usize) -> bool {
        let after = self.ranges.partition_point(|range| range.start <= at);
        after.checked_sub(1).is_some_and(|last| self.ranges[last].contains(&at))
    }
}

const COMMENT: &str = "<!--";
const END_OF_COMMENT: &str = "-->";

/// Adds the comments in a block of HTML to `ranges`; an unclosed one extends to the end of the block.
fn comments(text: &str, block: Range<usize>, ranges: &mut Vec<Range<usize>>) {
    let mut at = block.start;
    while let Some(found) = text[at..block.end].find(COMMENT) {
        let start = at + found;
        let end = text[start..block.end].find(END_OF_COMMENT);
        at = end.map_or(block.end, |end| start + end + END_OF_COMMENT.len());
        ranges.push(start..at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that are not in code.
    fn prose<'a>(text: &'a str, code: &Code) -> Vec<&'a str> {
        let at = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
        text.split_whitespace().filter(|word| word.starts_with('@') && !code.contains(at(word))).collect()
    }

    #[test]
    fn only_the_prose_of_markdown_is_searched() {
        let text = "---\ntitle: x\n@front\n---\n\n@a `x @span y` @b\n\n    @indented\n\n```\n@fenced\n```\n\n> ~~~\n> @quoted\n> ~~~\n\n- @c\n\n  ```sh\n  @listed\n  ```\n\n<!--\n@comment\n-->\n\n@d <!-- @inline --> @e\n\n<div>\n@f\n<!-- @inside\n@too -->\n@g\n</div>\n\n`` @x ` @y `` @h\n\n~~~\n@open\n";
        assert_eq!(prose(text, &Code::in_markdown(text)), ["@a", "@b", "@c", "@d", "@e", "@f", "@g", "@h"]);
    }

    #[test]
    fn only_fenced_code_of_a_prompt_is_left_out() {
        let text = "@a `@b`\n\n    @c\n\n```rust\n@fenced\n```\n<!-- @d -->\n";
        assert_eq!(prose(text, &Code::fenced(text)), ["@a", "@c", "@d"]);
    }

    #[test]
    fn comment_without_an_end_reaches_to_the_end_of_its_block() {
        let text = "@a\n\n<!-- @b\n\n@c\n";
        assert_eq!(prose(text, &Code::in_markdown(text)), ["@a"]);
    }
}
