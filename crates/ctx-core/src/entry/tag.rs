//! Tags: the words by which entries are selected.

/// Why a text is no tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TagError {
    /// Nothing.
    #[error("a tag is not empty")]
    Empty,
    /// White space that nobody sees.
    #[error("a tag has no white space at its ends")]
    Padded,
    /// What separates tags in a list.
    #[error("a tag holds no comma: several are given one by one")]
    Comma,
    /// What a terminal would obey.
    #[error("a tag holds no control characters")]
    Control,
}

/// A tag: a word that can be written in a list, and looks like what it is.
///
/// # Errors
/// What is wrong with it.
pub fn parse(text: &str) -> Result<String, TagError> {
    if text.is_empty() {
        Err(TagError::Empty)
    } else if text.trim() != text {
        Err(TagError::Padded)
    } else if text.contains(',') {
        Err(TagError::Comma)
    } else if text.contains(char::is_control) {
        Err(TagError::Control)
    } else {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_words() {
        for good in ["api", "a b", "日本"] {
            assert_eq!(parse(good), Ok(good.to_owned()));
        }
        for bad in ["", " ", " a", "a\t", "a,b", "a\u{1b}b", "\u{85}"] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
