//! Credentials in HTTP headers and login files.

use super::bytes::{Alphabet, Quality};
use super::jwt;
use super::rules::{Body, Secret, Site, separator};

const CREDENTIALS: Body = Body::from(16, Alphabet::TOKEN68, Quality::Mixed);

/// `Bearer …`. A token with a known shape keeps its own kind.
pub(super) fn bearer(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(20, Alphabet::TOKEN68, Quality::Digits);
    matches!(site.before().last(), Some(b'B' | b'b')).then_some(())?;
    let blanks = Alphabet::of(b" +").run(site.after(), 4);
    let text = &site.after()[blanks..];
    let secret = (site.known)(text)
        .or_else(|| jwt::signed_at_start(text))
        .or_else(|| Some(site.secret(0..BODY.length(text)?)))?;
    Some(Secret { kind: secret.kind, ..site.behind_anchor(blanks, secret.range.end) })
}

/// `Authorization: Basic …`, `AUTHORIZATION: token …`, `"authorization": "…"`.
pub(super) fn authorization(site: &Site<'_>) -> Option<Secret> {
    const SCHEMES: [&str; 12] = [
        "basic",
        "bearer",
        "token",
        "bot",
        "apikey",
        "api-key",
        "key",
        "oauth",
        "ssws",
        "geniekey",
        "negotiate",
        "digest",
    ];
    const VALUE: Alphabet = Alphabet::URL_SAFE.or(Alphabet::of(b"+/="));
    const OPAQUE: [Body; 2] =
        [Body::from(20, VALUE, Quality::Random), Body::from(20, VALUE, Quality::AllThree)];
    let after = site.after();
    let name = separator(after);
    let word = Alphabet::ALNUM.or(Alphabet::of(b"-")).run(&after[name..], 12);
    let scheme = &after[name..name + word];
    let blanks = Alphabet::of(b" +").run(&after[name + word..], 4);
    let encoded = if after[name + word..].starts_with(b"%20") { 3 } else { 0 };
    let has_scheme =
        blanks + encoded > 0 && SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known.as_bytes()));
    (name > 0).then_some(())?;
    let offset = if has_scheme { name + word + blanks + encoded } else { name };
    let text = &after[offset..];
    // The name of an algorithm, before a signature that is valid for one request.
    (!text.starts_with(b"AWS4-")).then_some(())?;
    let secret = (site.known)(text).or_else(|| jwt::signed_at_start(text)).or_else(|| {
        let bodies: &[Body] = if has_scheme { &[CREDENTIALS] } else { &OPAQUE };
        let length = bodies.iter().find_map(|body| body.length(text))?;
        // The next name in a list of such names.
        let is_name = memchr::memmem::find(&text[..length], b"uthorization").is_some();
        (!is_name).then(|| site.secret(0..length))
    })?;
    Some(Secret { kind: secret.kind, ..site.behind_anchor(offset, secret.range.end) })
}

/// `"auth": "…"` in Docker's configuration: a login in base 64.
pub(super) fn docker(site: &Site<'_>) -> Option<Secret> {
    const LOGIN: Body = Body::from(16, Alphabet::BASE64, Quality::AllThree);
    let before = site.before();
    let is_name = before.ends_with(b"\"") || before.ends_with(b"&quot;") || before.ends_with(b"%22");
    let offset = separator(site.after());
    (is_name && offset > 0).then_some(())?;
    let length = LOGIN.length(&site.after()[offset..])?;
    let end = site.after().get(offset + length);
    matches!(end, Some(b'"' | b'\\' | b'&' | b'%')).then(|| site.behind_anchor(offset, length))
}

/// `Cookie: a=…; b=…`: from the first secret value to the last one.
pub(super) fn cookie(site: &Site<'_>) -> Option<Secret> {
    const LONGEST: usize = 8192;
    const VALUE: Alphabet = Alphabet::TOKEN68.or(Alphabet::of(b"%:!*"));
    const VALUES: [Body; 2] =
        [Body::from(20, VALUE, Quality::Random), Body::from(20, VALUE, Quality::AllThree)];
    let after = site.after();
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n' | b'"' | b'\'' | b'`' | b'<' | b'\\' | b'&');
    let near = &after[..after.len().min(LONGEST)];
    // The text after the next `Cookie` is checked with that one.
    let near = &near[..memchr::memmem::find(near, b"ookie").unwrap_or(near.len())];
    let length = near.iter().position(is_end).unwrap_or(near.len());
    let mut secret: Option<(usize, usize)> = None;
    let equals = memchr::memchr_iter(b'=', &after[..length]).map(|at| at + 1);
    for start in equals.chain(memchr::memmem::find_iter(&after[..length], "%3D").map(|at| at + 3)) {
        if secret.is_some_and(|(_, end)| start < end) {
            continue;
        }
        let value = VALUES.iter().find_map(|body| body.length(&after[start..]));
        if let Some(value) = value.filter(|length| !is_constant(&after[start..start + length])) {
            secret = Some((secret.map_or(start, |(first, _)| first), start + value));
        }
    }
    secret.map(|(start, end)| site.behind_anchor(start, end - start))
}

/// Whether a value is written like the name of a constant: `ROCKET_LAUNCHER_0001`.
fn is_constant(value: &[u8]) -> bool {
    const SHORTEST_WORD: usize = 3;
    let is_word = |part: &[u8]| part.iter().all(u8::is_ascii_uppercase);
    let parts = || value.split(|byte| *byte == b'_');
    parts().all(|part| is_word(part) || part.iter().all(u8::is_ascii_digit))
        && parts().filter(|part| part.len() >= SHORTEST_WORD && is_word(part)).count() >= 2
}

/// The password of a login in the form of `.netrc`, if a machine and a login precede it:
/// `machine HOST login NAME password …`, on one line or several.
pub(super) fn netrc_password(site: &Site<'_>) -> Option<Secret> {
    const NEAR: usize = 256;
    const SHORTEST: usize = 4;
    let before = site.before();
    is_login(&before[before.len().saturating_sub(NEAR)..]).then_some(())?;
    let blanks = Alphabet::of(b" \t").run(site.after(), 8);
    let text = &site.after()[blanks..];
    let length = text.iter().position(|&b| b <= b' ' || b"\"'\\<&%".contains(&b)).unwrap_or(text.len());
    let password = &text[..length];
    let is_made_up = length < SHORTEST
        || password.iter().all(|b| b.is_ascii_uppercase() || *b == b'_')
        // A variable or a template.
        || password.starts_with(b"$")
        || password.starts_with(b"{")
        || password.starts_with(b"[")
        || password.eq_ignore_ascii_case(b"password")
        || password == b"string";
    (!is_made_up).then(|| site.behind_anchor(blanks, length))
}

/// Whether `text` ends with `machine HOST login NAME`, or with `default login NAME`.
fn is_login(text: &[u8]) -> bool {
    let mut words = words(text).into_iter().rev();
    let mut has_login = false;
    loop {
        let (Some(value), Some(name)) = (words.next(), words.next()) else { return false };
        match name {
            b"login" | b"account" if is_name(value) => has_login = true,
            name => return has_login && name.ends_with(b"machine"),
        }
        if words.clone().next().is_some_and(|word| word.ends_with(b"default")) {
            return true;
        }
    }
}

/// Whether a word is a user name, unlike the words between "login" and "password" in prose.
fn is_name(word: &[u8]) -> bool {
    const PROSE: [&[u8]; 14] = [
        b"a", b"an", b"and", b"as", b"by", b"for", b"its", b"my", b"or", b"the", b"this", b"via", b"with",
        b"your",
    ];
    !PROSE.contains(&word)
}

/// The words of `text`; the white space between them may be escaped.
fn words(text: &[u8]) -> Vec<&[u8]> {
    let mut words = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < text.len() {
        let blank = match text[at..] {
            [b'\\', b'n' | b'r' | b't', ..] => 2,
            [b'%', b'2', b'0', ..] | [b'%', b'0', _, ..] => 3,
            [0..=b' ', ..] => 1,
            [..] => 0,
        };
        if blank > 0 && start < at {
            words.push(&text[start..at]);
        }
        at += blank.max(1);
        start = if blank > 0 { at } else { start };
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}
