//! `{a,b}` alternatives, which the pattern language adds to the glob syntax.

use std::collections::HashSet;

use super::target_error::{MAX_EXPANSIONS, TargetError};

/// How deep alternatives may be nested.
pub const MAX_NESTING: usize = 32;

/// All the patterns that `text` expands to, in order and without duplicates.
///
/// Braces inside `[…]` are characters of the class.
///
/// # Errors
/// Unbalanced braces or brackets, too many alternatives, or nesting that is too deep.
pub fn expand(text: &str) -> Result<Vec<String>, TargetError> {
    let mut parser = Parser { text, at: 0 };
    let mut all = parser.sequence(0)?;
    if parser.at < text.len() {
        return Err(TargetError::UnopenedBrace);
    }
    let mut seen = HashSet::new();
    let mut is_first = all.iter().map(|one| seen.insert(one.as_str())).collect::<Vec<bool>>().into_iter();
    all.retain(|_| is_first.next() == Some(true));
    Ok(all)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    /// Reads up to the end, or, inside braces, up to the `,` or `}` that ends an alternative.
    fn sequence(&mut self, depth: usize) -> Result<Vec<String>, TargetError> {
        let mut all = vec![String::new()];
        while let Some(next) = self.text.as_bytes().get(self.at) {
            match next {
                b'{' => all = self.product(&all, depth)?,
                b'}' => break,
                b',' if depth > 0 => break,
                b'[' => {
                    let end = class_end(&self.text[self.at..]).ok_or(TargetError::UnclosedBracket)?;
                    self.append(&mut all, end);
                }
                // There may be a thousand alternatives, and thousands of characters.
                _ => {
                    let rest = &self.text.as_bytes()[self.at + 1..];
                    let plain = rest.iter().position(|byte| b"{},[".contains(byte)).unwrap_or(rest.len());
                    self.append(&mut all, 1 + plain);
                }
            }
        }
        Ok(all)
    }

    fn append(&mut self, all: &mut [String], len: usize) {
        let piece = &self.text[self.at..self.at + len];
        all.iter_mut().for_each(|one| one.push_str(piece));
        self.at += len;
    }

    fn product(&mut self, heads: &[String], depth: usize) -> Result<Vec<String>, TargetError> {
        let tails = self.alternatives(depth + 1)?;
        if heads.len() * tails.len() > MAX_EXPANSIONS {
            return Err(TargetError::TooManyAlternatives);
        }
        Ok(heads.iter().flat_map(|head| tails.iter().map(move |tail| format!("{head}{tail}"))).collect())
    }

    fn alternatives(&mut self, depth: usize) -> Result<Vec<String>, TargetError> {
        if depth > MAX_NESTING {
            return Err(TargetError::NestedTooDeep);
        }
        let mut all = Vec::new();
        loop {
            self.at += 1;
            all.extend(self.sequence(depth)?);
            if all.len() > MAX_EXPANSIONS {
                return Err(TargetError::TooManyAlternatives);
            }
            match self.text.as_bytes().get(self.at) {
                Some(b',') => {}
                Some(_) => break,
                None => return Err(TargetError::UnclosedBrace),
            }
        }
        self.at += 1;
        Ok(all)
    }
}

/// The length of the class at the start of `text`, including brackets; a `]` right after `[` or `[!` is one of its
/// characters.
pub(super) fn class_end(text: &str) -> Option<usize> {
    let negated = text[1..].starts_with('!');
    let first = 1 + usize::from(negated);
    let after_first = first + text[first..].chars().next()?.len_utf8();
    Some(after_first + text[after_first..].find(']')? + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Vec<String> {
        expand(text).unwrap()
    }

    #[test]
    fn alternatives_multiply_and_nest() {
        assert_eq!(expanded("a{b,c}d{e,f}"), ["abde", "abdf", "acde", "acdf"]);
        assert_eq!(expanded("{a,b{c,d}}/x"), ["a/x", "bc/x", "bd/x"]);
        assert_eq!(expanded("x{,.rs}"), ["x", "x.rs"]);
        assert_eq!(expanded("{a,a}"), ["a"]);
        assert_eq!(expanded("a,b"), ["a,b"]);
        assert_eq!(expanded("é{ü,ß}日,本{x}"), ["éü日,本x", "éß日,本x"]);
    }

    #[test]
    fn braces_in_a_character_class_are_literal() {
        assert_eq!(expanded("[{]x[}]"), ["[{]x[}]"]);
        assert_eq!(expanded("{[a,b],c}"), ["[a,b]", "c"]);
    }

    #[test]
    fn unbalanced_or_too_many_braces_are_refused() {
        assert_eq!(expand("{a,b"), Err(TargetError::UnclosedBrace));
        assert_eq!(expand("a}b"), Err(TargetError::UnopenedBrace));
        assert_eq!(expand("[ab"), Err(TargetError::UnclosedBracket));
        assert_eq!(expand(&"{a,b}".repeat(11)), Err(TargetError::TooManyAlternatives));
        assert_eq!(expand(&"{".repeat(4000)), Err(TargetError::NestedTooDeep));
        assert_eq!(expand(&"{a,b}".repeat(10)).unwrap().len(), MAX_EXPANSIONS);
    }
}
