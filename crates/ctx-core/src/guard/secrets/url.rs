//! Passwords and tokens in URLs, `scheme://user:password@host`; the rest of the URL stays.

use super::bytes::{Alphabet, Quality, has_long_run};
use super::escape::Escape;
use super::rules::{Body, Secret, Site};

/// The user and the password in `user:password@`, or a token in `token@`.
pub(super) fn password(site: &Site<'_>) -> Option<Secret> {
    let scheme = Alphabet::ALNUM.or(Alphabet::of(b"+.-")).run_back(site.before(), 16);
    let (before, scheme) = site.before().split_at(site.before().len() - scheme);
    (!scheme.is_empty() && !scheme.eq_ignore_ascii_case(b"cvs")).then_some(())?;
    let after = site.after();
    let end = after.iter().position(|&b| ends_authority(b)).unwrap_or(after.len());
    let authority = &after[..end];
    let login = match memchr::memrchr(b'@', authority) {
        Some(at) => Login::of(&authority[..at], &[":"])?,
        None => raw_login(after, before.last().copied())?,
    };
    (!login.is_made_up()).then(|| site.behind_anchor(login.start, login.password.len()))
}

/// The user and the password if the whole URL is encoded inside another one:
/// `%3A%2F%2Fuser%3Apassword%40host`.
pub(super) fn encoded_password(site: &Site<'_>) -> Option<Secret> {
    const PART: Alphabet = Alphabet::URL_SAFE.or(Alphabet::of(b".~!*'()%"));
    const LONGEST: usize = 1024;
    let after = site.after();
    let part = &after[..PART.run(after, LONGEST)];
    let part = &part[..find_any(part, &["%20", "%0A", "%0D", "%22", "%3C", "%3E"]).unwrap_or(part.len())];
    let authority = &part[..find_any(part, &["%2F", "%2f"]).unwrap_or(part.len())];
    let at = |text: &[u8]| memchr::memmem::rfind(text, b"%40");
    let login = match at(authority) {
        Some(at) => Login::of(&authority[..at], &["%3A", "%3a"])?,
        None => {
            let login = Login::of(&part[..at(part)?], &["%3A", "%3a"])?;
            (!login.may_be_port(&["%2F", "%2f", "%3F", "%3f", "%23"])).then_some(login)?
        }
    };
    (!login.is_made_up()).then(|| site.behind_anchor(login.start, login.password.len()))
}

fn find_any(text: &[u8], needles: &[&str]) -> Option<usize> {
    needles.iter().filter_map(|needle| memchr::memmem::find(text, needle.as_bytes())).min()
}

fn ends_authority(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | 0x7f)
}

/// The login of a URL whose password contains unescaped characters: `user:pa/ss#word@host`.
fn raw_login(after: &[u8], quote: Option<u8>) -> Option<Login<'_>> {
    const USER: Alphabet = Alphabet::URL_SAFE.or(Alphabet::of(b"%+"));
    const LONGEST: usize = 512;
    let user = USER.run(after, 64);
    (after.get(user) == Some(&b':')).then_some(())?;
    let close = match quote {
        Some(quote @ (b'"' | b'\'' | b'`')) => quote,
        Some(b'<') => b'>',
        Some(b'(') => b')',
        Some(_) | None => b'`',
    };
    let after = &after[..after.len().min(LONGEST)];
    let end = after.iter().position(|&b| b <= b' ' || b == close).unwrap_or(after.len());
    let at = memchr::memrchr(b'@', &after[..end])?;
    let is_host = after.get(at + 1).is_some_and(|&b| b.is_ascii_alphanumeric() || b"[{$_%".contains(&b));
    let login = Login { user: &after[..user], password: after.get(user + 1..at)?, start: user + 1 };
    let is_address = memchr::memmem::find(login.password, b"://").is_some();
    (is_host && !is_address && !login.may_be_port(&["/", "?", "#"])).then_some(login)
}

/// The text before the host.
struct Login<'t> {
    user: &'t [u8],
    password: &'t [u8],
    /// Where the password starts, counted from the user's first byte.
    start: usize,
}

impl<'t> Login<'t> {
    /// The login in `text`. Text without a colon is a token, if it looks like one.
    fn of(text: &'t [u8], colons: &[&str]) -> Option<Self> {
        const TOKEN: Body = Body::from(20, Alphabet::URL_SAFE.or(Alphabet::of(b".~%")), Quality::Random);
        let length = colons.first().map_or(0, |colon| colon.len());
        match find_any(text, colons) {
            Some(colon) => {
                let start = colon + length;
                Some(Self { user: &text[..colon], password: &text[start..], start })
            }
            None => (TOKEN.length(text) == Some(text.len())).then_some(Self {
                user: b"",
                password: text,
                start: 0,
            }),
        }
    }

    /// Whether the text before the first of `ends` is a port, and the user a host.
    fn may_be_port(&self, ends: &[&str]) -> bool {
        let end = find_any(self.password, ends).unwrap_or(self.password.len());
        let port = &self.password[..end];
        port.iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase() || *b == b'_')
            || port.eq_ignore_ascii_case(b"port")
            || is_template(port)
    }

    /// Placeholders for a login in documentation, grammars and templates.
    fn is_made_up(&self) -> bool {
        const SHORTEST: usize = 4;
        let Self { user, password, .. } = self;
        let is_name = |b: &u8| b.is_ascii_uppercase() || *b == b'_';
        // A host, its port and another host, as in lists of hosts.
        let is_list = user.contains(&b'.') && password.contains(&b',');
        password.len() < SHORTEST
            || password == user
            || password.iter().all(is_name)
            || PLACEHOLDERS.iter().any(|word| password.eq_ignore_ascii_case(word.as_bytes()))
            || password.iter().all(|b| *b == password[0])
            || has_long_run(password)
            || user.contains(&b'[')
            || is_list
            || is_template(password)
    }
}

const PLACEHOLDERS: &[&str] = &[
    "admin",
    "apikey",
    "api_key",
    "changeme",
    "change-me",
    "example",
    "guest",
    "hidden",
    "mypass",
    "mypassword",
    "none",
    "null",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "placeholder",
    "redacted",
    "root",
    "secret",
    "test",
    "token",
    "undefined",
    "user",
    "username",
    "your-password",
    "your_password",
    "yourpassword",
];

fn is_template(password: &[u8]) -> bool {
    let has = |mark: &str| memchr::memmem::find(password, mark.as_bytes()).is_some();
    matches!(password, [b'$' | b'<', ..] | [b'{', ..] | [b'%', b'(' | b'{', ..] | [b':', ..] | [.., b']'])
        || has("${")
        || has("{{")
        || has("[REDACTED:")
        || has("...")
        || has("***")
}

/// The text after `hooks.slack.com/services/`, `/workflows/` or `/triggers/`.
pub(super) fn slack_webhook(site: &Site<'_>) -> Option<Secret> {
    const PATH: Body = Body::from(30, Alphabet::ALNUM.or(Alphabet::of(b"/")), Quality::Mixed);
    let slash = |text: &[u8]| match Escape::at_start(text) {
        Some(escape) if escape.byte == b'/' => Some(escape.length),
        Some(_) | None => text.starts_with(b"/").then_some(1),
    };
    let after = site.after();
    let first = slash(after)?;
    let word = Alphabet::LOWER.run(&after[first..], 12);
    let offset = first + word + slash(&after[first + word..])?;
    let length = PATH.length(&after[offset..])?;
    Some(site.behind_anchor(offset, length))
}
