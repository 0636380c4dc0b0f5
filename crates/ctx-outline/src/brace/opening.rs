//! Decides what an opening brace begins: a function's body, or a block whose contents are kept.

use super::head::{Block, Head, Last};
use super::keyword::Keyword;
use crate::Language;

/// What an opening brace begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// A function's body, which ends the statement.
    Body,
    /// A block that ends the statement.
    Block(Block),
    /// Part of the statement.
    Inner(Block),
}

/// Decides what a brace begins, from the block that contains it, the head before it and the last word of that
/// head.
pub(super) fn opening(language: Language, within: Block, head: &Head, last_word: &[u8]) -> Opening {
    match language {
        Language::Rust => rust(head),
        Language::C | Language::Cpp => c(head, last_word),
        Language::CSharp => c_sharp(head),
        Language::Java => java(within, head, last_word),
        Language::Kotlin => kotlin(within, head),
        Language::Swift => swift(within, head),
        Language::Go => go(head, last_word),
        Language::JavaScript | Language::TypeScript => javascript(within, head, last_word),
        Language::Php => php(head),
        Language::Scala => scala(within, head),
        Language::Css
        | Language::Elixir
        | Language::Json
        | Language::Lua
        | Language::Markdown
        | Language::Python
        | Language::Ruby
        | Language::Shell
        | Language::Svelte
        | Language::Toml
        | Language::Vue
        | Language::Yaml => Opening::Block(Block::Data),
    }
}

/// The block of a type or a module, if `keyword` begins one.
fn container(keyword: Option<Keyword>) -> Option<Opening> {
    let block = match keyword? {
        Keyword::Type | Keyword::Implementation => Block::Members,
        Keyword::Enum => Block::Cases,
        Keyword::Interface => Block::Signatures,
        Keyword::Module | Keyword::Linkage | Keyword::Control => Block::Items,
        Keyword::Function
        | Keyword::Value
        | Keyword::Alias
        | Keyword::Macro
        | Keyword::New
        | Keyword::Accessor
        | Keyword::Template
        | Keyword::Import => return None,
    };
    Some(Opening::Block(block))
}

fn rust(head: &Head) -> Opening {
    match head.keyword {
        Some(Keyword::Function | Keyword::Macro) => Opening::Body,
        keyword => container(keyword).unwrap_or(Opening::Inner(Block::Items)),
    }
}

fn c(head: &Head, last_word: &[u8]) -> Opening {
    let trailer = head.last == Last::Word
        && matches!(last_word, b"const" | b"noexcept" | b"override" | b"final" | b"volatile" | b"try");
    let after_parameters = head.parens && (head.last == Last::Close(b')') || trailer);
    if head.keyword.is_some_and(Keyword::has_members) && !after_parameters {
        return container(head.keyword).unwrap_or(Opening::Block(Block::Members));
    }
    if head.is(Keyword::Module) || (head.is(Keyword::Linkage) && head.last == Last::Text) {
        return Opening::Block(Block::Items);
    }
    if matches!(head.last, Last::Assign | Last::Other(b',' | b'?') | Last::Start) && !head.colon {
        return Opening::Inner(Block::Data);
    }
    if head.parens {
        let initializes = head.colon && matches!(head.last, Last::Word | Last::Other(b'>')) && !trailer;
        return if initializes { Opening::Inner(Block::Data) } else { Opening::Body };
    }
    container(head.keyword).unwrap_or(Opening::Inner(Block::Data))
}

fn c_sharp(head: &Head) -> Opening {
    if head.last == Last::Arrow || head.is(Keyword::Accessor) {
        return Opening::Body;
    }
    if !head.assign
        && let Some(opening) = container(head.keyword)
    {
        return opening;
    }
    if head.last == Last::Assign || head.new {
        return Opening::Inner(Block::Data);
    }
    if head.parens { Opening::Body } else { Opening::Block(Block::Members) }
}

fn java(within: Block, head: &Head, last_word: &[u8]) -> Opening {
    if head.last == Last::Arrow {
        return Opening::Body;
    }
    if let Some(opening) = container(head.keyword) {
        return opening;
    }
    if head.new {
        return Opening::Inner(if head.last == Last::Close(b']') { Block::Data } else { Block::Members });
    }
    match head.last {
        Last::Start if within == Block::Members => Opening::Body,
        Last::Start | Last::Assign | Last::Other(_) => Opening::Inner(Block::Data),
        _ if within == Block::Cases => Opening::Inner(Block::Members),
        Last::Word if last_word == b"static" => Opening::Body,
        _ if head.parens || within == Block::Members => Opening::Body,
        _ => Opening::Inner(Block::Data),
    }
}

fn kotlin(within: Block, head: &Head) -> Opening {
    if within == Block::Cases && !head.is(Keyword::Function) && !head.is(Keyword::Value) {
        return Opening::Inner(Block::Members);
    }
    match head.keyword {
        Some(Keyword::Type | Keyword::Enum | Keyword::Control) => {
            container(head.keyword).unwrap_or(Opening::Body)
        }
        None if within == Block::Items => Opening::Block(Block::Items),
        _ => Opening::Body,
    }
}

fn swift(within: Block, head: &Head) -> Opening {
    match head.keyword {
        Some(keyword) => container(Some(keyword)).unwrap_or(Opening::Body),
        None if within == Block::Parens => Opening::Body,
        None => Opening::Block(Block::Items),
    }
}

fn go(head: &Head, last_word: &[u8]) -> Opening {
    let type_literal = head.last == Last::Word && matches!(last_word, b"interface" | b"struct");
    match head.keyword {
        _ if type_literal => Opening::Inner(Block::Members),
        Some(Keyword::Function) => Opening::Body,
        _ => Opening::Inner(Block::Data),
    }
}

fn javascript(within: Block, head: &Head, last_word: &[u8]) -> Opening {
    if within == Block::Signatures {
        return Opening::Inner(Block::Signatures);
    }
    // The bound of a type parameter: `<T extends { a: string }>`.
    if head.last == Last::Word && last_word == b"extends" {
        return Opening::Inner(Block::Signatures);
    }
    let in_type = head.is(Keyword::Alias) || (within == Block::Members && !head.assign);
    if head.last == Last::Arrow {
        return if in_type { Opening::Inner(Block::Signatures) } else { Opening::Body };
    }
    let after_operator = match head.last {
        Last::Assign | Last::Dot | Last::Other(b'>') => head.last != Last::Other(b'>'),
        Last::Other(_) => true,
        Last::Start | Last::Word | Last::Text | Last::Close(_) | Last::Arrow => false,
    };
    if head.is(Keyword::Function) {
        return if after_operator { Opening::Inner(Block::Signatures) } else { Opening::Body };
    }
    if head.is(Keyword::Alias) {
        return Opening::Inner(Block::Signatures);
    }
    if after_operator || (head.last == Last::Word && matches!(last_word, b"return" | b"default")) {
        let value = !(in_type && head.colon);
        return Opening::Inner(if value { Block::Data } else { Block::Signatures });
    }
    match head.keyword {
        Some(Keyword::Enum) => return Opening::Block(Block::Data),
        Some(Keyword::Import | Keyword::Value) => return Opening::Inner(Block::Data),
        keyword => {
            if let Some(opening) = container(keyword) {
                return opening;
            }
        }
    }
    let method = matches!(within, Block::Members | Block::Data);
    match head.last {
        Last::Start if within == Block::Items => Opening::Block(Block::Items),
        Last::Start => Opening::Inner(Block::Data),
        Last::Word if within == Block::Members && last_word == b"static" => Opening::Body,
        _ if method && head.parens => Opening::Body,
        Last::Close(b')') => Opening::Block(Block::Items),
        _ => Opening::Inner(Block::Data),
    }
}

fn php(head: &Head) -> Opening {
    match head.keyword {
        Some(Keyword::Function | Keyword::Accessor) => Opening::Body,
        Some(Keyword::Import) => Opening::Block(Block::Data),
        Some(keyword) => container(Some(keyword)).unwrap_or(Opening::Inner(Block::Members)),
        None => Opening::Block(Block::Members),
    }
}

fn scala(within: Block, head: &Head) -> Opening {
    match head.keyword {
        Some(Keyword::Import) => Opening::Inner(Block::Data),
        // The members of a type in the signature: `def f: Any { def g: Int } = …`
        Some(Keyword::Function) if head.colon && head.last != Last::Assign => Opening::Inner(Block::Members),
        Some(Keyword::Function | Keyword::Control) => Opening::Body,
        keyword if head.new => container(keyword).unwrap_or(Opening::Inner(Block::Members)),
        Some(Keyword::Alias) => Opening::Inner(Block::Members),
        None if within == Block::Items => Opening::Block(Block::Items),
        keyword => container(keyword).unwrap_or(Opening::Body),
    }
}
