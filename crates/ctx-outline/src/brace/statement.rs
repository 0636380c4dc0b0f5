//! Decides which words are keywords in their context, and how they affect the statement.

use super::BraceScanner;
use super::head::{Block, Last};
use super::keyword::Keyword;
use crate::Language;
use crate::lines::is_word;

impl BraceScanner<'_, '_> {
    /// Whether a word that may be a keyword is one here; `end` is the offset after the word.
    pub(super) fn is_keyword(&self, keyword: Keyword, end: usize) -> bool {
        let next =
            self.bytes[end..].iter().find(|byte| !matches!(byte, b' ' | b'\t')).copied().unwrap_or(b'\n');
        let head = &self.head;
        match self.language {
            Language::JavaScript | Language::TypeScript => match keyword {
                Keyword::New => true,
                Keyword::Function | Keyword::Type => {
                    !matches!(next, b':' | b',' | b'=' | b'?' | b';' | b'.' | b')')
                }
                Keyword::Control => self.block == Block::Items && !matches!(next, b':' | b',' | b'='),
                Keyword::Alias | Keyword::Interface | Keyword::Module | Keyword::Linkage | Keyword::Enum => {
                    let named = is_word(next) || matches!(next, b'$' | b'"' | b'\'');
                    let named = named || (keyword == Keyword::Linkage && next == b'{' && head.words == 2);
                    named && self.block == Block::Items && !head.assign
                }
                _ => self.block == Block::Items && !matches!(next, b':' | b',' | b'=' | b'?' | b'('),
            },
            Language::Kotlin | Language::Swift | Language::CSharp | Language::Php | Language::Scala => {
                match keyword {
                    Keyword::Accessor => self.is_accessor(next),
                    Keyword::Control => head.keyword.is_none() && !head.assign,
                    Keyword::Enum | Keyword::Type if self.language == Language::CSharp => {
                        !head.parens && (is_word(next) || next == b'@')
                    }
                    Keyword::Type if self.language == Language::Swift => next != b'=' && next != b':',
                    Keyword::Type if self.language == Language::Kotlin => {
                        let in_body = head.is(Keyword::Function) && head.assign;
                        let is_name = matches!(next, b'=' | b'.' | b')' | b',');
                        !in_body && !is_name
                    }
                    _ => !matches!(next, b'=' | b')' | b','),
                }
            }
            Language::Rust => match keyword {
                Keyword::Function | Keyword::Type | Keyword::Module | Keyword::Alias => is_word(next),
                Keyword::Macro => next == b'!' || is_word(next),
                Keyword::Implementation => {
                    !matches!(head.keyword, Some(Keyword::Function | Keyword::Value | Keyword::Alias))
                }
                Keyword::Value => !head.is(Keyword::Function),
                _ => true,
            },
            Language::Java => match keyword {
                Keyword::Type | Keyword::Enum => is_word(next),
                _ => true,
            },
            Language::C => match keyword {
                Keyword::Type | Keyword::Module | Keyword::Alias => {
                    is_word(next) || matches!(next, b'{' | b'[' | b'\n' | b'\r')
                }
                Keyword::Template => next == b'<',
                _ => true,
            },
            Language::Go => keyword != Keyword::Alias || head.words == 1,
            _ => true,
        }
    }

    /// Whether a word that may be an accessor is one; `next` is the byte after the word.
    fn is_accessor(&self, next: u8) -> bool {
        let first = self.head.keyword.is_none();
        match self.language {
            Language::Php => matches!(next, b'{' | b'=' | b';' | b'\r' | b'\n' | b'('),
            _ if self.block == Block::Parens => false,
            Language::CSharp => matches!(next, b'{' | b'=' | b';' | b'\r' | b'\n' | b'('),
            Language::Swift => matches!(next, b'(' | b'?' | b'!' | b'{' | b'<') && first,
            _ => next == b'(' || (matches!(next, b'{' | b'\r' | b'\n') && first),
        }
    }

    pub(super) fn take_keyword(&mut self, keyword: Keyword) {
        let language = self.language;
        let after_macro = self.fresh
            && self.head.parens
            && matches!(language, Language::C | Language::Cpp)
            && self.head.keyword.is_none();
        if after_macro && matches!(keyword, Keyword::Module | Keyword::Template) {
            let word = self.head.last_word.clone();
            let line = self.line();
            self.finish(line);
            self.begin();
            self.head.words = 1;
            self.head.last = Last::Word;
            self.head.last_word = word;
        }
        let head = &mut self.head;
        match keyword {
            Keyword::New => {
                head.new = true;
                return;
            }
            // `class Name constructor(…)`
            Keyword::Accessor if head.is(Keyword::Type) => return,
            Keyword::Accessor if self.type_head.is_some() && language == Language::Kotlin => {
                if let Some(type_head) = self.type_head.take() {
                    self.head = type_head;
                    self.findings.forget_last_declaration();
                }
                return;
            }
            Keyword::Linkage | Keyword::Import if head.keyword.is_some() => return,
            Keyword::Value if head.is(Keyword::Function) => return,
            // `impl Trait` in a signature, `enum class` and the like.
            Keyword::Type if head.is(Keyword::Enum) => return,
            Keyword::Alias | Keyword::Template if head.keyword.is_some() => return,
            Keyword::Type | Keyword::Enum
                if head.is(Keyword::Alias) && matches!(language, Language::C | Language::Cpp) => {}
            Keyword::Function if head.is(Keyword::Value) && language != Language::Rust => {
                head.keyword = Some(keyword);
                return;
            }
            Keyword::Control if head.assign => return,
            _ => {}
        }
        head.keyword = Some(keyword);
        // `init`, `get` and similar words are names themselves.
        head.name = (keyword == Keyword::Accessor).then(|| head.last_word.clone());
        head.expects_name = head.name.is_none();
    }
}
