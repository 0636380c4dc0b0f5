//! One component of a pattern, the part between two slashes, and how it matches names.

use glob::{MatchOptions, Pattern};

/// A compiled component. Names are bytes; if they are UTF-8, wildcards match whole characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Component {
    /// `**`: any number of directories, or every file below.
    Recursive,
    /// The same, including names that begin with a dot. No pattern has this meaning; it is for directories
    /// that are searched.
    Everything,
    /// `*`: any name.
    Any,
    /// No wildcard.
    Literal(Box<[u8]>),
    /// `*` and then plain text, such as `*.rs`.
    Suffix(Box<[u8]>),
    /// Everything else.
    General(General),
}

/// A component with wildcards anywhere.
///
/// Its plain text is compared first, since many patterns may have to be tried for each of many names: even
/// with 2,000 patterns such as `*a*b*`, each costs only a few searches in a short name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct General {
    dotted: bool,
    /// The plain text before the first wildcard and after the last.
    start: Box<[u8]>,
    end: Box<[u8]>,
    /// The pieces of plain text between wildcards, in order.
    middle: Vec<Box<[u8]>>,
    /// What matches the whole name; `None` if all wildcards are `*`, so that only the plain text matters.
    automaton: Option<Box<Automaton>>,
}

/// A piece of a general component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// This byte.
    Byte(u8),
    /// `?`: one character, or one byte if it is not UTF-8.
    One,
    /// `*`: any run of characters.
    Run,
    /// `[…]` or `[!…]`: the text between the brackets.
    Class(String),
}

/// How one name is matched: `*` and `?` match a leading dot here, since the caller checks for it.
const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

impl Component {
    /// The component made from `tokens`; `None` for an invalid class.
    pub(super) fn new(tokens: Vec<Token>) -> Option<Self> {
        let plain = |tokens: &[Token]| -> Option<Box<[u8]>> {
            let byte = |token: &Token| match token {
                Token::Byte(byte) => Some(*byte),
                Token::One | Token::Run | Token::Class(_) => None,
            };
            tokens.iter().map(byte).collect()
        };
        if let Some(text) = plain(&tokens) {
            return Some(Self::Literal(text));
        }
        Some(match tokens.split_first() {
            Some((Token::Run, [])) => Self::Any,
            Some((Token::Run, rest)) if plain(rest).is_some() => {
                Self::Suffix(plain(rest).unwrap_or_default())
            }
            _ => Self::General(General::new(&tokens)?),
        })
    }

    /// The only name that the component matches, if it has no wildcard.
    pub(super) fn literal(&self) -> Option<std::borrow::Cow<'_, str>> {
        match self {
            Self::Literal(name) => Some(String::from_utf8_lossy(name)),
            Self::Recursive | Self::Everything | Self::Any | Self::Suffix(_) | Self::General(_) => None,
        }
    }

    /// Whether it matches any number of directories.
    #[must_use]
    pub fn is_recursive(&self) -> bool {
        matches!(self, Self::Recursive | Self::Everything)
    }

    /// Whether the component names something that begins with a dot.
    #[must_use]
    pub fn is_dotted(&self) -> bool {
        match self {
            Self::Literal(text) => text.starts_with(b"."),
            Self::General(General { dotted, .. }) => *dotted,
            Self::Everything => true,
            Self::Recursive | Self::Any | Self::Suffix(_) => false,
        }
    }

    /// The bytes that occur in every name it matches, as a set like that of [`bytes_in`].
    #[must_use]
    pub fn bytes_needed(&self) -> u64 {
        match self {
            Self::Recursive | Self::Everything | Self::Any => 0,
            Self::Literal(text) | Self::Suffix(text) => bytes_in(text),
            Self::General(General { start, middle, end, .. }) => {
                middle.iter().chain([start, end]).fold(0, |set, text| set | bytes_in(text))
            }
        }
    }

    /// Whether the component matches `name`, including a leading dot.
    #[must_use]
    pub fn matches(&self, name: &[u8]) -> bool {
        match self {
            Self::Recursive | Self::Everything | Self::Any => true,
            Self::Literal(text) => **text == *name,
            Self::Suffix(text) => name.ends_with(text),
            Self::General(general) => general.matches(name),
        }
    }
}

/// The set of bytes in `text`, in which bytes that differ by a multiple of 64 count as the same. A match
/// contains every byte in the plain text of a component, so most names are rejected without comparing.
#[must_use]
pub fn bytes_in(text: &[u8]) -> u64 {
    text.iter().fold(0, |set, byte| set | 1 << (byte % 64))
}

impl General {
    fn new(tokens: &[Token]) -> Option<Self> {
        let mut pattern: Vec<u8> = Vec::new();
        let mut plain: Vec<Vec<u8>> = vec![Vec::new()];
        for token in tokens {
            match token {
                Token::Byte(byte @ (b'*' | b'?' | b'[')) => pattern.extend([b'[', *byte, b']']),
                Token::Byte(byte) => pattern.push(*byte),
                Token::One => pattern.push(b'?'),
                Token::Run => pattern.push(b'*'),
                Token::Class(class) => pattern.extend([b"[", class.as_bytes(), b"]"].concat()),
            }
            match (token, plain.last_mut()) {
                (Token::Byte(byte), Some(text)) => text.push(*byte),
                (Token::Byte(_) | Token::One | Token::Run | Token::Class(_), _) => plain.push(Vec::new()),
            }
        }
        let pattern = Pattern::new(&String::from_utf8(pattern).ok()?).ok()?;
        let needs_more = tokens.iter().any(|token| !matches!(token, Token::Byte(_) | Token::Run));
        let end = plain.pop().unwrap_or_default().into();
        let mut middle = plain.into_iter().map(Vec::into_boxed_slice);
        let start = middle.next().unwrap_or_default();
        Some(Self {
            dotted: tokens.first() == Some(&Token::Byte(b'.')),
            start,
            end,
            middle: middle.filter(|text| !text.is_empty()).collect(),
            automaton: needs_more.then(|| Box::new(Automaton::new(pattern, tokens))),
        })
    }

    /// A byte of a name that is not UTF-8 counts as one character that no pattern contains.
    pub(super) fn matches(&self, name: &[u8]) -> bool {
        self.has_plain_texts(name) && self.automaton.as_ref().is_none_or(|automaton| automaton.matches(name))
    }

    fn has_plain_texts(&self, name: &[u8]) -> bool {
        let rest = name.strip_prefix(&*self.start).and_then(|rest| rest.strip_suffix(&*self.end));
        let after = |rest: &[u8], text: &[u8]| Some(place_of(text, rest)? + text.len());
        rest.is_some_and(|mut rest| {
            self.middle.iter().all(|text| match after(rest, text) {
                Some(end) => {
                    rest = &rest[end..];
                    true
                }
                None => false,
            })
        })
    }
}

/// Matches names against wildcards of every kind, one character after the other, in time that does not depend
/// on the pattern.
///
/// Bit `n` of the state is set if the characters read so far match the first `n` tokens, not counting `*`.
/// There are 256 bits, the low half first: no file system has names of more than 255 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Automaton {
    pattern: Pattern,
    /// How many tokens there are, not counting `*`. Each matches at least one byte.
    count: usize,
    /// For each ASCII character, the tokens that match it.
    matching: [[u128; 2]; ASCII],
    /// The tokens that match every other character; `None` if they match some of these characters.
    others: Option<[u128; 2]>,
    /// The numbers of tokens that a `*` follows.
    staying: [u128; 2],
}

const ASCII: usize = 128;

/// The most tokens that the automaton can keep track of.
const MOST_TOKENS: usize = 255;

impl Automaton {
    fn new(pattern: Pattern, tokens: &[Token]) -> Self {
        let mut automaton =
            Self { pattern, count: 0, matching: [[0; 2]; ASCII], others: Some([0; 2]), staying: [0; 2] };
        for token in tokens {
            automaton.add(token);
        }
        automaton
    }

    fn add(&mut self, token: &Token) {
        if *token == Token::Run {
            set(&mut self.staying, self.count);
            return;
        }
        self.count += 1;
        let class = match token {
            Token::Class(class) => Pattern::new(&format!("[{class}]")).ok(),
            Token::Byte(_) | Token::One | Token::Run => None,
        };
        for (byte, matching) in (0_u8..).zip(self.matching.iter_mut()) {
            let is_in =
                |class: &Pattern| class.matches_with(char::from(byte).encode_utf8(&mut [0; 4]), OPTIONS);
            let is_match = match token {
                Token::Byte(one) => *one == byte,
                Token::One => true,
                Token::Class(_) => class.as_ref().is_some_and(is_in),
                Token::Run => false,
            };
            if is_match {
                set(matching, self.count);
            }
        }
        match (token, &mut self.others) {
            (Token::One, Some(others)) => set(others, self.count),
            (Token::Class(class), Some(others)) if class.is_ascii() => {
                if class.starts_with('!') {
                    set(others, self.count);
                }
            }
            (Token::Byte(byte), _) if byte.is_ascii() => {}
            (Token::Byte(_) | Token::Class(_) | Token::One | Token::Run, _) => self.others = None,
        }
    }

    fn matches(&self, name: &[u8]) -> bool {
        if self.count > name.len() {
            return false;
        }
        if self.count <= MOST_TOKENS && name.is_ascii() {
            return self.accepts(name.iter().map(|byte| self.matching[usize::from(*byte)]));
        }
        let name = String::from_utf8_lossy(name);
        match self.others.filter(|_| self.count <= MOST_TOKENS) {
            Some(others) => self.accepts(name.chars().map(|c| {
                u8::try_from(c)
                    .ok()
                    .and_then(|byte| self.matching.get(usize::from(byte)))
                    .copied()
                    .unwrap_or(others)
            })),
            None => self.pattern.matches_with(&name, OPTIONS),
        }
    }

    /// Whether a name matches the whole pattern, given the tokens that match each of its characters.
    fn accepts(&self, characters: impl Iterator<Item = [u128; 2]>) -> bool {
        let [mut low, mut high] = [1_u128, 0];
        let is_short = self.count < 128;
        for [low_match, high_match] in characters {
            if !is_short {
                high = (high << 1 | low >> 127) & high_match | high & self.staying[1];
            }
            low = low << 1 & low_match | low & self.staying[0];
            if low | high == 0 {
                return false;
            }
        }
        [low, high][self.count / 128] >> (self.count % 128) & 1 == 1
    }
}

fn set(bits: &mut [u128; 2], place: usize) {
    if let Some(half) = bits.get_mut(place / 128) {
        *half |= 1 << (place % 128);
    }
}

/// Plain text up to this length is compared at each position in a name, which costs less than preparing a
/// search.
const SHORT: usize = 8;

/// The offset at which non-empty `text` occurs in a name, if it does.
fn place_of(text: &[u8], name: &[u8]) -> Option<usize> {
    let (first, others) = text.split_first()?;
    if text.len() > SHORT {
        return memchr::memmem::find(name, text);
    }
    let mut from = 0;
    loop {
        let at = from + memchr::memchr(*first, &name[from..])?;
        if name[at + 1..].starts_with(others) {
            return Some(at);
        }
        from = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::entry::pattern;

    /// A component of these pieces, and whether it matches a name according to the glob crate.
    fn compared(pieces: &[&str], name: &str) -> (Component, bool) {
        let mut text = pieces.concat();
        while text.contains("**") {
            text = text.replace("**", "*");
        }
        let mut globs = pattern::globs(&format!("*/{text}")).unwrap();
        let expected = Pattern::new(&text).unwrap().matches_with(name, OPTIONS);
        (globs.remove(0).components[1].clone(), expected)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn component_matches_the_same_names_as_the_glob_crate(
            pieces in prop::collection::vec(prop::sample::select(vec!["a", "b", "é", "*", "?", "[ab]", "[!a]"]), 1..7),
            name in "[abé]{1,6}",
        ) {
            let (component, expected) = compared(&pieces, &name);
            prop_assert_eq!(component.matches(name.as_bytes()), expected, "{:?} {}", pieces, name);
            let missing = component.bytes_needed() & !bytes_in(name.as_bytes());
            prop_assert!(!expected || missing == 0, "{:?} {}", pieces, name);
        }

        #[test]
        fn long_component_matches_like_the_glob_crate(
            pieces in prop::collection::vec(prop::sample::select(vec!["?", "?", "[ab]", "[ab]", "[!c]", "*"]), 100..270),
            name in "[ab]{90,255}|[abé]{90,140}",
        ) {
            let (component, expected) = compared(&pieces, &name);
            prop_assert_eq!(component.matches(name.as_bytes()), expected, "{:?} {}", pieces, name);
        }
    }
}
