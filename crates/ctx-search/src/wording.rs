//! Wordings: what is looked for word for word, since the code that prints a message has most of its words in a row.

use std::collections::BTreeSet;

use crate::place::has_place;
use crate::report::is_diff;
use crate::word::{Word, hash_each};

/// The fewest words of a line of output that is looked for.
const FEWEST_WORDS: usize = 3;

/// How many different lines of an output are looked for, from its beginning and from its end.
const MOST_LINES: usize = 32;

/// The texts in quotation marks or backticks that have several words.
pub(crate) fn quoted(text: &str) -> Vec<&str> {
    const MARKS: [(char, char); 7] =
        [('"', '"'), ('`', '`'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('『', '』')];
    let mut found = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        while let Some((at, open)) =
            rest.char_indices().find(|(_, c)| MARKS.iter().any(|(open, _)| open == c))
        {
            rest = &rest[at + open.len_utf8()..];
            let closing = |c: char| MARKS.contains(&(open, c));
            let Some(end) = rest.find(closing) else { continue };
            found.extend(Some(&rest[..end]).filter(|inner| count(inner) > 1));
            rest = rest[end..].trim_start_matches(closing);
        }
    }
    found
}

/// The lines of an output that may be a message: neither places nor parts of a diff, each once, numbers aside.
pub(crate) fn messages(output: &str) -> Vec<&str> {
    if is_diff(output) {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let shape = |line: &str| line.chars().filter(|c| c.is_alphabetic()).collect::<String>();
    let mut is_new = |line: &&str| seen.insert(shape(line));
    let may_be = |line: &&str| count(line) >= FEWEST_WORDS && !has_place(line);
    let all: Vec<&str> = output.lines().filter(may_be).filter(|line| is_new(line)).collect();
    match all.len().checked_sub(MOST_LINES) {
        Some(last) if last > MOST_LINES => [&all[..MOST_LINES], &all[last..]].concat(),
        Some(_) | None => all,
    }
}

/// How many words a text has.
pub(crate) fn count(text: &str) -> usize {
    let mut words = 0;
    each_plain_word(text, &mut |_| words += 1);
    words
}

/// Calls `visit` with each pair and each triple of neighbouring words, and with how many words that are. Case and what
/// stands between the words don't matter.
pub(crate) fn each_run(text: &str, visit: &mut impl FnMut(Word, usize)) {
    let mut before: [Option<u64>; 2] = [None; 2];
    each_plain_word(text, &mut |word| {
        let [earlier, last] = before;
        if let Some(last) = last {
            let two = joined(last, word);
            visit(Word::of_hash(two), 2);
            if let Some(earlier) = earlier {
                visit(Word::of_hash(joined(earlier, two)), 3);
            }
        }
        before = [last, Some(word)];
    });
}

fn joined(first: u64, second: u64) -> u64 {
    (first.rotate_left(23) ^ second).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Calls `visit` with a hash of each word that a program doesn't fill in: neither numbers nor `%s`, `{name}`, `${name}`.
fn each_plain_word(text: &str, visit: &mut impl FnMut(u64)) {
    let bytes = text.as_bytes();
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
    let mut at = 0;
    while let Some(start) = bytes[at..].iter().position(is_of_word).map(|start| at + start) {
        let end =
            bytes[start..].iter().position(|byte| !is_of_word(byte)).map_or(bytes.len(), |end| start + end);
        at = end;
        let is_filled_in = match bytes[..start].last() {
            Some(b'{') => {
                bytes[start..].iter().find(|byte| !is_of_word(byte) && **byte != b'_') == Some(&b'}')
            }
            Some(b'%') => end - start == 1,
            Some(_) | None => false,
        };
        let word = &bytes[start..end];
        if !is_filled_in && !word.iter().all(u8::is_ascii_digit) {
            visit(hash_each(word.iter().map(u8::to_ascii_lowercase)));
        }
    }
}

/// Calls `visit` with each number of at least three parts: dates, times, versions, addresses. It is the same with any
/// marks between its parts, with or without zeros before them.
pub(crate) fn each_number(text: &str, visit: &mut impl FnMut(Word)) {
    const FEWEST_PARTS: usize = 3;
    const MOST_DIGITS: usize = 16;
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || b"-/.:".contains(byte);
    for run in text.as_bytes().split(|byte| !is_of_number(byte)).filter(|run| run.len() >= 5) {
        let parts = run.split(|byte| !byte.is_ascii_digit()).filter(|part| !part.is_empty());
        if parts.clone().count() >= FEWEST_PARTS && parts.clone().all(|part| part.len() <= MOST_DIGITS) {
            let number = parts.fold(0, |before, part| {
                let zeros = part.iter().take(part.len() - 1).take_while(|digit| **digit == b'0').count();
                joined(before, hash_each(part[zeros..].iter().copied()))
            });
            visit(Word::of_hash(number));
        }
    }
}

/// A message without what a program probably filled in: paths, and what is quoted.
pub(crate) fn without_values(message: &str) -> String {
    let mut kept = String::with_capacity(message.len());
    let mut quote = None;
    for word in message.split_whitespace() {
        let opens = word.chars().next().filter(|c| "\"'`".contains(*c));
        let ends = |mark: char| word.trim_end_matches(|c: char| ".,:;)".contains(c)).ends_with(mark);
        let is_value = quote.is_some() || opens.is_some() || word.contains(['/', '\\', '=']);
        quote = quote.or(opens).filter(|mark| !ends(*mark));
        if !is_value {
            kept.push_str(word);
            kept.push(' ');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str) -> Vec<Word> {
        let mut runs = Vec::new();
        each_run(text, &mut |run, _| runs.push(run));
        runs
    }

    #[test]
    fn runs_are_the_same_whatever_a_program_fills_in() {
        let message = "error: could not open `/a b/c.toml` in 12 of 3 places";
        for code in [
            "bail!(\"Error: could not open {} in {count} of {} places\")",
            "printf(\"error: could not open %s in %d of %d places\\n\")",
            "`Error: could not open ${path} in ${n} of ${m} places`",
        ] {
            let (asked, found) = (runs(&without_values(message)), runs(code));
            assert!(asked.iter().all(|run| found.contains(run)), "{code}");
        }
        assert!(!runs("could not close it in places").contains(&runs("could not open")[2]));
    }

    #[test]
    fn numbers_of_several_parts_are_the_same_however_they_are_written() {
        let numbers = |text: &str| {
            let mut numbers = Vec::new();
            each_number(text, &mut |number| numbers.push(number));
            numbers
        };
        assert_eq!(numbers("on 2025-03-07, or 2025/3/7").len(), 2);
        assert_eq!(numbers("2025-03-07,S047\n"), numbers("on 2025/3/7."));
        assert_ne!(numbers("2025-03-07"), numbers("2025-03-17"));
        assert_eq!(numbers("10.0.0.1 at 12:30, a-b-c, 1-2, ---- 00:00:00").len(), 2);
    }

    #[test]
    fn texts_in_quotation_marks_are_looked_for_if_they_have_several_words() {
        assert_eq!(
            quoted(
                "What does \"no such key\" mean, or `a b`, „zu spät“, \"key\", 「杉野 そら」 and it's \"open"
            ),
            ["no such key", "a b", "zu spät", "杉野 そら"]
        );
    }

    #[test]
    fn messages_are_lines_of_prose_that_differ_in_more_than_numbers() {
        let output = "  at f (src/a.rs:1:2)\nno such key 12\nno such key 13\nok\nsrc/b.rs:3: it is so\n";
        assert_eq!(messages(output), ["no such key 12"]);
        assert_eq!(
            messages("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-no such key\n+no such value\n"),
            Vec::<&str>::new()
        );
    }
}
