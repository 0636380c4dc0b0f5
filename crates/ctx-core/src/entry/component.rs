//! One component of a pattern, what stands between two slashes, and the names it matches.

/// A compiled component. Names are bytes; where they are UTF-8, wildcards take whole characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Component {
    /// `**`: any number of directories, or every file below.
    Recursive,
    /// `*`: any name.
    Any,
    /// No wildcard.
    Literal(Box<[u8]>),
    /// `*` and then plain text, such as `*.rs`.
    Suffix(Box<[u8]>),
    /// Everything else.
    General(General),
}

/// A component with wildcards anywhere, and the plain text it ends in, which is looked at first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct General {
    tokens: Box<[Token]>,
    end: Box<[u8]>,
}

/// A piece of a general component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// This byte.
    Byte(u8),
    /// `?`: one character, or one byte of what is not UTF-8.
    One,
    /// `*`: any run of characters.
    Run,
    /// `[…]` or `[!…]`.
    Class(Class),
}

/// The characters of a `[…]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    negated: bool,
    ranges: Box<[(char, char)]>,
}

impl Class {
    /// The class whose text between the brackets is `text`.
    pub(super) fn new(text: &str) -> Self {
        let negated = text.starts_with('!');
        let chars: Vec<char> = text.chars().skip(usize::from(negated)).collect();
        let mut ranges = Vec::new();
        let mut at = 0;
        while at < chars.len() {
            if at + 3 <= chars.len() && chars[at + 1] == '-' {
                ranges.push((chars[at], chars[at + 2]));
                at += 3;
            } else {
                ranges.push((chars[at], chars[at]));
                at += 1;
            }
        }
        Self { negated, ranges: ranges.into() }
    }

    fn holds(&self, unit: Option<char>) -> bool {
        let found = unit.is_some_and(|c| self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)));
        found != self.negated
    }
}

impl Component {
    /// The component made of `tokens`.
    pub(super) fn new(tokens: Vec<Token>) -> Self {
        let plain = |tokens: &[Token]| -> Option<Box<[u8]>> {
            let byte = |token: &Token| match token {
                Token::Byte(byte) => Some(*byte),
                Token::One | Token::Run | Token::Class(_) => None,
            };
            tokens.iter().map(byte).collect()
        };
        if let Some(text) = plain(&tokens) {
            return Self::Literal(text);
        }
        match tokens.split_first() {
            Some((Token::Run, [])) => Self::Any,
            Some((Token::Run, rest)) if plain(rest).is_some() => {
                Self::Suffix(plain(rest).unwrap_or_default())
            }
            _ => {
                let wild = |token: &Token| !matches!(token, Token::Byte(_));
                let start = tokens.iter().rposition(wild).map_or(0, |last| last + 1);
                let end = plain(&tokens[start..]).unwrap_or_default();
                Self::General(General { tokens: tokens.into(), end })
            }
        }
    }

    /// The name that the component is, where it has no wildcard.
    pub(super) fn literal(&self) -> Option<std::borrow::Cow<'_, str>> {
        match self {
            Self::Literal(name) => Some(String::from_utf8_lossy(name)),
            Self::Recursive | Self::Any | Self::Suffix(_) | Self::General(_) => None,
        }
    }

    /// Whether the component names something that begins with a dot.
    #[must_use]
    pub fn is_dotted(&self) -> bool {
        match self {
            Self::Literal(text) => text.starts_with(b"."),
            Self::General(General { tokens, .. }) => tokens.first() == Some(&Token::Byte(b'.')),
            Self::Recursive | Self::Any | Self::Suffix(_) => false,
        }
    }

    /// Whether the component matches `name`, whatever its first character.
    #[must_use]
    pub fn matches(&self, name: &[u8]) -> bool {
        match self {
            Self::Recursive | Self::Any => true,
            Self::Literal(text) => **text == *name,
            Self::Suffix(text) => name.ends_with(text),
            Self::General(General { tokens, end }) => name.ends_with(end) && matches_tokens(tokens, name),
        }
    }
}

/// Going back to the last `*` alone is enough, as each takes anything: the cost is bounded by the
/// product of both lengths.
fn matches_tokens(tokens: &[Token], name: &[u8]) -> bool {
    let (mut token, mut at) = (0, 0);
    let mut run: Option<(usize, usize)> = None;
    loop {
        let step = match tokens.get(token) {
            Some(Token::Run) => {
                run = Some((token + 1, at));
                token += 1;
                continue;
            }
            Some(one) => step(one, &name[at..]),
            None if at == name.len() => return true,
            None => None,
        };
        if let Some(len) = step {
            token += 1;
            at += len;
            continue;
        }
        let Some((after, from)) = run else { return false };
        if from == name.len() {
            return false;
        }
        let from = from + unit(&name[from..]).len;
        run = Some((after, from));
        (token, at) = (after, from);
    }
}

/// How many bytes of `rest` the token takes, if it matches there.
fn step(token: &Token, rest: &[u8]) -> Option<usize> {
    let first = *rest.first()?;
    match token {
        Token::Byte(byte) => (*byte == first).then_some(1),
        Token::One => Some(unit(rest).len),
        Token::Class(class) => {
            let unit = unit(rest);
            class.holds(unit.character).then_some(unit.len)
        }
        Token::Run => None,
    }
}

struct Unit {
    character: Option<char>,
    len: usize,
}

/// The first character of `rest`, or its first byte where that is not UTF-8.
fn unit(rest: &[u8]) -> Unit {
    if let Some(first) = rest.first().filter(|first| first.is_ascii()) {
        return Unit { character: Some(char::from(*first)), len: 1 };
    }
    let head = &rest[..rest.len().min(4)];
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
    };
    let character = valid.chars().next();
    Unit { character, len: character.map_or(1, char::len_utf8) }
}
