//! The syntax of git's configuration files, and the meaning of their values.

use crate::fs::directory::bytes_of;
use crate::world::World;

/// A variable that a configuration sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitSetting {
    /// `section.name` or `section.subsection.name`; everything except the subsection in lower case.
    pub key: Vec<u8>,
    /// The text after `=`; `None` if there is no `=`.
    pub value: Option<Vec<u8>>,
}

impl GitSetting {
    /// The subsection, if the key has this section and name and a subsection between them.
    #[must_use]
    pub fn subsection(&self, section: &str, name: &str) -> Option<&[u8]> {
        let rest = self.key.strip_prefix(section.as_bytes())?.strip_prefix(b".")?;
        rest.strip_suffix(name.as_bytes())?.strip_suffix(b".")
    }
}

/// Parses a configuration file as git does; `None` if git would refuse it.
#[must_use]
pub fn parse(text: &[u8]) -> Option<Vec<GitSetting>> {
    if text.contains(&0) {
        return None;
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut characters = Characters { text, at: 0, ended: false };
    let mut settings = Vec::new();
    let mut section = Vec::new();
    loop {
        match characters.next() {
            b'\n' if characters.ended => return Some(settings),
            byte if is_space(byte) => {}
            b'#' | b';' => {
                while characters.next() != b'\n' {}
                if characters.ended {
                    return Some(settings);
                }
            }
            b'[' => section = self::section(&mut characters)?,
            first if first.is_ascii_alphabetic() => {
                let mut key = section.clone();
                key.push(first.to_ascii_lowercase());
                settings.push(setting(&mut characters, key)?);
                if characters.ended {
                    return Some(settings);
                }
            }
            _ => return None,
        }
    }
}

/// The key of a setting from the environment, in the form of [`GitSetting::key`].
#[must_use]
pub fn parse_key(key: &[u8]) -> Option<Vec<u8>> {
    let last = key.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0)?;
    let first = key.iter().position(|byte| *byte == b'.')?;
    let (section, name) = (&key[..first], &key[last + 1..]);
    let subsection = &key[first..=last];
    let is_valid = section.iter().all(|byte| is_key(*byte))
        && name.first()?.is_ascii_alphabetic()
        && name.iter().all(|byte| is_key(*byte))
        && !subsection.contains(&b'\n');
    let parts = [&section.to_ascii_lowercase(), subsection, &name.to_ascii_lowercase()];
    is_valid.then(|| parts.concat())
}

/// Whether git takes a byte for white space.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

struct Characters<'a> {
    text: &'a [u8],
    at: usize,
    /// Whether the end was reached, which counts as the end of a line.
    ended: bool,
}

impl Characters<'_> {
    fn next(&mut self) -> u8 {
        let rest = &self.text[self.at..];
        match rest {
            [] => {
                self.ended = true;
                b'\n'
            }
            [b'\r', b'\n', ..] => {
                self.at += 2;
                b'\n'
            }
            [byte, ..] => {
                self.at += 1;
                *byte
            }
        }
    }
}

/// Reads the text between brackets, and adds the dot that separates it from names.
fn section(characters: &mut Characters<'_>) -> Option<Vec<u8>> {
    let mut section = Vec::new();
    loop {
        let byte = characters.next();
        match byte {
            _ if characters.ended => return None,
            b']' => break,
            space if is_space(space) => {
                subsection(characters, space, &mut section)?;
                break;
            }
            key if is_key(key) || key == b'.' => section.push(key.to_ascii_lowercase()),
            _ => return None,
        }
    }
    if section.is_empty() {
        return None;
    }
    section.push(b'.');
    Some(section)
}

/// Reads a quoted subsection, after the space before it, up to the closing bracket.
fn subsection(characters: &mut Characters<'_>, space: u8, section: &mut Vec<u8>) -> Option<()> {
    let mut byte = space;
    while is_space(byte) {
        if byte == b'\n' {
            return None;
        }
        byte = characters.next();
    }
    if byte != b'"' {
        return None;
    }
    section.push(b'.');
    loop {
        let mut byte = characters.next();
        match byte {
            b'\n' => return None,
            b'"' => break,
            b'\\' => byte = Some(characters.next()).filter(|escaped| *escaped != b'\n')?,
            _ => {}
        }
        section.push(byte);
    }
    (characters.next() == b']').then_some(())
}

fn setting(characters: &mut Characters<'_>, mut key: Vec<u8>) -> Option<GitSetting> {
    let mut byte = characters.next();
    while !characters.ended && is_key(byte) {
        key.push(byte.to_ascii_lowercase());
        byte = characters.next();
    }
    while matches!(byte, b' ' | b'\t') {
        byte = characters.next();
    }
    match byte {
        b'\n' => Some(GitSetting { key, value: None }),
        b'=' => Some(GitSetting { key, value: Some(value(characters)?) }),
        _ => None,
    }
}

fn value(characters: &mut Characters<'_>) -> Option<Vec<u8>> {
    let mut value = Vec::new();
    let mut quoted = false;
    // The start of white space that counts only if something follows it.
    let mut trimmed = 0;
    loop {
        let byte = characters.next();
        match byte {
            b'\n' if quoted => return None,
            b'\n' => break,
            space if is_space(space) && !quoted => {
                if trimmed == 0 {
                    trimmed = value.len();
                }
                if !value.is_empty() {
                    value.push(space);
                }
                continue;
            }
            b';' | b'#' if !quoted => {
                while characters.next() != b'\n' {}
                break;
            }
            _ => trimmed = 0,
        }
        match byte {
            b'"' => quoted = !quoted,
            b'\\' => value.extend(match characters.next() {
                b'\n' => None,
                b't' => Some(b'\t'),
                b'b' => Some(8),
                b'n' => Some(b'\n'),
                same @ (b'\\' | b'"') => Some(same),
                _ => return None,
            }),
            plain => value.push(plain),
        }
    }
    if trimmed > 0 {
        value.truncate(trimmed);
    }
    Some(value)
}

/// A path with `~` replaced by the home directory; `None` if only git knows its meaning.
#[must_use]
pub fn expand(path: &[u8], world: &World) -> Option<Vec<u8>> {
    match path {
        _ if path.starts_with(b"%(prefix)/") => None,
        [b'~'] => Some(bytes_of(world.home.as_ref()?)),
        [b'~', rest @ ..] if rest.starts_with(b"/") => {
            Some([bytes_of(world.home.as_ref()?).as_slice(), rest].concat())
        }
        [b'~', ..] => None,
        _ => Some(path.to_vec()),
    }
}

/// A truth value by git's rules.
#[must_use]
pub fn truth(value: &[u8]) -> Option<bool> {
    let text = std::str::from_utf8(value).ok()?;
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" | "" => Some(false),
        number => integer(number).map(|number| number != 0),
    }
}

/// A 32-bit number by git's rules: decimal, octal or hexadecimal, in lower case, with a unit.
fn integer(text: &str) -> Option<i64> {
    let text = text.trim_start_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    let shift = match text.as_bytes().last()? {
        b'k' => 10,
        b'm' => 20,
        b'g' => 30,
        _ => 0,
    };
    let text = &text[..text.len() - usize::from(shift > 0)];
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let magnitude = match (digits.strip_prefix("0x"), digits.strip_prefix('0')) {
        (Some(hexadecimal), _) => i64::from_str_radix(hexadecimal, 16),
        (None, Some(octal)) if !octal.is_empty() => i64::from_str_radix(octal, 8),
        (None, _) => digits.parse(),
    };
    let is_number = digits.starts_with(|first: char| first.is_ascii_hexdigit());
    let value = magnitude.ok().filter(|_| is_number)?.checked_mul(1 << shift)?;
    (value <= i64::from(i32::MAX)).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<Vec<String>> {
        let shown = |setting: GitSetting| {
            let key = String::from_utf8(setting.key).unwrap();
            match setting.value {
                Some(value) => format!("{key}={}", String::from_utf8(value).unwrap()),
                None => key,
            }
        };
        Some(parse(text.as_bytes())?.into_iter().map(shown).collect())
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let text = "\u{feff}[user]\n name = x\n excludesfile = no\n[Core] ; c\r\n\tExcludesFile = \"~/my ignore\" # c\n\
                    bare\n[A \"B.c\\\"d\"] x=1\n[e.F]y = \\\n a\\tb  \"; \" ; c\n[g]z";
        let expected = [
            "user.name=x",
            "user.excludesfile=no",
            "core.excludesfile=~/my ignore",
            "core.bare",
            "a.B.c\"d.x=1",
            "e.f.y=a\tb  ; ",
            "g.z",
        ];
        assert_eq!(parsed(text).unwrap(), expected);
    }

    #[test]
    fn malformed_files_are_refused() {
        let malformed = [
            "[",
            "[]",
            "[a",
            "[a b]",
            "[a \"b]",
            "[a \"b\"",
            "[a \"b\" ]",
            "[a]=",
            "[a]\n1=2",
            "[a]b c",
            "[a]b=\"c",
            "[a]b=\\x",
            "[a\n\"b\"]",
            "\0",
            "[a]b=c\0",
        ];
        for text in malformed {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn keys_from_the_environment_are_checked() {
        let key = |text: &str| parse_key(text.as_bytes()).map(|key| String::from_utf8(key).unwrap());
        assert_eq!(key("Core.ExcludesFile").as_deref(), Some("core.excludesfile"));
        assert_eq!(key("IncludeIf.gitdir:A/.Path").as_deref(), Some("includeif.gitdir:A/.path"));
        for wrong in ["", "core", ".x", "core.", "c_re.x", "core.1", "core.a\nb.c"] {
            assert_eq!(key(wrong), None, "{wrong}");
        }
    }
}
