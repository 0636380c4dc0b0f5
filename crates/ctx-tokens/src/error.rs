use std::fmt;

/// What a call cannot do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no tokenizer of this name, or its feature is off.
    UnknownTokenizer(String),
    /// No token has this number.
    UnknownToken(u32),
    /// The tokens stand for bytes that are no UTF-8 text, as a part of an emoji may.
    NotUtf8,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownTokenizer(name) => write!(f, "unknown tokenizer '{name}'"),
            Self::UnknownToken(number) => write!(f, "no token has the number {number}"),
            Self::NotUtf8 => f.write_str("the tokens are not UTF-8 text"),
        }
    }
}

impl std::error::Error for Error {}
