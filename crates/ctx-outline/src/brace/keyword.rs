use crate::{Kind, Language};

/// The meaning of a word at the head of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    Function,
    /// `class`, `struct`, `interface`, …
    Type,
    /// A type whose block starts with its cases.
    Enum,
    /// A type whose block contains only signatures.
    Interface,
    /// `impl`, `extension`
    Implementation,
    Module,
    /// `extern "C"`, `declare global`
    Linkage,
    /// `const`, `let`, `var`, `val`
    Value,
    /// `type`, `typedef`, `using`
    Alias,
    Macro,
    /// `if`, `for`, `try`, …
    Control,
    /// `new`: the block that follows is an anonymous class.
    New,
    /// `get`, `set`, `init`: a function without a list of parameters.
    Accessor,
    /// `template`, whose parameters are in angle brackets.
    Template,
    /// `import`, `use`
    Import,
}

impl Keyword {
    pub(super) fn kind(self) -> Option<Kind> {
        match self {
            Self::Function | Self::Accessor => Some(Kind::Function),
            Self::Type | Self::Enum | Self::Interface | Self::Alias => Some(Kind::Type),
            Self::Implementation => Some(Kind::Implementation),
            Self::Module => Some(Kind::Module),
            Self::Value => Some(Kind::Value),
            Self::Macro => Some(Kind::Macro),
            Self::Linkage | Self::Control | Self::New | Self::Template | Self::Import => None,
        }
    }

    /// Whether the keyword declares a type that is followed by a block of members.
    pub(super) fn has_members(self) -> bool {
        matches!(self, Self::Type | Self::Enum | Self::Interface | Self::Implementation)
    }
}

/// The keyword that `word` is in `language`, if it is one that matters here.
pub(super) fn keyword(language: Language, word: &[u8]) -> Option<Keyword> {
    match language {
        Language::Rust => rust(word),
        Language::C | Language::Cpp => c(word),
        Language::CSharp => c_sharp(word),
        Language::Java => java(word),
        Language::Kotlin => kotlin(word),
        Language::Swift => swift(word),
        Language::Go => go(word),
        Language::JavaScript | Language::TypeScript => javascript(language, word),
        Language::Php => php(word),
        Language::Scala => scala(word),
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
        | Language::Yaml => None,
    }
}

fn rust(word: &[u8]) -> Option<Keyword> {
    Some(match word {
        b"fn" => Keyword::Function,
        b"struct" | b"trait" | b"union" => Keyword::Type,
        b"enum" => Keyword::Enum,
        b"impl" => Keyword::Implementation,
        b"mod" => Keyword::Module,
        b"extern" => Keyword::Linkage,
        b"const" | b"static" => Keyword::Value,
        b"type" => Keyword::Alias,
        b"macro_rules" | b"macro" => Keyword::Macro,
        b"use" => Keyword::Import,
        _ => return None,
    })
}

// C++ is often found in `.h` files.
fn c(word: &[u8]) -> Option<Keyword> {
    Some(match word {
        b"struct" | b"union" => Keyword::Type,
        b"enum" => Keyword::Enum,
        b"typedef" => Keyword::Alias,
        b"extern" => Keyword::Linkage,
        b"class" | b"concept" => Keyword::Type,
        b"namespace" => Keyword::Module,
        b"template" => Keyword::Template,
        b"using" => Keyword::Alias,
        _ => return None,
    })
}

fn c_sharp(word: &[u8]) -> Option<Keyword> {
    Some(match word {
        b"class" | b"struct" | b"record" => Keyword::Type,
        b"interface" => Keyword::Type,
        b"enum" => Keyword::Enum,
        b"namespace" => Keyword::Module,
        b"new" => Keyword::New,
        b"get" | b"set" | b"init" | b"add" | b"remove" => Keyword::Accessor,
        b"using" => Keyword::Import,
        b"delegate" => Keyword::Alias,
        b"if" | b"for" | b"foreach" | b"while" | b"switch" | b"try" | b"catch" | b"finally" | b"else"
        | b"lock" => Keyword::Control,
        _ => return None,
    })
}

fn java(word: &[u8]) -> Option<Keyword> {
    Some(match word {
        b"class" | b"interface" | b"record" => Keyword::Type,
        b"enum" => Keyword::Enum,
        b"new" => Keyword::New,
        b"package" => Keyword::Module,
        b"import" => Keyword::Import,
        _ => return None,
    })
}

fn kotlin(word: &[u8]) -> Option<Keyword> {
    Some(match word {
        b"fun" => Keyword::Function,
        b"class" | b"interface" | b"object" => Keyword::Type,
        b"enum" => Keyword::Enum,
        b"val" | b"var" => Keyword::Value,
        b"typealias" => Keyword::Alias,
        b"package" => Keyword::Module,
        b"import" => Keyword::Import,
        b"get" | b"set" | b"init" | b"constructor" => Keyword::Accessor,
        b"if" | b"for" | b"while" | b"when" | b"try" | b"catch" | b"finally" | b"else" | b"do" => {
            Keyword::Control
        }
        _ => return None,
    })
}

fn swift(word: &[u8]) -> Option<Keyword> {
    Some(match word {
        b"func" | b"macro" => Keyword::Function,
        b"class" | b"struct" | b"protocol" | b"actor" => Keyword::Type,
        b"enum" => Keyword::Enum,
        b"extension" => Keyword::Implementation,
        b"let" | b"var" => Keyword::Value,
        b"typealias" | b"associatedtype" => Keyword::Alias,
        b"import" => Keyword::Import,
        b"init" | b"deinit" | b"subscript" => Keyword::Accessor,
        b"if" | b"for" | b"while" | b"switch" | b"do" | b"catch" | b"else" | b"guard" | b"repeat" => {
            Keyword::Control
        }
        _ => return None,
    })
}

fn go(word: &[u8]) -> Option<Keyword> {
    Some(match word {
        b"func" => Keyword::Function,
        b"type" => Keyword::Alias,
        b"var" | b"const" => Keyword::Value,
        b"package" => Keyword::Module,
        b"import" => Keyword::Import,
        _ => return None,
    })
}

fn javascript(language: Language, word: &[u8]) -> Option<Keyword> {
    Some(match word {
        b"function" => Keyword::Function,
        b"class" => Keyword::Type,
        b"const" | b"let" | b"var" => Keyword::Value,
        b"import" => Keyword::Import,
        b"new" => Keyword::New,
        b"if" | b"for" | b"while" | b"switch" | b"try" | b"catch" | b"finally" | b"else" | b"do"
        | b"with" => Keyword::Control,
        b"interface" if language == Language::TypeScript => Keyword::Interface,
        b"enum" if language == Language::TypeScript => Keyword::Enum,
        b"type" if language == Language::TypeScript => Keyword::Alias,
        b"namespace" | b"module" if language == Language::TypeScript => Keyword::Module,
        b"global" if language == Language::TypeScript => Keyword::Linkage,
        _ => return None,
    })
}

fn php(word: &[u8]) -> Option<Keyword> {
    Some(match word {
        b"function" => Keyword::Function,
        b"class" | b"interface" | b"trait" => Keyword::Type,
        b"enum" => Keyword::Enum,
        b"namespace" => Keyword::Module,
        b"const" => Keyword::Value,
        b"use" => Keyword::Import,
        b"new" => Keyword::New,
        b"get" | b"set" => Keyword::Accessor,
        b"if" | b"for" | b"foreach" | b"while" | b"switch" | b"try" | b"catch" | b"finally" | b"else"
        | b"elseif" | b"do" | b"match" => Keyword::Control,
        _ => return None,
    })
}

fn scala(word: &[u8]) -> Option<Keyword> {
    Some(match word {
        b"def" => Keyword::Function,
        b"class" | b"trait" | b"object" => Keyword::Type,
        b"enum" => Keyword::Enum,
        b"given" | b"extension" => Keyword::Implementation,
        b"val" | b"var" => Keyword::Value,
        b"type" => Keyword::Alias,
        b"package" => Keyword::Module,
        b"import" | b"export" => Keyword::Import,
        b"new" => Keyword::New,
        b"if" | b"for" | b"while" | b"match" | b"try" | b"catch" | b"finally" | b"else" | b"do" => {
            Keyword::Control
        }
        _ => return None,
    })
}

/// Whether a line that begins with `word` continues the statement before it.
pub(super) fn continues_statement(word: &[u8]) -> bool {
    matches!(
        word,
        b"extends"
            | b"implements"
            | b"with"
            | b"where"
            | b"throws"
            | b"rethrows"
            | b"else"
            | b"catch"
            | b"finally"
            | b"as"
            | b"is"
            | b"in"
            | b"of"
            | b"instanceof"
            | b"satisfies"
            | b"derives"
            | b"by"
            | b"async"
            | b"yield"
            | b"match"
    )
}
