//! Lines as a reader sees them: without blanks, case, and what cannot be seen.

use std::borrow::Cow;

/// Whether a reader sees nothing of a character: white space, controls, format characters, and what a font
/// leaves out.
pub(super) fn is_blank(char: char) -> bool {
    match char {
        '!'..='~' => false,
        '\0'..=' ' => true,
        _ => {
            let after = BLANKS.partition_point(|range| range.start <= char);
            after > 0 && char <= BLANKS[after - 1].end
        }
    }
}

/// A range of characters, both ends in it.
struct Range {
    start: char,
    end: char,
}

const fn range(start: char, end: char) -> Range {
    Range { start, end }
}

/// `[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{White_Space}]` of Unicode 16.0, as the `regex`
/// crate has it: a test compares the two and prints the table that it should be.
const BLANKS: &[Range] = &[
    range('\u{0000}', '\u{0020}'),
    range('\u{007F}', '\u{00A0}'),
    range('\u{00AD}', '\u{00AD}'),
    range('\u{034F}', '\u{034F}'),
    range('\u{0600}', '\u{0605}'),
    range('\u{061C}', '\u{061C}'),
    range('\u{06DD}', '\u{06DD}'),
    range('\u{070F}', '\u{070F}'),
    range('\u{0890}', '\u{0891}'),
    range('\u{08E2}', '\u{08E2}'),
    range('\u{115F}', '\u{1160}'),
    range('\u{1680}', '\u{1680}'),
    range('\u{17B4}', '\u{17B5}'),
    range('\u{180B}', '\u{180F}'),
    range('\u{2000}', '\u{200F}'),
    range('\u{2028}', '\u{202F}'),
    range('\u{205F}', '\u{206F}'),
    range('\u{3000}', '\u{3000}'),
    range('\u{3164}', '\u{3164}'),
    range('\u{FE00}', '\u{FE0F}'),
    range('\u{FEFF}', '\u{FEFF}'),
    range('\u{FFA0}', '\u{FFA0}'),
    range('\u{FFF0}', '\u{FFFB}'),
    range('\u{110BD}', '\u{110BD}'),
    range('\u{110CD}', '\u{110CD}'),
    range('\u{13430}', '\u{1343F}'),
    range('\u{1BCA0}', '\u{1BCA3}'),
    range('\u{1D173}', '\u{1D17A}'),
    range('\u{E0000}', '\u{E0FFF}'),
];

/// Whether the line that `at` stands on begins there for a reader.
pub(super) fn starts_line(text: &str, at: usize) -> bool {
    let mut before = text[..at].chars().rev().take_while(|char| !ends_line(*char));
    before.all(is_blank)
}

/// What is left of the line from `at` on, without the blanks at its end.
pub(super) fn line_at(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    rest[..rest.find(ends_line).unwrap_or(rest.len())].trim_end_matches(is_blank)
}

fn ends_line(char: char) -> bool {
    matches!(char, '\n' | '\r' | '\u{0B}' | '\u{0C}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// What a reader sees of a text, in lower case.
pub(super) fn seen(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|char| !is_blank(*char)).flat_map(char::to_lowercase)
}

/// The same as a text.
pub(super) fn skeleton(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase()) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(seen(text).collect())
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    #[test]
    fn the_table_of_blanks_is_unicodes() {
        let class = r"\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{White_Space}";
        let class = Regex::new(&format!("[{class}]+")).unwrap();
        let all: String = ('\0'..=char::MAX).collect();
        let table: String = class
            .find_iter(&all)
            .map(|run| {
                let code = |char: Option<char>| u32::from(char.unwrap());
                let (start, end) = (run.as_str().chars().next(), run.as_str().chars().next_back());
                format!("    range('\\u{{{:04X}}}', '\\u{{{:04X}}}'),\n", code(start), code(end))
            })
            .collect();
        let ours = BLANKS.iter().map(|range| {
            let Range { start, end } = range;
            format!("    range('\\u{{{:04X}}}', '\\u{{{:04X}}}'),\n", u32::from(*start), u32::from(*end))
        });
        assert_eq!(ours.collect::<String>(), table, "the table should be:\n{table}");
        for char in '\0'..=char::MAX {
            assert_eq!(is_blank(char), class.is_match(char.encode_utf8(&mut [0; 4])), "{char:?}");
        }
    }
}
