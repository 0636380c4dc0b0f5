use super::keyword::Keyword;
use std::ops::Range;

/// The last token of a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    /// There is none yet.
    Start,
    Word,
    /// A string or another literal.
    Text,
    /// `=`
    Assign,
    /// `=>` or `->`
    Arrow,
    /// `.`, `?.` or `::`
    Dot,
    /// A closing bracket.
    Close(u8),
    Other(u8),
}

/// The tokens of a statement up to now, as far as they decide what a block after them is.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) last: Last,
    /// The line of the first token.
    pub(super) first_line: usize,
    pub(super) keyword: Option<Keyword>,
    /// The word after the keyword.
    pub(super) name: Option<Range<usize>>,
    pub(super) expects_name: bool,
    pub(super) words: usize,
    pub(super) last_word: Range<usize>,
    pub(super) before_parens: Option<Range<usize>>,
    pub(super) before_assign: Option<Range<usize>>,
    /// The word before the first `<`, which parentheses may follow: `name<T>()`.
    pub(super) before_angle: Option<Range<usize>>,
    /// Whether parentheses were opened and closed.
    pub(super) parens: bool,
    pub(super) assign: bool,
    pub(super) arrow: bool,
    pub(super) new: bool,
    /// Whether a colon came after the parentheses.
    pub(super) colon: bool,
    /// Whether the tokens belong to an attribute such as `@Name(…)`.
    pub(super) attribute: bool,
    pub(super) angles: usize,
}

impl Head {
    pub(super) fn empty() -> Self {
        Self {
            last: Last::Start,
            first_line: 0,
            keyword: None,
            name: None,
            expects_name: false,
            words: 0,
            last_word: 0..0,
            before_parens: None,
            before_assign: None,
            before_angle: None,
            parens: false,
            assign: false,
            arrow: false,
            new: false,
            colon: false,
            attribute: false,
            angles: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.last == Last::Start
    }

    pub(super) fn is(&self, keyword: Keyword) -> bool {
        self.keyword == Some(keyword)
    }

    /// Whether a newline after the last token may end the statement.
    pub(super) fn may_end(&self) -> bool {
        match self.last {
            Last::Word | Last::Text | Last::Close(_) | Last::Other(b'>' | b'?' | b'!' | b'*') => true,
            Last::Start | Last::Assign | Last::Arrow | Last::Dot | Last::Other(_) => false,
        }
    }

    /// The name that the statement declares, as far as the words show it.
    pub(super) fn declared_name(&self) -> Option<Range<usize>> {
        self.name.clone().or_else(|| self.before_assign.clone()).or_else(|| self.before_parens.clone())
    }
}
