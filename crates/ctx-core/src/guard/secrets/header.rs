//! The credentials of HTTP headers and of files with logins.

use super::bytes::{Alphabet, Quality};
use super::jwt;
use super::rules::{Body, Secret, Site, separator};

const CREDENTIALS: Body = Body::from(16, Alphabet::TOKEN68, Quality::Mixed);

/// `Bearer …`. A token that is known by its own shape keeps its own kind.
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
    // The name of an algorithm, before a signature that holds for one request.
    (!text.starts_with(b"AWS4-")).then_some(())?;
    let secret = (site.known)(text).or_else(|| jwt::signed_at_start(text)).or_else(|| {
        let bodies: &[Body] = if has_scheme { &[CREDENTIALS] } else { &OPAQUE };
        Some(site.secret(0..bodies.iter().find_map(|body| body.length(text))?))
    })?;
    Some(Secret { kind: secret.kind, ..site.behind_anchor(offset, secret.range.end) })
}

/// `"auth": "…"` in the configuration of Docker: a login in base 64.
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

/// `Cookie: a=…; b=…`: from the first value that is a secret to the last one.
pub(super) fn cookie(site: &Site<'_>) -> Option<Secret> {
    const LONGEST: usize = 8192;
    const VALUE: Alphabet = Alphabet::TOKEN68.or(Alphabet::of(b"%:!*"));
    const VALUES: [Body; 2] =
        [Body::from(20, VALUE, Quality::Random), Body::from(20, VALUE, Quality::AllThree)];
    let after = site.after();
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n' | b'"' | b'\'' | b'`' | b'<' | b'\\' | b'&');
    let near = &after[..after.len().min(LONGEST)];
    // What follows the next name is read for that one.
    let near = &near[..memchr::memmem::find(near, b"ookie").unwrap_or(near.len())];
    let length = near.iter().position(is_end).unwrap_or(near.len());
    let mut secret: Option<(usize, usize)> = None;
    let equals = memchr::memchr_iter(b'=', &after[..length]).map(|at| at + 1);
    for start in equals.chain(memchr::memmem::find_iter(&after[..length], "%3D").map(|at| at + 3)) {
        if secret.is_some_and(|(_, end)| start < end) {
            continue;
        }
        if let Some(value) = VALUES.iter().find_map(|body| body.length(&after[start..])) {
            secret = Some((secret.map_or(start, |(first, _)| first), start + value));
        }
    }
    secret.map(|(start, end)| site.behind_anchor(start, end - start))
}
