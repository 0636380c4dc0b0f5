//! The patterns of git's ignore files, matched byte by byte as in git.
//!
//! A translation to a glob library would differ in braces (which have no meaning in git), in classes, in
//! backslashes and in multi-byte characters.

/// Whether upper and lower case differ, according to `core.ignoreCase`; only ASCII letters can match in either case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Case {
    /// Upper and lower case differ.
    #[default]
    Sensitive,
    /// Upper and lower case are treated alike.
    Ignored,
}

impl Case {
    /// The byte as it is compared.
    #[must_use]
    pub fn fold(self, byte: u8) -> u8 {
        match self {
            Self::Sensitive => byte,
            Self::Ignored => byte.to_ascii_lowercase(),
        }
    }

    /// Whether two byte strings are equal.
    #[must_use]
    pub fn same(self, left: &[u8], right: &[u8]) -> bool {
        match self {
            Self::Sensitive => left == right,
            Self::Ignored => left.eq_ignore_ascii_case(right),
        }
    }
}

/// A compiled pattern of an ignore file.
#[derive(Debug, Clone)]
pub struct Wild {
    tokens: Box<[WildToken]>,
    case: Case,
}

#[derive(Debug, Clone)]
enum WildToken {
    Byte(u8),
    /// `?`
    One,
    /// `*`, which stops at slashes.
    Run,
    /// `**`, which does not.
    Crossing,
    /// `**/`: nothing, or anything that ends in a slash.
    Directories,
    Class(Box<[u64; 4]>),
    /// A pattern that git cannot parse matches nothing.
    Never,
}

impl Wild {
    /// Compiles a pattern; anything that git does not understand makes it match nothing.
    #[must_use]
    pub fn new(pattern: &[u8], case: Case) -> Self {
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(byte) = pattern.get(at) {
            match byte {
                b'?' => tokens.push(WildToken::One),
                b'*' => {
                    let end = at + pattern[at..].iter().take_while(|byte| **byte == b'*').count();
                    let (token, next) = stars(pattern, at, end);
                    tokens.push(token);
                    at = next;
                    continue;
                }
                b'[' => {
                    let Some((class, next)) = class(pattern, at, case) else {
                        tokens.push(WildToken::Never);
                        break;
                    };
                    tokens.push(WildToken::Class(class));
                    at = next;
                    continue;
                }
                // Not folded: in git, an escaped upper-case letter matches nothing if case is ignored.
                b'\\' => {
                    at += 1;
                    tokens.push(pattern.get(at).map_or(WildToken::Never, |byte| WildToken::Byte(*byte)));
                }
                plain => tokens.push(WildToken::Byte(case.fold(*plain))),
            }
            at += 1;
        }
        Self { tokens: tokens.into(), case }
    }

    /// Whether it matches the whole of `text`.
    ///
    /// Only `**` can match any number of slashes, so going back to the last `*` and the last `**` is enough.
    #[must_use]
    pub fn matches(&self, text: &[u8]) -> bool {
        self.matches_counted(text, &mut 0)
    }

    /// The same; adds the number of comparisons to `steps`.
    #[must_use]
    pub fn matches_counted(&self, text: &[u8], steps: &mut u64) -> bool {
        let (mut token, mut at) = (0, 0);
        let mut run: Option<Retry> = None;
        let mut crossing: Option<Retry> = None;
        loop {
            *steps += 1;
            let matched = match self.tokens.get(token) {
                Some(WildToken::Run) => {
                    run = Some(Retry { token: token + 1, at });
                    token += 1;
                    continue;
                }
                Some(WildToken::Crossing | WildToken::Directories) => {
                    crossing = Some(Retry { token: token + 1, at });
                    run = None;
                    token += 1;
                    continue;
                }
                Some(one) => text.get(at).is_some_and(|byte| one.takes(self.case.fold(*byte))),
                None if at == text.len() => return true,
                None => false,
            };
            if matched {
                token += 1;
                at += 1;
                continue;
            }
            let next = match run {
                Some(retry) if text.get(retry.at).is_some_and(|byte| *byte != b'/') => {
                    let retry = Retry { at: retry.at + 1, ..retry };
                    run = Some(retry);
                    retry
                }
                Some(_) | None => {
                    let Some(retry) = crossing.and_then(|retry| self.advance(retry, text, steps)) else {
                        return false;
                    };
                    crossing = Some(retry);
                    run = None;
                    retry
                }
            };
            (token, at) = (next.token, next.at);
        }
    }

    /// The next position where the rest of the pattern after a `**` may match.
    fn advance(&self, retry: Retry, text: &[u8], steps: &mut u64) -> Option<Retry> {
        /// Looking for a slash in this many bytes takes about as long as one comparison.
        const BYTES_OF_A_STEP: usize = 8;
        let rest = text.get(retry.at..).filter(|rest| !rest.is_empty())?;
        let step = match self.tokens.get(retry.token.wrapping_sub(1)) {
            Some(WildToken::Directories) => {
                let slash = rest.iter().position(|byte| *byte == b'/');
                *steps += (slash.unwrap_or(rest.len()) / BYTES_OF_A_STEP) as u64;
                slash? + 1
            }
            Some(_) | None => 1,
        };
        Some(Retry { at: retry.at + step, ..retry })
    }
}

#[derive(Clone, Copy)]
struct Retry {
    token: usize,
    at: usize,
}

impl WildToken {
    fn takes(&self, byte: u8) -> bool {
        match self {
            Self::Byte(one) => *one == byte,
            Self::One => byte != b'/',
            Self::Class(set) => byte != b'/' && set[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1,
            Self::Run | Self::Crossing | Self::Directories | Self::Never => false,
        }
    }
}

/// The token for the stars from `at` to `end`, and the rest of the pattern.
fn stars(pattern: &[u8], at: usize, end: usize) -> (WildToken, usize) {
    let starts = at == 0 || pattern[at - 1] == b'/';
    if end - at < 2 || !starts {
        return (WildToken::Run, end);
    }
    match &pattern[end..] {
        [b'/', ..] => (WildToken::Directories, end + 1),
        [] | [b'\\', b'/', ..] => (WildToken::Crossing, end),
        _ => (WildToken::Run, end),
    }
}

/// The set that begins at `start`, and the rest of the pattern; `None` if it is not closed.
fn class(pattern: &[u8], start: usize, case: Case) -> Option<(Box<[u64; 4]>, usize)> {
    let mut set = [0_u64; 4];
    let mut at = start + 1;
    let negated = matches!(pattern.get(at)?, b'!' | b'^');
    at += usize::from(negated);
    let mut previous = 0u8;
    let mut byte = *pattern.get(at)?;
    loop {
        match byte {
            b'\\' => {
                at += 1;
                byte = *pattern.get(at)?;
                add(&mut set, byte, byte);
            }
            b'-' if previous != 0 && pattern.get(at + 1).is_some_and(|next| *next != b']') => {
                at += 1;
                let mut high = *pattern.get(at)?;
                if high == b'\\' {
                    at += 1;
                    high = *pattern.get(at)?;
                }
                add(&mut set, previous, high);
                if case == Case::Ignored {
                    let upper = |byte: &u8| (previous..=high).contains(&byte.to_ascii_uppercase());
                    (b'a'..=b'z').filter(upper).for_each(|byte| add(&mut set, byte, byte));
                }
                byte = 0;
            }
            b'[' if pattern.get(at + 1) == Some(&b':') => {
                let name = at + 2;
                let end = name + pattern.get(name..)?.iter().position(|byte| *byte == b']')?;
                if end > name && pattern[end - 1] == b':' {
                    let holds = named(&pattern[name..end - 1], case)?;
                    (0..=u8::MAX).filter(holds).for_each(|byte| add(&mut set, byte, byte));
                    at = end;
                    byte = 0;
                } else {
                    add(&mut set, b'[', b'[');
                }
            }
            plain => add(&mut set, plain, plain),
        }
        previous = byte;
        at += 1;
        byte = *pattern.get(at)?;
        if byte == b']' {
            break;
        }
    }
    let set = if negated { set.map(|word| !word) } else { set };
    Some((Box::new(set), at + 1))
}

/// Adds the bytes from `low` to `high` to a set.
fn add(set: &mut [u64; 4], low: u8, high: u8) {
    for byte in low..=high {
        set[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }
}

fn named(name: &[u8], case: Case) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| matches!(byte, b' '..=b'~'),
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |byte| matches!(byte, b' ' | b'\t'..=b'\r'),
        b"upper" if case == Case::Ignored => u8::is_ascii_lowercase,
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Wild::new(pattern.as_bytes(), Case::Sensitive).matches(text.as_bytes())
    }

    #[test]
    fn letters_match_in_either_case_as_in_git() {
        let matches =
            |pattern: &str, text: &str| Wild::new(pattern.as_bytes(), Case::Ignored).matches(text.as_bytes());
        assert!(matches("A*b", "axB") && matches("[A-C]", "b") && matches("[a-c]", "B"));
        assert!(matches("[[:upper:]]", "a") && matches("[[:lower:]]", "A") && matches("[!B]", "a"));
        assert!(!matches("\\A", "A") && !matches("\\A", "a") && matches("\\a", "A"));
        assert!(!matches("[A]", "A") && matches("[a]", "A") && !matches("\u{c9}", "\u{e9}"));
    }

    #[test]
    fn wildcards_match_as_in_git() {
        assert!(matches("a/**/b", "a/b") && matches("a/**/b", "a/x/y/b") && !matches("a/**/b", "ab"));
        assert!(matches("**/b/*", "a/b/c") && !matches("**/b/*", "a/b/c/d"));
        assert!(matches("a/**", "a/b/c") && !matches("a/**", "a"));
        assert!(matches("*.{a,b}", "x.{a,b}") && !matches("*.{a,b}", "x.a"));
        assert!(matches("[!a]x", "bx") && matches("[^a]x", "bx") && !matches("[!a]x", "ax"));
        assert!(matches("[[:alpha:]]", "q") && !matches("[[:alpha:]]", "1") && !matches("[[:nope:]]", "a"));
        assert!(matches("\\*", "*") && !matches("\\*", "a") && !matches("a\\", "a\\"));
        assert!(matches("[]-]", "]") && matches("[a-c-e]", "-") && !matches("[ab", "[ab"));
        assert!(!matches("a?b", "a/b") && !matches("a[/]b", "a/b") && matches("a***b", "axb"));
    }

    #[test]
    fn hostile_patterns_are_matched_quickly() {
        assert!(!matches(&"**/*a*".repeat(300), &"a/".repeat(120)));
        assert!(!matches(&("*a".repeat(1000) + "b"), &"a".repeat(250)));
    }
}
