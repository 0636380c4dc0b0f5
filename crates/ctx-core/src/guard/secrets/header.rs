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
    const OPAQUE: Body = Body::from(20, Alphabet::URL_SAFE.or(Alphabet::of(b"+/=")), Quality::Random);
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
        let body = if has_scheme { CREDENTIALS } else { OPAQUE };
        Some(site.secret(0..body.length(text)?))
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
