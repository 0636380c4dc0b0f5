//! The marks that stand in a text for what was removed from it or made visible.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// The mark of a secret, or that of a hidden character.
static MARK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(\[REDACTED:[a-z0-9-]+\])|<U\+[0-9A-F]{4,6}(?: ×\d+)?>").expect("a valid pattern")
});

/// The text as its author's words: without marks of hidden characters, and with a space for each mark of a secret.
#[must_use]
pub fn without_marks(text: &str) -> Cow<'_, str> {
    if !text.contains("[REDACTED:") && !text.contains("<U+") {
        return text.into();
    }
    MARK.replace_all(text, |mark: &Captures<'_>| if mark.get(1).is_some() { " " } else { "" })
}

#[cfg(test)]
mod tests {
    use super::without_marks;
    use crate::entry::Allowed;
    use crate::guard::clean;

    #[test]
    fn only_the_words_of_the_author_are_left() {
        let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
        for (text, words) in [
            (format!("why does {token} fail?"), "why does   fail?"),
            ("par\u{200b}se \u{202e}\u{202e}\u{202e}header".to_owned(), "parse header"),
            ("a [REDACTED] <U+> <U+x> [REDACTED:A b]".to_owned(), "a [REDACTED] <U+> <U+x> [REDACTED:A b]"),
        ] {
            let cleaned = clean(text, Allowed::default());
            assert_eq!(without_marks(cleaned.as_str()), words, "{}", cleaned.as_str());
        }
    }
}
