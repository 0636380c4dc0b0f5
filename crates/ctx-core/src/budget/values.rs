//! The constants that the printed part of a text uses: a limit or a default is often what a question is about, and is declared
//! elsewhere in the file.

use std::collections::HashSet;

use super::Passages;
use ctx_outline::{Headed, Lines};

/// A declaration of more lines is more than a value.
const MOST_LINES: usize = 8;

/// How many are added to a text.
const MOST: usize = 12;

/// The lines of the values that the ascending `runs` use and don't show.
pub(super) fn values_used(passages: &Passages<'_>, runs: &[Lines]) -> Vec<Lines> {
    let is_shown = |lines: Lines| {
        let after = runs.partition_point(|run| run.last < lines.first);
        runs.get(after).is_some_and(|run| run.first <= lines.last)
    };
    let is_short = |one: &&Headed| one.lines.count() <= MOST_LINES && !is_shown(one.lines);
    let mut short = passages.declared.iter().filter(is_short).peekable();
    if short.peek().is_none() {
        return Vec::new();
    }
    let lines: Vec<&str> = passages.text.as_str().lines().collect();
    let line = |number: usize| lines.get(number - 1).copied().unwrap_or_default();
    let shown = runs.iter().flat_map(|run| run.first..=run.last).flat_map(|number| words(line(number)));
    let used: HashSet<&str> = shown.filter(|word| is_constant(word)).collect();
    if used.is_empty() {
        return Vec::new();
    }
    short
        .filter(|one| value_in(line(one.head.first)).is_some_and(|name| used.contains(name)))
        .map(|one| one.lines)
        .take(MOST)
        .collect()
}

/// The name to which a line gives a value: `LIMIT` in `pub const LIMIT: usize = 3;` and `#define LIMIT 3`.
fn value_in(line: &str) -> Option<&str> {
    const LONGEST: usize = 200;
    let beginning = line.get(..line.len().min(LONGEST)).unwrap_or_default().trim_start();
    if let Some(rest) = beginning.strip_prefix("#define ") {
        return words(rest).next().filter(|name| is_constant(name));
    }
    let sign = beginning.find(['=', ':'])?;
    let (before, after) = beginning.split_at(sign);
    let is_other = ["==", "=>", "::"].iter().any(|other| after.starts_with(other))
        || before.starts_with(['-', '*', '#', '"']);
    words(before).last().filter(|name| !is_other && is_constant(name))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Whether a name is written as constants are: `LIMIT`, `MOST_LINES`.
fn is_constant(name: &str) -> bool {
    const FEWEST: usize = 3;
    name.len() >= FEWEST
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && name.bytes().any(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_what_stands_before_the_sign() {
        for (line, name) in [
            ("pub const LIMIT: usize = 3;", Some("LIMIT")),
            ("MAX_SIZE = 1024 * 1024", Some("MAX_SIZE")),
            ("export const TEXT_EXTENSIONS: readonly string[] = [", Some("TEXT_EXTENSIONS")),
            ("static FLAG = OTHER;", Some("FLAG")),
            ("#define LIMIT OTHER", Some("LIMIT")),
            ("let limit = LIMIT;", None),
            ("        LIMIT => 1,", None),
            ("- API: what it does", None),
            ("if LIMIT == 3 {", None),
            ("LIMIT", None),
        ] {
            assert_eq!(value_in(line), name, "{line}");
        }
    }
}
