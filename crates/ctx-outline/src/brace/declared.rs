//! What a statement declares, as its head shows it.

use super::head::Head;
use super::keyword::Keyword;
use super::opening::Block;
use crate::{Kind, Language};
use std::ops::Range;

pub(super) struct Declared {
    pub(super) kind: Kind,
    pub(super) name: Range<usize>,
}

/// What a statement without a block declares.
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

/// What a statement with a function body declares.
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
