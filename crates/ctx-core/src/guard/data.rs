//! Embedded data: pictures, fonts and the like in the middle of a text. They cost more than the text, and tell nothing.

use std::iter;
use std::ops::Range;

use super::clean_text::{CleanText, Replaced, TextBuilder};
use crate::words::size;

/// The longest data that stays, in bytes as written.
pub const LONGEST_KEPT: usize = 200;

/// The longest name of a type, with its parameters.
const LONGEST_TYPE: usize = 100;

/// The shortest base64 without a type that is omitted; secrets and certificates are shorter.
const SHORTEST_BARE: usize = 4_000;

/// The shortest line of wrapped data, except for the last one.
const SHORTEST_LINE: usize = 40;

/// The longest line of wrapped data without a type, with its indentation.
const LONGEST_LINE: usize = 200;

/// The longest header of armor.
const LONGEST_HEADER: usize = 200;

const SCHEME: &[u8] = b"data:";
const MARK: &str = ";base64,";

/// The text with the size of the data in place of it, as in `data:image/png;base64,[… 150 kB omitted …]`; `None` if
/// there is none.
pub(super) fn omit(text: &CleanText) -> Option<CleanText> {
    let mut found = find(text).peekable();
    found.peek()?;
    let mut short = TextBuilder::of(text, 0);
    let mut copied = 0;
    for data in found {
        short.keep(copied..data.start);
        copied = data.end;
        let written = &text[data];
        // Four characters are three bytes.
        let bytes = written.bytes().filter(|byte| !byte.is_ascii_whitespace()).count() * 3 / 4;
        short.replace(Replaced::Data { bytes }, &format!("[… {} omitted …]", size(bytes)));
        // Later lines keep their numbers.
        short.push(&"\n".repeat(written.matches('\n').count()));
    }
    short.keep(copied..text.len());
    Some(short.finish())
}

/// Whether there is data to omit in a text that begins with these lines.
pub(super) fn may_be_in(head: &str) -> bool {
    let is_at_the_end = |at: usize| {
        let start = at + MARK.len();
        start + length_of_data(&head.as_bytes()[start..]) >= head.trim_end().len()
    };
    let is_wrapped = line_around(head.as_bytes(), head.trim_end().len());
    find(head).next().is_some()
        || head.rfind(MARK).is_some_and(is_at_the_end)
        || is_wrapped.is_some_and(|line| line.len() >= SHORTEST_LINE)
}

/// The length of the text without it.
pub(super) fn length_without(text: &str) -> usize {
    text.len() - find(text).map(|data| data.len()).sum::<usize>()
}

/// Where the data is, without its type, in order.
fn find(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut found: Vec<Range<usize>> = typed(text).collect();
    let is_new = |bare: &Range<usize>| {
        let next = found.partition_point(|typed| typed.end <= bare.start);
        found.get(next).is_none_or(|typed| typed.start >= bare.end)
    };
    let bare: Vec<Range<usize>> = bare(text.as_bytes()).filter(is_new).collect();
    found.extend(bare);
    found.sort_unstable_by_key(|data| data.start);
    found.into_iter()
}

/// The data that has a type.
fn typed(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices(MARK).filter_map(|(at, _)| {
        let bytes = text.as_bytes();
        let before = &bytes[at.saturating_sub(SCHEME.len() + LONGEST_TYPE)..at];
        let kind = &before[memchr::memmem::rfind(before, SCHEME)? + SCHEME.len()..];
        let start = at + MARK.len();
        let length = length_of_data(&bytes[start..]);
        (kind.iter().all(|byte| is_of_type(*byte)) && length > LONGEST_KEPT).then_some(start..start + length)
    })
}

/// Long base64 alone, on one line or wrapped. Each is at one of the offsets that are looked at.
fn bare(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let (mut at, mut begin) = (0, 0);
    iter::from_fn(move || {
        loop {
            at += SHORTEST_BARE;
            bytes.get(at)?;
            let run = lines_around(bytes, at).unwrap_or_else(|| run_around(bytes, at));
            // The last line of one may be as long as those of the next.
            let run = run.start.max(begin)..run.end;
            begin = run.end;
            at = at.max(run.end);
            if is_base64(&bytes[run.clone()]) && !is_armored(&bytes[..run.start]) {
                return Some(run);
            }
        }
    })
}

/// The run of characters of base64 around an offset.
fn run_around(bytes: &[u8], at: usize) -> Range<usize> {
    let before = bytes[..at].iter().rev().take(SHORTEST_BARE).take_while(|byte| is_of_base64(byte)).count();
    let after = bytes[at..].iter().take_while(|byte| is_of_base64(byte)).count();
    at - before..at + after
}

/// The lines of base64 around an offset, all of the same length, except that the last one may be shorter.
fn lines_around(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let around = line_around(bytes, at)?;
    let full = line_above(bytes, &around).filter(|above| above.len() > around.len()).unwrap_or(around);
    let width = full.len();
    if width < SHORTEST_LINE {
        return None;
    }
    let is_last = |line: &Range<usize>| line.len() < width && line.len().is_multiple_of(4);
    let above = |line: &Range<usize>| line_above(bytes, line).filter(|above| above.len() == width);
    let below = |line: &Range<usize>| {
        let below = line_below(bytes, line).filter(|_| line.len() == width)?;
        (below.len() == width || is_last(&below)).then_some(below)
    };
    let first = iter::successors(Some(full.clone()), above).last()?;
    let last = iter::successors(Some(full), below).last()?;
    Some(first.start..last.end)
}

/// The line around an offset without the white space around it, if it is base64.
fn line_around(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let near = at.saturating_sub(LONGEST_LINE)..bytes.len().min(at + LONGEST_LINE);
    let start = memchr::memrchr(b'\n', &bytes[near.start..at]).map(|newline| near.start + newline + 1);
    let start = start.or_else(|| (near.start == 0).then_some(0))?;
    let end = memchr::memchr(b'\n', &bytes[at..near.end]).map(|newline| at + newline);
    let end = end.or_else(|| (near.end == bytes.len()).then_some(near.end))?;
    let line = bytes[start..end].trim_ascii_start();
    let (start, line) = (end - line.len(), line.trim_ascii_end());
    (!line.is_empty() && line.iter().all(is_of_base64)).then(|| start..start + line.len())
}

fn line_above(bytes: &[u8], line: &Range<usize>) -> Option<Range<usize>> {
    line_around(bytes, memchr::memrchr(b'\n', &bytes[..line.start])?)
}

fn line_below(bytes: &[u8], line: &Range<usize>) -> Option<Range<usize>> {
    line_around(bytes, line.end + memchr::memchr(b'\n', &bytes[line.end..])? + 1)
}

fn is_of_base64(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(byte)
}

/// Whether characters of base64 are long data, and not paths or sums of names: these have more signs, fewer capitals, and
/// longer runs of the same kind of characters.
fn is_base64(run: &[u8]) -> bool {
    if run.len() <= SHORTEST_BARE {
        return false;
    }
    let mut data: Vec<u8> = run.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    data.truncate(data.iter().rposition(|byte| *byte != b'=').map_or(0, |last| last + 1));
    let count = |kind: CharKind| data.iter().filter(|byte| CharKind::of(**byte) == kind).count();
    let (capitals, small, digits) =
        (count(CharKind::Capital), count(CharKind::Small), count(CharKind::Digit));
    // The same byte again and again says nothing.
    let steps = || data.windows(2).filter(|pair| pair[0] != pair[1]);
    let signs = steps().filter(|pair| CharKind::of(pair[1]) == CharKind::Sign).count();
    let changes = steps().filter(|pair| CharKind::of(pair[0]) != CharKind::of(pair[1])).count();
    let all = steps().count();
    data.len() > SHORTEST_BARE
        && !data.contains(&b'=')
        && small > 0
        && digits > 0
        && capitals * 3 >= small
        && (1..=all / 8).contains(&signs)
        && changes * 3 >= all
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharKind {
    Capital,
    Small,
    Digit,
    Sign,
}

impl CharKind {
    const fn of(byte: u8) -> Self {
        match byte {
            b'A'..=b'Z' => Self::Capital,
            b'a'..=b'z' => Self::Small,
            b'0'..=b'9' => Self::Digit,
            _ => Self::Sign,
        }
    }
}

/// Whether what follows is a key, certificate or message in armor, as its header says.
fn is_armored(before: &[u8]) -> bool {
    let near = &before[before.len().saturating_sub(LONGEST_HEADER)..];
    memchr::memmem::rfind(near, b"-----BEGIN ") > memchr::memmem::rfind(near, b"-----END ")
}

fn is_of_type(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/+.-_;=\"'%\\ ".contains(&byte)
}

/// How many bytes are base64, on one line or wrapped.
fn length_of_data(bytes: &[u8]) -> usize {
    let mut length = length_of_line(bytes);
    let mut is_wrapped = false;
    while let Some(start) = next_line(bytes, length) {
        let end = start + length_of_line(&bytes[start..]);
        let is_whole = end == bytes.len() || next_line(bytes, end).is_some();
        let is_closed = end > start
            && (bytes[end - 1] == b'=' || bytes.get(end).is_some_and(|next| b"\"'<>)".contains(next)));
        if !(end - start >= SHORTEST_LINE && is_whole
            || (is_wrapped || end - start >= SHORTEST_LINE) && is_closed)
        {
            break;
        }
        is_wrapped = true;
        length = end;
    }
    length
}

/// Where the next line begins, without its indentation, if one ends here.
fn next_line(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    let ends: [&[u8]; 6] = [b"\n", b"\r\n", b"\\n", b"\\r\\n", b"&#10;", b"&#xA;"];
    let start = at + ends.iter().find(|end| rest.starts_with(end))?.len();
    Some(start + bytes[start..].iter().take_while(|byte| b" \t".contains(byte)).count())
}

/// Whether a character that JSON escapes with these digits is a sign of base64.
fn is_sign(high: u8, low: u8) -> bool {
    matches!((high, low.to_ascii_uppercase()), (b'2', b'B' | b'F') | (b'3', b'D'))
}

/// How many bytes are base64 in one of its alphabets, with escapes of addresses, and signs as JSON may escape them.
fn length_of_line(bytes: &[u8]) -> usize {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_%".contains(&byte);
    let mut length = 0;
    loop {
        match bytes[length..] {
            [b'\\', b'/', ..] => length += 2,
            [b'\\', b'u', b'0', b'0', high, low, ..] if is_sign(high, low) => length += 6,
            [byte, ..] if is_part(byte) => length += 1,
            _ => return length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn omitted(text: &str) -> Option<(String, Vec<Replaced>)> {
        let short = omit(&CleanText::from(text.to_owned()))?;
        let replaced = short.replaced().copied().collect();
        Some((short.into_string(), replaced))
    }

    #[test]
    fn long_data_is_omitted_with_its_size() {
        let (long, escaped) = ("iVBORw0KGgo+".repeat(100), r"iVBOR\/+w".repeat(200));
        let text = format!(
            "![a](data:image/png;base64,{long}) <img src='data:image/svg+xml;charset=utf-8;base64,{long}=='/>\n\
             {{\"url\":\"data:font\\/woff2;base64,{escaped}\"}}"
        );
        let expected = "![a](data:image/png;base64,[… 1 kB omitted …]) \
                        <img src='data:image/svg+xml;charset=utf-8;base64,[… 1 kB omitted …]'/>\n\
                        {\"url\":\"data:font\\/woff2;base64,[… 2 kB omitted …]\"}";
        let (short, replaced) = omitted(&text).unwrap();
        assert_eq!(short, expected);
        assert_eq!(replaced, [900, 901, 1_350].map(|bytes| Replaced::Data { bytes }));
    }

    #[test]
    fn signs_that_json_escapes_are_part_of_the_data() {
        let data = r"iVBORw0\u002BKG\u002fgo\/o".repeat(40);
        let text = format!(r#"{{"a":"data:image/png;base64,{data}AA\u003D\u003d","b":"x\u0041"}}"#);
        let (short, _) = omitted(&text).unwrap();
        assert!(short.ends_with(r#"omitted …]","b":"x\u0041"}"#), "{short}");
    }

    #[test]
    fn wrapped_data_is_omitted_and_later_lines_keep_their_numbers() {
        let line = "iVBORw0KGgo+".repeat(6);
        for end in ["\n", "\r\n", "\n    ", "\\n", "&#10;", "\n\t"] {
            let last =
                ["AAAA==", &line, "AAAA"].map(|last| format!("{}{last}", format!("{line}{end}").repeat(5)));
            let lines = if end.contains('\n') { "\n".repeat(5) } else { String::new() };
            for data in last {
                for start in ["", "AAAA"] {
                    let text = format!("<image href=\"data:image/png;base64,{start}{data}\"/>\nafter\n");
                    let (short, _) = omitted(&text).unwrap();
                    let expected =
                        format!("<image href=\"data:image/png;base64,[… 1 kB omitted …]{lines}\"/>\nafter\n");
                    assert_eq!(short, expected, "{text}");
                }
            }
        }
        let unwrapped = line.repeat(5);
        for after in ["\nafter\n", "\n\nafter)\n", "\n/etc/passwd\n", "\n- a\n", "\n"] {
            let (short, _) = omitted(&format!("data:image/png;base64,{unwrapped}{after}")).unwrap();
            assert!(short.ends_with(&format!("omitted …]{after}")), "{short}");
        }
        let head = format!("a\ndata:image/png;base64,\n{line}\n");
        assert!(
            may_be_in(&head)
                && may_be_in("data:image/png;base64,\n")
                && !may_be_in(&format!("{head}after\n"))
        );
    }

    #[test]
    fn long_base64_without_a_type_is_omitted() {
        let long = "iVBORw0KGgo+".repeat(500);
        for (before, after) in [("", ""), ("const wasm = \"", "\";\n"), ("a\n", "\nb\n")] {
            let (short, _) = omitted(&format!("{before}{long}{after}{before}{long}{after}")).unwrap();
            let one = format!("{before}[… 5 kB omitted …]{after}");
            let expected =
                if before.is_empty() { "[… 9 kB omitted …]".to_owned() } else { one.repeat(2) };
            assert_eq!(short, expected);
        }
        // One block ends with a line as long as those of the next.
        let block = |count: usize, line: &str| format!("{line}\n").repeat(count);
        let (wide, narrow) = (&long[..76], &long[4..68]);
        let two = format!("{}{narrow}\n{}", block(80, wide), block(120, narrow));
        let (short, _) = omitted(&two).unwrap();
        assert!(short.trim_end().len() < 200 && short.lines().count() == two.lines().count(), "{short}");
        let typed = format!("data:image/png;base64,{long} {long}");
        let expected = "data:image/png;base64,[… 5 kB omitted …] [… 5 kB omitted …]";
        assert_eq!(omitted(&typed).unwrap().0, expected);
        for text in [
            &long[..SHORTEST_BARE],
            &"iVBORw0KGgo".repeat(1_000),
            &"Word+".repeat(2_000),
            &"0123456789abcdef/".repeat(1_000),
            &"src/Module1/Component2Test/".repeat(400),
            &"SRC/MAIN1/Resources/".repeat(400),
            &"longName1+OtherName2+".repeat(400),
            &"A1b+C2d+E3f+".repeat(800),
            &"iVBORw0KGgo+AAAAAA==".repeat(400),
        ] {
            assert_eq!(omitted(text), None, "{text}");
        }
    }

    #[test]
    fn wrapped_base64_without_a_type_is_omitted() {
        let text = |width: usize, before: &str, end: &str| {
            let long = "iVBORw0KGgo+".repeat(500) + "AAAA";
            let lines = long.as_bytes().chunks(width).map(|line| str::from_utf8(line).unwrap());
            lines.map(|line| format!("{before}{line}{end}")).collect::<String>()
        };
        for (width, before, end) in
            [(76, "", "\r\n"), (64, "", "\n"), (80, "        ", "\n"), (60, "\t", "\n")]
        {
            let data = text(width, before, end);
            for (above, below) in [
                ("Content-Transfer-Encoding: base64\n\n", "\n--boundary--\n"),
                ("<value>\n", "</value>\n"),
                ("a: |\n", "b\n"),
            ] {
                let (short, _) = omitted(&format!("{above}{data}{below}{above}{data}{below}")).unwrap();
                let lines = "\n".repeat(data.matches('\n').count() - 1);
                let one = format!("{above}{before}[… 5 kB omitted …]{lines}{end}{below}");
                assert_eq!(short, one.repeat(2), "{width}");
                let head = data.lines().take(3).collect::<Vec<_>>().join("\n");
                assert!(may_be_in(&format!("{above}{head}\n")));
            }
        }
        let certificate =
            format!("-----BEGIN CERTIFICATE-----\n{}-----END CERTIFICATE-----\n", text(64, "", "\n"));
        assert_eq!(omitted(&certificate.repeat(3)), None);
        let hashes = format!("{}=\n", "iVBORw0KGgo+".repeat(4)[..43].to_owned()).repeat(200);
        let uneven: String = (0..200).map(|number| "iVBORw0KGgo+".repeat(4 + number % 3) + "\n").collect();
        for text in [hashes, uneven, "src/Module1/Component2Test/Component2Test1/File1\n".repeat(200)] {
            assert_eq!(omitted(&text), None, "{text}");
        }
    }

    #[test]
    fn short_data_and_other_text_stay() {
        let (long, short) = ("iVBORw0KGgo".repeat(100), "A".repeat(LONGEST_KEPT));
        for text in [
            format!("data:image/png;base64,{short}"),
            format!("x;base64,{long}"),
            format!("data: a value\n;base64,{long}"),
            format!("data:text/plain,{long}"),
            long,
            String::new(),
        ] {
            assert_eq!(omitted(&text), None, "{text}");
            assert!(!may_be_in(&format!("{text}\n after\n")));
        }
        assert!(may_be_in(&format!("data:;base64,{short}A")));
    }
}
