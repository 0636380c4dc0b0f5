//! A module.

use std::fmt;

/// Its lifetime is not a character.
#[derive(Debug, Clone)]
pub struct Parser<'a> {
    text: &'a str,
    quote: char,
}

const BRACE: char = '{';
const RAW: &str = r#"fn not_a_function() { " "#;

impl<'a> fmt::Display for Parser<'a> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An unbalanced } in a comment, /* and in a /* nested */ one: } */
        let closing = ['}', '\'', '"', b'\\' as char];
        let text = "a string with } and \" in it";
        write!(formatter, "{text}{closing:?}")
    }
}

impl<'a> Parser<'a> {
    /// Documentation stays.
    pub fn parse<F>(self, read: F) -> Result<Self, Box<dyn std::error::Error>>
    where
        F: Fn(&str) -> bool,
    {
        fn nested() {
            println!("gone with its body");
        }
        nested();
        Ok(self)
    }

    pub fn quote(&self) -> char { self.quote }
}

pub trait Visit {
    type Output;
    fn visit(&mut self);
    fn done(&self) -> bool {
        let answer = true;
        answer || false
    }
}

macro_rules! numbers {
    ($($name:ident = $value:expr),*) => {
        $(pub const $name: u32 = $value;)*
    };
}

pub static HANDLERS: [fn(u32) -> u32; 2] = [first, second];

mod tests {
    #[test]
    fn one_is_one() {
        assert_eq!(1, 1, "a message that is long");
    }
}
