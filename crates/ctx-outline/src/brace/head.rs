//! The head of a statement, which decides what a block after it is and what the statement declares.

use super::keyword::Keyword;
use crate::{Kind, Language};
use std::ops::Range;

/// What a pair of brackets contains, if the outline keeps its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    /// Statements: a file, a namespace, a control block.
    Items,
    /// The members of a type.
    Members,
    /// The cases of an enumeration, then its members.
    Cases,
    /// Signatures only.
    Signatures,
    /// An object literal or other data.
    Data,
    Parens,
    Brackets,
}

/// The last token of a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    /// No token yet.
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

/// What the tokens of a statement so far reveal about it, and about a block after them.
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
    /// The word before the first `:` of a member, such as the name in `name: Type = …`.
    pub(super) before_type: Option<Range<usize>>,
    /// The word before the first `<`, such as the name in `name<T>()`.
    pub(super) before_angle: Option<Range<usize>>,
    /// Whether parentheses have been opened and closed.
    pub(super) parens: bool,
    pub(super) assign: bool,
    pub(super) arrow: bool,
    pub(super) new: bool,
    /// Whether a colon followed the parentheses.
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
            before_type: None,
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

    /// The name that the statement declares, if its words show one.
    pub(super) fn declared_name(&self) -> Option<Range<usize>> {
        self.name.clone().or_else(|| self.before_assign.clone()).or_else(|| self.before_parens.clone())
    }
}

pub(super) struct Declared {
    pub(super) kind: Kind,
    pub(super) name: Range<usize>,
}

/// The declaration of a statement without a block.
pub(super) fn declared(language: Language, within: Block, head: &Head) -> Option<Declared> {
    let like_c = names_before_parens(language) && language != Language::Kotlin;
    let member = within != Block::Items && matches!(language, Language::JavaScript | Language::TypeScript);
    match head.keyword {
        Some(Keyword::Alias | Keyword::Linkage) if like_c => {
            let kind = if head.is(Keyword::Alias) { Kind::Type } else { Kind::Value };
            Some(Declared { kind, name: head.last_word.clone() })
        }
        Some(keyword) if like_c && keyword.has_members() && head.words > 2 => member_like_c(head),
        Some(Keyword::Function) => function(language, head),
        Some(keyword) => Some(Declared { kind: keyword.kind()?, name: head.name.clone()? }),
        None if (like_c && head.words > 1) || (member && head.parens && !head.assign) => member_like_c(head),
        None => None,
    }
}

/// The declaration of a statement with a function body.
pub(super) fn function(language: Language, head: &Head) -> Option<Declared> {
    if head.is(Keyword::Macro) {
        return Some(Declared { kind: Kind::Macro, name: head.name.clone()? });
    }
    let is_data = head.before_assign.is_some() && language == Language::Go;
    let kind = if is_data { Kind::Value } else { Kind::Function };
    let name = if names_before_parens(language) && !head.is(Keyword::Accessor) {
        head.before_assign.clone().or_else(|| head.before_parens.clone()).or_else(|| head.name.clone())
    } else {
        head.declared_name()
    };
    Some(Declared { kind, name: name? })
}

/// Whether the name of a function is the word before its parameters, whatever comes before.
fn names_before_parens(language: Language) -> bool {
    matches!(language, Language::C | Language::Cpp | Language::CSharp | Language::Java | Language::Kotlin)
}

/// A declaration without a keyword: `int f(int);`, `static int x = 1;`
fn member_like_c(head: &Head) -> Option<Declared> {
    Some(match (&head.before_parens, &head.before_assign) {
        (Some(name), None) => Declared { kind: Kind::Function, name: name.clone() },
        (_, Some(name)) => Declared { kind: Kind::Value, name: name.clone() },
        (None, None) => Declared { kind: Kind::Value, name: head.last_word.clone() },
    })
}
