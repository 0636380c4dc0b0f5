//! The names that a text writes as identifiers.

use crate::word::{by_script, is_ideographic};

/// The names that a text writes as identifiers: with a change of case, `_`, a digit, `::` or backticks, or as
/// the whole text.
pub(crate) fn identifiers(text: &str) -> Vec<&str> {
    let text = text.trim();
    if is_name(text) && !is_sentence(text) {
        return names_of(text).collect();
    }
    let quoted = quoted(text).flat_map(names_of);
    let is_path_part = |name: &str| {
        let at = name.as_ptr() as usize - text.as_ptr() as usize;
        text[..at].ends_with("::") || text[at + name.len()..].starts_with("::")
    };
    let evident = names_of(text).filter(|name| looks_like_identifier(name) || is_path_part(name));
    quoted.chain(evident).collect()
}

/// The text between pairs of backticks. A backtick used as an apostrophe, as in "don`t", doesn't open a pair.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    // Three of them begin or end lines of code.
    let is_of_fence = |at: usize| {
        let before = text[..at].bytes().rev().take_while(|byte| *byte == b'`').count();
        before + text[at..].bytes().take_while(|byte| *byte == b'`').count() > 2
    };
    let ticks = text.match_indices('`').map(|(at, _)| at);
    let mut ticks = ticks.filter(move |at| !is_of_fence(*at));
    std::iter::from_fn(move || {
        let is_apostrophe =
            |at: usize| text[..at].ends_with(is_letter) && text[at + 1..].starts_with(is_letter);
        let open = ticks.find(|at| !is_apostrophe(*at))?;
        ticks.next().map(|close| &text[open + 1..close])
    })
}

/// The names in `text`. In languages written without spaces, a run such as `parse_headerはどこ` yields the whole
/// run and its part in each script.
fn names_of(text: &str) -> impl Iterator<Item = &str> {
    let with_parts = |run| by_script(run).filter(move |part| *part != run).chain([run]);
    text.split(|c: char| !c.is_alphanumeric() && c != '_').flat_map(with_parts).filter(|name| is_name(name))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a text without blanks is longer than a name in a script that has none.
fn is_sentence(text: &str) -> bool {
    const LONGEST_NAME: usize = 8;
    text.chars().count() > LONGEST_NAME && text.chars().all(is_ideographic)
}

/// Whether a word is written in a way that only identifiers are. `Where` and `HTTP` aren't.
pub(crate) fn looks_like_identifier(name: &str) -> bool {
    let mut pairs = name.as_bytes().windows(2);
    let has_hump = pairs.any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    has_hump || name.contains('_') || name.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_of_a_question_are_words_written_like_code() {
        assert_eq!(
            identifiers(
                "Where does `fit` call parseHeader, utf8 or budget::trim in HTTP code, and read_all?"
            ),
            ["fit", "parseHeader", "utf8", "budget", "trim", "read_all"]
        );
        assert_eq!(identifiers("  budget "), ["budget"]);
        assert_eq!(identifiers("the budget"), Vec::<&str>::new());
        assert_eq!(identifiers("読み込む"), ["読み込む"]);
        assert_eq!(identifiers("プラグインはどこで読み込まれますか"), Vec::<&str>::new());
    }

    #[test]
    fn identifiers_in_backticks_need_a_closing_backtick() {
        assert_eq!(identifiers("don`t drop the budget"), Vec::<&str>::new());
        assert_eq!(identifiers("drop `the budget"), Vec::<&str>::new());
        assert_eq!(identifiers("don`t drop the `Digest`s of a `fit"), ["Digest"]);
        assert_eq!(identifiers("``drop`` a `fit`, not `the budget"), ["fit"]);
    }

    #[test]
    fn lines_of_code_are_no_names_in_backticks() {
        assert_eq!(
            identifiers("call `fit`:\n```py\ntable = load_all(cells)\n```\nthe `end`"),
            ["fit", "end", "load_all"]
        );
    }

    #[test]
    fn identifiers_in_prose_without_blanks_are_found() {
        let whole = "parse_headerはどこ";
        assert_eq!(identifiers(whole), ["parse_header", "はどこ", whole]);
        assert_eq!(identifiers("では、`fit`とparseHeaderを"), ["fit", "parseHeader", "とparseHeaderを"]);
    }
}
